"""One wave replayed: what the bank model says of its exact addresses, and who meets whom there, in words.

A refutation counts only once this shows it: the phase, the bank, the dwords, the lanes that want them and where in the
tile they stand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from layoutalg.index import TRUE, Expr, substitute, variables
from layoutalg.index.evaluate import array, values
from layoutalg.lazy import lazy_imports
from layoutalg.memory.banks import Phase, phases
from layoutalg.memory.reach import Access
from layoutalg.memory.waves import active
from layoutalg.prove.obligation import Point
from layoutalg.prove.verdict import Witness

with lazy_imports():
    import numpy as np

TOLD = 4
"""Lanes that a refutation tells of; its points hold all."""


def phases_at(access: Access, at: Point) -> tuple[Phase, ...]:
    """The phases of one wave, at values of the variables."""
    return phases(access.target, access.instruction, addresses(access, at), active(access, at))


def cycles_at(access: Access, at: Point) -> tuple[int, ...]:
    """The cycles of each phase there; 0 for one that is served with the phase before."""
    each = tuple(phase.cycles for phase in phases_at(access, at))
    merged = len(each) < len(access.instruction.phases)
    return tuple(n for cycles in each for n in (cycles, 0)) if merged else each


def addresses(access: Access, at: Point) -> list[int]:
    """Each lane's exact byte address, at values of the variables.

    >>> from layoutalg.index import var
    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.memory import access, lane_map
    >>> lane = var("lane", 64)
    >>> rows = access(naive((64, 64), (64, 1)), lane_map(lane, (lane % 32, lane // 32 * 8), width=8), "f16", "gfx942")
    >>> addresses(rows, {})[:3]
    [0, 128, 256]
    """
    lane = access.lanes.lane
    (found,) = array([substitute(access.start, dict(at))], {lane: np.arange(access.instruction.lanes)})
    return [int(address) for address in np.broadcast_to(found, (access.instruction.lanes,))]


def meeting(access: Access, at: Point) -> Witness:
    """What happens in the worst phase at these values: the bank, and each lane that wants another dword of it.

    Where no lanes meet, the witness says what each phase costs.

    >>> from layoutalg.index import var
    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.memory import access, lane_map
    >>> lane = var("lane", 64)
    >>> rows = access(naive((64, 64), (64, 1)), lane_map(lane, (lane % 32, lane // 32 * 8), width=8), "f16", "gfx942")
    >>> meeting(rows, {}).text.split(": ")[0]
    'lanes 0, 1, 2, 3 and 4 more of phase 0 want dwords 0, 32, 64, 96 and 4 more of bank 0'
    """
    found = phases_at(access, at)
    number = max(range(len(found)), key=lambda n: found[n].cycles)
    worst = found[number].worst
    lanes, dwords = worst.lanes, worst.dwords
    where = {lane: _place(access, at, lane) for lane in lanes}
    sizes = {v: n for v, n in at.items() if v in variables(access.start, access.taking_part, *access.lanes.index)}
    points = tuple({**{v.value.name: n for v, n in sizes.items()}, access.lanes.lane.value.name: x} for x in lanes)
    values_text = f" (at {', '.join(f'{v.value.name} = {n}' for v, n in sizes.items())})" if sizes else ""
    if access.mask is not TRUE:
        values_text += f", where {active(access, at).sum()} of {access.lanes.lanes} lanes take part"
    if not lanes:
        points = ({v.value.name: n for v, n in sizes.items()},)
    if len(lanes) < 2:
        each = ", ".join(str(phase.cycles) for phase in found)
        return Witness(points, f"the phases take {each} cycles{values_text}")
    listed = list(zip(lanes, dwords, strict=True))[:TOLD]
    each = ", ".join(f"lane {x} at {where[x]} wants dword {d}" for x, d in listed)
    text = f"lanes {_and(lanes)} of phase {number} want dwords {_and(dwords)} of bank {worst.bank}: {each}"
    return Witness(points, text + values_text)


def _place(access: Access, at: Point, lane: int) -> str:
    fixed: Mapping[Expr, int] = {**at, access.lanes.lane: lane}
    return f"({', '.join(map(str, values(access.first, fixed)))})"


def _and(numbers: Sequence[int]) -> str:
    """The numbers in a row; of many, the first few and how many more there are."""
    *most, last = map(str, numbers)
    if len(numbers) > TOLD:
        return f"{', '.join(most[:TOLD])} and {len(numbers) - TOLD} more"
    return f"{', '.join(most)} and {last}" if most else last
