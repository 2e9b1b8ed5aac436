"""Softmax and normalisation of rows."""

import numpy as np

from tests.foreign.corpus import NOTHING, RDNA, WRONG, Array, Broken, Given, Kernel, Tolerance, sizes
from tests.foreign.references import layer_norm, softmax

FILE = "normalisation"
ROWS = sizes("M N", (1, 1), (3, 64), (5, 300))
EXPONENTIALS = Tolerance(1e-7, 1e-5, "exponentials within a few ulp of arguments up to 16, a sum and a division")
NORMAL = Tolerance(1e-5, 1e-5, "a sum of up to 300 squares in another order, a root within 1 ulp")
EPSILON = {"epsilon": np.float32(1e-5)}


def _rms_norm(g: Given) -> Array:
    x = g.x.astype(float)
    result: Array = x / np.sqrt((x * x).mean(1, keepdims=True) + g.epsilon) * g.gain
    return result


KERNELS = (
    Kernel("softmax_row", FILE, ROWS, lambda g: {"o": softmax(g.x)}, (
        Broken("no barrier", "most = reduction[0];\n    __syncthreads();", "most = reduction[0];", "race"),
        Broken("divergent barrier", "        __syncthreads();\n    }\n    most",
               "        if (threadIdx.x < half) __syncthreads();\n    }\n    most", "race"),
        Broken("guard", "k < columns; k += blockDim.x) most", "k <= columns; k += blockDim.x) most", "address"),
        Broken("not shifted", "sum += expf(row[k] - most)", "sum += expf(row[k])", WRONG),
    ), EXPONENTIALS),
    Kernel("softmax_wave", FILE, ROWS, lambda g: {"o": softmax(g.x)}, (
        Broken("guard", "row >= rows", "row > rows", "address"),
        Broken("only one lane's sum", "sum = wave_sum(sum);", "", WRONG),
    ), EXPONENTIALS),
    Kernel("layer_norm", FILE, ROWS, lambda g: {"o": layer_norm(g.x, g.gain, g.bias, g.epsilon)}, (
        Broken("LDS size", "scratch[256]", "scratch[128]", "address"),
        Broken("mean", "row[k] - mean) * scale", "row[k]) * scale", WRONG),
        Broken("guard", "k < columns; k += blockDim.x) sum", "k <= columns; k += blockDim.x) sum", "address"),
    ), NORMAL, values=EPSILON),
    Kernel("rms_norm_f16", FILE, ROWS, lambda g: {"o": _rms_norm(g)}, (
        Broken("only one lane's sum", "wave_sum(squares)", "squares", WRONG),
        Broken("guard", "k < columns; k += warpSize) squares", "k <= columns; k += warpSize) squares", "address"),
    ), Tolerance(1e-3, 1e-3, "rounded to f16, which has 11 bits"), values=EPSILON, targets=RDNA),  # blocks of one wave
    Kernel("log_sum_exp", FILE, sizes("M N", (1, 1), (64, 5), (70, 9)), lambda g: {
        "o": np.log(np.exp(g.x.astype(float)).sum(1))}, (
        Broken("guard", "row >= rows", "row > rows", "address"),
        Broken("not scaled", "sum *= expf(most - v);", "", WRONG),
        Broken("identity", "-INFINITY", "-100.0f", NOTHING, "no element here is below -100"),
    ), Tolerance(1e-5, 1e-5, "exponentials and a logarithm within a few ulp")),
)  # fmt: skip
