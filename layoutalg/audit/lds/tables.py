"""LDS as a table: every thread's addresses, computed, where they depend on the thread and on iterations of loops alone.

LDS is at most 160 KiB and a block at most 1024 threads, so who accesses which byte is a table; where the slot of an
access goes with a loop there is one table an iteration, as many as there are before the first comes again.

| an access | is |
|---|---|
| whose offset speaks of the thread, and of iterations modulo a period | a table of each iteration in the period |
| the parts of its guard that do | looked up in it |
| the other parts | kept as its `rest`: what happens only perhaps |
| whose offset says more | not a table: asked of the prover, two threads or a thread and the one that stored |
| before which waves may have passed other numbers of barriers | one for each number |

`races`, `initialised` and `history` read the tables; for `history` one table stands for all iterations.
What it cannot represent: addresses that were loaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import product
from math import lcm, prod

import numpy as np

from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.ask import WHOLE, Answer, Ask, Open, unseen
from layoutalg.audit.epochs import LONGEST_PERIOD, by_ways, own_variables, period
from layoutalg.audit.lds.block import BlockThreads, Ints
from layoutalg.index import TRUE, Expr, all_of, conjuncts
from layoutalg.launch.symbolic import LDS, KernelLaunch
from layoutalg.prove import ForAll, Proved, Refuted
from layoutalg.records import dataclass
from layoutalg.symex.machine.tracing import TracedElement

#: Iterations of an access that are looked at, at most.
MOST_ITERATIONS = 1 << 8

#: How a verdict names what tables show.
TABLE = "table"

LdsAccess = TracedAccess | TracedElement
"""An access, or its first byte in the trace."""

Iterations = Mapping[Expr, int]
"""An iteration of each loop, modulo its period."""


@dataclass(frozen=True, eq=False)
class LdsRow:
    """One access of every thread: its bytes, and whether it happens, in each iteration of the loops around."""

    block: BlockThreads
    access: LdsAccess
    periods: Iterations  # of the loops around it
    known: Expr  # the parts of its guard that the tables have
    rest: Expr  # the others
    tables: dict[tuple[int, ...], tuple[Ints, Ints]] = field(default_factory=dict)  # those that were looked at

    @classmethod
    def of(cls, block: BlockThreads, access: TracedAccess) -> LdsRow | None:
        """The access as a table of each iteration in its period; None where its offset has none."""
        threads = set(block.indices)
        if not own_variables(access.offset) <= threads | set(access.loops):
            return None
        each = {t: period(access.offset, t) for t in access.loops}
        periods = {t: n for t, n in each.items() if n is not None}
        if len(periods) < len(access.loops):
            return None
        known: list[Expr] = []
        rest: list[Expr] = []
        for part in conjuncts(access.guard):
            here = own_variables(part)
            own = {t: period(part, t) for t in access.loops if t in here}
            longer = {t: lcm(periods[t], n or LONGEST_PERIOD + 1) for t, n in own.items()}
            if here <= threads | set(own) and all(n <= LONGEST_PERIOD for n in longer.values()):
                periods |= longer
                known.append(part)
            else:
                rest.append(part)
        few = prod(periods.values()) <= MOST_ITERATIONS
        return cls(block, access, periods, all_of(TRUE, *known), all_of(TRUE, *rest)) if few else None

    @classmethod
    def of_any_iteration(cls, block: BlockThreads, access: TracedElement) -> LdsRow | None:
        """The access as one table for all iterations; None where its offset depends on more than the thread."""
        threads = set(block.indices)
        if not own_variables(access.offset) <= threads:
            return None
        known, rest = list[Expr](), list[Expr]()
        for part in conjuncts(access.guard):
            (known if own_variables(part) <= threads else rest).append(part)
        return cls(block, access, {}, all_of(TRUE, *known), all_of(TRUE, *rest))

    def at(self, iterations: Iterations) -> tuple[Ints, Ints]:
        """The threads for which it happens in an iteration, or perhaps does, and where each one's bytes begin."""
        key = tuple(iterations[t] % n for t, n in self.periods.items())
        if key not in self.tables:
            here = dict(zip(self.periods, key, strict=True))
            offsets, happens = self.block.values([self.access.offset, self.known], here)
            lanes = np.nonzero(happens)[0]
            self.tables[key] = lanes, offsets[lanes]
        return self.tables[key]


@dataclass(frozen=True, eq=False)
class LdsTables:
    """The accesses of LDS of one block, in the order of the code, each with its row where it has one."""

    block: BlockThreads
    accesses: tuple[TracedAccess, ...]
    rows: tuple[LdsRow | None, ...]

    @classmethod
    def of(cls, accesses: Sequence[TracedAccess], launched: KernelLaunch) -> LdsTables:
        """Those among all accesses of a kernel."""
        block = BlockThreads(launched)
        here = tuple(part for one in accesses if one.memory == LDS for part in _by_epoch(one))
        return cls(block, here, tuple(LdsRow.of(block, one) for one in here))

    @cached_property
    def size(self) -> int:
        """How many bytes the rows reach, of those that the target has: what lies behind these is `lds_in_bounds`'s."""
        each = ((row, iterations) for row in self.rows if row is not None for iterations in boxes(row.periods))
        reached = max((int((row.at(at)[1] + row.access.width).max(initial=0)) for row, at in each), default=0)
        return min(reached, self.block.most_lds)


def _by_epoch(access: TracedAccess) -> Iterator[TracedAccess]:
    """An access as one for each number of barriers that its wave may have passed."""
    return (
        replace(access, guard=guard, barriers=barriers) for guard, barriers in by_ways(access.barriers, access.guard)
    )


def decided(ask: Ask, about: str, left: Open, obligation: ForAll | None) -> Answer:
    """What a table leaves open: what the prover has of it, or else that it is open."""
    if obligation is not None:
        answer = ask.decide(about, obligation, WHOLE)
        if isinstance(answer.verdict, Proved | Refuted):
            return answer
    return unseen(about, left, TABLE)


def bytes_of(offsets: Ints, width: int) -> Ints:
    """Every byte of accesses that begin at these."""
    return offsets[:, None] + np.arange(width)


def boxes(periods: Iterations) -> Iterator[Iterations]:
    """Every iteration of several loops within their periods, the innermost fastest."""
    for each in product(*(range(n) for n in periods.values())):
        yield dict(zip(periods, each, strict=True))


def joint_periods(rows: Sequence[LdsRow]) -> dict[Expr, int]:
    """After how many iterations of each loop all of these rows are the same again, or how many it has if fewer."""
    joint: dict[Expr, int] = {}
    for row in rows:
        for t, n in row.periods.items():
            joint[t] = lcm(joint.get(t, 1), n)
    return {t: most_of(t, n) for t, n in joint.items()}


def most_of(t: Expr, iterations: int) -> int:
    """So many iterations of a loop, or all of them where it has fewer."""
    return iterations if t.hi >= iterations else int(t.hi) + 1
