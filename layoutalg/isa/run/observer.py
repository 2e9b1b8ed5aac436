"""What a run did, by instruction: how often waves carried it out, what it moved in global memory, what one wave wrote.

A run tells its observer of each stretch of instructions that waves carried out together, and of each access of global
memory; it is no part of the machine, and without one nothing is counted.

| kind of instruction | is |
|---|---|
| `vector`, `scalar` | arithmetic of lanes, of the wave |
| `matrix` | MFMA, WMMA |
| `global`, `flat`, `lds`, `scratch`, `constant` | an access of that space (`semantics.accesses`) |
| `control` | branches, ends, barriers, waits, and what has no effect |

What it cannot represent: time; caches, so a segment that the next instruction touches too is counted again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

import numpy as np

from layoutalg.isa.decode.code import MachineCode
from layoutalg.isa.decode.instructions import EXEC, Instruction, Operand
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.registers import WaveRegisters
from layoutalg.isa.semantics.accesses import ACCESSES, MemoryInstruction, has_no_effect
from layoutalg.isa.semantics.control import BARRIERS, BRANCHES, ENDS, JUMPS, NAMED_BARRIERS
from layoutalg.isa.semantics.matrix import matrix_instruction_of
from layoutalg.memory.coalescing import fewest, segments
from layoutalg.records import dataclass
from layoutalg.target import target as gpu

#: Registers that an instruction writes at most, one after the other.
_WIDEST = 32

#: Instructions of a trace at most.
LONGEST_TRACE = 100_000


@dataclass
class InstructionTraffic:
    """What one instruction moved in global memory.

    `segments` are those of the target's smallest size that its waves touched, `least` the fewest that could have held
    the bytes; `wide` and `wide_least` the same of its largest.
    """

    where: str
    store: bool
    accesses: int = 0  # of waves
    bytes: int = 0  # of all active lanes
    segments: int = 0
    least: int = 0
    wide: int = 0
    wide_least: int = 0
    atomic: bool = False


@dataclass(frozen=True)
class Traced:
    """An instruction that a wave carried out: the registers that it wrote (a word, or one for each lane), and the
    addresses of its lanes, where it accessed memory."""

    where: str
    wrote: Mapping[str, tuple[int, ...]]
    addresses: tuple[int, ...] = ()

    def __str__(self) -> str:
        reached = [f"    at {_runs(self.addresses)}"] if self.addresses else []
        return "\n".join(
            [self.where, *reached, *(f"    {name} = {_runs(words)}" for name, words in self.wrote.items())]
        )


def _runs(words: tuple[int, ...]) -> str:
    """Words in base 16; so many of one after the other are written once."""
    parts: list[tuple[int, int]] = []
    for word in words:
        parts = [*parts[:-1], (word, parts[-1][1] + 1)] if parts and parts[-1][0] == word else [*parts, (word, 1)]
    return " ".join(f"{word:x}" if count == 1 else f"{word:x}×{count}" for word, count in parts)


@dataclass
class Observer:
    """Counts what a run does; of the wave `wave` of the block `block`, it notes each instruction too."""

    block: tuple[int, int, int] = (0, 0, 0)
    wave: int = 0
    tracing: bool = False
    counting_idle: bool = False
    idle: Counter[int] = field(default_factory=Counter)  # waves without an active lane, by the address of a vector's
    traffic: dict[str, InstructionTraffic] = field(default_factory=dict)
    trace: list[Traced] = field(default_factory=list)
    _turns: Counter[tuple[int, int]] = field(default_factory=Counter)
    _held: dict[str, bytes] = field(default_factory=dict)
    _reached: tuple[int, ...] = ()  # by the traced wave's instruction

    def turn(self, address: int, done: int, waves: int) -> None:
        """So many waves carried out so many instructions, from an address on."""
        self._turns[address, done] += waves

    def counts(self, program: MachineCode) -> list[tuple[Instruction, int]]:
        """Instructions of a program that were carried out, in its order, and by how many waves."""
        found: Counter[int] = Counter()
        known: dict[int, Instruction] = {}
        for (address, done), waves in self._turns.items():
            for _ in range(done):
                one = known.get(address) or program.by_address.get(address) or program.called(address)
                assert one  # it was carried out
                known[address] = one
                found[address] += waves
                address += one.size
        return [(known[address], count) for address, count in sorted(found.items())]

    def access(
        self, registers: WaveRegisters, access: MemoryInstruction, space: str, parts: Sequence[tuple[Array, Array]]
    ) -> None:
        """Waves (rows) access a space by one instruction: addresses of each part, and the lanes (columns) that do."""
        where, lanes = (np.concatenate(each, axis=-1) for each in zip(*parts, strict=True))
        row = self._row(registers)
        if row is not None:
            self._reached += tuple(int(address) for address in where[row][lanes[row]])
        if space != "global":
            return
        fresh = InstructionTraffic(registers.where, access.store, atomic=access.atomic is not None)
        one = self.traffic.setdefault(registers.where, fresh)
        rows = lanes.any(axis=1)
        where, lanes = where[rows].astype(np.int64), lanes[rows]
        if not where.size:
            return
        sizes = gpu(registers.kernel.target).segments
        one.accesses += int(rows.sum())
        one.bytes += int(lanes.sum()) * access.size
        one.segments += int(segments(where, access.size, min(sizes), lanes).sum())
        one.least += int(fewest(where, access.size, min(sizes), lanes).sum())
        one.wide += int(segments(where, access.size, max(sizes), lanes).sum())
        one.wide_least += int(fewest(where, access.size, max(sizes), lanes).sum())

    def after(self, registers: WaveRegisters, instruction: Instruction) -> None:
        """Notes what the traced wave wrote, where it is one that runs; where that is asked, how many waves are idle."""
        if self.counting_idle and not instruction.name.startswith("S_"):
            self.idle[instruction.address] += _idle(registers, instruction)
        row, reached, self._reached = self._row(registers), self._reached, ()
        if row is None or not registers.live[row] or len(self.trace) >= LONGEST_TRACE:
            return
        block, wave = divmod(row, registers.waves_per_block)
        wrote: dict[str, tuple[int, ...]] = {}
        for name, result, word in _words(registers, instruction):
            of_wave = word[0, block % word.shape[1], wave % word.shape[2]]
            now = np.ascontiguousarray(of_wave).tobytes()
            before = self._held.get(name)
            self._held[name] = now
            if result == 0 or (before != now and (before is not None or 0 < result < _WIDEST)):
                wrote[name] = tuple(int(x) for x in of_wave)
        self.trace.append(Traced(instruction.place, wrote, reached))

    def _row(self, registers: WaveRegisters) -> int | None:
        """The row of the traced wave, where its block is among those that run."""
        if not self.tracing:
            return None
        (found,) = np.nonzero((registers.blocks == self.block).all(axis=1))
        return int(found[0]) * registers.waves_per_block + self.wave if found.size else None


def _idle(registers: WaveRegisters, instruction: Instruction) -> int:
    """Live waves without an active lane behind an instruction; all, where it may have given lanes back."""
    wrote = instruction.operands.get("d")
    if wrote is not None and wrote.kind == "s" and wrote.index in (EXEC, EXEC + 1):
        return int(registers.live.sum())
    some = np.broadcast_to(registers.exec_lanes.any(axis=(0, 3)), registers.shape).reshape(-1)
    return int((registers.live & ~some).sum())


def _words(registers: WaveRegisters, instruction: Instruction) -> Iterator[tuple[str, int, Array]]:
    """Each register's name, how far behind a result of the instruction it lies (-1: before), and what it holds."""
    results = [
        operand
        for one in (instruction.halves or (instruction,))
        for role, operand in one.operands.items()
        if role in ("d", "m")
    ]
    for held in (registers.scalars, registers.vectors):
        for (kind, index), word in sorted(held.items()):
            behind = [index - one.index for one in results if one.kind == kind and one.index <= index]
            yield str(Operand(kind, index)), min(behind, default=-1), word
    yield "scc", -1, np.asarray(registers.scc, np.uint32)


def kind_of(instruction: Instruction, target: str) -> str:
    """The kind of an instruction, as in the table above.

    >>> kind_of(Instruction(0, 4, "S_ADD_U32", "SOP2"), "gfx942")
    'scalar'
    """
    name = instruction.name
    if name in ACCESSES:
        return ACCESSES[name].space
    if matrix_instruction_of(name, target) is not None:
        return "matrix"
    control = (BRANCHES, JUMPS, BARRIERS, ENDS, NAMED_BARRIERS.values())
    if any(name in table for table in control) or has_no_effect(name, instruction.fields) or name.startswith("S_WAIT"):
        return "control"
    return "vector" if name.startswith("V_") else "scalar"
