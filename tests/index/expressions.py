"""Random expressions and points for the tests of every reading.

The generator draws from anything that behaves like `random.Random`, so that a seeded fuzzer and hypothesis (which
shrinks what it finds) share it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from random import Random

from layoutalg.index import (
    Expr,
    add,
    all_of,
    any_of,
    bitand,
    const,
    div,
    eq,
    le,
    lookup,
    lt,
    mod,
    mul,
    negation,
    select,
    symbol,
    var,
    variables,
    xor,
)
from layoutalg.index.evaluate import extent

CONSTANTS = (0, 1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 64, -1, -2, -5, -8)
DIVISORS = (2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 60)
SIZES = (1, 2, 3, 4, 6, 7, 8, 12, 16, 24, 32, 60)
LARGE = (1 << 8, 1 << 15, 46_341, 1 << 16, (1 << 30) + 1, (1 << 31) - 1)
"""Extents whose products come close to the limits of 32 and 64 bits, or leave them."""


class Generator:
    """Variables of one case and random expressions over them."""

    def __init__(self, random: Random, *, symbolic: bool = True, extents: Sequence[int] = SIZES) -> None:
        self.random, self.extents = random, extents
        self.sizes = [self._size(name) for name in "MN"] if symbolic else []
        self.indices = [self._index(name) for name in "ijk"]

    def _size(self, name: str) -> Expr:
        r = self.random
        low = r.choice((1, 1, 2, 3, 8))
        high = None if r.random() < 0.5 else low + r.choice((8, 17, 100))
        if r.random() < 0.15:
            return symbol(name, min=r.choice((-6, 0)), max=high)
        if r.random() < 0.2:
            return symbol(name, min=1, max=1 << r.randint(3, 9), power_of_two=True)
        return symbol(name, min=low, max=high, multiple_of=r.choice((1, 1, 2, 4, 8)))

    def _index(self, name: str) -> Expr:
        r = self.random
        if not self.sizes or r.random() < 0.5:
            return var(name, r.choice(self.extents))
        size = r.choice(self.sizes)
        shape = r.randrange(5)
        limits = (size, size * r.choice((2, 3, 8)), size + r.choice((1, 3)), self.sizes[0] * self.sizes[1], size + -1)
        limit = limits[shape]
        return var(name, limit if limit.hi >= 1 else 8)

    def leaf(self) -> Expr:
        if self.random.random() < 0.2:
            return const(self.random.choice(CONSTANTS))
        return self.random.choice([*self.indices, *self.indices, *self.sizes])

    def divisor(self, depth: int) -> Expr:
        """Something that is provably at least 1."""
        r = self.random
        if not self.sizes or r.random() < 0.65:
            return const(r.choice(DIVISORS))
        if r.random() < 0.7:
            n = r.choice(self.sizes) * r.choice((1, 1, 2, 4, 6))
            n = n + r.choice((0, 0, 1)) if r.random() < 0.5 else n * r.choice(self.sizes)
        else:
            n = self.number(depth - 1)
        return n if n.lo >= 1 else const(r.choice(DIVISORS))

    def number(self, depth: int) -> Expr:
        if depth <= 0:
            return self.leaf()
        return self.random.choice(_NUMBERS)(self, depth - 1)

    def truth(self, depth: int) -> Expr:
        return self.random.choice(_TRUTHS if depth > 0 else _TRUTHS[:3])(self, depth - 1)

    def strided(self) -> Expr:
        """An offset as layouts make them: merged and split again, with a remainder or a quotient at the end."""
        r = self.random
        whole = self.indices[0]
        for index in self.indices[1:]:
            whole = whole * self.divisor(1) + index
        n = self.divisor(1)
        return r.choice(
            (whole, whole // n, whole % n, whole // n * self.divisor(1) + whole % n, whole // n % self.divisor(1))
        )


Build = Callable[[Generator, int], Expr]


def _lookup(g: Generator, depth: int) -> Expr:
    table = [g.random.randint(-9, 40) for _ in range(g.random.choice((2, 3, 4, 8)))]
    return lookup(table, mod(g.number(depth), len(table)))


_NUMBERS: Sequence[Build] = (
    lambda g, d: add(g.number(d), g.number(d)),
    lambda g, d: add(g.number(d), g.number(d), g.leaf()),
    lambda g, d: g.number(d) - g.number(d),
    lambda g, d: mul(g.number(d), g.random.choice((2, 3, 4, 8, 12, -1, -3))),
    lambda g, d: mul(g.number(d), g.leaf()),
    lambda g, d: g.number(d) * g.divisor(d) + g.leaf(),
    lambda g, d: div(g.number(d), g.divisor(d)),
    lambda g, d: div(g.number(d), g.divisor(d)),
    lambda g, d: mod(g.number(d), g.divisor(d)),
    lambda g, d: mod(g.number(d), g.divisor(d)),
    lambda g, d: xor(g.number(d), g.number(d)),
    lambda g, d: bitand(g.number(d), g.number(d)),
    lambda g, d: select(g.truth(d), g.number(d), g.number(d)),
    lambda g, d: g.truth(d),
    _lookup,
    lambda g, d: g.strided(),
)
_TRUTHS: Sequence[Build] = (
    lambda g, d: lt(g.number(d), g.number(d)),
    lambda g, d: le(g.number(d), g.number(d)),
    lambda g, d: eq(g.number(d), g.number(d)),
    lambda g, d: all_of(g.truth(d), g.truth(d)),
    lambda g, d: any_of(g.truth(d), g.truth(d)),
    lambda g, d: negation(g.truth(d)),
)


class Chain(Generator):
    """Indices as chains of transforms make them: merged, split, padded, swizzled, embedded with strides of any sign."""

    def __init__(self, random: Random, *, most: int = 4) -> None:
        super().__init__(random, symbolic=False)
        r = random
        step = r.choice((1, 1, 2))
        self.sizes = [symbol(n, min=r.choice((1, 1, 2)), max=most * step, multiple_of=step) for n in "MN"]
        choices: list[Expr | int] = [*self.sizes, *self.sizes, 2, 3, 4]
        lengths = [r.choice(choices), r.choice(choices)]
        self.indices = [var("i", lengths[0]), var("j", lengths[1])]
        if r.random() < 0.3:
            self.indices.append(var("x", mul(*lengths)))

    def length(self) -> Expr | int:
        r = self.random
        sizes = (r.choice(self.sizes), r.choice(self.sizes) * r.choice((1, 2, 3)))
        return r.choice(sizes) if r.random() < 0.3 else r.choice((2, 3, 4, 6, 8, 12))

    def coordinate(self, steps: int) -> Expr:
        """One coordinate after some transforms."""
        current = list(self.indices)
        for _ in range(steps):
            current = self.random.choice(_TRANSFORMS)(self, current) or current
        strides: list[Expr | int] = [1, 1, 2, 4, -1, *self.sizes]
        bases: list[Expr | int] = [0, 0, 1, -1, 5, *self.sizes]
        return add(*(x * self.random.choice(strides) for x in current)) + self.random.choice(bases)


def _merge(c: Chain, xs: list[Expr]) -> list[Expr]:
    n = c.length()
    x = c.random.choice(xs)
    return [*(y for y in xs if y is not x), x // n, x % n]


def _unmerge(c: Chain, xs: list[Expr]) -> list[Expr]:
    return [add(xs[0] * c.length(), *xs[1:2]), *xs[2:]]


def _swizzle(c: Chain, xs: list[Expr]) -> list[Expr]:
    return [xs[0], xs[-1] ^ (xs[0] % c.length()), *xs[1:-1]]


def _pad(c: Chain, xs: list[Expr]) -> list[Expr]:
    return [xs[0] - c.length(), *xs[1:]]


def _guard(c: Chain, xs: list[Expr]) -> list[Expr]:
    return [select(lt(xs[0], c.length()), xs[0], xs[-1]), *xs[1:]]


_TRANSFORMS = (_merge, _merge, _merge, _unmerge, _unmerge, _swizzle, _pad, _guard)


def every_point(exprs: Sequence[Expr], limit: int = 3000) -> Iterator[dict[Expr, int]]:
    """All values of the variables of expressions over bounded domains, at most `limit` of them."""
    return islice(_all_points(list(variables(*exprs)), {}), limit)


def _all_points(needed: list[Expr], at: dict[Expr, int]) -> Iterator[dict[Expr, int]]:
    if not needed:
        yield dict(at)
        return
    v, *rest = needed
    high = extent(v, at) - 1 if v.value.extent is not None else int(v.hi)
    for n in range(int(v.lo), high + 1, v.value.multiple_of):
        yield from _all_points(rest, {**at, v: n})


def points(random: Random, exprs: Sequence[Expr], count: int) -> list[dict[Expr, int]]:
    """Up to `count` values for all variables that their constraints allow, the extremes among them."""
    found = (_point(random, variables(*exprs)) for _ in range(count))
    return [p for p in found if p is not None]


def _point(random: Random, needed: Sequence[Expr]) -> dict[Expr, int] | None:
    at: dict[Expr, int] = {}
    for v in needed:
        value = _value(random, v, at)
        if value is None:
            return None
        at[v] = value
    return at


def _value(random: Random, v: Expr, at: Mapping[Expr, int]) -> int | None:
    known = v.value
    low = int(v.lo)
    if known.extent is not None:
        high = extent(v, at) - 1
        if high < 0:
            return None
    else:
        high = int(v.hi) if v.hi < math.inf else low + known.multiple_of * random.choice((3, 9, 40, 1000))
    if known.power_of_two:
        return random.choice([1 << k for k in range(high.bit_length()) if low <= 1 << k <= high])
    step = known.multiple_of
    return random.choice((low, high, low + step * random.randint(0, (high - low) // step), min(high, low + step)))
