"""Attention forward: target[g, m, :] = Σⱼ softmaxⱼ(q[g, m, :]·k[g, j, :] / √d)·v[g, j, :], the keys tile by tile.

A block has so many rows of q, in registers; keys and values come through LDS, the next tile while one is multiplied:

    load q;  begin tile 0;  top = −∞, weight = 0, sums = 0
    for t:  tile t has come;  begin tile t + 1
            scores = q·kᵀ; mask;  top rises to their greatest, weight and sums follow
            powers = 2^(c·(scores − top));  weight += powers;  sums += powers·v
    results = sums / weight

Scores leave a matrix instruction as accumulators, and powers enter the next one as an operand.  Where each lane has the
same elements in both, nothing moves between lanes (`way`):

| instruction              | scores                     | powers as              | from lane to lane |
|--------------------------|----------------------------|------------------------|-------------------|
| mma.sync                 | (m, j), queries times keys | operand a of (m, n)    | nothing           |
| MFMA 32 × 32, WMMA gfx12 | (j, m), keys times queries | operand b of (n, m)    | nothing           |
| wgmma, a in registers    | (m, j), as of mma.sync     | operand a of (m, n)    | nothing           |
| other                    | (j, m), keys times queries | operand b of (n, m)    | through LDS       |

Rows lie along registers, and lanes that differ in a few bits share them: their greatest goes from lane to lane.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product as pairs
from math import e as euler
from math import log2, sqrt
from struct import pack, unpack
from typing import Literal

from layoutalg.index import TRUE, ZERO, Expr, all_of, symbol, value, var
from layoutalg.kernel.access.rows import source_index
from layoutalg.kernel.library.block_order import blocks
from layoutalg.kernel.library.copies import LARGEST, dtype_named
from layoutalg.kernel.library.lds_layouts import rows_of_k
from layoutalg.kernel.library.pipeline import CopiedSide
from layoutalg.kernel.library.plans import WGMMA, Cut, Plan, copied, plan_for
from layoutalg.kernel.library.product import ProductOperand, Side
from layoutalg.kernel.library.row_tiles import TURNED, lanes_along, parts_of, rows_first, rows_of, run_of
from layoutalg.kernel.obligations.limits import launchable
from layoutalg.kernel.program import (
    Attend,
    Await,
    Barrier,
    Clear,
    Commit,
    Divide,
    ElementMap,
    Exponentiate,
    Fold,
    Load,
    LoadShared,
    Loop,
    MaskScores,
    Move,
    Multiply,
    MultiplyShared,
    Program,
    Registers,
    Rescale,
    Rows,
    Shared,
    Statement,
    Store,
    StoreShared,
    Tensor,
)
from layoutalg.kernel.program.fragments import holding
from layoutalg.layout import LayoutError, make_naive_tensor_descriptor
from layoutalg.records import dataclass
from layoutalg.target.dtypes import DTYPES, DType
from layoutalg.target.matrix import matrix_instruction

F32 = DTYPES["f32"]
STRAIGHT = (0, 1, 2)
Way = Literal["straight", "turned", "through LDS"]


@dataclass(frozen=True)
class AttentionCut:
    """How attention is cut: waves side by side along the rows, tiles of rows of each, keys of a tile.

    `whole`: the keys are a multiple of a tile's.  `in_lds`: instructions read keys and values from LDS themselves
    (wgmma), and waves are warpgroups.
    """

    waves: int = 4
    repeats: int = 1
    keys: int = 64
    whole: bool = False
    in_lds: bool = False


def attention(
    target: str, head: int = 64, causal: bool = False, dtype: str = "f16", cut: AttentionCut | None = None
) -> Program:
    """Attention of heads of so many elements: sizes G (batches times heads), M rows of q, N keys (causal: M is N).

    >>> attention("gfx942").summary.partition("softmax over j of ")[2]
    'queries[g, m, :] · keys[g, j, :] / 8'
    """
    return _Attention(plan_for(target, dtype), head, causal, dtype, cut or cut_for(target, head, causal)).program()


def cut_for(target: str, head: int, causal: bool) -> AttentionCut:
    """The cut of a target: of an H200 the fastest that was measured (benchmarks/gpu/RESULTS.md).

    >>> [cut_for("sm_90", *case).waves for case in ((64, False), (64, True), (128, False), (128, True))]
    [2, 1, 1, 1]
    """
    if target == "sm_90":
        return AttentionCut(1 if causal or head > 64 else 2, 1, 64, in_lds=True)
    return AttentionCut()


def factor_of(head: int) -> float:
    """log₂ e / √d as f32: powers of 2 by it are those of e by 1 / √d.

    >>> factor_of(64)
    0.1803368777036667
    """
    (nearest,) = unpack("f", pack("f", log2(euler) / sqrt(head)))
    return float(nearest)


class _Attention:
    """The program's parts."""

    def __init__(self, usual: Plan, head: int, causal: bool, dtype: str, cut: AttentionCut) -> None:
        if usual.plain:
            who = usual.target or "this processor"
            raise LayoutError(f"attention: {who} has no matrix instruction of {dtype}; a device such as gfx942-isa has")
        self.head, self.causal, self.cut, self.dtype = head, causal, cut, dtype_named(dtype)
        self.direct = usual.instruction.name.startswith("mma.sync")
        if cut.in_lds and not self.direct:
            raise LayoutError("attention: no instruction reads LDS itself")
        base = replace(usual, packed=False)
        if self.direct:
            reads = WGMMA.format(64) if cut.in_lds else ""
            base = copied(usual, Cut((1, 1), (1, 1), 64, 2, instruction=reads))
        one = base.instruction
        if head % 64 or cut.keys % 32 or cut.keys % one.m or cut.keys % one.n or head % one.n:
            raise LayoutError(
                f"attention: heads of {head} elements, {cut.keys} keys a tile; give multiples of 64 and 32"
            )
        for self.way in ("straight", "turned", "through LDS"):
            self.set_plans(base)
            if self.way == "through LDS" or self.own_lanes():
                break
        if self.direct and self.way != "straight":
            raise LayoutError(f"attention: {one.name} needs its powers in other lanes")
        through = "" if self.way != "through LDS" else "_lds"
        shape = f"{head}_{self.rows}x{cut.keys}_t{cut.waves * one.wave}{'_wgmma' * cut.in_lds}{'_whole' * cut.whole}"
        self.name = f"attention{'_causal' if causal else ''}_{dtype}_{shape}{through}"

    def set_plans(self, base: Plan) -> None:
        """The plans of both products, as scores lie."""
        one, cut = base.instruction, self.cut
        self.turned = self.way != "straight"
        long, wide = (one.n, one.m) if self.turned else (one.m, one.n)
        self.rows = cut.waves * cut.repeats * long
        waves = (1, cut.waves) if self.turned else (cut.waves, 1)

        def plan(columns: int, k: int) -> Plan:
            if cut.in_lds:  # as wide as columns are
                n = next(n for n in (256, 128, 64) if columns % n == 0)
                held = holding(matrix_instruction(WGMMA.format(n).format(one.a_dtype)))
                return replace(base, instruction=held, repeats=(cut.repeats, columns // n), waves=waves, k=k, step=k)
            repeats = (columns // wide, cut.repeats) if self.turned else (cut.repeats, columns // wide)
            return replace(base, repeats=repeats, waves=waves, k=k, step=k)

        self.scoring, self.summing = plan(cut.keys, self.head), plan(self.head, cut.keys)
        self.order = TURNED if self.turned else STRAIGHT
        self.role, self.other = ("b", "a") if self.turned else ("a", "b")  # of rows, and of keys and values
        self.spread = rows_first(self.scoring.accumulators(), self.order)
        self.operand = self.summing.operand(self.role)

    def own_lanes(self) -> bool:
        """Whether each lane has the powers that it is to multiply: a guess, by the bits of its number."""
        move = Move(Registers("held", self.dtype, self.operand), Registers("powers", F32, self.spread), STRAIGHT)
        try:
            at = source_index(move)
        except LayoutError:
            return False
        ps = [(wave, 1 << bit) for wave, bit in pairs((0, 1), range(self.scoring.instruction.wave.bit_length() - 1))]
        put = dict.fromkeys(self.operand.y_index, 0)
        return all(
            [value(x, put) for x in self.operand.lower(p, self.operand.y_index)]
            == [value(x, put) for x in self.spread.lower(p, at)]
            for p in ps
        )

    def program(self) -> Program:
        d, step = self.head, self.cut.keys if self.cut.whole else 1
        g, n = symbol("G", min=1, max=LARGEST), symbol("N", min=1, max=LARGEST, multiple_of=step)
        m = n if self.causal else symbol("M", min=1, max=LARGEST)
        sizes = (g, n) if self.causal else (g, m, n)
        self.q = _rows("queries", self.dtype, g, m, d, ("g", "m", "d"))
        self.k = _rows("keys", self.dtype, g, n, d, ("g", "j", "d"))
        self.v = Tensor("values", self.dtype, make_naive_tensor_descriptor((g, d, n), (n * d, 1, d)), ("g", "n", "j"))
        self.length, self.target = n, _rows("target", self.dtype, g, m, d, ("g", "m", "n"))
        tile = (1, self.rows, d)
        counts = [(length + (t - 1)) // t for length, t in zip(self.target.descriptor.lengths, tile, strict=True)]
        grid, tiles = blocks(counts, 1)
        row, key = var("row", LARGEST), var("key", LARGEST)
        keep = key <= row if self.causal else TRUE
        meaning = Attend(self.q, self.k, self.v, factor_of(d), (row, key), keep, self.dtype)
        few = [g * length * d < 1 << 31 for length in dict.fromkeys((m, n))]
        plan = self.scoring
        launch = launchable(counts[0] * counts[1], plan.threads)
        return Program(
            self.name, self.q, self.target, sizes, grid, (plan.thread(),), plan.lanes(), tiles, tile,
            self.body(tiles.lower(grid), row, key), 32, all_of(*few, launch), meaning, (self.k, self.v),
            tuple(map(_elements, (self.q, self.k, self.v, self.target))), linear=True,
        )  # fmt: skip

    def body(self, numbers: tuple[Expr, ...], row: Expr, key: Expr) -> tuple[Statement, ...]:
        bg, bm, _ = numbers
        first, keys = bm * self.rows, self.cut.keys
        count = ((first + self.rows if self.causal else self.length) + (keys - 1)) // keys
        t, factor = var("kt", count), factor_of(self.head)
        tiles = self.copied_tiles(bg, t, count) if self.direct else self.loaded_tiles(bg, t)
        asked = Registers("q_held", self.dtype, self.scoring.operand(self.role))
        products, sums = (
            Registers(name, F32, plan.accumulators())
            for name, plan in (("products", self.scoring), ("sums", self.summing))
        )
        scores, powers = (Registers(name, F32, self.spread) for name in ("scores", "powers"))
        part, weight = (Registers(name, F32, parts_of(self.spread)) for name in ("part", "weight"))
        greatest, top, weights = (Registers(name, F32, rows_of(self.spread)) for name in ("greatest", "top", "weights"))
        results = Registers("results", F32, rows_first(sums.distribution, self.order))
        held = Registers("held", self.dtype, self.operand)
        lanes = lanes_along(self.spread)
        axis = self.order[1]
        of_rows = tuple(y for y, major in enumerate(sums.distribution.encoding.ys_major) if major == axis + 1)
        follow = (Rows(weight, tuple(range(len(weight.distribution.ys)))), Rows(sums, of_rows, (0, axis)))
        mask: tuple[Statement, ...] = ()
        if self.causal or not self.cut.whole:
            keep = key <= row if self.causal else key < self.length
            end, at = (first if self.causal else self.length - 1), (var("batch", LARGEST), row, key)
            mask = (MaskScores(scores, (bg, first, t * keys), at, keep, t * keys + (keys - 1) > end),)
        each = (
            *tiles.head,
            Clear(products),
            *self.multiplied(products, tiles.keys, asked, self.scoring, True),
            Move(scores, products, self.order),
            *mask,
            Clear(part, "max"),
            Fold(part, scores, "max"),
            Clear(greatest, "max"),
            Fold(greatest, part, "max", lanes),
            Rescale(top, greatest, factor, follow),
            Exponentiate(powers, scores, top, factor),
            Fold(weight, powers),
            *self.handed_over(held, powers),
            *self.multiplied(sums, tiles.values, held, self.summing, False),
            *tiles.tail,
        )
        return (
            Load(asked, self.q, (bg, first, ZERO), len(asked.distribution.ys) - 1),
            *tiles.before,
            Clear(top, "max"),
            Clear(weight),
            Clear(sums),
            Loop(t, each),
            *tiles.after,
            Clear(weights),
            Fold(weights, weight, "sum", lanes),
            Move(results, sums, self.order),
            Divide(results, weights),
            Store(self.target, results, (bg, first, ZERO), run_of(results.distribution)),
        )

    def multiplied(
        self, c: Registers, read: LoadShared, of_rows: Registers, plan: Plan, along_k: bool
    ) -> tuple[Statement, ...]:
        """The product of keys or values in LDS, and of what is a row's, as the way says which comes first."""
        a, b = (read.registers, of_rows) if self.turned else (of_rows, read.registers)
        product = Multiply(c, a, b, plan.instruction)
        return (MultiplyShared(of_rows, read, product, (True, along_k)),) if plan.in_lds else (read, product)

    def handed_over(self, held: Registers, powers: Registers) -> tuple[Statement, ...]:
        """Powers, rounded, as the operand of the second product."""
        if self.way != "through LDS":
            return (Move(held, powers, STRAIGHT),)
        keys = self.cut.keys
        lds = Shared("powers_lds", self.dtype, self.rows * keys)
        layout = rows_of_k(self.rows, keys, 8, self.dtype.bytes)
        wide = len(held.distribution.ys) - 1
        handed = StoreShared(lds, layout, powers, run_of(powers.distribution))
        return handed, Barrier(), LoadShared(held, lds, layout, wide)

    def loaded_tiles(self, bg: Expr, t: Expr) -> _Tiles:
        """Tiles come through registers: the next ones are loaded while one is multiplied, and then stored."""
        keys = Side(self.other, self.k, ProductOperand(self.k.descriptor, True, 8), self.scoring, self.cut.keys,
                    lambda at: (bg, at, ZERO), name="k")  # fmt: skip
        values = Side(self.other, self.v, ProductOperand(self.v.descriptor, False, 8), self.summing, self.head,
                      lambda at: (bg, ZERO, at), name="v")  # fmt: skip
        sides, slot, after = (keys, values), t % 2, (t + 1) % 2
        return _Tiles(
            before=(*(side.load(ZERO) for side in sides), *(side.write(ZERO, ZERO) for side in sides)),
            head=(Barrier(), *(side.load((t + 1) * self.cut.keys) for side in sides)),
            keys=keys.read(slot, ZERO),
            values=values.read(slot, ZERO),
            tail=tuple(side.write(after, ZERO) for side in sides),
        )

    def copied_tiles(self, bg: Expr, t: Expr, count: Expr) -> _Tiles:
        """Tiles are copied past the registers, the next ones while one is multiplied."""
        size = self.cut.keys
        keys = CopiedSide(self.other, self.k, True, self.scoring, size, lambda at: (bg, at, ZERO), True, name="k")
        values = CopiedSide(self.other, self.v, False, self.summing, self.head, lambda at: (bg, ZERO, at), True,
                            name="v")  # fmt: skip
        sides, slot = (keys, values), t % 2

        def copies(tile: Expr) -> tuple[Statement, ...]:
            return (*(side.copy(tile, count, tile * size) for side in sides), Commit())

        arrived = Await(0, tuple(side.lds for side in sides))
        return _Tiles(
            before=copies(ZERO),
            head=(arrived, Barrier(), *copies(t + 1)),
            keys=keys.read(0, slot, 0),
            values=values.read(0, slot, 0),
            after=(arrived,),
        )


@dataclass(frozen=True)
class _Tiles:
    """The statements that bring tiles of keys and values: before the loop, at its head, its reads, its tail, after."""

    before: tuple[Statement, ...]
    head: tuple[Statement, ...]
    keys: LoadShared
    values: LoadShared
    tail: tuple[Statement, ...] = ()
    after: tuple[Statement, ...] = ()


def _rows(name: str, dtype: DType, g: Expr, m: Expr, d: int, names: tuple[str, ...]) -> Tensor:
    """A packed tensor (g, m, d)."""
    return Tensor(name, dtype, make_naive_tensor_descriptor((g, m, d), (m * d, d, 1)), names)


def _elements(tensor: Tensor) -> ElementMap:
    """What a tensor's coordinates mean to the user."""
    letters = tuple(var(f"i_{x}", n) for x, n in zip(tensor.names, tensor.descriptor.lengths, strict=True))
    return ElementMap(tensor, letters, letters, tensor.descriptor.offset(letters))
