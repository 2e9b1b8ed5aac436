"""Orders shown from limits that are given: what solvers give up on; never what some values leave."""

import random
from itertools import product

import numpy as np
import pytest

from layoutalg.index import (
    TRUE,
    all_of,
    any_of,
    array,
    div,
    eq,
    le,
    lt,
    maximum,
    minimum,
    select,
    simplify,
    substitute,
    symbol,
    var,
    xor,
)
from layoutalg.prove import ForAll, Limits, prove
from layoutalg.prove.obligation import Onto
from layoutalg.prove.outcome import GaveUp, Holds
from layoutalg.prove.strategies.bounds import bounds
from tests.fuzzing import FIRST, KNOWN, count
from tests.index.test_bounds import EXIST, GRIDS, J, N, Q, R, T, drawn, least_and_greatest
from tests.matrix import some

DEPTH, HEIGHT, WIDTH = (symbol(name, min=2, max=1 << 28) for name in ("D", "H", "W"))
BLOCK = var("block", 1 << 24)
INDEX = BLOCK * 64 + var("thread", 256) // 8
ROW = simplify(INDEX // (WIDTH // 2) % (HEIGHT // 2) * 2 + var("v", 5))
COLUMN = simplify(INDEX % (WIDTH // 2) * 2 + var("u", 5))
OFFSET = simplify(INDEX // (WIDTH // 2) // (HEIGHT // 2) * (HEIGHT * WIDTH) + ROW * WIDTH + COLUMN)
VOLUME = DEPTH * HEIGHT * WIDTH
INSIDE = all_of(INDEX < DEPTH * (HEIGHT // 2) * (WIDTH // 2), ROW < HEIGHT, COLUMN < WIDTH, VOLUME < 1 << 31)


def test_a_window_of_stride_two_stays_in_its_image():
    """The other strategies together give up on it after eight seconds."""
    claim = ForAll("the offset fits", all_of(OFFSET >= 0, OFFSET < 1 << 31), INSIDE)
    assert prove(claim).strategy == "bounds"
    assert not prove(ForAll("it is smaller", OFFSET < (1 << 31) - 9, INSIDE), strategy="bounds")
    assert not prove(claim, strategy="z3", limits=Limits(seconds=0.5))


@pytest.mark.parametrize("sizes", list(product((2, 3), (4, 6), (4, 8)))[::3])
def test_enumeration_confirms_it_at_sizes_that_are_given(sizes):
    at = dict(zip((DEPTH, HEIGHT, WIDTH), sizes, strict=True)) | {BLOCK: var("block", 3)}
    claim = substitute(all_of(OFFSET >= 0, OFFSET < VOLUME), at)
    assert prove(ForAll("in range", claim, substitute(INSIDE, at)), strategy="enumeration")


def test_the_lemma():
    p, q, most, limit = symbol("p", min=0), symbol("q", min=0), symbol("P"), symbol("L")
    given = all_of(p < most, most * (q + 1) <= limit)
    assert prove(ForAll("below the limit", p + most * q < limit, given), strategy="z3")


def drawn_goal(rng):
    """Orders of every kind, on sums of products of coordinates; and what is given."""
    e, given = drawn(rng)
    other, more = drawn(rng)
    kind = rng.randrange(6)
    if kind == 0:
        given = all_of(given, more)
        _, most = least_and_greatest(simplify(e - other), given) or (0, 0)
        return rng.choice([lt, le])(e, other + most + rng.randrange(2)), given
    if kind == 1:
        e = select(T < 1, e, other)
    if kind == 2:
        e = xor(e, other)
    if kind == 3:
        e = simplify(e // rng.choice([2, 3, R, Q]))
    least, greatest = least_and_greatest(e, given) or (0, 0)
    low, high = least - rng.randrange(-1, 9), greatest + rng.randrange(-1, 20)
    if kind == 4:
        return any_of(e < high, eq(J, T)), given
    return all_of(
        *rng.sample([rng.choice([lt, le])(low, e), rng.choice([lt, le])(e, high)], rng.randrange(1, 3))
    ), given


@pytest.mark.parametrize("seed", some(range(400), 12))
def test_what_is_shown_holds_at_every_point(seed):
    rng = random.Random(seed)
    for _ in range(4):
        goal, given = drawn_goal(rng)
        if isinstance(bounds(ForAll("it is so", goal, given), Limits()), Holds):
            goals, assumed = (np.broadcast_to(a, EXIST.shape) for a in array([goal, given], GRIDS))
            assert np.all(goals[EXIST & (assumed != 0)]), (goal, given)


@pytest.mark.fuzz
def test_enough_is_shown():
    """So that the test above says something."""
    shown, cases = 0, count(80, dear=10)
    for seed in range(FIRST, FIRST + cases):
        goal, given = drawn_goal(random.Random(seed))
        shown += goal is not TRUE and isinstance(bounds(ForAll("it is so", goal, given), Limits()), Holds)
    if KNOWN:
        assert shown / cases > 15 / 200


def test_what_is_no_order_is_left():
    given = N < 5
    for goal in (eq(N, 4), any_of(N < 3, N >= 3), all_of(N < 5, eq(N, N + J))):
        assert isinstance(bounds(ForAll("it is so", goal, given), Limits()), GaveUp)
    assert isinstance(bounds(ForAll("of nothing", N < 5, all_of(N < 5, N + 0 > 9, N * 0 + 1 < 1)), Limits()), GaveUp)
    assert isinstance(bounds(Onto("every one", (N,), (N,), (N,)), Limits()), GaveUp)


ROWS = symbol("M", min=1, max=100_000)
EACH, OF = div(ROWS + 303, 304), var("block.x", 304)
LEFT = ROWS - EACH * OF  # rows from a block's first on


def rows_of_a_block(most):
    """That row t of a block that has one is a row, for all t below `most`."""
    t = var("t", most)
    return bounds(ForAll("it is a row", EACH * OF * 4 + t * 4 + 4 <= ROWS * 4, EACH * OF < ROWS), Limits())


def test_an_order_that_is_a_multiple_of_one_that_is_given_follows():
    assert isinstance(rows_of_a_block(minimum(EACH, maximum(0, LEFT - 1) + 1)), Holds)
    assert isinstance(rows_of_a_block(minimum(EACH, maximum(0, LEFT - 1) + 2)), GaveUp)
    assert isinstance(rows_of_a_block(EACH), GaveUp)


S, Z = symbol("S", min=2, max=1 << 17), symbol("Z", min=1, max=64)
HEAD, THREAD, TURN = var("head", 32 * Z), var("thread", 256), var("turn", S)


@pytest.mark.parametrize(("column", "row"), [
    (THREAD * 16 + 4112, THREAD // 16 + 16), (THREAD // 16 * 256 + THREAD * 16 + 16, THREAD // 16 * 2),
    (TURN * 8192 + THREAD * 16 + 16400, THREAD // 16 + TURN * 32 + 64),
])  # fmt: skip
def test_rows_that_lanes_share_stay_in_their_heads(column, row):
    """As attention loads keys: four heads share one of them, sixteen lanes a row, and rows are guarded."""
    end = S * Z * 2048
    assert isinstance(bounds(ForAll("a row", S * (HEAD // 4) * 256 + column <= end, row < S), Limits()), Holds)
    for goal, given in (
        (S * (HEAD // 4) * 256 + column + 1 <= end, row < S),
        (S * (HEAD // 4) * 256 + column <= end, row < S + 1),
        (S * (HEAD // 4 + 1) * 256 + column <= end, row < S),
    ):
        assert isinstance(bounds(ForAll("no row", goal, given), Limits()), GaveUp)


@pytest.mark.parametrize("seed", range(40))
def test_what_a_quotient_is_below_says_of_the_dividend_no_more_than_it_does(seed):
    rng = random.Random(seed)
    x, y, n = var("x", 14), var("y", 5), symbol("n", min=1, max=6)
    d, k = rng.randrange(2, 5), rng.randrange(1, 4)
    given = x // d * rng.choice([1, 1, 2]) + y * rng.randrange(3) + rng.randrange(3) < n + rng.randrange(3)
    goal = x * k + y * rng.randrange(4) + rng.randrange(-3, 4) < n * d * k + rng.randrange(-1, 8)
    if isinstance(bounds(ForAll("it is so", goal, given), Limits()), Holds):
        grid = np.meshgrid(*(np.arange(size) for size in (14, 5, 7)), indexing="ij")
        at = dict(zip((x, y, n), grid, strict=True))
        goals, assumed = (np.broadcast_to(a, grid[0].shape) for a in array([goal, given], at))
        assert np.all(goals[(assumed != 0) & (grid[2] > 0)]), (goal, given)
