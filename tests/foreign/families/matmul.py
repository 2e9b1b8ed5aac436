"""Products of matrices by plain instructions."""

import numpy as np

from tests.foreign.corpus import NOTHING, WRONG, Broken, Given, Kernel, Tensors, sizes

FILE = "matmul"
SIZES = sizes("M N K", (1, 1, 1), (16, 32, 16), (17, 33, 20), (5, 40, 35))


def _product(g: Given) -> Tensors:
    return {"c": g.a @ g.b}


TILED = (
    Broken("no second barrier", "        __syncthreads();\n    }", "    }", "race"),
    Broken("read guard", "row < m && l + tx < k ?", "row < m ?", "address"),
    Broken("write guard", "if (row < m && column < n) c", "if (row < m) c", "address"),
)

KERNELS = (
    Kernel("matmul_naive", FILE, SIZES, _product, (
        Broken("guard", "row >= m || ", "", "address"),
        Broken("stride", "b[l * n + column]", "b[l * k + column]", WRONG),
        Broken("bound", "l < k", "l <= k", "address"),
    )),
    Kernel("matmul_tiled", FILE, SIZES, _product, (
        *TILED,
        Broken("no first barrier", "__syncthreads();\n        for", "for", "race"),
        Broken("uninitialised edge", "right[ty][tx] = l + ty < k && column < n ? b[(l + ty) * n + column] : 0.0f;",
               "if (l + ty < k && column < n) right[ty][tx] = b[(l + ty) * n + column];", "uninitialised"),
        Broken("divergent barrier", "__syncthreads();\n        for", "if (row < m) __syncthreads();\n        for",
               "race"),
        Broken("LDS size", "right[TILE][TILE]", "right[TILE - 1][TILE]", "address"),
    )),
    Kernel("matmul_double_buffered", FILE, SIZES, _product, (
        Broken("no second barrier", "        __syncthreads();\n    }", "    }", "race"),
        Broken("one buffer", "left[now ^ 1][ty][tx] =", "left[now][ty][tx] =", "uninitialised"),
        Broken("guard", "next + tx < k ?", "next < k ?", "address"),
        Broken("write guard", "if (row < m && column < n) c", "if (row < m) c", "address"),
    )),
    Kernel("matmul_registers", FILE, sizes("M N K", (1, 1, 1), (64, 128, 8), (65, 70, 20)),
           lambda g: {"c": g.alpha * (g.a @ g.b) + g.beta * g.c}, (
        Broken("no barrier", "__syncthreads();\n        for", "for", "race"),
        Broken("guard", "if (row < m && column < n) c", "if (column < n) c", "address"),
        Broken("overlap", "i < 512", "i < 511", "uninitialised"),
    ), values={"alpha": np.float32(0.5), "beta": np.float32(2)},
        inputs=lambda r, s: {"c": r.integers(-9, 9, (s.M, s.N))}),
    Kernel("matmul_f16", FILE, SIZES, lambda g: {"c": g.a.astype(np.float32) @ g.b.astype(np.float32)}, (
        *TILED,
        Broken("narrow sum", "float sum", "__half sum", NOTHING, "sums up to 2048 are exact in f16 too"),
    ), inputs=lambda r, s: {"a": r.integers(-2, 3, (s.M, s.K)), "b": r.integers(-2, 3, (s.K, s.N))}),
    Kernel("matmul_i8", FILE, sizes("M N K", (1, 1, 4), (16, 16, 32), (17, 18, 20)),
           lambda g: {"c": g.a.astype(np.int32) @ g.b.astype(np.int32).T}, (
        Broken("guard", "row >= m || ", "", "address"),
        Broken("unsigned", "p.w * q.w", "(unsigned char)p.w * q.w", WRONG),
        Broken("misaligned", "(a + row * k + l)", "(a + row * k + l + 1)", "alignment"),
    )),
    Kernel("matmul_batched", FILE, sizes("B M N K", (1, 1, 1, 1), (3, 8, 8, 4), (2, 9, 11, 7)),
           lambda g: {"c": g.a @ g.b}, (
        Broken("guard", "i >= m * n", "i > m * n", "address"),
        Broken("batch", "c += blockIdx.z * batch.c", "c += blockIdx.z * batch.a", "collision"),
    )),
    Kernel("matvec_wave", FILE, sizes("M N", (1, 1), (4, 32), (7, 100)), lambda g: {"y": g.a @ g.x}, (
        Broken("guard", "row >= m", "row > m", "address"),
        Broken("half", "int mask = 16", "int mask = 8", WRONG),
        Broken("every lane", "if (lane == 0) ", "", NOTHING, "all lanes write the same"),
    )),
    Kernel("matmul_f64", FILE, sizes("N", (1,), (8,), (19,)), _product, (
        Broken("no second barrier", "        __syncthreads();\n    }", "    }",
               NOTHING, "a block of 64 threads is one wave on CDNA, where it needs none"),
        Broken("guard", "row < n && column < n) c", "row < n) c", "address"),
        Broken("edge", "l + ty < n && column < n", "column < n", "address"),
    )),
)  # fmt: skip
