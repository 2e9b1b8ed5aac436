"""The unknowns that a reading makes, and what is asked of all lanes of the wave at once.

What is not known of a result is an unknown all the same that has its operands as arguments: of what it is made decides
whether it is defined, what becomes of a load, and whether all lanes have it alike.

What other lanes have of a mask is not known; but of one mask the same questions have one answer each:

| asked of a mask | is |
|---|---|
| whether no lane has its bit | false where this one has; else one unknown truth of this mask |
| the number of the first lane that has its bit | one unknown of this mask |
| the number that it is, of 32 or 64 bits | one unknown of this mask, or of its half |

A mask is known by the own lane's bit, as an expression that all lanes have of themselves; and by that of lanes without
a thread, where there are such and they may have it (`values.word`).
What it cannot represent: how many lanes have a bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from layoutalg.index import FALSE, TRUE, Expr, all_of, any_of, as_expr, const, eq, negation, select
from layoutalg.symex.machine.wave import Wave
from layoutalg.symex.values.instances import own_coordinates
from layoutalg.symex.values.unknowns import Kind, unknown_value
from layoutalg.symex.values.word import Mask

#: What the first lane of a mask is called.
FIRST_LANE = "first_lane"

#: What says that no lane has the bits which it belongs to, where the own lane has not.
NOBODY = "any"

#: What a lane of a number has for an unknown: it belongs to these two.
ELSEWHERE = "elsewhere"


class WaveUnknowns:
    """Makes unknowns, each with a number of its own, or one for all that it belongs to."""

    def __init__(self, wave: Wave) -> None:
        self.wave = wave
        self._thread = *wave.blocks, *wave.threads
        self._loops: tuple[Expr, ...] = ()
        self._made = 0
        self._unknowns_of: dict[tuple[str, tuple[Expr, ...]], Expr] = {}
        self.alike: set[Expr] = set()  # unknowns that all lanes of the wave have alike
        self.names: set[str] = set()  # of the unknowns that belong to expressions

    @property
    def loops(self) -> tuple[Expr, ...]:
        """The variables of the loops that are followed, the outermost first."""
        return self._loops

    @contextmanager
    def within(self, loop: Expr) -> Iterator[None]:
        """Within an iteration of a loop: what is made there is of it."""
        around, self._loops = self._loops, (*self._loops, loop)
        try:
            yield
        finally:
            self._loops = around

    def fresh(self, name: str, limit: int, kind: Kind = Kind.DATA, function: str = "", *of: Expr) -> Expr:
        """A new unknown of this thread in this iteration, 0 ≤ name < limit."""
        return self._new(name, limit, kind, function, of, (*self._thread, *self._loops))

    def shared(self, name: str, limit: int) -> Expr:
        """A new unknown that all threads of the block have alike in this iteration."""
        return self._new(name, limit, Kind.DATA, "", (), (*self.wave.blocks, *self._loops))

    def _new(
        self, name: str, limit: int, kind: Kind, function: str, of: tuple[Expr, ...], owner: tuple[Expr, ...]
    ) -> Expr:
        self._made += 1
        return unknown_value(f"{name} {self._made - 1}", limit, kind, self._made - 1, function, of, owner)

    def unknown_of(self, name: str, limit: int, *of: Expr, kind: Kind = Kind.DATA) -> Expr:
        """The one unknown of this name that belongs to these expressions, of their iterations: 0 ≤ name < limit."""
        self.names.add(name)
        if (name, of) not in self._unknowns_of:
            self._unknowns_of[name, of] = self._new(
                name, limit, kind, name, of, self._thread
            )  # iterations: as `of` has
        return self._unknowns_of[name, of]

    def forget(self, loop: Expr) -> None:
        """What belongs to expressions of an iteration belongs to them no more: behind the loop they are of several."""
        kept = {key: v for key, v in self._unknowns_of.items() if loop not in own_coordinates(*key[1])}
        self._unknowns_of = kept
        self.alike = {v for v in self.alike if loop not in own_coordinates(v)}

    def now(self) -> int:
        """How many unknowns have been made: the number of the next."""
        return self._made

    def fresh_bit(self, *of: Expr, kind: Kind = Kind.ANY) -> Expr:
        """A new unknown truth, made of these."""
        return eq(self.fresh("any", 2, kind, "", *of), 1)

    def lane_bit(self, *held: Expr, kind: Kind = Kind.ANY) -> Expr:
        """A new unknown bit of a mask; lanes without a thread have it not, where they have none that it `held`."""
        own = all_of(self.wave.occupied, self.fresh_bit(kind=kind))
        if self.wave.occupied is TRUE or (held and all(Mask(one).vacant is FALSE for one in held)):
            return own
        return any_of(own, all_of(negation(self.wave.occupied), self.fresh_bit(kind=kind)))

    def undefined(self, bits: int = 32) -> Expr:
        """A number that nothing wrote: any that the machine happens to have there."""
        return self.fresh("undefined", 1 << bits, Kind.UNDEFINED)

    def nobody(self, own: Expr, vacant: Expr = FALSE) -> Expr:
        """Whether no lane has the bit that this one, and one without a thread, have under conditions.

        Of others it is unknown, but one truth for each.
        """
        of = (own,) if vacant is FALSE else (own, vacant)
        return all_of(negation(own), eq(self.unknown_of(NOBODY, 2, *of, kind=Kind.ANY), 1))

    def none_of(self, mask: Mask) -> Expr:
        """Whether no lane has its bit of a whole mask."""
        return self.nobody(*self.bits_of(mask))

    def first_of(self, mask: Mask) -> Expr:
        """The number of the first lane that has its bit of a whole mask, where one has."""
        own, vacant = self.bits_of(mask)
        return self.unknown_of(FIRST_LANE, self.wave.size, *((own,) if vacant is FALSE else (own, vacant)))

    def lanes_below(self, mask: Mask, places: Expr) -> Expr:
        """How many lanes have a bit, of the lowest of the 32 that a register has."""
        own, vacant = self.bits_of(mask)
        half, only = mask.half or 0, self.wave.only_lane(own) if vacant is FALSE else None
        if only is not None:  # it has the bit, or no lane has
            there = (
                all_of(as_expr(only - 32 * half) < places, negation(self.nobody(own))) if only >= 32 * half else FALSE
            )
            return select(there, 1, 0)
        most = int(min(max(places.hi, 0), 32))
        return self.unknown_of("lanes", most + 1, mask.own, const(half), places)

    def bits_as_number(self, mask: Mask) -> Expr:
        """The number that a mask, or its half, is as a word of the wave: any, of which nothing is known."""
        own, vacant = self.bits_of(mask)
        of = (own,) if vacant is FALSE else (own, vacant)
        bits = 32 if mask.half is not None else self.wave.size
        found = self.unknown_of("mask", 1 << bits, *of, const(bits), const(mask.half or 0), kind=Kind.ANY)
        self.alike.add(found)
        return found

    def bits_of(self, mask: Mask) -> tuple[Expr, Expr]:
        """The own lane's bit of a mask, and that of lanes without a thread, if there are such."""
        return mask.threads, FALSE if self.wave.occupied is TRUE else mask.vacant
