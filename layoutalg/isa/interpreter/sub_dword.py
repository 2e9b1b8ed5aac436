"""Sub-dword encodings carried out: a part of each source, and the part of the result's register that is written.

| select | part | | rest of the result | is |
|---|---|---|---|---|
| 0–3 | a byte | | 0 | 0 |
| 4, 5 | a half | | 1 | above the part its sign, below it 0 |
| 6 | all | | 2 | kept |

(CDNA 3 ISA, SDWA; LLVM's AMDGPUModifierSyntax, `dst_sel`, `dst_unused`.)  Where all is written there is no rest:
compilers say 0 of it, assemblers 2.
What it cannot represent: a number's sign that is turned in a part of it.
"""

from __future__ import annotations

from collections.abc import Mapping

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.interpreter.operands import Operands, Source, Target
from layoutalg.isa.semantics.entries import Alu, bits_of
from layoutalg.isa.semantics.values import Word

#: The code of a whole register.
WHOLE = 6

#: Conversions that only pick a part of their source, of so many bits: the machine ignores what else the encoding says
#: (CDNA 4 ISA, 7.3, "Converts from 8-bit formats and SDWA in VOP1"; V_CVT_F32_FP8, V_CVT_PK_F32_FP8).
_PICK_ALONE: Mapping[str, int] = {
    **dict.fromkeys(("V_CVT_F32_FP8", "V_CVT_F32_BF8"), 8),
    **dict.fromkeys(("V_CVT_PK_F32_FP8", "V_CVT_PK_F32_BF8"), 16),
}

_SIGN, _KEEP = 1, 2  # of what is beside a part; 0 is zeros

_RESULT = frozenset({"dst_sel", "dst_unused", "sd"})
_SOURCES = {"a": frozenset({"src0_sel", "src0_sext", "s0"}), "b": frozenset({"src1_sel", "src1_sext", "s1"})}


def part_of(select: int) -> tuple[int, int]:
    """The first bit and the number of bits of a part.

    >>> part_of(2), part_of(5), part_of(6)
    ((16, 8), (16, 16), (0, 32))
    """
    return (8 * select, 8) if select < 4 else (0, 32) if select == WHOLE else (16 * (select - 4), 16)


def keeps_rest(instruction: Instruction) -> bool:
    """Whether a part of the result's register is written, and the rest of it kept."""
    fields = instruction.fields
    return fields.get("dst_sel", WHOLE) != WHOLE and fields.get("dst_unused", 0) == _KEEP


class SubDword:
    """Reads parts of sources, and writes a part of a register."""

    def __init__(self, operands: Operands) -> None:
        self.operands, self.w = operands, operands.w

    def fields(self, instruction: Instruction, alu: Alu) -> frozenset[str]:
        """The fields of the encoding that say something of the operation.

        Raises `UnsupportedInstructionError` for parts that are none, and a number's part with a sign.
        """
        fields, roles = instruction.fields, {token[0] for token in alu.reads} & _SOURCES.keys()
        turned = fields.get("neg", 0) | fields.get("abs", 0)
        for role, k in (("a", 0), ("b", 1)):
            if role not in roles:
                continue
            pick = fields.get(f"src{k}_sel", 0)
            bits = next(int(token[1:]) for token in alu.reads if token[0] == role)
            whole = pick == WHOLE or part_of(pick)[1] == bits
            number = role in alu.signs and (f"src{k}_sext" in fields or (turned & bits_of(role) and not whole))
            if pick > WHOLE or number or bits == 64:
                raise UnsupportedInstructionError(f"{instruction.place}: a part that is not described")
        alone = _PICK_ALONE.get(instruction.name)
        said = fields.keys() & {"src0_sext", "dst_unused"} or fields.get("dst_sel", 0) != WHOLE
        if alone and (said or part_of(fields.get("src0_sel", 0))[1] != alone):
            raise UnsupportedInstructionError(f"{instruction.place}: a part that is not described")
        if any(token[0] == "d" for token in alu.writes):
            select, rest = fields.get("dst_sel", 0), fields.get("dst_unused", 0)
            narrow = select != WHOLE and "d64" in alu.writes
            if select > WHOLE or rest > _KEEP or (select == WHOLE and rest == _SIGN) or narrow:
                raise UnsupportedInstructionError(f"{instruction.place}: a result whose part is not described")
        return _RESULT.union(*(_SOURCES[role] for role in roles))

    def source(self, instruction: Instruction, alu: Alu, token: str) -> Source:
        """The part of a source that the encoding picks, extended."""
        name = {"a": "src0", "b": "src1"}.get(token[0])
        pick = instruction.fields.get(f"{name}_sel", 0) if name else WHOLE
        if pick == WHOLE:
            return self.operands.source(instruction, token, alu.number(token))
        read = self.operands.source(instruction, f"{token[0]}32")
        (start, bits), w, width = part_of(pick), self.w, int(token[1:])
        up, down = w.const(32 - bits - start, 32), w.const(32 - bits, 32)
        if not instruction.fields.get(f"{name}_sext"):
            return lambda: w.lshr(w.shl(read(), up), down)
        mask = w.const((1 << width) - 1, 32)
        return lambda: w.ashr(w.shl(read(), up), down) & mask

    def target(self, instruction: Instruction, token: str) -> Target:
        """Writes the part of a register that the encoding names."""
        select = instruction.fields.get("dst_sel", 0)
        if token[0] != "d" or select == WHOLE:
            return self.operands.target(instruction, token)
        (start, bits), w = part_of(select), self.w
        place, mask = w.const(start, 32), w.const((1 << bits) - 1, 32)
        write, old = self.operands.target(instruction, "d32"), self.operands.source(instruction, "d32")
        rest, others = instruction.fields.get("dst_unused", 0), w.const(~(((1 << bits) - 1) << start), 32)

        def placed(word: Word) -> None:
            part = w.shl(word & mask, place)
            if rest == _KEEP:
                part = part | old() & others
            elif rest == _SIGN:
                part = w.ashr(w.shl(word, w.const(32 - bits, 32)), w.const(32 - bits - start, 32))
            write(part)

        return placed
