"""Binaries with one thing wrong: an instruction that is left out, or one bit of its encoding.

What a bit does is found by decoding the instruction again with the bit the other way round:

| operator   | the change                                                              |
|------------|-------------------------------------------------------------------------|
| `barrier`  | a barrier (of gfx12: its signal or its wait) becomes s_nop              |
| `wait`     | a wait for loads or LDS becomes s_nop                                   |
| `left out` | another instruction becomes s_nop                                       |
| `offset`   | one bit of a memory access's offset                                     |
| `shift`    | one bit of a shift's amount                                             |
| `constant` | one bit of another constant                                             |
| `register` | another register is read or written                                     |
| `guard`    | another comparison, or the other branch                                 |
| `width`    | another memory instruction                                              |
| `opcode`   | another instruction                                                     |
| `field`    | another field (a modifier, a cache policy)                              |
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from layoutalg.isa.decode.instructions import Instruction, Operand, decode
from layoutalg.isa.semantics.accesses import ACCESSES, NO_EFFECT
from layoutalg.isa.semantics.control import ENDS
from layoutalg.symex.loops.paths import flow_of

OPERATORS = ("barrier", "wait", "left out", "offset", "shift", "constant", "register", "guard", "width", "opcode",
             "field")  # fmt: skip
NOP = bytes.fromhex("000080bf")
_MASKS = ("exec", "vcc", "scc")


@dataclass(frozen=True)
class Mutant:
    """One change of a binary, in words and as bytes."""

    operator: str
    what: str
    address: int
    data: bytes

    def applied(self, program: MachineCode) -> MachineCode:
        """The binary with the change; UnsupportedInstructionError where it cannot be decoded any more."""
        code = bytearray(program.kernel.code)
        start = self.address - program.kernel.entry
        code[start : start + len(self.data)] = self.data
        return decode_kernel(replace(program.kernel, code=bytes(code)))


def mutants(program: MachineCode, count: int, seed: int, *, in_loops: bool = False) -> list[Mutant]:
    """So many mutants of a binary (or of its loops), as evenly as it has them of each operator; the same for a seed."""
    rng = random.Random(seed)
    found = defaultdict(list)
    for mutant in _all(program, _looping(program) if in_loops else _reached(program)):
        found[mutant.operator].append(mutant)
    for group in found.values():
        rng.shuffle(group)
    chosen: list[Mutant] = []
    while len(chosen) < count and any(found.values()):
        for operator in OPERATORS:
            if found[operator] and len(chosen) < count:
                chosen.append(found[operator].pop())
    return chosen


def _all(program: MachineCode, instructions: Iterable[Instruction]) -> Iterator[Mutant]:
    waits = program.kernel.architecture.waits
    for instruction in instructions:
        name = instruction.name
        if name in ENDS or name in NO_EFFECT:
            continue
        start = instruction.address - program.kernel.entry
        data = program.kernel.code[start : start + instruction.size]
        if not instruction.halves:
            operator = "barrier" if name.startswith("S_BARRIER") else "wait" if name in waits else "left out"
            yield Mutant(operator, f"{instruction.place} left out", instruction.address, NOP * (instruction.size // 4))
        for bit in range(8 * len(data)):
            changed = data[: bit // 8] + bytes([data[bit // 8] ^ 1 << bit % 8]) + data[bit // 8 + 1 :]
            after = _decoded(changed, program, instruction)
            if after is not None and str(after) != str(instruction):
                what = f"{instruction.place}  ->  {after}"
                yield Mutant(_operator(instruction, after), what, instruction.address, changed)


def _reached(program: MachineCode) -> Iterator[Instruction]:
    """Instructions up to the last end: padding follows."""
    last = max(i.address for i in program.instructions if i.name in ENDS)
    return (i for i in program.instructions if i.address <= last)


def _looping(program: MachineCode) -> Iterator[Instruction]:
    """Instructions in loops, those that leave them included."""
    loops = flow_of(program.kernel.entry, program.blocks).loops
    starts = sorted({start for body in loops.values() for start in body})
    return (i for start in starts for i in program.blocks[start].instructions)


def _decoded(code: bytes, program: MachineCode, before: Instruction) -> Instruction | None:
    kernel = program.kernel
    try:
        found = next(decode(code, before.address, kernel.architecture, kernel.target))
    except UnsupportedInstructionError:
        return None
    return found if found.size == before.size else None


def _operator(before: Instruction, after: Instruction) -> str:
    if before.name != after.name or before.halves:
        return _renamed(before, after)
    for role, operand in before.operands.items():
        other = after.operands.get(role, Operand("null"))
        if operand != other:
            constants = ("int", "bits", "float")
            if operand.kind in constants and other.kind in constants:
                shifts = any(part in before.name for part in ("LSHL", "LSHR", "ASHR", "BFE", "ALIGNBIT"))
                return "shift" if shifts else "constant"
            return "register"
    changed = {key for key in {*before.fields, *after.fields} if before.fields.get(key) != after.fields.get(key)}
    if changed & {"offset", "offset0", "offset1"}:
        return "offset"
    return "constant" if "simm16" in changed else "field"


def _renamed(before: Instruction, after: Instruction) -> str:
    names = (before.name, after.name)
    if all("CMP" in name or "CBRANCH" in name for name in names):
        return "guard"
    return "width" if all(name in ACCESSES for name in names) else "opcode"
