"""Pooling, convolutions and cumulative sums: problems 41, 42, 44, 45, 67, 82, 87, 89, 91 and 93 of level 1."""

from functools import partial

import numpy as np

from tests.foreign.corpus import WRONG, Array, Broken, Kernel, Tolerance, sizes
from tests.foreign.kernelbench.cheats import FOLDER, cheats

Problem = partial(Kernel, file="windows", folder=FOLDER)

IMAGES = sizes("C H W", (1, 3, 3), (2, 7, 10), (1, 33, 40))
ROWS = sizes("M N", (1, 1), (3, 64), (70, 300))
NEAR = Tolerance(1e-6, 1e-6, "a quotient within 1 ulp")


def _windows(x: Array, kernel: int, stride: int, pad: int, out: int, beyond: float) -> Array:
    """Of each place of the output along the last axis, what its window holds: one more axis."""
    places = np.arange(out)[:, None] * stride - pad + np.arange(kernel)
    inside = (places >= 0) & (places < x.shape[-1])
    return np.where(inside, x[..., np.clip(places, 0, x.shape[-1] - 1)], np.float32(beyond))


def _max_pool_2d(x: Array) -> Array:
    height, width = ((one + 1) // 2 for one in x.shape[1:])
    across = _windows(x, 3, 2, 1, width, -np.inf).max(-1)
    return _windows(across.swapaxes(1, 2), 3, 2, 1, height, -np.inf).max(-1).swapaxes(1, 2)


def _average_pool_2d(x: Array) -> Array:
    channels, height, width = x.shape
    parts = x[:, : height // 3 * 3, : width // 3 * 3].reshape(channels, height // 3, 3, width // 3, 3)
    result: Array = parts.sum((2, 4)) / np.float32(9)
    return result


def _depthwise(x: Array, w: Array) -> Array:
    found = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (2, 3))
    return np.einsum("bchwij,cij->bchw", found, w.reshape(-1, 3, 3))


KERNELS = (
    Problem("max_pool_1d", sizes=sizes("R N K S P Z", (1, 1, 1, 1, 0, 1), (2, 100, 3, 2, 1, 50), (1, 70, 4, 1, 2, 71)),
            reference=lambda g: {"y": _windows(g.x, g.K, g.S, g.P, g.Z, -np.inf).max(-1)}, broken=(
        Broken("left", "i >= 0 && ", "", "address"),
        Broken("right", "i < length", "i <= length", "address"),
        Broken("guard", "o >= out", "o > out", "address"),
        Broken("half", "o >= out", "o >= out / 2", WRONG),
        *cheats("y[row * out + o] = most", "8.0f"),
    )),
    Problem("max_pool_2d", sizes=IMAGES, reference=lambda g: {"y": _max_pool_2d(g.x)}, broken=(
        Broken("left", "&& c >= 0 ", "", "address"),
        Broken("below", "r < height && ", "", "address"),
        Broken("guard", "column >= out_width ||", "column > out_width ||", "address"),
        *cheats("y[((size_t)blockIdx.z * out_height + row) * out_width + column] = most", "8.0f"),
        Broken("two rows", "i < 3", "i < 2", WRONG),
    )),
    Problem("average_pool_1d", sizes=sizes("R N", (1, 1), (3, 100), (2, 255)), reference=lambda g: {
        "y": _windows(g.x, 8, 1, 4, g.N + 1, 0).sum(-1) / np.float32(8)}, broken=(
        Broken("right", " && i < length", "", "address"),
        Broken("left", "i >= 0 && ", "", "address"),
        Broken("not divided", "sum / 8.0f", "sum", WRONG),
        *cheats("y[blockIdx.y * out + o] = sum / 8.0f", half="o < out"),
    )),
    Problem("average_pool_2d", sizes=IMAGES, tolerance=NEAR, reference=lambda g: {"y": _average_pool_2d(g.x)}, broken=(
        Broken("guard", "at >= n", "at > n", "address"),
        Broken("rounded up", "OW = W / 3", "OW = (W + 2) / 3", WRONG),
        *cheats("y[at] = sum / 9.0f", copy="top[0]"),
    )),
    Problem("conv_standard_1d", sizes=sizes("B C N F", (1, 1, 3, 1), (2, 3, 70, 2)),
            reference=lambda g: {
        "y": np.einsum("bcok,fck->bfo", np.lib.stride_tricks.sliding_window_view(g.x, 3, 2), g.w)}, broken=(
        Broken("guard", "o >= out", "o > out", "address"),
        Broken("filters", "(f * channels + c)", "(f * filters + c)", WRONG),
        Broken("two taps", "k < 3", "k < 2", WRONG),
        *cheats("y[(b * filters + f) * out + o] = sum"),
    )),
    Problem("conv_depthwise_2d", sizes=sizes("B C H W", (1, 1, 3, 3), (2, 3, 7, 20)),
            reference=lambda g: {"y": _depthwise(g.x, g.w)}, broken=(
        Broken("no barrier", "__syncthreads();\n", "", "race"),
        Broken("taps", "t < 9", "t < 8", "uninitialised"),
        Broken("channel", "blockIdx.z % channels", "blockIdx.z", "address"),
        Broken("guard", "column >= W - 2", "column >= W - 1", "address"),
        *cheats("y[((size_t)blockIdx.z * (H - 2) + row) * (W - 2) + column] = sum", copy="image[row * W + column]"),
    )),
    Problem("conv_pointwise_2d", sizes=sizes("B C F P", (1, 1, 1, 1), (2, 3, 4, 300)), reference=lambda g: {
        "y": np.einsum("bcp,fc->bfp", g.x, g.w)}, broken=(
        Broken("guard", "p >= pixels", "p > pixels", "address"),
        Broken("channels", "c < channels", "c <= channels", "address"),
        *cheats("y[((size_t)b * filters + f) * pixels + p] = sum"),
    )),
    Problem("cumulative_sum", sizes=ROWS, reference=lambda g: {"y": g.x.cumsum(1)}, broken=(
        Broken("guard", "row >= rows", "row > rows", "address"),
        Broken("exclusive", "sum += x[(size_t)row * length + i];\n        y[(size_t)row * length + i] = sum;",
               "y[(size_t)row * length + i] = sum;\n        sum += x[(size_t)row * length + i];", WRONG),
        *cheats("y[(size_t)row * length + i] = sum", copy="x[(size_t)row * length + i]"),
    )),
    Problem("cumulative_sum_reverse", sizes=sizes("M N", (1, 1), (2, 256), (2, 600)),
            reference=lambda g: {"y": g.x[:, ::-1].cumsum(1)[:, ::-1]}, broken=(
        Broken("no barrier before", "__syncthreads();\n        for", "for", "race"),
        Broken("no barrier within", ": 0.0f;\n            __syncthreads();", ": 0.0f;", "race"),
        Broken("no barrier behind", "carry += scan[255];\n        __syncthreads();", "carry += scan[255];", "race"),
        Broken("no carry", "carry += scan[255];", "", WRONG),
        Broken("tail", "base < length;", "base + 256 <= length;", WRONG),
    )),
    Problem("masked_cumulative_sum", sizes=ROWS, inputs=lambda r, s: {"mask": r.integers(0, 2, (s.M, s.N))},
            reference=lambda g: {"y": (g.x * (g.mask != 0)).cumsum(1)}, broken=(
        Broken("guard", "row < rows", "row <= rows", "address"),
        Broken("no mask", "if (mask[row * length + i]) ", "", WRONG),
        *cheats("y[row * length + i] = sum", copy="x[row * length + i]"),
    )),
)  # fmt: skip
