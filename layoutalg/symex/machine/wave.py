"""The wave that the own lane is of: which number the lane has in it, and whose thread another lane is.

Threads fill waves in order, x the fastest (HSA, flattened work-item ID): of blocks of 16 × 16 threads (x, y), lane
x + 16·y mod 64 of wave (x + 16·y) div 64.
How many threads a block has along its last axis may be a size: then a thread's number is below the most that there may
be, and there is a thread where it is below the size, too (`exists`).
What it cannot represent: waves of several blocks, other axes of sizes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property, lru_cache

import numpy as np

from layoutalg.index import (
    TRUE,
    ZERO,
    Expr,
    all_of,
    array,
    as_expr,
    conjuncts,
    div,
    mod,
    select,
    simplify,
    substitute,
    variables,
)
from layoutalg.records import dataclass
from layoutalg.symex.values.word import HAS_THREAD, OCCUPIED


@lru_cache(maxsize=1 << 10)
def threads_where(condition: Expr, threads: tuple[Expr, ...]) -> tuple[int, ...]:
    """The numbers of a block's threads of which a condition may hold, by what it says of their numbers alone."""
    said = [part for part in conjuncts(condition) if (made_of := variables(part)) and set(made_of) <= set(threads)]
    count = math.prod(int(t.hi) + 1 for t in threads)
    rest, numbers = np.arange(count), dict[Expr, np.ndarray]()
    for t in threads:
        numbers[t], rest = rest % (int(t.hi) + 1), rest // (int(t.hi) + 1)
    holds = np.ones(count, np.bool_)
    for part in said:
        holds &= np.broadcast_to(array([part], numbers)[0], (count,)).astype(np.bool_)
    return tuple(np.nonzero(holds)[0].tolist())


@dataclass(frozen=True)
class Wave:
    """So many lanes, in a block of a grid by their index variables; without threads nothing is said of lanes."""

    size: int = 64
    blocks: tuple[Expr, ...] = ()
    threads: tuple[Expr, ...] = ()
    block: tuple[Expr, ...] = ()  # how many threads there are along each axis, if not as many as the variables' numbers

    @cached_property
    def count(self) -> int:
        """The threads of a block, at most."""
        return math.prod(int(t.hi) + 1 for t in self.threads)

    @cached_property
    def exists(self) -> Expr:
        """Whether there is a thread of these numbers."""
        return all_of(TRUE, *(t < size for t, size in zip(self.threads, self.block, strict=False)))

    @cached_property
    def _length(self) -> Expr:
        """The threads of a block."""
        return simplify(math.prod(self.block, start=as_expr(1))) if self.block else as_expr(self.count)

    @cached_property
    def occupied(self) -> Expr:
        """Whether a lane has a thread: not said of each where blocks do not fill waves."""
        return OCCUPIED if self.threads and simplify(mod(self._length, self.size)) is not ZERO else TRUE

    @cached_property
    def lane(self) -> Expr:
        """The own lane's number in its wave."""
        return simplify(mod(self._thread, self.size))

    @cached_property
    def number(self) -> Expr:
        """The wave's number in its block."""
        return simplify(div(self._thread, self.size))

    @cached_property
    def _thread(self) -> Expr:
        number: Expr = ZERO
        for t in reversed(self.threads):
            number = number * (int(t.hi) + 1) + t
        return number

    def has_alike(self, e: Expr) -> bool:
        """Whether all lanes of each wave have the same of an expression of the thread's numbers alone, one by one.

        >>> from layoutalg.index import var
        >>> t = var("t", 128)
        >>> Wave(64, (), (t,)).has_alike(t >= 64), Wave(64, (), (t,)).has_alike(t >= 65)
        (True, False)
        """
        if not set(variables(e)) <= set(self.threads) or self.occupied is not TRUE:
            return False
        rest, numbers = np.arange(self.count), dict[Expr, np.ndarray]()
        for t in self.threads:
            numbers[t], rest = rest % (int(t.hi) + 1), rest // (int(t.hi) + 1)
        each = np.broadcast_to(array([e], numbers)[0], (self.count,)).reshape(-1, self.size)
        return bool((each == each[:, :1]).all())

    def only_lane(self, own: Expr) -> int | None:
        """The one lane of which a condition may hold, by its thread's numbers; None where that is not seen.

        >>> from layoutalg.index import eq, var
        >>> t = var("t", 128)
        >>> wave = Wave(64, (), (t,))
        >>> wave.only_lane(eq(t, 65)), wave.only_lane(eq(t % 64, 3)), wave.only_lane(TRUE), Wave(64).only_lane(TRUE)
        (1, 3, None, None)
        """
        lanes = {n % self.size for n in threads_where(own, self.threads)} if self.threads else set()
        return lanes.pop() if len(lanes) == 1 else None

    def at_lane(self, e: Expr, lane: Expr, there: Callable[[Expr], Expr]) -> Expr:
        """What an expression of the own lane is for the lane of this number; what is not the thread's is as `there`.

        >>> from layoutalg.index import symbol, var
        >>> t = var("t", 64)
        >>> Wave(64, (), (t,)).at_lane(t + symbol("v"), as_expr(5), lambda v: symbol(f"{v}_there"))
        v_there + 5
        """
        threads = self.threads_at(lane)
        return simplify(substitute(e, {v: threads[v] if v in threads else there(v) for v in variables(e)}))

    def threads_at(self, lane: Expr) -> dict[Expr, Expr]:
        """The numbers of the thread in another lane of the wave, each by the own thread's; and whether it has one."""
        there = self.number * self.size + lane
        found: dict[Expr, Expr] = {}
        if self.occupied is not TRUE:
            found[HAS_THREAD] = simplify(select(there < self._length, 1, 0))
        left, number = self.size, lane
        for t in self.threads:  # as long as an axis has whole waves, or a wave whole lines of it
            size = int(t.hi) + 1
            if left > 1 and size % left == 0:
                found[t], left = simplify(div(t, left) * left + number), 1
            elif left > 1 and left % size == 0:
                found[t], left, number = simplify(mod(number, size)), left // size, simplify(div(number, size))
            elif left > 1:
                return found | self._threads_of(there)
        return found

    def _threads_of(self, number: Expr) -> dict[Expr, Expr]:
        """The numbers of the thread of this number in the block."""
        found = {}
        for t in self.threads[:-1]:
            size = int(t.hi) + 1
            found[t], number = simplify(mod(number, size)), div(number, size)
        return found | {self.threads[-1]: simplify(number)}
