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
| `isa_gfx125_4` | 64·(i / 32) + 32·(l / 16) + i mod 32  | gfx1250's products with scales, of 4 and 6 bits   |
| `scaled_f8`  | e/2·(l / S) + i mod e/2 + K/2·(i / e/2) | scaled MFMA of 8 bits by AMD's blog and rocjitsu  |

`gfx125_by_bits` is `isa_gfx125_8` of an operand of 8 bits, else `isa_gfx125_4`.  A of 32 rows on gfx1250 is two of 16,
one behind the other in a lane, and D as well.

`layoutalg.target.operand` says what a map is and how to use it; which target has an instruction is said by the target's
file.  Not here: sparse forms, speed.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from itertools import chain, product

from layoutalg.index import Expr, var
from layoutalg.records import dataclass
from layoutalg.target.dtypes import dtype_of
from layoutalg.target.model import TargetError
from layoutalg.target.operand import BlockScales, MatrixInstruction, OperandMap
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
    "isa_gfx125_4": lambda lane, i, s, e: 64 * (i // 32) + 32 * (lane // 16) + i % 32,
    "isa_gfx125_8": lambda lane, i, s, e: 32 * (i // 16) + 16 * (lane // 16) + i % 16,
}

#: The rule of k that depends on the bits of an operand.
BY_BITS = "gfx125_by_bits"

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
    "gfx125_32": lambda lane, i: (16 * (i // 8) + 8 * (lane // 16) + i % 8, lane % 16),
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
    scales: BlockScales | None = None


@dataclass(frozen=True)
class _File:
    sources: Mapping[str, str]
    instruction: tuple[_Row, ...]


@cache
def matrix_table() -> Mapping[str, MatrixInstruction]:
    """Every matrix instruction, by name."""
    table = tomllib.loads(files("layoutalg.target").joinpath("matrix.toml").read_text(encoding="utf-8"))
    file = Tables("matrix.toml", {}).record("", table, _File)
    rows = chain.from_iterable(map(_each_choice, file.instruction))
    return {row.name: _made(row, tuple(file.sources[key] for key in row.sources)) for row in rows}


def families() -> Mapping[str, tuple[str, ...]]:
    """Instructions whose fields pick the types of A and B, by what their names have in common.

    >>> families()["wmma_scale_f32_16x16x128_f8f6f4"][1]
    'wmma_scale_f32_16x16x128_f8f6f4.fp8.bf8'
    """
    found: dict[str, tuple[str, ...]] = {}
    for name in matrix_table():
        family, dot, _ = name.partition("_f8f6f4.")
        if dot:
            found[family + dot[:-1]] = (*found.get(family + dot[:-1], ()), name)
    return found


def _each_choice(row: _Row) -> Iterator[_Row]:
    """A row for each choice of types of A and B, of which it has several."""
    a_types, b_types, accumulator = (types.split() for types in row.types)
    for a, b in product(a_types, b_types):
        name = f"{row.name}.{a}.{b}" if len(a_types) > 1 else row.name
        yield replace(row, name=name, types=(a, b, *accumulator))


def _made(row: _Row, cited: tuple[str, ...]) -> MatrixInstruction:
    (m, n, k), (a_type, b_type, accumulator) = row.size, row.types
    a, b = _operands(row, row.k)
    isa_a, isa_b = _operands(row, row.manual) if row.manual else (None, None)
    d = _map(row.wave, m * n // row.wave, (m, n), RULES_OF_D[row.d])
    return MatrixInstruction(
        row.name, row.wave, m, n, k, a_type, b_type, accumulator, a, b, d, cited, isa_a, isa_b, row.bits,
        row.operands_in_lds, row.scales,
    )  # fmt: skip


def _operands(row: _Row, rule: str) -> tuple[OperandMap, OperandMap]:
    """A and B: lane l has row (of A) or column (of B) l mod m, and k by a rule; mma.sync's lanes have places."""
    m, n, k = row.size
    if rule == "mma_sync":
        a, b = (_map(32, side * k // 32, shape, MMA_PLACES[f"{which}{k}"])
                for which, side, shape in (("a", m, (m, k)), ("b", n, (k, n))))  # fmt: skip
        return a, b
    if rule == "in_lds":  # no lane has them: a share of what the warpgroup reads stands for each
        return _shared(m, k), _turned(_shared(n, k))
    rules = [f"isa_gfx125_{8 if dtype_of(held).bits == 8 else 4}" if rule == BY_BITS else rule for held in row.types]
    return _rows(row.wave, m, k, rules[0]), _turned(_rows(row.wave, n, k, rules[1]))


def _rows(wave: int, rows: int, k: int, rule: str) -> OperandMap:
    """A matrix of rows of k, by a rule: as many at a time as leave two lanes for each."""
    side, order = min(rows, wave // 2), RULES_OF_K[rule]
    each = k if rule == "all" else side * k // wave
    tiles = rows // side
    if tiles == 1:
        copies = wave * each // (rows * k)
        return _map(wave, each, (rows, k), lambda lane, i: (lane % side, order(lane, i, side, each)), copies)
    return _map(
        wave, tiles * each, (rows, k),
        lambda lane, i: (side * (i // each) + lane % side, order(lane, i % each, side, each)),
    )  # fmt: skip


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
