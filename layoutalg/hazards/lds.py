"""LDS beyond the allocation: an access whose immediate alone leads out of it, whatever its register holds.

An address is a register, which is no negative number, and an immediate.  Where the immediate and the element's bytes
are more than the processor has, every such access is outside; where they are more than the kernel's own bytes, it is
outside unless the launch adds as many (HIP: dynamic shared memory), which the code does not say: undecided.
A kernel without LDS of its own is launched with some: of that nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.hazards.flow import ControlFlow
from layoutalg.hazards.hazard import Hazard
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.semantics.accesses import ACCESSES, access_of
from layoutalg.target import target as gpu


def find(flow: ControlFlow) -> Iterator[Hazard]:
    """Accesses outside."""
    own, most = flow.kernel.lds_bytes, gpu(flow.kernel.target).lds_bytes
    for address, step in sorted(flow.steps.items()):
        end = end_of(step.instruction)
        if end > most:
            yield Hazard("lds", address, f"is at {end} bytes of LDS at least, of {most} that {flow.kernel.target} has")
        elif own and end > own:
            unless = f"unless the launch adds {end - own} bytes of LDS"
            what = f"is at {end} bytes of LDS at least, of {own} that the kernel asks for"
            yield Hazard("lds", address, what, condition=unless, undecided=True)


def end_of(one: Instruction) -> int:
    """The bytes of LDS that an access needs at least; 0 of what is none.

    >>> end_of(Instruction(0, 8, "DS_READ2ST64_B32", "DS", {}, {"offset0": 1, "offset1": 3}))
    772
    """
    if one.name not in ACCESSES or ACCESSES[one.name].space != "lds":
        return 0
    access, first, second = access_of(one.name, one.fields), one.fields.get("offset0", 0), one.fields.get("offset1", 0)
    start = max(first, second) * access.pair_step if access.pair_step else first | second << 8
    return start + access.size
