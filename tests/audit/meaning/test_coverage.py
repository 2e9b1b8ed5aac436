"""Every element stored to, or not: held against an enumeration of a launch at small sizes."""

import pytest

from layoutalg.audit.meaning.coverage import PlacedStore, ways
from layoutalg.audit.meaning.wanted import WantedPlace
from layoutalg.index import TRUE, Expr, all_of, const, div, eq, mod, symbol, var
from layoutalg.prove import ForAll, Limits, holds

N = symbol("N", min=1, max=5000)
AT = var("at", N)
X = var("x", N)
LINE = WantedPlace("o", 4, (X,), (N,), X * 4, TRUE)
BLOCK, THREAD = var("block", div(N + 63, 64)), var("thread", 64)


def store(index: Expr, guard: Expr = TRUE) -> PlacedStore:
    return PlacedStore((index,), index * 4, 0, all_of(guard, index < N), (BLOCK, THREAD))


def covered(*stores: PlacedStore) -> bool:
    given = LINE.has((AT,))
    return any(
        all(
            holds(ForAll("it is stored to", one.goal, all_of(given, one.given)), Limits(steps=200_000))
            for one in questions
        )
        for questions in ways(stores, LINE, (AT,))
    )


INDEX = BLOCK * 64 + THREAD


@pytest.mark.parametrize(
    ("stores", "all_are"),
    [
        ([store(INDEX)], True),
        ([store(N - 1 - INDEX, INDEX < N)], True),
        ([store(BLOCK * 64 + mod(THREAD, 8) * 8 + div(THREAD, 8))], True),
        ([store(INDEX, INDEX < N - 1)], False),
        ([store(INDEX, THREAD < 63)], False),
        ([store(INDEX, eq(mod(INDEX, 2), 0))], False),
        ([store(BLOCK * 65 + THREAD)], False),
        ([store(BLOCK * 64 + mod(THREAD, 8) * 8)], False),
        ([store(INDEX + 1)], False),
        ([store(const(0), TRUE)], False),
        ([store(BLOCK * 64 + div(THREAD, 2) * 2), store(BLOCK * 64 + div(THREAD, 2) * 2 + 1)], True),
        ([store(BLOCK * 64 + div(THREAD, 4) * 4 + k) for k in (0, 1, 2)], False),
        ([store(INDEX, INDEX < 100), store(INDEX, INDEX >= 100)], True),
        ([store(INDEX, INDEX < 100), store(INDEX, INDEX >= 101)], False),
    ],
)
def test_elements_that_are_stored_to(stores: list[PlacedStore], all_are: bool) -> None:
    assert covered(*stores) == all_are
