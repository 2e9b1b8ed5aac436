"""Claims on how elements lie: in vectors, aligned, in order, in few bits; and on two layouts at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from layoutalg.index import TRUE, Expr, add, all_equal, all_of, any_of, eq, fresh, negation
from layoutalg.index.c import intermediates
from layoutalg.layout import LayoutError, Merge, MergeMagicDivision, TensorDescriptor
from layoutalg.prove.claims.base import Claim
from layoutalg.prove.domain import Layout, adaptor_of, at, bottom_limits, digit_form, index_form, names_in
from layoutalg.prove.obligation import ForAll, Obligation, Shown
from layoutalg.records import dataclass


def along(d: TensorDescriptor, dimension: int, count: int = 1) -> int:
    """The dimension, counted from the front; LayoutError where there is none, or where a count is less than 1."""
    if not -d.rank <= dimension < d.rank:
        raise LayoutError(f"dimension {dimension} does not exist: there are {d.rank} (0…{d.rank - 1})")
    if count < 1:
        raise LayoutError(f"{count} elements are no vector; give 1 or more")
    return dimension % d.rank


@dataclass(frozen=True)
class Agree(Claim):
    """Two descriptors of one shape address the same word for each coordinate.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.prove import prove
    >>> prove(Agree(naive((8, 8), (8, 1)), naive((8, 8), (1, 8)))).reason
    'offsets are equal: not at index (0, 4), offsets (4, 32)'
    """

    one: Layout
    other: Layout
    name: ClassVar[str] = "agree"

    def statement(self) -> str:
        return "both descriptors address the same word for each coordinate"

    def obligations(self) -> Iterator[Obligation]:
        one, other = adaptor_of(self.one), adaptor_of(self.other)
        for what, a, b in (("rank", one.lengths, other.lengths), ("bottom rank", one.bottom_ids, other.bottom_ids)):
            if len(a) != len(b):
                raise LayoutError(f"{self.name}: {what}s {len(a)} and {len(b)} differ")
        yield ForAll("the shapes are equal", all_equal(one.lengths, other.lengths), TRUE,
                     (Shown("shape", one.lengths), Shown("other shape", other.lengths)))  # fmt: skip
        form = digit_form(self.one)
        there = at(self.other, form.top)
        shown = (Shown("index", form.top), Shown("offsets", (*form.bottom, *there.bottom)))
        if (form.valid, there.valid) != (TRUE, TRUE):
            yield ForAll("both reach data at the same indices", eq(form.valid, there.valid), TRUE, shown)
        yield ForAll("offsets are equal", all_equal(form.bottom, there.bottom), form.valid, shown)


@dataclass(frozen=True)
class Equivalent(Agree):
    """The same map: the shapes, the validity, the offsets, and the memory of both.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.prove import prove
    >>> prove(Equivalent(naive((8, 8), (8, 1)), naive((8, 8), (8, 1)))).name
    'proved'
    """

    name: ClassVar[str] = "equivalent"

    def statement(self) -> str:
        return "both are the same map over the same memory"

    def obligations(self) -> Iterator[Obligation]:
        yield from super().obligations()
        for one, other in zip(bottom_limits(self.one), bottom_limits(self.other), strict=True):
            if one is not None and other is not None:
                yield ForAll("the spaces are equal", eq(one, other), TRUE, (Shown("elements", (one, other)),))


@dataclass(frozen=True)
class FitsIndexType(Claim):
    """No value of the index computation, no length and not the element space leaves a signed integer of `bits` bits.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.prove import prove
    >>> prove(FitsIndexType(naive((70000, 40000), (40000, 1)))).name
    'refuted'
    """

    descriptor: Layout
    bits: int = 32
    name: ClassVar[str] = "fits_index"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.bits < 2:
            raise LayoutError(f"a signed integer of {self.bits} bits holds no index; give 2 or more")

    def statement(self) -> str:
        return f"every intermediate value fits {self.bits} bits"

    def of_nothing(self) -> ForAll:
        known = (*adaptor_of(self.descriptor).hidden_lengths.values(), *bottom_limits(self.descriptor))
        fit = all_of(*(n < 1 << (self.bits - 1) for n in known if n is not None))
        return ForAll(f"the lengths of an empty tensor fit {self.bits} bits", fit)

    def obligations(self) -> Iterator[Obligation]:
        form, limit = index_form(_in_index_type(self.descriptor)), 1 << (self.bits - 1)
        spaces = [n for n in bottom_limits(self.descriptor) if n is not None]
        lengths = adaptor_of(self.descriptor).hidden_lengths.values()
        for node in intermediates([*form.hidden.values(), *lengths, *spaces]):
            if not -limit <= node.lo <= node.hi < limit:
                shown = (Shown("index", form.top), Shown(f"{node} is", (node,)))
                yield ForAll(f"{node} fits {self.bits} bits", all_of(node >= -limit, node < limit), TRUE, shown)


def _in_index_type(layout: Layout) -> Layout:
    """The layout as far as it is computed in the index type: magic division is unsigned within (`__umulhi`, uint32).

    It is right, and stays in uint32, for all indices below 2³¹, which the lengths of a merge that fit have.
    """
    adaptor = adaptor_of(layout)
    plain = tuple(Merge(t.lengths) if isinstance(t, MergeMagicDivision) else t for t in adaptor.transforms)
    made = replace(adaptor, transforms=plain)
    return replace(layout, adaptor=made) if isinstance(layout, TensorDescriptor) else made


@dataclass(frozen=True)
class Contiguous(Claim):
    """Vector accesses of n elements along a dimension: consecutive, aligned to n, all valid or none.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.prove import prove
    >>> prove(Contiguous(naive((8, 64), (66, 1)), 1, 2)).name
    'proved'
    """

    descriptor: TensorDescriptor
    dimension: int
    count: int
    name: ClassVar[str] = "contiguous"

    def __post_init__(self) -> None:
        super().__post_init__()
        along(self.descriptor, self.dimension, self.count)

    def statement(self) -> str:
        return f"{self.count} elements from a multiple of {self.count} along dimension {self.dimension} are one vector"

    def obligations(self) -> Iterator[Obligation]:
        d, n = self.descriptor, self.count
        where = along(d, self.dimension)
        length = d.lengths[where]
        yield ForAll(f"the length is a multiple of {n}", eq(length % n, 0), TRUE, (Shown("length", (length,)),))
        if length.hi < n:
            return
        avoid = names_in(d)
        vector, lane = fresh("vector", length // n, avoid), fresh("lane", n, avoid)
        first, each = (_replaced(d, where, i) for i in (vector * n, vector * n + lane))
        one, other = at(d, first), at(d, each)
        (start,), (offset,) = one.bottom, other.bottom
        shown = (Shown("index", each), Shown("offset", (offset,)), Shown("vector at", (start,)))
        if one.valid is not TRUE or other.valid is not TRUE:
            yield ForAll("a vector is valid as a whole", eq(one.valid, other.valid), TRUE, shown)
        yield ForAll("elements are consecutive", eq(offset, add(start, lane)), one.valid, shown)
        yield ForAll(f"vectors are aligned to {n}", eq(start % n, 0), one.valid, shown)


@dataclass(frozen=True)
class Aligned(Claim):
    """The offset of every valid index whose coordinate in a dimension is a multiple of n is a multiple of n.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.prove import prove
    >>> prove(Aligned(naive((8, 64), (66, 1)), 2)).name
    'proved'
    """

    descriptor: TensorDescriptor
    count: int
    dimension: int = -1
    name: ClassVar[str] = "aligned"

    def __post_init__(self) -> None:
        super().__post_init__()
        along(self.descriptor, self.dimension, self.count)

    def statement(self) -> str:
        return f"at every multiple of {self.count} along dimension {self.dimension}, the offset is one too"

    def obligations(self) -> Iterator[Obligation]:
        d, n = self.descriptor, self.count
        where = along(d, self.dimension)
        block = fresh("vector", (d.lengths[where] + (n - 1)) // n, names_in(d))
        form = at(d, _replaced(d, where, block * n))
        shown = (Shown("index", form.top), Shown("offset", form.bottom))
        inside = all_of(block * n < d.lengths[where], form.valid)
        yield ForAll(f"offsets are multiples of {n}", eq(form.bottom[0] % n, 0), inside, shown)


@dataclass(frozen=True)
class Monotone(Claim):
    """A greater index along a dimension has a greater offset (both valid).

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.prove import prove
    >>> prove(Monotone(naive((8, 64), (66, 1)))).name
    'proved'
    """

    descriptor: TensorDescriptor
    dimension: int = -1
    name: ClassVar[str] = "monotone"

    def __post_init__(self) -> None:
        super().__post_init__()
        along(self.descriptor, self.dimension)

    def statement(self) -> str:
        return f"offsets grow along dimension {self.dimension}"

    def obligations(self) -> Iterator[Obligation]:
        d = self.descriptor
        where = along(d, self.dimension)
        form, step = index_form(d), fresh("step", d.lengths[where], names_in(d))
        index = form.variables[where]
        there = at(d, _replaced(d, where, index + step))
        shown = (Shown("index", form.top), Shown("step", (step,)), Shown("offsets", (*form.bottom, *there.bottom)))
        further = all_of(step >= 1, index + step < d.lengths[where], there.valid)
        grows = any_of(negation(further), form.bottom[0] < there.bottom[0])
        yield ForAll("offsets grow", grows, form.valid, shown)


def _replaced(d: TensorDescriptor, dimension: int, index: Expr) -> tuple[Expr, ...]:
    """The descriptor's index variables, with another index in one dimension."""
    top = index_form(d).variables
    return (*top[:dimension], index, *top[dimension:][1:])
