"""An access as time: every dword is served once, in the phase of its lane, and the cycles are the model's."""

import re
from collections import Counter

import pytest

from layoutalg.draw import DrawError, LaneAccess, lane_groups, operand, timeline
from layoutalg.layout import make_naive_tensor_descriptor
from layoutalg.synth.gemm import packed, swizzled
from layoutalg.target import target

CELL = re.compile(r'<text x="[\d.]+" y="([\d.]+)">(\d+)\+?<')


def served(access: LaneAccess, phases: list[int] | None = None) -> list[tuple[float, int]]:
    """The height and the lane of each cell."""
    return [(float(y), int(lane)) for y, lane in CELL.findall(str(timeline(access, phases)))]


@pytest.mark.parametrize("gpu", ["gfx942", "gfx950"])
@pytest.mark.parametrize("tile", [packed(128, 64), swizzled(128, 64)], ids=["plain", "xor"])
def test_every_dword_is_served_in_the_cycles_of_the_model(gpu: str, tile: object) -> None:
    access = LaneAccess.of(tile, operand(32, 8), gpu)
    cells = served(access)
    assert Counter(lane for _, lane in cells) == dict.fromkeys(range(64), 4)
    order = sorted({y for y, _ in cells})
    assert len(order) == sum(phase.cycles for phase in access.phases)
    ends = iter(order)
    for phase in access.phases:
        rows = {next(ends) for _ in range(phase.cycles)}
        assert {lane for y, lane in cells if y in rows} == set(phase.lanes)


def test_lanes_that_share_a_dword_are_one_cell() -> None:
    everybody = make_naive_tensor_descriptor((64, 64), (0, 1))
    access = LaneAccess.of(everybody, operand(64, 8), "gfx942")
    assert {lane for _, lane in served(access, [0])} == {0}
    assert ">0+<" in str(timeline(access, [0]))


def test_lanes_are_shown_by_the_phases_of_the_target_with_their_doubts() -> None:
    text = str(lane_groups("gfx950"))
    for name in ("ds_read_b128", "ds_write_b64"):
        how = target("gfx950").instruction(name)
        assert f"{name}: {len(how.phases)} phases of {len(how.phases[0])} lanes, {how.banks} banks" in text
    evidence = target("gfx942").instruction("ds_read_b96").evidence
    assert evidence.doubt
    assert evidence.doubt in str(lane_groups("gfx942", ["ds_read_b96"]))


def test_where_sources_differ_the_others_are_shown_too() -> None:
    (other,) = target("gfx950").rivals["ds_read_b32"]
    text = str(lane_groups("gfx950", ["ds_read_b32"]))
    assert f"others say of ds_read_b32: {len(other.phases)} phases of {len(other.phases[0])} lanes" in text
    assert "others say" not in str(lane_groups("gfx950", ["ds_read_b128"]))


def test_the_worst_access_takes_a_cycle_a_lane() -> None:
    column = LaneAccess.of(
        make_naive_tensor_descriptor((64, 64), (64, 1)), operand(64, 2), "gfx942", "ds_read_b32", "f16"
    )
    assert [lane for _, lane in sorted(served(column))] == list(range(64))


def test_a_phase_that_there_is_not_is_refused() -> None:
    with pytest.raises(DrawError, match="phases 0 to 7"):
        timeline(LaneAccess.of(packed(128, 64), operand(32, 8), "gfx942"), phases=[8])
