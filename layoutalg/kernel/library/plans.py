"""How a product of matrices is cut into tiles: for each target and element type the instruction, the waves, the sizes.

| for              | instruction                 | block's tile    | waves (m × n) | repeats | said by               |
|------------------|-----------------------------|-----------------|---------------|---------|-----------------------|
| MFMA of f16      | mfma 32×32×8                | 128 × 128 × 32  | 2 × 2         | 2 × 2   | the target's file     |
| MFMA of f8       | mfma 32×32×16, 64 on gfx950 | 128 × 128 × 64  | 2 × 2         | 2 × 2   | the target's file     |
| WMMA of f16      | wmma 16×16×16, wave32       | 128 × 128 × 32  | 2 × 4         | 4 × 2   | the target's file     |
| mma.sync of f16  | mma.sync m16n8k16, packed   | 128 × 128 × 32  | 2 × 2         | 4 × 8   | the target's file     |
| … in vectors     | two mma.sync m16n8k16       |                 |               |         | `products.toml`       |
| MFMA, many tiles | as above, packed along k    | 256 × 256 × 32  | 2 × 4         | 4 × 2   | `products.toml`       |
| all others, cpu  | fma, 4 × 4 results a thread | 64 × 64 × 16    | 16 × 16 lanes | 4 × 4   | here                  |
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from layoutalg.index import Expr, prod, var
from layoutalg.kernel.program import LOADERS
from layoutalg.kernel.program.fragments import FMA, Factor, Outer, along_k, encoded, fragment_tile, lane_by_lane, paired
from layoutalg.layout import LayoutError, TileDistribution
from layoutalg.records import dataclass
from layoutalg.target.dtypes import DTYPES, dtype_of
from layoutalg.target.known import builds
from layoutalg.target.matrix import matrix_instruction
from layoutalg.target.operand import MatrixInstruction

WGMMA = "wgmma.mma_async.sync.aligned.m64n{}k16.f32.{{0}}.{{0}}"
"""An instruction that takes its operands from LDS, of so many columns; {0}: the element type."""


@dataclass(frozen=True)
class Plan:
    """The tiles of a product: an instruction, how often a wave repeats it along m and n, the waves, the tile's k.

    `step` is the k that registers hold at a time; `target` is what LDS layouts are chosen for ("": none in particular).
    `packed`: a step's k are shared out so that a lane reads its own of all fragments at once (see `fragment_tile`).
    `direct`: tiles are copied to LDS without passing through registers (`pipeline`).
    `stages`: a tile's slots in LDS, which are used in turns.
    `group`: so many tiles along m are side by side in time (`block_order.blocks`).
    `whole`: sizes are multiples of the tiles, so that nothing is guarded.
    `through`: results of 16 bits go through LDS, for stores of 16 bytes along the rows; `exchanged`: from lane to lane.
    `boxes`: copies are of boxes, by a thread beside those that multiply (`obligations.ring`), `resident` blocks of them
    on a processor; `persistent`: so many blocks are launched, which compute tiles in turns (0: a block a tile).
    `chiplets`: to how many chiplets blocks are dealt (`Program.chiplets`).
    `scaled`: a and b have scales of blocks of k, which lie as the instruction takes them.
    `ranged`: guards of loads to registers are ranges that an instruction checks, of tensors of at most 2³¹ bytes.
    """

    instruction: MatrixInstruction
    repeats: tuple[int, int]
    waves: tuple[int, int]
    k: int
    step: int
    target: str = ""
    packed: bool = False
    direct: bool = False
    stages: int = 2
    group: int = 1
    whole: bool = False
    through: bool = False
    exchanged: bool = False
    boxes: bool = False
    resident: int = 1
    persistent: int = 0
    ranged: bool = False
    chiplets: int = 1
    scaled: bool = False

    @property
    def collective(self) -> bool:
        """Whether a wave reads its fragments together (`matrix_loads`)."""
        return self.direct and self.instruction.name.startswith("mma.sync")

    @property
    def straight(self) -> bool:
        """Whether a wave's loads go straight to LDS, lane after lane (`StraightCopy`)."""
        return self.direct and self.instruction.name.startswith("mfma")

    @property
    def turn(self) -> int:
        """The k of a turn of the loop: of all slots, where each has statements of its own."""
        return self.k * self.stages if self.straight else self.k

    @property
    def in_lds(self) -> bool:
        """Whether products take their operands from LDS."""
        return self.instruction.operands_in_lds

    @property
    def m(self) -> int:
        """Rows of a block's tile."""
        return self.repeats[0] * self.waves[0] * self.instruction.m

    @property
    def n(self) -> int:
        """Columns of a block's tile."""
        return self.repeats[1] * self.waves[1] * self.instruction.n

    @property
    def threads(self) -> int:
        """Threads of a block that multiply."""
        return self.waves[0] * self.waves[1] * self.instruction.wave

    @property
    def ring(self) -> str:
        """What names say of how boxes are copied; empty where none are."""
        turns = f"_persistent{self.persistent}" if self.persistent else ""
        return f"_ring{self.stages}{turns}{'_exchanged' if self.exchanged else ''}" if self.boxes else ""

    @property
    def launched(self) -> int:
        """Threads of a block, those that copy boxes too."""
        return self.threads + (LOADERS if self.boxes else 0)

    @property
    def plain(self) -> bool:
        """Whether each lane multiplies for itself."""
        return self.instruction.wave == 1

    @property
    def run(self) -> int:
        """How many consecutive k of one row a lane takes at once: what its LDS reads are wide."""
        elements = int(self.instruction.a.element.hi) + 1
        if self.packed:
            tile = self.operand("a")
            return int(prod([tile.ys[y] for y in along_k(tile)]))
        if self.plain or elements == 1:
            return 1
        return 2 if "mma.sync" in self.instruction.name else min(self.wide, elements)

    @property
    def wide(self) -> int:
        """How many of a's elements 16 bytes are."""
        return 128 // dtype_of(self.instruction.a_dtype).bits

    @property
    def k_runs(self) -> bool:
        """Whether fragments hold runs along k, so that LDS tiles are rows of k; else they are rows of m (or n)."""
        return self.run > 1

    def accumulators(self) -> TileDistribution:
        """Of (g, m, n)."""
        if self.plain:
            return lane_by_lane("c", self.waves, self.repeats)
        first, second = (Outer(r, w) for r, w in zip(self.repeats, self.waves, strict=True))
        return fragment_tile(self.instruction.d, "c", first, second)

    def operand(self, role: str, widest: int = 0) -> TileDistribution:
        """Of (g, m, k) for "a", of (g, n, k) for "b", over a step of k; runs of so many k, or 16 bytes."""
        side, other = (0, 1) if role == "a" else (1, 0)
        if self.plain:
            return lane_by_lane(role, self.waves, self.repeats, self.step)
        one = self.instruction.scaled() if self.scaled else self.instruction
        held = one.a if role == "a" else one.b
        k = Outer(self.step // self.instruction.k)
        first, most = Outer(self.repeats[side], self.waves[side]), widest or self.wide
        return fragment_tile(held, "a" if role == "a" else "b", first, k, self.waves[other], most, self.packed)

    def loaded(self, length: int, along_k: bool, width: int, run: int = 1) -> TileDistribution:
        """Of a tile (1, length, k) as it is loaded from memory: threads along memory, `width` elements at a time.

        Where memory runs along m or n, a thread takes `run` rows of k, whose elements it stores together.
        Ys: repetitions, the run, the width.
        """
        lanes, wave = (self.k if along_k else length) // width, self.threads if self.plain else self.instruction.wave
        down = self.threads // lanes
        low = min(lanes, wave)
        rows, columns = (2, 3) if along_k else (3, 2)
        hs: list[list[int]] = [[], [], []]
        hs[rows - 1] = [(length if along_k else self.k) // (down * run), down * low // wave, wave // low, run]
        hs[columns - 1] = [lanes // low, low, width]
        waves: list[Factor] = [(rows, 1), (columns, 0)]
        lane: list[Factor] = [(rows, 2), (columns, 1)]
        ps = [[*waves, *lane]] if self.plain else [waves, lane]
        return encoded([], hs, ps, [(rows, 0), (rows, 3), (columns, 2)])

    def stored(self, width: int) -> TileDistribution:
        """Of (g, m, n), as results that went through LDS are stored: threads along n, `width` elements at a time."""
        return replace(self, k=self.n).loaded(self.m, True, width)

    def widest(self, length: int) -> int:
        """The most elements of a tile (1, length, k) that each thread can load at once."""
        return max(1, length * self.k // self.threads)

    def thread(self) -> Expr:
        """The thread's number in its block."""
        return var("tx", self.threads)

    def lanes(self) -> tuple[Expr, ...]:
        """The P index of every distribution: the thread, or wave and lane."""
        wave = self.instruction.wave
        return (self.thread(),) if self.plain else (self.thread() // wave, self.thread() % wave)


def plan_for(target: str, dtype: str) -> Plan:
    """The default plan of a target for elements of a type.

    >>> plan_for("gfx942", "f16").instruction.name, plan_for("cpu", "f16").instruction.name
    ('mfma_f32_32x32x8f16', 'fma')
    """
    one = builds().get(target)
    found = one.tilings.get(dtype) if one else None
    if found is None and DTYPES[dtype].formats:
        raise LayoutError(f"{target} has no product of {dtype} here: elements of that type are only multiplied by one")
    if one is None or found is None:
        return Plan(FMA, (4, 4), (16, 16), 16, 1)
    (rows, columns), (down, across) = found.repeats, found.waves
    instruction = matrix_instruction(found.instruction)
    packed = instruction.name.startswith("mma.sync")
    return Plan(instruction, (rows, columns), (down, across), found.k, found.k, one.name, packed)


@dataclass(frozen=True)
class ProblemShape:
    """Lengths of a product by which a plan is chosen: m, n and k, of each the last part of what is merged; batches."""

    lengths: tuple[int, int, int]
    last: tuple[int, int, int]
    batches: int = 1

    def whole(self, plan: Plan) -> bool:
        """Whether the last parts are multiples of the plan's tiles."""
        tiles = (plan.m * plan.group, plan.n, plan.turn)
        return all(length % tile == 0 for length, tile in zip(self.last, tiles, strict=True) if tile > 1)

    def blocks(self, plan: Plan) -> int:
        """The blocks of a launch."""
        return self.batches * -(-self.lengths[0] // plan.m) * -(-self.lengths[1] // plan.n)


def tuned(
    kernel: str, target: str, dtype: str, widths: tuple[int, int], sizes: ProblemShape | None = None,
    walked: bool = False, straight: bool = False,
) -> Plan:  # fmt: skip
    """The plan that was fastest where it was measured (products.toml says where); the target's default for others.

    `widths`: elements side by side in a's and b's memory; copies past the registers take 16 bytes.  Without sizes the
    plan is one for all.  `walked`: whether a and b have one stride for each coordinate, so that boxes can be copied;
    `straight`: whether they are rows of k (of m or n, where the target transposes) within 2³¹ bytes, so that a wave's
    loads can go straight to LDS.

    >>> tuned("contraction", "sm_90", "f16", (8, 8)).direct, tuned("contraction", "sm_90", "f16", (8, 1)).direct
    (True, False)
    >>> plan = tuned("contraction", "sm_90", "f16", (8, 8), ProblemShape((4096, 4096, 4096), (4096, 4096, 4096)))
    >>> (plan.m, plan.n, plan.k), plan.whole
    ((128, 256, 64), True)
    """
    usual = plan_for(target, dtype)
    if dtype not in ("f16", "bf16") or min(widths) * 2 < 16:
        return usual
    ring = _ring(kernel, target, usual, sizes) if walked else None
    if ring is not None:
        return ring
    for entry in _entries("plan", kernel, target):
        (rows, columns), (down, across) = entry["repeats"], entry["waves"]
        cut = Cut((rows, columns), (down, across), entry["k"], entry["stages"], entry["group"], entry["whole"],
                  entry.get("instruction", ""), entry.get("through", False))  # fmt: skip
        plan = copied(usual, cut)
        if _fits(entry, plan, sizes) and (straight or not plan.straight):
            return plan
    return usual


def _ring(kernel: str, target: str, usual: Plan, sizes: ProblemShape | None) -> Plan | None:
    """The plan by copied boxes that takes the least time, as products.toml reckons; None where a target has none."""
    found: list[tuple[float, Plan]] = []
    for entry in _entries("ring", kernel, target):
        (rows, columns), (down, across) = entry["repeats"], entry["waves"]
        cut = Cut((rows, columns), (down, across), 64, entry["stages"], entry.get("group", 1),
                  entry.get("whole", False), WGMMA.format(entry["n"]), through=True, boxes=True,
                  resident=entry["resident"], exchanged=entry.get("exchanged", False),
                  persistent=entry["processors"] * entry["resident"] if entry.get("persistent") else 0)  # fmt: skip
        plan = copied(usual, cut)
        if sizes is None:
            found += [(0.0, plan)] if entry.get("usual", False) else []
        elif sizes.lengths[2] >= entry.get("deep", 1) and (not plan.whole or sizes.whole(plan)):
            turns = -(-sizes.blocks(plan) // (entry["processors"] * entry["resident"]))
            tiles = -(-sizes.lengths[2] // plan.k)
            if not plan.persistent or (turns > 1 and sizes.lengths[1] % plan.n == 0):
                found.append((turns * (entry["begin"] + entry["each"] * tiles), plan))
    return min(found, key=lambda one: one[0])[1] if found else None


def _entries(table: str, kernel: str, target: str) -> list[dict[str, Any]]:
    """The entries of a table for a kernel on a target."""
    return [one for one in tables()[table] if target in one["targets"] and kernel in one["kernels"]]


def enlarged(usual: Plan, target: str, sizes: ProblemShape) -> Plan:
    """A target's usual plan with a larger tile, which loads fewer bytes for each product, where products.toml has one.

    It is taken where the unit of the target's card that has the most blocks has little more to multiply for it (`more`
    says how much); its many sums leave no registers for an epilogue's tensors.

    >>> few, many = (ProblemShape((n,) * 3, (n,) * 3) for n in (1024, 4096))
    >>> usual = plan_for("gfx942", "f16")
    >>> [(plan.m, plan.n) for plan in (enlarged(usual, "gfx942", few), enlarged(usual, "gfx942", many))]
    [(128, 128), (256, 256)]
    """
    short = usual.instruction.a_dtype in ("f16", "bf16")
    for entry in _entries("large", "contraction", target):
        (rows, columns), (down, across) = entry["repeats"], entry["waves"]
        plan = replace(usual, repeats=(rows, columns), waves=(down, across), stages=entry["stages"])
        fits = short and (not plan.whole or sizes.whole(plan))
        if fits and _busiest(plan, target, sizes) <= (1 + entry["more"]) * _busiest(usual, target, sizes):
            return plan
    return usual


def ranged(usual: Plan, target: str) -> Plan:
    """A plan whose guards are ranges of buffers, with as many slots as products.toml says, where it names the target.

    >>> [ranged(plan_for(target, "f16"), target).ranged for target in ("gfx942", "gfx1100")]
    [True, False]
    """
    if usual.direct:
        return usual
    found = (entry for entry in tables()["ranged"] if target in entry["targets"])
    return next((replace(usual, ranged=True, stages=entry["stages"]) for entry in found), usual)


def _busiest(plan: Plan, target: str, sizes: ProblemShape) -> int:
    """Results that the unit with the most blocks computes."""
    return -(-sizes.blocks(plan) // builds()[target].cards[0].units) * plan.m * plan.n


def packed(usual: Plan) -> Plan:
    """A plan with so much k at a step that lanes read 16 bytes of LDS at once, where one instruction takes fewer.

    It is for elements of 16 and of 8 bits that lie along k in the memory of a and b: they are loaded so, too.

    >>> plan_for("gfx942", "f16").run, packed(plan_for("gfx942", "f16")).run, packed(plan_for("gfx950", "f16")).run
    (4, 8, 8)
    """
    if usual.packed or usual.direct or not 1 < usual.run < usual.wide:
        return usual
    return replace(usual, packed=True, step=usual.instruction.k * usual.wide // usual.run)


@dataclass(frozen=True)
class Cut:
    """How a product is cut whose tiles are copied past the registers; the fields of `products.toml`.

    `instruction`: one that takes its operands from LDS, with {} for the element type; "": pairs of the target's usual.
    """

    repeats: tuple[int, int]
    waves: tuple[int, int]
    k: int
    stages: int
    group: int = 1
    whole: bool = True
    instruction: str = ""
    through: bool = False
    boxes: bool = False
    resident: int = 1
    persistent: int = 0
    exchanged: bool = False


def copied(usual: Plan, cut: Cut) -> Plan:
    """A plan whose tiles are copied past the registers, of a target's usual plan.

    >>> cut = Cut((1, 1), (2, 1), 64, 4, instruction="wgmma.mma_async.sync.aligned.m64n256k16.f32.{0}.{0}")
    >>> plan = copied(plan_for("sm_90", "f16"), cut)
    >>> (plan.m, plan.n, plan.threads), plan.in_lds
    ((128, 256, 256), True)
    """
    own = usual.instruction
    one = paired(own) if own.name.startswith("mma.sync") else own
    one = matrix_instruction(cut.instruction.format(own.a_dtype)) if cut.instruction else one
    return replace(
        usual, instruction=one, repeats=cut.repeats, waves=cut.waves, k=cut.k, exchanged=cut.exchanged,
        step=cut.k if one.operands_in_lds else one.k, packed=False, direct=True, stages=cut.stages, group=cut.group,
        whole=cut.whole, through=cut.through, boxes=cut.boxes, resident=cut.resident, persistent=cut.persistent,
    )  # fmt: skip


def _fits(entry: Mapping[str, Any], plan: Plan, sizes: ProblemShape | None) -> bool:
    """Whether an entry is for these sizes."""
    if sizes is None:
        return not ({"columns", "blocks", "most"} & set(entry) or plan.whole)
    columns, blocks = sizes.lengths[1], sizes.blocks(plan)
    few = columns <= entry.get("columns", columns)
    enough = entry.get("blocks", 1) <= blocks <= entry.get("most", blocks)
    return few and enough and (not plan.whole or sizes.whole(plan))


@cache
def tables() -> dict[str, list[dict[str, Any]]]:
    """Those of products.toml."""
    return tomllib.loads(files("layoutalg.kernel.library").joinpath("products.toml").read_text())
