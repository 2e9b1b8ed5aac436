"""Lanes × banks: the picture's cells, colours and witness are those of the bank model."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter

import pytest

from layoutalg.draw import DrawError, LaneAccess, compare, conflicts, down, in_order, operand
from layoutalg.draw.conflicts import CALM, HEAT, heat, phase_table, wanted, witness
from layoutalg.draw.fields import FieldInputs, descriptor_field
from layoutalg.index import symbol, var
from layoutalg.layout import (
    Pad,
    PassThrough,
    make_naive_tensor_descriptor,
    transform_tensor_descriptor,
)
from layoutalg.memory import access as lds_access
from layoutalg.memory import lane_map
from layoutalg.memory.banks import LaneMapError, MisalignedError, phases
from layoutalg.synth.gemm import packed
from layoutalg.synth.gemm import swizzled as xored

LANE = var("lane", 64)
SVG = "{http://www.w3.org/2000/svg}"


def test_the_addresses_are_those_of_the_expressions(plain):
    access = LaneAccess.of(plain, operand(16, 8))
    assert access.addresses.tolist() == [2 * (64 * (lane % 16) + 8 * (lane // 16)) for lane in range(64)]
    assert access.phases == phases("gfx942", "ds_read_b128", access.addresses)


def test_patterns_walk_rows_and_columns(plain):
    assert LaneAccess.of(plain, in_order(8)).offsets[:, 0].tolist() == [8 * lane for lane in range(64)]
    assert LaneAccess.of(plain, down(8)).offsets[:, 0].tolist() == [64 * lane for lane in range(64)]


@pytest.mark.parametrize("fixture", ["plain", "swizzled"])
@pytest.mark.parametrize("name", ["gfx942", "gfx950"])
def test_the_title_has_the_models_cycles(request, fixture, name):
    access = LaneAccess.of(request.getfixturevalue(fixture), operand(32, 8), name)
    total = sum(p.cycles for p in access.phases)
    assert conflicts(access).title == f"ds_read_b128 on {name}: {total} cycles, {len(access.phases)} without conflicts"


def test_a_phase_shows_each_lanes_dwords(column):
    one = column.phases[0]
    root = ET.fromstring(str(phase_table(column, one, "phase 0")))
    shown = [int(t.text or "") for t in root.iter(f"{SVG}text") if "on-" in t.get("class", "")]
    expected = [int(column.addresses[lane]) // 4 + n for lane in one.lanes for n in range(4)]
    assert Counter(shown) == Counter(expected)
    assert [r.get("class") for r in root.iter(f"{SVG}rect")].count("bad") == 1


def test_a_phase_without_conflicts_marks_nothing(swizzled):
    access = LaneAccess.of(swizzled, operand(32, 8))
    text = phase_table(access, access.phases[0], "").body
    assert 'class="bad"' not in text
    assert CALM in text
    assert not any(colour in text for colour in HEAT)


def test_a_broadcast_is_no_conflict(plain):
    access = LaneAccess.of(plain, lambda lane, tile: (0, 0))
    asked = wanted(access, access.phases[0])
    assert all(len(dwords) == 1 for dwords in asked.values())
    assert asked[0] == {0: list(access.phases[0].lanes)}


def test_the_witness_names_lanes_that_want_different_dwords_of_one_bank(column):
    one = column.phases[0]
    assert witness(one).startswith("bank 0: lane 0 wants dword 0, lane 1 dword 32")
    for lane, dword in zip(one.worst.lanes, one.worst.dwords, strict=True):
        assert dword % 32 == one.worst.bank
        assert dword in range(column.addresses[lane] // 4, column.addresses[lane] // 4 + 4)


def test_heat_grows_with_the_dwords_wanted():
    assert [heat(n) for n in (1, 2, 3, 4, 5, 8, 9, 64)] == [CALM, *(HEAT[k] for k in (0, 1, 1, 2, 2, 3, 3))]


def test_doubt_about_the_lanes_is_said(plain, texts):
    access = LaneAccess.of(plain, operand(32, 8), "gfx90a")
    assert any(text.startswith("In doubt: ") for text in texts(conflicts(access, [0])))


def test_before_and_after_show_both_costs(column, swizzled, texts):
    after = LaneAccess.of(swizzled, operand(32, 8))
    picture = compare(column, after)
    assert picture.title == "ds_read_b128 on gfx942: 64 cycles before, 8 after"
    assert "after: 8 cycles, phase 0 takes 1" in texts(picture)


def test_before_and_after_frame_the_lanes_of_the_phase(column, swizzled, parsed):
    frames = [r for r in parsed(compare(column, LaneAccess.of(swizzled, operand(32, 8)))).iter(f"{SVG}rect")
              if r.get("stroke") == "#111"]  # fmt: skip
    assert len(frames) == 2 * len(column.phases[0].lanes)


def test_before_and_after_stop_where_the_pattern_of_banks_repeats(texts):
    """Phase 0 takes rows 0 to 3 and 20 to 23; the banks of rows repeat every 8, before (every row) and after."""
    halves = [LaneAccess.of(tile(128, 64), operand(32, 8)) for tile in (packed, xored)]
    picture = compare(*halves)
    assert "Shown are 24 of 128 rows: the pattern repeats every 8." in texts(picture)
    assert picture.height < 600


def test_before_and_after_show_the_last_framed_row_and_all_rows_where_nothing_repeats(plain, texts):
    far = LaneAccess.of(plain, lambda lane, tile: (lane, 0))
    assert "Shown are 24 of 64 rows: the pattern repeats every 1." in texts(compare(far, far))
    last = next(n for n, phase in enumerate(far.phases) if 63 in phase.lanes)
    assert "Shown are" not in " ".join(texts(compare(far, far, phase=last)))
    once = LaneAccess.of(make_naive_tensor_descriptor((8, 64), (72, 1)), in_order(8))
    assert "Shown are" not in " ".join(texts(compare(once, once)))


def narrow():
    return make_naive_tensor_descriptor((64, 8), (8, 1))


def torn():
    return make_naive_tensor_descriptor((64, 64), (1, 64))


def edged():
    tile = make_naive_tensor_descriptor((64, 56), (64, 1))
    return transform_tensor_descriptor(tile, [PassThrough(64), Pad(56, 0, 8)], [[0], [1]], [[0], [1]])


@pytest.mark.parametrize(
    ("make", "pattern", "error", "message"),
    [
        (narrow, operand(32, 8), DrawError, r"lane 32 asks for index \(0, 8\), of a tile of \(64, 8\)"),
        (torn, operand(32, 8), DrawError, "lane 0 would read offsets .*: ds_read_b128 reads one run of 16 bytes"),
        (edged, in_order(8), DrawError, r"lane 7 asks for index \(0, 56\), which is padding"),
        (narrow, lambda lane, tile: (lane, 0), None, ""),
        (lambda: make_naive_tensor_descriptor((64, 64), (65, 1)), operand(32, 8), MisalignedError, "lane 1"),
    ],
)
def test_an_access_that_hardware_or_layout_forbids_is_refused(make, pattern, error, message):
    access = LaneAccess.of(make(), pattern)
    if error is None:
        assert len(access.phases) == 8
        return
    with pytest.raises(error, match=message):
        _ = access.phases


def test_a_wrong_lane_map_or_phase_is_refused(column, plain):
    with pytest.raises(DrawError, match="phases 0 to 7"):
        conflicts(column, [8])
    with pytest.raises(DrawError, match="these differ"):
        compare(column, LaneAccess.of(plain, operand(32, 8), "gfx950"))
    with pytest.raises(LaneMapError):
        phases("gfx942", "ds_read_b128", [0])
    with pytest.raises(DrawError, match="no whole elements"):
        _ = LaneAccess.of(plain, operand(32, 8), instruction="ds_read_b128", dtype="f6").elements


def test_sizes_of_the_layout_are_fixed_by_at():
    pad = symbol("pad", min=0, max=32, multiple_of=8)
    tile = make_naive_tensor_descriptor((64, 64), (64 + pad, 1))
    costs = [sum(p.cycles for p in LaneAccess.of(tile, operand(32, 8), at={pad: n}).phases) for n in (0, 8, 16)]
    assert costs == [64, 8, 16]


def test_a_masked_lane_keeps_its_row_and_has_no_bank(plain):
    half = lds_access(plain, lane_map(LANE, (LANE % 32, LANE // 32 * 8), 8), "f16", "gfx942", given=LANE < 21)
    seen = LaneAccess.from_proof(half)
    assert seen.active.tolist() == [lane < 21 for lane in range(64)]
    assert seen.phases[0].masked == (21, 22, 23)
    assert [phase.cycles for phase in seen.phases] == [5, 8, 4, 4, 0, 0, 0, 0]
    text = str(phase_table(seen, seen.phases[0], "phase 0"))
    assert text.count("takes no part") == 3
    assert {lane for asked in wanted(seen, seen.phases[0]).values() for lanes in asked.values() for lane in lanes} == {
        0, 1, 2, 3, 20,
    }  # fmt: skip
    assert witness(seen.phases[7]) == "no lane takes part"
    assert conflicts(seen).title == "ds_read_b128 on gfx942: 21 cycles, 4 without conflicts"
    assert "21 of 64 lanes take part" in str(conflicts(seen))


def test_a_masked_lane_may_lie_outside_and_holds_no_cell(plain):
    rows = lds_access(plain, lane_map(LANE, (LANE * 8, 0), 8), "f16", "gfx942", given=LANE < 8)
    seen = LaneAccess.from_proof(rows)
    held = descriptor_field(FieldInputs(plain, access=seen), "lane")
    assert held.known.sum() == 64
    assert set(held.values[held.known]) == set(range(8))
