"""Products on matrix cores: proved, built without warnings or spills, with the wide instructions that layouts promise.

Where the numpy machine knows a target's instructions, the machine code itself is run and compared with numpy.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from layoutalg.device import compile_source, compile_to_assembly
from layoutalg.device.kernels import build, launch_sizes
from layoutalg.index import all_of
from layoutalg.index.evaluate import value
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.kernel.access.prices import priced
from layoutalg.kernel.emit import NotProvedError, emit
from layoutalg.kernel.emit.instructions import operation_source
from layoutalg.kernel.library.contraction import contraction
from layoutalg.kernel.library.convolution import convolution
from layoutalg.kernel.library.einsum import parse_einsum
from layoutalg.kernel.library.plans import tuned
from layoutalg.kernel.library.windows import Windows
from layoutalg.kernel.program import Program
from layoutalg.kernel.program.fragments import Outer, fragment_tile, one_of, runs
from layoutalg.kernel.verify import Verified, verify
from layoutalg.layout import LayoutError
from layoutalg.prove import prove
from layoutalg.prove.claims import Covers
from layoutalg.target.dtypes import DTYPES, KERNEL_DTYPES
from layoutalg.target.elements import numbers
from layoutalg.target.matrix import matrix_instruction, matrix_table
from tests.matrix import each

AMD = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250")
TARGETS = (*AMD, "sm_90")
Random = Callable[..., Any]


@cache
def product(einsum: str, dtype: str, target: str, width: int) -> Verified:
    program = contraction(parse_einsum(einsum), dtype, "f32", target=target, widths=(width, width, min(width, 4)))
    few = all_of(program.requires, *(n <= 65535 for n in program.extents[1:]))
    return verify(replace(program, linear=False, requires=few))


@pytest.mark.parametrize("dtype", each(KERNEL_DTYPES, "f16"))
@pytest.mark.parametrize("target", each(TARGETS, "gfx942"))
def test_products_are_proved_and_built_without_warnings_or_spills(target: str, dtype: str) -> None:
    for width in (1, 16 // DTYPES[dtype].bytes):
        verified = product("ik,kj->ij", dtype, target, width)
        assert verified.failures == ()
        code = compile_source(emit(verified, target), target, flags=("-Werror",))
        kernel = code.kernels[verified.program.name]
        assert kernel.spills in (0, None)
        assert kernel.lds_bytes + kernel.asked_lds_bytes == verified.program.lds_bytes


@pytest.mark.parametrize("target", each(AMD, "gfx950"))
def test_convolutions_do_not_spill(target: str) -> None:
    for dtype, widths in (("f16", (8, 8)), ("bf16", (1, 1)), ("f32", (1, 1))):
        program = convolution(Windows((3, 3), (1, 1), (1, 1), (1, 1)), dtype, target=target, widths=widths)
        assert build(verify(program), target).kernels[program.name].spills == 0


WIDE = {
    "gfx90a": ("global_load_dwordx4", "ds_read_b128", "ds_write_b128", "v_mfma_f32_32x32x8f16"),
    "gfx942": ("buffer_load_dwordx4", "ds_read_b128", "ds_write_b128", "v_mfma_f32_32x32x8_f16"),
    "gfx950": ("buffer_load_dwordx4", "ds_read_b128", "ds_write_b128", "v_mfma_f32_32x32x16_f16"),
    "gfx1100": ("global_load_b128", "ds_load_b128", "ds_store_b128", "v_wmma_f32_16x16x16_f16"),
    "gfx1201": ("global_load_b128", "ds_load_b128", "ds_store_b128", "v_wmma_f32_16x16x16_f16"),
    "gfx1250": ("global_load_b128", "ds_load_b128", "ds_store_b128", "v_wmma_f32_16x16x32_f16"),
    "sm_80": ("cp.async.cg.shared.global", "ldmatrix.sync.aligned.m8n8.x4.shared.b16", "mma.sync.aligned.m16n8k16"),
    "sm_90": ("cp.async.bulk.tensor.3d", "mbarrier.try_wait.parity", "wgmma.mma_async.sync.aligned.m64n128k16"),
}


@pytest.mark.parametrize("target", each([*TARGETS, "sm_80"], "gfx1100"))
def test_the_loop_has_the_wide_instructions_that_the_layout_promises(target: str) -> None:
    text = compile_to_assembly(emit(product("ik,jk->ij", "f16", target, 8), target), target)
    plan = tuned("contraction", target, "f16", (8, 8), walked=True)
    for name in WIDE[target]:
        # Pairs of reads that are apart by a constant are one instruction on AMD (ds_read2_b64, ds_read2st64_b64).
        pattern = re.escape(name).replace("ds_read_", "ds_read(2|2st64)?_").replace("ds_write_", "ds_write(2|2st64)?_")
        pattern = pattern.replace(r"\.nc", r"(\.nc)?").replace(r"\.b32", r"(\.v\d)?\.[bu]32")
        assert re.search(pattern, text), name
    matrix = len(re.findall("v_mfma_f32|v_wmma_f32|mma.sync|wgmma.mma_async", text))
    pairs = plan.instruction.n // one_of(plan.instruction).n  # of mma.sync are one operation of 16 columns
    apart = 2 if plan.boxes else 1  # a ring's first turn, which leaves no tile, is written apart
    assert matrix == apart * plan.repeats[0] * plan.repeats[1] * pairs * plan.k // plan.instruction.k


@pytest.mark.parametrize("einsum", ["ik,jk->ij", "ik,kj->ij"])
@pytest.mark.parametrize("dtype", each(KERNEL_DTYPES, "f16"))
@pytest.mark.parametrize("target", each(AMD, "gfx90a"))
def test_lds_is_free_of_conflicts(target: str, dtype: str, einsum: str) -> None:
    program = contraction(parse_einsum(einsum), dtype, target=target, widths=(16 // DTYPES[dtype].bytes,) * 3)
    assert {str(p): p.cycles for p in priced(program, target) if p.cycles != 1} == {}


RUN = [(t, d) for t in AMD for d in KERNEL_DTYPES if d != "f32" or t in AMD[:3]]


@pytest.mark.parametrize("width", [1, pytest.param(8, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("target", "dtype"), each([r for r in RUN if r != ("gfx90a", "bf16")], ("gfx1250", "f16")))
def test_the_machine_code_multiplies(target: str, dtype: str, width: int, random: Random) -> None:
    m, n, k = (136, 72, 40) if width > 1 else (130, 70, 37)
    verified = product("ik,kj->ij", dtype, target, min(width, 16 // DTYPES[dtype].bytes))
    found = executed(verified, target, (m, n, k), random(dtype, m, k), random(dtype, k, n))
    a, b = (numbers(random(dtype, *s), DTYPES[dtype]).astype(np.float64) for s in ((m, k), (k, n)))
    wanted = a @ b
    assert np.abs(found - wanted).max() <= 1e-5 * np.abs(wanted).max()


def executed(verified: Verified, target: str, sizes: tuple[int, int, int], a: Any, b: Any) -> Any:
    program = verified.program
    m, n, k = sizes
    at = launch_sizes(program, {"N_i": m, "N_j": n, "N_k": k})
    binary = read_kernels(build(verified, target).payload)[program.name]
    # Compilers read arguments in whole units of 16 bytes, and the segment is allocated so.
    binary = replace(binary, kernarg_bytes=-(-binary.kernarg_bytes // 64) * 64)
    out = np.zeros((m, n), np.float32)
    grid = [value(count, at) for count in program.launch]
    arguments = [a, b, out, *(at[s] for s in program.sizes)]
    return execute(decode_kernel(binary), grid, program.block, arguments).outputs[2]


def test_every_operand_map_is_a_distribution() -> None:
    """Each of the targets' maps is taken apart into runs of bits, and put together as the same map."""
    for name, i in matrix_table().items():
        for operand in (i.a, i.b, i.d):
            tile = fragment_tile(operand, "c", Outer(1), Outer(1))
            lane, element = operand.lane, operand.element
            index = 0, *([] if int(tile.ps[0]) == 1 else [0])
            found = tile.lower((0, lane), (0, 0, *digits_of(element, tile.ys[2:])))
            from layoutalg.index.evaluate import grids

            rows, columns = grids(found[1:], [lane, element])
            assert np.array_equal(rows, operand.places[0]), name
            assert np.array_equal(columns, operand.places[1]), name
            assert index
            assert prove(Covers(tile, operand.copies)).name == "proved"
            assert sum(r.bits for r in runs(operand) if r.owner == "element") == int(element.hi).bit_length()


def digits_of(number: Any, lengths: Any) -> Any:
    from layoutalg.index.radix import digits

    return digits(number, lengths)


def test_a_program_is_not_emitted_for_a_target_without_its_instruction() -> None:
    program: Program = contraction(parse_einsum("ik,kj->ij"), "f16", target="gfx950")
    with pytest.raises(NotProvedError, match="gfx942, which has no mfma_f32_32x32x16_f16"):
        emit(verify(program), "gfx942")
    with pytest.raises(LayoutError, match="multiplies f16, not bf16"):
        operation_source(matrix_instruction("mfma_f32_32x32x8f16"), "bf16")
