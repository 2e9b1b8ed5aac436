"""Reductions and norms: problems 23, 24, 36 to 40, 47 to 49 and 51 to 53 of level 1."""

from functools import partial

import numpy as np

from tests.foreign.corpus import NOTHING, WRONG, Array, Broken, Kernel, Tolerance, sizes
from tests.foreign.kernelbench.cheats import FOLDER, cheats
from tests.foreign.references import layer_norm, softmax

Problem = partial(Kernel, file="reductions", folder=FOLDER)

ROWS = sizes("M N", (1, 1), (3, 64), (2, 300))
CUBES = sizes("B M N", (1, 1, 1), (2, 5, 70), (3, 8, 64))
NEAR = Tolerance(2e-5, 1e-5, "sums of up to 300 terms in another order; exponentials and roots within a few ulp")
EPSILON = {"eps": np.float32(1e-5)}

TREE = "        __syncthreads();\n    }\n"
BEHIND = Broken("no barrier", TREE, "    }\n", "race")
GUARD = Broken("guard", "i < dim; i += THREADS", "i <= dim; i += THREADS", "address")
RETURN = Broken("guard", "row >= rows", "row > rows", "address")
HALF = Broken("half", "row >= rows", "row >= rows / 2", WRONG)
WRAPS = "only rows beyond 2³¹ elements, which are too many for a run"


def _of_blocks(x: Array, blocks: int) -> Array:
    padded = np.zeros(-(-x.size // (256 * blocks)) * 256 * blocks)
    padded[: x.size] = x
    return padded.reshape(-1, blocks, 256).sum((0, 2))


KERNELS = (
    Problem("softmax", sizes=ROWS, reference=lambda g: {"y": softmax(g.x)}, tolerance=NEAR, broken=(
        Broken("no barrier", "largest = shared[0];\n    __syncthreads();", "largest = shared[0];", "race"),
        Broken("guard", "i < dim; i += THREADS) largest", "i <= dim; i += THREADS) largest", "address"),
        Broken("constant", "out[i] /= total", "out[i] = 1.0f / dim", WRONG, sizes=ROWS[1:]),
        Broken("not divided", "out[i] /= total", "(void)0", WRONG),
        Broken("wraps", "x + (size_t)blockIdx.x * dim", "x + (int)blockIdx.x * dim", NOTHING, WRAPS),
    )),
    Problem("log_softmax", sizes=ROWS, reference=lambda g: {"y": np.log(softmax(g.x))},
            tolerance=NEAR, broken=(
        RETURN, HALF,
        *cheats("y[(size_t)row * dim + i] = in[i] - shift", copy="in[i]"),
        Broken("wraps", "x + (size_t)row * dim", "x + row * dim", NOTHING, WRAPS),
    )),
    Problem("rms_norm", sizes=sizes("B F P", (1, 1, 1), (2, 5, 70)), values=EPSILON, tolerance=NEAR,
            reference=lambda g: {
        "y": g.x / np.sqrt((g.x.astype(float) ** 2).mean(1, keepdims=True) + g.eps)}, broken=(
        Broken("guard", "at >= inner", "at > inner", "address"),
        *cheats("y[base + (size_t)f * inner] = x[base + (size_t)f * inner] / rms", "1.0f",
               "x[base + (size_t)f * inner]"),
        Broken("wraps", "(size_t)blockIdx.y * features * inner + at", "blockIdx.y * features * inner + at", NOTHING,
               WRAPS),
    )),
    Problem("squares_of_blocks", sizes=sizes("N G", (1, 1), (300, 2), (1000, 3)),
            reference=lambda g: {"sums": _of_blocks(g.x * g.x, g.G)}, broken=(
        BEHIND,
        Broken("guard", "i < n", "i <= n", "address"),
        Broken("not squared", "x[i] * x[i]", "x[i]", WRONG),
        *cheats("sums[blockIdx.x] = partial[0]"),
    )),
    Problem("divide_by_norm", sizes=sizes("N", (1,), (255,), (300,)), tolerance=NEAR, inputs=lambda r, s: {
        "square": r.integers(5, 99, 1)}, reference=lambda g: {"y": g.x / np.sqrt(g.square[0].astype(float))}, broken=(
        Broken("guard", "i < n", "i <= n", "address"),
        *cheats("y[i] = x[i] / sqrtf(square[0])", copy="x[i]", half="i < n"),
    )),
    Problem("l1_norm", sizes=ROWS, tolerance=NEAR, inputs=lambda r, s: {"x": r.integers(1, 9, (s.M, s.N))},
            reference=lambda g: {"y": g.x / np.abs(g.x.astype(float)).mean(1, keepdims=True)}, broken=(
        Broken("no barrier", "if (lane == 0) of_wave[wave] = sum;\n    __syncthreads();",
               "if (lane == 0) of_wave[wave] = sum;", "race"),
        Broken("divergent", "    }\n    __syncthreads();", "    __syncthreads();\n    }", "race"),
        *cheats("y[(size_t)blockIdx.x * dim + i] = in[i] / mean", "1.0f", "in[i]"),
        Broken("of one wave", "of_wave[lane] : 0.0f", "of_wave[0] : 0.0f", WRONG),
    )),
    Problem("l2_norm", sizes=ROWS, tolerance=NEAR, inputs=lambda r, s: {"x": r.integers(1, 9, (s.M, s.N))},
            reference=lambda g: {"y": g.x / np.sqrt((g.x.astype(float) ** 2).sum(1, keepdims=True))}, broken=(
        RETURN, HALF, *cheats("y[row * dim + i] = x[row * dim + i] / norm", "1.0f", "x[row * dim + i]"),
    )),
    Problem("layer_norm_of_rows", sizes=ROWS, tolerance=Tolerance(2e-3, 1e-4, "a variance by difference"),
            values={"eps": np.float32(0.0625)},
            reference=lambda g: {"y": layer_norm(g.x, g.weight, g.bias, g.eps)}, broken=(
        BEHIND, Broken("guard", "i < dim; i += THREADS) {", "i <= dim; i += THREADS) {", "address"),
        Broken("LDS size", "squares[THREADS]", "squares[THREADS / 2]", "address"),
        *cheats("y[(size_t)blockIdx.x * dim + i] = (in[i] - mean) * scale * weight[i] + bias[i]", "bias[i]", "in[i]"),
    )),
    Problem("sum_over_dim", sizes=CUBES, reference=lambda g: {"y": g.x.sum(1)}, broken=(
        Broken("guard", "j >= dim2", "j > dim2", "address"),
        Broken("rows", "i < dim1", "i <= dim1", "address"),
        Broken("half", "i < dim1", "i < (dim1 + 1) / 2 - 1", WRONG),
        *cheats("y[blockIdx.y * dim2 + j] = sum"),
    )),
    Problem("mean_over_dim", sizes=CUBES, tolerance=NEAR, reference=lambda g: {"y": g.x.astype(float).mean(1)}, broken=(
        Broken("guard", "at >= outer * dim2", "at > outer * dim2", "address"),
        Broken("not divided", "sum / dim1", "sum", WRONG),
        *cheats("y[at] = sum / dim1"),
    )),
    Problem("max_over_dim", sizes=CUBES, reference=lambda g: {"y": g.x.max(1)}, broken=(
        Broken("guard", "j < dim2", "j <= dim2", "address"),
        Broken("first", "i < dim1; ++i) most", "i < 1; ++i) most", WRONG),
        *cheats("y[b * dim2 + j] = most", "8.0f"),
        Broken("least", "fmaxf(most", "fminf(most", WRONG),
    )),
    Problem("min_over_last_dim", sizes=ROWS, reference=lambda g: {"y": g.x.min(1)}, broken=(
        BEHIND, GUARD, Broken("identity", "INFINITY", "0.0f", WRONG, sizes=sizes("M N", (40, 1))),
        *cheats("y[blockIdx.x] = least[0]", "-9.0f"),
    )),
    Problem("argmax_over_dim", sizes=CUBES, reference=lambda g: {"y": g.x.argmax(1)}, broken=(
        Broken("guard", "j >= dim2", "j > dim2", "address"),
        Broken("last of ties", "> most)", ">= most)", WRONG),
        *cheats("y[blockIdx.y * dim2 + j] = place", "0"),
    )),
    Problem("argmin_over_last_dim", sizes=ROWS, reference=lambda g: {"y": g.x.argmin(1)}, broken=(
        BEHIND, GUARD,
        Broken("any of ties", " && places[tid + s] < places[tid]", "", WRONG),
        *cheats("y[blockIdx.x] = places[0]", "0"),
    )),
)  # fmt: skip
