"""Each access of a binary beside the program's: the claims of `refinement`, one after the other.

Which element of the binary is which of the program is found by samples; that it is, is proved.  Values are compared
once the binary's unknowns have the program's names: what a load brought, and what a loop carries.  The latter is an
induction: two unknowns at the head of a loop are one if they are before the loop, and if, being one at the head of an
iteration, they are one at its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, permutations

from layoutalg.index import (
    Expr,
    all_of,
    any_of,
    conjuncts,
    eq,
    mod,
    negation,
    simplify,
    value,
    variables,
)
from layoutalg.index.conditions import assuming, restricted
from layoutalg.isa.semantics.accesses import ACCESSES, natural_alignment
from layoutalg.isa.semantics.tensor import TENSOR_STORES
from layoutalg.kernel.program import Program
from layoutalg.prove import Proved, Refuted, Shown, Verdict, Witness
from layoutalg.refine.simulation.expected import UNSAID, Expected, ExpectedElement
from layoutalg.refine.simulation.order import changed_places
from layoutalg.refine.simulation.questions import Questions, unknown
from layoutalg.refine.simulation.rows import OtherLanes
from layoutalg.refine.simulation.samples import Point, points_where, sample_points
from layoutalg.symex.idioms.floats import recognised
from layoutalg.symex.loops.record import LoopRecord
from layoutalg.symex.machine.tracing import TracedElement
from layoutalg.symex.machine.wave import Wave
from layoutalg.symex.machine.wave_unknowns import ELSEWHERE
from layoutalg.symex.values.uninterpreted import COMMUTE, UninterpretedFunctions
from layoutalg.symex.values.unknowns import (
    NOTHING_KNOWN,
    Kind,
    arguments_of,
    call_of,
    dependencies,
    function_of,
    kind_of,
)
from layoutalg.symex.values.word import NotReadable

#: How many accesses to LDS that have changed places are looked at: each is a question, of a millisecond at least.
MOST_TURNED = 400

Placing = Callable[[TracedElement | ExpectedElement], tuple[object, ...]]
Decided = Iterator[tuple[str, Verdict]]


class Comparison:
    """Both sides, and which element of the one is which of the other."""

    def __init__(
        self, program: Program, expected: Expected, found: Sequence[TracedElement], loops: LoopRecord,
        questions: Questions, functions: UninterpretedFunctions, lds_bytes: int, wave: Wave = UNSAID,
    ) -> None:  # fmt: skip
        self.program, self.questions, self.functions = program, questions, functions
        self.lanes = OtherLanes(wave, functions, {*program.grid, *program.sizes, *expected.loops})
        self.there: dict[tuple[object, ...], Expr] = {}  # what other lanes have, as it was named
        self.done: dict[tuple[object, ...], dict[Expr, Expr]] = {}  # what was named where the same was given and known
        self.settled: dict[tuple[Expr, Expr], Expr] = {}
        self.expected, self.found, self.loops = expected, found, loops
        questions.free |= {*expected.carried, *loops.carried}
        self.points = sample_points(program, expected.loops)
        self.names: dict[Expr, Expr] = {}  # what the binary loaded or carries → what the program calls it
        self.lds_bytes = lds_bytes
        self.where: dict[Expr, tuple[Point, ...]] = {}  # points where a condition holds
        self.waiting: list[tuple[Expr, Expr]] = []  # what is carried, and has to be shown the same

    def verdicts(self) -> Decided:
        """LoopRecord' counts first, then loads, since stores speak of them."""
        for claim in self.loops.claims:
            yield claim.label, self.questions.decide("its exit is the last", claim.goal, self._given(claim.given))
        self.wanted = placed_in_lds(self.expected.elements, self.found, self.program, self._place, self.lds_bytes)
        self.places = {self._place(w): w for w in reversed(self.wanted)}
        yield from self._alike()
        partners = [(element, self._partner(element)) for element in self.found]
        for element, partner in partners:
            if partner is not None and not element.store:
                self.names[element.value] = partner.value
        strays = [element for element, partner in partners if partner is None]
        for element in strays:
            yield self._about(element), self._stray(element)
        if strays:
            return  # what is loaded there is not known, so nothing can be said of the rest
        stored: dict[str, list[TracedElement]] = {}
        for element, partner in partners:
            if partner is not None:
                yield from self._compared(element, partner)
                if element.store:
                    stored.setdefault(partner.what, []).append(element)
        yield from self._complete(stored)
        yield from self._ordered(partners)
        yield from self._carried()

    def _given(self, *conditions: Expr) -> Expr:
        return all_of(self.program.requires, *(t < n for t, n in self.expected.loops.items()), *conditions)

    def _place(self, element: TracedElement | ExpectedElement) -> tuple[object, ...]:
        return *_kind(element), element.loops, tuple(value(element.offset, point) for point in self.points)

    def _alike(self) -> Decided:
        """Loads of the program from one place bring one value: one name does for all; stores must differ."""
        for element in self.wanted:
            other = self.places[self._place(element)]
            if other is element:
                continue
            if element.store or element.barriers is not other.barriers:
                yield f"{element.what}: told apart", unknown(f"it has the place of {other.what}")
                continue
            given = self._given(element.guard)
            yield (
                f"{element.what}: is {other.what}",
                self.questions.decide("one place", all_of(eq(element.offset, other.offset), other.guard), given),
            )
            self.names[element.value] = other.value

    def _about(self, element: TracedElement) -> str:
        verb = "stores to" if element.store else "loads from"
        return f"{element.instruction.address:#x} {element.instruction.name.lower()} {verb} {element.buffer}"

    def _partner(self, element: TracedElement) -> ExpectedElement | None:
        """The program's element that has this one's place: at all samples, or at those where it happens."""
        if not set(variables(element.offset)) <= set(self.points[0]):
            return None
        partner = self.places.get(self._place(element))
        if partner is not None or not set(variables(element.guard)) <= set(self.points[0]):
            return partner
        points = self._points_of(element.guard)
        places = [value(element.offset, point) for point in points]
        alike = (w for w in self.wanted if _kind(w) == _kind(element) and w.loops == element.loops)
        same_places = (w for w in alike if [value(w.offset, point) for point in points] == places)
        return next(same_places, None) if len(points) > 1 else None

    def _points_of(self, guard: Expr) -> tuple[Point, ...]:
        if guard not in self.where:
            self.where[guard] = points_where(self.program, self.expected.loops, guard)
        return self.where[guard]

    def _stray(self, element: TracedElement) -> Verdict:
        """An access that is none of the program's: refuted where it is seen to happen."""
        if not set(variables(element.offset, element.guard)) <= set(self.points[0]):
            return unknown(f"the address {element.offset} or its condition is not known")
        for point in (*self.points, *self._points_of(element.guard)):
            meant = {value(w.offset, point) for w in self.wanted if _kind(w) == _kind(element)}
            if value(element.guard, point) and value(element.offset, point) not in meant:
                at = {v.value.name: n for v, n in point.items()}
                text = f"byte {value(element.offset, point)} of {element.buffer}, which the program does not touch"
                return Refuted("an access of the program", "evaluation", 0.0, (), Witness((at,), text))
        return unknown(f"it is none of the program's, at {element.offset} where {element.guard}")

    def _compared(self, element: TracedElement, partner: ExpectedElement) -> Decided:
        about, given = self._about(element), self._given(element.guard)
        shown = (Shown("binary", (element.offset,)), Shown("program", (partner.offset,)))
        goal = eq(element.offset, partner.offset)
        yield f"{about}: place", self.questions.decide("the offset is the program's", goal, given, shown)
        yield (
            f"{about}: condition",
            self._follows("it happens only when the program's does", partner.guard, element.guard),
        )
        needed = natural_alignment("lds" if element.buffer == "lds" else "global", element.width)
        if needed > partner.size and not element.within:
            aligned = eq(mod(element.offset, needed), 0)
            yield f"{about}: alignment", self.questions.decide(f"the address is a multiple of {needed}", aligned, given)
        if element.size != partner.size:
            yield f"{about}: size", unknown(f"{element.size} bytes for {partner.size}")
        if element.buffer == "lds":
            yield f"{about}: barriers", self._barriers(element, partner)
        copied = ACCESSES.get(element.instruction.name)
        if (copied and copied.from_lds) or element.instruction.name in TENSOR_STORES:
            yield f"{about}: order", unknown("a copy from LDS is none of a program's")
        if element.lands and not partner.lands and not element.spans and not element.alone:
            yield f"{about}: lands", unknown("it is under way beside others of its wave")
        elif element.spans > (partner.over if element.lands else 0):
            why = f"it is under way over {element.spans} barriers, {partner.over} in the program"
            yield f"{about}: lands", unknown(why)
        if element.store:
            yield (
                f"{about}: value",
                self._value(element.value, partner.value, self._given(element.guard, partner.guard), element.loops),
            )

    def _follows(self, label: str, goal: Expr, condition: Expr) -> Verdict:
        """The condition implies the goal; parts that are the same once simplified need no proof."""
        return self.questions.decide(label, assuming(goal, condition), self._given(condition))

    def _barriers(self, element: TracedElement, partner: ExpectedElement) -> Verdict:
        if simplify(element.barriers - partner.barriers).value == 0:
            return Proved("barriers before it", "counting", 0.0)
        text = f"{element.barriers} barriers before it, {partner.barriers} in the program"
        return Refuted("barriers before it", "counting", 0.0, (), Witness((), text))

    def _complete(self, stored: Mapping[str, Sequence[TracedElement]]) -> Decided:
        """Each store of the program is done, by whichever of the binary's has its place."""
        for element in self.wanted:
            if not element.store:
                continue
            done = stored.get(element.what, ())
            if done:
                either = any_of(*(one.guard for one in done))
                label = "it happens when the program's does"
                yield f"{element.what}: happens", self._follows(label, either, element.guard)
            else:
                text = "the binary has no store for it"
                refuted = Refuted("each store is there", "counting", 0.0, (), Witness((), text))
                yield f"{element.what}: happens", refuted

    def _ordered(self, partners: Sequence[tuple[TracedElement, ExpectedElement | None]]) -> Decided:
        """Between two barriers, two accesses of a thread to LDS, one a store, that change places do not meet.

        Loads to LDS are in no order among each other: that the program's own do not meet is proved of it.
        """
        number = {w.what: n for n, w in enumerate(self.wanted)}
        phases: dict[
            Expr, list[tuple[int, TracedElement]]
        ] = {}  # those in a loop without barriers are of all its iterations
        for element, partner in partners:
            if partner is not None and element.buffer == "lds":
                phases.setdefault(partner.barriers, []).append((number[partner.what], element))
        for accesses in phases.values():
            landing = [(self.wanted[n].lands, element) for n, element in accesses if element.lands]
            pairs = ((one, other) for (its, one), (own, other) in combinations(landing, 2) if not (its and own))
            turned = [*changed_places(accesses), *pairs]
            for one, other in turned[:MOST_TURNED]:
                about = f"{self._about(other)}: before {one.instruction.address:#x} in the program"
                apart = negation(eq(one.offset, other.offset))
                given = self._given(one.guard, other.guard)
                yield about, _not_refuted(self.questions.decide("they do not meet", apart, given))
            if len(turned) > MOST_TURNED:
                yield "the order of LDS accesses", unknown(f"{len(turned)} accesses have changed places")

    # --- values -------------------------------------------------------------------------------------------------------

    def _value(self, found: Expr, wanted: Expr, given: Expr, inside: Sequence[Expr] | None = None) -> Verdict:
        """In the program's names for what was loaded and is carried.

        Within the loops `inside`, where that is said: what is left of another is what its last iteration made.
        """
        past = {} if inside is None else {t: n - 1 for t, n in self.expected.loops.items() if t not in inside}
        goal = self._named(wanted, given, past)
        got = self._named(found, given, past)
        if got is not goal:
            bound = self._bound(got, goal, {})
            if bound:
                for unknown_, name in bound.items():
                    self.names[unknown_] = name
                    self.waiting.append((unknown_, name))
                got = self._named(found, given, past)
        return self.questions.decide("the stored value is the program's", eq(got, goal), given)

    def _named(self, e: Expr, given: Expr, past: Mapping[Expr, Expr]) -> Expr:
        """In the program's names; an unknown of a loop that was left is its last iteration's, on both sides alike."""
        made_of = dependencies(e)
        kept = {v: v for v in made_of if kind_of(v) not in (None, Kind.RESULT)} if past else {}
        lanes = {v: self._elsewhere(v, given, past) for v in made_of if function_of(v) == ELSEWHERE}
        names = {**kept, **self.names, **past, **lanes}
        done = self.done.setdefault((given, *past, len(self.names)), {})
        return self.functions.rewritten(e, names, done, lambda part: self._settled(part, given))

    def _elsewhere(self, v: Expr, given: Expr, past: Mapping[Expr, Expr]) -> Expr:
        """What another lane has, in the program's names: of what it is for the own lane, whichever thread that is.

        So of what is given only that counts which all threads have alike.
        """
        if kind_of(v) in NOTHING_KNOWN:
            return v
        alike = all_of(*(part for part in conjuncts(given) if {*variables(part)} <= {*self.lanes.shared}))
        key = v, alike, *past, len(self.names)
        if key not in self.there:
            held, lane = arguments_of(v)
            self.there[key] = self.lanes.at(self._named(held, alike, past), self._named(lane, alike, past))
        return self.there[key]

    def _settled(self, e: Expr, given: Expr) -> Expr:
        """What it is where a condition holds; again, since what one step makes plain the other decides.

        Choices within quotients stay at first, since it is the whole that is recognised.
        """
        if (e, given) not in self.settled:
            plain = e
            for spread in (False, True, True):
                plain = recognised(self.functions, simplify(restricted(plain, given, spread)))
            self.settled[e, given] = plain
        return self.settled[e, given]

    def _bound(self, got: Expr, goal: Expr, bound: Mapping[Expr, Expr]) -> dict[Expr, Expr] | None:
        """What the binary's carried unknowns must be called for the two to have one form; None where they have not."""
        if got is goal or bound.get(got) is goal:
            return dict(bound)
        if got in self.loops.carried and got not in bound and goal in self.expected.carried:
            return {**bound, got: goal}
        parts, wholes = self._parts(got), self._parts(goal)
        if parts is None or wholes is None or parts[0] != wholes[0] or len(parts[1]) != len(wholes[1]):
            return None
        orders = [parts[1]]
        if parts[0] in COMMUTE:
            orders.append((parts[1][1], parts[1][0], *parts[1][2:]))
        for operands in orders:
            new: dict[Expr, Expr] | None = dict(bound)
            for a, b in zip(operands, wholes[1], strict=True):
                new = self._bound(a, b, new) if new is not None else None
            if new is not None:
                return new
        return None

    def _parts(self, e: Expr) -> tuple[object, tuple[Expr, ...]] | None:
        """The operation and its operands, of a function's result too."""
        if call_of(e)[0]:
            return call_of(e)
        return ((e.op, e.value), e.args) if e.args else None

    def _carried(self) -> Decided:
        """What is carried: the same before the loop, and kept the same by an iteration."""
        done = 0
        while done < len(self.waiting):
            unknown_, name = self.waiting[done]
            done += 1
            binary, program = self.loops.carried[unknown_], self.expected.carried[name]
            about = f"{name} is carried"
            if binary.loop is not program.loop:
                yield about, unknown("by another loop")
                continue
            before = self._value(mod(binary.before, 1 << 32), program.before, self._given())
            yield f"{about}: before the loop", _not_refuted(before)
            after = self._value(mod(binary.after, 1 << 32), program.after, self._given())
            yield f"{about}: by an iteration", _not_refuted(after)


def placed_in_lds(
    wanted: Sequence[ExpectedElement], found: Sequence[TracedElement], program: Program, place: Placing, lds_bytes: int
) -> list[ExpectedElement]:
    """The program's elements with LDS buffers where the compiler put them, one after the other in some order.

    The order that the binary's accesses fit best is taken; whether they do is what the claims say.
    """
    shared = {s.name: s for s in program.shared}
    seen = {place(element) for element in found if element.buffer == "lds" and _can_be_placed(element, place)}
    best: tuple[int, list[ExpectedElement]] | None = None
    for names in permutations(shared):
        starts, end = {}, 0
        for name in names:
            starts[name] = end
            end += shared[name].aligned_bytes
        if end > lds_bytes:
            continue
        moved = [
            replace(w, buffer="lds", offset=simplify(w.offset + starts[w.buffer])) if w.buffer in starts else w
            for w in wanted
        ]
        fits = len(seen & {place(w) for w in moved if w.buffer == "lds"}) if len(shared) > 1 else 0
        if best is None or fits > best[0]:
            best = fits, moved
    if best is None:
        raise NotReadable(f"{lds_bytes} bytes of LDS do not hold what {program.name} has there, aligned")
    return best[1]


def _can_be_placed(element: TracedElement, place: Placing) -> bool:
    try:
        place(element)
    except KeyError:
        return False
    return True


def _kind(element: TracedElement | ExpectedElement) -> tuple[bool, str]:
    return element.store, element.buffer


def _not_refuted(verdict: Verdict) -> Verdict:
    """Where what is compared was a guess, a difference refutes the guess alone."""
    return unknown(verdict.reason) if isinstance(verdict, Refuted) else verdict
