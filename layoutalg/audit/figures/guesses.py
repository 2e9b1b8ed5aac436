"""Lengths and grids that a kernel's accesses suggest: guesses for a template, which nobody has to be content with.

A kernel keeps within its tensors by guards, so that a guard tells a size: of `block.x * 64 + thread.x < N`, the grid
is `(N + 63) // 64`, and where an offset grows as its left side does it is at most what it is at N − 1.

| of | is guessed |
|---|---|
| an axis of the grid | the least number of blocks that covers each index below its guard's limit |
| a tensor | one more than the largest element that an access reaches; the longest of its accesses |

What it cannot represent: accesses at loaded indices, by bits of thread numbers, and blocks that walk over a tensor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.figures.template import Guesses
from layoutalg.index import ZERO, Expr, conjuncts, div, simplify, slack, substitute, variables
from layoutalg.index.evaluate import value
from layoutalg.launch.symbolic import AXES, LDS, KernelLaunch

#: A value of sizes at which two guesses are compared: large, and of few factors.
LARGE = 9973


def guesses(accesses: Sequence[TracedAccess], launched: KernelLaunch) -> Guesses:
    """What the accesses of a kernel suggest, where its template has a symbol for each length and each axis."""
    own = {*variables(*launched.sizes.values())}
    covering = {axis: _blocks(accesses, block, launched) for axis, block in enumerate(launched.blocks)}
    grid = {axis: found for axis, found in covering.items() if found is not None}
    counts = {block: grid.get(axis, launched.grid[axis]) for axis, block in enumerate(launched.blocks)}
    lengths: dict[str, Expr] = {}
    for one in accesses:
        if one.memory == LDS or one.memory not in launched.tensors:
            continue
        found = _elements(one, launched, counts)
        if found is None or not {*variables(found)} <= own:
            lengths[one.memory] = ZERO  # of one access nothing is known: of all
        elif one.memory not in lengths or _larger(found, lengths[one.memory]):
            lengths[one.memory] = found if lengths.get(one.memory) is not ZERO else ZERO
    told = {name: _with_grid(found, grid) for name, found in lengths.items() if found is not ZERO}
    return Guesses(told, grid)


def _with_grid(length: Expr, grid: Mapping[int, Expr]) -> Expr:
    """A length in which the blocks of an axis are what they are guessed to be."""
    blocks = {f"grid_{AXES[axis]}": count for axis, count in grid.items()}
    return substitute(length, {v: blocks[v.value.name] for v in variables(length) if v.value.name in blocks})


def _rooms(access: TracedAccess) -> Sequence[Expr]:
    """Of each limit under which it happens, how far away that is: at least 0; those that speak of most come first."""
    found = (room for part in conjuncts(access.guard) if (room := slack(part)) is not None)
    return sorted(found, key=lambda room: -len(variables(room)))


def _slope(e: Expr, v: Expr) -> Expr | None:
    """By how much an expression grows with a variable, where it is linear in it."""
    at = [simplify(substitute(e, {v: ZERO + n})) for n in range(3)]
    first, second = (simplify(at[n + 1] - at[n]) for n in range(2))
    return first if first is second and v not in variables(first) else None


def _blocks(accesses: Sequence[TracedAccess], block: Expr, launched: KernelLaunch) -> Expr | None:
    """The blocks of an axis, by the first guard on it that speaks of sizes, blocks and threads alone."""
    places = {*launched.blocks, *launched.threads}
    known = {*places, *variables(*launched.sizes.values())}
    for one in accesses:
        for room in _rooms(one):
            step = _slope(room, block)
            if step is not None and step.op == "const" and step.value < 0 and {*variables(room)} <= known:
                limit = simplify(substitute(room, dict.fromkeys(places, ZERO)) + 1)
                return simplify(div(limit - step - 1, step * -1))
    return None


def _elements(access: TracedAccess, launched: KernelLaunch, counts: Mapping[Expr, Expr]) -> Expr | None:
    """How many elements a tensor has at least that has room for an access; None where it is not linear."""
    element = launched.tensors[access.memory].element
    offset = access.offset
    for room in _rooms(access):
        offset = _at_limit(offset, room, launched)
    for v in (one for one in variables(offset) if one not in variables(*launched.sizes.values())):
        slope, extent = _slope(offset, v), v.value.extent
        count = counts.get(v, extent)
        if slope is None or count is None or not slope.lo >= 0:
            return None
        offset = simplify(substitute(offset, {v: count - 1}))
    return simplify(div(offset + (access.width + element - 1), element))


def _at_limit(offset: Expr, room: Expr, launched: KernelLaunch) -> Expr:
    """An offset where no room is left to a limit; as it is where the two do not go together."""
    for thread in launched.threads:
        step, slope = _slope(room, thread), _slope(offset, thread)
        if step is None or slope is None or step.op != "const" or step.value >= 0 or slope is ZERO:
            continue
        often = simplify(div(slope, step * -1))
        if simplify(often * step + slope) is ZERO:
            return simplify(offset + often * room)
    return offset


def _larger(one: Expr, other: Expr) -> bool:
    at = {v: LARGE + n for n, v in enumerate(variables(one, other))}
    return value(one, at) > value(other, at)
