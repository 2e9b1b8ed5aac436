"""RDNA 2's encodings as those of RDNA 3, which the decoder's tables have.

| encoding | what differs |
|---|---|
| SOP2, SOPK, SOP1, SOPC, SOPP, VOP1, VOP2, VOPC, VOP3, VOP3P, DS | opcodes alone |
| SMEM, FLAT, GLOBAL, SCRATCH, MUBUF | opcodes, and where the cache controls and offsets lie |
| SDWA | RDNA 3 has none: it is read as CDNA's, which lies as RDNA 2's |

(LLVM, SMInstructions, FLATInstructions, BUFInstructions: GFX10's and GFX11's real instructions.)  Opcodes are in
`rdna2.toml`, each with RDNA 3's instruction of the same fields.  VOP3 has no data of other lanes here, and a
flat offset 11 bits and no sign.
What it cannot represent: loads to LDS, images, formats, scratch without an address.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.decode.opcodes import OwnOpcode, Place
from layoutalg.lazy import lazy_imports

with lazy_imports():
    import tinygrad.runtime.autogen.amd.rdna3.enum as rdna3

#: Encoding → its place, those before others whose upper bits are among theirs.
_PLACES: Mapping[str, Place] = {
    "SOP1": (0b101111101, 23, 8, 8), "SOPC": (0b101111110, 23, 16, 7), "SOPP": (0b101111111, 23, 16, 7),
    "SOPK": (0b1011, 28, 23, 5), "SOP2": (0b10, 30, 23, 7), "VOP1": (0b0111111, 25, 9, 8),
    "VOPC": (0b0111110, 25, 17, 8), "VOP2": (0b0, 31, 25, 6), "VOP3": (0b110101, 26, 16, 10),
    "VOP3P": (0b110011000, 23, 16, 7), "DS": (0b110110, 26, 18, 8), "SMEM": (0b111101, 26, 18, 8),
    "FLAT": (0b110111, 26, 18, 7), "MUBUF": (0b111000, 26, 18, 8),
}  # fmt: skip

#: By the two bits of a flat access that say what it accesses.
_SEGMENTS = ("FLAT", "SCRATCH", "GLOBAL")

Move = tuple[int, int, int]
"""Bits of a field: the first here, how many, the first in RDNA 3."""

_FLAT: tuple[Move, ...] = ((0, 12, 0), (12, 1, 13), (14, 2, 16), (16, 1, 14), (17, 1, 15), (32, 23, 32), (56, 8, 56))
#: Encoding → its fields that lie elsewhere, and the others, but for the opcode and the upper bits.
_MOVES: Mapping[str, tuple[Move, ...]] = {
    "SMEM": ((0, 13, 0), (14, 1, 13), (16, 1, 14), (32, 21, 32), (57, 7, 57)),
    **dict.fromkeys(_SEGMENTS, _FLAT),
    "MUBUF": ((0, 12, 0), (12, 2, 54), (14, 1, 14), (15, 1, 13), (32, 21, 32), (54, 1, 12), (55, 1, 53), (56, 8, 56)),
}

#: SDWA, and CDNA's opcodes by which its encodings are read: V_MOV_B32, V_ADD_F32, V_CMP_EQ_U32.
_SDWA, _AS_CDNA = 249, {"VOP1": 1, "VOP2": 1, "VOPC": 0xCA}
#: Codes of the first source that say that a second dword follows (`extended`).
_SECOND_DWORD = frozenset({233, 234, _SDWA, 250})
#: RDNA 2's and RDNA 3's code of no scalar register; the one of scratch without an address (LLVM, FLATInstructions).
_NULL, _NULL_OF_3, _NO_ADDRESS = 125, 124, 127
_OFFSET_OF_FLAT = 11


def as_newer(code: bytes) -> tuple[bytes, OwnOpcode, str]:
    """The first instruction as the decoder's tables may read it, what it is, and of which set these are.

    Raises `UnsupportedInstructionError` for what RDNA 2 has not.

    >>> as_newer(bytes.fromhex("008038dc00007d01"))[1].name
    'GLOBAL_LOAD_DWORDX4'
    """
    word = int.from_bytes(code[:8], "little")
    low = word & 0xFFFFFFFF
    name, place = next(((name, one) for name, one in _PLACES.items() if low >> one[1] == one[0]), ("", (0, 0, 0, 0)))
    _, _, lowest, bits = place
    if name == "FLAT":
        name = _SEGMENTS[low >> 14 & 3] if low >> 14 & 3 < len(_SEGMENTS) else ""
    opcode = low >> lowest & (1 << bits) - 1
    own = _opcodes().get(name, {}).get(opcode)
    if own is None:
        raise UnsupportedInstructionError(f"RDNA 2 has no such opcode, {name} {opcode:#x}")
    first = low & 0x1FF if name in _AS_CDNA else word >> 32 & 0x1FF
    if name in _AS_CDNA and first == _SDWA:
        return _with_opcode(word, place, _AS_CDNA[name], code), own, "cdna"
    if name in ("VOP3", "VOP3P") and first in _SECOND_DWORD:
        raise UnsupportedInstructionError(f"the operand code {first}")
    return _with_opcode(_moved(word, name, place), place, own.known, code), own, "rdna3"


def _with_opcode(word: int, place: Place, opcode: int, code: bytes) -> bytes:
    _, _, lowest, bits = place
    changed = word & ~((1 << bits) - 1 << lowest) | opcode << lowest
    return changed.to_bytes(8, "little") + code[8:]


def _moved(word: int, name: str, place: Place) -> int:
    """A word with its fields where RDNA 3 has them."""
    if name not in _MOVES:
        return word
    upper, above, lowest, bits = place
    found, left = upper << above, word & ~((1 << 32) - (1 << above)) & ~((1 << bits) - 1 << lowest)
    for first, count, to in _MOVES[name]:
        mask = (1 << count) - 1
        found |= (word >> first & mask) << to
        left &= ~(mask << first)
    if left:
        raise UnsupportedInstructionError(f"{name} with the bits {left:#x}, which are not described")
    if name in _SEGMENTS and word >> 48 & 0x7F == _NO_ADDRESS and name != "GLOBAL":
        raise UnsupportedInstructionError(f"{name} without an address")
    if name == "FLAT":
        if word >> _OFFSET_OF_FLAT & 1:
            raise UnsupportedInstructionError("a flat offset of more than 11 bits")
        if word >> 48 & 0x7F == _NULL:
            found = found & ~(0x7F << 48) | _NULL_OF_3 << 48
    return found


@cache
def _opcodes() -> Mapping[str, Mapping[int, OwnOpcode]]:
    """RDNA 2's instructions by encoding and opcode."""
    text = files("layoutalg.isa.decode").joinpath("rdna2.toml").read_text()
    return {
        encoding: {opcode: OwnOpcode(name, _known(encoding, like)) for name, (opcode, like) in rows.items()}
        for encoding, rows in tomllib.loads(text).items()
    }


def _known(encoding: str, like: str) -> int:
    enum = getattr(rdna3, f"{encoding}Op")
    known = enum if like in enum.__members__ else rdna3.VOP3SDOp
    return int(known[like].value)
