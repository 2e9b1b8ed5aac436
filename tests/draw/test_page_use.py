"""The explorer for everybody, in a real Chromium: by keys, by ear, at any width, in the dark, by a link."""

from __future__ import annotations

from itertools import combinations
from urllib.parse import parse_qs, urlsplit

import pytest

from layoutalg.draw import LaneAccess, page
from layoutalg.index import symbol, var
from layoutalg.layout import make_naive_tensor_descriptor
from layoutalg.memory import Reach, access, lane_map
from layoutalg.target.dtypes import DTYPES
from tests.draw.explorer import hover, reading
from tests.optional import needed

pytestmark = pytest.mark.slow

LANE = var("lane", 64)
PLAIN = make_naive_tensor_descriptor((64, 64), (64, 1))
COLUMN = access(PLAIN, lane_map(LANE, (LANE % 32, LANE // 32 * 8), 8), "f16", "gfx942", given=LANE < 35)
ROW = access(PLAIN, lane_map(LANE, (LANE // 8, LANE % 8 * 8), 8), "f16", "gfx942")
PADDED = make_naive_tensor_descriptor((64, 64), (64 + symbol("pad", min=0, max=32, multiple_of=8), 1))
WIDTHS = (400, 768, 1280, 1920)


def text():
    """A layout with two accesses of LDS and one of memory, and one with none."""
    own = {
        "tile": {
            "column": COLUMN,
            "row": ROW,
            "from memory": Reach(PLAIN, COLUMN.lanes, DTYPES["f16"], given=LANE < 35),
        }
    }
    claims = {"tile": {"": ["bijective"], "column": ["cycles(40)", "conflict_free (refuted)"]}}
    return page({"other": PADDED, "tile": PLAIN}, own=own, claims=claims, title="A page")


@pytest.fixture(scope="module")
def shared(opened):
    tab = opened(text())
    yield tab
    tab.close()


@pytest.fixture
def tab(shared):
    """The page at its first state."""
    shared.evaluate("() => { location.hash = ''; restore(); document.activeElement.blur(); }")
    return shared


def said(tab, words: str) -> None:
    tab.wait_for_function("(words) => said.textContent === words", arg=words)


def turn(number: int) -> str:
    """What the library says of a phase of the column."""
    costs = [phase.cycles for phase in LaneAccess.from_proof(COLUMN).phases]
    so_far = sum(costs[: number + 1])
    return f"phase {number} of 0 to {len(costs) - 1}: {costs[number]} cycles, {so_far} of {sum(costs)} so far"


def focused(tab) -> str:
    return tab.evaluate("() => document.activeElement.id")


# The file's own accesses ----------------------------------------------------------------------------------------------


def test_the_files_accesses_come_first_and_one_is_chosen(tab):
    groups = tab.evaluate(
        """() => [...document.querySelectorAll('#access optgroup')].map(
            (g) => [g.label, ...[...g.children].map((o) => o.value)])"""
    )
    assert groups == [
        ["of the file", "column", "row", "from memory"],
        ["patterns", "rows, vector by vector", "columns, vector by vector", "operand of 32 rows", "operand of 16 rows"],
    ]
    assert (tab.locator("#layout").input_value(), tab.locator("#access").input_value()) == ("tile", "column")
    assert tab.locator("#layout-claims").text_content() == "The file claims: bijective."
    assert tab.locator("#access-claims").text_content() == "The file claims: cycles(40), conflict_free (refuted)."
    tab.locator("#access").select_option("operand of 16 rows")
    assert tab.locator("#access-claims").text_content() == ""
    assert tab.locator("#verdict").text_content() == "32 cycles, 8 without conflicts"
    tab.locator("#layout").select_option("other")
    assert tab.locator("#access optgroup").count() == 1
    assert tab.locator("#access").input_value() == "operand of 16 rows"  # it has one of that name


# Masks and phases -----------------------------------------------------------------------------------------------------


def shades(tab) -> list[str | None]:
    return tab.evaluate("() => now.lanes.active.map((_, lane) => laneShade(lane))")


def test_the_strip_of_lanes_tells_the_phase_its_conflicts_and_the_masked(tab):
    reached = LaneAccess.from_proof(COLUMN)
    heat = tab.evaluate("() => HEAT")
    for number, phase in enumerate(reached.phases):
        tab.evaluate(f"() => show({number})")
        found = shades(tab)
        assert [colour is not None for colour in found] == reached.active.tolist()
        shown = {lane for lane, colour in enumerate(found) if colour in heat}
        assert shown == {lane for lane in phase.lanes if reached.active[lane]}
        assert {found[lane] for lane in shown} <= ({heat[0]} if phase.cycles < 2 else {heat[-2]} | set(heat))
        assert phase.cycles < 2 or all(found[lane] != heat[0] for lane in shown if lane in phase.worst.lanes)
    tab.locator("#access").select_option("from memory")
    assert shades(tab) == [heat[0] if there else None for there in reached.active]
    assert not tab.locator("#player").is_visible()


def test_play_shows_phase_after_phase_until_paused(tab):
    tab.evaluate(
        """() => { window.seen = []; const old = update;
            update = (...all) => { seen.push(all[0].phase); old(...all); }; }"""
    )
    tab.locator("#play").click()
    assert tab.locator("#play").text_content() == "Pause"
    tab.wait_for_function("() => explorer.state.phase === 2")
    tab.locator("#play").click()
    assert tab.locator("#play").text_content() == "Play"
    assert tab.evaluate("() => seen") == [1, 2]
    tab.wait_for_timeout(1200)
    assert tab.locator("#turn").text_content() == turn(2)
    tab.locator("#play").click()
    tab.locator("#next").click()  # a step stops it
    assert tab.locator("#play").text_content() == "Play"
    assert tab.evaluate("() => explorer.state.phase") == 3


def test_who_asks_for_less_motion_steps_and_is_not_shown_a_player(opened):
    tab = opened(text())
    tab.emulate_media(reduced_motion="reduce")
    tab.wait_for_function("() => document.getElementById('play').hidden")
    assert not tab.locator("#play").is_visible()
    tab.locator("#grid-cells").focus()
    tab.keyboard.press("Space")
    tab.wait_for_timeout(1100)
    assert tab.evaluate("() => explorer.state.phase") == 0
    tab.locator("#next").click()
    assert tab.evaluate("() => explorer.state.phase") == 1
    tab.close()


# The link -------------------------------------------------------------------------------------------------------------


def test_a_copied_link_restores_what_was_seen(opened):
    first = opened(text())
    first.context.grant_permissions(["clipboard-read", "clipboard-write"])
    first.locator("#access").select_option("row")
    first.locator("#by").select_option("lane")
    first.locator("#target").select_option("gfx950")
    first.evaluate("() => show(2)")
    first.locator("#lanes-cells").focus()
    first.keyboard.press("ArrowRight")
    first.wait_for_timeout(300)
    first.locator("#share").click()
    said(first, "The link is copied.")
    link = first.evaluate("() => navigator.clipboard.readText()")
    found = {key: value for key, (value,) in parse_qs(urlsplit(link).fragment).items()}
    assert found == {
        "layout": "tile", "access": "row", "target": "gfx950", "instruction": "ds_read_b128", "by": "lane", "at": "0.8",
        "phase": "2", "held": "1",
    }  # fmt: skip
    second = opened(text(), f"#{urlsplit(link).fragment}")
    whole = "() => { const { sizes, lane, ...rest } = explorer.state; return rest; }"
    assert second.evaluate(whole) == first.evaluate(whole)
    assert reading(second) == reading(first)
    assert second.locator("#turn").text_content() == first.locator("#turn").text_content()
    for one in (first, second):
        one.close()


def test_back_and_forth_go_through_what_was_chosen(opened):
    tab = opened(text())
    for menu, value in (("access", "row"), ("by", "offset"), ("layout", "other")):
        tab.locator(f"#{menu}").select_option(value)
    hover(tab, "grid", 70)

    def seen():
        return tuple(tab.locator(f"#{menu}").input_value() for menu in ("layout", "access", "by"))

    tab.go_back()
    assert seen() == ("tile", "row", "offset")
    tab.go_back()
    assert seen() == ("tile", "row", "bank")
    tab.go_back()
    assert seen() == ("tile", "column", "bank")
    tab.go_forward()
    assert seen() == ("tile", "row", "bank")
    tab.close()


# Keys and words -------------------------------------------------------------------------------------------------------


def test_tab_reaches_everything_and_the_focus_is_seen(tab):
    reached = []
    for _ in range(60):
        tab.keyboard.press("Tab")
        name = focused(tab)
        if name in ("", *reached[:1]):
            break
        reached.append(name)
        outline = tab.evaluate(
            """() => { const style = getComputedStyle(document.activeElement);
                return [style.outlineStyle, parseFloat(style.outlineWidth)]; }"""
        )
        assert outline[0] != "none" and outline[1] >= 2, name  # noqa: PT018
    every = tab.evaluate(
        """() => [...document.querySelectorAll('select, button, input, canvas[tabindex]')]
            .filter((e) => e.checkVisibility()).map((e) => e.id)"""
    )
    assert sorted(reached) == sorted(every)


def test_a_choice_by_keys_keeps_the_focus(tab):
    tab.locator("#by").focus()
    tab.keyboard.press("ArrowDown")
    assert tab.locator("#by").input_value() == "lane"
    assert focused(tab) == "by"
    tab.locator("#phase-3").focus()
    tab.keyboard.press("Enter")
    assert focused(tab) == "phase-3"
    assert tab.locator("#phase-3").get_attribute("aria-pressed") == "true"
    said(tab, f"{turn(3)}. {tab.locator('#witness').text_content()}")


@pytest.mark.parametrize(
    ("panel", "keys", "words"),
    [
        ("grid", ["End"], "row 63, column 63, offset 4095, bank 31, read by no lane"),
        ("grid", ["PageDown", "ArrowDown", "ArrowRight"], "row 9, column 1, offset 577, bank 0, lane 9, phase 2"),
        ("grid", ["PageDown", "ArrowUp", "Home"], "row 0, column 0, offset 0, bank 0, lane 0, phase 0"),
        ("memory", ["ArrowDown", "ArrowRight"], "row 1, column 1, offset 65, bank 0, lane 1, phase 0"),
        ("lanes", ["ArrowDown", "ArrowDown", "ArrowRight"], "row 1, column 8, offset 72, bank 4, lane 33, phase 4"),
        ("lanes", ["ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight"], "lane 35 takes no part"),
        ("banks", ["ArrowDown", "ArrowRight", "ArrowRight"], "row 1, column 4, offset 68, bank 2, lane 1, phase 0"),
    ],
)  # fmt: skip
def test_each_picture_is_walked_by_arrows_and_says_where(tab, panel, keys, words):
    tab.locator(f"#{panel}-cells").focus()
    for key in keys:
        tab.keyboard.press(key)
    said(tab, words)


def test_a_key_that_leads_nowhere_moves_nothing(tab):
    for panel in ("grid", "memory", "lanes", "banks"):
        tab.locator(f"#{panel}-cells").focus()
        for key in ("ArrowUp", "ArrowLeft"):
            tab.keyboard.press(key)
        assert reading(tab)["index"] == "(0, 0)"


def test_a_walk_of_memory_passes_over_what_no_index_reaches(tab):
    tab.evaluate("() => choose({ layout: 0, sizes: { pad: 1 }, at: 63 })")
    tab.locator("#memory-cells").focus()
    tab.keyboard.press("ArrowRight")
    assert reading(tab)["index"] == "(1, 0)"
    assert reading(tab)["offset"] == "72"


def test_what_the_keys_point_at_is_scrolled_into_view(opened):
    tab = opened(text())
    tab.set_viewport_size({"width": 400, "height": 300})
    tab.locator("#grid-cells").focus()
    tab.keyboard.press("End")
    tab.wait_for_timeout(50)
    x, y, w, h = tab.evaluate("() => views.grid.box(state.at, 0)")
    left, top, width, height = tab.evaluate(
        """() => { const frame = document.getElementById('grid-scroll');
            return [frame.scrollLeft, frame.scrollTop, frame.clientWidth, frame.clientHeight]; }"""
    )
    assert left <= x and x + w <= left + width  # noqa: PT018
    assert top <= y and y + h <= top + height  # noqa: PT018
    tab.close()


def test_letters_do_nothing_outside_the_pictures(tab):
    tab.locator("#play").focus()
    tab.keyboard.press("c")
    tab.keyboard.press("l")
    assert tab.locator("#by").input_value() == "bank"
    assert tab.locator("#layout").input_value() == "tile"


def test_every_control_has_a_name_and_ids_are_unique(tab):
    tab.evaluate("() => choose({ layout: 0 })")  # the one with a slider
    tree = tab.evaluate(
        """() => [...document.querySelectorAll('select, button, input, [role=application], [role=group], section')]
            .filter((e) => e.checkVisibility()).map((e) => [e.tagName, e.id, e.ariaLabel || e.textContent.trim()
                || (e.labels && e.labels[0]?.textContent) || (e.getAttribute('aria-labelledby') || '')])"""
    )
    assert [one for one in tree if not one[2]] == []
    ids = tab.evaluate("() => [...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))
    for panel in ("grid", "memory", "lanes", "banks"):
        canvas = tab.locator(f"#{panel}-cells")
        assert canvas.get_attribute("role") == "application"
        assert canvas.get_attribute("aria-label")
        assert tab.locator(f"#{canvas.get_attribute('aria-describedby')}").is_visible()
    assert tab.locator("#said").get_attribute("role") == "status"
    assert tab.locator("#size-pad").get_attribute("aria-label") == "pad"


# Widths and colours ---------------------------------------------------------------------------------------------------

BOXES = """() => {
  const every = [...document.querySelectorAll('*')];
  return [...document.querySelectorAll(`header, section, footer, #controls > *, #readout > *, #player > *, #phases > *,
    section:not(.bare) > *`)].filter((e) => e.checkVisibility()).map((e) => [e, e.getBoundingClientRect()])
    .filter(([_, box]) => box.width && box.height)
    .map(([e, box]) => [every.indexOf(e.parentElement), e.id || e.tagName, box.left, box.top, box.right, box.bottom]);
}"""

CONTRAST = """() => {
  const rgb = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const light = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, part, n) => sum + part * linear(c[n] / 255), 0);
  const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const behind = (e) => {
    const colour = rgb(getComputedStyle(e).backgroundColor);
    return colour.length === 3 ? colour : behind(e.parentElement);
  };
  return [...document.querySelectorAll('body *:not(script, template, svg *)')]
    .filter((e) => e.checkVisibility() && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()))
    .map((e) => [e.id || e.className || e.tagName, ratio(rgb(getComputedStyle(e).color), behind(e))]);
}"""


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_overlaps_or_leaves_the_page_and_text_can_be_read(tab, scheme, width):
    tab.emulate_media(color_scheme=scheme)
    tab.set_viewport_size({"width": width, "height": 1000})
    for layout in (1, 0):
        tab.evaluate(f"() => choose({{ layout: {layout} }})")
        assert tab.evaluate("() => document.documentElement.scrollWidth") <= width
        found = tab.evaluate(BOXES)
        assert len(found) > 30
        for parent, name, left, _, right, _ in found:
            assert left >= 0 and right <= width + 0.5, (parent, name)  # noqa: PT018
        for a, b in combinations(found, 2):
            apart = a[4] <= b[2] + 0.5 or b[4] <= a[2] + 0.5 or a[5] <= b[3] + 0.5 or b[5] <= a[3] + 0.5
            assert a[0] != b[0] or apart, (a, b)
        texts = tab.evaluate(CONTRAST)
        assert len(texts) > 30
        assert [one for one in texts if one[1] < 4.5] == []


def test_axe_finds_nothing_wrong(tab):
    """axe-core's rules; the contrast of text over drawings, which it cannot tell, is computed in `test_svg`."""
    axe = needed("axe_playwright_python.sync_playwright", "test").Axe()
    for layout in (1, 0):
        tab.evaluate(f"() => choose({{ layout: {layout} }})")
        assert axe.run(tab).response["violations"] == []
