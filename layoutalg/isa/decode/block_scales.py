"""Products of CDNA 5 with scales of blocks: V_WMMA_LD_SCALE_… and the product behind it, one instruction of 16 bytes.

| bits of the first part | say |
|---|---|
| 0–7, 10, 12, 15, 60, 63 | 0 |
| 8–9, 61–62 | the format of B's scales, and of A's: 0 is E8M0 |
| 11, 59 | which half of the lanes has A's scales, and B's: MATRIX_SCALE_ROW1 is the upper |
| 13, 14 | A, or B, is again that of the instruction before |
| 16–23 | 0x35 of one register of scales, 0x3A of two: SCALE16, whose blocks are half as long |
| 32–40, 41–49 | the scales of A, and of B |
| 50–58 | nothing: 0, or the code of v0 (LLVM's assembler; a workaround of AMD's comgr) |

The product is V_WMMA_F32_16X16X128_F8F6F4, whose formats are in OP_SEL (A) and OP_SEL_HI (B), or that of f4,
V_WMMA_F32_32X16X128_F4.  (LLVM, VOP3PInstructions, VOP3PX2e, and its assembler; ROCm/rocm-systems, rocjitsu.)
Scales are of the first 256 registers, whatever S_SET_VGPR_MSB says: LLVM names them so where the sources are of others.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from layoutalg.errors import UnsupportedInstructionError

#: The upper half of the first word → what stands before F32 in the name of the whole.
_LD_SCALE: Mapping[int, str] = {0xCC35: "SCALE", 0xCC3A: "SCALE16"}

#: The products that may follow it.
_PRODUCTS = ("V_WMMA_F32_16X16X128_F8F6F4.", "V_WMMA_F32_32X16X128_F4")

#: Field → its lowest bit and its width.
_FIELDS: Mapping[str, tuple[int, int]] = {
    "format_b": (8, 2), "row_a": (11, 1), "reuse_a": (13, 1), "reuse_b": (14, 1), "row_b": (59, 1), "format_a": (61, 2),
}  # fmt: skip
_A, _B, _UNUSED = (32, 9), (41, 9), (50, 9)
_UPPER = 16

#: What stands in the place of a third source of scales, which there is not.
_NO_SOURCE = (0, 0x80, 0x100)


class LoadedScales(NamedTuple):
    """What the first part says: what stands in the name, the codes of the scales of A and B, and its fields."""

    kind: str
    codes: Mapping[str, int]
    fields: Mapping[str, int]


def loaded_scales(code: bytes) -> LoadedScales | None:
    """The first part, if it is one.

    Raises `UnsupportedInstructionError` for bits that say nothing and are set.

    >>> loaded_scales(bytes.fromhex("000835cc01050204"))
    LoadedScales(kind='SCALE', codes={'scale_a': 257, 'scale_b': 258}, fields=mappingproxy({'row_a': 1}))
    """
    word = int.from_bytes(code[:8], "little")
    kind = _LD_SCALE.get(word >> _UPPER & 0xFFFF)
    if kind is None:
        return None
    said = {name: word >> low & (1 << width) - 1 for name, (low, width) in _FIELDS.items()}
    known = 0xFFFF << _UPPER | sum((1 << width) - 1 << low for low, width in (*_FIELDS.values(), _A, _B, _UNUSED))
    source = word >> _UNUSED[0] & (1 << _UNUSED[1]) - 1
    if word & ~known or source not in _NO_SOURCE:
        raise UnsupportedInstructionError(f"V_WMMA_LD_{kind} has bits set that say nothing")
    codes = {role: word >> low & (1 << width) - 1 for role, (low, width) in (("scale_a", _A), ("scale_b", _B))}
    return LoadedScales(kind, codes, MappingProxyType({name: value for name, value in said.items() if value}))


def scaled_name(kind: str, product: str) -> str:
    """The name of the whole.

    Raises `UnsupportedInstructionError` where what follows is no product that has scales.

    >>> scaled_name("SCALE16", "V_WMMA_F32_16X16X128_F8F6F4.FP8.FP4")
    'V_WMMA_SCALE16_F32_16X16X128_F8F6F4.FP8.FP4'
    """
    if not product.startswith(_PRODUCTS):
        raise UnsupportedInstructionError(f"V_WMMA_LD_{kind} before {product}, which has no scales")
    return product.replace("V_WMMA_", f"V_WMMA_{kind}_", 1)
