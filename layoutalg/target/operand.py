"""Matrix-core operands: which lane holds which element, as index expressions.

A matrix instruction computes D = A·B + C, A of m × k, B of k × n, C and D of m × n, on matrices spread over a wave: a
lane holds a few elements of each.  An operand's map says which: from (lane, element i of the lane's vector) to (row,
column).  C and D share one map.  For mfma_f32_32x32x8f16 (S = 32 rows, 64/S = 2 lane groups, 8/2 = 4 elements a lane):

| operand | (lane, i) → (row, column)                           | lane 33, i = 0…3                |
|---------|-----------------------------------------------------|---------------------------------|
| A       | (lane mod 32, 4·(lane / 32) + i)                    | row 1, k = 4 5 6 7              |
| B       | (4·(lane / 32) + i, lane mod 32)                    | k = 4 5 6 7, column 1           |
| C, D    | (8·(i / 4) + 4·(lane / 32) + i mod 4, lane mod 32)  | rows 4 5 6 7, column 1          |

Every map holds each element of its matrix exactly `copies` times (1, but for the replicated A and B of gfx1100).  The
order of k cannot be seen in the product when A and B share it, so where a manual's order differs from what most code
loads, the instruction has both (`isa_a`, `isa_b`).  None of these was run on AMD hardware by us: `sources` says who
agrees.  What it cannot represent: sparse forms, and several blocks in one instruction.

>>> from layoutalg.target.matrix import matrix_instruction
>>> mfma = matrix_instruction("mfma_f32_32x32x8f16")
>>> mfma.a.at(33, 2), mfma.d.at(33, 15)
((1, 6), (31, 1))
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any, TypeAlias

from layoutalg.index import Expr, var
from layoutalg.index.evaluate import grids, values
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass

with lazy_imports():
    import numpy as np
    import numpy.typing as npt

Array: TypeAlias = "npt.NDArray[Any]"


@dataclass(frozen=True)
class OperandMap:
    """Where a lane's elements lie in a matrix: (lane, element) → (row, column), each an index expression.

    `shape` is the matrix's, `copies` how many lanes hold each of its elements.
    """

    lane: Expr
    element: Expr
    row: Expr
    column: Expr
    shape: tuple[int, int]
    copies: int = 1

    def at(self, lane: int, element: int) -> tuple[int, int]:
        """Row and column of one element of one lane."""
        row, column = values([self.row, self.column], {self.lane: lane, self.element: element})
        return row, column

    @cached_property
    def places(self) -> tuple[Array, Array]:
        """Row and column of every element: two arrays of shape (lanes, elements)."""
        rows, columns = grids([self.row, self.column], [self.lane, self.element])
        return rows, columns

    def spread(self, matrix: Array) -> Array:
        """The elements that each lane holds of a matrix: shape (lanes, elements)."""
        if matrix.shape != self.shape:
            raise ValueError(f"the operand is a matrix of {self.shape}; one of {matrix.shape} was given")
        return np.asarray(matrix[self.places])

    def gather(self, held: Array) -> Array:
        """The matrix that the lanes hold; ValueError where two lanes hold different values of one element."""
        matrix = np.zeros(self.shape, held.dtype)
        matrix[self.places] = held
        if not np.array_equal(self.spread(matrix), held):
            raise ValueError("two lanes hold different values of one element: each copy must be filled alike")
        return matrix


@dataclass(frozen=True)
class BlockScales:
    """Scales of blocks of k, a byte each: `block` elements share one, and `registers` have those of a lane.

    | `held_by` | the scale of row (or column) i and block j is in lane | as byte                         |
    |-----------|-------------------------------------------------------|---------------------------------|
    | lanes     | i + S·j, of S rows                                    | that which the instruction picks |
    | bytes     | i, or i + 16 if the instruction says so               | j                               |

    A side of 32 rows takes all lanes, and there is nothing to say.
    """

    block: int
    held_by: str
    registers: int = 1

    def held(self, rows: int, k: int, wave: int) -> OperandMap:
        """The scales of so many rows of k in the lanes of a wave: (lane, byte) → (row, block of k).

        Of `lanes` the byte that is picked; of `bytes` those of all lanes, each as if it were the one that counts.

        >>> BlockScales(32, "lanes").held(16, 128, 64).at(35, 0), BlockScales(32, "bytes").held(16, 128, 32).at(19, 2)
        ((3, 2), (3, 2))
        """
        count = k // self.block
        lane, element = var("lane", wave), var("element", count if self.held_by == "bytes" else 1)
        block = element if self.held_by == "bytes" else lane // rows
        return OperandMap(lane, element, lane % rows, block, (rows, count), wave // rows if block is element else 1)


@dataclass(frozen=True)
class MatrixInstruction:
    """A matrix instruction: its sizes, element types and operand maps, and who says so.

    `name` is the clang builtin's without `__builtin_amdgcn_`, or PTX's mnemonic.  `wave` lanes take part.
    """

    name: str
    wave: int
    m: int
    n: int
    k: int
    a_dtype: str
    b_dtype: str
    accumulator: str
    a: OperandMap
    b: OperandMap
    d: OperandMap
    sources: tuple[str, ...]
    isa_a: OperandMap | None = None
    isa_b: OperandMap | None = None
    bits: bool = False
    """Whether the builtin takes the bits of 16-bit elements, as `short`."""
    operands_in_lds: bool = False
    """Whether it takes A and B from LDS; then their maps are shares of what its lanes read together."""
    scales: BlockScales | None = None
    """Where the scales of A's rows and B's columns are, of a product that has such."""

    @property
    def c(self) -> OperandMap:
        """C's map, which is D's."""
        return self.d

    def of_scales(self, role: str) -> OperandMap:
        """Where the scales of A, (row, block of k), or of B, (block of k, column), are."""
        assert self.scales is not None
        one = self.scales.held(self.m if role == "a" else self.n, self.k, self.wave)
        return one if role == "a" else replace(one, row=one.column, column=one.row, shape=one.shape[::-1])

    def scaled(self) -> MatrixInstruction:
        """The instruction with A and B in the order of k in which scales count: the manual's, where that is another.

        >>> from layoutalg.target.matrix import matrix_instruction
        >>> one = matrix_instruction("mfma_scale_f32_16x16x128_f8f6f4.fp8.fp8")
        >>> [two.a.at(16, i)[1] for two in (one, one.scaled()) for i in (0, 15, 16)]
        [32, 47, 48, 16, 31, 80]
        """
        return replace(self, a=self.isa_a or self.a, b=self.isa_b or self.b)

    def execute(self, a: Array, b: Array, c: Array, isa: bool = False) -> Array:
        """D's elements in each lane from those of A, B and C: what the instruction does to registers.

        Shapes (lanes, elements); computed in the type of `c`.  With `isa`, the registers of A and B are read in the
        manual's order of k.
        """
        maps = (self.isa_a or self.a, self.isa_b or self.b) if isa else (self.a, self.b)
        left, right = (one.gather(held).astype(c.dtype) for one, held in zip(maps, (a, b), strict=True))
        return self.d.spread(left @ right + self.c.gather(c))
