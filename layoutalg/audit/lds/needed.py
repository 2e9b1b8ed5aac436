"""Of which threads' reads something comes: what is loaded for nothing need not have been stored.

    w = s[t % 32]; v = t < 8 ? w : 0; v += __shfl_xor(v, 1)        of threads 0 to 7 alone, and in lanes beside none

What a term chooses is known from the thread in most kernels, so of each unknown there is a table of the threads whose
value of it may reach a store or a branch, and it is followed from what is stored down to what was loaded:

| an unknown is | what it is made of is needed of |
|---|---|
| a function's result | the threads that need it; of a choice, those that choose it |
| what another lane has | the threads of these lanes |
| anything else, or part of what decides where and behind how many barriers something happens | every thread |

What it cannot represent: choices by sizes or by what was loaded, which are taken both ways; iterations of loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

import numpy as np

from layoutalg.audit.lds.block import BlockThreads, Threads
from layoutalg.index import Expr, postorder
from layoutalg.records import dataclass
from layoutalg.symex.loops.record import LoopRecord
from layoutalg.symex.machine.tracing import TracedElement
from layoutalg.symex.machine.wave_unknowns import ELSEWHERE
from layoutalg.symex.uses import decisive, is_of_its_lane, latest_opaque
from layoutalg.symex.values.instances import origin_of
from layoutalg.symex.values.unknowns import arguments_of, function_of, number_of


@dataclass(frozen=True, eq=False)
class Needed:
    """Of the unknowns of a trace: the threads whose value may reach a store or a branch."""

    block: BlockThreads
    threads: dict[Expr, Threads] = field(default_factory=dict)
    latest: int = -1  # what was loaded before this number is needed of all

    @classmethod
    def of(cls, block: BlockThreads, trace: Sequence[TracedElement], loops: LoopRecord) -> Needed:
        """What follows from all that is stored."""
        found, every = cls(block), np.ones(block.count, np.bool_)
        for e in decisive(trace, loops):
            found._follow(e, every)
        for one in trace:
            if one.store:
                found._follow(one.value, every if one.atomic else block.may_hold(one.guard))
        loaded = {one.value for one in trace if not one.store}
        return cls(block, found.threads, latest_opaque(found.threads, loaded, loops))

    def of_any(self, loaded: Sequence[Expr]) -> Threads:
        """The threads of which some of this that was loaded is needed."""
        nobody = np.zeros(self.block.count, np.bool_)
        if any((number_of(v) or 0) < self.latest for v in loaded):
            return ~nobody
        found: Threads = np.any([nobody, *(self.threads.get(v, nobody) for v in loaded)], axis=0)
        return found

    def _follow(self, e: Expr, by: Threads) -> None:
        """These threads need a term: from it down."""
        left = [(e, by)]
        while left:
            for v, threads in self._leaves(*left.pop()):
                known = self.threads.get(v)
                if known is None or (threads & ~known).any():
                    self.threads[v] = threads if known is None else threads | known
                    left += self._made_of(v)

    def _leaves(self, e: Expr, by: Threads) -> list[tuple[Expr, Threads]]:
        """The variables of a term, each with the threads that choose it."""
        needed, found = {e: by}, []
        for node in reversed(postorder(e)):
            threads = needed.pop(node, None)
            if threads is None or not threads.any():
                continue
            if node.op == "var":
                found.append((node, threads))
            each = [threads] * len(node.args)
            if node.op == "select":
                holds = self.block.table(node.args[0])
                each[1:] = (threads, threads) if holds is None else (threads & (holds != 0), threads & (holds == 0))
            for part, one in zip(node.args, each, strict=True):
                needed[part] = one | needed[part] if part in needed else one
        return found

    def _made_of(self, v: Expr) -> list[tuple[Expr, Threads]]:
        """What an unknown is made of, and which threads need it then."""
        by, every = self.threads[v], np.ones(self.block.count, np.bool_)
        if origin_of(v) is not v:  # of another thread or iteration
            return [(e, every) for e in (origin_of(v), *arguments_of(v))]
        if function_of(v) == ELSEWHERE:
            held, lane = arguments_of(v)
            lanes, wave = self.block.table(lane), self.block.wave_size
            if lanes is not None:
                there = np.zeros(self.block.count, np.bool_)
                named = (self.block.waves * wave + lanes % wave)[by]
                there[named[named < self.block.count]] = True
                return [(held, there), (lane, by)]
        return [(e, by if is_of_its_lane(v) else every) for e in arguments_of(v)]
