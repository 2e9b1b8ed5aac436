"""A register layout meets a shared one: which lane reaches which bytes, by what instruction, and what that costs.

Registers go through memory in vectors: the most of a lane's elements, powers of two, that lie one after another from
an aligned offset on, not across an interval of padding, and no more than 16 bytes; where there is padding, of its
first registers alone.  Triton 3.9 stores in these widths (80 recorded: `tests/interop/triton/widths.jsonl`); where the
compiler fuses two of them into one instruction (`ds_read2_b64`) they are priced as two.

| blocked, 8 of a row a lane, f16, in                          | vectors        | by             |
|--------------------------------------------------------------|----------------|----------------|
| swizzled_shared, vec = 8, order = [1, 0]                     | 8 elements, 16 bytes | ds_write_b128 |
| swizzled_shared, vec = 4, order = [1, 0]                     | 4 elements, 8 bytes  | ds_write_b64  |
| swizzled_shared, order = [0, 1]                              | 1 element, 2 bytes   | ds_write_b16  |

Of a partitioned layout one instruction's lanes are to be in one partition: then it costs what its buffer says.

What it cannot represent: loads that transpose (`ds_read_b64_tr_b16`, `ldmatrix`), whose banks no source says, copies
from global memory straight into LDS, and waves that meet in a partition (gfx1250).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from layoutalg.errors import LayoutError
from layoutalg.index import ZERO, Expr, var
from layoutalg.index.linear_form import linear_form
from layoutalg.interop.triton.attribute import Attribute
from layoutalg.interop.triton.linear import LinearLayout
from layoutalg.interop.triton.notation import layout_of, linear_layout, tensor_shape, to_linear
from layoutalg.interop.triton.objects import linear_of
from layoutalg.interop.triton.places import BLOCK, LANE, OFFSET, REGISTER, WARP
from layoutalg.interop.triton.shared import SharedLayout, shared
from layoutalg.layout import TileDistribution
from layoutalg.memory import Access, ConflictFree, Cost, LaneMap, access, judged, price
from layoutalg.prove import Unknown, Verdict, prove
from layoutalg.records import dataclass
from layoutalg.target import Target
from layoutalg.target.dtypes import DType, element_type

WIDEST = 16
"""Bytes of a lane that one instruction moves at most."""


@dataclass(frozen=True)
class TileMeeting:
    """A register layout that meets a shared one: the lane map of its vectors, `element` counting a vector's elements.

    `registers` counts the vectors of a lane, `warp` the warps; one of length 1 is the number 0.
    """

    lanes: LaneMap
    variables: tuple[Expr, ...]


def meeting_of(memory: SharedLayout, held: LinearLayout, dtype: DType | str, name: str = "access") -> TileMeeting:
    """The vectors in which registers go through shared memory; LayoutError where the two are of different tensors."""
    if list(held.shape.values()) != list(memory.linear.shape.values()):
        raise LayoutError(
            f"registers of {list(held.shape.values())} for a memory of {list(memory.linear.shape.values())}"
        )
    if held.of_place(BLOCK):
        raise LayoutError("the registers are spread over the blocks of a cluster")
    held = held.without_copies(REGISTER)
    memory = _of_one_partition(memory, held)
    first = _vector(memory, held, WIDEST * 8 // element_type(dtype).bits)
    rest = [n for n in range(len(held.of_place(REGISTER))) if n not in first]
    given = {
        "lane": held.of_place(LANE),
        "element": tuple(held.of_place(REGISTER)[n] for n in first),
        "register": tuple(held.of_place(REGISTER)[n] for n in rest),
        "warp": held.of_place(WARP),
    }
    variables = {n: var(n, 1 << len(bases)) if bases else ZERO for n, bases in given.items()}
    pieces = [(variables[n], bases) for n, bases in given.items()]
    index = tuple(coordinate(pieces, d) for d in range(len(held.sizes)))
    others = tuple(variables[n] for n in ("register", "warp") if given[n])
    return TileMeeting(LaneMap(variables["lane"], variables["element"], index, name), others)


def _of_one_partition(memory: SharedLayout, held: LinearLayout) -> SharedLayout:
    """Its partitions one after another; LayoutError where lanes of one instruction reach several."""
    joined, own = memory.joined, 1 << len(memory.linear.of_place(OFFSET))
    if joined is not memory:
        place = LinearLayout.of({OFFSET: joined.linear.of_place(OFFSET)}, joined.linear.shape).inverse()
        for bit, basis in enumerate(held.of_place(LANE)):
            if place.apply(**dict(zip(held.shape, basis, strict=True)))[OFFSET] >= own:
                raise LayoutError(f"lanes 0 and {1 << bit} reach two partitions at once, which no source prices")
    return joined


def _vector(memory: SharedLayout, held: LinearLayout, widest: int) -> list[int]:
    """The bits of registers that count a vector's elements, the fastest first; with padding, the first ones."""
    linear = memory.linear
    place = LinearLayout.of({OFFSET: linear.of_place(OFFSET)}, linear.shape).inverse()
    offsets = {
        n: [place.apply(**dict(zip(held.shape, b, strict=True)))[OFFSET] for b in bases] for n, bases in held.bases
    }
    most = min([widest, *(interval for interval, _ in memory.pads)])
    chosen: list[int] = []
    registers = offsets.get(REGISTER, [])
    while 1 << len(chosen) < most and 1 << len(chosen) in registers:
        found = [*chosen, registers.index(1 << len(chosen))]
        if memory.pads and found != list(range(len(found))):
            break
        others = [at for n, each in offsets.items() for k, at in enumerate(each) if n != REGISTER or k not in found]
        if any(at & (1 << len(found)) - 1 for at in others):
            break
        chosen = found
    return chosen


def coordinate(pieces: Sequence[tuple[Expr, Sequence[Sequence[int]]]], dimension: int) -> Expr:
    """A coordinate of a linear layout, from each variable and the bases of its bits.

    >>> lane = var("lane", 64)
    >>> coordinate([(lane, [(4, 0), (8, 0), (0, 1), (0, 2), (0, 4), (1, 0)])], 0)
    lane % 4 * 4 + lane // 32
    """
    return linear_form([(variable, [basis[dimension] for basis in bases]) for variable, bases in pieces])


@dataclass(frozen=True)
class Conflicts:
    """Whether lanes meet in a bank: the verdict, the access that it is of, its exact cycles (None: unknown)."""

    verdict: Verdict
    access: Access
    cost: Cost | None

    def __bool__(self) -> bool:
        return bool(self.verdict)

    @property
    def cycles(self) -> tuple[int, int] | None:
        """The least and the most cycles of one vector of a wave."""
        return None if self.cost is None else self.cost.total

    @property
    def ideal(self) -> int:
        """The cycles of an access without conflicts: one a phase."""
        return len(self.access.instruction.phases)

    @property
    def witness(self) -> str:
        """Which lanes meet where; empty where none do."""
        return "" if self.verdict else self.verdict.reason

    def __str__(self) -> str:
        told = (
            "unknown cycles" if self.cost is None else " to ".join(map(str, dict.fromkeys(self.cost.total))) + " cycles"
        )
        more = f": {self.verdict.reason}" if self.verdict.reason else ""
        return f"{self.access.name}: {self.verdict.name}, {told} of {self.ideal}{more}"


def conflict_free(
    memory: Any,
    registers: Any,
    target: Target | str,
    *,
    shape: Sequence[int],
    dtype: str,
    way: Literal["read", "write"] = "read",
) -> Conflicts:
    """Whether registers go to and from shared memory without bank conflicts, on a target's own lane groups.

    `memory`: a shared layout, `registers`: a register layout or a distribution, both of a tensor of `shape`, of `dtype`
    (f16, …).  LayoutError, AccessError, TargetError where that is no access.

    >>> mfma = "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>"
    >>> a = f"#ttg.dot_op<{{opIdx = 0, parent = {mfma}, kWidth = 8}}>"
    >>> tile = "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>"
    >>> for target in ("gfx942", "gfx950"):
    ...     found = conflict_free(tile, a, target, shape=(128, 64), dtype="f16")
    ...     print(target, found.verdict.name, found.cycles, "of", found.ideal)
    gfx942 proved (8, 8) of 8
    gfx950 refuted (8, 8) of 4
    """
    shape = tensor_shape(shape)
    there = _shared(memory, shape)
    held = to_linear(registers) if isinstance(registers, TileDistribution) else linear_layout(registers, shape)
    lanes = meeting_of(there, held, dtype, "store" if way == "write" else "load").lanes
    reached = access(there.descriptor, lanes, dtype, target, way)
    claim, cost = ConflictFree(reached), price(reached)
    if isinstance(cost, Unknown):
        return Conflicts(prove(claim), reached, None)
    return Conflicts(judged(claim, cost), reached, cost)


def _shared(layout: Any, shape: Sequence[int]) -> SharedLayout:
    if isinstance(layout, SharedLayout):
        return layout
    linear = linear_of(layout)
    if linear is not None:
        return SharedLayout(linear)
    attribute: Attribute = layout_of(layout)
    return shared(attribute, shape)
