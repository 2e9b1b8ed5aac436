"""The address of each element of a memory instruction, by its space (`semantics.accesses`) and its modifiers.

How addresses are made of base, vector part and immediate is written here once; what lies there is the machine's matter.
"""

from __future__ import annotations

from dataclasses import replace

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.decode.instructions import NO_REGISTER, Instruction, Operand
from layoutalg.isa.interpreter.operands import Operands, operand_of, refuse_fields
from layoutalg.isa.interpreter.storage import MemoryStorage
from layoutalg.isa.semantics.accesses import MemoryInstruction
from layoutalg.isa.semantics.buffers import RULES
from layoutalg.isa.semantics.values import Word

#: The first bit of a buffer's stride.
_STRIDE = 48

#: Cache policy fields: how, not what, is accessed (ISA manuals, "Memory Scopes and Temporal Hints"; GLC, DLC, SLC).
#: No block reads what another stores, so which cache has it first is no matter.
_CACHE_FIELDS = frozenset({"glc", "slc", "dlc", "sc0", "sc1", "nt", "th", "scope"})

#: RDNA 4's temporal hints of loads that are more than hints: the last use, after which what is stored may be forgotten
#: (in the scope of the system it is none, but a way round caches), and a reserved one (LLVM, SIDefines, CPol: TH_LU).
_LAST_USE, _RESERVED_HINT, _SYSTEM = 3, 7, 3

_ADDRESS_FIELDS = {
    "constant": frozenset({"offset"}),
    "lds": frozenset({"offset0", "offset1"}),
    "scratch": frozenset({"offset", "sve"}),
}


class Addresses:
    """Forms addresses from operands; the memory says what it takes."""

    def __init__(self, operands: Operands, memory: MemoryStorage) -> None:
        self.operands, self.registers, self.memory = operands, operands.registers, memory
        self.kernel, self.w = operands.kernel, operands.w
        self._hints = _CACHE_FIELDS | self.kernel.architecture.hints

    def of(self, instruction: Instruction, access: MemoryInstruction) -> tuple[Word, ...]:
        """The address of each element: 64-bit words in global, flat and constant memory, else 32-bit words."""
        how, where = self._hints, _ADDRESS_FIELDS.get(access.space, frozenset({"offset"}))
        refuse_fields(instruction, how | where | ({"scale_offset"} if self._may_scale(instruction, access) else set()))
        fields, w = instruction.fields, self.w
        hint, system = fields.get("th", 0), fields.get("scope", 0) == _SYSTEM
        load = not access.store and not access.atomic
        if (load and (hint == _RESERVED_HINT or (hint == _LAST_USE and not system))) or (access.atomic and hint > 3):
            raise UnsupportedInstructionError(f"{instruction.place}: the temporal hint {hint}")
        nothing = (access.atomic or (access.to_lds and not access.by_lane)) and not access.returns(fields)
        if nothing and instruction.operands.get("d", Operand("v")).index:
            raise UnsupportedInstructionError(f"{instruction.place}: a result that does not come back")
        offset = fields.get("offset", 0)
        if access.space == "lds":
            base = self._vector(instruction, "addr", 32)
            first, second = fields.get("offset0", 0), fields.get("offset1", 0)
            if access.pair_step:
                return tuple(base + w.const(immediate * access.pair_step, 32) for immediate in (first, second))
            return (base + w.const(first | second << 8, 32),)
        if access.space == "constant":
            return (self._constant_address(instruction, access, offset),)
        base_operand = instruction.operands.get("base", NO_REGISTER)
        has_base = base_operand != NO_REGISTER
        if access.space == "scratch":
            return (self._scratch_address(instruction, base_operand if has_base else None, offset),)
        if has_base:
            base = self.registers.read_scalar(base_operand, 64) + self._lane_offset(instruction, access)
        else:
            base = self._vector(instruction, "addr", 64)
        return (base + w.const(offset, 64),)

    def _may_scale(self, instruction: Instruction, access: MemoryInstruction) -> bool:
        """Whether an offset may count elements: of a lane from a scalar base, of a scalar load in its register."""
        role = {"global": "base", "constant": "soffset"}.get(access.space, "")
        return instruction.operands.get(role, NO_REGISTER).kind != "null"

    def _lane_offset(self, instruction: Instruction, access: MemoryInstruction) -> Word:
        """What a lane adds to a scalar base: bytes, or elements of the access's size."""
        w, signed = self.w, self.kernel.architecture.signed_lane_offset
        if signed and access.space == "flat":
            raise UnsupportedInstructionError(f"{instruction.place}: a flat access with a scalar base")
        offset = self._vector(instruction, "addr", 32)
        wide = w.sext(offset) if signed else w.zext(offset)
        return wide * w.const(access.size, 64) if instruction.fields.get("scale_offset") else wide

    def _vector(self, instruction: Instruction, role: str, bits: int) -> Word:
        return self.registers.read_register(operand_of(instruction, role), bits)

    def _constant_address(self, instruction: Instruction, access: MemoryInstruction, offset: int) -> Word:
        parts = [self.registers.read_scalar(operand_of(instruction, "base"), 64), self.w.const(offset, 64)]
        extra = instruction.operands.get("soffset", NO_REGISTER)
        if extra.kind != "null":
            moved = self.w.zext(self.operands.constant(extra, 32))
            scale = access.size if instruction.fields.get("scale_offset") else 1
            parts.append(moved * self.w.const(scale, 64) if scale > 1 else moved)
        if access.size >= 4:
            parts = [self.memory.dwords(part) for part in parts]
        return sum(parts[1:], start=parts[0])

    def in_lds(self, instruction: Instruction, access: MemoryInstruction) -> Word:
        """Where in LDS each lane's part of a load goes: M0, the immediate, and the lanes one after the other.

        Buffer loads take 16 bits of M0 on CDNA 3 and 18 on CDNA 4, those of global memory 18 without the lowest two.
        Of an asynchronous copy each lane says it.
        """
        w, fields = self.w, instruction.fields
        if access.by_lane:
            role = "data" if access.from_lds else "d"
            return self._vector(instruction, role, 32) + w.const(fields.get("offset", 0), 32)
        start = self.memory.start_in_lds(self.registers.read_scalar(Operand("m0"), 32), self.kernel.machine.m0_bits)
        lane = self.registers.lane_number() * w.const(access.lane_stride, 32)
        return start + w.const(fields.get("offset", 0), 32) + lane

    def in_buffer(self, instruction: Instruction) -> tuple[tuple[Word, Word, Word], Word, Word, Word | None]:
        """The descriptor of a buffer instruction (base, bytes, flags), the scalar offset, the others' sum, an index.

        No offset of 32 bits wraps around in that of 64; where it has no vector part, register 0 is named.  With an
        index, which comes before a vector offset, the sum has so many strides (`semantics.buffers`).
        """
        rules = RULES[self.kernel.architecture.name]
        refuse_fields(instruction, self._hints | {"offset", "offen", "lds"} | ({"idxen"} if rules.stride else set()))
        if instruction.fields.get("offset", 0) >> rules.offset:
            raise UnsupportedInstructionError(f"{instruction.place}: an offset with a sign")
        if instruction.fields.get("lds") and instruction.operands.get("d", Operand("v")) != Operand("v"):
            raise UnsupportedInstructionError(f"{instruction.place}: a result that does not come back")
        fields, w, registers = instruction.fields, self.w, self.registers
        resource = operand_of(instruction, "resource")
        parts = ((0, 64), (2, 32), (3, 32))
        base, count, flags = (registers.read_scalar(Operand(resource.kind, resource.index + k), n) for k, n in parts)
        scalar = self.operands.constant(operand_of(instruction, "soffset"), 32)
        offset, address = w.const(fields.get("offset", 0), 64), operand_of(instruction, "addr")
        used, index = fields.get("offen", 0) + fields.get("idxen", 0), None
        moved = [w.zext(registers.read_register(replace(address, index=address.index + k), 32)) for k in range(used)]
        if not used and address != Operand("v", 0):
            raise UnsupportedInstructionError(f"{instruction.place}: a vector address that is not used")
        if fields.get("idxen"):
            index = moved[0]
            moved[0] = index * (w.lshr(base, w.const(_STRIDE, 32)) & w.const(rules.stride, 64))
        return (base, count, flags), scalar, sum(moved, start=offset), index

    def _scratch_address(self, instruction: Instruction, base: Operand | None, offset: int) -> Word:
        """Vector part: when the bit `sve` says so; where there is no such bit, when there is no scalar part."""
        total = self.w.const(offset, 32)
        if base is not None:
            total = total + self.registers.read_scalar(base, 32)
        if instruction.fields.get("sve") and not self.kernel.machine.scratch_sve:
            raise UnsupportedInstructionError(f"{instruction.place}: the bit means that data goes to LDS")
        vector = not self.kernel.machine.scratch_sve and base is None
        return self._further(instruction, total, bool(instruction.fields.get("sve")) or vector)

    def _further(self, instruction: Instruction, total: Word, vector: bool) -> Word:
        """An address and its vector part; where it has none, the assembler names register 0 (LLVM, `has_vaddr`)."""
        if vector:
            return total + self._vector(instruction, "addr", 32)
        if operand_of(instruction, "addr") != Operand("v", 0):
            raise UnsupportedInstructionError(f"{instruction.place}: a vector address that is not used")
        return total
