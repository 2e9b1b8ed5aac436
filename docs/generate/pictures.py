"""Pictures of the pages, drawn by the library: `{{ picture NAME }}` in a page's text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import imports

from layoutalg.draw import LaneAccess, Picture, compare, conflicts, operand, show, timeline
from layoutalg.index import Expr, substitute
from layoutalg.layout import TensorDescriptor, make_naive_tensor_descriptor, transform_tensor_descriptor
from layoutalg.layout.ck import make_merge_transform, make_pass_through_transform
from layoutalg.memory import transposing
from layoutalg.synth.gemm import packed, padded, swizzled
from layoutalg.target.matrix import matrix_instruction


def _a_lds() -> Picture:
    words = make_naive_tensor_descriptor((8, 64, 8), (520, 8, 1))
    parts = [make_pass_through_transform(64), make_merge_transform((8, 8))]
    return show(transform_tensor_descriptor(words, parts, [[1], [0, 2]], [[0], [1]]))


def _swizzle() -> Picture:
    before, after = (LaneAccess.of(tile, operand(32, 8), "gfx942") for tile in (packed(32, 64), swizzled(32, 64)))
    return compare(before, after)


def _sixteen_rows() -> Picture:
    return conflicts(LaneAccess.of(padded(128, 64), operand(16, 8), "gfx942"), phases=[0])


def _today() -> Picture:
    tiles = (swizzled(128, 64), swizzled(128, 64, layers=2))
    before, after = (LaneAccess.of(tile, operand(32, 8), "gfx950") for tile in tiles)
    return compare(before, after)


def _transposed() -> Picture:
    rows = make_naive_tensor_descriptor((32, 16), (16, 1))
    named = transposing(matrix_instruction("mfma_f32_16x16x32_f16").a, (32, 16), 4)

    def first(lane: Expr, _: TensorDescriptor) -> Sequence[Expr]:
        return [substitute(i, {named.lane: lane, named.element: 0, named.variables[0]: 0}) for i in named.index]

    return timeline(LaneAccess.of(rows, first, "gfx950", "ds_read_b64_tr_b16"))


PICTURES: Mapping[str, Callable[[], Picture]] = {
    "a_lds": _a_lds,
    "swizzle": _swizzle,
    "sixteen_rows": _sixteen_rows,
    "today": _today,
    "transposed": _transposed,
    "rooms": imports.picture,
}
"""Each picture by its name."""


def put_in(markdown: str) -> str:
    """A page's text with its pictures; KeyError for a name that is none."""
    return re.sub(r"^\{\{ picture (\w+) \}\}$", lambda at: _svg(PICTURES[at[1]]()), markdown, flags=re.MULTILINE)


def _svg(picture: Picture) -> str:
    one_line = " ".join(str(picture).splitlines())
    return f'<div class="output" data-search-exclude>{one_line}</div>'
