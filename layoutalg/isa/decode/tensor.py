"""Copies of boxes of a tensor (`semantics.tensor`): three dwords, in the place of RDNA 4's images.

| bits | what |
|---|---|
| 14–21 | opcode |
| 26–31 | 0b110100 |
| 50–51, 52–54 | `scope`, `th` |
| 64–71, 72–79, 80–87, 88–95 | the scalar registers of groups 0 to 3; 124: none, of both last ones |

(LLVM, VIMAGE_TENSOR_Real_gfx1250; its assembler writes 1 in bits 0 and 22, or in older versions 0, and 124 or 0 in the
bits 56–63 of a register that there is not.)
"""

from __future__ import annotations

from collections.abc import Mapping

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.records import dataclass

_NAMES = {0xC4: "TENSOR_LOAD_TO_LDS", 0xC5: "TENSOR_STORE_FROM_LDS"}
_ENCODING, _NONE = 0b110100, 124

#: Bits that say no more than that it is one of a tensor: all of them, or none.
_MARKS = 1 | 1 << 22

_OPCODE, _SCOPE, _HINT, _UNUSED = 0xFF << 14, 3 << 50, 7 << 52, 0xFF << 56


@dataclass(frozen=True)
class TensorWords:
    """An instruction's name, the first scalar register of each group that there is, and its fields."""

    name: str
    groups: tuple[int, ...]
    fields: Mapping[str, int]


def tensor_words(code: bytes) -> TensorWords | None:
    """The copy at the start of the code; None where there is none.

    Raises `UnsupportedInstructionError` for bits that no assembler sets.

    >>> tensor_words(bytes.fromhex("010071d00000007c00087c7c"))
    TensorWords(name='TENSOR_LOAD_TO_LDS', groups=(0, 8), fields={})
    """
    word = int.from_bytes(code[:12], "little")
    if word >> 26 & 0x3F != _ENCODING or (word & _OPCODE) >> 14 not in _NAMES:
        return None
    name, lower = _NAMES[(word & _OPCODE) >> 14], word & (1 << 64) - 1
    rest = lower & ~(0x3F << 26 | _OPCODE | _SCOPE | _HINT)
    if rest & ~_UNUSED not in (0, _MARKS) or rest >> 56 not in (0, _NONE):
        raise UnsupportedInstructionError(f"{name} has the reserved bits {rest:#x}")
    registers = [word >> 64 + 8 * k & 0xFF for k in range(4)]
    if (registers[2] == _NONE) != (registers[3] == _NONE):
        raise UnsupportedInstructionError(f"{name} with one of the groups 2 and 3")
    groups = tuple(registers[:2] if registers[2] == _NONE else registers)
    if _NONE in groups[:2]:
        raise UnsupportedInstructionError(f"{name} without the groups 0 and 1")
    said = {"scope": (lower & _SCOPE) >> 50, "th": (lower & _HINT) >> 52}
    return TensorWords(name, groups, {key: value for key, value in said.items() if value})
