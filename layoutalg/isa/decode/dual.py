"""Dual instructions of CDNA 5: VOPD in two dwords and perhaps a literal, VOPD3 in three, with up to three sources.

| VOPD: bits | X | bits | Y | VOPD3: bits | X | bits | Y |
|---|---|---|---|---|---|---|---|
| 22–25 | opcode | 17–21 | opcode | 18–23 | opcode | 12–17 | opcode |
| 0–8 | first source, any | 32–40 | first source | 0–8 | first source, any | 32–40 | first source |
| 9–16 | second, a vector register | 41–48 | second | 48–55 | second, a vector register | 72–79 | second |
| | | | | 56–63 | third, a mask, or a truth table | 80–87 | third |
| 56–63 | result | 49–55 | result but its lowest bit, the other of X's | 64–71 | result | 88–95 | result |
| | | | | 41–43 | signs of the sources | 44–46 | signs |

VOPD has 0b110010 in its highest bits, VOPD3 0xCF, and 0 in bits 9–11 and 47.  A mask of VOPD is VCC; its literal, of a
source or of V_FMAMK_F32 and V_FMAAK_F32, is the third dword (RDNA 4 ISA, VOPD; LLVM, VOPDInstructions, VOPDe, VOPD3e;
its disassembler, bit by bit and opcode by opcode).
What it cannot represent: literals of VOPD3, which has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.records import dataclass

_DUAL, _TRIPLE, _ZERO, _LITERAL, _WIDE = 0b110010, 0xCF, 7 << 9 | 1 << 47, 255, 254

#: Opcode → name, and what its sources behind the first are: a vector register, a mask, a truth table, a constant.
_BOTH: dict[int, tuple[str, str]] = {
    0: ("V_FMAC_F32", "v"), 3: ("V_MUL_F32", "v"), 4: ("V_ADD_F32", "v"), 5: ("V_SUB_F32", "v"),
    6: ("V_SUBREV_F32", "v"), 7: ("V_MUL_DX9_ZERO_F32", "v"), 8: ("V_MOV_B32", ""), 9: ("V_CNDMASK_B32", "vn"),
    10: ("V_MAX_NUM_F32", "v"), 11: ("V_MIN_NUM_F32", "v"), 12: ("V_DOT2ACC_F32_F16", "v"),
    13: ("V_DOT2ACC_F32_BF16", "v"),
}  # fmt: skip
_INTEGERS = {
    16: ("V_ADD_NC_U32", "v"), 17: ("V_LSHLREV_B32", "v"), 20: ("V_SUB_NC_U32", "v"), 21: ("V_LSHRREV_B32", "v"),
    22: ("V_ASHRREV_I32", "v"),
}  # fmt: skip
_EXTREMES = {23: ("V_MAX_I32", "v"), 24: ("V_MIN_I32", "v")}
_WITH_CONSTANT = {1: ("V_FMAAK_F32", "vk"), 2: ("V_FMAMK_F32", "vk")}
_TRIPLE_BOTH = _BOTH | _INTEGERS | {19: ("V_FMA_F32", "vv")}
_TRIPLE_X = _TRIPLE_BOTH | {
    32: ("V_FMA_F64", "vv"), 33: ("V_ADD_F64", "v"), 34: ("V_MUL_F64", "v"), 35: ("V_MAX_NUM_F64", "v"),
    36: ("V_MIN_NUM_F64", "v"),
}  # fmt: skip
_TRIPLE_Y = _TRIPLE_BOTH | _EXTREMES | {18: ("V_BITOP2_B32", "vt")}
_DUAL_X = _BOTH | _WITH_CONSTANT
_DUAL_Y = _DUAL_X | _INTEGERS | _EXTREMES

#: Where each half of VOPD3 has its fields: opcode, the sources, the result, the signs.
_PLACES = ((_TRIPLE_X, 18, 0, 48, 56, 64, 41), (_TRIPLE_Y, 12, 32, 72, 80, 88, 44))


@dataclass(frozen=True)
class DualHalf:
    """One of the operations: operand codes by role, and fields."""

    name: str
    operands: Mapping[str, int]
    fields: Mapping[str, int]


@dataclass(frozen=True)
class DualWords:
    """Both operations, the bytes of all, and the literal that they may have in common."""

    form: str
    halves: tuple[DualHalf, ...]
    size: int
    literal: int | None = None


def dual_words(code: bytes) -> DualWords | None:
    """The dual instruction at the start of the code; None where it has another encoding.

    Raises `UnsupportedInstructionError` for an opcode that is none, and for fields that the operation has not.

    >>> [half.name for half in dual_words(bytes.fromhex("000124cf0001010002030004")).halves]
    ['V_CNDMASK_B32', 'V_FMAC_F32']
    """
    word = int.from_bytes(code[:12], "little")
    if word >> 24 & 0xFF == _TRIPLE:
        if word & _ZERO:
            raise UnsupportedInstructionError(f"VOPD3 has the reserved bits {word & _ZERO:#x}")
        return DualWords("VOPD3", tuple(_of_three(word, *place) for place in _PLACES), 12)
    if word >> 26 & 0x3F != _DUAL:
        return None
    halves = tuple(_of_two(word))
    if any(half.operands["a"] == _WIDE for half in halves):
        raise UnsupportedInstructionError("VOPD with a literal of 64 bits")
    named = any(half.operands["a"] == _LITERAL for half in halves)
    constant = named or any(half.name in ("V_FMAAK_F32", "V_FMAMK_F32") for half in halves)
    return DualWords("VOPD", halves, 12 if constant else 8, word >> 64 if constant else None)


def _of_two(word: int) -> Iterator[DualHalf]:
    """The halves of VOPD."""
    result = word >> 56 & 0xFF
    others = (word >> 49 & 0x7F) << 1 | ~result & 1
    for names, opcode, first, second, d in (
        (_DUAL_X, word >> 22 & 0xF, word, word >> 9, result),
        (_DUAL_Y, word >> 17 & 0x1F, word >> 32, word >> 41, others),
    ):
        name, further = _named(names, opcode, "VOPD")
        if second & 0xFF and not further:
            raise UnsupportedInstructionError(f"{name} has a register field that it does not use")
        b = {"b": 256 + (second & 0xFF)} if further else {}
        yield DualHalf(name, {"d": 256 + d, "a": first & 0x1FF, **b}, {})


def _of_three(word: int, names: Mapping[int, tuple[str, str]], *places: int) -> DualHalf:
    """One half of VOPD3."""
    at, first, second, third, result, signs = places
    name, further = _named(names, word >> at & 0x3F, "VOPD3")
    b, c = word >> second & 0xFF, word >> third & 0xFF
    operands, fields = {"d": 256 + (word >> result & 0xFF), "a": word >> first & 0x1FF}, {}
    if operands["a"] in (_LITERAL, _WIDE):
        raise UnsupportedInstructionError(f"the operand code {operands['a']} in VOPD3")
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


def _named(names: Mapping[int, tuple[str, str]], opcode: int, form: str) -> tuple[str, str]:
    if opcode not in names:
        raise UnsupportedInstructionError(f"the opcode {opcode} of {form}")
    return names[opcode]
