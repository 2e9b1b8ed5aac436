"""Offsets as sums of strides: what each index adds, and the order in which places are taken apart by them."""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.index import ONE, ZERO, Expr, simplify, substitute, value, variables


def strides_of(offset: Expr, index: Sequence[Expr]) -> tuple[Expr, tuple[Expr, ...]] | None:
    """The offset of index 0, and what one more of each index adds; None where the offset is no such sum.

    >>> from layoutalg.index import symbol, var
    >>> i, j, n = var("i", 4), var("j", 8), symbol("N")
    >>> strides_of(i * n + j * 2 + 5, (i, j)), strides_of(i * j, (i, j))
    ((5, (N, 2)), None)
    """
    zeros = dict.fromkeys(index, ZERO)
    start = simplify(substitute(offset, zeros))
    strides = tuple(simplify(substitute(offset, {**zeros, i: ONE}) - start) for i in index)
    line = sum((i * stride for i, stride in zip(index, strides, strict=True)), start=start)
    return (start, strides) if simplify(offset - line) is ZERO else None


def magnitude(stride: Expr) -> int:
    """A stride among others, where all sizes are large: places are taken apart by the largest first."""
    return value(stride, {v: int(max(v.lo, min(v.hi, 1 << 10))) for v in variables(stride)})
