"""What a cell of an index grid can be coloured by: one number for each element of a tile.

| `by`       | of a descriptor                                   | of a distribution            |
|------------|---------------------------------------------------|------------------------------|
| `offset`   | offset in elements                                |                              |
| `dword`    | offset · bits of an element // 32: its first bit  |                              |
| `bank`     | dword mod banks of the target's instruction       |                              |
| `lane`     | the lane of an access that holds it               | P, its last dimension        |
| `phase`    | the phase of that lane                            |                              |
| `wave`     |                                                   | P, its first of two          |
| `register` | the element's place in its lane's registers       | the number of its Y index    |

Elements that are padding, or that no lane holds, have no number.  Where several lanes hold one element (copies, or a
broadcast), the first is shown and the field says how many there are.
What it cannot represent: sizes that are not fixed; give them values with `at`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

import numpy as np
import numpy.typing as npt

from layoutalg.draw.access import LaneAccess
from layoutalg.errors import DrawError
from layoutalg.index import Expr, prod
from layoutalg.index.evaluate import array, grids, value
from layoutalg.layout import TensorDescriptor, TileDistribution
from layoutalg.memory.banks import Ints, lookup
from layoutalg.records import dataclass
from layoutalg.target import DEFAULT, DEFAULT_READ
from layoutalg.target.dtypes import DType, element_type
from layoutalg.target.model import DWORD

MAX_CELLS = 1 << 20
"""Larger grids are refused: no screen shows them."""


@dataclass(frozen=True)
class Field:
    """One number for each element of a tile where `known`; `kinds` is the number of values, 0 for a plain quantity."""

    name: str
    values: Ints
    known: npt.NDArray[np.bool_]
    kinds: int = 0
    note: str = ""
    absent: str = "padding, no data"

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the tile."""
        return tuple(int(n) for n in self.values.shape)


@dataclass(frozen=True)
class FieldInputs:
    """What is drawn and what its colours need."""

    descriptor: TensorDescriptor
    dtype: DType | str = "f16"
    target: str = DEFAULT
    instruction: str = DEFAULT_READ
    access: LaneAccess | None = None
    at: Mapping[Expr, int] = field(default_factory=dict)

    @property
    def bits(self) -> int:
        """Bits of an element."""
        return element_type(self.dtype).bits

    def offsets(self) -> tuple[Ints, npt.NDArray[np.bool_]]:
        """The offset of every index, and whether it reaches data."""
        refuse_large(self.descriptor.element_count, self.at)
        index = self.descriptor.index
        offset, valid = grids([self.descriptor.offset(index), self.descriptor.valid(index)], index, self.at)
        return offset, valid.astype(bool)

    def lanes(self, by: str) -> LaneAccess:
        """The access; DrawError where none was given."""
        if self.access is None:
            raise DrawError(f"by {by!r} needs an access: give access=LaneAccess.of(descriptor, …)")
        return self.access


def refuse_large(count: Expr, at: Mapping[Expr, int]) -> None:
    """DrawError for a grid that no screen shows."""
    if value(count, at) > MAX_CELLS:
        raise DrawError(
            f"{value(count, at)} cells; at most {MAX_CELLS} are drawn: slice the layout, or give smaller sizes"
        )


def _offset(asked: FieldInputs) -> Field:
    return Field("offset", *asked.offsets())


def _dword(asked: FieldInputs) -> Field:
    offset, valid = asked.offsets()
    return Field("dword", offset * asked.bits // (8 * DWORD), valid)


def _bank(asked: FieldInputs) -> Field:
    if asked.access is not None:
        gpu, how, bits = asked.access.target, asked.access.instruction, asked.access.dtype.bits
    else:
        (gpu, how), bits = lookup(asked.target, asked.instruction), asked.bits
    offset, valid = asked.offsets()
    note = f"{how.banks} banks of {DWORD} bytes on {gpu.name}, {how.name}"
    return Field("bank", offset * bits // (8 * DWORD) % how.banks, valid, how.banks, note)


def _held(
    asked: FieldInputs, by: str, number: Callable[[LaneAccess], Ints], kinds: Callable[[LaneAccess], int]
) -> Field:
    """A number of each lane, at every element that the lane holds."""
    access = asked.lanes(by)
    taking_part = np.flatnonzero(access.active)
    lane = taking_part[:, None]
    each = np.arange(access.elements, dtype=np.int64)[None, :]
    *outer, last = array(access.index, {access.lane: lane, **access.at})
    shape = tuple(value(n, access.at) for n in asked.descriptor.lengths)
    where = tuple(np.broadcast_to(i, (len(lane), access.elements)) for i in (*outer, last + each))
    values, known = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=bool)
    for row in range(len(lane) - 1, -1, -1):  # backwards: the first lane stays
        values[tuple(i[row] for i in where)] = number(access)[taking_part[row]]
    known[where] = True
    copies = where[0].size // max(int(known.sum()), 1)
    note = f"{access.instruction.name} on {access.target.name}" + (f", {copies} lanes an element" * (copies > 1))
    return Field(by, values, known, kinds(access), note, "read by no lane")


def _lane(asked: FieldInputs) -> Field:
    def lanes(access: LaneAccess) -> Ints:
        return np.repeat(np.arange(access.instruction.lanes)[:, None], access.elements, axis=1)

    return _held(asked, "lane", lanes, lambda access: access.instruction.lanes)


def _phase(asked: FieldInputs) -> Field:
    def phase(access: LaneAccess) -> Ints:
        return np.repeat(np.array(access.instruction.phase_of)[:, None], access.elements, axis=1)

    return _held(asked, "phase", phase, lambda access: len(access.instruction.phases))


def _element(asked: FieldInputs) -> Field:
    def place(access: LaneAccess) -> Ints:
        return np.repeat(np.arange(access.elements)[None, :], access.instruction.lanes, axis=0)

    return _held(asked, "register", place, lambda access: access.elements)


OF_DESCRIPTOR: Mapping[str, Callable[[FieldInputs], Field]] = {
    "offset": _offset, "dword": _dword, "bank": _bank, "lane": _lane, "phase": _phase, "register": _element,
}  # fmt: skip
"""What a descriptor's cells can be coloured by."""

OF_DISTRIBUTION = ("lane", "wave", "register")
"""What a distribution's cells can be coloured by."""


def descriptor_field(asked: FieldInputs, by: str) -> Field:
    """The numbers of a descriptor's cells; DrawError names the choices.

    >>> from layoutalg.layout import make_naive_tensor_descriptor_packed
    >>> descriptor_field(FieldInputs(make_naive_tensor_descriptor_packed((2, 4))), "dword").values.tolist()
    [[0, 0, 1, 1], [2, 2, 3, 3]]
    """
    if by not in OF_DESCRIPTOR:
        raise DrawError(f"a descriptor is coloured by one of {', '.join(OF_DESCRIPTOR)}; not by {by!r}")
    return OF_DESCRIPTOR[by](asked)


def distribution_field(tile: TileDistribution, by: str, at: Mapping[Expr, int] | None = None) -> Field:
    """The numbers of a distribution's cells: who holds each element; DrawError names the choices."""
    if by not in OF_DISTRIBUTION:
        raise DrawError(f"a distribution is coloured by one of {', '.join(OF_DISTRIBUTION)}; not by {by!r}")
    sizes = dict(at or {})
    refuse_large(prod([*tile.ps, *tile.ys]), sizes)
    if by == "wave" and len(tile.ps) < 2:
        raise DrawError("this distribution has one P, the lane: all its elements are in one wave")
    index = (*tile.p_index, *tile.y_index)
    where = grids(tile.lower(tile.p_index, tile.y_index), index, sizes)
    register = tile.ys_to_d.lower(tile.y_index)[0]
    number = {"lane": tile.p_index[-1], "wave": tile.p_index[0], "register": register}[by]
    numbers = grids([number], index, sizes)[0]
    kinds = value({"lane": tile.ps[-1], "wave": tile.ps[0], "register": tile.registers}[by], sizes)
    shape = tuple(value(n, sizes) for n in tile.lengths)
    values, known = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=bool)
    flat = tuple(i.reshape(-1)[::-1] for i in where)  # backwards: the first holder stays
    values[flat], known[flat] = numbers.reshape(-1)[::-1], True
    copies = numbers.size // max(int(known.sum()), 1)
    note = f"{copies} copies of each element; the first is shown" if copies > 1 else ""
    return Field(by, values, known, kinds, note)
