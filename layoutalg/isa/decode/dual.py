"""VOPD3: two operations in three dwords, each with up to three sources (CDNA 5).

| bits | X | bits | Y |
|---|---|---|---|
| 18–23 | opcode | 12–17 | opcode |
| 0–8 | first source, any | 32–40 | first source, any |
| 48–55 | second source, a vector register | 72–79 | second source |
| 56–63 | third source, or a mask, or a truth table | 80–87 | third source |
| 64–71 | result | 88–95 | result |
| 41–43 | signs of the sources | 44–46 | signs of the sources |

Bits 24–31 are 0xCF, 9–11 and 47 are 0 (LLVM, VOPDInstructions, VOPD3e; its disassembler, bit by bit).
What it cannot represent: literals, which the encoding has not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from layoutalg.errors import UnsupportedInstructionError

_ENCODING, _ZERO = 0xCF, 7 << 9 | 1 << 47

SIZE = 12
"""Bytes."""

#: Opcode → name, and what its sources are: `v`, a mask, a truth table, or none.
_BOTH: dict[int, tuple[str, str]] = {
    0: ("V_FMAC_F32", "v"), 3: ("V_MUL_F32", "v"), 4: ("V_ADD_F32", "v"), 5: ("V_SUB_F32", "v"),
    6: ("V_SUBREV_F32", "v"), 7: ("V_MUL_DX9_ZERO_F32", "v"), 8: ("V_MOV_B32", ""), 9: ("V_CNDMASK_B32", "vn"),
    10: ("V_MAX_NUM_F32", "v"), 11: ("V_MIN_NUM_F32", "v"), 12: ("V_DOT2ACC_F32_F16", "v"),
    13: ("V_DOT2ACC_F32_BF16", "v"), 16: ("V_ADD_NC_U32", "v"), 17: ("V_LSHLREV_B32", "v"), 19: ("V_FMA_F32", "vv"),
    20: ("V_SUB_NC_U32", "v"), 21: ("V_LSHRREV_B32", "v"), 22: ("V_ASHRREV_I32", "v"),
}  # fmt: skip
_X = _BOTH | {
    32: ("V_FMA_F64", "vv"), 33: ("V_ADD_F64", "v"), 34: ("V_MUL_F64", "v"), 35: ("V_MAX_NUM_F64", "v"),
    36: ("V_MIN_NUM_F64", "v"),
}  # fmt: skip
_Y = _BOTH | {18: ("V_BITOP2_B32", "vt"), 23: ("V_MAX_I32", "v"), 24: ("V_MIN_I32", "v")}

#: Where each half has its fields: opcode, the sources, the result, the signs.
_PLACES = ((_X, 18, 0, 48, 56, 64, 41), (_Y, 12, 32, 72, 80, 88, 44))


@dataclass(frozen=True)
class DualHalf:
    """One of the operations: operand codes by role, and fields."""

    name: str
    operands: Mapping[str, int]
    fields: Mapping[str, int]


def dual_halves(code: bytes) -> tuple[DualHalf, ...]:
    """Both halves of the instruction at the start of the code; none where it has another encoding.

    Raises `UnsupportedInstructionError` for an opcode that is none, and for fields that the operation has not.

    >>> [half.name for half in dual_halves(bytes.fromhex("002030cf0001010002030005"))]
    ['V_CNDMASK_B32', 'V_FMAC_F32']
    """
    word = int.from_bytes(code[:SIZE], "little")
    if word >> 24 & 0xFF != _ENCODING:
        return ()
    if word & _ZERO:
        raise UnsupportedInstructionError(f"VOPD3 has the reserved bits {word & _ZERO:#x}")
    return tuple(_half(word, *place) for place in _PLACES)


def _half(word: int, names: Mapping[int, tuple[str, str]], *places: int) -> DualHalf:
    at, first, second, third, result, signs = places
    opcode = word >> at & 0x3F
    if opcode not in names:
        raise UnsupportedInstructionError(f"the opcode {opcode} of VOPD3")
    name, further = names[opcode]
    b, c = word >> second & 0xFF, word >> third & 0xFF
    operands, fields = {"d": 256 + (word >> result & 0xFF), "a": word >> first & 0x1FF}, {}
    if further:
        operands["b"] = 256 + b
    if further[1:] in ("v", "n"):
        operands["c" if further[1:] == "v" else "n"] = c + (256 if further[1:] == "v" else 0)
    elif further[1:] == "t":
        fields["bitop3"] = c
    elif c or (b and not further):
        raise UnsupportedInstructionError(f"{name} has a register field that it does not use")
    negated = word >> signs & 7
    return DualHalf(name, operands, fields | ({"neg": negated} if negated else {}))
