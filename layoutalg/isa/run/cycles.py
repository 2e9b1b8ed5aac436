"""LDS cycles of a run: what each LDS instruction of a binary costs.

Each wave's addresses are priced by the target's lane groups and banks (`memory.banks.instruction_cycles`), an
instruction once by all that it moves, and summed by instruction.  What no source says is a doubt of the figure, as in
the target's own table; a flat access that reaches LDS is taken for the LDS access of its width.

What it cannot represent: several waves that meet at the LDS at once, and accesses within a dword that end in the next
(not priced).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import field

import numpy as np

from layoutalg.isa.run.arrays import Array
from layoutalg.isa.semantics.accesses import MemoryInstruction
from layoutalg.memory.banks import AccessError, doubts, instruction_cycles
from layoutalg.records import dataclass
from layoutalg.target import LdsInstruction, Target, target
from layoutalg.target.model import DWORD, UnknownInstructionError

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
        # a wave's addresses, lanes → cycles, phases with lanes, all phases
        self._known: dict[tuple[str, bytes, bytes], tuple[int, int, int]] = {}

    def count(
        self, where: str, access: MemoryInstruction, parts: Sequence[Array], active: Array, times: int = 1
    ) -> None:
        """Adds an instruction of each wave (a row) of which some lane (a column) is active, so many times.

        `parts` are the addresses of its one element, or of the first and of the second.
        """
        one = self.found.setdefault(where, InstructionCycles(where, access.store, access.size))
        rows = active.any(axis=1)
        one.accesses += int(rows.sum()) * len(parts) * times
        if access.atomic:
            one.unpriced = "no source says what atomic operations cost"
            return
        try:
            how = self.target.for_width("write" if access.store else "read", access.size)
        except UnknownInstructionError as error:
            one.unpriced = str(error)
            return
        there = [part[rows].astype(np.int64) for part in parts]
        said = (*doubts(self.target, how, there, active[rows]), *([FLAT] if access.space == "flat" else []))
        one.doubts |= dict.fromkeys(said)
        try:
            self._price(one, how, np.stack(there, axis=1), active[rows], times)
        except AccessError as error:
            one.unpriced = str(error)

    def _price(self, one: InstructionCycles, how: LdsInstruction, addresses: Array, active: Array, times: int) -> None:
        """Waves whose addresses differ by a whole turn of the banks cost the same: each such pattern is priced once.

        Addresses have the axes wave, part and lane.
        """
        turn, there = how.banks * DWORD, active[:, None]
        first = np.where(there, addresses, FAR).min(axis=(1, 2), keepdims=True, initial=FAR)
        relative = np.where(there, addresses - first // turn * turn, 0)
        keys = Counter((how.name, row.tobytes(), lanes.tobytes()) for row, lanes in zip(relative, active, strict=True))
        new = [key for key in keys if key not in self._known]
        if new:
            parts = np.stack([np.frombuffer(key[1], np.int64).reshape(-1, how.lanes) for key in new], axis=1)
            lanes = np.stack([np.frombuffer(key[2], np.bool_) for key in new])
            each = instruction_cycles(self.target, how, [*parts], lanes)
            for key, found in zip(new, each, strict=True):
                self._known[key] = int(found.sum()), int(np.count_nonzero(found)), found.size
        for key, waves in keys.items():
            count, (cycles, phases, every) = waves * times, self._known[key]
            one.cycles += cycles * count
            one.least += phases * count
            one.idle += (every - phases) * count
