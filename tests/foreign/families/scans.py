"""Prefix sums of a block, of a wave and of a whole array."""

import numpy as np

from tests.foreign.corpus import WRONG, Array, Broken, Kernel, sizes

FILE = "scans"
BLOCK = sizes("N", (1,), (100,), (255,), (256,))
LINE = sizes("N", (1,), (256,), (300,), (777,))


def _within(x: Array, block: int, dtype: type) -> Array:
    return np.concatenate([np.cumsum(x[k : k + block], dtype=dtype) for k in range(0, x.size, block)])


def _sums(x: Array, block: int) -> Array:
    return np.array([x[k : k + block].sum() for k in range(0, x.size, block)])


KERNELS = (
    Kernel("scan_hillis_steele", FILE, BLOCK, lambda g: {"o": np.cumsum(g.x, dtype=np.int32)}, (
        Broken("no barrier", "        __syncthreads();\n", "", "race"),
        Broken("one buffer", "buffer[1 - from][t] =", "buffer[from][t] =", "race"),
        Broken("guard", "if (t < n) o", "if (t <= n) o", "address"),
        Broken("too few steps", "step < 256", "step < 128", WRONG),
    )),
    Kernel("scan_blelloch", FILE, BLOCK, lambda g: {"o": np.cumsum(g.x, dtype=np.int32) - g.x}, (
        Broken("no barrier", "step /= 2;\n        __syncthreads();", "step /= 2;", "race"),
        Broken("last not cleared", "if (t == 0) tree[255] = 0;", "", WRONG),
        Broken("LDS size", "tree[256]", "tree[255]", "address"),
    )),
    Kernel("scan_wave", FILE, sizes("N", (1,), (32,), (64,), (100,)), lambda g: {"o": _within(g.x, 32, np.int32)}, (
        Broken("every lane", "if (lane >= delta) ", "", WRONG),
        Broken("guard", "i < n ? x[i] : 0", "x[i]", "address"),
        Broken("too few steps", "delta < 32", "delta < 16", WRONG),
    )),
    Kernel("scan_blocks", FILE, LINE, lambda g: {"o": _within(g.x, 256, np.float32), "sums": _sums(g.x, 256)}, (
        Broken("no second barrier", "0.0f;\n        __syncthreads();\n        tile", "0.0f;\n        tile", "race"),
        Broken("who writes the sum", "t == 255", "t == 256", WRONG),
        Broken("guard", "if (i < n) o", "o", "address"),
    )),
    Kernel("add_offsets", FILE, sizes("N", (1,), (64,), (300,)),
           lambda g: {"o": g.o + np.repeat(np.cumsum(g.sums) - g.sums, 64)[: g.N]}, (
        Broken("guard", "i >= n", "i > n", "address"),
        Broken("its own sum too", "k < blockIdx.x", "k <= blockIdx.x", WRONG),
    ), inputs=lambda r, s: {"o": r.integers(-9, 9, s.N)}),
)  # fmt: skip
