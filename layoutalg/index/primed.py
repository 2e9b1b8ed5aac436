"""The other copy of some indices: another thread's, another iteration's, another block's.

    t, j < t   →   t_other', j_other' < t_other'          two threads touch one word: offset(t, j) = offset(t_other', …)

A copy is a variable of the library's own, which no program and no size has the name of, of the same range: what is said
of any two threads is said of one and its copy.  The range of an index that depends on others is, for its copy, that by
their copies.  What it cannot represent: a third one (unless by a suffix of its own), and that the two differ: `same`
says when they do not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from layoutalg.index.compound import all_equal
from layoutalg.index.expr import Expr
from layoutalg.index.variable import extent_of, internal
from layoutalg.index.walk import substitute, variables


def primed(
    index: Sequence[Expr], suffix: str = "_other", moved: Callable[[Expr, dict[Expr, Expr]], Expr] = substitute
) -> dict[Expr, Expr]:
    """Each index and its copy; `moved` puts copies into a range.

    >>> from layoutalg.index import symbol, var
    >>> t, n = var("t", symbol("N")), symbol("N")
    >>> there = primed([var("j", t), t])
    >>> there, [extent_of(v) for v in there.values()]
    ({j: j_other', t: t_other'}, [t_other', N])
    """
    there: dict[Expr, Expr] = {}

    def copy(v: Expr) -> None:
        extent = extent_of(v)
        for u in variables(extent):
            if u in index and u not in there:
                copy(u)
        there[v] = internal(f"{v.value.name}{suffix}", moved(extent, there))

    for v in index:
        if v not in there:
            copy(v)
    return {v: there[v] for v in index}


def same(index: Sequence[Expr], there: Mapping[Expr, Expr]) -> Expr:
    """Whether the copies of these indices are they themselves: that it is no other thread.

    >>> from layoutalg.index import var
    >>> t = var("t", 8)
    >>> same([t], primed([t]))
    t == t_other'
    """
    return all_equal(index, [there[v] for v in index])
