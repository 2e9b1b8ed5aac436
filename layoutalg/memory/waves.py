"""Waves at values of their variables: who takes part, where each lane reaches, all values block by block.

Adding one multiple of 4 bytes to every lane's address moves every dword to another bank together, and one of a segment
every segment, so that neither changes what an access costs.  Whatever part of the address no lane changes (the block,
the wave, a buffer's base …) is left out, where it is such a multiple; what is left often has few values, or none.

    row·8192 + lane·16 + 4, in steps of 16   ──relative──▶   lane·16 + 4

What it cannot represent: variables without a limit, one by one (`patterns` and the statements for a solver do).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

from layoutalg.index import Expr, add, mul, prod, substitute, variables
from layoutalg.index.box import Box, least_value
from layoutalg.index.evaluate import array, value
from layoutalg.index.normal import normal, recover
from layoutalg.lazy import lazy_imports
from layoutalg.memory.banks import Ints
from layoutalg.memory.reach import Reach
from layoutalg.prove.obligation import Point

with lazy_imports():
    import numpy as np
    import numpy.typing as npt

FAR = 1 << 62
"""Past every address: what is no address has none before it."""

BLOCK = 1 << 13
"""Values of the variables that are priced at a time."""


@lru_cache(maxsize=4096)
def relative(start: Expr, lane: Expr, step: int) -> Expr:
    """The address without the terms that no lane changes and that are multiples of `step`.

    >>> from layoutalg.index import symbol, var
    >>> lane, block, m = var("lane", 64), symbol("block", min=0), symbol("M", multiple_of=8)
    >>> relative(block * m * 2 + lane * 16 + 4, lane, 16)
    lane * 16 + 4
    """
    kept = []
    for monomial, k in recover(normal(start)).terms.items():
        term = mul(prod(monomial), k)
        if lane in variables(term) or any(c % step for c in normal(term).terms.values()):
            kept.append(term)
    return add(*kept)


def some_point(access: Reach) -> Point | None:
    """Values of the variables that the access is given for, the least of each; None where those are not allowed, or no
    lane takes part there.
    """
    at = least(access)
    allowed = at is not None and all(v.value.extent is None or n < value(v.value.extent, at) for v, n in at.items())
    return at if at is not None and allowed and value(access.condition, at) and active(access, at).any() else None


def active(access: Reach, at: Point) -> npt.NDArray[np.bool_]:
    """Which lanes take part at values of the variables."""
    lanes = range(access.lanes.lanes)
    fixed = substitute(access.mask, dict(at))
    return np.array([value(fixed, {access.lanes.lane: n}) for n in lanes], dtype=bool)


def least(access: Reach) -> Point | None:
    """The least value of each variable by itself; None where one has no least."""
    over = others(access, access.start, *access.lanes.index)
    return None if any(v.lo == -math.inf for v in over) else {v: least_value(v) for v in over}


def others(access: Reach, *roots: Expr) -> list[Expr]:
    """The variables of some expressions and of what is given, but for the lane and the element."""
    own = (access.lanes.lane, access.lanes.element)
    return [v for v in variables(*roots, access.taking_part) if v not in own]


def waves(
    wanted: tuple[Expr, Expr, Expr], at: dict[Expr, Ints], count: int, lanes: int, step: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_], Ints]:
    """Of so many values of the variables: the numbers of those that are given; for each of these who takes part, and
    the addresses, moved by a multiple of `step` so that the first one is below it.

    `wanted`: what is given, who takes part, the address.
    """
    given, mask, addresses = array(wanted, at)
    chosen = np.flatnonzero(np.broadcast_to(given, (count, 1))[:, 0])
    shape = (count, lanes)
    there = np.broadcast_to(mask, shape)[chosen] != 0
    addresses = np.broadcast_to(addresses, shape)[chosen]
    return chosen, there, addresses - np.where(there, addresses, FAR).min(axis=1, keepdims=True) // step * step


def blocks(box: Box) -> Iterator[tuple[Ints, dict[Expr, Ints]]]:
    """The points of a box by number, in blocks, with the variables' values as columns."""
    for start in range(0, box.count, BLOCK):
        numbers = np.arange(start, min(start + BLOCK, box.count), dtype=np.int64)
        at: dict[Expr, Ints] = {}
        below = box.count
        for v, values, n in zip(box.over, box.choices, box.counts, strict=True):
            below //= n
            at[v] = np.asarray(values, dtype=np.int64)[numbers // below % n][:, None]
        yield numbers, at
