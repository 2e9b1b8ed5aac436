"""A number that is no integer is refused wherever an integer or an expression is taken: nothing is rounded."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

from layoutalg.errors import LayoutError
from layoutalg.index import (
    TRUE,
    add,
    array,
    as_expr,
    bitand,
    const,
    div,
    eq,
    le,
    lookup,
    lt,
    maximum,
    mod,
    mul,
    prod,
    select,
    substitute,
    symbol,
    value,
    var,
    xor,
)
from layoutalg.index.radix import digits, horner
from layoutalg.layout import Functor, Indexing, Merge, Pad, PassThrough, ck
from layoutalg.layout.adaptor import attach, make_identity
from layoutalg.layout.bind import bind
from layoutalg.layout.buffer_view import BufferView
from layoutalg.layout.descriptor import (
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_aligned,
    make_naive_tensor_descriptor_packed,
    make_naive_tensor_descriptor_with_offset,
)
from layoutalg.layout.distribution import TileDistribution, TileDistributionEncoding
from layoutalg.layout.merge import magic_number
from layoutalg.layout.tensor_view import make_tensor_view
from layoutalg.layout.tile_window import TileWindow
from tests.matrix import all_hold

M, IX = symbol("M"), var("i", 8)
D = make_naive_tensor_descriptor((8, 64), (66, 1))
TILE = TileDistribution(TileDistributionEncoding((), ((4, 2),), ((1,),), ((0,),), (1,), (1,)))
VIEW = make_tensor_view(np.arange(12).reshape(3, 4))
NO_INTEGERS = (1.0, 1.5, 100 / 8 * 8 / 1.5, float("nan"), Fraction(3, 2), Fraction(2), Decimal(2), np.float64(2),
               np.float32(2), sympy.Rational(1, 2), sympy.Symbol("x"), "8", None, 1j)  # fmt: skip

TAKES: dict[str, Callable[[Any], object]] = {
    "as_expr": as_expr, "const": const, "prod": lambda n: prod([n]), "symbol min": lambda n: symbol("K", min=n),
    "symbol multiple": lambda n: symbol("K", multiple_of=n), "var": lambda n: var("k", n),
    "add": lambda n: add(IX, n), "mul": lambda n: mul(IX, n), "div": lambda n: div(IX, n), "mod": lambda n: mod(IX, n),
    "xor": lambda n: xor(IX, n), "and": lambda n: bitand(IX, n), "lt": lambda n: lt(IX, n), "le": lambda n: le(IX, n),
    "eq": lambda n: eq(IX, n), "select": lambda n: select(TRUE, n, 1), "maximum": lambda n: maximum(IX, n),
    "table": lambda n: lookup([4, n], IX % 2), "index": lambda n: lookup([4, 7, 9], n),
    "substitute": lambda n: substitute(IX + 1, {IX: n}), "value": lambda n: value(IX, {IX: n}),
    "array": lambda n: array([IX], {IX: [n]}), "operator": lambda n: IX * n, "reflected": IX.__rsub__,
    "shift": lambda n: IX << n, "shift right": lambda n: IX >> n,
    "strides": lambda n: make_naive_tensor_descriptor((8, 64), (n, 1)),
    "lengths": lambda n: make_naive_tensor_descriptor((8, n), (66, 1)),
    "packed": lambda n: make_naive_tensor_descriptor_packed((n,)),
    "align": lambda n: make_naive_tensor_descriptor_aligned((4, 5), n),
    "start": lambda n: make_naive_tensor_descriptor_with_offset((4, 5), (5, 1), n),
    "offset": lambda n: D.offset((n, 2)), "valid": lambda n: D.valid((1, n)), "upper": lambda n: D.upper(n),
    "pass_through": PassThrough, "pad": lambda n: Pad(8, n, 0), "merge": lambda n: Merge((4, n)),
    "indexing": lambda n: Indexing((1, n)), "functor": lambda n: Functor.of(lambda u: u + n, 4),
    "functor length": lambda n: Functor.of(lambda u: u, n),
    "ck": lambda n: ck.make_embed_transform((4, 2), (n, 1)), "ck unmerge": lambda n: ck.make_unmerge_transform((4, n)),
    "dimension": lambda n: attach(make_identity(1), [PassThrough(4)], [[n]], [[0]]),
    "rs": lambda n: TileDistributionEncoding((n,), ((4, 2),), ((0, 1),), ((0, 0),), (1,), (1,)),
    "major": lambda n: TileDistributionEncoding((), ((4, 2),), ((n,),), ((0,),), (1,), (1,)),
    "lanes": lambda n: TILE.lower((n,), (1,)), "wave": TILE.require_lanes,
    "window": lambda n: TILE.require_window((n,)),
    "magic": magic_number, "digits": lambda n: digits(n, (4, 5)), "horner": lambda n: horner((1, n), (4, 5)),
    "bind": lambda n: bind(make_naive_tensor_descriptor_packed((M,)), {M: n}), "view": lambda n: VIEW.get((n, 1)),
    "buffer": lambda n: BufferView(np.arange(4)).get(n), "origin": lambda n: TileWindow(VIEW, (1, 1), (n, 0)),
    "step": lambda n: TileWindow(VIEW, (1, 1), (0, 0)).move((n, 0)),
}  # fmt: skip


def test_what_is_no_integer_is_refused() -> None:
    def refused(name: str) -> None:
        for given in NO_INTEGERS:
            with pytest.raises(TypeError, match=r"is not an? |are not|write //"):
                TAKES[name](given)

    all_hold(TAKES, refused)


def test_the_message_says_what_to_write() -> None:
    with pytest.raises(TypeError, match=r"66\.66\d+ is not an integer or an index expression; .* written //"):
        make_naive_tensor_descriptor((8, 64), (100 / 8 * 8 / 1.5, 1))
    with pytest.raises(
        TypeError, match="'8' is not an integer or an index expression; a text is an expression in spec"
    ):
        PassThrough("8")


@pytest.mark.parametrize("one", [np.int64(1), np.uint8(1), sympy.Integer(1), const(1)])
def test_other_libraries_integers_are_integers(one: Any) -> None:
    def outcome(name: str, n: Any) -> str:
        try:
            return repr(TAKES[name](n))
        except LayoutError as refused:  # an integer, but none that fits here
            return str(refused)

    assert {name: outcome(name, one) for name in TAKES} == {name: outcome(name, 1) for name in TAKES}


def test_truth_values_are_0_and_1_but_no_lengths() -> None:
    assert (as_expr(True), select(True, 4, 5), IX + True) == (1, 4, IX + 1)
    for make in (lambda: PassThrough(True), lambda: make_naive_tensor_descriptor((8, True), (1, 1)),
                 lambda: ck.make_merge_transform((True, 2))):  # fmt: skip
        with pytest.raises(TypeError, match="True is a truth value, and no number of a layout; write 1"):
            make()


def test_arrays_hold_integers() -> None:
    for wrong in ([0.5], [1.0], ["1"], [None], [1, 2.0]):
        with pytest.raises(TypeError, match=r"is not an integer|are not"):
            array([IX], {IX: wrong})
    assert array([IX * 2], {IX: np.array([1, 3], dtype=np.uint64)})[0].tolist() == [2, 6]
    with pytest.raises(OverflowError):
        array([M], {M: np.array([1 << 63], dtype=np.uint64)})
