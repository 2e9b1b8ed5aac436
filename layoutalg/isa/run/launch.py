"""Running an AMD binary without an AMD GPU: the kernel's grid, block after block, and the turns that waves take.

Memory is laid out from the arguments (`arguments`), registers as the machine finds them (`initial`); then waves run
until all have ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from layoutalg.errors import STEP_LIMIT, Fault, LaunchError, Livelock, StepLimit, UnsupportedInstructionError
from layoutalg.index import budget
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.decode.code import MachineCode, branch_target, relative
from layoutalg.isa.decode.instructions import VCC, Instruction, Operand
from layoutalg.isa.interpreter.operands import operand_of, refuse_fields
from layoutalg.isa.run.arguments import (
    Triple,
)
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.concrete import ConcreteMachine
from layoutalg.isa.run.cycles import InstructionCycles, LdsMeter
from layoutalg.isa.run.initial import initialise
from layoutalg.isa.run.laid_out import MEMORY, LaidOut, block_bytes, chosen, lay_out
from layoutalg.isa.run.memories import smallest_element
from layoutalg.isa.run.named import NamedBarriers
from layoutalg.isa.run.observer import Observer
from layoutalg.isa.run.polls import polls
from layoutalg.isa.run.races import Races
from layoutalg.isa.run.rounds import Rounds
from layoutalg.isa.semantics.control import BARRIERS, BRANCHES, ENDS, ENDS_PROGRAM, JUMPS, NAMED_BARRIERS, TRAPS
from layoutalg.records import dataclass

#: Lanes that are run at once: enough to hide numpy's cost of a call, few enough for the caches.
_LANES_AT_ONCE = 1 << 16

#: Steps of an instruction, of all lanes that are run at once.
_INSTRUCTION = 150

#: Lanes that make a step twice as long as few lanes.
_FEW = 1 << 12

#: Turns after which a wave goes that has stood for longest.
_PATIENCE = 512


class Impatience(Exception):
    """A run takes longer than it was given."""


@dataclass(frozen=True)
class Execution:
    """What came of a run."""

    outputs: tuple[Array, ...]  # the buffers, by the arguments' order, as they are after the run; empty: not held
    steps: int  # instructions carried out, those of waves that ran together counted once
    unaligned: tuple[str, ...] = ()  # instructions whose addresses were not aligned, where that is allowed
    lds: tuple[InstructionCycles, ...] = ()  # what each LDS instruction cost, in the order of their first use
    undefined: tuple[Array, ...] = ()  # of each output's bytes whether nothing has written them
    ordered: tuple[str, ...] = ()  # atomic operations whose results another order of lanes and blocks may change
    unjudged: tuple[str, ...] = ()  # instructions that race, unless atomic operations order them, which is not followed
    ended: tuple[str, ...] = ()  # barriers that waves passed whose block had others that had ended: see `_released`


def execute(
    program: MachineCode, grid: Sequence[int], block: Sequence[int], args: Sequence[Any], step_limit: int = STEP_LIMIT,
    order: int | None = None, strict: bool = True, lds: int = 0,
    observer: Observer | None = None, ahead: Sequence[int] = (), blocks: Sequence[Triple] = (), priced: bool = True,
    patience: int = 0,
) -> Execution:  # fmt: skip
    """Runs a kernel over its whole grid; or, of the grid, these `blocks` alone, as if the others had not started yet.

    `grid` and `block` have one to three sizes, `lds` bytes are added to the kernel's own; `args` are the visible
    arguments in order, in the forms that `arguments` lists (arrays are copied).
    A run of more than `step_limit` instructions (of waves that run together) is a `Fault`: the kernel hangs.
    Waves take turns at the lowest address; with `order`, a seed, some run a while at random and others stand still.
    Each of the waves `ahead` (of every block, by their numbers) goes as far as it can before those behind it go on.
    An unaligned access is a `Fault`; where it is not `strict`, it is done as amdhsa sets the machine up, and told.
    An `observer` is told what is done; LDS accesses cost no time to price where they are not `priced`.
    A run that takes longer than so many steps of few lanes (0: any) ends with `Impatience`.
    Raises `LaunchError` when arguments do not fit, `Fault` for what no correct kernel does, and
    `UnsupportedInstructionError` for an instruction that is not described.
    """
    laid_out = lay_out(program, grid, block, args, lds)
    kernel, launch = laid_out.kernel, laid_out.launch
    meter = LdsMeter(kernel.target) if priced else None
    waves = -(-prod(launch.block) // kernel.wave_size)
    generator = None if order is None else np.random.default_rng(order)
    turns = Scheduler(step_limit, generator, _ranks(ahead, waves), patience)
    steps, *told = _run_grid(program, laid_out, turns, meter, strict, observer, chosen(launch, blocks))
    unaligned, ordered, unjudged, ended = map(tuple, told)
    found = tuple(meter.found.values()) if meter else ()
    return Execution(laid_out.outputs(), steps, unaligned, found, laid_out.undefined(), ordered, unjudged, ended)


def _run_grid(
    program: MachineCode, laid_out: LaidOut, turns: Scheduler, meter: LdsMeter | None, strict: bool,
    observer: Observer | None, blocks: Array,
) -> tuple[int, *tuple[dict[str, None], ...]]:  # fmt: skip
    """Runs the blocks, some at once.  Returns the steps, and what is told."""
    kernel, launch, memory = laid_out.kernel, laid_out.launch, laid_out.memory
    threads = prod(launch.block)
    waves = -(-threads // kernel.wave_size)
    together = at_once(kernel, waves)
    place, steps = smallest_element(program.instructions, "lds", "flat"), 0
    everywhere = smallest_element(program.instructions, "global", "flat", "buffer")
    counter, size = kernel.architecture.counters.store, memory.bytes.data.size
    told = "global memory", size, everywhere, waves, counter, memory.starts.tolist()
    races = Races(lambda _: told[0], *told[1:]) if len(blocks) * waves > 1 else None
    waiting, taken = polls(program), 0
    unaligned: dict[str, None] = {}
    ordered: dict[str, None] = {}
    unjudged: dict[str, None] = {}
    ended: dict[str, None] = {}
    for start in range(0, len(blocks), together):
        some = blocks[start : start + together]
        machine = ConcreteMachine(kernel, some, waves, threads, memory, place, meter, strict, races, start)
        initialise(machine.registers, laid_out.pointers, laid_out.arguments, launch.block)
        machine.memory.observer, machine.memory.polls = observer, waiting
        try:
            price = 1 + len(some) * waves * kernel.wave_size // _FEW
            limit = -(-(turns.patience - taken) // price) if turns.patience else 0
            carried = run(machine, program, replace(turns, patience=limit), observer)
            steps, taken = steps + carried, taken + carried * price
        except Livelock as stopped:
            if len(some) == prod(launch.grid):
                raise
            raise StepLimit(stopped.steps, stopped.where) from stopped  # a block that has not begun may end it
        unaligned |= machine.memory.unaligned
        ordered |= machine.memory.ordered
        unjudged |= machine.memory.waves.unjudged
        ended |= machine.memory.waves.left
    return steps, unaligned, ordered, unjudged, ended


def at_once(kernel: KernelBinary, waves: int) -> int:
    """How many blocks of so many waves are run together."""
    return max(1, min(_LANES_AT_ONCE // (waves * kernel.wave_size), MEMORY // block_bytes(kernel, waves)))


@dataclass(frozen=True)
class Scheduler:
    """Which waves go next, and how long a run may be."""

    step_limit: int = STEP_LIMIT
    order: np.random.Generator | None = None  # None: the lowest address goes first
    ranks: Array | None = None  # of the waves of a block: those of the least rank go before others
    patience: int = 0  # steps after which it is left off; 0: never

    def choose(self, counter: Array, ready: Array, last: Array, number: int) -> tuple[int, Array]:
        """An address, and the waves (a truth for each) that go on from it.

        `last` is when each wave went last: now and then the one that stands longest goes, since others may wait for it
        in a loop.
        """
        longest = number % _PATIENCE == 0
        if self.ranks is not None and not longest:
            ranks = np.where(ready, np.resize(self.ranks, ready.size), len(self.ranks))
            ready = ready & (ranks == ranks.min())
        if self.order is None:
            address = int(counter[ready][np.argmin(last[ready])] if longest else counter[ready].min())
            return address, ready & (counter == address)
        address = int(self.order.choice(np.unique(counter[ready])))
        there = ready & (counter == address)
        some = there & (self.order.random(counter.size) < 0.5)
        return address, some if some.any() else there

    def length(self) -> int:
        """How many instructions they carry out before others may go on."""
        return self.step_limit if self.order is None else int(self.order.integers(1, 40))


def _ranks(ahead: Sequence[int], waves: int) -> Array | None:
    """The rank of each wave of a block: in the order of `ahead`, all others behind."""
    if not ahead:
        return None
    if len(set(ahead)) < len(ahead) or not all(0 <= wave < waves for wave in ahead):
        said = ", ".join(map(str, ahead))
        raise LaunchError(f"waves {said} ahead of others: give numbers from 0 to {waves - 1}, each once")
    ranks = np.full(waves, len(ahead))
    ranks[list(ahead)] = range(len(ahead))
    return ranks


def run(machine: ConcreteMachine, program: MachineCode, turns: Scheduler, observer: Observer | None = None) -> int:
    """Runs every wave of a machine to its end; returns the number of instructions carried out."""
    registers, steps, number, named = machine.registers, 0, 0, NamedBarriers(machine)
    rounds = Rounds(machine, named)
    last_turn = np.zeros(registers.waves, np.int64)
    counter = np.full(registers.waves, program.kernel.start, np.int64)
    waiting, ended = np.zeros(registers.waves, np.bool_), np.zeros(registers.waves, np.bool_)
    while True:
        ready = ~(waiting | ended | rounds.round | named.waiting)
        if not ready.any():
            if ended.all():
                return steps
            released = _released(machine, program, waiting, ended, counter)
            if not released.any():
                if (rounds.round & ~ended).any():
                    heads = np.unique(counter[rounds.round & ~ended]).tolist()
                    raise Livelock(steps, _instruction(program, heads[0], registers.where).place, heads)
                raise _never_comes(machine, waiting | named.waiting)
            waiting &= ~released
            continue
        number += 1
        address, live = turns.choose(counter, ready, last_turn, number)
        last_turn[live] = number
        others = counter[ready & ~live]
        limit = int(others.min()) if others.size else -1
        registers.set_live(live)
        most = min(turns.length(), turns.step_limit - steps)
        counter[live], last, done = _turn(machine, program, named, address, limit, most, observer)
        if observer:
            observer.turn(address, done, int(live.sum()))
        steps += done
        if steps >= turns.step_limit:
            raise StepLimit(turns.step_limit, registers.where)
        if turns.patience and steps >= turns.patience:
            raise Impatience
        if last in ENDS:
            machine.memory.arrive()  # what it wrote before is seen behind the barriers that others pass without it
            ended |= live
        if BARRIERS.get(last, (False, False))[1]:
            waiting |= live
        rounds.turn(counter, live)


def _turn(
    machine: ConcreteMachine,
    program: MachineCode,
    named: NamedBarriers,
    address: int,
    limit: int,
    most: int,
    observer: Observer | None,
) -> tuple[Any, str, int]:
    """Carries out instructions of the live waves up to a branch, an end, a wait for others, or where others stand.

    Returns where they go on, the last instruction's name, and how many were carried out; at most about `most`.
    """
    registers, done = machine.registers, 0
    while True:
        instruction = _instruction(program, address, registers.where)
        registers.where = instruction.place
        budget.check(_INSTRUCTION)
        name, done = instruction.name, done + 1
        address += instruction.size
        target = branch_target(instruction)
        if target is not None:
            return np.where(_taken(machine, name), target, address)[registers.live], name, done
        if name in JUMPS:
            return _jumped(machine, instruction), name, done
        if name in BARRIERS:
            if BARRIERS[name][0]:
                machine.memory.arrive()
            if BARRIERS[name][1]:
                return address, name, done
        elif name in NAMED_BARRIERS.values():
            if named.act(instruction):
                return address, name, done
        elif name in ENDS:
            return address, name, done
        elif name in TRAPS and instruction.fields.get("simm16") != ENDS_PROGRAM:
            raise UnsupportedInstructionError(f"{instruction.place}: a trap that is not llvm.trap's")
        elif name in TRAPS:
            thread = registers.thread_of(int(np.argmax(registers.live)))
            raise Fault("control", f"the program traps, {thread}", registers.where, thread=thread)
        else:
            machine.step(instruction)
        if observer:
            observer.after(registers, instruction)
        if address == limit or (done >= most and not registers.index_mode):
            return address, name, done


def _instruction(program: MachineCode, address: int, where: str) -> Instruction:
    """The instruction that a wave comes to, from `where`: of the kernel, or of a function that it calls."""
    instruction = program.by_address.get(address)
    if instruction is None and program.kernel.entry <= address < program.kernel.entry + len(program.kernel.code):
        raise UnsupportedInstructionError(f"{address:#x} lies within an instruction, at {where}")
    instruction = instruction or program.called(address)
    if instruction is None:
        raise Fault("control", f"no instruction at {address:#x}", where)
    return instruction


def _jumped(machine: ConcreteMachine, instruction: Instruction) -> Array:
    """Where the live waves go on after a jump, whose result is the address behind it."""
    registers, following = machine.registers, instruction.address + instruction.size
    refuse_fields(instruction, frozenset({"simm16"} if instruction.name == "S_CALL_B64" else ()))
    if instruction.name == "S_CALL_B64":
        target = registers.loaded_at(relative(instruction))
    else:
        target = registers.read_scalar(operand_of(instruction, "a"), 64)
    target = registers.agree("where a jump leads", np.where(registers.running, target, np.uint64(registers.image)))
    if JUMPS[instruction.name]:
        registers.write_scalar(operand_of(instruction, "d"), 64, registers.loaded_at(following))
    places = registers.by_wave(target)[0, :, 0][registers.live]
    return np.asarray(places - np.uint64(registers.image)).astype(np.int64)


def _released(
    machine: ConcreteMachine, program: MachineCode, waiting: Array, ended: Array, counter: Array
) -> Array:  # fmt: skip
    """Waves of the blocks whose waves have all come to the barrier or ended, which go on.

    Of waves that have ended sources differ, so that others pass a barrier without them is told and no fault: "any wave
    may terminate early using S_ENDPGM, and the barrier is considered satisfied when the remaining live waves reach
    their barrier instruction" (RDNA 3.5 ISA, 5.5; CDNA ISAs, 4.3), and HIP has all threads of a block wait "until all
    threads reached it" (C++ language extensions, "Synchronization functions"; FBGEMM's pull request 5831 reports a
    deadlock).
    """
    per_block, barriers = machine.registers.waves_per_block, machine.memory.waves
    come = np.where(ended, np.iinfo(np.int32).max, barriers.signals).reshape(-1, per_block).min(axis=1)
    released = waiting & (
        barriers.waits < np.repeat(come, per_block)
    )  # one that waits at a named barrier may have come
    gone = ended & np.repeat(released.reshape(-1, per_block).any(axis=1), per_block)
    left = released & np.repeat(ended.reshape(-1, per_block).any(axis=1), per_block)
    for address in np.unique(counter[left]):
        barriers.left |= {one.place: None for one in program.instructions if one.address + one.size == address}
    barriers.release(released, counter, gone)
    return released


def _never_comes(machine: ConcreteMachine, waiting: Array) -> Fault:
    """All that have not ended wait, and no block is whole."""
    thread = machine.registers.thread_of(int(np.argmax(waiting)))
    what = f"waves wait at a barrier to which others of their block never come, {thread}"
    return Fault("barrier", what, machine.registers.where, thread=thread)


def _taken(machine: ConcreteMachine, name: str) -> Array:
    registers = machine.registers
    if name not in BRANCHES:
        raise UnsupportedInstructionError(f"the branch {name} at {registers.where}")
    what, when = BRANCHES[name]
    taken = registers.agree("a branch", (_holds(machine, what) == when) & registers.running)
    return np.asarray(registers.by_wave(taken)[0, :, 0])


def _holds(machine: ConcreteMachine, what: str) -> Array:
    """What a branch looks at."""
    registers = machine.registers
    if what == "scc":
        return registers.scc
    if what:
        lanes = registers.exec_lanes if what == "exec" else machine.interpreter.operands.mask(Operand("s", VCC))
        return np.asarray(lanes.any(axis=3, keepdims=True))
    return np.ones((1, 1, 1, 1), np.bool_)
