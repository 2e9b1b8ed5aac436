"""Ranges that are shown without a solver: none is claimed that some values leave; and those that proofs rest on."""

import random

import numpy as np
import pytest

from layoutalg.index import TRUE, all_of, array, as_expr, select, simplify, symbol, var
from layoutalg.index.bounds import at_least_zero, in_range
from tests.matrix import some

P, Q, R = (symbol(name, max=3) for name in "PQR")
C = symbol("C", min=2, max=4, multiple_of=2)
N, T, J = var("i", P * Q * R), var("t", 3), var("j", C)
GRIDS = dict(
    zip(
        (P, Q, R, C, N, T, J),
        np.meshgrid(*(np.arange(1, 4),) * 3, [2, 4], np.arange(27), np.arange(3), np.arange(4), indexing="ij"),
        strict=True,
    )
)
EXIST = (GRIDS[N] < GRIDS[P] * GRIDS[Q] * GRIDS[R]) & (GRIDS[J] < GRIDS[C])

#: A padded window's two coordinates: the tap shifts them, and a guard holds them inside.
X, Y = N % R + T, N // R % Q + T
WINDOW = (X >= 1, X <= R, Y >= 1, Y < Q + 1)
#: The same, as another compiler has written two of these sums.
REWRITTEN = (T + N % R >= 1, X <= R, Y >= 1, T + N // R % Q < Q + 1)
PLACE = (N // R // Q * (Q * R) + (Y - 1) * R + X - 1) * C + J


def least_and_greatest(e, given):
    """Of an expression where the given holds; None where it never does."""
    numbers, holds = array([as_expr(e), as_expr(given)], GRIDS)
    there = np.broadcast_to(numbers, EXIST.shape)[EXIST & (holds != 0)]
    return (int(there.min()), int(there.max())) if there.size else None


def drawn(rng):
    """A sum of products of coordinates, and conditions on them."""
    pieces = [N, T, J, X, Y, X - 1, Y - 1, N // R, N // (Q * R), N % R, N // R % Q, N * 2 + T % 2, (N * 2 + T % 2) // R]
    factors = [as_expr(1), as_expr(-1), as_expr(2), R, Q * R, C, R * C, Q * R * C]
    e = sum((rng.choice(pieces) * rng.choice(factors) for _ in range(rng.randrange(1, 4))), start=as_expr(0))
    window = rng.choice([WINDOW, REWRITTEN])
    given = [part for part in (*window, N < P * Q * R, J < C) if rng.random() < 0.7]
    given.append(rng.choice([P * Q * R * C <= 20, P * (Q + 2) * (R + 2) * C < 30, P * Q * R < 9, Q * R * C <= 12]))
    return simplify(e + rng.randrange(-2, 3)), all_of(*given)


@pytest.mark.parametrize("seed", some(range(120), 8))
def test_no_value_leaves_a_range_that_is_shown(seed):
    rng = random.Random(seed)
    e, given = (PLACE, all_of(*WINDOW, P * Q * R * C < 21)) if seed % 10 == 0 else drawn(rng)
    ends = least_and_greatest(e, given)
    if ends is None:
        return
    assert not in_range(e, ends[0], ends[1], given)
    assert not in_range(e, ends[0] + 1, ends[1] + 1, given)
    for _ in range(6):
        lowest, limit = ends[0] + rng.randrange(-4, 3), ends[1] + 1 + rng.randrange(-2, 12)
        by = rng.choice([0, 1 << 16, (1 << 16) + 3])
        if in_range(simplify(e + by), lowest + by, limit + by, given):
            assert lowest <= ends[0], (e, given, lowest)
            assert ends[1] < limit, (e, given, limit)


def test_enough_ranges_are_shown():
    """Of those that hold, so that the test above says something."""
    shown = 0
    for seed in range(40):
        e, given = drawn(random.Random(seed))
        ends = least_and_greatest(e, given)
        shown += ends is not None and in_range(e, min(ends[0], 0), ends[1] + 12, given)
    assert shown > 10


@pytest.mark.parametrize("by", [0, 8, 1 << 29, (1 << 29) + 8, 12345678])
def test_a_place_in_a_padded_image_is_inside_it(by):
    """The window's guard is what holds it there: without any part of it nothing is shown.

    With any constant added: the conditions do not speak of it.
    """
    p, q, r, c = (symbol(name, max=1 << 28) for name in "PQRC")
    i, j, s, t = var("i", 1 << 31), var("j", c), var("s", 3), var("t", 3)
    x, y = simplify(i % r + s), simplify(i // r % q + t)
    guard = (s + i % r >= 1, x <= r, t + i // r % q >= 1, y <= q, i < p * q * r)
    place = simplify((i // r // q * (q * r) + (y - 1) * r + x - 1) * c + j + by)
    room = p * (q + 2) * (r + 2) * c < 1 << 31
    assert in_range(place, by, (1 << 31) + by, all_of(*guard, room))
    for k in range(len(guard)):
        rest = all_of(*guard[:k], *guard[k + 1 :], p * q * r * c < 1 << 31)
        assert not in_range(place, by, (1 << 31) + by, rest)
    assert not in_range(place, by, (1 << 31) - 1 + by, all_of(*guard, p * q * r * c <= 1 << 31))


def test_what_the_cut_of_a_signed_word_adds_goes_by_itself():
    """Half of all words, beside the 8 that a condition speaks of; with 10 for 8 the greatest value is too great."""
    p, c, half = symbol("P", max=1 << 28), symbol("C", max=1 << 28), 1 << 29
    i, j = var("i", p), symbol("j", min=0, max=1 << 28)
    for off in (0, 2):
        e = simplify(i * c * 2 + (j + 8 + off) * 2 + half)
        assert in_range(e, half, 2 * half, all_of(j + 8 < c, p * c * 8 < 1 << 31)) == (off == 0)


def test_the_negative_of_a_number_in_range():
    n = symbol("N", max=1 << 40)
    i = var("i", n)
    assert in_range(-1 * i, -100, 1, n <= 100)
    assert not in_range(-1 * i, -98, 1, n <= 100)
    assert not in_range(-1 * i, -100, 0, n <= 100)


def test_a_window_of_stride_two_without_padding():
    """Nothing says that its coordinates are not negative: twice a remainder and a tap."""
    p, q, r = (symbol(name, min=2, max=1 << 28) for name in "PQR")
    a, t, u, v = var("a", 1 << 24), var("t", 256), var("u", 5), var("v", 5)
    i = a * 64 + t // 8
    x, y = simplify(i % (r // 2) * 2 + u), simplify(i // (r // 2) % (q // 2) * 2 + v)
    assert at_least_zero(x)
    assert not at_least_zero(x - 1)
    place = simplify(i // (r // 2) // (q // 2) * (q * r) + y * r + x)
    guard = (i < p * (q // 2) * (r // 2), x < r, y < q)
    for most in (1 << 20, 1 << 31):
        assert in_range(place, 0, most, all_of(*guard, p * q * r < most))
        for k in range(len(guard)):
            assert not in_range(place, 0, most, all_of(*guard[:k], *guard[k + 1 :], p * q * r < most))


@pytest.mark.parametrize("seed", some(range(60), 12))
def test_what_is_at_least_zero_is_never_negative(seed):
    rng = random.Random(seed)
    e, _ = drawn(rng)
    e = simplify(e - rng.choice([N // R * R, N // (Q * R) * R * 2, (N * 2 + T) // (Q * 4) * Q, J // 2 * 2]))
    least, _ = least_and_greatest(e, TRUE)
    assert not at_least_zero(e - least - 1)
    for k in range(-2, 3):
        assert not at_least_zero(e + k) or least + k >= 0


def test_of_a_choice_each_way_is_in_range_where_it_is_taken():
    m, n = symbol("M", min=1), symbol("N", min=1)
    i, j = symbol("i", min=0), symbol("j", min=0)
    given = all_of(i < m, j < n, m * n < 1000)
    assert in_range(select(j + 1 < n, j + 1, j) + n * i, 0, 1000, given)
    assert not in_range(select(j < n, j + 1, j) + n * i, 0, 999, given)  # 999 for M = 1, N = 999
    assert not in_range(select(i < m, j + 1, j) + n * i, 0, 999, given)


def test_a_part_of_what_is_below_a_size_is_below_it() -> None:
    """Of one row of a tile the number within it, where the offset counts vectors of 8."""
    m, k = symbol("M", min=1), symbol("K", min=8, multiple_of=8)
    tile, row, at = symbol("tile", min=0), symbol("row", min=0), symbol("at", min=0)
    offset, small = k // 8 * row + at, m * k < 1 << 30
    assert in_range(offset, 0, 1 << 27, all_of(small, at * 8 < k, tile * 64 + row < m))
    assert not in_range(offset, 0, 1 << 26, all_of(small, at * 8 < k, tile * 64 + row < m))
    assert not in_range(offset, 0, 1 << 27, all_of(small, at * 8 < k, row - tile * 64 < m))
    assert not in_range(offset, 0, 1 << 27, all_of(small, at < k, tile * 64 + row < m))
    assert not in_range(offset - 8, 0, 1 << 27, all_of(small, at * 8 < k, tile * 64 + row < m))
