"""Triton's matmul as its users write it: tiles of the result, grouped for L2, the fastest of a few cuts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import triton
import triton.language as tl

ORDERS = ("ik,jk->ij", "ik,kj->ij")
"""The contractions that it does."""


@triton.autotune(  # type: ignore[untyped-decorator]
    configs=[
        triton.Config({"M": m, "N": n, "K": 64, "GROUP": 8}, num_warps=warps, num_stages=stages)
        for m, n, warps, stages in (
            (128, 256, 8, 3), (128, 256, 8, 4), (128, 128, 4, 4), (128, 128, 8, 3), (256, 128, 8, 3),
        )
    ],
    key=["rows", "columns", "depth"],
)  # fmt: skip
@triton.jit  # type: ignore[untyped-decorator]
def _matmul(  # type: ignore[no-untyped-def]
    a, b, c, rows, columns, depth, am, ak, bk, bn, cm, cn,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    block = tl.program_id(0)
    down, across = tl.cdiv(rows, M), tl.cdiv(columns, N)
    first = block // (GROUP * across) * GROUP
    high = min(down - first, GROUP)
    row = (first + block % (GROUP * across) % high) * M + tl.arange(0, M)
    column = block % (GROUP * across) // high * N + tl.arange(0, N)
    k = tl.arange(0, K)
    x = a + (row % rows)[:, None] * am + k[None, :] * ak
    y = b + k[:, None] * bk + (column % columns)[None, :] * bn
    sums = tl.zeros((M, N), dtype=tl.float32)
    for at in range(0, depth, K):
        left = tl.load(x, mask=k[None, :] < depth - at, other=0.0)
        right = tl.load(y, mask=k[:, None] < depth - at, other=0.0)
        sums = tl.dot(left, right, sums)
        x += K * ak
        y += K * bk
    inside = (row[:, None] < rows) & (column[None, :] < columns)
    tl.store(c + row[:, None] * cm + column[None, :] * cn, sums.to(c.dtype.element_ty), mask=inside)


def matmul(einsum: str, a: Any, b: Any, target: Any) -> Callable[[], object]:
    """The work: a product of two matrices, b's as `einsum` has it."""
    b = b.t() if einsum == ORDERS[0] else b
    (rows, depth), columns = a.shape, b.shape[1]

    def work() -> None:
        _matmul[lambda cut: (triton.cdiv(rows, cut["M"]) * triton.cdiv(columns, cut["N"]),)](
            a, b, target, rows, columns, depth, *a.stride(), *b.stride(), *target.stride()
        )

    return work


__all__ = ["ORDERS", "matmul"]
