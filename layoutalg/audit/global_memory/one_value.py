"""Whether all that store to one place by an access store the same: lanes that hold one value of a row, in any block.

    r = 8·block + t // 32        row r of the threads t = 224 … 255 of one block, and of t = 0 … 31 of the next:
                                 8·(block + 1) + 0 = 8·block + 8

A place's coordinates are made of the block, the thread and sizes (`index.rows`).  Each thread is looked at by itself:

| a coordinate | is of all threads |
|---|---|
| of a block's number b | s·b + r, with one s: of two threads at one place, b + r div s is the same, and r mod s |
| any other | one and the same, or a number |

So two threads are at one place where and only where these numbers are the same, and their blocks so far from each
other as r div s says; a block's number that is in no coordinate must be one for all that store.  All threads with the
same numbers must have stored values of one form (`lds.equal_values`), each in its block.  Where every place is a
multiple of the width, two accesses that have a byte in common have all.

What it cannot represent: accesses in loops, places that hang on data, coordinates that have two blocks' numbers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from layoutalg.audit.ask import Ask
from layoutalg.audit.global_memory.units import UnitAccess
from layoutalg.audit.lds.equal_values import ThreadValues
from layoutalg.index import FALSE, TRUE, ZERO, Expr, all_of, conjuncts, eq, mod, rebuild, simplify, variables
from layoutalg.index.normal import normal
from layoutalg.index.rows import coordinates
from layoutalg.records import dataclass
from layoutalg.symex.values.instances import moved, others, own_coordinates


def one_value_at_each_place(one: UnitAccess, values: ThreadValues, sizes: Collection[Expr], ask: Ask) -> bool:
    """Whether any two threads that store to a common byte by an access store the same bytes to the same places."""
    launched, access = ask.launched, one.access
    if not access.stored or access.loops:
        return False
    given = all_of(launched.given, *map(_without_choices, conjuncts(one.guard)))
    if not ask.holds(eq(mod(one.offset, access.width), ZERO), given):
        return False
    (row,) = coordinates([one.offset], [given], sizes)
    if not {*variables(*row)} <= {*launched.blocks, *launched.threads, *sizes}:
        return False
    threads = np.nonzero(values.block.may_hold(access.guard))[0].tolist()
    rows = {n: [simplify(moved(e, values.block.coordinates(n))) for e in row] for n in threads}
    here = (*launched.blocks, *launched.threads)
    there = others((*here, *own_coordinates(given, alike={*here, *sizes})))
    both = all_of(given, moved(given, there))
    blocks = [b for b in launched.blocks if b in variables(*row) or not ask.holds(eq(b, there[b]), both)]
    places = _places([*rows.values()], blocks)
    return places is not None and _store_alike(dict(zip(rows, places, strict=True)), one, values)


@dataclass(frozen=True)
class _Place:
    """Where a thread stores: in the block that is so far before any, at these numbers."""

    before: tuple[tuple[Expr, int], ...]
    numbers: tuple[int, ...]


def _store_alike(places: Mapping[int, _Place], one: UnitAccess, values: ThreadValues) -> bool:
    """Whether threads of the same numbers, each in its block, have values of one form."""
    at = defaultdict[tuple[int, ...], list[int]](list)
    for n, place in places.items():
        at[place.numbers].append(n)
    blocks = {place.before: values.in_blocks_before(dict(place.before)) for place in places.values()}
    for threads in (held for held in at.values() if len(held) > 1):
        forms = (tuple(blocks[places[n].before].of(e, n) for e in one.access.stored) for n in threads)
        first = next(forms)
        if any(form != first for form in forms):  # most differ at once
            return False
    return True


def _places(rows: Sequence[Sequence[Expr]], blocks: Sequence[Expr]) -> list[_Place] | None:
    """Where threads store that have these coordinates; None where these may be equal and not be seen to be."""
    before: list[dict[Expr, int]] = [{} for _ in rows]
    numbers: list[list[int]] = [[] for _ in rows]
    for column in zip(*rows, strict=True):
        if all(e.op == "const" for e in column):
            each = [(int(e.value), 0) for e in column]
        elif (steps := _steps(column, [b for b in blocks if b not in before[0]])) is not None:
            b, step, rests = steps
            each = [(rest % step, rest // step) for rest in rests]
            for place, (_, n) in zip(before, each, strict=True):
                place[b] = n
        elif len({*column}) == 1:
            continue
        else:
            return None
        for held, (number, _) in zip(numbers, each, strict=True):
            held.append(number)
    if rows and {*before[0]} != {*blocks}:
        return None
    return [_Place(tuple(b.items()), tuple(n)) for b, n in zip(before, numbers, strict=True)]


def _steps(column: Sequence[Expr], blocks: Sequence[Expr]) -> tuple[Expr, int, list[int]] | None:
    """b, s ≥ 1 and each r of coordinates s·b + r of one block's number; None of others."""
    for b in blocks:
        terms = [normal(e).terms for e in column]
        step, rests = int(terms[0].get((b,), 0)), [int(one.get((), 0)) for one in terms]
        if step >= 1 and all(one == {(b,): step} | ({(): r} if r else {}) for one, r in zip(terms, rests, strict=True)):
            return b, step, rests
    return None


def _without_choices(part: Expr) -> Expr:
    """1 ≤ (c ? 1 : 0) as c."""
    if part.op in ("lt", "le"):
        for n, e in enumerate(part.args):
            if e.op == "select":
                ways = [rebuild(part, [*part.args[:n], way, *part.args[n + 1 :]]) for way in e.args[1:]]
                if ways == [TRUE, FALSE]:
                    return e.args[0]
    return part
