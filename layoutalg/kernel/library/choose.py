"""Which transposition fits a matrix: the widest vectors that divide it, the narrowest index type, a measured tile."""

from __future__ import annotations

import tomllib
from contextlib import suppress
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any

from layoutalg.kernel.dtypes import DTYPES
from layoutalg.kernel.library.transpose import lds_transpose, register_transpose
from layoutalg.kernel.program import Program
from layoutalg.layout import LayoutError

KERNELS = ("lds", "register")
SMALL = 1 << 20
"""Elements below which a matrix does not fill a GPU, and smaller tiles make more blocks."""


def transpose_for(rows: int, columns: int, dtype: str, kernel: str = "lds") -> Program:
    """The program that transposes a rows × columns matrix.

    >>> transpose_for(517, 301, "f32").name, transpose_for(4096, 4096, "f32").name
    ('transpose_lds_xor_f32_64x32_t256', 'transpose_lds_xor_f32_v4_64x64_t512')
    """
    if kernel not in KERNELS:
        raise LayoutError(f"no transposition kernel {kernel!r}; there are {', '.join(KERNELS)}")
    if kernel == "register":
        return register_transpose(rows, columns, dtype)
    widest = 16 // {"f32": 4}.get(dtype, 2)
    loads, stores = (next(v for v in (8, 4, 2, 1) if v <= widest and n % v == 0) for n in (columns, rows))
    tile, threads = tuned(dtype, (loads, stores), rows * columns < SMALL)
    return lds_transpose(dtype, "xor", (loads, stores), 32 if rows * columns < 1 << 31 else 64, threads, tile)


def tuned(dtype: str, vectors: tuple[int, int], small: bool) -> tuple[tuple[int, int], int]:
    """The tile and the threads that were fastest where they were measured (tuned.toml says where)."""
    for entry in _table():
        if entry["bytes"] == (4 if dtype == "f32" else 2) and entry["small"] == small:
            wide = entry["vectors"]
            if wide == list(vectors) or wide == "any":
                return (entry["tile"][0], entry["tile"][1]), entry["threads"]
    return (64, 64), 256


@cache
def _table() -> list[dict[str, Any]]:
    text = files("layoutalg.kernel.library").joinpath("tuned.toml").read_text()
    return list(tomllib.loads(text)["transpose"])


def transpose_named(name: str) -> Program | None:
    """The transposition through LDS whose kernel has this name, None where there is none.

    >>> transpose_named("transpose_lds_pad_f16_v2").tile, transpose_named("another")
    ((64, 64), None)
    """
    tiles = {((64, 64), 256), *(((e["tile"][0], e["tile"][1]), e["threads"]) for e in _table())}
    widths = (1, 2, 4, 8)
    for dtype, swizzle, loads, stores, bits, (tile, threads) in product(
        DTYPES, ("xor", "pad"), widths, widths, (32, 64), sorted(tiles)
    ):
        with suppress(LayoutError):
            program = lds_transpose(dtype, swizzle, (loads, stores), bits, threads, tile)
            if program.name == name:
                return program
    return None
