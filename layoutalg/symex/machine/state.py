"""What is known at one point of a kernel: registers, what is under way, and the branches that led there.

The *path* is a set of conditions, one a branch.  Where ways meet, two sets that differ in one condition and its
negation become what they share, so the path is empty again where all waves come together:

    {n < 4, a} and {4 ≤ n, a}   →   {a}

Of more than two ways one condition stands for all, which is left out where it is a tautology.

A vector register is a list of guarded writes, the newest last, each under the lane's own condition; a scalar one is a
word or a lane mask.  What it cannot represent: which other lanes are active.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache

from layoutalg.index import TRUE, ZERO, Expr, all_of, any_of, eq, negation, select, simplify
from layoutalg.index.conditions import assuming, choice, disjunction, excludes, implies, is_tautology, merged
from layoutalg.records import dataclass
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.machine.outstanding import WRITE_BACK, Key, Outstanding
from layoutalg.symex.values.unknowns import Kind, is_unknown, unknown_value
from layoutalg.symex.values.word import Bit, Mask, NotReadable, Word, is_mask, own_bit

Writes = tuple[tuple[Expr, Word], ...]
"""Guarded writes of one vector register, the newest last."""

#: A way of which nothing will be known.
SOMEWHERE = eq(unknown_value("a way", 2, Kind.ANY), 1)


@dataclass
class State:
    """Registers and what is under way, at one point of one path."""

    scalars: dict[Key, Word | Mask] = field(default_factory=dict)
    cells: dict[Key, Writes] = field(default_factory=dict)
    scc: Bit | None = None
    outstanding: Outstanding = field(default_factory=Outstanding)
    barriers: Expr = ZERO
    signalled: bool = False  # between the two parts of RDNA 4's barrier
    invalidated: Expr = ZERO  # barriers that were passed where the wave's first cache was invalidated last, or fewer
    caches: Mapping[str, Expr] = field(default_factory=dict)  # the same for the whole device, and of writing back
    parted: tuple[Expr, ...] = ()  # on which ways the barriers lay that perhaps not all waves of the block have passed
    path: tuple[Expr, ...] = ()

    @property
    def written(self) -> Expr:
        """Barriers that were passed where the wave last began to write back, and has seen it done; or fewer."""
        return ZERO if self.outstanding.writes_back else self.caches.get(WRITE_BACK, ZERO)

    def copy(self) -> State:
        """An independent copy."""
        return replace(self, scalars=dict(self.scalars), cells=dict(self.cells), outstanding=self.outstanding.copy())

    def under(self, condition: Expr) -> State:
        """A copy on the way where a condition holds."""
        return replace(self.copy(), path=(*self.path, condition))

    def pass_barrier(self, signals: bool, waits: bool) -> bool:
        """A barrier, or one of its two parts, is passed; whether it makes a pair with the other part."""
        paired = self.signalled != signals
        self.signalled = not waits
        self.barriers += waits
        return paired

    @property
    def condition(self) -> Expr:
        """All conditions of the path."""
        return all_of(*self.path) if self.path else TRUE


@lru_cache(maxsize=1 << 12)
def within(own: Expr, path: tuple[Expr, ...]) -> Expr:
    """Both hold; conditions of the path that the other implies are left out."""
    return all_of(*(part for part in path if not implies(own, part)), own)


def resolved(w: IndexValues, writes: Writes, guard: Expr) -> Word:
    """The newest write that the guard implies, chosen among those after it that may have happened.

    Of a guard only the part that is not known there makes a choice, so roundings written in branches are recognised.
    """
    for k in range(len(writes) - 1, -1, -1):
        condition, word = writes[k]
        if implies(guard, condition):
            return _taken(word, guard)
        if excludes(guard, condition):
            continue
        unsure = assuming(condition, guard)
        word = _taken(word, all_of(guard, unsure))
        older = resolved(w, writes[:k], all_of(guard, negation(unsure)))
        if older.expr is word.expr:
            return older.join(word)
        return w.choice(unsure, word, older)
    return w.fresh_word()


def _taken(word: Word, guard: Expr) -> Word:
    """The word without the choices that the guard decides."""
    e = _decided(word.expr, guard)
    return word if e is word.expr else word.with_expr(e)


def _decided(e: Expr, guard: Expr) -> Expr:
    """The expression without the choices that a guard decides, or those around them."""
    if e.op != "select":
        return e
    condition, chosen, other = e.args
    if implies(guard, condition):
        return _decided(chosen, guard)
    if excludes(guard, condition):
        return _decided(other, guard)
    ways = _decided(chosen, all_of(guard, condition)), _decided(other, all_of(guard, negation(condition)))
    return e if ways == (chosen, other) else select(condition, *ways)


def joined(w: IndexValues, states: Sequence[State]) -> State:
    """The state where ways meet, of which one was taken.

    Raises `NotReadable` when only one of them is within a barrier.
    """
    rest = list(states)
    while len(rest) > 1:
        pairs = ((i, j) for i in range(len(rest)) for j in range(i + 1, len(rest)))
        i, j = next(((i, j) for i, j in pairs if _resolvable(rest[i], rest[j])), (0, 1))
        rest[i] = _both(w, rest[i], rest.pop(j))
    rest[0].path = tuple(part for part in rest[0].path if part.op != "any" or not is_tautology(part))
    return rest[0]


def _difference(one: State, other: State) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
    """The conditions that only one of two paths has."""
    return (tuple(p for p in one.path if p not in other.path), tuple(p for p in other.path if p not in one.path))


def _resolvable(one: State, other: State) -> bool:
    mine, theirs = _difference(one, other)
    return len(mine) == len(theirs) == 1 and (negation(mine[0]) is theirs[0] or negation(theirs[0]) is mine[0])


def _both(w: IndexValues, one: State, other: State) -> State:
    if one.signalled != other.signalled:
        raise NotReadable("paths meet of which one is within a barrier")
    mine, theirs = _difference(one, other)
    joined = one.copy()
    joined.parted = tuple(dict.fromkeys((*one.parted, *other.parted)))
    joined.barriers = _of_one_way(mine, one.barriers, other.barriers)
    joined.invalidated = _of_one_way(mine, one.invalidated, other.invalidated)
    either = disjunction(all_of(*mine), all_of(*theirs))
    joined.path = (*(p for p in one.path if p in other.path), *((either,) if either is not TRUE else ()))
    joined.outstanding.join(other.outstanding)
    joined.caches = {cache: e for cache, e in one.caches.items() if other.caches.get(cache) is e}
    undefined = _Undefined(w)
    changed = (key for key in {**one.scalars, **other.scalars} if one.scalars.get(key) is not other.scalars.get(key))
    for key in sorted(changed, key=_in_order):
        joined.scalars[key] = _either(w, mine, theirs, one.scalars.get(key), other.scalars.get(key), undefined)
    for key in {**one.cells, **other.cells}:
        joined.cells[key] = _writes(w, one, other, key)
    joined.scc = _either_scc(w, one.scc, other.scc)
    return joined


def _of_one_way(mine: Sequence[Expr], one: Expr, other: Expr) -> Expr:
    """A number of barriers, of the way that was taken."""
    return one if one is other else simplify(other + choice(all_of(*mine), simplify(one - other), ZERO))


def _either_scc(w: IndexValues, one: Bit | None, other: Bit | None) -> Bit | None:
    """The condition code after two paths; undefined where one of them has not written it."""
    if one is other or one is None or other is None:
        return one if one is other else None
    return one if one.expr is other.expr else Bit(w.fresh_bit(one.expr, other.expr))


def _writes(w: IndexValues, one: State, other: State, key: Key) -> Writes:
    """Both ways' writes of a register, where each is the one way's only; else a choice of the two results.

    What one way alone wrote is no more than that way's: the other has what was there before, or nothing.
    """
    a, b = one.cells.get(key, ()), other.cells.get(key, ())
    shared = 0
    while shared < min(len(a), len(b)) and a[shared][0] is b[shared][0] and a[shared][1] is b[shared][1]:
        shared += 1
    mine, theirs = (all_of(*parts) for parts in _difference(one, other))
    if all(excludes(g, theirs) for g, _ in a[shared:]) and all(excludes(g, mine) for g, _ in b[shared:]):
        return (*a, *b[shared:])
    x, y = resolved(w, a, one.condition), resolved(w, b, other.condition)
    if len(a) == shared or len(b) == shared:
        return (*b, (mine, x)) if len(b) == shared else (*a, (theirs, y))
    return ((TRUE, x.join(y) if x.expr is y.expr else x.with_expr(choice(mine, x.expr, y.expr))),)


def _in_order(key: Key) -> tuple[str, int, int]:
    """The register's place: of lanes in several registers, those of v9 before those of v10."""
    file, number = key
    kind = file.rstrip("0123456789")
    return kind, int(file[len(kind) :] or 0), number


@dataclass
class _Undefined:
    """The masks that one of two ways has not written: an unknown truth for each.

    The lane's bit is in one half of a mask.  So the n-th of the lower halves and the n-th of the upper ones may share
    an unknown, whichever they are; they do where the other way has the halves of one mask.
    """

    w: IndexValues
    bits: dict[tuple[Expr, int], Expr] = field(default_factory=dict)
    counts: Counter[tuple[Expr, int | None]] = field(default_factory=Counter)

    def beside(self, known: Mask) -> Mask:
        """The undefined mask in the register that has this one on the other way."""
        nth = self.counts[known.own, known.half]
        self.counts[known.own, known.half] += 1
        if (known.own, nth) not in self.bits:
            self.bits[known.own, nth] = self.w.lane_bit(kind=Kind.UNDEFINED)
        return Mask(self.bits[known.own, nth], half=known.half)


def _either(
    w: IndexValues, mine: tuple[Expr, ...], theirs: tuple[Expr, ...], a: Word | Mask | None, b: Word | Mask | None,
    undefined: _Undefined,
) -> Word | Mask:  # fmt: skip
    """The scalar after two paths; a register that one of them has not written is undefined there."""
    if isinstance(a, Mask) or isinstance(b, Mask):
        if not all(part is None or is_mask(part) for part in (a, b)):
            return w.fresh_word()
        known = a if isinstance(a, Mask) else b
        assert isinstance(known, Mask)
        one, other = (_mask(part) or undefined.beside(known) for part in (a, b))
        if {one.half, other.half} == {0, 1}:
            return w.unknown_word()
        x, y = one.own, other.own
        here, there = all_of(*mine), all_of(*theirs)
        either = merged(here, x, there, y)
        return one.having(any_of(within(x, mine), within(y, theirs)) if either is None else either, other)
    a, b = a or w.fresh_word(), b or w.fresh_word()
    if a.expr is b.expr:
        return a.join(b)
    if is_unknown(a.expr) and is_unknown(b.expr):
        return w.unknown_word(a.expr, b.expr)
    return w.scalar(a.with_expr(choice(all_of(*mine), a.expr, b.expr)))


def _mask(word: Word | Mask | None) -> Mask | None:
    """A mask whose bit is known; None of what is unknown."""
    if word is None or isinstance(word, Mask):
        return word
    own = own_bit(word)
    return None if own is None else Mask(own)
