"""Linear transforms: a constant plus a linear map of the upper index, so that moving it needs no recomputation.

A step of the upper index moves the lower index by the mapped step, wherever it starts (CK's `update_lower_index`).

| transform    | lower = f(upper)   | a step d of upper moves lower by |
|--------------|--------------------|----------------------------------|
| pass_through | u                  | d                                |
| pad          | u − left           | d                                |
| slice        | u + begin          | d                                |
| offset       | u + offset         | d                                |
| vectorize    | vector_size·u      | vector_size·d                    |
| embed        | Σ uᵢ·sᵢ            | Σ dᵢ·sᵢ                          |
| freeze       | index              | 0                                |

Insert and replicate have upper dimensions and no lower one: nothing moves.  (Unmerge is linear too: see `merge`.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from layoutalg.errors import LayoutError
from layoutalg.index import FALSE, TRUE, Expr, Term, add, all_of, as_expr, simplify
from layoutalg.index.normal import nonnegative
from layoutalg.layout.transform import CkFunction, Index, Transform, listed, several


class Linear(Transform):
    """lower = a constant + a linear map of upper: moving adds the mapped difference."""

    def difference(self, diff_upper: Sequence[Term]) -> Index:
        """By how much the lower index moves when the upper one moves by `diff_upper`, wherever it is.

        It is the map itself, unless that adds a constant.
        """
        return self.lower(diff_upper)

    def update_lower_index(
        self, diff_upper: Sequence[Term], lower: Sequence[Term], upper: Sequence[Term]
    ) -> tuple[Index, Index]:
        diff = self.difference(diff_upper)
        return diff, tuple(d + old for d, old in zip(diff, lower, strict=True))


class _Shifted(Linear):
    """lower = upper + shift, along one dimension."""

    length: Expr

    @property
    def shift(self) -> Expr:
        """By how much the lower index lies beyond the upper one."""
        return FALSE

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
        sides = [f"{n} {where}" for n, where in ((left, "before"), (right, "after")) if n is not FALSE]
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
        return self.left, FALSE

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
        return FALSE, self.right

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
    """lower = upper + offset."""

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


@dataclass(frozen=True, repr=False)
class Vectorize(Linear):
    """lower = vector_size · upper (old CK): an index of vectors over an index of elements."""

    vector_size: Expr
    length: Expr
    name: ClassVar[str] = "vectorize"
    ck: ClassVar[CkFunction] = CkFunction(ck="make_vectorize_transform")

    @property
    def lower_lengths(self) -> tuple[Expr | None, ...]:
        return (self.vector_size * self.length,)

    def lower(self, upper: Sequence[Term]) -> Index:
        return (as_expr(upper[0]) * self.vector_size,)

    def upper(self, lower: Sequence[Term]) -> Index:
        return (as_expr(lower[0]) // self.vector_size,) if self.vector_size.lo >= 1 else super().upper(lower)

    def words(self, low: Sequence[str], up: Sequence[str]) -> str:
        return f"{up[0]} counts vectors of {self.vector_size} of {low[0]}."


@dataclass(frozen=True, repr=False)
class Embed(Linear):
    """lower = Σ upperᵢ·stridesᵢ.

    >>> Embed((4, 8), (8, 1)).lower([1, 2])
    (10,)
    """

    lengths: Index
    strides: Index
    name: ClassVar[str] = "embed"
    ck: ClassVar[CkFunction] = CkFunction.of_both("make_embed_transform")
    least_length: ClassVar[int] = 0

    def check(self) -> None:
        if len(self.lengths) != len(self.strides):
            raise LayoutError(f"embed: {len(self.lengths)} lengths but {len(self.strides)} strides; give one for each")

    def lower(self, upper: Sequence[Term]) -> Index:
        return (add(0, *(as_expr(u) * s for u, s in zip(upper, self.strides, strict=True))),)

    def upper(self, lower: Sequence[Term]) -> Index:
        """The digits of `lower` by the strides, the greatest first; only where each stride holds all smaller ones."""
        order = self._slowest_first()
        if order is None:
            return super().upper(lower)
        rest, found = as_expr(lower[0]), dict[int, Expr]()
        for n in order:
            found[n] = rest // self.strides[n]
            rest = rest % self.strides[n]
        return tuple(found.get(n, FALSE) for n in range(len(self.lengths)))

    def _slowest_first(self) -> list[int] | None:
        """The dimensions longer than 1, each with a stride beyond the reach of all later ones; None where none is."""
        left, order = [n for n, length in enumerate(self.lengths) if length is not TRUE], list[int]()
        while left:
            whole = add(0, *((self.lengths[n] - 1) * self.strides[n] for n in left))
            reach = {n: whole - (self.lengths[n] - 1) * self.strides[n] for n in left}
            holds_rest = [n for n in left if self.strides[n].lo >= 1 and nonnegative(self.strides[n] - 1 - reach[n])]
            if not holds_rest:
                return None
            order.append(holds_rest[0])
            left.remove(holds_rest[0])
        return order

    def words(self, low: Sequence[str], up: Sequence[str]) -> str:
        verb = "are" if len(up) > 1 else "is"
        return f"{listed(up)} {verb} laid out by stride{'s' * (len(up) > 1)} {listed(self.strides)}."


@dataclass(frozen=True, repr=False)
class Freeze(Linear):
    """lower = a constant; there is no upper dimension.

    >>> Freeze(3).lower([])
    (3,)
    """

    index: Expr
    name: ClassVar[str] = "freeze"
    ck: ClassVar[CkFunction] = CkFunction.of_both("make_freeze_transform")

    @property
    def upper_lengths(self) -> Index:
        return ()

    @property
    def constants(self) -> Index:
        return (self.index,)

    def lower(self, upper: Sequence[Term]) -> Index:
        return (self.index,)

    def upper(self, lower: Sequence[Term]) -> Index:
        return ()

    def difference(self, diff_upper: Sequence[Term]) -> Index:
        return (FALSE,)

    def words(self, low: Sequence[str], up: Sequence[str]) -> str:
        return f"{low[0]} is held at {self.index}."


class _Unread(Linear):
    """Upper dimensions that reach no lower one; with an inverse only where each has one index, 0."""

    @property
    def lower_lengths(self) -> tuple[Expr | None, ...]:
        return ()

    def lower(self, upper: Sequence[Term]) -> Index:
        return ()

    def upper(self, lower: Sequence[Term]) -> Index:
        if any(length is not TRUE for length in self.upper_lengths):
            return super().upper(lower)
        return tuple(FALSE for _ in self.upper_lengths)

    def words(self, low: Sequence[str], up: Sequence[str]) -> str:
        return f"{listed(up)} reach{'es' * (len(up) == 1)} no memory: every index along it reads the same elements."


@dataclass(frozen=True, repr=False)
class Insert(_Unread):
    """An upper dimension that reaches no lower one."""

    length: Expr
    name: ClassVar[str] = "insert"
    ck: ClassVar[CkFunction] = CkFunction.of_both("make_insert_transform")


@dataclass(frozen=True, repr=False)
class Replicate(_Unread):
    """Upper dimensions that reach no lower one: everybody there sees the same data."""

    lengths: Index = field(metadata=several(least=0))
    name: ClassVar[str] = "replicate"
    ck: ClassVar[CkFunction] = CkFunction("make_replicate_transform")
