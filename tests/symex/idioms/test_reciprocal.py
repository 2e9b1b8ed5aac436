"""Unsigned division by reciprocal: what is assumed of its estimate, tried; and a kernel whose proof rests on it."""

import functools
import re

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.index import TRUE, ZERO, all_of, simplify, symbol
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.emit.kernel import conditions
from layoutalg.kernel.library.permute import permute_task
from layoutalg.kernel.library.views import cast
from layoutalg.refine.refinement import prove_binary
from layoutalg.refine.trial import attempt, make_case, small_sizes
from layoutalg.symex.idioms.reciprocal import ASSUMPTION
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.trace import STANDING
from tests.isa.assembly import assembled, mutant
from tests.matrix import each, some

PERMUTATION = functools.cache(lambda: permute_task((8, 64, 56), (0, 2, 1), "f16").program)


@pytest.mark.parametrize("above", [False, True])
def test_the_estimated_quotient_is_at_most_two_too_small(above):
    """With either of the two f32 around the reciprocal: the machine's is within a unit in the last place."""
    rng = np.random.default_rng(above)
    bits = rng.integers(1, 33, (2, 400_000))
    n, d = (np.maximum(rng.integers(0, 1 << 32, b.shape, np.uint64) >> (32 - b).astype(np.uint64), 1) for b in bits)
    divisor = d.astype(np.uint32).astype(np.float32)
    nearest = np.float32(1) / divisor
    exact = 1 / divisor.astype(np.float64)
    beyond = nearest < exact if above else nearest > exact
    reciprocal = np.where(beyond, np.nextafter(nearest, np.float32(2 if above else 0)), nearest)
    product = np.uint32(0x4F7FFFFE).view(np.float32) * reciprocal
    z = np.minimum(product.astype(np.uint64), np.uint64(0xFFFFFFFF))
    mask, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    z = z + (z * ((np.uint64(0) - d * z) & mask) >> half)
    error = (n // d).astype(np.int64) - (n * z >> half).astype(np.int64)
    assert error.min() >= 0
    assert error.max() <= 2


@functools.cache
def compiled():
    program = PERMUTATION()
    return decode_kernel(read_kernels(compile_source(emit_unverified(program), "gfx942").payload)[program.name])


def test_a_kernel_that_divides_is_proved_and_says_what_it_assumes():
    verdict = prove_binary(compiled(), PERMUTATION())
    assert verdict.proved, verdict.failures[:1]
    assert verdict.assumptions == (conditions(PERMUTATION()), *STANDING, ASSUMPTION)


@pytest.mark.usefixtures("unrun")
@pytest.mark.parametrize("number", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_a_correction_by_another_number_is_not_proved(number):
    """Two divisions with two corrections each: the second does something only where the estimate is two too small."""
    corrections = [i for i in compiled().instructions if i.name == "S_ADD_I32" and str(i.operands["b"]) == "1"]
    changed = mutant(compiled(), corrections[number], (8, 15, 128 + 5))
    assert prove_binary(changed, PERMUTATION(), seconds=2).name != "proved"


#: The last step before the corrections: an estimate's upper half, as some compilers have it where z is made elsewhere.
ESTIMATE = re.compile(r"(\ts_add_i32 (s\d+), \2, s\d+\n)\ts_mul_hi_u32 (s\d+), (s\d+), \2\n")
BY_MAD = r"\1\tv_mov_b32 v4, \4\n\tv_mad_u64_u32 v[4:5], vcc, v4, \2, {}\n\ts_nop 0\n\tv_readfirstlane_b32 \3, v5\n"


@pytest.mark.parametrize("addend", some([0, 1, -1], 1))
def test_an_estimate_that_is_half_of_a_product_and_a_sum_is_proved_where_nothing_is_added(addend):
    """With 1 added the upper half of n·z is another number only where the lower one is all ones."""
    binary = assembled(PERMUTATION(), "gfx942", lambda text: ESTIMATE.sub(BY_MAD.format(addend), text))
    assert sum(i.name == "V_MAD_U64_U32" and str(i.operands["c"]) == str(addend) for i in binary.instructions) == 2
    assert prove_binary(binary, PERMUTATION(), seconds=60 if addend == 0 else 2).proved == (addend == 0)


def upper_half(w, a, b):
    return w.mul_high(a, b)


def upper_half_of_sum(addend, w, a, b):
    """As V_MAD_U64_U32 has it."""
    return w.high(w.zext(a) * w.zext(b) + w.const(addend, 64))


def estimated(w, number, divisor, multiplied=upper_half):
    """The steps before the corrections; the last is `multiplied`."""
    reciprocal = w.function("rcp_f32", w.function("f32_of_u32", divisor))
    z = w.function("u32_of_f32", w.function("mul_f32", w.const(0x4F7FFFFE, 32), reciprocal))
    return multiplied(w, number, z + w.mul_high(z, (w.const(0, 32) - divisor) * z))


def quotient(n, d, first, second, multiplied=upper_half):
    """A division with so much added by each correction, and its remainder."""
    w = IndexValues(lambda goal, given: False)
    number, divisor = w.word(n), w.word(d)
    q = estimated(w, number, divisor, multiplied)
    r = number - q * divisor
    for step in (first, second):
        above, times = ~w.ult(r, divisor), w.const(step, 32)
        q, r = w.ite(above, q + times, q), w.ite(above, r - divisor * times, r)
    return w.unsigned(q), w.unsigned(r)


def test_a_quotient_is_seen_by_its_right_corrections_alone():
    n, d = symbol("n", min=0, max=2**32 - 1), symbol("d", min=1, max=2**32 - 1)
    assert quotient(n, d, 1, 1) == (simplify(n // d), simplify(n % d))
    for steps in ((1, 0), (1, 2), (2, 1), (0, 1)):
        assert simplify(n // d) not in quotient(n, d, *steps)
        assert simplify(n % d) not in quotient(n, d, *steps)


@pytest.mark.parametrize("addend", [0, 1, -1, 1 << 32])
def test_a_quotient_is_the_upper_half_of_the_product_alone(addend):
    n, d = symbol("n", min=0, max=2**31 - 1), symbol("d", min=1, max=2**31 - 1)
    found = quotient(n, d, 1, 1, functools.partial(upper_half_of_sum, addend))
    assert (found == (simplify(n // d), simplify(n % d))) == (addend == 0)


def test_what_an_estimate_is_below_is_said_only_where_it_was_seen():
    """Of a number that is not negative; elsewhere the machine divides another one."""
    x, y = symbol("x", min=-(2**31), max=2**31 - 1), symbol("y")
    w = IndexValues(lambda goal, given: False)
    w.ranges.assume(x >= 0)
    found = estimated(w, w.word(x), w.const(8, 32))
    for condition, seen in ((x >= 0, True), (all_of(x >= 0, y < 5), True), (y < 5, False), (TRUE, False)):
        w.ranges.assume(condition)
        assert (w.unsigned(found) is simplify(found.expr)) == seen


def test_equal_quotients_of_other_numbers_have_other_errors():
    """5 div 5 and 7 div 5 are both 1; the machine's estimates are 0 and 1."""
    w = IndexValues(lambda goal, given: False)
    one, other = (estimated(w, w.const(n, 32), w.const(5, 32)) for n in (5, 7))
    again = estimated(w, w.const(7, 32), w.const(5, 32))
    assert simplify(other.expr - again.expr) is ZERO
    assert simplify(one.expr - other.expr) is not ZERO


#: v1 = the estimate of v1 div 5.
ESTIMATED_BY_5 = """
	v_mov_b32 v4, 5
	v_cvt_f32_u32 v5, v4
	v_rcp_iflag_f32 v5, v5
	v_mul_f32 v5, 0x4f7ffffe, v5
	v_cvt_u32_f32 v5, v5
	v_mul_lo_u32 v6, v5, -5
	v_mul_hi_u32 v6, v5, v6
	v_add_u32 v5, v5, v6
	v_mul_hi_u32 v1, v1, v5
"""


@pytest.mark.usefixtures("unrun")
@pytest.mark.parametrize("other", each([5, 7], 7))
def test_threads_moved_by_the_difference_of_two_estimates_are_not_proved(other):
    """Of 5 div 5 and of another number: only of the same one the difference is 0, and the thread its own."""
    program = cast("f32", "bf16", 4)
    first, second = (f"\tv_mov_b32 v1, {n}{ESTIMATED_BY_5}" for n in (5, other))
    moved = f"{first}\tv_mov_b32 v2, v1\n{second}\tv_sub_u32 v1, v1, v2\n\tv_add_u32 v0, v0, v1\n"
    binary = assembled(program, "gfx942", lambda text: text.replace("; %bb.0:\n", "; %bb.0:\n" + moved, 1))
    assert attempt(binary, program, make_case(program, small_sizes(program))).exact == (other == 5)
    assert prove_binary(binary, program).proved == (other == 5)


@pytest.mark.parametrize("bits", [32, 33])
def test_a_divisor_that_may_be_cut_to_32_bits_gives_no_quotient(bits):
    """The machine divides by what is left of it."""
    w = IndexValues(lambda goal, given: False)
    estimated(w, w.word(symbol("n", min=0, max=2**31)), w.word(symbol("d", min=1, max=2**bits - 1)))
    assert bool(w.assumptions) == (bits == 32)
