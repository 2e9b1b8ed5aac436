"""Contractions by matrix instructions, run from the binary."""

import time

import numpy as np
import pytest

from layoutalg.isa.run.launch import execute

TARGETS = {"gfx90a": (32, 64), "gfx942": (32, 64), "gfx950": (32, 64), "gfx1100": (16, 32), "gfx1201": (16, 32)}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("opt_level", [0, 1, 3])
def test_contraction_is_within_the_rounding_of_f32(program, target, opt_level):
    tile, threads = TARGETS[target]
    m, n, k = 64, 96, 64 if opt_level else 32
    rng = np.random.default_rng(7)
    a, b = (rng.standard_normal((rows, k)).astype(np.float16) for rows in (m, n))
    c = np.full((m, n), np.nan, np.float32)
    kernel = program("contraction", "contraction", target, opt_level)
    start = time.perf_counter()
    run = execute(kernel, (n // tile, m // tile), (threads,), [a, b, c, n, k])
    assert time.perf_counter() - start < 20
    exact = a.astype(np.float64) @ b.astype(np.float64).T
    bound = k * 2.0**-24 * (np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64)).T)
    assert (np.abs(run.outputs[2] - exact) <= bound).all()


@pytest.mark.parametrize("target", TARGETS)
def test_contraction_of_small_integers_is_exact(program, target):
    tile, threads = TARGETS[target]
    rng = np.random.default_rng(8)
    a, b = (rng.integers(-8, 9, (rows, 48)).astype(np.float16) for rows in (tile, 2 * tile))
    c = np.zeros((tile, 2 * tile), np.float32)
    run = execute(program("contraction", "contraction", target), (2, 1), (threads,), [a, b, c, 2 * tile, 48])
    assert np.array_equal(run.outputs[2], a.astype(np.float32) @ b.astype(np.float32).T)
