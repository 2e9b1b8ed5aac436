"""What was fastest where it was measured, and which transposition fits a matrix.

A matrix's transposition has the widest vectors that divide it, the narrowest index type, and the tile and the
threads of the first entry of `tuned.toml` for its class: bytes of an element, number of elements, vectors.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any

from layoutalg.kernel.library.copies import THREADS
from layoutalg.kernel.library.staging import SEGMENT
from layoutalg.kernel.library.transpose import lds_transpose, name_of, register_transpose
from layoutalg.kernel.program import Program
from layoutalg.layout import LayoutError
from layoutalg.target.dtypes import KERNEL_DTYPES

KERNELS = ("lds", "register")


@dataclass(frozen=True)
class Blocks:
    """How a transposition is cut into blocks; as `lds_transpose` takes it."""

    tile: tuple[int, int] = (64, 64)
    threads: int = 256
    segment: int = SEGMENT


def transpose_for(rows: int, columns: int, dtype: str, kernel: str = "lds") -> Program:
    """The program that transposes a rows × columns matrix.

    >>> transpose_for(517, 301, "f32").name, transpose_for(4096, 4096, "f32").name
    ('transpose_lds_xor_f32_16x32_t128', 'transpose_lds_xor_f32_v4_64x128_t256_w256')
    """
    if kernel not in KERNELS:
        raise LayoutError(f"no transposition kernel {kernel!r}; there are {', '.join(KERNELS)}")
    if kernel == "register":
        return register_transpose(rows, columns, dtype)
    widest = 16 // {"f32": 4}.get(dtype, 2)
    loads, stores = (next(v for v in (8, 4, 2, 1) if v <= widest and n % v == 0) for n in (columns, rows))
    bits = 32 if rows * columns < 1 << 31 else 64
    return _made(dtype, "xor", (loads, stores), bits, tuned(dtype, (loads, stores), rows * columns))


def tuned(dtype: str, vectors: tuple[int, int], elements: int) -> Blocks:
    """The blocks of the first entry that fits."""
    for entry in table("transpose", dtype):
        if elements < entry.get("below", elements + 1) and entry.get("vectors", list(vectors)) == list(vectors):
            return _blocks(entry)
    return Blocks()


def tuned_permutation(dtype: str) -> tuple[int, int]:
    """Bytes that a wave writes in one piece, and threads, of a permutation through LDS."""
    return next(((e["segment"], e["threads"]) for e in table("permute", dtype)), (SEGMENT, THREADS))


def table(kernel: str, dtype: str | None = None) -> list[dict[str, Any]]:
    """The entries of a kernel, for elements as long as these.

    >>> [entry["threads"] for entry in table("permute", "bf16")]
    [256]
    """
    found = _entries()[kernel]
    return found if dtype is None else [e for e in found if e["bytes"] == (4 if dtype == "f32" else 2)]


@cache
def _entries() -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(files("layoutalg.kernel.library").joinpath("tuned.toml").read_text())


def _blocks(entry: dict[str, Any]) -> Blocks:
    tile = (entry["tile"][0], entry["tile"][1])
    return Blocks(tile, entry["threads"], entry.get("segment", SEGMENT))


def _made(dtype: str, swizzle: str, vectors: tuple[int, int], bits: int, blocks: Blocks) -> Program:
    return lds_transpose(dtype, swizzle, vectors, bits, blocks.threads, blocks.tile, blocks.segment)


def transpose_named(name: str) -> Program | None:
    """The transposition through LDS whose kernel has this name, of those that the library chooses; None otherwise.

    >>> transpose_named("transpose_lds_pad_f16_v2").tile, transpose_named("another")
    ((64, 64), None)
    """
    widths = (1, 2, 4, 8)
    shapes = dict.fromkeys((Blocks(), *map(_blocks, table("transpose"))))
    for dtype, swizzle, loads, stores, bits, b in product(
        KERNEL_DTYPES, ("xor", "pad"), widths, widths, (32, 64), shapes
    ):
        if name == name_of(dtype, swizzle, (loads, stores), bits, b.threads, b.tile, b.segment):
            return _made(dtype, swizzle, (loads, stores), bits, b)
    return None
