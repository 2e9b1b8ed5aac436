"""`prove`: a claim decided, with a verdict that says how.

First transform by transform, by algebra (microseconds, all sizes); if a transform does not do alone, the exact
obligations by every strategy.  `Bijective` needs an inverse for padded descriptors; without one it is counted.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from layoutalg.index import names
from layoutalg.layout import NoInverseError
from layoutalg.prove.claims import Claim
from layoutalg.prove.decide import STRATEGIES, decide, decide_quickly
from layoutalg.prove.domain import InexpressibleError
from layoutalg.prove.obligation import Injective, Obligation
from layoutalg.prove.outcome import Fails, GaveUp, Holds, Limits
from layoutalg.prove.verdict import Proved, Refuted, Unknown, Verdict, Witness

DEFAULT = Limits()


def prove(claim: Claim | Obligation, *, strategy: str | None = None, limits: Limits = DEFAULT) -> Verdict:
    """The verdict on a claim; `strategy` forces one of `STRATEGIES` on every obligation.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> from layoutalg.prove import Injective
    >>> prove(Injective(make_naive_tensor_descriptor((3, 2), (2, 3)))).name
    'proved'
    >>> prove(Injective(make_naive_tensor_descriptor((4, 3), (2, 3)))).reason
    'offsets differ fails: index (0, 2), offset 6 and index (3, 0), offset 6'
    """
    if strategy is not None and strategy not in STRATEGIES:
        raise ValueError(f"no strategy {strategy!r}; there are {', '.join(STRATEGIES)}")
    start = time.perf_counter()
    if not isinstance(claim, Claim):
        return _exactly(claim.label, [claim], strategy, limits, start)
    try:
        if strategy is None and _locally(claim):
            return Proved(claim.statement(), "transform by transform", time.perf_counter() - start)
        return _exactly(claim.statement(), claim.obligations(), strategy, limits, start)
    except (NoInverseError, InexpressibleError) as error:
        return Unknown(claim.statement(), "portfolio", time.perf_counter() - start, why=str(error))


def _locally(claim: Claim) -> bool:
    try:
        obligations = claim.local_obligations()
        return obligations is not None and all(isinstance(decide_quickly(o), Holds) for o in obligations)
    except InexpressibleError:
        return False


def _exactly(
    statement: str, obligations: Iterable[Obligation], strategy: str | None, limits: Limits, start: float
) -> Verdict:
    used: dict[str, None] = {}
    unknown: list[str] = []
    for obligation in obligations:
        outcome = decide(obligation, limits, strategy)
        if isinstance(outcome, Fails):
            seconds = time.perf_counter() - start
            return Refuted(statement, outcome.strategy, seconds, witness=witness(obligation, outcome))
        if isinstance(outcome, GaveUp):
            unknown.append(f"{obligation.label}: {outcome.reason}")
        else:
            used[outcome.strategy] = None
    seconds = time.perf_counter() - start
    if unknown:
        return Unknown(statement, strategy or "portfolio", seconds, why="; ".join(unknown))
    return Proved(statement, " + ".join(used) or "intervals", seconds)


def witness(obligation: Obligation, outcome: Fails) -> Witness:
    """The counterexample in words and numbers; sizes are named, indices are shown as the obligation shows them."""
    found = outcome.points
    if isinstance(obligation, Injective):
        found = tuple(sorted(found, key=lambda point: [point[v] for v in obligation.over]))
    points = tuple({v.value.name: n for v, n in point.items()} for point in found)
    shown = names(*(e for s in obligation.show for e in s.exprs)) if obligation.show else set()
    texts = [", ".join(s.at(point) for s in obligation.show) for point in found]
    sizes = {n: k for n, k in points[0].items() if not obligation.show or n not in shown or _is_size(obligation, n)}
    where = ", ".join(f"{n} = {k}" for n, k in sizes.items())
    text = " and ".join(t for t in texts if t)
    return Witness(points, f"{obligation.label} fails: {text or where}" + (f" (for {where})" if text and where else ""))


def _is_size(obligation: Obligation, name: str) -> bool:
    limits = [v.value.extent for v in obligation.variables if v.value.extent is not None]
    return name in names(*limits) if limits else False
