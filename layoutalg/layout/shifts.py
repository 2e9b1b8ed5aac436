"""Shifts of one dimension: lower = upper + a constant, which pass, cut, pad or move it.

| transform                | lower = f(upper) | upper indices         |
|--------------------------|------------------|-----------------------|
| pass_through             | u                | length                |
| pad, left_pad, right_pad | u − left         | left + length + right |
| slice                    | u + begin        | end − begin           |
| offset                   | u + offset       | length                |

A step of the upper index is the same step of the lower one (`linear`).  Padding reaches no data: `valid` says where.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from layoutalg.errors import LayoutError
from layoutalg.index import ZERO, Expr, Term, add, all_of, as_expr, simplify
from layoutalg.index.normal import nonnegative
from layoutalg.layout.linear import Linear
from layoutalg.layout.transform import CkFunction, Index, Transform, listed
from layoutalg.records import dataclass


class _Shifted(Linear):
    """lower = upper + shift, along one dimension."""

    length: Expr

    @property
    def shift(self) -> Expr:
        """By how much the lower index lies beyond the upper one."""
        return ZERO

    @property
    def lower_lengths(self) -> tuple[Expr | None, ...]:
        return (self.length,)

    def lower(self, upper: Sequence[Term]) -> Index:
        return (as_expr(upper[0]) + self.shift,)

    def upper(self, lower: Sequence[Term]) -> Index:
        return (as_expr(lower[0]) - self.shift,)

    def difference(self, diff_upper: Sequence[Term]) -> Index:
        return (as_expr(diff_upper[0]),)


@dataclass(frozen=True, repr=False)
class PassThrough(_Shifted):
    """lower = upper.

    >>> PassThrough(8).lower([5])
    (5,)
    """

    length: Expr
    name: ClassVar[str] = "pass_through"
    ck: ClassVar[CkFunction] = CkFunction.of_both("make_pass_through_transform")
    least_length: ClassVar[int] = 0

    def words(self, low: Sequence[str], up: Sequence[str]) -> str:
        return f"{up[0]} is {low[0]}, unchanged."


class _Padding(_Shifted):
    """lower = upper − left; upper indices outside left … left + length − 1 reach no data."""

    @property
    def amounts(self) -> tuple[Expr, Expr]:
        """How many indices are added on the left and on the right."""
        raise NotImplementedError

    def check(self) -> None:
        for side, amount in zip(("left", "right"), self.amounts, strict=True):
            if amount.hi < 0:
                raise LayoutError(f"{self.name}: {side} is {amount}; it is at least 0")

    @property
    def conditions(self) -> tuple[Expr, ...]:
        return tuple(amount >= 0 for amount in self.amounts)

    @property
    def shift(self) -> Expr:
        return -self.amounts[0]

    @property
    def upper_lengths(self) -> Index:
        return (add(self.length, *self.amounts),)

    def begins(self, upper: Sequence[Term]) -> Expr:
        """Whether an upper index is at or after the first of the data."""
        return as_expr(upper[0]) >= self.amounts[0]

    def ends(self, upper: Sequence[Term]) -> Expr:
        """Whether an upper index is at or before the last of the data."""
        return as_expr(upper[0]) < self.length + self.amounts[0]

    @classmethod
    def from_ck(cls, *given: Any) -> Transform:
        """With CK's `SkipIsValidCheck`, which may stand last, LayoutError."""
        count = len(cls.parameters())
        if any(given[count:]):
            raise LayoutError(
                "SkipIsValidCheck reads the padding as data; use the checked padding, which says what is data"
            )
        return cls(*given[:count])

    def words(self, low: Sequence[str], up: Sequence[str]) -> str:
        left, right = self.amounts
        sides = [f"{n} {where}" for n, where in ((left, "before"), (right, "after")) if n is not ZERO]
        if not sides:
            return f"{up[0]} is {low[0]}, padded by nothing."
        return f"{up[0]} is {low[0]} with padding: {listed(sides)}; padding holds no data."


@dataclass(frozen=True, repr=False)
class Pad(_Padding):
    """lower = upper − left; the first `left` and the last `right` upper indices reach no data.

    >>> Pad(6, 1, 1).upper_lengths, Pad(6, 1, 1).lower([1])
    ((8,), (0,))
    """

    length: Expr
    left: Expr
    right: Expr
    name: ClassVar[str] = "pad"
    ck: ClassVar[CkFunction] = CkFunction.of_both("make_pad_transform", flags=1)

    @property
    def amounts(self) -> tuple[Expr, Expr]:
        return self.left, self.right

    def valid(self, upper: Sequence[Term]) -> Expr:
        return all_of(self.begins(upper), self.ends(upper))


@dataclass(frozen=True, repr=False)
class LeftPad(_Padding):
    """lower = upper − left; the first `left` upper indices reach no data.

    >>> LeftPad(6, 2).lower([2]), LeftPad(6, 2).valid([1])
    ((0,), 0)
    """

    length: Expr
    left: Expr
    name: ClassVar[str] = "left_pad"
    ck: ClassVar[CkFunction] = CkFunction.of_both("make_left_pad_transform", flags=1)

    @property
    def amounts(self) -> tuple[Expr, Expr]:
        return self.left, ZERO

    def valid(self, upper: Sequence[Term]) -> Expr:
        return self.begins(upper)


@dataclass(frozen=True, repr=False)
class RightPad(_Padding):
    """lower = upper; the last `right` upper indices reach no data.

    >>> RightPad(6, 2).upper_lengths, RightPad(6, 2).lower([5])
    ((8,), (5,))
    """

    length: Expr
    right: Expr
    name: ClassVar[str] = "right_pad"
    ck: ClassVar[CkFunction] = CkFunction.of_both("make_right_pad_transform", flags=1)

    @property
    def amounts(self) -> tuple[Expr, Expr]:
        return ZERO, self.right

    def valid(self, upper: Sequence[Term]) -> Expr:
        return self.ends(upper)


@dataclass(frozen=True, repr=False)
class Slice(_Shifted):
    """lower = upper + begin, for the part begin … end − 1 of a dimension (CK checks neither against the length).

    >>> Slice(8, 2, 6).upper_lengths, Slice(8, 2, 6).lower([1])
    ((4,), (3,))
    """

    length: Expr
    begin: Expr
    end: Expr
    name: ClassVar[str] = "slice"
    ck: ClassVar[CkFunction] = CkFunction.of_both("make_slice_transform")

    def check(self) -> None:
        if nonnegative(-self.begin - 1) or nonnegative(self.end - self.length - 1):
            raise LayoutError(f"slice: {self.begin}…{self.end} is not within a dimension of length {self.length}")
        if nonnegative(self.begin - self.end):
            raise LayoutError(f"slice: begin {self.begin} is not below end {self.end}")

    @property
    def shift(self) -> Expr:
        return self.begin

    @property
    def upper_lengths(self) -> Index:
        return (self.end - self.begin,)

    def words(self, low: Sequence[str], up: Sequence[str]) -> str:
        return f"{up[0]} is the part {self.begin} … {simplify(self.end - 1)} of {low[0]}."


@dataclass(frozen=True, repr=False)
class Offset(_Shifted):
    """lower = upper + offset.

    >>> Offset(8, 3).lower([5]), Offset(8, 3).upper([8])
    ((8,), (5,))
    """

    length: Expr
    offset: Expr
    name: ClassVar[str] = "offset"
    ck: ClassVar[CkFunction] = CkFunction("make_offset_transform")
    least_length: ClassVar[int] = 0

    @property
    def shift(self) -> Expr:
        return self.offset

    @property
    def lower_lengths(self) -> tuple[Expr | None, ...]:
        return (None,)

    def words(self, low: Sequence[str], up: Sequence[str]) -> str:
        return f"{low[0]} begins {self.offset} further on than {up[0]}."
