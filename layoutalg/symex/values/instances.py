"""Instances: what a term of one thread and iteration is for another thread, or in another iteration.

Symbolic execution follows one thread, in one iteration of each loop: its terms are made of *coordinates* (the indices
of block and thread, a variable for each execution of a loop), of what the launch gives to all, and of unknowns, each
with an owner (`unknowns`).  A claim on two threads, or on two iterations, says the same terms of both, and this is the
one way from the one to the other:

| in a term | at thread ↦ u, t ↦ t − 1 it is |
|---|---|
| a coordinate that goes elsewhere | what it goes to: u, t − 1 |
| an unknown whose owner does | `loaded 3 (thread = u, t = t − 1)`: what it is there, of which as little is known |
| the result of a function | that of what its arguments are there |
| a coordinate that stays and has an extent that does not: j < t | one of its own: j < t − 1 |
| a size, an argument, an unknown made before the loop | the same |

`loaded 3 (thread = u, t = t − 1)` is one unknown whoever asks for it: what is said of it there meets what is said of it
here.  No two threads and no two iterations share what was loaded, unless their coordinates are one.
What it cannot represent: that two unknowns of different threads are one because all threads load the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain
from weakref import WeakKeyDictionary

from layoutalg.index import Expr, simplify, substitute, var, variables
from layoutalg.index.primed import primed
from layoutalg.symex.values.unknowns import Call, Kind, UnknownValue, unknown_value

Apply = Callable[[Call, Expr], Expr]
"""The result of a function of other arguments, of which that is the result of the old ones."""

At = Mapping[Expr, Expr]
"""Where coordinates go."""

_KEPT: WeakKeyDictionary[Expr, tuple[Expr, ...]] = WeakKeyDictionary()  # the coordinates of unknowns


def moved(e: Expr, at: At, done: dict[Expr, Expr] | None = None, apply: Apply | None = None) -> Expr:
    """A term of a thread and an iteration, as it is where its coordinates are these.

    `done` keeps what variables became, for more terms that go to the same place; `apply` names functions' results,
    which are instances of these else.

    >>> t, u = var("thread", 64), var("other", 64)
    >>> loaded = unknown_value("loaded 3", 9, Kind.DATA, owner=(t,))
    >>> moved(loaded + t, {t: u}), moved(loaded + t, {t: t})
    (loaded 3 (thread = other) + other, loaded 3 + thread)
    """
    done = {} if done is None else done
    stack = [v for v in variables(e) if v not in done]
    while stack:
        v = stack[-1]
        waiting = [] if v in at else [u for u in _made_of(v) if u not in done and u is not v]
        if waiting:
            stack += waiting
            continue
        stack.pop()
        done.setdefault(v, _moved(v, at, done, apply))
    return _replaced(e, done)


def _replaced(e: Expr, done: Mapping[Expr, Expr]) -> Expr:
    """With each variable replaced by what it became; most become themselves."""
    changed = {v: there for v in variables(e) if (there := done.get(v, v)) is not v}
    return substitute(e, changed) if changed else e


def _made_of(v: Expr) -> tuple[Expr, ...]:
    """What must be known of other variables to move one."""
    if isinstance(v.value, UnknownValue):
        return variables(*v.value.arguments, *(v.value.at if v.value.origin is not None else v.value.owner))
    return () if v.value.extent is None else variables(v.value.extent)


def _moved(v: Expr, at: At, done: Mapping[Expr, Expr], apply: Apply | None) -> Expr:
    """A variable there, of which all that it is made of is known there."""
    if v in at:
        return at[v]
    one = v.value
    if isinstance(one, UnknownValue):
        arguments = tuple(_replaced(a, done) for a in one.arguments)
        if one.kind is Kind.RESULT and apply is not None:
            return apply((one.function, arguments), v)
        return _instance(v, tuple(_at(x, done) for x in whose(v)), arguments)
    if one.extent is None or (extent := _replaced(one.extent, done)) is one.extent:
        return v
    limits = variables(one.extent)
    return var(f"{one.name} ({_shown(limits, [done[u] for u in limits])})", extent)


def _shown(coordinates: Sequence[Expr], at: Sequence[Expr]) -> str:
    """The coordinates that are others, each with what it is."""
    return ", ".join(f"{v} = {x}" for v, x in zip(coordinates, at, strict=True) if x is not v)


def _at(x: Expr, done: Mapping[Expr, Expr]) -> Expr:
    """A coordinate there; one that stays is kept as it is, also where it has one value only."""
    there = _replaced(x, done)
    return x if there is x else simplify(there)


def _instance(v: Expr, at: tuple[Expr, ...], arguments: tuple[Expr, ...]) -> Expr:
    """The unknown that one is at these coordinates."""
    origin = origin_of(v)
    if at == coordinates_of(origin):
        return origin
    one = origin.value
    name = f"{one.name} ({_shown(coordinates_of(origin), at)})"
    return unknown_value(name, int(one.hi) + 1, one.kind, one.number, one.function, arguments, (), origin, at)


def origin_of(v: Expr) -> Expr:
    """The unknown of the thread that was followed, of which this is an instance; itself, where it is that."""
    return v if not isinstance(v.value, UnknownValue) or v.value.origin is None else v.value.origin


def coordinates_of(v: Expr) -> tuple[Expr, ...]:
    """The coordinates that an unknown, no instance, depends on: its owner's, and its arguments'."""
    assert isinstance(v.value, UnknownValue)
    return _coordinates(v)


def whose(v: Expr) -> tuple[Expr, ...]:
    """What the coordinates are that an unknown is of, one for each of `coordinates_of` its origin."""
    assert isinstance(v.value, UnknownValue)
    return coordinates_of(v) if v.value.origin is None else v.value.at


def _coordinates(*exprs: Expr) -> tuple[Expr, ...]:
    """The coordinates that terms are of, each once; those of unknowns are kept, since chains of them are long."""
    stack = [v for v in variables(*exprs) if isinstance(v.value, UnknownValue)]
    while stack:
        v = stack[-1]
        parts = () if v in _KEPT else _parts(v)
        if waiting := [u for u in parts if isinstance(u.value, UnknownValue) and u not in _KEPT]:
            stack += waiting
            continue
        if v not in _KEPT:
            _KEPT[v] = _together(parts)
        stack.pop()
    return _together(variables(*exprs))


def _parts(v: Expr) -> tuple[Expr, ...]:
    """The variables that an unknown is made of."""
    one = v.value
    return variables(*(one.at if one.origin is not None else (*one.owner, *one.arguments)))


def _together(made_of: Sequence[Expr]) -> tuple[Expr, ...]:
    each = (_KEPT[v] if isinstance(v.value, UnknownValue) else (v,) for v in made_of)
    return tuple(dict.fromkeys(chain.from_iterable(each)))


def place_of(v: Expr) -> dict[Expr, Expr]:
    """Where an unknown is: each coordinate of its origin, and what it is there."""
    return dict(zip(coordinates_of(origin_of(v)), whose(v), strict=True))


def others(coordinates: Sequence[Expr], suffix: str = "_other") -> dict[Expr, Expr]:
    """Coordinates of the same ranges that stand for another thread's, or another iteration's; outer loops first.

    >>> t = var("t", 8)
    >>> list(others([t, var("j", t)]).values())
    [t_other', j_other']
    """
    return primed(coordinates, suffix, moved)


def own_coordinates(*exprs: Expr, alike: Collection[Expr] = ()) -> tuple[Expr, ...]:
    """The coordinates that terms are of, also by the owners of unknowns; but for what all threads have `alike`."""
    return tuple(v for v in _coordinates(*exprs) if v not in alike)
