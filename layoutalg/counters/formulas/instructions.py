"""How often each instruction of a launch is issued, by waves: a formula in its sizes, or why there is none.

The kernel is followed once for all sizes (`symex`).  A part of its trace is the instructions that stand between two
changes of EXEC or of the way, with the condition on the wave under which they are carried out; how many waves, in how
many iterations, is the number of points of a box (`sums`).  An instruction that stands in several parts is issued as
often as all of them together.
What it cannot represent: see `waves` and `sums`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from functools import cached_property

from layoutalg.audit.ask import CLAIM, LATE, Answer
from layoutalg.audit.followed import Followed
from layoutalg.counters.formulas.sums import NotCountedError, count
from layoutalg.counters.formulas.waves import CountedCase, Waves
from layoutalg.index import TRUE, ZERO, Expr, InexpressibleError, all_of, budget, simplify, variables
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.records import dataclass
from layoutalg.symex.machine.tracing import TracedSteps
from layoutalg.symex.machine.wave import Wave


@dataclass(frozen=True)
class Issued:
    """An instruction: how often waves issue it, of these without an active lane at most, or why that is not known."""

    instruction: Instruction
    count: Expr = ZERO
    idle: Expr = ZERO
    whole: bool = True  # whether all waves of a block issue it as often, with all their lanes
    why: str = ""

    def and_(self, other: Issued) -> Issued:
        """The same in one more part of the trace."""
        total, idle = simplify(self.count + other.count), simplify(self.idle + other.idle)
        return Issued(self.instruction, total, idle, self.whole and other.whole, self.why or other.why)


@dataclass(frozen=True)
class IssuedCounts:
    """The instructions of one launch that was followed, in blocks of numbers."""

    kernel: Followed
    _found: dict[object, Expr | NotCountedError] = field(default_factory=dict)

    @cached_property
    def waves(self) -> Waves:
        """The waves of the launch."""
        launched = self.kernel.launched
        if any(size.op != "const" for size in launched.block):
            raise NotCountedError("how many threads a block has is a size")
        wave = Wave(launched.kernel.wave_size, launched.blocks, launched.threads)
        blocks = [*zip(launched.blocks, launched.grid, strict=True)]
        return Waves(wave, blocks, self.kernel.trace.loops)

    @cached_property
    def all_waves(self) -> Expr:
        """How many waves there are."""
        return self._count(TracedSteps((), (), None))

    @cached_property
    def each(self) -> Mapping[int, Issued]:
        """By its address, each instruction that is issued."""
        found: dict[int, Issued] = {}
        for steps in self.kernel.trace.steps:
            issued, idle, why = ZERO, ZERO, ""
            try:
                issued = self._count(steps)
                idle = self._idle(steps, issued)
            except NotCountedError as error:
                why = str(error)
            for instruction in steps.instructions:
                one = Issued(instruction, issued, idle, not why and self._is_whole(steps), why)
                before = found.get(instruction.address)
                found[instruction.address] = one if before is None else before.and_(one)
        return dict(sorted(found.items()))

    def claims(self) -> Iterator[Answer]:
        """What the counts rest on: that waves meet at barriers, and that loops end as their counts say."""
        trace, given = self.kernel.trace, all_of(self.kernel.launched.given, self.kernel.launched.exists)
        exact = [one.exactly for one in trace.loops.iterations.values()]
        for claim in (*trace.meetings, *trace.loops.claims, *exact):
            yield self.kernel.ask.decide(claim.label, claim.assuming(given), CLAIM)

    def _is_whole(self, steps: TracedSteps) -> bool:
        """Whether all waves of a block carry steps out as often, with all their lanes."""
        if steps.active is not TRUE or self.waves.wave.occupied is not TRUE:
            return False
        said = [e for case in self.waves.cases(steps) for e in (*case.conditions, *self._extents(case))]
        return self.waves.number not in variables(*said)

    def _extents(self, case: CountedCase) -> Iterator[Expr]:
        yield from (one.extent for one in case.indices if one.extent is not None)

    def _idle(self, steps: TracedSteps, issued: Expr) -> Expr:
        """Of so many, those without an active lane: all, where that is not seen."""
        if steps.active is None:
            return issued
        try:
            return simplify(issued - self._count(steps, steps.active))
        except NotCountedError:
            return issued

    def _count(self, steps: TracedSteps, active: Expr | None = None) -> Expr:
        return self.counted((steps.path, steps.loops, active), lambda: self.waves.cases(steps, active))

    def counted(self, key: object, cases: Callable[[], Iterable[CountedCase]]) -> Expr:
        """How many points cases have, once for each key.  Raises `NotCountedError`."""
        if key not in self._found:
            try:
                each = (count(case.indices, case.conditions, self.holds) for case in cases())
                self._found[key] = simplify(sum(each, start=ZERO))
            except NotCountedError as error:
                self._found[key] = error
            except budget.OutOfTimeError:
                self._found[key] = NotCountedError(LATE)
            except (InexpressibleError, OverflowError) as error:
                self._found[key] = NotCountedError(str(error))
        found = self._found[key]
        if isinstance(found, NotCountedError):
            raise found
        return found

    def holds(self, goal: Expr) -> bool:
        """Whether something holds of all sizes of the launch."""
        return self.kernel.ask.holds(goal, all_of(self.kernel.launched.given, self.kernel.launched.exists))
