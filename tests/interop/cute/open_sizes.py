"""What is answered of layouts of open sizes is, at each size, what it is of layouts of numbers (`definitions`)."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from layoutalg.index import Expr, Term, substitute, symbol
from layoutalg.interop import cute
from layoutalg.interop.cute import ComposedLayout, Layout
from layoutalg.interop.cute.layout import AnyLayout
from tests.interop.cute.definitions import a_swizzle, at, coordinates, count_of, lengths, translates, values

# --- sizes that are open ----------------------------------------------------------------------------------------------

M, N = symbol("M", max=6), symbol("N", min=2, max=16, multiple_of=2)
SIZES = [dict(zip((M, N), sizes, strict=True)) for sizes in ((1, 2), (2, 2), (3, 8), (6, 6))]
LENGTHS = (M, N, M * 2, N // 2, 1, 2, 4)


def open_layout(draw: random.Random) -> AnyLayout:
    """Of sizes, mostly one-to-one: each stride the reach of what is below, or twice that."""
    shape = [draw.choice(LENGTHS) for _ in range(draw.randint(1, 3))]
    strides: list[Term] = [0] * len(shape)
    reach: Term = 1
    for k in draw.sample(range(len(shape)), len(shape)):
        strides[k] = reach = reach * draw.choice((1, 1, 2))
        reach = reach * shape[k]
    if draw.random() < 0.2:
        strides[draw.randrange(len(shape))] = draw.choice((0, 1, -1, M, N * -1))
    layout = Layout(tuple(shape), tuple(strides))
    if draw.random() < 0.7:
        return layout
    return ComposedLayout(a_swizzle(draw), draw.choice((0, 4, N * 4, M - 1)), layout)


def sized(tree: object, sizes: Mapping[Expr, int]) -> object:
    """A number, a tree or a layout of numbers, from one of sizes."""
    if isinstance(tree, tuple):
        return tuple(sized(one, sizes) for one in tree)
    if isinstance(tree, ComposedLayout):
        return ComposedLayout(tree.swizzle, sized(tree.offset, sizes), sized(tree.layout, sizes))
    if isinstance(tree, Layout):
        return Layout(sized(tree.shape, sizes), sized(tree.stride, sizes))
    return int(substitute(tree, sizes)) if isinstance(tree, Expr) else tree


def _same(a: AnyLayout, b: AnyLayout, found: AnyLayout) -> None:
    assert values(found) == values(a), (a, found)


def _distinct(a: AnyLayout, b: AnyLayout, found: AnyLayout) -> None:
    assert set(values(found)) == set(values(a)), (a, found)


def _composed(a: AnyLayout, b: AnyLayout, found: AnyLayout) -> None:
    assert values(found) == [at(a, n) for n in values(b)], (a, b, found)


def _right(a: AnyLayout, b: AnyLayout, found: AnyLayout) -> None:
    assert [at(a, n) for n in values(found)] == list(range(count_of(found))), (a, found)


def _left(a: AnyLayout, b: AnyLayout, found: AnyLayout) -> None:
    assert [at(found, n) for n in values(a)] == list(range(count_of(a))), (a, found)


def _complement(a: AnyLayout, b: AnyLayout, found: AnyLayout) -> None:
    each, starts = set(values(a)), values(found)
    assert starts == sorted(set(starts)), (a, found)
    assert len({x + y for x in each for y in starts}) == len(each) * len(starts), (a, found)


def _divided(a: AnyLayout, b: AnyLayout, found: AnyLayout) -> None:
    assert values(found[0]) == [at(a, n) for n in range(min(2, count_of(found[0])))], (a, found)
    assert set(values(a)) <= set(values(found)), (a, found)


def _multiplied(a: AnyLayout, b: AnyLayout, found: AnyLayout) -> None:
    assert values(found[0]) == values(a)
    starts = translates(set(values(a)), max(values(b)) + 1)
    assert starts is None or values(found[1]) == [starts[n] for n in values(b)], (a, b, found)


def _size(a: AnyLayout, b: AnyLayout, found: int) -> None:
    assert found == count_of(a), a


def _cosize(a: AnyLayout, b: AnyLayout, found: int) -> None:
    assert found == max(values(a)) - min(values(a)) + 1, a


OPEN: Mapping[str, tuple[Callable[[AnyLayout, AnyLayout], Any], Callable[[AnyLayout, AnyLayout, Any], None]]] = {
    "size": (lambda a, b: cute.size(a), _size),
    "cosize": (lambda a, b: cute.cosize(a), _cosize),
    "coalesce": (lambda a, b: cute.coalesce(a), _same),
    "filter": (lambda a, b: cute.filter(a), _distinct),
    "layout_of": (lambda a, b: cute.layout_of(cute.descriptor(a)), _same),
    "composition": (cute.composition, _composed),
    "right_inverse": (lambda a, b: cute.right_inverse(a), _right),
    "left_inverse": (lambda a, b: cute.left_inverse(a), _left),
    "complement": (lambda a, b: cute.complement(a, 64), _complement),
    "logical_divide": (lambda a, b: cute.logical_divide(a, 2), _divided),
    "logical_product": (cute.logical_product, _multiplied),
}
"""What is asked of layouts of sizes, and its definition at each."""


def check_open(draw: random.Random) -> None:
    """What is answered for all sizes is the definition at each of some."""
    a, b = open_layout(draw), open_layout(draw)
    asked, definition = OPEN[draw.choice([*OPEN])]
    found = asked(a, b)
    for sizes in SIZES:
        definition(*(sized(one, sizes) for one in (a, b, found)))


def check_open_descriptor(draw: random.Random) -> None:
    chain = [open_layout(draw) for _ in range(draw.choice((1, 2)))]
    made = cute.descriptor(*chain)
    formula, index = made.offset(made.index), made.index
    for sizes in SIZES:
        numbers = [sized(one, sizes) for one in chain]
        wanted = values(numbers[-1])
        for outer in reversed(numbers[:-1]):
            wanted = [at(outer, n) for n in wanted]
        assert [int(substitute(n, sizes)) for n in made.lengths] == lengths(numbers[-1])
        for one, offset in zip(coordinates(numbers[-1]), wanted, strict=True):
            place = {v: n for v, n in zip(index, one, strict=True) if v.op == "var"}
            assert int(substitute(substitute(formula, place), sizes)) == offset, (chain, sizes, one)
