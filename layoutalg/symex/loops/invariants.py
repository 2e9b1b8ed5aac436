"""What each register holds at the head of a loop, as a function of the iteration's number t, while it is guessed.

The body is followed from the state before the loop.  What it changes is taken for a mask that stays, or for a counter,
if one iteration makes it look like one; else for an unknown, and how that comes out of the next iteration says what it
is (`induction`).  Whatever is taken for something is checked: the body is followed until every register comes out of
iteration t as what is said of the head of t + 1, which is then known of all iterations.
What it cannot represent: what two registers together hold, but for the halves of a word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from layoutalg.index import ZERO, Expr, all_of, negation, simplify, substitute
from layoutalg.index.conditions import conjunction
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
from layoutalg.symex.machine.addresses import decided
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.machine.outstanding import Outstanding
from layoutalg.symex.machine.state import SOMEWHERE, State, resolved
from layoutalg.symex.machine.substitution import Substitution
from layoutalg.symex.values.instances import own_coordinates
from layoutalg.symex.values.unknowns import Kind
from layoutalg.symex.values.word import Bit, High, Mask, NotReadable, Word, as_mask, is_mask


class HeadRegisters:
    """The registers at the head of one loop, which is followed from one state."""

    def __init__(self, w: IndexValues, address: int, t: Expr, counts: Mapping[Expr, Expr], entry: State) -> None:
        """`address`: of the head; `t`: the loop's variable; `counts`: how often loops run; `entry`: before the loop."""
        self._w, self._address, self._t, self._entry = w, address, t, entry
        self.unknown: dict[Register, Word | Mask] = {}  # registers that are changed → their unknowns
        self.known: dict[Register, Word | Mask] = {}  # registers whose value at the head is known → that value
        self._fixed: set[Register] = set()  # unknowns of which no more is to be found
        self._pairs: dict[Register, tuple[Register, Word]] = {}  # lower half → upper half, the unknown whole
        self._alike: dict[Register, Word] = {}  # registers that all of the block are taken to have alike
        self._apart: set[Register] = set()  # lower halves that were seen to be none
        self._refuted: set[tuple[Register, Expr]] = set()  # what registers were taken for, and are not
        self._inactive: dict[Register, Word] = {}  # what lanes that are not active at the head have there
        self.masks = LoopMasks(w)
        self._outstanding: Outstanding = entry.outstanding.copy()
        self._barriers: Expr = ZERO  # a body's
        self._parted = entry.parted
        self.forms = Forms(w, t, counts)

    def fix(self, words: Mapping[Register, Word | Mask]) -> None:
        """These hold unknowns of which no more is to be found."""
        self.unknown |= words
        self._fixed |= words.keys()

    def try_again(self) -> None:
        """What was refuted may be guessed once more."""
        self._refuted.clear()

    def step(self, start: State, latch: State) -> bool:
        """Guesses anew from an iteration's start and end; whether all that was guessed before holds, and is all."""
        self._w.ranges.assume(self._entry.condition)
        if self._drop_refuted(latch):
            self._widen(start, latch)
            return False  # what the iteration left rests on what was refuted: nothing is recognised of it
        return not self._widen(start, latch) and not self._recognise(start, latch)

    def start(self) -> State:
        """The state at the head of iteration t, as far as it is known."""
        before = self._entry.copy()
        scc = before.scc and Bit(self._w.fresh_bit(before.scc.expr))  # as an iteration leaves it
        barriers = before.barriers + self._barriers * self._t
        start = replace(before, outstanding=self._outstanding.copy(), scc=scc, barriers=barriers, parted=self._parted)
        changed = self.unknown | self.known
        for place in sorted(changed, key=lambda place: place[0], reverse=True):  # EXEC before vector registers
            put(start, place, changed[place], self.inactive(place))
        return start

    def inactive(self, place: Register) -> Word | None:
        """What a vector register holds at the head in lanes that are not active."""
        if place[0] == "scalars":
            return None
        if place not in self._inactive:
            own, before = own_exec(self._entry), self._entry.cells.get(place[1], ())
            here = resolved(self._w, before, all_of(self._entry.condition, negation(own)))
            self._inactive[place] = nothing_known(self._w, here)
        return self._inactive[place]

    def restore_inactive(self, start: State, latch: State, ends: Sequence[State]) -> None:
        """Behind the loop: lanes that are active at the head of no iteration have what they had before."""
        for place in self._idle(start, latch):
            for state in ends:
                writes = state.cells.get(place[1], ())
                if writes and writes[0][1] is self._inactive[place]:
                    state.cells[place[1]] = (*self._entry.cells.get(place[1], ()), *writes[1:])

    def _idle(self, start: State, latch: State) -> Iterator[Register]:
        """The vector registers that lanes keep which are not active, at the head of no iteration."""
        own = own_exec(start)
        if own is own_exec(latch) and own is own_exec(self._entry):
            for place, word in self._inactive.items():
                writes = latch.cells.get(place[1], ())
                if resolved(self._w, writes, all_of(latch.condition, negation(own))).expr is word.expr:
                    yield place

    # What changes

    def _widen(self, start: State, latch: State) -> bool:
        """Takes up what else one iteration changes; whether there was any."""
        if latch.signalled != start.signalled:
            raise NotReadable(f"the loop at {self._address:#x} ends within a barrier")
        outstanding = self._outstanding.copy()
        outstanding.join(latch.outstanding)
        per_iteration = decided(simplify(latch.barriers - start.barriers), conjunction(latch.condition))
        if self._t in own_coordinates(per_iteration):
            raise NotReadable(f"an iteration of the loop at {self._address:#x} has as many barriers as its number says")
        spread = self.masks.spread(self.unknown, start, latch)
        self.unknown |= spread
        grown = outstanding != self._outstanding or per_iteration is not self._barriers or bool(spread)
        grown |= bool(latch.parted) != bool(start.parted)
        self._outstanding, self._barriers = outstanding, per_iteration
        parts = latch.parted != self._entry.parted
        self._parted = (SOMEWHERE,) if parts else latch.parted
        changed = [p for p in places(start, latch) if p not in self.unknown and not same(self._w, start, latch, p)]
        numbers = [place for place in changed if not self._guess_mask(latch, place)]
        words = {p: word for p in numbers if isinstance(word := self._get(self._entry, p), Word)
                 and not isinstance(self._get(latch, p), Mask)}  # fmt: skip
        uppers = {p: word for p, word in words.items() if isinstance(word.origin, High)}
        for place in numbers:
            self._forget(place, words.get(place), uppers, latch)
        grown |= self._pair_up(latch)
        for place in numbers:
            self._guess_counter(latch, place)
        grown |= self._part(latch)
        for place, word in self.unknown.items():
            carried = isinstance(word, Word) and place not in self.known and not undefined(word)
            if carried and undefined(self._get(latch, place)):  # what nothing wrote comes in by a later iteration
                self.unknown[place], grown = self._w.word(self._w.undefined()), True
                self._pairs = {low: pair for low, pair in self._pairs.items() if place not in (low, pair[0])}
        return grown or bool(changed)

    def _get(self, state: State, place: Register) -> Word | Mask:
        return read(self._w, state, place)

    def _forget(self, place: Register, here: Word | None, uppers: Mapping[Register, Word], latch: State) -> None:
        """An unknown for a register; one for two that are the halves of a word before the loop.

        `here` is what it holds then, if that is no mask; `uppers`, which registers hold upper halves.
        """
        if place in self.unknown:
            return
        upper = None if here is None else upper_half(place, here, uppers, {upper for upper, _ in self._pairs.values()})
        if here is None:
            before, end = (as_mask(self._get(state, place)) for state in (self._entry, latch))
            self.unknown[place] = self.masks.unknown(place, before.having(before.own, end), self.unknown)
        elif upper is not None:
            self._pair(place, upper)
        else:
            self.unknown[place] = self._word(place, here, self._get(latch, place))

    def _word(self, place: Register, here: Word, end: Word | Mask) -> Word:
        """An unknown for a word: one of the block, if all waves have it alike at first; later it is seen."""
        if undefined(here):
            return self._w.word(self._w.fresh("carried", 1 << 32, Kind.UNDEFINED))
        if isinstance(end, Mask) or not self._w.of_the_block(here.expr, end.expr):
            return self._w.word(self._w.fresh("carried", 1 << 32))
        self._alike[place] = self._w.word(self._w.shared("carried", 1 << 32))
        return self._alike[place]

    def _part(self, latch: State) -> bool:
        """Drops that waves have registers alike which an iteration leaves them different; whether there was any."""
        taken = {place: word for place, word in self._alike.items()
                 if self.unknown.get(place) is word and place not in self.known}  # fmt: skip
        ends = {place: self._get(latch, place) for place in taken}
        parted = [p for p, end in ends.items() if isinstance(end, Mask) or not self._w.of_the_block(end.expr)]
        for place in parted:
            del self._alike[place]
            self.unknown[place] = self._w.word(self._w.fresh("carried", 1 << 32))
        return bool(parted)

    def _pair(self, low: Register, upper: Register) -> None:
        """One unknown for two registers."""
        unknown = self._w.word(self._w.fresh("carried", 1 << 64), 64)
        self.unknown |= {low: self._w.low(unknown), upper: self._w.high(unknown)}
        self._pairs[low] = (upper, unknown)

    def _pair_up(self, latch: State) -> bool:
        """Takes registers that an iteration leaves as halves of a word, for such; whether there were any.

        Before the loop nothing need say so: an argument that has 64 bits is two words, and 0 may be the upper one.
        """
        words = {place: word for place in self.unknown.keys() - self._fixed - self._halves()
                 if isinstance(word := self._get(latch, place), Word) and isinstance(self.unknown[place], Word)
                 and not undefined(word, self.unknown[place])}  # fmt: skip
        uppers = {place: word for place, word in words.items() if isinstance(word.origin, High)}
        found = False
        for place in sorted(words.keys() - self._apart):
            upper = upper_half(place, words[place], uppers, self._halves())
            if upper is not None and upper != place:
                self._pair(place, upper)
                self.known = {known: word for known, word in self.known.items() if known not in (place, upper)}
                found = True
        return found

    # What it is

    def _guess_mask(self, latch: State, place: Register) -> bool:
        """Takes a register that is the same mask after one iteration for that mask; later it is seen if it is."""
        here, end = self._get(self._entry, place), self._get(latch, place)
        if place[0] != "scalars" or not (is_mask(here) and is_mask(end)) or as_mask(here).own is not as_mask(end).own:
            return False
        if isinstance(here, Word) and isinstance(end, Word):  # 0, or all ones, may be a number
            self.unknown[place], self.known[place] = self._w.word(self._w.fresh("carried", 1 << 32)), here.join(end)
            return True
        mask = as_mask(here).having(as_mask(here).own, as_mask(end))
        self.unknown[place], self.known[place] = self.masks.unknown(place, mask, self.unknown), mask
        return True

    def _guess_counter(self, latch: State, place: Register) -> None:
        """Takes what one iteration changes by a constant for a counter; later it is seen if it is one."""
        if place in self._pairs:
            upper = self._pairs[place][0]
            before, after = (both_halves(self._w, state, place, upper) for state in (self._entry, latch))
            counter = self.forms.counter(before, after) if before and after else None
            if counter is not None:
                self.known |= {place: self._w.low(counter), upper: self._w.high(counter)}
        elif place not in self._halves():
            here, end = self._get(self._entry, place), self._get(latch, place)
            counter = self.forms.counter(here, end) if isinstance(here, Word) and isinstance(end, Word) else None
            if counter is not None:
                self.known[place] = counter

    def _halves(self) -> set[Register]:
        return {half for low, (high, _) in self._pairs.items() for half in (low, high)}

    def _drop_refuted(self, latch: State) -> bool:
        """Drops what is known of registers and does not hold after an iteration; whether there was any."""
        wrong = [place for place in self.known if not self._is_inductive(latch, place)]
        for place in wrong:
            self._refuted.add((place, value(self.known.pop(place))))
            if place in self._pairs:
                del self.known[self._pairs[place][0]]
        return bool(wrong)

    def _recognise(self, start: State, latch: State) -> bool:
        """Finds values at the head of registers that were unknown; whether there were any."""
        found: dict[Register, Word | Mask] = {}
        uppers, paired = {upper for upper, _ in self._pairs.values()}, len(self._pairs)
        for place in tuple(self.unknown):
            if place in self.known or place in uppers:
                continue
            if place in self._pairs:
                upper, unknown = self._pairs[place]
                before, after = (both_halves(self._w, state, place, upper) for state in (self._entry, latch))
                form = self.forms.number(before, unknown.expr, after) if before and after else None
                low = None if form is None else self._w.low(whole := self._w.word(form, 64))
                if low is not None and (place, low.expr) not in self._refuted:
                    found |= {place: low, upper: self._w.high(whole)}
                elif form is None:
                    self._split_pair(place, start, latch)
                continue
            word = self._closed_form(place, start, latch)
            if word is not None:
                found[place] = word
        new = {place: word for place, word in found.items() if (place, value(word)) not in self._refuted}
        self.known |= new
        return bool(new) or len(self._pairs) < paired

    def _closed_form(self, place: Register, start: State, latch: State) -> Word | Mask | None:
        """What a register holds at the head of iteration t, if that is seen."""
        if place in self._fixed:
            return None
        here, end, unknown = (self._get(s, place) for s in (self._entry, latch, start))
        if isinstance(unknown, Mask):
            own = self.forms.bit(here, end)
            return None if own is None else unknown.having(own)
        form = self.forms.number(here, unknown.expr, end) if isinstance(here, Word) and isinstance(end, Word) else None
        return None if form is None else self._w.word(form)

    def _split_pair(self, low: Register, start: State, latch: State) -> None:
        """Two registers that one move wrote at once need be no halves: then one of them has a form of its own."""
        both = (low, self._pairs[low][0])
        if any(self._closed_form(place, start, latch) is not None for place in both):
            del self._pairs[low]
            self._apart.add(low)
            self.unknown |= {place: self._w.word(self._w.fresh("carried", 1 << 32)) for place in both}

    # What is checked

    def _is_inductive(self, latch: State, place: Register) -> bool:
        """Whether a register holds at the end of iteration t what is said of the head of t + 1."""
        following = self.forms.following
        if any(place == upper and low in self.known for low, (upper, _) in self._pairs.items()):
            return True  # with its lower half
        claimed, held = self.known[place], self._get(latch, place)
        if place in self._pairs:
            upper = self._pairs[place][0]
            whole = both_halves(self._w, latch, place, upper)
            if whole is None:
                return False
            claimed, held = self._w.pair(number(claimed), number(self.known[upper])), whole
        if isinstance(claimed, Mask):
            same_half = not isinstance(held, Mask) or held.half == claimed.half
            own = as_mask(held).own if is_mask(held) else None
            return same_half and own is not None and simplify(substitute(claimed.own, following)) is simplify(own)
        if isinstance(held, Mask):
            return False
        return self._w.congruent(substitute(claimed.expr, following), held.expr, held.bits)

    # What comes out

    def carried(self, latch: State) -> Iterator[tuple[Expr, tuple[Expr, Expr], tuple[Expr, Expr] | None]]:
        """Each value that is unknown at the head, with what is in its register before the loop and after an iteration.

        Of one unknown, the same of the whole word of which the register may be a half.
        """
        for place, word in self.unknown.items():
            if place in self.known:
                continue
            here, end = (value(self._get(state, place)) for state in (self._entry, latch))
            whole = self._whole(place, latch) if isinstance(word, Word) and word.expr.op == "var" else None
            yield value(word), (here, end), whole

    def _whole(self, place: Register, latch: State) -> tuple[Expr, Expr] | None:
        upper = self._pairs[place][0] if place in self._pairs else None
        before, after = (both_halves(self._w, s, place, upper) for s in (self._entry, latch))
        return None if before is None or after is None else (before.expr, after.expr)

    def after_last(self, latch: State, count: Expr) -> State:
        """The state at the head behind the last iteration."""
        state = Substitution({self._t: count - 1}).state(latch)
        following = Substitution({**self.forms.following, self._t: count})
        for place, word in self.known.items():
            put(state, place, following.scalar(word), self.inactive(place))
        return replace(state, path=self._entry.path)
