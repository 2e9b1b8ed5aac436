"""Conversions between number types, and what packs them."""

import numpy as np

from tests.foreign.corpus import NOTHING, WRONG, Array, Broken, Given, Kernel, Tensors, sizes

FILE = "quantise"
LINE = sizes("N", (1,), (64,), (300,))
ROWS = sizes("M N", (1, 1), (3, 64), (5, 100))
RETURN = Broken("guard", "i >= n", "i > n", "address")


def _rows(g: Given) -> Tensors:
    scale = np.abs(g.x).max(1) / np.float32(127)
    with np.errstate(invalid="ignore"):
        scaled = np.rint(g.x / scale[:, None])
    return {"o": np.where(scale[:, None] > 0, scaled, 0).astype(np.int8), "scales": scale}


def _nibbles(x: Array) -> Array:
    return (x[:, None] >> (4 * np.arange(8, dtype=np.uint32)) & 15).astype(np.float32) - 8


def _paired(x: Array) -> Array:
    low, high = x[::2] & 15, np.zeros(-(-x.size // 2), np.uint8)
    high[: x.size // 2] = x[1::2] & 15
    return low | high << 4


def _truncated(g: Given) -> Tensors:
    return {"o": np.floor(g.x), "u": np.abs(np.trunc(g.x))}


KERNELS = (
    Kernel("quantise_i8", FILE, LINE, lambda g: {"o": np.clip(np.rint(g.x * g.scale), -128, 127)}, (
        RETURN,
        Broken("not clamped", "fminf(fmaxf(v, -128.0f), 127.0f)", "(int)v", WRONG),
        Broken("cut", "rintf(x[i] * scale)", "truncf(x[i] * scale)", WRONG),
    ), values={"scale": np.float32(0.75)}, inputs=lambda r, s: {"x": r.normal(size=s.N) * 150}),
    Kernel("dequantise_i8", FILE, ROWS, lambda g: {"o": g.x * g.scales[:, None]}, (
        Broken("guard", "i < rows * columns", "i <= rows * columns", "address"),
        Broken("row", "i / columns", "i % columns", "address"),
    )),
    Kernel("quantise_rows", FILE, ROWS, _rows, (
        Broken("no barrier", "__syncthreads();\n    for", "for",
               NOTHING, "a block of 64 threads is one wave on CDNA, where it needs none"),
        Broken("sign", "fabsf(row[k])", "row[k]", WRONG),
        Broken("guard", "k < columns; k += 64) greatest", "k <= columns; k += 64) greatest", "address"),
    ), inputs=lambda r, s: {"x": r.normal(size=(s.M, s.N))}),
    Kernel("pack_u4", FILE, LINE, lambda g: {"o": _paired(g.x)}, (
        Broken("odd end", "2 * i + 1 < n ? x[2 * i + 1] & 15 : 0", "x[2 * i + 1] & 15", "address"),
        Broken("order", "low | high << 4", "high | low << 4", WRONG),
        Broken("guard", "2 * i >= n", "2 * i > n + 1", "address"),
    )),
    Kernel("unpack_u4", FILE, LINE, lambda g: {"o": _nibbles(g.x) * g.scale}, (
        Broken("guard", "i >= words", "i > words", "address"),
        Broken("zero point", "(v >> 28) - 8.0f", "(int)(v >> 28) - 7.0f", WRONG),
        Broken("overlap", "[2 * i + 1] = second", "[2 * i] = second", WRONG),
    )),
    Kernel("float_to_half", FILE, LINE, lambda g: {"o": g.x.astype(np.float16)}, (
        Broken("guard", "i >= quads", "i > quads", "address"),
        Broken("order", "__floats2half2_rn(v.z, v.w)", "__floats2half2_rn(v.w, v.z)", WRONG),
    ), inputs=lambda r, s: {"x": r.normal(size=(s.N, 4)) * 100}),
    Kernel("float_to_int", FILE, LINE, _truncated, (
        RETURN,
        Broken("direction", "__float2int_rd", "__float2int_rz", WRONG),
        Broken("sign", "fabsf(truncf(x[i]))", "truncf(x[i])", WRONG),
    ), inputs=lambda r, s: {"x": r.normal(size=s.N) * 1000}),
    Kernel("grey_of_colour", FILE, LINE,
           lambda g: {"o": (g.x[:, :3].astype(int) @ [77, 150, 29] + 128) >> 8}, (
        RETURN,
        Broken("channel", "p.z * 29", "p.w * 29", WRONG),
        Broken("overflow", "p.y * 150", "(unsigned char)(p.y * 150)", WRONG),
    )),
)  # fmt: skip
