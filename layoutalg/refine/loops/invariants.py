"""Loops whose count is not a constant: what each register holds at the head, as a function of the iteration's number t.

The body is followed from the state before the loop.  What it changes is taken for a mask that stays, or for a counter,
if one iteration makes it look like one; else for an unknown, and how that comes out of the next iteration says what it
is (`induction`).  Whatever is taken for something is checked: the body is followed until every register comes out of
iteration t as what is said of the head of t + 1, which is then known of all iterations.

| the body, in the program's iterations | what follows |
|---|---|
| leaves by an exit | a claim: it does exactly in the last; behind it is the state of that iteration |
| always comes back | with what the last iteration brings to the head it is followed once more, and must leave |

Of several exits to different places, each has its condition: three are taken where e₁, where ¬e₁ and e₂, and where
neither.
What it cannot represent: counts of a loop's own, iterations before or behind the loop, barriers behind an exit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from layoutalg.index import (
    FALSE,
    TRUE,
    Expr,
    all_of,
    any_of,
    eq,
    negation,
    simplify,
    substitute,
    variables,
)
from layoutalg.prove.obligation import ForAll
from layoutalg.refine.loops.execution import Ends, SymbolicExecution
from layoutalg.refine.loops.induction import Forms
from layoutalg.refine.symbolic.arithmetic import IndexValues
from layoutalg.refine.symbolic.outstanding import Key, Outstanding
from layoutalg.refine.symbolic.state import State, joined, resolved
from layoutalg.refine.symbolic.substitution import Substitution
from layoutalg.refine.values.word import High, Mask, NotReadable, Word, are_halves, as_mask, is_mask

#: How often a body is tried before no invariant is found.  Loops of the builds that are proved take three: one to see
#: what changes, one to recognise it, one to check; each loop within another may ask for more.
TRIES = 12

Register = tuple[str, Key]
"""A register: in `scalars` or in `cells`."""


@dataclass(frozen=True)
class Carried:
    """A register that a loop hands from iteration to iteration: its unknown at the head, and what it is otherwise."""

    loop: Expr
    unknown: Expr
    before: Expr  # what the register holds before the loop
    after: Expr  # what it holds at the end of an iteration


@dataclass
class Loops:
    """The loops of a program by their variables, and what was found about the binary's."""

    expected: Mapping[Expr, Expr] = field(default_factory=dict)  # their numbers, and how often they run
    heads: dict[int, Expr] = field(default_factory=dict)
    claims: list[ForAll] = field(default_factory=list)
    carried: dict[Expr, Carried] = field(default_factory=dict)
    handed: dict[Expr, tuple[Expr, ...]] = field(default_factory=dict)  # each unknown → what else its register holds

    def execute(self, execution: SymbolicExecution, head: int, entry: State) -> Ends:
        """Executes one loop by its invariant.  Raises `NotReadable` when there is none that can be checked."""
        if head not in self.heads:
            if len(self.heads) == len(self.expected):
                raise NotReadable(f"a loop at {head:#x} that the program has not")
            self.heads[head] = list(self.expected)[len(self.heads)]
        return Loop(self, execution, head, entry).ends()


class Loop:
    """One loop, followed from one state."""

    def __init__(self, loops: Loops, execution: SymbolicExecution, head: int, entry: State) -> None:
        self.loops, self.execution, self.machine = loops, execution, execution.machine
        self.w: IndexValues = execution.machine.w
        self.head, self.entry, self.t = head, entry, loops.heads[head]
        self.count = loops.expected[self.t]
        self.unknown: dict[Register, Word | Mask] = {}  # registers that are changed → their unknowns
        self.pairs: dict[Register, tuple[Register, Word]] = {}  # lower half → upper half, the unknown whole
        self.known: dict[Register, Word | Mask] = {}  # registers whose value at the head is known → that value
        self.wrong: set[tuple[Register, Expr]] = set()  # what registers were taken for, and are not
        self.outstanding: Outstanding = entry.outstanding.copy()
        self.barriers: Expr = FALSE  # a body's
        self.forms = Forms(self.w, self.t, loops.expected)

    def leaves(self) -> Expr:
        """When the body leaves, in terms of the iteration.  Raises `NotReadable` where it never does within."""
        noting, around = self.machine.noting, self.machine.loops
        self.machine.noting, self.machine.loops = False, (*around, self.t)
        try:
            start, _, leaving = self._settled()
        finally:
            self.machine.noting, self.machine.loops = noting, around
        if not leaving:
            raise NotReadable(f"the loop at {self.head:#x} has no exit that is seen")
        return simplify(self._taken(start, [state for _, state in leaving]))

    def ends(self) -> Ends:
        """The states behind the loop's exit."""
        noting, around, decide = self.machine.noting, self.machine.loops, self.w.decide
        self.machine.noting, self.machine.loops = False, (*around, self.t)
        self.w.decide = lambda goal, given: False
        try:
            self._settled()  # first without a solver: most registers that change are plain counters
            self.w.decide, self.machine.noting = decide, noting
            self.wrong.clear()
            start, latch, leaving = self._settled()
        finally:  # where it cannot be read, a loop around it may be read in another way
            self.w.decide, self.machine.noting, self.machine.loops = decide, noting, around
        if noting:
            self._note(start, latch, leaving)
        return self._left(start, leaving) if leaving else self._tested_at_head(latch)

    def _settled(self) -> tuple[State, State, Ends]:
        """What `_executed` gives when nothing new is found: what is known of registers then holds from head to head."""
        trace, claims = self.machine.trace, self.loops.claims
        marks = len(trace), len(claims)
        for _ in range(TRIES):
            del trace[marks[0] :], claims[marks[1] :]
            start, latch, leaving = self._executed()
            wrong = self._refuted(latch)
            if not self._grown(start, latch) and not self._recognised(start, latch) and not wrong:
                return start, latch, leaving
        raise NotReadable(f"the loop at {self.head:#x} changes other registers in every try")

    def _executed(self) -> tuple[State, State, Ends]:
        """The state at the head, at the end of the body, and those that leave."""
        start = self._start()
        ends = self.execution.region(self.execution.flow.loops[self.head], self.head, start.copy())
        back = [state for target, state in ends if target == self.head]
        leaving = [(target, state) for target, state in ends if target != self.head]
        if not back:
            raise NotReadable(f"the loop at {self.head:#x} does not come back to its head")
        return start, joined(self.w, back), leaving

    def _start(self) -> State:
        start = self.entry.copy()
        start.outstanding, start.scc = self.outstanding.copy(), None
        start.barriers = self.entry.barriers + self.barriers * self.t
        for place, word in (self.unknown | self.known).items():
            _put(start, place, word)
        return start

    # What changes

    def _grown(self, start: State, latch: State) -> bool:
        """Takes up what else one iteration changes; whether there was any."""
        if latch.signalled != start.signalled:
            raise NotReadable(f"the loop at {self.head:#x} ends within a barrier")
        outstanding = self.outstanding.copy()
        outstanding.join(latch.outstanding)
        per_iteration = simplify(latch.barriers - start.barriers)
        grown = outstanding != self.outstanding or per_iteration is not self.barriers
        self.outstanding, self.barriers = outstanding, per_iteration
        changed = [p for p in _places(start, latch) if p not in self.unknown and not self._same(start, latch, p)]
        numbers = [place for place in changed if not self._guess_mask(latch, place)]
        words = {p: word for p in numbers if isinstance(word := self._get(self.entry, p), Word)}
        uppers = {p: word for p, word in words.items() if isinstance(word.origin, High)}
        for place in numbers:
            self._forget(place, words.get(place), uppers)
        for place in numbers:
            self._guess_counter(latch, place)
        return grown or bool(changed)

    def _same(self, start: State, latch: State, place: Register) -> bool:
        kind, key = place
        if kind == "cells":
            a, b = start.cells.get(key, ()), latch.cells.get(key, ())
            if len(a) == len(b) and all(x[0] is y[0] and x[1] is y[1] for x, y in zip(a, b, strict=True)):
                return True
        elif start.scalars.get(key) is latch.scalars.get(key):
            return True
        one, other = self._get(start, place), self._get(latch, place)
        if isinstance(one, Mask) or isinstance(other, Mask):
            both = isinstance(one, Mask) and isinstance(other, Mask)
            return both and (as_mask(one).own, as_mask(one).half) == (as_mask(other).own, as_mask(other).half)
        return one.alike(other)

    def _get(self, state: State, place: Register) -> Word | Mask:
        kind, key = place
        if kind == "cells":
            return resolved(self.w, state.cells.get(key, ()), state.condition)
        return state.scalars.get(key) or self.w.fresh_word()

    def _forget(self, place: Register, here: Word | None, uppers: Mapping[Register, Word]) -> None:
        """An unknown for a register; one for two that are the halves of a word before the loop.

        `here` is what it holds then, if that is no mask; `uppers`, which registers hold upper halves.
        """
        if place in self.unknown:
            return
        upper = None if here is None else self._upper(place, here, uppers)
        if here is None:
            self.unknown[place] = self._unknown_mask(place, as_mask(self._get(self.entry, place)))
        elif upper is not None:
            unknown = self.w.word(self.w.fresh("carried", 1 << 64), 64)
            self.unknown[place], self.unknown[upper] = self.w.low(unknown), self.w.high(unknown)
            self.pairs[place] = (upper, unknown)
        else:
            self.unknown[place] = self.w.word(self.w.fresh("carried", 1 << 32))

    def _upper(self, low: Register, word: Word, uppers: Mapping[Register, Word]) -> Register | None:
        """The register that holds the upper half of a word before the loop; of several, the next one first."""
        kind, (file, number) = low
        taken = {upper for upper, _ in self.pairs.values()}
        found = [place for place, above in uppers.items() if place not in taken and are_halves(word, above)]
        following: Register = (kind, (file, number + 1))
        return following if following in found else next(iter(found), None)

    def _unknown_mask(self, place: Register, mask: Mask) -> Mask:
        """An unknown for a mask, one for both halves: the lane's bit is in one of them."""
        kind, (file, number) = place
        if mask.half is not None:
            partner = self.unknown.get((kind, (file, number + 1 - 2 * mask.half)))
            if isinstance(partner, Mask) and partner.half == 1 - mask.half:
                return mask.having(partner.own)
        return mask.having(self.w.fresh_bit())

    # What it is

    def _guess_mask(self, latch: State, place: Register) -> bool:
        """Takes a register that is the same mask after one iteration for that mask; later it is seen if it is."""
        here, end = self._get(self.entry, place), self._get(latch, place)
        if place[0] != "scalars" or not (is_mask(here) and is_mask(end)) or as_mask(here).own is not as_mask(end).own:
            return False
        mask = as_mask(here).having(as_mask(here).own, as_mask(end))
        self.unknown[place], self.known[place] = self._unknown_mask(place, mask), mask
        return True

    def _guess_counter(self, latch: State, place: Register) -> None:
        """Takes a register that one iteration changes by a constant for a counter; later it is seen if it is one."""
        here, end = self._get(self.entry, place), self._get(latch, place)
        if isinstance(here, Word) and isinstance(end, Word) and place not in self._halves():
            counter = self.forms.counter(here, end)
            if counter is not None:
                self.known[place] = counter

    def _halves(self) -> set[Register]:
        return {half for low, (high, _) in self.pairs.items() for half in (low, high)}

    def _refuted(self, latch: State) -> bool:
        """Drops what is known of registers and does not hold after an iteration; whether there was any."""
        wrong = [place for place in self.known if not self._kept(latch, place)]
        for place in wrong:
            self.wrong.add((place, _value(self.known.pop(place))))
            if place in self.pairs:
                del self.known[self.pairs[place][0]]
        return bool(wrong)

    def _recognised(self, start: State, latch: State) -> bool:
        """Finds values at the head of registers that were unknown; whether there were any."""
        found: dict[Register, Word | Mask] = {}
        uppers = {upper for upper, _ in self.pairs.values()}
        for place in self.unknown:
            if place in self.known or place in uppers:
                continue
            if place in self.pairs:
                upper, unknown = self.pairs[place]
                before, after = (self._whole(state, place, upper) for state in (self.entry, latch))
                form = self.forms.number(before, unknown.expr, after) if before and after else None
                low = None if form is None else self.w.low(whole := self.w.word(form, 64))
                if low is not None and (place, low.expr) not in self.wrong:
                    found |= {place: low, upper: self.w.high(whole)}
                continue
            here, end, unknown_word = (self._get(s, place) for s in (self.entry, latch, start))
            if isinstance(unknown_word, Mask):
                own = self.forms.bit(here, end)
                if own is not None:
                    found[place] = unknown_word.having(own)
            elif isinstance(here, Word) and isinstance(end, Word):
                form = self.forms.number(here, unknown_word.expr, end)
                if form is not None:
                    found[place] = self.w.word(form)
        new = {place: word for place, word in found.items() if (place, _value(word)) not in self.wrong}
        self.known |= new
        return bool(new)

    def _whole(self, state: State, low: Register, high: Register) -> Word | None:
        """The word of which two registers hold the halves."""
        a, b = self._get(state, low), self._get(state, high)
        return self.w.pair(a, b) if isinstance(a, Word) and isinstance(b, Word) else None

    # What is checked

    def _kept(self, latch: State, place: Register) -> bool:
        """Whether a register holds at the end of iteration t what is said of the head of t + 1."""
        following = {self.t: self.t + 1}
        if any(place == upper and low in self.known for low, (upper, _) in self.pairs.items()):
            return True  # with its lower half
        claimed, held = self.known[place], self._get(latch, place)
        if place in self.pairs:
            upper = self.pairs[place][0]
            whole = self._whole(latch, place, upper)
            if whole is None:
                return False
            claimed, held = self.w.pair(_word(claimed), _word(self.known[upper])), whole
        if isinstance(claimed, Mask):
            same_half = not isinstance(held, Mask) or held.half == claimed.half
            own = as_mask(held).own if is_mask(held) else None
            return same_half and own is not None and simplify(substitute(claimed.own, following)) is simplify(own)
        if isinstance(held, Mask):
            return False
        return self.w.congruent(substitute(claimed.expr, following), held.expr, held.bits)

    def _note(self, start: State, latch: State, leaving: Ends) -> None:
        """The claim on the count, if the body leaves, and what the loop carries."""
        leaves = self._taken(start, [state for _, state in leaving])
        last = eq(self.t, self.count - 1)
        about = f"the loop at {self.head:#x}: as many iterations as the program's"
        goal = any_of(all_of(leaves, last), all_of(negation(leaves), negation(last)))
        if leaving:
            self.loops.claims.append(ForAll(about, goal, start.condition))
        for place, word in self.unknown.items():
            if place in self.known:
                continue
            held = tuple(_value(self._get(state, place)) for state in (self.entry, latch))
            for v in variables(_value(word)):
                self.loops.handed[v] = (*self.loops.handed.get(v, ()), *held)
            if isinstance(word, Word) and word.expr.op == "var":
                before, after = (self._get(s, place) for s in (self.entry, latch))
                if isinstance(before, Word) and isinstance(after, Word):
                    self.loops.carried[word.expr] = Carried(self.t, word.expr, before.expr, after.expr)

    def _tested_at_head(self, latch: State) -> Ends:
        """The states behind the exits of a loop that comes back from each of the program's iterations.

        What comes back from the last of them then must leave.
        """
        state = Substitution({self.t: self.count - 1}).state(latch)
        following = Substitution({self.t: self.count})
        for place, word in self.known.items():
            _put(state, place, following.scalar(word))
        state.path = self.entry.path
        ends = self.execution.region(self.execution.flow.loops[self.head], self.head, state)
        if any(target == self.head for target, _ in ends):
            raise NotReadable(f"the loop at {self.head:#x} may go on after the program's last iteration")
        return ends

    def _taken(self, start: State, leaving: Sequence[State]) -> Expr:
        """When one of these ways out is taken."""
        return any_of(*(all_of(*(p for p in state.path if p not in start.path)) for state in leaving))

    def _left(self, start: State, leaving: Ends) -> Ends:
        """The states behind the exits: those of the last iteration, in which one of the exits is taken.

        So where none of the others is, it is the last of them: with one exit nothing is said of when it is taken.
        """
        ends, others = Ends(), self.entry.path
        targets = list(dict.fromkeys(target for target, _ in leaving))
        for target in targets:
            states = [state for to, state in leaving if to == target]
            at = Substitution({self.t: self.count - 1})
            taken = simplify(at.expr(self._taken(start, states)))
            state = at.state(joined(self.w, states))
            state.path = others if target == targets[-1] else (*others, taken)
            others = (*others, negation(taken))
            ends.append((target, state))
        return ends


def _places(one: State, other: State) -> Iterator[Register]:
    yield from (("scalars", key) for key in {**one.scalars, **other.scalars})
    yield from (("cells", key) for key in {**one.cells, **other.cells})


def _put(state: State, place: Register, word: Word | Mask) -> None:
    kind, key = place
    if kind == "scalars":
        state.scalars[key] = word
    else:
        state.cells[key] = ((TRUE, _word(word)),)


def _value(word: Word | Mask) -> Expr:
    return word.own if isinstance(word, Mask) else word.expr


def _word(word: Word | Mask) -> Word:
    if isinstance(word, Mask):
        raise NotReadable("a lane mask where a number is expected")
    return word
