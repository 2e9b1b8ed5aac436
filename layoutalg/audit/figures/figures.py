"""What is known of a kernel without its launch: a template of the launch file, and what the binary costs.

| figure | from |
|---|---|
| registers, spills, scratch, LDS | the code object's metadata |
| waves of a SIMD | the target's units (`target.model.Unit`), at the block of the template |
| what is not described | `isa.run.described`, as `layoutalg survey` says it |
| LDS cycles, segments of global memory | `costs`, as far as addresses depend on the thread alone |
| the inner loop | `inner`: its instructions by kind, and the fewest cycles of a turn |

What it cannot represent: LDS that the launch adds; lanes that lie apart by sizes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.costs import Fact
from layoutalg.audit.figures.guesses import guesses
from layoutalg.audit.figures.inner import InnerLoop, inner_loop
from layoutalg.audit.figures.template import THREADS, Frame, PointerUse, named, template
from layoutalg.audit.followed import LaunchedKernel
from layoutalg.errors import DeviceError
from layoutalg.formats.spec import loads
from layoutalg.index import InexpressibleError, budget
from layoutalg.interop.parameters import KernelParameter
from layoutalg.interop.triton.build import TritonBuild
from layoutalg.isa.container import names
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.decode.code import MachineCode
from layoutalg.isa.run.described import Surveyor
from layoutalg.launch.report import Lines, address_of
from layoutalg.launch.symbolic import LDS
from layoutalg.records import dataclass
from layoutalg.target import target as gpu

#: The most threads of a block where a source does not bound them (clang, `--gpu-max-threads-per-block`).
UNBOUND = 1024


@dataclass(frozen=True)
class Figures:
    """What is known of a kernel without its launch; `unread` says why its code could not be followed."""

    code: MachineCode
    block: tuple[int, ...]
    fixed: bool  # whether the kernel takes that block alone
    instructions: int
    missing: Mapping[str, int]  # instructions that are not described
    costs: tuple[Fact, ...]  # of accesses, as far as they depend on the thread alone
    unread: str
    template: str

    @property
    def kernel(self) -> KernelBinary:
        """The kernel as its code object has it."""
        return self.code.kernel

    @property
    def inner(self) -> InnerLoop | None:
        """The inner loop, if there is one."""
        priced = {address_of(one.about): one.worst for one in self.costs if one.memory == LDS and not one.why}
        return inner_loop(self.code, -(-prod(self.block) // self.kernel.wave_size), priced)

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
            "inner_loop": self.inner and self.inner.data(),
            "costs": [{**vars(one), "source": where(address_of(one.about))} for one in self.costs],
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
        if self.inner:
            yield from self.inner.text()
        if self.unread:
            yield f"not followed, so that nothing is known of its accesses: {self.unread}"
        known = [one for one in self.costs if not one.why]
        yield from costs_text(known, where)
        if len(known) < len(self.costs):
            yield f"besides, {len(self.costs) - len(known)} accesses whose cost depends on more than the thread"


def costs_text(costs: Sequence[Fact], where: Lines) -> Iterator[str]:
    """What accesses cost, in words."""
    for one in costs:
        source = where(address_of(one.about))
        cost = f"{one.best}" if one.best == one.worst else f"{one.best} to {one.worst}"
        said = f"{cost} {one.unit} of a block, the least are {one.least}"
        yield f"{one.about}{f' ({source})' if source else ''}: {one.why or said}"


def figures(
    code: MachineCode, seconds: float = 20, said: Sequence[KernelParameter] = (), build: TritonBuild | None = None
) -> Figures:
    """What is known of a kernel without its launch; `said`: what its source says of its parameters."""
    kernel = code.kernel
    found = Surveyor(kernel.target).survey(kernel.code, kernel.wave_size, kernel.float_mode)
    frame = _frame(kernel, build)
    known = names.spoken(kernel.name), named(kernel.metadata.visible, build.parameters if build else said)
    text, unread = template(*known, frame), ""
    costs: tuple[Fact, ...] = ()
    try:
        with budget.within(seconds):
            followed = LaunchedKernel.of(code, loads(text)).follow().complete()
        suggested = guesses(followed.accesses, followed.launched)
        if not frame.lds_by and all(one.memory != LDS for one in followed.accesses):
            frame = replace(frame, lds_by="it accesses no LDS")
        text = template(*known, frame, _used(followed.accesses), suggested)
        costs = followed.costs
    except (DeviceError, InexpressibleError, RecursionError) as error:
        unread = str(error)
    except budget.OutOfTimeError:
        unread = f"it takes longer than {seconds:g} s"
    return Figures(code, frame.block, bool(frame.block_by), found.instructions, found.missing, costs, unread, text)


def _frame(kernel: KernelBinary, build: TritonBuild | None) -> Frame:
    """A launch that the kernel takes, and whence that is known."""
    said = kernel.metadata
    axes = max((axis + 1 for axis, there in enumerate(kernel.block_indices) if there), default=1)
    if build is not None:
        by = f"Triton compiled it for {build.warps} waves of {build.lanes} lanes"
        return Frame((build.threads,), axes, build.shared, by, "Triton's `shared`")
    if said.required_block:
        return Frame(said.required_block, axes, 0, "the kernel takes no others")
    dimensions, threads = kernel.thread_dimensions, min(THREADS, said.max_threads)
    if said.max_threads < UNBOUND:
        threads = said.max_threads  # as its author bounds it
    wide = min(threads, 32 if dimensions > 1 else threads)
    return Frame((wide, threads // wide, 1)[:dimensions], axes)


def _used(accesses: Sequence[TracedAccess]) -> Mapping[str, PointerUse]:
    """How each pointer is used."""
    found: dict[str, PointerUse] = {}
    for one in accesses:
        if one.memory != LDS:
            before = found.get(one.memory, PointerUse(16, stored=False))
            width = min(before.bytes, one.width & -one.width)
            found[one.memory] = PointerUse(
                width, before.stored or one.store, before.loaded or one.atomic or not one.store
            )
    return found
