"""Every analysis of a kernel's graph, by the kind of its findings: what `hazards` asks, one module each.

An analysis takes the graph and yields findings; it raises `UnsupportedInstructionError` where it cannot say, and then
the kernel is told as not analysed.  A further one is a module beside these and a line in the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from layoutalg.hazards import barriers, lds, lds_order, processor, undefined, waits
from layoutalg.hazards.flow import ControlFlow
from layoutalg.hazards.hazard import Hazard
from layoutalg.hazards.wait_states import find as wait_states


class Analysis(NamedTuple):
    """What finds hazards of a kind, the kind in words, and of which targets."""

    find: Callable[[ControlFlow], Iterator[Hazard]]
    about: str
    knows: Callable[[str], bool] = lambda target: True
    """Whether the facts of a target are known that it takes."""


#: Kind of finding → what finds it.
ANALYSES: Mapping[str, Analysis] = {
    waits.KIND: Analysis(waits.find, "a register is used or overwritten while an access is still to write it"),
    wait_states.KIND: Analysis(
        wait_states.find, "two instructions are nearer to each other than AMD's manual allows", wait_states.knows
    ),
    "undefined": Analysis(undefined.find, "a register is read before anything has written it"),
    "registers": Analysis(processor.beyond, "a register is used that the kernel did not ask for"),
    "lacking": Analysis(processor.lacking, "an instruction is one that the processor has not"),
    "lds": Analysis(lds.find, "an access of LDS lies outside, whatever its register holds"),
    barriers.KIND: Analysis(barriers.find, "waves of a block come to other numbers of barriers"),
    lds_order.KIND: Analysis(lds_order.find, "two accesses reach one place of LDS and no wait or barrier orders them"),
}


def left_out(target: str) -> list[str]:
    """The kinds that are not looked for in code of a target.

    >>> left_out("gfx942"), left_out("gfx908")
    ([], ['wait_states'])
    """
    return [kind for kind, analysis in ANALYSES.items() if not analysis.knows(target)]
