"""Scratch, as one lane sees it: dwords at constant offsets, each written and read like a vector register.

Compilers keep local variables and spilled registers there, above all at -O0.  Every lane has its own scratch from
offset 0 on; `SCRATCH_*` instructions take offsets, flat ones addresses in the aperture of scratch, which is 2³² bytes
at a multiple of 2³² (LLVM's AMDGPUUsage, "Address Spaces": Private, Generic).  A dword of scratch is the cell
("scratch", n), so what holds of a register (the lane's own condition, where ways meet, loops, scalar words in single
lanes) holds of it.  A wave's own accesses of scratch happen in the order of the program, so only registers wait for
data.

| access | reads or writes |
|---|---|
| 4, 8, 12 or 16 bytes | the words of that many cells |
| 1 or 2 bytes | a part of one cell, whose other bytes stay |

Where the machine does not (gfx90a), a kernel sets up the base itself, FLAT_SCRATCH = Flat Scratch Init + Scratch
Wavefront Offset (LLVM's AMDGPUUsage, "Kernel Prolog: Flat Scratch", GFX9), and adds that offset to the buffer that
describes scratch; that they hold this is checked at each access.

What it cannot represent (it stops): offsets that are not constant, unaligned accesses, and what lies beyond the bytes
that the kernel asks for.
"""

from __future__ import annotations

import itertools

from layoutalg.index import FALSE, ZERO, Expr, div, mod, simplify, symbol
from layoutalg.isa.container.descriptor import BUFFER
from layoutalg.isa.decode.instructions import Instruction, Operand
from layoutalg.isa.interpreter.operands import operand_of
from layoutalg.isa.semantics.accesses import MemoryInstruction
from layoutalg.symex.machine.outstanding import Key
from layoutalg.symex.machine.registers import SymbolicRegisters
from layoutalg.symex.values.modular import same_word
from layoutalg.symex.values.unknowns import Kind
from layoutalg.symex.values.word import Mask, NotReadable, Word

#: FLAT_SCRATCH as a pair of scalar registers, where it is one (LLVM, AMDGPU's SIRegisterInfo: FLAT_SCR_vi).
FLAT_SCRATCH = Operand("s", 102)

Loaded = list[tuple[Key, Word, Key | None]]
"""Registers, what they get, and the cell that is moved there whole, if one is."""


class Scratch:
    """The scratch of one lane, whose dwords lie among its registers' cells."""

    def __init__(self, registers: SymbolicRegisters) -> None:
        self.registers, self.kernel, self.w = registers, registers.kernel, registers.w
        self.base: Expr | None = None
        self.buffer: tuple[Expr, Expr] | None = None

    def initialise(self) -> None:
        """What a kernel makes the base of scratch from, where that is its task."""
        kernel, firsts = self.kernel, itertools.accumulate((n for _, n in self.kernel.user_sgprs), initial=0)
        places = dict(zip((name for name, _ in kernel.user_sgprs), firsts, strict=False))
        if kernel.machine.scratch_base == "machine" or not kernel.extra_sgprs[1]:
            return
        offset = self.w.fresh("scratch wavefront offset", 1 << 32, Kind.ANY)  # each wave has its own
        self.w.alike.add(offset)
        after = kernel.user_sgpr_count + sum(kernel.block_indices) + kernel.extra_sgprs[0]
        self.registers.write_scalar(Operand("s", after), 32, self.w.word(offset))
        if "flat_scratch_init" in places:
            self.base = self._given_to(places["flat_scratch_init"], "flat_scratch_init") + offset
        if places.get(BUFFER) == 0:
            self.buffer = self._given_to(0, f"{BUFFER}_low") + offset, self._given_to(2, f"{BUFFER}_high")

    def _given_to(self, register: int, name: str) -> Expr:
        """An unknown number of 64 bits, which a pair of scalar registers has at first."""
        given = symbol(name, min=0, max=(1 << 64) - 1)
        self.registers.write_scalar(Operand("s", register), 64, self.w.word(given, 64))
        return given

    def is_described_by(self, low: Word | Mask, high: Word | Mask, offset: Word | Mask) -> bool:
        """Whether the buffer is that which the wave was given, its own offset added."""
        held, meant = (low, high, offset), (*(self.buffer or ()), ZERO)
        return len(held) == len(meant) and all(
            not isinstance(word, Mask) and same_word(word.expr, e, word.bits)
            for word, e in zip(held, meant, strict=True)
        )

    def _has_base(self) -> bool:
        """Whether the base of scratch is the wave's own."""
        set_up = self.kernel.machine.scratch_base == "machine"
        if set_up or self.base is None:
            return set_up
        held = self.registers.read_scalar(FLAT_SCRATCH, 64)
        return not isinstance(held, Mask) and same_word(held.expr, self.base, 64)

    def load(self, instruction: Instruction, access: MemoryInstruction, address: Word) -> Loaded:
        """What each register gets."""
        target = operand_of(instruction, "d")
        if self.registers.active is FALSE:
            return [(("v", target.index + k), self.w.unknown_word(), None) for k in range(access.registers)]
        start = self._offset(instruction, access, address)
        loaded: Loaded = []
        for k in range(access.registers):
            register, cell = (target.kind, target.index + k), _cell_at(start + 4 * k)
            word = self.registers.cell(cell)
            if access.size < 4:
                part = mod(div(self.w.unsigned(word), 1 << 8 * (start % 4)), 1 << 8 * access.size)
                word = self.w.word(self.registers.widened(access, register, simplify(part)))
            loaded.append((register, word, cell if access.size >= 4 else None))
        return loaded

    def store(self, instruction: Instruction, access: MemoryInstruction, address: Word) -> None:
        """Writes the cells."""
        source = operand_of(instruction, "data")
        words = [
            self.registers.cell((source.kind, source.index + k), access.half_read) for k in range(access.registers)
        ]
        if self.registers.active is FALSE:
            return
        start = self._offset(instruction, access, address)
        if access.size < 4:
            self.registers.write_cell(_cell_at(start), self._with_part(access, start, words[0]))
            return
        for k, word in enumerate(words):
            self.registers.write_cell(_cell_at(start + 4 * k), word, source=(source.kind, source.index + k))

    def _with_part(self, access: MemoryInstruction, start: int, word: Word) -> Word:
        """The cell with some of its bytes replaced."""
        old = self.w.unsigned(self.registers.cell(_cell_at(start)))
        value = self.w.unsigned(word)
        part = mod(div(value, 1 << 16) if access.half == "high" else value, 1 << 8 * access.size)
        low, high = 1 << 8 * (start % 4), 1 << 8 * (start % 4 + access.size)
        return self.w.word(simplify(mod(old, low) + part * low + div(old, high) * high))

    def _offset(self, instruction: Instruction, access: MemoryInstruction, address: Word) -> int:
        """The constant offset of an access, which lies in the lane's scratch."""
        kernel, place = self.kernel, instruction.place
        start_of_scratch = self.registers.apertures["scratch"] if address.bits == 64 else ZERO
        offset = simplify(address.expr - start_of_scratch)
        if offset.op != "const":
            raise NotReadable(f"{place}: scratch at {offset}, which is not constant")
        start = int(offset.value) % (1 << address.bits)
        if not kernel.extra_sgprs[1] or not (access.by_buffer or self._has_base()):
            raise NotReadable(f"{place}: scratch whose base is not seen to be set up")
        if start + access.size > kernel.scratch_bytes:
            raise NotReadable(f"{place}: byte {start} of {kernel.scratch_bytes} bytes of scratch")
        if start % access.size if access.size < 4 else start % 4:
            raise NotReadable(f"{place}: scratch at {start}, which is not aligned")
        return start


def _cell_at(offset: int) -> Key:
    """The cell of a dword of scratch."""
    return ("scratch", offset // 4)
