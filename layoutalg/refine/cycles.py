"""The LDS cycles of a run beside what the program's layouts claim.

The program's claim is the price of its own accesses (`kernel.access.prices`), as often as they are carried out:

    claimed = Σ over accesses of   blocks · waves · vectors of a thread · turns of the loops around · cycles of one

A binary need not access LDS in the program's pieces: a compiler merges and splits.  So loads and stores are summed, and

| the binary's accesses are   | then                                                              |
|-----------------------------|-------------------------------------------------------------------|
| the claimed widths, as many | the sums must be equal                                            |
| the claimed widths, fewer   | below the claim: where a guard leaves a whole wave nothing to do  |
| others (b64 for b128, …)    | they are told side by side; a difference is the compiler's        |

The claim is of whole waves.  A phase of which a guard lets no lane take part costs nothing (`memory.banks`); beside
the claim it stands with the one cycle that the claim has for it at least, so that it hides no conflict of another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

from layoutalg.device.isa import IsaDevice
from layoutalg.device.runtime import Device
from layoutalg.index import Expr, as_expr, extent_of, variables
from layoutalg.index.evaluate import value
from layoutalg.isa.run.cycles import InstructionCycles
from layoutalg.kernel.access.prices import Priced, priced
from layoutalg.kernel.program import Loop, Program, Statement, StoreShared
from layoutalg.records import dataclass
from layoutalg.target import target


@dataclass(frozen=True)
class ClaimedCycles:
    """What one LDS access of a program costs in a run, by its layouts; `least` and `most` cycles of all accesses."""

    access: Priced
    bytes: int
    accesses: int
    least: int
    most: int

    @property
    def store(self) -> bool:
        """Whether it is a store."""
        return isinstance(self.access.access, StoreShared)


def claimed(program: Program, name: str, sizes: Mapping[Expr, int]) -> Iterator[ClaimedCycles]:
    """The claim on each LDS access of a program that is launched with these sizes on a target.

    >>> from layoutalg.kernel.library.transpose import lds_transpose
    >>> program = lds_transpose(vector=4)
    >>> sizes = dict(zip(program.sizes, (64, 64), strict=True))  # one block of four waves
    >>> [(c.bytes, c.accesses, c.most) for c in claimed(program, "gfx942", sizes)]
    [(16, 16, 128), (4, 64, 128)]
    """
    if not program.shared or len(program.threads) != 1:
        return
    waves = max(1, prod(program.block) // target(name).wave_size)
    turns = _turns(program, sizes)
    for one in priced(program, name):
        width = one.access.width
        vectors = value(as_expr(prod(map(int, one.access.registers.distribution.ys))), {}) // width
        count = waves * vectors * turns[one.number]
        least, most = one.cost.total if one.cost else (0, 0)
        size = width * one.access.shared.dtype.bytes
        yield ClaimedCycles(one, size, count, least * count, most * count)


def _turns(program: Program, sizes: Mapping[Expr, int]) -> list[int]:
    """How often each statement is reached by a wave of each block, all together, by its number."""
    loops = [extent_of(s.index) for s in program.of(Loop)]
    counted = [v for v in program.grid if v in variables(*loops)]  # blocks that differ in how often they loop
    alike = prod(value(n, sizes) for n in program.extents)
    each = [range(value(extent_of(v), sizes)) for v in counted]
    for numbers in each:
        alike //= len(numbers)
    found = [0 for _ in program.statements()]
    for block in product(*each):
        at = {**sizes, **dict(zip(counted, block, strict=True))}
        for number, turns in enumerate(_reached(program.body, alike, at)):
            found[number] += turns
    return found


def _reached(body: Iterable[Statement], turns: int, at: Mapping[Expr, int]) -> Iterator[int]:
    """The same of a block, in the order of `Program.statements`."""
    for statement in body:
        yield turns
        again = value(extent_of(statement.index), at) if isinstance(statement, Loop) else 1
        yield from _reached(statement.parts, turns * again, at)


@dataclass(frozen=True)
class LdsCycles:
    """The cycles of a run beside the claim; `by_instruction` is the table that they are the sum of."""

    by_instruction: tuple[InstructionCycles, ...]
    claims: tuple[ClaimedCycles, ...]

    @property
    def cycles(self) -> int:
        """All that was priced."""
        return sum(one.cycles for one in self.by_instruction)

    @property
    def idle(self) -> int:
        """The phases of which no lane took part."""
        return sum(one.idle for one in self.by_instruction)

    @property
    def claimed(self) -> tuple[int, int]:
        """The least and the most that the program claims."""
        return sum(c.least for c in self.claims), sum(c.most for c in self.claims)

    @property
    def priced(self) -> bool:
        """Whether both sides know the price of every access."""
        return not any(one.unpriced for one in self.by_instruction) and all(c.access.cost for c in self.claims)

    @property
    def alike(self) -> bool:
        """Whether the binary makes the program's accesses: of each direction and width as many."""
        return self._shape((o.store, o.bytes, o.accesses) for o in self.by_instruction) == self._shape(
            (c.store, c.bytes, c.accesses) for c in self.claims
        )

    @property
    def fewer(self) -> bool:
        """Whether the binary makes some of the program's accesses and no others."""
        made = self._shape((o.store, o.bytes, o.accesses) for o in self.by_instruction)
        claimed = self._shape((c.store, c.bytes, c.accesses) for c in self.claims)
        return made < claimed

    @property
    def each_as_claimed(self) -> bool:
        """Whether an access costs, on the average of its direction and width, at most what the program claims."""
        spent, claimed = Counter[tuple[bool, int]](), Counter[tuple[bool, int]]()
        for one in self.by_instruction:
            spent[one.store, one.bytes] += one.cycles + one.idle
        for claim in self.claims:
            claimed[claim.store, claim.bytes] += claim.most
        made = self._shape((o.store, o.bytes, o.accesses) for o in self.by_instruction)
        meant = self._shape((c.store, c.bytes, c.accesses) for c in self.claims)
        return self.priced and all(spent[kind] * meant[kind] <= claimed[kind] * made[kind] for kind in made)

    @staticmethod
    def _shape(rows: Iterable[tuple[bool, int, int]]) -> Counter[tuple[bool, int]]:
        counts: Counter[tuple[bool, int]] = Counter()
        for store, size, accesses in rows:
            counts[store, size] += accesses
        return +counts

    @property
    def equal(self) -> bool:
        """Whether all is priced and the binary takes what is claimed, idle phases counted as the claim counts them."""
        least, most = self.claimed
        return self.priced and least <= self.cycles + self.idle <= most

    @property
    def doubts(self) -> Sequence[str]:
        """What the figures rest on without a source."""
        return tuple(dict.fromkeys(doubt for one in self.by_instruction for doubt in one.doubts))

    @property
    def report(self) -> Mapping[str, Any]:
        """Everything, as JSON has it."""
        return {
            "text": str(self), "cycles": self.cycles, "idle": self.idle, "claimed": self.claimed, "equal": self.equal,
            "accesses_as_claimed": self.alike, "each_as_claimed": self.each_as_claimed, "doubts": list(self.doubts),
            "instructions": [vars(one) | {"doubts": list(one.doubts)} for one in self.by_instruction],
        }  # fmt: skip

    def __str__(self) -> str:
        least, most = self.claimed
        claimed = f"{least}" if least == most else f"{least} to {most}"
        made = "the program's accesses" if self.alike else "the compiler merged or split accesses"
        if self.fewer:
            made = "fewer accesses: waves that have nothing to do leave them out"
            made += "; each costs at most what is claimed" if self.each_as_claimed else ""
        idle = f"; {self.idle} more phases are of no lane" if self.idle else ""
        text = f"LDS: {self.cycles} cycles, claimed {claimed} ({made}{idle})"
        if not self.priced:
            text += "; not every access is priced"
        return "\n  in doubt: ".join((text, *self.doubts))


def compare(
    found: Iterable[InstructionCycles], program: Program, name: str, sizes: Mapping[Expr, int]
) -> LdsCycles | None:
    """A run's LDS cycles beside the program's claim; None where neither accesses LDS."""
    cycles = LdsCycles(tuple(found), tuple(claimed(program, name, sizes)))
    return cycles if cycles.by_instruction or cycles.claims else None


def lds_cycles(device: Device, program: Program, sizes: Mapping[str, int]) -> LdsCycles | None:
    """The LDS cycles of the last launch on a device that carries machine code out, beside what the program claims.

    `sizes` are those of the launch, by name.  None on any other device.
    """
    if not isinstance(device, IsaDevice):
        return None
    return compare(device.lds, program, device.target, {s: sizes[s.value.name] for s in program.sizes})
