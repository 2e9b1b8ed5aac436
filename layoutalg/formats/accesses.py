"""What a file claims of its accesses, as claims of the prover: free of bank conflicts, exact cycles, coalesced.

| claim           | of an access with                     | says, on each of its targets                          |
|-----------------|---------------------------------------|-------------------------------------------------------|
| `conflict_free` | instruction, targets, a dtype         | no two lanes of a phase want one bank                 |
| `cycles(n)`     | instruction, targets, a dtype         | the access costs n cycles, for all values             |
| `coalesced`     | targets, a dtype                      | every wave touches the fewest segments that hold it   |

`decide` is the prover's `prove` for every claim, and the exact price lists for these.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from layoutalg.formats.model import AccessItem
from layoutalg.index import Expr, all_of, as_expr, fresh, names, substitute
from layoutalg.index.normal import normal
from layoutalg.layout import LayoutError
from layoutalg.prove import Claim, InjectiveMap, Limits, Obligation, Proved, Shown, Unknown, Verdict, prove
from layoutalg.prove.claims.given import Statement
from layoutalg.prove.domain import names_in
from layoutalg.target.dtypes import DTYPES

if TYPE_CHECKING:  # the price lists import numpy; a check of layouts alone starts without it
    from layoutalg.memory.access import Reach
    from layoutalg.memory.lds import LaneMap, LdsClaim
    from layoutalg.memory.traffic import Coalesced

DEFAULT = Limits()


@dataclass(frozen=True, eq=False)
class OnEach(Claim):
    """A claim on each of an access's targets."""

    claims: tuple[LdsClaim | Coalesced, ...]
    name: ClassVar[str] = "on each target"

    def statement(self) -> str:
        return "; ".join(claim.statement() for claim in self.claims)

    def obligations(self) -> Iterator[Obligation]:
        for claim in self.claims:
            yield from claim.obligations()


def decide(claim: Claim | Obligation, *, strategy: str | None = None, limits: Limits = DEFAULT) -> Verdict:
    """The verdict on any claim of a file."""
    if not isinstance(claim, OnEach):
        return prove(claim, strategy=strategy, limits=limits)
    begin = time.perf_counter()
    verdicts = []
    for one in claim.claims:
        verdicts.append(_decided(one, strategy, limits))
        if not isinstance(verdicts[-1], Proved):
            return verdicts[-1]
    used = " + ".join(dict.fromkeys(v.strategy for v in verdicts))
    assumed = tuple(dict.fromkeys(a for v in verdicts for a in v.assumptions))
    return Proved(claim.statement(), used, time.perf_counter() - begin, assumed)


def _decided(claim: LdsClaim | Coalesced, strategy: str | None, limits: Limits) -> Verdict:
    from layoutalg.memory.lds.verdicts import STRATEGIES, prove_access
    from layoutalg.memory.traffic import Coalesced, prove_coalesced

    if isinstance(claim, Coalesced):
        return prove_coalesced(claim, strategy=strategy, limits=limits)
    if strategy not in (None, *STRATEGIES):
        return Unknown(claim.statement(), str(strategy), 0.0, why=f"{strategy} decides nothing about LDS accesses")
    return prove_access(claim, strategy=strategy, limits=limits)


def lanes_of(item: AccessItem) -> LaneMap:
    """The access's lane map; LayoutError where the vector of a distribution runs along another dimension."""
    from layoutalg.memory.lds import LaneMap

    taken = names_in(item.descriptor.descriptor) | names(item.lane, item.given, *item.index)
    element = fresh("element", item.width, taken) if item.width > 1 else as_expr(0)
    lanes = LaneMap(item.lane, element, (*item.index[:-1], item.index[-1] + element), item.name)
    if item.distribution is None or item.width == 1:
        return lanes
    last = item.variables[-1]  # counts the vectors of the last Y
    steps = [0] * (len(item.index) - 1) + [item.width]
    further = fresh("v'", int(last.hi) + 2, names(*item.index))
    moved = [normal(substitute(i, {last: further + 1}) - substitute(i, {last: further})) for i in item.index]
    if [poly.constant for poly in moved] == steps:
        return lanes
    raise LayoutError(f"the last Y of {item.distribution} does not run along the last dimension: no vector of it")


def bytes_of(item: AccessItem) -> int:
    """The bytes of an element that the access reaches; LayoutError where nothing says how many."""
    if item.descriptor.dtype is None:
        raise LayoutError(f"{item.descriptor.name} has no dtype: nothing says how many bytes an element has")
    bits = DTYPES[item.descriptor.dtype].bits
    if bits % 8:
        raise LayoutError(f"elements of {bits} bits have no address of their own")
    return bits // 8


def reach_of(item: AccessItem, gpu: str | None = None, how: str | None = None) -> Reach:
    """What an access reaches: in LDS by its instruction on its first target (or those given), else in memory.

    AccessError, LayoutError where that is no access.
    """
    from layoutalg.memory.access import Reach
    from layoutalg.memory.lds import access

    d, lanes, size = item.descriptor.descriptor, lanes_of(item), bytes_of(item)
    gpu, how = gpu or next(iter(item.targets), None), how or item.instruction
    return access(d, lanes, size, gpu, how, item.given) if gpu and how else Reach(d, lanes, size, given=item.given)


def _on_each(item: AccessItem, claim: Callable[[str, str], LdsClaim | Coalesced], instruction: bool) -> Claim:
    from layoutalg.memory.banks import AccessError

    if not item.targets:
        raise LayoutError("the access names no targets; give targets = […]")
    if instruction and item.instruction is None:
        raise LayoutError("the access names no instruction; give instruction = …")
    try:
        return OnEach(tuple(claim(name, item.instruction or "") for name in item.targets))
    except AccessError as error:
        raise LayoutError(str(error)) from error


def conflict_free(item: AccessItem) -> Claim:
    """That no two lanes of a phase want one bank."""
    from layoutalg.memory.lds import ConflictFree, access

    d, lanes, size = item.descriptor.descriptor, lanes_of(item), bytes_of(item)
    return _on_each(item, lambda gpu, how: ConflictFree(access(d, lanes, size, gpu, how, item.given)), True)


def cycles(item: AccessItem, count: Expr) -> Claim:
    """That the access costs so many cycles, for all values."""
    from layoutalg.memory.lds import Cycles, access

    d, lanes, size = item.descriptor.descriptor, lanes_of(item), bytes_of(item)
    return _on_each(item, lambda gpu, how: Cycles(access(d, lanes, size, gpu, how, item.given), int(count)), True)


def coalesced(item: AccessItem) -> Claim:
    """That every wave touches the fewest segments that hold what it reaches."""
    from layoutalg.memory.traffic import Coalesced, Reach
    from layoutalg.target import target

    reach = Reach(item.descriptor.descriptor, lanes_of(item), bytes_of(item), given=item.given)
    return _on_each(item, lambda gpu, _: Coalesced(reach, target(gpu)), False)


def in_bounds(item: AccessItem) -> Claim:
    """That every lane that takes part stays in the tensor."""
    from layoutalg.memory.access import within

    d = item.descriptor.descriptor
    parts = within(d, lanes_of(item), item.given)
    return Statement("every lane that takes part stays in the tensor", tuple(parts), (d,))


def injective(item: AccessItem) -> Claim:
    """That different lanes reach different elements."""
    from layoutalg.memory.access import within

    d, lanes = item.descriptor.descriptor, lanes_of(item)
    over = tuple(v for v in dict.fromkeys((item.lane, *item.variables, lanes.element)) if v.op == "var")
    offset = d.offset(lanes.index)
    shown = (Shown("lane", (item.lane,)), Shown("index", lanes.index), Shown("offset", (offset,)))
    some = all_of(item.given, d.valid(lanes.first))
    words = InjectiveMap("offsets differ", over, (offset,), some, shown)
    return Statement("different lanes reach different elements", (*within(d, lanes, item.given), words), (d,))
