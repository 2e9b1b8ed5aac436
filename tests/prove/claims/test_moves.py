"""The induction over digits: right where whole moves are right, and never proved where a variant is made wrong."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from layoutalg.index import Expr, Term, select, symbol
from layoutalg.layout import (
    Embed,
    LeftPad,
    Merge,
    MergeCarryCheck,
    MergeDivisionMod,
    MergeMagicDivision,
    Modulo,
    Offset,
    Pad,
    PassThrough,
    RightPad,
    Slice,
    TensorDescriptor,
    Transform,
    Vectorize,
    make_naive_tensor_descriptor_packed,
    transform_tensor_descriptor,
)
from layoutalg.layout import merge as merge_module
from layoutalg.layout.nonlinear import ModuloAddedTwice
from layoutalg.prove import Limits, Proved, Refuted, prove
from layoutalg.prove.claims import moves
from layoutalg.prove.claims.moves import Increments, MergeDigits

A, B, C, D, E, F = SIZES = tuple(symbol(name) for name in "ABCDEF")
SMALL = tuple(symbol(name, max=(1 << 31) - 1) for name in "ABCDEF")
BRIEF = Limits(seconds=1)
RIGHT = merge_module.carry_step


@pytest.mark.parametrize("rank", range(1, 7))
def test_carry_check_moves_right_at_every_rank(rank: int) -> None:
    verdict = prove(Increments(MergeCarryCheck(SIZES[:rank])))
    assert isinstance(verdict, Proved), verdict
    assert verdict.strategy.startswith("transform by transform")


@pytest.mark.parametrize("kind", [Merge, MergeCarryCheck, MergeDivisionMod])
def test_the_digits_are_merges_for_all_lengths(kind: type[Merge]) -> None:
    for rank in range(1, 7):
        assert isinstance(prove(MergeDigits(kind(SIZES[:rank]))), Proved)


@pytest.mark.parametrize("rank", [2, 6])
def test_magic_division_gives_the_digits_of_every_index(rank: int) -> None:
    assert isinstance(prove(MergeDigits(MergeMagicDivision(SMALL[:rank]))), Proved)


def test_lengths_may_be_numbers_and_sizes() -> None:
    assert isinstance(prove(Increments(MergeCarryCheck((A, 7, B + 3, 1)))), Proved)
    assert isinstance(prove(Increments(MergeCarryCheck((1000, 1000, 77)))), Proved)
    assert isinstance(prove(MergeDigits(MergeMagicDivision((SMALL[0], 7, 1000, SMALL[1])))), Proved)


def test_every_move_by_itself_says_the_same() -> None:
    """Without the induction: each start and each end."""
    for lengths in product((1, 2, 3), repeat=4):
        assert isinstance(prove(Increments(MergeCarryCheck(lengths)), strategy="enumeration"), Proved), lengths


def descriptor(lengths: tuple[Expr, ...], above: Transform) -> TensorDescriptor:
    """Three dimensions merged by carry check, and a transform over the result."""
    packed = make_naive_tensor_descriptor_packed(lengths)
    merged = transform_tensor_descriptor(packed, [MergeCarryCheck(lengths)], [[0, 1, 2]], [[0]])
    return transform_tensor_descriptor(merged, [above], [[0]], [[0]])


def test_a_chain_moves_right_where_each_transform_does() -> None:
    d = descriptor((A, B, C), MergeCarryCheck((A * B * C,)))
    assert isinstance(prove(Increments(d.adaptor)), Proved)
    for above in (RightPad(A * B * C, 3), PassThrough(A * B * C), Slice(A * B * C, 0, 1)):
        verdict = prove(Increments(descriptor((A, B, C), above).adaptor))
        assert isinstance(verdict, Proved), verdict
        assert verdict.strategy.startswith("transform by transform")


@pytest.mark.parametrize("kind", [Merge, MergeCarryCheck, MergeMagicDivision, MergeDivisionMod])
@pytest.mark.parametrize("sizes", [(8, 56, 56, 64, 3), (2, 4, 4, 3, 2), SMALL[:5]], ids=["resnet", "small", "symbols"])
def test_the_input_of_a_convolution_moves_right(kind: type[Merge], sizes: tuple[Expr, ...]) -> None:
    """CK's convolution as a GEMM: padding, sliding windows, GemmM and GemmK merged, GemmM padded to a tile."""
    n, h, w, c, y = sizes
    image = make_naive_tensor_descriptor_packed((n, h, w, c))
    sides = [PassThrough(n), Pad(h, 1, 1), Pad(w, 1, 1), PassThrough(c)]
    padded = transform_tensor_descriptor(image, sides, [[0], [1], [2], [3]], [[0], [1], [2], [3]])
    windows = [PassThrough(n), Embed((y, h), (2, 1)), Embed((y, w), (2, 1)), PassThrough(c)]
    slid = transform_tensor_descriptor(padded, windows, [[0], [1], [2], [3]], [[0], [1, 2], [3, 4], [5]])
    merged = [kind((n, h, w)), kind((y, y, c))]
    gemm = transform_tensor_descriptor(slid, merged, [[0, 2, 4], [1, 3, 5]], [[0], [1]])
    tile = [RightPad(n * h * w, 5), PassThrough(y * y * c)]
    tiled = transform_tensor_descriptor(gemm, tile, [[0], [1]], [[0], [1]])
    verdict = prove(Increments(tiled.adaptor))
    assert isinstance(verdict, Proved), verdict


ABOVE = [
    (Pad(12, 1, 2),), (LeftPad(12, 2),), (RightPad(12, 3),), (Slice(12, 3, 9),), (Offset(12, -3),), (Vectorize(6, 2),),
    (RightPad(12, 3), Pad(15, 2, 0)), (Slice(12, 4, 12), LeftPad(8, 2)), (MergeCarryCheck((12,)), RightPad(12, 2)),
    (Embed((3, 4), (4, 1)),), (Embed((3, 4), (4, -1)),), (Modulo(12, 20),), (ModuloAddedTwice(5, 12),),
]  # fmt: skip


@pytest.mark.parametrize("above", ABOVE, ids=str)
def test_what_is_shown_of_a_chain_is_so_for_every_move(above: tuple[Transform, ...]) -> None:
    """Carry check below shifts, slices and padding, with an index that leaves it at either end."""
    d = transform_tensor_descriptor(
        make_naive_tensor_descriptor_packed((3, 2, 2)), [MergeCarryCheck((3, 2, 2))], [[0, 1, 2]], [[0]]
    )
    for transform in above:
        d = transform_tensor_descriptor(d, [transform], [[0]], [list(range(len(transform.upper_lengths)))])
    shown, every = (prove(Increments(d.adaptor), strategy=how) for how in (None, "enumeration"))
    assert shown.name == every.name != "unknown"


def early(digit: Term, step: Term, length: Term, carry: Term) -> tuple[Expr, Expr]:
    """A digit that carries one too early."""
    moved, out = RIGHT(digit, step, length, carry)
    return moved, select(digit + step + carry >= length - 1, 1, out)


def lazy(digit: Term, step: Term, length: Term, carry: Term) -> tuple[Expr, Expr]:
    """A digit that forgets to borrow."""
    moved, out = RIGHT(digit, step, length, carry)
    return moved, select(out < 0, 0, out)


def deaf(digit: Term, step: Term, length: Term, carry: Term) -> tuple[Expr, Expr]:
    """A digit that drops the carry it is handed."""
    return RIGHT(digit, step, length, 0)


@pytest.mark.parametrize("faulty", [early, lazy, deaf], ids=lambda f: f.__name__)
def test_a_faulty_carry_is_not_proved(
    faulty: Callable[..., tuple[Expr, Expr]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moves, "carry_step", faulty)
    monkeypatch.setattr(merge_module, "carry_step", faulty)
    assert not isinstance(prove(Increments(MergeCarryCheck((A, B, C))), limits=BRIEF), Proved)
    assert isinstance(prove(Increments(MergeCarryCheck((2, 3, 4)))), Refuted)


def test_a_magic_number_that_is_one_less_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    right = merge_module.magic_number

    def wrong(divisor: Term) -> merge_module.MagicNumber:
        return right(divisor)._replace(multiplier=right(divisor).multiplier - 1)

    monkeypatch.setattr(moves, "magic_number", wrong)
    monkeypatch.setattr(merge_module, "magic_number", wrong)
    assert not isinstance(prove(MergeDigits(MergeMagicDivision(SMALL[:3])), limits=BRIEF), Proved)
    assert isinstance(prove(MergeDigits(MergeMagicDivision((5, 7)))), Refuted)


def test_magic_digits_are_claimed_below_two_to_the_31_only() -> None:
    claim = MergeDigits(MergeMagicDivision((4, (1 << 30) + 2)))
    assert claim.statement().endswith("below 2^31")
    (obligation,) = claim.obligations()
    assert isinstance(prove(obligation), Proved)
    assert isinstance(prove(type(obligation)("without the limit", obligation.goal)), Refuted)


@pytest.mark.parametrize("strategy", [None, "z3"])
@pytest.mark.parametrize("kind", [Merge, MergeCarryCheck, MergeDivisionMod])
def test_a_length_that_may_be_nothing_is_said_and_breaks_nothing(kind: type[Merge], strategy: str | None) -> None:
    merge = kind((4, symbol("M", min=0)))
    for claim in (Increments(merge), MergeDigits(merge)):
        verdict = prove(claim, strategy=strategy, limits=BRIEF)
        assert isinstance(verdict, Proved) or "division by M, which can be 0" in verdict.reason, verdict
