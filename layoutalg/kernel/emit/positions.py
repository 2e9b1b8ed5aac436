"""Where a thread is: its number in its block, and its block's in the grid, as variables of the text."""

from __future__ import annotations

from layoutalg.index.c import c_expression
from layoutalg.kernel.program import Program
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
    lines, rest = list[str](), number  # unsigned, so that its divisions are the cheaper ones
    for at, (v, n) in enumerate(zip(program.grid, program.extents, strict=True)):
        extent = f"(unsigned)({c_expression(n, bits=program.index_bits, proved=True)})"
        if at == len(program.grid) - 1:
            lines.append(f"const {index} {v.value.name} = ({index}){rest};")
        else:
            lines.append(f"const {index} {v.value.name} = ({index})({rest} % {extent});")
            lines.append(f"const unsigned block{at + 1} = {rest} / {extent};")
            rest = f"block{at + 1}"
    return lines


__all__ = ["block_position", "thread_position"]
