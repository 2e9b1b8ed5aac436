"""Pictures of the pages, drawn by the library: `{{ picture NAME }}` in a page's text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import imports

from layoutalg.draw import LaneAccess, Picture, compare, conflicts, operand, show
from layoutalg.layout import make_naive_tensor_descriptor, transform_tensor_descriptor
from layoutalg.layout.ck import make_merge_transform, make_pass_through_transform
from layoutalg.synth.gemm import packed, padded, swizzled


def _a_lds() -> Picture:
    words = make_naive_tensor_descriptor((8, 64, 8), (520, 8, 1))
    parts = [make_pass_through_transform(64), make_merge_transform((8, 8))]
    return show(transform_tensor_descriptor(words, parts, [[1], [0, 2]], [[0], [1]]))


def _swizzle() -> Picture:
    before, after = (LaneAccess.of(tile, operand(32, 8), "gfx942") for tile in (packed(32, 64), swizzled(32, 64)))
    return compare(before, after)


def _sixteen_rows() -> Picture:
    return conflicts(LaneAccess.of(padded(128, 64), operand(16, 8), "gfx942"), phases=[0])


PICTURES: Mapping[str, Callable[[], Picture]] = {
    "a_lds": _a_lds,
    "swizzle": _swizzle,
    "sixteen_rows": _sixteen_rows,
    "rooms": imports.picture,
}
"""Each picture by its name."""


def put_in(markdown: str) -> str:
    """A page's text with its pictures; KeyError for a name that is none."""
    return re.sub(r"^\{\{ picture (\w+) \}\}$", lambda at: _svg(PICTURES[at[1]]()), markdown, flags=re.MULTILINE)


def _svg(picture: Picture) -> str:
    one_line = " ".join(str(picture).splitlines())
    return f'<div class="output">{one_line}</div>'
