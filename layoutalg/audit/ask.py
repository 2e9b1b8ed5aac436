"""The one way from an audit to the prover: within the time that is left, under all that is known of unknowns.

Of what occurs in a question is known what the launch assumes of loaded data, and what loops leave behind them
(`symex.loops.facts`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import NamedTuple, TypeVar

from layoutalg.audit import answers
from layoutalg.index import TRUE, Expr, budget
from layoutalg.launch.relations import LoadedElement
from layoutalg.launch.symbolic import LDS, KernelLaunch
from layoutalg.prove import Limits, Obligation, Proved, Unknown, Verdict
from layoutalg.records import dataclass
from layoutalg.symex.loops.facts import Asker
from layoutalg.symex.machine.addresses import laid_out
from layoutalg.symex.machine.environment import Environment, TracedLoad
from layoutalg.symex.trace import Trace
from layoutalg.symex.values.instances import At

#: The solver's steps for a claim, and for a value's range (`refine.simulation.questions` has their measure).
CLAIM, RANGE = Limits(steps=2_000_000), Limits(steps=500_000, choices=8)

#: What the whole of a question may take that is asked in parts where it stays open.
WHOLE = Limits(seconds=2.0, steps=500_000, choices=8)

T = TypeVar("T")

LATE = "the time for all claims is used up"


@dataclass(frozen=True)
class Open:
    """What is not seen, and why."""

    why: str

    def __post_init__(self) -> None:
        """What is open has a reason: without one it would read as shown."""
        assert self.why

    @classmethod
    def by(cls, error: Exception) -> Open:
        """What an error, with a message or without, kept from being seen."""
        return cls(str(error) or type(error).__name__)


def each_seen(found: Iterable[T | Open]) -> list[T] | Open:
    """All that is found, up to the first that is not seen: that none of them matters then."""
    seen: list[T] = []
    for one in found:
        if isinstance(one, Open):
            return one
        seen.append(one)
    return seen


class SilenceError(RuntimeError):
    """Of a subject of a claim nothing was found: an error of this program, and never a proof."""


class Answer(NamedTuple):
    """What was found of one subject of a claim: what it is about (an instruction, in most), and the verdict."""

    about: str
    verdict: Verdict


def shown(about: str, by: str, assumed: Sequence[str] = ()) -> Answer:
    """What was shown by other means than the prover, and what is taken for granted there.

    >>> shown("0x40 global_load_dword loads from x", "reading").verdict.name
    'proved'
    """
    return Answer(about, Proved(about, by, 0.0, tuple(assumed)))


def unseen(about: str, left: Open, by: str = "none") -> Answer:
    """What is left open.

    >>> unseen("0x40 global_load_dword loads from x", Open("its lengths are not known")).verdict.reason
    'its lengths are not known'
    """
    return Answer(about, Unknown(about, by, 0.0, (), left.why))


@dataclass(frozen=True)
class AtFirst:
    """What is known of tensors that a kernel stores to from when it begins (`beginning`)."""

    first: frozenset[Expr] = frozenset()  # what is loaded before anybody has stored there
    kept: frozenset[str] = frozenset()  # tensors of which each element is always as it is assumed to begin


@dataclass(frozen=True)
class LaunchMemory(Environment):
    """What is in the tensors of a launch before it; what was asked once is known."""

    launched: KernelLaunch
    at_first: AtFirst = AtFirst()
    _shown: dict[tuple[Expr, Expr], bool] = field(default_factory=dict, compare=False)
    _elements: dict[Expr, tuple[LoadedElement, ...]] = field(default_factory=dict, compare=False)  # by the first value

    def shows(self, goal: Expr, given: Expr) -> bool:
        """Whether something given implies a goal, as far as it is seen soon."""
        if (goal, given) not in self._shown:
            self._shown[goal, given] = answers.shown(goal, given, RANGE)
        return self._shown[goal, given]

    def alike(self, buffer: str) -> bool:
        """Of LDS where `race_free` holds; of a tensor that nobody stores to where `read_only` does."""
        tensor = self.launched.tensors.get(buffer)
        return buffer == LDS or (tensor is not None and not tensor.written)

    def assumed(self, buffer: str, offset: Expr, size: int, values: Sequence[Expr]) -> Expr:
        """What the launch assumes of a tensor's elements."""
        before = buffer in self.at_first.kept or self._is_first(buffer, values)
        tensor = (self.launched.start if before else self.launched.tensors).get(buffer)
        return TRUE if tensor is None else tensor.holds(offset, size, values)

    def _is_first(self, buffer: str, values: Sequence[Expr]) -> bool:
        """Whether what was loaded of a tensor is what it held when the launch began."""
        tensor = self.launched.tensors.get(buffer)
        return tensor is not None and (not tensor.written or self.at_first.first.issuperset(values))

    def related(self, loads: Sequence[tuple[TracedLoad, At]]) -> Expr:
        """What the launch assumes of several elements together, and that a place holds one."""
        first = ((load, place) for load, place in loads if self._is_first(load.buffer, load.values))
        return self.launched.relations.said([one.at(place) for load, place in first for one in self._loaded(load)])

    def _loaded(self, load: TracedLoad) -> tuple[LoadedElement, ...]:
        """The elements that were loaded at once."""
        if load.values[0] not in self._elements:
            self._elements[load.values[0]] = self.launched.relations.loaded(load)
        return self._elements[load.values[0]]

    def has_contents(self, buffer: str, offset: Expr, size: int) -> Expr:
        """When bytes of a tensor are elements; what lies between these was never written."""
        tensor = self.launched.tensors.get(buffer)
        if tensor is None or tensor.elements.each is None:
            return TRUE
        return tensor.inside(laid_out(offset, self.launched.pointees)[1], size, store=True)


class Ask:
    """Questions about one kernel, launched in one way, and what is seen of it."""

    def __init__(self, launched: KernelLaunch, trace: Trace, memory: LaunchMemory | None = None) -> None:
        """`memory`: the one that following asked."""
        self.launched, self.trace = launched, trace
        self._asker = Asker(memory or LaunchMemory(launched), trace.facts)

    def decide(self, about: str, obligation: Obligation, limits: Limits = CLAIM) -> Answer:
        """The prover's verdict; unknown where the time is used up."""
        try:
            budget.check()
            for known in self.trace.facts.where(obligation.given, *obligation.roots):
                found = answers.verdict(obligation if known is TRUE else obligation.assuming(known), limits)
                if isinstance(found, Proved):
                    break
            return Answer(about, found)
        except budget.OutOfTimeError:
            return unseen(about, Open(LATE))

    def holds(self, goal: Expr, given: Expr) -> bool:
        """Whether something given implies a goal, as far as it is seen soon."""
        return self._asker.shows(goal, given)

    def waiting(self) -> int | None:
        """The head of a loop that is left by what it loads of memory that the kernel may store to."""
        tensors = self.launched.tensors
        shared = {v for v, name in self.trace.loaded.items() if name not in tensors or tensors[name].written}
        return next(self.trace.loops.waiting(shared), None)
