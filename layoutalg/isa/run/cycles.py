"""LDS cycles of a run: what each LDS instruction of a binary costs.

Each wave's addresses are priced by the target's lane groups and banks (`memory.banks`), and summed by instruction.
What no source says is a doubt of the figure, as in the target's own table:

| access                         | taken as                                              |
|--------------------------------|-------------------------------------------------------|
| two addresses (`ds_read2_…`)   | two accesses of one address each, one after the other |
| lanes switched off             | asking for nothing, as everywhere (`LANES_OFF`)       |
| a flat access that reaches LDS | the LDS access of its width                           |

What it cannot represent: several waves that meet at the LDS at once, and accesses across their alignment (not priced).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from layoutalg.isa.run.arrays import Array
from layoutalg.isa.semantics.accesses import MemoryInstruction
from layoutalg.memory.banks import LANES_OFF, AccessError, phase_cycles
from layoutalg.target import LdsInstruction, Target, target
from layoutalg.target.model import DWORD, UnknownInstructionError

TWO_ADDRESSES = "no source on accesses of two addresses was found: taken as two accesses, one after the other"
FAR = 1 << 40  # past every address of LDS
FLAT = "no source on flat accesses that reach LDS was found: taken as the LDS access of their width"


@dataclass
class InstructionCycles:
    """What one LDS instruction cost in a run: accesses of a wave, their cycles, and the least that they could take.

    `idle` counts the phases of which no lane took part: they take no cycle, and are among neither sum.
    """

    where: str  # address and text
    store: bool
    bytes: int  # of one lane
    accesses: int = 0
    cycles: int = 0
    least: int = 0  # one for each phase of which some lane takes part
    idle: int = 0
    doubts: dict[str, None] = field(default_factory=dict)
    unpriced: str = ""  # why not

    def __str__(self) -> str:
        if self.unpriced:
            return f"{self.where}: not priced: {self.unpriced}"
        lost = self.cycles - self.least
        return f"{self.where}: {self.accesses} accesses, {self.cycles} cycles, {lost} of them lost to bank conflicts"


class LdsMeter:
    """Prices the LDS accesses of a run, instruction by instruction."""

    def __init__(self, name: str) -> None:
        self.target: Target = target(name)
        self.found: dict[str, InstructionCycles] = {}
        self._known: dict[tuple[str, bytes, bytes], tuple[int, int]] = {}  # a wave's addresses, lanes → cycles, phases

    def count(self, where: str, access: MemoryInstruction, addresses: Array, active: Array, times: int = 1) -> None:
        """Adds an access of each wave (a row) of which some lane (a column) is active, so many times."""
        one = self.found.setdefault(where, InstructionCycles(where, access.store, access.size))
        rows = active.any(axis=1)
        one.accesses += int(rows.sum()) * times
        if access.atomic:
            one.unpriced = "no source says what atomic operations cost"
            return
        try:
            how = self.target.for_width("write" if access.store else "read", access.size)
        except UnknownInstructionError as error:
            one.unpriced = str(error)
            return
        doubts = (
            (how.evidence.doubt, not how.evidence.certain),
            (TWO_ADDRESSES, access.pair_step > 0),
            (FLAT, access.space == "flat"),
            (LANES_OFF, not active[rows].all()),
        )
        one.doubts |= {doubt: None for doubt, there in doubts if there}
        try:
            self._price(one, how, addresses[rows].astype(np.int64), active[rows], times)
        except AccessError as error:
            one.unpriced = str(error)

    def _price(self, one: InstructionCycles, how: LdsInstruction, addresses: Array, active: Array, times: int) -> None:
        """Waves whose addresses differ by a whole turn of the banks cost the same: each such pattern is priced once."""
        turn = how.banks * DWORD
        first = np.where(active, addresses, FAR).min(axis=1, keepdims=True, initial=FAR)
        relative = np.where(active, addresses - first // turn * turn, 0)
        keys = Counter((how.name, row.tobytes(), there.tobytes()) for row, there in zip(relative, active, strict=True))
        new = [key for key in keys if key not in self._known]
        if new:
            patterns = np.stack([np.frombuffer(key[1], np.int64) for key in new])
            lanes = np.stack([np.frombuffer(key[2], np.bool_) for key in new])
            each = phase_cycles(self.target, how, patterns, lanes)
            for key, found in zip(new, each, strict=True):
                self._known[key] = int(found.sum()), int(np.count_nonzero(found))
        for key, waves in keys.items():
            count, (cycles, phases) = waves * times, self._known[key]
            one.cycles += cycles * count
            one.least += phases * count
            one.idle += (len(how.phases) - phases) * count
