"""What the processor has not: instructions of other processors, and registers beyond those that the kernel asks for.

A register beyond what the descriptor allocates is no register of the wave's.  Where vector and accumulation registers
are one file, a vector register behind the last of them is one of the accumulators, if it is anything: no source that
was found says which, so that is undecided.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import or_

from layoutalg.hazards.flow import ControlFlow, FlowStep
from layoutalg.hazards.hazard import Hazard
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.effects import Registers, named, registers

#: Accumulation registers that an instruction can name.
_FILE = 256

#: Scalar registers that are the program's: those above are the machine's, whatever the kernel asks for.
_SCALARS = 102


def lacking(flow: ControlFlow) -> Iterator[Hazard]:
    """Instructions that are decoded and that the target has not."""
    for address, step in sorted(flow.steps.items()):
        one = step.instruction
        for name in dict.fromkeys(part.name for part in one.halves or (one,)):
            if flow.kernel.machine.has_not(name):
                yield Hazard("lacking", address, f"is {name.lower()}, which {flow.kernel.target} has not")


def beyond(flow: ControlFlow) -> Iterator[Hazard]:
    """Registers that the kernel did not ask for, at the first instruction that has to do with one."""
    kernel = flow.kernel
    asked = f"the kernel asks for {kernel.vector_registers} v, {kernel.accumulators} a and {kernel.scalar_registers} s"
    more = kernel.accumulators if kernel.architecture.accumulators == "shared" else 0
    shared = registers("v", kernel.vector_registers, max(0, min(more, _FILE - kernel.vector_registers)))
    for outside, condition in (
        (_outside(kernel) & ~shared, ""),
        (shared, f"unless v{kernel.vector_registers} is a0, as both are parts of one file"),
    ):
        found = {address: _touched(step) & outside for address, step in sorted(flow.steps.items())}
        every = reduce(or_, found.values(), 0)
        if every:
            first = next(address for address, some in found.items() if some)
            what = f"is the first that has to do with {', '.join(named(every))}; {asked}"
            yield Hazard("registers", first, what, condition=condition, undecided=bool(condition))


def _touched(step: FlowStep) -> Registers:
    return step.effects.reads | step.effects.writes


def _outside(kernel: KernelBinary) -> Registers:
    """All registers that the kernel has not."""
    counts = {"v": (kernel.vector_registers, kernel.architecture.vector_registers), "a": (kernel.accumulators, _FILE),
              "s": (kernel.scalar_registers, _SCALARS)}  # fmt: skip
    return sum(registers(kind, count, most - count) for kind, (count, most) in counts.items() if count < most)
