"""The order in which blocks of a product take its tiles, and what the caches of chiplets must take in for it.

A block's tile needs its rows of a and its columns of b, over all k.  Blocks that run at one time go along k at one
pace; where several of one chiplet share rows or columns, its cache takes these in once:

    taken in = Σ over rounds, chiplets of   the different rows and columns of tiles that its blocks of the round have

where a round is as many blocks as the card holds at a time, dealt to the chiplets in turns.  Blocks are grouped (so
many tiles along m side by side in time), and numbered so that a chiplet's are neighbours (`program.chiplets`).  The
order that takes in the fewest bytes, in the fewest rounds, is found by counting, from sizes and the target's facts.

What it cannot represent: rows that a cache still holds a round later, blocks that end out of step.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from layoutalg.index import Expr, array, as_expr, extent_of, prod, var
from layoutalg.kernel.library.plans import Plan, ProblemShape, plan_for, tables
from layoutalg.kernel.program.chiplets import chiplet_order
from layoutalg.layout import LayoutError, PassThrough, TensorAdaptor, Unmerge, make_single_stage_tensor_adaptor
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass
from layoutalg.target import Target
from layoutalg.target.dtypes import dtype_of
from layoutalg.target.known import builds

with lazy_imports():
    import numpy as np
    import numpy.typing as npt

GROUPS = (1, 2, 4, 8, 16)
"""Tiles along m that may be side by side in time: powers of two, by which block numbers are taken apart in shifts."""


def blocks(counts: Sequence[Expr], group: int) -> tuple[tuple[Expr, ...], TensorAdaptor]:
    """The grid, fastest index first, and its map to tile numbers (g, m, n), of so many tiles each.

    Blocks that run at one time share rows and columns of tiles, and so what L2 holds: n fastest, or first so many m.
    """
    grid: tuple[Expr, ...]
    if group == 1:
        grid = (var("bn", counts[2]), var("bm", counts[1]), var("bg", counts[0]))
        return grid, make_single_stage_tensor_adaptor(
            [PassThrough(c) for c in counts], [[0], [1], [2]], [[2], [1], [0]]
        )
    groups = (counts[1] + (group - 1)) // group
    grid = (var("bi", group), var("bn", counts[2]), var("bm", groups), var("bg", counts[0]))
    maps = [PassThrough(counts[0]), Unmerge((groups, as_expr(group))), PassThrough(counts[2])]
    return grid, make_single_stage_tensor_adaptor(maps, [[0], [1], [2]], [[3], [2, 0], [1]])


def launched_tiles(counts: tuple[int, int, int], group: int = 1, chiplets: int = 1) -> npt.NDArray[np.int64]:
    """The tile (g, m, n) of each launched block, in columns; m may be beyond the last, where a group is not whole.

    >>> launched_tiles((1, 3, 2), group=2)[1:].tolist()
    [[0, 1, 0, 1, 2, 3, 2, 3], [0, 0, 1, 1, 0, 0, 1, 1]]
    """
    grid, tiles = blocks(tuple(map(as_expr, counts)), group)
    extents = tuple(map(extent_of, grid))
    launched = var("launched", prod(extents))
    rest, index = chiplet_order(launched, prod(extents), chiplets), list[Expr]()
    for extent in extents:
        index.append(rest % extent)
        rest = rest // extent
    every = np.arange(int(launched.hi) + 1)
    return np.stack([np.broadcast_to(found, every.shape) for found in array(tiles.lower(index), {launched: every})])


@dataclass(frozen=True)
class CacheFill:
    """What the caches of a card's chiplets take in for a product: rows of tiles of a, columns of tiles of b; rounds."""

    rows: int
    columns: int
    rounds: int

    @property
    def tiles(self) -> int:
        """Rows and columns of tiles."""
        return self.rows + self.columns

    def bytes(self, tile: tuple[int, int], k: int, element: int) -> int:
        """Bytes of operands of so many k, of elements of so many bytes, in tiles of so many rows and columns."""
        return (self.rows * tile[0] + self.columns * tile[1]) * k * element


def cache_fill(tiles: npt.NDArray[np.int64], counts: tuple[int, int, int], chiplets: int, at_once: int) -> CacheFill:
    """What caches take in where block b of a launch has the tile (g, m, n) = tiles[:, b], and so many run at once.

    >>> counts = (1, 32, 32)  # 4096 × 4096 in tiles of 128, on 8 chiplets, 1216 blocks at a time
    >>> [cache_fill(launched_tiles(counts, *order), counts, 8, 1216).tiles for order in ((1, 1), (2, 1), (8, 8))]
    [288, 192, 192]
    """
    g, m, n = tiles
    launched = np.arange(tiles.shape[1])
    cache = launched // at_once * chiplets + launched % chiplets
    there = m < counts[1]
    rows = ((cache * counts[0] + g) * counts[1] + m)[there]
    columns = ((cache * counts[0] + g) * counts[2] + n)[there]
    return CacheFill(np.unique(rows).size, np.unique(columns).size, -(-tiles.shape[1] // at_once))


def order_name(plan: Plan) -> str:
    """What names say of the order; empty where it is the usual one, or another part of the name says it."""
    grouped = f"_group{plan.group}" if plan.group > 1 and not plan.direct else ""
    return f"{grouped}_chiplets{plan.chiplets}" if plan.chiplets > 1 else grouped


def at_once(plan: Plan, gpu: Target) -> int:
    """Blocks of a plan that a target's card holds at a time: by LDS, waves, and the registers of its tiles alone."""
    if gpu.unit is None or not gpu.cards:
        raise LayoutError(f"{gpu.name}: how many blocks a card of it holds is not known")
    element = dtype_of(plan.instruction.a_dtype).bytes
    loaded = 0 if plan.direct else (plan.m + plan.n) * plan.k // plan.threads
    operands = sum(int(prod(plan.operand(role).ys).lo) for role in "ab") + loaded
    sums = plan.m * plan.n // plan.threads
    registers = sums + -(-operands * element // 4)
    lds = plan.stages * (plan.m + plan.n) * plan.k * element
    return gpu.cards[0].units * max(1, gpu.unit.resident(-(-plan.threads // gpu.wave_size), lds, registers))


def ordered(usual: Plan, target: str, sizes: ProblemShape) -> Plan:
    """A plan whose blocks are launched in the order that takes the fewest bytes into a card's chiplets, by count.

    Of a target whose card has one chiplet, or is not known, and of tiles in turns, the plan; of whole tiles an order
    that has them; tiles that go straight to LDS and are not whole have no groups, of which blocks behind the last row
    would begin further from a tensor's start than a load can reach.

    >>> from layoutalg.kernel.library.plans import plan_for
    >>> for n in (4096, 4224, 8192):
    ...     plan = ordered(plan_for("gfx942", "f16"), "gfx942", ProblemShape((4096, n, 4096), (4096, n, 4096)))
    ...     print(plan.group, plan.chiplets)
    2 1
    8 8
    1 1
    """
    gpu = builds().get(target)
    dealt = gpu.cards[0].chiplets if gpu and gpu.cards else 1
    if gpu is None or gpu.unit is None or dealt == 1 or usual.persistent:
        return usual
    m, n, _ = sizes.lengths
    counts, many = (sizes.batches, -(-m // usual.m), -(-n // usual.n)), at_once(usual, gpu)

    def cost(plan: Plan) -> tuple[int, int]:
        fill = cache_fill(launched_tiles(counts, plan.group, plan.chiplets), counts, dealt, many)
        return fill.rounds, fill.bytes((plan.m, plan.n), 1, 1)

    groups = GROUPS[:1] if usual.straight and not usual.whole else GROUPS
    orders = (replace(usual, group=group, chiplets=chiplets) for chiplets in (1, dealt) for group in groups)
    return min((plan for plan in orders if not plan.whole or sizes.whole(plan)), key=cost)


def parts_for(target: str, plan: Plan, sizes: ProblemShape, length: int) -> int:
    """Into how many parts a sum is cut so that blocks fill the card: the rule of products.toml, 1 where there is none.

    A power of two that leaves whole tiles of k, of a sum whose first length is `length`.
    """
    parts, k = 1, sizes.lengths[2]
    for rule in tables()["split"]:
        if target in rule["targets"] and plan.boxes:
            while (
                sizes.blocks(plan) * parts * 2 <= rule["blocks"]
                and k // (parts * 2) >= rule["least"]
                and k % (plan.k * parts * 2) == length % (parts * 2) == 0
            ):
                parts *= 2
    return parts


def plan_name(plan: Plan, dtype: str) -> str:
    """The instruction, and what tells plans with it apart."""
    name, usual = plan.instruction.name, plan_for(plan.target, dtype)
    if plan.direct or (plan.m, plan.n, plan.k) != (usual.m, usual.n, usual.k):
        cut = f"{plan.m}x{plan.n}x{plan.k}{'_whole' if plan.whole else ''}{plan.ring}"
        return f"{instruction_name(name)}_{cut}{order_name(plan)}"
    return f"{instruction_name(name)}{order_name(plan)}"


def instruction_name(name: str) -> str:
    if not name.startswith(("mma.sync", "wgmma")):
        return name.split("_f32_")[0]
    shape = next(part for part in name.split(".") if re.fullmatch(r"m\d+n\d+k\d+", part))
    return f"{shape}_{name.split('.')[-2]}"
