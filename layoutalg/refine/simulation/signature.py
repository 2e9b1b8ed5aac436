"""Whether a binary takes the launch that a program has: its block, its LDS, and its arguments in their places.

| a program's | the binary must have |
|---|---|
| tensor | a `global_buffer` at a multiple of 8, of global memory, which it may use as the program does |
| size | a `by_value` of as many bytes, at a multiple of them |
| block | no fewer threads, and no other block that it requires |
| LDS | no fewer bytes |

Hidden arguments are what the runtime gives that launch (`hidden_of`).

The HIP runtime copies each argument to where the metadata say, and refuses other blocks; with `read_only` and
`write_only` it leaves out what keeps memory coherent between kernels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from layoutalg.index import ONE, ZERO, Expr, as_expr
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.container.metadata import Argument as LaidOut
from layoutalg.kernel.program import Program
from layoutalg.symex.machine.arguments import BoundArgument
from layoutalg.symex.values.word import NotReadable

#: Address spaces of a tensor: no other is named, or those of global memory (AMDGPUUsage, "Address Spaces").
_GLOBAL = frozenset({"", "global", "generic"})


def arguments_of(binary: KernelBinary, program: Program) -> Sequence[BoundArgument]:
    """What each of the binary's visible arguments stands for.

    Raises `NotReadable` where the binary takes another launch than the program's.
    """
    refused = binary.metadata.refuses(program.block)
    if refused:
        raise NotReadable(refused)
    if binary.lds_bytes < program.lds_bytes:
        raise NotReadable(f"{binary.lds_bytes} bytes of LDS, the program has {program.lds_bytes}")
    forbidden = {tensor.name: "write_only" for tensor in program.tensors} | {program.target.name: "read_only"}
    wanted = [(tensor.name, None) for tensor in program.tensors] + [("", size) for size in program.sizes]
    if len(wanted) != len(binary.metadata.visible):
        raise NotReadable(f"{binary.name} has other arguments than {program.name}")
    arguments = []
    for (buffer, number), laid_out in zip(wanted, binary.metadata.visible, strict=True):
        kind, size = ("global_buffer", 8) if buffer else ("by_value", program.index_bits // 8)
        if (laid_out.kind, laid_out.size) != (kind, size) or laid_out.offset % size:
            raise NotReadable(f"{binary.name} has other arguments than {program.name}: {_in_words(laid_out)}, and not "
                              f"a {kind} of {size} bytes")  # fmt: skip
        if laid_out.space not in _GLOBAL or forbidden.get(buffer) in laid_out.accesses:
            used = " ".join(sorted({laid_out.space, *laid_out.accesses} - {""}))
            raise NotReadable(f"{binary.name}: {_in_words(laid_out)} is said to be {used}, as {buffer} is not")
        arguments.append(BoundArgument(laid_out.offset, laid_out.size, buffer, number))
    return arguments


def hidden_of(program: Program) -> Mapping[str, Expr]:
    """The hidden arguments of the program's launch, of whole blocks in three dimensions (`isa.run.arguments`)."""
    one = ONE
    found = {"hidden_grid_dims": as_expr(3), "hidden_dynamic_lds_size": ZERO}
    blocks, threads = (*program.launch, one, one), (*program.block, 1, 1)
    for axis, count, size in zip("xyz", blocks, threads, strict=False):
        found |= {f"hidden_block_count_{axis}": count, f"hidden_group_size_{axis}": as_expr(size)}
        found |= {f"hidden_remainder_{axis}": ZERO, f"hidden_global_offset_{axis}": ZERO}
    return found


def _in_words(laid_out: LaidOut) -> str:
    return f"a {laid_out.kind} of {laid_out.size} bytes at byte {laid_out.offset}"
