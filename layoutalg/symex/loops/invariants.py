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

from layoutalg.index import ZERO, Expr, all_of, any_of, eq, negation, simplify, substitute, variables
from layoutalg.prove.obligation import ForAll
from layoutalg.symex.loops.execution import BEHIND, Edges, SymbolicExecution
from layoutalg.symex.loops.induction import Forms
from layoutalg.symex.loops.masks import LoopMasks
from layoutalg.symex.loops.places import (
    Register,
    both_halves,
    nothing_known,
    number,
    own_exec,
    places,
    put,
    read,
    same,
    undefined,
    upper_half,
    value,
)  # fmt: skip
from layoutalg.symex.loops.ranking import LaneIterations
from layoutalg.symex.loops.record import Carried, LoopBuilder
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.machine.outstanding import Outstanding
from layoutalg.symex.machine.state import State, joined, resolved
from layoutalg.symex.machine.substitution import Substitution
from layoutalg.symex.values.unknowns import Kind, dependencies
from layoutalg.symex.values.word import Bit, High, Mask, NotReadable, Word, as_mask, is_mask

#: How often a body is tried before no invariant is found: of most builds three times, and more around other loops.
TRIES = 12


class ProgramLoops(LoopBuilder):
    """The loops of a program by their variables, and what was found about the binary's."""

    def __init__(self, counts: Mapping[Expr, Expr]) -> None:
        """`counts`: how often the program's loops run, in their order."""
        super().__init__(counts)

    def execute(self, execution: SymbolicExecution, head: int, entry: State) -> Edges:
        """Executes one loop by its invariant.  Raises `NotReadable` when there is none that can be checked."""
        this = execution.executed(head)
        if self.variable(this) is None:
            met = len(self._variables)
            if met == len(self.record.counts):
                raise NotReadable(f"a loop at {head:#x} that the program has not")
            t = list(self.record.counts)[met]
            self.meet(this, t, self.record.counts[t])
        return NaturalLoop(self, execution, head, entry).ends()


class NaturalLoop:
    """One loop, followed from one state."""

    def __init__(self, loops: LoopBuilder, execution: SymbolicExecution, head: int, entry: State) -> None:
        self.loops, self.execution, self.machine = loops, execution, execution.machine
        self.w: IndexValues = execution.machine.w
        t = loops.variable(execution.executed(head))
        assert t is not None
        self.head, self.entry, self.t, self.count = head, entry, t, loops.record.counts[t]
        self.unknown: dict[Register, Word | Mask] = {}  # registers that are changed → their unknowns
        self.pairs: dict[Register, tuple[Register, Word]] = {}  # lower half → upper half, the unknown whole
        self.known: dict[Register, Word | Mask] = {}  # registers whose value at the head is known → that value
        self.refuted: set[tuple[Register, Expr]] = set()  # what registers were taken for, and are not
        self.inactive: dict[Register, Word] = {}  # what lanes that are not active at the head have there
        self.masks = LoopMasks(self.w)
        self.outstanding: Outstanding = entry.outstanding.copy()
        self.barriers: Expr = ZERO  # a body's
        self.forms = Forms(self.w, self.t, dict(loops.record.counts))

    def exit_condition(self) -> Expr:
        """When the body leaves, in terms of the iteration.  Raises `NotReadable` where it never does within."""
        with self.w.within(self.t), self.machine.trace.paused():
            start, _, leaving = self._fixpoint()
        if not leaving:
            raise NotReadable(f"the loop at {self.head:#x} has no exit that is seen")
        return simplify(self._exit_condition(start, [state for _, state in leaving]))

    def ends(self) -> Edges:
        """The states behind the loop's exit."""
        with self.w.within(self.t):
            with self.machine.trace.paused(), self.w.ranges.without_solver():
                self._fixpoint()  # first without a solver: most registers that change are plain counters
            self.loops.forget(self.execution.executed(self.head))  # within, counts may go by these
            self.refuted.clear()
            start, latch, leaving = self._fixpoint()
        if self.machine.trace.recording:
            self._note(start, latch, leaving)
        ends = self._exits(start, leaving) if leaving else self._exits_at_head(latch)
        for place in self._idle(start, latch):
            for _, state in ends:
                writes = state.cells.get(place[1], ())
                if writes and writes[0][1] is self.inactive[place]:
                    state.cells[place[1]] = (*self.entry.cells.get(place[1], ()), *writes[1:])
        return ends

    def _fixpoint(self) -> tuple[State, State, Edges]:
        """What `_iterate` gives when nothing new is found: what is known of registers then holds from head to head."""
        trace, claims = self.machine.trace.mark(), self.loops.mark()
        for _ in range(TRIES):
            self.machine.trace.roll_back(trace)
            self.loops.roll_back(claims)
            start, latch, leaving = self._iterate()
            wrong = self._drop_refuted(latch)
            if not self._widen(start, latch) and not self._recognise(start, latch) and not wrong:
                return start, latch, leaving
        raise NotReadable(f"the loop at {self.head:#x} changes other registers in every try")

    def _iterate(self) -> tuple[State, State, Edges]:
        """The state at the head, at the end of the body, and those that leave."""
        start = self._start()
        ends = self.execution.iteration(self.head, start.copy())
        back = [state for target, state in ends if target == self.head]
        leaving = [(target, state) for target, state in ends if target != self.head]
        if not back:
            raise NotReadable(f"the loop at {self.head:#x} does not come back to its head")
        return start, joined(self.w, back), leaving

    def _start(self) -> State:
        start = self.entry.copy()
        start.outstanding = self.outstanding.copy()
        start.scc = self.entry.scc and Bit(self.w.fresh_bit(self.entry.scc.expr))  # as an iteration leaves it
        start.barriers = self.entry.barriers + self.barriers * self.t
        changed = self.unknown | self.known
        for place in sorted(changed, key=lambda place: place[0], reverse=True):  # EXEC before vector registers
            put(start, place, changed[place], self._inactive(place))
        return start

    def _inactive(self, place: Register) -> Word | None:
        """What a vector register holds at the head in lanes that are not active."""
        if place[0] == "scalars":
            return None
        if place not in self.inactive:
            own, before = own_exec(self.entry), self.entry.cells.get(place[1], ())
            here = resolved(self.w, before, all_of(self.entry.condition, negation(own)))
            self.inactive[place] = nothing_known(self.w, here)
        return self.inactive[place]

    def _idle(self, start: State, latch: State) -> Iterator[Register]:
        """The vector registers that lanes keep which are not active, at the head of no iteration."""
        own = own_exec(start)
        if own is own_exec(latch) and own is own_exec(self.entry):
            for place, word in self.inactive.items():
                writes = latch.cells.get(place[1], ())
                if resolved(self.w, writes, all_of(latch.condition, negation(own))).expr is word.expr:
                    yield place

    # What changes

    def _widen(self, start: State, latch: State) -> bool:
        """Takes up what else one iteration changes; whether there was any."""
        if latch.signalled != start.signalled:
            raise NotReadable(f"the loop at {self.head:#x} ends within a barrier")
        outstanding = self.outstanding.copy()
        outstanding.join(latch.outstanding)
        per_iteration = simplify(latch.barriers - start.barriers)
        if self.t in dependencies(per_iteration):
            raise NotReadable(f"an iteration of the loop at {self.head:#x} has as many barriers as its number says")
        spread = self.masks.spread(self.unknown, start, latch)
        self.unknown |= spread
        grown = outstanding != self.outstanding or per_iteration is not self.barriers or bool(spread)
        self.outstanding, self.barriers = outstanding, per_iteration
        changed = [p for p in places(start, latch) if p not in self.unknown and not same(self.w, start, latch, p)]
        numbers = [place for place in changed if not self._guess_mask(latch, place)]
        words = {p: word for p in numbers if isinstance(word := self._get(self.entry, p), Word)
                 and not isinstance(self._get(latch, p), Mask)}  # fmt: skip
        uppers = {p: word for p, word in words.items() if isinstance(word.origin, High)}
        for place in numbers:
            self._forget(place, words.get(place), uppers, latch)
        for place in numbers:
            self._guess_counter(latch, place)
        for place, word in self.unknown.items():
            carried = isinstance(word, Word) and place not in self.known and not undefined(word)
            if carried and undefined(self._get(latch, place)):  # what nothing wrote comes in by a later iteration
                self.unknown[place], grown = self.w.word(self.w.undefined()), True
                self.pairs = {low: pair for low, pair in self.pairs.items() if place not in (low, pair[0])}
        return grown or bool(changed)

    def _get(self, state: State, place: Register) -> Word | Mask:
        return read(self.w, state, place)

    def _forget(self, place: Register, here: Word | None, uppers: Mapping[Register, Word], latch: State) -> None:
        """An unknown for a register; one for two that are the halves of a word before the loop.

        `here` is what it holds then, if that is no mask; `uppers`, which registers hold upper halves.
        """
        if place in self.unknown:
            return
        upper = None if here is None else upper_half(place, here, uppers, {upper for upper, _ in self.pairs.values()})
        if here is None:
            before, end = (as_mask(self._get(state, place)) for state in (self.entry, latch))
            self.unknown[place] = self.masks.unknown(place, before.having(before.own, end), self.unknown)
        elif upper is not None:
            unknown = self.w.word(self.w.fresh("carried", 1 << 64), 64)
            self.unknown[place], self.unknown[upper] = self.w.low(unknown), self.w.high(unknown)
            self.pairs[place] = (upper, unknown)
        else:
            kind = Kind.UNDEFINED if undefined(here) else Kind.DATA
            self.unknown[place] = self.w.word(self.w.fresh("carried", 1 << 32, kind))

    # What it is

    def _guess_mask(self, latch: State, place: Register) -> bool:
        """Takes a register that is the same mask after one iteration for that mask; later it is seen if it is."""
        here, end = self._get(self.entry, place), self._get(latch, place)
        if place[0] != "scalars" or not (is_mask(here) and is_mask(end)) or as_mask(here).own is not as_mask(end).own:
            return False
        if isinstance(here, Word) and isinstance(end, Word):  # 0, or all ones, may be a number
            self.unknown[place], self.known[place] = self.w.word(self.w.fresh("carried", 1 << 32)), here.join(end)
            return True
        mask = as_mask(here).having(as_mask(here).own, as_mask(end))
        self.unknown[place], self.known[place] = self.masks.unknown(place, mask, self.unknown), mask
        return True

    def _guess_counter(self, latch: State, place: Register) -> None:
        """Takes what one iteration changes by a constant for a counter; later it is seen if it is one."""
        if place in self.pairs:
            upper = self.pairs[place][0]
            before, after = (both_halves(self.w, state, place, upper) for state in (self.entry, latch))
            counter = self.forms.counter(before, after) if before and after else None
            if counter is not None:
                self.known |= {place: self.w.low(counter), upper: self.w.high(counter)}
        elif place not in self._halves():
            here, end = self._get(self.entry, place), self._get(latch, place)
            counter = self.forms.counter(here, end) if isinstance(here, Word) and isinstance(end, Word) else None
            if counter is not None:
                self.known[place] = counter

    def _halves(self) -> set[Register]:
        return {half for low, (high, _) in self.pairs.items() for half in (low, high)}

    def _drop_refuted(self, latch: State) -> bool:
        """Drops what is known of registers and does not hold after an iteration; whether there was any."""
        wrong = [place for place in self.known if not self._is_inductive(latch, place)]
        for place in wrong:
            self.refuted.add((place, value(self.known.pop(place))))
            if place in self.pairs:
                del self.known[self.pairs[place][0]]
        return bool(wrong)

    def _recognise(self, start: State, latch: State) -> bool:
        """Finds values at the head of registers that were unknown; whether there were any."""
        found: dict[Register, Word | Mask] = {}
        uppers, paired = {upper for upper, _ in self.pairs.values()}, len(self.pairs)
        for place in tuple(self.unknown):
            if place in self.known or place in uppers:
                continue
            if place in self.pairs:
                upper, unknown = self.pairs[place]
                before, after = (both_halves(self.w, state, place, upper) for state in (self.entry, latch))
                form = self.forms.number(before, unknown.expr, after) if before and after else None
                low = None if form is None else self.w.low(whole := self.w.word(form, 64))
                if low is not None and (place, low.expr) not in self.refuted:
                    found |= {place: low, upper: self.w.high(whole)}
                elif form is None:
                    self._split_pair(place, start, latch)
                continue
            word = self._closed_form(place, start, latch)
            if word is not None:
                found[place] = word
        new = {place: word for place, word in found.items() if (place, value(word)) not in self.refuted}
        self.known |= new
        return bool(new) or len(self.pairs) < paired

    def _closed_form(self, place: Register, start: State, latch: State) -> Word | Mask | None:
        """What a register holds at the head of iteration t, if that is seen."""
        here, end, unknown = (self._get(s, place) for s in (self.entry, latch, start))
        if isinstance(unknown, Mask):
            own = self.forms.bit(here, end)
            return None if own is None else unknown.having(own)
        form = self.forms.number(here, unknown.expr, end) if isinstance(here, Word) and isinstance(end, Word) else None
        return None if form is None else self.w.word(form)

    def _split_pair(self, low: Register, start: State, latch: State) -> None:
        """Two registers that one move wrote at once need be no halves: then one of them has a form of its own."""
        both = (low, self.pairs[low][0])
        if any(self._closed_form(place, start, latch) is not None for place in both):
            del self.pairs[low]
            self.unknown |= {place: self.w.word(self.w.fresh("carried", 1 << 32)) for place in both}

    # What is checked

    def _is_inductive(self, latch: State, place: Register) -> bool:
        """Whether a register holds at the end of iteration t what is said of the head of t + 1."""
        following = {self.t: self.t + 1}
        if any(place == upper and low in self.known for low, (upper, _) in self.pairs.items()):
            return True  # with its lower half
        claimed, held = self.known[place], self._get(latch, place)
        if place in self.pairs:
            upper = self.pairs[place][0]
            whole = both_halves(self.w, latch, place, upper)
            if whole is None:
                return False
            claimed, held = self.w.pair(number(claimed), number(self.known[upper])), whole
        if isinstance(claimed, Mask):
            same_half = not isinstance(held, Mask) or held.half == claimed.half
            own = as_mask(held).own if is_mask(held) else None
            return same_half and own is not None and simplify(substitute(claimed.own, following)) is simplify(own)
        if isinstance(held, Mask):
            return False
        return self.w.congruent(substitute(claimed.expr, following), held.expr, held.bits)

    def _note(self, start: State, latch: State, leaving: Edges) -> None:
        """The claim on the count, if the body leaves, and what the loop carries."""
        leaves = self._exit_condition(start, [state for _, state in leaving])
        last = eq(self.t, self.count - 1)
        about = f"the loop at {self.head:#x}: as many iterations as the program's"
        goal = any_of(all_of(leaves, last), all_of(negation(leaves), negation(last)))
        if leaving:
            self.loops.claim(ForAll(about, goal, start.condition))
        self._carries(latch)

    def _carries(self, latch: State, iterations: LaneIterations | None = None) -> None:
        """Notes what the loop carries."""
        for place, word in self.unknown.items():
            if place in self.known:
                continue
            held = tuple(value(self._get(state, place)) for state in (self.entry, latch))
            for v in variables(value(word)):
                self.loops.add_incoming(v, held)
            if isinstance(word, Word) and word.expr.op == "var":
                upper = self.pairs[place][0] if place in self.pairs else None
                before, after = (both_halves(self.w, s, place, upper) for s in (self.entry, latch))
                if before is not None and after is not None:
                    self.loops.carry(Carried(self.t, word.expr, before.expr, after.expr, iterations))

    def _exits_at_head(self, latch: State) -> Edges:
        """The states behind the exits of a loop that comes back from each of the program's iterations.

        What comes back from the last of them then must leave.
        """
        state = Substitution({self.t: self.count - 1}).state(latch)
        following = Substitution({self.t: self.count})
        for place, word in self.known.items():
            put(state, place, following.scalar(word), self._inactive(place))
        state.path = self.entry.path
        ends = self.execution.iteration(self.head, state, BEHIND)
        if any(target == self.head for target, _ in ends):
            raise NotReadable(f"the loop at {self.head:#x} may go on after the program's last iteration")
        return ends

    def _exit_condition(self, start: State, leaving: Sequence[State]) -> Expr:
        """When one of these ways out is taken."""
        return any_of(*(all_of(*(p for p in state.path if p not in start.path)) for state in leaving))

    def _exits(self, start: State, leaving: Edges) -> Edges:
        """The states behind the exits: those of the last iteration, in which one of the exits is taken.

        So where none of the others is, it is the last of them: with one exit nothing is said of when it is taken.
        """
        ends, others = Edges(), self.entry.path
        targets = list(dict.fromkeys(target for target, _ in leaving))
        for target in targets:
            states = [state for to, state in leaving if to == target]
            at = Substitution({self.t: self.count - 1})
            taken = simplify(at.expr(self._exit_condition(start, states)))
            state = at.state(joined(self.w, states))
            state.path = others if target == targets[-1] else (*others, taken)
            others = (*others, negation(taken))
            ends.append((target, state))
        return ends
