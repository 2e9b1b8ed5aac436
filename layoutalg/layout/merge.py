"""Merge and unmerge: one index as the digits of a mixed-radix number, and back.

Merge takes an upper index apart, unmerge puts it together.  CK has five computations for merge, which cost differently
and agree on every valid index; each is written here as CK computes it, so that the agreement is a theorem and not a
definition.  For lengths (L₀ … Lₙ₋₁), scanᵢ = ΠLⱼ (j > i):

| variant                            | digits of u                               | moving by a difference d            |
|------------------------------------|-------------------------------------------|-------------------------------------|
| `Merge`                            | mod and div from the last to the first    | recompute                           |
| `MergeCarryCheck` (v1)             | u / scanᵢ from the first to the last      | add the digits of d, carry, borrow  |
| `MergeMagicDivision` (v2)          | q = (mulhi(n, m) + n) >> s, last to first | recompute                           |
| `MergeScannedMagicDivision` (v2r2) | the same by scanᵢ, first to last          | recompute                           |
| `MergeDivisionMod` (v3)            | u / scanᵢ and u % scanᵢ, first to last    | recompute                           |
| `MergeNoCarry` (v4)                | as v3                                     | the last digit becomes u, no carry  |

Moving by v4 is right only between indices below the last length, where nothing carries.

The first digit is never reduced: it is what remains.  Outside 0 ≤ u < ΠLᵢ the variants differ, as CK's do (C division
rounds towards zero; magic division reads a negative number as uint32).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from layoutalg.errors import LayoutError
from layoutalg.index import ZERO, Expr, Term, all_of, as_expr, bitand, prod, select
from layoutalg.index.radix import digits, horner
from layoutalg.layout.c_arithmetic import BITS32, HALF32, mulhi_u32, signed32, truncated_div, truncated_mod, unsigned32
from layoutalg.layout.linear import Linear
from layoutalg.layout.transform import CkFunction, Index, Transform, listed
from layoutalg.records import dataclass


@dataclass(frozen=True, repr=False)
class Merge(Transform):
    """lower = the mixed-radix digits of upper, the last one fastest, the first one not reduced.

    >>> Merge((2, 3, 4)).lower([23])
    (1, 2, 3)
    """

    lengths: Index
    name: ClassVar[str] = "merge"
    digits_below: ClassVar[int | None] = None
    """The lower index is the digits of an upper one from 0 on and below this; None: of any."""
    ck: ClassVar[CkFunction] = CkFunction.of_both("make_merge_transform")

    @property
    def lower_lengths(self) -> tuple[Expr | None, ...]:
        return self.lengths

    @property
    def upper_lengths(self) -> Index:
        return (prod(self.lengths),)

    def lower(self, upper: Sequence[Term]) -> Index:
        return digits(upper[0], self.lengths)

    def upper(self, lower: Sequence[Term]) -> Index:
        return (horner(lower, self.lengths),)

    def words(self, low: Sequence[str], up: Sequence[str]) -> str:
        return f"{up[0]} counts {listed(low)} row by row, the last fastest." if low else f"{up[0]} has one index."


@dataclass(frozen=True, repr=False)
class MergeCarryCheck(Merge):
    """CK's `Merge_v1_carry_check`: moving adds the digits of the difference and carries or borrows once a digit.

    >>> MergeCarryCheck((2, 8)).lower([13])
    (1, 5)
    """

    name: ClassVar[str] = "merge_v1_carry_check"
    ck: ClassVar[CkFunction] = CkFunction(ck="make_merge_transform_v1_carry_check")

    def lower(self, upper: Sequence[Term]) -> Index:
        return quotients(as_expr(upper[0]), self.lengths)

    def update_lower_index(
        self, diff_upper: Sequence[Term], lower: Sequence[Term], upper: Sequence[Term]
    ) -> tuple[Index, Index]:
        if not self.lengths:
            return (), ()
        steps = quotients(as_expr(diff_upper[0]), self.lengths)
        carry, moved = ZERO, list[Expr]()
        for digit, step, length in list(zip(lower, steps, self.lengths, strict=True))[:0:-1]:
            difference, carry = carry_step(digit, step, length, carry)
            moved.append(difference)
        diff = (steps[0] + carry, *reversed(moved))
        return diff, tuple(d + digit for d, digit in zip(diff, lower, strict=True))


@dataclass(frozen=True, repr=False)
class MergeMagicDivision(Merge):
    """CK's and CK Tile's default merge: division by a multiplication; right for 0 ≤ u < 2³¹ and lengths below 2³¹.

    >>> MergeMagicDivision((2, 8)).lower([13])
    (1, 5)
    """

    name: ClassVar[str] = "merge_v2_magic_division"
    digits_below: ClassVar[int | None] = HALF32
    ck: ClassVar[CkFunction] = CkFunction.of_both("make_merge_transform_v2_magic_division")

    def check(self) -> None:
        for n, length in enumerate((*self.lengths[:1], *self.divisors)):
            if length.hi >= HALF32:
                what = "length" if n == 0 or self.divisors == self.lengths[1:] else "product of lengths"
                raise LayoutError(
                    f"{self.name}: {what} {n} is {length}, which may be 2^31 or more; magic numbers are for 1…2^31 − 1"
                )

    @property
    def divisors(self) -> Index:
        """What it divides by, in the lengths' order."""
        return self.lengths[1:]

    def lower(self, upper: Sequence[Term]) -> Index:
        rest, found = as_expr(upper[0]), list[Expr]()
        for length in reversed(self.divisors):
            quotient = magic_divide(rest, magic_number(length))
            found.append(rest - quotient * length)
            rest = quotient
        return (rest, *reversed(found)) if self.lengths else ()


@dataclass(frozen=True, repr=False)
class MergeScannedMagicDivision(MergeMagicDivision):
    """CK's `Merge_v2r2_magic_division`: divides by the scanned lengths, what remains each time by the next.

    No function of CK makes it; a source that names the class has it.

    >>> MergeScannedMagicDivision((2, 8)).lower([13])
    (1, 5)
    """

    name: ClassVar[str] = "merge_v2r2_magic_division"
    ck: ClassVar[CkFunction] = CkFunction()

    @property
    def divisors(self) -> Index:
        return tuple(_scan(self.lengths)[:-1])

    def lower(self, upper: Sequence[Term]) -> Index:
        rest, found = as_expr(upper[0]), list[Expr]()
        for scan in self.divisors:
            found.append(magic_divide(rest, magic_number(scan)))
            rest = rest - found[-1] * scan
        return (*found, rest) if self.lengths else ()


@dataclass(frozen=True, repr=False)
class MergeDivisionMod(Merge):
    """CK's and CK Tile's `merge_v3_division_mod`: C's division and remainder by the scanned lengths.

    >>> MergeDivisionMod((2, 8)).lower([13])
    (1, 5)
    """

    name: ClassVar[str] = "merge_v3_division_mod"
    ck: ClassVar[CkFunction] = CkFunction.of_both("make_merge_transform_v3_division_mod")

    def lower(self, upper: Sequence[Term]) -> Index:
        rest, found = as_expr(upper[0]), list[Expr]()
        for scan in _scan(self.lengths)[:-1]:
            found.append(truncated_div(rest, scan))
            rest = truncated_mod(rest, scan)
        return (*found, rest) if self.lengths else ()


@dataclass(frozen=True, repr=False)
class MergeNoCarry(MergeDivisionMod):
    """CK's `Merge_v4_no_carry`: moving writes the whole upper index into the last digit and leaves the others alone.

    Right only between indices below the last length.  CK leaves the other digits' differences unset; here they are 0.
    Source: `ck/tensor_operation/gpu/grid/gridwise_gemm_xdlops_bwd_weight.hpp`.

    >>> MergeNoCarry((4, 5)).update_lower_index((1,), (1, 1), (7,))
    ((0, 1), (1, 7))
    """

    name: ClassVar[str] = "merge_v4_no_carry"
    ck: ClassVar[CkFunction] = CkFunction(ck="make_merge_transform_v4_no_carry")

    def update_lower_index(
        self, diff_upper: Sequence[Term], lower: Sequence[Term], upper: Sequence[Term]
    ) -> tuple[Index, Index]:
        if not self.lengths:
            return (), ()
        kept = tuple(map(as_expr, lower[:-1]))
        return (*(ZERO for _ in kept), as_expr(diff_upper[0])), (*kept, as_expr(upper[0]))


@dataclass(frozen=True, repr=False)
class Unmerge(Linear):
    """lower = Σ upperᵢ·Π lengthsⱼ (j > i): a packed row-major tensor over one dimension.

    >>> Unmerge((2, 3, 4)).lower([1, 2, 3])
    (23,)
    """

    lengths: Index
    name: ClassVar[str] = "unmerge"
    ck: ClassVar[CkFunction] = CkFunction.of_both("make_unmerge_transform", flags=1)
    least_length: ClassVar[int] = 0

    @property
    def lower_lengths(self) -> tuple[Expr | None, ...]:
        return (prod(self.lengths),)

    def lower(self, upper: Sequence[Term]) -> Index:
        return (horner(upper, self.lengths),)

    def upper(self, lower: Sequence[Term]) -> Index:
        return digits(lower[0], self.lengths)

    def words(self, low: Sequence[str], up: Sequence[str]) -> str:
        return f"{low[0]} is split into {listed(up)} of lengths {listed(self.lengths)}, packed, the last fastest."

    @classmethod
    def from_ck(cls, *given: Any) -> Transform:
        """With `Use24BitIntegerCalculation`, which may stand last, CK's own computation and its fault.

        >>> Unmerge.from_ck((3, 5)), Unmerge.from_ck((3, 5), True)
        (unmerge((3, 5)), unmerge_24bit((3, 5)))
        """
        lengths, by_24_bits = given if len(given) > 1 else (*given, False)
        return (Unmerge24Bit if by_24_bits else Unmerge)(tuple(lengths))


MASK24 = (1 << 24) - 1


@dataclass(frozen=True, repr=False)
class Unmerge24Bit(Unmerge):
    """Unmerge by 24-bit multiplication: right below 2²⁴, and for steps that are not negative."""

    name: ClassVar[str] = "unmerge_24bit"
    ck: ClassVar[CkFunction] = CkFunction()

    def lower(self, upper: Sequence[Term]) -> Index:
        if not upper:
            return super().lower(upper)
        total: Expr = as_expr(upper[-1])
        for n, u in enumerate(upper[:-1]):
            total = bitand(total, MASK24) + bitand(u, MASK24) * bitand(prod(self.lengths[n + 1 :]), MASK24)
        return (total,)


class MagicNumber(NamedTuple):
    """What division by multiplication needs: the multiplier, and 2 to the shift."""

    multiplier: Expr
    power: Expr


def magic_number(divisor: Term) -> MagicNumber:
    """CK's `calculate_magic_numbers`: s the least with 2ˢ ≥ d, the multiplier ⌊(2ˢ − d)·2³² / d⌋ + 1.

    The divisor may be a size that is not fixed; LayoutError unless 1 ≤ divisor < 2³¹.

    >>> magic_number(7)
    MagicNumber(multiplier=613566757, power=8)
    """
    d = as_expr(divisor)
    if d.lo < 1 or d.hi >= HALF32:
        raise LayoutError(f"magic number of {d} in {d.lo}…{d.hi}: the divisor must be in 1…2^31 − 1")
    power = as_expr(HALF32)
    for shift in reversed(range(31)):
        power = select(d <= 1 << shift, 1 << shift, power)
    return MagicNumber((power - d) * BITS32 // d + 1, power)


def magic_divide(dividend: Term, magic: MagicNumber) -> Expr:
    """CK's `do_magic_division`: (mulhi_u32(n, multiplier) + n) >> shift, all in uint32, read back as int32.

    >>> magic_divide(100, magic_number(7))
    14
    """
    n = unsigned32(dividend)
    return signed32(unsigned32(mulhi_u32(n, magic.multiplier) + n) // magic.power)


def carry_step(digit: Term, step: Term, length: Term, carry: Term) -> tuple[Expr, Expr]:
    """One digit of a carry-check move: by how much the digit moves, and the carry (−1, 0 or 1) into the next one.

    For 0 ≤ digit < length, |step| < length and −1 ≤ carry ≤ 1, with t = digit + step + carry: the digit becomes
    t mod length and the carry t div length.  From this lemma, digit by digit, follows that the move is right.

    >>> carry_step(3, 4, 5, 1)
    (0, 1)
    """
    reached, step = as_expr(digit) + carry, as_expr(step)
    carries, borrows = reached >= as_expr(length) - step, reached < -step
    moved = select(borrows, step + length, select(carries, step - length, step)) + carry
    return moved, select(borrows, -1, select(carries, 1, 0))


def magic_number_holds(dividend: Term, divisor: Term) -> Expr:
    """The lemma that merge v2 rests on, for one dividend (0 ≤ n < 2³¹) and one divisor: magic and plain division agree.

    >>> from layoutalg.index import var
    >>> bool(magic_number_holds(2**31 - 1, 3))
    True
    """
    n, d = as_expr(dividend), as_expr(divisor)
    q = magic_divide(n, magic_number(d))
    return all_of(q * d <= n, n < q * d + d)


def _scan(lengths: Index) -> list[Expr]:
    """For each length the product of those after it."""
    return [prod(lengths[n + 1 :]) for n in range(len(lengths))]


def quotients(number: Expr, lengths: Index) -> Index:
    """The digits by C's division from the first to the last; of a negative number, all are negative or zero."""
    found = list[Expr]()
    for scan in _scan(lengths)[:-1]:
        found.append(truncated_div(number, scan))
        number = number - found[-1] * scan
    return (*found, number) if lengths else ()
