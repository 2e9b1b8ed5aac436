"""The explorer's file: self-contained, small, safe, and with the library's maps."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import pytest

from layoutalg.draw import DrawError, graph, latex, page, plain, tree
from layoutalg.draw.maps import checks, script, sizes_of, slider_values, usual
from layoutalg.formats.spec import load
from layoutalg.index import symbol
from layoutalg.index.evaluate import value
from layoutalg.layout import (
    Embed,
    Merge,
    Slice,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_packed,
    transform_tensor_descriptor,
)
from layoutalg.target import UnknownTargetError, target_names


class Reader(HTMLParser):
    """Elements, ids, attributes that load something, and the scripts' text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids, self.loads, self.scripts, self.inside = [], [], [], False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.ids += [given["id"]] if "id" in given else []
        self.loads += [given[key] for key in ("src", "href", "data", "action") if key in given]
        self.inside = tag == "script"

    def handle_data(self, data):
        if self.inside:
            self.scripts.append(data)

    def handle_endtag(self, tag):
        self.inside = False


def test_the_page_loads_nothing_from_anywhere(guide):
    text = page(guide)
    assert Reader(text).loads == []
    assert set(re.findall(r"https?://[^\s\"'<]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in text
    assert not re.search(r"\bfetch\(|XMLHttpRequest|import\(|eval\(|new Function|@import|url\(", text)


def test_ids_are_unique_and_every_placeholder_is_filled(padded, swizzled):
    text = page({"padded": padded, "swizzled": swizzled})
    ids = Reader(text).ids
    assert len(ids) == len(set(ids))
    assert "{{" not in text.replace("{{ ", "")


def test_a_large_tile_stays_a_small_file():
    assert len(page(make_naive_tensor_descriptor((256, 128), (136, 1))).encode()) < 2_000_000


def test_names_of_a_user_cannot_leave_their_place():
    evil = "</script><script>alert(1)</script>"
    text = page({evil: make_naive_tensor_descriptor((4, 4), (4, 1))}, title=evil)
    assert len(Reader(text).scripts) == 1
    assert evil not in text
    assert "<title>{{data}}</title>" in page(make_naive_tensor_descriptor((4, 4), (4, 1)), title="{{data}}")
    assert json.loads(script(evil)) == evil


def test_the_maps_are_the_expressions_in_javascript(padded):
    text = page(padded)
    assert "offset: (i, s) => { const [i0, i1] = i; const [s0] = s;  return i0 * (s0 + 64) + i1; }" in text
    assert "lengths: (s) => { const [s0] = s;  return [64, 64]; }" in text


def test_every_hidden_dimension_is_computed_from_those_above(guide):
    text = page(guide)
    assert "const h1 = h3 * 64 + h4;" in text or "const h1 = i0 * 64 + i1;" in text
    assert re.search(r"return \[(\[\d, h\d\](, )?){6}\]", text)


def test_every_target_goes_along():
    text = page(make_naive_tensor_descriptor((4, 4), (4, 1)))
    for name in target_names():
        assert f'"{name}": {{"title"' in text


def test_sample_points_are_the_librarys(padded):
    sizes = sizes_of(padded)
    found = checks(padded, sizes)
    assert {tuple(chosen) for chosen, *_ in found} == {(0,), (16,), (32,)}
    for chosen, index, offset, valid in found:
        at = dict(zip(sizes, chosen, strict=True))
        assert offset == value(padded.offset(index), at)
        assert valid is True


def test_sizes_become_sliders_with_their_values():
    assert slider_values(symbol("M", min=8, max=24, multiple_of=8)) == [8, 16, 24]
    assert slider_values(symbol("n", min=3, max=40, power_of_two=True)) == [4, 8, 16, 32]
    assert len(slider_values(symbol("free", multiple_of=4))) == 256


def test_a_start_that_a_size_never_has_is_refused(padded):
    assert '"start": 2' in page(padded, start={"pad": 16})
    with pytest.raises(DrawError, match="pad = 5: its slider takes 0 to 32, of 0 <= pad <= 32, a multiple of 8"):
        page(padded, start={"pad": 5})


def test_an_unknown_target_is_refused(guide):
    with pytest.raises(UnknownTargetError):
        page(guide, target_name="gfx1")


def test_operands_are_offered_for_matrices_only(guide, plain):
    assert len(usual(plain)) == 4
    assert len(usual(guide)) == 2


def test_names_of_sizes_need_not_be_identifiers():
    odd = symbol("row pad", min=0, max=8)
    tile = make_naive_tensor_descriptor((8, 8), (8 + odd, 1))
    assert "i0 * (s0 + 8) + i1" in page(tile)


def test_a_layout_whose_top_is_one_dimension_has_a_page():
    line = make_naive_tensor_descriptor((64,), (3,))
    assert "i0 * 3" in page(line)
    assert transform_tensor_descriptor(line, [Embed((8, 8), (8, 1))], [[0]], [[0, 1]]).rank == 2


def test_lengths_start_where_there_is_something_to_see():
    m = symbol("M", max=4096, multiple_of=2)
    assert '"start": 3' in page(make_naive_tensor_descriptor((m, 8), (8, 1)))


def test_sizes_that_have_no_largest_value_are_narrowed_to_their_slider():
    m, n = symbol("M"), symbol("N", multiple_of=8)
    merged = transform_tensor_descriptor(make_naive_tensor_descriptor_packed((m, n)), [Merge((m, n))], [[0, 1]], [[0]])
    assert "Math.floor(i0 / s1) * s1 + i0 % s1" in page(merged)


def test_a_layout_that_no_slider_reaches_is_refused():
    h = symbol("H", min=1)
    sliced = transform_tensor_descriptor(
        make_naive_tensor_descriptor_packed((h + 400,)), [Slice(h + 400, 300, h)], [[0]], [[0]]
    )
    with pytest.raises(DrawError, match="dimension 0 has length H - 300: no tile"):
        page(sliced)


@pytest.mark.parametrize(("folder", "least"), [("lds", 5), pytest.param(".", 50, marks=pytest.mark.slow)])
def test_every_layout_of_the_proofs_has_its_pictures(folder, least):
    """The production descriptors, the defects and the worked examples: each is drawn, as a graph and as a page."""
    drawn = 0
    theorems = Path("proofs/transforms")  # for all lengths: those of six symbols are too large for a page's sliders
    for path in sorted(Path("proofs", folder).rglob("*.toml")):
        for item in load(path).descriptors if path.parent != theorems else ():
            assert ET.fromstring(str(graph(item.descriptor))) is not None
            assert "<!doctype html>" in page(item.descriptor)
            assert "aligned" in latex(item.descriptor)
            assert plain(tree(item.descriptor))
            drawn += 1
    assert drawn > least
