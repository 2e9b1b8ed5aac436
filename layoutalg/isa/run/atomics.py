"""Atomic operations on bytes: lane after lane, in the order of blocks, waves and lanes, which is one order of many."""

from __future__ import annotations

import numpy as np

from layoutalg.errors import Fault, UnsupportedInstructionError
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.interpreter.operands import atomic_operands
from layoutalg.isa.run.arrays import Array, ArrayValues
from layoutalg.isa.run.registers import WaveRegisters
from layoutalg.isa.run.spaces import Memory, TwoCopies
from layoutalg.isa.semantics.accesses import MemoryInstruction
from layoutalg.isa.semantics.atomics import Atomic


def update(memory: Memory, positions: Array, atomic: Atomic, operands: list[Array], where: str) -> tuple[Array, bool]:
    """Carries out an operation at each position, in this order; returns what was there, and whether some met.

    Operands have the axes copy and position.  Raises `UnsupportedInstructionError` for numbers of which no source says
    what becomes of them, and `Fault` where both copies have the memory in common, and would leave different values.
    """
    w = ArrayValues()
    places, which = np.unique(positions, return_inverse=True)
    there = joined(w, [np.array(word) for word in np.broadcast_arrays(*memory.gather(places, atomic.size))])
    copies = max(2 * isinstance(memory, TwoCopies), *map(len, (there, *operands)))
    there = np.repeat(there, copies // len(there), axis=0)
    old = np.zeros((copies, len(positions)), there.dtype)
    for some in turns(which):
        at, data = which[some], [operand[:, some] for operand in operands]
        found = old[:, some] = there[:, at]
        new = atomic.effect(w, found, data[0], data[-1])
        if atomic.number and bool(atomic.doubtful(w, found, data[0], new).any()):
            raise UnsupportedInstructionError(
                f"{where}: an atomic operation on numbers whose result targets differ in (subnormal, NaN, or zeros)"
            )
        there[:, at] = new
    if not isinstance(memory, TwoCopies):
        if (there != there[:1]).any():
            raise Fault("uninitialised", "what an atomic operation leaves depends on an undefined value", where)
        there = there[:1]
    memory.scatter(places, atomic.size, [there] if atomic.size == 4 else [w.low(there), w.high(there)])
    return old if (old != old[:1]).any() else old[:1], len(places) < len(positions)


def operands_of(registers: WaveRegisters, instruction: Instruction, access: MemoryInstruction) -> list[Array]:
    """The operands of an atomic operation, each one word."""
    assert access.atomic
    dwords = [registers.vector(one.kind, one.index) for one in atomic_operands(instruction, access)]
    size = access.atomic.registers
    starts = range(0, len(dwords), size)
    return [registers.by_wave(joined(registers.w, dwords[start : start + size])) for start in starts]


def joined(w: ArrayValues, dwords: list[Array]) -> Array:
    """One word of 32 or 64 bits of its dwords."""
    return dwords[0] if len(dwords) == 1 else w.pair(*dwords)


def turns(positions: Array) -> list[Array]:
    """Indices in turns: the first of each position, the second of each, and so on.

    >>> [turn.tolist() for turn in turns(np.array([8, 4, 8, 8]))]
    [[1, 0], [2], [3]]
    """
    order = np.argsort(positions, kind="stable")
    count = np.arange(len(order))
    begins = np.diff(positions[order], prepend=-1) != 0
    rank = count - np.maximum.accumulate(np.where(begins, count, 0))
    by_rank = np.argsort(rank, kind="stable")
    return np.split(order[by_rank], np.cumsum(np.bincount(rank))[:-1]) if len(order) else []
