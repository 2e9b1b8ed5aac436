"""The inner loops of matrix products by count: CK Tile's GEMM beside ours, of the same tile and element type.

    python -m benchmarks.ck.loops [CK] [--targets gfx942 gfx950] [--dtypes fp16] [--layout rcr] [--tiles …]

`CK` is a folder of composable_kernel (`python -m tests.composable_kernel` fetches one); without it the table is of ours
alone.  Each kernel is compiled, run once on small integers by the executor, which prices its LDS accesses, and its
inner loop counted (`layoutalg.audit.figures.inner`); no GPU is needed.  CK's is the kernel whose loop over K turns
often, without padding.  Ours is proved first, for all sizes, as a program and as the machine code that is counted.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from layoutalg.audit.figures.inner import InnerLoop, inner_loop
from layoutalg.ck.gemm import Gemm, asked
from layoutalg.ck.launched import Launched, gemm_source
from layoutalg.ck.space import Configuration, Tile
from layoutalg.device.compile import compile_source
from layoutalg.errors import DeviceError, LayoutError
from layoutalg.formats.spec import loads
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from layoutalg.isa.run.launch import Execution, execute
from layoutalg.isa.semantics.accesses import ACCESSES
from layoutalg.kernel.emit import emit
from layoutalg.kernel.library import plans
from layoutalg.kernel.library.contraction import contraction_task
from layoutalg.kernel.library.plans import packed, plan_for
from layoutalg.kernel.obligations.limits import too_large
from layoutalg.kernel.verify import verify
from layoutalg.launch.concrete import bound
from layoutalg.launch.report import address_of
from layoutalg.refine.refinement import prove_binary
from layoutalg.refine.trial import attempt, make_case
from layoutalg.target import target as gpu
from layoutalg.target.dtypes import element_type
from layoutalg.target.elements import numbers, stored
from layoutalg.target.known import formats_of

TILES = ("128x128x32_2x2x1_32x32x16", "128x128x64_2x2x1_32x32x16", "256x256x32_2x2x1_32x32x16",
         "256x256x64_2x2x1_32x32x16")  # fmt: skip
PIPELINES = ("compv3", "compv4", "comp_async")
OURS = {"fp16": "f16", "bf16": "bf16", "fp8": "f8"}
CUTS = (
    ((2, 2), (2, 2), 32, 2), ((2, 2), (2, 2), 32, 1), ((2, 2), (2, 2), 64, 2), ((2, 2), (2, 2), 64, 1),
    ((2, 2), (4, 2), 32, 2), ((2, 2), (4, 2), 32, 1), ((4, 4), (2, 2), 32, 1), ((4, 4), (2, 2), 64, 1),
    ((4, 2), (2, 4), 32, 2), ((4, 2), (2, 4), 64, 2), ((4, 2), (2, 4), 64, 1),
)  # fmt: skip
"""Of ours: how often a wave repeats the instruction, and waves, along m and n; the tile's k (of 16 bits), slots."""
RESULTS = {"fp8": "f16"}
"""Of which CK's results are of another type."""
STRAIGHT = (((2, 2), (2, 2), 32, 2), ((2, 2), (2, 2), 64, 2), ((2, 2), (4, 2), 32, 2), ((4, 2), (2, 4), 32, 2),
            ((4, 2), (2, 4), 64, 2))  # fmt: skip
"""Of those whose tiles go straight to LDS: of whole tiles, as CK's are, and of sizes that the tile does not divide."""
Cut = tuple[tuple[int, int], tuple[int, int], int, int]
TURNS = 5
"""Of the loop over K, in a run."""


@dataclass(frozen=True)
class Row:
    """A kernel's inner loop, or why there is none."""

    who: str
    tile: tuple[int, int, int]
    loop: InnerLoop | None
    why: str = ""


def measured(code: MachineCode, run: Execution, threads: int) -> InnerLoop | None:
    """The inner loop, its LDS accesses priced by a run: cycles of all waves of a block, each once."""
    waves = threads // code.kernel.wave_size
    priced: dict[int, int] = {}
    for one in run.lds:
        name = code.by_address[address_of(one.where)].name
        both = 2 if ACCESSES[name].pair_step else 1  # of two addresses: two accesses
        if one.accesses and not one.unpriced:
            priced[address_of(one.where)] = one.cycles * both * waves // one.accesses
    return inner_loop(code, waves, priced)


def of_ck(tile: Tile, pipeline: str, dtype: str, target: str, layout: str, include: tuple[Path, ...]) -> Row:
    """CK Tile's kernel."""
    try:
        gemm = Gemm(Configuration(dtype, layout, tile, pipeline))
        said = asked(gemm, target, include)
        source = gemm_source(gemm, said, TURNS, Launched(tile.block[0]))
        ((name, text),) = source.launches.items()
        code = decode_kernel(read_kernels(source.compiled(target, include))[name])
        file = loads(text, "launch.toml")
        given = bound(file, code.kernel.metadata, {"M": tile.block[0], "N": tile.block[1], "J": 1}, {}, {})
        kind, formats = element_type(dtype), formats_of(target)
        if kind.formats:  # any byte is drawn: sums of such are not exact
            for one in (given.tensors["a"], given.tensors["b"]):
                drawn = np.random.default_rng(0).integers(-3, 4, one.buffer.array.shape)
                one.buffer.array[...] = stored(drawn.astype(np.float32), kind, formats)
        a, b = (given.tensors[name] for name in "ab")
        x, y = (numbers(one.read(one.buffer.array), kind, formats).astype(np.float64) for one in (a, b))
        run = execute(code, given.grid, given.block, given.arguments, lds=given.lds)
        after = {one.name: one.read(array) for one, array in zip(given.passed, run.outputs, strict=True)}
        if not np.array_equal(after["c"].astype(np.float64), x @ (y.T if layout == "rcr" else y)):
            raise LayoutError("its run does not give the product")
        return Row(f"CK {pipeline}", tile.block, measured(code, run, said.threads))
    except (DeviceError, LayoutError) as error:
        return Row(f"CK {pipeline}", tile.block, None, told(error))


def of_ours(cut: Cut, dtype: str, target: str, layout: str, straight: bool = False, whole: bool = False) -> Row:
    """Ours, of operands along k, or b along n; of sizes that no tile divides, or of whole tiles straight to LDS."""
    usual, (repeats, waves, words, slots) = plan_for(target, OURS[dtype]), cut
    deep = 2 * words // element_type(dtype).bytes
    plan = replace(usual, repeats=repeats, waves=waves, k=deep, step=deep, ranged=True, stages=slots)
    plan = packed(plan) if layout == "rcr" else plan
    plan = plans.copied(usual, plans.Cut(repeats, waves, deep, slots, whole=whole)) if straight else plan
    how = f"straight to LDS{'' if whole else ', any sizes'}" if straight else f"{slots} slot{'s'[: slots - 1]}"
    who, tile = f"ours, {waves[0] * waves[1]} waves, {how}", (plan.m, plan.n, plan.k)
    less, rest = (0, 0) if whole else (8, plan.wide)
    m, n, k = plan.m - less, plan.n - less, plan.turn * TURNS - rest
    own, result = OURS[dtype], RESULTS.get(dtype)
    einsum, b = ("mk,nk->mn", (n, k)) if layout == "rcr" else ("mk,kn->mn", (k, n))
    task = contraction_task(einsum, (m, k), b, own, result=result, target=target, plan=plan)
    program = task.program
    try:
        if large := too_large(program, gpu(target)):
            raise LayoutError(f"it takes {large}")
        code = decode_kernel(read_kernels(compile_source(emit(verify(program), target), target).payload)[program.name])
        if not (proved := prove_binary(code, program)).proved:
            raise LayoutError(f"its machine code is {proved.name}")
        case = make_case(program, {s: task.sizes[s.value.name] for s in program.sizes}, formats=formats_of(target))
        if not (found := attempt(code, program, case)).exact:
            raise LayoutError("its run does not give the product")
        return Row(who, tile, measured(code, found.execution, plan.threads))
    except (DeviceError, LayoutError) as error:
        return Row(who, tile, None, told(error))


def told(error: Exception) -> str:
    """Why there is no loop, in a cell."""
    return re.sub(r"/\S*/", "", str(error).splitlines()[0])[:160]


HEAD = ("target", "type", "tile", "kernel", "instructions", "MFMA", "share", "LDS loads", "LDS stores", "to LDS",
        "memory loads", "spill accesses", "waits", "for all loads", "barriers", "vector", "scalar", "VGPRs",
        "of them acc.", "scratch", "waves a SIMD", "LDS : MFMA cycles", "bytes : kMAC", "bound of a tile", "by",
        "MFMA busy at most")  # fmt: skip


def cells(row: Row, dtype: str, target: str) -> Sequence[object]:
    """A line of the table; a tile is 128 × 128 × 32 products whatever the block's is."""
    tile = "×".join(map(str, row.tile))
    loop = row.loop
    if loop is None:
        return (target, dtype, tile, row.who, row.why or "no loop", *[""] * (len(HEAD) - 5))
    kinds, said, unit = loop.kinds, loop.code.kernel.metadata, gpu(target).unit
    resident = loop.resident * loop.waves / unit.simds if unit else 0
    bounds = loop.bounds
    worst = max(bounds, key=lambda name: bounds[name])
    part = 128 * 128 * 32 / loop.macs
    return (
        target, dtype, tile, row.who, len(loop.instructions), kinds["matrix"],
        f"{kinds['matrix'] / len(loop.instructions):.0%}", kinds["LDS load"], kinds["LDS store"],
        kinds["memory to LDS"], kinds["memory load"], kinds["scratch load"] + kinds["scratch store"], kinds["wait"],
        loop.drained, kinds["barrier"], kinds["vector"] + kinds["accumulator move"], kinds["scalar"] + kinds["branch"],
        said.vgprs, said.agprs, said.scratch_bytes, f"{resident:g}",
        f"{bounds['lds'] / bounds['matrix']:.2f}{' and more' if loop.unpriced else ''}",
        f"{1000 * loop.loaded / loop.macs:.2f}", f"{bounds[worst] * part:.0f}", worst,
        f"{bounds['matrix'] / bounds[worst]:.0%}",
    )  # fmt: skip


def rows(target: str, dtype: str, layout: str, tiles: Sequence[str], ck: Path | None) -> Iterator[Sequence[object]]:
    """The lines of a target and type, by tile: CK's before ours."""
    asked_for = [(Tile.parse(text), pipeline) for text in tiles for pipeline in PIPELINES]
    found = [of_ck(*one, dtype, target, layout, (ck / "include",)) for one in asked_for] if ck else []
    found += [of_ours(cut, dtype, target, layout) for cut in CUTS]
    straight = target == "gfx950" and element_type(dtype).bytes == 2
    ways = (True, False) if layout == "rcr" else (True,)  # of b along n a tile may begin out of reach
    found += [of_ours(cut, dtype, target, layout, True, whole) for cut in STRAIGHT for whole in ways if straight]
    return (cells(row, dtype, target) for row in sorted(found, key=lambda row: row.tile))


def main(arguments: Sequence[str]) -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ck", type=Path, nargs="?")
    parser.add_argument("--targets", nargs="+", default=["gfx942", "gfx950"])
    parser.add_argument("--dtypes", nargs="+", default=["fp16"], choices=list(OURS))
    parser.add_argument("--layout", default="rcr", choices=["rcr", "rrr"], help="rows or columns: A, B, C")
    parser.add_argument("--tiles", nargs="*", default=list(TILES))
    given = parser.parse_args(arguments)
    for line in (HEAD, ["---"] * len(HEAD)):
        print(f"| {' | '.join(line)} |")
    for target in given.targets:
        for dtype in given.dtypes:
            for line in rows(target, dtype, given.layout, given.tiles, given.ck):
                print(f"| {' | '.join(str(cell).replace('|', '/') for cell in line)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
