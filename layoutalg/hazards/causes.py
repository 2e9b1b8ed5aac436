"""Findings of one cause as one: where one wait or one barrier is missing, every access behind it shows it.

| of one kind | are one where between |
|---|---|
| `wait` | their consumers, and their producers, no wait stands in the code |
| `lds_order` | their consumers, and their producers, no wait and no barrier stands in the code |
| `wait_states` | each one's two the wait states would stand that the first of them lacks, in one block |

The waits that several accesses lack may be of several counts, of the same counters: the least does for all.
What it cannot represent: that one instruction would do for two stretches of code.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Container, Iterable, Mapping
from dataclasses import replace

from layoutalg.hazards import lds_order, waits
from layoutalg.hazards.flow import ControlFlow
from layoutalg.hazards.hazard import Hazard
from layoutalg.hazards.wait_states import find as wait_states
from layoutalg.isa.semantics.control import BARRIERS


def joined(flow: ControlFlow, found: Iterable[Hazard]) -> list[Hazard]:
    """The hazards with those of one cause under the first of them, in the order of the code."""
    own = flow.kernel.architecture.waits
    apart = {waits.KIND: own, lds_order.KIND: {*own, *BARRIERS}}
    stretches = {kind: _Stretches(flow, names) for kind, names in apart.items()}
    groups: dict[object, list[Hazard]] = {}
    nops = _Nops(flow)
    for one in sorted(found, key=lambda one: (one.consumer, one.kind, one.producer or 0)):
        cause = nops.cause(one) if one.kind == wait_states.KIND else _cause(one, stretches)
        groups.setdefault(cause or one, []).append(one)
    return [
        replace(first, also=tuple((one.consumer, one.missing) for one in others)) for first, *others in groups.values()
    ]


class _Stretches:
    """Code between instructions of some names."""

    def __init__(self, flow: ControlFlow, names: Container[str]) -> None:
        self._ends = sorted(address for address, step in flow.steps.items() if step.instruction.name in names)

    def of(self, address: int) -> int:
        """The number of the stretch that an instruction stands in."""
        return bisect(self._ends, address)


class _Nops:
    """The wait states that findings lack, each put before the first of those that it mends."""

    def __init__(self, flow: ControlFlow) -> None:
        self._starts = sorted(flow.blocks)
        self._put: dict[object, list[tuple[int, int]]] = {}

    def cause(self, one: Hazard) -> object:
        """Where the last of the wait states stand that would mend it; None where control branches between the two."""
        start = self._starts[bisect(self._starts, one.consumer) - 1]
        if one.producer is None or not start <= one.producer < one.consumer:
            return None
        alike = one.kind, start, one.undecided, one.is_certain
        put = self._put.setdefault(alike, [])
        left = one.states - sum(count for place, count in put if one.producer < place <= one.consumer)
        if left > 0:
            put.append((one.consumer, left))
        return (*alike, put[-1][0])


def _cause(one: Hazard, stretches: Mapping[str, _Stretches]) -> object:
    """What hazards of one cause have in common; None where each is by itself."""
    if one.kind not in stretches or one.producer is None:
        return None
    between = stretches[one.kind]
    lacks = "".join(c for c in one.missing if not c.isdigit())
    return one.kind, lacks, one.undecided, one.is_certain, between.of(one.consumer), between.of(one.producer)
