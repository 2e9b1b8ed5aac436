"""Lattice reduction against enumeration, and on what the search gives up."""

from __future__ import annotations

import itertools
import random

import pytest

from layoutalg.interop.strided import Strided
from layoutalg.prove.strategies import difference, lattice
from layoutalg.prove.strategies.difference import solve
from layoutalg.prove.strategies.lattice import shortest
from tests.fuzzing import FIRST, KNOWN, count


@pytest.mark.fuzz
def test_it_finds_a_difference_exactly_where_two_points_meet() -> None:
    rng = random.Random(FIRST)
    met = 0
    for _ in range(count(100)):
        lengths = [rng.randint(2, 6) for _ in range(rng.randint(2, 4))]
        strides = [rng.choice([rng.randint(-40, 40) or 1, 1, rng.randint(1, 5)]) for _ in lengths]
        points = [sum(a * s for a, s in zip(i, strides, strict=True)) for i in itertools.product(*map(range, lengths))]
        found = shortest(strides, lengths)
        assert (found is None) == (len({*points}) == len(points)), (strides, lengths)
        if found is not None:
            met += 1
            assert any(found)
            assert sum(d * s for d, s in zip(found, strides, strict=True)) == 0
            assert all(abs(d) < n for d, n in zip(found, lengths, strict=True))
    if KNOWN:
        assert 20 < met < count(100)


STRIDES, LENGTHS = (538930453, 385981663, 48172661, 41), (1521, 1377, 1957, 37)


def test_what_no_search_ends_on_is_decided_both_ways() -> None:
    """10¹¹ indices: none meet; with one more along the last dimension, two do."""
    with pytest.raises(TimeoutError):
        difference._Search.of(STRIDES, [n - 1 for n in LENGTHS]).below(0, 0, False)
    assert solve(STRIDES, LENGTHS) is None
    longer = (*LENGTHS[:3], LENGTHS[3] + 1)
    assert solve(STRIDES, longer) == [106, -70, -625, 37]
    assert Strided(LENGTHS, STRIDES, 0, 10**13).overlap is None
    assert Strided(longer, STRIDES, 0, 10**13).overlap == ((106, 0, 0, 37), (0, 70, 625, 0))


def test_one_that_takes_too_many_steps_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lattice, "STEPS", 1)
    with pytest.raises(TimeoutError):
        shortest(STRIDES, LENGTHS)
