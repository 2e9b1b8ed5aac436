"""The contract of every coordinate transform: lengths, the map down, its validity, its inverse where there is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import ClassVar

from layoutalg.errors import LayoutError
from layoutalg.index import TRUE, Expr, Term, as_expr, prod

Index = tuple[Expr, ...]
MAX_ELEMENTS = 1 << 62
"""Products of lengths from here on are refused: no memory holds them, and CK's own arithmetic is long past its end."""


class NoInverseError(LayoutError):
    """A transform, or a descriptor, that has no upper index for a lower one."""


@dataclass(frozen=True)
class Transform:
    """The contract of every transform: lengths below and above, the map, its validity, its inverse.

    Lengths and parameters are expressions; integers given are made so.
    """

    name: ClassVar[str]

    least_length: ClassVar[int] = 1
    """The least length of a dimension: 0 in what views are made of, so that there are views without elements."""

    def __post_init__(self) -> None:
        for field in fields(self):
            given = getattr(self, field.name)
            if isinstance(given, tuple | list) != (field.type != "Expr"):
                wanted = "one number" if field.type == "Expr" else "a list of numbers"
                raise LayoutError(f"{self.name}: {field.name} is {given!r}; it takes {wanted}")
            listed = isinstance(given, tuple | list)
            object.__setattr__(self, field.name, tuple(map(parameter, given)) if listed else parameter(given))
        self.check()
        _refuse_lengths(self)

    def check(self) -> None:
        """LayoutError where the parameters themselves make no sense."""

    @property
    def lower_lengths(self) -> tuple[Expr | None, ...]:
        """The length of each lower dimension; None where the transform prescribes none (most: of the only one)."""
        return (None,)

    @property
    def upper_lengths(self) -> Index:
        """The length of each upper dimension."""
        raise NotImplementedError

    @property
    def conditions(self) -> tuple[Expr, ...]:
        """What parameters must satisfy besides lengths of at least 1 for there to be a transform."""
        return ()

    @property
    def constants(self) -> Index:
        """The lower indices that are written into the transform itself: attached elsewhere, they would be outside."""
        return ()

    def lower(self, upper: Sequence[Term]) -> Index:
        """The lower index of an upper index."""
        raise NotImplementedError

    def upper(self, lower: Sequence[Term]) -> Index:
        """The upper index of a lower index; NoInverseError where the map has no inverse."""
        raise NoInverseError(f"{self} has no inverse: no one upper index belongs to a lower index")

    def update_lower_index(
        self, diff_upper: Sequence[Term], lower: Sequence[Term], upper: Sequence[Term]
    ) -> tuple[Index, Index]:
        """Move by `diff_upper` from `lower`: by how much the lower index moves, and the new lower index.

        `upper` is the upper index after the move (CK's `idx_up_new`).  CK's way for each transform: linear ones add,
        the others compute anew.
        """
        new = self.lower(upper)
        return tuple(n - as_expr(old) for n, old in zip(new, lower, strict=True)), new

    def valid(self, upper: Sequence[Term]) -> Expr:
        """Whether an upper index (in range) reaches real data."""
        return TRUE

    def __repr__(self) -> str:
        given = ", ".join(f"{_shown(getattr(self, f.name))}" for f in fields(self))
        return f"{self.name}({given})"


def parameter(term: Term) -> Expr:
    """A parameter of a layout as an expression; TypeError where it is neither that nor an integer, or a truth value.

    >>> parameter(100 / 4)
    Traceback (most recent call last):
        ...
    TypeError: 25.0 is not an integer or an index expression; a division that rounds down is written //
    """
    if isinstance(term, bool):
        raise TypeError(f"{term} is a truth value, and no number of a layout; write {int(term)}")
    return as_expr(term)


def _shown(value: object) -> str:
    return f"({', '.join(map(repr, value))})" if isinstance(value, tuple) else repr(value)


def _refuse_lengths(transform: Transform) -> None:
    for where, lengths in (("lower", transform.lower_lengths), ("upper", transform.upper_lengths)):
        known = [length for length in lengths if length is not None]
        for dimension, length in enumerate(lengths):
            if length is not None and length.hi < transform.least_length:
                least = f"a length is at least {transform.least_length}"
                raise LayoutError(f"{transform}: {where} length {dimension} is {length}; {least}")
        if prod(known).lo >= MAX_ELEMENTS:
            raise LayoutError(f"{transform}: {prod(known)} {where} indices; 2^62 elements or more are refused")
