"""Kernels as Triton's tutorials write them: what `make.py` compiles. Read by Triton, never by the tests.

Tutorials (triton-lang.org, "Tutorials"): 01 vector addition, 02 fused softmax, 03 matrix multiplication, 04 low-memory
dropout, 05 layer normalisation, 06 fused attention; beside them a transposition and a sum of rows.
"""

import triton
import triton.language as tl


@triton.jit
def add(x, y, o, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = k < n
    tl.store(o + k, tl.load(x + k, mask=inside) + tl.load(y + k, mask=inside), mask=inside)


@triton.jit
def transpose(x, o, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = (row[:, None] < M) & (column[None, :] < N)
    tile = tl.load(x + row[:, None] * N + column[None, :], mask=inside)
    tl.store(o + column[:, None] * M + row[None, :], tl.trans(tile), mask=tl.trans(inside))


@triton.jit
def row_sum(x, o, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, N, BLOCK):
        column = start + tl.arange(0, BLOCK)
        total += tl.load(x + row * N + column, mask=column < N, other=0.0)
    tl.store(o + row, tl.sum(total, axis=0))


@triton.jit
def softmax(x, o, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < N
    v = tl.load(x + row * N + column, mask=inside, other=-float("inf"))
    powers = tl.exp(v - tl.max(v, axis=0))
    tl.store(o + row * N + column, powers / tl.sum(powers, axis=0), mask=inside)


@triton.jit
def matmul(a, b, c, M, N, K, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr, GROUP: tl.constexpr):
    number = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(M, TM), tl.cdiv(N, TN)
    group = number // (GROUP * tiles_n)
    rows = min(tiles_m - group * GROUP, GROUP)
    tile_m = group * GROUP + number % (GROUP * tiles_n) % rows
    tile_n = number % (GROUP * tiles_n) // rows
    m = (tile_m * TM + tl.arange(0, TM)) % M
    n = (tile_n * TN + tl.arange(0, TN)) % N
    k = tl.arange(0, TK)
    from_a = a + m[:, None] * K + k[None, :]
    from_b = b + k[:, None] * N + n[None, :]
    total = tl.zeros((TM, TN), tl.float32)
    for step in range(tl.cdiv(K, TK)):
        left = K - step * TK
        total = tl.dot(
            tl.load(from_a, mask=k[None, :] < left, other=0.0),
            tl.load(from_b, mask=k[:, None] < left, other=0.0),
            total,
        )
        from_a += TK
        from_b += TK * N
    m = tile_m * TM + tl.arange(0, TM)
    n = tile_n * TN + tl.arange(0, TN)
    tl.store(c + m[:, None] * N + n[None, :], total.to(tl.float16), mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def dropout(x, o, n, p, seed, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = k < n
    v = tl.load(x + k, mask=inside)
    kept = tl.rand(seed, k) > p
    tl.store(o + k, tl.where(kept, v / (1 - p), 0.0), mask=inside)


@triton.jit
def layer_norm(x, o, gain, bias, N, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * N
    o += row * N
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, N, BLOCK):
        column = start + tl.arange(0, BLOCK)
        total += tl.load(x + column, mask=column < N, other=0.0)
    mean = tl.sum(total, axis=0) / N
    squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, N, BLOCK):
        column = start + tl.arange(0, BLOCK)
        centred = tl.where(column < N, tl.load(x + column, mask=column < N, other=0.0) - mean, 0.0)
        squares += centred * centred
    scale = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + epsilon)
    for start in range(0, N, BLOCK):
        column = start + tl.arange(0, BLOCK)
        inside = column < N
        v = (tl.load(x + column, mask=inside) - mean) * scale
        v = v * tl.load(gain + column, mask=inside) + tl.load(bias + column, mask=inside)
        tl.store(o + column, v, mask=inside)


@triton.jit
def attention(q, k, v, o, N, scale, TM: tl.constexpr, TN: tl.constexpr, D: tl.constexpr):
    head = tl.program_id(1) * N * D
    m = tl.program_id(0) * TM + tl.arange(0, TM)
    d = tl.arange(0, D)
    queries = tl.load(q + head + m[:, None] * D + d[None, :], mask=m[:, None] < N, other=0.0)
    most = tl.full((TM,), -float("inf"), tl.float32)
    total = tl.zeros((TM,), tl.float32)
    result = tl.zeros((TM, D), tl.float32)
    for start in range(0, N, TN):
        n = start + tl.arange(0, TN)
        keys = tl.load(k + head + n[None, :] * D + d[:, None], mask=n[None, :] < N, other=0.0)
        scores = tl.where(n[None, :] < N, tl.dot(queries, keys) * scale, -float("inf"))
        more = tl.maximum(most, tl.max(scores, axis=1))
        powers = tl.exp(scores - more[:, None])
        shrink = tl.exp(most - more)
        total = total * shrink + tl.sum(powers, axis=1)
        values = tl.load(v + head + n[:, None] * D + d[None, :], mask=n[:, None] < N, other=0.0)
        result = tl.dot(powers.to(tl.float16), values, result * shrink[:, None])
        most = more
    result = result / total[:, None]
    tl.store(o + head + m[:, None] * D + d[None, :], result.to(tl.float16), mask=m[:, None] < N)
