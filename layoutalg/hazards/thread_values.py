"""What registers hold in each thread of a block, where constants and the thread's number alone say it.

The semantics table is read on arrays (`token_reader`); what comes from
arguments, from the block's number or from memory is not known.  So the addresses of most accesses of LDS are known,
whatever the launch: they are made of the thread's number and of constants.

| instruction, in a block of 256 threads | holds |
|---|---|
| at the entry | v0: 0 … 255 |
| `v_lshlrev_b32 v1, 2, v0` | v1: 0, 4, … 1020 |
| `v_readfirstlane_b32 s4, v1` | s4: 0, 256, 512, 768: one number a wave |
| `s_load_dword s5, …` | s5: not known |

Where ways meet, what both hold is held; of masks, which lanes they may have (`lane_sets`): an access is none of the
lanes that a compare keeps out.  Only registers that addresses and EXEC are made of are followed.
What it cannot represent: threads in more than one dimension; vector registers that are written where some lanes are
off (they are not known); modifiers of operands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field

import numpy as np

from layoutalg.hazards.flow import ControlFlow, FlowBlock, FlowStep
from layoutalg.hazards.lane_sets import LaneSet, LaneSetValues
from layoutalg.hazards.token_reader import EXECUTION, VALUES, Place, TokenReader, halves
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.decode.instructions import EXEC, Instruction, Operand
from layoutalg.isa.effects import Registers, registers
from layoutalg.isa.run.arrays import Array, bits_to_lanes
from layoutalg.isa.semantics.scalar import MASKS
from layoutalg.isa.semantics.table import ALU
from layoutalg.records import dataclass

#: Threads of a block that HIP allows where the kernel says nothing (clang, AMDGPU: amdgpu-flat-work-group-size).
_UNSAID = 1024

_EXEC: Place = (EXECUTION.kind, EXECUTION.index)

LANE_MOVES = frozenset({"V_READFIRSTLANE_B32", "V_READLANE_B32"})


@dataclass(frozen=True)
class BlockInARow:
    """A block of as many threads as a kernel may have, in a row."""

    threads: int
    is_said: bool  # by the kernel
    required: bool  # there is no other

    @classmethod
    def of(cls, kernel: KernelBinary) -> BlockInARow | None:
        """Of whole waves; None where the kernel wants another."""
        block = kernel.metadata.required_block
        threads = block[0] if block else kernel.metadata.max_threads
        if threads <= 0 or threads % kernel.wave_size or any(size != 1 for size in block[1:]):
            return None
        return cls(threads, kernel.thread_dimensions == 1 and bool(block or threads != _UNSAID), bool(block))


@dataclass
class KnownInThreads(TokenReader):
    """What is known at one place of the code: words by register; of masks, by their first register, which lanes."""

    lanes: int
    words: dict[Place, Array] = field(default_factory=dict)
    masks: dict[Place, LaneSet] = field(default_factory=dict)  # that are no known words

    @classmethod
    def at_entry(cls, threads: int, wave_size: int) -> KnownInThreads:
        """At the entry of a block of so many threads in a row: v0 is the thread, and all lanes are on."""
        numbers = np.arange(threads, dtype=np.uint32).reshape(1, 1, -1, wave_size)
        on = {("s", EXEC + k): VALUES.const(-1, 32) for k in range(wave_size // 32)}
        return cls(wave_size, {("v", 0): numbers, **on})

    def copy(self) -> KnownInThreads:
        """An independent copy."""
        return KnownInThreads(self.lanes, dict(self.words), dict(self.masks))

    def join(self, other: KnownInThreads) -> bool:
        """Keeps what the other holds too; whether that is less than was known."""
        known = len(self.words)
        masks = {key: (self.lanes_of(Operand(*key)), other.lanes_of(Operand(*key))) for key in (_EXEC, *self.masks)}
        self.words = {key: word for key, word in self.words.items() if _same(word, other.words.get(key))}
        self.masks = {
            key: mine.or_else(its) for key, (mine, its) in masks.items() if self.read(Operand(*key), self.lanes) is None
        }
        return len(self.words) < known or any(not both.same(masks[key][0]) for key, both in self.masks.items())

    @property
    def on(self) -> LaneSet:
        """The lanes that are on."""
        return self.lanes_of(EXECUTION)

    @property
    def all_on(self) -> bool:
        """Whether all lanes are known to be on."""
        return bool(self.on.least.all())

    def step(self, step: FlowStep) -> None:
        """What is known after an instruction."""
        one = step.instruction
        results, masks = self._computed(one), dict(self._masks(one))
        if one.form.startswith("VOP") and not self.all_on:
            results = {}
        self._forget(step.effects.writes | step.effects.perhaps_writes)
        for operand, lanes in masks.items():
            word = lanes.bits(self.lanes)
            if word is None:
                self.masks[operand.kind, operand.index] = lanes
            else:
                self._write(operand, word)
        for operand, result in results.items():
            self._write(operand, result)

    def mask(self, operand: Operand) -> Array | None:
        """The truth of each lane that scalar registers are."""
        word = self.read(operand, self.lanes)
        return None if word is None else bits_to_lanes(word)

    def lanes_of(self, operand: Operand) -> LaneSet:
        """The lanes of a mask."""
        word = self.read(operand, self.lanes)
        anything = self.masks.get((operand.kind, operand.index), LaneSetValues(self.lanes).any)
        return anything if word is None else LaneSet.of_bits(word)

    def _write(self, operand: Operand, word: Array) -> None:
        if registers(operand.kind, operand.index):  # and not what is written to nowhere
            self.words |= dict(halves(operand, word))

    def _forget(self, written: Registers) -> None:
        for key in [key for key in self.words if written & registers(*key)]:
            del self.words[key]
        for key in [key for key in self.masks if written & registers(*key, self.lanes // 32)]:
            del self.masks[key]

    def _computed(self, one: Instruction) -> dict[Operand, Array]:
        """What an instruction writes, by operand, but for masks; nothing of what is not known."""
        if one.name in LANE_MOVES:
            return self._of_lane(one)
        return dict(self._results(one, self.computed(one) or {}))

    def _results(self, one: Instruction, found: Mapping[str, Array]) -> Iterator[tuple[Operand, Array]]:
        for token, word in found.items():
            if token == "scc":
                yield Operand("scc"), word.astype(np.uint32)
            elif token.startswith("exec"):
                yield EXECUTION, word
            elif token in ("d32", "d64"):
                yield one.operands["d"], word

    def _masks(self, one: Instruction) -> Iterator[tuple[Operand, LaneSet]]:
        """What is known of the masks that an instruction makes of others, or a compare of lanes that are on."""
        if one.name.startswith("V_CMP"):
            found = (self.computed(one) or {}).get("m")
            shape = (1, 1, 1, self.lanes)
            true = None if found is None else np.broadcast_to(found, np.broadcast_shapes(found.shape, shape))
            compared = self.on & (LaneSetValues(self.lanes).any if true is None else LaneSet(true, true))
            yield from ((one.operands[role], compared) for role in ("m", "m2") if role in one.operands)
        alu = MASKS[self.lanes].get(one.name)
        if alu is None:
            return
        values = LaneSetValues(self.lanes)
        places = {"e": EXECUTION, **one.operands}
        words = [values.any if token == "scc" else self.lanes_of(places[token[0]]) for token in alu.reads]
        made = alu.effect(values, *words)
        for token, lanes in zip(alu.writes, made if len(alu.writes) > 1 else [made], strict=True):
            if token != "scc":
                yield places[token[0]], lanes

    def _of_lane(self, one: Instruction) -> dict[Operand, Array]:
        word, lane = self.read(one.operands["a"]), one.operands.get("b", Operand("int", 0))
        if word is None or lane.kind != "int" or not self.all_on:
            return {}
        at = lane.index if word.shape[-1] > 1 else 0
        return {one.operands["d"]: word[..., at : at + 1]}


def relevant(flow: ControlFlow, wanted: Registers, followed: Callable[[Instruction], bool]) -> Registers:
    """The registers that some and which lanes run depend on, by the instructions that are followed."""
    found = wanted | registers("s", EXEC, 2)
    sources = [(s.effects.writes, s.effects.reads) for s in flow.steps.values() if followed(s.instruction)]
    grown = True
    while grown:
        more = found
        for writes, reads in sources:
            if writes & more:
                more |= reads
        grown, found = more != found, more
    return found


def _same(one: Array, other: Array | None) -> bool:
    return one is other or (other is not None and np.array_equal(one, other))


@dataclass(frozen=True)
class ValuesAtBlocks:
    """What is known at the beginning of each block, of the registers that some are made of."""

    flow: ControlFlow
    threads: int
    relevant: Registers

    @classmethod
    def of(cls, flow: ControlFlow, threads: int, wanted: Registers) -> ValuesAtBlocks:
        """Of a graph, in a block of so many threads in a row; `wanted`: the registers that are asked of."""
        return cls(flow, threads, relevant(flow, wanted, lambda one: one.name in ALU or one.name in LANE_MOVES))

    def walk(self) -> Mapping[int, KnownInThreads]:
        """What is known where each block begins."""

        def through(block: FlowBlock, after: KnownInThreads) -> None:
            for step in block.steps:
                self.step(after, step)

        return self.flow.known_before(KnownInThreads.at_entry(self.threads, self.flow.kernel.wave_size), through)

    def step(self, values: KnownInThreads, step: FlowStep) -> None:
        """What is known after a step, which matters only where it writes something relevant."""
        if (step.effects.writes | step.effects.perhaps_writes) & self.relevant:
            values.step(step)

    def steps_of(self, block: FlowBlock, before: KnownInThreads) -> Iterator[tuple[FlowStep, KnownInThreads]]:
        """Each step of a block, and what is known before it."""
        values = before.copy()
        for step in block.steps:
            yield step, values
            self.step(values, step)
