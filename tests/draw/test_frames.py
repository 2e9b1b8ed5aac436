"""The frames of an access: a picture a phase, of one size, with the lanes, cells and banks of that phase."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from layoutalg.draw import DrawError, LaneAccess, frames, operand
from layoutalg.draw.conflicts import HEAT
from layoutalg.index import TRUE, symbol, var
from layoutalg.index.evaluate import value
from layoutalg.layout import Xor, make_naive_tensor_descriptor, transform_tensor_descriptor
from layoutalg.memory import access, lane_map
from tests.draw.conftest import SVG

LANE = var("lane", 64)
PLAIN = make_naive_tensor_descriptor((32, 16), (64, 1))


def strip(frame) -> dict[int, str]:
    """Each numbered lane of a frame's strip, with the colour of its cell ("" for one that is not of the phase)."""
    root = ET.fromstring(str(frame))
    (lanes,) = [g for g in root.iter(f"{SVG}g") if any(t.text == "lanes" for t in g.findall(f"{SVG}text"))]
    cells = {(float(r.get("x")), float(r.get("y"))): r.get("fill", "") for r in lanes.findall(f"{SVG}rect")}
    found = {}
    for text in lanes.findall(f"{SVG}text"):
        if text.text.isdigit():
            corner = min(
                cells, key=lambda c: abs(c[0] + 17 - float(text.get("x"))) + abs(c[1] + 13 - float(text.get("y")))
            )
            found[int(text.text)] = cells[corner]
    return found


@pytest.mark.parametrize("given", [TRUE, LANE < 35, LANE % 8 < 1])
def test_a_frame_colours_the_lanes_of_its_phase_and_leaves_out_the_masked(given):
    reached = LaneAccess.from_proof(
        access(PLAIN, lane_map(LANE, (LANE % 32, LANE // 32 * 8), 8), "f16", "gfx942", given=given)
    )
    drawn = frames(reached)
    assert len(drawn) == len(reached.phases)
    for frame, phase in zip(drawn, reached.phases, strict=True):
        lanes = strip(frame)
        assert sorted(lanes) == [lane for lane in range(64) if reached.active[lane]]
        assert {lane for lane, colour in lanes.items() if colour} == set(phase.lanes) - set(phase.masked)
        assert {lanes[lane] for lane in phase.worst.lanes if phase.cycles > 1} <= set(HEAT)


def test_the_marked_cells_are_those_that_the_lanes_of_the_phase_reach():
    block = symbol("block", min=0, max=3)
    square = make_naive_tensor_descriptor((64, 64), (64, 1))
    mixed = transform_tensor_descriptor(square, [Xor((64, 64))], [[0, 1]], [[0, 1]])
    reached = LaneAccess.of(
        mixed, lambda lane, _: (lane % 16 + 16 * block, lane // 16), "gfx942", "ds_read_b32", "f32", {block: 2}
    )
    for frame, phase in zip(frames(reached), reached.phases, strict=True):
        marks = [r for r in ET.fromstring(str(frame)).iter(f"{SVG}rect") if r.get("stroke") == "#111"]
        width, height = {(float(r.get("width")), float(r.get("height"))) for r in marks}.pop()
        left = min(float(r.get("x")) for r in marks)
        found = {
            (round((float(r.get("x")) - left) / width), round(float(r.get("y")) / height - 22 / height)) for r in marks
        }
        lanes = [tuple(value(i, {reached.lane: lane, block: 2}) for i in reached.index) for lane in phase.lanes]
        first = min(column for _, column in lanes)
        assert found == {(column - first, row) for row, column in lanes}


def test_a_vector_that_the_grid_folds_is_marked_on_each_line():
    line = make_naive_tensor_descriptor((4, 4096), (4096, 1))
    reached = LaneAccess.of(line, lambda lane, _: (0, lane * 8), "gfx942")
    (first, *_) = frames(reached)
    marks = [r for r in ET.fromstring(str(first)).iter(f"{SVG}rect") if r.get("stroke") == "#111"]
    assert len(marks) == len(reached.phases[0].lanes)


def test_all_frames_have_one_size_and_the_same_text_each_time():
    reached = LaneAccess.of(PLAIN, operand(32, 8))
    drawn = frames(reached, "lane")
    assert len({(frame.width, frame.height) for frame in drawn}) == 1
    assert [str(frame) for frame in drawn] == [str(frame) for frame in frames(reached, "lane")]
    assert len({str(frame) for frame in drawn}) == len(drawn)
    costs = [phase.cycles for phase in reached.phases]
    assert drawn[-1].title.endswith(f"{sum(costs)} of {sum(costs)} so far")


def test_a_colouring_that_there_is_not_is_refused():
    with pytest.raises(DrawError, match="is coloured by one of"):
        frames(LaneAccess.of(PLAIN, operand(32, 8)), "wave")
