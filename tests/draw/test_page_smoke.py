"""The explorer once through, in one browser and one page: what a slow test tells in detail must hold here at all."""

from __future__ import annotations

from layoutalg.draw import LaneAccess, page
from layoutalg.index import var
from layoutalg.layout import make_naive_tensor_descriptor
from layoutalg.memory import access, lane_map
from tests.draw.explorer import hover, reading

LANE = var("lane", 64)


def test_the_page_opens_on_the_files_access_and_follows_mouse_keys_player_and_address(opened):
    plain = make_naive_tensor_descriptor((64, 64), (64, 1))
    column = access(plain, lane_map(LANE, (LANE % 32, LANE // 32 * 8), 8), "f16", "gfx942", given=LANE < 35)
    text = page(
        {"other": plain, "tile": plain}, own={"tile": {"column": column}}, claims={"tile": {"column": ["cycles(40)"]}}
    )
    tab = opened(text)
    expected = LaneAccess.from_proof(column)
    assert (tab.locator("#layout").input_value(), tab.locator("#access").input_value()) == ("tile", "column")
    assert tab.evaluate("() => now.lanes.phases.map((p) => p.cycles)") == [p.cycles for p in expected.phases]
    assert tab.locator("#access-claims").text_content() == "The file claims: cycles(40)."
    hover(tab, "grid", 64 * 3 + 9)
    assert reading(tab) == {
        "index": "(3, 9)", "offset": "201", "byte": "402", "dword": "100", "bank": "4", "lane": "–", "phase": "–",
    }  # fmt: skip
    tab.locator("#grid-cells").focus()
    tab.keyboard.press("Home")
    tab.keyboard.press("ArrowDown")
    assert reading(tab)["lane"] == "1"
    tab.wait_for_function("() => said.textContent === 'row 1, column 0, offset 64, bank 0, lane 1, phase 0'")
    tab.locator("#next").click()
    assert tab.locator("#phases [aria-pressed=true]").text_content() == "1: 8"
    tab.locator("#by").select_option("phase")
    tab.locator("#layout").select_option("other")
    assert tab.locator("#access option").first.text_content() == "rows, vector by vector"
    address = tab.url
    tab.go_back()
    assert (tab.locator("#layout").input_value(), tab.locator("#by").input_value()) == ("tile", "phase")
    assert reading(tab)["index"] == "(1, 0)"
    tab.goto(address)
    assert tab.locator("#layout").input_value() == "other"
    assert tab.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    tab.close()
