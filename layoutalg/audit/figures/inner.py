"""The inner loop of a kernel as it is compiled: what is in it, and the fewest cycles that a turn of it can take.

Of the loops that hold no other, it is the one with the most matrix instructions, then the longest.  All instructions
count, those that a guard may leave out too.  A turn takes no less than the busiest of three parts of a compute unit:

| bound    | cycles that a turn of one block takes of its unit, at least                                          |
|----------|------------------------------------------------------------------------------------------------------|
| `matrix` | Σ over matrix instructions of their cycles (the target's) · waves ÷ SIMDs                            |
| `issue`  | 4 · the more of: a wave's instructions ÷ blocks that the unit holds, one kind's · waves ÷ SIMDs      |
| `lds`    | Σ over LDS instructions of the cycles of their phases (`costs`, a run's), of the block's waves |

On CDNA a SIMD has its turn every fourth cycle, and then begins one instruction of a wave, and of each kind one (AMD,
ROCm Compute Profiler, "Pipeline descriptions", Scheduler); waits, `s_nop` and priorities are taken to need no turn.
It is an estimate from below.  What it cannot represent: latencies, waits for memory and at barriers, LDS accesses that
no source prices (they count as nothing, and are told).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.decode.code import MachineCode
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.run.observer import kind_of
from layoutalg.isa.semantics.accesses import access_of, has_no_effect
from layoutalg.isa.semantics.control import BARRIERS
from layoutalg.isa.semantics.matrix import matrix_instruction_of
from layoutalg.records import dataclass
from layoutalg.symex.loops.paths import flow_of
from layoutalg.target import target as gpu

ISSUE = 4
"""Cycles from one turn of a SIMD to its next."""

_NO_TURN = ("wait", "barrier", "nothing")
_UNITS: Mapping[str, str] = {
    "matrix": "vector", "accumulator move": "vector", "constant": "scalar", "LDS load": "LDS", "LDS store": "LDS",
}  # fmt: skip


@dataclass(frozen=True)
class InnerLoop:
    """The inner loop of a kernel that is launched in blocks of so many waves.

    `lds`: LDS cycles of all waves of a block, by the instruction's address, as far as they are known.
    """

    code: MachineCode
    instructions: tuple[Instruction, ...]
    waves: int
    lds: Mapping[int, int]

    @cached_property
    def kinds(self) -> Counter[str]:
        """Instructions of one wave, by kind."""
        return Counter(map(self._kind, self.instructions))

    def _kind(self, one: Instruction) -> str:
        kind = kind_of(one, self.code.kernel.target)
        if kind == "control":
            if one.name in BARRIERS:
                return "barrier"
            return "nothing" if has_no_effect(one.name, one.fields) else "wait" if "WAIT" in one.name else "branch"
        if kind == "vector":
            return "accumulator move" if one.name.startswith("V_ACCVGPR") else kind
        if kind not in ("lds", "global", "flat", "buffer", "scratch"):
            return kind
        how = access_of(one.name, one.fields)
        space = {"lds": "LDS", "scratch": "scratch"}.get(kind, "memory")
        return "memory to LDS" if how.to_lds else f"{space} {'store' if how.store else 'load'}"

    @property
    def loaded(self) -> int:
        """Bytes that all waves of a block load from memory."""
        loads = [one for one in self.instructions if self._kind(one) in ("memory load", "memory to LDS")]
        sizes = (access_of(one.name, one.fields).size for one in loads)
        return sum(sizes) * self.code.kernel.wave_size * self.waves

    @property
    def drained(self) -> int:
        """Waits that leave no load from memory under way."""
        how = self.code.kernel.architecture
        waits = ((how.waits[one.name], one.fields["simm16"]) for one in self.instructions if one.name in how.waits)
        return sum(wait.left(int(immediate)).get(how.counters.load) == 0 for wait, immediate in waits)

    @cached_property
    def macs(self) -> int:
        """Products of two elements that all waves of a block add up."""
        found = (matrix_instruction_of(one.name, self.code.kernel.target) for one in self.instructions)
        return sum(one.m * one.n * one.k for one in found if one) * self.waves

    @cached_property
    def bounds(self) -> Mapping[str, int]:
        """The bounds of a turn that are known, in cycles."""
        target = gpu(self.code.kernel.target)
        if target.unit is None or target.matrix is None or not target.matrix.cycles:
            return {}
        matrix = [one for one in map(self._matrix, self.instructions) if one]
        known: dict[str, int] = {}
        if all(name in target.matrix.cycles for name in matrix):
            known["matrix"] = self._of_unit(sum(target.matrix.cycles[name] for name in matrix))
        units = Counter[str]()
        for kind, count in self.kinds.items():
            if kind not in _NO_TURN:
                units[_UNITS.get(kind, "memory" if kind.startswith(("memory", "scratch")) else kind)] += count
        known["issue"] = max(-(-ISSUE * units.total() // self.resident), self._of_unit(ISSUE * max(units.values())))
        known["lds"] = sum(cycles for cycles in self._priced if cycles)
        return known

    def _of_unit(self, cycles: int) -> int:
        """Cycles of a unit that cycles of each wave's SIMD are, where its SIMDs are alike busy."""
        unit = gpu(self.code.kernel.target).unit
        return -(-cycles * self.waves // (unit.simds if unit else 1))

    @property
    def unpriced(self) -> int:
        """Instructions that access LDS and whose cycles are not known."""
        return sum(cycles is None for cycles in self._priced)

    @property
    def _priced(self) -> list[int | None]:
        """Cycles of each access to LDS; None where no source says them, as of loads to LDS."""
        kinds = ((one, self._kind(one)) for one in self.instructions)
        return [self.lds.get(one.address) if kind.startswith("LDS") else None for one, kind in kinds if "LDS" in kind]

    @property
    def resident(self) -> int:
        """Blocks that a unit holds at once; 1 where that is not known."""
        unit, said = gpu(self.code.kernel.target).unit, self.code.kernel.metadata
        return max(1, unit.resident(self.waves, said.lds_bytes, said.vgprs)) if unit else 1

    def _matrix(self, one: Instruction) -> str:
        found = matrix_instruction_of(one.name, self.code.kernel.target)
        return found.name if found else ""

    def data(self) -> dict[str, Any]:
        """Everything, as JSON has it."""
        return {"address": self.instructions[0].address, "instructions": len(self.instructions), **self.kinds,
                "loaded_bytes": self.loaded, "macs": self.macs,
                "lds_not_priced": self.unpriced, "bounds": dict(self.bounds)}  # fmt: skip

    def text(self) -> Iterator[str]:
        """Everything in words."""
        count, matrix = len(self.instructions), self.kinds["matrix"]
        first = f"inner loop at {self.instructions[0].address:#x}: "
        first += (
            f"{matrix} matrix instructions of {count} ({matrix / count:.0%})" if matrix else f"{count} instructions"
        )
        others = (f"{n} {kind}" for kind, n in self.kinds.most_common() if kind != "matrix")
        yield f"{first}; {', '.join(others)}"
        yield f"  a turn loads {self.loaded} bytes of a block"
        if self.bounds:
            least = ", ".join(f"{name} {cycles}" for name, cycles in self.bounds.items())
            left = f" ({self.unpriced} LDS accesses are not priced)" if self.unpriced else ""
            yield f"  cycles of a unit that a turn of one block takes at least (an estimate): {least}{left}"


def inner_loop(code: MachineCode, waves: int, lds: Mapping[int, int]) -> InnerLoop | None:
    """The inner loop of a kernel; None where it has none, or branches into one's middle."""
    try:
        loops = flow_of(code.kernel.start, code.blocks).loops
    except UnsupportedInstructionError:
        return None
    found = [
        InnerLoop(code, tuple(one for start in sorted(body) for one in code.blocks[start].instructions), waves, lds)
        for head, body in loops.items()
        if not any(other in body for other in loops if other != head)
    ]
    return max(found, key=lambda one: (one.kinds["matrix"], len(one.instructions)), default=None)
