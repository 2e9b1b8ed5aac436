"""A product of matrices in Triton, whose GPU IR `record` keeps."""

import triton
import triton.language as tl


@triton.jit
def product(a, b, c, k, a_row, b_row, c_row, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """c = a·b in tiles of BM × BN, BK of k at a time."""
    m, n, depth = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    left, right = a + m[:, None] * a_row + depth[None, :], b + depth[:, None] * b_row + n[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, k, BK):
        total = tl.dot(tl.load(left), tl.load(right), total)
        left += BK
        right += BK * b_row
    tl.store(c + m[:, None] * c_row + n[None, :], total.to(tl.float16))
