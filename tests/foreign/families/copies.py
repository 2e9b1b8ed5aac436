"""Copies of all kinds, and what only moves elements."""

import numpy as np

from tests.foreign.corpus import NOTHING, WRONG, Broken, Kernel, sizes

FILE = "copies"
LINE = sizes("N", (1,), (255,), (256,), (1000,))

KERNELS = (
    Kernel("copy_plain", FILE, LINE, lambda g: {"o": g.x}, (
        Broken("guard", "if (i < n) ", "", "address"),
        Broken("off by one", "i < n", "i <= n", "address"),
        Broken("shifted", "x[i]", "x[i > 0 ? i - 1 : 0]", WRONG),
    )),
    Kernel("copy_early_return", FILE, LINE, lambda g: {"o": g.x}, (
        Broken("off by one", "i >= n", "i > n", "address"),
        Broken("block size", "blockDim.x", "128", WRONG),
    )),
    Kernel("copy_grid_stride", FILE, sizes("N", (1,), (384,), (385,), (2000,)), lambda g: {"o": g.x}, (
        Broken("stride", "gridDim.x * blockDim.x;", "gridDim.x * blockDim.x + 1;", WRONG),
        Broken("guard", "i < n;", "i < n + 1;", "address"),
        Broken("endless", "i += stride", "i += n < 0", "control"),
    )),
    Kernel("copy_float4", FILE, sizes("N", (1,), (7,), (1024,), (1027,), (3000,)), lambda g: {"o": g.x}, (
        Broken("guard", "4 * i + 3 < n", "4 * i < n", "address"),
        Broken("tail", "k < n", "k < n - 1", WRONG),
        Broken("misaligned", "(x)[i]", "(x + 1)[i]", WRONG),
    )),
    Kernel("copy_strided_rows", FILE, sizes("H W P", (1, 1, 1), (9, 33, 40), (16, 64, 64)), lambda g: {"o": g.x}, (
        Broken("stride", "row * pitch", "row * columns", "uninitialised"),
        Broken("guard", "row < rows && ", "", "address"),
        Broken("one dimension", "blockIdx.y * blockDim.y + threadIdx.y", "threadIdx.y", WRONG),
    )),
    Kernel("copy_batched", FILE, sizes("B N", (1, 1), (3, 64), (5, 100)), lambda g: {"o": g.x}, (
        Broken("batch stride", "x + blockIdx.z * batch_stride", "x + blockIdx.z * (long long)n", "uninitialised"),
        Broken("overwritten", "o + blockIdx.z * (long long)n", "o", "collision"),
        Broken("guard", "i < n", "i <= n", "address"),
    )),
    Kernel("copy_index_64", FILE, LINE, lambda g: {"o": g.x}, (
        Broken("guard", "i < n", "i <= n", "address"),
        Broken("32-bit index", "(size_t)blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.x * blockDim.x + threadIdx.x",
               NOTHING, "it is wrong from 2³² elements on, which no run here holds"),
    )),
    Kernel("reverse", FILE, sizes("N", (1,), (64,), (100,)), lambda g: {"o": g.x[::-1]}, (
        Broken("off by one", "n - 1 - i", "n - i", "address"),
        Broken("guard", "if (i < n) ", "", "address"),
    )),
    Kernel("reverse_in_lds", FILE, sizes("N", (1,), (65,), (255,), (256,)), lambda g: {"x": g.x[::-1]}, (
        Broken("no barrier", "__syncthreads();", "", "race"),
        Broken("LDS size", "tile[256]", "tile[128]", "address"),
        Broken("divergent barrier", "__syncthreads();", "if (i < 64) __syncthreads();", "barrier"),
        Broken("uninitialised", "if (i < n) tile[i]", "if (i < n - 1) tile[i]", "uninitialised"),
    ), inputs=lambda r, s: {"x": r.integers(-99, 99, s.N)}),
    Kernel("fill", FILE, sizes("N", (1,), (256,), (300,)), lambda g: {"o": np.full(g.N, g.value)}, (
        Broken("guard", "i < n", "i <= n", "address"),
        Broken("uninitialised", "o[i] = value;", "{ float v; if (i != n - 1) v = value; o[i] = v; }",
               "uninitialised"),
    ), values={"value": np.float32(2.5)}),
    Kernel("concatenate", FILE, sizes("H L R", (1, 1, 1), (5, 7, 3), (16, 8, 8)),
           lambda g: {"o": np.concatenate([g.a, g.b], 1)}, (
        Broken("width", "b[row * right", "b[row * left", "address"),
        Broken("guard", "i >= rows * width", "i > rows * width", "address"),
    )),
    Kernel("pad_2d", FILE, sizes("H W T S", (1, 1, 0, 0), (5, 70, 1, 2), (8, 64, 2, 0)),
           lambda g: {"o": np.pad(g.x, ((g.T, g.T), (g.S, g.S)))}, (
        Broken("unguarded top", "y >= 0 && ", "", "address", sizes=sizes("H W T S", (5, 70, 30, 2))),
        Broken("unguarded side", " && z < w", "", "address"),
        Broken("guard", " || column >= width", "", "address"),
    )),
)  # fmt: skip
