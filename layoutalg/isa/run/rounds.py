"""Waves that go round and change nothing: each is again as it was, and so is memory.

A wave does next what its registers and memory make it do.  One that comes back to the registers that it had, and no
memory has changed since, goes round until another wave stores something: so long it need not go.  Where no other can go
on either, none ever will.

How all waves are is kept for 4 turns, 8, 16, … (R. P. Brent, "An improved Monte Carlo factorization algorithm", BIT 20,
1980, finds a cycle so), and for 4 again when memory has changed.  A word that is written anew with what it held is no
change.

What it cannot see: waves that count their turns, or look at a clock.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.concrete import ConcreteMachine
from layoutalg.isa.run.named import NamedBarriers

#: For how many turns it is kept first how waves are.
_FIRST = 4

_Registers = Mapping[tuple[str, int], Array]


class Rounds:
    """Which waves of one machine go round."""

    def __init__(self, machine: ConcreteMachine, named: NamedBarriers) -> None:
        self.named = named
        self.machine, self.turns, self.left = machine, _FIRST, _FIRST
        self.kept: _Registers = {}
        self.told = "scc", 0  # the register that showed last that waves were not as before
        self.counter = np.zeros(machine.registers.waves, np.int64)
        self.round = np.zeros(machine.registers.waves, np.bool_)  # waves that do, until memory changes

    def turn(self, counter: Array, live: Array) -> None:
        """What is known after a turn of the `live` waves."""
        memory = self.machine.memory
        self.left -= 1
        if memory.changed:
            self.kept, self.left = {}, min(self.left, _FIRST)
            self.turns = _FIRST
            self.round = np.zeros(self.round.shape, np.bool_)
        if self.left <= 0:
            self.turns *= 2
            self.left = self.turns
            self.kept, self.counter = self._held(), counter.copy()
            memory.watch()
        elif self.kept:
            there = live & (counter == self.counter)
            if there.any():
                self.round |= self._as_kept(there)

    def _held(self) -> _Registers:
        """Every register of all waves; an array that a register holds is never changed in place."""
        registers, barriers = self.machine.registers, self.machine.memory.waves
        axes = (1, *registers.shape, 1)
        others = {
            ("scc", 0): registers.scc,
            ("skips", 0): self.machine.skips.reshape(axes),
            ("index mode", 0): np.full((1, 1, 1, 1), registers.index_mode),
            ("signals", 0): barriers.signals.reshape(axes).copy(),
            ("named", 0): self.named.acts.reshape(axes).copy(),
            ("waits", 0): barriers.waits.reshape(axes).copy(),
        }
        return {**registers.scalars, **registers.vectors, **others}

    def _as_kept(self, waves: Array) -> Array:
        """Of these waves those whose registers are as they were."""
        registers, now = self.machine.registers, self._held()
        if now.keys() != self.kept.keys():
            return np.zeros_like(waves)
        for key in (self.told, *now):
            if now[key] is not self.kept[key]:
                one, other = (registers.by_wave(held[key]) for held in (now, self.kept))
                waves = waves & (one == other).all(axis=(0, 2))
                if not waves.any():
                    self.told = key
                    break
        return waves
