"""A tensor's memory, for all sizes: which bytes are elements, and what is assumed of these."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from layoutalg.errors import LaunchError
from layoutalg.index import (
    FALSE,
    TRUE,
    ZERO,
    Expr,
    all_of,
    as_expr,
    div,
    mod,
    select,
    simplify,
    substitute,
    var,
    variables,
)
from layoutalg.index.variable import unlimited
from layoutalg.launch.elements import Elements
from layoutalg.launch.ends import inhabited, intervals, of_type
from layoutalg.records import dataclass
from layoutalg.symex.values.unknowns import Kind, beside, kind_of

#: Of a tensor of no bytes.
NONE = Elements(ZERO, ZERO)

#: Stands for any one element.
_ELEMENT = unlimited("element")


@dataclass(frozen=True)
class TensorMemory:
    """A tensor's memory."""

    name: str
    bytes: Expr
    element: int  # bytes
    written: bool
    signed: bool = False  # its elements are integers with a sign
    assumed: tuple[tuple[Expr, Expr], ...] = ()  # conditions on each of its elements, which a variable stands for
    elements: Elements = NONE
    distinct: bool = False  # no two of its elements are equal
    whole: bool = False  # its elements are integers

    def as_written(self) -> TensorMemory:
        """The same while a kernel stores to it: nothing is assumed of what it holds by then."""
        return replace(self, written=True, assumed=(), distinct=False)

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
        words = [word for _, word in self.loaded(offset, size, values)] if self.assumed else []
        return all_of(*(self.allows(self.number(word)) for word in words if is_written(word)))

    @property
    def related(self) -> bool:
        """Whether something is known of several of its elements together: integers that nobody writes."""
        return self.whole and not self.written

    def allows(self, number: Expr) -> Expr:
        """What is assumed of an element, which is a number."""
        below = number < self._sign if self.natural else TRUE
        return all_of(below, *(substitute(condition, {v: number}) for v, condition in self.assumed))

    @cached_property
    def natural(self) -> bool:
        """Whether its elements have a sign and are assumed not to be negative: the bits are the number then."""
        negative = -1 - var("below", self._sign)
        return self.signed and any(simplify(substitute(one, {v: negative})) is FALSE for v, one in self.assumed)

    @property
    def _sign(self) -> int:
        return 1 << 8 * self.element - 1

    def number(self, word: Expr) -> Expr:
        """The number that the bits of an element are."""
        plain = self.natural or not self.signed
        return word if plain else select(word >= self._sign, word - 2 * self._sign, word)

    def loaded(self, offset: Expr, size: int, values: Sequence[Expr]) -> Iterator[tuple[Expr, Expr]]:
        """Each element that is loaded, or a part of it: where its bytes begin, and its bits."""
        behind = simplify(mod(offset, self.element))
        if len(values) * size >= self.element:
            yield from ((offset + first, word) for first, word in self.words(size, values) if behind is ZERO)
            return
        if behind.op == "const" and behind.value + len(values) * size <= self.element:
            word = sum((v * (1 << 8 * size * k) for k, v in enumerate(values)), start=ZERO) * (
                1 << 8 * int(behind.value)
            )
            beside = _left_out(values[0], int(behind.value), len(values) * size, self.element)
            yield offset - behind, word + sum(beside, start=ZERO)

    def refuse_crowded(self) -> None:
        """LaunchError where elements are said to differ, and at all sizes are more than what they may be."""
        for count in self._values():
            if simplify(count < self.elements.space) is TRUE:
                raise LaunchError(f"{self.name} has {self.elements.space} elements, which cannot all differ")

    @property
    def possible(self) -> Expr:
        """For which sizes what is assumed of each element leaves it any value, and enough of them to differ.

        As far as it is seen of one element: what several say of each other is not looked at.
        """
        left = inhabited(self.allows(_ELEMENT), _ELEMENT, *self._least_and_most)
        return all_of(TRUE if left is None else left, *(self.elements.space <= count for count in self._values()))

    def _values(self) -> Iterator[Expr]:
        """How many values there are for elements that are said to differ: of the type, and within what is assumed."""
        if self.distinct and not self.elements.assumed and self.elements.each is None:
            yield as_expr(1 << 8 * self.element)
            found = intervals(self.allows(_ELEMENT), _ELEMENT, *self._least_and_most)
            if found is not None and len(found) == 1 and found[0].where is TRUE:
                yield simplify(found[0].high - found[0].low + 1)

    @property
    def _least_and_most(self) -> tuple[Expr, Expr]:
        return of_type(8 * self.element, self.signed)

    def words(self, size: int, values: Sequence[Expr]) -> Iterator[tuple[int, Expr]]:
        """The elements of which these unknowns are the parts, each with where its bytes begin among theirs."""
        parts = self.element // size if self.element % size == 0 else 0
        for first in range(0, len(values) - parts + 1, parts) if parts else ():
            of = enumerate(values[first : first + parts])
            yield first * size, sum((v * (1 << 8 * size * k) for k, v in of), start=ZERO)


def is_written(word: Expr) -> bool:
    """Whether bits are seen to be an element's, and not perhaps what lies between two."""
    return all(kind_of(v) is not Kind.UNDEFINED for v in variables(word))


def _left_out(v: Expr, behind: int, size: int, element: int) -> Iterator[Expr]:
    """What of an element lies before and after a part that was loaded, each an unknown of the same owner."""
    for name, bytes_, first in (("below", behind, 0), ("above", element - behind - size, behind + size)):
        if bytes_:
            yield beside(v, name, 1 << 8 * bytes_) * (1 << 8 * first)
