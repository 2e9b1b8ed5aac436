"""The smallest layout for random tiles and accesses, beside trying all of them, address by address.

    python3 -m benchmarks.synth.smallest > benchmarks/synth/SMALLEST.md

Tiles have rows and columns that are seldom powers of two; a write and a read of other widths and orders use them.  The
other side shares nothing with `synth` but the lane groups of the target: it numbers the places of a layout by
counting, rows and vectors in up to two digits in any order, one gap after any digit, and looks at each phase's dwords.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations, product
from math import lcm, prod

from layoutalg.index import var
from layoutalg.memory import lane_map
from layoutalg.synth.problem import Problem, Use
from layoutalg.synth.search import Synthesis, synthesize
from layoutalg.target import target

SEED, PROBLEMS = 39, 40
TYPES = {"f8": 1, "f16": 2, "f32": 4}
Wave = list[tuple[int, int]]
"""The row and the first column that each lane reaches."""


@dataclass(frozen=True)
class Case:
    """A tile with a write and a read: lanes across and down for each, its width, and in which order lanes go down."""

    rows: int
    columns: int
    dtype: str
    gpu: str
    uses: tuple[tuple[str, int, int, bool], ...]
    """The way, its width, the lanes across a row, and whether neighbouring lanes go to rows that lie apart."""

    def lanes_of(self, width: int, across: int, apart: bool) -> Iterator[Wave]:
        """Each wave of a use, place by place."""
        down = 64 // across
        for step, part in product(range(self.rows // down), range(self.columns // (across * width))):
            yield [
                (self.row(lane, across, step, apart), (self.column(lane, down, across, apart) + part * across) * width)
                for lane in range(64)
            ]

    def row(self, lane: int, across: int, step: int, apart: bool) -> int:
        """The row of a lane."""
        down = 64 // across
        return lane % down * (self.rows // down) + step if apart else step * down + lane // across

    def column(self, lane: int, down: int, across: int, apart: bool) -> int:
        """The vector of a lane in its row."""
        return lane // down if apart else lane % across

    def problem(self) -> Problem:
        """The case as `synth` takes it."""
        return Problem((self.rows, self.columns), self.dtype, tuple(self._use(*use) for use in self.uses), (self.gpu,))

    def _use(self, way: str, width: int, across: int, apart: bool) -> Use:
        lane, down = var("lane", 64), 64 // across
        step, part = var("step", self.rows // down), var("part", self.columns // (across * width))
        row = lane % down * (self.rows // down) + step if apart else step * down + lane // across
        vector = (lane // down if apart else lane % across) + part * across
        return Use(lane_map(lane, (row, vector * width), width, name=f"{way} of {width}"), way)


def cases(seed: int = SEED) -> Iterator[Case]:
    """Random cases without an end, the same for one seed."""
    pick = random.Random(seed)
    while True:
        dtype, gpu = pick.choice(list(TYPES)), pick.choice(("gfx942", "gfx950"))
        rows, columns = pick.choice((16, 24, 32, 40, 48, 64, 96)), pick.choice((16, 24, 32, 48, 64, 96))
        uses = [(way, pick.choice((4, 8, 16)) // TYPES[dtype], pick.choice((2, 4, 8, 16)), pick.random() < 0.5)
                for way in ("write", "read")]  # fmt: skip
        widest = max(width for _, width, _, _ in uses)
        whole = all(rows % (64 // across) == 0 and columns % (across * width) == 0 for _, width, across, _ in uses)
        if whole and columns % widest == 0 and rows * columns * TYPES[dtype] <= 6144:
            yield Case(rows, columns, dtype, gpu, tuple(uses))


# --- trying all of them -----------------------------------------------------------------------------------------------


def fewest_bytes(case: Case) -> int | None:
    """The fewest bytes of any layout without conflicts, None where each has some."""
    size, vector = TYPES[case.dtype], max(width for _, width, _, _ in case.uses)
    parts, phases = case.columns // vector, list(_phases(case, vector))
    round_ = lcm(256, vector * size) // (vector * size)
    best: int | None = None
    for digits in _orders(case.rows, parts):
        places = _places(digits, parts)
        for level, gap in product(range(1, len(digits) + 1), range(round_)):
            block = prod(count for _, count, _ in digits[level:])
            bytes_ = (len(places) + (len(places) - 1) // block * gap) * vector * size
            if (gap or level == 1) and (best is None or bytes_ < best) and _all_free(phases, places, block, gap):
                best = bytes_
    return best


def _orders(rows: int, parts: int) -> Iterator[tuple[tuple[str, int, int], ...]]:
    """Digits as (of what, how many values, the count of all below it)."""
    for row, part in product(_digits("row", rows), _digits("part", parts)):
        yield from permutations(row + part)


def _digits(of: str, count: int) -> Iterator[tuple[tuple[str, int, int], ...]]:
    yield ((of, count, 1),)
    for n in range(2, count):
        if count % n == 0:
            yield ((of, count // n, n), (of, n, 1))


def _places(digits: tuple[tuple[str, int, int], ...], parts: int) -> list[int]:
    """The place of each vector of the tile without gaps: counted through."""
    places = [0] * prod(count for _, count, _ in digits)
    for n, values in enumerate(product(*(range(count) for _, count, _ in digits))):
        number = {"row": 0, "part": 0}
        for (of, _, below), value in zip(digits, values, strict=True):
            number[of] += value * below
        places[number["row"] * parts + number["part"]] = n
    return places


@dataclass(frozen=True)
class Phase:
    """What the lanes of a phase want, as (vector, first byte in it, bytes), of vectors of `size` bytes."""

    wanted: tuple[tuple[int, int, int], ...]
    size: int
    banks: int

    def free(self, places: list[int], block: int, gap: int) -> bool:
        """Whether no bank is asked for two dwords, with a gap of vectors after each block."""
        asked: dict[int, int] = {}
        for at, first, count in self.wanted:
            begin = (places[at] + places[at] // block * gap) * self.size + first
            for dword in range(begin // 4, (begin + count - 1) // 4 + 1):
                if asked.setdefault(dword % self.banks, dword) != dword:
                    return False
        return True


def _phases(case: Case, vector: int) -> Iterator[Phase]:
    """Each phase of each wave."""
    size, parts = TYPES[case.dtype], case.columns // vector
    for way, width, across, apart in case.uses:
        how = target(case.gpu).for_width("write" if way == "write" else "read", width * size)
        for wave in case.lanes_of(width, across, apart):
            for lanes in how.phases:
                at = [(wave[n][0], *divmod(wave[n][1], vector)) for n in lanes]
                wanted = tuple((row * parts + part, first * size, width * size) for row, part, first in at)
                yield Phase(wanted, vector * size, how.banks)


def _all_free(phases: list[Phase], places: list[int], block: int, gap: int) -> bool:
    """Whether all are; one that is not is asked first the next time."""
    for n, phase in enumerate(phases):
        if not phase.free(places, block, gap):
            phases.insert(0, phases.pop(n))
            return False
    return True


# --- the table --------------------------------------------------------------------------------------------------------


def agrees(found: Synthesis, fewest: int | None) -> bool:
    """Whether `synth` is free where trying is, with as few bytes or fewer (it has mixed layouts too), and says so."""
    return fewest is None or (bool(found) and found.smallest and found.bytes <= fewest)


def main() -> None:
    """Prints the table as Markdown."""
    print("# The smallest layouts of random tiles, beside trying all of them\n")
    print("    python3 -m benchmarks.synth.smallest > benchmarks/synth/SMALLEST.md\n")
    print("\n".join((__doc__ or "").strip().split("\n")[4:]))
    print("\n| tile | GPU | write, read: elements × lanes across | packed | tried all | synth | layout |")
    print("|---|---|---|---|---|---|---|")
    same = fewer = none = 0
    for _, case in zip(range(PROBLEMS), cases(), strict=False):
        found, fewest = synthesize(case.problem()), fewest_bytes(case)
        assert agrees(found, fewest), case
        same += fewest is not None and found.bytes == fewest
        fewer += bool(found) and (fewest is None or found.bytes < fewest)
        none += not found and fewest is None
        uses = ", ".join(f"{width} × {across}{' apart' * apart}" for _, width, across, apart in case.uses)
        tried = fewest if fewest is not None else "none free"
        told = found.bytes if found else f"none free ({found.degree} cycles)"
        print(
            f"| {case.rows} × {case.columns} {case.dtype} | {case.gpu} | {uses} | {found.problem.packed_bytes} "
            f"| {tried} | {told} | {found.name} |"
        )
    print(f"\n{same} alike, {fewer} with fewer bytes by a mixed layout, {none} where both have none.")


if __name__ == "__main__":
    main()
