"""Copies of indices: of the same ranges, by each other, and no variable that anybody else has."""

import itertools
from collections.abc import Iterable, Iterator, Sequence

import pytest

from layoutalg.index import Expr, negation, symbol, value, var, variables
from layoutalg.index.evaluate import extent
from layoutalg.index.primed import primed, same

N = symbol("N", min=1, max=4)
T, Q = var("t", 4), var("q", N)
J = var("j", T + Q + 1)
K = var("k", J + 1)


def points(index: Sequence[Expr], at: dict[Expr, int]) -> Iterator[dict[Expr, int]]:
    """All values that indices have, those first on which the ranges of others depend."""
    if not index:
        yield at
        return
    for n in range(extent(index[0], at)):
        yield from points(index[1:], {**at, index[0]: n})


@pytest.mark.parametrize("index", [*itertools.permutations((T, Q, J, K))])
def test_copies_have_the_values_of_the_indices_in_whatever_order_they_come(index: tuple[Expr, ...]) -> None:
    there = primed(index)
    assert tuple(there) == index
    ordered = (T, Q, J, K)
    for n in (1, 2, 3):
        here = {tuple(at[v] for v in ordered) for at in points(ordered, {N: n})}
        copies = [there[v] for v in ordered]
        assert {tuple(at[v] for v in copies) for at in points(copies, {N: n})} == here


def test_ranges_by_what_has_no_copy_stay() -> None:
    there = primed([J])
    assert {*variables(there[J].value.extent)} == {T, Q, N}


def test_a_copy_is_no_variable_of_the_same_name() -> None:
    there = primed([T, Q])
    made: Iterable[Expr] = (var("t_other", 4), var("t_other'", 4), symbol("t_other'"), T)
    assert there[T] not in {*made}
    assert primed([T]) == {T: there[T]}
    assert primed([T], "_third")[T] is not there[T]


def test_two_are_the_same_where_every_index_is() -> None:
    there = primed([T, Q])
    for t, i, u, j in itertools.product(range(4), range(2), range(4), range(2)):
        at = {T: t, Q: i, there[T]: u, there[Q]: j, N: 2}
        assert value(same([T, Q], there), at) == ((t, i) == (u, j))
        assert value(negation(same([T], there)), at) == (t != u)
    assert value(same([], there), {}) == 1
