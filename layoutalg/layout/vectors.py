"""Vector access: what CK takes for granted of a descriptor, and what would have to be true for it to be right.

CK starts from the author's word (the last dimension can be read by vectors of n elements, s apart) and carries it up
through the transforms by the rules below (`get_top_dimension_safe_vector_length_strides`).  The rules overstate:

| transform                       | CK's rule for (length, stride)         | goes wrong where                          |
|---------------------------------|----------------------------------------|-------------------------------------------|
| pass_through                    | kept                                   |                                           |
| left_pad, right_pad             | kept                                   | a vector straddles the edge of the data   |
| merge                           | the last lower dimension's             | the length does not divide the last's     |
| unmerge                         | last: gcd(length, its length), stride  |                                           |
| xor                             | kept                                   | the xor moves elements within a vector    |
| pad, embed, slice and the rest  | unknown                                |                                           |

So a hint is a claim.  `VectorAccess` is that claim over a descriptor as expressions, for a prover to decide: every
vector that starts at a multiple of its length lies `stride` apart in memory, and is data or padding as a whole.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from layoutalg.index import FALSE, Expr, all_of, eq, mod, var
from layoutalg.layout.adaptor import same_length
from layoutalg.layout.descriptor import TensorDescriptor
from layoutalg.layout.errors import LayoutError
from layoutalg.layout.transform import Index, Transform

LONGEST = 16
"""The most elements that any AMD instruction moves for one lane: 128 bits of 8-bit elements."""


@dataclass(frozen=True)
class VectorHint:
    """How many elements may move at once along a dimension, and how far apart they lie; None is unknown (CK's −1)."""

    length: int | None = None
    stride: int | None = None


UNKNOWN = VectorHint()
Hints = tuple[VectorHint, ...]


def ck_vector_hints(descriptor: TensorDescriptor, guaranteed: Mapping[int, VectorHint]) -> Hints:
    """What CK would believe of each top dimension, given what the author guarantees of hidden dimensions (by id).

    >>> from layoutalg.layout import Merge, make_naive_tensor_descriptor, transform_tensor_descriptor
    >>> d = make_naive_tensor_descriptor((8, 12), (16, 1))
    >>> d = transform_tensor_descriptor(d, [Merge((8, 12))], [[0, 1]], [[0]])
    >>> ck_vector_hints(d, {2: VectorHint(8, 1)})
    (VectorHint(length=8, stride=1),)
    """
    a = descriptor.adaptor
    found = dict(guaranteed)
    for transform, lower, upper in zip(a.transforms, a.lower_ids, a.upper_ids, strict=True):
        rule = _CK.get(transform.name, _unknown)
        below = tuple(found.get(i, UNKNOWN) for i in lower)
        for i, carried in zip(upper, rule(transform, below), strict=True):
            own = guaranteed.get(i, UNKNOWN)
            found[i] = VectorHint(own.length or carried.length, carried.stride if own.stride is None else own.stride)
    return tuple(found.get(i, UNKNOWN) for i in a.top_ids)


@dataclass(frozen=True)
class VectorAccess:
    """The claim that `length` elements along a top dimension, from a multiple of `length` on, are one vector."""

    descriptor: TensorDescriptor
    dimension: int
    length: int
    stride: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.dimension < self.descriptor.rank:
            raise LayoutError(f"dimension {self.dimension} of a descriptor of {self.descriptor.rank}")
        whole = self.descriptor.lengths[self.dimension]
        if self.length < 1 or not same_length(mod(whole, self.length), FALSE):
            raise LayoutError(f"vectors of {self.length} along a dimension of length {whole}: it must be a multiple")

    @cached_property
    def index(self) -> Index:
        """One variable for each dimension: the vector's number along this one, the element's along the others."""
        d = self.descriptor
        vector = var("vector", d.lengths[self.dimension] // self.length)
        return (*d.index[: self.dimension], vector, *d.index[self.dimension + 1 :])

    def element(self, n: int) -> Index:
        """The top index of element n of the vector."""
        first = self.index[self.dimension] * self.length
        return (*self.index[: self.dimension], first + n, *self.index[self.dimension + 1 :])

    @property
    def evenly_spaced(self) -> Expr:
        """Every element lies `stride` after the one before, where the vector is data."""
        offset = self.descriptor.offset
        start = offset(self.element(0))
        return all_of(*(eq(offset(self.element(n)), start + n * self.stride) for n in range(1, self.length)))

    @property
    def whole(self) -> Expr:
        """The elements are all data, or all padding."""
        valid = self.descriptor.valid
        first = valid(self.element(0))
        return all_of(*(eq(valid(self.element(n)), first) for n in range(1, self.length)))

    @property
    def aligned(self) -> Expr:
        """The vector starts at a multiple of its length (where memory itself does)."""
        return eq(mod(self.descriptor.offset(self.element(0)), self.length), 0)


def vector_candidates(descriptor: TensorDescriptor, dimension: int, longest: int = LONGEST) -> list[int]:
    """The vector lengths worth a proof, the longest first: powers of two that divide the dimension for all sizes."""
    whole = descriptor.lengths[dimension]
    powers = [1 << k for k in reversed(range(longest.bit_length())) if 1 << k <= longest]
    return [n for n in powers if same_length(mod(whole, n), FALSE)]


def step_along(descriptor: TensorDescriptor, dimension: int) -> tuple[Index, Expr]:
    """By how much the offset moves for one step along a dimension: the index, and the difference as an expression.

    The dimension's variable runs over all but its last index.

    >>> from layoutalg.index.normal import simplify
    >>> from layoutalg.layout import make_naive_tensor_descriptor_packed
    >>> simplify(step_along(make_naive_tensor_descriptor_packed((4, 6)), 0)[1])
    6
    """
    length = descriptor.lengths[dimension]
    index = list(descriptor.index)
    index[dimension] = var(f"i{dimension}", length - 1) if length.hi > 1 else index[dimension] * 0
    after = [*index[:dimension], index[dimension] + 1, *index[dimension + 1 :]]
    return tuple(index), descriptor.offset(after) - descriptor.offset(index)


# --- CK's rules -------------------------------------------------------------------------------------------------------


def _kept(transform: Transform, below: Hints) -> Hints:
    return below


def _unknown(transform: Transform, below: Hints) -> Hints:
    return (UNKNOWN,) * len(transform.upper_lengths)


def _last(transform: Transform, below: Hints) -> Hints:
    return (below[-1] if below else UNKNOWN,)


def _divided(transform: Transform, below: Hints) -> Hints:
    lengths: Sequence[Expr] = transform.upper_lengths
    if not lengths:
        return ()
    known = below[0].length is not None and lengths[-1].op == "const"
    length = math.gcd(below[0].length or 0, int(lengths[-1])) if known else None
    return (*(UNKNOWN,) * (len(lengths) - 1), VectorHint(length, below[0].stride))


_CK: Mapping[str, Callable[[Transform, Hints], Hints]] = {
    **dict.fromkeys(("pass_through", "left_pad", "right_pad", "xor"), _kept),
    **dict.fromkeys(("merge", "merge_v2_magic_division", "merge_v3_division_mod"), _last),
    **dict.fromkeys(("unmerge", "unmerge_24bit"), _divided),
}
"""`calculate_upper_dimension_safe_vector_length_strides` of each transform of CK Tile's coordinate_transform.hpp."""
