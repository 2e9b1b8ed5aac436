"""Every element stored to, or not: held against an enumeration of a launch at small sizes."""

from itertools import product
from random import Random

import pytest

from layoutalg.audit.meaning.coverage import PlacedStore, everywhere, ways
from layoutalg.audit.meaning.wanted import WantedPlace
from layoutalg.index import TRUE, Expr, all_of, const, div, eq, mod, symbol, value, var
from layoutalg.prove import ForAll, Limits, Proved, holds, prove
from layoutalg.symex.values.unknowns import Kind, unknown_value

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


ERROR = unknown_value("error", 3, Kind.DATA)


def decided(goal: Expr, given: Expr) -> bool:
    return holds(ForAll("it is as without an error", goal, given), Limits())


@pytest.mark.parametrize("seed", range(60))
def test_at_fixed_sizes_what_is_stored_whatever_an_estimate_s_error_is_enumerated(seed: int) -> None:
    random = Random(seed)
    rows, columns, parts = random.randint(1, 4), random.randint(1, 3), random.randint(1, 2)
    block, thread, n = var("block", rows * columns), var("thread", 2), rows * columns * 2 * parts
    order = random.choice([block, rows * columns - 1 - block, block // columns + block % columns * rows])
    mended = [ERROR // random.choice([2, 3, 3, 3]) for _ in range(2)]  # of 2 // 2 an error is left
    stores, own = list[PlacedStore](), (block, thread)
    for k in range(parts):
        index = (order * 2 + thread) * parts + k + mended[0] + random.choice([0] * 5 + [1])
        guard = random.choice([TRUE, index + mended[1] < n, index + mended[1] < n - random.randint(0, 1)])
        stores.append(PlacedStore((index,), index * 4, 0, guard, own))
    settled = [one.settled(TRUE, decided) for one in stores]
    onto = everywhere([one for one in settled if one.is_launched], (var("at", n),), TRUE)
    surely = set[int]()
    for one, b, t in product(stores, range(rows * columns), range(2)):
        at = [{block: b, thread: t, ERROR: error} for error in range(3)]
        places = {value(one.index[0], each) for each in at}
        if len(places) == 1 and all(value(one.guard, each) for each in at):
            surely |= places
    found = onto is not None and isinstance(prove(onto), Proved)
    assert not found or surely >= set(range(n))
    assert found or any(one.settled(TRUE, decided) is one for one in stores) or not surely >= set(range(n))
