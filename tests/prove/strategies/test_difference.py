"""The difference query against enumeration, and where nothing can be enumerated."""

from __future__ import annotations

import itertools
import random

import pytest

from layoutalg.prove.strategies.difference import solve
from tests.fuzzing import FIRST, KNOWN, count


@pytest.mark.fuzz
def test_it_finds_a_difference_exactly_where_two_points_meet() -> None:
    rng = random.Random(FIRST)
    met = 0
    for _ in range(count(600)):
        lengths = [rng.randint(1, 6) for _ in range(rng.randint(0, 4))]
        strides = [rng.choice([rng.randint(-30, 30), rng.randint(0, 6)]) for _ in lengths]
        points = [sum(a * s for a, s in zip(i, strides, strict=True)) for i in itertools.product(*map(range, lengths))]
        found = solve(strides, lengths)
        assert (found is None) == (len({*points}) == len(points)), (strides, lengths)
        if found is not None:
            met += 1
            assert any(found)
            assert sum(d * s for d, s in zip(found, strides, strict=True)) == 0
            assert all(abs(d) < n for d, n in zip(found, lengths, strict=True))
    if KNOWN:
        assert met > 100


@pytest.mark.parametrize(
    ("strides", "lengths", "meets"),
    [
        ((1_000_003, 1_000_033), (1_000_033, 1_000_003), False),
        ((1_000_003, 1_000_033), (1_000_034, 1_000_004), True),
        ((6 * 1_000_003, 10 * 1_000_003, 15), (6, 3, 2_000_006), False),
        ((6 * 1_000_003, 10 * 1_000_003, 15), (6, 3, 2_000_007), True),
    ],
)
def test_long_strides_are_decided_at_once(strides: tuple[int, ...], lengths: tuple[int, ...], meets: bool) -> None:
    """Their multiples are millions; the last two meet at 5 · (6 · 1 000 003) = 2 000 006 · 15, if at all."""
    found = solve(strides, lengths)
    assert (found is not None) == meets
