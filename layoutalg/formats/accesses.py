"""What a file claims of its accesses, as claims of the prover: free of bank conflicts, cycles, coalesced, landing.

| claim           | of an access with                     | says, on each of its targets                          |
|-----------------|---------------------------------------|-------------------------------------------------------|
| `conflict_free` | instruction, targets, a dtype         | no two lanes of a phase want one bank                 |
| `cycles(n)`     | instruction, targets, a dtype         | the access costs n cycles, for all values             |
| `coalesced`     | targets, a dtype                      | every wave touches the fewest segments that hold it   |
| `lands`         | targets, a dtype                      | loads straight to LDS put each piece where it belongs |

On several targets it is the claim on each of them (`All`).
"""

from __future__ import annotations

from collections.abc import Callable

from layoutalg.formats.model import AccessItem, DescriptorItem
from layoutalg.index import ZERO, Expr, all_of, eq, fresh, names, substitute
from layoutalg.index.normal import normal
from layoutalg.layout import LayoutError
from layoutalg.lazy import lazy_imports
from layoutalg.prove import All, Claim, ForAll, InjectiveMap, Shown
from layoutalg.prove.claims.given import ExplicitClaim
from layoutalg.prove.domain import names_in
from layoutalg.target.dtypes import DTYPES, DType

with lazy_imports():  # a check of layouts alone starts without what accesses need
    from layoutalg import memory
    from layoutalg.memory import banks
    from layoutalg.memory import lanes as reached
    from layoutalg.target import model as gpus
    from layoutalg.target import read as targets


def lanes_of(item: AccessItem) -> memory.LaneMap:
    """The access's lane map; LayoutError where the vector of a distribution runs along another dimension."""
    if item.element is not None:
        return memory.LaneMap(item.lane, item.element, item.index, item.name)
    taken = names_in(item.descriptor.descriptor) | names(item.lane, item.given, *item.index)
    element = fresh("element", item.width, taken) if item.width > 1 else ZERO
    lanes = memory.LaneMap(item.lane, element, (*item.index[:-1], item.index[-1] + element), item.name)
    if item.distribution is None or item.width == 1:
        return lanes
    last = item.variables[-1]  # counts the vectors of the last Y
    steps = [0] * (len(item.index) - 1) + [item.width]
    further = fresh("v'", int(last.hi) + 2, names(*item.index))
    moved = [normal(substitute(i, {last: further + 1}) - substitute(i, {last: further})) for i in item.index]
    if [poly.constant for poly in moved] == steps:
        return lanes
    raise LayoutError(f"the last Y of {item.distribution} does not run along the last dimension: no vector of it")


def dtype_of(item: DescriptorItem) -> DType:
    """The type of a descriptor's elements; LayoutError where the file does not say it."""
    if item.dtype is None:
        raise LayoutError(f"{item.name} has no dtype: nothing says how many bits an element has")
    return DTYPES[item.dtype]


def reach_of(item: AccessItem, gpu: str | None = None, how: str | None = None) -> memory.Reach:
    """What an access reaches: in LDS by its instruction on its first target (or those given), else in memory.

    AccessError, LayoutError where that is no access.
    """
    d, lanes, kind = item.descriptor.descriptor, lanes_of(item), dtype_of(item.descriptor)
    gpu, how = gpu or next(iter(item.targets), None), how or item.instruction
    if gpu and how:
        return memory.access(d, lanes, kind, gpu, how, item.given)
    return memory.Reach(d, lanes, kind, given=item.given)


def _on_each(item: AccessItem, claim: Callable[[str], Claim], instruction: bool = False) -> Claim:
    """A claim on each target; of an access to LDS, by the instruction that the item names."""
    if not item.targets:
        raise LayoutError("the access names no targets; give targets = […]")
    if instruction and item.instruction is None:
        raise LayoutError("the access names no instruction; give instruction = …")
    try:
        return All(tuple(map(claim, item.targets)))
    except banks.AccessError as error:
        raise LayoutError(str(error)) from error


def _in_lds(item: AccessItem, claim: Callable[[memory.Access], Claim]) -> Claim:
    d, lanes, kind = item.descriptor.descriptor, lanes_of(item), dtype_of(item.descriptor)
    how = item.instruction or ""
    return _on_each(item, lambda gpu: claim(memory.access(d, lanes, kind, gpu, how, item.given)), instruction=True)


def conflict_free(item: AccessItem) -> Claim:
    """That no two lanes of a phase want one bank."""
    return _in_lds(item, memory.ConflictFree)


def cycles(item: AccessItem, count: Expr) -> Claim:
    """That the access costs so many cycles, for all values."""
    return _in_lds(item, lambda access: memory.Cycles(access, int(count)))


def coalesced(item: AccessItem) -> Claim:
    """That every wave touches the fewest segments that hold what it reaches."""
    reach = memory.Reach(item.descriptor.descriptor, lanes_of(item), dtype_of(item.descriptor), given=item.given)
    return _on_each(item, lambda gpu: memory.Coalesced(reach, targets.target(gpu)))


def lands(item: AccessItem) -> Claim:
    """That loads straight to LDS, which put the lanes' pieces one after another, fill the layout as it says.

    The place of the first lane's piece is what a wave names (M0, and the instruction's offset): a dword's.
    """
    d, lanes, kind = item.descriptor.descriptor, lanes_of(item), dtype_of(item.descriptor)
    offset, first = d.offset(lanes.index), substitute(d.offset(lanes.first), {lanes.lane: 0})
    shown = (Shown("lane", (lanes.lane,)), Shown("index", lanes.index), Shown("offsets", (offset, first)))
    there = all_of(item.given, d.valid(lanes.first))
    follows = eq(offset, first + lanes.lane * lanes.width + lanes.element)
    begins = eq(first * kind.bits % (8 * gpus.DWORD), 0)
    claim = ExplicitClaim(
        "what lanes bring straight to LDS lies lane after lane",
        (
            *reached.within(d, lanes, item.given),
            ForAll("a wave's first place is a dword's", begins, there, shown),
            ForAll("each piece follows the one before", follows, there, shown),
        ),
        (d,),
    )

    def on(gpu: str) -> Claim:
        wave, bits = targets.target(gpu).wave_size, lanes.width * kind.bits
        if lanes.lanes > wave or bits % 8:
            raise LayoutError(
                f"a load of {gpu} is of {wave} lanes and whole bytes, not of {lanes.lanes} and {bits} bits"
            )
        targets.target(gpu).require_straight(bits // 8)
        return claim

    return _on_each(item, on)


def in_bounds(item: AccessItem) -> Claim:
    """That every lane that takes part stays in the tensor."""
    d = item.descriptor.descriptor
    parts = reached.within(d, lanes_of(item), item.given)
    return ExplicitClaim("every lane that takes part stays in the tensor", tuple(parts), (d,))


def injective(item: AccessItem) -> Claim:
    """That different lanes reach different elements."""
    d, lanes = item.descriptor.descriptor, lanes_of(item)
    over = tuple(v for v in dict.fromkeys((item.lane, *item.variables, lanes.element)) if v.op == "var")
    offset = d.offset(lanes.index)
    shown = (Shown("lane", (item.lane,)), Shown("index", lanes.index), Shown("offset", (offset,)))
    some = all_of(item.given, d.valid(lanes.first))
    differ = InjectiveMap("offsets differ", over, (offset,), some, shown)
    inside = reached.within(d, lanes, item.given)
    return ExplicitClaim("different lanes reach different elements", (*inside, differ), (d,))
