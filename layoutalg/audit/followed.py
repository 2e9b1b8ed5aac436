"""A kernel as it is launched, and what following its machine code has seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from layoutalg.audit.accesses import TracedAccess, accesses
from layoutalg.audit.ask import CLAIM, Answer, Ask, LaunchMemory, shown
from layoutalg.audit.at_first import Beginning, knowing, with_known
from layoutalg.audit.costs import Fact, facts
from layoutalg.audit.global_memory.flags import Flags
from layoutalg.audit.lds.initialised import Initialised
from layoutalg.audit.lds.races import LdsRaces
from layoutalg.audit.lds.tables import LdsTables
from layoutalg.audit.lds.undefined import Undefined
from layoutalg.audit.meaning.computed import ComputesClaim
from layoutalg.formats.launch import Launch
from layoutalg.formats.model import SpecFile
from layoutalg.index import TRUE, Expr, InexpressibleError, all_of, budget, div, mod
from layoutalg.isa.decode.code import MachineCode
from layoutalg.launch.symbolic import LDS, KernelLaunch
from layoutalg.prove import ForAll, Limits, Shown
from layoutalg.records import dataclass
from layoutalg.symex.entries import enter_alike
from layoutalg.symex.machine.environment import Inputs
from layoutalg.symex.machine.tracing import TracedElement
from layoutalg.symex.trace import Trace, follow, follow_in_order

#: The part of the time that following may take, so that what the launch alone says is decided where it takes longer.
FOLLOWING = 0.95


@dataclass(frozen=True, eq=False)
class LaunchedKernel:
    """A kernel and its launch."""

    code: MachineCode
    file: SpecFile
    launched: KernelLaunch

    @classmethod
    def of(cls, code: MachineCode, file: SpecFile) -> LaunchedKernel:
        """LaunchError where the launch is none of the kernel's."""
        return cls(code, file, KernelLaunch.of(code.kernel, file))

    @property
    def launch(self) -> Launch:
        """What the file says of the launch."""
        assert self.file.launch is not None  # else there were no `launched`
        return self.file.launch

    @property
    def _inputs(self) -> Inputs:
        """What the machine finds at its start."""
        launched = self.launched
        sizes = {LDS: 1, **{name: one.element for name, one in launched.tensors.items()}}
        given = launched.arguments, launched.blocks, launched.threads, launched.given, sizes, launched.packet
        return Inputs(*given, dict(self.launch.points), launched.block)

    @property
    def enters_alike(self) -> bool:
        """Whether what holds of it with preloaded arguments holds without, where it has any."""
        return enter_alike(self.code, self._inputs, LaunchMemory(self.launched))

    def follow(self, in_order: bool = True) -> Followed:
        """Follows one unknown lane on all ways, in the time that is left; what stops it is said in what it gives.

        Blocks are told apart by the order in which the kernel takes them, or by the launch's own indices.
        """
        launched, memory = self.launched, LaunchMemory(self.launched)
        with budget.within(FOLLOWING * budget.left()):
            trace = (follow_in_order if in_order else follow)(self.code, self._inputs, memory)
        launched = replace(launched, blocks=trace.order.index)
        case, ask = replace(self, launched=launched), Ask(launched, trace, memory)
        try:
            found = accesses(trace.elements, trace.loops, launched.pointees)
            return Followed(case, trace, ask, found, trace.stopped)
        except (InexpressibleError, RecursionError, budget.OutOfTimeError) as error:
            return Followed(case, trace, ask, (), error)


@dataclass(frozen=True, eq=False)
class Followed:
    """What one lane of any wave does: every element that it accesses, and the same put together to accesses."""

    case: LaunchedKernel
    trace: Trace
    ask: Ask  # who is asked of it
    accesses: tuple[TracedAccess, ...]
    stopped: Exception | None = None  # by what it could not be followed any further

    def complete(self) -> Followed:
        """This one.  Raises what stopped it."""
        if self.stopped is not None:
            raise self.stopped
        return self

    @property
    def launched(self) -> KernelLaunch:
        """Its launch, for all sizes."""
        return self.case.launched

    @cached_property
    def costs(self) -> tuple[Fact, ...]:
        """What its accesses cost."""
        return tuple(facts(self.accesses, self.launched))

    @cached_property
    def flags(self) -> Flags:
        """The words by which its waves tell others, which wait for these."""
        return Flags(self.ask, self.accesses)

    @cached_property
    def beginning(self) -> Beginning:
        """What its loads bring of what tensors that it stores to hold when it begins."""
        return Beginning.of(self.ask, self.accesses)

    @cached_property
    def knowing_beginning(self) -> Followed:
        """The same, asked with that."""
        at_first = self.beginning.at_first
        ask = knowing(self.ask, at_first)
        return replace(self, ask=ask, trace=ask.trace, accesses=with_known(self.accesses, ask, at_first))

    @property
    def of_tensors(self) -> tuple[TracedAccess, ...]:
        """Its accesses of tensors."""
        return tuple(one for one in self.accesses if one.memory != LDS)

    @property
    def of_lds(self) -> tuple[TracedAccess, ...]:
        """Its accesses of LDS, each as one, whichever way its wave came there."""
        return tuple(one for one in self.accesses if one.memory == LDS)

    @cached_property
    def lds(self) -> LdsTables:
        """Its accesses of LDS."""
        return LdsTables.of(self.accesses, self.launched)

    @cached_property
    def lds_races(self) -> LdsRaces:
        """Which of these may race."""
        return LdsRaces(self.lds, self.ask)

    @cached_property
    def lds_reads(self) -> Initialised:
        """What is read of LDS, and who stored it before."""
        return Initialised(self.lds, self.ask)

    @cached_property
    def undefined(self) -> Undefined:
        """Which threads' terms may be made of what nothing wrote."""
        return Undefined(self.lds.block, self.trace)

    @cached_property
    def computed(self) -> ComputesClaim:
        """What it stores, in terms."""
        trace, loops = self.trace.elements, self.trace.loops
        return ComputesClaim(self.case.file, self.launched, trace, self.ask.holds, loops, _trace_of)

    def given(self, access: TracedAccess) -> Expr:
        """Where an access happens."""
        return all_of(self.launched.given, access.guard)

    def decide(self, claim: str, access: TracedAccess, goal: Expr, limits: Limits = CLAIM) -> Answer:
        """The prover's verdict on what a claim says of an access, wherever it happens."""
        if goal is TRUE:  # as it was built
            return shown(str(access), "intervals")
        number, size = self.launched.thread_number, self.case.code.kernel.wave_size
        show = (
            Shown("block", self.launched.blocks), Shown("thread", self.launched.threads),
            Shown("lane", (mod(number, size),)), Shown("of wave", (div(number, size),)),
        )  # fmt: skip
        return self.ask.decide(str(access), ForAll(claim, goal, self.given(access), show), limits)


def _trace_of(code: MachineCode, file: SpecFile) -> Sequence[TracedElement]:
    """What another kernel accesses."""
    return LaunchedKernel.of(code, file).follow().complete().trace.elements
