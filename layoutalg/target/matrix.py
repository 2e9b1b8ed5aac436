"""Matrix instructions, MFMA, WMMA, mma.sync and wgmma: the table `matrix.toml`, a line each, and its maps' rules.

Each map is one of a few rules, by name.  In formulas l is the lane, i the element of its vector, S the rows of A, and e
the number of elements of A or B that a lane holds.

| rule of k    | k of element i of lane l                | used by                                           |
|--------------|-----------------------------------------|---------------------------------------------------|
| `runs`       | e·(l / S) + i                           | MFMA; gfx12's WMMA as most code loads it          |
| `all`        | i                                       | gfx11's WMMA: lanes 16 apart hold the same        |
| `isa_gfx12`  | 8·(i / 4) + 4·(l / 16) + i mod 4        | gfx1201's manual                                  |
| `isa_gfx125` | 16·(i / 8) + 8·(l / 16) + i mod 8       | gfx1250's manual, of 16 bits                      |
| `isa_gfx125_8` | 32·(i / 16) + 16·(l / 16) + i mod 16  | gfx1250's manual, of 8 bits                       |
| `scaled_f8`  | e/2·(l / S) + i mod e/2 + K/2·(i / e/2) | scaled MFMA of 8 bits by AMD's blog and rocjitsu  |

`layoutalg.target.operand` says what a map is and how to use it; which target has an instruction is said by the target's
file.  Not here: sparse forms, the scales of blocks (of scaled forms only A, B and D), f16 sums, speed.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from layoutalg.index import Expr, var
from layoutalg.target.model import TargetError
from layoutalg.target.operand import MatrixInstruction, OperandMap
from layoutalg.target.tables import Tables


class UnknownMatrixInstructionError(TargetError):
    """A matrix instruction that is not in the table."""


Place = Callable[[Expr, Expr], tuple[Expr, Expr]]
"""Row and column of element i of lane l."""

RULES_OF_K: Mapping[str, Callable[[Expr, Expr, int, int], Expr]] = {
    "runs": lambda lane, i, s, e: e * (lane // s) + i,
    "all": lambda lane, i, s, e: i,
    "isa_gfx12": lambda lane, i, s, e: 8 * (i // 4) + 4 * (lane // 16) + i % 4,
    "scaled_f8": lambda lane, i, s, e: e // 2 * (lane // s) + i % (e // 2) + 32 * e // s * (i // (e // 2)),
    "isa_gfx125": lambda lane, i, s, e: 16 * (i // 8) + 8 * (lane // 16) + i % 8,
    "isa_gfx125_8": lambda lane, i, s, e: 32 * (i // 16) + 16 * (lane // 16) + i % 16,
}

RULES_OF_D: Mapping[str, Place] = {
    "mfma_32": lambda lane, i: (8 * (i // 4) + 4 * (lane // 32) + i % 4, lane % 32),
    "mfma_16": lambda lane, i: (4 * (lane // 16) + i, lane % 16),
    "mfma_16_f64": lambda lane, i: (4 * i + lane // 16, lane % 16),
    "gfx11": lambda lane, i: (2 * i + lane // 16, lane % 16),
    "gfx11_w64": lambda lane, i: (4 * i + lane // 16, lane % 16),
    "gfx12": lambda lane, i: (8 * (lane // 16) + i, lane % 16),
    "mma_sync": lambda lane, i: (lane // 4 + 8 * (i // 2), 2 * (lane % 4) + i % 2),
    "wgmma": lambda lane, i: (
        16 * (lane // 32) + lane % 32 // 4 + 8 * (i // 2 % 2),
        2 * (lane % 4) + i % 2 + 8 * (i // 4),
    ),
    "gfx12_w64": lambda lane, i: (8 * (lane // 16 % 2) + 4 * (lane // 32) + i, lane % 16),
}

# The places of mma.sync's operands (m = 16, n = 8), with g = lane / 4 and t = lane mod 4 written out.
MMA_PLACES: Mapping[str, Place] = {
    "a16": lambda lane, i: (lane // 4 + 8 * (i // 2 % 2), 2 * (lane % 4) + i % 2 + 8 * (i // 4)),
    "b16": lambda lane, i: (2 * (lane % 4) + i % 2 + 8 * (i // 2), lane // 4),
    "a8": lambda lane, i: (lane // 4 + 8 * (i % 2), lane % 4 + 4 * (i // 2)),
    "b8": lambda lane, i: (lane % 4 + 4 * i, lane // 4),
}


def matrix_instruction(name: str) -> MatrixInstruction:
    """The matrix instruction of this name; UnknownMatrixInstructionError names those near it."""
    table = matrix_table()
    if name not in table:
        near = difflib.get_close_matches(name, table, n=4, cutoff=0.4)
        told = f"; near it: {', '.join(near)}" if near else "; `layoutalg targets NAME` lists a processor's"
        raise UnknownMatrixInstructionError(f"unknown matrix instruction {name!r}{told}")
    return table[name]


@dataclass(frozen=True)
class _Row:
    name: str
    wave: int
    size: tuple[int, ...]
    types: tuple[str, ...]
    k: str
    d: str
    sources: tuple[str, ...]
    manual: str = ""
    bits: bool = False
    operands_in_lds: bool = False


@dataclass(frozen=True)
class _File:
    sources: Mapping[str, str]
    instruction: tuple[_Row, ...]


@cache
def matrix_table() -> Mapping[str, MatrixInstruction]:
    """Every matrix instruction, by name."""
    table = tomllib.loads(files("layoutalg.target").joinpath("matrix.toml").read_text(encoding="utf-8"))
    file = Tables("matrix.toml", {}).record("", table, _File)
    return {row.name: _made(row, tuple(file.sources[key] for key in row.sources)) for row in file.instruction}


def _made(row: _Row, cited: tuple[str, ...]) -> MatrixInstruction:
    (m, n, k), (a_type, b_type, accumulator) = row.size, row.types
    a, b = _operands(row.wave, m, n, k, row.k)
    isa_a, isa_b = _operands(row.wave, m, n, k, row.manual) if row.manual else (None, None)
    d = _map(row.wave, m * n // row.wave, (m, n), RULES_OF_D[row.d])
    return MatrixInstruction(
        row.name, row.wave, m, n, k, a_type, b_type, accumulator, a, b, d, cited, isa_a, isa_b, row.bits,
        row.operands_in_lds,
    )  # fmt: skip


def _operands(wave: int, m: int, n: int, k: int, rule: str) -> tuple[OperandMap, OperandMap]:
    """A and B: lane l has row (of A) or column (of B) l mod m, and k by a rule; mma.sync's lanes have places."""
    if rule == "mma_sync":
        a, b = (_map(32, side * k // 32, shape, MMA_PLACES[f"{which}{k}"])
                for which, side, shape in (("a", m, (m, k)), ("b", n, (k, n))))  # fmt: skip
        return a, b
    if rule == "in_lds":  # no lane has them: a share of what the warpgroup reads stands for each
        return _shared(m, k), _turned(_shared(n, k))
    order, each = RULES_OF_K[rule], k if rule == "all" else m * k // wave
    copies = wave * each // (m * k)
    a = _map(wave, each, (m, k), lambda lane, i: (lane % m, order(lane, i, m, each)), copies)
    b = _map(wave, each, (k, m), lambda lane, i: (order(lane, i, m, each), lane % m), copies)
    return a, b


def _shared(rows: int, k: int) -> OperandMap:
    """A matrix of rows of k that a warpgroup reads from LDS, shared out evenly: runs of one row."""
    each, side = rows * k // 128, min(rows, 128)
    return _map(128, each, (rows, k), lambda lane, i: (lane % side + side * (i // k), each * (lane // side) + i % k))


def _turned(one: OperandMap) -> OperandMap:
    """The transposed matrix, held alike."""
    return replace(one, row=one.column, column=one.row, shape=one.shape[::-1])


def _map(wave: int, each: int, shape: tuple[int, int], place: Place, copies: int = 1) -> OperandMap:
    lane, element = var("lane", wave), var("element", each)
    row, column = place(lane, element)
    return OperandMap(lane, element, row, column, shape, copies)
