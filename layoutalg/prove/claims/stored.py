"""Claims on a layout in bytes: how far it reaches, where its vectors begin, and which scale an element finds.

Elements are measured in bits, so that two of f4 are a byte, and sixteen of f6 are twelve:

    element at offset o, of b bits:  bits o·b … o·b + b − 1           a memory of n elements:  ⌈n·b / 8⌉ bytes

| claim               | says                                                                                    |
|---------------------|-----------------------------------------------------------------------------------------|
| `FitsBytes(31)`     | at most 2³¹ bytes: the limit that CK sets for a buffer resource (`TwoGB`), so that       |
|                     | signed 32-bit byte offsets reach everything                                             |
| `FitsBytes(32)`     | at most 2³² − 1 bytes: what `num_records` of a buffer resource can say                  |
| `AlignedBytes`      | every vector of n elements begins at a multiple of so many bytes                        |
| `OwnScale(n)`       | elements of one block of n find one scale, those of two blocks two                      |

What it cannot represent: bytes before the layout's base, and blocks that run along two dimensions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import ClassVar

from layoutalg.index import TRUE, ZERO, Expr, all_of, eq, fresh
from layoutalg.index.primed import primed, same
from layoutalg.layout import LayoutError, TensorDescriptor
from layoutalg.prove.claims.access import along
from layoutalg.prove.claims.base import Claim
from layoutalg.prove.claims.maps import InBounds
from layoutalg.prove.domain import Domain, at, digit_form, index_form, names_in
from layoutalg.prove.obligation import ForAll, InjectiveMap, Obligation, Shown
from layoutalg.records import dataclass

NUM_RECORDS = (1 << 32) - 1
"""The most bytes that a buffer resource can say it has: a 32-bit number (CDNA 3 ISA, buffer resource descriptor)."""


@dataclass(frozen=True)
class FitsBytes(Claim):
    """The memory has at most 2^bits bytes (and no more than `num_records` says), and every valid offset lies in them.

    >>> from layoutalg.layout import make_naive_tensor_descriptor_packed
    >>> from layoutalg.prove import prove
    >>> whole = make_naive_tensor_descriptor_packed((1 << 16, 1 << 15))
    >>> [prove(FitsBytes(whole, element, 31)).name for element in (4, 8, 16)]
    ['proved', 'proved', 'refuted']
    """

    descriptor: TensorDescriptor
    element_bits: int
    bits: int
    name: ClassVar[str] = "fits_bytes"

    def __post_init__(self) -> None:
        super().__post_init__()
        _at_least_1(self, "element_bits", "bits")

    @property
    def most(self) -> int:
        """Bytes that there may be."""
        return min(1 << self.bits, NUM_RECORDS)

    def statement(self) -> str:
        return f"the tensor has at most {self.most} bytes, and every byte offset fits {self.bits} bits"

    def of_nothing(self) -> ForAll:
        return self._space()

    def obligations(self) -> Iterator[Obligation]:
        yield self._space()
        form = digit_form(self.descriptor)
        (offset,) = form.bottom
        first, behind = offset * self.element_bits, (offset + 1) * self.element_bits
        shown = (Shown("index", form.top), Shown("byte offset", (first // 8,)))
        inside = all_of(first >= 0, behind <= 8 << self.bits)
        yield ForAll(f"byte offsets fit {self.bits} bits", inside, form.valid, shown)

    def _space(self) -> ForAll:
        used = self.descriptor.element_space_size * self.element_bits
        shown = Shown("lengths", self.descriptor.lengths), Shown("bytes", ((used + 7) // 8,))
        return ForAll(f"at most {self.most} bytes", used <= 8 * self.most, TRUE, shown)


@dataclass(frozen=True)
class AlignedBytes(Claim):
    """Every valid vector of `count` elements from a multiple of them along a dimension begins at a multiple of bytes.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> from layoutalg.prove import prove
    >>> rows = make_naive_tensor_descriptor((8, 64), (96, 1))
    >>> [prove(AlignedBytes(rows, 4, count, 16)).name for count in (16, 32)]
    ['refuted', 'proved']
    """

    descriptor: TensorDescriptor
    element_bits: int
    count: int
    multiple: int
    dimension: int = -1
    name: ClassVar[str] = "aligned_bytes"

    def __post_init__(self) -> None:
        super().__post_init__()
        _at_least_1(self, "element_bits", "multiple")
        along(self.descriptor, self.dimension, self.count)

    def statement(self) -> str:
        return f"vectors of {self.count} along dimension {self.dimension} begin at multiples of {self.multiple} bytes"

    def obligations(self) -> Iterator[Obligation]:
        d = self.descriptor
        where = self.dimension % d.rank
        vector = fresh("vector", (d.lengths[where] + (self.count - 1)) // self.count, names_in(d))
        form = at(d, _replaced(d, where, vector * self.count))
        (offset,) = form.bottom
        elements = 8 * self.multiple // math.gcd(8 * self.multiple, self.element_bits)
        shown = (Shown("index", form.top), Shown("bit", (offset * self.element_bits,)))
        inside = all_of(vector * self.count < d.lengths[where], form.valid)
        yield ForAll(f"vectors begin at multiples of {self.multiple} bytes", eq(offset % elements, 0), inside, shown)


@dataclass(frozen=True)
class OwnScale(Claim):
    """The layout of scales, as the elements that they are for see it: one for each block of `count` along a dimension.

    Its shape is the elements'; its offsets count scales.  Elements of a block find one, those of two blocks two, and
    all of them are in the memory.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> from layoutalg.layout import Insert, Merge, PassThrough, transform_tensor_descriptor
    >>> from layoutalg.prove import prove
    >>> scales = make_naive_tensor_descriptor((16, 4), (4, 1))
    >>> wide = transform_tensor_descriptor(scales, [PassThrough(16), PassThrough(4), Insert(32)],
    ...                                    [[0], [1], []], [[0], [1], [2]])
    >>> seen = transform_tensor_descriptor(wide, [PassThrough(16), Merge((4, 32))], [[0], [1, 2]], [[0], [1]])
    >>> prove(OwnScale(seen, 32)).name, prove(OwnScale(seen, 16)).name
    ('proved', 'refuted')
    """

    descriptor: TensorDescriptor
    count: int
    dimension: int = -1
    name: ClassVar[str] = "own_scale"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not -self.descriptor.rank <= self.dimension < self.descriptor.rank:
            raise LayoutError(f"dimension {self.dimension} does not exist: there are {self.descriptor.rank}")
        if self.count < 1:
            raise LayoutError(f"a scale is for 1 element or more, not for {self.count}")

    def statement(self) -> str:
        return f"every {self.count} elements along dimension {self.dimension} find one scale, which is theirs alone"

    def obligations(self) -> Iterator[Obligation]:
        d, n = self.descriptor, self.count
        yield from InBounds(d).obligations()
        where, avoid = self.dimension % d.rank, names_in(d)
        length = d.lengths[where]
        count = (length + (n - 1)) // n
        block = fresh("block", count, avoid)
        element, other = (fresh(name, n, avoid) for name in ("element", "other_element"))
        blocks = tuple(block if k == where else v for k, v in enumerate(index_form(d).variables))
        whole = index_form(d).valid is TRUE  # then a block's first element tells its scale

        def scale(blocks: Sequence[Expr], element: Expr) -> tuple[Domain, Expr]:
            """An element of a block, and whether it is there."""
            place = blocks[where] * n + element
            found = at(d, (*blocks[:where], place, *blocks[where + 1 :]))
            return found, all_of(place < length, found.valid)

        one, there = scale(blocks, element)
        mate, too = scale(blocks, ZERO if whole else other)
        told = Shown("index", one.top), Shown("scale", one.bottom)
        shown = (*told, Shown("another's", mate.top), Shown("scale", mate.bottom))
        alike = eq(one.bottom[0], mate.bottom[0])
        yield ForAll("elements of a block have one scale", alike, all_of(there, too), shown)
        if whole:
            first = Shown("index", mate.top), Shown("scale", mate.bottom)
            yield InjectiveMap("blocks have scales of their own", blocks, mate.bottom, TRUE, first)
        else:
            others = primed(blocks)
            mate, too = scale([*others.values()], other)
            shown = (*told, Shown("another's", mate.top), Shown("scale", mate.bottom))
            alike = all_of(there, too, eq(one.bottom[0], mate.bottom[0]))
            yield ForAll("blocks have scales of their own", same(blocks, others), alike, shown)


def _at_least_1(claim: Claim, *names: str) -> None:
    """LayoutError where a number of a claim is 0 or less."""
    for name in names:
        if getattr(claim, name) < 1:
            raise LayoutError(f"{claim.name}: {name} is {getattr(claim, name)}; it is at least 1")


def _replaced(d: TensorDescriptor, dimension: int, index: Expr) -> tuple[Expr, ...]:
    """The descriptor's index variables, with another index in one dimension."""
    top = index_form(d).variables
    return (*top[:dimension], index, *top[dimension:][1:])
