"""The explorer in a real Chromium: mouse, keyboard, slider and address, and the numbers shown are the library's."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from layoutalg.draw import DrawError, LaneAccess, down, in_order, operand, page
from layoutalg.draw.fold import fold
from layoutalg.draw.maps import sizes_of
from layoutalg.index.evaluate import grids, value
from layoutalg.memory.banks import AccessError, cycles
from layoutalg.target import target, target_names
from tests.draw.explorer import hover, reading, shown

pytestmark = pytest.mark.slow  # `test_page_smoke` is the quick one


@pytest.fixture(scope="module")
def tile(request, opened):
    """The page of three layouts of one tile."""
    padded, swizzled, guide = (request.getfixturevalue(name) for name in ("padded", "swizzled", "guide"))
    tab = opened(page({"padded": padded, "swizzled": swizzled, "guide": guide}, title="tile", access=2))
    yield tab
    tab.close()


@pytest.fixture(autouse=True)
def fresh(request):
    """Each test starts from the page's first state."""
    if "tile" in request.fixturenames:
        tab = request.getfixturevalue("tile")
        tab.evaluate(
            """() => { Object.assign(explorer.state, {access: 2, target: 'gfx942', instruction: 'ds_read_b128',
            by: 'bank', sizes: {}, at: 0, phase: 0, held: false}); choose({layout: 0}); }"""
        )


@pytest.mark.parametrize("index", [(0, 0), (3, 17), (31, 15), (63, 63)])
def test_hovering_an_index_follows_it_to_offset_bank_lane_and_phase(tile, padded, index):
    hover(tile, "grid", 64 * index[0] + index[1])
    offset = value(padded.offset(index), {sizes_of(padded)[0]: 0})
    lane = index[0] % 32 + 32 * (index[1] // 8) if index[0] < 32 and index[1] < 16 else None
    phase = target("gfx942").instruction("ds_read_b128").phase_of[lane] if lane is not None else None
    assert reading(tile) == {
        "index": f"({index[0]}, {index[1]})", "offset": str(offset), "byte": str(2 * offset), "dword": str(offset // 2),
        "bank": str(offset // 2 % 32), "lane": shown(lane), "phase": shown(phase),
    }  # fmt: skip


def test_hovering_memory_leads_back_to_the_index(tile, swizzled):
    tile.evaluate("() => choose({layout: 1})")
    offset = int(swizzled.offset((5, 43)))
    hover(tile, "memory", offset)
    assert reading(tile)["index"] == "(5, 43)"
    assert reading(tile)["offset"] == str(offset)


def test_hovering_a_lane_and_bank_leads_back_to_the_index(tile):
    tile.locator("#banks canvas").first.hover(position={"x": 62 + 2.5 * 17, "y": 20 + 4.5 * 16})
    found = reading(tile)
    assert found["lane"] == "20"
    assert found["index"] == f"(20, {2 * int(found['bank'])})"


def test_every_hidden_dimension_shows_its_value(tile, guide):
    tile.evaluate("() => choose({layout: 2})")
    n = (1 * 64 + 3) * 128 + 2
    tile.evaluate(f"() => explorer.update({{at: {n}}}, false)")
    shown = tile.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('#graph g[data-hidden]')].map(
            (g) => [g.dataset.hidden, g.querySelector('text.value').textContent]))"""
    )
    assert shown == {str(i): f"= {int(v)}" for i, v in guide.hidden_index((1, 3, 2)).items()}


@pytest.mark.parametrize("number", [0, 1, 2])
def test_every_offset_equals_the_librarys(tile, padded, swizzled, guide, number):
    layout = (padded, swizzled, guide)[number]
    tile.evaluate(f"() => choose({{layout: {number}}})")
    at = dict.fromkeys(sizes_of(layout), 0)
    expected = grids([layout.offset(layout.index)], layout.index, at)[0]
    assert tile.evaluate("() => Array.from(explorer.now.tiled.offset)") == expected.ravel().tolist()
    assert tile.locator("#checked").text_content().endswith("sample points equal the library's.")


def test_the_slider_changes_offsets_and_conflicts_at_once(tile, padded):
    costs = []
    for place, pad in enumerate((0, 8, 16, 24, 32)):
        tile.locator("#size-pad").fill(str(place))
        at = {sizes_of(padded)[0]: pad}
        expected = sum(p.cycles for p in LaneAccess.of(padded, operand(32, 8), at=at).phases)
        assert tile.locator("#verdict").text_content() == f"{expected} cycles, 8 without conflicts"
        hover(tile, "grid", 64)
        assert reading(tile)["offset"] == str(64 + pad)
        costs.append(expected)
    assert costs[:2] == [64, 8]


@pytest.mark.parametrize("name", target_names())
def test_every_instruction_costs_what_the_library_says(tile, request, name):
    """Every target, instruction, layout and pattern; refused accesses are refused by both."""
    chosen = {"padded": {"pad": 8}, "swizzled": {}}
    priced = 0
    for number, (layout, sizes) in enumerate(chosen.items()):
        descriptor = request.getfixturevalue(layout)
        at = {v: sizes[v.value.name] for v in sizes_of(descriptor)}
        for place, family in enumerate([in_order, down, lambda v: operand(32, v), lambda v: operand(16, v)]):
            for how in target(name).instructions.values():
                found = tile.evaluate(
                    f"""() => {{ Object.assign(state, {{sizes: {{pad: 1}}, layout: {number}, access: {place},
                    target: '{name}', instruction: '{how.name}'}}); compute();
                    return now.lanes.problem ? null : now.lanes.phases.map((p) => [p.cycles, p.lanes]); }}"""
                )
                priced += found is not None
                if how.bytes % 2:
                    assert found is None
                    continue
                try:
                    reached = LaneAccess.of(descriptor, family(how.bytes // 2), name, how.name, "f16", at)
                    expected = [[p.cycles, list(p.lanes)] for p in reached.phases]
                    assert sum(c for c, _ in expected) == cycles(name, how.name, reached.addresses).item()
                except (DrawError, AccessError):
                    expected = None
                assert found == expected, (layout, place, how.name)
    assert priced >= 8


@pytest.mark.parametrize("share", [1, 2, 3])
def test_neighbours_that_agree_are_served_together_where_the_hardware_does(opened, plain, share):
    """On sm_90 lanes l and l xor 1, or l xor 2, with one address halve the phases of a wide read."""

    def pairs(lane, _):
        return (lane // 2 if share == 1 else lane % 2 + lane // 4 * 2 if share == 2 else lane // 3, 0)

    reached = LaneAccess.of(plain, pairs, "sm_90", "ld.shared.128")
    options = {"target_name": "sm_90", "instruction": "ld.shared.128"}
    tab = opened(page(plain, accesses={"pairs": lambda v: pairs}, **options))
    found = tab.evaluate("() => explorer.now.lanes.phases.map((p) => [p.cycles, p.lanes])")
    assert found == [[p.cycles, list(p.lanes)] for p in reached.phases]
    assert len(found) == (4 if share == 3 else 2)
    tab.close()


def test_the_witness_of_the_page_is_the_librarys(tile, padded):
    reached = LaneAccess.of(padded, operand(32, 8), at={sizes_of(padded)[0]: 0})
    worst = reached.phases[0].worst
    text = tile.locator("#witness").text_content()
    assert text.startswith(
        f"bank {worst.bank}: lane {worst.lanes[0]} wants dword {worst.dwords[0]}, lane {worst.lanes[1]} "
    )


def test_keys_move_the_index_and_hold_it(tile):
    tile.locator("#grid canvas").first.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowUp", "ArrowRight", "ArrowLeft"):
        tile.keyboard.press(key)
    assert reading(tile)["index"] == "(1, 1)"
    assert tile.locator("#held").text_content() == "held"
    hover(tile, "grid", 640)
    assert reading(tile)["index"] == "(1, 1)"
    tile.keyboard.press("Escape")
    hover(tile, "grid", 704)
    assert reading(tile)["index"] == "(11, 0)"


def test_keys_step_the_phases_and_the_choices(tile):
    tile.locator("#grid canvas").first.focus()
    tile.keyboard.press("]")
    tile.keyboard.press("]")
    assert tile.locator("#phases [aria-pressed=true]").text_content() == "2: 8"
    tile.keyboard.press("[")
    assert tile.evaluate("() => explorer.now.lanes.phases[explorer.state.phase].lanes") == [4, 5, 6, 7, 16, 17, 18, 19]
    tile.keyboard.press("c")
    assert tile.locator("#by").input_value() == "lane"
    tile.keyboard.press("l")
    assert tile.locator("#verdict").text_content() == "8 cycles, 8 without conflicts"
    tile.keyboard.press("t")
    assert tile.locator("#target").input_value() == "gfx950"
    assert tile.locator("#verdict").text_content() == "8 cycles, 4 without conflicts"


def test_arrows_in_a_slider_move_the_slider_only(tile):
    tile.locator("#size-pad").focus()
    tile.keyboard.press("ArrowRight")
    assert reading(tile)["index"] == "(0, 0)"
    assert tile.locator("label[for=size-pad] output").text_content() == "pad = 8"


def test_choosing_by_menu(tile):
    tile.locator("#layout").select_option("swizzled")
    tile.locator("#target").select_option("gfx950")
    assert tile.locator("#verdict").text_content() == "8 cycles, 4 without conflicts"
    tile.locator("#by").select_option("offset")
    assert tile.locator("#grid-note").text_content() == "64 × 64, coloured by offset"


def test_the_address_holds_the_state(tile, opened, padded, swizzled):
    text = page({"swizzled": swizzled, "padded": padded})
    first = opened(text)
    first.locator("#layout").select_option("padded")
    first.locator("#size-pad").fill("3")
    first.locator("#access").select_option("operand of 16 rows")
    first.locator("#grid canvas").first.focus()
    first.keyboard.press("ArrowDown")
    first.keyboard.press("]")
    first.wait_for_timeout(200)
    address = urlsplit(first.url).fragment
    assert parse_qs(address)["size.pad"] == ["24"]
    second = opened(text, f"#{address}")
    for tab in (first, second):
        assert reading(tab)["index"] == "(1, 0)"
        assert reading(tab)["offset"] == "88"
        assert tab.locator("#phases [aria-pressed=true]").text_content().startswith("1: ")
    assert second.locator("#access").input_value() == "operand of 16 rows"
    for tab in (first, second):
        tab.close()


@pytest.mark.parametrize("fragment", ["#layout=none&at=9.9.9&phase=77&size.pad=3", "#at=-1.0&by=x&target=", "#%%%"])
def test_a_broken_address_is_ignored(opened, padded, fragment):
    tab = opened(page(padded), fragment)
    assert reading(tab)["index"] == "(0, 0)"
    tab.close()


@pytest.mark.parametrize("shape", [(8, 8), (8, 9, 2), (4, 64, 128), (4, 8192), (1024,), (17,), (1021,)])
def test_the_page_folds_a_tile_as_the_pictures_do(tile, shape):
    lying = fold(shape)
    assert tile.evaluate(f"() => across({list(shape)})") == lying.columns
    for line in {0, lying.lines // 2, lying.lines - 1}:
        name = tile.evaluate(f"() => lineName({line}, {list(shape)}, {lying.columns})")
        assert name == lying.name(line) or lying.lines == 1
