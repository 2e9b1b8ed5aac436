"""The trace: what one unknown lane of a kernel does on all ways, in all iterations; frozen, to be asked of.

`follow` is the one way to it:

| what is given | says |
|---|---|
| `inputs` | a launch: what the arguments stand for, the blocks and threads, what holds of them |
| `environment` | what is in memory, and who proves that something holds |
| `counts` | how often loops run, in their order, where a program says it; else it is found in the code |

What it cannot represent: see the rooms `machine` and `loops`; what they cannot follow stops it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, fields, is_dataclass, replace
from functools import cached_property

from layoutalg.errors import DeviceError
from layoutalg.index import Expr, InexpressibleError, all_of, budget
from layoutalg.isa.decode.code import MachineCode
from layoutalg.prove.obligation import ForAll
from layoutalg.records import dataclass
from layoutalg.symex.loops.execution import SymbolicExecution
from layoutalg.symex.loops.facts import Asker, Facts
from layoutalg.symex.loops.inferred import InferredLoops
from layoutalg.symex.loops.natural import ProgramLoops
from layoutalg.symex.loops.record import LoopRecord
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.machine.environment import Environment, Inputs, TracedLoad
from layoutalg.symex.machine.machine import SymbolicMachine
from layoutalg.symex.machine.orders import BlockOrder, KnownOrder, OrderFoundError, OrderWatch
from layoutalg.symex.machine.tracing import TraceBuilder, TracedElement, TracedSteps
from layoutalg.symex.meetings import meetings
from layoutalg.symex.values.instances import own_coordinates
from layoutalg.symex.values.uninterpreted import UninterpretedFunctions

STANDING = (
    "buffers begin at multiples of 16 below 2^47, do not overlap, and lie beside the code and the arguments, below "
    "2^47 too, and the apertures of LDS and scratch",
    "the machine does what AMD's pseudocode says; time, wait states and cache policy are not modelled",
)
"""What every verdict on machine code assumes."""


@dataclass(frozen=True)
class Trace:
    """Every element that is accessed, and what is known of the loops around and of the unknowns in it."""

    elements: tuple[TracedElement, ...] = ()  # none where it was stopped
    loops: LoopRecord = field(default_factory=LoopRecord)
    facts: Facts = field(default_factory=Facts)
    loads: tuple[TracedLoad, ...] = ()
    meetings: tuple[ForAll, ...] = ()  # what is to be proved, so that all waves of a block meet at its barriers
    cuts: frozenset[tuple[int, int]] = frozenset()  # c and n of the c·(x mod n) that stand for what was cut to a word
    assumptions: tuple[str, ...] = ()  # what reading the code took
    stopped: Exception | None = None  # by what it cannot be followed any further
    order: BlockOrder = field(default_factory=BlockOrder)  # what tells its blocks apart
    steps: tuple[TracedSteps, ...] = ()  # none where it was stopped

    @cached_property
    def coordinates(self) -> frozenset[Expr]:
        """All indices and sizes that it is made of."""
        made = [*terms((self.elements, self.loops, self.loads, self.meetings))]
        return frozenset(own_coordinates(*made, *self.facts.of(*made)))

    @cached_property
    def loaded(self) -> Mapping[Expr, str]:
        """What was loaded → of which buffer, or of LDS; "" where that is not seen."""
        return {v: load.buffer for load in self.loads for v in load.values}

    @cached_property
    def loaded_by_name(self) -> Mapping[str, str]:
        """The names of what was loaded → of which buffer, or of LDS."""
        return {v.value.name: buffer for v, buffer in self.loaded.items() if buffer}

    def complete(self) -> Trace:
        """This trace.  Raises what stopped it."""
        if self.stopped is not None:
            raise self.stopped
        return self


def follow(
    code: MachineCode,
    inputs: Inputs,
    environment: Environment,
    functions: UninterpretedFunctions | None = None,
    counts: Mapping[Expr, Expr] | None = None,
    order: BlockOrder | None = None,
) -> Trace:
    """Follows a kernel on all ways in the time that is left; `functions` names what is computed.

    `order`: how it is known to number its blocks.
    """
    return _followed(code, inputs, environment, functions, counts, order, KnownOrder(order) if order else None)


def follow_in_order(code: MachineCode, inputs: Inputs, environment: Environment) -> Trace:
    """The same; where it takes its blocks in another order, indices of that tell them apart (`Trace.order`)."""
    order = BlockOrder.of(inputs.blocks)
    while True:
        try:
            trace = _followed(code, inputs, environment, order=order)
        except OrderFoundError as found:
            order = order.having(found.order)
            continue
        whole = trace.stopped is not None or order.stale.isdisjoint(trace.coordinates)
        return trace if whole else follow(code, inputs, environment)


def _followed(
    code: MachineCode,
    inputs: Inputs,
    environment: Environment,
    functions: UninterpretedFunctions | None = None,
    counts: Mapping[Expr, Expr] | None = None,
    order: BlockOrder | None = None,
    known: KnownOrder | None = None,
) -> Trace:
    """Raises `OrderFoundError` where an order is given that is not all that is known, and the kernel has another."""
    loops = InferredLoops() if counts is None else ProgramLoops(counts)
    builder = TraceBuilder(environment)
    functions = UninterpretedFunctions() if functions is None else functions
    blocks = order.index if order else tuple(inputs.blocks)
    wave = replace(inputs.wave(code.kernel.wave_size), blocks=blocks)
    facts = Facts(builder.assumed, loops.record, builder.loaded, environment, functions.known, wave.exists)
    asked = Asker(environment, facts).shows
    values = IndexValues(asked, all_of(inputs.given, wave.exists), functions, wave)
    values.orders = known if known or order is None else OrderWatch(order, asked, inputs.given)
    machine = SymbolicMachine(code, inputs, values, builder)
    stopped: Exception | None = None
    try:
        SymbolicExecution(machine, loops).run()
    except (DeviceError, InexpressibleError, RecursionError) as error:
        stopped = error
    except budget.OutOfTimeError:
        stopped = budget.OutOfTimeError(f"at {machine.registers.where}")
    elements = () if stopped else builder.finished(wave.exists)
    ends = [replace(end, condition=all_of(wave.exists, end.condition)) for end in builder.ends]
    met = () if stopped else tuple(meetings(ends, loops.record, inputs.threads))
    cuts = frozenset(values.ranges.cuts)
    record = replace(loops.record, ends=tuple(ends))
    found = elements, record, facts, tuple(builder.loads), met, cuts, values.assumptions, stopped
    steps = () if stopped else tuple(builder.steps)
    return Trace(*found, order or BlockOrder.of(inputs.blocks), steps)


def terms(made: object) -> Iterator[Expr]:
    """All expressions in what is made of them: in fields, in lists, in mappings."""
    if isinstance(made, Expr):
        yield made
    elif isinstance(made, Mapping):
        for key, one in made.items():
            yield from terms((key, one))
    elif isinstance(made, (tuple, list, set, frozenset)):
        for one in made:
            yield from terms(one)
    elif is_dataclass(made):
        yield from terms([getattr(made, each.name) for each in fields(made)])
