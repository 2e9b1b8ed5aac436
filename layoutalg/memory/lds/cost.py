"""The exact price of an access for all values of its variables: by linear algebra, or by counting every value.

Adding one multiple of 4 bytes to every lane's address moves every dword to another bank together and changes nothing:

    (a + c) mod banks = (b + c) mod banks  ⇔  a mod banks = b mod banks          a + c = b + c  ⇔  a = b

So whatever part of the address does not depend on the lane (the block, the wave, a buffer's base …) is left out, where
it is a multiple of the unit that conflicts are counted in; what is left often has few values, or none.

| strategy    | decides                                      | gives                             | costs        |
|-------------|----------------------------------------------|-----------------------------------|--------------|
| F₂          | addresses without carries, any number of them | the same cycles in every phase    | 100 µs       |
| enumeration | concrete variables                           | least and most cycles per phase   | milliseconds |

What it cannot represent: sizes without a limit (the two-lane query of `claims` decides those).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from layoutalg.index import TRUE, Expr, add, mul, prod, substitute, variables
from layoutalg.index.evaluate import array, value
from layoutalg.index.f2 import Columns, LinearMaps, NotLinearError
from layoutalg.index.normal import normal, recover
from layoutalg.lazy import lazy
from layoutalg.memory.access import Access, Reach
from layoutalg.memory.banks import Ints, linear_degree, phase_cycles
from layoutalg.prove.obligation import Point
from layoutalg.target import LdsInstruction
from layoutalg.target.model import DWORD

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
else:
    np = lazy("numpy")


FAR = 1 << 62
"""Past every address: what is no address has none before it."""

BLOCK = 1 << 13
"""Values of the variables that are priced at a time."""


@dataclass(frozen=True)
class Cost:
    """The least and the most cycles of each phase (0: served with the phase before) and in total, and where.

    `least_at` and `most_at` are values of the variables at which the total is least and most; `worst_at`, of the most
    cycles in one phase.
    """

    strategy: str
    least: tuple[int, ...]
    most: tuple[int, ...]
    total: tuple[int, int]
    served: tuple[int, int]
    least_at: Point
    most_at: Point
    worst_at: Point
    values: int | None = None

    @property
    def degree(self) -> int:
        """The most cycles of any phase: 1 says conflict-free."""
        return max(self.most)

    @property
    def exact(self) -> bool:
        """Whether the total is the same for all values."""
        return self.total[0] == self.total[1]


def unit(how: LdsInstruction) -> int | None:
    """The bytes within which an aligned access stays: two of them conflict exactly as their units do; None if not so.

    An access of at most `unit` bytes from a multiple of it touches, in each bank, at most one dword, and the same
    banks as any other whose unit is the same modulo banks.
    """
    size = max(how.alignment, DWORD)
    return size if how.bytes <= size and how.banks * DWORD % size == 0 else None


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


def address_columns(access: Access) -> Columns | None:
    """The columns of the lane's bits in the byte address, None where the address is not affine over F₂.

    Not None only if what an access requires of addresses holds as well, of every lane: aligned, in one piece, inside
    the LDS.
    """
    where, how, lanes = access.address, access.instruction, access.lanes
    try:
        maps = LinearMaps([where])
    except NotLinearError:
        return None
    if how.alignment & (how.alignment - 1):
        return None
    inside = min(maps.masks[where], where.hi) + access.element_bytes <= access.target.lds_bytes
    if not inside or access.descriptor.valid(lanes.index) is not TRUE:
        return None
    steps: Columns = ()
    if lanes.width > 1:
        steps = maps.columns_by(where, lanes.element)
        if lanes.width & (lanes.width - 1) or steps != tuple(access.element_bytes << n for n in range(len(steps))):
            return None
    starts = (column for (v, _), column in zip(maps.bits, maps.columns([where]), strict=True) if v is not lanes.element)
    if any(column % how.alignment for column in (maps.constants[where], *starts)) or how.alignment < sum(steps):
        return None
    return maps.columns_by(where, lanes.lane)


def linear_cost(access: Access, *, of_all: bool = False) -> Cost | None:
    """The price by linear algebra over F₂: the same in every phase and for all values; None where not linear.

    The access must be known to stay within the lengths.  Where lanes take no part there is a price only `of_all`, as if
    they did: of those that do, no phase costs more.
    """
    columns = address_columns(access) if of_all or access.mask is TRUE else None
    degree = None if columns is None else linear_degree(access.instruction, columns)
    at = None if degree is None else some_point(access)
    if columns is None or degree is None or at is None:
        return None
    count, merged = len(access.instruction.phases), access.instruction.pairs_merge and 0 in columns[:2]
    each = tuple(0 if merged and n % 2 else degree for n in range(count))
    served = count - each.count(0)
    return Cost("F₂", each, each, (sum(each),) * 2, (served,) * 2, at, at, at)


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


def least_value(v: Expr) -> int:
    """The least value of a variable that has one."""
    return 1 << (int(v.lo) - 1).bit_length() if v.value.power_of_two else int(v.lo)


def others(access: Reach, *roots: Expr) -> list[Expr]:
    """The variables of some expressions and of what is given, but for the lane and the element."""
    own = (access.lanes.lane, access.lanes.element)
    return [v for v in variables(*roots, access.taking_part) if v not in own]


@dataclass(frozen=True)
class Counted:
    """The cycles of each phase (columns) at the values of the variables that are given (rows), by their numbers."""

    over: Sequence[Expr]
    choices: Sequence[Sequence[int]]
    numbers: Ints
    cycles: Ints

    def point(self, row: int) -> Point:
        """The values of a row."""
        return point_of(self.over, self.choices, int(self.numbers[row]))


def counted_cycles(access: Access, points: int, given: Expr, mask: Expr) -> Counted | str:
    """The cycles at every value of the variables that is given, at most `points` lanes in all; or why not.

    `mask` says which lanes take part.  The requirements of the access must be known to hold.
    """
    how, lane = access.instruction, access.lanes.lane
    step = unit(how) or DWORD
    where = relative(access.start, lane, step)
    over = [v for v in variables(where, given, mask) if v is not lane]
    if any(v.value.extent is not None or v.lo == -math.inf or v.hi == math.inf for v in over):
        return "a size is not fixed"
    choices = [choices_of(v) for v in over]
    count = math.prod(map(len, choices))
    if count * how.lanes > points:
        return f"{count} values of {how.lanes} lanes are over the limit"
    kept, priced = [], []
    for numbers, at in blocks(over, choices, count):
        wanted = (given, mask, where)
        chosen, there, addresses = waves(wanted, {**at, lane: np.arange(how.lanes)}, len(numbers), how.lanes, step)
        kept.append(numbers[chosen])
        priced.append(phase_cycles(access.target, how, addresses, there))
    return Counted(over, choices, np.concatenate(kept), np.concatenate(priced))


def enumerated_cost(access: Access, points: int) -> Cost | str:
    """The price by counting every value of the variables, at most `points` lanes in all; or why not.

    The requirements of the access must be known to hold.
    """
    every = counted_cycles(access, points, access.condition, access.mask)
    if isinstance(every, str):
        return every
    found = every.cycles
    if not len(found):
        return "no value satisfies what is given"
    totals = found.sum(axis=1)

    def point(row: np.intp) -> Point:
        return {**(least(access) or {}), **every.point(int(row))}

    return Cost(
        "enumeration",
        tuple(found.min(axis=0).tolist()),
        tuple(found.max(axis=0).tolist()),
        (int(totals.min()), int(totals.max())),
        (int((found > 0).sum(axis=1).min()), int((found > 0).sum(axis=1).max())),
        point(totals.argmin()),
        point(totals.argmax()),
        point(found.max(axis=1).argmax()),
        values=len(found),
    )


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


def choices_of(v: Expr) -> Sequence[int]:
    s = v.value
    every = range(int(s.lo), int(s.hi) + 1, s.multiple_of)
    return [1 << k for k in range(int(s.hi).bit_length()) if 1 << k in every] if s.power_of_two else every


def blocks(
    over: Sequence[Expr], choices: Sequence[Sequence[int]], count: int
) -> Iterator[tuple[Ints, dict[Expr, Ints]]]:
    """The points by number, in blocks, with the variables' values as columns; the first variable is the slowest."""
    for start in range(0, count, BLOCK):
        numbers = np.arange(start, min(start + BLOCK, count), dtype=np.int64)
        at: dict[Expr, Ints] = {}
        below = count
        for v, values in zip(over, choices, strict=True):
            below //= len(values)
            at[v] = np.asarray(values, dtype=np.int64)[numbers // below % len(values)][:, None]
        yield numbers, at


def point_of(over: Sequence[Expr], choices: Sequence[Sequence[int]], number: int) -> dict[Expr, int]:
    at = {}
    for v, values in zip(reversed(over), reversed(choices), strict=True):
        number, place = divmod(number, len(values))
        at[v] = values[place]
    return at
