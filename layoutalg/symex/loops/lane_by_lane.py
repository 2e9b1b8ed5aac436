"""Loops that go over the lanes of a mask: each iteration takes the first lane that is left, and the last leaves none.

Compilers make them where lanes want the same place updated, and where each lane is to be done by itself:

| the iteration | in the machine |
|---|---|
| which lane | the lowest bit of the mask that is set |
| what it has | `v_readlane` of it: the lane is active, where all of the mask are |
| the mask without it | the mask and not `1 << lane` |
| whether some are left | the mask is not 0 |

The mask at the head is an unknown of which three things are said: it is part of what it was before the loop, some lane
has its bit, and an iteration takes the first such lane away and nothing else.  Before the loop the first two hold; an
iteration keeps them, since it comes back where some lane is left.  So there are as many iterations as lanes before the
loop, which is an unknown from 1 to the wave's size.
What it cannot represent: which lane is taken in which iteration; iterations that leave with lanes left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from layoutalg.index import FALSE, TRUE, Expr, all_of, eq, negation, simplify
from layoutalg.prove.obligation import ForAll
from layoutalg.symex.loops.execution import Edges, SymbolicExecution
from layoutalg.symex.loops.natural import CountedLoop
from layoutalg.symex.loops.places import Register, read
from layoutalg.symex.loops.record import LoopBuilder
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.machine.state import State
from layoutalg.symex.values.word import Mask, NotReadable


class LaneByLane(CountedLoop):
    """One loop over the lanes of the mask in a register, followed from one state."""

    def __init__(
        self, loops: LoopBuilder, execution: SymbolicExecution, head: int, entry: State, lower: Register
    ) -> None:
        """`lower`: the mask's register, the lower one of two."""
        super().__init__(loops, execution, head, entry)
        before = whole(self.w, entry, lower)
        assert before is not None
        with self.w.within(self.t):
            self.lower, self.mask = lower, before.having(all_of(before.own, self.w.lane_bit(before.own)))
        self.registers.fix(dict(zip(registers(self.w, lower), halves(self.w, self.mask), strict=True)))

    def start(self) -> State:
        """The state at the head, where some lane is left."""
        start = super().start()
        return replace(start, path=(*start.path, some_have(self.w, self.mask)))

    def iterate(self) -> tuple[State, State, Edges]:
        """An iteration, which must take the first lane of the mask away."""
        start, latch, leaving = super().iterate()
        if not takes_first(self.w, start, latch, [state for _, state in leaving], self.lower):
            raise NotReadable(f"the loop at {self.head:#x} does not take the lanes of a mask one by one")
        return start, latch, leaving

    def record(self, start: State, latch: State, leaving: Edges) -> None:
        """What the loop carries; that it leaves in its last iteration is what its iterations are (`iterate`)."""
        about = f"the loop at {self.head:#x}: each turn takes a lane of its mask"
        self.loops.claim(ForAll(about, TRUE, TRUE))  # shown as it was followed
        self.record_carried(latch)


def lanes_taken(w: IndexValues, entry: State, ends: Edges, head: int) -> Register | None:
    """The register of the mask of which one iteration, from the entry, takes the first lane; None if there is none."""
    back, leaving = ([state for to, state in ends if (to == head) is here] for here in (True, False))
    if len(back) != 1 or not leaving:
        return None
    for lower, held in tuple(entry.scalars.items()):
        place: Register = ("scalars", lower)
        if isinstance(held, Mask) and not held.half and takes_first(w, entry, back[0], leaving, place):
            return place
    return None


def takes_first(w: IndexValues, start: State, latch: State, leaving: Sequence[State], lower: Register) -> bool:
    """Whether an iteration takes the first lane of a mask away, and comes back where some are left, and only there.

    At its start some lane has its bit; of lanes without a thread none.
    """
    mask, after = whole(w, start, lower), whole(w, latch, lower)
    if mask is None or after is None or not _holds(w, start, mask):
        return False
    own, vacant = w.bits_of(mask)
    left = simplify(all_of(own, negation(eq(w.wave.lane, w.first_of(mask)))))
    if vacant is not w.bits_of(after)[1] or simplify(after.threads) is not left:
        return False
    here = some_have(w, after)
    return here in latch.path and all(negation(here) in state.path for state in leaving)


def some_have(w: IndexValues, mask: Mask) -> Expr:
    """That some lane has its bit of a mask, as branches have it."""
    return negation(w.none_of(mask))


def whole(w: IndexValues, state: State, lower: Register) -> Mask | None:
    """The mask in a register, or in two."""
    parts = [read(w, state, place) for place in registers(w, lower)]
    masks = [part for part in parts if isinstance(part, Mask)]
    if len(masks) < len(parts) or any(mask.own is not masks[0].own for mask in masks):
        return None
    return Mask(masks[0].own) if [mask.half for mask in masks] in ([None], [0, 1]) else None


def registers(w: IndexValues, lower: Register) -> tuple[Register, ...]:
    """Where a mask lies whose lower register this is."""
    kind, (file, number) = lower
    return tuple((kind, (file, number + k)) for k in range(w.wave.size // 32))


def halves(w: IndexValues, mask: Mask) -> tuple[Mask, ...]:
    """A mask by its registers."""
    return mask.halves if w.wave.size == 64 else (mask,)


def _holds(w: IndexValues, state: State, mask: Mask) -> bool:
    """Whether some lane that has a thread has its bit, and none that has none."""
    own, vacant = w.bits_of(mask)
    return vacant is FALSE and (own is TRUE or some_have(w, mask) in state.path)
