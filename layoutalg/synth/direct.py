"""Loads that bring global memory straight to LDS: what they ask of a layout.

One instruction of a wave puts its lanes' pieces one after another, from a place that all lanes share (M0 and the
instruction's offset).  A layout can have gaps only between what two instructions bring, and which element a lane must
load follows from the layout:

    piece n of the layout, in the order of addresses  ──▶  lane n mod 64 of instruction n div 64

The stores of such a load are consecutive, so no model of the banks has conflicts in them.  What the lanes load from
global memory should fill segments whole, as it does where the layout is packed: a layout that asks a load for more
segments than that is refused.
What it cannot represent: lanes that take no part; loads of 1 and 2 bytes, which fill a dword each.
"""

from __future__ import annotations

import numpy as np

from layoutalg.index import var
from layoutalg.index.evaluate import grid
from layoutalg.index.f2 import image
from layoutalg.index.linear_form import linear_form
from layoutalg.layout import TensorDescriptor
from layoutalg.memory import LaneMap
from layoutalg.memory.banks import Ints
from layoutalg.prove import Proved, Refuted, Verdict
from layoutalg.prove.verdict import Witness
from layoutalg.synth.problem import Problem
from layoutalg.target import target


def lands(problem: Problem, descriptor: TensorDescriptor) -> Verdict:
    """Whether loads can fill the layout: each wave's pieces one after another, from as few segments as if packed.

    Proved by looking at every piece; Refuted names the first load whose pieces lie apart, here or in global memory.

    >>> from layoutalg.synth.gemm import packed, row_padded
    >>> from layoutalg.synth.problem import transposed_problem
    >>> problem = transposed_problem(32, 64, "f16", "mfma_f32_16x16x32_f16", ("gfx950",), direct=16)
    >>> print(lands(problem, packed(32, 64)).claim)
    each load of 64 × 16 bytes lands in one piece, and reads 16 segments of 64 bytes at most
    >>> lands(problem, row_padded(32, 64, 8)).name
    'refuted'
    """
    piece, lanes = 8 * problem.direct // problem.bits, target(problem.targets[0]).wave_size
    claim = f"each load of {lanes} × {problem.direct} bytes lands in one piece"
    rows, columns = problem.lengths
    offsets = grid(descriptor.offset(descriptor.index), descriptor.index).reshape(rows, columns)
    if columns % piece or rows * columns // piece % lanes:
        return _refuted(claim, f"{rows} × {columns} elements are no whole number of such loads")
    pieces = offsets.reshape(rows, columns // piece, piece)
    if (np.diff(pieces, axis=2) != 1).any():
        return _refuted(claim, f"{piece} elements of a row that a lane brings lie apart")
    order = _order(pieces)
    starts = pieces[..., 0].reshape(-1)[order].reshape(-1, lanes)
    apart = np.argwhere(np.diff(starts, axis=1) != piece)
    if len(apart):
        load, lane = map(int, apart[0])
        first, second = map(int, starts[load, lane : lane + 2])
        return _refuted(claim, f"lanes {lane} and {lane + 1} of load {load} go to elements {first} and {second}")
    segment = target(problem.targets[0]).segments[0]
    packed, own = (
        _segments(n, problem.direct, segment)
        for n in (np.arange(order.size).reshape(-1, lanes), order.reshape(-1, lanes))
    )
    claim += f", and reads {max(packed)} segments of {segment} bytes at most"
    if max(own) > max(packed):
        return _refuted(claim, f"load {own.index(max(own))} reads {max(own)}")
    return Proved(claim, "enumeration", 0.0)


def brought(problem: Problem, descriptor: TensorDescriptor) -> LaneMap | None:
    """Which elements each lane brings, for each load, so that the layout is filled; None where no xor of bits says it.

    >>> from layoutalg.synth.gemm import swizzled
    >>> from layoutalg.synth.problem import gemm_problem
    >>> problem = gemm_problem(128, 64, "f16", "mfma_f32_32x32x16_f16", ("gfx950",), direct=16)
    >>> brought(problem, swizzled(128, 64)).index
    (lane // 8 + load * 8, (lane % 8 ^ lane // 8) * 8 + element)
    """
    piece, lanes = 8 * problem.direct // problem.bits, target(problem.targets[0]).wave_size
    rows, columns = problem.lengths
    parts, count = columns // piece, rows * columns // piece
    offsets = grid(descriptor.offset(descriptor.index), descriptor.index)
    order = _order(offsets.reshape(rows, parts, piece))
    bits = (count - 1).bit_length()
    columns_of = [int(order[1 << n]) for n in range(bits)]
    if parts & (parts - 1) or any(image(columns_of, n) != at for n, at in enumerate(order)):
        return None
    lane, load, element = var("lane", lanes), var("load", count // lanes), var("element", piece)
    split = lanes.bit_length() - 1
    pieces = [(lane, columns_of[:split]), (load, columns_of[split:])]
    row, part = (
        linear_form([(v, [c // parts if upper else c % parts for c in each]) for v, each in pieces])
        for upper in (True, False)
    )
    return LaneMap(lane, element, (row, part * piece + element), f"{problem.direct} bytes a lane straight to LDS")


def _order(pieces: Ints) -> Ints:
    """The number of each piece of the packed tile, by rows, in the order in which the layout has them."""
    return np.argsort(pieces[..., 0], axis=None)


def _segments(pieces: Ints, bytes: int, segment: int) -> list[int]:
    """The segments that each load reads: of each piece of the packed tile the first and the last."""
    return [len(np.unique(np.stack([row * bytes, row * bytes + bytes - 1]) // segment)) for row in pieces]


def _refuted(claim: str, why: str) -> Refuted:
    return Refuted(claim, "enumeration", 0.0, witness=Witness((), why))
