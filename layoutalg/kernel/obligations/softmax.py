"""What tiles hold of a softmax: scores, powers relative to the greatest so far, sums of them, quotients.

A sum that is kept relative to a shift m stands for 2^(c·m) times what is held, so that over the reals

    Rescale(m, t, o)            m becomes m' = max(m, t), o becomes o·2^(c·(m − m')): o stands for what it stood for
    o += 2^(c·(s − m'))·v       adds 2^(c·s)·v to what o stands for, if o is relative to that same m'
    o / l                       is the quotient of what they stand for, if both are relative to one shift

which holds whatever the shift is; that it is the greatest of all scores so far makes each power at most 1, and some
power of each row 1, so that nothing overflows and nothing is divided by 0.  Of that is asked that powers are taken
relative to what has taken in their very scores, and that each row has a key in the first tile that is not masked.
In f32, c·m is rounded: where it is below 2²⁵ a power is at most 2, and from 2³¹ on one may overflow, or all of a row
be 0 (q and k of f16 that are all about 20 000, in heads of 64): what such a row then is, is not said.

In a loop, a sum that is rescaled is relative to what m holds at the iteration's head, and has to be relative to what m
holds at its end; one that is not rescaled stays relative to an older m, and nothing more can be added to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from layoutalg.index import Expr, as_expr
from layoutalg.kernel.obligations.base import Requirement
from layoutalg.kernel.obligations.held import (
    Element,
    Held,
    MissingValueError,
    Powers,
    Quotient,
    Scores,
    Shift,
    State,
    Term,
    Total,
    Value,
    Weight,
    with_terms,
)
from layoutalg.kernel.program import (
    Divide,
    Exponentiate,
    Loop,
    MaskScores,
    Move,
    Registers,
    Rescale,
    Rows,
    Tile,
    walk,
)
from layoutalg.prove import ForAll

TURNED = 0, 2, 1
"""The order of a product whose factors change places."""


def beside(shift: Shift, *axes: int) -> Shift:
    """The shift, as that of a tile that has its rows along these coordinates."""
    return replace(shift, axes=axes)


def moved(number: int, s: Move, value: Value) -> Value:
    """The value with its coordinates in another order: of a product, which of its factors comes first."""
    if s.order == tuple(range(len(s.order))):
        return value
    match value:
        case Total("sum", terms, True, None, shift=shift) if s.order == TURNED and all(t.b is not None for t in terms):
            turned = None if shift is None else beside(shift, *(TURNED[axis] for axis in shift.axes))
            return replace(value, terms=tuple(_turned(t) for t in terms), shift=turned)
    raise MissingValueError(f"statement {number} moves {s.source.name} to the order {s.order}, which is no product's")


def _turned(term: Term) -> Term:
    assert term.b is not None
    return replace(term, a=term.b, b=term.a)


def scores_in(number: int, tile: Registers, value: Value) -> Scores:
    """The scores that a tile holds: a whole product of two tensors' elements, or masked ones."""
    match value:
        case Scores():
            return value
        case Total("sum", (Term(Element(), Element()) as term,), True, None, shift=None):
            return Scores(term)
    raise MissingValueError(f"statement {number} takes {tile.name} for scores, which holds no whole product")


def masked(number: int, s: MaskScores, value: Value) -> Scores:
    """Scores with what a mask takes out."""
    scores = scores_in(number, s.registers, value)
    if scores.coordinates:
        raise MissingValueError(f"statement {number} masks {s.registers.name} a second time; give one condition")
    return replace(scores, at=s.origin, coordinates=s.coordinates, keep=s.keep, only=s.only)


def relative(number: int, c: Registers, total: Total, shift: Shift | None) -> Total:
    """The sum, to which something relative to a shift may be added; MissingValueError where it is to another."""
    if not total.nothing and total.shift != shift:
        raise MissingValueError(f"statement {number} adds to {c.name}, which is relative to another greatest")
    return replace(total, shift=shift)


def raised(number: int, s: Rescale, state: State) -> State:
    """What holds after a shift is raised: the totals are what they were, relative to it."""
    before, greatest = (_known(number, r, state) for r in (s.shift, s.greatest))
    match before, greatest:
        case Total("max", parts=None, shift=None), Total("max", terms, True, None, shift=None) if terms:
            after = with_terms(number, s.shift, before, terms, None)
        case _:
            raise MissingValueError(f"statement {number} raises {s.shift.name} by {s.greatest.name}: no greatest")
    found: State = {s.shift: Held(after)}
    for rows in s.totals:
        c = rows.registers
        total = _known(number, c, state)
        old, new = (Shift(s.shift, value, s.factor, rows.axes) for value in (before, after))
        if not isinstance(total, Total) or total.how != "sum" or c in found:
            raise MissingValueError(f"statement {number} rescales {c.name}, which is no sum of its own")
        found[c] = Held(replace(relative(number, c, total, old), shift=new))
    return found


def powers(number: int, s: Exponentiate, state: State) -> tuple[Powers, Requirement]:
    """What is held after powers are taken; and that the shift has taken in the scores, so that they are at most 1."""
    scores = scores_in(number, s.scores, _known(number, s.scores, state))
    shift = _known(number, s.shift, state)
    if not isinstance(shift, Total) or shift.how != "max" or shift.parts is not None:
        raise MissingValueError(f"statement {number} takes powers relative to {s.shift.name}, which is no greatest")
    among = any(term.a == scores and term.b is None for term in shift.terms)
    bounded = ForAll(f"{s.shift.name} has taken in {s.scores.name}", as_expr(int(among)))
    asked = Requirement(f"{number}: powers of {s.scores.name} are at most 1", bounded)
    return Powers(Weight(scores, s.factor), Shift(s.shift, shift, s.factor, s.rows.axes)), asked


def divided(number: int, s: Divide, state: State) -> Quotient:
    """A quotient of two sums relative to one shift."""
    sums, by = (_known(number, r, state) for r in (s.registers, s.by))
    match sums, by:
        case Total("sum", whole=True, parts=None), Total("sum", whole=True, parts=None):
            if sums.shift is not None and sums.shift == by.shift and sums.shift.axes == s.rows.axes:
                return Quotient(sums, by)
    raise MissingValueError(f"statement {number} divides {s.registers.name} by {s.by.name}: no sums of one scale")


def _known(number: int, tile: Tile, state: State) -> Value:
    if tile not in state:
        raise MissingValueError(f"statement {number} reads {tile.name}, which nothing has filled before")
    return state[tile].value


# --- loops ------------------------------------------------------------------------------------------------------------

Relative = Mapping[Tile, tuple[Rescale, Rows]]
"""The sums that a loop's body rescales, each with the statement that does, and beside which rows."""


def rescaled_in(number: int, s: Loop) -> Relative:
    """The sums that a loop rescales; MissingValueError where two statements do, or one in a loop inside."""
    found: dict[Tile, tuple[Rescale, Rows]] = {}
    for one in (one for one in walk(s.body) if isinstance(one, Rescale)):
        if not any(one is own for own in s.body):
            raise MissingValueError(f"loop {number} rescales in a loop of its own")
        if any(c in found for c in one.accumulators) or one.shift in {r.shift for r, _ in found.values()}:
            raise MissingValueError(f"loop {number} rescales twice what is relative to {one.shift.name}")
        found |= {rows.registers: (one, rows) for rows in one.totals}
    return found


def at_head(number: int, index: Expr, found: Relative, sums: Mapping[Tile, Total]) -> dict[Tile, Shift]:
    """What each rescaled sum is relative to at an iteration's head; before the loop it is so, or nothing."""
    heads: dict[Tile, Shift] = {}
    for tile, (s, rows) in found.items():
        shift, total = sums.get(s.shift), sums.get(tile)
        if shift is None or total is None or shift.how != "max":
            raise MissingValueError(f"loop {number} rescales {tile.name}, which it does not begin with as a sum")
        if not total.nothing and total.shift != Shift(s.shift, shift, s.factor, rows.axes):
            raise MissingValueError(f"loop {number} begins with {tile.name}, relative to another greatest")
        heads[tile] = Shift(s.shift, shift.at_head(index), s.factor, rows.axes)
    return heads


def at_end(number: int, found: Relative, state: State) -> None:
    """After an iteration each rescaled sum is relative to what its shift then holds."""
    for tile, (s, rows) in found.items():
        shift, total = state[s.shift].value, state[tile].value
        assert isinstance(shift, Total)
        if not isinstance(total, Total) or total.shift != Shift(s.shift, shift, s.factor, rows.axes):
            raise MissingValueError(
                f"loop {number} leaves {tile.name} relative to another greatest than {s.shift.name}"
            )


def after(found: Relative, state: State) -> State:
    """The rescaled sums, relative to what their shifts hold after the loop."""
    left: State = {}
    for tile, (s, rows) in found.items():
        shift, total = state[s.shift].value, state[tile].value
        assert isinstance(shift, Total)
        assert isinstance(total, Total)
        left[tile] = replace(state[tile], value=replace(total, shift=Shift(s.shift, shift, s.factor, rows.axes)))
    return left


def refuse_carried(number: int, tile: Tile, value: Value) -> None:
    """MissingValueError where a loop hands on what is relative to a shift: it would be another iteration's."""
    if isinstance(value, Powers | Quotient | Scores) or (isinstance(value, Total) and value.shift is not None):
        raise MissingValueError(f"loop {number} hands on {tile.name}, which is of one iteration's scores")


__all__ = ["after", "at_end", "at_head", "beside", "divided", "masked", "moved", "powers", "raised", "refuse_carried",
           "relative", "rescaled_in", "scores_in"]  # fmt: skip
