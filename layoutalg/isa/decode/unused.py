"""Bits of an encoding that say nothing of the operation must be as assemblers write them, or it is refused.

| bits | written | source |
|---|---|---|
| of no field | 0 | LLVM's tables of encodings |
| a register field that the operation has not | 0 | there |
| such a source of a vector operation | 0, and on RDNA the constant 0 | LLVM's pull request 175753 |
| such a scalar base of RDNA's flat accesses | `null` | LLVM, FLATInstructions |

The machine would not look at them: what else stands there comes of no compiler, but of damage.
"""

from __future__ import annotations

from typing import Any

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.architecture import Architecture

#: Operations without operands: the decoder's table has nothing of them (ISA manuals).
_ALONE = frozenset({
    "V_NOP", "V_CLREXCP", "V_PIPEFLUSH", "DS_NOP", "S_DCACHE_INV", "S_DCACHE_INV_VOL", "S_DCACHE_WB",
    "S_DCACHE_WB_VOL", "S_GL1_INV", "GLOBAL_INV", "GLOBAL_WB", "GLOBAL_WBINV", "BUFFER_INV", "BUFFER_WBL2",
})  # fmt: skip
_NULL = 124

#: Fields of the like instruction that own opcodes have not (LLVM, FLAT_Prefetch_Pseudo: `has_vdst` is 0).
_WITHOUT = {"GLOBAL_PREFETCH_B8": frozenset({"vdst"}), "FLAT_PREFETCH_B8": frozenset({"vdst"})}

#: Bits of no field that are written either way: OP_SEL_HI of a third source beside scales (`extended`).
_FREE = {"VOP3PX2": 1 << 14}


def unused_fields(raw: Any, form: str, name: str, own: str = "") -> frozenset[str]:
    """Register fields that the operation ignores, by the decoder's operand table; a second dword's are read apart.

    `name` is the decoder's, `own` that of an opcode that it has not.
    """
    plain = ("BitField", "FixedBitField", "EnumBitField")
    keys = {key for key, bits in raw._fields if type(bits).__name__ not in plain}
    known = set(raw.operands) | {key[1:] for key in raw.operands if key.startswith("v")}
    if form.endswith("_SDWA"):
        known |= {"vsrc0", "vsrc1"} | ({"sdst"} if getattr(raw, "sd", 0) else set())
    if "_DPP" in form:
        known.add("vsrc0")
    known -= _WITHOUT.get(own, frozenset())
    return frozenset(keys - known) if raw.operands or name in _ALONE else frozenset()


def refuse_reserved(raw: Any, unused: frozenset[str], architecture: Architecture, more: int = 0) -> None:
    """Refuses what no assembler writes; `more` are bits of which the decoder's tables do not know what they say.

    Raises `UnsupportedInstructionError` with the field, or the bits of none.
    """
    sources = dict.fromkeys(("src0", "src1", "src2"), architecture.unused_source)
    written = {**sources, "saddr": frozenset({0, _NULL})}
    said = more
    for key, bits in raw._fields:
        value = raw._raw >> bits.lo & bits.mask
        if key in unused and value not in written.get(key, (0,)):
            raise UnsupportedInstructionError(f"{raw.op.name} has the register field {key}, which it does not use")
        said |= bits.mask << bits.lo
    said |= _FREE.get(type(raw).__name__, 0)
    reserved = raw._raw & ~said & (1 << 8 * raw.size()) - 1
    if reserved:
        raise UnsupportedInstructionError(f"{raw.op.name} has the reserved bits {reserved:#x}")
