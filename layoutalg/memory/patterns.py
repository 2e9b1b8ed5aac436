"""Which lanes may take part where sizes are symbols: finitely many patterns, each with what makes it happen.

A tail's condition splits into a number of sizes alone and one of the lane alone, which is known for each lane:

    block·64 + lane < M    ⇔    S ≥ lane   with S = M − 1 − block·64

so the lanes that take part are those up to S, and there are as many patterns as lanes, and one more: S below all of
them, S from one to the next, S at the last or past it.  Of a condition that does not split, each way in which its few
different instances can hold is a pattern.  Where there are several conditions, patterns are met with each other.

    patterns of  lane < 48, row·8 + lane // 8 < M   : lanes 0 … 8k − 1 for k = 0 … 6, where row·8 + k − 1 < M ≤ …

Not every pattern need happen for some sizes: what is true of all of them is true of those that do, and a pattern that
breaks a claim is put to the solver.  What it cannot represent: many instances that do not split (then None).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product

from layoutalg.index import (
    FALSE,
    TRUE,
    Expr,
    all_of,
    conjuncts,
    eq,
    lookup,
    negation,
    simplify,
    slack,
    substitute,
    variables,
)
from layoutalg.index.evaluate import value
from layoutalg.index.normal import normal, recover
from layoutalg.index.poly import Poly
from layoutalg.memory.reach import Reach
from layoutalg.memory.waves import others
from layoutalg.prove.decide import decide
from layoutalg.prove.obligation import ForAll, Point, Shown, in_domain
from layoutalg.prove.outcome import Fails, Holds, Limits
from layoutalg.records import dataclass

MOST_PATTERNS = 1 << 11
"""Patterns of one access."""
MOST_INSTANCES = 8
"""Different instances of a condition that does not split."""


@dataclass(frozen=True)
class Pattern:
    """The lanes that take part where `given` holds (of sizes and variables)."""

    given: Expr
    lanes: frozenset[int]

    def __str__(self) -> str:
        return f"lanes {', '.join(map(str, sorted(self.lanes)))} alone" if self.lanes else "no lanes"

    def mask(self, lane: Expr) -> Expr:
        """Whether a lane is one of them."""
        return eq(lookup([int(n in self.lanes) for n in range(int(lane.hi) + 1)], lane), 1)


def patterns(access: Reach) -> list[Pattern] | None:
    """Patterns of which one holds at all values that the access is given for; None where they are too many."""
    found = [Pattern(access.condition, frozenset(range(access.lanes.lanes)))]
    for ways in _ways(access):
        if ways is None or len(found) * len(ways) > MOST_PATTERNS:
            return None
        met = (Pattern(all_of(a.given, b.given), a.lanes & b.lanes) for a, b in product(found, ways))
        found = [pattern for pattern in met if simplify(pattern.given) is not FALSE]
    return found


def happens(access: Reach, pattern: Pattern, at: Point, limits: Limits) -> Point | bool | None:
    """Values at which a pattern happens together with some that are fixed; False where it never does, None: unknown."""
    over = others(access, access.start, *access.lanes.index)
    shown = (Shown("at", tuple(v for v in over if v not in at)),)
    given = substitute(pattern.given, dict(at))
    outcome = decide(ForAll("these lanes never take part alone", negation(given), show=shown), limits)
    if not isinstance(outcome, Fails):
        return False if isinstance(outcome, Holds) else None
    point = {**outcome.points[0], **at}
    return point if in_domain(point, tuple(over)) else None


def _ways(access: Reach) -> Iterator[list[Pattern] | None]:
    """The patterns of each condition; conditions on one number of sizes are one, by what each lane needs of it."""
    lane, found = access.lanes.lane, dict[Expr, list[int]]()
    for part in conjuncts(access.mask):
        split = _split(part, lane)
        if split is None:
            yield _instances(part, lane)
            continue
        sizes, needs = split
        found[sizes] = list(map(max, found.get(sizes, needs), needs))
    yield from (_steps(sizes, needs) for sizes, needs in found.items())


def _split(part: Expr, lane: Expr) -> tuple[Expr, list[int]] | None:
    """A number of sizes alone, and how large each lane needs it to be."""
    room = slack(part)
    if room is None:
        return None
    terms = recover(normal(room)).terms
    own = Poly({m: k for m, k in terms.items() if not m or lane in variables(*m)}).expr()
    sizes = Poly({m: k for m, k in terms.items() if m and lane not in variables(*m)}).expr()
    if variables(own) != (lane,) and own.op != "const":
        return None
    return sizes, [-value(own, {lane: n}) for n in range(int(lane.hi) + 1)]


def _steps(sizes: Expr, needs: list[int]) -> list[Pattern]:
    """From below what any lane needs up to what all do."""
    steps = sorted(set(needs))
    up_to = [frozenset(n for n, need in enumerate(needs) if need <= step) for step in steps]
    between = [
        Pattern(all_of(a <= sizes, sizes < b), lanes) for (a, b), lanes in zip(pairwise(steps), up_to, strict=False)
    ]
    ways = (Pattern(sizes < steps[0], frozenset()), *between, Pattern(steps[-1] <= sizes, up_to[-1]))
    return [way for way in ways if way.given is not FALSE]


def _instances(part: Expr, lane: Expr) -> list[Pattern] | None:
    """Each way in which a condition's instances, lane by lane, can hold or fail."""
    each = {n: simplify(substitute(part, {lane: n})) for n in range(int(lane.hi) + 1)}
    different = [e for e in dict.fromkeys(each.values()) if e.op != "const"]
    if len(different) > MOST_INSTANCES:
        return None
    found = []
    for truths in product((True, False), repeat=len(different)):
        known = {TRUE: True, FALSE: False, **dict(zip(different, truths, strict=True))}
        given = all_of(*(e if known[e] else negation(e) for e in different))
        found.append(Pattern(given, frozenset(n for n, e in each.items() if known[e])))
    return found
