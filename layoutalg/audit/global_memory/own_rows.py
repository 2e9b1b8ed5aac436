"""Accesses in rows of which each thread has its own: no two threads meet in them, whatever the accesses are.

The lemma: where 0 ≤ c < s and 0 ≤ c′ < s, s·r + c = s·r′ + c′ only where r = r′.  So where a row is of one thread, all
that is in rows is settled by one question each, and no two have to be compared: a loop unrolled 512 times whose places
in the row are loaded has 131 328 pairs.

| asked | of |
|---|---|
| r is one-to-one from threads, under what all guards say | the rows |
| 0 ≤ c < s | each access |

What a thread does in its row has to be in its program's order: scalar loads and copies to LDS are not, which go
another way.
What it cannot represent: rows of several threads that share them out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from layoutalg.audit.ask import WHOLE, Answer, Ask, shown
from layoutalg.audit.global_memory.unrolled import Rolled, shared_guard, without
from layoutalg.index import Expr, all_of, le, lt, simplify, variables
from layoutalg.index.normal import normal, recover
from layoutalg.index.poly import Poly
from layoutalg.prove import InjectiveMap, Proved
from layoutalg.records import dataclass

#: Groups from which on it is asked: the pairs of fewer are soon compared.
FEW = 8


@dataclass(frozen=True)
class OwnRows:
    """Groups of units of one tensor that are in rows of their threads' own."""

    about: str

    def __str__(self) -> str:
        return self.about

    def decided(self) -> Answer:
        """No two threads meet there."""
        return shown(self.about, "rows of their own")


def in_own_rows(groups: Sequence[Rolled], here: Sequence[Expr], sizes: Collection[Expr], ask: Ask) -> list[Rolled]:
    """The groups that are seen to be in rows of which each thread has its own; none where they are few."""
    stride = _stride(groups[0].offset, here, sizes) if len(groups) >= FEW else None
    if stride is None:
        return []
    places = [(group, *_place(group.offset, stride, {*here, *sizes})) for group in groups]
    row = Counter(found for _, found, _ in places).most_common(1)[0][0]
    alike = ((group, column) for group, found, column in places if found is row)
    inside = [group for group, column in alike if _inside(column, stride.expr(), group, ask)]
    return inside if len(inside) >= FEW and _of_one_thread(row, inside, here, sizes, ask) else []


def _stride(offset: Expr, here: Sequence[Expr], sizes: Collection[Expr]) -> Poly | None:
    """What all that an offset has of a thread's coordinates is a multiple of."""
    terms = recover(normal(offset)).terms
    known = {m: k for m, k in terms.items() if set(variables(*m)) <= {*here, *sizes}}
    own = {m: k for m, k in known.items() if set(variables(*m)) & set(here)}
    if not own:
        return None
    monomial, k = Poly(own).content()
    return Poly({tuple(a for a in monomial if not set(variables(a)) & set(here)): k})


def _place(offset: Expr, stride: Poly, known: Collection[Expr]) -> tuple[Expr, Expr]:
    """The row, of what is known, and the column."""
    whole = recover(normal(offset))
    start = Poly({m: k for m, k in whole.terms.items() if set(variables(*m)) <= set(known)})
    row, rest = start.split(stride)
    return row.expr(), (rest + whole - start).expr()


def _inside(column: Expr, stride: Expr, group: Rolled, ask: Ask) -> bool:
    return ask.holds(all_of(le(0, column), lt(column, stride)), all_of(ask.launched.given, group.guard))


def _of_one_thread(
    row: Expr, groups: Sequence[Rolled], here: Sequence[Expr], sizes: Collection[Expr], ask: Ask
) -> bool:
    """Whether no two threads that make any of the accesses have one row."""
    shared = shared_guard([group.guard for group in groups])
    strange = {*variables(shared)} - {*here, *sizes}
    given = all_of(ask.launched.given, without(shared, strange))
    one_to_one = InjectiveMap("each row is of one thread", tuple(here), (simplify(row),), given)
    return isinstance(ask.decide("rows", one_to_one, WHOLE).verdict, Proved)
