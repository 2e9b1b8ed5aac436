"""One wave's access to the LDS: at which index each lane starts, with which instruction, on which GPU.

The lanes are given as a function of the lane number, written on index expressions; the same expressions give the byte
addresses here and in the explorer:

    address(lane) = bits of an element · offset(index(lane)) / 8        a lane reads `instruction.bytes` from there

| pattern                              | index of lane l, vectors of 8, a tile of rows × 64 |
|--------------------------------------|----------------------------------------------------|
| `in_order(8)`                        | (l // 8, 8·(l mod 8)): the rows, vector by vector  |
| `down(8)`                            | (l mod rows, 8·(l // rows)): column by column      |
| `along(8)`                           | (0, 8·l): the first row                            |
| `operand(32, 8)`                     | (l mod 32, 8·(l // 32)): a 32-row matrix operand   |
| `held(distribution, register=r)`     | the element that lane l holds in register r        |

A lane's bytes must lie in one run: where the layout tears a vector apart, or begins one inside a byte, the access is
refused and the place named.
A lane takes part where `mask` holds of it; what the others would ask for is not looked at.  There is no such access at
sizes at which `condition` does not hold: it is refused there.  What it cannot represent:
instructions that gather several addresses a lane.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cached_property

import numpy as np

from layoutalg.display import Displayed
from layoutalg.errors import DrawError
from layoutalg.index import FALSE, TRUE, Expr, Term, all_of, as_expr, fresh, names, substitute, var, variables
from layoutalg.index.box import least_value
from layoutalg.index.evaluate import admits, array, limits, value
from layoutalg.layout import Merge, TensorDescriptor, TileDistribution
from layoutalg.memory import Access
from layoutalg.memory.banks import Bools, Ints, Phase, lookup, phases
from layoutalg.prove.decide import decide
from layoutalg.prove.obligation import ForAll
from layoutalg.prove.outcome import Fails, Limits
from layoutalg.records import dataclass
from layoutalg.target import DEFAULT, DEFAULT_READ, LdsInstruction, Target
from layoutalg.target.dtypes import DType, element_type

SEARCH = Limits(seconds=5.0)
"""How long sizes are looked for at which an access is given."""

Pattern = Callable[[Expr, TensorDescriptor], Sequence[Term]]
"""The top index at which a lane starts, as expressions of the lane number."""


def vectors(length: Expr, vector: Term) -> Expr:
    """The vectors of a row, the last one perhaps not whole (an access to it is refused)."""
    return (length - 1) // vector + 1


def in_order(vector: Term) -> Pattern:
    """Lane l takes the l-th vector of the tile, rows first, going round when the tile ends.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> in_order(8)(3, naive((64, 64), (64, 1)))
    (0, 24)
    """

    def index(lane: Expr, tile: TensorDescriptor) -> Sequence[Term]:
        *outer, last = tile.lengths
        count = Merge((*outer, vectors(last, vector)))
        *start, column = count.lower([lane % count.upper_lengths[0]])
        return (*start, column * vector)

    return index


def down(vector: Term) -> Pattern:
    """Lane l takes the l-th vector of the tile, down the columns first, going round when the tile ends.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> down(8)(3, naive((64, 64), (64, 1)))
    (3, 0)
    """

    def index(lane: Expr, tile: TensorDescriptor) -> Sequence[Term]:
        *outer, last = tile.lengths
        rows = Merge(tuple(outer))
        count = rows.upper_lengths[0]
        return (*rows.lower([lane % count]), lane // count % vectors(last, vector) * vector)

    return index


def along(vector: Term) -> Pattern:
    """Lane l takes the l-th vector of the first row, and leaves the tile where the row ends.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> along(8)(3, naive((64, 64), (64, 1)))
    (0, 24)
    """

    def index(lane: Expr, tile: TensorDescriptor) -> Sequence[Term]:
        return (*(0 for _ in tile.lengths[1:]), lane * vector)

    return index


def operand(rows: int, vector: Term) -> Pattern:
    """Lane l takes row l mod `rows`, vector l // `rows`: the operand of a matrix instruction of that many rows.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> operand(16, 8)(3, naive((64, 64), (64, 1)))
    (3, 0)
    """

    def index(lane: Expr, tile: TensorDescriptor) -> Sequence[Term]:
        if tile.rank != 2:
            raise DrawError(f"a matrix operand is read from a tile of 2 dimensions; this one has {tile.rank}")
        return lane % rows, lane // rows * vector

    return index


def held(tile: TileDistribution, wave: Term = 0, register: Term = 0) -> Pattern:
    """Lane l takes what a tile distribution gives it: the element in its register `register` (the last Y fastest).

    >>> from layoutalg.layout import TileDistributionEncoding, make_naive_tensor_descriptor_packed as packed
    >>> tile = TileDistribution(TileDistributionEncoding.of((), ((4, 2),), [[(1, 0)]], [(1, 1)]))
    >>> [held(tile, register=r)(3, packed((8,))) for r in (0, 1)]
    [(6,), (7,)]
    """

    def index(lane: Expr, _: TensorDescriptor) -> Sequence[Term]:
        ps = (lane,) if len(tile.ps) == 1 else (as_expr(wave), lane)
        return tile.lower(ps, tile.ys_to_d.upper([register]))

    return index


def _allowed(free: Sequence[Expr], chosen: Mapping[Expr, int], inside: Expr, someone: Expr) -> dict[Expr, int]:
    """Values of all variables, the chosen ones kept: the least, or where some lane takes part; DrawError for none."""
    for v in chosen:
        if not admits(v, chosen):
            raise DrawError(f"{v} = {chosen[v]} breaks {limits(v)}")
    least = {v: chosen.get(v, least_value(v)) for v in free}
    if value(inside, least):
        return least
    found = decide(ForAll("some lane takes part", FALSE, substitute(someone, dict(chosen))), SEARCH)
    if not isinstance(found, Fails):
        raise DrawError(f"no sizes were found at which there is such an access: it is given {inside}")
    return {**least, **{v: found.points[0][v] for v in free if v in found.points[0]}, **chosen}


@dataclass(frozen=True)
class LaneAccess(Displayed):
    """An access of one wave; `index` is over the variable `lane`, `at` gives the sizes that are not fixed.

    Raises what `memory.banks` raises for addresses the instruction cannot take, and DrawError for a torn vector.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> tile = make_naive_tensor_descriptor((64, 64), (64, 1))
    >>> column = LaneAccess.of(tile, operand(32, 8), "gfx942", "ds_read_b128", "f16")
    >>> [phase.cycles for phase in column.phases]
    [8, 8, 8, 8, 8, 8, 8, 8]
    """

    descriptor: TensorDescriptor
    index: tuple[Expr, ...]
    lane: Expr
    target: Target
    instruction: LdsInstruction
    dtype: DType
    at: Mapping[Expr, int] = field(default_factory=dict)
    mask: Expr = TRUE
    condition: Expr = TRUE

    @classmethod
    def of(
        cls,
        descriptor: TensorDescriptor,
        pattern: Pattern,
        target: Target | str = DEFAULT,
        instruction: LdsInstruction | str = DEFAULT_READ,
        dtype: DType | str = "f16",
        at: Mapping[Expr, int] | None = None,
    ) -> LaneAccess:
        """The access of a pattern; UnknownTargetError and UnknownInstructionError for names that are none."""
        gpu, how = lookup(target, instruction)
        lane = var("lane", how.lanes)
        index = tuple(map(as_expr, pattern(lane, descriptor)))
        return cls(descriptor, index, lane, gpu, how, element_type(dtype), dict(at or {}))

    @classmethod
    def from_proof(cls, access: Access, at: Mapping[str, int] | None = None) -> LaneAccess:
        """An access that claims are made of (`layoutalg.memory`), at values of its variables, else their least, or
        where it is not given at those, at some.  DrawError where there is none at the values.

        >>> from layoutalg.layout import make_naive_tensor_descriptor
        >>> from layoutalg.memory import access, lane_map
        >>> lane = var("lane", 64)
        >>> row = lane_map(lane, (lane % 32, lane // 32 * 8), width=8)
        >>> proved = access(make_naive_tensor_descriptor((32, 16), (16, 1)), row, "f16", "gfx942")
        >>> sum(phase.cycles for phase in LaneAccess.from_proof(proved).phases)
        16
        """
        lane, first = access.lanes.lane, access.first
        reached = (*first, access.descriptor.offset(first), *access.descriptor.lengths)
        free = [v for v in variables(*reached, access.taking_part) if v is not lane]
        inside = all_of(access.condition, *(v < v.value.extent for v in free if v.value.extent is not None))
        free += [v for v in variables(inside) if v not in free]
        chosen = {v: at[v.value.name] for v in free if at and v.value.name in at}
        return cls(
            access.descriptor, first, lane, access.target, access.instruction, access.dtype,
            _allowed(free, chosen, inside, all_of(inside, access.mask)), access.mask, inside,
        )  # fmt: skip

    @property
    def elements(self) -> int:
        """The elements that one lane reads or writes."""
        count, rest = divmod(8 * self.instruction.bytes, self.dtype.bits)
        if rest:
            raise DrawError(
                f"{self.instruction.name} moves {self.instruction.bytes} bytes: no whole elements of {self.dtype.name}"
            )
        return count

    @cached_property
    def active(self) -> Bools:
        """Which lanes take part."""
        lanes = np.arange(self.instruction.lanes, dtype=np.int64)
        (found,) = array([self.mask], {self.lane: lanes, **self.at})
        return np.asarray(np.broadcast_to(found, lanes.shape) != 0)

    @cached_property
    def offsets(self) -> Ints:
        """The offset of each element of each lane: shape (lanes, elements); of a masked lane, no meaning."""
        if not value(self.condition, self.at):
            raise DrawError(f"there is no such access at these sizes: it is given {self.condition}")
        *outer, last = self.index
        step = fresh("element", max(self.elements, 1), names(*self.index, self.lane))
        lane = np.arange(self.instruction.lanes, dtype=np.int64)
        points = {self.lane: lane[:, None], step: np.arange(self.elements, dtype=np.int64)}
        top = (*outer, last + step)
        needed = {**points, **self.at}
        shape = (len(lane), self.elements)
        exprs = [*top, self.descriptor.offset(top), self.descriptor.valid(top)]
        *index, offsets, valid = (np.broadcast_to(found, shape) for found in array(exprs, needed))
        self._refuse_outside(np.array(index), valid)
        return self._one_run(offsets)

    def _refuse_outside(self, index: Ints, valid: Ints) -> None:
        lengths = tuple(value(n, self.at) for n in self.descriptor.lengths)
        outside = ((index < 0) | (index >= np.array(lengths)[:, None, None])).any(axis=0)
        for wrong, what in ((outside, f"of a tile of {lengths}"), (valid == 0, "which is padding")):
            bad = wrong & self.active[:, None]
            if bad.any():
                lane, element = map(int, np.argwhere(bad)[0])
                where = tuple(int(i) for i in index[:, lane, element])
                raise DrawError(f"lane {lane} asks for index {where}, {what}")

    def _one_run(self, offsets: Ints) -> Ints:
        torn = (offsets != offsets[:, :1] + np.arange(self.elements)) & self.active[:, None]
        if torn.any():
            lane = int(np.argwhere(torn)[0][0])
            raise DrawError(
                f"lane {lane} would read offsets {offsets[lane].tolist()}: {self.instruction.name} reads one run of "
                f"{self.instruction.bytes} bytes; use a narrower instruction or a layout that keeps vectors whole"
            )
        return offsets

    @cached_property
    def addresses(self) -> Ints:
        """The byte address of each lane; of a masked lane, no meaning."""
        bits = self.offsets[:, 0] * self.dtype.bits
        if (inside := (bits % 8 != 0) & self.active).any():
            lane = int(np.flatnonzero(inside)[0])
            raise DrawError(f"lane {lane} begins at bit {bits[lane] % 8} of byte {bits[lane] // 8}: no whole address")
        return bits // 8

    @cached_property
    def phases(self) -> tuple[Phase, ...]:
        """The phases, each with its cycles and its busiest bank."""
        return phases(self.target, self.instruction, self.addresses, self.active)

    @property
    def symbols(self) -> tuple[Expr, ...]:
        """The sizes that are not fixed."""
        reached = (*self.index, self.descriptor.offset(self.index), self.mask, self.condition)
        return tuple(v for v in variables(*reached) if v is not self.lane)
