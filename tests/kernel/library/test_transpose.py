"""Both transpositions: proved for all their sizes, emitted, compiled for every target, exact on the CPU."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from layoutalg.device import CodeObject, Device, LaunchError, choose_device, compile_source
from layoutalg.device.kernels import build, run
from layoutalg.index import Expr, Term, symbol
from layoutalg.kernel.emit import emit, emit_unverified
from layoutalg.kernel.library.transpose import lds_transpose, register_transpose, transpose_for, transpose_named, tuned
from layoutalg.kernel.library.tuned import table
from layoutalg.kernel.program import LoadShared, Program, StoreShared
from layoutalg.kernel.verify import verify
from layoutalg.layout import Functor, LayoutError, PassThrough, transform_tensor_descriptor
from layoutalg.target.dtypes import DTYPES, KERNEL_DTYPES
from tests.matrix import each, some

AMD = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")
PROGRAMS = {
    p.name: p
    for dtype in ("f32", "f16")
    for p in (
        register_transpose(dtype=dtype),
        lds_transpose(dtype),
        lds_transpose(dtype, "pad"),
        lds_transpose(dtype, vector=4),
        lds_transpose(dtype, "pad", vector=2),
        lds_transpose(dtype, index_bits=64),
    )
}


def transposed(program: Program, source: np.ndarray) -> np.ndarray:
    rows, columns = source.shape
    sizes = {"M": rows, "N": columns} if program.sizes else {}
    return run(verify(program), choose_device("cpu"), source, (columns, rows), **sizes).output


def matrix(rows: int, columns: int, dtype: str) -> np.ndarray:
    numbers = np.random.default_rng([rows, columns]).standard_normal((rows, columns))
    return numbers.astype({"f32": np.float32, "f16": np.float16}[dtype])


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_obligation_is_proved(name: str) -> None:
    assert verify(PROGRAMS[name]).failures == ()


@pytest.mark.parametrize("name", some(tuple(PROGRAMS), 2))
def test_z3_alone_proves_every_obligation(name: str) -> None:
    assert verify(PROGRAMS[name], strategy="z3").failures == ()


def test_both_kernels_are_proved() -> None:
    for program in (register_transpose(), lds_transpose()):
        assert verify(program).proved


@pytest.mark.parametrize("dtype", each(["f32", "f16"], "f32"))
@pytest.mark.parametrize("shape", [(1, 1), (1, 67), (64, 64), (63, 65), (517, 301), (128, 256), (130, 70)])
def test_any_matrix_is_transposed_exactly(shape: tuple[int, int], dtype: str) -> None:
    source = matrix(*shape, dtype)
    assert np.array_equal(transposed(transpose_for(*shape, dtype), source), source.T)


@pytest.mark.parametrize("swizzle", each(["xor", "pad"], "xor"))
@pytest.mark.parametrize("dtype", each(["f32", "f16"], "f16"))
def test_each_lds_layout_is_exact_at_guarded_edges(swizzle: str, dtype: str) -> None:
    source = matrix(100, 36, dtype)
    for vector in (1, 2, 4):
        assert np.array_equal(transposed(lds_transpose(dtype, swizzle, vector), source), source.T)


@pytest.mark.parametrize("dtype", each(["f32", "f16"], "f16"))
def test_the_guides_register_transposition_is_exact(dtype: str) -> None:
    program = register_transpose(dtype=dtype)
    assert [int(g.hi) + 1 for g in program.grid] == [80, 1]
    assert program.block == (8, 8, 1)
    source = matrix(2560, 32, dtype)
    assert np.array_equal(transposed(program, source), source.T)


@pytest.mark.slow
def test_4096_squared_on_the_cpu_is_exact() -> None:
    source = matrix(4096, 4096, "f32")
    assert np.array_equal(transposed(transpose_for(4096, 4096, "f32"), source), source.T)


@pytest.mark.parametrize("target", each(AMD, "gfx1100"))
@pytest.mark.parametrize("name", some(tuple(PROGRAMS), 3))
def test_no_target_spills(name: str, target: str) -> None:
    code = build(verify(PROGRAMS[name]), target)
    assert isinstance(code, CodeObject)
    kernel = code.kernels[name]
    assert kernel.spills == 0
    buffers = sum(s.elements * s.dtype.bytes for s in PROGRAMS[name].shared)
    assert kernel.lds_bytes == buffers


def test_the_source_is_one_for_all_machines() -> None:
    source = emit(verify(lds_transpose()), "gfx942")
    assert "#include <hip/hip_runtime.h>" in source
    assert "lds[row, column] at row * 64 + (column ^ row)" in source
    assert ".target sm_90" in compile_source(source, "sm_90").payload.decode()


def test_unverified_source_says_so() -> None:
    assert "UNVERIFIED" in emit_unverified(lds_transpose()).splitlines()[0]


def _through(function: Callable[[Expr], Term]) -> Program:
    """The transposition whose tile's rows lie in LDS by a function of their number."""
    program = lds_transpose()
    (layout,) = {s.descriptor for s in program.body if isinstance(s, StoreShared)}
    layout = transform_tensor_descriptor(layout, [Functor.of(function, 64), PassThrough(64)], [[0], [1]], [[0], [1]])
    body = (replace(s, descriptor=layout) if isinstance(s, StoreShared | LoadShared) else s for s in program.body)
    return replace(program, body=tuple(body))


def test_any_function_may_lay_a_tile_out() -> None:
    source = matrix(70, 90, "f32")
    verified = verify(_through(lambda u: u ^ 5))
    assert "lds[row, column] at (row ^ 5) * 64 + " in emit(verified)
    assert np.array_equal(run(verified, choose_device("cpu"), source, (90, 70), M=70, N=90).output, source.T)
    failures = dict(verify(_through(lambda u: u // 2)).failures)
    assert any("index (0, 0), offset 0 and index (1, 0), offset 0" in v.reason for v in failures.values())
    with pytest.raises(LayoutError, match=r"the map of lds uses K \(in 1…inf\), which is not declared there"):
        verify(_through(lambda u: u * symbol("K") % 64))


def test_sizes_outside_the_proof_are_not_launched() -> None:
    program = lds_transpose(vector=4)
    source = matrix(6, 8, "f32")
    with pytest.raises(LaunchError, match="a multiple of 4; not for 6"):
        run(verify(program), choose_device("cpu"), source, (8, 6), M=6, N=8)
    with pytest.raises(LaunchError, match="has 48 elements, and the descriptor 64"):
        run(verify(program), choose_device("cpu"), source, (8, 8), M=8, N=8)


def test_sizes_that_32_bits_do_not_hold_take_64() -> None:
    assert transpose_for(70000, 40000, "f32").index_bits == 64
    assert transpose_for(512, 512, "f32").index_bits == 32


def test_a_size_that_the_register_kernel_lacks_is_refused() -> None:
    with pytest.raises(LayoutError, match="M = 100 is no multiple of 32"):
        register_transpose(100, 32)


@pytest.mark.parametrize("dtype", each(KERNEL_DTYPES, "f16"))
def test_every_tuned_entry_is_proved_and_exact(dtype: str, cpu: Device, random: Callable[..., Any]) -> None:
    """Whatever the table chooses, for any vectors, holds for all sizes; the figures are in benchmarks/gpu."""
    widest = 16 // DTYPES[dtype].bytes
    for vectors in ((widest, widest), (1, widest)):
        for entry in table("transpose", dtype):
            blocks = tuned(dtype, vectors, entry.get("below", 1 << 40) - 1)
            program = lds_transpose(dtype, "xor", vectors, 32, blocks.threads, blocks.tile, blocks.segment)
            verified = verify(program)
            assert verified.failures == ()
            assert transpose_named(program.name) == program
            rows, columns = 17 * vectors[1], 33 * vectors[0]
            source = random(dtype, rows, columns)
            assert np.array_equal(run(verified, cpu, source, (columns, rows), M=rows, N=columns).output, source.T)
