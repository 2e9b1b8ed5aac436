"""What is known of a kernel without its launch: a template of the launch file, and what the binary costs.

| figure | from |
|---|---|
| registers, spills, scratch, LDS | the code object's metadata |
| waves of a SIMD | the target's units (`target.model.Unit`), at the block of the template |
| what is not described | `isa.interpreter.described`, as `layoutalg survey` says it |
| cycles of LDS instructions | the target's banks, where addresses depend on the thread alone; all lanes of the block |

What it cannot represent: LDS that the launch adds; accesses whose addresses depend on sizes, blocks or turns of loops.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from layoutalg.errors import DeviceError
from layoutalg.formats.spec import loads
from layoutalg.index import TRUE, InexpressibleError, all_of, array, budget, conjuncts, variables
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.decode.code import MachineCode
from layoutalg.isa.interpreter.described import Surveyor
from layoutalg.isa.run.cycles import InstructionCycles, LdsMeter
from layoutalg.isa.run.report import Lines, address_of
from layoutalg.isa.semantics.accesses import ACCESSES
from layoutalg.refine.audit.accesses import LDS, Access
from layoutalg.refine.audit.audit import followed
from layoutalg.refine.audit.launched import Launched
from layoutalg.refine.audit.template import THREADS, PointerUse, template
from layoutalg.target import target as gpu


@dataclass(frozen=True)
class Figures:
    """What is known of a kernel without its launch; `unread` says why its code could not be followed."""

    kernel: KernelBinary
    block: tuple[int, ...]
    fixed: bool  # whether the kernel takes that block alone
    instructions: int
    missing: Mapping[str, int]  # instructions that are not described
    lds: tuple[InstructionCycles, ...]
    unpriced: tuple[str, ...]  # LDS instructions whose addresses depend on more than the thread
    unread: str
    template: str

    @property
    def occupancy(self) -> dict[str, Any]:
        """Blocks of a unit and waves of a SIMD, and what allows no more; empty where the target says nothing."""
        unit, said = gpu(self.kernel.target).unit, self.kernel.metadata
        if unit is None:
            return {}
        waves = -(-prod(self.block) // self.kernel.wave_size)
        blocks = unit.resident(waves, said.lds_bytes, said.vgprs)
        limits = {"registers": unit.resident(waves, 0, said.vgprs), "LDS": unit.resident(waves, said.lds_bytes)}
        by = [what for what, most in limits.items() if most == blocks < unit.resident(waves, 0)]
        return {"blocks": blocks, "waves_per_simd": blocks * waves / unit.simds, "most": unit.waves,
                "limited_by": by or ["waves"]}  # fmt: skip

    def data(self, where: Lines = lambda address: "") -> dict[str, Any]:
        """Everything, as JSON has it."""
        said = self.kernel.metadata
        registers = {key: getattr(said, key) for key in ("vgprs", "agprs", "sgprs", "vgpr_spills", "sgpr_spills")}
        return {
            "registers": registers, "scratch_bytes": said.scratch_bytes, "lds_bytes": said.lds_bytes,
            "block": [*self.block], "block_fixed": self.fixed, "occupancy": self.occupancy,
            "instructions": self.instructions, "not_described": dict(self.missing), "not_followed": self.unread,
            "lds": [vars(one) | {"doubts": [*one.doubts], "source": where(address_of(one.where))} for one in self.lds],
            "lds_not_priced": [*self.unpriced],
        }  # fmt: skip

    def text(self, where: Lines = lambda address: "") -> Iterator[str]:
        """Everything in words."""
        said = self.kernel.metadata
        spills = (said.vgpr_spills, said.sgpr_spills)
        spilt = "not said" if None in spills else f"{spills[0]} vector, {spills[1]} scalar"
        yield f"registers: {said.vgprs} vector, {said.agprs} accumulation, {said.sgprs} scalar; spills: {spilt}"
        yield f"scratch: {said.scratch_bytes} bytes of a thread"
        yield f"LDS: {said.lds_bytes} bytes of a block, and what the launch adds"
        found = self.occupancy
        threads = f"{'' if self.fixed else 'at '}blocks of {prod(self.block)} threads"
        if found:
            yield (f"occupancy, {threads}: {found['waves_per_simd']:g} of {found['most']} waves of a SIMD, "
                   f"{found['blocks']} blocks of a unit; limited by {' and '.join(found['limited_by'])}")  # fmt: skip
        lacking = ", ".join(f"{name} {count}" for name, count in self.missing.items())
        yield f"instructions: {self.instructions}, {f'not described: {lacking}' if lacking else 'all described'}"
        if self.unread:
            yield f"not followed, so that nothing is known of its accesses: {self.unread}"
        for one in self.lds:
            lost = f"{one.accesses} waves, {one.cycles} cycles, {one.cycles - one.least} of them lost to bank conflicts"
            yield f"LDS, {one.where}{_source(where, one.where)}: {one.unpriced or lost}"
        for one_of in self.unpriced:
            yield f"LDS, {one_of}{_source(where, one_of)}: its addresses depend on more than the thread"


def _source(where: Lines, instruction: str) -> str:
    found = where(address_of(instruction))
    return f" ({found})" if found else ""


def figures(code: MachineCode, seconds: float = 20) -> Figures:
    """What is known of a kernel without its launch."""
    kernel = code.kernel
    found = Surveyor(kernel.target).survey(kernel.code)
    block, limit = _block(kernel)
    grid = max((axis + 1 for axis, there in enumerate(kernel.block_indices) if there), default=1)
    said = kernel.name, kernel.metadata.visible, block, grid, limit
    text, unread = template(*said), ""
    lds: tuple[InstructionCycles, ...] = ()
    unpriced: tuple[str, ...] = ()
    try:
        launched, accesses = followed(code, loads(text), seconds)
        text = template(*said, _used(accesses))
        lds, unpriced = _priced(kernel, launched, accesses)
    except (DeviceError, InexpressibleError, RecursionError) as error:
        unread = str(error)
    except budget.OutOfTimeError:
        unread = f"it takes longer than {seconds:g} s"
    fixed = bool(kernel.metadata.required_block)
    return Figures(kernel, block, fixed, found.instructions, found.missing, lds, unpriced, unread, text)


def _block(kernel: KernelBinary) -> tuple[tuple[int, ...], str]:
    """A block that the kernel takes, and a word on it."""
    said = kernel.metadata
    if said.required_block:
        return said.required_block, "the kernel takes no others"
    axes, threads = kernel.thread_dimensions, min(THREADS, said.max_threads)
    wide = min(threads, 32 if axes > 1 else threads)
    return (wide, threads // wide, 1)[:axes], f"the kernel takes at most {said.max_threads} of them"


def _used(accesses: Sequence[Access]) -> Mapping[str, PointerUse]:
    """How each pointer is used."""
    found: dict[str, PointerUse] = {}
    for one in accesses:
        if one.memory != LDS:
            before = found.get(one.memory, PointerUse(16, stored=False))
            width = min(before.bytes, one.width & -one.width)
            found[one.memory] = PointerUse(width, before.stored or one.store)
    return found


def _priced(
    kernel: KernelBinary, launched: Launched, accesses: Sequence[Access]
) -> tuple[tuple[InstructionCycles, ...], tuple[str, ...]]:
    """The cycles of each LDS instruction whose addresses depend on the thread alone, and the others."""
    count = prod(launched.block)
    padded = -(-count // kernel.wave_size) * kernel.wave_size
    numbers, rest = {}, np.arange(padded, dtype=np.int64)
    inside = rest < count
    for thread, size in zip(launched.threads, launched.block, strict=True):
        numbers[thread], rest = rest % size, rest // size
    meter, others = LdsMeter(kernel.target), []
    for one in accesses:
        if one.memory != LDS or one.instruction.name not in ACCESSES:
            continue
        if not set(variables(one.offset)) <= set(numbers):
            others.append(str(one))
            continue
        mine = [part for part in conjuncts(one.guard) if set(variables(part)) <= set(numbers)]
        offsets = np.broadcast_to(array([one.offset], numbers)[0], (padded,)).reshape(-1, kernel.wave_size)
        active = np.broadcast_to(array([all_of(TRUE, *mine)], numbers)[0], (padded,)).astype(np.bool_) & inside
        how = ACCESSES[one.instruction.name]
        meter.count(str(one), how, offsets.astype(np.uint64), active.reshape(-1, kernel.wave_size))
    return tuple(meter.found.values()), tuple(dict.fromkeys(others))
