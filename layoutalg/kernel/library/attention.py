"""Attention forward: target[g, m, :] = Σⱼ softmaxⱼ(q[g, m, :]·k[g, j, :] / √d)·v[g, j, :], the keys tile by tile.

A block has so many rows of q, in registers; keys and values come through LDS, the next tile while one is multiplied:

    load q, k₀, v₀; store k₀, v₀ to slot 0;  top = −∞, weight = 0, sums = 0
    for t:  barrier;  load tile t + 1
            scores = q·kᵀ; mask;  top rises to their greatest, weight and sums follow
            powers = 2^(c·(scores − top));  weight += powers;  sums += powers·v
            store tile t + 1 to slot (t + 1) mod 2
    results = sums / weight

Scores leave a matrix instruction as accumulators, and powers enter the next one as an operand.  Where a lane has the
same elements in both, nothing moves between lanes: of MFMA 32 × 32 that is so for scores (j, m), the product of keys
with queries, as the second operand.

Rows lie along registers, or lanes that differ in a few bits share them: their greatest goes from lane to lane.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import e, log2, sqrt

import numpy as np

from layoutalg.index import TRUE, ZERO, Expr, all_of, symbol, var
from layoutalg.kernel.library.copies import LARGEST, dtype_named
from layoutalg.kernel.library.plans import Plan, plan_for
from layoutalg.kernel.library.product import ProductOperand, Side, blocks
from layoutalg.kernel.obligations.limits import launchable
from layoutalg.kernel.program import (
    Attend,
    Barrier,
    Clear,
    Divide,
    ElementMap,
    Exponentiate,
    Fold,
    Load,
    Loop,
    MaskScores,
    Move,
    Multiply,
    Program,
    Registers,
    Rescale,
    Rows,
    Statement,
    Store,
    Tensor,
)
from layoutalg.kernel.program.fragments import Factor, encoded
from layoutalg.layout import (
    LayoutError,
    TileDistribution,
    make_naive_tensor_descriptor,
)
from layoutalg.target.dtypes import DTYPES

F32 = DTYPES["f32"]
TURNED = (0, 2, 1)
"""Rows and columns change places."""


@dataclass(frozen=True)
class AttentionCut:
    """How attention is cut: waves side by side along the rows, tiles of rows of each, keys of a tile."""

    waves: int = 4
    repeats: int = 1
    keys: int = 64
    whole: bool = False


def attention(
    target: str, head: int = 64, causal: bool = False, dtype: str = "f16", cut: AttentionCut | None = None
) -> Program:  # fmt: skip
    """Attention of heads of so many elements: sizes G (batches times heads), M rows of q, N keys (causal: M is N).

    >>> attention("gfx942").summary
    'target[g, m, n] = sum over j of values[g, n, j] · softmax over j of queries[g, m, :] · keys[g, j, :] / 8'
    """
    return _Attention(plan_for(target, dtype), head, causal, dtype, cut or cut_for(target, head)).program()


def cut_for(target: str, head: int) -> AttentionCut:
    """The cut of a target."""
    return AttentionCut(keys=64 if head <= 64 else 32)


def factor_of(head: int) -> float:
    """log₂ e / √d as f32: powers of 2 by it are those of e by 1 / √d.

    >>> factor_of(64)
    0.1803368777036667
    """
    return float(np.float32(log2(e) / sqrt(head)))


class _Attention:
    """The program's parts."""

    def __init__(self, usual: Plan, head: int, causal: bool, dtype: str, cut: AttentionCut) -> None:
        if usual.plain:
            raise LayoutError(f"attention: {usual.target or 'this target'} has no matrix instruction of {dtype}")
        if head % usual.instruction.n or head % 16:
            raise LayoutError(f"attention: heads of {head} elements; give a multiple of {usual.instruction.n}")
        self.head, self.causal, self.cut, self.dtype = head, causal, cut, dtype_named(dtype)
        one = usual.instruction
        self.rows, self.keys = cut.waves * cut.repeats * one.n, cut.keys
        turned = replace(usual, packed=False, repeats=(cut.keys // one.m, cut.repeats), waves=(1, cut.waves))
        self.scoring = replace(turned, k=head, step=head)
        self.summing = replace(turned, repeats=(head // one.m, cut.repeats), k=cut.keys, step=cut.keys)
        self.name = f"attention{'_causal' if causal else ''}_{dtype}_{head}_{self.rows}x{self.keys}"

    def program(self) -> Program:
        d = self.head
        step = self.keys if self.cut.whole else 1
        g, n = symbol("G", min=1, max=LARGEST), symbol("N", min=1, max=LARGEST, multiple_of=step)
        m = n if self.causal else symbol("M", min=1, max=LARGEST)
        sizes = (g, n) if self.causal else (g, m, n)
        self.q = Tensor("queries", self.dtype, make_naive_tensor_descriptor((g, m, d), (m * d, d, 1)), ("g", "m", "d"))
        self.k = Tensor("keys", self.dtype, make_naive_tensor_descriptor((g, n, d), (n * d, d, 1)), ("g", "j", "d"))
        self.v = Tensor("values", self.dtype, make_naive_tensor_descriptor((g, d, n), (n * d, 1, d)), ("g", "n", "j"))
        target = Tensor("target", self.dtype, make_naive_tensor_descriptor((g, m, d), (m * d, d, 1)), ("g", "m", "n"))
        self.length, self.target = n, target
        tile = (1, self.rows, d)
        counts = [(length + (t - 1)) // t for length, t in zip(target.descriptor.lengths, tile, strict=True)]
        grid, tiles = blocks(counts, 1)
        row, key = var("row", LARGEST), var("key", LARGEST)
        keep = key <= row if self.causal else TRUE
        meaning = Attend(self.q, self.k, self.v, factor_of(d), (row, key), keep, self.dtype)
        few = [g * length * d < 1 << 31 for length in dict.fromkeys((m, n))]
        plan = self.scoring
        launch = launchable(counts[0] * counts[1], plan.threads)
        return Program(
            self.name, self.q, target, sizes, grid, (plan.thread(),), plan.lanes(), tiles, tile,
            self.body(tiles.lower(grid), row, key), 32, all_of(*few, launch), meaning, (self.k, self.v),
            tuple(_elements(t) for t in (self.q, self.k, self.v, target)), linear=True,
        )  # fmt: skip

    def body(self, numbers: tuple[Expr, ...], row: Expr, key: Expr) -> tuple[Statement, ...]:
        bg, bm, _ = numbers
        first = bm * self.rows
        if self.causal:
            count = (first + (self.rows + self.keys - 1)) // self.keys
        else:
            count = (self.length + (self.keys - 1)) // self.keys
        t, zero = var("kt", count), ZERO
        scoring, summing, factor = self.scoring, self.summing, factor_of(self.head)
        keys = Side("a", self.k, ProductOperand(self.k.descriptor, True, 8), scoring, self.keys,
                    lambda at: (bg, at, zero), name="k")  # fmt: skip
        values = Side("a", self.v, ProductOperand(self.v.descriptor, False, 8), summing, self.head,
                      lambda at: (bg, zero, at), name="v")  # fmt: skip
        sides = keys, values
        asked = Registers("q_held", self.dtype, scoring.operand("b"))
        held = Registers("held", self.dtype, summing.operand("b"))
        products, sums = (Registers(n, F32, p.accumulators()) for n, p in (("products", scoring), ("sums", summing)))
        spread = rows_first(products.distribution, TURNED)
        scores, powers = Registers("scores", F32, spread), Registers("powers", F32, spread)
        part, weight = Registers("part", F32, parts_of(spread)), Registers("weight", F32, parts_of(spread))
        greatest, top, weights = (Registers(n, F32, rows_of(spread)) for n in ("greatest", "top", "weights"))
        results = Registers("results", F32, rows_first(sums.distribution, TURNED))
        lanes = lanes_along(spread)
        of_rows = tuple(y for y, major in enumerate(sums.distribution.encoding.ys_major) if major == 3)
        follow = (Rows(weight, tuple(range(len(weight.distribution.ys)))), Rows(sums, of_rows, (0, 2)))
        mask: tuple[Statement, ...] = ()
        if self.causal or not self.cut.whole:
            keep = key <= row if self.causal else key < self.length
            mask = (MaskScores(scores, (bg, first, t * self.keys), (var("batch", LARGEST), row, key), keep),)
        each = (
            Barrier(),
            *(side.load((t + 1) * self.keys) for side in sides),
            keys.read(t % 2, zero),
            Clear(products),
            Multiply(products, keys.fragment, asked, scoring.instruction),
            Move(scores, products, TURNED),
            *mask,
            Clear(part, "max"),
            Fold(part, scores, "max"),
            Clear(greatest, "max"),
            Fold(greatest, part, "max", lanes),
            Rescale(top, greatest, factor, follow),
            Exponentiate(powers, scores, top, factor),
            Fold(weight, powers),
            Move(held, powers, (0, 1, 2)),
            values.read(t % 2, zero),
            Multiply(sums, values.fragment, held, summing.instruction),
            *(side.write((t + 1) % 2, zero) for side in sides),
        )
        last = len(results.distribution.ys) - 1
        return (
            Load(asked, self.q, (bg, first, zero), len(asked.distribution.ys) - 1),
            *(side.load(zero) for side in sides),
            *(side.write(zero, zero) for side in sides),
            Clear(top, "max"),
            Clear(weight),
            Clear(sums),
            Loop(t, each),
            Clear(weights),
            Fold(weights, weight, "sum", lanes),
            Move(results, sums, TURNED),
            Divide(results, weights),
            Store(self.target, results, (bg, first, zero), last),
        )


def rows_first(tile: TileDistribution, order: tuple[int, ...]) -> TileDistribution:
    """A tile with its coordinates in another order, and the registers of the first two coordinates before the others.

    >>> tile = plan_for("gfx942", "f16").accumulators()
    >>> rows_first(tile, TURNED).ys, rows_first(tile, TURNED).lengths
    ((2, 2, 4, 4), (1, 128, 128))
    """
    parts = _Factors.of(tile)
    majors = {old + 1: new + 1 for new, old in enumerate(order)}
    ps = [[(majors.get(major, 0), minor) for major, minor in p] for p in parts.ps]
    ys = sorted(((majors[major], minor) for major, minor in parts.ys), key=lambda f: f[0] > 2)
    return _Factors(parts.rs, [parts.hs[old] for old in order], ps, ys).tile()


def parts_of(tile: TileDistribution) -> TileDistribution:
    """Of a tile (g, m, j), the parts (g, m, p) of its rows that lanes have."""
    parts = _Factors.of(tile)
    along = [f for p in parts.ps for f in p if f[0] == 3]
    number = {f: (3, n) for n, f in enumerate(along)}
    hs = [*parts.hs[:2], [parts.hs[2][minor] for _, minor in along]]
    ps = [[number.get(f, f) for f in p] for p in parts.ps]
    return _Factors(parts.rs, hs, ps, [y for y in parts.ys if y[0] < 3]).tile()


def rows_of(tile: TileDistribution) -> TileDistribution:
    """Of a tile (g, m, j), its rows (g, m), which all lanes of a row have."""
    parts = _Factors.of(tile)
    along = [f for p in parts.ps for f in p if f[0] == 3]
    number = {f: (0, len(parts.rs) + n) for n, f in enumerate(along)}
    rs = [*parts.rs, *(parts.hs[2][minor] for _, minor in along)]
    ps = [[number.get(f, f) for f in p] for p in parts.ps]
    return _Factors(rs, parts.hs[:2], ps, [y for y in parts.ys if y[0] < 3]).tile()


def lanes_along(tile: TileDistribution) -> tuple[int, ...]:
    """In which bits the numbers of lanes differ that share a row of (g, m, j).

    >>> lanes_along(rows_first(plan_for("gfx942", "f16").accumulators(), TURNED))
    (32,)
    """
    parts, found, weight = _Factors.of(tile), list[int](), 1
    for major, minor in reversed(parts.ps[-1]):
        length = parts.hs[major - 1][minor] if major else parts.rs[minor]
        found += [weight << bit for bit in range(length.bit_length() - 1)] if major == 3 else []
        weight *= length
    return tuple(found)


@dataclass(frozen=True)
class _Factors:
    """The factors of a distribution, as numbers: copies, of each coordinate, and who has which."""

    rs: list[int]
    hs: list[list[int]]
    ps: list[list[Factor]]
    ys: list[Factor]

    @staticmethod
    def of(tile: TileDistribution) -> _Factors:
        one = tile.encoding
        ps = [list(zip(majors, minors, strict=True)) for majors, minors in zip(one.ps_major, one.ps_minor, strict=True)]
        return _Factors([int(n) for n in one.rs], [[int(n) for n in h] for h in one.hs], ps,
                        list(zip(one.ys_major, one.ys_minor, strict=True)))  # fmt: skip

    def tile(self) -> TileDistribution:
        return encoded(self.rs, self.hs, self.ps, self.ys)


def _elements(tensor: Tensor) -> ElementMap:
    """What a tensor's coordinates mean to the user."""
    names = tensor.names
    letters = tuple(var(f"i_{x}", n) for x, n in zip(names, tensor.descriptor.lengths, strict=True))
    return ElementMap(tensor, letters, letters, tensor.descriptor.offset(letters))
