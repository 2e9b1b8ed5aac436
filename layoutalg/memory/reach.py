"""Accesses: a wave's lanes reach into a layout, each a vector of elements, by one instruction of one target.

A `LaneMap` says which elements of a tile each lane reaches; a `Reach` lays the tile in memory by a descriptor, and an
`Access` names the instruction that reaches into LDS:

    lane, element, variables  ──index──▶  tile coordinates  ──descriptor──▶  offset  ──· bits──▶  place

A place is counted in grains: the most bits that an element and a byte are both a multiple of (8 of f16, 4 of f4, 2 of
f6), so that one rule holds of whole bytes and of parts; a lane's vector begins and ends at a whole byte, or is refuted.

A lane takes part where `given` holds of it and its first element is data: `given = lane < 32` is half a wave, and CK
masks by the same predicate what lies in padding.  A vector takes part as a whole, or not at all.  Whoever `given` lets
take part must stay within the lengths: that is part of each claim.

What it cannot represent: one vector that lies in pieces, or that is data in part (both are refuted, not priced).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import ClassVar

from layoutalg.display import Displayed
from layoutalg.index import FALSE, TRUE, Expr, all_of, conjuncts, eq, extent_of, fresh, names, substitute, variables
from layoutalg.layout import LayoutError, TensorDescriptor
from layoutalg.memory.banks import LaneMapError, OutsideLdsError
from layoutalg.memory.lanes import LaneMap, WidthError, within
from layoutalg.prove.claims import Claim
from layoutalg.prove.claims.base import assumptions, exists
from layoutalg.prove.domain import names_in
from layoutalg.prove.obligation import ForAll, Shown, admitted
from layoutalg.records import dataclass
from layoutalg.target import LdsInstruction, Target
from layoutalg.target import target as named
from layoutalg.target.dtypes import DType, element_type
from layoutalg.target.model import Access as Way


@dataclass(frozen=True, eq=False)
class Reach:
    """Lanes reach elements of a descriptor, for all values of the variables that `given` allows; of its parts, those
    that speak of the lane say which lanes take part, the others restrict sizes and variables.

    That there is a layout, its lengths at least 1, is given too.
    Raises LayoutError for an index of the wrong rank, LaneMapError where `given` speaks of elements of a vector,
    WidthError where a lane's elements are no whole bytes.

    >>> from layoutalg.index import var
    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> from layoutalg.memory import lane_map
    >>> from layoutalg.target.dtypes import DTYPES
    >>> lane = var("lane", 64)
    >>> rows = Reach(make_naive_tensor_descriptor((64, 8), (66, 1)), lane_map(lane, (lane, 0), width=8), DTYPES["f16"])
    >>> rows.width, rows.start  # in bytes
    (16, lane * 132)
    """

    descriptor: TensorDescriptor
    lanes: LaneMap
    dtype: DType
    given: Expr = field(default=TRUE, kw_only=True)

    def __post_init__(self) -> None:
        self._tell_apart()
        lanes = self.lanes
        if lanes.width * self.dtype.bits % 8:
            raise WidthError(
                f"{_elements(lanes.width, self.dtype)} are {lanes.width * self.dtype.bits} bits: no whole bytes a lane"
            )
        if len(lanes.index) != self.descriptor.rank:
            raise LayoutError(f"an index of {len(lanes.index)} coordinates for {self.descriptor.rank} dimensions")
        if lanes.element in variables(self.given):
            raise LaneMapError(
                f"{self.given} speaks of {lanes.element}: a lane's whole vector takes part, or none of it"
            )
        object.__setattr__(self, "given", all_of(self.given, exists(self.descriptor)))

    def _tell_apart(self) -> None:
        """Gives another name to what counts lanes, elements and vectors where a size has it."""
        lanes = self.lanes
        found = dict.fromkeys((lanes.lane, *variables(lanes.element, *lanes.index, self.given)))
        sizes = names_in(self.descriptor) | {v.value.name for v in found if not v.value.index}
        alike = [v for v in found if v.value.index and v.value.name in sizes]
        avoid = sizes | names(*found)
        new = {v: fresh(v.value.name, extent_of(v), avoid) for v in alike}
        if new:
            index = tuple(substitute(i, new) for i in lanes.index)
            renamed = LaneMap(new.get(lanes.lane, lanes.lane), new.get(lanes.element, lanes.element), index, lanes.name)
            object.__setattr__(self, "lanes", renamed)
            object.__setattr__(self, "given", substitute(self.given, new))

    @cached_property
    def condition(self) -> Expr:
        """What is given of sizes and variables alone."""
        return all_of(*(part for part in conjuncts(self.given) if self.lanes.lane not in variables(part)))

    @cached_property
    def mask(self) -> Expr:
        """Whether a lane takes part, where the condition holds: what is given of it, and that it is no padding."""
        own = (part for part in conjuncts(self.given) if self.lanes.lane in variables(part))
        return all_of(*own, self.descriptor.valid(self.lanes.first))

    @cached_property
    def taking_part(self) -> Expr:
        """Whether a lane takes part: what is asked of addresses is asked where this holds."""
        return all_of(self.condition, self.mask)

    @cached_property
    def allowed(self) -> Expr:
        """What holds of every lane that takes part: what is given, and that each variable has a value."""
        every = (self.place, *self.lanes.index)
        return admitted(ForAll("an access", FALSE, self.taking_part, (Shown("access", every),)))

    @property
    def width(self) -> int:
        """Bytes of a lane."""
        return self.lanes.width * self.dtype.bits // 8

    @property
    def byte(self) -> int:
        """Grains of a byte."""
        return 8 // self.dtype.grain

    @property
    def step(self) -> int:
        """Grains of an element."""
        return self.dtype.bits // self.dtype.grain

    @cached_property
    def place(self) -> Expr:
        """The grain at which each element of each lane begins."""
        return self.descriptor.offset(self.lanes.index) * self.step

    @cached_property
    def begin(self) -> Expr:
        """The grain at which each lane's vector begins."""
        return substitute(self.place, {self.lanes.element: 0}) if self.lanes.width > 1 else self.place

    @cached_property
    def start(self) -> Expr:
        """The byte address of each lane's vector, which begins at a whole byte."""
        return self.begin // self.byte

    @property
    def first(self) -> tuple[Expr, ...]:
        """The coordinates of each lane's first element."""
        return self.lanes.first

    @cached_property
    def within(self) -> list[ForAll]:
        """That whoever is let take part stays within the lengths."""
        return within(self.descriptor, self.lanes, self.given)

    @property
    def masking(self) -> tuple[str, ...]:
        """What a verdict assumes of the lanes that take no part."""
        own = all_of(*(part for part in conjuncts(self.given) if self.lanes.lane in variables(part)))
        lines = [] if own is TRUE else [f"a lane takes part where {own}"]
        lines += ["a lane takes no part where its index is padding"] * (self.descriptor.valid(self.first) is not TRUE)
        return tuple(lines)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What is assumed of the sizes and variables, in words."""
        every = variables(self.place, *self.lanes.index, self.descriptor.element_space_size, self.given)
        return (*assumptions((v for v in every if not v.value.index), self.condition), *self.masking)

    def shown(self, index: Sequence[Expr], address: Expr) -> tuple[Shown, ...]:
        """What a witness is told with."""
        return Shown("lane", (self.lanes.lane,)), Shown("at", tuple(index)), Shown("byte address", (address,))

    def reached(self) -> list[ForAll]:
        """That lanes stay within the lengths, and the elements of each lie one after another, from a whole byte on."""
        needs, who = [*self.within], self.taking_part
        if self.byte > 1:
            bits = Shown("lane", (self.lanes.lane,)), Shown("bit", (self.begin * self.dtype.grain,))
            needs.append(ForAll("every vector begins at a whole byte", eq(self.begin % self.byte, 0), who, bits))
        if self.lanes.width > 1:
            goal = eq(self.place, self.begin + self.lanes.element * self.step)
            shown = self.shown(self.lanes.index, self.place // self.byte)
            needs.append(ForAll("each lane's elements are one after another", goal, who, shown))
        return needs


@dataclass(frozen=True, eq=False)
class Access(Reach, Displayed):
    """Lanes reach elements of a descriptor in LDS by an instruction of a target.

    Raises LaneMapError for a lane map of the wrong size, WidthError where the vector is not what the instruction
    moves, OutsideLdsError where the memory exceeds the LDS, TargetError for elements that the target has not.

    >>> from layoutalg.index import var
    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.memory import lane_map
    >>> lane = var("lane", 64)
    >>> rows = access(naive((64, 64), (64, 1)), lane_map(lane, (lane % 32, lane // 32 * 8), width=8), "f16", "gfx942")
    >>> rows.instruction.name, rows.target.name
    ('ds_read_b128', 'gfx942')
    """

    instruction: LdsInstruction
    target: Target

    def __post_init__(self) -> None:
        super().__post_init__()
        how, gpu, lanes = self.instruction, self.target, self.lanes
        gpu.require(self.dtype)
        if lanes.lanes != how.lanes:
            raise LaneMapError(
                f"a lane map of {lanes.lanes} lanes; {how.name} on {gpu.name} takes {how.lanes}"
                + (
                    "; give threads of a block as (wave, lane)"
                    if lanes.lanes > how.lanes
                    else f"; of a wave that is not whole, say which take part: given = lane < {lanes.lanes}"
                )
            )
        if self.width != how.bytes:
            raise WidthError(
                f"{_elements(lanes.width, self.dtype)} are {self.width} bytes a lane; {how.name} moves {how.bytes}"
            )
        if how.pairs_merge and self.mask is not TRUE:
            raise LaneMapError(
                f"{how.name} on {gpu.name} merges phases where neighbouring lanes agree; "
                f"how it does so where lanes take no part ({self.mask}) was not measured"
            )
        need = (self.descriptor.element_space_size * self.step + (self.byte - 1)) // self.byte
        if need.lo > gpu.lds_bytes:
            raise OutsideLdsError(f"the layout takes {_bytes(need)} bytes; {gpu.name} has {gpu.lds_bytes} bytes of LDS")

    @property
    def name(self) -> str:
        """What it is, in words."""
        return f"{self.lanes.name} by {self.instruction.name} on {self.target.name}"

    @property
    def evidence(self) -> str:
        """What a verdict rests on."""
        how = self.instruction
        text = f"lane groups of {how.name} on {self.target.name}: {how.evidence.text}"
        merging = "; phases merge in twos where neighbouring lanes agree, exact on every measured access"
        return text + merging if how.pairs_merge else text

    def requirements(self) -> list[ForAll]:
        """What the price list needs: lanes within the lengths, vectors in one piece, aligned, in the LDS."""
        how, start, room = self.instruction, self.start, self.target.lds_bytes
        shown = self.shown(self.first, start)
        inside = all_of(start >= 0, start + how.bytes <= room)
        who = self.taking_part
        return [
            *self.reached(),
            ForAll(f"every address is a multiple of {how.alignment}", eq(start % how.alignment, 0), who, shown),
            ForAll(f"every address lies in the {room} bytes of LDS", inside, who, shown),
        ]


def access(
    descriptor: TensorDescriptor,
    lanes: LaneMap,
    dtype: DType | str,
    target: Target | str,
    instruction: LdsInstruction | str = "read",
    given: Expr = TRUE,
) -> Access:
    """An access by an instruction's name, or by `read` or `write`: then the one of the vector's width.

    >>> from layoutalg.index import var
    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> from layoutalg.memory import lane_map
    >>> lane = var("lane", 64)
    >>> tile = make_naive_tensor_descriptor((64, 32), (40, 1))
    >>> access(tile, lane_map(lane, (lane % 16, lane // 16 * 8), 8), "f16", "gfx942").name
    'access by ds_read_b128 on gfx942'
    """
    gpu = named(target) if isinstance(target, str) else target
    kind = element_type(dtype)
    gpu.require(kind)
    by_width: Mapping[str, Way] = {"read": "read", "write": "write"}
    if isinstance(instruction, str):
        way = by_width.get(instruction)
        how = gpu.for_width(way, Reach(descriptor, lanes, kind).width) if way else gpu.instruction(instruction)
    else:
        how = instruction
    return Access(descriptor, lanes, kind, how, gpu, given=given)


def _elements(count: int, dtype: DType) -> str:
    return f"{count} element{'s' * (count != 1)} of {dtype.name}"


def _bytes(size: Expr) -> str:
    return str(size) if size.op == "const" else f"{size} (at least {size.lo})"


@dataclass(frozen=True, eq=False)
class AccessClaim(Claim):
    """What is claimed of one access: it speaks of its descriptor, at the sizes that it is given for."""

    access: Reach
    takes: ClassVar[type[Reach]] = Reach
    """What it can be claimed of."""

    def __post_init__(self) -> None:
        if not isinstance(self.access, self.takes):
            kind = type(self.access).__name__
            raise TypeError(f"{type(self).__name__} of a {kind}: an access is wanted, as `access` makes it of a layout")

    def about(self) -> Iterator[TensorDescriptor]:
        yield self.access.descriptor

    @property
    def assumed(self) -> Expr:
        return self.access.allowed

    @property
    def assumptions(self) -> tuple[str, ...]:
        return self.access.assumptions

    def expressions(self) -> Iterator[Expr]:
        yield from (*super().expressions(), self.access.place, *self.access.lanes.index)
