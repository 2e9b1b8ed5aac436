"""Claims: what can be said of a layout, and the obligations that each comes down to.

| claim              | says, for all top indices u (in range; valid where data is reached)                   |
|--------------------|---------------------------------------------------------------------------------------|
| InBounds(D)        | valid(u) ⇒ every hidden index lies in its dimension, the offset in the element space  |
| Injective(D)       | valid(u), valid(u′), u ≠ u′ ⇒ offset(u) ≠ offset(u′)                                  |
| Bijective(D)       | both, and every element of the space is reached                                       |
| RoundTrip(A)       | upper(lower(u)) = u, and lower(upper(d)) = d for all bottom indices d                 |
| Agree(D, E)        | valid(u) is the same for both, and then offset(u) too                                 |
| FitsIndexType(D)   | every intermediate value of the index computation fits a signed integer of n bits     |
| Contiguous(D, d, n)| n elements from a multiple of n along dimension d are consecutive, aligned, all valid |

A claim has exact obligations, and where it can, also local ones, transform by transform, which suffice: each transform
alone keeps its indices in range, or is injective, for any index in range above it; so does the whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import ClassVar

from layoutalg.index import TRUE, Expr, add, all_of, as_expr, eq, postorder, prod, var
from layoutalg.layout import LayoutError, NoInverseError, TensorAdaptor, TensorDescriptor, Transform
from layoutalg.prove.domain import Domain, digit_form
from layoutalg.prove.obligation import ForAll, Obligation, Shown
from layoutalg.prove.obligation import Injective as InjectiveMap


@dataclass(frozen=True)
class Claim:
    """What is claimed of a layout."""

    name: ClassVar[str]

    def statement(self) -> str:
        """The claim in words."""
        raise NotImplementedError

    def obligations(self) -> Iterator[Obligation]:
        """Statements that hold together exactly when the claim does."""
        raise NotImplementedError

    def local_obligations(self) -> Iterator[Obligation] | None:
        """Statements that suffice, transform by transform; None where the claim has no such form."""
        return None


def in_range(index: Expr, length: Expr) -> Expr:
    """0 ≤ index < length."""
    return all_of(index >= 0, index < length)


def _steps(adaptor: TensorAdaptor) -> list[tuple[Transform, tuple[int, ...], tuple[int, ...]]]:
    return list(zip(adaptor.transforms, adaptor.lower_ids, adaptor.upper_ids, strict=True))


@dataclass(frozen=True)
class InBounds(Claim):
    """No valid index leaves a dimension on its way down, nor the element space."""

    descriptor: TensorDescriptor
    name: ClassVar[str] = "in_bounds"

    def statement(self) -> str:
        return "every valid index stays in its dimensions and in the element space"

    def _limit(self, i: int) -> Expr:
        d = self.descriptor
        return d.element_space_size if i == d.adaptor.bottom_ids[0] else d.adaptor.hidden_lengths[i]

    def obligations(self) -> Iterator[Obligation]:
        form = digit_form(self.descriptor.adaptor)
        for _, lower, _ in reversed(_steps(self.descriptor.adaptor)):
            for i in lower:
                bottom = i == self.descriptor.adaptor.bottom_ids[0]
                what = "offset" if bottom else f"hidden index of dimension {i}"
                limit, where = self._limit(i), "elements" if bottom else "length"
                yield ForAll(
                    f"{what} is in range",
                    in_range(form.hidden[i], limit),
                    form.valid,
                    (Shown("index", form.top), Shown(what, (form.hidden[i],)), Shown(where, (limit,))),
                )

    def local_obligations(self) -> Iterator[Obligation] | None:
        return (
            _stays_in_range(transform, tuple(map(self._limit, lower)))
            for transform, lower, _ in _steps(self.descriptor.adaptor)
        )


@lru_cache(maxsize=1 << 14)
def _stays_in_range(transform: Transform, limits: tuple[Expr, ...]) -> Obligation:
    upper = _fresh_upper(transform)
    lower = transform.lower(upper)
    goal = all_of(*(in_range(i, n) for i, n in zip(lower, limits, strict=True)))
    return ForAll(f"{transform} stays in range", goal, transform.valid(upper))


def _fresh_upper(transform: Transform) -> tuple[Expr, ...]:
    return tuple(var(f"u{n}", length) for n, length in enumerate(transform.upper_lengths))


@dataclass(frozen=True)
class Injective(Claim):
    """No two valid indices share an offset."""

    descriptor: TensorDescriptor
    name: ClassVar[str] = "injective"

    def statement(self) -> str:
        return "different valid indices have different offsets"

    def obligations(self) -> Iterator[Obligation]:
        form, bottom = digit_form(self.descriptor.adaptor), self.descriptor.adaptor.bottom_ids[0]
        shown = (Shown("index", form.top), Shown("offset", (form.hidden[bottom],)))
        yield InjectiveMap("offsets differ", form.variables, (form.hidden[bottom],), form.valid, shown)

    def local_obligations(self) -> Iterator[Obligation] | None:
        """Each transform is injective on indices in range, and keeps them in range for the next."""
        bounds = InBounds(self.descriptor).local_obligations() or ()
        return chain(bounds, (_is_injective(transform) for transform in self.descriptor.adaptor.transforms))


@lru_cache(maxsize=1 << 14)
def _is_injective(transform: Transform) -> Obligation:
    """By its inverse where it has one, else as it stands."""
    upper = _fresh_upper(transform)
    lower = transform.lower(upper)
    try:
        back = transform.upper(lower)
    except NoInverseError:
        return InjectiveMap(f"{transform} is injective", upper, lower, transform.valid(upper))
    goal = all_of(*(eq(a, b) for a, b in zip(back, upper, strict=True)))
    return ForAll(f"{transform} has a left inverse", goal, transform.valid(upper))


@dataclass(frozen=True)
class Bijective(Claim):
    """In bounds, injective, and every element of the space is reached."""

    descriptor: TensorDescriptor
    name: ClassVar[str] = "bijective"

    def statement(self) -> str:
        return "every element of the space has exactly one valid index"

    def obligations(self) -> Iterator[Obligation]:
        yield from InBounds(self.descriptor).obligations()
        yield from Injective(self.descriptor).obligations()
        yield self._onto()

    def local_obligations(self) -> Iterator[Obligation] | None:
        return chain(Injective(self.descriptor).local_obligations() or (), [self._onto()])

    def _onto(self) -> Obligation:
        """Given the other two: as many indices as elements, or (with padding) an index for each element."""
        d = self.descriptor
        form = digit_form(d.adaptor)
        if form.valid is TRUE:
            count = prod(d.lengths)
            shown = (Shown("indices", (count,)), Shown("elements", (d.element_space_size,)))
            return ForAll("as many indices as elements", eq(count, d.element_space_size), TRUE, shown)
        element = var("element", d.element_space_size)
        top = d.adaptor.upper((element,))
        hidden = d.hidden_index(top)
        ranges = [in_range(i, n) for i, n in zip(top, d.lengths, strict=True)]
        goal = all_of(*ranges, d.valid(top), eq(hidden[d.adaptor.bottom_ids[0]], element))
        return ForAll("every element has an index", goal, TRUE, (Shown("element", (element,)),))


@dataclass(frozen=True)
class RoundTrip(Claim):
    """Down and up again is where one was, and up and down again."""

    adaptor: TensorAdaptor
    name: ClassVar[str] = "round_trip"

    def statement(self) -> str:
        return "upper(lower(u)) = u and lower(upper(d)) = d"

    def obligations(self) -> Iterator[Obligation]:
        a = self.adaptor
        form = digit_form(a)
        back = a.upper([form.hidden[i] for i in a.bottom_ids])
        goal = all_of(*(eq(x, y) for x, y in zip(back, form.top, strict=True)))
        yield ForAll("upper(lower(u)) = u", goal, form.valid, (Shown("u", form.top), Shown("upper(lower(u))", back)))
        lengths = a.bottom_lengths
        if any(n is None for n in lengths):
            raise LayoutError("round_trip: a bottom dimension has no prescribed length")
        bottom = tuple(var(f"d{k}", n) for k, n in enumerate(lengths) if n is not None)
        top = a.upper(bottom)
        down = a.lower(top)
        same = all_of(*(eq(x, y) for x, y in zip(down, bottom, strict=True)))
        inside = all_of(*(in_range(i, n) for i, n in zip(top, a.lengths, strict=True)))
        shown = (Shown("d", bottom), Shown("upper(d)", top), Shown("lower(upper(d))", down))
        yield ForAll("lower(upper(d)) = d, in range", all_of(same, inside), TRUE, shown)


@dataclass(frozen=True)
class Agree(Claim):
    """Two descriptors of one shape address the same word for each coordinate."""

    one: TensorDescriptor
    other: TensorDescriptor
    name: ClassVar[str] = "agree"

    def statement(self) -> str:
        return "both descriptors address the same word for each coordinate"

    def obligations(self) -> Iterator[Obligation]:
        if self.one.rank != self.other.rank:
            raise LayoutError(f"agree: ranks {self.one.rank} and {self.other.rank} differ")
        same = all_of(*(eq(a, b) for a, b in zip(self.one.lengths, self.other.lengths, strict=True)))
        yield ForAll("the shapes are equal", same, TRUE, (Shown("shape", self.one.lengths),))
        form = digit_form(self.one.adaptor)
        offsets = form.hidden[self.one.adaptor.bottom_ids[0]], self.other.offset(form.top)
        valid = form.valid, self.other.valid(form.top)
        shown = (Shown("index", form.top), Shown("offsets", offsets))
        if valid != (TRUE, TRUE):
            yield ForAll("both reach data at the same indices", eq(*valid), TRUE, shown)
        yield ForAll("offsets are equal", eq(*offsets), valid[0], shown)


@dataclass(frozen=True)
class FitsIndexType(Claim):
    """No value of the index computation leaves a signed integer of `bits` bits, nor does the element space's size."""

    descriptor: TensorDescriptor
    bits: int = 32
    name: ClassVar[str] = "fits_index"

    def statement(self) -> str:
        return f"every intermediate value fits {self.bits} bits"

    def obligations(self) -> Iterator[Obligation]:
        d, limit = self.descriptor, 1 << (self.bits - 1)
        hidden = d.hidden_index(d.index)
        for node in postorder(*hidden.values(), d.element_space_size):
            if not -limit <= node.lo <= node.hi < limit:
                shown = (Shown("index", d.index), Shown(f"{node} is", (node,)))
                yield ForAll(f"{node} fits {self.bits} bits", all_of(node >= -limit, node < limit), TRUE, shown)


@dataclass(frozen=True)
class Contiguous(Claim):
    """Vector accesses of n elements along a dimension: consecutive, aligned to n, all valid or none."""

    descriptor: TensorDescriptor
    dimension: int
    count: int
    name: ClassVar[str] = "contiguous"

    def statement(self) -> str:
        return f"{self.count} elements from a multiple of {self.count} along dimension {self.dimension} are one vector"

    def obligations(self) -> Iterator[Obligation]:
        d, n = self.descriptor, self.count
        length = d.lengths[self.dimension]
        shape = Shown("length", (length,))
        yield ForAll(f"the length is a multiple of {n}", eq(length % n, 0), TRUE, (shape,))
        if length.hi < n:
            return
        vector, lane = var("vector", length // n), var("lane", n)
        rest = list(d.index)
        first = [*rest[: self.dimension], vector * n, *rest[self.dimension + 1 :]]
        each = [*rest[: self.dimension], vector * n + lane, *rest[self.dimension + 1 :]]
        start, offset = d.offset(first), d.offset(each)
        valid = d.valid(first)
        shown = (Shown("index", tuple(map(as_expr, each))), Shown("offset", (offset,)), Shown("vector at", (start,)))
        if valid is not TRUE:
            yield ForAll("a vector is valid as a whole", eq(valid, d.valid(each)), TRUE, shown)
        yield ForAll("elements are consecutive", eq(offset, add(start, lane)), valid, shown)
        yield ForAll(f"vectors are aligned to {n}", eq(start % n, 0), valid, shown)


def default_claims(descriptor: TensorDescriptor) -> tuple[Claim, ...]:
    """What is checked of a descriptor that states no claims."""
    return InBounds(descriptor), Injective(descriptor), FitsIndexType(descriptor)


__all__ = [
    "Agree", "Bijective", "Claim", "Contiguous", "Domain", "FitsIndexType", "InBounds", "Injective", "RoundTrip",
    "default_claims", "in_range",
]  # fmt: skip
