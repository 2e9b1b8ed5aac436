"""What copies bring to LDS: values under way, and their arrival (see `asynchronous` for when that is).

A copy under way is a buffer and what it will hold: an element of a tensor for each coordinate, by a map, in a slot,
under a condition.  At the head of a loop it is told in terms of the index; that what stands before the loop is the same
at the first iteration is an obligation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from layoutalg.index import Expr, extent_of
from layoutalg.kernel.obligations.asynchronous import Flight, copies_in
from layoutalg.kernel.obligations.held import Element, Held, MissingValueError, State, held_at
from layoutalg.kernel.program import AsyncCopy, Loop, Shared

Copied = tuple[Shared, Held]
"""A copy under way: the buffer, and what it will hold."""


def brought(s: AsyncCopy) -> Copied:
    """What a copy will have brought."""
    element = Element(s.load.tensor, s.load.origin, s.load.fill)
    held = Held(element, given=s.load.only).moved(s.store.shared.dtype)
    return s.store.shared, replace(held, written=s.store.descriptor, slot=s.store.slot)


def landed(number: int, copies: Sequence[Copied], buffers: Sequence[Shared]) -> State:
    """What buffers hold of copies that have arrived, the last ones; MissingValueError for one that is not named."""
    unsaid = next((shared for shared, _ in copies if shared not in buffers), None)
    if unsaid is not None:
        raise MissingValueError(f"statement {number} awaits copies to {unsaid.name}, and does not say so")
    return dict(copies)


def at_head(loop: Loop, entry: Flight[Copied]) -> Flight[Copied]:
    """What is under way at the head of an iteration, in terms of its index."""
    if not copies_in(loop):
        return entry
    return entry.at_head(loop, brought, lambda one, at: _at(one, loop.index, at))


def beginnings(
    number: int, loop: Loop, entry: Flight[Copied], head: Flight[Copied]
) -> Iterator[tuple[Shared, Held, Held]]:
    """Of each copy under way: what it is at the first iteration's head, and what stands before the loop."""
    if head is entry:
        return
    for before, wanted in zip((*entry.groups, entry.begun), (*head.groups, head.begun), strict=True):
        if [shared for shared, _ in before] != [shared for shared, _ in wanted]:
            raise MissingValueError(f"loop {number} goes on with other copies than those before it")
        for (shared, held), (_, first) in zip(before, wanted, strict=True):
            yield shared, held_at(first, loop.index, 0), held


def after(loop: Loop, flight: Flight[Copied]) -> Flight[Copied]:
    """What is under way after the last iteration."""
    last = extent_of(loop.index) - 1
    return flight.put(lambda one: _at(one, loop.index, last))


def _at(one: Copied, index: Expr, at: Expr | int) -> Copied:
    return one[0], held_at(one[1], index, at)


__all__ = ["Copied", "after", "at_head", "beginnings", "brought", "landed"]
