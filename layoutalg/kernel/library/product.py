"""Products of matrices: target[g, m, n] = Σₖ a[g, m, k]·b[g, n, k], through LDS, two tiles of k in turns.

Everything that is a sum of products is this program behind three descriptors: contractions, convolutions, gemm.  A
block computes one tile; while it multiplies the tiles of k in one copy of the LDS buffers, the next ones are loaded to
registers and then stored to the other copy, so that there is one barrier for each tile of k:

    load tile 0; store to slot 0
    for k:  barrier;  load tile k + 1;  multiply from slot k mod 2;  store tile k + 1 to slot (k + 1) mod 2

With one copy (a plan's `stages`), for half of the LDS, there is one more barrier, before tile k + 1 is stored.

LDS tiles are rows of k where fragments hold runs of k, rows of m (or n) where they do not; both swizzled by xor.
Where a plan says so (`direct`), tiles are copied past the registers instead, several under way at a time (`pipeline`).
Results are stored as lanes hold them, or (`through`) by way of LDS, so that a wave stores whole rows of a tile; or
(`exchanged`) lanes side by side give each other what the others store, so that each stores 16 bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace

from layoutalg.index import ONE, TRUE, ZERO, Expr, all_of, extent_of, prod, var
from layoutalg.kernel.access.address import address_of
from layoutalg.kernel.access.prices import price_of
from layoutalg.kernel.library.block_order import blocks
from layoutalg.kernel.library.copies import dtype_named
from layoutalg.kernel.library.einsum import MapElements
from layoutalg.kernel.library.lds_layouts import TWISTS, rows_of_k, rows_of_m
from layoutalg.kernel.library.pipeline import CopiedSide, beside, in_turns, pipelined
from layoutalg.kernel.library.plans import Plan
from layoutalg.kernel.obligations.limits import launchable
from layoutalg.kernel.obligations.memory import RANGED_BYTES
from layoutalg.kernel.program import (
    Barrier,
    Clear,
    Compute,
    Contract,
    ContractScaled,
    Elementwise,
    Exchange,
    Load,
    LoadShared,
    Loop,
    Meaning,
    Multiply,
    Pixels,
    Program,
    Read,
    Registers,
    Shared,
    SharedAccess,
    Statement,
    Store,
    StoreShared,
    Tensor,
    Vector,
)
from layoutalg.kernel.program.fragments import Outer, Role, along_k, exchanged, fragment_tile
from layoutalg.layout import (
    LayoutError,
    TensorDescriptor,
    make_naive_tensor_descriptor,
)
from layoutalg.records import dataclass
from layoutalg.target.dtypes import DTYPES, OPERAND_DTYPES


@dataclass(frozen=True)
class ProductOperand:
    """A tensor of a product: its descriptor in (g, m, k) or (g, n, k), whether its memory runs along k, how wide.

    `guarded`: which coordinates of copies past the registers may leave it; `pixels`: how boxes walk an image.
    """

    descriptor: TensorDescriptor
    along_k: bool
    width: int = 1
    elements: MapElements | None = None
    guarded: bool | tuple[bool, ...] = True
    pixels: Pixels | None = None


@dataclass(frozen=True)
class ProductExtra:
    """A tensor that takes part in the epilogue, at the target's coordinates (it may have more of them).

    `together`: whether its elements lie side by side where the target's are stored at once.
    """

    name: str
    dtype: str
    descriptor: TensorDescriptor
    elements: MapElements | None = None
    together: bool = False


@dataclass(frozen=True)
class MatrixProduct:
    """What to multiply, and how it is cut.

    `finish` makes the target's meaning of that of the sums and of the `extras`, tensors at its coordinates (g, m, n);
    `store_width` is how many n are stored at once, where the plan's results lie so.  `scales`: those of a and b, in
    (g, m, block of k) and (g, n, block), of a plan that is `scaled`.
    """

    name: str
    a: ProductOperand
    b: ProductOperand
    target: TensorDescriptor
    sizes: tuple[Expr, ...]
    plan: Plan
    dtypes: tuple[str, str] = ("f32", "f32")
    finish: Callable[..., Meaning] = lambda sums: sums
    extras: tuple[ProductExtra, ...] = ()
    store_width: int = 1
    index_bits: int = 32
    requires: Expr = field(default=TRUE)
    target_elements: MapElements | None = None
    store_guarded: bool | tuple[bool, ...] = True
    scales: tuple[TensorDescriptor, ...] = ()

    def program(self) -> Program:
        """The program; LayoutError where the parts do not fit together."""
        kind, result = dtype_named(self.dtypes[0], OPERAND_DTYPES), dtype_named(self.dtypes[1])
        for width in (self.a.width, self.b.width):
            if width not in (1, 2, 4, 8, 16) or width * kind.bytes > 16:
                raise LayoutError(f"{self.name}: vectors of {width} {kind.name}; a power of two, up to 16 bytes")
        a = Tensor("a", kind, self.a.descriptor, ("g", "m", "k"))
        b = Tensor("b", kind, self.b.descriptor, ("g", "n", "k"))
        target = Tensor("target", result, self.target, ("g", "m", "n"))
        scales = tuple(
            Tensor(f"{one.name}_scale", DTYPES["e8m0"], descriptor, (*one.names[:2], "kb"))
            for one, descriptor in zip((a, b), self.scales, strict=False)
        )
        extras = tuple(Tensor(e.name, dtype_named(e.dtype), e.descriptor, ("g", "m", "n")) for e in self.extras)
        tile = (1, self.plan.m, self.plan.n)
        counts = [(n + (t - 1)) // t for n, t in zip(self.target.lengths, tile, strict=True)]
        grid, tiles = blocks(counts, self.plan.group)
        thread = self.plan.thread()
        lanes = self.plan.lanes()
        few = launchable(prod([extent_of(b) for b in grid]), self.plan.launched)
        meant = [(self.a.elements, a), (self.b.elements, b), (self.target_elements, target)]
        meant += [(e.elements, tensor) for e, tensor in zip(self.extras, extras, strict=True)]
        block = self.plan.instruction.scales
        sums = ContractScaled(a, b, scales[0], scales[1], block.block) if scales and block else Contract(a, b)
        meaning = self.finish(sums, *map(Read, extras))
        return Program(
            self.name, a, target, self.sizes, grid, (thread,), lanes, tiles, tile,
            self._body(a, b, scales, meaning, target, tiles.lower(grid)), self.index_bits, all_of(self.requires, few),
            meaning, (b, *scales, *extras),
            tuple(elements(tensor) for elements, tensor in meant if elements), linear=True,
            resident=self.plan.resident, persistent=self.plan.persistent, chiplets=self.plan.chiplets,
        )  # fmt: skip

    def _body(
        self, a: Tensor, b: Tensor, scales: tuple[Tensor, ...], meaning: Meaning, target: Tensor,
        numbers: tuple[Expr, ...],
    ) -> tuple[Statement, ...]:  # fmt: skip
        plan, (bg, bm, bn) = self.plan, numbers
        count = (a.descriptor.lengths[2] + (plan.turn - 1)) // plan.turn
        if plan.direct:
            copied = [
                CopiedSide(
                    "a",
                    a,
                    self.a.along_k,
                    plan,
                    plan.m,
                    lambda at: (bg, bm * plan.m, at),
                    self.a.guarded,
                    self.a.pixels,
                ),
                CopiedSide("b", b, self.b.along_k, plan, plan.n, lambda at: (bg, bn * plan.n, at), self.b.guarded),
            ]
            results = Registers("sums", DTYPES["f32"], plan.accumulators())
            under_way = beside if plan.in_lds else in_turns if plan.straight else pipelined
            products = under_way(copied, results, var("kt", count), count, plan)
            return (*products, *self._epilogue(results, meaning, target, (bg, bm * plan.m, bn * plan.n)))
        sides = [
            Side("a", a, self.a, plan, plan.m, lambda at: (bg, bm * plan.m, at)),
            Side("b", b, self.b, plan, plan.n, lambda at: (bg, bn * plan.n, at)),
        ]
        sums = Registers("sums", DTYPES["f32"], plan.accumulators())
        fragments = (sides[0].fragment, sides[1].fragment)
        scaled = [ScaleSide(role, tensor, plan, side) for role, tensor, side in zip("ab", scales, sides, strict=False)]
        factors = tuple(side.fragment for side in scaled)
        sides += scaled
        steps = plan.k // plan.step
        inner = var("ks", steps)
        zero = ZERO
        at = inner * plan.step if steps > 1 else zero

        def multiplied(slot: Expr) -> tuple[Statement, ...]:
            reads: list[Statement] = [side.read(slot, at) for side in sides]
            each = (*reads, Multiply(sums, *fragments, plan.instruction, factors))
            return (Loop(inner, each, unroll=True),) if steps > 1 else each

        if count is ONE:  # one tile of k is all
            tiles: tuple[Statement, ...] = (Barrier(), *multiplied(zero))
        else:
            k = var("kt", count)
            loads = (side.load((k + 1) * plan.k) for side in sides)
            writes = (side.write((k + 1) % plan.stages, (k + 1) * plan.k) for side in sides)
            done = (Barrier(),) if plan.stages == 1 else ()
            tiles = (Loop(k, (Barrier(), *loads, *multiplied(k % plan.stages), *done, *writes)),)
        return (
            Clear(sums),
            *(side.load(zero) for side in sides),
            *(side.write(zero, zero) for side in sides),
            *tiles,
            *self._epilogue(sums, meaning, target, (bg, bm * plan.m, bn * plan.n)),
        )

    def _epilogue(
        self, sums: Registers, meaning: Meaning, target: Tensor, origin: tuple[Expr, ...]
    ) -> tuple[Statement, ...]:
        """The meaning, from the inside out: each tensor is loaded once, each function has registers of its own."""
        found: list[Statement] = []
        extras = {extra.name: extra for extra in self.extras}
        together = self._stored_together(sums)

        def computed(meant: Meaning) -> Registers:
            match meant:
                case Read(tensor):
                    held = Registers(f"{tensor.name}_held", sums.dtype, sums.distribution)
                    load = Load(held, tensor, origin, together if extras[tensor.name].together else None)
                    if load not in found:
                        found.append(load)
                    return held
                case Compute(function, operands):
                    parts = tuple(map(computed, operands))
                    count = sum(isinstance(s, Elementwise) for s in found)
                    result = Registers(f"{function}{count}", sums.dtype, sums.distribution)
                    found.append(Elementwise(result, function, parts))
                    return result
                case _:
                    return sums

        result = computed(meaning)
        return (*found, *self._stored(result, target, origin, together))

    def _stored(
        self, result: Registers, target: Tensor, origin: tuple[Expr, ...], together: int | None
    ) -> tuple[Statement, ...]:
        """To the target as lanes hold the results; or through LDS, where the plan says so, and 16 bytes a thread."""
        width = 8
        wide = self.store_width % width == 0 and target.dtype.bytes == 2
        if not (self.plan.through or self.plan.exchanged) or together is None or not wide:
            return (Store(target, result, origin, together, self.store_guarded),)
        if self.plan.exchanged:
            tile, y, lanes = exchanged(result.distribution)
            taken = Registers(f"{target.name}_taken", target.dtype, tile)
            at_once = (y + 1, len(tile.ys) - 1)
            return (Exchange(taken, result, y, lanes), Store(target, taken, origin, at_once, self.store_guarded))
        m, n = self.plan.m, self.plan.n
        rows = Registers(f"{target.name}_rows", target.dtype, self.plan.stored(width))
        lds = Shared(f"{target.name}_lds", target.dtype, m * n, again=self.plan.direct and not self.plan.persistent)
        layout = rows_of_k(m, n, width, target.dtype.bytes)
        return (
            *([Barrier()] if self.plan.direct else []),
            StoreShared(lds, layout, result, together),
            Barrier(),
            LoadShared(rows, lds, layout, 2),
            Store(target, rows, origin, 2, self.store_guarded),
        )

    def _stored_together(self, sums: Registers) -> int | None:
        """The Y of the results whose elements lie side by side in the target."""
        if self.plan.plain:
            return 1 if self.store_width == self.plan.repeats[1] > 1 else None
        tile = sums.distribution
        last = len(tile.ys) - 1
        along_n = tile.encoding.ys_major[last] == 3 and last > 1
        return last if along_n and self.store_width % int(tile.ys[last]) == 0 else None


class Side:
    """The statements that bring one operand from memory to fragments; `name` of its tiles, the role unless given."""

    def __init__(
        self, role: str, tensor: Tensor, operand: ProductOperand, plan: Plan, length: int,
        place: Callable[[Expr], tuple[Expr, ...]], name: str = "",
    ) -> None:  # fmt: skip
        self.tensor, self.plan, self.place, name = tensor, plan, place, name or role
        self.length = length
        across = plan.k_runs and not operand.along_k  # memory runs along m or n, LDS reads along k
        run = plan.run if across else 1
        most = plan.run if plan.k_runs and operand.along_k else plan.widest(length) // run
        width = min(operand.width, most, plan.widest(length))
        tile = plan.loaded(length, operand.along_k, width, run)
        self.registers = Registers(f"{name}_loaded", tensor.dtype, tile)
        self.fragment = Registers(f"{name}_held", tensor.dtype, plan.operand(role))
        self.lds = Shared(f"{name}_lds", tensor.dtype, length * plan.k, slots=plan.stages)
        self.width, self.moving = width, 2 if width > 1 else None
        self.kept = 1 if across else self.moving if operand.along_k == plan.k_runs else None
        self.layout = self.chosen(layouts(length, plan, tensor.dtype.bytes))

    def load(self, k: Expr) -> Load:
        ranged = self.plan.ranged and self.width * self.tensor.dtype.bytes == RANGED_BYTES
        ranged &= address_of(self.tensor).is_polynomial
        return Load(self.registers, self.tensor, self.place(k), self.moving, ranged=ranged)

    def write(self, slot: Expr, k: Expr) -> StoreShared:
        return StoreShared(self.lds, self.layout, self.registers, self.kept, slot)

    def read(self, slot: Expr, k: Expr) -> LoadShared:
        zero = ZERO
        tile = self.fragment.distribution
        wide: Vector = len(tile.ys) - 1 if self.plan.k_runs else 0 if self.plan.plain else None
        if self.plan.packed:
            wide = along_k(tile)
        return LoadShared(self.fragment, self.lds, self.layout, wide, slot, (zero, zero, k))

    def chosen(self, candidates: list[TensorDescriptor]) -> TensorDescriptor:
        """The layout whose reads, and then stores, cost the fewest cycles in their busiest phase on the target."""
        if not self.plan.target or len(candidates) == 1:
            return candidates[0]

        def cost(layout: TensorDescriptor) -> tuple[int, int]:
            self.layout = layout
            reads, writes = (_cycles(s, self.plan) for s in (self.read(ZERO, ZERO), self.write(ZERO, ZERO)))
            return reads, writes

        return min(candidates, key=cost)


class ScaleSide(Side):
    """The same for the scales of an operand: bytes, in LDS row after row as in memory.

    LayoutError where the threads are more than the scales of a tile.
    """

    def __init__(self, role: str, tensor: Tensor, plan: Plan, of: Side) -> None:
        assert plan.instruction.scales is not None
        block, self.of, self.tensor = plan.instruction.scales.block, of, tensor
        self.plan = replace(plan, k=plan.k // block)
        rows, blocks, width = of.length, self.plan.k, min(self.plan.widest(of.length), self.plan.k)
        if rows * blocks < plan.threads:
            raise LayoutError(f"{tensor.name}: {plan.threads} threads load {rows * blocks} scales; 1 each at least")
        name, self.block = f"{role}_scale", block
        side: Role = "a" if role == "a" else "b"
        down, across = ((Outer(r, w), o) for r, w, o in zip(plan.repeats, plan.waves, plan.waves[::-1], strict=True))
        steps, (first, others) = Outer(plan.step // plan.instruction.k), down if side == "a" else across
        held = fragment_tile(plan.instruction.of_scales(side), side, first, steps, others)
        self.registers = Registers(f"{name}_loaded", tensor.dtype, self.plan.loaded(rows, True, width))
        self.fragment = Registers(f"{name}_held", tensor.dtype, held)
        self.lds = Shared(f"{name}_lds", tensor.dtype, rows * blocks, slots=plan.stages)
        self.width = width
        self.moving = self.kept = 2 if width > 1 else None
        self.layout = make_naive_tensor_descriptor((1, rows, blocks), (rows * blocks, blocks, 1))

    def load(self, k: Expr) -> Load:
        *rows, begin = self.of.place(k)
        return Load(self.registers, self.tensor, (*rows, begin // self.block), self.moving)

    def read(self, slot: Expr, k: Expr) -> LoadShared:
        wide = 2 if len(self.fragment.distribution.ys) > 2 else None
        return LoadShared(self.fragment, self.lds, self.layout, wide, slot, (ZERO, ZERO, k // self.block))


def _cycles(s: SharedAccess, plan: Plan) -> int:
    tile = s.registers.distribution.lower(plan.lanes(), s.registers.distribution.y_index)
    return price_of(s, plan.thread(), tile, plan.target).cycles or 0


def layouts(length: int, plan: Plan, bytes_each: int) -> list[TensorDescriptor]:
    """The layouts of an LDS tile (1, length, k) that are tried."""
    if not plan.k_runs:
        return [rows_of_m(length, plan.k), rows_of_m(length, plan.k, twist=True)]
    return [rows_of_k(length, plan.k, plan.run, bytes_each, twist) for twist in TWISTS]
