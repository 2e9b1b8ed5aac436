"""Coordinates of offsets: equal where, and only where, the offsets are; held against enumeration."""

from itertools import product

import pytest

from layoutalg.index import Expr, all_of, symbol, value, var
from layoutalg.index.rows import coordinates

M, N = symbol("M", min=0, max=3), symbol("N", min=1, max=3)
R, C, B = var("r", 4), var("c", 4), var("b", 2)

SPLIT = [
    (R * N + C, C < N, 2),
    (B * M * N + R * N + C, all_of(R < M, C < N), 3),
    (R * N * 2 + C, C < N * 2, 2),
    (R * N + C + 1, C + 1 < N, 2),
    ((R * 4 + C) % N * M + (R * 4 + C) // N, R * 4 + C < M * N, 1),
]
KEPT = [(R * N + C, C <= N), (R * N + C - 1, C < N), (R * N + C, C < M), (R + C, C < N)]


def same(offset: Expr, given: Expr) -> bool:
    """Whether any two points with equal offsets have equal coordinates, and the other way round."""
    (found,) = coordinates([offset], [given], {M, N})
    for m, n in product(range(4), range(1, 4)):
        points = [{M: m, N: n, R: r, C: c, B: b} for r, c, b in product(range(4), range(4), range(2))]
        rows = {(value(offset, p), *(value(one, p) for one in found)) for p in points if value(given, p)}
        if not len(rows) == len({row[0] for row in rows}) == len({row[1:] for row in rows}):
            return False
    return True


@pytest.mark.parametrize(("offset", "given", "count"), SPLIT)
def test_rows_and_columns(offset: Expr, given: Expr, count: int) -> None:
    (found,) = coordinates([offset], [given], {M, N})
    assert len(found) == count
    assert same(offset, given)


@pytest.mark.parametrize(("offset", "given"), KEPT)
def test_a_column_that_may_reach_the_next_row_is_none(offset: Expr, given: Expr) -> None:
    assert coordinates([offset], [given], {M, N}) == ((offset,),)
