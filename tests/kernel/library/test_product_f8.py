"""Products of elements of 8 bits: proved, moved 16 bytes at a time, right on every code, and in machine code.

The formats differ by target: FNUZ on gfx942, OCP's elsewhere.  Wrong twins, of programs and of sources, are not proved.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.index import Expr, as_expr
from layoutalg.index.evaluate import value
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.kernel.emit import emit, emit_unverified
from layoutalg.kernel.library.contraction import contraction, contraction_task
from layoutalg.kernel.library.convolution import convolution
from layoutalg.kernel.library.copies import Copy
from layoutalg.kernel.library.einsum import parse_einsum
from layoutalg.kernel.library.windows import Windows
from layoutalg.kernel.program import Barrier, LoadShared, Loop, MemoryAccess, Multiply, Program, Statement
from layoutalg.kernel.program.fragments import FMA
from layoutalg.kernel.verify import verify
from layoutalg.layout import LayoutError, make_naive_tensor_descriptor
from layoutalg.refine.refinement import prove_binary
from layoutalg.target.dtypes import DTYPES
from layoutalg.target.elements import numbers
from layoutalg.target.known import formats_of, is_tiled
from layoutalg.target.matrix import matrix_instruction
from tests.matrix import each, turns

CELLS = [
    (target, dtype)
    for target in ("gfx942", "gfx950", "gfx1201", "gfx1250")
    for dtype in ("f8", "bf8")
    if is_tiled(target, dtype)
]
WIDE = {
    "gfx942": ("buffer_load_dwordx4", "ds_read_b128", "ds_write_b128", "v_mfma_f32_32x32x16_"),
    "gfx950": ("buffer_load_dwordx4", "ds_read_b128", "ds_write_b128", "v_mfma_f32_32x32x64_f8f6f4"),
    "gfx1201": ("global_load_b128", "ds_load_b128", "ds_store_b128", "v_wmma_f32_16x16x16_"),
    "gfx1250": ("global_load_b128", "ds_load_b128", "ds_store_b128", "v_wmma_f32_16x16x64_"),
}


@cache
def product(target: str, dtype: str = "f8", einsum: str = "ik,jk->ij") -> Program:
    return contraction(parse_einsum(einsum), dtype, "f32", target=target, widths=(16, 16, 4))


def built(source: str, program: Program, target: str) -> MachineCode:
    return decode_kernel(read_kernels(compile_source(source, target).payload)[program.name])


@pytest.mark.parametrize(("target", "dtype"), each(CELLS, ("gfx942", "f8"), ("gfx950", "bf8")))
@pytest.mark.parametrize("einsum", ["ik,jk->ij", "ik,kj->ij"])
def test_products_are_proved_and_moved_in_whole_vectors(target: str, dtype: str, einsum: str) -> None:
    program = product(target, dtype, einsum)
    verified = verify(program)
    assert verified.failures == ()
    code = compile_source(emit(verified, target), target, flags=("-Werror",))
    assert code.kernels[program.name].spills == 0
    if einsum == "ik,jk->ij":
        names = {one.name.lower() for one in decode_kernel(read_kernels(code.payload)[program.name]).instructions}
        assert all(any(name.startswith(wanted) for name in names) for wanted in WIDE[target])
        assert not any(name.endswith(("_u8", "_b8", "_byte", "_ubyte", "_d16")) for name in names)


@pytest.mark.parametrize(("target", "dtype"), each(CELLS, ("gfx942", "f8"), ("gfx950", "bf8"), ("gfx1201", "f8")))
def test_each_code_is_the_number_of_the_targets_format(target: str, dtype: str) -> None:
    """Row r of A has code r alone, at k = r; B has 1 there: each code's number is read off the result."""
    form, kind = formats_of(target), DTYPES[dtype]
    every = np.arange(256, dtype=np.uint8)
    one = np.flatnonzero(numbers(every, kind, form) == 1)[0]
    a, b = np.diag(every), np.full((16, 256), one, np.uint8)
    task = contraction_task("ik,jk->ij", a.shape, b.shape, dtype, target=target)
    code = built(emit_unverified(task.program), task.program, target)
    at = {size: task.sizes[size.value.name] for size in task.program.sizes}
    grid = tuple(value(n, at) for n in task.program.launch)
    given = [a, b, np.zeros((256, 16), np.float32), *at.values()]
    found = execute(code, grid, task.program.block, given).outputs[2]
    wanted = np.broadcast_to(numbers(every, kind, form)[:, None], found.shape)
    finite = np.isfinite(wanted)
    assert np.array_equal(found[finite], wanted[finite])
    assert not np.isfinite(found[~finite]).any()


def test_convolutions_are_proved_too() -> None:
    windows = Windows((3, 3), (1, 1), (1, 1), (1, 1))
    assert verify(convolution(windows, "f8", "f32", target="gfx942", widths=(16, 4))).proved


@pytest.mark.parametrize(("target", "dtype"), turns(CELLS))
def test_machine_code_is_proved(target: str, dtype: str) -> None:
    program = product(target, dtype)
    found = prove_binary(built(emit_unverified(program), program, target), program, seconds=300)
    assert found.proved, found.failures[:2]


# --- wrong ones -------------------------------------------------------------------------------------------------------


def changed(program: Program, change: Callable[[Statement], Statement | None]) -> Program:
    """The program with each statement changed, those in loops too; None leaves it out."""

    def every(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
        inner = (replace(s, body=every(s.body)) if isinstance(s, Loop) else change(s) for s in body)
        return tuple(s for s in inner if s)

    return replace(program, body=every(program.body))


def of_products(how: Callable[[Multiply], Statement | None]) -> Callable[[Statement], Statement | None]:
    return lambda s: how(s) if isinstance(s, Multiply) else s


def moved(s: Statement) -> Statement:
    """B's fragments from the other half of the step's k."""
    if not isinstance(s, LoadShared) or s.shared.name != "b_lds":
        return s
    g, n, k = s.origin
    last: Expr = as_expr(32) - k
    return replace(s, origin=(g, n, last))


WRONG = {
    "operands swapped": of_products(lambda s: replace(s, a=s.b, b=s.a)),
    "other format": of_products(lambda s: replace(s, instruction=matrix_instruction("mfma_f32_32x32x16_bf8_bf8"))),
    "other format of b": of_products(lambda s: replace(s, instruction=matrix_instruction("mfma_f32_32x32x16_fp8_bf8"))),
    "k of b turned": moved,
    "no barrier": lambda s: None if isinstance(s, Barrier) else s,
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_programs_are_not_proved(what: str) -> None:
    program = changed(product("gfx942"), WRONG[what])
    assert program != product("gfx942")
    assert not verify(program).proved


SWAPPED = ("(&a_held[m][k][0], &b_held[n][k][0], ", "(&b_held[n][k][0], &a_held[m][k][0], ")
SWAPPED_950 = tuple(text.replace("[0], ", "[0][0], ") for text in SWAPPED)
SPOILT = {
    ("gfx942", "swapped"): SWAPPED,
    ("gfx942", "format of both"): ("amdgcn_mfma_f32_32x32x16_fp8_fp8", "amdgcn_mfma_f32_32x32x16_bf8_bf8"),
    ("gfx942", "format of one"): ("amdgcn_mfma_f32_32x32x16_fp8_fp8", "amdgcn_mfma_f32_32x32x16_fp8_bf8"),
    ("gfx942", "k of b"): ("&b_held[n][k][0]", "&b_held[n][k ^ 1][0]"),
    ("gfx942", "bytes of b"): ("y[i] = b[i]", "y[i] = b[i ^ 1]"),
    ("gfx942", "bytes in lds"): ("v[y2] = a_loaded[y0][y1][y2]", "v[y2] = a_loaded[y0][y1][y2 ^ 8]"),
    ("gfx942", "no barrier"): ("        __syncthreads();\n        // a_loaded", "        // a_loaded"),
    ("gfx942", "no last barrier"): ("__syncthreads();\n        // a_loaded -> a_lds", "// a_loaded -> a_lds"),
    ("gfx950", "swapped"): SWAPPED_950,
    ("gfx950", "formats"): ("z, 0, 0, 0, 0, 0, 0)", "z, 1, 1, 0, 0, 0, 0)"),
    ("gfx950", "format of one"): ("z, 0, 0, 0, 0, 0, 0)", "z, 0, 1, 0, 0, 0, 0)"),
    ("gfx950", "a scale"): ("z, 0, 0, 0, 0, 0, 0)", "z, 0, 0, 0, 0x80808080, 0, 0x7f7f7f7f)"),
    ("gfx950", "half of k"): ("y[i] = b[i]", "y[i] = b[i ^ 16]"),
    ("gfx1201", "slot"): ("(kt + 1) & 1", "kt & 1"),
    ("gfx1201", "other format"): ("16x16x16_fp8_fp8_w32_gfx12(__b", "16x16x16_bf8_bf8_w32_gfx12(__b"),
}  # fmt: skip


@pytest.mark.parametrize(("target", "what"), turns(SPOILT))
def test_wrong_machine_code_is_not_proved(target: str, what: str) -> None:
    program, (right, wrong) = product(target), SPOILT[target, what]
    source = emit_unverified(program)
    assert right in source
    assert not prove_binary(built(source.replace(right, wrong), program, target), program, seconds=60).proved


#: What is stored of B where it lies along n: bytes of several rows of k, which lanes put together.
ALONG_N = {
    "right": "[y1][y2]", "k turned": "[y1 ^ 1][y2]", "column": "[y1][y2 ^ 1]", "half": "[y1 ^ 4][y2]",
    "twice": "[y1 | 1][y2]",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("what", ["right", *turns(list(ALONG_N)[1:])])
def test_machine_code_of_b_along_n_is_proved_and_with_a_mistake_it_is_not(what: str) -> None:
    program = product("gfx942", "f8", "ik,kj->ij")
    source, stored = emit_unverified(program), "v[y1] = b_loaded[y0]"
    assert stored + ALONG_N["right"] in source
    source = source.replace(stored + ALONG_N["right"], stored + ALONG_N[what])
    assert prove_binary(built(source, program, "gfx942"), program, seconds=100).proved is (what == "right")


def test_elements_that_no_statement_converts_are_refused() -> None:
    program = product("gfx942")
    with pytest.raises(LayoutError, match="no statement converts between them"):
        verify(changed(program, as_f32))
    one_by_one = changed(program, of_products(lambda s: replace(s, instruction=FMA)))
    with pytest.raises(LayoutError, match="a_held is f8, which Multiply does not compute with"):
        verify(one_by_one)
    with pytest.raises(LayoutError, match="gfx90a has no product of f8 here"):
        contraction(parse_einsum("ik,jk->ij"), "f8", target="gfx90a")
    rows = make_naive_tensor_descriptor((64, 64), (64, 1))
    with pytest.raises(LayoutError, match="no kernel for f8 elements"):
        Copy("copy", rows, rows, dtypes=("f8", "f32")).program()
    with pytest.raises(LayoutError, match="no kernel for f8 elements"):
        contraction(parse_einsum("ik,jk->ij"), "f8", "f8", target="gfx942")
    with pytest.raises(LayoutError, match="no target's format of it is given"):
        numbers(np.zeros(1, np.uint8), DTYPES["f8"])


def as_f32(s: Statement) -> Statement:
    f32 = DTYPES["f32"]
    if isinstance(s, Multiply):
        return replace(s, a=replace(s.a, dtype=f32), b=replace(s.b, dtype=f32))
    if isinstance(s, MemoryAccess) and s.registers.dtype.name == "f8":
        return replace(s, registers=replace(s.registers, dtype=f32))
    return s
