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

import numpy as np
import numpy.typing as npt

from layoutalg.banks import linear_degree, phase_cycles
from layoutalg.index import TRUE, Expr, add, mul, prod, variables
from layoutalg.index.evaluate import array, value
from layoutalg.index.normal import normal, recover
from layoutalg.prove.lds.access import Access, Reach
from layoutalg.prove.lds.linear import Columns, read_linear
from layoutalg.prove.obligation import Point
from layoutalg.target import LdsInstruction
from layoutalg.target.model import DWORD

Ints = npt.NDArray[np.int64]

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

    Not None only if every requirement of the access holds as well: aligned, in one piece, inside the LDS, all on.
    """
    reading = read_linear(access.address)
    how, lanes = access.instruction, access.lanes
    if reading is None or how.alignment & (how.alignment - 1):
        return None
    every = (reading.value.constant, *reading.value.columns)
    inside = min(reading.value.mask, access.address.hi) + access.element_bytes <= access.target.lds_bytes
    if not inside or access.descriptor.valid(lanes.index) is not TRUE:
        return None
    steps: Columns = ()
    if lanes.width > 1:
        steps = reading.columns(lanes.element)
        if lanes.width & (lanes.width - 1) or steps != tuple(access.element_bytes << n for n in range(len(steps))):
            return None
        first = reading.places[lanes.element]
        every = (*every[: 1 + first], *every[1 + first + len(steps) :])
    if any(column % how.alignment for column in every) or how.alignment < sum(steps):
        return None
    return reading.columns(lanes.lane)


def linear_cost(access: Access) -> Cost | None:
    """The price by linear algebra over F₂: the same in every phase and for all values; None where not linear."""
    columns = address_columns(access)
    degree = None if columns is None else linear_degree(access.instruction, columns)
    at = None if degree is None else some_point(access)
    if columns is None or degree is None or at is None:
        return None
    count, merged = len(access.instruction.phases), access.instruction.pairs_merge and 0 in columns[:2]
    each = tuple(0 if merged and n % 2 else degree for n in range(count))
    served = count - each.count(0)
    return Cost("F₂", each, each, (sum(each),) * 2, (served,) * 2, at, at, at)


def some_point(access: Reach) -> Point | None:
    """Values of the variables that the access is given for, the least of each; None where those are not allowed."""
    at = least(access)
    allowed = at is not None and all(v.value.extent is None or n < value(v.value.extent, at) for v, n in at.items())
    return at if at is not None and allowed and value(access.given, at) else None


def least(access: Reach) -> Point | None:
    """The least value of each variable by itself; None where one has no least."""
    over = others(access, access.start, *access.lanes.index)
    return None if any(v.lo == -math.inf for v in over) else {v: _least(v) for v in over}


def _least(v: Expr) -> int:
    return 1 << (int(v.lo) - 1).bit_length() if v.value.power_of_two else int(v.lo)


def others(access: Reach, *roots: Expr) -> list[Expr]:
    """The variables of some expressions and of what is given, but for the lane and the element."""
    own = (access.lanes.lane, access.lanes.element)
    return [v for v in variables(*roots, access.given) if v not in own]


def enumerated_cost(access: Access, points: int) -> Cost | str:
    """The price by counting every value of the variables, at most `points` lanes in all; or why not.

    The requirements of the access must be known to hold.
    """
    how, lane = access.instruction, access.lanes.lane
    step = unit(how) or DWORD
    where = relative(access.start, lane, step)
    over = others(access, where)
    if any(v.value.extent is not None or v.lo == -math.inf or v.hi == math.inf for v in over):
        return "a size is not fixed"
    choices = [choices_of(v) for v in over]
    count = math.prod(map(len, choices))
    if count * how.lanes > points:
        return f"{count} values of {how.lanes} lanes are over the limit"
    kept, priced = [], []
    for numbers, at in blocks(over, choices, count):
        given, addresses = array([access.given, where], {**at, lane: np.arange(how.lanes)})
        mask = np.broadcast_to(given, (len(numbers), 1))[:, 0] != 0
        addresses = np.broadcast_to(addresses, (len(numbers), how.lanes))[mask]
        addresses = addresses - addresses.min(axis=1, keepdims=True) // step * step
        kept.append(numbers[mask])
        priced.append(phase_cycles(access.target, how, addresses))
    number, found = np.concatenate(kept), np.concatenate(priced)
    if not len(number):
        return "no value satisfies what is given"
    totals = found.sum(axis=1)

    def point(row: np.intp) -> Point:
        return {**(least(access) or {}), **point_of(over, choices, int(number[row]))}

    return Cost(
        "enumeration",
        tuple(found.min(axis=0).tolist()),
        tuple(found.max(axis=0).tolist()),
        (int(totals.min()), int(totals.max())),
        (int((found > 0).sum(axis=1).min()), int((found > 0).sum(axis=1).max())),
        point(totals.argmin()),
        point(totals.argmax()),
        point(found.max(axis=1).argmax()),
        values=len(number),
    )


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
