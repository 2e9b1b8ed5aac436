"""The trace as it is made: every element that is accessed, what was loaded, and what is assumed of that.

Loops are followed several times until an invariant is found; what an attempt recorded is rolled back, or it records
nothing.  Of an access of LDS it is known behind the last instruction only how many barriers it spans.

What barriers find of accesses (`complete`, `Order.shown`, `Order.fresh`) says of one before a barrier that another wave
has passed how it was when its own wave came there.  A wave that ends comes to none; but all waves come to as many, or
`followed` is not proved, so its own wave came there, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple

from layoutalg.index import TRUE, ZERO, Expr, all_of, conjuncts, variables
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.records import dataclass
from layoutalg.symex.machine.environment import Environment, TracedLoad
from layoutalg.symex.machine.sight import Sight

#: Of a wave of which nothing is kept from others.
BLIND = Sight()


@dataclass(frozen=True)
class Order:
    """What an access has to do with order by atomic operations, in kernels where one gives a result."""

    found: tuple[Expr, ...] = ()  # of an atomic operation: what it found
    operands: tuple[Expr, ...] = ()
    unseen: frozenset[int] = frozenset()  # instructions of its wave before whose accesses others may not see then
    stale: frozenset[int] = frozenset()  # atomic operations of its wave since which it may see what is older
    renewed: Expr = ZERO  # barriers that were passed where its caches were invalidated last, or fewer
    written: Expr = ZERO  # the same where it has seen written back what other blocks could not see
    shown: bool = True  # no barrier finds it one that others may not see
    fresh: bool = True  # of an atomic operation: no barrier finds what its wave sees older than it


@dataclass(frozen=True)
class TracedElement:
    """One element of one access: bytes from the start of the buffer (or of LDS).

    Within a loop, all is said of the iteration that the loop's variable numbers.
    """

    instruction: Instruction
    store: bool
    buffer: str  # the argument's name, or `lds`
    offset: Expr  # in bytes
    guard: Expr
    barriers: Expr  # how many the wave has passed: its waits
    value: Expr  # stored bits, or the unknown that was loaded
    size: int  # bytes
    width: int  # bytes that the instruction moves at once
    loops: tuple[Expr, ...] = ()  # the variables of the loops around it
    within: int = 0  # bytes from the first that the instruction moves at once
    atomic: bool = False  # an atomic operation, which stores: what is there before and after is not known
    moment: int = 0  # elements of one have been accessed at once
    uniform: bool = False  # the value is that of all lanes of the wave; only looked at of stores to LDS
    spans: int = 0  # an access of LDS: the barriers that its wave passes, at most, while it is under way
    lands: bool = False  # what a load to LDS stores there, or a copy from there reads
    alone: bool = False  # and whether no other access of its wave to LDS is under way at the same time
    signalled: bool = False  # between the two parts of a barrier: the wave has signalled, and not waited
    complete: bool = True  # no barrier finds it under way, where waves have first caches of their own
    invalidated: Expr = ZERO  # barriers that were passed where the wave's first cache was invalidated last, or fewer
    parted: tuple[Expr, ...] = ()  # on which ways the barriers lay that perhaps not all waves of the block have passed
    order: Order | None = None
    late_loads: frozenset[int] = frozenset()  # of a store: scalar loads before it in the code that it may come before
    late_copies: frozenset[int] = (
        frozenset()
    )  # of memory: copies from LDS before it in the code that it may come before

    @property
    def in_step(self) -> bool:
        """Whether all waves of the block that come here have passed the same barriers of the code."""
        return not self.parted


@dataclass(frozen=True)
class WaveEnd:
    """A way on which a wave ends: under which condition, to how many barriers it has come, and the loops around."""

    condition: Expr
    barriers: Expr
    loops: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class TracedSteps:
    """Instructions that a wave carries out one after the other: where its path leads there, and its lanes.

    Within a loop, all is said of the iteration that the loop's variable numbers.
    """

    instructions: tuple[Instruction, ...]
    path: tuple[Expr, ...]  # what of the wave, one condition a branch
    active: Expr | None  # whether the own lane is active; None where that is not read
    loops: tuple[Expr, ...] = ()  # the variables of the loops around


class TraceMark(NamedTuple):
    """How much there was at one time."""

    elements: int
    ends: int
    steps: int


class TraceBuilder:
    """What is recorded while instructions are followed."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self.elements: list[TracedElement] = []
        self.ends: list[WaveEnd] = []
        self.steps: list[TracedSteps] = []
        self.loads: list[TracedLoad] = []
        self.loaded: dict[Expr, TracedLoad] = {}
        self.assumed: dict[Expr, Expr] = {}  # what was loaded → what is assumed of it
        self._recording = True
        self._moment = 0
        self._spans: dict[int, int] = {}  # access of LDS → barriers passed while it was under way, at most
        self._to_lds: set[int] = set()  # those that are loads to LDS
        self._late: set[int] = set()  # accesses that a barrier's signal found under way
        self._unseen: set[int] = set()  # those that others may not see there
        self._stale: set[int] = set()  # atomic operations since which a wave may see what is older there
        self._beside: set[int] = set()  # those beside which other accesses of the wave to LDS are under way

    @property
    def recording(self) -> bool:
        """Whether elements are recorded; else what a loop changes is tried out."""
        return self._recording

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Where nothing is recorded but which unknowns stand for data."""
        recording, self._recording = self._recording, False
        try:
            yield
        finally:
            self._recording = recording

    @property
    def moment(self) -> int:
        """How many instructions have accessed memory."""
        return self._moment

    def begin(self) -> None:
        """One more instruction accesses memory."""
        self._moment += 1

    def add(self, element: TracedElement, in_flight: Iterable[int] = ()) -> None:
        """Records an element; `in_flight`: loads to LDS that are under way beside it."""
        if element.buffer == "lds" and element.instruction.address not in self._to_lds:
            self._beside.update(in_flight)
        self.elements.append(element)

    def load(self, buffer: str, offset: Expr, size: int, values: Sequence[Expr]) -> None:
        """Records what was loaded, and what is assumed of it."""
        load = TracedLoad(buffer, offset, size, tuple(values))
        self.loads.append(load)
        self.loaded |= dict.fromkeys(values, load)
        holds = self._environment.assumed(buffer, offset, size, values) if buffer else TRUE
        for part in conjuncts(holds) if holds is not TRUE else ():
            for v in variables(part):
                if v in values:
                    self.assumed[v] = all_of(self.assumed.get(v, TRUE), part)

    def alike(self, buffer: str) -> bool:
        """Whether all waves that load from one place of it between the same two barriers find the same."""
        return self._environment.alike(buffer)

    def has_contents(self, buffer: str, offset: Expr, size: int) -> Expr:
        """When so many bytes of a buffer hold something."""
        return self._environment.has_contents(buffer, offset, size)

    def end(self, way: WaveEnd) -> None:
        """The wave ends on one of its ways."""
        if self._recording:
            self.ends.append(way)

    def step(self, steps: TracedSteps) -> None:
        """Instructions are carried out."""
        if self._recording:
            self.steps.append(steps)

    # What is under way

    def begin_load_to_lds(self, address: int, beside: bool) -> None:
        """A load to LDS begins, or a copy from there, `beside` other accesses of the wave that are under way or not."""
        self._to_lds.add(address)
        if beside:
            self._beside.add(address)

    def pass_barrier(self, under_way: Mapping[int, int]) -> None:
        """A barrier is passed: of accesses of LDS that are under way, how many they have seen."""
        for address, passed in under_way.items():
            self._spans[address] = max(self._spans.get(address, 0), passed)

    def signal(self, under_way: Iterable[int], sight: Sight = BLIND) -> None:
        """A wave comes to a barrier while these accesses are under way, and others see so much of it."""
        self._late.update(under_way)
        self._unseen.update(sight.unseen)
        self._stale.update(address for address, _ in sight.stale)

    def finished(self, exists: Expr = TRUE) -> tuple[TracedElement, ...]:
        """All elements, each access of LDS with how long it was under way, and which are complete at barriers.

        `exists`: whether there is a thread of the own one's numbers: of no other one is anything said.
        """
        return tuple(self._at_barriers(replace(one, guard=all_of(exists, one.guard))) for one in self.elements)

    def _at_barriers(self, one: TracedElement) -> TracedElement:
        """An element with what barriers find of it."""
        at, order = one.instruction.address, one.order
        if one.buffer == "lds":
            lands = at in self._to_lds
            one = replace(one, spans=self._spans.get(at, 0), lands=lands, alone=lands and at not in self._beside)
        if order is not None:
            order = replace(order, shown=at not in self._late | self._unseen, fresh=at not in self._stale)
        return replace(one, complete=at not in self._late, order=order)

    # Attempts

    def mark(self) -> TraceMark:
        """Where the trace is now."""
        return TraceMark(len(self.elements), len(self.ends), len(self.steps))

    def roll_back(self, mark: TraceMark) -> None:
        """Forgets the elements, the ends and the steps since then."""
        del self.elements[mark.elements :], self.ends[mark.ends :], self.steps[mark.steps :]

    def rewrite(self, mark: TraceMark, new: Callable[[TracedElement], TracedElement]) -> None:
        """The elements since then, each another."""
        self.elements[mark.elements :] = map(new, self.elements[mark.elements :])
