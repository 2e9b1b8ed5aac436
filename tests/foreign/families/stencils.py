"""Stencils, convolutions and pooling."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from tests.foreign.corpus import WRONG, Array, Broken, Given, Kernel, sizes

FILE = "stencils"
IMAGES = sizes("H W", (1, 1), (8, 32), (17, 33))
BLUR = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]]) / 16


def _jacobi(x: Array) -> Array:
    o = x.copy()
    o[1:-1, 1:-1] = np.float32(0.25) * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:])
    return o


def _convolved(g: Given) -> Array:
    windows = sliding_window_view(g.x, (g.R, g.R), (1, 2))
    result: Array = np.einsum("cpqyz,kcyz->kpq", windows, g.f)
    return result


def _columns(g: Given) -> Array:
    windows = sliding_window_view(np.pad(g.x, g.P), (g.R, g.R))
    return windows.transpose(2, 3, 0, 1).reshape(g.R * g.R, *windows.shape[:2])


def _interpolated(x: Array) -> Array:
    for axis in (0, 1):
        length = x.shape[axis]
        place = np.maximum(np.float32(0.5) * np.arange(2 * length) - np.float32(0.25), 0)
        low = np.floor(place).astype(int)
        along = (place - low).reshape((-1, 1) if axis == 0 else (1, -1))
        high = np.minimum(low + 1, length - 1)
        x = x.take(low, axis) * (1 - along) + x.take(high, axis) * along
    return x


KERNELS = (
    Kernel("stencil_1d", FILE, sizes("N", (1,), (2,), (128,), (130,), (300,)),
           lambda g: {"o": np.convolve(np.pad(g.x, 3), np.ones(7), "valid")}, (
        Broken("no barrier", "__syncthreads();", "", "race"),
        Broken("halo", "right < n ? x[right] : 0.0f", "x[right]", "address"),
        Broken("LDS size", "128 + 2 * RADIUS", "128 + RADIUS", "address"),
        Broken("uninitialised edge", "threadIdx.x < RADIUS", "threadIdx.x < RADIUS - 1", "uninitialised"),
    )),
    Kernel("jacobi_2d", FILE, IMAGES, lambda g: {"o": _jacobi(g.x)}, (
        Broken("guard", "row >= h || ", "", "address"),
        Broken("border", " || row == h - 1", "", "address"),
        Broken("in place", "o[at] = 0.25f * (x[at - w]", "o[at] = 0.25f * (x[at]", WRONG),
    )),
    Kernel("blur_3x3", FILE, IMAGES, lambda g: {"o": sum(
        BLUR[y, z] * np.pad(g.x, 1, "edge")[y : y + g.H, z : z + g.W] for y in range(3) for z in range(3))}, (
        Broken("clamp", "min(max(row + dy, 0), h - 1)", "max(row + dy, 0)", "address"),
        Broken("weights", "3 * (dy + 1)", "2 * (dy + 1)", WRONG),
        Broken("guard", " || column >= w", "", "address"),
    )),
    Kernel("conv_1d", FILE, sizes("N T", (1, 1), (200, 7), (128, 128), (300, 129)),
           lambda g: {"o": np.convolve(g.x, g.f[::-1], "valid")}, (
        Broken("guard", "i + taps > n", "i >= n", "address"),
        Broken("no barrier", "__syncthreads();", "", "race"),
        Broken("one load a thread", "for (int k = threadIdx.x; k < taps; k += blockDim.x) filter[k]",
               "if (int k = threadIdx.x; k < taps) filter[k]", "uninitialised"),
    )),
    Kernel("conv_2d", FILE, sizes("C H W K R", (1, 1, 1, 1, 1), (3, 9, 10, 4, 3), (2, 5, 68, 3, 5)),
           lambda g: {"o": _convolved(g)}, (
        Broken("stride", "(from * h + p + y) * w", "(from * w + p + y) * w", "address"),
        Broken("guard", "q >= width", "q >= w", "address", sizes=sizes("C H W K R", (3, 9, 10, 4, 3))),
        Broken("filter", "(to * c + from) * r + y", "(from * c + to) * r + y", WRONG),
    )),
    Kernel("image_to_columns", FILE, sizes("H W R P", (1, 1, 1, 0), (6, 7, 3, 1), (9, 9, 5, 2)),
           lambda g: {"o": _columns(g)}, (
        Broken("guard", "i >= height", "i > height", "address"),
        Broken("edge", " && z < w", "", "address"),
        Broken("top", "y >= 0 && ", "", "address", sizes=sizes("H W R P", (9, 9, 5, 2))),
    )),
    Kernel("max_pool_2x2", FILE, sizes("H W", (2, 2), (8, 128), (10, 130)),
           lambda g: {"o": g.x.reshape(g.H // 2, 2, g.W // 2, 2).max((1, 3))}, (
        Broken("misaligned", "x + 2 * row * w + 2 * column", "x + 2 * row * w + 2 * column + 1", WRONG),
        Broken("row", "(2 * row + 1)", "(2 * row + 2)", "address"),
        Broken("guard", "column >= w / 2", "column > w / 2", "address"),
    )),
    Kernel("upsample_bilinear", FILE, sizes("H W", (1, 1), (4, 32), (5, 33)), lambda g: {"o": _interpolated(g.x)}, (
        Broken("clamp", "min(top + 1, h - 1)", "top + 1", "address"),
        Broken("weights", "x[top * w + right] * along", "x[top * w + right] * (1.0f - along)", WRONG),
        Broken("no clamp of the left", "fmaxf(0.5f * column - 0.25f, 0.0f)", "0.5f * column - 0.25f",
               "address"),
    )),
)  # fmt: skip
