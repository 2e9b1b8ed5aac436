"""Whether a map of one box of indices onto another of as many points is one to one: blocks in another order.

Kernels give their blocks' numbers b < M0·N0 to tiles (m, n) so that neighbours share caches: by turns (b mod 8 and
b div 8), in groups of rows of which the last may be shorter.  Such a map is one to one and onto where it

| is to hold                    | is shown as                                                   |
|-------------------------------|---------------------------------------------------------------|
| stays within the tiles        | 0 ≤ m < M0, 0 ≤ n < N0                                        |
| gives no tile twice           | m = m', n = n' ⇒ b = b'                                       |
| gives all tiles               | there are as many blocks as tiles (counting)                  |

Both statements are asked over digits (b = 8·y + x; b = N0·q + r, q = 4·h + s), with a case for each value of a small
factor or divisor, and any number for a product of sizes: what is left is linear.

What it cannot represent: divisors that are no size, and may be great.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from math import gcd
from operator import mul

from layoutalg.index import (
    ONE,
    TRUE,
    ZERO,
    Expr,
    all_equal,
    all_of,
    any_of,
    const,
    div,
    eq,
    extent_of,
    names,
    negation,
    postorder,
    prod,
    rebuild,
    select,
    simplify,
    substitute,
    symbol,
    unused,
    var,
    variables,
    with_extent,
)
from layoutalg.index.bounds import NARROWEST_CUT
from layoutalg.index.conditions import restricted
from layoutalg.index.normal import normal, recover
from layoutalg.index.poly import Poly
from layoutalg.index.primed import primed, same
from layoutalg.records import dataclass

#: How many values of a factor or a divisor are looked for, each of which is a case.
CASES = (1, 2, 4, 8, 16)

#: Choices by sizes alone that may stand in each other.
MOST_CHOICES = 3

Shows = Callable[[Expr, Expr], bool]
"""Whether something given (the second) implies a goal."""


def renumbers(
    values: Sequence[Expr], numberings: Sequence[Sequence[Expr]], lengths: Sequence[Expr], given: Expr, shows: Shows,
    choices: int = MOST_CHOICES,
) -> bool:  # fmt: skip
    """Whether values are the points of a box of these lengths, each once, as far as it is shown.

    `numberings` are indices over boxes of as many points, all of which number the same: on each way on which sizes
    choose, values may be of any one of them.  What is `given` is of sizes alone.

    >>> from layoutalg.prove import ForAll, Limits, holds
    >>> rows, columns = symbol("R", min=1, max=99), symbol("C", min=1, max=99)
    >>> b, shows = var("b", rows * columns), lambda goal, given: holds(ForAll("", goal, given), Limits())
    >>> renumbers([b // columns, b % columns], [[b]], [rows, columns], TRUE, shows)
    True
    >>> renumbers([b // rows, b % columns], [[b]], [rows, columns], TRUE, shows)
    False
    """
    over = {v for index in numberings for v in index}
    chosen = (e.args[0] for e in postorder(*values) if e.op == "select" and over.isdisjoint(variables(e.args[0])))
    condition = next(chosen, None)
    if condition is not None and choices:
        ways = [all_of(given, c) for c in (condition, negation(condition))]
        on_each = ([simplify(restricted(v, way)) for v in values] for way in ways)
        return all(renumbers(each, numberings, lengths, way, shows, choices - 1)
                   for each, way in zip(on_each, ways, strict=True))  # fmt: skip
    index = next((one for one in numberings if over.intersection(variables(*values)) <= set(one)), None)
    if index is None or not over.isdisjoint(variables(given, *lengths, *map(extent_of, index))):
        return False
    ones = {e for e in lengths if e.op != "const" and shows(eq(e, 1), given)}
    counts = dict(_as_counts([*values, *map(extent_of, index), *lengths, given], {*lengths} - ones))
    said = {**dict.fromkeys(ones, ONE), **counts}
    there = {v: with_extent(v, simplify(substitute(extent_of(v), said))) for v in index}
    values, lengths = [substitute(v, {**said, **there}) for v in values], [substitute(e, said) for e in lengths]
    return _one_to_one(values, [*there.values()], lengths, substitute(given, said), shows)


def _as_counts(exprs: Sequence[Expr], lengths: Collection[Expr]) -> Iterator[tuple[Expr, Expr]]:
    """Lengths ⌊x / c⌋ as numbers of their own, of which ⌊x / (c·k)⌋ is a quotient."""
    taken = names(*exprs)
    for length in lengths:
        if length.op == "div" and isinstance(length.lo, int) and isinstance(length.hi, int):
            x, by = length.args
            count = symbol(unused("count", taken), min=length.lo, max=length.hi)
            taken.add(count.value.name)
            for e in postorder(*exprs):
                if (
                    e.op == "div"
                    and e.args[0] is x
                    and e.args[1].op == by.op == "const"
                    and e.args[1].value % by.value == 0
                ):
                    yield e, div(count, e.args[1].value // by.value) if e is not length else count


def _one_to_one(
    values: Sequence[Expr], index: Sequence[Expr], lengths: Sequence[Expr], given: Expr, shows: Shows
) -> bool:
    """The same over one box, without choices by sizes."""
    if normal(prod([*map(extent_of, index)])) != normal(prod(lengths)):
        return False
    try:
        linear = _Linear(digits := _Digits.of(values, index, given), shows)
        images, limits = [linear.of(v) for v in digits.values], [linear.of(simplify(length)) for length in lengths]
    except _NotLinearError:
        return False
    within = all_of(*(part for v, limit in zip(images, limits, strict=True) for part in (v >= 0, v < limit)))
    if not shows(within, linear.given):
        return False
    there = primed(linear.index, "_again")
    met = all_equal(images, [substitute(v, there) for v in images])
    known = all_of(linear.given, substitute(linear.given, there))
    return shows(any_of(negation(met), same(linear.index, there)), known)


@dataclass(frozen=True)
class _Digits:
    """Values over the digits of each index that they divide."""

    values: tuple[Expr, ...]
    index: tuple[Expr, ...]
    given: Expr

    @classmethod
    def of(cls, values: Sequence[Expr], index: Sequence[Expr], given: Expr) -> _Digits:
        """By sizes first, then by numbers."""
        said = cls(tuple(map(simplify, values)), tuple(index), given)
        while True:
            anew = next(filter(None, map(said._split, said.index)), None)
            if anew is None:
                return said
            said = anew

    def _split(self, v: Expr) -> _Digits | None:
        """The same with two digits for an index; None of one that nothing divides."""
        nodes = [e for e in postorder(*self.values, self.given) if e.op in ("div", "mod") and e.args[0] is v]
        by = dict.fromkeys(e.args[1] for e in nodes if not set(self.index) & set(variables(e.args[1])))
        numbers, length = [d for d in by if d.op == "const"], extent_of(v)
        sizes = [recover(_without_number(normal(d))).expr() for d in by if d.op != "const"]
        exact = [d for d in sizes if normal(length).exactly_over(normal(d)) is not None]
        divisor = next(iter(exact), max(numbers, key=lambda d: int(d.value), default=None))
        if divisor is None:
            return None
        whole = normal(length).exactly_over(normal(divisor))
        count = (length - 1) // divisor + 1 if whole is None else recover(whole).expr()
        taken = names(*self.values, self.given, *self.index)
        high, low = (var(unused(f"{v.value.name}.{k}", taken), simplify(n)) for k, n in ((1, count), (0, divisor)))
        said = {v: high * divisor + low}
        given = all_of(substitute(self.given, said), TRUE if whole is not None else high * divisor + low < length)
        index = tuple(w for u in self.index for w in ((high, low) if u is v else (u,)))
        return _Digits(tuple(simplify(substitute(e, said)) for e in self.values), index, given)


def _without_number(poly: Poly) -> Poly:
    """A size without the number that it is a multiple of."""
    number = Poly.of(gcd(*(int(k) for k in poly.terms.values())))
    return poly.exactly_over(number) or poly


class _NotLinearError(Exception):
    """A product or a quotient that few cases do not make linear."""


class _Linear:
    """Expressions without products of what is not known, and without quotients by it: a case for each small number."""

    def __init__(self, said: _Digits, shows: Shows) -> None:
        self._shows, self._products = shows, dict[tuple[Expr, ...], Expr]()
        self._done: dict[Expr, Expr] = {}
        self._names = names(*said.values, said.given, *said.index, *map(extent_of, said.index))
        self._over, self._put, self.given = frozenset(said.index), dict[Expr, Expr](), TRUE
        self._put = {v: with_extent(v, self.of(extent_of(v))) for v in said.index}
        self.index = tuple(self._put.values())
        self._over |= frozenset(self.index)
        self._done = {}
        self.given = self.of(said.given)

    def of(self, e: Expr) -> Expr:
        """The same number, or the same truth."""
        if e not in self._done:
            self._done[e] = self._made(e)
        return self._done[e]

    def _made(self, e: Expr) -> Expr:
        if not e.args:
            return self._put.get(e, e) if e.op == "var" else e
        cut = e.op == "mod" and e.args[1].op == "const" and e.args[1].value >= NARROWEST_CUT
        terms = normal(e).terms if cut or e.op in ("add", "mul") else {(e,): 1}
        if (e,) not in terms:
            return sum((self._product(m) * c for m, c in terms.items()), start=ZERO)
        args = [self.of(a) for a in e.args]
        if e.op == "div" and args[1].op == "const" and args[1].value >= NARROWEST_CUT:
            return next(filter(None, (self._whole(n, *args) for n in (0, 1))), rebuild(e, args))
        if e.op in ("div", "mod") and args[1].op != "const" and self._over & set(variables(args[1])):
            return self._each(args[1], 1, lambda n: rebuild(e, [args[0], n]))
        return rebuild(e, args)

    def _whole(self, n: int, number: Expr, limit: Expr) -> Expr | None:
        """n, where it is the quotient by a limit of words, which a cut to words leaves."""
        found = all_of(number >= n * limit, number < (n + 1) * limit)
        return const(n) if self._shows(found, self.given) else None

    def _product(self, factors: Sequence[Expr]) -> Expr:
        """Sizes together are any number, and of the others all are small, or all but one where there are no sizes."""
        sizes = [f for f in factors if not self._over & set(variables(f))]
        rest = [self.of(f) for f in sorted((f for f in factors if f not in sizes), key=lambda f: f.hi - f.lo)]
        found = self._size(tuple(sizes)) if sizes or not rest else rest.pop()
        for factor in rest:
            few = factor.op != "const"
            found = self._each(factor, int(max(factor.lo, 0)), partial(mul, found)) if few else found * factor
        return found

    def _size(self, factors: tuple[Expr, ...]) -> Expr:
        """A product of sizes."""
        if len(factors) < 2:
            return self.of(factors[0]) if factors else ONE
        if factors not in self._products:
            whole = prod(factors)
            if not isinstance(whole.lo, int) or not isinstance(whole.hi, int):
                raise _NotLinearError
            name = unused("product", self._names)
            self._names.add(name)
            self._products[factors] = symbol(name, min=whole.lo, max=whole.hi)
        return self._products[factors]

    def _each(self, number: Expr, least: int, at: Callable[[Expr], Expr]) -> Expr:
        """What is made of a number, by a case for each of its values from `least` on."""
        few = (n for n in CASES if self._shows(all_of(number >= least, number < least + n), self.given))
        most = least + next(few, 0) - 1
        if most < least:
            raise _NotLinearError
        found = at(const(most))
        for n in reversed(range(least, most)):
            found = select(eq(number, n), at(const(n)), found)
        return found
