"""A sum over an index is complete: it has its rows and columns, and each value of the index once.

The origins that loops give, and the tile's own length, together run through the contracted index, each value once:
(loop indices, k of the tile) ↦ k is one to one, and reaches every k that counts; beyond the tensor's end what is added
is 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from layoutalg.index import TRUE, Expr, all_of, eq, extent_of, internal, substitute
from layoutalg.index.radix import digits
from layoutalg.kernel.obligations.base import Requirement, inside
from layoutalg.kernel.obligations.held import Element, Term
from layoutalg.kernel.program import Program
from layoutalg.prove import ForAll, InjectiveMap, Shown
from layoutalg.records import dataclass


@dataclass(frozen=True)
class Contracted:
    """An index that a sum runs over: where the tile begins, its length, which of its values count, and its name."""

    begins: Expr
    length: Expr
    given: Expr = TRUE
    name: str = "contracted index"
    letter: str = "k"


def products_complete(
    program: Program, number: int, term: Term, a: Element, b: Element, x: Sequence[Expr],
    contracted: Contracted | None = None,
) -> Iterator[Requirement]:  # fmt: skip
    """A sum of products a[g, m, k]·b[g, n, k] is that of (g, m, n) = x, over each k."""
    rows = (*zip(a.origin[:2], x[:2], strict=True), *zip(b.origin[:2], (x[0], x[2]), strict=True))
    contracted = contracted or Contracted(a.origin[2], a.tensor.descriptor.lengths[2])
    yield from complete(program, number, contracted, term, (*rows, (a.origin[2], b.origin[2])))


def complete(
    program: Program, number: int, k: Contracted, term: Term, pairs: tuple[tuple[Expr, Expr], ...]
) -> Iterator[Requirement]:
    """A sum has its rows and columns, and takes each contracted index exactly once."""
    shown = (Shown("loops at", term.over), Shown("origins", tuple(a for a, _ in pairs)))
    rows = ForAll("origins agree", all_of(*(eq(a, b) for a, b in pairs)), program.requires, shown)
    yield Requirement(f"{number}: rows, columns and {k.letter} belong together", rows)
    within = internal("k_within", term.length)
    reached = k.begins + within
    over = (*term.over, within)
    about = f"{number}: no {k.name} is summed twice"
    yield Requirement(about, InjectiveMap("k differ", over, (reached,), TRUE, (Shown("k", (reached,)),)))
    contracted = internal("k", k.length)
    extents = [extent_of(v) for v in over]
    found = digits(contracted, extents)
    put: dict[Expr, Expr | int] = dict(zip(over, found, strict=True))
    goal = all_of(inside(found, extents), eq(substitute(reached, put), contracted))
    shown = (Shown("k", (contracted,)), Shown("loops at", found))
    about = f"{number}: every {k.name} is summed"
    given = all_of(program.requires, k.given)
    yield Requirement(about, ForAll("an iteration takes it", goal, given, shown))


__all__ = ["Contracted", "complete", "products_complete"]
