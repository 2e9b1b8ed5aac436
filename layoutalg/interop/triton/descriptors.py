"""A shared layout as a tensor descriptor, in CK's transforms alone: every invertible map over F₂ is a chain of them.

The inverse of a linear layout takes the bits of a coordinate to bits of the offset.  By elimination it is a permutation
of bits, and then some of them xor-ed into others; neighbours that move alike are taken together:

    memory ─ unmerge into runs of bits ─ xor of one run into another, … ─ merge of runs into dimensions

| swizzled_shared, vec 8, maxPhase 8, 64 × 64 elements | in transforms                                             |
|--------------------------------------------------------|-----------------------------------------------------------|
| offset                                                 | unmerge (8 · 8 · 8 · 8): rows above, r, vector v, element |
| v is xor-ed with r                                     | xor (8, 8)                                                |
| row, column                                            | merge (8, 8), merge (8, 8)                                |

Padding is a stride: a run that begins at bit b counts 2ᵇ elements and what is inserted among as many.
What it cannot represent: a layout over several blocks, or one that holds an element twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from layoutalg.interop.triton.places import bits_of
from layoutalg.layout import (
    Merge,
    PassThrough,
    TensorDescriptor,
    Transform,
    Xor,
    make_naive_tensor_descriptor,
    transform_tensor_descriptor,
)
from layoutalg.layout.transform import parameter

Pads = Sequence[tuple[int, int]]
"""Padding: after every so many elements, so many more; the least interval first."""
Step = tuple[int, int]
"""Bits of the offset: the first is xor-ed with the second."""
Run = tuple[int, int]
"""The bits from the first on, before the second."""


def descriptor_of(inverse: Sequence[int], sizes: Sequence[int], pads: Pads) -> TensorDescriptor:
    """The descriptor of the map from a coordinate's bits to the offset's, by its columns, padding on top of it.

    >>> descriptor_of([5, 10, 1, 2], [4, 4], ()).offset((3, 1))  # row 3 of 4, whose columns are xor-ed with the row
    14
    """
    pivots, steps = factored(inverse)
    joined = _neighbours(sizes, pivots) - {bits_of(interval) - 1 for interval, _ in pads}
    runs = _runs(joined, len(pivots), steps)
    grouped = _grouped(runs, steps)
    if _carried_out(pivots, grouped) != list(inverse):  # then bit by bit
        runs = _runs(set(), len(pivots), steps)
        grouped = _grouped(runs, steps)
    assert _carried_out(pivots, grouped) == list(inverse)
    return _dimensions(_built(sizes, pads, runs[::-1], grouped), sizes, pivots, runs[::-1])


def padded(offset: int, pads: Pads) -> int:
    """Where an offset of the linear part lies.

    >>> padded(130, ((64, 8),))
    146
    """
    return offset + sum(offset // interval * padding for interval, padding in pads)


def factored(columns: Sequence[int]) -> tuple[list[int], list[Step]]:
    """An invertible map as a permutation of bits, and steps that then follow one another.

    >>> factored([1, 2, 5, 10])
    ([0, 1, 2, 3], [(0, 2), (1, 3)])
    """
    left, used = dict(enumerate(columns)), 0
    order: list[tuple[int, int]] = []
    pivots, late = [0] * len(columns), list[Step]()
    while left:
        column = min(left, key=lambda c: ((left[c] & ~used).bit_count(), c))
        own = left[column] & ~used
        pivot = (own & -own).bit_length() - 1
        for bit in range(pivot + 1, own.bit_length()):
            if own >> bit & 1:
                late.insert(0, (bit, pivot))
                left = {c: value ^ (value >> pivot & 1) << bit for c, value in left.items()}
        order.append((pivot, left.pop(column)))
        pivots[column], used = pivot, used | 1 << pivot
    # what a later column adds to an earlier one's bit, while the later one's own bit is as it was
    steps = [(p, q) for n, (p, _) in enumerate(order) for q, added in order[n + 1 :] if added >> p & 1]
    return pivots, steps + late


def _neighbours(sizes: Sequence[int], pivots: Sequence[int]) -> set[int]:
    """The bits of the offset whose next one is the next bit of the same coordinate."""
    found, at = set(), 0
    for bits in map(bits_of, sizes):
        own = pivots[at : at + bits]
        found |= {one for one, other in pairwise(own) if other == one + 1}
        at += bits
    return found


def _runs(joined: set[int], count: int, steps: Sequence[Step]) -> list[Run]:
    """The longest runs of bits of which all steps move the bits alike."""
    taken = set(steps)

    def alike(bit: int) -> bool:
        up = all((t + 1, s + 1) in taken for t, s in taken if bit in (t, s))
        down = all((t - 1, s - 1) in taken for t, s in taken if bit + 1 in (t, s))
        with_joined = all({t, s} <= joined for t, s in taken if bit in (t, s))
        return up and down and with_joined

    while apart := {bit for bit in joined if not alike(bit)}:
        joined = joined - apart
    starts = [bit for bit in range(count) if bit - 1 not in joined]
    return list(pairwise([*starts, count]))


def _grouped(runs: Sequence[Run], steps: Sequence[Step]) -> list[tuple[Run, Run]]:
    """The steps between runs, in the order in which they begin."""
    run_of = {bit: run for run in runs for bit in range(*run)}
    return list(dict.fromkeys((run_of[t], run_of[s]) for t, s in steps))


def _carried_out(pivots: Sequence[int], steps: Sequence[tuple[Run, Run]]) -> list[int]:
    """The columns of the permutation and the steps after it."""
    columns = [1 << pivot for pivot in pivots]
    for (target, _), (source, end) in steps:
        mask = (1 << end - source) - 1
        columns = [value ^ (value >> source & mask) << target for value in columns]
    return columns


def _built(sizes: Sequence[int], pads: Pads, runs: Sequence[Run], steps: Sequence[tuple[Run, Run]]) -> TensorDescriptor:
    """The chain of transforms; the first run is the slowest dimension."""
    lengths = [1 << end - start for start, end in runs]
    empty = [size for size in sizes if size == 1]
    strides = [padded(1 << start, pads) for start, _ in runs]
    found = make_naive_tensor_descriptor([*lengths, *empty], [*strides, *empty])
    count = len(lengths) + len(empty)
    for target, source in reversed(steps):
        pair = [runs.index(source), runs.index(target)]
        others = [n for n in range(count) if n not in pair]
        width = 1 << target[1] - target[0]
        transforms: list[Transform] = [Xor(tuple(map(parameter, (width, width))))]
        transforms += [PassThrough(parameter(lengths[n] if n < len(lengths) else 1)) for n in others]
        ids = [pair, *([n] for n in others)]
        found = transform_tensor_descriptor(found, transforms, ids, ids)
    return found


def _dimensions(
    found: TensorDescriptor, sizes: Sequence[int], pivots: Sequence[int], runs: Sequence[Run]
) -> TensorDescriptor:
    """The runs merged into the tensor's dimensions."""
    place = {start: n for n, (start, _) in enumerate(runs)}
    merges: list[Transform] = []
    lower: list[list[int]] = []
    at, spare = 0, len(runs)
    for bits in map(bits_of, sizes):
        own = [place[p] for p in pivots[at : at + bits] if p in place][::-1]
        at += bits
        if not own:
            own, spare = [spare], spare + 1
        lengths = tuple(parameter(1 << runs[n][1] - runs[n][0] if n < len(runs) else 1) for n in own)
        merges.append(Merge(lengths) if len(own) > 1 else PassThrough(lengths[0]))
        lower.append(own)
    return transform_tensor_descriptor(found, merges, lower, [[n] for n in range(len(merges))])
