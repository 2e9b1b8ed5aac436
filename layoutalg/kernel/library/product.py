"""Products of matrices: target[g, m, n] = Σₖ a[g, m, k]·b[g, n, k], through LDS, two tiles of k in turns.

Everything that is a sum of products is this program behind three descriptors: contractions, convolutions, gemm.  A
block computes one tile; while it multiplies the tiles of k in one copy of the LDS buffers, the next ones are loaded to
registers and then stored to the other copy, so that there is one barrier for each tile of k:

    load tile 0; store to slot 0
    for k:  barrier;  load tile k + 1;  multiply from slot k mod 2;  store tile k + 1 to slot (k + 1) mod 2

LDS tiles are rows of k where fragments hold runs of k, rows of m (or n) where they do not; both swizzled by xor.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from layoutalg.index import TRUE, Expr, all_of, as_expr, prod, var
from layoutalg.kernel.conflicts import price_of
from layoutalg.kernel.dtypes import DTYPES
from layoutalg.kernel.library.copies import dtype_named, in_coordinates, packed_strides
from layoutalg.kernel.library.plans import Plan, along_k
from layoutalg.kernel.obligations.limits import launchable
from layoutalg.kernel.program import (
    Barrier,
    Clear,
    Compute,
    Contract,
    Elementwise,
    Load,
    LoadShared,
    Loop,
    Meaning,
    Multiply,
    Program,
    Read,
    Registers,
    Says,
    Shared,
    SharedAccess,
    Statement,
    Store,
    StoreShared,
    Tensor,
)
from layoutalg.kernel.statements import Vector
from layoutalg.layout import (
    Merge,
    PassThrough,
    TensorDescriptor,
    Transform,
    Xor,
    make_naive_tensor_descriptor,
    make_single_stage_tensor_adaptor,
    transform_tensor_descriptor,
)

Saying = Callable[[Tensor], Says]


@dataclass(frozen=True)
class Operand:
    """A tensor of a product: its descriptor in (g, m, k) or (g, n, k), whether its memory runs along k, how wide."""

    descriptor: TensorDescriptor
    along_k: bool
    width: int = 1
    says: Saying | None = None


@dataclass(frozen=True)
class Product:
    """What to multiply, and how it is cut.

    `bias` is a descriptor of the target's shape (g, m, n); `store_width` is how many n are stored at once, where the
    plan's results lie so.
    """

    name: str
    summary: str
    a: Operand
    b: Operand
    target: TensorDescriptor
    sizes: tuple[Expr, ...]
    plan: Plan
    dtypes: tuple[str, str] = ("f32", "f32")
    bias: TensorDescriptor | None = None
    relu: bool = False
    store_width: int = 1
    index_bits: int = 32
    requires: Expr = field(default=TRUE)
    target_says: Saying | None = None

    def program(self) -> Program:
        """The program; LayoutError where the parts do not fit together."""
        kind, result = (dtype_named(name) for name in self.dtypes)
        a = Tensor("a", kind, self.a.descriptor, ("g", "m", "k"))
        b = Tensor("b", kind, self.b.descriptor, ("g", "n", "k"))
        target = Tensor("target", result, self.target, ("g", "m", "n"))
        bias = Tensor("bias", DTYPES["f32"], self.bias, ("g", "m", "n")) if self.bias else None
        tile = (1, self.plan.m, self.plan.n)
        counts = [(n + (t - 1)) // t for n, t in zip(self.target.lengths, tile, strict=True)]
        grid = (var("bn", counts[2]), var("bm", counts[1]), var("bg", counts[0]))
        tiles = make_single_stage_tensor_adaptor([PassThrough(c) for c in counts], [[0], [1], [2]], [[2], [1], [0]])
        thread = self.plan.thread()
        lanes = self.plan.lanes()
        few = launchable(prod(counts[::-1]), self.plan.threads)
        sayings = ((self.a.says, a), (self.b.says, b), (self.target_says, target))
        return Program(
            self.name, self.summary, a, target, self.sizes, grid, (thread,), lanes, tiles, tile,
            self._body(a, b, bias, target, grid), self.index_bits, all_of(self.requires, few),
            self._meaning(a, b, bias), (b, bias) if bias else (b,),
            tuple(say(tensor) for say, tensor in sayings if say), linear=True,
        )  # fmt: skip

    def _meaning(self, a: Tensor, b: Tensor, bias: Tensor | None) -> Meaning:
        meant: Meaning = Contract(a, b)
        if bias:
            meant = Compute("add", (meant, Read(bias)))
        return Compute("relu", (meant,)) if self.relu else meant

    def _body(
        self, a: Tensor, b: Tensor, bias: Tensor | None, target: Tensor, grid: tuple[Expr, ...]
    ) -> tuple[Statement, ...]:
        plan, (bn, bm, bg) = self.plan, grid
        count = (a.descriptor.lengths[2] + (plan.k - 1)) // plan.k
        sides = [
            _Side("a", a, self.a, plan, plan.m, lambda at: (bg, bm * plan.m, at)),
            _Side("b", b, self.b, plan, plan.n, lambda at: (bg, bn * plan.n, at)),
        ]
        sums = Registers("sums", DTYPES["f32"], plan.accumulators())
        fragments = (sides[0].fragment, sides[1].fragment)
        steps = plan.k // plan.step
        inner = var("ks", steps)
        zero = as_expr(0)
        at = inner * plan.step if steps > 1 else zero

        def multiplied(slot: Expr) -> tuple[Statement, ...]:
            reads: list[Statement] = [side.read(slot, at) for side in sides]
            each = (*reads, Multiply(sums, *fragments, plan.instruction))
            return (Loop(inner, each, unroll=True),) if steps > 1 else each

        if count is as_expr(1):  # one tile of k is all
            tiles: tuple[Statement, ...] = (Barrier(), *multiplied(zero))
        else:
            k = var("kt", count)
            loads = (side.load((k + 1) * plan.k) for side in sides)
            writes = (side.write((k + 1) % 2, (k + 1) * plan.k) for side in sides)
            tiles = (Loop(k, (Barrier(), *loads, *multiplied(k % 2), *writes)),)
        return (
            Clear(sums),
            *(side.load(zero) for side in sides),
            *(side.write(zero, zero) for side in sides),
            *tiles,
            *self._epilogue(sums, bias, target, (bg, bm * plan.m, bn * plan.n)),
        )

    def _epilogue(
        self, sums: Registers, bias: Tensor | None, target: Tensor, origin: tuple[Expr, ...]
    ) -> tuple[Statement, ...]:
        found: list[Statement] = []
        result = sums
        if bias:
            added = Registers("added", sums.dtype, sums.distribution)
            found += [Load(added, bias, origin), Elementwise(added, "add", (sums, added))]
            result = added
        if self.relu:
            positive = Registers("positive", sums.dtype, sums.distribution)
            found.append(Elementwise(positive, "relu", (result,)))
            result = positive
        return (*found, Store(target, result, origin, self._stored_together(sums)))

    def _stored_together(self, sums: Registers) -> int | None:
        """The Y of the results whose elements lie side by side in the target."""
        if self.plan.plain:
            return 1 if self.store_width == self.plan.repeats[1] > 1 else None
        tile = sums.distribution
        last = len(tile.ys) - 1
        along_n = tile.encoding.ys_major[last] == 3 and last > 1
        return last if along_n and self.store_width % int(tile.ys[last]) == 0 else None


class _Side:
    """The statements that bring one operand from memory to fragments."""

    def __init__(
        self, role: str, tensor: Tensor, operand: Operand, plan: Plan, length: int,
        place: Callable[[Expr], tuple[Expr, ...]],
    ) -> None:  # fmt: skip
        self.tensor, self.plan, self.place = tensor, plan, place
        across = plan.k_runs and not operand.along_k  # memory runs along m or n, LDS reads along k
        run = plan.run if across else 1
        most = plan.run if plan.k_runs and operand.along_k else plan.widest(length) // run
        width = min(operand.width, most, plan.widest(length))
        tile = plan.loaded(length, operand.along_k, width, run)
        self.registers = Registers(f"{role}_loaded", tensor.dtype, tile)
        self.fragment = Registers(f"{role}_held", tensor.dtype, plan.operand(role))
        self.lds = Shared(f"{role}_lds", tensor.dtype, length * plan.k, slots=2)
        self.width, self.moving = width, 2 if width > 1 else None
        self.kept = 1 if across else self.moving if operand.along_k == plan.k_runs else None
        self.layout = self.chosen(layouts(length, plan, tensor.dtype.bytes))

    def load(self, k: Expr) -> Load:
        return Load(self.registers, self.tensor, self.place(k), self.moving)

    def write(self, slot: Expr, k: Expr) -> StoreShared:
        wide = self.moving is not None and self.width * self.tensor.dtype.bytes == 16
        copies = self.load(k) if self.plan.direct and wide and self.kept == self.moving else None
        return StoreShared(self.lds, self.layout, self.registers, self.kept, slot, copies)

    def read(self, slot: Expr, k: Expr) -> LoadShared:
        zero = as_expr(0)
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
            reads, writes = (
                _cycles(s, self.plan) for s in (self.read(as_expr(0), as_expr(0)), self.write(as_expr(0), as_expr(0)))
            )
            return reads, writes

        return min(candidates, key=cost)


def _cycles(s: SharedAccess, plan: Plan) -> int:
    tile = s.registers.distribution.lower(plan.lanes(), s.registers.distribution.y_index)
    return price_of(s, plan.thread(), tile, plan.target).cycles or 0


def layouts(length: int, plan: Plan, bytes_each: int) -> list[TensorDescriptor]:
    """The layouts of an LDS tile (1, length, k) that are tried."""
    if not plan.k_runs:
        return [rows_of_m(length, plan), rows_of_m(length, plan, twist=True)]
    return [rows_of_k(length, plan, bytes_each, twist) for twist in TWISTS]


TWISTS: tuple[tuple[int, int], ...] = ((0, 0), (1, 0), (2, 0), (1, 2), (2, 1))
"""What the two next digits of a row's number are xor-ed to: 0 nothing, 1 the run's place, 2 the row within a pass."""


def rows_of_k(length: int, plan: Plan, bytes_each: int, twist: tuple[int, int] = (0, 0)) -> TensorDescriptor:
    """A tile (1, length, k) in LDS as rows of k, in runs that a lane reads at once; runs are swizzled by xor.

    As many rows as one pass over 32 banks holds (`layers`) share one xor, as in CK's XOR-swizzled LDS descriptor; with
    a twist, higher digits of the row's number are xor-ed too, so that rows far apart do not meet either.
    """
    run = max(plan.run, 16 // bytes_each if plan.run < 4 else plan.run)
    groups, layers = plan.k // run, max(1, 128 // (plan.k * bytes_each))
    high = length // (2 * groups * layers)
    sizes = [high, 2, groups, layers, groups, run]
    strides = [2 * groups * layers * plan.k, groups * layers * plan.k, layers * plan.k, plan.k, run, 1]
    layout = make_naive_tensor_descriptor(sizes, strides)
    places = {1: 4, 2: 3}  # of the run, and of the row within a pass
    for digit, to in ((2, 1), (1, twist[0]), (0, twist[1])):
        if to:
            layout = _xor(layout, digit, places[to])
    merges = [Merge(tuple(map(as_expr, sizes[:4]))), Merge(tuple(map(as_expr, sizes[4:])))]
    plane = transform_tensor_descriptor(layout, merges, [[0, 1, 2, 3], [4, 5]], [[0], [1]])
    return in_coordinates(plane, 3, (1, 2))


def _xor(layout: TensorDescriptor, digit: int, place: int) -> TensorDescriptor:
    """The layout with dimension `place` xor-ed by dimension `digit`."""
    lengths = layout.lengths
    others = [d for d in range(layout.rank) if d not in (digit, place)]
    dims = [[digit, place], *([d] for d in others)]
    transforms: list[Transform] = [Xor((lengths[digit], lengths[place])), *(PassThrough(lengths[d]) for d in others)]
    return transform_tensor_descriptor(layout, transforms, dims, dims)


def rows_of_m(length: int, plan: Plan, twist: bool = False) -> TensorDescriptor:
    """A tile (1, length, k) in LDS as rows of m (or n): lanes read along them; groups of 8 are swizzled by k div 4.

    With a twist, rows of odd k are moved by 32, so that lanes at k and k + 1 do not meet in 64 banks.
    """
    sizes = [plan.k // 4, 2, 2, length // 64, 2, 4, 8]  # k div 4, bits of k; 64s, 32s, 8s and words of m
    layout = _xor(make_naive_tensor_descriptor(sizes, packed_strides(sizes)), 0, 5)
    layout = _xor(layout, 2, 4) if twist else layout
    merges = [Merge(tuple(map(as_expr, sizes[:3]))), Merge(tuple(map(as_expr, sizes[3:])))]
    plane = transform_tensor_descriptor(layout, merges, [[0, 1, 2], [3, 4, 5, 6]], [[1], [0]])
    return in_coordinates(plane, 3, (1, 2))
