"""What lanes move in global memory, as formulas in a launch's sizes: bytes, and the segments that waves touch.

| figure | is the sum over accesses of |
|---|---|
| bytes | the lanes that make it, as points of blocks, threads and iterations, each with the bytes of one |
| segments | of these the lanes that are first of their wave in a segment, each with the segments that it is first in |

A lane is first in a segment where no lower lane of its wave touches it; so first lanes count the segments where, with
each lane that takes part, all lower ones of its wave do: that is looked at, of every condition.
What it cannot represent: lanes that lie apart by sizes or by what was loaded; first lanes that are not every p-th.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import gcd

import numpy as np

from layoutalg.audit import costs
from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.followed import Followed
from layoutalg.audit.lds.block import BlockThreads
from layoutalg.counters.definitions import LINES, has_line_counter
from layoutalg.counters.formulas.formula import CounterFormula, few
from layoutalg.counters.formulas.instructions import IssuedCounts
from layoutalg.counters.formulas.lanes import CountedLanes
from layoutalg.counters.formulas.sums import NotCountedError
from layoutalg.counters.formulas.waves import Ints
from layoutalg.index import ZERO, Expr, simplify
from layoutalg.index.normal import normal
from layoutalg.isa.semantics.accesses import MemoryInstruction, access_of
from layoutalg.isa.semantics.tensor import TENSOR_COPIES
from layoutalg.launch.symbolic import LDS
from layoutalg.records import dataclass
from layoutalg.target import target as gpu


@dataclass(frozen=True)
class Moved:
    """One access of lanes to global memory, and its entry in the table of accesses."""

    access: TracedAccess
    how: MemoryInstruction

    @property
    def place(self) -> str:
        return self.access.instruction.place


def moves(kernel: Followed) -> Iterator[Moved]:
    """The accesses of lanes to global memory."""
    for access in kernel.accesses:
        if access.instruction.name in TENSOR_COPIES:
            raise NotCountedError(f"what a box of a tensor moves at once, at {access.instruction.place}")
        how = access_of(access.instruction.name, access.instruction.fields)
        if access.memory != LDS and how.space in ("global", "flat", "buffer"):
            yield Moved(access, how)


@dataclass(frozen=True)
class MovedByLanes:
    """What the accesses of a kernel that was followed come to."""

    kernel: Followed
    issued: IssuedCounts

    def bytes(self, one: Moved) -> Expr:
        """The bytes that all lanes move by an access.  Raises `NotCountedError`."""
        return simplify(self._count(self._lanes(one.access)) * one.access.width)

    def segments(self, one: Moved, size: int) -> Expr:
        """The segments of a size that waves touch by it.  Raises `NotCountedError`."""
        lanes, first = self._lanes(one.access), self._first_in(one.access, size)
        lanes.check_lower_lanes_take_part()
        step, each = _every(first)
        return simplify(self._count(lanes.every(step)) * each)

    def _count(self, lanes: CountedLanes) -> Expr:
        return self.issued.counted(lanes.key, lanes.cases)

    def _lanes(self, access: TracedAccess) -> CountedLanes:
        return CountedLanes(self.issued.waves, access.guard, access.loops)

    def _first_in(self, access: TracedAccess, size: int) -> Ints:
        """Of each thread of a block the segments in which it is the first of its wave."""
        block, tensor = BlockThreads(self.kernel.launched), self.kernel.launched.tensors[access.memory]
        try:
            alike, own = costs.lanes_apart(block, access)
        except costs.NotApartError as error:
            raise NotCountedError(str(error)) from None
        terms = dict(normal(simplify(alike + tensor.elements.first * tensor.element)).terms)
        begin, apart = terms.pop((), 0), block.values([own])[0]
        begins = range(begin % (unit := gcd(size, *terms.values())), size, unit)
        first, *others = (_first(apart + at, access.width, size, block.wave_size) for at in begins)
        if not all((first == other).all() for other in others):
            raise NotCountedError(f"where in {size} bytes its waves begin depends on sizes")
        return first


def _first(where: Ints, width: int, size: int, lanes: int) -> Ints:
    """Of each thread the segments of a size in which it is the first of its wave, by where its bytes begin."""
    first, last, found = where // size, (where + width - 1) // size, np.zeros_like(where)
    for at in range(0, len(first), lanes):
        seen = set[int]()
        for lane in range(at, min(at + lanes, len(first))):
            touched = {*range(int(first[lane]), int(last[lane]) + 1)} - seen
            found[lane] = len(touched)
            seen |= touched
    return found


def _every(first: Ints) -> tuple[int, int]:
    """Every p-th thread is first in so many segments, the others in none: p, and how many."""
    at = np.flatnonzero(first)
    step, each = int(at[1]) if len(at) > 1 else len(first), int(first[0])
    if not (first == np.where(np.arange(len(first)) % step == 0, each, 0)).all():
        raise NotCountedError("the lanes that are first in a segment have no regular step")
    return step, each


def formulas(kernel: Followed, issued: IssuedCounts) -> Iterator[CounterFormula]:
    """Bytes read and written, segments, and the lines that loads look up, which is the least that caches are asked for.

    Bytes of an atomic operation are written.
    """
    target, whole = kernel.launched.kernel.target, MovedByLanes(kernel, issued)
    found, sizes = [*moves(kernel)], gpu(target).segments
    lanes, wide = "of all lanes in global memory, caches apart", f"tensors begin at multiples of {max(sizes)} bytes"
    reads, writes = ([one for one in found if one.how.store is store] for store in (False, True))
    yield _sum("bytes read", [(one, whole.bytes) for one in reads], lanes, "lanes that are counted")
    yield _sum("bytes written", [(one, whole.bytes) for one in writes], lanes, "lanes that are counted")
    touched = "of the smallest size that instructions touch, by wave"
    yield _sum("segments", [(one, partial(whole.segments, size=min(sizes))) for one in found], touched, wide)
    if has_line_counter(target):
        lines = [(one, partial(whole.segments, size=max(sizes))) for one in reads if one.how.atomic is None]
        name, what = "TCP_TOTAL_CACHE_ACCESSES_sum", "look-ups of lines in vector L1 caches"
        yield replace(_sum(name, lines, what, f"{LINES}; {wide}"), most=None)


def _sum(name: str, each: Sequence[tuple[Moved, Callable[[Moved], Expr]]], what: str, source: str) -> CounterFormula:
    """A figure that is a sum over accesses."""
    total, left = ZERO, list[tuple[str, str]]()
    for one, how_much in each:
        try:
            total = total + how_much(one)
        except NotCountedError as error:
            left.append((one.place, str(error)))
    if left:
        return CounterFormula(name, None, None, what, "", few(left))
    total = simplify(total)
    return CounterFormula(name, total, total, what, source)
