"""What a notebook shows of each thing by itself, as IPython asks for it."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from IPython.core.formatters import DisplayFormatter

from layoutalg.draw import svg
from layoutalg.draw.notebook import DISPLAYS
from layoutalg.draw.show import DRAWN
from layoutalg.index import symbol
from layoutalg.interop import cute
from layoutalg.interop.strided import Strided
from layoutalg.layout import (
    TileDistribution,
    TileDistributionEncoding,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_packed,
)
from layoutalg.prove import Injective, Unknown, prove

D = make_naive_tensor_descriptor((4, 3), (2, 3))
THINGS = {
    "descriptor": D,
    "descriptor with sizes": make_naive_tensor_descriptor_packed((symbol("M"), 8)),
    "adaptor": D.adaptor,
    "distribution": TileDistribution(TileDistributionEncoding.of([], [[4, 2]], [[(1, 0)]], [(1, 1)])),
    "a layout of CuTe's": cute.parse("((4,2),8):((2,1),16)"),
    "a swizzle of CuTe's": cute.parse("Sw<1,0,2> o 0 o (4,4):(4,1)"),
    "strided memory": Strided((4, 8), (-8, 1), 24, 64),
    "proved": prove(Injective(make_naive_tensor_descriptor((3, 2), (2, 3)))),
    "refuted": prove(Injective(D)),
    "unknown": Unknown("a < b & c", "z3", 1.0, why="<time>"),
}


@pytest.mark.parametrize("name", THINGS)
def test_a_thing_shows_itself_in_three_ways(name: str) -> None:
    formatter = DisplayFormatter()
    formatter.active_types = ["image/svg+xml", "text/latex", "text/html"]
    shown, _ = formatter.format(THINGS[name])
    assert set(shown) - {"text/plain"} == {"image/svg+xml", "text/latex", "text/html"}
    ElementTree.fromstring(shown["image/svg+xml"])
    ElementTree.fromstring(shown["text/html"].replace("<br>", "<br/>"))
    assert shown["text/latex"].startswith("$")
    assert shown["text/latex"].endswith("$")


def test_a_layout_shows_its_graph_and_its_map() -> None:
    assert D._repr_svg_() == svg(D)
    assert r"2 i_{0} + 3 i_{1}" in (D._repr_latex_() or "")
    assert "TensorDescriptor (4, 3) over 13 elements" in (D._repr_html_() or "")


def test_a_verdict_shows_its_witness() -> None:
    refuted = THINGS["refuted"]._repr_html_() or ""
    assert "index (0, 2), offset 6" in refuted
    assert "✗" in refuted
    assert "✓" in (THINGS["proved"]._repr_svg_() or "")


def test_all_that_is_drawn_shows_itself_and_what_has_no_picture_does_not() -> None:
    assert set(DRAWN) <= set(DISPLAYS)
    for kind in DISPLAYS:
        assert hasattr(kind, "_repr_html_")
    empty = make_naive_tensor_descriptor((0, 3), (3, 1))
    assert empty._repr_latex_() is None
    assert empty._repr_html_() is None or "TensorDescriptor (0, 3)" in empty._repr_html_()
