"""What is proved of a kernel, held against runs: at several sizes, contents, and orders of waves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from unittest import mock

import numpy as np

from layoutalg.audit import runs
from layoutalg.audit.audit import Audit, audit
from layoutalg.audit.claims.table import rows
from layoutalg.audit.meaning.evaluation import Content, evaluated
from layoutalg.device.compile import compile_source
from layoutalg.errors import DeviceError, Fault, SpecError, StepLimit
from layoutalg.formats import SpecFile
from layoutalg.formats.spec import loads
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from layoutalg.isa.run.launch import Execution, execute
from layoutalg.isa.run.observer import Observer
from layoutalg.launch.concrete import BoundLaunch, bound
from layoutalg.launch.report import address_of
from layoutalg.prove import Proved, Refuted, Verdict
from tests.audit.generated.language import HEAD, Break, Copy, For, If, Kernel, Load, Op, launch, text, walk

#: Seconds for an audit, instructions of a run.
SECONDS, STEPS = 20.0, 100_000

#: Sizes of runs, of N, M and G.
SIZES = ((1, 1, 1), (2, 3, 2), (3, 2, 1), (4, 4, 2))


@dataclass(frozen=True)
class Build:
    """How a source is compiled."""

    target: str
    opt_level: int
    flags: tuple[str, ...] = ()


BUILDS = (
    Build("gfx942", 3), Build("gfx942", 1), Build("gfx1100", 3), Build("gfx1201", 1, ("-mcumode",)),
    Build("gfx1201", 3), Build("gfx1201", 3, ("-mcumode",)),
)  # fmt: skip


@dataclass(frozen=True)
class Contradiction:
    """A claim that was proved, and what a run shows."""

    claim: str
    about: str
    shown: str
    how: str  # sizes and orders

    def __str__(self) -> str:
        return f"{self.claim}: {self.about}: proved; a run at {self.how}: {self.shown}"


def compiled(kernels: Sequence[Kernel], build: Build) -> list[MachineCode]:
    """Kernels in one source."""
    source = HEAD + "\n".join(text(one, f"k{n}") for n, one in enumerate(kernels)) + "\n"
    code = compile_source(source, build.target, opt_level=build.opt_level, flags=build.flags)
    found = read_kernels(code.payload)
    return [decode_kernel(found[f"k{n}"]) for n in range(len(kernels))]


def claiming(kernel: Kernel, name: str) -> SpecFile:
    """The launch with all of the equations that mean something; a file has one of a tensor."""
    every: list[Any] = []
    for one in kernel.equations:
        try:
            file = loads(launch(kernel, name, (one,)))
        except SpecError:
            continue
        assert file.launch is not None
        every += file.launch.computes
    file = loads(launch(kernel, name, ()))
    assert file.launch is not None
    return replace(file, launch=replace(file.launch, computes=tuple(every)))


def audited(code: MachineCode, file: SpecFile, seconds: float = SECONDS) -> Audit:
    """What is proved without runs."""
    with mock.patch.object(runs, "STEPS", 1), mock.patch.object(runs, "ALL_STEPS", 1):
        return audit(code, file, seconds)


def contents(kernel: Kernel, file: SpecFile, code: MachineCode, sizes: Mapping[str, int], seed: int) -> BoundLaunch:
    """The launch with whole numbers in tensors, within what is assumed of them; nothing where nobody looks at one."""
    assert file.launch is not None
    empty, draw = bound(file, code.kernel.metadata, sizes, {}, {}), np.random.default_rng(seed)
    limits = {one.name: one.assumed for one in kernel.tensors if one.assumed}
    given, looked = {}, loaded(kernel)
    looked |= {name for name in empty.tensors for said in kernel.equations if f"{name}[" in said.split("=", 1)[1]}
    for name, one in empty.tensors.items():
        if (
            one.written
            and name not in loaded(kernel)
            and not any(f"{name}[" in text.split("=")[1] for text in kernel.equations)
        ):
            continue
        low, high = limits.get(name, (0, 9) if one.buffer.array.dtype.kind == "u" else (-8, 8))
        shape = one.places.shape
        given[name] = draw.integers(low, high, shape, endpoint=True).astype(one.buffer.array.dtype)
        if name in limits and draw.random() < 0.3:
            given[name] = draw.choice([low, high], shape).astype(one.buffer.array.dtype)
    return bound(file, code.kernel.metadata, sizes, given, {})


def schedules(code: MachineCode, block: int, seed: int) -> list[dict[str, Any]]:
    """Orders of waves besides the usual one: one as far as it can, all in reverse, at random; two of these."""
    waves = -(-block // code.kernel.wave_size)
    every = [{"ahead": (waves - 1,)}, {"ahead": tuple(range(waves))[::-1]}, {"ahead": (seed % waves,)}, {"order": seed}]
    return [every[seed % 4], every[(seed // 4 + seed + 1) % 4]] if waves > 1 else []


def contradictions(
    kernel: Kernel, code: MachineCode, file: SpecFile, found: Audit, seed: int = 0
) -> Contradiction | None:
    """The first claim that is proved and that a run refutes."""
    proved = [(claim, about) for claim, about, verdict in found.claims if isinstance(verdict, Proved)]
    told = {claim for claim, _ in proved}
    if not told - {"launchable", "followed", "ends"}:
        return None
    for number, values in enumerate(SIZES if kernel.sizes else SIZES[:1]):
        sizes = {name: n for name, n in zip("NMG", values, strict=True) if name in kernel.sizes}
        made = contents(kernel, file, code, sizes, seed + number)
        orders = [{}, *schedules(code, kernel.block, seed)] if number == len(SIZES) // 2 or not kernel.sizes else [{}]
        for order in orders:
            one = _run(kernel, code, file, found, made, sizes, order)
            if one:
                return one
    return None


def _run(
    kernel: Kernel, code: MachineCode, file: SpecFile, found: Audit, made: BoundLaunch, sizes: Mapping[str, int],
    schedule: Mapping[str, Any],
) -> Contradiction | None:  # fmt: skip
    how = f"{dict(sizes)}, {dict(schedule) or 'the usual order'}"
    watch, plain = Observer(), not any(_chooses(one) for one in walk(kernel.body))
    try:
        run = execute(code, made.grid, made.block, made.arguments, STEPS, strict=False, lds=made.lds, observer=watch,
                      **schedule)  # fmt: skip
    except StepLimit:
        return None
    except Fault as fault:
        about = _claimed(found, fault)
        return Contradiction(*about, str(fault), how) if about else None
    except DeviceError:
        return None
    return (
        (_priced(found, run, watch, how) if plain else None)
        or _unstored(kernel, found, made, run, how)
        or _wrong(file, found, made, sizes, run, how)
    )


def _priced(found: Audit, run: Execution, watch: Observer, how: str) -> Contradiction | None:
    """A cost that is proved to be the least, or refuted, and a run's that is not so; of what all lanes do."""
    for one in run.lds:
        if not one.unpriced:
            wrong = Proved if one.cycles > one.least else Refuted
            if about := _about(found, "bank_conflict_free", one.where, wrong):
                return Contradiction("bank_conflict_free", about, f"{wrong.__name__}, {one}", how)
    for each in watch.traffic.values():
        if each.segments > each.least and (about := _about(found, "coalesced", each.where, Proved)):
            return Contradiction("coalesced", about, str(each), how)
    return None


def _unstored(kernel: Kernel, found: Audit, made: BoundLaunch, run: Execution, how: str) -> Contradiction | None:
    """A tensor of which every element is proved to be stored to, and one is not."""
    proved = {about for claim, about, verdict in found.claims if claim == "stores_all" and isinstance(verdict, Proved)}
    for one, undefined in zip(made.passed, run.undefined, strict=True):
        if one.name in proved - loaded(kernel) and (left := one.unwritten(undefined)):
            return Contradiction("stores_all", one.name, f"{left} elements are never stored to", how)
    return None


def _chooses(node: Any) -> bool:
    """Whether lanes may differ in what they do there."""
    return (
        isinstance(node, If | Break)
        or (isinstance(node, Op) and node.name == "?:")
        or (isinstance(node, For) and node.step != 1)
    )


def _about(found: Audit, claim: str, where: str, verdict: type[Verdict]) -> str:
    """What a claim with such a verdict on an instruction is about; empty where it has another."""
    at = f"{address_of(where):#x} "
    about = [(one, its) for name, one, its in found.claims if name == claim and at in f"{one} "]
    return about[0][0] if about and all(isinstance(its, verdict) for _, its in about) else ""


def loaded(kernel: Kernel) -> set[str]:
    """The memories that a kernel looks at."""
    return {
        one.memory if isinstance(one, Load) else one.source for one in walk(kernel.body) if isinstance(one, Load | Copy)
    }


def _claimed(found: Audit, fault: Fault) -> tuple[str, str] | None:
    """The claim that a fault refutes, where all of its kind that are about the instruction are proved."""
    names = [one.NAME for one in rows() if fault.kind in (one.FAULTS or ())] or ["followed"]
    address = address_of(fault.where)
    rests = {rest for one in rows() if one.NAME in names for rest in one.RESTS_ON} & {*names}
    beside = [one for one in found.claims if one[0] in rests]  # a claim that is proved says nothing where these are not
    about = [one for one in found.claims if one[0] in names and f"{address:#x} " in one[1].replace(";", " ") + " "]
    about = [*beside, *(about or [one for one in found.claims if one[0] in names])]
    if not about:  # nothing of its kind was asked: as wrong where all else is proved
        about = [one for one in found.claims if one[0] not in ("bank_conflict_free", "coalesced", "computes")]
    return about[0][:2] if all(isinstance(verdict, Proved) for _, _, verdict in about) else None


def _wrong(
    file: SpecFile, found: Audit, made: BoundLaunch, sizes: Mapping[str, int], run: Execution, how: str
) -> Contradiction | None:
    """An equation that is proved, and an element that is not what it says."""
    assert file.launch is not None
    proved = {about for claim, about, verdict in found.claims if claim == "computes" and isinstance(verdict, Proved)}
    for equation in file.launch.computes:
        if equation.text in proved and (shown := difference(equation, made, sizes, run)):
            return Contradiction("computes", equation.text, shown, how)
    return None


def difference(equation: Any, made: BoundLaunch, sizes: Mapping[str, int], run: Execution) -> str:
    """The first element that is not what an equation says; empty where there is none."""
    before = {
        name: Content(one.read(one.buffer.array), np.asarray(one.places >= 0)) for name, one in made.tensors.items()
    }
    wanted, defined = evaluated(equation, before, sizes, {})
    own = made.tensors[equation.tensor]
    memory = next(memory for one, memory in zip(made.passed, run.outputs, strict=True) if one is own)
    got = own.read(memory)
    wrong = np.argwhere(defined & ~alike(got, wanted))
    if not len(wrong):
        return ""
    index = tuple(int(n) for n in wrong[0])
    return f"{equation.tensor}{list(index)} is {got[index]}, the equation says {wanted[index]}; {len(wrong)} are wrong"


def alike(a: Any, b: Any) -> Any:
    """Where elements are the same, NaN too."""
    return (a == b) | ((a != a) & (b != b))
