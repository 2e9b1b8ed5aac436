"""The exact price of an access for all values of its variables: by linear algebra, or by counting every value.

What moves every lane by one multiple of the unit that conflicts are counted in is left out (`waves.relative`):

    (a + c) mod banks = (b + c) mod banks  ⇔  a mod banks = b mod banks          a + c = b + c  ⇔  a = b

| strategy    | decides                                      | gives                             | costs        |
|-------------|----------------------------------------------|-----------------------------------|--------------|
| F₂          | addresses without carries, any number of them | the same cycles in every phase    | 100 µs       |
| enumeration | concrete variables                           | least and most cycles per phase   | milliseconds |

What it cannot represent: sizes without a limit (the statement about two lanes decides those: `conflict_statements`).
"""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.index import TRUE, Expr, variables
from layoutalg.index.box import Box, box
from layoutalg.index.f2 import Columns, LinearMaps, NotLinearError
from layoutalg.lazy import lazy_imports
from layoutalg.memory.banks import Ints, linear_degree, phase_cycles
from layoutalg.memory.reach import Access
from layoutalg.memory.waves import blocks, least, relative, some_point, waves
from layoutalg.prove.decide import decide
from layoutalg.prove.obligation import ForAll, Point
from layoutalg.prove.outcome import Fails, Holds, Limits
from layoutalg.prove.verdict import Unknown, witness
from layoutalg.records import dataclass
from layoutalg.target import LdsInstruction
from layoutalg.target.model import DWORD

with lazy_imports():
    import numpy as np

DEFAULT = Limits()
NOT_LINEAR = "the address is not linear over F₂, or a requirement is not met"


@dataclass(frozen=True)
class Cost:
    """The least and the most cycles of each phase (0: served with the phase before) and in total, and where.

    `least_at` and `most_at` are values of the variables at which the total is least and most; `worst_at`, of the most
    cycles in one phase.

    >>> from layoutalg.index import var
    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.memory import access, lane_map
    >>> lane = var("lane", 64)
    >>> rows = access(naive((64, 64), (64, 1)), lane_map(lane, (lane % 32, lane // 32 * 8), width=8), "f16", "gfx942")
    >>> cost = price(rows)
    >>> cost.total, cost.degree, cost.most
    ((64, 64), 8, (8, 8, 8, 8, 8, 8, 8, 8))
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


def of_wave(strategy: str, each: Sequence[int], at: Point) -> Cost:
    """The price of an access that takes these cycles, phase by phase, in every wave."""
    total, served, phases = sum(each), sum(n > 0 for n in each), tuple(each)
    return Cost(strategy, phases, phases, (total, total), (served, served), at, at, at)


def unit(how: LdsInstruction) -> int | None:
    """The bytes within which an aligned access stays: two of them conflict exactly as their units do; None if not so.

    An access of at most `unit` bytes from a multiple of it touches, in each bank, at most one dword, and the same
    banks as any other whose unit is the same modulo banks.
    """
    size = max(how.alignment, DWORD)
    return size if how.bytes <= size and how.banks * DWORD % size == 0 else None


def address_columns(access: Access) -> Columns | None:
    """The columns of the lane's bits in the byte address, None where the address is not affine over F₂.

    Not None only if what an access requires of addresses holds as well, of every lane: aligned, in one piece, inside
    the LDS.
    """
    where, how, lanes = access.place, access.instruction, access.lanes
    try:
        maps = LinearMaps([where])
    except NotLinearError:
        return None
    if how.alignment & (how.alignment - 1):
        return None
    inside = min(maps.masks[where], where.hi) + access.step <= access.target.lds_bytes * access.byte
    if not inside or access.descriptor.valid(lanes.index) is not TRUE:
        return None
    steps: Columns = ()
    if lanes.width > 1:
        steps = maps.columns_by(where, lanes.element)
        if lanes.width & (lanes.width - 1) or steps != tuple(access.step << n for n in range(len(steps))):
            return None
    starts = (column for (v, _), column in zip(maps.bits, maps.columns([where]), strict=True) if v is not lanes.element)
    aligned = how.alignment * access.byte
    if any(column % aligned for column in (maps.constants[where], *starts)) or aligned < sum(steps):
        return None
    return tuple(column // access.byte for column in maps.columns_by(where, lanes.lane))


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
    return of_wave("F₂", [0 if merged and n % 2 else degree for n in range(count)], at)


@dataclass(frozen=True)
class Counted:
    """The cycles of each phase (columns) at the values of the variables that are given (rows), by their numbers."""

    box: Box
    numbers: Ints
    cycles: Ints

    def point(self, row: int) -> Point:
        """The values of a row."""
        return self.box.point(int(self.numbers[row]))


def counted_cycles(access: Access, points: int, given: Expr, mask: Expr) -> Counted | str:
    """The cycles at every value of the variables that is given, at most `points` lanes in all; or why not.

    `mask` says which lanes take part.  The requirements of the access must be known to hold.
    """
    how, lane = access.instruction, access.lanes.lane
    step = unit(how) or DWORD
    where = relative(access.start, lane, step)
    every = box([v for v in variables(where, given, mask) if v is not lane])
    if every is None:
        return "a size is not fixed"
    if every.count * how.lanes > points:
        return f"{every.count} values of {how.lanes} lanes are over the limit"
    kept, priced = [], []
    for numbers, at in blocks(every):
        wanted = (given, mask, where)
        chosen, there, addresses = waves(wanted, {**at, lane: np.arange(how.lanes)}, len(numbers), how.lanes, step)
        kept.append(numbers[chosen])
        priced.append(phase_cycles(access.target, how, addresses, there))
    return Counted(every, np.concatenate(kept), np.concatenate(priced))


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


def price(access: Access, *, strategy: str | None = None, limits: Limits = DEFAULT) -> Cost | Unknown:
    """The exact cycles of each phase and in total, for all values of the variables; Unknown says why there is none.

    `strategy` forces `f2` or `enumeration`.

    >>> from layoutalg.index import var
    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.memory import access, lane_map
    >>> lane = var("lane", 64)
    >>> rows = access(naive((64, 64), (64, 1)), lane_map(lane, (lane % 32, lane // 32 * 8), width=8), "f16", "gfx942")
    >>> price(rows).total
    (64, 64)
    """
    if (left := _left(access, access.within, limits)) is not None:
        return left
    found = linear_cost(access) if strategy in (None, "f2") else None
    if found is not None:
        return found
    if strategy == "f2":
        return Unknown(access.name, "F₂", 0.0, why=NOT_LINEAR)
    if (left := _left(access, access.requirements(), limits)) is not None:
        return left
    counted = enumerated_cost(access, limits.points)
    return Unknown(access.name, "enumeration", 0.0, why=counted) if isinstance(counted, str) else counted


def _left(access: Access, obligations: Sequence[ForAll], limits: Limits) -> Unknown | None:
    """The first of what an access needs that is not shown, None where all is."""
    for obligation in obligations:
        outcome = decide(obligation, limits)
        if not isinstance(outcome, Holds):
            why = witness(obligation, outcome).text if isinstance(outcome, Fails) else outcome.reason
            return Unknown(access.name, outcome.strategy, 0.0, why=why)
    return None
