"""What is refuted, is shown by a run: the kernel is carried out at small sizes (`runs`), and where a claim fails: there
the blocks of the prover's witness alone (`alone`).

| a run | shows |
|---|---|
| faults at an instruction that a claim is about, in a way that the claim speaks of | that the claim fails |
| faults elsewhere, or otherwise | that the kernel is not safe, and nothing of the claim |
| leaves something else than an equation says, or a part of a tensor as it was (`trial`) | that this claim fails |

Faults are sought where a claim of safety is open: where all those are proved, no run has one.

Of a claim that speaks of no faults (figures, what the runtime refuses to start, numbers that wrap at large sizes) the
prover's witness is enough.  An unaligned access of less than a dword's elements shows nothing: LLVM joins neighbouring
accesses of bytes, wherever they are, and a run does not tell such from what is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import partial

from layoutalg.audit.alone import Alone
from layoutalg.audit.claims import aligned, computes, in_bounds, stores_all
from layoutalg.audit.claims.claim import Finding
from layoutalg.audit.claims.safety import SAFETY
from layoutalg.audit.claims.table import RUNS, named
from layoutalg.audit.runs import FaultyRun, Runs
from layoutalg.audit.scenes import Scene, scene
from layoutalg.audit.trial import differing_runs, unstored_run
from layoutalg.formats.equation import Equation
from layoutalg.formats.launch import Launch
from layoutalg.index import budget
from layoutalg.prove import Refuted, Unknown, Verdict, Witness
from layoutalg.records import dataclass
from layoutalg.symex.trace import Trace
from layoutalg.target.model import DWORD

#: The instructions that a claim is about, or a loop by its head.
SUBJECTS = re.compile(r"(?:^|;) *(?:the loop at )?(0x[0-9a-f]+)")

_SAFETY = frozenset(one.NAME for one in SAFETY)

#: How a run says that a store is in a tensor, and in none of its elements.
BETWEEN = "between its elements"


@dataclass
class Refutation:
    """Findings once the kernel was carried out."""

    runs: Runs
    launch: Launch
    seconds: float  # of the runs of one equation or tensor, and of all of blocks alone
    trace: Trace = field(default_factory=Trace)
    shown: dict[tuple[str, str], FaultyRun] = field(default_factory=dict)  # the runs that refute, by claim and about
    tried: dict[str, int] = field(default_factory=dict)  # tensor → runs that gave what its equation to try says

    def __post_init__(self) -> None:
        self.alone = Alone(self.runs, self.seconds)

    def findings(self, decided: Sequence[Finding]) -> Iterator[Finding]:
        """What was decided: refuted where a run shows it, and, but for claims that speak of no faults, nowhere else."""
        proved = {one.about for one in decided if one.claim == computes.NAME and one.verdict}
        computed = [*map(self._computed, decided), *self._tried(proved)]
        found = [*map(self._carried_out, computed)]
        left = [one.claim for one in found if not one.verdict]
        faulty = _Seen(self._faulty(not _SAFETY.isdisjoint(left))) if left else ()
        for one in found:
            unknown = isinstance(one.verdict, Unknown) and named(one.claim).FAULTS
            run = next((run for run in faulty if self.is_of(run, one)), None) if unknown else None
            if run is not None:
                self.shown[one.claim, one.about] = run
                yield one._replace(verdict=_refuted(one.verdict.claim, Witness((run.sizes,), str(run))))
            else:
                yield one
        first = None if self.shown else next(iter(faulty), None)
        if first is not None:
            self.shown[RUNS, ""] = first
            yield Finding(RUNS, "", _refuted("a run does no wrong", Witness((first.sizes,), str(first))))

    def _faulty(self, sought: bool) -> Iterator[FaultyRun]:
        """All runs that fault, made as far as they are asked for; those that were made, where none is sought."""
        yield from self.runs.met
        if not sought:
            return
        yield from self.runs.faulty()
        yield from self.alone.found()
        yield from self.alone.ends()

    # What comes out

    def _computed(self, one: Finding) -> Finding:
        """An equation, or that all of a tensor is stored to, that is not proved."""
        if not isinstance(one.verdict, Unknown) or one.claim not in (computes.NAME, stores_all.NAME):
            return one
        if one.claim == stores_all.NAME:
            shown = self._in_time(partial(unstored_run, one.about, self.runs))
        else:
            equation = next(each for each in self.launch.computes if each.text == one.about)
            shown = self._in_time(lambda: next(filter(None, differing_runs(equation, self.runs)), None))
        return one if shown is None else one._replace(verdict=_refuted(one.claim, shown))

    def _tried(self, proved: Collection[str]) -> Iterator[Finding]:
        """Each equation that is to be tried and is not proved, where a run refutes it."""
        for equation in (one for one in self.launch.tried if one.text not in proved):
            shown = self._in_time(partial(self._try, equation))
            if shown is not None:
                yield Finding(computes.NAME, equation.text, _refuted(computes.NAME, shown))

    def _try(self, equation: Equation) -> Witness | None:
        """Counts runs that give what an equation says, up to one that does not."""
        self.tried[equation.tensor] = 0
        for shown in differing_runs(equation, self.runs):
            if shown is not None:
                return shown
            self.tried[equation.tensor] += 1
        return None

    def _in_time(self, find: Callable[[], Witness | None]) -> Witness | None:
        return budget.in_time(self.seconds, find, lambda _: None)

    # Faults

    def _carried_out(self, one: Finding) -> Finding:
        """A claim that was refuted, with the run that shows it; unknown where none does."""
        verdict = one.verdict
        if not isinstance(verdict, Refuted) or named(one.claim).FAULTS is None:
            return one
        at = scene(verdict.witness, self.runs.launched, self.trace)
        run = next((run for run in self._near(one, at) if self.is_of(run, one)), None)
        if run is None:
            return one._replace(verdict=self._unshown(one, at, verdict))
        self.shown[one.claim, one.about] = run
        return one._replace(verdict=replace(verdict, witness=replace(verdict.witness, text=f"{verdict.reason}; {run}")))

    def _near(self, one: Finding, at: Scene) -> Iterator[FaultyRun]:
        """Runs at these sizes, and at others, that fault; unaligned accesses do for the claim `aligned` alone."""
        strict = one.claim == aligned.NAME
        yield from self.runs.faulty(at.sizes, strict=strict)
        yield from self.alone.faulty(at, strict)

    def _unshown(self, one: Finding, at: Scene, verdict: Refuted) -> Verdict:
        """That no run shows a claim to fail, and what runs did."""
        first = next(self._near(one, at), None)
        if first is not None and one.claim == aligned.NAME and first.fault.kind == "alignment":
            why = f"{first}, which a compiler that joins narrower accesses makes too"
        elif first is not None:
            why = f"runs end before, at {first.address:#x} ({first.fault.kind}); mend that first"
        else:
            why = f"no run shows it ({'; '.join(filter(None, (self.runs.said, self.alone.said(at))))})"
        told = f"{why}: {verdict.reason}"
        return Unknown(verdict.claim, verdict.strategy, verdict.seconds, verdict.assumptions, told, verdict.witness)

    def is_of(self, run: FaultyRun, one: Finding) -> bool:
        """Whether a run shows that a claim fails: its own instruction does what it says that none does."""
        between = one.claim == in_bounds.NAME and BETWEEN in run.fault.what
        if one.claim == aligned.NAME and " updates " not in one.about:
            tensor = self.runs.launched.tensors.get(run.fault.facts.get("tensor", ""))
            if tensor is None or tensor.element < DWORD:
                return False  # compilers join bytes and halves, in LDS too, whose elements nobody says
        spoken_of = {int(number, 16) for number in SUBJECTS.findall(one.about)}
        return (between or run.fault.kind in (named(one.claim).FAULTS or ())) and not spoken_of.isdisjoint(
            run.addresses
        )


class _Seen(Iterable[FaultyRun]):
    """What comes one by one and is kept, so that it can be gone over again."""

    def __init__(self, coming: Iterator[FaultyRun]) -> None:
        self._coming, self._seen = coming, list[FaultyRun]()

    def __iter__(self) -> Iterator[FaultyRun]:
        yield from self._seen
        for one in self._coming:
            self._seen.append(one)
            yield one


def _refuted(claim: str, shown: Witness) -> Refuted:
    """The verdict on a claim that a run alone refutes."""
    return Refuted(claim, "a run", 0.0, (), shown)
