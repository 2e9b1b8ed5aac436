"""Registers of a state as a loop sees them: each has one value, where the lane is active.

A lane that is not active keeps what it has in its vector registers.  So what a loop makes of them holds of active
lanes; of the others another word stands beside it, of which nothing is known here:

    v3 at the head = (TRUE, what an inactive lane has), (EXEC's bit, init + c·t)

What it cannot represent: two values of a register for lanes that are active.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

from layoutalg.index import TRUE, Expr, all_of, negation
from layoutalg.isa.decode.instructions import EXEC
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.machine.outstanding import Key
from layoutalg.symex.machine.state import State, resolved
from layoutalg.symex.values.unknowns import Kind, dependencies, kind_of
from layoutalg.symex.values.word import Mask, NotReadable, Word, are_halves, as_mask

Register = tuple[str, Key]
"""A register: in `scalars` or in `cells`."""

#: The registers of EXEC.
ACTIVE: tuple[Register, ...] = (("scalars", ("s", EXEC)), ("scalars", ("s", EXEC + 1)))


def own_exec(state: State) -> Expr:
    """The lane's bit of EXEC."""
    return as_mask(state.scalars["s", EXEC]).threads


def some_lane(w: IndexValues, state: State) -> bool:
    """Whether the wave has an active lane: this one is, or a branch skips where none is."""
    own = own_exec(state)
    return own is TRUE or negation(w.nobody(own)) in state.path


def places(one: State, other: State) -> Iterator[Register]:
    """All registers of two states."""
    yield from (("scalars", key) for key in {**one.scalars, **other.scalars})
    yield from (("cells", key) for key in {**one.cells, **other.cells})


def read(w: IndexValues, state: State, place: Register, guard: Expr = TRUE) -> Word | Mask:
    """What a register holds, where the lane is active and the guard holds."""
    kind, key = place
    if kind == "cells":
        return resolved(w, state.cells.get(key, ()), all_of(state.condition, own_exec(state), guard))
    return state.scalars.get(key) or w.fresh_word()


def same(w: IndexValues, one: State, other: State, place: Register) -> bool:
    """Whether a register holds the same in both, and as much is known of it."""
    kind, key = place
    if kind == "cells":
        a, b = one.cells.get(key, ()), other.cells.get(key, ())
        if len(a) == len(b) and all(x[0] is y[0] and x[1] is y[1] for x, y in zip(a, b, strict=True)):
            return True
    elif one.scalars.get(key) is other.scalars.get(key):
        return True
    mine, its = read(w, one, place), read(w, other, place)
    if isinstance(mine, Mask) or isinstance(its, Mask):
        both = isinstance(mine, Mask) and isinstance(its, Mask)
        return both and (as_mask(mine).own, as_mask(mine).half) == (as_mask(its).own, as_mask(its).half)
    return mine.alike(its)


def both_halves(w: IndexValues, state: State, low: Register, high: Register | None) -> Word | None:
    """The word of which two registers hold the halves, or that one register holds."""
    a, b = read(w, state, low), read(w, state, high or low)
    if high is None:
        return a if isinstance(a, Word) else None
    return w.pair(a, b) if isinstance(a, Word) and isinstance(b, Word) else None


def upper_half(
    low: Register, word: Word, uppers: Mapping[Register, Word], taken: Container[Register]
) -> Register | None:
    """The register that holds the upper half of a word before the loop; of several, the next one first."""
    kind, (file, at) = low
    found = [place for place, above in uppers.items() if place not in taken and are_halves(word, above)]
    following: Register = (kind, (file, at + 1))
    return following if following in found else next(iter(found), None)


def put(state: State, place: Register, word: Word | Mask, inactive: Word | None = None) -> None:
    """The register holds this, where the lane is active; where it is not, the other."""
    kind, key = place
    if kind == "scalars":
        state.scalars[key] = word
    elif inactive is None:
        state.cells[key] = ((TRUE, number(word)),)
    else:
        state.cells[key] = ((TRUE, inactive), (own_exec(state), number(word)))


def nothing_known(w: IndexValues, *words: Word) -> Word:
    """A word of which nothing is known; one that nothing wrote, if one of these may be."""
    return w.fresh_word() if undefined(*words) else w.unknown_word()


def undefined(*words: Word | Mask) -> bool:
    """Whether one of these may be made of what nothing wrote."""
    return any(kind_of(v) is Kind.UNDEFINED for v in dependencies(*map(value, words)))


def value(word: Word | Mask) -> Expr:
    """The lane's bit, or the number."""
    return word.threads if isinstance(word, Mask) else word.expr


def number(word: Word | Mask) -> Word:
    """The word, which is no mask."""
    if isinstance(word, Mask):
        raise NotReadable("a lane mask where a number is expected")
    return word
