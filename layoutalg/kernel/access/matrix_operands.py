"""Operands that an instruction reads from LDS itself: where a matrix descriptor says that element (row, k) lies.

wgmma takes A (64 × 16) and B (n × 16) of 16-bit elements as 64-bit descriptors: the address of the first element, two
strides and a swizzle.  With the swizzle of 128 bytes, LDS is rows of 64 elements, eight of them a pattern of 1024
bytes, and the number of a row's run of eight elements is xor-ed with the row's number in its pattern:

    linear word   rows run along k:       start + (row div 8)·512 + (row mod 8)·64 + k                       k < 64
                  rows run along m (n):   start + (row div 64)·leading + (k div 8)·512 + (k mod 8)·64 + row mod 64
    word          the linear word, its bits 3 … 5 xor-ed with its bits 6 … 8

The bits are those of the address, so a pattern begins at a multiple of 1024 bytes.  In the descriptor the stride
dimension byte offset is 1024, and the leading one that of `leading`, which operands along k do not use.  Source: PTX
ISA, "Asynchronous warpgroup-level matrix instructions", matrix descriptor format and strides; the xor as CUTLASS has it
(Swizzle<3, 4, 3> on bytes, cute/arch/mma_sm90_desc.hpp).  What it cannot represent: the swizzles of 32 and 64 bytes and
none, elements of 8 and 32 bits.
"""

from __future__ import annotations

from layoutalg.index import ZERO, Expr, var, xor
from layoutalg.index.normal import simplify
from layoutalg.kernel.program import LoadShared, Program

PATTERN = 1024
"""Bytes at whose multiples a pattern begins."""
ROW = 64
"""Elements of a row."""
RUN = 8
"""Elements that stay together: 16 bytes, at whose multiples an operand begins."""


def word_read(start: Expr, row: Expr, k: Expr, along_k: bool, leading: Expr | int) -> Expr:
    """The word that the hardware reads as an element, given the first element's, whose pattern's row is its first.

    >>> from layoutalg.index import as_expr
    >>> [word_read(as_expr(0), as_expr(row), as_expr(8), True, 0) for row in (0, 1, 9)]
    [8, 64, 576]
    """
    if along_k:
        linear = start + row // 8 * (8 * ROW) + row % 8 * ROW + k
    else:
        linear = start + row // ROW * leading + k // 8 * (8 * ROW) + k % 8 * ROW + row % ROW
    return swizzled(linear)


def swizzled(linear: Expr) -> Expr:
    """The word at which a linear word lies: the number of its run of 8 is xor-ed with that of its row in the pattern.

    >>> from layoutalg.index import as_expr
    >>> [swizzled(as_expr(word)) for word in (8, 72, 520)]
    [8, 64, 520]
    """
    return linear // ROW * ROW + xor(linear // 8 % 8, linear // ROW % 8) * 8 + linear % 8


def leading_of(operand: LoadShared, along_k: bool) -> Expr:
    """Elements from one row of 64 along m (or n) to the next: a plane of the tile; 0 where rows run along k."""
    return ZERO if along_k else operand.descriptor.lengths[-1] * ROW


def first_word(program: Program, operand: LoadShared, letter: str) -> Expr:
    """The word of an instruction's first element, as it is computed; `letter` counts repetitions, k the steps of k."""
    tile = operand.registers.distribution
    *waves, _ = program.lanes
    steps = (var(letter, tile.ys[0]), var("k", tile.ys[1]), *(ZERO for _ in tile.ys[2:]))
    inner = tile.lower((*waves, ZERO), steps)
    origin = operand.origin or (ZERO,) * len(inner)
    place = operand.descriptor.offset([o + c for o, c in zip(origin, inner, strict=True)])
    return simplify(place) + operand.slot * operand.shared.elements


__all__ = ["PATTERN", "ROW", "RUN", "first_word", "leading_of", "swizzled", "word_read"]
