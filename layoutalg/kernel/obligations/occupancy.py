"""Occupancy: how many blocks of a kernel a unit of the GPU holds at once, by what is known before compiling and after.

A unit is what the waves of a block share: a compute unit of CDNA, a work-group processor of RDNA, a multiprocessor.

    blocks = min(waves of the unit / waves of a block, LDS of the unit / LDS of a block, blocks of the unit,
                 SIMDs · (registers of a SIMD / registers of a wave) / waves of a block)       the last after compiling

| target         | SIMDs × waves | registers, in steps of | LDS             | blocks | source                          |
|----------------|---------------|------------------------|-----------------|--------|---------------------------------|
| gfx90a, gfx942 | 4 × 8         | 512, 8                 | 64 KiB          | 16     | LLVM, Utils/AMDGPUBaseInfo.cpp: |
| gfx950         | 4 × 8         | 512, 8                 | 160 KiB         | 16     | getMaxWavesPerEU, getEUsPerCU,  |
| gfx1100, 1201  | 4 × 16        | 1536, 24               | 2 × 64 KiB      | 32     | getLocalMemorySize, granules    |
| sm_90          | 4 × 16        | 512, 8                 | 228 KiB, 1 each | 32     | CUDA C++ Programming Guide, 9.0 |

Registers are those of one lane.  A block is resident by itself, or it can never run: that is proved; how many are is a
figure, in the obligation's text.  Of other targets nothing is stated.  What it cannot see: granules of LDS, barriers
that a driver keeps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from layoutalg.index import TRUE, all_of, as_expr
from layoutalg.kernel.obligations.base import Requirement
from layoutalg.kernel.program import Program
from layoutalg.prove import ForAll, Shown
from layoutalg.target import Target


@dataclass(frozen=True)
class Unit:
    """What the waves of a block share: SIMDs, waves and registers of each, bytes of LDS (`kept` for each block)."""

    waves: int
    registers: int
    step: int
    lds: int
    blocks: int
    kept: int = 0
    simds: int = 4

    def resident(self, waves: int, lds: int, registers: int = 0) -> int:
        """Blocks of so many waves and bytes of LDS that the unit holds; `registers` of a lane, where they are known.

        >>> UNITS["gfx942"].resident(4, 16384), UNITS["gfx942"].resident(4, 16384, 200)
        (4, 2)
        """
        given = -(-registers // self.step) * self.step
        by_registers = self.simds * min(self.waves, self.registers // given if given else self.waves) // waves
        by_lds = self.lds // (lds + self.kept) if lds + self.kept else self.blocks
        return min(by_registers, by_lds, self.blocks if waves > 1 else self.simds * self.waves)


_CDNA, _RDNA = Unit(8, 512, 8, 1 << 16, 16), Unit(16, 1536, 24, 1 << 17, 32)
UNITS = {
    "gfx90a": _CDNA, "gfx942": _CDNA, "gfx950": Unit(8, 512, 8, 160 << 10, 16), "gfx1100": _RDNA, "gfx1201": _RDNA,
    "sm_90": Unit(16, 512, 8, 228 << 10, 32, 1 << 10),
}  # fmt: skip
"""By target."""


def resident(program: Program, gpu: Target) -> int | None:
    """Blocks that a unit holds, before registers are known; None where the target's units are not."""
    unit = UNITS.get(gpu.name)
    return None if unit is None else unit.resident(waves_of(program, gpu), program.lds_bytes)


def waves_of(program: Program, gpu: Target) -> int:
    """Waves of a block."""
    return -(-prod(program.block) // gpu.wave_size)


def occupancy(program: Program, targets: Sequence[Target]) -> Iterator[Requirement]:
    """At least one block is resident on each target whose units are known."""
    known = [gpu for gpu in targets if gpu.name in UNITS]
    waves = [as_expr(waves_of(program, gpu)) for gpu in known]
    used = as_expr(program.lds_bytes)
    goal = all_of(
        *(all_of(n <= UNITS[gpu.name].simds * UNITS[gpu.name].waves, used + UNITS[gpu.name].kept <= UNITS[gpu.name].lds)
          for n, gpu in zip(waves, known, strict=True))
    )  # fmt: skip
    counts = ", ".join(f"{gpu.name} {resident(program, gpu)}" for gpu in known)
    silent = ", ".join(gpu.name for gpu in targets if gpu.name not in UNITS)
    about = (
        f"occupancy: blocks that a unit holds, before registers: {counts}{f'; not stated: {silent}' if silent else ''}"
    )
    shown = (Shown("waves", tuple(waves)), Shown("bytes of LDS", (used,)))
    yield Requirement(about, ForAll("a unit holds a block at least", goal, TRUE, shown))


__all__ = ["UNITS", "Unit", "occupancy", "resident", "waves_of"]
