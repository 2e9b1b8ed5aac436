"""Random valid chains of transforms, and what each transform means in plain integers, written a second time.

`chains` builds a descriptor through one to four layers from hypothesis' draws, so that a failing chain shrinks.
`offset_of` follows an index down the chain with nothing of the library's but the parameters: the reference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from hypothesis import strategies as st

from layoutalg.index import substitute
from layoutalg.layout import (
    ConvBwdDataOut,
    CyclicShift,
    CyclicShiftInverse,
    Embed,
    Freeze,
    Functor,
    Indexing,
    Insert,
    LeftPad,
    Merge,
    MergeCarryCheck,
    MergeDivisionMod,
    MergeMagicDivision,
    MergeNoCarry,
    MergeScannedMagicDivision,
    Modulo,
    Offset,
    Pad,
    PassThrough,
    Replicate,
    RightPad,
    Slice,
    TensorDescriptor,
    Transform,
    Unmerge,
    Vectorize,
    Xor,
    XorNoModulo,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_aligned,
    make_naive_tensor_descriptor_packed,
    make_naive_tensor_descriptor_with_offset,
    transform_tensor_descriptor,
)

RANK, ELEMENTS = 6, 1 << 20


@dataclass
class Choice:
    """Draws numbers; everything random goes through it."""

    draw: Callable[[st.SearchStrategy[int]], int]

    def number(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))

    def of(self, items: Sequence):
        return items[self.number(0, len(items) - 1)]

    def order(self, count: int) -> list[int]:
        left, found = list(range(count)), []
        while left:
            found.append(left.pop(self.number(0, len(left) - 1)))
        return found


@dataclass
class Layer:
    """One transform_tensor_descriptor call while it grows."""

    transforms: list[Transform] = field(default_factory=list)
    lower: list[list[int]] = field(default_factory=list)
    made: list[list[int]] = field(default_factory=list)

    def add(self, transform: Transform, lower: list[int]) -> None:
        self.transforms.append(transform)
        self.lower.append(lower)
        self.made.append([int(n) for n in transform.upper_lengths])


# --- one transform over one, two or more dimensions -------------------------------------------------------------------


def _padded(kind: type[Transform], sides: int) -> Callable[[Choice, int], Transform]:
    return lambda c, n: kind(n, *(c.number(0, 4) for _ in range(sides)))


def _slice(c: Choice, n: int) -> Transform:
    begin = c.number(0, n - 1)
    return Slice(n, begin, c.number(begin + 1, n))


def _offset(c: Choice, n: int) -> Transform:
    before = c.number(0, n - 1)
    return Offset(c.number(1, n - before), before)


def _unmerge(c: Choice, n: int) -> Transform:
    parts, rest = [], n
    while rest > 1 and len(parts) < 3:
        parts.append(c.of([d for d in range(1, rest + 1) if rest % d == 0]))
        rest //= parts[-1]
    return Unmerge((*parts, rest))


def _embed(c: Choice, n: int) -> Transform:
    lengths, strides, reach = [], [], 0
    for _ in range(c.number(1, 3)):
        lengths.append(c.number(1, 5))
        room = (n - 1 - reach) // max(1, lengths[-1] - 1)
        strides.append(c.number(0, room))
        reach += (lengths[-1] - 1) * strides[-1]
    return Embed(tuple(lengths), tuple(strides))


def _vectorize(c: Choice, n: int) -> Transform:
    size = c.of([d for d in range(1, n + 1) if n % d == 0])
    return Vectorize(size, n // size)


def _functor(c: Choice, n: int) -> Transform:
    scale, start = c.number(-3, 5), c.number(0, 9)
    return Functor.of(lambda u: (u * scale + start) % n, c.number(1, 9))


ONE: Sequence[Callable[[Choice, int], Transform]] = (
    lambda c, n: PassThrough(n),
    _padded(Pad, 2),
    _padded(LeftPad, 1),
    _padded(RightPad, 1),
    _slice,
    _offset,
    _unmerge,
    _embed,
    _vectorize,
    _functor,
    lambda c, n: Modulo(c.number(1, n), c.number(1, 20)),
    lambda c, n: Indexing(tuple(c.number(0, n - 1) for _ in range(c.number(1, 6)))),
    lambda c, n: Freeze(c.number(0, n - 1)),
    lambda c, n: Merge((n,)),
)
"""Over one dimension."""
MERGES = (
    Merge, Merge, MergeCarryCheck, MergeMagicDivision, MergeScannedMagicDivision, MergeDivisionMod, MergeNoCarry
)  # fmt: skip
PAIRS = (Xor, XorNoModulo, CyclicShift, CyclicShiftInverse)


# --- chains -----------------------------------------------------------------------------------------------------------


def _layer(c: Choice, dims: Sequence[int]) -> Layer:
    layer, left = Layer(), c.order(len(dims))
    while left:
        take = [left.pop() for _ in range(min(len(left), c.of((1, 1, 1, 2, 2, 3))))]
        lengths = [dims[d] for d in take]
        if len(take) == 2 and c.number(0, 1):
            layer.add(c.of(PAIRS)(lengths), take)
        else:
            layer.add(c.of(MERGES)(lengths) if len(take) > 1 else c.of(ONE)(c, lengths[0]), take)
    if c.number(0, 4) == 0:
        layer.add(Insert(c.number(1, 5)), [])
    if c.number(0, 6) == 0:
        layer.add(Replicate([c.number(1, 3) for _ in range(c.number(0, 2))]), [])
    return layer


def _base(c: Choice) -> TensorDescriptor:
    lengths = [c.of((1, 2, 3, 4, 5, 6, 7, 8, 12, 16)) for _ in range(c.number(1, 5))]
    strides = [c.number(0, 40) for _ in lengths]
    makers: Sequence[Callable[[], TensorDescriptor]] = (
        lambda: make_naive_tensor_descriptor_packed(lengths),
        lambda: make_naive_tensor_descriptor(lengths, strides),
        lambda: make_naive_tensor_descriptor_aligned(lengths, c.number(1, 16)),
        lambda: make_naive_tensor_descriptor_with_offset(lengths, strides, c.number(0, 99)),
    )
    return c.of(makers)()


def convolution() -> TensorDescriptor:
    """Four dimensions, as the one transform needs them that drawn chains have not."""
    made = ConvBwdDataOut((2, 6, 5, 3), 6, 3, (1, 0), (-1, -1), 6, (4, 14, 4), (2, 4))
    base = make_naive_tensor_descriptor_packed(made.out_lengths)
    return transform_tensor_descriptor(base, [made], [[0, 1, 2, 3]], [[0, 1, 2]])


@st.composite
def chains(draw: Callable[[st.SearchStrategy[int]], int]) -> TensorDescriptor:
    """A descriptor through one to four layers of transforms, of rank 1 to 6."""
    c = Choice(draw)
    descriptor = _base(c)
    dims = [int(n) for n in descriptor.lengths]
    for _ in range(c.number(1, 4)):
        layer = _layer(c, dims)
        made = [d for group in layer.made for d in group]
        if not 1 <= len(made) <= RANK or math.prod(made) > ELEMENTS:
            continue
        place = c.order(len(made))
        upper, start = [], 0
        for group in layer.made:
            upper.append(place[start : start + len(group)])
            start += len(group)
        descriptor = transform_tensor_descriptor(descriptor, layer.transforms, layer.lower, upper)
        dims = [made[place.index(n)] for n in range(len(made))]
    return descriptor


# --- the reference ----------------------------------------------------------------------------------------------------


def _digits(u: int, lengths: Sequence[int]) -> list[int]:
    found = []
    for length in lengths[:0:-1]:
        found.append(u % length)
        u //= length
    return [u, *found[::-1]]


def _truncated(u: int, lengths: Sequence[int]) -> list[int]:
    """By C's division from the first digit on: of a negative number every digit is negative or 0."""
    sign = -1 if u < 0 else 1
    found, rest = [], abs(u)
    for n in range(len(lengths) - 1):
        scan = math.prod(lengths[n + 1 :])
        found.append(sign * (rest // scan))
        rest %= scan
    return [*found, sign * rest]


def _magic(u: int, lengths: Sequence[int]) -> list[int]:
    """By CK's magic division, in uint32."""
    found = []
    for length in lengths[:0:-1]:
        shift = (length - 1).bit_length()
        n = u & 0xFFFFFFFF
        quotient = ((n * ((((1 << shift) - length) << 32) // length + 1) >> 32) + n & 0xFFFFFFFF) >> shift
        quotient -= (quotient >> 31) << 32
        found.append(u - quotient * length)
        u = quotient
    return [u, *found[::-1]]


def _scanned(u: int, lengths: Sequence[int]) -> list[int]:
    """By CK's magic division by the products of the lengths after each, in uint32."""
    found = []
    for n in range(len(lengths) - 1):
        scan = math.prod(lengths[n + 1 :])
        found.append(_magic(u, [1, scan])[0])
        u -= found[-1] * scan
    return [*found, u]


def _convolved(t: Transform, u: Sequence[int]) -> list[int]:
    """Rows are images, rows and columns of a slice; columns the filter's rows, columns and channels."""
    k, m = u[0] * int(t.gemm_lengths[2]) + u[2], u[1]
    n, rest = divmod(m, int(t.tilde_slice))
    h, w = divmod(rest, int(t.w_tilde_slice))
    y, rest = divmod(k, int(t.x_dot_slice_k))
    x, channel = divmod(rest, int(t.out_lengths[3]))
    begin, ratio = list(map(int, t.begins)), list(map(int, t.ratios))
    return [n, begin[0] + h + ratio[0] * y, begin[1] + w + ratio[1] * x, channel]


def _gemm_valid(t: Transform, u: Sequence[int]) -> bool:
    k0, rows, k1 = map(int, t.gemm_lengths)
    return u[1] < rows - int(t.pads[0]) and u[0] * k1 + u[2] < k0 * k1 - int(t.pads[1])


def _number(u: Sequence[int], lengths: Sequence[int]) -> int:
    total = 0
    for digit, length in zip(u, lengths, strict=True):
        total = total * length + digit
    return total


Plain = Callable[[Transform, Sequence[int]], Sequence[int]]
REFERENCE: Mapping[str, Plain] = {
    "pass_through": lambda t, u: u,
    "pad": lambda t, u: [u[0] - int(t.left)],
    "left_pad": lambda t, u: [u[0] - int(t.left)],
    "right_pad": lambda t, u: u,
    "embed": lambda t, u: [sum(a * int(s) for a, s in zip(u, t.strides, strict=True))],
    "merge": lambda t, u: _digits(u[0], list(map(int, t.lengths))),
    "merge_v1_carry_check": lambda t, u: _truncated(u[0], list(map(int, t.lengths))),
    "merge_v2_magic_division": lambda t, u: _magic(u[0], list(map(int, t.lengths))),
    "merge_v2r2_magic_division": lambda t, u: _scanned(u[0], list(map(int, t.lengths))),
    "merge_v3_division_mod": lambda t, u: _truncated(u[0], list(map(int, t.lengths))),
    "merge_v4_no_carry": lambda t, u: _truncated(u[0], list(map(int, t.lengths))),
    "unmerge": lambda t, u: [_number(u, list(map(int, t.lengths)))],
    "freeze": lambda t, u: [int(t.index)],
    "insert": lambda t, u: [],
    "replicate": lambda t, u: [],
    "slice": lambda t, u: [u[0] + int(t.begin)],
    "modulo": lambda t, u: [u[0] % int(t.modulus)],
    "xor": lambda t, u: [u[0], u[1] ^ (u[0] % int(t.lengths[1]))],
    "xor_no_modulo": lambda t, u: [u[0], u[1] ^ u[0]],
    "cyclic_shift": lambda t, u: [u[0], (u[1] + u[0]) % int(t.lengths[1])],
    "cyclic_shift_inverse": lambda t, u: [u[0], (u[1] - u[0]) % int(t.lengths[1])],
    "offset": lambda t, u: [u[0] + int(t.offset)],
    "indexing": lambda t, u: [int(t.table[u[0] % len(t.table)])],
    "functor": lambda t, u: [int(substitute(t.function, {t.index: u[0]}))],
    "vectorize": lambda t, u: [u[0] * int(t.vector_size)],
    "conv_bwd_data_out": lambda t, u: _convolved(t, u),
}
"""lower = f(upper) of each transform, on integers."""
VALID: Mapping[str, Callable[[Transform, Sequence[int]], bool]] = {
    "pad": lambda t, u: int(t.left) <= u[0] < int(t.left) + int(t.length),
    "left_pad": lambda t, u: u[0] >= int(t.left),
    "right_pad": lambda t, u: u[0] < int(t.length),
    "conv_bwd_data_out": lambda t, u: _gemm_valid(t, u),
}
"""Whether an upper index is data, of the transforms that pad."""


def offset_of(descriptor: TensorDescriptor, top: Sequence[int]) -> tuple[int, bool]:
    """The offset and the validity of a top index, by the reference."""
    a = descriptor.adaptor
    hidden, valid = dict(zip(a.top_ids, top, strict=True)), True
    for transform, lower, upper in list(zip(a.transforms, a.lower_ids, a.upper_ids, strict=True))[::-1]:
        u = [hidden[i] for i in upper]
        if transform.name in VALID:
            valid = valid and VALID[transform.name](transform, u)
        hidden |= zip(lower, REFERENCE[transform.name](transform, u), strict=True)
    return hidden[0], valid
