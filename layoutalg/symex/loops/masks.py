"""Masks that a loop changes: an unknown bit for each, the same in both halves.

The lane's bit is in one of the halves.  Lanes that have no thread (`values.word`) are taken not to have a bit that they
have not before the loop; where an iteration may give it to them after all, theirs is unknown as well.
What it cannot represent: bits of lanes without a thread that are set in all iterations.
"""

from __future__ import annotations

from collections.abc import Mapping

from layoutalg.index import FALSE, Expr
from layoutalg.symex.loops.places import Register, read
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.machine.state import State
from layoutalg.symex.values.word import Mask, Word, as_mask


class LoopMasks:
    """The masks of one loop."""

    def __init__(self, w: IndexValues) -> None:
        self.w = w
        self._everywhere: set[Register] = set()  # lower halves of those that lanes without a thread may have

    def bit(self, lower: Register, before: Mask) -> Expr:
        """A new unknown bit, of the mask whose lower half is in a register."""
        return self.w.lane_bit(*(() if lower in self._everywhere else (before.own,)))

    def unknown(self, place: Register, mask: Mask, others: Mapping[Register, Word | Mask]) -> Mask:
        """An unknown for a mask, which before the loop is this, among others."""
        kind, (file, number) = place
        if mask.half is not None:
            partner = others.get((kind, (file, number + 1 - 2 * mask.half)))
            if isinstance(partner, Mask) and partner.half == 1 - mask.half:
                return mask.having(partner.own)
        return mask.having(self.bit(lower_of(place, mask), mask))

    def spread(self, unknown: Mapping[Register, Word | Mask], start: State, latch: State) -> dict[Register, Mask]:
        """Masks that lanes without a thread have not at the head, and after an iteration may: new unknowns for them."""
        masks = {place: word for place, word in unknown.items() if isinstance(word, Mask)}
        new: dict[Expr, Expr] = {}
        for place, word in masks.items():
            here, lower = read(self.w, start, place), lower_of(place, word)
            stays_out = not isinstance(here, Mask) or here.vacant is not FALSE or lower in self._everywhere
            if not stays_out and as_mask(read(self.w, latch, place)).vacant is not FALSE:
                self._everywhere.add(lower)
                new[word.own] = self.w.lane_bit()
        return {place: word.having(new[word.own]) for place, word in masks.items() if word.own in new}

    def is_spread(self, lower: Register) -> bool:
        """Whether lanes without a thread may have it."""
        return lower in self._everywhere


def lower_of(place: Register, mask: Mask) -> Register:
    """The register of a mask's lower half."""
    kind, (file, number) = place
    return kind, (file, number - (mask.half or 0))
