"""Of which threads a term may be made of what nothing wrote: thread by thread, where choices speak of the thread alone.

A sum of eight lanes takes what is beyond them from lanes that are off, or have summed such; the first lane's is made of
the eight alone:

    v += __shfl_down(v, 4); v += __shfl_down(v, 2); v += __shfl_down(v, 1)        lane 0 of eight that are on

| a term has | may be made of nothing in |
|---|---|
| what nothing wrote | every thread |
| a choice by the thread | the threads where what it chooses may be |
| another choice | the threads where either way may be, or its condition |
| a function's result | the threads where an operand may be |
| what lane m has | the threads whose lane m may have such |
| what the first lane of a mask has | the threads of a wave in which a lane of the mask may have such |
| what a loop hands on | the threads where what comes to its head may be, in any iteration |
| anything else that is made of terms | the threads of a wave in which one may be |

What it cannot represent: choices by sizes or by what was loaded, which are taken both ways; iterations of loops.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.lds.block import BlockThreads, Threads
from layoutalg.index import Expr, budget, postorder, variables
from layoutalg.symex.machine.wave_unknowns import ELSEWHERE, FIRST_LANE
from layoutalg.symex.trace import Trace
from layoutalg.symex.uses import is_of_its_lane
from layoutalg.symex.values.instances import origin_of, place_of
from layoutalg.symex.values.unknowns import Kind, arguments_of, function_of, kind_of


class Undefined:
    """Of each unknown of a trace, the threads in which it may be made of what nothing wrote."""

    def __init__(self, block: BlockThreads, trace: Trace) -> None:
        self.block, self.trace = block, trace
        self._incoming = trace.loops.incoming
        self._handed: dict[Expr, Threads] = {}  # of what loops hand on: the least that holds of all iterations
        self._tables: dict[Expr, Threads] = {}  # of other unknowns

    def never(self, access: TracedAccess) -> bool:
        """Whether no thread's access happens, or has its address or what it stores, by what nothing wrote."""
        for one in self.trace.elements:
            if one.instruction is access.instruction and one.moment == access.moment:
                found = self._of_all(one.offset, one.guard, *_stored(one.value, one.atomic))
                if (found & self.block.may_hold(one.guard)).any():
                    return False
        return True

    def _of_all(self, *exprs: Expr) -> Threads:
        """Where one of these may be."""
        while True:
            met = len(self._handed)
            self._settle([*exprs, *(e for v in self._handed for e in self._incoming[v])])
            if len(self._handed) > met:
                continue
            more = {v: self._of_each(self._incoming[v]) for v in self._handed}
            if all(np.array_equal(more[v], known) for v, known in self._handed.items()):
                return self._of_each(exprs)
            self._handed, self._tables = more, {}

    def _settle(self, exprs: Sequence[Expr]) -> None:
        """A table for each unknown that these are made of; of what loops hand on at first nothing is."""
        left = list(variables(*exprs))
        while left:
            v = left[-1]
            needs = [u for u in self._made_of(v) if u not in self._tables]
            if v in self._tables or not needs:
                left.pop()
                self._tables.setdefault(v, self._table(v))
            else:
                left += needs

    def _made_of(self, v: Expr) -> tuple[Expr, ...]:
        if v in self._incoming and kind_of(v) is not None:
            self._handed.setdefault(v, np.zeros(self.block.count, np.bool_))
            return ()
        return (*((origin_of(v),) if origin_of(v) is not v else ()), *variables(*arguments_of(v)))

    def _table(self, v: Expr) -> Threads:
        budget.check()
        nobody = np.zeros(self.block.count, np.bool_)
        if kind_of(v) is None:
            return nobody
        if v in self._handed:
            return self._handed[v]
        origin, arguments = origin_of(v), arguments_of(v)
        if origin is not v:
            place, there = place_of(v), self._tables[origin] | self._of_each(arguments)
            own = all(place.get(t, t) is t for t in self.block.threads)
            return there if own else nobody | there.any()
        if kind_of(v) is Kind.UNDEFINED:
            return ~nobody
        if function_of(v) == ELSEWHERE:
            return self._of_each(arguments[1:]) | self._elsewhere(*arguments)
        return self._of_each(arguments) if is_of_its_lane(v) else self._in_wave(self._of_each(arguments))

    def _elsewhere(self, held: Expr, lane: Expr) -> Threads:
        """Of what the lane of a number has."""
        size, of = self.block.wave_size, self._of_each((held,))
        lanes = self.block.table(lane)
        if lanes is not None:
            there = self.block.waves * size + lanes % size
            named: Threads = (there >= self.block.count) | of[np.minimum(there, self.block.count - 1)]
            return named
        if function_of(lane) == FIRST_LANE and len(arguments_of(lane)) == 1:
            of = of & self.block.may_hold(arguments_of(lane)[0])
        return self._in_wave(of)

    def _in_wave(self, threads: Threads) -> Threads:
        """The threads of waves in which one of these is."""
        found: Threads = np.isin(self.block.waves, self.block.waves[threads])
        return found

    def _of_each(self, exprs: Sequence[Expr]) -> Threads:
        """Where one of these terms may be, by the tables of their variables."""
        total = np.zeros(self.block.count, np.bool_)
        for e in exprs:
            seen: dict[Expr, Threads] = {}
            for node in postorder(e):
                parts = [seen[part] for part in node.args]
                holds = self.block.table(node.args[0]) if node.op == "select" else None
                if node.op == "var":
                    seen[node] = self._tables[node]
                elif holds is not None:
                    seen[node] = np.where(holds != 0, parts[1], parts[2])
                else:
                    seen[node] = np.any([np.zeros_like(total), *parts], axis=0)
            total = total | seen[e]
        return total


def _stored(value: Expr, atomic: bool) -> tuple[Expr, ...]:
    """What a store stores; of an atomic operation, its operands."""
    return arguments_of(value) if atomic else (value,)
