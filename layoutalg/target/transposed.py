"""Loads from LDS that transpose: which lane gets which element, instruction by instruction.

Each lane names the place of a row's piece, and gets a column's.  Say `raw[l][i]` is element i of what lane l would get
of a plain load; then element e of lane l is

| instructions | lanes of a group | element e of lane l, l counted in its group |
|---|---|---|
| gfx950 `ds_read_b64_tr_b16`, `_b8`, `_b4`, `ds_read_b96_tr_b6` | 16 | number 16·e + l of all elements in lane order |
| gfx1250 `ds_load_tr16_b128` | 8 | `raw[e][l]` |
| gfx1250 `ds_load_tr8_b64` | 16 | `raw[8·(e div 4) + 4·(l div 8) + e mod 4][l mod 8]` |
| gfx1250 `ds_load_tr4_b64` | 32 | `raw[8·(l div 16) + e mod 8 + 16·(e div 8)][l mod 16]` |
| gfx1250 `ds_load_tr6_b96` | 32 | `raw[c(16·(l div 16) + e)][l mod 16]`, c as below |

With n elements a lane, number 16·e + l is element l mod n of lane (16·e + l) div n: of 16 bits row e is four lanes, of
8 two, of 4 and 6 one; a group transposes a matrix of n rows and 16 columns, whose rows are its lanes' pieces.
c(k) = k mod 4 + 8·(k div 4 mod 4) + 4·(k div 16).

| who says so | of |
|---|---|
| AMD, rocRoller, `TransposeLoadsTest` (run on gfx950): all four widths; 96 bits at multiples of 16 bytes | gfx950 |
| HipKittens (run on an MI355X): 16 and 8 bits; Modular, `ds_read_tr8_b64`: 8 bits | gfx950 |
| CDNA 4 ISA, 11.4, "MFMA Transpose Load from LDS": EXEC all ones, aligned addresses, which k come | gfx950 |
| Triton 3.9, by what its compiler asks for and expects (`tests/interop/triton/transposing.py`) | all but 6 bits |
| AMD, rocjitsu (an emulator), `ds_transpose.h`; 8 bits: its pull requests #10521, #10707 (rocm-systems) | gfx1250 |
| AMD, rocjitsu, `lds_transpose_kernel` in its tests: 8 bits as 16, in groups of 8 lanes: not followed | gfx1250 |
| a HIP demonstration of `ds_load_tr8_b64`, which says that it was seen on the GPU: as here | gfx1250, 8 bits |

`global_load_tr16_b128` and `global_load_tr8_b64` exchange as these do: the ISA calls them equivalents ("WMMA Matrix
Load Ops with Transpose"), AMD's fpsan and notes of who ran the first on a gfx1250 say the same.
What it cannot represent: what inactive lanes do (gfx950: not allowed).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

from layoutalg.records import dataclass

#: Lanes that exchange elements, on gfx950.
LANES = 16

Source = Callable[[Any, int], tuple[Any, Any]]
"""Of a lane, which may be an expression, and an element: the lane whose element it is, and which."""


@dataclass(frozen=True)
class TransposedLoad:
    """One instruction: bits of an element, bytes of a lane, the alignment that it needs, and where elements come from.

    `source` counts lanes in a group of so many.

    >>> TRANSPOSED["ds_read_b64_tr_b16"].at(21, 2), TRANSPOSED["ds_load_tr16_b128"].at(21, 2)
    ((25, 1), (18, 5))
    """

    name: str
    bits: int
    bytes: int
    alignment: int
    group: int
    source: Source
    targets: tuple[str, ...]
    confidence: str

    @property
    def elements(self) -> int:
        """Elements that a lane gets."""
        return 8 * self.bytes // self.bits

    @property
    def is_in_order(self) -> bool:
        """Whether element e of a group's lane j is number group·e + j of what its lanes load, one after the other."""
        places = product(range(self.group), range(self.elements))
        return all(self.source(lane, e) == divmod(self.group * e + lane, self.elements) for lane, e in places)

    def __str__(self) -> str:
        return self.name

    def at(self, lane: int, element: int) -> tuple[int, int]:
        """The lane that names the place of an element, and which of the elements from there on it is."""
        first = lane // self.group * self.group
        other, k = self.source(lane - first, element)
        return first + other, k


def _in_order(elements: int) -> Source:
    return lambda lane, e: ((LANES * e + lane) // elements, (LANES * e + lane) % elements)


def _of_32(column: Callable[[int, int], int]) -> Source:
    return lambda lane, e: (column(lane // 16, e), lane % 16)


def _spread(k: int) -> int:
    return k % 4 + 8 * (k // 4 % 4) + 4 * (k // 16)


def _gfx950(name: str, bits: int, bytes: int, alignment: int) -> TransposedLoad:
    source = _in_order(8 * bytes // bits)
    return TransposedLoad(name, bits, bytes, alignment, LANES, source, ("gfx950",), "measured")


def _gfx1250(name: str, bits: int, bytes: int, group: int, source: Source) -> TransposedLoad:
    said = "assumed" if bits == 6 else "documented"  # of 6 bits one emulator says it, of the others a compiler too
    return TransposedLoad(name, bits, bytes, bytes & -bytes, group, source, ("gfx1250",), said)


#: By the instructions' names.
TRANSPOSED: Mapping[str, TransposedLoad] = {
    one.name: one
    for one in (
        _gfx950("ds_read_b64_tr_b16", 16, 8, 8),
        _gfx950("ds_read_b64_tr_b8", 8, 8, 8),
        _gfx950("ds_read_b64_tr_b4", 4, 8, 8),
        _gfx950("ds_read_b96_tr_b6", 6, 12, 16),
        _gfx1250("ds_load_tr16_b128", 16, 16, 8, lambda lane, e: (e, lane)),
        _gfx1250("ds_load_tr8_b64", 8, 8, 16, lambda lane, e: (8 * (e // 4) + 4 * (lane // 8) + e % 4, lane % 8)),
        _gfx1250("ds_load_tr4_b64", 4, 8, 32, _of_32(lambda half, e: 8 * half + e % 8 + 16 * (e // 8))),
        _gfx1250("ds_load_tr6_b96", 6, 12, 32, _of_32(lambda half, e: _spread(16 * half + e))),
    )
}
