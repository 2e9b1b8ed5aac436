"""The library's kernels, compiled for AMD and run from their binaries, against numpy."""

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.index import value
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.library.contraction import contraction_task
from layoutalg.kernel.library.convolution import convolution_task
from layoutalg.kernel.library.permute import permute_task
from layoutalg.kernel.library.reduce import reduce_tasks
from layoutalg.kernel.library.views import pad_task
from tests.matrix import each

TARGETS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201")


def integers(shape, dtype):
    """Small integers: sums of products of them are exact in every order."""
    return np.random.default_rng(len(shape)).integers(-4, 5, shape).astype(dtype)


def bf16(numbers):
    return (np.ascontiguousarray(numbers, np.float32).view(np.uint32) >> 16).astype(np.uint16)


def run(task, target, inputs, dtype):
    program = task.program
    binary = decode_kernel(read_kernels(compile_source(emit_unverified(program), target).payload)[program.name])
    sizes = {s: task.sizes[s.value.name] for s in program.sizes}
    grid = [value(e, sizes) for e in program.launch]
    out = np.full(task.shape, 77, dtype)
    return execute(binary, grid, program.block, [*inputs, out, *sizes.values()]).outputs[-1]


@pytest.mark.parametrize("target", each(TARGETS, "gfx1201"))
@pytest.mark.parametrize("dtype", [np.float16, pytest.param(np.float32, marks=pytest.mark.slow)])
def test_a_matrix_product(target, dtype):
    name = {np.float16: "f16", np.float32: "f32"}[dtype]
    a, b = integers((64, 64), dtype), integers((96, 64), dtype)
    got = run(contraction_task("mk,nk->mn", a.shape, b.shape, name, target=target), target, [a, b], dtype)
    assert np.array_equal(got, (a.astype(np.float32) @ b.astype(np.float32).T).astype(dtype))


@pytest.mark.parametrize("target", each(TARGETS, "gfx90a"))
def test_a_bf16_matrix_product(target):
    a, b = np.sign(integers((64, 32), np.float32)), np.sign(integers((32, 32), np.float32))  # sums fit 8 bits
    task = contraction_task("mk,nk->mn", a.shape, b.shape, "bf16", target=target)
    assert np.array_equal(run(task, target, [bf16(a), bf16(b)], np.uint16), bf16(a @ b.T))


@pytest.mark.parametrize("target", each(TARGETS, "gfx1151"))
def test_a_convolution(target):
    image, filters = integers((1, 6, 7, 16), np.float16), integers((32, 3, 3, 16), np.float16)
    around = {"stride": (1, 1), "pad": (1, 1), "dilation": (1, 1)}
    task = convolution_task(image.shape, filters.shape, "f16", target=target, **around)
    padded = np.pad(image.astype(np.float32), ((0, 0), (1, 1), (1, 1), (0, 0)))
    expected = sum(
        padded[:, y : y + 6, x : x + 7] @ filters[:, y, x].astype(np.float32).T for y in range(3) for x in range(3)
    )
    assert np.array_equal(run(task, target, [image, filters], np.float16), expected.astype(np.float16))


@pytest.mark.parametrize("target", each(TARGETS, "gfx1151"))
def test_moves(target):
    given = integers((4, 24, 10, 9), np.float32)
    assert np.array_equal(
        run(permute_task(given.shape, (0, 2, 3, 1), "f32"), target, [given], np.float32), given.transpose(0, 2, 3, 1)
    )
    given = integers((20, 33), np.float32)
    padded = run(pad_task(given.shape, (1, 2), (3, 4), "f32"), target, [given], np.float32)
    assert np.array_equal(padded, np.pad(given, ((1, 3), (2, 4))))


@pytest.mark.parametrize("target", each(TARGETS, "gfx90a"))
def test_reductions(target):
    """The greatest of f16 rows: on CDNA by sub-dword operands, and by LDS stores that are not aligned."""
    given = integers((40, 50), np.float16)
    got = run(reduce_tasks(given.shape, (0,), "max", "f16")[0], target, [given], np.float16)
    assert np.array_equal(got, given.max(0))
