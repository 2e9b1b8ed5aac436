"""Linear transforms: a constant plus a linear map of the upper index, so that moving it needs no recomputation.

A step of the upper index moves the lower index by the mapped step, wherever it starts (CK's `update_lower_index`).

| transform    | lower = f(upper)   | a step d of upper moves lower by |
|--------------|--------------------|----------------------------------|
| each shift   | u + a constant     | d                                |
| vectorize    | vector_size·u      | vector_size·d                    |
| embed        | Σ uᵢ·sᵢ            | Σ dᵢ·sᵢ                          |
| freeze       | index              | 0                                |

Insert and replicate have upper dimensions and no lower one: nothing moves.  (Unmerge is linear too: see `merge`; shifts
of one dimension: see `shifts`.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import ClassVar

from layoutalg.errors import LayoutError
from layoutalg.index import ONE, ZERO, Expr, Term, add, as_expr
from layoutalg.index.normal import nonnegative
from layoutalg.index.radix import digits_by, slowest_first
from layoutalg.layout.transform import CkFunction, Index, Transform, listed, several
from layoutalg.records import dataclass


class Linear(Transform):
    """lower = a constant + a linear map of upper: moving adds the mapped difference.

    >>> isinstance(Embed((4, 8), (9, 1)), Linear), Embed((4, 8), (9, 1)).difference([1, 2])
    (True, (11,))
    """

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


@dataclass(frozen=True, repr=False)
class Vectorize(Linear):
    """lower = vector_size · upper (old CK): an index of vectors over an index of elements.

    >>> Vectorize(4, 16).lower([3]), Vectorize(4, 16).lower_lengths
    ((12,), (64,))
    """

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
        order = slowest_first((n for n, length in enumerate(self.lengths) if length is not ONE), self._is_beyond)
        if order is None:
            return super().upper(lower)
        found, _ = digits_by(as_expr(lower[0]), [self.strides[n] for n in order])
        each = dict(zip(order, found, strict=True))
        return tuple(each.get(n, ZERO) for n in range(len(self.lengths)))

    def _is_beyond(self, n: int, others: Sequence[int]) -> bool:
        """Whether the stride of a dimension is beyond what others reach together."""
        reach = add(0, *((self.lengths[k] - 1) * self.strides[k] for k in others))
        return self.strides[n].lo >= 1 and nonnegative(self.strides[n] - 1 - reach)

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
        return (ZERO,)

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
        if any(length is not ONE for length in self.upper_lengths):
            return super().upper(lower)
        return tuple(ZERO for _ in self.upper_lengths)

    def words(self, low: Sequence[str], up: Sequence[str]) -> str:
        return f"{listed(up)} reach{'es' * (len(up) == 1)} no memory: every index along it reads the same elements."


@dataclass(frozen=True, repr=False)
class Insert(_Unread):
    """An upper dimension that reaches no lower one.

    >>> Insert(8).lower([5]), Insert(8).upper_lengths
    ((), (8,))
    """

    length: Expr
    name: ClassVar[str] = "insert"
    ck: ClassVar[CkFunction] = CkFunction.of_both("make_insert_transform")


@dataclass(frozen=True, repr=False)
class Replicate(_Unread):
    """Upper dimensions that reach no lower one: everybody there sees the same data.

    >>> Replicate((2, 4)).lower([1, 3]), Replicate((2, 4)).upper_lengths
    ((), (2, 4))
    """

    lengths: Index = field(metadata=several(least=0))
    name: ClassVar[str] = "replicate"
    ck: ClassVar[CkFunction] = CkFunction("make_replicate_transform")
