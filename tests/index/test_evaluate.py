"""Values: numpy's whole tensors equal Python's integers, and int64 is never left."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from layoutalg.index import array, grid, grids, lookup, minimum, read, select, symbol, value, values, var, variables
from layoutalg.index.evaluate import PYTHON
from tests.index.expressions import Generator, points

IX, J, M = var("i", 6), var("j", 8), symbol("M")


@pytest.mark.fuzz(400)
def test_numpy_equals_python(seeds: range) -> None:
    for seed in seeds:
        random = Random(seed)
        g = Generator(random, symbolic=seed % 2 == 0)
        e = g.number(3) if seed % 5 else g.truth(3)
        at = points(random, [e], 7)
        if at:
            columns = {v: np.array([p[v] for p in at]) for v in variables(e)}
            got = np.broadcast_to(array([e], columns)[0], len(at)).tolist()
            assert got == [value(e, p) for p in at], (seed, e)


@pytest.mark.fuzz(60)
def test_a_grid_is_every_point(seeds: range) -> None:
    for seed in seeds:
        g = Generator(Random(seed), symbolic=False)
        e = g.number(3)
        whole = grid(e, g.indices)
        assert whole.dtype == np.int64
        for at in points(Random(seed), g.indices, 8):
            assert whole[tuple(at[v] for v in g.indices)] == value(e, at), (seed, e)


def test_extents_may_be_sizes() -> None:
    k = var("k", M * 2)
    assert grid(k * 10 + M, [k], {M: 2}).tolist() == [2, 12, 22, 32]
    assert [g.shape for g in grids([k, k + J], [k, J], {M: 3})] == [(6, 8), (6, 8)]


def test_a_missing_value_is_named() -> None:
    with pytest.raises(KeyError, match="no value for j"):
        value(IX + J, {IX: 3})


def test_int64_is_not_left() -> None:
    big = M * 4_000_000_000
    assert array([big * 2], {M: np.array([1, 1_000_000_000])})[0].tolist() == [8 * 10**9, 8 * 10**18]
    with pytest.raises(OverflowError, match="which int64 does not hold"):
        array([big * 2], {M: np.array([1, 2_000_000_000])})
    with pytest.raises(OverflowError):
        array([minimum(big * big, M)], {M: 10**10})
    assert value(minimum(big * big, M), {M: 10**10}) == 10**10
    assert array([big * big], {M: np.array([], dtype=np.int64)})[0].size == 0


def test_two_variables_of_one_name_are_two() -> None:
    other = var("i", symbol("N"))
    x = select(other > IX, 1, M) ^ other
    assert array([x], {IX: np.arange(6), other: np.arange(6)[::-1], M: 9})[0].tolist() == [
        value(x, {IX: n, other: 5 - n, M: 9}) for n in range(6)
    ]


def test_a_part_can_be_given_instead_of_its_variables() -> None:
    part = lookup([3, 1, 4, 1, 5, 9], IX)
    assert read([part * 2 + J], {part: 7, J: 1}, PYTHON) == [15]
    assert values([part, part + 1], {IX: 2}) == [4, 5]
