"""The order of a product's blocks by count: what the L2s of the chiplets take in, of CK Tile's orders and of ours.

    python -m benchmarks.ck.orders CK [--target gfx942]

`CK` is a folder of composable_kernel.  Each of CK's orders is its own code, compiled for the target and carried out for
every block (`GetOutputTileIndex` of the partitioner, by the executor); ours is the map of the program that the library
makes for the sizes.  Counted are different rows and columns of tiles of each chiplet's blocks, round by round
(`layoutalg.kernel.library.block_order`), of our plan's tile and blocks at a time for all.  No GPU is needed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from layoutalg.device.compile import compile_source
from layoutalg.errors import LayoutError
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.kernel.library.block_order import at_once, cache_fill, launched_tiles, ordered
from layoutalg.kernel.library.plans import Plan, ProblemShape, enlarged, plan_for, ranged
from layoutalg.target import target as gpu

SIZES = ((4096, 4096), (4096, 4224), (4096, 8192), (4096, 11008), (8192, 8192), (2048, 5120), (4224, 4224))
PARTITIONERS = {
    "CK 1D": "ck_tile::GemmTile1DPartitioner<Tile>",
    "CK spatially local, 8, 4": "ck_tile::GemmSpatiallyLocalTilePartitioner<Tile, 8, 4>",
}
SOURCE = """#include "ck_tile/core.hpp"
#include "ck_tile/ops/gemm/kernel/gemm_tile_partitioner.hpp"
struct Tile {{ static constexpr int kM = {m}, kN = {n}, kK = 32; }};
extern "C" __global__ void tiles(int* row, int* column, int m, int n) {{
    const auto found = {partitioner}{{m, n}}.GetOutputTileIndex(blockIdx.x);
    row[blockIdx.x] = found[ck_tile::number<0>{{}}];
    column[blockIdx.x] = found[ck_tile::number<1>{{}}];
}}
"""


def of_ck(partitioner: str, plan: Plan, target: str, ck: Path) -> MachineCode:
    """The kernel that writes down the tile of each block."""
    text = SOURCE.format(m=plan.m, n=plan.n, partitioner=partitioner)
    return decode_kernel(read_kernels(compile_source(text, target, include=(ck / "include",)).payload)["tiles"])


def carried_out(code: MachineCode, counts: tuple[int, int, int], m: int, n: int) -> npt.NDArray[np.int64]:
    """The tile (g, m, n) of each block, in columns."""
    blocks = counts[1] * counts[2]
    run = execute(code, (blocks,), (1,), (np.full(blocks, -1, np.int32), np.full(blocks, -1, np.int32), m, n))
    row, column = (np.asarray(one, dtype=np.int64) for one in run.outputs)
    if not np.array_equal(np.sort(row * counts[2] + column), np.arange(blocks)):
        raise LayoutError("its blocks have not each tile once")
    return np.stack([np.zeros(blocks, np.int64), row, column])


def rows(target: str, ck: Path) -> Iterator[Sequence[object]]:
    """A line of the table for each of the sizes, k being 4096."""
    usual, chiplets = ranged(plan_for(target, "f16"), target), gpu(target).cards[0].chiplets
    for m, n in SIZES:
        sizes = ProblemShape((m, n, 4096), (m, n, 4096))
        plan = ordered(enlarged(usual, target, sizes), target, sizes)
        counts, many = (1, -(-m // plan.m), -(-n // plan.n)), at_once(plan, gpu(target))
        orders = {name: carried_out(of_ck(text, plan, target, ck), counts, m, n) for name, text in PARTITIONERS.items()}
        orders["ours"] = launched_tiles(counts, plan.group, plan.chiplets)
        fills = [cache_fill(tiles, counts, chiplets, many) for tiles in orders.values()]
        mib = [fill.bytes((plan.m, plan.n), 4096, 2) / (1 << 20) for fill in fills]
        named = f"groups of {plan.group}" + (f", dealt to {plan.chiplets}" if plan.chiplets > 1 else "")
        told = [f"{fill.tiles} ({size:g})" for fill, size in zip(fills, mib, strict=True)]
        yield (target, f"{m}×{n}", f"{plan.m}×{plan.n}", many, fills[-1].rounds, *told, named)


HEAD = ("target", "m × n", "tile", "blocks at a time", "rounds", *PARTITIONERS, "ours", "our order")


def main(arguments: Sequence[str]) -> int:
    """Prints the table: rows and columns of tiles taken in, and MiB of operands."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ck", type=Path)
    parser.add_argument("--target", nargs="+", default=["gfx942", "gfx950"])
    given = parser.parse_args(arguments)
    for line in (HEAD, ["---"] * len(HEAD)):
        print(f"| {' | '.join(line)} |")
    for target in given.target:
        for cells in rows(target, given.ck):
            print(f"| {' | '.join(map(str, cells))} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
