"""What addends are alike in, and the numbers in which they differ: those of one shape are made one.

    a[64·t + 0] · b[t]   …   a[64·t + 3] · b[t]        one shape, of the numbers 0 … 3

Of threads that read from several stores, the pieces are one where the numbers are sums over bits of the piece's:

    a[64·t + 0] where t mod 2 = 0,   a[64·t + 32] where t mod 2 = 1        is        a[64·t + 32·(t mod 2)]
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from functools import lru_cache

import numpy as np

from layoutalg.audit.lds.digits import Table, digits
from layoutalg.audit.meaning.sums.addends import Addend, Addends, Placed
from layoutalg.index import Expr, simplify, symbol, var, variables
from layoutalg.index.evaluate import values
from layoutalg.index.normal import normal
from layoutalg.symex.values.instances import moved

#: Terms whose numbers are kept.
KEPT = 1 << 14


@lru_cache(KEPT)
def apart(e: Expr) -> tuple[Expr, int]:
    """A term without its number, and the number.

    >>> from layoutalg.index import symbol
    >>> apart(symbol("n") * 4 + 7)
    (n * 4, 7)
    """
    number = normal(e).terms.get((), 0)
    return simplify(e - number), number


def places_of(one: Addend) -> list[Placed]:
    """Where its factors are."""
    return [place for f in one.factors for place in f.places]


def parts_of(one: Addend) -> list[Placed]:
    """All expressions of it: places and guards."""
    return [*places_of(one), *one.guards]


def templates(one: Addend) -> list[Expr]:
    """The expressions of the parts; of places without the number in them."""
    return [*(apart(p.expr)[0] for p in places_of(one)), *(g.expr for g in one.guards)]


def numbers_of(one: Addend) -> list[int]:
    """The numbers in which addends of one shape differ."""
    return [
        *(apart(p.expr)[1] for p in places_of(one)),
        *(apart(e)[1] for p in parts_of(one) for _, e in p.at),
    ]


def shape(one: Addend) -> object:
    """All but those numbers; bound indices by their order."""
    names = {v: symbol(f"bound {k}") for k, v in enumerate(one.bound)}
    places = tuple(
        (_named(e, names), tuple((v, _named(apart(at)[0], names)) for v, at in p.at))
        for e, p in zip(templates(one), parts_of(one), strict=True)
    )
    return one.coefficient, tuple((f.tensor, f.dtype, f.form) for f in one.factors), places, len(one.bound)


def _named(e: Expr, names: dict[Expr, Expr]) -> Expr:
    return moved(e, names) if names and set(variables(e)) & names.keys() else e


def least_place(one: Addend) -> tuple[int, ...]:
    """Where the factors are at the least of all that is left open: addends are numbered in that order."""
    return tuple(_least(p.expr, p.at) for p in places_of(one))


@lru_cache(KEPT)
def _least(e: Expr, at: tuple[tuple[Expr, Expr], ...] = ()) -> int:
    known = {v: _least(there) for v, there in at}
    return int(values([e], {v: known.get(v, int(v.lo)) for v in variables(e)})[0])


def joined(each: Sequence[Addends], form: Placed, pieces: Sequence[int]) -> Addends | None:
    """What pieces come to where a form is each one's number, without a guard; None where they are of other shapes."""
    if len({len(one) for one in each}) != 1:
        return None
    found = []
    for alike in zip(*each, strict=True):
        one = _joined(alike, form, np.array(pieces, np.int64))
        if one is None:
            return None
        found.append(one)
    return tuple(found)


def _unused(taken: Set[Expr], count: int) -> Expr:
    """A number of so many pieces that no place speaks of: pieces may be of pieces."""
    return next(v for k in range(len(taken) + 1) if (v := var(f"piece of {count}, {k}", count)) not in taken)


def _joined(alike: Sequence[Addend], form: Placed, pieces: Table) -> Addend | None:
    first = alike[0]
    if any(one.bound != first.bound or shape(one) != shape(first) for one in alike):
        return None
    columns = np.array([numbers_of(one) for one in alike], np.int64).T
    piece = _unused({v for part in parts_of(first) for v, _ in part.at}, int(pieces.max()) + 1)
    added = []
    for column in columns:
        one = digits(column - column[0], {piece: pieces})
        if one is None:
            return None
        added.append(one)
    by_place, left = added[: len(places_of(first))], iter(added[len(places_of(first)) :])
    here = {piece: form.value}
    parts = []
    for k, part in enumerate(parts_of(first)):
        at = tuple((v, simplify(e + moved(next(left), here))) for v, e in part.at)
        more = by_place[k] if k < len(by_place) else None
        if more is None or piece not in variables(more):
            parts.append(Placed(part.expr if more is None else simplify(part.expr + more), at))
        else:
            parts.append(Placed(simplify(part.expr + more), (*at, (piece, form.value))))
    each = iter(parts)
    factors = tuple(f.placed([next(each) for _ in f.places]) for f in first.factors)
    return replace(first, factors=factors, guards=tuple(each))
