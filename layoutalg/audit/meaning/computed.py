"""The claim `computes`: each equation of a launch, decided of what the machine code was seen to store.

| what is shown of an equation | so that |
|---|---|
| each store goes to an element of the tensor | its index is one that the equation speaks of |
| each store's term is the equation's at that index | whoever stores last, and however often, it is that value |
| every element is stored to, by some thread | none keeps what was there |
| what is loaded is as it was before the launch | the equation speaks of that |
| the equation takes elements that there are | it says something |

A load of a tensor that the launch writes comes before all stores to that element (`before`).  All is said where the
other claims hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import cached_property, partial

from layoutalg.audit import answers
from layoutalg.audit.ask import WHOLE, Open
from layoutalg.audit.certain import certain_iterations
from layoutalg.audit.epochs import is_counted
from layoutalg.audit.lds.history import History
from layoutalg.audit.meaning.agreement import Agreement
from layoutalg.audit.meaning.before import FirstLoads
from layoutalg.audit.meaning.coverage import PlacedStore, everywhere, ways
from layoutalg.audit.meaning.expansions import Expansions, Follow
from layoutalg.audit.meaning.places import Decide, WantedPlace, apart, index_at, place_of
from layoutalg.audit.meaning.sums.compared import Sums
from layoutalg.audit.meaning.terms import StoredTerm, Terms, is_memory, named, stored
from layoutalg.audit.meaning.through_lds import ThroughLds
from layoutalg.audit.meaning.wanted import MACHINE, Wanted, WantedTerm
from layoutalg.formats.equation import Equation, Operation, Reduction, walk
from layoutalg.formats.model import SpecFile
from layoutalg.index import (
    FALSE,
    TRUE,
    ZERO,
    Expr,
    all_of,
    div,
    extent_of,
    fresh,
    mod,
    simplify,
    variables,
)
from layoutalg.isa.semantics.accesses import access_of
from layoutalg.launch.symbolic import KernelLaunch
from layoutalg.prove import Proved
from layoutalg.records import dataclass
from layoutalg.symex.loops.record import LoopRecord
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.machine.tracing import TracedElement
from layoutalg.symex.values.instances import moved
from layoutalg.symex.values.unknowns import call_of, dependencies
from layoutalg.symex.values.word import NotReadable

CONTRACTED = "compilers may contract a · b + c to a fused multiplication and addition"

UNREAD = Open("the equation is not read")


@dataclass
class ComputesClaim:
    """What a kernel stores, in terms, and the questions of its equations."""

    file: SpecFile
    launched: KernelLaunch
    trace: Sequence[TracedElement]
    decide: Decide  # whether what is given implies the goal
    loops: LoopRecord = field(default_factory=LoopRecord)
    follow: Follow | None = None

    def __post_init__(self) -> None:
        self.terms = Terms(self.launched.stated)
        target = self.launched.kernel.target
        self.expansions = None if self.follow is None else Expansions(target, self.follow, self.terms)
        self.places = {name: place_of(self.file.descriptor(name), self.file.in_own_symbols) for name in self._tensors}

    @cached_property
    def history(self) -> History | Open:
        """Who stored what to LDS."""
        return History.of(self.launched, self.trace)

    @property
    def _tensors(self) -> tuple[str, ...]:
        assert self.file.launch is not None
        return self.file.launch.tensors

    def compared(self, equation: Equation) -> tuple[str, ...] | Open:
        """What is taken for granted where an equation of the launch is shown; or why it is not."""
        try:
            return self._equation(equation)
        except (NotReadable, RecursionError) as error:
            return Open.by(error)

    def covered(self, tensor: str) -> tuple[str, ...] | Open:
        """What is taken for granted where all elements of a tensor are stored to, whatever was loaded; or why not."""
        place = self.places[tensor]
        placed = []
        for one in (one for one in self.trace if one.store and one.buffer == tensor and not _compares(one)):
            store = self._at_the_end(StoredTerm(one, simplify(one.offset), simplify(one.guard), ZERO))
            given = all_of(self.launched.given, store.guard)
            located = None if given is FALSE else self._located(place, store, given)
            if located is not None:
                placed.append(tuple(way for way in self._placed(store, *located) if way.is_launched))
        return self._covered(place, [ways for ways in placed if ways])

    def _equation(self, equation: Equation) -> tuple[str, ...] | Open:
        """What is taken for granted where an equation is shown; or why it is not."""
        place = self.places[equation.tensor]
        for one in self.trace:
            if one.atomic:
                return Open(f"{one.instruction.place} is atomic: what it leaves depends on all others")
        early = self._as_before()
        lds = ThroughLds(self.terms, self.launched, self.trace, self.history, self._decided)
        found = named(self.terms, self.trace, early, lds.term)
        stores = list(stored(self.terms, self.trace, found, equation.tensor))
        if not stores:
            return Open(f"nothing is stored to {equation.tensor}")
        if not self._decided(apart(place), self.launched.given):
            return Open(f"that no two elements of {equation.tensor} share a place is not seen")
        agreement = Agreement(self._decided)
        sums = any(isinstance(one, Reduction) for one in walk(equation.term))
        placed: list[tuple[PlacedStore, ...]] = []
        rests: dict[str, None] = {}
        for store in stores:
            store = self._at_the_end(store)
            given = all_of(self.launched.given, store.guard)
            if given is FALSE:
                continue
            located = self._located(place, store, given)
            if located is None:
                return Open(f"{store}: which element is at {store.offset} is not seen")
            index, part = located
            agreed = () if sums else self._agrees(equation, store, index, part, given, agreement)
            if isinstance(agreed, Open):
                unread = next((lds.why[v] for v in dependencies(store.term) if v in lds.why), "")
                return Open(f"{store}: {unread or agreed.why}")
            rests |= dict.fromkeys(agreed)
            placed.append(self._placed(store, index, part))
        covered = self._covered(place, placed)
        if isinstance(covered, Open):  # in other terms: what is known of loops is of unknowns, not of named results
            covered = self.covered(equation.tensor)
        if isinstance(covered, Open):
            return covered
        return (
            self._summed(equation, place)
            if sums
            else (*covered, *rests, *((CONTRACTED,) if agreement.contracted else ()))
        )

    def _summed(self, equation: Equation, place: WantedPlace) -> tuple[str, ...] | Open:
        """What is taken for granted where all that is stored is the equation's sums."""
        found: tuple[str, ...] | Open = UNREAD
        for single in (True, False) if self._read_twice(equation) else (True,):
            sums = Sums.of(self.file, self.trace, self.loops, self.history, self.first)
            if isinstance(sums, Open):
                return sums
            found = sums.compared(equation, place, partial(self._exact, single=single))
            if not isinstance(found, Open):
                return (*sums.left_out, *found, *((CONTRACTED,) if sums.agreement.contracted else ()))
        return found

    def _exact(self, given: Expr, single: bool) -> Wanted:
        """The terms of an equation where something is given."""
        values = IndexValues(self._decided, given, self.terms)
        return Wanted(self.terms, self.places, self.launched.values, values, self.expansions, single)

    def _placed(self, store: StoredTerm, index: tuple[Expr, ...], part: int) -> tuple[PlacedStore, ...]:
        """A store as it surely happens, in one way or another."""
        launched, around, found = self.launched, store.element.loops, list[PlacedStore]()
        last = {t: turn for t, turn in self.loops.behind(around).items() if t in self.loops.last}
        for way in certain_iterations(store.guard, around, self.loops, launched.given, self._decided):
            offset, guard, *at = (simplify(moved(e, {**last, **way.at})) for e in (store.offset, store.guard, *index))
            own = (*launched.blocks, *launched.threads, *way.loops)
            found.append(PlacedStore(tuple(at), offset, part, guard, own).settled(launched.given, self._decided))
        return tuple(found)

    @cached_property
    def first(self) -> FirstLoads:
        """Which loads bring what was there before the launch."""
        return FirstLoads(self.launched, self.trace, self.loops, self._decided)

    def _as_before(self) -> dict[str, int]:
        """The tensors whose every load brings what was there before the launch, and the bytes of an element of each."""
        tensors = {name: self.launched.tensors[name] for name in self._tensors}
        return {name: one.element for name, one in tensors.items() if not one.written or self.first.all_of(name)}

    def _at_the_end(self, store: StoredTerm) -> StoredTerm:
        """A store behind a loop: what is left of the loop is what its last iteration made."""
        behind = (t for one in self.trace for t in one.loops if t not in store.element.loops)
        past = {t: extent_of(t) - 1 for t in behind if is_counted(t)}  # which was last of another is not known
        if not past:
            return store
        new = (self.terms.rewritten(e, past, {}, simplify) for e in (store.offset, store.guard, store.term))
        return StoredTerm(store.element, *new)

    def _located(self, place: WantedPlace, store: StoredTerm, given: Expr) -> tuple[tuple[Expr, ...], int] | None:
        """The index of the element, and the part of it, that a store writes."""
        if store.element.size != place.unit:
            return None
        start = store.element.within % place.element
        for part in (start, *(k for k in range(0, place.element, place.unit) if k != start)):
            index = index_at(place, simplify(store.offset - part), given, self._decided)
            if index is not None:
                return index, part
        return None

    def _agrees(
        self, equation: Equation, store: StoredTerm, index: tuple[Expr, ...], part: int, given: Expr,
        agreement: Agreement,
    ) -> tuple[str, ...] | Open:  # fmt: skip
        """What is taken for granted where a store's term is the equation's: instructions, or what a compiler makes."""
        left = UNREAD
        for single in (True, False) if self._read_twice(equation) else (True,):
            at = dict(zip(equation.indices, index, strict=True))
            wanted = self._exact(given, single).term(equation.term, at)
            differs = self._differs(wanted, equation, store, part, given, agreement)
            if differs is None:
                return wanted.assumed
            left = differs
        return left

    def _read_twice(self, equation: Equation) -> bool:
        """Whether an equation has functions that are an instruction, and several ones to a compiler."""
        operations = (one for one in walk(equation.term) if isinstance(one, Operation) and one.name in MACHINE)
        return self.expansions is not None and any(
            self.expansions.has(one.name, one.operands[0].dtype) for one in operations
        )

    def _differs(
        self, wanted: WantedTerm, equation: Equation, store: StoredTerm, part: int, given: Expr, agreement: Agreement
    ) -> Open | None:
        """Why a store's term is not seen to be the wanted one."""
        for where, goal in wanted.obligations:
            if where is not FALSE and not self._decided(goal, all_of(given, where)):
                about = f"{equation.tensor}'s equation takes an element that there is, {goal}"
                return Open(f"whether {about}, is not seen")
        bits = 8 * store.element.size
        term = wanted.expr
        if part or term.lo < 0 or term.hi >= 1 << bits:
            term = simplify(mod(div(term, 1 << 8 * part), 1 << bits))
        if agreement.same(store.term, term, bits, given):
            return None
        return Open(f"it stores {store.term}, which is not seen to be {term}")

    def _covered(self, place: WantedPlace, stores: Sequence[tuple[PlacedStore, ...]]) -> tuple[str, ...] | Open:
        """What is taken for granted where all elements are stored to; or that some may not be."""
        taken = {v.value.name for v in (*self.launched.blocks, *self.launched.threads)} | set(self.launched.sizes)
        element = tuple(fresh(f"at_{axis}", length, taken) for axis, length in enumerate(place.lengths))
        given = all_of(self.launched.given, place.has(element))
        for part in range(0, place.element, place.unit):
            mine = [each for each in stores if each[0].part == part]
            solved = any(
                all(self._decided(one.goal, one.given) for one in questions)
                for which in (0, -1)
                for questions in ways([each[which] for each in mine], place, element, given)
            )
            if not solved and not self._enumerated([each[0] for each in mine], element):
                return Open("that every element is stored to is not seen")
        return ()

    def _enumerated(self, stores: Sequence[PlacedStore], element: tuple[Expr, ...]) -> bool:
        """Whether all elements are stored to, at fixed sizes."""
        onto = everywhere(stores, element, self.launched.given)
        return onto is not None and isinstance(answers.verdict(onto, WHOLE), Proved)

    def _decided(self, goal: Expr, given: Expr) -> bool:
        """Whether the goal holds, with what the launch assumes of contents."""
        goal = simplify(goal)
        return goal is TRUE or self.decide(goal, all_of(given, *self._assumed(goal, given)))

    def _assumed(self, *exprs: Expr) -> Iterator[Expr]:
        for v in variables(*exprs):
            name = call_of(v)[0]
            if is_memory(name):
                size, tensor = int(name[1 : name.index("]")]), name[name.index("]") + 1 :]
                memory = self.launched.start[tensor]  # such a term is of what was there before
                if memory.element == size:
                    yield memory.holds(call_of(v)[1][0], size, [v])


def _compares(one: TracedElement) -> bool:
    """Whether an operation stores only where it finds what it looks for."""
    if not one.atomic:
        return False
    atomic = access_of(one.instruction.name, one.instruction.fields).atomic
    return atomic is not None and atomic.compares
