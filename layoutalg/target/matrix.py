"""Matrix instructions, MFMA, WMMA and mma.sync, as a table: sizes, types, operand maps and sources, one line each.

Each map is one of a few rules, by name.  In formulas l is the lane, i the element of its vector, S the rows of A, and e
the number of elements of A or B that a lane holds.

| rule of k    | k of element i of lane l                | used by                                           |
|--------------|-----------------------------------------|---------------------------------------------------|
| `runs`       | e·(l / S) + i                           | MFMA; gfx12's WMMA as most code loads it          |
| `all`        | i                                       | gfx11's WMMA: lanes 16 apart hold the same        |
| `isa_gfx12`  | 8·(i / 4) + 4·(l / 16) + i mod 4        | gfx1201's manual                                  |
| `isa_gfx125` | 16·(i / 8) + 8·(l / 16) + i mod 8       | gfx1250's manual                                  |

`layoutalg.target.operand` says what a map is and how to use it; which target has an instruction is said by the target's
file.  Not here: sparse forms, block scales, f16 sums, and the speed of an instruction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from itertools import product

from layoutalg.index import Expr, var
from layoutalg.target.model import TargetError
from layoutalg.target.operand import MatrixInstruction, OperandMap


class UnknownMatrixInstructionError(TargetError):
    """A matrix instruction that is not in the table."""


Place = Callable[[Expr, Expr], tuple[Expr, Expr]]
"""Row and column of element i of lane l."""

SOURCES = {
    "B": "ROCm/rocm-blogs, matrix-cores-cdna",
    "C": "ROCm/composable_kernel",
    "G": "carlushuang/gcnasm, matrix_core_gfx950",
    "H": "HazyResearch/HipKittens",
    "I": "iree-org/iree, IREEGPUAttrs.cpp",
    "K": "ROCm/amd_matrix_instruction_calculator (which knows CDNA 1 to 3, RDNA 3 and 4)",
    "N": "tinygrad/tinygrad",
    "P": "NVIDIA, PTX ISA, matrix fragments",
    "R": "ROCm/rocm-systems, emulation/rocjitsu",
    "T": "triton-lang/triton, LinearLayoutConversions.cpp",
    "U": "NVIDIA/cutlass, mma_traits_sm80.hpp",
}

HALF, EIGHT = ("f16", "bf16"), tuple(product(("fp8", "bf8"), repeat=2))

# name, S = m = n, k, types of A and B, accumulator, sources.  fp8 and bf8 are the FNUZ formats on gfx942 and OCP's
# on gfx950, under the same names.
MFMA = (
    ("mfma_f32_32x32x8f16", 32, 8, "f16", "f16", "f32", "KIC"),
    ("mfma_f32_16x16x16f16", 16, 16, "f16", "f16", "f32", "KBICNT"),
    ("mfma_f32_32x32x8bf16_1k", 32, 8, "bf16", "bf16", "f32", "KIC"),
    ("mfma_f32_16x16x16bf16_1k", 16, 16, "bf16", "bf16", "f32", "KIC"),
    ("mfma_f32_32x32x4bf16", 32, 4, "bf16", "bf16", "f32", "KI"),
    ("mfma_f32_16x16x8bf16", 16, 8, "bf16", "bf16", "f32", "KI"),
    ("mfma_f32_32x32x2f32", 32, 2, "f32", "f32", "f32", "KB"),
    ("mfma_f32_16x16x4f32", 16, 4, "f32", "f32", "f32", "KI"),
    ("mfma_f32_32x32x4_xf32", 32, 4, "xf32", "xf32", "f32", "K"),
    ("mfma_f32_16x16x8_xf32", 16, 8, "xf32", "xf32", "f32", "K"),
    ("mfma_f64_16x16x4f64", 16, 4, "f64", "f64", "f64", "KI"),
    *((f"mfma_f32_32x32x16_{a}_{b}", 32, 16, a, b, "f32", "KBIC") for a, b in EIGHT),
    *((f"mfma_f32_16x16x32_{a}_{b}", 16, 32, a, b, "f32", "KIN") for a, b in EIGHT),
    ("mfma_i32_32x32x16_i8", 32, 16, "i8", "i8", "i32", "KI"),
    ("mfma_i32_16x16x32_i8", 16, 32, "i8", "i8", "i32", "KI"),
    *((f"mfma_f32_32x32x16_{t}", 32, 16, t, t, "f32", "GIHR") for t in HALF),
    *((f"mfma_f32_16x16x32_{t}", 16, 32, t, t, "f32", "IHNR") for t in HALF),
)

# name, wave, k, type, elements of A and B a lane, rule of k, the manual's, rule of D, sources.
WMMA = (
    *((f"wmma_f32_16x16x16_{t}_w32", 32, 16, t, 16, "all", None, "gfx11", "KICNTR") for t in HALF),
    *((f"wmma_f32_16x16x16_{t}_w64", 64, 16, t, 16, "all", None, "gfx11_w64", "K") for t in HALF),
    *((f"wmma_f32_16x16x16_{t}_w32_gfx12", 32, 16, t, 8, "runs", "isa_gfx12", "gfx12", "ICTR") for t in HALF),
    *((f"wmma_f32_16x16x16_{t}_w64_gfx12", 64, 16, t, 4, "runs", None, "gfx12_w64", "K") for t in HALF),
    ("wmma_f32_16x16x16_fp8_fp8_w32_gfx12", 32, 16, "fp8", 8, "runs", None, "gfx12", "KI"),
    *((f"wmma_f32_16x16x32_{t}", 32, 32, t, 16, "runs", "isa_gfx125", "gfx12", "IN") for t in HALF),
)

BF16_BUILTINS = frozenset({"mfma_f32_32x32x16_bf16", "mfma_f32_16x16x32_bf16", "wmma_f32_16x16x32_bf16"})
"""Those whose clang builtin takes vectors of `__bf16`; the others of bf16 take its bits, as `short`."""

RULES_OF_K: Mapping[str, Callable[[Expr, Expr, int, int], Expr]] = {
    "runs": lambda lane, i, s, e: e * (lane // s) + i,
    "all": lambda lane, i, s, e: i,
    "isa_gfx12": lambda lane, i, s, e: 8 * (i // 4) + 4 * (lane // 16) + i % 4,
    "isa_gfx125": lambda lane, i, s, e: 16 * (i // 8) + 8 * (lane // 16) + i % 8,
}

RULES_OF_D: Mapping[str, Place] = {
    "mfma_32": lambda lane, i: (8 * (i // 4) + 4 * (lane // 32) + i % 4, lane % 32),
    "mfma_16": lambda lane, i: (4 * (lane // 16) + i, lane % 16),
    "mfma_16_f64": lambda lane, i: (4 * i + lane // 16, lane % 16),
    "gfx11": lambda lane, i: (2 * i + lane // 16, lane % 16),
    "gfx11_w64": lambda lane, i: (4 * i + lane // 16, lane % 16),
    "gfx12": lambda lane, i: (8 * (lane // 16) + i, lane % 16),
    "gfx12_w64": lambda lane, i: (8 * (lane // 16 % 2) + 4 * (lane // 32) + i, lane % 16),
}

# The places of mma.sync's operands (m = 16, n = 8), with g = lane / 4 and t = lane mod 4 written out.
MMA_PLACES: Mapping[str, Place] = {
    "a16": lambda lane, i: (lane // 4 + 8 * (i // 2 % 2), 2 * (lane % 4) + i % 2 + 8 * (i // 4)),
    "b16": lambda lane, i: (2 * (lane % 4) + i % 2 + 8 * (i // 2), lane // 4),
    "a8": lambda lane, i: (lane // 4 + 8 * (i % 2), lane % 4 + 4 * (i // 2)),
    "b8": lambda lane, i: (lane % 4 + 4 * i, lane // 4),
    "d": lambda lane, i: (lane // 4 + 8 * (i // 2), 2 * (lane % 4) + i % 2),
}

# k, type.
MMA_SYNC = ((16, "f16"), (16, "bf16"), (8, "tf32"))


def matrix_instruction(name: str) -> MatrixInstruction:
    """The matrix instruction of this name; UnknownMatrixInstructionError lists all."""
    table = matrix_table()
    if name not in table:
        raise UnknownMatrixInstructionError(f"unknown matrix instruction {name!r}: it is one of {', '.join(table)}")
    return table[name]


@cache
def matrix_table() -> Mapping[str, MatrixInstruction]:
    """Every matrix instruction, by name."""
    rows = (*map(_mfma, MFMA), *map(_wmma, WMMA), *map(_mma_sync, MMA_SYNC))
    return {one.name: one for one in rows}


def _mfma(row: tuple[str, int, int, str, str, str, str]) -> MatrixInstruction:
    name, s, k, a_type, b_type, accumulator, said = row
    a, b = _operands(64, k * s // 64, s, k, "runs")
    d = _map(64, s * s // 64, (s, s), RULES_OF_D[f"mfma_{s}{'_f64' if accumulator == 'f64' else ''}"])
    return MatrixInstruction(name, 64, s, s, k, a_type, b_type, accumulator, a, b, d, _cited(said))


def _wmma(row: tuple[str, int, int, str, int, str, str | None, str, str]) -> MatrixInstruction:
    name, wave, k, kind, each, rule, manual, out, said = row
    a, b = _operands(wave, each, 16, k, rule)
    d = _map(wave, 256 // wave, (16, 16), RULES_OF_D[out])
    isa_a, isa_b = _operands(wave, each, 16, k, manual) if manual else (None, None)
    return MatrixInstruction(name, wave, 16, 16, k, kind, kind, "f32", a, b, d, _cited(said), isa_a=isa_a, isa_b=isa_b)


def _mma_sync(row: tuple[int, str]) -> MatrixInstruction:
    k, kind = row
    a, b, d = (
        _map(32, rows * columns // 32, (rows, columns), MMA_PLACES[place])
        for place, rows, columns in ((f"a{k}", 16, k), (f"b{k}", k, 8), ("d", 16, 8))
    )
    name = f"mma.sync.aligned.m16n8k{k}.row.col.f32.{kind}.{kind}.f32"
    return MatrixInstruction(name, 32, 16, 8, k, kind, kind, "f32", a, b, d, _cited("PUTN"))


def _operands(wave: int, each: int, s: int, k: int, rule: str) -> tuple[OperandMap, OperandMap]:
    """A and B of an instruction in which lane l has row (of A) or column (of B) l mod s, and k by a rule."""
    order, copies = RULES_OF_K[rule], wave * each // (s * k)
    a = _map(wave, each, (s, k), lambda lane, i: (lane % s, order(lane, i, s, each)), copies)
    b = _map(wave, each, (k, s), lambda lane, i: (order(lane, i, s, each), lane % s), copies)
    return a, b


def _map(wave: int, each: int, shape: tuple[int, int], place: Place, copies: int = 1) -> OperandMap:
    lane, element = var("lane", wave), var("element", each)
    row, column = place(lane, element)
    return OperandMap(lane, element, row, column, shape, copies)


def _cited(letters: str) -> tuple[str, ...]:
    return tuple(SOURCES[letter] for letter in letters)
