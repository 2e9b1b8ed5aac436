"""What is known of the range of an index expression under a condition, without a solver.

An offset such as n + N·(m + M·g) is below N·M·G where n < N, m < M and g < G, whatever these are made of.  So each of
them is replaced by any number below its limit, which gives the largest value as a polynomial in the sizes; and a kernel
requires of just such products that they are below 2³¹.

| given | hence |
|---|---|
| p < P | p in p + P·(…) is any number below P |
| c ≤ x ≤ c + P − 1 | x − c is any number below P |
| p < P·Q | p div Q is any number below P, p mod Q any below Q |
| x div c + r < P | x + c·r is any number below c·P |
| M·N < 2³¹ | what is below M·N fits a signed 32-bit word |
| p < P ? p : q | p below P in the one way, in the other what is given of q |

What it cannot represent: limits that come from several conditions together.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache

from layoutalg.index.conditions import upper_limits
from layoutalg.index.expr import ZERO, Expr, div, mod
from layoutalg.index.multiples import is_multiple
from layoutalg.index.narrow import narrowed
from layoutalg.index.node import Bound
from layoutalg.index.normal import nonnegative, normal, recover, recovered, simplify
from layoutalg.index.poly import Poly, common_term
from layoutalg.index.truth import all_of, negation
from layoutalg.index.variable import internal
from layoutalg.index.walk import conjuncts, postorder, substitute

#: Machines cut words, and divide by shifts, at no fewer bits than 16: a division by less is what the program computes.
NARROWEST_CUT = 1 << 16

#: Choices in one expression of which each way is looked at: it takes twice as long for each.
MOST_CHOICES = 8

Bounds = tuple[tuple[Expr, Expr], ...]
"""Numbers and what they are below."""


@lru_cache(maxsize=1 << 14)
def in_range(e: Expr, lowest: Bound, limit: Bound, given: Expr) -> bool:
    """Whether lowest ≤ e < limit by a bound on a product of sizes that is given; false means that it was not shown.

    Either end may be infinite.

    >>> from layoutalg.index import all_of, symbol
    >>> m, n = symbol("M"), symbol("N")
    >>> i, j = symbol("i", min=0), symbol("j", min=0)
    >>> in_range(i * n + j, 0, 1000, all_of(i < m, j < n, m * n < 1000))
    True
    >>> in_range(i * n + 50, 0, 100, all_of(i < m, m * n < 50))
    True
    """
    if lowest <= e.lo and (e.hi < limit or limit == math.inf):
        return True
    if e.op == "select":
        return all(in_range(way, lowest, limit, given) for way in e.args[1:])
    if e.op == "xor" and (limit == math.inf or int(limit) & (int(limit) - 1) == 0):
        return lowest <= 0 and all(in_range(part, 0, limit, given) for part in e.args)
    if e.op == "div" and e.args[1].op == "const":
        return in_range(e.args[0], lowest * e.args[1].value, limit * e.args[1].value, given)
    if lowest < 0 < limit and nonnegative(-1 * e):
        return in_range(-1 * e, 0, 1 - lowest, given)
    if e.op == "div" and lowest <= 0:
        return in_range(e.args[0], 0, limit * int(e.args[1].lo), given)
    if _by_some_form(e, lowest, limit, given) or _each_way_in_range(e, lowest, limit, given):
        return True
    whole, times = _undivided_sizes(e)
    parts = all_of(given, *_parts_below(whole, given))
    return (times > 1 or parts is not given) and _by_some_form(whole, lowest * times, limit * times, parts)


def _by_some_form(e: Expr, lowest: Bound, limit: Bound, given: Expr) -> bool:
    """Whether one more general expression is no less than the one end, and one is below the other."""
    largest = upper_limits(given).items()
    least, most = lowest == -math.inf, limit == math.inf
    for one, add in _forms(e, given):
        least = least or at_least_zero(one + add - int(lowest))
        most = most or any(_below(one, int(limit) - add, *product) for product in largest)
        if least and most:
            return True
    return False


def _undivided_sizes(e: Expr) -> tuple[Expr, int]:
    """The expression times a number by which parts of it are divided exactly, and that number."""
    divided = (part for part in normal(e).atoms() if part.op == "div" and part.args[1].op == "const")
    times = max((int(d.args[1].value) for d in divided if is_multiple(d.args[0], int(d.args[1].value))), default=1)
    return (simplify(e * times), times) if times > 1 else (e, 1)


def _parts_below(e: Expr, given: Expr) -> Iterator[Expr]:
    """s < P, where s + rest < P is given, the rest is not below 0, and the expression has parts of s alone."""
    own = set(normal(e).atoms())
    for p, limit in _bounds(given):
        terms = normal(p).terms
        shared = Poly({factors: k for factors, k in terms.items() if factors and own.issuperset(factors)})
        if shared.terms and len(shared.terms) < len(terms) and nonnegative((normal(p) - shared).expr()):
            yield shared.expr() < limit


def _each_way_in_range(e: Expr, lowest: Bound, limit: Bound, given: Expr) -> bool:
    """Of a choice within the expression each way, where it is taken; conditions on one size alone narrow it."""
    choices = [part for part in postorder(e) if part.op == "select"]
    if not 0 < len(choices) <= MOST_CHOICES:
        return False
    chosen = choices[0]
    condition, *ways = chosen.args
    for case, way in zip((condition, negation(condition)), ways, strict=True):
        part, sizes = substitute(e, {chosen: way}), narrowed([case])
        if not in_range(simplify(part), lowest, limit, given):
            within = all_of(case, given)  # of several limits the first is taken
            part, within = (substitute(one, sizes) for one in (part, within))
            if not in_range(simplify(part), lowest, limit, within):
                return False
    return True


def _forms(e: Expr, given: Expr) -> Iterator[tuple[Expr, int]]:
    """More general expressions, and what is to be added to each: what a signed word's cut adds goes by itself."""
    offset = int(normal(e).terms.get((), 0))
    power = 1 << max(offset, 1).bit_length() - 1
    offsets = dict.fromkeys((0, offset, power if power >= NARROWEST_CUT else 0))
    for plain, add in ((simplify(e - add) if add else e, add) for add in offsets):
        yield plain, add
        yield from ((one, add) for one in generalised(plain, given))
        yield from ((one, add) for one in replaced(plain, given))


def _below(e: Expr, limit: int, product: Expr, most: int) -> bool:
    """Whether e < limit since factor·e ≤ times·product + slack ≤ times·most + slack < factor·limit."""
    if limit <= 0 or most < 0:
        return False
    factor, times = -(-(most + 1) // limit), max(1, (limit - 1) // max(most, 1))
    room = product * times + (factor * limit - 1 - times * most) - factor * e
    return at_least_zero(room)


@lru_cache(maxsize=1 << 14)
def at_least_zero(e: Expr) -> bool:
    """Whether the expression or something that is no greater is at least 0.

    >>> from layoutalg.index import symbol, var
    >>> n, i = symbol("N"), var("i", 99) * 64 + var("t", 256) // 8
    >>> nonnegative(i * 2 - i // n * n * 2), at_least_zero(i * 2 - i // n * n * 2)
    (False, True)
    """
    if nonnegative(e) or nonnegative(_lowered(e)):
        return True
    undivided = _undivided(e)
    return undivided is not e and nonnegative(_lowered(undivided))


def _undivided(e: Expr) -> Expr:
    """Something that is no greater: of −K·n·(x div (n·m)) all of −K·(x div m), where n is a product of sizes."""
    for atom in normal(e).atoms():
        parts = normal(e).linear_in(atom) if atom.op == "div" and len(normal(atom.args[1]).terms) == 1 else None
        if not parts or not parts[1].terms:
            continue
        divisor = normal(atom.args[1])
        shared, _ = common_term(parts[1].content(), next(iter(divisor.terms.items())))
        each, left = (whole.exactly_over(Poly({shared: 1})) for whole in (-parts[1], divisor))
        if shared and each and left and all(a.lo >= 1 for a in (*shared, left.expr())) and nonnegative(each.expr()):
            e = recover(parts[0] - each * normal(div(atom.args[0], left.expr()))).expr()
    return e


def _lowered(e: Expr) -> Expr:
    """Something that is no greater: of −K·(x mod n) and −K·i the greatest, of −K·n·(x div n) all of −K·x.

    >>> from layoutalg.index import symbol, var
    >>> n = symbol("N", multiple_of=8)
    >>> _lowered(n * 9 + 63 - 64 * var("i", (n * 9 + 63) // 64))
    71
    """
    for atom in recovered(e).atoms():
        parts = recovered(e).linear_in(atom) if atom.op == "mod" and atom.args[1].op != "const" else None
        if parts and nonnegative(-1 * parts[1].expr()):
            e = recover(parts[0] + parts[1] * normal(atom.args[1] - 1)).expr()
    for atom in normal(e).atoms():
        parts = normal(e).linear_in(atom) if atom.op == "var" and atom.value.extent is not None else None
        if parts and nonnegative(recover(-parts[1]).expr()):
            e = recover(parts[0] + parts[1] * normal(atom.value.extent - 1)).expr()
    for atom in normal(e).atoms():
        parts = normal(e).linear_in(atom) if atom.op == "div" and atom.args[1].op == "const" else None
        if parts and parts[1].constant is not None and parts[1].constant < 0:
            each, rest = divmod(parts[1].constant, atom.args[1].value)
            if not rest:
                e = recover(parts[0] + Poly.of(each) * normal(atom.args[0])).expr()
    return e


@lru_cache(maxsize=1 << 14)
def generalised(e: Expr, given: Expr) -> Sequence[Expr]:
    """The expression over any p' < P, q' < Q, …, where it is p + P·(q + Q·(… )) and `p < P`, `q < Q`, … are given.

    What holds of it holds of the expression; and a solver need not know what p and q are made of.
    """
    return tuple(found for found in _nested(e, _bounds(given)) if found is not e)


def replaced(e: Expr, given: Expr) -> Iterator[Expr]:
    """The expression with any p' < P for p, for one given `0 ≤ p < P` after the other, where it is K·p + rest.

    The one that leaves the fewest terms comes first.  What holds of one of these holds of the expression.
    """
    left = dict(enumerate((*_bounds(given), *_leading(given))))
    while True:
        most = len(recovered(e).terms)
        found = {k: new for k, (p, limit) in left.items() if (new := _with_any(e, p, internal(f"below_{k}", limit)))}
        best = min(found, key=lambda k: len(found[k].terms), default=None)
        if best is None or len(found[best].terms) > most:
            return
        e = found[best].expr()
        yield e
        del left[best]


def _with_any(e: Expr, p: Expr, other: Expr) -> Poly | None:
    """K·other + rest, where the expression is K·p + rest and some part of p is not in the rest; the shortest."""
    whole, part, found = normal(e), normal(p), list[Poly]()
    for atom in part.atoms():
        inside, here = part.linear_in(atom), whole.linear_in(atom)
        factor = here[1].exactly_over(inside[1]) if inside and here and inside[1].constant else None
        if factor is not None and factor.terms and atom not in (rest := whole - factor * part).atoms():
            found.append(recover(rest + factor * Poly.atom(other)))
    return min(found, key=lambda poly: len(poly.terms), default=None)


@lru_cache(maxsize=1 << 8)
def _bounds(given: Expr) -> Bounds:
    found: dict[tuple[Expr, Expr], None] = dict.fromkeys(_between(given))
    for part in conjuncts(given):
        if part.op == "lt" and part.args[1].op != "const" and part.args[1].lo >= 1 and at_least_zero(part.args[0]):
            p, limit = part.args
            found |= dict.fromkeys(((p, limit), *_of_dividend(p, limit)))
            for one, other in (limit.args, limit.args[::-1]) if limit.op == "mul" else ():
                if one.op != "const" and other.op != "const" and other.lo >= 1:
                    found |= {(simplify(div(p, other)), one): None, (simplify(mod(p, other)), other): None}
    return tuple(found)


def _of_dividend(p: Expr, limit: Expr) -> Iterator[tuple[Expr, Expr]]:
    """(x + c·r, c·P), where it is x div c + r that is below P: just where this is below that."""
    for atom in normal(p).atoms():
        parts = normal(p).linear_in(atom) if atom.op == "div" and atom.args[1].op == "const" else None
        most = simplify(limit * atom.args[1]) if parts and parts[1] == Poly.of(1) else ZERO
        if parts and most.lo >= 1:  # as a divisor has to be: written out, its range may be wider
            yield simplify(atom.args[0] + parts[0].expr() * atom.args[1]), most


@lru_cache(maxsize=1 << 8)
def _leading(given: Expr) -> Bounds:
    """(p div (Q·R), P), where p < P·Q·R: what counts the largest parts, whichever order the product has."""
    found = []
    for p, limit in _bounds(given):
        terms = list(normal(limit).terms.items())
        for one in dict.fromkeys(terms[0][0]) if len(terms) == 1 and len(terms[0][0]) > 2 else ():
            others = normal(limit).exactly_over(Poly.atom(one))
            if others is not None and one.lo >= 1 and others.expr().lo >= 1:
                found.append((simplify(div(p, others.expr())), one))
    return tuple(found)


def _between(given: Expr) -> Iterator[tuple[Expr, Expr]]:
    """(x − c, P) where two conditions say c ≤ x and x < c + P."""
    parts = (part for part in conjuncts(given) if part.op in ("lt", "le"))
    orders = [(part.op, simplify(part.args[0]), simplify(part.args[1])) for part in parts]
    least = {x: c.value + (op == "lt") for op, c, x in orders if c.op == "const"}
    for op, x, most in orders:
        if x in least and most.op != "const":
            room = simplify(most + (op == "le") - least[x])
            if room.lo >= 1:
                yield simplify(x - least[x]), room


def _nested(e: Expr, bounds: Bounds) -> Iterator[Expr]:
    for k, (p, limit) in enumerate(bounds):
        quotient = simplify(div(e - p, limit))
        if simplify(e - p - limit * quotient) is ZERO and quotient.depth <= e.depth and quotient is not e:
            for inner in _nested(quotient, bounds[:k] + bounds[k + 1 :]):
                yield internal(f"below_{k}_of_{len(bounds)}", limit) + limit * inner
    for k, (p, limit) in enumerate(bounds):
        if e is p:
            yield internal(f"below_{k}_of_{len(bounds)}", limit)
    yield e
