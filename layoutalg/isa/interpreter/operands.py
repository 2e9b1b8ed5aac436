"""What an instruction's operands mean: the tokens of a signature (`semantics.table`), read and written.

A machine's `RegisterStorage` says where words live; constants, masks, halves of registers and registers that M0 names
are written here once, so the numpy machine and the symbolic one cannot disagree.
"""

from __future__ import annotations

from collections.abc import Mapping

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.decode.instructions import EXEC, Instruction, Operand
from layoutalg.isa.interpreter.storage import RegisterStorage
from layoutalg.isa.semantics.values import Truth, Word

#: Operand code of an aperture's base → the space that it is the base of (ISA manuals, "Scalar source operands").
APERTURES: Mapping[int, str] = {235: "lds", 237: "scratch"}

#: Role → its bit in the mode of register indexing (CDNA ISA, S_SET_GPR_IDX_ON).
_INDEX_BITS: Mapping[str, int] = {"a": 1, "b": 2, "c": 4, "d": 8}


class Operands:
    """Reads and writes what tokens stand for."""

    def __init__(self, registers: RegisterStorage) -> None:
        self.registers, self.kernel, self.w = registers, registers.kernel, registers.w

    def read(self, instruction: Instruction, token: str) -> Word:
        """The word that a token of a signature stands for."""
        if token == "scc":
            return self.registers.scc
        if token == "k":
            value = instruction.fields.get("simm16", 0)
            return self.w.const(value - (1 << 16) if value >> 15 else value, 32)
        if token.startswith("exec"):
            return self.registers.read_scalar(Operand("s", EXEC), int(token[4:]))
        operand = operand_of(instruction, token[0])
        if token == "n":
            return self.mask(operand)
        if token.endswith("16"):
            return self._half(operand)
        if operand.kind in ("v", "a"):
            return self.registers.read_register(self._indexed(operand, token[0]), int(token[1:]))
        if instruction.name.startswith("V_PK_") and operand.kind != "s" and operand.index != 0:
            raise UnsupportedInstructionError(f"{instruction.place}: a packed constant")
        return self.constant(operand, int(token[1:]))

    def write(self, instruction: Instruction, token: str, word: Word, where: Truth | None = None) -> None:
        """Writes what a token of a signature stands for; of vector registers only the lanes `where`."""
        if token == "scc":
            self.registers.write_scc(word)
        elif token.startswith("exec"):
            self.registers.write_scalar(Operand("s", EXEC), int(token[4:]), word)
        elif token == "m":
            mask = self.registers.mask_of(word)
            self.registers.write_scalar(operand_of(instruction, "m"), self.kernel.wave_size, mask)
        else:
            operand = operand_of(instruction, "d")
            if token == "d16":
                word, token = self._merged(operand, word), "d32"
            if operand.kind in ("v", "a"):
                operand, bits = self._indexed(operand, "d"), int(token[1:])
                if where is not None:
                    word = self.w.ite(where, word, self.registers.read_register(operand, bits))
                self.registers.write_register(operand, bits, word)
            else:
                self.registers.write_scalar(operand, int(token[1:]), word)

    def _half(self, operand: Operand) -> Word:
        """16 bits of a register or of a constant, as a word of 32."""
        if operand.kind == "float":
            raise UnsupportedInstructionError(f"a 16-bit operation on the constant {operand}")
        if operand.kind == "a":
            raise UnsupportedInstructionError(f"a 16-bit operation on the register {operand}")
        word = self.registers.read_register(operand, 32) if operand.kind == "v" else self.constant(operand, 32)
        return self.w.lshr(word, self.w.const(16, 32)) if operand.high else word & self.w.const(0xFFFF, 32)

    def _merged(self, operand: Operand, half: Word) -> Word:
        """The register with one half replaced."""
        old, w = self.registers.read_register(operand, 32), self.w
        if not self.kernel.architecture.halves:
            return half & w.const(0xFFFF, 32)
        if operand.high:
            return (old & w.const(0xFFFF, 32)) | w.shl(half, w.const(16, 32))
        return (old & w.const(0xFFFF0000, 32)) | half

    def constant(self, operand: Operand, bits: int) -> Word:
        """A scalar register, a constant or a state bit as a word."""
        if operand.kind == "int":
            return self.w.const(operand.index, bits)
        if operand.kind in ("bits", "float"):
            # A 32-bit literal of a 64-bit operation is extended by a rule that depends on its type: only the
            # values on which all rules agree are taken.
            if bits == 64 and (operand.kind == "float" or operand.index >> 31):
                raise UnsupportedInstructionError(f"a 64-bit operation on the constant {operand}")
            return self.w.const(operand.index, bits)
        if operand.kind == "aperture":
            if bits == 64 and operand.index in APERTURES:
                return self.registers.aperture(APERTURES[operand.index])
            raise UnsupportedInstructionError(f"the aperture register {operand.index} read as {bits} bits")
        return self.registers.read_scalar(operand, bits)

    def mask(self, operand: Operand) -> Truth:
        """A lane mask in scalar registers, as a truth for each lane."""
        return self.registers.lanes_of(self.constant(operand, self.kernel.wave_size))

    def _indexed(self, operand: Operand, role: str) -> Operand:
        if operand.kind != "v" or not self.registers.index_mode & _INDEX_BITS[role]:
            return operand
        return self.registers.further(operand, self.registers.register_offset())


def operand_of(instruction: Instruction, role: str) -> Operand:
    """The operand of a role. Raises `UnsupportedInstructionError` when the instruction has none."""
    if role not in instruction.operands:
        raise UnsupportedInstructionError(f"{instruction.place} has no operand {role!r}")
    return instruction.operands[role]


def refuse_fields(instruction: Instruction, known: frozenset[str]) -> None:
    """Refuses an instruction with a modifier that its entry does not describe (negation, clamping, lane moves, …)."""
    unknown = instruction.fields.keys() - known
    if unknown:
        raise UnsupportedInstructionError(
            f"{instruction.place}: the modifier {', '.join(sorted(unknown))} is not described"
        )
