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
from layoutalg.kernel.dtypes import DTYPES
from layoutalg.kernel.library.copies import dtype_named, in_coordinates
from layoutalg.kernel.library.plans import Plan
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
    Statement,
    Store,
    StoreShared,
    Tensor,
)
from layoutalg.layout import (
    Merge,
    PassThrough,
    TensorDescriptor,
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
        thread = var("tx", self.plan.threads)
        wave = self.plan.instruction.wave
        lanes = (thread,) if self.plan.plain else (thread // wave, thread % wave)
        blocks = prod(counts)
        few = TRUE if blocks.hi < 1 << 31 else blocks < 1 << 31
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
            writes = (side.write((k + 1) % 2) for side in sides)
            tiles = (Loop(k, (Barrier(), *loads, *multiplied(k % 2), *writes)),)
        return (
            Clear(sums),
            *(side.load(zero) for side in sides),
            *(side.write(zero) for side in sides),
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
        vector = 1 if self.plan.plain and self.store_width == self.plan.repeats[1] > 1 else None
        return (*found, Store(target, result, origin, vector))


class _Side:
    """The statements that bring one operand from memory to fragments."""

    def __init__(
        self, role: str, tensor: Tensor, operand: Operand, plan: Plan, length: int,
        place: Callable[[Expr], tuple[Expr, ...]],
    ) -> None:  # fmt: skip
        self.tensor, self.plan, self.place = tensor, plan, place
        width = min(operand.width, plan.widest(length), plan.run if plan.k_runs and operand.along_k else 16)
        self.registers = Registers(f"{role}_loaded", tensor.dtype, plan.loaded(length, operand.along_k, width))
        self.fragment = Registers(f"{role}_held", tensor.dtype, plan.operand(role))
        rows = rows_of_k if plan.k_runs else rows_of_m
        self.layout = rows(length, plan, tensor.dtype.bytes)
        self.lds = Shared(f"{role}_lds", tensor.dtype, length * plan.k, slots=2)
        self.moving = 1 if width > 1 else None
        self.kept = self.moving if operand.along_k == plan.k_runs else None

    def load(self, k: Expr) -> Load:
        return Load(self.registers, self.tensor, self.place(k), self.moving)

    def write(self, slot: Expr) -> StoreShared:
        return StoreShared(self.lds, self.layout, self.registers, self.kept, slot)

    def read(self, slot: Expr, k: Expr) -> LoadShared:
        zero = as_expr(0)
        ys = len(self.fragment.distribution.ys)
        wide = ys - 1 if self.plan.k_runs else 0 if self.plan.plain else None
        return LoadShared(self.fragment, self.lds, self.layout, wide, slot, (zero, zero, k))


def rows_of_k(length: int, plan: Plan, bytes_each: int) -> TensorDescriptor:
    """A tile (1, length, k) in LDS as rows of k, in runs that a lane reads at once; runs are swizzled by xor.

    As many rows as one pass over the banks holds (`layers`) share one xor, as in CK's XOR-swizzled LDS descriptor.
    """
    run = max(plan.run, 16 // bytes_each if plan.run < 4 else plan.run)
    groups = plan.k // run
    layers = max(1, plan.banks * 4 // (plan.k * bytes_each))
    packed = make_naive_tensor_descriptor((length // layers, layers, groups, run), (plan.k * layers, plan.k, run, 1))
    parts = [as_expr(n) for n in (length // layers, layers, groups, run)]
    mixed = transform_tensor_descriptor(
        packed, [Xor((parts[0], parts[2])), PassThrough(parts[1]), PassThrough(parts[3])],
        [[0, 2], [1], [3]], [[0, 2], [1], [3]],
    )  # fmt: skip
    plane = transform_tensor_descriptor(
        mixed, [Merge((parts[0], parts[1])), Merge((parts[2], parts[3]))], [[0, 1], [2, 3]], [[0], [1]]
    )
    return in_coordinates(plane, 3, (1, 2))


def rows_of_m(length: int, plan: Plan, bytes_each: int) -> TensorDescriptor:
    """A tile (1, length, k) in LDS as rows of m (or n): lanes read along them; groups of 8 are swizzled by k div 4."""
    outer, groups = plan.k // 4, length // 8
    packed = make_naive_tensor_descriptor((outer, 4, groups, 8), (4 * length, length, 8, 1))
    parts = [as_expr(n) for n in (outer, 4, groups, 8)]
    mixed = transform_tensor_descriptor(
        packed, [Xor((parts[0], parts[2])), PassThrough(parts[1]), PassThrough(parts[3])],
        [[0, 2], [1], [3]], [[0, 2], [1], [3]],
    )  # fmt: skip
    plane = transform_tensor_descriptor(
        mixed, [Merge((parts[0], parts[1])), Merge((parts[2], parts[3]))], [[0, 1], [2, 3]], [[1], [0]]
    )
    return in_coordinates(plane, 3, (1, 2))
