"""Contractions by matrix instructions, run from the binary."""

import numpy as np
import pytest

from layoutalg.isa.decode.instructions import Operand
from layoutalg.isa.run.concrete import ConcreteMachine
from layoutalg.isa.run.cycles import LdsMeter
from layoutalg.isa.run.eights import values
from layoutalg.isa.run.launch import execute
from layoutalg.isa.run.spaces import GlobalMemory
from layoutalg.target.matrix import matrix_instruction
from tests.isa.decode.test_allowed import decoded
from tests.isa.semantics.test_table_every_bit import ALL, assembled_line
from tests.matrix import each

TARGETS = {"gfx90a": (32, 64), "gfx942": (32, 64), "gfx950": (32, 64), "gfx1100": (16, 32), "gfx1201": (16, 32)}


@pytest.mark.parametrize("target", each(TARGETS, "gfx942"))
@pytest.mark.parametrize("opt_level", each([0, 1, 3], 3))
def test_contraction_is_within_the_rounding_of_f32(program, target, opt_level):
    tile, threads = TARGETS[target]
    m, n, k = 64, 96, 64 if opt_level else 32
    rng = np.random.default_rng(7)
    a, b = (rng.standard_normal((rows, k)).astype(np.float16) for rows in (m, n))
    c = np.full((m, n), np.nan, np.float32)
    kernel = program("contraction", "contraction", target, opt_level)
    run = execute(kernel, (n // tile, m // tile), (threads,), [a, b, c, n, k])
    exact = a.astype(np.float64) @ b.astype(np.float64).T
    bound = k * 2.0**-24 * (np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64)).T)
    assert (np.abs(run.outputs[2] - exact) <= bound).all()


@pytest.mark.parametrize("target", each(TARGETS, "gfx90a"))
def test_contraction_of_small_integers_is_exact(program, target):
    tile, threads = TARGETS[target]
    rng = np.random.default_rng(8)
    a, b = (rng.integers(-8, 9, (rows, 48)).astype(np.float16) for rows in (tile, 2 * tile))
    c = np.zeros((tile, 2 * tile), np.float32)
    run = execute(program("contraction", "contraction", target), (2, 1), (threads,), [a, b, c, 2 * tile, 48])
    assert np.array_equal(run.outputs[2], a.astype(np.float32) @ b.astype(np.float32).T)


@pytest.mark.parametrize(("target", "fnuz"), [("gfx942", True), ("gfx950", False)])
@pytest.mark.parametrize(("a_kind", "b_kind"), [("fp8", "bf8"), ("bf8", "fp8")])
def test_a_product_of_numbers_of_eight_bits(target, fnuz, a_kind, b_kind):
    """Each lane's bytes put where the operand maps say, in the format of the target, against numpy's product."""
    code = assembled_line(target, f"v_mfma_f32_16x16x32_{a_kind}_{b_kind} v[0:3], v[8:9], v[10:11], 0")
    program = decoded(target, code, **ALL)
    machine = ConcreteMachine(
        program.kernel, np.zeros((1, 3), np.int64), 1, 64, GlobalMemory([]), 1, LdsMeter(target), strict=False
    )
    rng, held = np.random.default_rng(3), {}
    for first in (8, 10):
        codes = rng.integers(1, 0x60, (64, 8), np.uint8) | rng.integers(0, 2, (64, 8), np.uint8) << 7  # all are numbers
        held[first] = codes
        for k, words in enumerate(codes.view(np.uint32).T):
            machine.registers.write_register(Operand("v", first + k), 32, np.broadcast_to(words, (2, 1, 1, 64)).copy())
    (instruction,) = program.instructions
    machine.step(instruction)
    shape = matrix_instruction(f"mfma_f32_16x16x32_{a_kind}_{b_kind}")
    a, b = shape.a.gather(values(a_kind, fnuz)[held[8]]), shape.b.gather(values(b_kind, fnuz)[held[10]])
    found = [machine.registers.vector("v", k).view(np.float32).reshape(-1, 64)[0] for k in range(4)]
    assert np.array_equal(np.stack(found, axis=1), shape.d.spread(a @ b).astype(np.float32))
