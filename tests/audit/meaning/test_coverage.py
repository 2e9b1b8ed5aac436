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
        all(holds(ForAll("it is stored to", one.goal, one.given), Limits(steps=200_000)) for one in questions)
        for questions in ways(stores, LINE, (AT,), given)
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
        ([store(BLOCK * 64 + k * 32 + div(THREAD, 32) + mod(THREAD, 32)) for k in (0, 1)], True),
        ([store(BLOCK * 64 + k * 34 + div(THREAD, 32) + mod(THREAD, 32)) for k in (0, 1)], False),
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


M, J = symbol("M", min=1, max=5), symbol("J", min=1, max=2)
ROWS, COLUMNS = M, J * 4
R, C = var("r", ROWS), var("c", COLUMNS)
MATRIX = WantedPlace("o", 4, (R, C), (ROWS, COLUMNS), (R * COLUMNS + C) * 4, TRUE)


def in_tiles(random: Random) -> tuple[list[PlacedStore], bool]:
    """Stores of tiles of 4 x 4, or what somebody made of them; and whether all are stored to, by enumeration."""
    rows = random.choice([div(M + 3, 4)] * 5 + [div(M + 2, 4), div(M, 4)])
    row, column, thread = var("row", rows), var("column", J), var("t", random.choice([4, 4, 4, 4, 3]))
    high, low = (div(thread, 2), mod(thread, 2)) if random.random() < 0.7 else (mod(thread, 2), div(thread, 2))
    step_row, step_column = random.choice([(2, 2), (2, 2), (2, 2), (1, 2), (2, 1), (3, 2)])
    high, low = high * (2 if step_row == 1 else 1), low * (2 if step_column == 1 else 1)
    stores = []
    for a, b in product(range(2), range(2)):
        if random.random() < 0.05:
            continue
        r, c = row * 4 + high + a * step_row, column * 4 + low + b * step_column + (random.random() < 0.03)
        guard = all_of(
            r < M - (random.random() < 0.05), c < COLUMNS, TRUE if random.random() < 0.95 else row < column + 1
        )
        stores.append(PlacedStore((r, c), (r * COLUMNS + c) * 4, 0, guard, (row, column, thread)))
    all_are = True
    for sizes in ({M: m, J: j} for m, j in product(range(1, 6), range(1, 3))):
        counts = (value(rows, sizes), sizes[J], int(thread.hi) + 1)
        found = {
            tuple(value(e, at) for e in one.index)
            for at in ({**sizes, row: x, column: y, thread: t} for x, y, t in product(*map(range, counts)))
            for one in stores
            if value(one.guard, at)
        }
        all_are &= found >= set(product(range(sizes[M]), range(4 * sizes[J])))
    return stores, all_are


def test_tiles_that_are_stored_to_are_seen_and_no_others() -> None:
    seen = wrong = 0
    for seed in range(16):
        stores, all_are = in_tiles(Random(seed))
        element = var("at_0", ROWS), var("at_1", COLUMNS)
        questions = next(ways(stores, MATRIX, element, MATRIX.has(element)))  # of digits, where there are such
        found = all(holds(ForAll("it is stored to", one.goal, one.given), Limits(steps=5_000)) for one in questions)
        assert found == all_are, seed
        seen, wrong = seen + found, wrong + (not found)
    assert seen
    assert wrong
