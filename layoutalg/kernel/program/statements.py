"""What a thread of a kernel does: moves between memories (`accesses`), sums of products, loops.

Tile coordinate x of an access lies at origin + x.

| statement                     | does                                                                     |
|-------------------------------|--------------------------------------------------------------------------|
| `Load(r, tensor, origin)`     | r[x] ← tensor[origin + x], 0 where that is outside or padding            |
| `Store(tensor, r, origin)`    | tensor[origin + x] ← r[x] where that is inside                           |
| `StoreShared(lds, map, r)`    | LDS[slot][map(x)] ← r[x]                                                 |
| `LoadShared(r, lds, map)`     | r[x] ← LDS[slot][map(origin + x)]                                        |
| `AsyncCopy(load, store)`      | LDS[slot][map(x)] ← tensor[origin + x], at some time before its `Await`  |
| `StraightCopy(load, store)`   | the same, by a wave's loads to LDS, whose lanes land one after the other |
| `BoxCopy(load, store)`        | the same, by one instruction for a box, begun by a thread beside these   |
| `Commit()`                    | the copies begun since the last one are a group                          |
| `Await(n)`                    | the thread's groups have arrived, all but the n newest ones              |
| `Barrier()`                   | all threads of the block arrive before any goes on                       |
| `Clear(r)`                    | r[x] ← 0 (or the least number, for a greatest)                           |
| `Multiply(c, a, b, how)`      | c[g, m, n] ← c[g, m, n] + Σₖ a[g, m, k]·b[g, n, k], over the tile's k    |
| `MultiplyShared(a, b, c)`     | the same, of tiles that the instruction reads from LDS itself            |
| `Fold(c, a, how)`             | c[m] ← c[m] + Σₖ a[m, k], or the greatest; c[m, p]: over a thread's part |
| `Elementwise(r, f, operands)` | r[x] ← f(operands at x)                                                  |
| `Exchange(r, a)`              | r[x] ← a[x], words that lanes of a wave give each other                  |
| `Loop(i, body)`               | the body for i = 0, 1 … below its extent                                 |

`rows` has those of a softmax.
A class says of its statements what every reading of programs asks (`Statement`); what they mean to one reading is that
reading's method (`reading`).  A further statement that these can say is a `Composite`: they stand in its place in the
program, and so it is proved, written and drawn as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from layoutalg.index import Expr
from layoutalg.kernel.program.accesses import Load, LoadShared, StoreShared
from layoutalg.kernel.program.fragments import HELD, instruction_named
from layoutalg.kernel.program.functions import unknown
from layoutalg.kernel.program.statement import Statement, Uses, written_out
from layoutalg.kernel.program.tiles import How, Pixels, Registers, Shared
from layoutalg.records import dataclass
from layoutalg.target.matrix import UnknownMatrixInstructionError
from layoutalg.target.operand import MatrixInstruction

# --- copies that do not wait ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AsyncCopy(Statement):
    """The load and the store, done by one instruction that does not wait: LDS has the tile at some time before `Await`.

    Their registers stand for the copy's distribution over the threads and hold nothing
    (`obligations.asynchronous` says what must hold).

    >>> from layoutalg.kernel.library.contraction import contraction
    >>> from layoutalg.kernel.library.einsum import parse_einsum
    >>> program = contraction(parse_einsum("ik,jk->ij"), "f16", target="sm_90", widths=(8, 8, 1))
    >>> sorted({(copy.load.tensor.name, copy.store.shared.name) for copy in program.of(AsyncCopy)})
    [('a', 'a_lds'), ('b', 'b_lds')]
    """

    load: Load
    store: StoreShared

    uses = Uses(reads=("load.tensor",), fills=("store.shared",))
    words = "copy to LDS", "does not wait"

    @property
    def parts(self) -> tuple[Statement, ...]:
        return (self.load, self.store)


@dataclass(frozen=True)
class StraightCopy(AsyncCopy):
    """A copy by AMD's loads to LDS: the wave says where, and its lanes' elements land there one after the other.

    So its store's map has to be such (`obligations.straight`), and nothing may leave the tensor: a lane that is off
    stores nothing.  Where there are no such loads, it is a load and a store.

    >>> from layoutalg.kernel.library.transpose import straight_transpose
    >>> (copy,) = straight_transpose().of(StraightCopy)
    >>> [one.name for one in copy.reads], [one.name for one in copy.fills]
    (['source'], ['lds'])
    """

    words = "copy to LDS", "lane after lane, does not wait"


@dataclass(frozen=True)
class BoxCopy(AsyncCopy):
    """A copy by NVIDIA's bulk tensor copy: the hardware walks a box of the tensor, and fills 0 where it leaves it.

    A thread that the program does not count begins it, in step with the others by barriers in LDS, so a program copies
    boxes in one `obligations.ring` alone.  `along_k`: whether rows in LDS run along the tile's last coordinate, or
    along the one before; `pixels`: of a tensor that is an image seen by windows (`obligations.boxes` says what must
    hold).

    >>> from layoutalg.kernel.library.contraction import contraction
    >>> from layoutalg.kernel.library.einsum import parse_einsum
    >>> from layoutalg.kernel.library.plans import Cut, copied, plan_for
    >>> cut = Cut((1, 1), (2, 1), 64, 4, instruction="wgmma.mma_async.sync.aligned.m64n256k16.f32.{0}.{0}", boxes=True)
    >>> plan = copied(plan_for("sm_90", "f16"), cut)
    >>> program = contraction(parse_einsum("ik,kj->ij"), "f16", plan=plan, widths=(8, 8, 1))
    >>> sorted({(copy.load.tensor.name, copy.along_k) for copy in program.of(BoxCopy)}), program.block
    ([('a', True), ('b', False)], (384, 1, 1))
    """

    along_k: bool = True
    pixels: Pixels | None = None

    words = "copy to LDS", "a box, does not wait"

    def wrong(self) -> Iterator[str]:
        if self.pixels is not None:
            yield from self.pixels.wrong()


@dataclass(frozen=True)
class Commit(Statement):
    """The copies that the thread has begun since the last one are a group.

    >>> from layoutalg.kernel.library.transpose import straight_transpose
    >>> [type(s).__name__ for s in straight_transpose().body[:4]]
    ['StraightCopy', 'Commit', 'Await', 'Barrier']
    """

    words = ("commit", "copies are a group")


@dataclass(frozen=True)
class Await(Statement):
    """The thread's groups of copies have arrived in LDS, oldest first, all but so many; `buffers` is what they fill.

    >>> from layoutalg.kernel.library.transpose import straight_transpose
    >>> (arrived,) = straight_transpose().of(Await)
    >>> arrived.groups, [one.name for one in arrived.fills]
    (0, ['lds'])
    >>> list(Await(-1, ()).wrong())
    ['-1 groups of copies are awaited; at least 0 are']
    """

    groups: int
    buffers: tuple[Shared, ...]

    uses = Uses(fills=("buffers",))
    words = "await", "all groups but {0.groups}"

    def wrong(self) -> Iterator[str]:
        if self.groups < 0:
            yield f"{self.groups} groups of copies are awaited; at least 0 are"


@dataclass(frozen=True)
class Barrier(Statement):
    """All threads of the block arrive before any goes on; LDS accesses before it are done.

    >>> from layoutalg.kernel.library.transpose import lds_transpose
    >>> [type(s).__name__ for s in lds_transpose().body]
    ['Load', 'StoreShared', 'Barrier', 'LoadShared', 'Store']
    """

    words = ("barrier", "all threads meet")


# --- arithmetic -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Clear(Statement):
    """registers ← the neutral value of what will be accumulated in them.

    >>> from layoutalg.kernel.library.reduce import reduction
    >>> [(clear.registers.name, clear.value) for clear in reduction("kr", "max").of(Clear)]
    [('partial', 'the least number'), ('taken', 'the least number')]
    """

    registers: Registers
    how: How = "sum"

    uses = Uses(fills=("registers",))
    words = "clear", "{0.value}"

    @property
    def value(self) -> str:
        """What is neutral, in words."""
        return "0" if self.how == "sum" else "the least number"


@dataclass(frozen=True)
class Multiply(Statement):
    """c ← c + a·bᵀ on tiles (g, m, n), (g, m, k), (g, n, k), by a matrix instruction of one wave, or lane by lane.

    The Ys of c are (m tiles, n tiles, element …), of a (m tiles, k tiles, element …), of b (n tiles, k tiles,
    element …), where element … are those of the instruction, in order.
    `scales`: tiles (g, m, block) of a and (g, n, block) of b, a number for each block of k, by which its elements are
    multiplied first; their Ys are those of a and b, with the instruction's bytes of scales as elements.

    >>> from layoutalg.kernel.library.contraction import contraction
    >>> from layoutalg.kernel.library.einsum import parse_einsum
    >>> (product,) = contraction(parse_einsum("ik,kj->ij"), "f16", "f32", target="gfx942").of(Multiply)
    >>> product.instruction.name, [one.name for one in product.adds_to]
    ('mfma_f32_32x32x8f16', ['sums'])
    """

    c: Registers
    a: Registers
    b: Registers
    instruction: MatrixInstruction
    scales: tuple[Registers, ...] = ()

    uses = Uses(reads=("a", "b", "scales"), adds_to=("c",))
    letters = ("m", "n", "k")
    words = "multiply", "{0.instruction.name}"

    def wrong(self) -> Iterator[str]:
        try:
            known = self.instruction == instruction_named(self.instruction.name)
        except UnknownMatrixInstructionError:
            known = False
        if not known:
            yield f"{self.instruction.name} is no matrix instruction as the targets have it"
        held = self.instruction.scales
        if self.scales and (len(self.scales) != 2 or held is None):
            yield f"{self.instruction.name} takes {2 if held else 0} tiles of scales, or none"
        if held and held.held_by == "bytes" and not self.scales:
            yield f"{self.instruction.name} takes 2 tiles of scales; without there is another instruction"


@dataclass(frozen=True)
class MultiplyShared(Statement):
    """Two loads from LDS and the product of what they load, done by instructions that read LDS themselves.

    The loads' registers hold nothing: they say which rows the lanes of an instruction read together.  In place of a's
    load are its registers, where the instruction takes it from there.  LDS is read, and c written, at some time before
    the next barrier and the next statement that names c or that a.  `along_k`: of a and b, whether rows in LDS run
    along k (`obligations.in_lds` says what must hold).

    >>> from layoutalg.kernel.library.contraction import contraction
    >>> from layoutalg.kernel.library.einsum import parse_einsum
    >>> from layoutalg.kernel.library.plans import Cut, copied, plan_for
    >>> cut = Cut((1, 1), (2, 1), 64, 4, instruction="wgmma.mma_async.sync.aligned.m64n256k16.f32.{0}.{0}")
    >>> plan = copied(plan_for("sm_90", "f16"), cut)
    >>> (one,) = contraction(parse_einsum("ik,jk->ij"), "f16", plan=plan, widths=(8, 8, 1)).of(MultiplyShared)
    >>> [data.name for data in one.reads], [data.name for data in one.adds_to], one.along_k
    (['a_lds', 'b_lds'], ['sums'], (True, True))
    """

    a: LoadShared | Registers
    b: LoadShared
    product: Multiply
    along_k: tuple[bool, bool]

    uses = Uses(reads=("operands",), adds_to=("product.c",))
    words = "multiply from LDS", "{0.product.instruction.name}"

    @property
    def parts(self) -> tuple[Statement, ...]:
        return (*(load for load, *_ in self.sides), self.product)

    @property
    def operands(self) -> tuple[Shared | Registers, ...]:
        """Where both operands are."""
        return (self.a.shared if isinstance(self.a, LoadShared) else self.a, self.b.shared)

    @property
    def sides(self) -> tuple[tuple[LoadShared, bool, str], ...]:
        """Each operand that is in LDS, whether its rows run along k, and the letter that counts its repetitions."""
        first = ((self.a, self.along_k[0], "m"),) if isinstance(self.a, LoadShared) else ()
        return (*first, (self.b, self.along_k[1], "n"))

    def wrong(self) -> Iterator[str]:
        a = self.a.registers if isinstance(self.a, LoadShared) else self.a
        if (a, self.b.registers) != (self.product.a, self.product.b):
            yield f"{self.product.c.name} takes in other tiles than those that are read"
        if a == self.b.registers:
            yield f"{a.name} stands for both operands; each has its own"
        name = self.product.instruction.name
        if not self.product.instruction.operands_in_lds or self.product.scales:
            yield f"{name} takes its operands from registers"
        elif isinstance(self.a, Registers) != name.endswith(HELD):
            yield f"{name} does not take {a.name} from there"


@dataclass(frozen=True)
class Fold(Statement):
    """c ← c combined with all elements of a along its last dimension that the thread holds.

    The Ys of c are the first ones of a; a's other Ys are taken in.  Where c has one dimension less, a thread holds the
    last dimension whole; where it has as many, c's last one numbers the parts that threads hold (`obligations.folds`).
    `lanes`: a's last dimension is spread over the lanes of a wave whose numbers differ in these bits; all get the fold.

    >>> from layoutalg.kernel.library.reduce import reduction
    >>> [(fold.c.name, fold.a.name, fold.how) for fold in reduction("kr").of(Fold)]
    [('partial', 'loaded', 'sum'), ('taken', 'parts', 'sum')]
    """

    c: Registers
    a: Registers
    how: How = "sum"
    lanes: tuple[int, ...] = ()

    uses = Uses(reads=("a",), adds_to=("c",))
    words = "fold", "{0.how}"

    def wrong(self) -> Iterator[str]:
        if any(n < 1 or n & (n - 1) for n in self.lanes) or len(set(self.lanes)) != len(self.lanes):
            yield f"{self.c.name} is folded over lanes that differ in {self.lanes}; each is a power of two"


@dataclass(frozen=True)
class Elementwise(Statement):
    """registers ← function(operands), element by element; all have one distribution. Functions: see `FUNCTIONS`.

    >>> from layoutalg.kernel.library.transpose import register_transpose
    >>> (tile,) = register_transpose().registers
    >>> list(Elementwise(tile, "relu", (tile,)).wrong()), list(Elementwise(tile, "relu", (tile, tile)).wrong())
    ([], ['relu of 2 operands; it takes 1'])
    """

    registers: Registers
    function: str
    operands: tuple[Registers, ...]

    uses = Uses(reads=("operands",), fills=("registers",))
    words = "{0.function}", "element by element"

    def wrong(self) -> Iterator[str]:
        yield from unknown(self.function, len(self.operands))


# --- loops ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Loop(Statement):
    """The body for each value of an index variable, in order; `unroll` asks the compiler to write it out.

    >>> from layoutalg.index import extent_of
    >>> from layoutalg.kernel.library.reduce import reduction
    >>> (loop,) = reduction("rk").of(Loop)
    >>> loop.index, extent_of(loop.index), [type(s).__name__ for s in loop.body]
    (kt, (N_a + 15) // 16, ['Load', 'Fold'])
    """

    index: Expr
    body: tuple[Statement, ...]
    unroll: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.body, tuple):  # what is none is refused with the program
            object.__setattr__(self, "body", written_out(self.body))

    @property
    def parts(self) -> tuple[Statement, ...]:
        return self.body


def apart(body: Iterable[Statement]) -> Iterator[Statement]:
    """Every statement that stands for itself, a loop before its body: no copy's load and store, no product's loads.

    >>> from layoutalg.kernel.library.transpose import straight_transpose
    >>> [type(s).__name__ for s in apart(straight_transpose().body[:2])]
    ['StraightCopy', 'Commit']
    """
    for s in body:
        yield s
        if isinstance(s, Loop):
            yield from apart(s.body)
