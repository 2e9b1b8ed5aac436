"""Where a claim fails, as a run can be made there: the sizes, the blocks, and what their threads load.

A witness has a number for each variable of a claim, by its name:

| of a witness | in the run |
|---|---|
| sizes, named values | are these |
| the block's indices, of each of its threads | these blocks run alone, as if the others had not started |
| what was loaded of a tensor | stands there at first, as far as the launch lets it |

A coordinate that a witness does not speak of is 0 there.
What it cannot represent: what was loaded in turns that the witness does not number, and of what the kernel stores.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from layoutalg.index import Expr, InexpressibleError, variables
from layoutalg.index.evaluate import value
from layoutalg.isa.run.arguments import Triple
from layoutalg.launch.symbolic import KernelLaunch
from layoutalg.prove import Witness
from layoutalg.records import dataclass
from layoutalg.symex.machine.orders import BlockOrder
from layoutalg.symex.trace import Trace
from layoutalg.symex.values.instances import moved, others, own_coordinates
from layoutalg.symex.values.unknowns import kind_of


@dataclass(frozen=True)
class Scene:
    """Sizes; the blocks that run alone, of which there are none where nothing fails; and what these load."""

    sizes: Mapping[str, int] = field(default_factory=dict)
    blocks: tuple[Triple, ...] = ()
    values: Mapping[str, int] = field(default_factory=dict)  # of what is given at the launch, by its name
    loaded: tuple[tuple[str, int, bytes], ...] = ()  # a tensor, bytes behind its first element, what is there

    @property
    def key(self) -> tuple[object, ...]:
        """What tells it from others."""
        return (*(tuple(sorted(one.items())) for one in (self.sizes, self.values)), self.blocks, self.loaded)

    @property
    def who(self) -> str:
        """Its blocks in words."""
        return f"block{'s' * (len(self.blocks) > 1)} " + " and ".join(f"({x}, {y}, {z})" for x, y, z in self.blocks)

    def __str__(self) -> str:
        at = ", ".join(f"{name} = {n}" for name, n in (*self.sizes.items(), *self.values.items()))
        return f"{self.who} alone{' at ' if at else ''}{at}"


def scene(witness: Witness, launched: KernelLaunch, trace: Trace) -> Scene:
    """The scene of a witness; one without blocks where it says nothing."""
    if not witness.points:
        return Scene()
    point = {name: n for each in witness.points for name, n in each.items()}
    sizes = {name: point[v.value.name] for name, v in launched.sizes.items() if v.value.name in point}
    values = {name: point[v.value.name] for name, v in launched.values.items() if v.value.name in point}
    order = trace.order if trace.order.axes else BlockOrder.of(launched.blocks)
    index, there = order.index, others((*order.index, *launched.threads))
    pairs = [({v: v for v in index}, each) for each in witness.points]
    if any(v.value.name in point for v in there.values()):
        pairs.append((there, point))
    of_sizes = {v: point.get(v.value.name, int(v.lo)) for v in launched.sizes.values()}
    found = (order.block({**of_sizes, **{v: each.get(to[v].value.name, 0) for v in index}}) for to, each in pairs)
    blocks = [triple(one) for one in found if one is not None]
    loaded = tuple(dict.fromkeys(_loaded(point, launched, trace)))
    return Scene(sizes, tuple(dict.fromkeys(blocks)), values, loaded)


def triple(block: Sequence[int]) -> Triple:
    """A block's index along three axes."""
    x, y, z = (*block, 0, 0)[:3]
    return x, y, z


def _loaded(point: Mapping[str, int], launched: KernelLaunch, trace: Trace) -> Iterator[tuple[str, int, bytes]]:
    """What a witness says that its threads loaded of tensors that are only read, and where."""
    here, spoken_of = (*launched.blocks, *launched.threads), {name.partition(" (")[0] for name in point}
    for load in trace.loads:
        tensor = launched.tensors.get(load.buffer)
        unsaid = tensor is not None and tensor.written and not launched.start[load.buffer].assumed
        if tensor is None or unsaid or spoken_of.isdisjoint(v.value.name for v in load.values):
            continue
        there = others((*here, *own_coordinates(load.offset, *load.values, alike={*here, *launched.sizes.values()})))
        for at in ({}, there):
            named = [moved(v, at).value.name for v in load.values]
            offset = _at(moved(load.offset, at), point)
            each = max(1, tensor.element // load.size)  # values of one element
            for k in range(0, len(named) if offset is not None else 0, each):
                parts = [point.get(name) for name in named[k : k + each]]
                if offset is not None and any(part is not None for part in parts):
                    data = b"".join((part or 0).to_bytes(load.size, "little") for part in parts)
                    yield load.buffer, offset + k * load.size, data


def _at(offset: Expr, point: Mapping[str, int]) -> int | None:
    """An offset at a witness; None where it depends on what this does not tell."""
    made_of = variables(offset)
    if any(kind_of(v) is not None and v.value.name not in point for v in made_of):
        return None
    try:
        return value(offset, {v: point.get(v.value.name, 0) for v in made_of})
    except (InexpressibleError, ArithmeticError):
        return None
