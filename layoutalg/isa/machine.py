"""What every machine that reads the semantics table shares: how operands are fetched and how addresses are formed.

A machine holds registers and carries out one instruction at a time.  Its `Values` say what a word is; its six storage
methods say where words live.  All else (the meaning of operand roles, implied operands, address arithmetic, which
instructions have no effect) is written here once, so the numpy machine and the bit-vector machine cannot disagree.

Control (branches, barriers, ends) is not here: one machine runs many waves, the other follows all paths at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.container.descriptor import BUFFER
from layoutalg.isa.decode.instructions import EXEC, Instruction, Operand
from layoutalg.isa.semantics.accesses import (
    ACCESSES,
    COUNTERS,
    DEALLOCATE_VGPRS,
    NO_EFFECT,
    OVERTAKING,
    UNORDERED,
    WAITS,
    Access,
)
from layoutalg.isa.semantics.entries import Alu
from layoutalg.isa.semantics.floats import FLOAT_MODE
from layoutalg.isa.semantics.table import ALU
from layoutalg.isa.semantics.values import Truth, Values, Word

#: Where LDS and scratch lie in the flat address space (upper 32 bits of their base).  Any values do that no buffer has;
#: a kernel learns them from `src_shared_base` and `src_private_base`.
SHARED_APERTURE, PRIVATE_APERTURE = 0x10000, 0x20000

#: Cache policy fields: how, not what, is accessed (ISA manuals, "Memory Scopes and Temporal Hints"; GLC, DLC, SLC).
#: No block reads what another stores, so which cache has it first is no matter.
_CACHE_FIELDS = frozenset({"glc", "slc", "dlc", "sc0", "sc1", "nt", "th", "scope"})

#: RDNA 4's temporal hints of loads that are more than hints: the last use, after which what is stored may be forgotten
#: (in the scope of the system it is none, but a way round caches), and a reserved one (LLVM, SIDefines, CPol: TH_LU).
_LAST_USE, _RESERVED_HINT, _SYSTEM = 3, 7, 3

#: Fields of the sub-dword encoding that are described, and its code for a whole register.
_SUB_DWORD = frozenset({"dst_sel", "sd"})
_SUB_DWORD_SOURCE = {"a": frozenset({"src0_sel", "src0_sext", "s0"}), "b": frozenset({"src1_sel", "src1_sext", "s1"})}
WHOLE = 6

_ADDRESS_FIELDS = {
    "constant": frozenset({"offset", "imm", "soffset_en"}),
    "lds": frozenset({"offset0", "offset1"}),
    "scratch": frozenset({"offset", "sve", "offen"}),
}


class Machine(ABC):
    """The part of a machine that does not depend on what its values are."""

    def __init__(self, kernel: KernelBinary, values: Values) -> None:
        self.kernel = kernel
        self.w = values
        self.scc: Truth = None
        self.counters = COUNTERS[kernel.architecture]
        self.waits = WAITS[kernel.architecture]
        self.unordered = UNORDERED[kernel.architecture]
        self.overtaking = self.unordered | OVERTAKING.get(kernel.architecture, frozenset())
        self.index_mode = 0  # CDNA's register indexing: bits 0–2 sources, bit 3 result

    @abstractmethod
    def read_scalar(self, operand: Operand, bits: int) -> Word:
        """Scalar registers as one word for the wave."""

    @abstractmethod
    def write_scalar(self, operand: Operand, bits: int, word: Word) -> None:
        """Writes scalar registers."""

    @abstractmethod
    def read_register(self, operand: Operand, bits: int) -> Word:
        """Vector or accumulation registers as one word for each lane."""

    @abstractmethod
    def write_register(self, operand: Operand, bits: int, word: Word) -> None:
        """Writes vector or accumulation registers of the active lanes."""

    @abstractmethod
    def lanes_of(self, operand: Operand) -> Truth:
        """A lane mask in scalar registers, as a truth for each lane."""

    @abstractmethod
    def write_lanes(self, operand: Operand, truth: Truth) -> None:
        """Writes a lane mask: the truth for active lanes, 0 for the others."""

    @abstractmethod
    def describes_scratch(self, low: Word, high: Word, offset: Word) -> bool:
        """Whether two words of 64 bits are the wave's own scratch buffer, and its scalar offset is 0."""

    @abstractmethod
    def access(self, instruction: Instruction, access: Access, addresses: tuple[Word, ...]) -> None:
        """Carries out a memory instruction, whose elements have these addresses."""

    @abstractmethod
    def wait(self, left: Mapping[str, int]) -> None:
        """Waits until at most so many accesses of each counter are under way."""

    @abstractmethod
    def special(self, instruction: Instruction) -> None:
        """Carries out an instruction that works between lanes or on many registers."""

    def step(self, instruction: Instruction) -> None:
        """Carries out one instruction that is not control.

        Raises `UnsupportedInstructionError` with its name when the tables have no entry.
        """
        name = instruction.name
        if instruction.halves:
            self._dual(instruction)
        elif name in NO_EFFECT or (name == "S_SENDMSG" and instruction.fields.get("simm16") == DEALLOCATE_VGPRS):
            return
        elif name in ALU:
            self.arithmetic(instruction, ALU[name])
        elif name in ACCESSES:
            access = ACCESSES[name]
            self.access(instruction, access, self._addresses(instruction, access))
        elif name in self.waits:
            self.wait(self.waits[name](instruction.fields.get("simm16", 0)))
        else:
            refuse_fields(instruction, frozenset())
            self.special(instruction)

    def arithmetic(self, instruction: Instruction, alu: Alu) -> None:
        """Reads, computes and writes one arithmetic instruction."""
        for token, result in self._computed(instruction, alu):
            self.write(instruction, token, result)

    def _computed(self, instruction: Instruction, alu: Alu) -> list[tuple[str, Word]]:
        known = alu.fields | ({"simm16"} if "k" in alu.reads else frozenset())
        if alu.signs:
            known |= {"neg", "abs"}
        if alu.floats and self.kernel.float_mode != FLOAT_MODE:
            raise UnsupportedInstructionError(f"{instruction.name} in the float mode {self.kernel.float_mode:#x}")
        parts = _parts(instruction, alu) if instruction.form.endswith("_SDWA") else frozenset()
        refuse_fields(instruction, known | parts)
        if parts:
            sources = [self._selected(instruction, token) for token in alu.reads]
        else:
            sources = [self.read(instruction, token) for token in alu.reads]
        if alu.signs:
            pairs = zip(alu.reads, sources, strict=True)
            sources = [self._signed_source(instruction, token, word) for token, word in pairs]
        fields = {key: value for key, value in instruction.fields.items() if key in alu.fields}
        results = alu.effect(self.w, *sources, **fields)
        return list(zip(alu.writes, results if len(alu.writes) > 1 else (results,), strict=True))

    def _selected(self, instruction: Instruction, token: str) -> Word:
        """The part of a source that a sub-dword encoding picks: bytes 0–3, halves 4–5, or all (CDNA 3 ISA, SDWA)."""
        source = {"a": "src0", "b": "src1"}.get(token[0])
        pick = instruction.fields.get(f"{source}_sel", 0) if source else WHOLE
        if pick == WHOLE:
            return self.read(instruction, token)
        word = self.read(instruction, f"{token[0]}32")
        bits, start = (8, 8 * pick) if pick < 4 else (16, 16 * (pick - 4))
        shift, w = self.w.const(32 - bits, 32), self.w
        upper = w.shl(word, w.const(32 - bits - start, 32))
        return w.ashr(upper, shift) if instruction.fields.get(f"{source}_sext") else w.lshr(upper, shift)

    def _signed_source(self, instruction: Instruction, token: str, word: Word) -> Word:
        """A floating-point source with the encoding's absolute value and negation."""
        bit = {"a": 1, "b": 2, "c": 4}.get(token[0], 0)
        sign = self.w.const(1 << int(token[1:]) - 1, 32)
        if instruction.fields.get("abs", 0) & bit:
            word = word & ~sign
        return word ^ sign if instruction.fields.get("neg", 0) & bit else word

    def _dual(self, instruction: Instruction) -> None:
        computed = []
        for half in instruction.halves:
            if half.name not in ALU:
                raise UnsupportedInstructionError(f"{half.name} (half of a dual instruction) at {half.address:#x}")
            computed += [(half, token, result) for token, result in self._computed(half, ALU[half.name])]
        for half, token, result in computed:
            self.write(half, token, result)

    def read(self, instruction: Instruction, token: str) -> Word:
        """The word that a token of a signature stands for."""
        if token == "scc":
            return self.scc
        if token == "k":
            value = instruction.fields.get("simm16", 0)
            return self.w.const(value - (1 << 16) if value >> 15 else value, 32)
        if token.startswith("exec"):
            return self.read_scalar(Operand("s", EXEC), int(token[4:]))
        operand = operand_of(instruction, token[0])
        if token == "n":
            return self.lanes_of(operand)
        if token.endswith("16"):
            return self._half(operand)
        if operand.kind in ("v", "a"):
            return self.read_register(self._indexed(operand, token[0]), int(token[1:]))
        if instruction.name.startswith("V_PK_") and operand.kind != "s" and operand.index != 0:
            raise UnsupportedInstructionError(f"{instruction.place}: a packed constant")
        return self._constant(operand, int(token[1:]))

    def write(self, instruction: Instruction, token: str, word: Word) -> None:
        """Writes what a token of a signature stands for."""
        if token == "scc":
            self.write_scc(word)
        elif token.startswith("exec"):
            self.write_scalar(Operand("s", EXEC), int(token[4:]), word)
        elif token == "m":
            self.write_lanes(operand_of(instruction, "m"), word)
        else:
            operand = operand_of(instruction, "d")
            if token == "d16":
                word, token = self._merged(operand, word), "d32"
            if operand.kind in ("v", "a"):
                self.write_register(self._indexed(operand, "d"), int(token[1:]), word)
            else:
                self.write_scalar(operand, int(token[1:]), word)

    def _half(self, operand: Operand) -> Word:
        """16 bits of a register or of a constant, as a word of 32."""
        if operand.kind == "float":
            raise UnsupportedInstructionError(f"a 16-bit operation on the constant {operand}")
        if operand.kind == "a":
            raise UnsupportedInstructionError(f"a 16-bit operation on the register {operand}")
        word = self.read_register(operand, 32) if operand.kind == "v" else self._constant(operand, 32)
        return self.w.lshr(word, self.w.const(16, 32)) if operand.high else word & self.w.const(0xFFFF, 32)

    def _merged(self, operand: Operand, half: Word) -> Word:
        """The register with one half replaced."""
        old, w = self.read_register(operand, 32), self.w
        if self.kernel.architecture == "cdna":  # GFX9 clears the upper half (LLVM, zeroesHigh16BitsOfDest)
            return half & w.const(0xFFFF, 32)
        if operand.high:
            return (old & w.const(0xFFFF, 32)) | w.shl(half, w.const(16, 32))
        return (old & w.const(0xFFFF0000, 32)) | half

    def write_scc(self, truth: Truth) -> None:
        """Writes the scalar condition code."""
        self.scc = truth

    def register_offset(self) -> int:
        """What M0 adds to register numbers in index mode; the same for all waves that run."""
        raise UnsupportedInstructionError("register indexing")

    def _indexed(self, operand: Operand, role: str) -> Operand:
        bit = {"a": 1, "b": 2, "c": 4, "d": 8}[role]
        if operand.kind != "v" or not self.index_mode & bit:
            return operand
        return Operand("v", operand.index + self.register_offset())

    def _constant(self, operand: Operand, bits: int) -> Word:
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
            if bits == 64 and operand.index in (235, 237):
                return self.w.const((SHARED_APERTURE if operand.index == 235 else PRIVATE_APERTURE) << 32, 64)
            raise UnsupportedInstructionError(f"the aperture register {operand.index} read as {bits} bits")
        return self.read_scalar(operand, bits)

    def _addresses(self, instruction: Instruction, access: Access) -> tuple[Word, ...]:
        """The address of each element: 64-bit words in global, flat and constant memory, else 32-bit words."""
        refuse_fields(instruction, _CACHE_FIELDS | _ADDRESS_FIELDS.get(access.space, frozenset({"offset"})))
        fields, w = instruction.fields, self.w
        hint, system = fields.get("th", 0), fields.get("scope", 0) == _SYSTEM
        if not access.store and (hint == _RESERVED_HINT or (hint == _LAST_USE and not system)):
            raise UnsupportedInstructionError(f"{instruction.place}: the temporal hint {hint}")
        offset = fields.get("offset", 0)
        if access.space == "lds":
            base = self._vector(instruction, "addr", 32)
            first, second = fields.get("offset0", 0), fields.get("offset1", 0)
            if access.pair_step:
                return tuple(base + w.const(immediate * access.pair_step, 32) for immediate in (first, second))
            return (base + w.const(first | second << 8, 32),)
        if access.space == "constant":
            return (self._constant_address(instruction, offset),)
        base_operand = instruction.operands.get("base", Operand("null"))
        off = Operand("s", EXEC + 1) if self.kernel.architecture == "cdna" else Operand("null")
        has_base = base_operand not in (off, Operand("null"))
        if access.by_buffer:
            return (self._buffer_address(instruction, offset),)
        if access.space == "scratch":
            return (self._scratch_address(instruction, base_operand if has_base else None, offset),)
        if has_base:
            base = self.read_scalar(base_operand, 64) + w.zext(self._vector(instruction, "addr", 32))
        else:
            base = self._vector(instruction, "addr", 64)
        return (base + w.const(offset, 64),)

    def _vector(self, instruction: Instruction, role: str, bits: int) -> Word:
        return self.read_register(operand_of(instruction, role), bits)

    def _constant_address(self, instruction: Instruction, offset: int) -> Word:
        if self.kernel.architecture == "cdna" and not instruction.fields.get("imm"):
            raise UnsupportedInstructionError(f"{instruction.place}: an offset in a register")
        parts = [self.read_scalar(operand_of(instruction, "base"), 64), self.w.const(offset, 64)]
        extra = instruction.operands.get("soffset", Operand("null"))
        if extra.kind != "null":
            parts.append(self.w.zext(self._constant(extra, 32)))
        return sum((self.dwords(part) for part in parts[1:]), start=self.dwords(parts[0]))

    def dwords(self, part: Word) -> Word:
        """A part of a scalar load's address as the machine takes it: without its lowest two bits."""
        return part & self.w.const(~3, 64)

    def _buffer_address(self, instruction: Instruction, offset: int) -> Word:
        """Of a lane's scratch, by the buffer in s0 to s3 (field `srsrc` 0), which interleaves it as others see it.

        LLVM's AMDGPUUsage, "Address Spaces": Private; a scalar offset would be of the whole wave's bytes.
        """
        if BUFFER not in dict(self.kernel.user_sgprs):
            raise UnsupportedInstructionError(f"{instruction.place}: no buffer describes scratch")
        low, high = (self.read_scalar(Operand("s", k), 64) for k in (0, 2))
        if not self.describes_scratch(low, high, self._constant(operand_of(instruction, "soffset"), 32)):
            raise UnsupportedInstructionError(f"{instruction.place}: the buffer is not seen to be the wave's scratch")
        return self._further(instruction, self.w.const(offset, 32), bool(instruction.fields.get("offen")))

    def _scratch_address(self, instruction: Instruction, base: Operand | None, offset: int) -> Word:
        """Vector part: when the bit `sve` says so, or on gfx90a when there is no scalar part (CDNA ISA, SCRATCH)."""
        total = self.w.const(offset, 32)
        if base is not None:
            total = total + self.read_scalar(base, 32)
        vector = self.kernel.target == "gfx90a" and base is None
        return self._further(instruction, total, bool(instruction.fields.get("sve")) or vector)

    def _further(self, instruction: Instruction, total: Word, vector: bool) -> Word:
        """An address and its vector part; where it has none, the assembler names register 0 (LLVM, `has_vaddr`)."""
        if vector:
            return total + self._vector(instruction, "addr", 32)
        if operand_of(instruction, "addr") != Operand("v", 0):
            raise UnsupportedInstructionError(f"{instruction.place}: a vector address that is not used")
        return total


def operand_of(instruction: Instruction, role: str) -> Operand:
    """The operand of a role. Raises `UnsupportedInstructionError` when the instruction has none."""
    if role not in instruction.operands:
        raise UnsupportedInstructionError(f"{instruction.place} has no operand {role!r}")
    return instruction.operands[role]


def _parts(instruction: Instruction, alu: Alu) -> frozenset[str]:
    """The fields of a sub-dword encoding that say something of the operation.

    Raises `UnsupportedInstructionError` for a part of a result, a part that is none, and a number's part with a sign.
    """
    fields, roles = instruction.fields, {token[0] for token in alu.reads} & _SUB_DWORD_SOURCE.keys()
    if fields.get("dst_sel", 0) != WHOLE and any(token[0] == "d" for token in alu.writes):
        raise UnsupportedInstructionError(f"{instruction.place}: a result that is a part")
    if any(fields.get(f"src{k}_sel", 0) > WHOLE or (alu.signs and f"src{k}_sext" in fields) for k in (0, 1)):
        raise UnsupportedInstructionError(f"{instruction.place}: a part that is not described")
    return _SUB_DWORD.union(*(_SUB_DWORD_SOURCE[role] for role in roles))


def refuse_fields(instruction: Instruction, known: frozenset[str]) -> None:
    """Refuses an instruction with a modifier that its entry does not describe (negation, clamping, lane moves, …)."""
    unknown = instruction.fields.keys() - known
    if unknown:
        raise UnsupportedInstructionError(
            f"{instruction.place}: the modifier {', '.join(sorted(unknown))} is not described"
        )
