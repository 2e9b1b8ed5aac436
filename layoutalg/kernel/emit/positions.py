"""Where a thread is: its number in its block, and its block's in the grid, as variables of the text."""

from __future__ import annotations

from layoutalg.index import prod, symbol, var
from layoutalg.index.c import c_expression
from layoutalg.kernel.program import Program
from layoutalg.kernel.program.chiplets import chiplet_order
from layoutalg.kernel.program.names import index_type


def thread_position(program: Program) -> list[str]:
    """The thread's numbers in its block."""
    index = index_type(program)
    return [
        f"const {index} {v.value.name} = ({index}){register};"
        for v, register in zip(program.threads, ("threadIdx.x", "threadIdx.y", "threadIdx.z"), strict=False)
    ]


def block_position(program: Program, number: str = "blockIdx.x") -> list[str]:
    """The block's numbers in the grid; of a linear one, where `number` is its own.

    >>> from layoutalg.kernel.library.transpose import lds_transpose
    >>> block_position(lds_transpose())[0]
    'const int bx = (int)(blockIdx.x % (unsigned)((N + 63) >> 6));'
    """
    index = index_type(program)
    if not program.linear:
        blocks = zip(program.grid, ("blockIdx.x", "blockIdx.y", "blockIdx.z"), strict=False)
        return [f"const {index} {v.value.name} = ({index}){register};" for v, register in blocks]
    extents = [f"(unsigned)({c_expression(n, bits=program.index_bits, proved=True)})" for n in program.extents]
    lines, rest = list[str](), number  # unsigned, so that its divisions are the cheaper ones
    if program.chiplets > 1:
        lines, rest = _renumbered(program), "block0"
    for at, (v, extent) in enumerate(zip(program.grid, extents, strict=True)):
        if at == len(program.grid) - 1:
            lines.append(f"const {index} {v.value.name} = ({index}){rest};")
        else:
            lines.append(f"const {index} {v.value.name} = ({index})({rest} % {extent});")
            lines.append(f"const unsigned block{at + 1} = {rest} / {extent};")
            rest = f"block{at + 1}"
    return lines


def _renumbered(program: Program) -> list[str]:
    """The block's number in the grid, of that which it was launched with."""
    blocks = symbol("launched_blocks", min=1)
    launched = var("launched_block", blocks)
    count = c_expression(prod(program.extents), bits=program.index_bits, proved=True)
    number = c_expression(chiplet_order(launched, blocks, program.chiplets), proved=True)
    return [
        f"const int launched_block = (int)blockIdx.x, launched_blocks = (int)({count});",
        f"const unsigned block0 = (unsigned)({number});  // neighbours are of one chiplet",
    ]


__all__ = ["block_position", "thread_position"]
