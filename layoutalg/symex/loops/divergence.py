"""Loops that each lane leaves for itself: EXEC has fewer lanes in each iteration, and the wave leaves with the last.

All lanes begin together, so the iterations that a lane is active in are the wave's first ones, and number t of them is
iteration t of the wave.  The body is followed once, with EXEC's bit at the head an unknown, *inside*:

| where inside is | the iteration is one in which the lane | so |
|---|---|---|
| true | is active at the head | what is found of registers holds from head to head while the lane goes on |
| false | has left, or never entered | it must come out as false again; no register of the lane may change |

What holds of a lane at the head of iteration t is what let it go on after iteration t − 1, by a ranking function
(`ranking`), and in iteration 0 what let it enter.  Each is a claim: that the lane has it when it goes on, and that it
gets less.

| behind the loop | is |
|---|---|
| a vector register | what the lane had in the last iteration that it was active in, which is an unknown, u |
| a mask that iterations without the lane keep | the same |
| another mask, a scalar register | nothing that is known: iterations went on without the lane |

What it cannot represent: barriers within, since waves make different numbers of iterations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from layoutalg.index import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Expr,
    all_of,
    any_of,
    eq,
    fresh,
    names,
    negation,
    simplify,
    substitute,
)
from layoutalg.index.conditions import assuming, implies, restricted
from layoutalg.prove.obligation import ForAll
from layoutalg.symex.loops.execution import Edges, SymbolicExecution
from layoutalg.symex.loops.masks import lower_of
from layoutalg.symex.loops.natural import NaturalLoop
from layoutalg.symex.loops.places import ACTIVE, Register, nothing_known, own_exec, places, read, some_lane
from layoutalg.symex.loops.ranking import LaneIterations, literals, ranking
from layoutalg.symex.loops.record import LoopBuilder, Mark
from layoutalg.symex.machine.state import State, joined, within
from layoutalg.symex.machine.substitution import Substitution
from layoutalg.symex.machine.tracing import TracedElement, TraceMark
from layoutalg.symex.values.instances import moved
from layoutalg.symex.values.unknowns import Kind
from layoutalg.symex.values.word import Bit, Mask, NotReadable, Word, as_mask, is_mask


class DivergentLoop(NaturalLoop):
    """One loop that lanes leave for themselves, followed from one state."""

    def __init__(self, loops: LoopBuilder, execution: SymbolicExecution, head: int, entry: State) -> None:
        self.active = entry.copy()  # before the loop, where the lane is active in it
        super().__init__(loops, execution, head, entry, self.active)
        self.entered = own_exec(entry)
        with self.w.within(self.t):
            self.unsure = self.w.fresh("inside", 2, Kind.ANY)
        self.inside = eq(self.unsure, 1)  # whether the lane is active at the head
        self.bits: dict[Register, Expr] = {}  # of masks: what lanes that have left have there
        self.lost: dict[Register, Expr] = {}  # of masks: what lanes have there behind the loop, where it is not known
        self.done = TRUE  # whether the lane does not go on after iteration t, of all that is of this iteration
        self.back: list[State] = []  # at the end of an iteration
        self._assume(TRUE)

    def _assume(self, still: Expr) -> None:
        """What holds of a lane that is active at the head of iteration t."""
        self.own = all_of(self.inside, self.entered, still)
        self.machine.registers.set_exec(self.active, Mask(self.own))

    def ends(self) -> Edges:
        """The states behind the loop's exits."""
        trace, found = self.machine.trace.mark(), self.loops.mark()
        with self.w.within(self.t):
            with self.machine.trace.paused():
                with self.w.ranges.without_solver():
                    _, latch, _ = self.fixpoint()
                self.loops.leave(self.t, self.head, self._continues(latch))
                lines = tuple(self._rankings(self._continues(latch)))
                self._assume(all_of(*map(self._at_head, lines)))
            self.registers.try_again()
            start, latch, leaving = self.fixpoint()
            self.loops.leave(self.t, self.head, self._continues(latch))
        if not leaving:
            raise self.no_exit()
        self._check_inactive_stay(leaving)
        if self.machine.trace.recording:
            iterations = self._lane_iterations(start, self._continues(latch), lines)
            self.loops.claim(*self._ranked(start, self._continues(latch), lines))
            self.loops.note_iterations(self.t, iterations)
            self.record_carried(latch, iterations)
            self._restrict_to_active(trace, found)
        return self._exits(latch, leaving)

    # One iteration

    def iterate(self) -> tuple[State, State, Edges]:
        """The states at the head, at the end of an iteration for lanes that go on, and those that leave."""
        start = self.start()
        ends = self.execution.iteration(self.head, start.copy())
        self.back = [state for target, state in ends if target == self.head]
        if any(state.barriers is not start.barriers or state.signalled != start.signalled for _, state in ends):
            raise NotReadable(f"a barrier in the loop at {self.head:#x}, which each lane leaves for itself")
        staying = [self._staying(start, state) for state in self.back if own_exec(state) is not FALSE]
        if not staying or len(staying) < len(self.back):
            raise NotReadable(f"the loop at {self.head:#x} comes back to its head with no lane")
        return start, joined(self.w, staying), [(target, state) for target, state in ends if target != self.head]

    def start(self) -> State:
        """The state at the head; of a mask, what is known of it where the lane is active."""
        start, masks = super().start(), self.registers.masks
        for place, word in (self.registers.unknown | self.registers.known).items():
            if isinstance(word, Mask):
                lower, inside = lower_of(place, word), all_of(self.w.wave.occupied, self.inside)
                if lower not in self.bits or (masks.is_spread(lower) and Mask(self.bits[lower]).vacant is FALSE):
                    self.bits[lower] = masks.bit(lower, as_mask(read(self.w, self.entry, place)))
                mixed = any_of(all_of(inside, word.own), all_of(negation(inside), self.bits[lower]))
                start.scalars[place[1]] = word.having(mixed)
        return start

    def _staying(self, start: State, state: State) -> State:
        """The end of an iteration for a lane that goes on."""
        after = state.under(own_exec(state))
        for place in ACTIVE:
            if place[1] in start.scalars:
                after.scalars[place[1]] = start.scalars[place[1]]
        given = all_of(after.condition, self.own)
        for key, word in after.scalars.items():
            if start.scalars.get(key) is word:
                continue
            if isinstance(word, Mask):
                after.scalars[key] = word.having(assuming(word.own, given))
            elif word.expr.op == "select":  # what is skipped where no lane is active is not, where this one is
                after.scalars[key] = word.with_expr(restricted(word.expr, given))
        return after

    def _continues(self, latch: State) -> Expr:
        """When a lane that is active at the head goes on after this iteration."""
        new = tuple(part for part in latch.path if part not in self.active.path)
        return simplify(assuming(within(new[-1], new[:-1]), all_of(self.entry.condition, self.own))) if new else TRUE

    # What holds of the lane

    def _rankings(self, stays: Expr) -> Iterator[Expr]:
        """Numbers that are at least 0 where the lane goes on after iteration t, as functions of t."""
        for part in literals(stays):
            line = ranking(part, self.t)
            if line is not None and self.registers.forms.plain(line):
                yield line

    def _at_head(self, line: Expr) -> Expr:
        """What of it holds at the head of iteration t: it was at least 0 after iteration t − 1, if there was one."""
        held = substitute(line, {self.t: self.t - 1}) >= 0
        first = substitute(held, {self.t: 0})
        given = all_of(self.w.ranges.always, self.entry.condition, self.entered)
        return held if implies(given, first) or self.w.ranges.decide(first, given) else any_of(eq(self.t, 0), held)

    def _ranked(self, start: State, stays: Expr, lines: Sequence[Expr]) -> Iterator[ForAll]:
        """The claims: these are at least 0 whenever the lane goes on, and one of them gets less."""
        about = f"the loop at {self.head:#x}"
        given = substitute(all_of(start.condition, self.own), {self.unsure: 1})
        for line in lines:
            goal = any_of(negation(stays), line >= 0)  # a loop may have one iteration, with which no lane goes on
            yield ForAll(f"{about}: nothing wraps where a lane goes on", goal, given)
        steps = [simplify(line - substitute(line, {self.t: self.t + 1})) for line in lines]
        falling = [step for step in steps if step.op != "const" or step.value > 0]
        if falling:
            yield ForAll(f"{about}: each lane leaves it", min(falling, key=_size) >= 1, given)
        else:
            yield ForAll(f"{about}: each lane leaves it, when it does not go on: {stays}", FALSE, given)

    def _lane_iterations(self, start: State, stays: Expr, lines: Sequence[Expr]) -> LaneIterations:
        """The iterations that a lane is active in: where the numbers say so, if it went on from each one before.

        That no number rises is not enough: it is known of iterations that the lane is active in, and of no later ones.
        """
        active = all_of(self.entered, *map(self._at_head, lines))
        before = fresh(f"{self.t.value.name}_before", int(self.t.hi) + 1, names(active, stays))
        given = substitute(all_of(start.condition, self.own), {self.unsure: 1})
        goes_on = moved(stays, {self.unsure: ONE, self.t: before})
        about = f"lanes leave the loop at {self.head:#x} in no other turn"
        exactly = ForAll(about, goes_on, all_of(given, before < self.t))
        of_waves = all(some_lane(self.w, state) for state in (self.entry, *self.back))
        return LaneIterations(self.unsure, active, exactly, of_waves)

    # Lanes that have left

    def _check_inactive_stay(self, leaving: Edges) -> None:
        """A lane that has left does not come back."""
        left = Substitution({self.unsure: ZERO})
        for state in self.back:
            if simplify(left.expr(own_exec(state))) is not FALSE:
                raise NotReadable(f"lanes that left the loop at {self.head:#x} may be active in it again")

    def _restrict_to_active(self, trace: TraceMark, found: Mark) -> None:
        """What was noted holds of iterations that the lane is active in; of scalar loads, some lane is.

        A guard keeps the unknown: that what holds in such iterations holds does not say that the lane is active.
        """
        inside = Substitution({self.unsure: ONE})

        def settled(element: TracedElement) -> TracedElement:
            guard = element.guard
            if not implies(guard, self.inside):
                if not element.instruction.form.startswith("SMEM") or not some_lane(self.w, self.entry):
                    raise NotReadable(f"{element.instruction.place} in a loop that no lane may be in")
                guard = all_of(guard, self.own)
            return replace(element, guard=guard, offset=inside.expr(element.offset), value=inside.expr(element.value))

        self.machine.trace.rewrite(trace, settled)
        self.loops.rewrite(found, inside.expr)

    # Behind the loop

    def _exits(self, latch: State, leaving: Edges) -> Edges:
        """The states behind the exits: which of several is taken is not known, but the same for all lanes."""
        states = [state for _, state in leaving]
        self.w.left(self.t)
        last = self.w.fresh("last_turn", int(self.t.hi) + 1)
        self.loops.note_last(self.t, last)
        at = Substitution({self.t: last, self.unsure: ONE})
        self.done = simplify(negation(substitute(self._continues(latch), {self.unsure: 1})))
        # Where the wave never comes here there is no last turn, and what claims show of the loop is not shown there.
        came = all_of(self.entry.condition, self.entered)
        self.loops.know(last, any_of(negation(came), at.expr(all_of(self.own, self.done))))
        made_of = [state.scc.expr for state in states if state.scc is not None]
        scc = Bit(self.w.fresh_bit(*made_of)) if len(made_of) == len(states) else None
        entry = self.entry
        behind = replace(states[0].copy(), path=entry.path, scc=scc)
        behind.invalidated, behind.caches = entry.invalidated, entry.caches
        after = joined(self.w, [behind])
        for state in states[1:]:
            after.outstanding.join(state.outstanding)
        for place in dict.fromkeys(p for state in states for p in places(self.entry, state)):
            self._put_after(after, place, states, at)
        self.machine.registers.set_exec(after, Mask(self._active_after(states)))
        ends, others = Edges(), self.entry.path
        targets = list(dict.fromkeys(target for target, _ in leaving))
        for target in targets:
            state, taken = after.copy(), self.w.fresh_bit()
            state.path = others if target == targets[-1] else (*others, taken)
            others = (*others, negation(taken))
            ends.append((target, state))
        return ends

    def _active_after(self, leaving: Sequence[State]) -> Expr:
        """EXEC's bit: of a lane that is not among those that leave last, not known."""
        if all(own_exec(state) is FALSE for state in leaving):
            return FALSE
        return all_of(self.w.fresh_bit(), self.entered)

    def _put_after(self, after: State, place: Register, leaving: Sequence[State], at: Substitution) -> None:
        """What a register holds behind the loop."""
        kind, key = place
        here = self._last_word(place, leaving)
        if kind == "cells":
            before = self.entry.cells.get(key, ())
            states = (*leaving, *self.back)
            if place not in self.registers.unknown and all(state.cells.get(key, ()) == before for state in states):
                after.cells[key] = before
            elif self._keeps(place, leaving):
                after.cells[key] = (*before, (self.entered, at.word(here)))
                self._note_left(place, here, at.word(here))
            else:
                after.cells[key] = ((TRUE, nothing_known(self.w, here)),)
            return
        held = self.entry.scalars.get(key)
        changed = place in self.registers.unknown or any(s.scalars.get(key) is not held for s in (*leaving, *self.back))
        if not changed and held is not None:
            after.scalars[key] = held
        elif (mask := self._mask_behind(place, leaving, at)) is not None:
            after.scalars[key] = mask
        else:
            words = [word for state in leaving if isinstance(word := state.scalars.get(key), Word)]
            after.scalars[key] = nothing_known(self.w, *words)

    def _note_left(self, place: Register, last: Word, left: Word) -> None:
        """Notes what is left of what the loop carries, where the last iteration makes it as all others do."""
        unknown = self.registers.unknown.get(place)
        one = self.loops.record.carried.get(unknown.expr) if isinstance(unknown, Word) else None
        if one is not None and substitute(last.expr, {self.unsure: 1}) is one.after:
            self.loops.carry(replace(one, left=left.expr))

    def _last_word(self, place: Register, leaving: Sequence[State]) -> Word:
        """What a vector register holds at the end of the lane's last iteration, if that is one word."""
        if place[0] != "cells":
            return self.w.unknown_word()
        quitting = [(state, negation(own_exec(state))) for state in self.back]
        found = [
            self._resolved(state, place, guard) for state, guard in (*quitting, *((state, TRUE) for state in leaving))
        ]
        return found[0] if all(word.expr is found[0].expr for word in found) else nothing_known(self.w, *found)

    def _resolved(self, state: State, place: Register, guard: Expr) -> Word:
        at_head = state.copy()
        self.machine.registers.set_exec(at_head, Mask(self.own))
        word = read(self.w, at_head, place, guard)
        assert isinstance(word, Word)
        return word

    def _keeps(self, place: Register, leaving: Sequence[State]) -> bool:
        """Whether lanes keep a vector register in the iterations that they are not active in."""
        before: tuple[tuple[Expr, Word | None], ...] = self.entry.cells.get(place[1], ())
        if place in self.registers.unknown:
            before = ((TRUE, self.registers.inactive(place)),)
        for state in (*leaving, *self.back):
            writes = state.cells.get(place[1], ())
            if writes[: len(before)] != before or not all(implies(g, self.inside) for g, _ in writes[len(before) :]):
                return False
        return True

    def _mask_behind(self, place: Register, leaving: Sequence[State], at: Substitution) -> Mask | None:
        """A mask behind the loop, if iterations without the lane keep the lane's bit; else one that is not known."""
        ends = [(state, negation(own_exec(state))) for state in self.back] + [(state, TRUE) for state in leaving]
        words = [state.scalars.get(place[1]) for state, _ in ends]
        if not all(isinstance(word, Mask) for word in words):
            return None
        masks = [as_mask(word) for word in words if word is not None]
        lower, before = lower_of(place, masks[0]), self.entry.scalars.get(place[1])
        bit, entered = self.bits.get(lower), all_of(self.w.wave.occupied, self.entered)
        unknown = self.lost.setdefault(lower, self.w.lane_bit(*(mask.own for mask in masks)))
        away = Substitution({self.unsure: ZERO})
        own = [assuming(mask.own, all_of(state.condition, self.own, guard, self.done))
               for mask, (state, guard) in zip(masks, ends, strict=True)]  # fmt: skip
        if bit is not None and all(simplify(away.expr(mask.own)) is bit for mask in masks) and len(set(own)) == 1:
            without = as_mask(before).own if before is not None and is_mask(before) else unknown
            unknown = any_of(all_of(entered, at.expr(own[0])), all_of(negation(entered), without))
        return masks[0].having(unknown)


def _size(e: Expr) -> int:
    return 0 if e.op == "const" else 1
