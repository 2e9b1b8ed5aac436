"""Verdicts: Proved, Refuted with a witness that has been replayed in exact integers, or Unknown with the reason."""

from __future__ import annotations

from collections.abc import Mapping

from layoutalg.display import Displayed
from layoutalg.index import names
from layoutalg.prove.obligation import ForAll, InjectiveMap, Obligation
from layoutalg.prove.outcome import Fails
from layoutalg.records import dataclass


@dataclass(frozen=True)
class Verdict(Displayed):
    """How a claim was decided: in words what was claimed, by which strategy, in how many seconds, assuming what.

    Its truth is whether the claim is proved: `assert prove(…)` fails on what is refuted, and on what is unknown.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.prove import Injective, prove
    >>> verdict = prove(Injective(naive((8, 64), (60, 1))))
    >>> verdict.name, bool(verdict), verdict.reason
    ('refuted', False, 'offsets differ: not at index (0, 60), offset 60 and index (1, 0), offset 60')
    """

    claim: str
    strategy: str
    seconds: float
    assumptions: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return False

    @property
    def name(self) -> str:
        """`proved`, `refuted` or `unknown`."""
        return type(self).__name__.lower()

    @property
    def reason(self) -> str:
        """Why it is not proved; empty where it is."""
        return ""

    def __str__(self) -> str:
        why = f": {self.reason}" if self.reason else ""
        return f"{self.claim}: {self.name} by {self.strategy} in {self.seconds * 1e3:.2f} ms{why}"


@dataclass(frozen=True)
class Proved(Verdict):
    """The claim holds for all values of its variables.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.prove import Injective, prove
    >>> verdict = prove(Injective(naive((8, 64), (64, 1))))
    >>> isinstance(verdict, Proved), bool(verdict), verdict.claim
    (True, True, 'different valid indices have different offsets')
    """

    def __bool__(self) -> bool:
        return True


@dataclass(frozen=True)
class Witness:
    """Where a claim fails: the value of each variable (two points where it takes two), and what happens there.

    >>> from layoutalg.index import var
    >>> from layoutalg.prove import ForAll, prove
    >>> prove(ForAll("halves", var("i", 64) // 2 <= 30)).witness
    Witness(points=({'i': 62},), text='halves: not at i = 62')
    """

    points: tuple[Mapping[str, int], ...]
    text: str


@dataclass(frozen=True)
class Refuted(Verdict):
    """The claim fails, at the witness.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.prove import Injective, prove
    >>> verdict = prove(Injective(naive((8, 64), (60, 1))))
    >>> isinstance(verdict, Refuted), bool(verdict), verdict.witness.points
    (True, False, ({'i0': 0, 'i1': 60}, {'i0': 1, 'i1': 0}))
    """

    witness: Witness = Witness((), "")

    @property
    def reason(self) -> str:
        """What happens at the witness."""
        return self.witness.text


@dataclass(frozen=True)
class Unknown(Verdict):
    """Neither proved nor refuted within the limits; never a pass.

    >>> bool(Unknown("a claim", "portfolio", 10.0, why="the time is up"))
    False
    """

    why: str = ""
    #: Where the claim fails by the prover, which nothing has shown.
    witness: Witness | None = None

    @property
    def reason(self) -> str:
        """What stopped every strategy."""
        return self.why


class Verdicts:
    """Verdicts on all that is asked of one thing, each with what it is about; true where all are proved.

    >>> class Some(Verdicts):
    ...     verdicts = (("the offset", Proved("0 <= x", "bounds", 0.0)), ("the order", Unknown("x < y", "z3", 1.0)))
    >>> bool(Some()), [about for about, _ in Some().failures]
    (False, ['the order'])
    """

    verdicts: tuple[tuple[str, Verdict], ...]

    def __bool__(self) -> bool:
        return self.proved

    @property
    def proved(self) -> bool:
        """Whether everything is proved, and there is anything."""
        return bool(self.verdicts) and all(isinstance(verdict, Proved) for _, verdict in self.verdicts)

    @property
    def failures(self) -> tuple[tuple[str, Verdict], ...]:
        """What is not proved."""
        return tuple((about, verdict) for about, verdict in self.verdicts if not isinstance(verdict, Proved))


def witness(obligation: Obligation, outcome: Fails) -> Witness:
    """The counterexample in words and numbers; sizes are named, indices are shown as the obligation shows them."""
    found = outcome.points
    if isinstance(obligation, InjectiveMap):
        found = tuple(sorted(found, key=lambda point: [point[v] for v in obligation.over]))
    points = tuple({v.value.name: n for v, n in point.items()} for point in found)
    shown = names(*(e for s in obligation.show for e in s.exprs)) if obligation.show else set()
    texts = [", ".join(s.at(point) for s in obligation.show) for point in found]
    sizes = {n: k for n, k in points[0].items() if not obligation.show or n not in shown or _is_size(obligation, n)}
    where = ", ".join(f"{n} = {k}" for n, k in sizes.items())
    text = " and ".join(t for t in texts if t)
    sizes_too = f" (for {where})" if text and where else ""
    if isinstance(obligation, ForAll) and obligation.told:
        told = obligation.told.format_map({s.name: s.value_at(found[0]) for s in obligation.show})
        return Witness(points, told + sizes_too)
    return Witness(points, f"{obligation.label}: not at {text or where}{sizes_too}")


def _is_size(obligation: Obligation, name: str) -> bool:
    limits = [v.value.extent for v in obligation.variables if v.value.extent is not None]
    return name in names(*limits) if limits else False
