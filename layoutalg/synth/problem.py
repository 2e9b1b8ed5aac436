"""What a layout in LDS is wanted for: a tile, and every access that writes or reads it, on every target.

A `Use` is a lane map over the tile's (row, column) with its direction; the tile's columns run through memory, in
vectors.  A descriptor of the tile solves the problem when each use is free of bank conflicts on each of its targets:

    Problem(lengths, element_bytes, uses, targets)  ──descriptor──▶  one `Access` for each use and target

What it cannot represent: a tile whose vectors run along different dimensions in different uses (a transposition).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd

from layoutalg.banks import LaneMapError
from layoutalg.formats.grammar import DTYPES
from layoutalg.index import var
from layoutalg.layout import LayoutError, TensorDescriptor
from layoutalg.prove.lds import Access, LaneMap, access, lane_map, operand
from layoutalg.synth.gemm import packed
from layoutalg.target import target
from layoutalg.target.matrix import matrix_instruction

GRANULE = 16
"""Bytes of the widest vector that an LDS instruction moves."""


@dataclass(frozen=True)
class Use:
    """A lane map that writes or reads the tile: on some of the targets (all, unless said)."""

    lanes: LaneMap
    way: str = "read"
    targets: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.way not in ("read", "write"):
            raise LayoutError(f"a use is a read or a write, not {self.way!r}")


@dataclass(frozen=True)
class Problem:
    """A tile of rows and columns, and its uses; LaneMapError, WidthError, UnknownInstructionError, OutsideLdsError
    where a use or the tile does not fit a target.

    >>> problem = gemm_problem(128, 64, "f16", "mfma_f32_32x32x16_f16", ("gfx942", "gfx950"))
    >>> problem.vector, [f"{use.way}: {use.lanes.name}" for use in problem.uses]
    (8, ['write: the copy to LDS', 'read: a of mfma_f32_32x32x16_f16'])
    """

    lengths: tuple[int, int]
    element_bytes: int
    uses: tuple[Use, ...]
    targets: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.targets or not self.uses:
            raise LayoutError("at least one target and one access are needed to say what is free of conflicts")
        if min(self.lengths) < 1 or self.lengths[1] % self.vector:
            rows, columns = self.lengths
            raise LayoutError(f"a tile of {rows} × {columns} is no whole number of vectors of {self.vector}")
        for _ in self.accesses(packed(*self.lengths)):
            pass

    @property
    def vector(self) -> int:
        """Elements of the widest vector of any use: what stays together."""
        return max(use.lanes.width for use in self.uses)

    @property
    def packed_bytes(self) -> int:
        """Bytes of the tile without gaps."""
        return self.lengths[0] * self.lengths[1] * self.element_bytes

    def accesses(self, descriptor: TensorDescriptor) -> Iterator[Access]:
        """Each use on each of its targets, on a layout."""
        for name in self.targets:
            for use in self.uses:
                if use.targets is None or name in use.targets:
                    yield access(descriptor, use.lanes, self.element_bytes, target(name), use.way)


def rowwise(rows: int, columns: int, vector: int, lanes: int = 64, name: str = "the copy to LDS") -> LaneMap:
    """Neighbouring lanes take neighbouring vectors of a row, as many as divide both; for every wave and step.

    >>> rowwise(128, 64, 8).index
    (block * 8 + lane // 8, lane % 8 * 8 + element)
    >>> rowwise(64, 96, 8).index
    (block * 16 + lane // 4, part * 32 + lane % 4 * 8 + element)
    """
    parts = columns // vector
    across = gcd(parts, lanes)
    down = lanes // across
    if columns % vector or rows % down:
        raise LaneMapError(f"{lanes} lanes do not divide a tile of {rows} × {columns} in vectors of {vector} evenly")
    lane = var("lane", lanes)
    row, column = lane // across, lane % across * vector
    if rows > down:
        row = var("block", rows // down) * down + row
    if parts > across:
        column = var("part", parts // across) * (across * vector) + column
    return lane_map(lane, (row, column), vector, name)


def gemm_problem(
    rows: int, k: int, dtype: str, instruction: str, targets: tuple[str, ...], which: str = "a"
) -> Problem:
    """A GEMM's A (or B, stored N × K) in LDS: copied in row by row, read as operands of a matrix instruction.

    The instruction gives the lanes' rows and consecutive k; a target without it executes the shorter one several times
    on the same registers (the order of k cannot be seen in the product).
    """
    if dtype not in DTYPES or DTYPES[dtype] % 8:
        raise LayoutError(f"no whole bytes in an element of {dtype!r}; there are {', '.join(DTYPES)}")
    size = DTYPES[dtype] // 8
    matrix = matrix_instruction(instruction)
    map_, name = (matrix.a if which == "a" else matrix.b), f"{which} of {instruction}"
    held = int(map_.element.hi) + 1
    width = min(held, GRANULE // size)
    tile = (rows, k) if which == "a" else (k, rows)
    read = operand(map_, tile, transposed=which == "b", width=width, name=name)
    write = rowwise(rows, k, GRANULE // size, matrix.wave)
    return Problem((rows, k), size, (Use(write, "write"), Use(read)), targets)
