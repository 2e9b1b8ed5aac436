"""Offsets as rows and columns: what a product of sizes by an index hides from solvers, said without the product.

The lemma: where 0 ≤ c < s and 0 ≤ c′ < s, s·r + c = s·r′ + c′ exactly where r = r′ and c = c′.  So two offsets are
equal where all their coordinates are, and the coordinates have no sizes as factors.

| offset | given | coordinates |
|---|---|---|
| N·i + j | j < N | i, j |
| M·N·b + N·i + j | i < M, j < N | b, i, j |
| (x mod N)·M + x div N | x < M·N | x: a quotient and a remainder of one number are that number |

What it cannot represent: strides of which no column is seen to stay below.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence

from layoutalg.index.bounds import in_range
from layoutalg.index.expr import Expr
from layoutalg.index.normal import nonnegative, normal, recover
from layoutalg.index.poly import Monomial, Poly
from layoutalg.index.walk import conjuncts, slack, variables

Row = tuple[Expr, ...]
"""The coordinates of one offset."""


def coordinates(offsets: Sequence[Expr], given: Sequence[Expr], sizes: Collection[Expr]) -> tuple[Row, ...]:
    """Each offset's coordinates, where its own condition holds: of any two offsets equal where and only where they are.

    Strides are made of the sizes; all offsets are split by the same ones.

    >>> from layoutalg.index import all_of, symbol, var
    >>> m, n, i, j = symbol("M"), symbol("N"), var("i", 99), var("j", 99)
    >>> coordinates([m * n * 4 + i * n + j, n * j], [all_of(i < m, j < n), j < m], {m, n})
    ((4, i, j), (0, j, 0))
    >>> coordinates([i * n + j], [j < m], {m, n})
    ((i * N + j,),)
    """
    found: tuple[Row, ...] = tuple((offset,) for offset in offsets)
    for stride in _strides(offsets[0], sizes):
        split = [_divided(offset, stride, condition) for offset, condition in zip(offsets, given, strict=True)]
        if all(split):
            rows, columns = (coordinates([one[k] for one in split if one], given, sizes) for k in range(2))
            found = tuple((*row, *column) for row, column in zip(rows, columns, strict=True))
            break
    return _joined(found)


def _strides(offset: Expr, sizes: Collection[Expr]) -> Iterator[Poly]:
    """The products of sizes that divide all terms with some size, those of the fewest factors first."""
    terms = normal(offset).terms
    found: dict[tuple[Monomial, int], None] = {}
    for size in dict.fromkeys(a for m in terms for a in m if _of(a, sizes)):
        monomial, k = Poly({m: k for m, k in terms.items() if size in m}).content()
        own = tuple(a for a in monomial if _of(a, sizes))
        found |= dict.fromkeys(((own, k), ((size,), 1)))
    yield from (Poly({m: k}) for m, k in sorted(found, key=lambda term: (len(term[0]), term[1], str(term[0]))))


def _of(atom: Expr, sizes: Collection[Expr]) -> bool:
    return atom.lo >= 0 and all(v in sizes for v in variables(atom))


def _divided(offset: Expr, stride: Poly, given: Expr) -> tuple[Expr, Expr] | None:
    """The row and the column, where the column is seen to stay below the stride."""
    quotient, rest = normal(offset).split(stride)
    column = recover(rest).expr()
    inside = _shown(column, given) and _shown(stride.expr() - 1 - column, given)
    return (recover(quotient).expr(), column) if inside else None


def _shown(e: Expr, given: Expr) -> bool:
    """Whether e is at least 0, by what is given."""
    rooms = (slack(part) for part in conjuncts(given))
    return (
        nonnegative(e)
        or any(nonnegative(e - room) for room in rooms if room is not None)
        or in_range(e, 0, math.inf, given)
    )


def _joined(rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """The coordinates with a quotient and a remainder of one number, by one divisor, as that number."""
    for i, quotient in enumerate(rows[0]):
        for j in range(len(rows[0])):
            if quotient.op == "div" and i != j and all(_is_rest(row[i], row[j]) for row in rows):
                keep = [k for k in range(len(rows[0])) if k not in (i, j)]
                return _joined(tuple((row[i].args[0], *(row[k] for k in keep)) for row in rows))
    return rows


def _is_rest(quotient: Expr, rest: Expr) -> bool:
    """Whether one is x div d, and the other x − d·(x div d)."""
    if quotient.op != "div":
        return False
    x, d = quotient.args
    return not (normal(x) - normal(d) * normal(quotient) - normal(rest)).terms
