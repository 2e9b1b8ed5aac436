"""What an instruction's operands mean: the tokens of a signature (`semantics.table`), read and written.

An operand is looked at once, and becomes a function that reads it or writes it whenever the instruction is carried out.
A machine's `RegisterStorage` says where words live; constants, masks, halves of registers and registers that M0 names
are written here once, so the numpy machine and the symbolic one cannot disagree.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.architecture import Architecture
from layoutalg.isa.decode.instructions import EXEC, Instruction, Operand
from layoutalg.isa.interpreter.storage import RegisterStorage
from layoutalg.isa.semantics.accesses import MemoryInstruction
from layoutalg.isa.semantics.values import Truth, Word

Source = Callable[[], Word]
"""Reads a word."""

Target = Callable[[Word], None]
"""Writes a word."""

Action = Callable[[], None]
"""Carries an instruction out."""

#: Operand code of an aperture's base → the space that it is the base of (ISA manuals, "Scalar source operands").
APERTURES: Mapping[int, str] = {235: "lds", 237: "scratch"}

#: Role → its bit in the mode of register indexing (CDNA 4 ISA, 6.6.1).
INDEXED: Mapping[str, int] = {"a": 1, "b": 2, "c": 4, "d": 8}


#: Operations to whose units the second source comes as the third (CDNA 4 ISA, 6.6.2, v_madmk).
_SECOND_IS_THIRD = frozenset({"V_FMAMK_F32", "V_MADMK_F32"})

#: Kinds of operands that are the same at any time.
CONSTANTS = frozenset({"int", "bits", "wide", "float"})


def _always(word: Word) -> Source:
    return lambda: word


#: CDNA's operations that keep the other half of the result's register (CDNA 4 ISA, notes of each; LLVM's
#: zeroesHigh16BitsOfDest has them under the names of gfx8, whose operations are CDNA's with LEGACY in the name).
KEEPING = frozenset({"V_MAD_U16", "V_MAD_I16", "V_FMA_F16", "V_DIV_FIXUP_F16"})

#: Those of which sources differ: AMD's XML says of OP_SEL that all that write a lower half clear the upper, and LLVM's
#: list, "mostly derived from experimentation" (GCNSubtarget::zeroesHigh16BitsOfDest), has not these.
UNSAID = frozenset({
    "V_ADD_I16", "V_SUB_I16", "V_BITOP3_B16", "V_CVT_U16_F16", "V_CVT_I16_F16",
    *(f"V_{kind}3_{type}16" for kind in ("MIN", "MAX", "MED") for type in "UIF"),
})  # fmt: skip


def keeps_other_half(name: str, architecture: Architecture) -> bool:
    """Whether an operation whose result is half a register keeps the other half; else it is cleared, or unsaid."""
    return architecture.halves or name in KEEPING


class Operands:
    """Reads and writes what tokens stand for."""

    def __init__(self, registers: RegisterStorage) -> None:
        self.registers, self.kernel, self.w = registers, registers.kernel, registers.w

    def source(self, instruction: Instruction, token: str, number: int = 0) -> Source:
        """Reads what a token of a signature stands for; of registers that M0 names, those that it names now.

        `number`: the bits of the floating-point number that it is, or of each of the two that it holds.
        """
        if token == "scc":
            return lambda: self.registers.scc
        if token == "k":
            value = instruction.fields.get("simm16", 0)
            return _always(self.w.const(value - (1 << 16) if value >> 15 else value, 32))
        if token == "lane":
            return self.registers.lane_number
        if token.startswith("exec"):
            return partial(self.registers.read_scalar, Operand("s", EXEC), int(token[4:]))
        operand = operand_of(instruction, token[0])
        if token == "n":
            return partial(self.mask, operand)
        if token.endswith("16"):
            return partial(self._half, operand, number)
        if operand.high:
            raise UnsupportedInstructionError(f"{instruction.place}: the upper half of {operand.kind}{operand.index}")
        if token.endswith("64") and instruction.name.startswith("V_PK_"):
            return self._pair(instruction, operand, token[0])
        if operand.kind in ("v", "a"):
            role = "c" if token[0] == "b" and instruction.name in _SECOND_IS_THIRD else token[0]
            return partial(self.registers.read_register, self._indexed(operand, role), int(token[1:]))
        bits, signed = int(token[1:]), "_I64" in instruction.name
        if operand.kind in CONSTANTS:
            return _always(self.constant(operand, bits, number, signed=signed))
        return partial(self.constant, operand, bits)

    def target(self, instruction: Instruction, token: str, lanes: Source | None = None) -> Target:
        """Writes what a token of a signature stands for; of vector registers only some lanes (None: all that run)."""
        registers = self.registers
        if token == "scc":
            return registers.write_scc
        if token.startswith("exec"):
            return partial(registers.write_scalar, Operand("s", EXEC), int(token[4:]))
        if token == "m":
            second = instruction.operands.get("m2")
            return partial(self._write_masks, (operand_of(instruction, "m"), *([second] if second else [])))
        operand, half = operand_of(instruction, token[0]), token.endswith("16")
        bits = 32 if half else int(token[1:])
        if operand.high and not half:
            raise UnsupportedInstructionError(f"{instruction.place}: the upper half of a result of {bits} bits")
        if half and operand.kind != "v":
            raise UnsupportedInstructionError(f"{instruction.place}: half of the register {operand}")
        write: Target = partial(registers.write_scalar, operand, bits)
        if operand.kind in ("v", "a"):
            register = self._indexed(operand, token[0])
            if half:
                return self._half_target(instruction, register, lanes)
            write = partial(registers.write_register, register, bits)
            if lanes is not None:
                write = self._in_lanes(lanes, partial(registers.read_register, register, bits), write)
        return write

    def _half_target(self, instruction: Instruction, operand: Operand, lanes: Source | None) -> Target:
        """Writes the half of a register that the operand names; the other is kept, or cleared, or anything."""
        keep, unsaid = keeps_other_half(instruction.name, self.kernel.architecture), instruction.name in UNSAID
        old, part = partial(self.registers.old_register, operand), half_of(operand) if keep else ""
        write: Target = partial(self.registers.write_register, operand, 32, half=part)
        if lanes is not None:
            write = self._in_lanes(lanes, old, write)
        if keep or unsaid:
            other = old if keep else self.registers.anything
            return lambda word: write(self._merged(operand, other(), word))
        return lambda word: write(word & self.w.const(0xFFFF, 32))

    def _in_lanes(self, lanes: Source, old: Source, write: Target) -> Target:
        return lambda word: write(self.w.ite(lanes(), word, old()))

    def _write_masks(self, operands: Sequence[Operand], truth: Truth) -> None:
        mask = self.registers.mask_of(truth)
        for operand in operands:
            self.registers.write_scalar(operand, self.kernel.wave_size, mask)

    def _half(self, operand: Operand, number: int) -> Word:
        """16 bits of a register or of a constant, as a word of 32."""
        if operand.kind == "float":
            if not number:
                raise UnsupportedInstructionError(f"a 16-bit operation on the constant {operand}")
            return self.w.const(inline_float(operand.index, 16), 32)
        if operand.kind == "a":
            raise UnsupportedInstructionError(f"a 16-bit operation on the register {operand}")
        if operand.kind == "v":
            word = self.registers.read_register(operand, 32, half_of(operand))
        else:
            word = self.constant(operand, 32)
        return self.w.lshr(word, self.w.const(16, 32)) if operand.high else word & self.w.const(0xFFFF, 32)

    def _merged(self, operand: Operand, old: Word, half: Word) -> Word:
        """What a register had with one half replaced."""
        w = self.w
        if operand.high:
            return (old & w.const(0xFFFF, 32)) | w.shl(half, w.const(16, 32))
        return (old & w.const(0xFFFF0000, 32)) | half

    def constant(self, operand: Operand, bits: int, number: int = 0, *, signed: bool = False) -> Word:
        """A scalar register, a constant or a state bit as a word.

        An inline float has the width of the operation, whatever its type (LLVM, AMDGPUDisassembler, decodeFPImmed);
        of two f16 it is the lower, and the upper is 0, and of two integers an f32 (LLVM, AMDGPUBaseInfo,
        getInlineEncodingV216).  A literal of a 64-bit number is its upper half, of a `signed` 64-bit integer it is
        extended by its sign, of another by zeros (ISA manuals, "Literal Constants"; LLVM's AMDGPUOperandSyntax,
        "Conversion of Integer Values").
        """
        if operand.kind == "int":
            return self.w.const(operand.index, bits)
        if operand.kind == "float":
            return self.w.const(inline_float(operand.index, number or bits), bits)
        if operand.kind == "bits":
            if bits == 64 and signed and operand.index >> 31:
                return self.w.const(operand.index - (1 << 32), bits)
            return self.w.const(operand.index << 32 if bits == 64 and number else operand.index, bits)
        if operand.kind == "wide":
            if bits != 64:
                raise UnsupportedInstructionError(f"a literal of 64 bits read as {bits}")
            return self.w.const(operand.index, bits)
        if operand.kind == "aperture":
            if bits == 64 and operand.index in APERTURES:
                return self.registers.aperture(APERTURES[operand.index])
            raise UnsupportedInstructionError(f"the aperture register {operand.index} read as {bits} bits")
        return self.registers.read_scalar(operand, bits)

    def _pair(self, instruction: Instruction, operand: Operand, role: str) -> Source:
        """Two words of 32 bits, of which the modifiers select one or both; what is not selected is not read.

        The lower of a constant is the constant, and what the upper is no source says: LLVM takes it twice from the
        lower half (AMDGPUISelDAGToDAG, SelectVOP3PMods).
        """
        picked = selected(instruction, "abc".index(role))
        if self.kernel.architecture.packs_low_scalars and operand.kind not in ("v", "a"):
            if picked != {0} and (operand.kind, operand.index) != ("int", 0):
                raise UnsupportedInstructionError(
                    f"{instruction.place}: the upper half of {operand}, which is no vector"
                )
            return partial(self._twice, operand)
        if operand.kind in ("int", "float") and (operand.index == 0 or picked == {0}):
            word = self.constant(operand, 32)
            return _always(self.w.pair(word, word))
        if operand.kind not in ("s", "v", "a"):
            raise UnsupportedInstructionError(f"{instruction.place}: a packed constant")
        in_lanes = operand.kind != "s"
        read = self.registers.read_register if in_lanes else self.registers.read_scalar
        first = self._indexed(operand, role) if in_lanes else operand
        if len(picked) == 2:
            return partial(read, first, 64)
        half = partial(read, replace(first, index=first.index + min(picked)), 32)

        def twice() -> Word:
            word = half()
            return self.w.pair(word, word)

        return twice

    def _twice(self, operand: Operand) -> Word:
        word = self.constant(operand, 32)
        return self.w.pair(word, word)

    def mask(self, operand: Operand) -> Truth:
        """A lane mask in scalar registers, as a truth for each lane."""
        return self.registers.lanes_of(self.constant(operand, self.kernel.wave_size))

    def _indexed(self, operand: Operand, role: str) -> Operand:
        if operand.kind != "v" or not self.registers.index_mode & INDEXED[role]:
            return operand
        return self.registers.further(operand, self.registers.register_offset())


#: 1 / 2π as f32; its bits of other widths are cut (LLVM, isInlinableLiteral64, isInlinableLiteralFP16).
_INVERSE_OF_TWO_PI = 0x3E22F983


def inline_float(single: int, bits: int) -> int:
    """An inline float, given as bits of an f32, as those of a number of another width.

    >>> hex(inline_float(0x3F800000, 64)), hex(inline_float(0xC0800000, 16)), hex(inline_float(0x3E22F983, 16))
    ('0x3ff0000000000000', '0xc400', '0x3118')
    """
    if bits == 32:
        return single
    if single == _INVERSE_OF_TWO_PI:
        return {16: 0x3118, 64: 0x3FC45F306DC9C882}[bits]
    number = struct.unpack("<f", struct.pack("<I", single))[0]
    return int.from_bytes(struct.pack({16: "<e", 64: "<d"}[bits], number), "little")


def operand_of(instruction: Instruction, role: str) -> Operand:
    """The operand of a role. Raises `UnsupportedInstructionError` when the instruction has none."""
    if role not in instruction.operands:
        raise UnsupportedInstructionError(f"{instruction.place} has no operand {role!r}")
    return instruction.operands[role]


def selected(instruction: Instruction, place: int) -> set[int]:
    """Which halves of its source at this place a packed operation takes: 0 the lower, 1 the upper (CDNA 3 ISA, VOP3P).

    V_PK_MOV_B32 takes one half of each of its two.
    """
    fields = instruction.fields
    low, upper = fields.get("opsel", 0), fields.get("opsel_hi", 3) | fields.get("opsel_hi2", 1) << 2
    halves = {low >> place & 1}
    return halves if instruction.name == "V_PK_MOV_B32" else halves | {upper >> place & 1}


def half_of(operand: Operand) -> str:
    """The half of a register that a 16-bit operand is: nothing is read or written of the other one."""
    return "high" if operand.high else "low"


def atomic_operands(instruction: Instruction, access: MemoryInstruction) -> tuple[Operand, ...]:
    """The registers of an atomic operation's operands; in LDS the second has its own, elsewhere it follows."""
    first, atomic = operand_of(instruction, "data"), access.atomic
    assert atomic
    starts = [first]
    if atomic.operands == 2:
        starts.append(instruction.operands.get("data2", Operand(first.kind, first.index + atomic.registers)))
    return tuple(Operand(one.kind, one.index + k) for one in starts for k in range(atomic.registers))


def refuse_fields(instruction: Instruction, known: frozenset[str]) -> None:
    """Refuses an instruction with a modifier that its entry does not describe (negation, clamping, lane moves, …)."""
    unknown = instruction.fields.keys() - known
    if unknown:
        raise UnsupportedInstructionError(
            f"{instruction.place}: the modifier {', '.join(sorted(unknown))} is not described"
        )
