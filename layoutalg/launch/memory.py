"""A tensor's memory, for all sizes: which bytes are elements, and what is assumed of these."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from layoutalg.errors import LaunchError
from layoutalg.index import (
    TRUE,
    ZERO,
    Expr,
    all_of,
    as_expr,
    div,
    maximum,
    minimum,
    mod,
    select,
    simplify,
    variables,
)
from layoutalg.launch.elements import Elements
from layoutalg.symex.values.unknowns import Kind, beside, kind_of

#: Of a tensor of no bytes.
NONE = Elements(ZERO, ZERO)


@dataclass(frozen=True)
class TensorMemory:
    """A tensor's memory."""

    name: str
    bytes: Expr
    element: int  # bytes
    written: bool
    signed: bool = False  # its elements are integers with a sign
    assumed: tuple[Expr | None, Expr | None] = (None, None)  # what its elements are at least, and at most
    elements: Elements = NONE
    distinct: bool = False  # no two of its elements are equal

    def inside(self, offset: Expr, width: int, store: bool) -> Expr:
        """Whether bytes, counted from the first element, lie in the memory, and those of a store in elements."""
        before = self.elements.first * self.element
        found = all_of(offset + before >= 0, offset + before + width <= self.bytes)
        if not store:
            return found
        places = [div(offset + k, self.element) for k in (*range(0, width, self.element), width - 1)]
        return all_of(found, *(self.elements.are(place) for place in dict.fromkeys(map(simplify, places))))

    def holds(self, offset: Expr, size: int, values: Sequence[Expr]) -> Expr:
        """What is assumed of elements of which these unknowns of `size` bytes each are the parts, low ones first.

        Where an element is loaded in part, what is left of it is an unknown beside.
        """
        found: list[Expr] = []
        for word in self._elements(offset, size, values) if self.assumed != (None, None) else ():
            if any(kind_of(v) is Kind.UNDEFINED for v in variables(word)):
                continue  # perhaps no element, but what lies between two
            sign = 1 << 8 * self.element - 1
            number = select(word >= sign, word - 2 * sign, word) if self.signed else word
            low, high = self.assumed
            found += [low <= number] if low is not None else []
            found += [number <= high] if high is not None else []
        return all_of(*found)

    def _elements(self, offset: Expr, size: int, values: Sequence[Expr]) -> Iterator[Expr]:
        """Each element that is loaded, or a part of it."""
        behind = simplify(mod(offset, self.element))
        if len(values) * size >= self.element:
            yield from (word for _, word in self.words(size, values) if behind is ZERO)
            return
        if behind.op == "const" and behind.value + len(values) * size <= self.element:
            yield sum((v * (1 << 8 * size * k) for k, v in enumerate(values)), start=ZERO) * (
                1 << 8 * int(behind.value)
            ) + sum(_left_out(values[0], int(behind.value), len(values) * size, self.element), start=ZERO)

    def refuse_crowded(self) -> None:
        """LaunchError where elements are said to differ, and at all sizes are more than what they may be."""
        for count in self._values():
            if simplify(count < self.elements.space) is TRUE:
                raise LaunchError(f"{self.name} has {self.elements.space} elements, which cannot all differ")

    @property
    def possible(self) -> Expr:
        """For which sizes what is assumed of the elements leaves them any values, and enough of them to differ."""
        low, high = self._least_and_most()
        return all_of(low <= high, *(self.elements.space <= count for count in self._values()))

    def _values(self) -> Iterator[Expr]:
        """How many values there are for elements that are said to differ: of the type, and within what is assumed."""
        if self.distinct and not self.elements.assumed and self.elements.each is None:
            low, high = self._least_and_most()
            yield from (as_expr(1 << 8 * self.element), high - low + 1)

    def _least_and_most(self) -> tuple[Expr, Expr]:
        return within(*self.assumed, bits=8 * self.element, signed=self.signed)

    def words(self, size: int, values: Sequence[Expr]) -> Iterator[tuple[int, Expr]]:
        """The elements of which these unknowns are the parts, each with where its bytes begin among theirs."""
        parts = self.element // size if self.element % size == 0 else 0
        for first in range(0, len(values) - parts + 1, parts) if parts else ():
            of = enumerate(values[first : first + parts])
            yield first * size, sum((v * (1 << 8 * size * k) for k, v in of), start=ZERO)


def within(low: Expr | None, high: Expr | None, *, bits: int, signed: bool) -> tuple[Expr, Expr]:
    """The least and the greatest integer of a type within limits."""
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return (
        as_expr(least) if low is None else maximum(low, least),
        as_expr(most) if high is None else minimum(high, most),
    )


def _left_out(v: Expr, behind: int, size: int, element: int) -> Iterator[Expr]:
    """What of an element lies before and after a part that was loaded, each an unknown of the same owner."""
    for name, bytes_, first in (("below", behind, 0), ("above", element - behind - size, behind + size)):
        if bytes_:
            yield beside(v, name, 1 << 8 * bytes_) * (1 << 8 * first)
