"""What a launch may ask of every target that the library's programs are for: LDS, threads, blocks, bytes of a vector.

| limit                              | value        | source                                                  |
|------------------------------------|--------------|---------------------------------------------------------|
| LDS of a block, threads of a block | the target's | `layoutalg.target`                                      |
| blocks in x                        | 2³¹ − 1      | CUDA C++ Programming Guide, compute capabilities        |
| blocks in y and in z               | 65535        | the same                                                |
| threads in z                       | 64           | the same                                                |
| blocks × threads in one dimension  | 2³² − 1      | HIP runtime API reference, hipModuleLaunchKernel        |
| bytes of a vector access           | 16           | global_load_dwordx4, ds_read_b128; PTX's ld.v4.b32      |

Each holds on the others too, being the least.  A vector access needs tensors whose first element lies at a multiple of
16 bytes, as every allocation's does.
"""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.index import TRUE, Expr, all_of, any_of, as_expr, eq, prod
from layoutalg.index.conditions import with_limits_as_sizes
from layoutalg.kernel.access.matrix_loads import matrix_load
from layoutalg.kernel.obligations.base import Requirement, fits
from layoutalg.kernel.obligations.occupancy import occupancy, waves_of
from layoutalg.kernel.program import (
    BoxCopy,
    Exchange,
    Fold,
    GlobalAccess,
    LoadShared,
    MemoryAccess,
    Multiply,
    Program,
    Tensor,
)
from layoutalg.kernel.program.fragments import FMA, one_of
from layoutalg.kernel.program.tiles import ALIGNMENT
from layoutalg.layout import LayoutError
from layoutalg.prove import ForAll, Shown
from layoutalg.target import Target, target, target_names
from layoutalg.target.known import builds, having

BLOCKS = ((1 << 31) - 1, 65535, 65535)
WORK_ITEMS = (1 << 32) - 1
THREADS_Z = 64
VECTOR_BYTES = (2, 4, 8, 16)


def limits(program: Program) -> Iterator[Requirement]:
    """The launch, the block and its LDS fit; every vector is one access."""
    targets = targets_of(program)
    bits = program.index_bits
    yield from fits(f"sizes fit {bits} bits", program.sizes, bits, program.requires)
    yield from _lds(program, targets)
    yield from _threads(program, targets)
    yield from _blocks(program)
    yield from occupancy(program, targets)
    for number, s in program.statements():
        if isinstance(s, MemoryAccess) and s.vector is not None:
            size = as_expr(s.width * s.memory.dtype.bytes)
            goal = any_of(*(eq(size, n) for n in VECTOR_BYTES))
            one = ForAll("a vector is 2, 4, 8 or 16 bytes", goal, TRUE, (Shown("bytes", (size,)),))
            yield Requirement(f"{number}: a vector of {s.memory.name} is one access", one)


def alignment_of(program: Program, tensor: Tensor) -> int:
    """Bytes at whose multiple a tensor must begin: 16 where it is accessed in vectors or boxes, else its element's."""
    wide = any(s.tensor == tensor and s.vector is not None for s in program.of(GlobalAccess))
    wide |= any(s.load.tensor == tensor for s in program.of(BoxCopy))
    return ALIGNMENT if wide else tensor.dtype.bytes


def targets_of(program: Program) -> tuple[Target, ...]:
    """The library's targets that have all of the program's matrix instructions; all that have, where it is for none."""
    able = [name for name in target_names() if not lacks(program, name)]
    if not able:
        raise LayoutError(f"{program.name}: no target has all of its instructions")
    own = [name for name in able if target(name).library]
    return tuple(map(target, own or able))


def lacks(program: Program, target: str) -> str:
    """What a target does not have of a program's instructions, and who has it; empty where it has all.

    >>> from layoutalg.kernel.library.contraction import contraction
    >>> from layoutalg.kernel.library.einsum import parse_einsum
    >>> lacks(contraction(parse_einsum("ik,jk->ij"), "f16", target="gfx950"), "gfx1100")
    'mfma_f32_32x32x16_f16; gfx950 have it'
    """
    needed = {s.instruction.name: having(one_of(s.instruction).name) for s in program.of(Multiply)}
    needed |= {s.by: matrix_load(s).targets for s in program.of(LoadShared) if s.by}
    if any(program.of(BoxCopy)):
        needed["copies of boxes"] = tuple(n for n, gpu in builds().items() if gpu.vendor == "nvidia")
    if any(program.of(Exchange)) or any(s.lanes for s in program.of(Fold)):
        needed["exchanges of lanes"] = tuple(n for n, gpu in builds().items() if gpu.vendor in ("amd", "nvidia"))
    found = ((name, there) for name, there in needed.items() if name != FMA.name and target not in there)
    return next((f"{name}; {', '.join(there)} have it" for name, there in found), "")


def too_large(program: Program, gpu: Target) -> str:
    """Why a target cannot run blocks of a program; empty where it can.

    >>> from layoutalg.kernel.library.transpose import lds_transpose
    >>> too_large(lds_transpose(), target("gfx942"))
    ''
    """
    threads, lds = int(prod(program.block)), program.aligned_lds_bytes
    asked = {"bytes of LDS": (lds, gpu.lds_bytes), "threads": (threads, gpu.max_workgroup)}
    if gpu.unit:
        asked["waves"] = waves_of(program, gpu), gpu.unit.simds * gpu.unit.waves
        asked["bytes of a unit's LDS"] = lds + gpu.unit.kept, gpu.unit.lds
    return ", ".join(f"{needs} {what} of {has}" for what, (needs, has) in asked.items() if needs > has)


def _lds(program: Program, targets: tuple[Target, ...]) -> Iterator[Requirement]:
    if program.shared:
        used = as_expr(program.aligned_lds_bytes)
        least = min(targets, key=lambda gpu: gpu.lds_bytes)
        most = least.lds_bytes
        few = ForAll(f"at most {most} bytes, which {least.name} has", used <= most, TRUE, (Shown("bytes", (used,)),))
        yield Requirement(f"LDS: {program.lds_bytes} bytes of {most}", few)


def _threads(program: Program, targets: tuple[Target, ...]) -> Iterator[Requirement]:
    block = tuple(map(as_expr, program.block))
    most = min(t.max_workgroup for t in targets)
    goal = all_of(prod(block) <= most, block[2] <= THREADS_Z)
    shown = (Shown("threads", block),)
    yield Requirement("threads of a block", ForAll(f"at most {most} threads, {THREADS_Z} in z", goal, TRUE, shown))


def _blocks(program: Program) -> Iterator[Requirement]:
    for axis, blocks, threads, most in zip("xyz", program.launch, program.block, BLOCKS, strict=False):
        limit = min(most, WORK_ITEMS // threads)
        goal = all_of(_at_least_one(blocks, program), _at_most(blocks, limit, program))
        counted = ForAll(f"1 to {limit} blocks", goal, program.requires, (Shown("blocks", (blocks,)),))
        yield Requirement(f"blocks in {axis}: what a launch can have", counted)


def launchable(blocks: Expr, threads: int) -> Expr:
    """What must be assumed so that so many blocks can be launched in one row: TRUE where ranges say it.

    >>> from layoutalg.index import symbol
    >>> launchable(symbol("N", max=1 << 20), 256), launchable(symbol("N"), 256)
    (1, N <= 16777215)
    """
    limit = min(BLOCKS[0], WORK_ITEMS // threads)
    return TRUE if blocks.hi <= limit else blocks <= limit


def _at_least_one(blocks: Expr, program: Program) -> Expr:
    return TRUE if with_limits_as_sizes(blocks, program.requires).lo >= 1 else blocks >= 1


def _at_most(blocks: Expr, limit: int, program: Program) -> Expr:
    return TRUE if with_limits_as_sizes(blocks, program.requires).hi <= limit else blocks <= limit
