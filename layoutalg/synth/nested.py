"""Rows and vectors in digits, in any order, with one gap: every such layout looked at, so that the smallest is known.

A row's number is split in two, r = (r / b)·b + r mod b, the number of a vector in its row too, by any divisors; the
digits, the slowest first in any order, number the places of the tile, and a gap of p vectors follows each block of all
that are faster than one of them:

| 48 rows of 16 vectors, digits         | place of row r, vector c                              | known as          |
|---------------------------------------|-------------------------------------------------------|-------------------|
| r / 6, r mod 6, c; 2 after each r / 6 | (r / 6)·(6·16 + 2) + (r mod 6)·16 + c                 | padding by rows   |
| r mod 24, r / 24, c                   | (r mod 24)·32 + (r / 24)·16 + c                       | rows apart        |
| c, r; 1 after each c                  | c·(48 + 1) + r                                        | columns of vectors|

Any layout that keeps vectors whole is a table of places, and the vectors that a phase wants of the packed tile are the
same in each: so an access is evaluated once, and a layout costs one look into its table.  A gap of one round of the
banks more moves blocks by whole rounds, so those below it are all.
What it cannot represent: more than two digits, or gaps after several of them; mixed layouts (`families`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import permutations
from math import prod

import numpy as np

from layoutalg.index import Expr
from layoutalg.index.box import box
from layoutalg.index.evaluate import array
from layoutalg.layout import (
    TensorDescriptor,
    make_naive_tensor_descriptor,
    transform_tensor_descriptor,
)
from layoutalg.layout.ck import make_merge_transform
from layoutalg.memory import Access
from layoutalg.memory.banks import Bools, Ints, phase_cycles
from layoutalg.memory.waves import blocks
from layoutalg.records import dataclass
from layoutalg.synth.families import Candidate, divisors, padded, round_of_banks
from layoutalg.synth.gemm import packed
from layoutalg.synth.problem import Problem
from layoutalg.target import target

ROW, PART = "row", "vector"
MOST_ADDRESSES = 1 << 22
"""Addresses of all accesses together that are looked at; with more the digits are not searched."""


@dataclass(frozen=True)
class Digit:
    """A digit of a row's number or of a vector's: how many values it has, and the count of all below it."""

    of: str
    count: int
    below: int
    whole: bool

    def __str__(self) -> str:
        if self.whole:
            return self.of
        return f"{self.of} / {self.below}" if self.below > 1 else f"{self.of} mod {self.count}"


@dataclass(frozen=True)
class Nested:
    """Digits, the slowest first, and how many of them stand outside the blocks that a gap follows."""

    digits: tuple[Digit, ...]
    outside: int

    @property
    def gaps(self) -> int:
        """The gaps between the blocks."""
        return prod(d.count for d in self.digits[: self.outside]) - 1

    def rank(self) -> tuple[int, int, bool, bool]:
        """What comes first: few gaps, few digits, whole rows, vectors of a row side by side."""
        parts = [d for d in self.digits if d.of == PART]
        return self.gaps, len(self.digits), len(parts) > 1, self.digits[-1].of != PART

    def strides(self, gap: int) -> list[int]:
        """The places between two values of each digit."""
        found = [prod(d.count for d in self.digits[n + 1 :]) for n in range(len(self.digits))]
        block = prod(d.count for d in self.digits[self.outside :])
        return [s // block * (block + gap) if n < self.outside else s for n, s in enumerate(found)]

    def places(self, rows: int, parts: int, gaps: Ints) -> Ints:
        """For each gap the place of each vector of the packed tile."""
        number = np.arange(rows * parts)
        value = {ROW: number // parts, PART: number % parts}
        each = [value[d.of] // d.below % d.count for d in self.digits]
        strides = np.array([self.strides(int(gap)) for gap in gaps]).reshape(len(gaps), len(each))
        return np.asarray(strides @ np.array(each))

    def descriptor(self, vector: int, gap: int) -> TensorDescriptor:
        """The layout of (row, column)."""
        lengths, strides = [d.count for d in self.digits], [vector * s for s in self.strides(gap)]
        below = make_naive_tensor_descriptor((*lengths, vector), (*strides, 1))
        row, part = ([n for n, d in enumerate(self.digits) if d.of == of] for of in (ROW, PART))
        row, part = (sorted(which, key=lambda n: -self.digits[n].below) for which in (row, part))
        merges = [make_merge_transform([lengths[n] for n in row]),
                  make_merge_transform([*(lengths[n] for n in part), vector])]  # fmt: skip
        return transform_tensor_descriptor(below, merges, [row, [*part, len(lengths)]], [[0], [1]])

    def named(self, gap: int) -> str:
        """The layout in words: what CK and Triton call it, else its digits."""
        match [(d.of, d.below > 1, d.whole) for d in self.digits] if self.outside == 1 else None:
            case [("vector", _, True), ("row", _, True)]:
                return f"columns of vectors, each padded by {gap}" if gap else "columns of vectors"
            case [("row", _, True)] | [("row", _, True), ("vector", _, True)] if gap:
                return padded("lines of 1 row", gap)
            case [("row", True, _), ("row", False, False), ("vector", _, True)] if gap:
                return padded(f"lines of {self.digits[1].count} rows", gap)
            case [("row", False, False), ("row", True, _), ("vector", _, True)]:
                return padded(f"lines of {self.digits[1].count} rows, {self.digits[0].count} apart", gap)
        text = "order of " + ", ".join(map(str, self.digits))
        inner = " × ".join(str(d.count) for d in self.digits[self.outside :]) or "one"
        return f"{text}; {gap} vector{'s' * (gap > 1)} after each {inner}" if gap else text


def nested(rows: int, parts: int) -> Iterator[Nested]:
    """Every order of the digits of rows and vectors, each with every place of the gap.

    >>> [layout.named(1) for layout in nested(2, 1)]
    ['lines of 1 row, padded by 1 vector']
    """
    for row in _splits(ROW, rows):
        for part in _splits(PART, parts):
            for order in permutations((*row, *part)):
                for outside in range(1, len(order) + 1):
                    yield Nested(order, outside)


def _splits(of: str, count: int) -> list[tuple[Digit, ...]]:
    if count == 1 and of == PART:
        return [()]
    inner = divisors(count)[1:-1]
    return [(Digit(of, count, 1, True),)] + [(Digit(of, count // n, n, False), Digit(of, n, 1, False)) for n in inner]


def orders(problem: Problem) -> str:
    """What is looked at, in words."""
    rows, parts = problem.lengths[0], problem.lengths[1] // problem.vector
    return (
        f"{rows} rows and {parts} vectors of {problem.vector} a row in up to two digits each, by any divisor, "
        f"in any order, with one gap of 0 … {round_of_banks(problem) - 1} vectors after any digit"
    )


@dataclass(frozen=True)
class WantedVectors:
    """The bytes of the packed tile that an access wants at each value of its variables (rows), lane by lane."""

    access: Access
    vectors: Ints
    inside: Ints
    there: Bools

    def waves(self, which: slice) -> WantedVectors:
        """Some of the values alone."""
        return WantedVectors(self.access, self.vectors[which], self.inside[which], self.there[which])

    def cycles(self, places: Ints, size: int) -> Ints:
        """The most cycles of a phase in each of some layouts."""
        addresses = places[:, self.vectors] * size + self.inside
        found = phase_cycles(self.access.target, self.access.instruction, addresses, self.there)
        return np.asarray(found.reshape(len(places), -1).max(axis=1))


def wanted(problem: Problem) -> list[WantedVectors] | None:
    """Each access, evaluated once; None where one is not within vectors, is misaligned, or has too many values."""
    found, room, size = [], MOST_ADDRESSES, problem.vector_bytes
    for access in problem.accesses(packed(*problem.lengths)):
        how, lane = access.instruction, access.lanes.lane
        every = box([v for v in access.lanes.variables if v is not lane])
        room -= 0 if every is None else every.count * how.lanes
        if every is None or room < 0 or size % how.alignment:
            return None
        each = [_evaluated(access, at, len(numbers)) for numbers, at in blocks(every)]
        addresses, there = (np.concatenate(parts) for parts in zip(*each, strict=True))
        if (addresses % size + how.bytes > size).any():
            return None
        both = np.unique(np.stack([addresses, there], axis=1), axis=0)
        addresses, there = both[:, 0], both[:, 1] != 0
        found.append(WantedVectors(access, addresses // size, addresses % size, there))
    return found


def _evaluated(access: Access, at: dict[Expr, Ints], count: int) -> tuple[Ints, Bools]:
    lanes = np.arange(access.instruction.lanes)
    there, where = array((access.taking_part, access.start), {**at, access.lanes.lane: lanes})
    shape = (count, len(lanes))
    there = np.broadcast_to(there, shape) != 0
    return np.where(there, np.broadcast_to(where, shape), 0), there


@dataclass(frozen=True)
class Least:
    """The layout of fewest bytes of all that were looked at, None where there is none; and how many these were."""

    layout: Candidate | None
    looked_at: int


def least(problem: Problem, most: int, fits: Callable[[Candidate], bool]) -> Least | None:
    """The layout of fewest bytes more than packed that takes at most `most` cycles a phase, and `fits`.

    Every layout of fewer bytes is looked at.  None where the accesses do not allow it.

    >>> from layoutalg.synth.problem import gemm_problem
    >>> problem = gemm_problem(64, 32, "f16", "mfma_f32_16x16x32_f16", ("gfx942", "gfx950"))
    >>> found = least(problem, 1, lambda layout: True)
    >>> found.layout.name, found.layout.extra
    ('order of vector / 2, row / 4, vector mod 2, row mod 4; 2 vectors after each 16 × 2 × 4', 32)
    """
    asked, size, vector = wanted(problem), problem.vector_bytes, problem.vector
    if asked is None:
        return None
    rows, parts = problem.lengths[0], problem.lengths[1] // vector
    room = min(target(name).lds_bytes for name in problem.targets) - problem.packed_bytes
    limit, best, count = room + 1, None, 0
    for layout in sorted(nested(rows, parts), key=Nested.rank):
        gaps = np.arange(0 if layout.outside == 1 else 1, round_of_banks(problem))
        gaps = gaps[gaps * layout.gaps * size < limit]
        count += len(gaps)
        for gap in _serving(asked, layout.places(rows, parts, gaps), gaps, size, most):
            make = partial(layout.descriptor, vector, gap)
            one = Candidate(layout.named(gap), gap * layout.gaps * size, make, "padding")
            if fits(one):
                best, limit = one, one.extra
                break
    return Least(best, count)


def _serving(asked: Sequence[WantedVectors], places: Ints, gaps: Ints, size: int, most: int) -> list[int]:
    """The gaps with which no access takes more than `most` cycles; its first wave rules out most of them."""
    for access in asked:
        for some in (access.waves(slice(1)), access.waves(slice(1, None))):
            if len(gaps) and len(some.vectors):
                serves = some.cycles(places, size) <= most
                gaps, places = gaps[serves], places[serves]
    return [int(gap) for gap in gaps]
