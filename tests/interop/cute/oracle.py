"""CuTe's layouts by enumeration: random ones, their function, and whether any layout is a list of values.

Nothing here uses the algebra that is tested; of the package, it knows a layout's shape and stride.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product
from math import prod

from layoutalg.interop.cute import Layout


def leaves(tree: object) -> list[int]:
    return [n for part in tree for n in leaves(part)] if isinstance(tree, tuple) else [int(tree)]


def at(layout: Layout, number: int) -> int:
    """The offset of any number ≥ 0: the last mode is not reduced."""
    return _at(leaves(layout.shape), leaves(layout.stride), number)


def _at(shape: Sequence[int], stride: Sequence[int], number: int) -> int:
    total = 0
    for n, d in zip(shape[:-1], stride, strict=False):
        total, number = total + d * (number % n), number // n
    return total + stride[-1] * number


def count(layout: Layout) -> int:
    return prod(leaves(layout.shape))


def values(layout: Layout) -> list[int]:
    shape, stride = leaves(layout.shape), leaves(layout.stride)
    return [_at(shape, stride, i) for i in range(prod(shape))]


def is_flat_layout(found: Sequence[int]) -> bool:
    """Whether some flat layout of exactly this size has these values: straight, cut, and again over the multiples."""
    n = len(found)
    if found[0] != 0 or n == 1:
        return found[0] == 0
    cut = next((j for j in range(n) if found[j] != j * found[1]), n)
    if n % cut:
        return False
    whole = all(found[i] == found[i // cut * cut] + found[i % cut] for i in range(n))
    return cut == n or (whole and is_flat_layout(found[::cut]))


def is_composition(outer: Layout, inner: Layout) -> bool:
    """Whether some layout that refines inner's shape is outer o inner."""
    shape, stride = leaves(inner.shape), leaves(inner.stride)
    parts = [[at(outer, d * j) for j in range(n)] for n, d in zip(shape, stride, strict=True)]
    return all(map(is_flat_layout, parts)) and all(
        at(outer, sum(d * j for d, j in zip(stride, c, strict=True)))
        == sum(p[j] for p, j in zip(parts, c, strict=True))
        for c in product(*map(range, shape))
    )


def refines(one: object, other: object) -> bool:
    """Whether a shape is another one with some numbers written as tuples."""
    if isinstance(other, tuple):
        return (
            isinstance(one, tuple)
            and len(one) == len(other)
            and all(refines(a, b) for a, b in zip(one, other, strict=True))
        )
    return prod(leaves(one)) == other


def any_layout(draw: random.Random) -> Layout:
    """Nested, some packed, some with gaps, some with strides that collide or are 0."""
    if draw.random() < 0.5:
        return packed_layout(draw, gaps=True)
    shape = _shape(draw, 0)
    return Layout(shape, _filled(shape, [draw.choice((0, 1, 1, 2, 2, 3, 4, 4, 6, 8, 12, 16)) for _ in leaves(shape)]))


def packed_layout(draw: random.Random, gaps: bool = False) -> Layout:
    """One-to-one: its modes in any order, each stride a multiple of what is below, or with `gaps` sometimes more."""
    shape = _shape(draw, 0)
    lengths = leaves(shape)
    strides, reach = [0] * len(lengths), 1
    for k in draw.sample(range(len(lengths)), len(lengths)):
        strides[k] = reach = reach * draw.choice((1, 1, 1, 2, 3))
        reach = reach * lengths[k] + (draw.choice((1, 2, 3)) if gaps and draw.random() < 0.1 else 0)
    return Layout(shape, _filled(shape, strides))


def _shape(draw: random.Random, depth: int) -> object:
    if depth == 0 or (depth < 2 and draw.random() < 0.2):
        return tuple(_shape(draw, depth + 1) for _ in range(draw.randint(1, 3)))
    return draw.choice((1, 2, 2, 3, 4, 4, 6, 8))


def _filled(shape: object, numbers: Sequence[int]) -> object:
    left = iter(numbers)

    def put(part: object) -> object:
        return tuple(map(put, part)) if isinstance(part, tuple) else next(left)

    return put(shape)
