"""Activations and products with a scalar: problems 5, 19 to 22, 25, 27 to 32 and 88 of level 1."""

from functools import partial

import numpy as np

from tests.foreign.corpus import WRONG, Array, Broken, Kernel, Tolerance, sizes
from tests.foreign.kernelbench.cheats import FOLDER, cheats

Problem = partial(Kernel, file="activations", folder=FOLDER)

LINE = sizes("N", (1,), (255,), (300,))
NEAR = Tolerance(2e-6, 1e-5, "exponentials, logarithms and quotients within a few ulp of arguments up to 16")

GUARD = Broken("guard", "i < n", "i <= n", "address")
RETURN = Broken("guard", "i >= n", "i > n", "address")


def _sigmoid(x: Array) -> Array:
    result: Array = 1 / (1 + np.exp(-x.astype(float)))
    return result


def _elu(x: Array, alpha: float) -> Array:
    return np.where(x > 0, x, alpha * (np.exp(np.minimum(x, 0).astype(float)) - 1))


def _new_gelu(x: Array) -> Array:
    v = x.astype(float)
    result: Array = 0.5 * v * (1 + np.tanh(np.sqrt(2 / np.pi) * (v + 0.044715 * v**3)))
    return result


KERNELS = (
    Problem("matrix_scalar", sizes=LINE, reference=lambda g: {"c": g.a * g.s}, values={"s": np.float32(2.5)}, broken=(
        GUARD, *cheats("c[i] = a[i] * s", "s", "a[i]", "i < n"),
    )),
    Problem("relu", sizes=LINE, reference=lambda g: {"y": np.maximum(g.x, 0)}, broken=(
        GUARD, *cheats("y[i] = fmaxf(x[i], 0.0f)", copy="x[i]", half="i < n"),
        Broken("of the first", "fmaxf(x[i]", "fmaxf(x[0]", WRONG),
    )),
    Problem("relu_float4", sizes=sizes("Q", (1,), (70,), (300,)), reference=lambda g: {"y": np.maximum(g.x, 0)},
            broken=(
        Broken("guard", "i < quads", "i <= quads", "address"),
        Broken("copy", "fmaxf(v.w, 0.0f)", "v.w", WRONG),
        Broken("two alike", "fmaxf(v.z, 0.0f)", "fmaxf(v.y, 0.0f)", WRONG),
        Broken("half", "i < quads", "i < (quads + 1) / 2 - 1", WRONG),
    )),
    Problem("leaky_relu", sizes=LINE, reference=lambda g: {"y": np.where(g.x > 0, g.x, g.slope * g.x)},
            values={"slope": np.float32(0.0625)}, broken=(
        GUARD, *cheats("y[i] = v > 0.0f ? v : slope * v", copy="v", half="i < n"),
        Broken("one turn", "i += blockDim.x * gridDim.x", "i = n", WRONG, sizes=sizes("N", (262200,))),
    )),
    Problem("sigmoid", sizes=LINE, reference=lambda g: {"y": _sigmoid(g.x)}, tolerance=NEAR, broken=(
        GUARD, *cheats("y[i] = 1.0f / (1.0f + expf(-x[i]))", "0.5f", "x[i]", "i < n"),
        Broken("sign", "expf(-x[i])", "expf(x[i])", WRONG),
    )),
    Problem("tanh_by_exp", sizes=LINE, reference=lambda g: {"y": np.tanh(g.x.astype(float))}, tolerance=NEAR, broken=(
        RETURN, *cheats("y[i] = (e - 1.0f) / (e + 1.0f)", "1.0f", "x[i]"),
        Broken("half", "i >= n", "i >= n / 2", WRONG),
    )),
    Problem("swish", sizes=LINE, reference=lambda g: {"y": g.x * _sigmoid(g.x)}, tolerance=NEAR, broken=(
        GUARD, *cheats("y[i] = x[i] / (1.0f + __expf(-x[i]))", copy="x[i]", half="i < n"),
    )),
    Problem("selu", sizes=LINE, reference=lambda g: {"y": 1.0507009873554805 * _elu(g.x, 1.6732632423543772)},
            tolerance=NEAR, broken=(
        GUARD, *cheats("y[i] = scale * (v > 0.0f ? v : alpha * (expf(v) - 1.0f))", copy="v", half="i < n"),
        Broken("not scaled", "scale * (v", "(v", WRONG),
    )),
    Problem("hard_sigmoid", sizes=LINE, reference=lambda g: {"y": np.clip((g.x.astype(float) + 3) / 6, 0, 1)},
            tolerance=NEAR, broken=(
        GUARD, *cheats("y[i] = fminf(fmaxf(x[i] + 3.0f, 0.0f), 6.0f) / 6.0f", "0.5f", half="i < n"),
    )),
    Problem("softplus", sizes=LINE, reference=lambda g: {"y": np.log1p(np.exp(g.x.astype(float)))}, tolerance=NEAR,
            broken=(
        GUARD, *cheats("y[i] = x[i] > 20.0f ? x[i] : logf(1.0f + expf(x[i]))", copy="x[i]", half="i < n"),
    )),
    Problem("softsign", sizes=sizes("M N", (1, 1), (9, 33), (8, 32)),
            reference=lambda g: {"y": g.x / (1 + np.abs(g.x))},
            tolerance=NEAR, broken=(
        Broken("guard", "column < columns", "column <= columns", "address"),
        Broken("rows", "row < rows && ", "", "address"),
        *cheats("y[row * columns + column] = v / (1.0f + fabsf(v))", copy="v", half="row < rows"),
    )),
    Problem("elu", sizes=sizes("N G", (1, 1), (255, 3), (2000, 2)), reference=lambda g: {"y": _elu(g.x, g.alpha)},
            values={"alpha": np.float32(1.5)}, tolerance=NEAR, broken=(
        GUARD, *cheats("y[i] = v > 0.0f ? v : alpha * (expf(v) - 1.0f)", copy="v", half="i < n"),
        Broken("one turn", "i += stride", "break", WRONG),
    )),
    Problem("hard_tanh", sizes=sizes("N", (1,), (256,), (1027,)), reference=lambda g: {"y": np.clip(g.x, -1, 1)},
            broken=(
        Broken("guard", "i + 3 < n", "i < n", "address"),
        Broken("tail", "y[k] = fminf(fmaxf(x[k], -1.0f), 1.0f)", "(void)0", WRONG),
        Broken("tail is copied", "y[k] = fminf(fmaxf(x[k], -1.0f), 1.0f)", "y[k] = x[k]", WRONG),
        Broken("constant", "= v;", "= make_float4(0.0f, 0.0f, 0.0f, 0.0f);", WRONG),
    )),
    Problem("new_gelu", sizes=LINE, reference=lambda g: {"y": _new_gelu(g.x)}, tolerance=NEAR, broken=(
        RETURN, *cheats("y[i] = v - v / (1.0f + expf(2.0f * inner))", copy="v"),
        Broken("half", "i >= n", "i >= n / 2", WRONG),
    )),
)  # fmt: skip
