"""A descriptor of a linear swizzle: the tile's bits in an order, gathered into fields, and one CK xor a pair of fields.

A slot's bit is one of the tile's bits with some others xor-ed in; the tile's other bits number the rounds.
Neighbouring bits that are treated alike make one field, so that what is a CK xor comes out as one:

    bits      r₅ r₄ r₃ | r₂ r₁ r₀ | c₂ c₁ c₀        xor r₂ into c₂, r₁ into c₁, r₀ into c₀
    fields    8        | 8        | 8               xor((8, 8)) of the second and the third

The fields are packed in memory, mixed, and merged to rows and columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from layoutalg.layout import (
    TensorDescriptor,
    Transform,
    make_naive_tensor_descriptor_packed,
    transform_tensor_descriptor,
)
from layoutalg.layout.ck import make_merge_transform, make_pass_through_transform, make_xor_transform
from layoutalg.records import dataclass

Pair = tuple[int, int]
"""Two places (or fields): the first is xor-ed into the second."""


def placed(columns: Sequence[int], slots: int) -> tuple[list[int], list[int]]:
    """For each bit of the slot: the tile's bit that becomes it, and the mask of all bits that are xor-ed into it.

    Earlier bits are eliminated from later ones, so that a target with fewer slots sees the same slots as before; where
    the columns leave a bit of the slot undetermined, one of the tile's bits is added.

    >>> placed((1, 2, 4, 9, 2, 4), 16)
    ([0, 1, 2, 3], [9, 18, 36, 8])
    """
    pivots: list[int] = []
    masks: list[int] = []
    for k in range(min(slots.bit_length() - 1, len(columns))):
        mask = sum(1 << j for j, q in enumerate(columns) if q >> k & 1)
        for pivot, before in zip(pivots, masks, strict=True):
            if mask >> pivot & 1:
                mask ^= before
        free = [j for j in range(len(columns)) if j not in pivots]
        of = [j for j in free if mask >> j & 1]
        pivot = k if k in of else of[0] if of else k if k in free else free[0]
        pivots.append(pivot)
        masks.append(mask | 1 << pivot)
    return pivots, masks


def descriptor_of(columns: Sequence[int], slots: int, part_bits: int, vector: int) -> TensorDescriptor:
    """The tile, rows × columns, with its vectors in the slots that the columns say.

    `part_bits` of the tile's bits (the lowest) number the vectors of a row, the others the rows.

    >>> descriptor_of((1, 2, 4, 1, 2, 4, 0), 8, 3, 8)
    TensorDescriptor (16, 64) over 1024 elements
      unmerge((2, 8, 8, 8)): [0] <- [1, 2, 3, 4]
      xor((8, 8)): [2, 3] <- [5, 6]
      pass_through(2): [1] <- [7]
      pass_through(8): [4] <- [8]
      merge((2, 8)): [7, 5] <- [9]
      merge((8, 8)): [6, 8] <- [10]
    """
    pivots, masks = placed(columns, slots)
    rest = [j for j in range(len(columns)) if j not in pivots]
    order = [*reversed(rest), *reversed(pivots)]
    place = {j: n for n, j in enumerate(order)}
    pairs = [
        (place[j], place[pivot])
        for pivot, mask in zip(pivots, masks, strict=True)
        for j in range(len(columns))
        if j != pivot and mask >> j & 1
    ]
    fields = _fields(order, pairs, part_bits)
    layout = make_naive_tensor_descriptor_packed((*(1 << len(f) for f in fields.bits), vector))
    for source, into in fields.xors:
        layout = _xored(layout, source, into)
    by_height = sorted(range(len(fields.bits)), key=lambda n: -fields.bits[n][0])
    high = [n for n in by_height if fields.bits[n][0] >= part_bits]
    low = [*(n for n in by_height if fields.bits[n][0] < part_bits), len(fields.bits)]
    merges = [_merged(layout, dims) for dims in (high, low)]
    return transform_tensor_descriptor(layout, merges, [high, low], [[0], [1]])


@dataclass(frozen=True)
class _Fields:
    """The tile's bits of each field, highest first, and which field is xor-ed into which, lowest layer first."""

    bits: list[list[int]]
    xors: list[Pair]


def _fields(order: Sequence[int], pairs: Sequence[Pair], part_bits: int) -> _Fields:
    """Fields as wide as the order of bits and the pairs allow; single bits where wider ones depend on each other."""
    runs = _runs(pairs)
    cuts = {0, len(order)} | {
        n for n in range(1, len(order)) if order[n] != order[n - 1] - 1 or order[n - 1] == part_bits
    }
    cuts |= {end for s, t, length in runs for end in (s, s + length, t, t + length)}
    while len(grown := _parallel(cuts, runs)) > len(cuts):
        cuts = grown
    try:
        return _cut(order, sorted(cuts), runs)
    except CycleError:
        return _cut(order, range(len(order) + 1), runs)


def _runs(pairs: Sequence[Pair]) -> list[tuple[int, int, int]]:
    """Pairs of neighbours at one distance, as (first source, first target, length), source and target apart."""
    left, found = sorted(pairs), []
    while left:
        s, t = left[0]
        length = 1
        while (s + length, t + length) in left and length < abs(t - s):
            length += 1
        left = [p for p in left if p not in {(s + n, t + n) for n in range(length)}]
        found.append((s, t, length))
    return found


def _parallel(cuts: set[int], runs: Sequence[tuple[int, int, int]]) -> set[int]:
    """With every cut through one side of a run also made through the other."""
    found = set(cuts)
    for s, t, length in runs:
        inside = {n for n in range(length) if s + n in cuts or t + n in cuts}
        found |= {s + n for n in inside} | {t + n for n in inside}
    return found


def _cut(order: Sequence[int], cuts: Sequence[int], runs: Sequence[tuple[int, int, int]]) -> _Fields:
    """The fields between cuts; a field is read by every xor before one changes it (upper layers come first)."""
    number = {cut: n for n, cut in enumerate(cuts)}
    xors = [(number[s + n], number[t + n]) for s, t, length in runs for n in range(length) if s + n in number]
    below = TopologicalSorter({x: {y for y in xors if y[1] == x[0]} for x in xors})
    bits = [list(order[a:b]) for a, b in pairwise(cuts)]
    return _Fields(bits, list(below.static_order()))


def _xored(layout: TensorDescriptor, source: int, into: int) -> TensorDescriptor:
    """One more layer: a field is xor-ed into another; the others pass."""
    others = [d for d in range(layout.rank) if d not in (source, into)]
    mix = make_xor_transform((layout.lengths[source], layout.lengths[into]))
    dims = [[source, into], *([d] for d in others)]
    return transform_tensor_descriptor(
        layout, [mix, *(make_pass_through_transform(layout.lengths[d]) for d in others)], dims, dims
    )


def _merged(layout: TensorDescriptor, dims: Sequence[int]) -> Transform:
    lengths = [layout.lengths[d] for d in dims]
    return make_merge_transform(lengths) if len(dims) > 1 else make_pass_through_transform(lengths[0])
