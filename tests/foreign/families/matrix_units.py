"""Products of matrices by matrix instructions: MFMA of CDNA, WMMA of RDNA."""

import numpy as np

from tests.foreign.corpus import CDNA, RDNA, WRONG, Broken, Given, Kernel, Tensors, f32, sizes

FILE = "matrix_units"


def _product(g: Given) -> Tensors:
    wide = np.float64 if g.a.dtype == np.float64 else np.int32 if g.a.dtype == np.int8 else np.float32
    return {"c": g.a.astype(wide) @ g.b.astype(wide).T}


KERNELS = (
    Kernel("mfma_f16_16x16", FILE, sizes("M N K", (16, 16, 16), (32, 48, 32)), _product, (
        Broken("rows", "4 * quad + i) * n", "4 * i + quad) * n", WRONG),
        Broken("step", "l += 16", "l += 8", "address"),
    ), targets=CDNA),
    Kernel("mfma_f32_32x32", FILE, sizes("M N K", (32, 32, 2), (64, 32, 10)), _product, (
        Broken("rows", "i / 4 * 8 + 4 * half", "i / 4 * 8 + 2 * half", WRONG),
        Broken("half", "a[(blockIdx.y * 32 + row) * k + l + half]", "a[(blockIdx.y * 32 + row) * k + l + 1 - half]",
               WRONG),
        Broken("step", "l += 2", "l += 1", "address"),
    ), targets=CDNA),
    Kernel("mfma_bf16_32x32", FILE, sizes("M N K", (32, 32, 8), (32, 64, 24)),
           lambda g: {"c": f32(g.a) @ f32(g.b).T}, (
        Broken("rows", "i / 4 * 8 + 4 * half + i % 4", "i + 16 * half", WRONG),
        Broken("offset", "const short* right = b + (blockIdx.x * 32 + row)", "const short* right = b + row", WRONG),
    ), targets=CDNA),
    Kernel("mfma_i8_16x16", FILE, sizes("M N K", (16, 16, 32), (32, 32, 96)), _product, (
        Broken("rows", "4 * quad + i) * n", "4 * i + quad) * n", WRONG),
        Broken("columns", "blockIdx.x * 16 + row] = sum[i]", "blockIdx.x * 16 + (row ^ 1)] = sum[i]", WRONG),
    ), targets=CDNA),
    Kernel("mfma_f64_16x16", FILE, sizes("M N K", (16, 16, 4), (32, 16, 20)), _product, (
        Broken("rows", "4 * i + quad) * n", "4 * quad + i) * n", WRONG),
        Broken("step", "l += 4", "l += 2", "address"),
    ), targets=CDNA),
    Kernel("mfma_f16_through_lds", FILE, sizes("M N K", (1, 1, 1), (64, 64, 16), (70, 65, 20)), _product, (
        Broken("no barrier", "__syncthreads();\n        halfx4", "halfx4", "race"),
        Broken("edge", "side + y < n && l + z < k ? b[(side + y) * k + l + z] : __float2half(0.0f)",
               "b[(side + y) * k + l + z]", "address"),
        Broken("LDS size", "left[64][20], right[64][20]", "left[48][20], right[48][20]", "address"),
    ), targets=CDNA),
    Kernel("wmma_f16_16x16", FILE, sizes("M N K", (16, 16, 16), (32, 48, 32)), _product, (
        Broken("columns", "blockIdx.x * 16 + row] = sum[i]", "blockIdx.x * 16 + (row ^ 1)] = sum[i]", WRONG),
        Broken("step", "l += 16", "l += 8", "address"),
    ), targets=RDNA),
)  # fmt: skip
