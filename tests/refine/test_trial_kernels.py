"""Every kernel of `kernels/`, compiled for every AMD target and run from its binary: the result to the bit.

What must come out is the program's own meaning, computed by numpy (`trial`); inputs of products are small integers, so
that sums are exact in every order.  LDS cycles are compared with what the program's layouts claim.
"""

import functools

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.kernel import library
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.program import AsyncCopy
from layoutalg.memory.banks import LANES_OFF, TWO_ADDRESSES
from layoutalg.refine.cycles import compare
from layoutalg.refine.trial import attempt, make_case, small_sizes
from layoutalg.target.known import formats_of
from tests.matrix import each, some

TARGETS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250")
KERNELS = library.folders()

#: Sizes with no ragged edges: of the kernels whose edges leave waves without anything to do.
WHOLE = {
    "transpose_lds": (64, 128),
    "batched_transpose": (2, 64, 64),
    "permute": (2, 64, 2, 64),
    "reduce_sum": (64, 64),
    "reduce_max": (64, 64),
    "attention_f16": (1, 128, 64),
}


def program_of(folder, target):
    made = library.folder(folder)
    if not made.keys() & {target, ""}:
        pytest.skip(f"{folder} is not for {target}")
    return made.get(target) or made[""]


@functools.cache
def binary_of(folder, target, opt_level=3):
    program = program_of(folder, target)
    code = compile_source(emit_unverified(program), target, opt_level=opt_level)
    return decode_kernel(read_kernels(code.payload)[program.name])


def tried(folder, target, sizes=None, seed=0, opt_level=3):
    program = program_of(folder, target)
    at = small_sizes(program, seed, most=20) if sizes is None else dict(zip(program.sizes, sizes, strict=True))
    return program, attempt(
        binary_of(folder, target, opt_level), program, make_case(program, at, seed, formats_of(target))
    )


@pytest.mark.parametrize("target", each(TARGETS, "gfx942"))
@pytest.mark.parametrize("folder", some(KERNELS, 4))
def test_every_kernel_executes_right(folder, target):
    _, trial = tried(folder, target)
    assert trial.exact


PRICED = (
    "transpose_lds", "batched_transpose", "permute", "reduce_sum", "reduce_max", "contraction_f32",
    "contraction_bilinear_f32", "contraction_bf16", "contraction_f8", "gemm_f16", "conv_f16", "attention_f16",
)  # fmt: skip


@pytest.mark.parametrize("folder", KERNELS)
def test_accesses_of_lds_are_priced_but_those_of_a_copy(folder):
    program = program_of(folder, "gfx942")
    assert (folder in PRICED) == bool(program.lds_bytes and not any(program.of(AsyncCopy)))


@pytest.mark.parametrize("target", each(TARGETS, "gfx1201"))
@pytest.mark.parametrize("folder", some(PRICED, 2))
def test_lds_cycles_are_those_that_the_layout_claims(folder, target):
    """Equal where the binary makes the accesses of the program, merged or not; a reduction's idle waves make none."""
    program, trial = tried(folder, target, WHOLE.get(folder), seed=2)
    found = compare(trial.execution.lds, program, target, trial.case.sizes)
    assert found.priced
    assert found.report["each_as_claimed"]
    if folder.startswith("reduce"):
        assert found.fewer
        assert "leave them out; each costs at most what is claimed" in str(found)
    else:
        assert found.alike
        assert found.equal
    merged = any("2" in one.where.split()[1].split("_")[1] or "2addr" in one.where for one in found.by_instruction)
    assert (TWO_ADDRESSES in found.doubts) == merged


@pytest.mark.parametrize("target", each(TARGETS, "gfx90a"))
def test_ragged_edges_cost_no_more_and_are_in_doubt(target):
    """Lanes at the edge are switched off, and waves without anything to do leave accesses out."""
    program, trial = tried("permute", target, (2, 9, 1, 37))
    found = compare(trial.execution.lds, program, target, trial.case.sizes)
    assert found.cycles <= found.claimed[0]
    assert found.equal or found.fewer
    assert LANES_OFF in found.doubts
    assert LANES_OFF in str(found)


def test_a_wrong_swizzle_costs_more_than_is_claimed():
    """The claim of the swizzled tile beside the run of a tile that is not swizzled."""
    from layoutalg.kernel.library.transpose import lds_transpose

    swizzled, plain = lds_transpose(vector=4), lds_transpose(vector=4, swizzle="pad")
    code = compile_source(emit_unverified(plain), "gfx942")
    case = make_case(plain, dict(zip(plain.sizes, (64, 128), strict=True)))
    trial = attempt(decode_kernel(read_kernels(code.payload)[plain.name]), plain, case)
    found = compare(trial.execution.lds, swizzled, "gfx942", case.sizes)
    assert trial.exact
    assert found.alike
    assert not found.equal
    assert not found.report["each_as_claimed"]
    assert found.cycles > found.claimed[1]


@pytest.mark.parametrize("target", each(TARGETS, "gfx90a"))
def test_a_product_of_real_numbers_is_within_its_error(target):
    """f16 products are exact in f32; sums of k of them are off by less than k·2⁻²⁴ of Σ|a|·|b|, then rounded to f16."""
    program = program_of("gemm_f16", target)
    case = make_case(program, dict(zip(program.sizes, (33, 40, 24), strict=True)))
    rng = np.random.default_rng(5)
    m, k, n = 33, 40, 24
    a, b, bias = rng.standard_normal((m, k)), rng.standard_normal((k, n)), rng.standard_normal(n)
    a, b, bias = a.astype(np.float16), b.astype(np.float16), bias.astype(np.float32)
    object.__setattr__(case, "inputs", (a.ravel(), b.ravel(), bias))
    got = attempt(binary_of("gemm_f16", target), program, case).execution.outputs[-1].reshape(m, n)
    exact = np.maximum(a.astype(np.float64) @ b.astype(np.float64) + bias, 0)
    spread = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64)) + np.abs(bias)
    assert (np.abs(got - exact) <= (k + 1) * 2.0**-24 * spread + 2.0**-11 * np.abs(exact) + 2.0**-24).all()


@pytest.mark.parametrize("target", each(["gfx942", "gfx1201"], "gfx942"))
@pytest.mark.parametrize("folder", [
    "reduce_sum", *(pytest.param(dear, marks=pytest.mark.slow) for dear in ("transpose_lds", "gemm_f16")),
])  # fmt: skip
def test_no_order_of_the_waves_changes_the_result(folder, target):
    program = program_of(folder, target)
    case = make_case(program, small_sizes(program, 3, most=9), 3)
    usual = attempt(binary_of(folder, target), program, case)
    for order in range(3):
        trial = attempt(binary_of(folder, target), program, case, order=order)
        assert trial.exact
        assert trial.execution.steps > usual.execution.steps  # fewer waves went together
