"""Whether a kernel that anybody compiled is safe as it is launched: every claim with its verdict, for all sizes.

The machine code is followed by the symbolic machine, one unknown lane on all ways; what it accesses is held against the
launch (`accesses`), against itself in other lanes (`global_memory`, `lds`), and the launch against the target.
What following it takes for granted is a claim too: `followed` fails with the instruction and the reason.

| claim | says |
|---|---|
| `launchable` | the target has the LDS, and the runtime starts as many threads and blocks |
| `followed` | instructions are described, data are waited for, LDS is done at barriers, and all waves meet there |
| `ends` | each loop leaves in the turn that its count says, and in none before |
| `in_bounds`, `aligned`, `no_overflow`, `read_only`, `lds_in_bounds` | of each access: see `accesses` |
| `defined` | of each store: what it stores was written before |
| `race_free` | no two threads meet: `global_memory`, and of LDS `lds` |
| `initialised` | what is read of LDS was stored there: `lds` |
| `computes` | of each equation of the launch: the kernel stores what it says, everywhere: `claims.computes` |
| `stores_all` | where the launch claims it: every element of what is written is stored to: `claims.computes` |
| `bank_conflict_free`, `coalesced` | where the launch claims them: each access costs the least: `claims.costs` |
| `runs` | only where one faults, tried where a claim fails: `runs` |

What a launch says that runs are to try (`tried`) is refuted where one is another, as `computes`, and else not claimed.
A kernel with preloaded arguments is audited from both of its entries.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from layoutalg.audit.accesses import LDS, AccessQuestion, TracedAccess, accesses, questions
from layoutalg.audit.claims.computes import ComputesClaim
from layoutalg.audit.claims.costs import Fact, facts
from layoutalg.audit.claims.names import ASKED, asked
from layoutalg.audit.global_memory.races import Meeting, meetings
from layoutalg.audit.known import Known
from layoutalg.audit.lds.findings import lds_findings
from layoutalg.audit.lds.tables import LdsFinding
from layoutalg.audit.runs import Claimed, FaultyRun, Runs
from layoutalg.audit.trial import Trial, refuting_run, tried, unstored_run
from layoutalg.errors import DeviceError, LaunchError
from layoutalg.formats.equation import Equation
from layoutalg.formats.model import SpecFile
from layoutalg.index import TRUE, InexpressibleError, all_of, budget, div, mod, variables
from layoutalg.index.evaluate import limits
from layoutalg.isa.decode.code import MachineCode
from layoutalg.launch.symbolic import MOST_BLOCKS, MOST_THREADS, KernelLaunch
from layoutalg.prove import (
    ForAll,
    Limits,
    Obligation,
    Proved,
    Refuted,
    Shown,
    Unknown,
    Verdict,
    Verdicts,
    Witness,
    prove,
)
from layoutalg.refine.refinement import STANDING, WITHOUT_PRELOAD
from layoutalg.symex.loops.execution import SymbolicExecution
from layoutalg.symex.loops.found import FoundLoops
from layoutalg.symex.machine.machine import SymbolicMachine
from layoutalg.symex.machine.state import TracedElement
from layoutalg.symex.values.uninterpreted import ASSUMPTION, UninterpretedFunctions
from layoutalg.target import target as gpu

#: The solver's steps for a claim (`refine.simulation.questions` has their measure).
WANTED = Limits(steps=2_000_000)

#: What the whole of a question in parts may take, and how many open parts say that it is open.
WHOLE, MOST_OPEN = Limits(seconds=2.0, steps=500_000, choices=8), 4

#: The part of the time that is for runs.
RUNS_SHARE = 1 / 6


@dataclass(frozen=True)
class Audit(Verdicts):
    """Every claim on a launch, in order, each with what it is about."""

    kernel: str
    target: str
    claims: tuple[Claimed, ...]
    assumptions: tuple[str, ...] = ()
    shown: Mapping[tuple[str, str], FaultyRun] = field(default_factory=dict)  # the runs that refute, by claim and about
    facts: tuple[Fact, ...] = ()
    unclaimed: tuple[str, ...] = ()  # of what comes out
    ended: tuple[str, ...] = ()  # barriers that waves passed in a run without others, which had ended (`isa.run`)

    @property
    def verdicts(self) -> tuple[tuple[str, Verdict], ...]:  # type: ignore[override]
        """Each claim with what it is about, and its verdict."""
        return tuple((f"{claim}: {about}", verdict) for claim, about, verdict in self.claims)

    @property
    def name(self) -> str:
        """`proved`, `refuted` where some claim is, else `unknown`."""
        if self.proved:
            return "proved"
        return "refuted" if any(isinstance(verdict, Refuted) for _, verdict in self.verdicts) else "unknown"


def audit(code: MachineCode, file: SpecFile, seconds: float = 60) -> Audit:
    """Decides every claim on a kernel and its launch within so many seconds.

    Raises `LaunchError` where the launch is none of the kernel's, or asks for claims that there are not.
    """
    asked(file.launch.claims if file.launch else ())
    launched = KernelLaunch.of(code.kernel, file)
    each = seconds / 2 if code.kernel.preloaded else seconds
    auditor = _Auditor(code, launched, file, each * (1 - RUNS_SHARE))
    auditor.runs.seconds = min(auditor.runs.seconds, each * RUNS_SHARE)
    claims = tuple(auditor.runs.carried_out(auditor.claims()))
    shown = dict(auditor.runs.shown)
    if code.kernel.preloaded:
        other = audit(code.without_preload, file, each)
        claims += tuple((claim, _unloaded(about), verdict) for claim, about, verdict in other.claims)
        shown |= {(claim, _unloaded(about)): run for (claim, about), run in other.shown.items()}
    return Audit(
        code.kernel.name, code.kernel.target, claims, tuple(auditor.assumptions()), shown, auditor.facts,
        tuple(auditor.unclaimed()), tuple(auditor.runs.ended),
    )  # fmt: skip


def _unloaded(about: str) -> str:
    return f"{about} ({WITHOUT_PRELOAD})".strip()


def followed(code: MachineCode, file: SpecFile, seconds: float = 60) -> tuple[KernelLaunch, tuple[TracedAccess, ...]]:
    """What a kernel accesses, launched as a file says; raises what following it raises, among it `NotReadable`."""
    launched = KernelLaunch.of(code.kernel, file)
    with budget.within(seconds):
        return launched, _Auditor(code, launched, file, seconds).followed()


class _Auditor:
    """Follows the code and asks the prover."""

    def __init__(self, code: MachineCode, launched: KernelLaunch, file: SpecFile, seconds: float) -> None:
        if LDS in launched.tensors:
            raise LaunchError(f"{LDS} is what a block's own memory is called here; give the descriptor another name")
        self.code, self.launched, self.file, self.seconds = code, launched, file, seconds
        self.trace: Sequence[TracedElement] = ()
        self.rests: dict[str, None] = {}  # what verdicts on equations and costs assume besides
        number = launched.thread_number
        wave, lane = div(number, code.kernel.wave_size), mod(number, code.kernel.wave_size)
        self.shown = (
            Shown("block", launched.blocks), Shown("thread", launched.threads), Shown("lane", (lane,)),
            Shown("of wave", (wave,)),
        )  # fmt: skip
        self.loops, self.runs = FoundLoops(), Runs(code, launched, file)
        self.known = Known(launched, self.loops)
        self.cuts: set[tuple[int, int]] = set()  # how what was cut to a word is written
        self.asked = asked(file.launch.claims if file.launch else ())
        self.facts: tuple[Fact, ...] = ()
        self.trials: dict[str, Trial] = {}  # of the tensors of which an equation is to be tried

    def claims(self) -> tuple[Claimed, ...]:
        """Every claim, decided; where the time is up before all are known, that some are not."""
        found: list[Claimed] = []
        try:
            with budget.within(self.seconds):
                found.extend(self._each())
                found.extend(self._computed(found))
        except budget.OutOfTimeError:
            found.append(_late("followed", "what is left"))
        return (*map(self._ordered, found), *self._not_reached(found), *self._tried())

    def _ordered(self, claimed: Claimed) -> Claimed:
        """A race that is refuted, but where waves may be ordered by what they wait for in memory: then it is open."""
        claim, about, verdict = claimed
        if claim != "race_free" or not isinstance(verdict, Refuted) or (waiting := self.known.waiting()) is None:
            return claimed
        waits = f"the loop at {waiting:#x} waits for what another wave stores, which may order them"
        why = f"perhaps: {verdict.reason}; {waits}"
        return claim, about, Unknown(verdict.claim, verdict.strategy, verdict.seconds, (), why)

    def _each(self) -> Iterator[Claimed]:
        yield from self._launchable()
        try:
            found = self.followed()
        except (DeviceError, InexpressibleError, RecursionError) as error:
            yield "followed", "", Unknown("the machine code is followed", "reading", 0.0, (), str(error))
            return
        finally:
            if self.known.waiting() is not None:
                self.runs.ignore("race")
        yield "followed", "", Proved("the machine code is followed", "reading", 0.0)
        for claim in self.loops.claims:
            yield self._decided("ends", claim.label, claim.assuming(self.launched.given))
        for one in questions(found, self.launched, self.known.loaded, self.cuts):
            claimed = self._read(one)
            yield claimed if one.claim != "no_overflow" else self._evaluated(claimed, one)
        for meeting in meetings(found, self.launched, self.known.distinct):
            yield self._apart(meeting)
        for finding in lds_findings(found, self.launched):
            yield self._tabled(finding)
        self.facts = tuple(facts(found, self.launched))
        for fact in self.facts:
            if fact.claim in self.asked:
                self.rests |= dict.fromkeys(fact.verdict.assumptions)
                yield fact.claim, fact.about, fact.verdict

    def _computed(self, others: Sequence[Claimed]) -> Iterator[Claimed]:
        """What the launch says that comes out, where all else is as it should be."""
        launch = self.file.launch
        assert launch is not None
        if not launch.computes and "stores_all" not in self.asked:
            return
        left = next((f"{claim}: {about}" for claim, about, verdict in others if not verdict and claim not in ASKED), "")
        rests = f"it rests on {left}, which is not proved" if left else ""
        computed = ComputesClaim(self.file, self.launched, self.trace, self.known.in_range, self.loops, self._statement)
        for tensor in launch.writes if "stores_all" in self.asked else ():
            yield self._stored(tensor, computed.unstored(tensor) or rests)
        for one in computed.compared() if launch.computes else ():
            why = one.why or rests  # a kernel that stores nothing computes nothing
            if not why:
                self.rests |= dict.fromkeys((ASSUMPTION, *one.assumed))
                yield "computes", one.equation.text, Proved("computes", "terms", 0.0)
                continue
            left_open = "computes", one.equation.text, Unknown("computes", "terms", 0.0, (), why)
            yield self._refuted(one.equation) or left_open

    def _refuted(self, equation: Equation) -> Claimed | None:
        """An equation that a run refutes."""
        shown = refuting_run(equation, self.file, self.runs)
        return None if shown is None else ("computes", equation.text, Refuted("computes", "a run", 0.0, (), shown))

    def _stored(self, tensor: str, why: str) -> Claimed:
        """That all of a tensor is stored to, or why that is not seen; refuted where a run leaves a part of it."""
        if not why:
            return "stores_all", tensor, Proved("stores_all", "coverage", 0.0)
        shown = budget.in_time(self.runs.seconds, partial(unstored_run, tensor, self.runs), lambda _: None)
        if shown is not None:
            return "stores_all", tensor, Refuted("stores_all", "a run", 0.0, (), shown)
        return "stores_all", tensor, Unknown("stores_all", "coverage", 0.0, (), why)

    def _tried(self) -> Iterator[Claimed]:
        """Each equation that is to be tried, where a run refutes it, in the time that runs have."""
        assert self.file.launch is not None
        for one in self.file.launch.tried:
            trial = self.trials[one.tensor] = Trial()
            held = partial(trial.hold, tried(one, self.file, self.runs))
            budget.in_time(self.runs.seconds, held, lambda _: None)
            if trial.refuted is not None:
                yield "computes", one.text, Refuted("computes", "a run", 0.0, (), trial.refuted)

    def unclaimed(self) -> Iterator[str]:
        """What of what comes out no claim is about."""
        launch = self.file.launch
        assert launch is not None
        claimed = {one.tensor for one in launch.computes}
        for tensor in (one for one in launch.writes if one not in claimed):
            trial = self.trials.get(tensor, Trial())
            if trial.refuted is not None:
                continue
            yield f"what {tensor} holds{f' ({trial.count} runs at small sizes gave it)' if trial.count else ''}"
            if "stores_all" not in self.asked:
                yield f"that all of {tensor} is stored to"

    def _not_reached(self, found: Sequence[Claimed]) -> Iterator[Claimed]:
        """Each equation for which the time did not suffice: refuted where a run does it, in the time that runs have."""
        assert self.file.launch is not None
        decided = {about for claim, about, _ in found if claim == "computes"}
        for one in self.file.launch.computes:
            if one.text not in decided:
                tried = partial(self._refuted, one)
                yield budget.in_time(self.runs.seconds, tried, lambda _: None) or _late("computes", one.text)

    def _statement(self, code: MachineCode, file: SpecFile) -> Sequence[TracedElement]:
        """What another kernel accesses."""
        other = _Auditor(code, KernelLaunch.of(code.kernel, file), file, self.seconds)
        other.followed()
        return other.trace

    def assumptions(self) -> Iterator[str]:
        """What every verdict assumes."""
        yield from self.rests
        launch = self.launched
        sizes = ", ".join(limits(v) for v in launch.sizes.values())
        yield from [f"sizes: {sizes}"] if sizes else []
        yield from [f"of the sizes: {launch.limits}"] if launch.limits is not TRUE else []
        yield from launch.assumed
        for one in launch.tensors.values():
            for limit, word in zip(one.assumed, ("at least", "at most"), strict=True):
                yield from [f"every element of {one.name} is {word} {limit}"] if limit is not None else []
            yield from [f"no two elements of {one.name} are equal"] if one.distinct else []
            if one.written and one.elements.assumed:
                yield f"every place in the memory of {one.name} is one of its elements"
        yield from STANDING
        doubt = self.code.kernel.machine.evidence.doubt
        yield from [f"{self.code.kernel.target}: {doubt}"] if doubt else []

    def _launchable(self) -> Iterator[Claimed]:
        launched, kernel = self.launched, self.code.kernel
        # AMDGPUUsage, "Code Object V3 Kernel Metadata": .max_flat_workgroup_size is the most work-items that the kernel
        # supports, and of .reqd_workgroup_size "the dispatch work-group size X, Y, Z must correspond".
        refused = kernel.metadata.refuses((*launched.block, 1, 1)[:3])
        if refused:
            yield "launchable", "threads", Refuted("launchable", "metadata", 0.0, (), Witness((), refused))
        else:
            yield "launchable", "threads", Proved("launchable", "metadata", 0.0)
        most = gpu(kernel.target).lds_bytes
        goals = {"LDS": launched.lds_bytes <= most}
        for axis, (count, size) in enumerate(zip(launched.grid, (*launched.block, 1, 1), strict=False)):
            goals[f"grid {'xyz'[axis]}"] = all_of(count >= 1, count <= MOST_BLOCKS, count * size <= MOST_THREADS)
        for about, goal in goals.items():
            yield self._decided("launchable", about, ForAll(about, goal, launched.limits))

    def followed(self) -> tuple[TracedAccess, ...]:
        """What one lane accesses on all ways."""
        launched = self.launched
        machine = SymbolicMachine(
            self.code, launched.arguments, launched.blocks, launched.threads, launched.given,
            {LDS: 1, **{name: one.element for name, one in launched.tensors.items()}}, self.known.in_range,
            UninterpretedFunctions(), launched.packet,
        )  # fmt: skip
        machine.loaded, machine.has_contents = self.known.note, self.known.has_contents
        SymbolicExecution(machine, self.loops.execute, time.monotonic() + budget.left()).run()
        self.trace, self.cuts = machine.trace, machine.w.cuts
        return accesses(machine.trace, self.loops)

    def _apart(self, meeting: Meeting) -> Claimed:
        """Whether two threads never meet; by the parts of the question where the whole is not shown."""
        if meeting.instead is None:
            return self._decided("race_free", meeting.about, meeting.obligation)
        whole = self._decided("race_free", meeting.about, meeting.obligation, WHOLE)
        if isinstance(whole[2], Proved):
            return whole
        left: list[Claimed] = []
        for part in map(self._apart, meeting.instead()):
            if isinstance(part[2], Refuted):
                return part
            left += [] if isinstance(part[2], Proved) else [part]
            if len(left) == MOST_OPEN:
                break
        return left[0] if left else ("race_free", meeting.about, Proved(meeting.obligation.label, "two by two", 0.0))

    def _tabled(self, finding: LdsFinding) -> Claimed:
        """What a table says of LDS, and the prover where it leaves something open."""
        claim, about, asked = finding.claim, finding.about, finding.asked
        if not finding.why:
            return claim, about, Proved(claim, "table", 0.0)
        verdict = None if asked is None else self._decided(claim, about, asked, WHOLE)[2]
        if isinstance(verdict, Proved | Refuted):
            return claim, about, verdict
        return claim, about, Unknown(claim, "table", 0.0, (), finding.why)

    def _read(self, one: AccessQuestion) -> Claimed:
        """Proved by one reading of its words, refuted where none of them holds."""
        for goal in one.readings:
            claimed = self._decided(one.claim, one.about, ForAll(one.claim, goal, one.given, self.shown), WHOLE)
            if isinstance(claimed[2], Proved):
                return claimed
        claimed = self._decided(one.claim, one.about, ForAll(one.claim, one.goal, one.given, self.shown))
        if one.readings and isinstance(claimed[2], Proved):
            why = "whether a word stands for a negative number differs from case to case"
            return one.claim, one.about, Unknown(one.claim, "none", 0.0, (), why)
        return claimed

    def _evaluated(self, claimed: Claimed, one: AccessQuestion) -> Claimed:
        """Refuted where sizes and indices alone decide the formula, which is then the machine's own."""
        claim, about, verdict = claimed
        given = {*self.launched.blocks, *self.launched.threads, *variables(*self.launched.sizes.values())}
        if not isinstance(verdict, Refuted) or given.issuperset(variables(one.goal, one.given)):
            return claimed
        return claim, about, Unknown(claim, verdict.strategy, verdict.seconds, (), f"perhaps: {verdict.reason}")

    def _decided(self, claim: str, about: str, obligation: Obligation, limits: Limits = WANTED) -> Claimed:
        """The prover's verdict."""
        try:
            budget.check()
            known = self.known.of(*obligation.roots)
            asked = obligation if known is TRUE else obligation.assuming(known)
            return claim, about, prove(asked, limits=limits)
        except budget.OutOfTimeError:
            return _late(claim, about)


def _late(claim: str, about: str) -> Claimed:
    return claim, about, Unknown(claim, "none", 0.0, (), "the time for all claims is used up")
