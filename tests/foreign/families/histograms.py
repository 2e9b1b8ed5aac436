"""Histograms and other uses of atomic operations."""

import numpy as np

from tests.foreign.corpus import NOTHING, WRONG, Array, Broken, Kernel, sizes

FILE = "histograms"
LINE = sizes("N", (1,), (256,), (1000,))
GUARD = Broken("guard", "i < n", "i <= n", "address")
RETURN = Broken("guard", "i >= n", "i > n", "address")


def _bins(x: Array, count: int) -> Array:
    return np.bincount(x.reshape(-1), minlength=count).astype(np.uint32)


def _by_eight(x: Array, start: Array, pick: np.ufunc) -> Array:
    result = start.copy()
    for k in range(min(8, x.size)):
        result[k] = pick(start[k], pick.reduce(x[k::8]))
    return result


KERNELS = (
    Kernel("histogram_global", FILE, LINE, lambda g: {"bins": g.bins + _bins(g.x, 256)}, (
        GUARD,
        Broken("no atomic", "atomicAdd(&bins[x[i]], 1u)", "bins[x[i]] += 1", "race"),
        Broken("bin", "bins[x[i]]", "bins[x[i] + 1]", "address", sizes=sizes("N", (5000,))),
    ), inputs=lambda r, s: {"bins": r.integers(0, 99, 256)}),
    Kernel("histogram_lds", FILE, LINE, lambda g: {"bins": g.bins + _bins(g.x, 256)}, (
        Broken("not cleared", "for (int k = threadIdx.x; k < 256; k += blockDim.x) local[k] = 0;", "",
               "uninitialised"),
        Broken("no barrier after", "1u);\n    __syncthreads();", "1u);", "race"),
        Broken("no barrier before", "= 0;\n    __syncthreads();", "= 0;", "race"),
        Broken("LDS size", "local[256]", "local[128]", "address"),
    ), inputs=lambda r, s: {"bins": r.integers(0, 99, 256)}),
    Kernel("histogram_uchar4", FILE, LINE, lambda g: {"bins": g.bins + _bins(g.x >> 2, 64)}, (
        Broken("guard", "i < quads", "i <= quads", "address"),
        Broken("beyond LDS", "v.w >> 2", "v.w >> 1", "address"),
        Broken("no barrier", "    __syncthreads();\n    for", "    for", "race"),
    ), inputs=lambda r, s: {"bins": r.integers(0, 99, 64)}),
    Kernel("atomic_extremes", FILE, LINE, lambda g: {
        "low": _by_eight(g.x, g.low, np.minimum), "high": _by_eight(g.x.view(np.uint32), g.high, np.maximum)}, (
        RETURN,
        Broken("signed", "atomicMax(&high[i % 8], (unsigned)x[i])", "atomicMax((int*)&high[i % 8], x[i])", WRONG),
        Broken("place", "low[i % 8]", "low[i % 9]", "address"),
    ), inputs=lambda r, s: {"low": np.zeros(8), "high": np.full(8, 5)}),
    Kernel("atomic_bits", FILE, LINE, lambda g: {"o": np.array([
        g.o[0] | np.bitwise_or.reduce(g.x), g.o[1] & np.bitwise_and.reduce(g.x),
        g.o[2] ^ np.bitwise_xor.reduce(g.x), (g.o - g.x.sum(dtype=np.uint32))[3]], np.uint32)}, (
        RETURN,
        Broken("operation", "atomicXor", "atomicOr", WRONG),
        Broken("place", "&o[3]", "&o[4]", "address"),
    ), inputs=lambda r, s: {"x": r.integers(0, 16, s.N) | 32, "o": np.array([64, 0xFFF, 9, 5])}),
    Kernel("atomic_max_float", FILE, LINE, lambda g: {"o": np.maximum(g.o, g.x.max())}, (
        RETURN,
        Broken("no exchange", "atomicCAS(address, assumed, ", "atomicExch(address, ",
               NOTHING, "who takes a value out puts the greater one back, so that the greatest is never lost"),
        Broken("once", "old != assumed", "false", WRONG, sizes=sizes("N", (256,), (1000,))),
    ), inputs=lambda r, s: {"o": np.array([-3])}),
    Kernel("atomic_sum_u64", FILE, LINE,
           lambda g: {"o": g.o + (g.x.astype(np.uint64) * g.x).sum(dtype=np.uint64)}, (
        GUARD,
        Broken("overflow", "(unsigned long long)x[i] * x[i]", "x[i] * x[i]", WRONG),
    ), inputs=lambda r, s: {"o": np.array([1 << 40])}),
    Kernel("last_block_sums", FILE, LINE, lambda g: {
        "partial": np.array([g.x[k : k + 64].sum(dtype=np.int32) for k in range(0, g.N, 64)]),
        "ticket": g.ticket + np.uint32(-(-g.N // 64)), "o": g.x.sum(dtype=np.int32)[None]}, (
        Broken("no barrier", "__syncthreads();\n    if (last", "if (last",
               NOTHING, "a block of 64 threads is one wave on CDNA, where it needs none"),
        Broken("every block", "last = atomicAdd(ticket, 1u) == gridDim.x - 1", "last = atomicAdd(ticket, 1u) + 1 > 0",
               NOTHING, "the ticket may order the blocks, which is not followed; the last one's sum stays"),
        Broken("guard", "if (i < n) ", "", "address"),
    ), inputs=lambda r, s: {"ticket": np.zeros(1)}),
)  # fmt: skip
