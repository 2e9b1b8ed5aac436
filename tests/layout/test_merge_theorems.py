"""Theorems of the transforms for all sizes: merge's variants agree, and moving an index equals computing it anew."""

import pytest

from layoutalg.index import TRUE, Expr, all_of, eq, mod, symbol, var
from layoutalg.layout import (
    CyclicShift,
    CyclicShiftInverse,
    Embed,
    Freeze,
    LeftPad,
    Merge,
    MergeCarryCheck,
    MergeDivisionMod,
    MergeMagicDivision,
    MergeNoCarry,
    MergeScannedMagicDivision,
    Modulo,
    Offset,
    Pad,
    PassThrough,
    RightPad,
    Slice,
    Transform,
    Unmerge,
    Vectorize,
    Xor,
    XorNoModulo,
    increment_of,
    make_naive_tensor_descriptor,
    transform_tensor_descriptor,
)
from layoutalg.layout.merge import Unmerge24Bit, carry_step, magic_divide, magic_number, magic_number_holds
from layoutalg.layout.nonlinear import ModuloAddedTwice
from layoutalg.prove import ForAll, Limits, Proved, Refuted, Verdict, prove
from tests.matrix import some

A, B, C, D, E, F = (symbol(name, min=1) for name in "ABCDEF")
ZERO_UP = symbol("Z", min=0)


def decided(goal: Expr, given: Expr = TRUE, seconds: float = 20) -> Verdict:
    """The verdict on: for all values, given implies goal."""
    return prove(ForAll("it", goal, given), limits=Limits(seconds=seconds))


def same(one: tuple[Expr, ...], other: tuple[Expr, ...]) -> Expr:
    return all_of(*(eq(a, b) for a, b in zip(one, other, strict=True)))


@pytest.mark.parametrize("rank", range(1, 7))
@pytest.mark.parametrize("kind", [MergeCarryCheck, MergeDivisionMod, MergeNoCarry])
def test_merge_variants_agree_for_all_lengths(kind: type[Transform], rank: int) -> None:
    lengths = (A, B, C, D, E, F)[:rank]
    u = var("u", Merge(lengths).upper_lengths[0])
    assert isinstance(decided(same(kind(lengths).lower((u,)), Merge(lengths).lower((u,)))), Proved)


@pytest.mark.parametrize("lengths", [(4, 5), (7, 9, 11), (3, 641, 7, 2, 5), (1000, 1000, 1000)])
def test_magic_division_agrees_for_all_indices(lengths: tuple[int, ...]) -> None:
    u = var("u", Merge(lengths).upper_lengths[0])
    for kind in (MergeMagicDivision, MergeScannedMagicDivision):
        assert isinstance(decided(same(kind(lengths).lower((u,)), Merge(lengths).lower((u,)))), Proved)


@pytest.mark.parametrize("divisor", [1, 2, 3, 7, 641, 65537, 2**30 + 1, 2**31 - 1])
def test_magic_numbers_divide_every_int32(divisor: int) -> None:
    n = var("n", 2**31)
    assert isinstance(decided(eq(magic_divide(n, magic_number(divisor)), n // divisor)), Proved)
    assert isinstance(decided(magic_number_holds(n, divisor)), Proved)


def test_magic_division_is_division_for_all_divisors() -> None:
    n, d = var("n", 2**31), symbol("D", min=1, max=2**31 - 1)
    assert isinstance(decided(magic_number_holds(n, d)), Proved)


def test_magic_numbers_do_not_divide_every_uint32() -> None:
    n = var("n", 2**32)
    verdict = decided(magic_number_holds(n, 7))
    assert isinstance(verdict, Refuted)


LINEAR_AND_RECOMPUTED: list[Transform] = [
    PassThrough(A), Pad(A, B, C), LeftPad(A, B), RightPad(A, B), Embed((A, B), (C, D)), Merge((A, B, C)),
    MergeCarryCheck((A, B)), MergeDivisionMod((A, B, C)), MergeMagicDivision((3, 4, 5)), Unmerge((A, B, C)),
    Slice(A, ZERO_UP, B), Modulo(A, B), Xor((A, B)), XorNoModulo((A, B)), CyclicShift((A, B)),
    CyclicShiftInverse((A, B)), Offset(A, B), Vectorize(A, B), Freeze(ZERO_UP),
]  # fmt: skip


@pytest.mark.parametrize("transform", some(LINEAR_AND_RECOMPUTED, 6), ids=repr)
def test_moving_equals_computing_for_all_sizes(transform: Transform) -> None:
    assert isinstance(decided(increment_of(transform).holds), Proved)


def test_one_digit_carries_right_for_all_lengths() -> None:
    digit, step, carry = var("digit", A), var("step", A * 2 - 1) - A + 1, var("carry", 3) - 1
    moved, out = carry_step(digit, step, A, carry)
    total = digit + step + carry
    assert isinstance(decided(all_of(eq(digit + moved, mod(total, A)), eq(out, total // A))), Proved)


@pytest.mark.parametrize("lengths", [(3, 4, 5), (2, 3, 2, 3), (1, 7, 1), (2, 2, 3, 2, 2)])
def test_carry_check_of_several_digits(lengths: tuple[int, ...]) -> None:
    assert isinstance(decided(increment_of(MergeCarryCheck(lengths)).holds), Proved)


def test_a_descriptor_moves_as_it_computes() -> None:
    d = make_naive_tensor_descriptor((A, B * 8), (B * 8 + C, 1))
    d = transform_tensor_descriptor(d, [PassThrough(A), Unmerge((B, 8))], [[0], [1]], [[1], [0, 2]])
    d = transform_tensor_descriptor(d, [Merge((A, 8)), PassThrough(B)], [[1, 2], [0]], [[0], [1]])
    assert isinstance(decided(increment_of(d).holds), Proved)


@pytest.mark.parametrize("transform", [ModuloAddedTwice(4, 10), Unmerge24Bit((3, 5))], ids=repr)
def test_faulty_increments_are_refuted(transform: Transform) -> None:
    assert isinstance(decided(increment_of(transform).holds), Refuted)


def test_a_merge_without_carries_moves_right_below_its_last_length_for_all_lengths() -> None:
    step = increment_of(MergeNoCarry((A, B, C)))
    below = all_of(step.start[0] < C, step.end[0] < C)
    assert isinstance(decided(step.holds, below), Proved)
    assert isinstance(decided(step.holds, all_of(step.start[0] < C, step.end[0] <= C)), Refuted)


def test_24_bit_unmerge_is_right_upwards() -> None:
    step = increment_of(Unmerge24Bit((300, 500)))
    upwards = all_of(*(a <= b for a, b in zip(step.start, step.end, strict=True)))
    assert isinstance(decided(step.holds, upwards), Proved)


def test_the_power_of_a_magic_number_is_the_least_for_all_divisors() -> None:
    d = symbol("D", min=1, max=2**31 - 1)
    power = magic_number(d).power
    assert isinstance(decided(all_of(d <= power, power < d * 2)), Proved)
