"""Coordinate transforms: Composable Kernel's, each as a map from an upper index (user) to a lower index (memory).

The direction is always upper → lower, as in CK's `calculate_lower_index`.  `upper()` is the inverse where there is one.
All parameters may be sizes that are not fixed.  With u the upper index and d the lower one:

| transform           | lower = f(upper)                         | valid               | inverse            |
|---------------------|------------------------------------------|---------------------|--------------------|
| pass_through L      | u                                        | always              | d                  |
| pad L, left, right  | u − left                                 | left ≤ u < L + left | d + left           |
| embed strides s     | Σ uᵢ·sᵢ                                  | always              | none               |
| merge (L₀ … Lₙ₋₁)   | mixed-radix digits of u, last fastest    | always              | Σ dᵢ·ΠLⱼ (j > i)   |
| unmerge (L₀ … Lₙ₋₁) | Σ uᵢ·ΠLⱼ (j > i)                         | always              | digits of d        |
| slice begin, end    | u + begin                                | always              | d − begin          |
| xor (L₀, L₁)        | (u₀, u₁ ^ (u₀ mod L₁))                   | always              | the same           |
| modulo m            | u mod m                                  | always              | none               |

A transform knows the lengths of the lower dimensions that it fits (`None` where any length may do and only the claim
InBounds can tell).  CK's first merge digit is the remaining quotient, not reduced by L₀: so is ours.
What it cannot represent: an index that depends on data, other than through the constant table of `indexing`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from layoutalg.index import FALSE, TRUE, Expr, Term, add, all_of, as_expr, lookup, mod, prod, substitute, var, xor
from layoutalg.layout.errors import LayoutError
from layoutalg.layout.mixed_radix import digits, horner
from layoutalg.layout.transform import Index, Transform


@dataclass(frozen=True, repr=False)
class PassThrough(Transform):
    """lower = upper."""

    length: Expr
    name: ClassVar[str] = "pass_through"

    @property
    def lower_lengths(self) -> tuple[Expr | None, ...]:
        return (self.length,)

    @property
    def upper_lengths(self) -> Index:
        return (self.length,)

    def lower(self, upper: Sequence[Term]) -> Index:
        return (as_expr(upper[0]),)

    def upper(self, lower: Sequence[Term]) -> Index:
        return (as_expr(lower[0]),)


class _Padding(Transform):
    """lower = upper − left; upper indices outside left … left + length − 1 reach no data."""

    length: Expr

    @property
    def amounts(self) -> tuple[Expr, Expr]:
        """How many indices are added on the left and on the right."""
        raise NotImplementedError

    def check(self) -> None:
        for side, amount in zip(("left", "right"), self.amounts, strict=True):
            if amount.hi < 0:
                raise LayoutError(f"{self.name}: {side} is {amount}; it is at least 0")

    @property
    def lower_lengths(self) -> tuple[Expr | None, ...]:
        return (self.length,)

    @property
    def upper_lengths(self) -> Index:
        return (add(self.length, *self.amounts),)

    def lower(self, upper: Sequence[Term]) -> Index:
        return (as_expr(upper[0]) - self.amounts[0],)

    def upper(self, lower: Sequence[Term]) -> Index:
        return (as_expr(lower[0]) + self.amounts[0],)

    def valid(self, upper: Sequence[Term]) -> Expr:
        (left, right), u = self.amounts, as_expr(upper[0])
        begins = TRUE if left is FALSE else u >= left
        ends = TRUE if right is FALSE else u < self.length + left
        return all_of(begins, ends)


@dataclass(frozen=True, repr=False)
class Pad(_Padding):
    """lower = upper − left; the first `left` and the last `right` upper indices reach no data."""

    length: Expr
    left: Expr
    right: Expr
    name: ClassVar[str] = "pad"

    @property
    def amounts(self) -> tuple[Expr, Expr]:
        return self.left, self.right


@dataclass(frozen=True, repr=False)
class LeftPad(_Padding):
    """lower = upper − left; the first `left` upper indices reach no data."""

    length: Expr
    left: Expr
    name: ClassVar[str] = "left_pad"

    @property
    def amounts(self) -> tuple[Expr, Expr]:
        return self.left, FALSE


@dataclass(frozen=True, repr=False)
class RightPad(_Padding):
    """lower = upper; the last `right` upper indices reach no data."""

    length: Expr
    right: Expr
    name: ClassVar[str] = "right_pad"

    @property
    def amounts(self) -> tuple[Expr, Expr]:
        return FALSE, self.right


@dataclass(frozen=True, repr=False)
class Embed(Transform):
    """lower = Σ upperᵢ·stridesᵢ."""

    lengths: Index
    strides: Index
    name: ClassVar[str] = "embed"

    def check(self) -> None:
        if len(self.lengths) != len(self.strides):
            raise LayoutError(f"embed: {len(self.lengths)} lengths but {len(self.strides)} strides; give one for each")

    @property
    def lower_lengths(self) -> tuple[Expr | None, ...]:
        return (None,)

    @property
    def upper_lengths(self) -> Index:
        return self.lengths

    def lower(self, upper: Sequence[Term]) -> Index:
        return (add(0, *(as_expr(u) * s for u, s in zip(upper, self.strides, strict=True))),)


@dataclass(frozen=True, repr=False)
class Merge(Transform):
    """lower = the mixed-radix digits of upper, the last one fastest, the first one not reduced."""

    lengths: Index
    name: ClassVar[str] = "merge"

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


@dataclass(frozen=True, repr=False)
class Unmerge(Transform):
    """lower = Σ upperᵢ·Π lengthsⱼ (j > i): a packed row-major tensor over one dimension."""

    lengths: Index
    name: ClassVar[str] = "unmerge"

    @property
    def lower_lengths(self) -> tuple[Expr | None, ...]:
        return (prod(self.lengths),)

    @property
    def upper_lengths(self) -> Index:
        return self.lengths

    def lower(self, upper: Sequence[Term]) -> Index:
        return (horner(upper, self.lengths),)

    def upper(self, lower: Sequence[Term]) -> Index:
        return digits(lower[0], self.lengths)


@dataclass(frozen=True, repr=False)
class Freeze(Transform):
    """lower = a constant; there is no upper dimension."""

    index: Expr
    name: ClassVar[str] = "freeze"

    @property
    def lower_lengths(self) -> tuple[Expr | None, ...]:
        return (None,)

    @property
    def upper_lengths(self) -> Index:
        return ()

    def lower(self, upper: Sequence[Term]) -> Index:
        return (self.index,)

    def upper(self, lower: Sequence[Term]) -> Index:
        return ()


class _Unread(Transform):
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


@dataclass(frozen=True, repr=False)
class Insert(_Unread):
    """An upper dimension that reaches no lower one."""

    length: Expr
    name: ClassVar[str] = "insert"

    @property
    def upper_lengths(self) -> Index:
        return (self.length,)


@dataclass(frozen=True, repr=False)
class Replicate(_Unread):
    """Upper dimensions that reach no lower one: everybody there sees the same data."""

    lengths: Index
    name: ClassVar[str] = "replicate"

    @property
    def upper_lengths(self) -> Index:
        return self.lengths


@dataclass(frozen=True, repr=False)
class Slice(Transform):
    """lower = upper + begin, for the part begin … end − 1 of a dimension (CK checks neither against the length)."""

    length: Expr
    begin: Expr
    end: Expr
    name: ClassVar[str] = "slice"

    def check(self) -> None:
        if self.begin.hi < 0 or (self.end - self.length).lo > 0:
            raise LayoutError(f"slice: {self.begin}…{self.end} is not within a dimension of length {self.length}")
        if (self.end - self.begin).hi < 1:
            raise LayoutError(f"slice: begin {self.begin} is not below end {self.end}")

    @property
    def lower_lengths(self) -> tuple[Expr | None, ...]:
        return (self.length,)

    @property
    def upper_lengths(self) -> Index:
        return (self.end - self.begin,)

    def lower(self, upper: Sequence[Term]) -> Index:
        return (as_expr(upper[0]) + self.begin,)

    def upper(self, lower: Sequence[Term]) -> Index:
        return (as_expr(lower[0]) - self.begin,)


@dataclass(frozen=True, repr=False)
class Modulo(Transform):
    """lower = upper mod modulus."""

    modulus: Expr
    length: Expr
    name: ClassVar[str] = "modulo"

    def check(self) -> None:
        if self.modulus.hi < 1:
            raise LayoutError(f"modulo: modulus {self.modulus} is not at least 1")

    @property
    def lower_lengths(self) -> tuple[Expr | None, ...]:
        return (None,)

    @property
    def upper_lengths(self) -> Index:
        return (self.length,)

    def lower(self, upper: Sequence[Term]) -> Index:
        return (mod(upper[0], self.modulus),)


@dataclass(frozen=True, repr=False)
class _Pairwise(Transform):
    """A map of two dimensions that leaves the first index as it is."""

    lengths: Index

    def check(self) -> None:
        if len(self.lengths) != 2:
            raise LayoutError(f"{self.name}: {len(self.lengths)} lengths; it works on two dimensions")

    @property
    def lower_lengths(self) -> tuple[Expr | None, ...]:
        return self.lengths

    @property
    def upper_lengths(self) -> Index:
        return self.lengths


@dataclass(frozen=True, repr=False)
class Xor(_Pairwise):
    """lower = (u₀, u₁ ^ (u₀ mod L₁)), CK Tile's xor; a bijection only where L₁ is a power of two."""

    name: ClassVar[str] = "xor"

    def lower(self, upper: Sequence[Term]) -> Index:
        return as_expr(upper[0]), xor(upper[1], mod(upper[0], self.lengths[1]))

    def upper(self, lower: Sequence[Term]) -> Index:
        return self.lower(lower)  # xor undoes itself


@dataclass(frozen=True, repr=False)
class XorNoModulo(_Pairwise):
    """lower = (u₀, u₁ ^ u₀): the transform that old CK calls `make_xor_transform`."""

    name: ClassVar[str] = "xor_no_modulo"

    def lower(self, upper: Sequence[Term]) -> Index:
        return as_expr(upper[0]), xor(upper[1], upper[0])

    def upper(self, lower: Sequence[Term]) -> Index:
        return self.lower(lower)


@dataclass(frozen=True, repr=False)
class CyclicShift(_Pairwise):
    """lower = (u₀, (u₁ + u₀) mod L₁)."""

    name: ClassVar[str] = "cyclic_shift"

    def lower(self, upper: Sequence[Term]) -> Index:
        return as_expr(upper[0]), mod(as_expr(upper[1]) + upper[0], self.lengths[1])

    def upper(self, lower: Sequence[Term]) -> Index:
        return CyclicShiftInverse(self.lengths).lower(lower)


@dataclass(frozen=True, repr=False)
class CyclicShiftInverse(_Pairwise):
    """lower = (u₀, (u₁ + L₁ − u₀ mod L₁) mod L₁)."""

    name: ClassVar[str] = "cyclic_shift_inverse"

    def lower(self, upper: Sequence[Term]) -> Index:
        n = self.lengths[1]
        return as_expr(upper[0]), mod(as_expr(upper[1]) + n - mod(upper[0], n), n)

    def upper(self, lower: Sequence[Term]) -> Index:
        return CyclicShift(self.lengths).lower(lower)


@dataclass(frozen=True, repr=False)
class Offset(Transform):
    """lower = upper + offset."""

    length: Expr
    offset: Expr
    name: ClassVar[str] = "offset"

    @property
    def lower_lengths(self) -> tuple[Expr | None, ...]:
        return (None,)

    @property
    def upper_lengths(self) -> Index:
        return (self.length,)

    def lower(self, upper: Sequence[Term]) -> Index:
        return (as_expr(upper[0]) + self.offset,)

    def upper(self, lower: Sequence[Term]) -> Index:
        return (as_expr(lower[0]) - self.offset,)


@dataclass(frozen=True, repr=False)
class Indexing(Transform):
    """lower = table[upper]."""

    table: tuple[Expr, ...]
    name: ClassVar[str] = "indexing"

    def check(self) -> None:
        if not self.table or any(entry.op != "const" for entry in self.table):
            raise LayoutError("indexing: the table holds at least one entry, and integers only")

    @property
    def lower_lengths(self) -> tuple[Expr | None, ...]:
        return (None,)

    @property
    def upper_lengths(self) -> Index:
        return (as_expr(len(self.table)),)

    def lower(self, upper: Sequence[Term]) -> Index:
        return (lookup([int(entry) for entry in self.table], upper[0]),)


@dataclass(frozen=True, repr=False)
class Functor(Transform):
    """lower = f(upper), f an expression over one index variable."""

    index: Expr
    function: Expr
    length: Expr
    name: ClassVar[str] = "functor"

    @staticmethod
    def of(function: Callable[[Expr], Term], length: Term) -> Functor:
        """The transform of a Python function of expressions.

        >>> Functor.of(lambda u: u * 2 + 1, 8).lower([3])
        (7,)
        """
        u = var("u", length)
        return Functor(u, as_expr(function(u)), as_expr(length))

    @property
    def lower_lengths(self) -> tuple[Expr | None, ...]:
        return (None,)

    @property
    def upper_lengths(self) -> Index:
        return (self.length,)

    def lower(self, upper: Sequence[Term]) -> Index:
        return (substitute(self.function, {self.index: upper[0]}),)


@dataclass(frozen=True, repr=False)
class Vectorize(Transform):
    """lower = vector_size · upper (old CK): an index of vectors over an index of elements."""

    vector_size: Expr
    length: Expr
    name: ClassVar[str] = "vectorize"

    @property
    def lower_lengths(self) -> tuple[Expr | None, ...]:
        return (self.vector_size * self.length,)

    @property
    def upper_lengths(self) -> Index:
        return (self.length,)

    def lower(self, upper: Sequence[Term]) -> Index:
        return (as_expr(upper[0]) * self.vector_size,)


TRANSFORMS: Mapping[str, type[Transform]] = {
    kind.name: kind
    for kind in (
        PassThrough, Pad, LeftPad, RightPad, Embed, Merge, Unmerge, Freeze, Insert, Replicate, Slice, Modulo, Xor,
        XorNoModulo, CyclicShift, CyclicShiftInverse, Offset, Indexing, Functor, Vectorize,
    )
}  # fmt: skip
"""Every transform by its name in spec files."""
