"""C's way: from the matrix instructions' accumulators through the epilogue's LDS to memory, element by element.

| what         | is wrong where                                                                                     |
|--------------|----------------------------------------------------------------------------------------------------|
| `multiplied` | an accumulator is another element of C than the rows of A and columns of B of its instruction make |
| `handed_on`  | the epilogue stores an accumulator as another element of C, or not once                            |

An instruction's maps (`layoutalg.target.matrix`) say which row i, column j and depth d its lanes' elements are of. The
operands' distributions give A's row m(i) and k(d) there, and B's column n(j) and k(d), the same k; every k has its
turn, and the accumulator of (i, j) is C's (m(i), n(j)). So any order of k is right that A and B share.

Source: `BlockGemmImpl` of block_universal_gemm_as_bs_cr.hpp, which takes warp tiles by A's and C's first Y, B's first
and C's second, and depth by A's and B's second; `slice_acc_tile` and `move_windows` of cshuffle_epilogue.hpp.
What it cannot represent: these functions' own code, which `ck audit` follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from layoutalg.index import array, var
from layoutalg.layout import TileDistribution
from layoutalg.target import target as gpu
from layoutalg.target.dtypes import element_type
from layoutalg.target.matrix import matrix_instruction
from layoutalg.target.operand import OperandMap

Array = np.ndarray[Any, np.dtype[np.int64]]
Maps = tuple[OperandMap, OperandMap, OperandMap]
"""Of A, B and C."""


def held(one: TileDistribution) -> Array:
    """The coordinates in the tile of each element that a thread holds: (threads, elements, dimensions)."""
    lengths = [int(n) for n in (*one.ps, *one.ys)]
    axes = dict(zip((*one.p_index, *one.y_index), np.indices(lengths, sparse=True), strict=True))
    found = array(list(one.lower(one.p_index, one.y_index)), axes)
    threads = int(np.prod(lengths[: len(one.ps)]))
    return np.stack([np.broadcast_to(each, lengths).reshape(threads, -1) for each in found], axis=-1)


def instruction_maps(target: str, side: tuple[int, int], sums: str) -> Maps | None:
    """The maps of the target's instructions of m × n with accumulators of so many bits; None where none is known.

    They differ in depth alone, of which a lane has the same share in A and in B.

    >>> [one.shape for one in instruction_maps("gfx942", (32, 32), "f32")]
    [(32, 2), (2, 32), (32, 32)]
    """
    of, wave = gpu(target), gpu(target).wave_size
    known = [matrix_instruction(name) for name in (of.matrix.instructions if of.matrix else ())]
    bits = element_type(sums).bits
    fitting = [
        one for one in known
        if (one.m, one.n) == side and one.wave == wave and element_type(one.accumulator).bits == bits
    ]  # fmt: skip
    if fitting:
        least = min(fitting, key=lambda one: one.k)
        return least.a, least.b, least.d
    return _of_blocks(side) if wave == 64 and bits == 32 else None


def _of_blocks(side: tuple[int, int]) -> Maps | None:
    """The maps of v_mfma_f32_4x4x4_16b: 16 blocks side by side, of which one operand's are alike.

    Block b's lanes are 4·b … 4·b + 3: A's row or B's column is the lane's of four, k and D's row are the element (AMD's
    matrix instruction calculator).
    """
    lane, i = var("lane", 64), var("element", 4)
    few, many = (OperandMap(lane, i, lane % 4, i, (4, 4), 16), OperandMap(lane, i, lane, i, (64, 4)))
    if side == (4, 64):
        return few, _turned(many), OperandMap(lane, i, i, lane, side)
    if side == (64, 4):
        return many, _turned(few), OperandMap(lane, i, lane // 4 * 4 + i, lane % 4, side)
    return None


def _turned(one: OperandMap) -> OperandMap:
    return OperandMap(one.lane, one.element, one.column, one.row, one.shape[::-1], one.copies)


def multiplied(a: TileDistribution, b: TileDistribution, c: TileDistribution, maps: Maps, depth: int) -> str:
    """Why some accumulator is not its element of C, of a tile so deep; empty where each is."""
    lanes = maps[2].places[0].shape[0]
    rows = _operand(held(a), [int(n) for n in a.ys], maps[0].places, lanes, "A")
    columns = _operand(held(b), [int(n) for n in b.ys], maps[1].places[::-1], lanes, "B")
    if isinstance(rows, str) or isinstance(columns, str):
        return rows if isinstance(rows, str) else str(columns)
    (row, of_a), (column, of_b) = rows, columns
    if of_a.shape[2:] != of_b.shape[2:]:
        return f"A's depth is taken in {of_a[0, 0].size} steps, B's in {of_b[0, 0].size}"
    wrong = np.argwhere(of_a[:, :, None] != of_b[:, None])
    if len(wrong):
        wave, m, n, step, k = map(int, wrong[0])
        return f"wave {wave}: k = {of_a[wave, m, step, k]} of A is multiplied by k = {of_b[wave, n, step, k]} of B"
    if (np.sort(of_a.reshape(*of_a.shape[:2], -1), axis=-1) != np.arange(depth)).any():
        return f"not every k of {depth} has its turn once"
    return _accumulated(held(c), [int(n) for n in c.ys], maps[2], lanes, row, column)


def _operand(
    at: Array, ys: Sequence[int], places: tuple[Any, Any], lanes: int, name: str
) -> tuple[Array, Array] | str:  # fmt: skip
    """An operand's row for each of an instruction's, by wave and warp tile; its k for each depth, by step too.

    Why not, where an instruction's row has elements of several.
    """
    outer, inner = places
    tiles, steps, each = *ys[:2], outer.shape[1]
    if at.shape[0] % lanes or at.shape[1] % (tiles * steps * each):
        return f"{name}'s {at.shape[1]} elements of a thread are no whole number of an instruction's {each}"
    found = at.reshape(-1, lanes, tiles, steps, at.shape[1] // (tiles * steps * each), each, 2)
    found = np.moveaxis(found, 1, 4)  # wave, tile, step, part of a step, lane, element, dimension
    found = found.reshape(*found.shape[:2], -1, lanes, each, 2)
    row = np.zeros((*found.shape[:2], int(outer.max()) + 1), np.int64)
    row[..., outer] = found[:, :, 0, ..., 0]
    k = np.zeros((*found.shape[:3], int(inner.max()) + 1), np.int64)
    k[..., inner] = found[..., 1]
    for got, wanted, what in ((found[..., 0], row[:, :, None, outer], "row"), (found[..., 1], k[..., inner], "k")):
        wrong = np.argwhere(got != wanted)
        if len(wrong):
            wave, tile, _, lane, element = map(int, wrong[0])
            return (f"wave {wave}, lane {lane}, element {element} of warp tile {tile} of {name}: its {what} is "
                    f"{got[tuple(wrong[0])]}, where an instruction has {wanted[tuple(wrong[0])]}")  # fmt: skip
    return row, k


def _accumulated(at: Array, ys: Sequence[int], d: OperandMap, lanes: int, row: Array, column: Array) -> str:
    outer, inner = d.places
    m, n = ys[:2]
    if (row.shape[:2], column.shape[:2]) != ((at.shape[0] // lanes, m), (at.shape[0] // lanes, n)):
        return f"C has {m} × {n} warp tiles of a wave, A {row.shape[1]} and B {column.shape[1]}"
    if at.shape[1] != m * n * outer.shape[1]:
        return f"a thread has {at.shape[1]} accumulators, {m * n} instructions' are {m * n * outer.shape[1]}"
    found = np.moveaxis(at.reshape(-1, lanes, m, n, outer.shape[1], 2), 1, 3)
    wanted = np.stack(np.broadcast_arrays(row[:, :, None, outer], column[:, None, :, inner]), axis=-1)
    wrong = np.argwhere((found != wanted).any(axis=-1))
    if not len(wrong):
        return ""
    where = tuple(map(int, wrong[0]))
    wave, _, _, lane, _ = where
    return f"wave {wave}, lane {lane}: {_index(found[where])} of C is stored as summed, and is {_index(wanted[where])}"


def handed_on(
    c: TileDistribution, stored: TileDistribution, window: Sequence[int], taken: Sequence[int],
    places: Sequence[Sequence[int]], moves: Sequence[Sequence[int]],
) -> str:  # fmt: skip
    """Why an accumulator is stored as another element of C than it is, or not once; empty where each is.

    At each place of the epilogue's way, `taken` warp tiles go through its window, which then moves on.
    """
    at, ys = held(c), [int(n) for n in c.ys]
    at = at.reshape(at.shape[0], *ys[:2], -1, 2)
    shape = held(stored)
    times = np.zeros(ys[:2], np.int64)
    origin = np.zeros(2, np.int64)
    for place, move in zip(places, (*moves, (0, 0)), strict=True):
        m, n = (int(p) // w * k for p, w, k in zip(place, window, taken, strict=True))
        part = at[:, m : m + taken[0], n : n + taken[1]]
        times[m : m + taken[0], n : n + taken[1]] += 1
        part = part.reshape(at.shape[0], -1, 2)
        if part.shape != shape.shape:
            return f"{part.shape[1]} accumulators of a thread are taken, {shape.shape[1]} are stored"
        wrong = np.argwhere((part != shape + origin).any(axis=-1))
        if len(wrong):
            thread, element = map(int, wrong[0])
            found, goes = (_index(one[thread, element]) for one in (part, shape + origin))
            return f"thread {thread}: {found} of C is stored as {goes}"
        origin = origin + np.asarray([int(step) for step in move])
    wrong = np.argwhere(times != 1)
    if len(wrong):
        tile = tuple(map(int, wrong[0]))
        return f"warp tile {tile} of each wave is stored {times[tile]} times"
    return ""


def _index(at: Sequence[int]) -> str:
    return f"({', '.join(str(int(n)) for n in at)})"
