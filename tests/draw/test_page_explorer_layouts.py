"""The explorer of other layouts than a plain tile: large, padded, symbolic, distributed, with claimed accesses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from layoutalg.draw import LaneAccess, access_page, explore, operand, page
from layoutalg.index import symbol, var
from layoutalg.layout import (
    Merge,
    Pad,
    PassThrough,
    Slice,
    TileDistribution,
    TileDistributionEncoding,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_packed,
    transform_tensor_descriptor,
)
from layoutalg.memory import access, lane_map
from layoutalg.target import target
from tests.draw.explorer import hover, reading

pytestmark = pytest.mark.slow  # `test_page_smoke` is the quick one


def test_a_large_page_answers_a_hover(opened):
    tab = opened(page(make_naive_tensor_descriptor((256, 128), (136, 1)), access=2))
    for n in (0, 1000, 4711, 9000, 12000):
        hover(tab, "grid", n)
        tab.wait_for_timeout(60)
    assert reading(tab)["offset"] == str(136 * (12000 // 128) + 12000 % 128)
    tab.close()


def test_padding_and_collisions_are_said(opened):
    packed = make_naive_tensor_descriptor_packed((6, 6, 2))
    image = transform_tensor_descriptor(
        packed, [Pad(6, 1, 1), Pad(6, 1, 1), PassThrough(2)], [[0], [1], [2]], [[0], [1], [2]]
    )
    cube = make_naive_tensor_descriptor((8, 64, 8), (500, 8, 1))
    clash = transform_tensor_descriptor(cube, [PassThrough(64), Merge((8, 8))], [[1], [0, 2]], [[0], [1]])
    tab = opened(page({"image": image, "clash": clash}, instruction="ds_read_b32"))
    assert reading(tab)["offset"] == "padding"
    assert tab.locator("#verdict").text_content() == "lane 0 asks for index (0, 0, 0), which is padding"
    tab.locator("#layout").select_option("clash")
    text = tab.locator("#memory-note").text_content()
    first, second = (tuple(map(int, part.split(")")[0].split(","))) for part in text.split("(")[1:])
    assert int(clash.offset(first)) == int(clash.offset(second)) == int(text.split()[-1])
    expected = [64 * i + j for i in range(64) for j in range(64) if clash.offset((i, j)) is clash.offset(first)]
    assert tab.evaluate(f"() => twins({text.split()[-1]})") == expected
    tab.close()


def test_a_distribution_is_followed_register_by_register(opened):
    tile = TileDistribution(
        TileDistributionEncoding((), ((4, 2, 8), (8, 8)), ((1,), (1, 2)), ((0,), (2, 0)), (1, 2), (1, 1))
    )
    tab = opened(page(tile, dtype="f16"))
    assert (
        tab.evaluate("() => instruction().name") == "ds_read_u16"
    )  # any wider one leaves the tile at its last elements
    for wave, register, lane in ((0, 0, 0), (3, 5, 17), (1, 15, 63)):
        tab.locator("#size-wave").fill(str(wave))
        tab.locator("#size-register").fill(str(register))
        x = [int(i) for i in tile.lower((wave, lane), tile.ys_to_d.upper([register]))]
        assert tab.evaluate(f"() => unravel(now.lanes.starts[{lane}], now.tiled.lengths)") == x
    tab.close()


def test_an_access_below_its_alignment_is_priced_and_said_to_be_in_doubt(opened):
    tab = opened(page(make_naive_tensor_descriptor((64, 64), (64 + symbol("pad", min=0, max=8, multiple_of=2), 1))))
    said = []
    for step in (1, 4):  # rows begin at multiples of 132 bytes, and of 144
        tab.locator("#size-pad").fill(str(step))
        assert "cycles" in tab.locator("#verdict").text_content()
        said.append("asks for multiples of 16 bytes" in tab.locator("#evidence").text_content())
    assert said == [True, False]
    tab.close()


def test_an_access_brings_its_own_slider(opened, plain):
    step = symbol("k", min=0, max=48, multiple_of=16)

    def moved(vector):
        return lambda lane, tile: (lane % 32, step + lane // 32 * vector)

    tab = opened(page(plain, accesses={"moved": moved}))
    tab.locator("#size-k").fill("2")
    assert tab.evaluate("() => unravel(now.lanes.starts[33], now.tiled.lengths)") == [1, 40]
    tab.close()


def test_sizes_that_leave_no_tile_are_said(opened):
    h = symbol("H", min=1, max=200)
    sliced = transform_tensor_descriptor(
        make_naive_tensor_descriptor_packed((h + 100, 8)),
        [Slice(h + 100, 100, h), PassThrough(8)],
        [[0], [1]],
        [[0], [1]],
    )
    tab = opened(page(sliced, start={"H": 164}))
    assert tab.evaluate("() => now.tiled.lengths") == [64, 8]
    assert tab.locator("#verdict").text_content() == "lane 1 asks for index (0, 8), outside the tile"
    tab.locator("#size-H").fill("3")
    assert tab.locator("#grid-note").text_content() == "lengths (-96, 8) over 832 elements: no tile at these sizes"
    assert not tab.locator("#grid").is_visible()
    tab.close()


def test_the_page_of_a_claimed_access_has_its_variables_as_sliders(opened, plain):
    lane, block = var("lane", 64), var("block", 4)
    rows = lane_map(lane, (lane % 16 + 16 * block, lane // 16 * 8), 8, name="rows")
    tab = opened(access_page(access(plain, rows, "f16", "gfx950")))
    for number in (0, 3):
        tab.locator("#size-block").fill(str(number))
        expected = LaneAccess.from_proof(access(plain, rows, "f16", "gfx950"), {"block": number})
        found = tab.evaluate("() => now.lanes.addresses")
        assert found == expected.addresses.tolist()
    assert tab.locator("#access").input_value() == "rows"
    assert tab.locator("#target").input_value() == "gfx950"
    tab.close()


def test_a_target_of_ones_own_is_offered(opened, plain):
    own = replace(target("gfx942"), name="mine", title="one of my own")
    tab = opened(access_page(LaneAccess.of(plain, operand(32, 8), own)))
    assert tab.locator("#target").input_value() == "mine"
    assert tab.locator("#evidence").text_content().startswith("ds_read_b128 on one of my own.")
    tab.close()


def test_a_slider_for_a_length_grows_the_tile(opened):
    m = symbol("M", min=64, max=4096, multiple_of=64)
    tab = opened(page(make_naive_tensor_descriptor((m, 512), (512, 1)), access=1))
    assert tab.locator("#grid-note").text_content() == "64 × 512, coloured by bank"
    tab.locator("#size-M").fill("1")
    assert tab.evaluate("() => now.tiled.count") == 128 * 512
    tab.locator("#size-M").fill("63")
    problem = "2097152 indices over 2097152 elements are too many to draw"
    assert tab.locator("#grid-note").text_content() == problem
    assert not tab.locator("#grid").is_visible()
    tab.locator("#size-M").fill("0")
    hover(tab, "grid", 513)
    assert reading(tab)["index"] == "(1, 1)"
    tab.close()


def test_a_notebook_shows_the_explorer_in_a_frame(opened, padded):
    tab = opened(f"<!doctype html><body>{explore(padded)._repr_html_()}</body>")
    frame = tab.frame_locator("iframe")
    frame.locator("#size-pad").fill("1")
    frame.locator("#grid canvas").first.focus()
    tab.keyboard.press("ArrowDown")
    tab.wait_for_timeout(250)
    assert frame.locator("#r-offset").text_content() == "72"
    tab.close()


def test_dark_pages_are_dark(browser, padded, tmp_path):
    path = tmp_path / "dark.html"
    path.write_text(page(padded), encoding="utf-8")
    context = browser.new_context(color_scheme="dark")
    tab = context.new_page()
    tab.goto(path.as_uri())
    assert tab.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(13, 17, 22)"
    context.close()
