"""Reductions by trees, shuffles, atomics and votes."""

import numpy as np

from tests.foreign.corpus import NOTHING, WRONG, Array, Broken, Kernel, sizes

FILE = "reductions"
LINE = sizes("N", (1,), (256,), (300,), (1000,))
LAST_BARRIER = "        __syncthreads();\n"


def _of_blocks(x: Array, block: int) -> Array:
    padded = np.zeros(-(-x.size // block) * block, x.dtype)
    padded[: x.size] = x
    return padded.reshape(-1, block)


KERNELS = (
    Kernel("reduce_tree", FILE, LINE, lambda g: {"o": _of_blocks(g.x, 256).sum(1)}, (
        Broken("no barrier within", LAST_BARRIER, "", "race"),
        Broken("no barrier before", "__syncthreads();\n    for", "for", "race"),
        Broken("LDS size", "partial[256]", "partial[128]", "address"),
        Broken("divergent barrier", "if (t < half) partial[t] += partial[t + half];\n        __syncthreads();",
               "if (t < half) {\n partial[t] += partial[t + half];\n __syncthreads();\n }", "barrier"),
        Broken("uninitialised edge", "partial[t] = i < n ? x[i] : 0.0f;", "if (i < n) partial[t] = x[i];",
               "uninitialised"),
        Broken("guard", "i < n ? x[i] : 0.0f", "x[i]", "address"),
    )),
    Kernel("reduce_interleaved", FILE, LINE, lambda g: {"o": _of_blocks(g.x, 128).sum(1, dtype=np.int32)}, (
        Broken("no barrier", LAST_BARRIER, "", "race"),
        Broken("beyond LDS", "t % (2 * step) == 0", "t % step == 0", "address"),
        Broken("guard", "i < n ? x[i] : 0", "x[i]", "address"),
    )),
    Kernel("reduce_shuffle", FILE, LINE, lambda g: {"o": _of_blocks(g.x, 256).sum(1)}, (
        Broken("no barrier", "__syncthreads();", "", "race"),
        Broken("too few steps", "int delta = 4", "int delta = 1", WRONG),
        Broken("guard", "i < n ? x[i] : 0.0f", "x[i]", "address"),
        Broken("uninitialised", "lane < 256 / warpSize ? of_wave[lane] : 0.0f", "of_wave[lane % 8]",
               "uninitialised"),
    )),
    Kernel("row_max", FILE, sizes("M N", (1, 1), (3, 128), (5, 300)), lambda g: {"o": g.x.max(1)}, (
        Broken("no barrier", "__syncthreads();\n    for", "for", "race"),
        Broken("identity", "-INFINITY", "0.0f", WRONG, sizes=sizes("M N", (9, 1))),
        Broken("guard", "k < columns", "k <= columns", "address"),
    )),
    Kernel("column_sum", FILE, sizes("M N", (1, 1), (8, 64), (5, 100)), lambda g: {"o": g.x.sum(0)}, (
        Broken("guard", "column >= columns", "column > columns", "address"),
        Broken("rows", "row < rows", "row <= rows", "address"),
        Broken("stride", "row * columns", "row * rows", WRONG),
    )),
    Kernel("dot_f64", FILE, LINE, lambda g: {"o": np.dot(g.a, g.b)[None]}, (
        Broken("guard", "i < n", "i <= n", "address"),
        Broken("no barrier", LAST_BARRIER, "", "race"),
        Broken("stride", "i += 256", "i += 255", WRONG),
    )),
    Kernel("sum_by_atomics", FILE, LINE, lambda g: {"o": g.o + g.x.sum(dtype=np.int32)}, (
        Broken("no atomic", "atomicAdd(o, sum)", "*o += sum", "race"),
        Broken("guard", "i < n", "i <= n", "address"),
    ), inputs=lambda r, s: {"o": np.array([7])}),
    Kernel("sum_float_atomics", FILE, LINE,
           lambda g: {"o": g.o + np.bincount(np.arange(g.N) % 4, g.x, 4)}, (
        Broken("no atomic", "atomicAdd(o + i % 4, x[i])", "o[i % 4] += x[i]", "race"),
        Broken("beyond", "i % 4", "i % 5", "address"),
    ), inputs=lambda r, s: {"o": np.arange(4)}),
    Kernel("argmax", FILE, sizes("M N", (1, 1), (3, 64), (5, 200)), lambda g: {"o": g.x.argmax(1)}, (
        Broken("ties", "there < places[threadIdx.x]", "there > places[threadIdx.x]", WRONG),
        Broken("guard", "k < n", "k <= n", "address"),
        Broken("LDS size", "values[64]", "values[32]", "address"),
    )),
    Kernel("count_positive", FILE, LINE, lambda g: {"o": g.o + (g.x > 0).sum(dtype=np.uint32)}, (
        Broken("guard", "i < n && ", "", "address"),
        Broken("of half a wave", "__popcll(votes)", "__popc((unsigned)votes & 0xffff)", WRONG),
        Broken("once a lane", "threadIdx.x % warpSize == 0", "threadIdx.x % 16 == 0", WRONG),
    ), inputs=lambda r, s: {"o": np.array([3])}),
    Kernel("butterfly_max", FILE, LINE, lambda g: {"o": _blockwise_max(g.x)}, (
        Broken("half the steps", "int mask = 16", "int mask = 8", WRONG),
        Broken("guard", "i < n ? x[i] : -FLT_MAX", "x[i]", "address"),
        Broken("whole wave", "__shfl_xor(most, mask, 32)", "__shfl_xor(most, mask)", NOTHING,
               "a mask below 32 stays within 32 lanes anyway: it is right"),
    )),
)  # fmt: skip


def _blockwise_max(x: Array) -> Array:
    padded = np.full(-(-x.size // 32) * 32, np.finfo(np.float32).min)
    padded[: x.size] = x
    return np.repeat(padded.reshape(-1, 32).max(1), 32)[: x.size]
