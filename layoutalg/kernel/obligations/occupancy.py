"""Occupancy: how many blocks of a kernel a unit of the GPU holds at once, by what is known before compiling and after.

A unit is what the waves of a block share: a compute unit of CDNA, a work-group processor of RDNA, a multiprocessor.

    blocks = min(waves of the unit / waves of a block, LDS of the unit / LDS of a block, blocks of the unit,
                 SIMDs · (registers of a SIMD / registers of a wave) / waves of a block)       the last after compiling

What a unit has is in the target's file, with who says so (`layoutalg.target`).  A block is resident by itself, or it
can never run: that is proved; how many are is a figure, in the obligation's text.  Of targets whose units are not
described nothing is stated.  What it cannot see: granules of LDS, barriers that a driver keeps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from layoutalg.index import TRUE, all_of, as_expr
from layoutalg.kernel.obligations.base import Requirement
from layoutalg.kernel.program import Program
from layoutalg.prove import ForAll, Shown
from layoutalg.target import Target


def resident(program: Program, gpu: Target) -> int | None:
    """Blocks that a unit holds, before registers are known; None where the target's units are not."""
    return gpu.unit.resident(waves_of(program, gpu), program.lds_bytes) if gpu.unit else None


def waves_of(program: Program, gpu: Target) -> int:
    """Waves of a block."""
    return -(-prod(program.block) // gpu.wave_size)


def occupancy(program: Program, targets: Sequence[Target]) -> Iterator[Requirement]:
    """As many blocks as the program asks for are resident, one at least, on each target whose units are known."""
    units = [(gpu.unit, as_expr(waves_of(program, gpu))) for gpu in targets if gpu.unit]
    used, blocks = as_expr(program.lds_bytes), program.resident
    enough = ((n * blocks <= unit.simds * unit.waves, (used + unit.kept) * blocks <= unit.lds) for unit, n in units)
    goal = all_of(*(part for parts in enough for part in parts))
    counts = ", ".join(f"{gpu.name} {resident(program, gpu)}" for gpu in targets if gpu.unit)
    silent = ", ".join(gpu.name for gpu in targets if not gpu.unit)
    about = (
        f"occupancy: blocks that a unit holds, before registers: {counts}{f'; not stated: {silent}' if silent else ''}"
    )
    shown = (Shown("waves", tuple(waves for _, waves in units)), Shown("bytes of LDS", (used,)))
    yield Requirement(about, ForAll(f"a unit holds {blocks} at least", goal, TRUE, shown))


__all__ = ["occupancy", "resident", "waves_of"]
