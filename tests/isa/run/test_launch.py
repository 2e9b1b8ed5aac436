"""Whole AMD binaries, run on the CPU, against numpy."""

import numpy as np
import pytest

from layoutalg.errors import Fault, LaunchError
from layoutalg.isa.run.launch import execute
from tests.matrix import each, some

TARGETS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201", "gfx1250")
TILED = ("transpose_xor_f32", "transpose_xor_f16", "transpose_padded_f32", "transpose_padded_f16")


def source(shape, dtype):
    rows, columns = shape
    return (np.arange(rows * columns, dtype=np.uint32) * 2654435761 % 2048).reshape(shape).astype(dtype)


def tiled(program, shape, dtype):
    rows, columns = shape
    given = source(shape, dtype)
    out = np.full((columns, rows), np.nan, dtype)
    grid = (-(-columns // 64), -(-rows // 64))
    run = execute(program, grid, (256,), [given, out, rows, columns])
    assert np.array_equal(run.outputs[0], given)
    assert np.array_equal(run.outputs[1], given.T)


@pytest.mark.parametrize("target", each(TARGETS, "gfx1201"))
@pytest.mark.parametrize("kernel", TILED)
@pytest.mark.parametrize("shape", some([((1, 1),), ((64, 64),), ((100, 70),), ((63, 129),)], 2))
def test_tiled_transposition_is_exact(program, target, kernel, shape):
    dtype = np.float16 if kernel.endswith("f16") else np.float32
    tiled(program("transposes", kernel, target), shape, dtype)


@pytest.mark.parametrize("target", each(TARGETS, "gfx1151"))
def test_register_transposition_is_exact(program, target):
    given = source((96, 160), np.float32)
    out = np.zeros((160, 96), np.float32)
    run = execute(program("transposes", "transpose_registers", target), (5, 3), (8, 8), [given, out, 96, 160])
    assert np.array_equal(run.outputs[1], given.T)


@pytest.mark.slow
@pytest.mark.parametrize("target", [target for target in TARGETS if target != "gfx1250"])  # its scratch has an address
@pytest.mark.parametrize("opt_level", [0, 1])
@pytest.mark.parametrize("kernel", ["transpose_xor_f32", "transpose_padded_f16"])
def test_unoptimised_builds_are_exact(program, target, opt_level, kernel):
    """-O0 spills scalars to lanes, vectors to scratch, and addresses everything through the flat apertures."""
    dtype = np.float16 if kernel.endswith("f16") else np.float32
    tiled(program("transposes", kernel, target, opt_level), (70, 65), dtype)


@pytest.mark.parametrize("target", each(TARGETS, "gfx1151"))
def test_a_large_matrix_is_exact(program, target):
    kernel = program("transposes", "transpose_xor_f32", target)
    tiled(kernel, (256, 512), np.float32)


@pytest.mark.parametrize("target", each(TARGETS, "gfx950"))
def test_a_buffer_too_small_is_a_fault(program, target):
    given, out = source((100, 70), np.float32), np.zeros(100 * 70 - 1, np.float32)
    with pytest.raises(Fault, match=r"4 bytes .*, 0 bytes past the end of buffer, block \(1, 1, 0\)") as caught:
        execute(program("transposes", "transpose_xor_f32", target), (2, 2), (256,), [given, out, 100, 70])
    assert caught.value.kind == "address"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((1, 2, 3), "takes 4 arguments, got 3"),
        ((1, np.zeros(1), 3, 4), "the argument at byte 0 is an array, got 1"),
        ((np.zeros(1), np.zeros(1), np.zeros(1), 4), "the argument at byte 16 is a number"),
        ((np.zeros(1), np.zeros(1), 1 << 40, 4), "does not fit 4 bytes"),
        ((np.zeros(1), np.zeros(1), np.float64(1), 4), "has 8 bytes, the argument has 4"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(program, args, message):
    with pytest.raises(LaunchError, match=message):
        execute(program("transposes", "transpose_xor_f32", "gfx942"), (1,), (256,), args)


def test_a_grid_without_blocks_is_refused(program):
    with pytest.raises(LaunchError, match="at least 1"):
        execute(program("transposes", "transpose_xor_f32", "gfx942"), (0,), (256,), [])
