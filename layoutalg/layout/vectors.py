"""Vector hints: how wide CK takes an access to a descriptor to be, and where it is wrong.

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

So a hint is a claim, `layoutalg.prove.Contiguous`: every vector that starts at a multiple of its length is consecutive
in memory, aligned there, and data or padding as a whole.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from layoutalg.index import ZERO, Expr, mod
from layoutalg.layout.adaptor import same_length
from layoutalg.layout.descriptor import TensorDescriptor
from layoutalg.layout.transform import Transform
from layoutalg.records import dataclass

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
    for transform, lower, upper in a.linked:
        rule = _CK.get(transform.name, _unknown)
        below = tuple(found.get(i, UNKNOWN) for i in lower)
        for i, carried in zip(upper, rule(transform, below), strict=True):
            own = guaranteed.get(i, UNKNOWN)
            found[i] = VectorHint(own.length or carried.length, carried.stride if own.stride is None else own.stride)
    return tuple(found.get(i, UNKNOWN) for i in a.top_ids)


def vector_candidates(descriptor: TensorDescriptor, dimension: int, longest: int = LONGEST) -> list[int]:
    """The vector lengths worth a proof, the longest first: powers of two that divide the dimension for all sizes."""
    whole = descriptor.lengths[dimension]
    powers = [1 << k for k in reversed(range(longest.bit_length())) if 1 << k <= longest]
    return [n for n in powers if same_length(mod(whole, n), ZERO)]


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
