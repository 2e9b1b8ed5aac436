"""Accesses of which not all lanes take part: the page, the SVG and the text show what the claims are made of."""

from __future__ import annotations

import re

import pytest

from layoutalg.draw import DrawError, LaneAccess, access_page, conflicts, page, save
from layoutalg.index import all_of, symbol, var
from layoutalg.layout import (
    Pad,
    PassThrough,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_packed,
    transform_tensor_descriptor,
)
from layoutalg.memory import Reach, access, lane_map
from layoutalg.memory.banks import LANES_OFF
from layoutalg.target.dtypes import DTYPES

LANE = var("lane", 64)
M = symbol("M", min=1, max=64)
BLOCK = var("block", (M + 7) // 8)


def half():
    """Half a wave, and three lanes more."""
    tile = make_naive_tensor_descriptor((64, 64), (64, 1))
    return access(tile, lane_map(LANE, (LANE % 32, LANE // 32 * 8), 8), "f16", "gfx942", given=LANE < 35)


def padding():
    """The library's predicate of padding masks, nothing else is given."""
    tile = make_naive_tensor_descriptor_packed((20, 64))
    padded = transform_tensor_descriptor(tile, [Pad(20, 0, 44), PassThrough(64)], [[0], [1]], [[0], [1]])
    return access(padded, lane_map(LANE, (LANE, 0), 8), "f16", "gfx950")


def tail():
    """Rows of a matrix of M, eight lanes a row."""
    matrix = make_naive_tensor_descriptor_packed((M, 64))
    row = BLOCK * 8 + LANE // 8
    return access(matrix, lane_map(LANE, (row, LANE % 8 * 8), 8), "f16", "gfx942", given=all_of(row < M, M > 2))


def small(way="write"):
    """A wave of 32."""
    lane = var("lane", 32)
    tile = make_naive_tensor_descriptor((64, 72), (72, 1))
    return access(tile, lane_map(lane, (lane, 0), 8), "f16", "gfx1201", way, given=lane >= 13)


def seen(tab):
    return tab.evaluate("() => now.lanes.problem ?? now.lanes.phases.map((p) => [p.cycles, p.lanes, p.masked])")


@pytest.mark.slow
@pytest.mark.parametrize("make", [half, padding, tail, small])
def test_the_page_has_the_lanes_banks_and_cycles_of_the_library(opened, make):
    made = make()
    tab = opened(access_page(made))
    sizes = dict(tab.evaluate("() => sliders().map((s) => [s.name, s.values[place(s)]])"))
    expected = LaneAccess.from_proof(made, sizes)
    assert seen(tab) == [[p.cycles, list(p.lanes), list(p.masked)] for p in expected.phases]
    addresses = zip(expected.addresses.tolist(), expected.active, strict=True)
    assert tab.evaluate("() => now.lanes.addresses") == [at if there else None for at, there in addresses]
    title = conflicts(expected).title
    assert title.endswith(tab.locator("#verdict").text_content())
    told = f"{expected.active.sum()} of {len(expected.active)} lanes take part"
    assert told in tab.locator("#evidence").text_content()
    assert told in str(conflicts(expected))
    for text in (tab.locator("#evidence").text_content(), str(conflicts(expected))):
        assert LANES_OFF in text
    tab.close()


@pytest.mark.slow
def test_sliders_move_the_mask_and_say_where_there_is_no_access(opened):
    made = tail()
    tab = opened(access_page(made))
    for m, block in ((3, 0), (21, 2), (24, 2), (9, 1)):
        tab.locator("#size-M").fill(str(m - 1))
        tab.locator("#size-block").fill(str(block))
        expected = LaneAccess.from_proof(made, {"M": m, "block": block})
        assert seen(tab) == [[p.cycles, list(p.lanes), list(p.masked)] for p in expected.phases], (m, block)
    for m, block in ((9, 2), (2, 0)):
        tab.locator("#size-M").fill(str(m - 1))
        tab.locator("#size-block").fill(str(block))
        assert "there is no such access at these sizes: it is given" in tab.locator("#verdict").text_content()
        with pytest.raises(DrawError, match=r"block = 2 breaks|no sizes were found at which there is such an access"):
            LaneAccess.from_proof(made, {"M": m, "block": block})
    tab.close()


def test_sizes_that_are_not_chosen_are_some_at_which_there_is_the_access():
    first = LaneAccess.from_proof(tail())
    assert {v.value.name: n for v, n in first.at.items()}["M"] > 2
    assert first.active.any()
    with pytest.raises(DrawError, match="M = 65 breaks 1 <= M <= 64"):
        LaneAccess.from_proof(tail(), {"M": 65})


@pytest.mark.slow
def test_a_masked_lane_is_written_as_such_and_pointing_at_it_does_nothing(opened):
    tab = opened(access_page(half()))
    masked = tab.evaluate("() => now.lanes.phases.findIndex((p) => p.masked.length === p.lanes.length)")
    tab.evaluate(f"() => update({{phase: {masked}}})")
    assert tab.locator("#witness").text_content() == "no lane takes part"
    assert tab.locator("#phases [aria-pressed=true]").text_content() == f"{masked}: 0"
    before = tab.locator("#r-index").text_content()
    tab.locator("#banks canvas").first.hover(position={"x": 62 + 2.5 * 17, "y": 20 + 4.5 * 16})
    assert tab.locator("#r-index").text_content() == before
    tab.locator("#by").select_option("lane")
    assert tab.evaluate("() => new Set(now.lanes.lane).size") == 36  # 35 lanes, and -1 for what none of them reads
    tab.close()


@pytest.mark.slow
def test_lanes_that_hardware_merges_in_twos_are_refused_where_some_are_masked(opened):
    tab = opened(access_page(small("read")))
    tab.locator("#target").select_option("sm_90")
    assert "how it does so where lanes take no part was not measured" in tab.locator("#verdict").text_content()
    tab.locator("#target").select_option("gfx942")
    assert tab.locator("#verdict").text_content().startswith("a lane map of 32 lanes; ds_read_b128 on")
    tab.close()


@pytest.mark.slow
def test_another_width_than_the_accesss_own_is_refused(opened):
    tab = opened(access_page(half()))
    tab.locator("#instruction").select_option("ds_read_b32")
    assert tab.locator("#verdict").text_content() == "8 elements of 2 bytes are 16 bytes a lane; ds_read_b32 moves 4"
    tab.close()


@pytest.mark.slow
def test_a_layouts_own_accesses_are_chosen_by_name_each_with_its_instruction_and_sliders(opened):
    first, second, third = half(), padding(), tail()
    memory = Reach(third.descriptor, third.lanes, DTYPES["f16"], given=third.given)
    wide = make_naive_tensor_descriptor((64, 32), (33, 1))
    column = access(wide, lane_map(LANE, (LANE, 0)), "f32", "gfx90a", "ds_write_b32", given=LANE < 40)
    layouts = {"tile": first.descriptor, "padded": second.descriptor, "matrix": third.descriptor, "wide": wide}
    own = {
        "tile": {"half": first}, "padded": {"edge": second}, "matrix": {"in LDS": third, "in memory": memory},
        "wide": {"column": column},
    }  # fmt: skip
    tab = opened(page(layouts, own=own, dtype={"tile": "f16", "padded": "f16", "matrix": "f16", "wide": "f32"}))
    tab.locator("#layout").select_option("wide")
    expected = LaneAccess.from_proof(column)
    assert tab.locator("#target").input_value() == "gfx942"  # as shown: it has the instruction
    assert tab.locator("#instruction").input_value() == "ds_write_b32"
    assert tab.evaluate("() => now.lanes.addresses.slice(0, 40)") == expected.addresses.tolist()[:40]
    assert not tab.locator("#size-M").is_visible()
    tab.locator("#layout").select_option("matrix")
    assert tab.locator("#access option").all_text_contents()[:2] == ["in LDS", "in memory"]
    tab.locator("#size-M").fill("20")
    tab.locator("#access").select_option("in memory")
    assert tab.locator("#verdict").text_content() == "names no LDS instruction: its lanes are shown, and no banks"
    assert not tab.locator("#banks").is_visible()
    assert tab.evaluate("() => now.lanes.lane.filter((l) => l >= 0).length") == 512
    assert tab.locator("label[for=size-M] output").text_content() == "M = 21"
    assert tab.locator("#size-block").count() == 1
    tab.close()


@pytest.mark.slow
def test_the_checks_of_the_page_hold(opened):
    tab = opened(access_page(tail()))
    assert re.fullmatch(r"\d+ sample points equal the library's\.", tab.locator("#checked").text_content())
    tab.close()


def test_text_and_picture_are_of_the_same_lanes(tmp_path):
    made = half()
    assert "takes no part" in save(made, tmp_path / "a.svg").read_text()
    assert "mask: (lane, s) => {  return lane < 35; }" in save(made, tmp_path / "a.html").read_text()
    assert save(made, tmp_path / "a.txt").read_text().count("XXXX") == 8
