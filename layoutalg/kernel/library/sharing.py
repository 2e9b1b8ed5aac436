"""How threads of a block share the rows of a reduction: what each loads, and who adds up the parts.

| memory runs along | a load's lanes and vector | parts of a row                  | added up by                        |
|-------------------|---------------------------|---------------------------------|------------------------------------|
| k                 | along the row             | the lanes of the row            | one thread; or a wave's lanes      |
| m                 | across rows               | groups of threads, each other k | one thread                         |
"""

from __future__ import annotations

from layoutalg.kernel.library.staging import swizzled
from layoutalg.kernel.program import Vector
from layoutalg.kernel.program.fragments import encoded
from layoutalg.layout import LayoutError, TensorDescriptor, TileDistribution, make_naive_tensor_descriptor
from layoutalg.records import dataclass
from layoutalg.target.dtypes import DType

BANKS = 32
"""Words that LDS gives in a cycle, on most targets."""
MOST_PARTS = 64
"""Parts of a row, all of which one thread holds in the end."""
WAVE = 32
"""Lanes that add up a row's parts together, on every GPU."""


@dataclass(frozen=True)
class Sharing:
    """How a block shares rows: `parts` threads a row, `vector` elements a load, `unroll` loads of each before adding.

    `rows`: rows of each thread (where memory runs along k).  `by_wave`: lanes of a wave add up the parts, and loads say
    that they are not repeated; of rows along memory, on a GPU.
    """

    parts: int = 32
    vector: int = 1
    unroll: int = 4
    rows: int = 1
    threads: int = 256
    by_wave: bool = False

    def rows_of_block(self, kinds: str) -> int:
        """The rows of a block's tile."""
        return self.threads // self.parts * (self.rows if kinds[-1] == "r" else self.vector)


@dataclass(frozen=True)
class Tiles:
    """The tiles of a block: what is loaded, the sums of parts, the parts of whole rows, their sums; the map in LDS."""

    rows: int
    step: int
    loaded: TileDistribution
    vector: Vector
    partial: TileDistribution
    stored: Vector
    parts: TileDistribution
    read: Vector
    layout: TensorDescriptor
    words: int


def tiles_along_k(sharing: Sharing, kind: DType) -> Tiles:
    """Memory runs along the rows: the lanes of a row load vectors side by side."""
    _refuse(sharing, kind)
    if sharing.by_wave:
        return _by_waves(sharing)
    lanes, side_by_side = sharing.parts, sharing.threads // sharing.parts
    rows, step = sharing.rows_of_block("r"), sharing.unroll * lanes * sharing.vector
    if rows > sharing.threads:
        raise LayoutError(f"reduce: {rows} rows for {sharing.threads} threads; give at most {lanes} rows a thread")
    down = [sharing.rows, side_by_side]
    wide = min(4, lanes)
    words = min(BANKS // lanes, rows) if lanes < BANKS else 1  # rows that lie side by side in the banks
    packed = make_naive_tensor_descriptor((rows, lanes), (lanes, 1))
    return Tiles(
        rows, step,
        encoded([], [down, [sharing.unroll, lanes, sharing.vector]], [[(1, 1), (2, 1)]], [(1, 0), (2, 0), (2, 2)]),
        2 if sharing.vector > 1 else None,
        encoded([], [down, [lanes]], [[(1, 1), (2, 0)]], [(1, 0)]),
        None,
        encoded([sharing.threads // rows], [[rows], [lanes // wide, wide]], [[(0, 0), (1, 0)]], [(2, 0), (2, 1)]),
        1 if wide > 1 else None,
        swizzled((rows, lanes), wide, words) if max(wide, words) <= min(4, lanes // 2) else packed, rows * lanes,
    )  # fmt: skip


def _by_waves(sharing: Sharing) -> Tiles:
    """The same, whose parts in LDS a wave's lanes read side by side, and add up: copies of it do all the same."""
    parts, wide, waves = sharing.parts, 4, sharing.threads // WAVE
    rows = sharing.threads // parts
    if sharing.rows != 1 or parts < WAVE * wide or sharing.threads < parts:
        raise LayoutError(
            f"reduce: {parts} parts of a row by waves; give {WAVE * wide} at least, and no more than threads"
        )
    down = [1, rows]
    return Tiles(
        rows, sharing.unroll * parts * sharing.vector,
        encoded([], [down, [sharing.unroll, parts, sharing.vector]], [[(1, 1), (2, 1)]], [(1, 0), (2, 0), (2, 2)]),
        2 if sharing.vector > 1 else None,
        encoded([], [down, [parts]], [[(1, 1), (2, 0)]], [(1, 0)]),
        None,
        encoded([waves // rows], [[rows], [parts // (WAVE * wide), WAVE, wide]], [[(0, 0), (1, 0), (2, 1)]],
                [(2, 0), (2, 2)]),
        1, make_naive_tensor_descriptor((rows, parts), (parts, 1)), rows * parts,
    )  # fmt: skip


def tiles_along_m(sharing: Sharing, kind: DType) -> Tiles:
    """Memory runs across the rows: a vector is of several rows, and each group of threads takes other k."""
    _refuse(sharing, kind)
    groups, across, wide = sharing.parts, sharing.threads // sharing.parts, min(4, sharing.vector)
    rows, step = sharing.rows_of_block("k"), sharing.unroll * groups
    if sharing.vector > groups:
        raise LayoutError(f"reduce: vectors of {sharing.vector} rows; give at least as many parts, not {groups}")
    over = [across, sharing.vector // wide, wide]
    return Tiles(
        rows, step,
        encoded([], [over, [sharing.unroll, groups]], [[(2, 1), (1, 0)]], [(1, 1), (1, 2), (2, 0)]),
        (0, 1) if sharing.vector > 1 else None,
        encoded([], [over, [groups]], [[(2, 0), (1, 0)]], [(1, 1), (1, 2)]),
        1 if wide > 1 else None,
        encoded([sharing.threads // rows], [[rows], [groups]], [[(0, 0), (1, 0)]], [(2, 0)]),
        None,
        make_naive_tensor_descriptor((rows, groups), (1, rows)), rows * groups,
    )  # fmt: skip


def _refuse(sharing: Sharing, kind: DType) -> None:
    for name in ("parts", "vector", "unroll", "rows", "threads"):
        n = getattr(sharing, name)
        if n < 1 or n & (n - 1):
            raise LayoutError(f"reduce: {name} = {n}; give a power of two")
    if sharing.vector * kind.bytes > 16:
        raise LayoutError(f"reduce: vectors of {sharing.vector} {kind.name}; give at most 16 bytes")
    if not sharing.by_wave and sharing.parts > min(MOST_PARTS, sharing.threads):
        raise LayoutError(f"reduce: {sharing.parts} parts a row; give at most {MOST_PARTS}, and no more than threads")


def rows_of(rows: int, threads: int, lanes: int = 1) -> TileDistribution:
    """A row for each thread, or for so many lanes side by side, and copies where threads are more."""
    if lanes > 1:
        return encoded([threads // (rows * lanes), lanes], [[rows]], [[(0, 0), (1, 0), (0, 1)]], [])
    return encoded([threads // rows], [[rows]], [[(0, 0), (1, 0)]], [])


__all__ = ["MOST_PARTS", "WAVE", "Sharing", "Tiles", "rows_of", "tiles_along_k", "tiles_along_m"]
