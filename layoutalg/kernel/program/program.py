"""Kernel programs: what each thread does, said in layouts.

A program moves tiles between memories (see `statements`).  The whole transposition is five statements:

    Load(a, source, origin)          registers a ← source[origin + x]        x runs over the tile,
    StoreShared(lds, written, a)     LDS[written(x)] ← a                     each thread over its own part of it
    Barrier()
    LoadShared(b, lds, read)         registers b ← LDS[read(x)]
    Store(target, b, origin)         target[origin + x] ← b

Coordinates stay the same all the way (the target's descriptor is the transposed one), so what must be proved is plain:
the source's value at a coordinate arrives at the target's same coordinate, once, for each.  What the target is to hold
is said by the program's `meaning`:

| meaning                          | target at x is                                              |
|----------------------------------|-------------------------------------------------------------|
| `Read(tensor)`                   | tensor[x], 0 where that is padding                          |
| `Contract(a, b)`                 | Σₖ a[g, m, k]·b[g, n, k] at x = (g, m, n)                   |
| `ContractScaled(a, b, …)`        | the same of a[g, m, k]·s[g, m, k / 32], and b so            |
| `Reduce(tensor, how)`            | Σₖ tensor[m, k], or the greatest, at x = (m)                |
| `Compute(function, meanings)`    | the function of those                                       |
| `Attend(q, k, v, factor, …)`     | Σⱼ wⱼ·v[g, n, j] / Σⱼ wⱼ, wⱼ = 2^(factor·Σᵢ q[g, m, i]·k[g, j, i]) |

What it cannot represent: data-dependent addresses, and threads that differ in which statements they reach.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from math import e, log2
from typing import TypeVar

from layoutalg.display import Displayed
from layoutalg.index import TRUE, Expr, as_expr, extent_of, prod
from layoutalg.kernel.program.accesses import LoadShared, MemoryAccess, SharedAccess
from layoutalg.kernel.program.statement import Statement, walk, written_out
from layoutalg.kernel.program.statements import BoxCopy
from layoutalg.kernel.program.tiles import How, Registers, Shared, Tensor
from layoutalg.layout import TensorAdaptor
from layoutalg.records import dataclass
from layoutalg.target.dtypes import DType

S = TypeVar("S", bound=Statement)

LOADERS = 128
"""Threads beside a program's own that copy its boxes: one of them does, the others give up their registers."""


@dataclass(frozen=True)
class Read:
    """The tensor's value at the coordinate.

    >>> from layoutalg.kernel.library.transpose import register_transpose
    >>> program = register_transpose()
    >>> program.claimed == Read(program.source), program.summary
    (True, 'target[row, column] = source[row, column]')
    """

    tensor: Tensor


@dataclass(frozen=True)
class Contract:
    """The sum over k of a[g, m, k]·b[g, n, k].

    >>> from layoutalg.kernel.library.contraction import contraction
    >>> from layoutalg.kernel.library.einsum import parse_einsum
    >>> program = contraction(parse_einsum("ik,kj->ij"))
    >>> program.meaning == Contract(program.source, *program.inputs), program.summary
    (True, 'target[g, m, n] = sum over k of a[g, m, k] · b[g, n, k]')
    """

    a: Tensor
    b: Tensor


@dataclass(frozen=True)
class ContractScaled:
    """The sum over k of a[g, m, k]·a_scale[g, m, k / block]·b[g, n, k]·b_scale[g, n, k / block].

    >>> from layoutalg.kernel.library.block_scaled import contraction_mx
    >>> contraction_mx("gfx950").summary.partition(" = ")[2]
    'sum over k of a[g, m, k] · a_scale[g, m, k / 32] · b[g, n, k] · b_scale[g, n, k / 32]'
    """

    a: Tensor
    b: Tensor
    a_scale: Tensor
    b_scale: Tensor
    block: int


@dataclass(frozen=True)
class Reduce:
    """The sum (or the greatest) over k of tensor[m, k].

    >>> from layoutalg.kernel.library.reduce import reduction
    >>> reduction("kr", "max").meaning.how, reduction("kr", "max").summary
    ('max', 'target[m] = greatest over k of source[m, k]')
    """

    tensor: Tensor
    how: How = "sum"


@dataclass(frozen=True)
class Compute:
    """A function, element by element.

    >>> from dataclasses import replace
    >>> from layoutalg.kernel.library.transpose import register_transpose
    >>> program = register_transpose()
    >>> replace(program, meaning=Compute("relu", (Read(program.source),))).summary
    'target[row, column] = relu(source[row, column])'
    """

    function: str
    operands: tuple[Meaning, ...]


@dataclass(frozen=True)
class Attend:
    """Attention: the sum over the keys j of w·v[g, n, j] / the sum of w, where w = 2^(factor·Σᵢ q[g, m, i]·k[g, j, i]).

    Keys are those where `keep`, a condition in `coordinates` (row, key), is so.  Over the reals; in the numerator a
    program may round the powers, relative to the greatest so far, to `rounded`.  From factor·score = 2³¹ on f32 may
    have no number for a row (`obligations.softmax`).

    >>> from layoutalg.kernel.library.attention import attention
    >>> attention("gfx942", causal=True).summary.partition("softmax over j of ")[2]
    'queries[g, m, :] · keys[g, j, :] / 8, where key <= row'
    """

    q: Tensor
    k: Tensor
    v: Tensor
    factor: float
    coordinates: tuple[Expr, Expr]
    keep: Expr
    rounded: DType


Meaning = Read | Contract | ContractScaled | Reduce | Compute | Attend


@dataclass(frozen=True)
class ElementMap:
    """What a tensor's descriptor means: at these coordinates it is the element at `offset`.

    Coordinates, offset and validity are expressions in `letters`, the indices by which the user knows the tensor.

    >>> from layoutalg.kernel.library.contraction import contraction
    >>> from layoutalg.kernel.library.einsum import parse_einsum
    >>> a, *_ = contraction(parse_einsum("ki,kj->ij")).element_maps
    >>> a.text, a.coordinates, a.offset
    ('a at (i_k, i_i)', (0, i_i, i_k), i_k * N_i + i_i)
    """

    tensor: Tensor
    letters: tuple[Expr, ...]
    coordinates: tuple[Expr, ...]
    offset: Expr
    valid: Expr = TRUE

    @property
    def text(self) -> str:
        """The element by its letters: `a at (i_k, i_m)`."""
        return f"{self.tensor.name} at ({', '.join(map(repr, self.letters))})"


@dataclass(frozen=True)
class Program(Displayed):
    """A kernel: sizes (its arguments), a grid of blocks of threads, and what each thread does.

    * `grid` and `threads`: the block and thread index variables, x first, with their extents.  A `linear` grid is
      launched as one long row of blocks, whose number is taken apart (the first variable fastest).
    * `lanes`: the P index of the distributions, in terms of the threads.
    * `tiles`: from the grid (top) to the number of the tile in each coordinate (bottom).
    * `tile`: the tile's lengths; the tile with number n begins at n·tile.
    * `requires`: what is assumed of the sizes, and checked before a launch.
    * `meaning`: what the target holds at each coordinate x afterwards; `source[x]` unless given.
    * `inputs`: the tensors that are read besides `source`, in the order of the kernel's arguments.
    * `fills`: whether every element of the target's memory is written, not only those that have a coordinate.
    * `resident`: how many blocks a processor is to hold at a time, by which registers are shared out where boxes are
      copied.
    * `persistent`: how many blocks are launched, each of which computes the tiles of several blocks of the grid, one
      after another; 0: as many as the grid has, a tile each.
    * `chiplets`: to how many chiplets blocks are dealt in turns, each of which takes neighbours in the grid
      (`chiplets.chiplet_order`); 1: blocks are launched in the grid's order.

    >>> from layoutalg.kernel.library.transpose import lds_transpose
    >>> program = lds_transpose()
    >>> program.summary, program.block, program.launch, program.lds_bytes
    ('target[row, column] = source[row, column]', (256, 1, 1), ((N + 63) // 64 * ((M + 63) // 64),), 16384)
    """

    name: str
    source: Tensor
    target: Tensor
    sizes: tuple[Expr, ...]
    grid: tuple[Expr, ...]
    threads: tuple[Expr, ...]
    lanes: tuple[Expr, ...]
    tiles: TensorAdaptor
    tile: tuple[int, ...]
    body: tuple[Statement, ...]
    index_bits: int = 32
    requires: Expr = field(default=TRUE)
    meaning: Meaning | None = None
    inputs: tuple[Tensor, ...] = ()
    element_maps: tuple[ElementMap, ...] = ()
    linear: bool = False
    fills: bool = True
    resident: int = 1
    persistent: int = 0
    chiplets: int = 1

    def __post_init__(self) -> None:
        if isinstance(self.body, tuple):  # what is none is refused with the program
            object.__setattr__(self, "body", written_out(self.body))

    @property
    def origin(self) -> tuple[Expr, ...]:
        """Where the block's tile begins, in coordinates."""
        return tuple(n * t for n, t in zip(self.tiles.lower(self.grid), self.tile, strict=True))

    @property
    def block(self) -> tuple[int, int, int]:
        """Threads in x, y and z, as they are launched: those that copy boxes come after the program's own."""
        x, y, z = (*(int(t.hi) + 1 for t in self.threads), 1, 1, 1)[:3]
        return x + (LOADERS if any(self.of(BoxCopy)) else 0), y, z

    @property
    def extents(self) -> tuple[Expr, ...]:
        """How many values each grid variable has."""
        return tuple(map(extent_of, self.grid))

    @property
    def launch(self) -> tuple[Expr, ...]:
        """Blocks in x, y and z, as they are launched."""
        if self.persistent:
            return (as_expr(self.persistent),)
        return (prod(self.extents),) if self.linear else self.extents

    @property
    def claimed(self) -> Meaning:
        """What the target holds afterwards."""
        return self.meaning or Read(self.source)

    @property
    def summary(self) -> str:
        """What the target holds afterwards, as a formula in its coordinates."""
        names = self.target.names
        return f"{self.target.name}[{', '.join(names)}] = {_formula(self.claimed, names)}"

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """Every tensor, in the order of the kernel's arguments."""
        return (self.source, *self.inputs, self.target)

    @property
    def shared(self) -> tuple[Shared, ...]:
        """The LDS buffers, in order of first use."""
        return tuple(dict.fromkeys(s.shared for s in self.of(SharedAccess)))

    @property
    def lds_bytes(self) -> int:
        """The LDS that a block takes."""
        ends = (place + shared.bytes for shared, place in self.places.items())
        return self.aligned_lds_bytes if self.barrier_bytes else max(ends, default=0)

    @property
    def barrier_bytes(self) -> int:
        """Of these, two barriers of 8 bytes for each slot that boxes are copied to, behind the buffers."""
        return 16 * max((copy.store.shared.slots for copy in self.of(BoxCopy)), default=0)

    @property
    def places(self) -> dict[Shared, int]:
        """The byte of LDS at which each buffer begins: one after the other, those that come again at 0."""
        found, start = {}, 0
        for shared in self.shared:
            found[shared] = 0 if shared.again else start
            start += 0 if shared.again else shared.aligned_bytes
        return found

    @property
    def aligned_lds_bytes(self) -> int:
        """The same, with what is between and behind its buffers, each of which begins at a multiple of 16 bytes."""
        ends = (place + shared.aligned_bytes for shared, place in self.places.items())
        return max(ends, default=0) + self.barrier_bytes

    @property
    def registers(self) -> tuple[Registers, ...]:
        """The register tiles, in order of first use."""
        return tuple(dict.fromkeys(r for _, s in self.statements() for r in s.tiles))

    def statements(self) -> Iterator[tuple[int, Statement]]:
        """Every statement with its number, a loop before its body."""
        return enumerate(walk(self.body))

    def of(self, kind: type[S]) -> Iterator[S]:
        """The statements of a class."""
        return (s for _, s in self.statements() if isinstance(s, kind))

    def coordinates(self, access: MemoryAccess, y: Sequence[Expr]) -> tuple[Expr, ...]:
        """The coordinates (in the tile that is accessed) of what a thread holds at Y index y."""
        inner = access.registers.distribution.lower(self.lanes, y)
        if isinstance(access, LoadShared) and access.origin:
            return tuple(o + c for o, c in zip(access.origin, inner, strict=True))
        return inner


def _formula(meaning: Meaning, x: Sequence[str]) -> str:
    """A meaning at the coordinates x; contracted ones have the name of the tensor's last coordinate."""

    def at(tensor: Tensor, *coordinates: str) -> str:
        return f"{tensor.name}[{', '.join(coordinates)}]"

    match meaning:
        case Read(tensor):
            return at(tensor, *x)
        case Contract(a, b):
            k = _contracted(a, x)
            return f"sum over {k} of {at(a, *x[:2], k)} · {at(b, x[0], x[2], k)}"
        case ContractScaled(a, b, a_scale, b_scale, block):
            k = _contracted(a, x)
            sides = ((a, a_scale, x[:2]), (b, b_scale, (x[0], x[2])))
            product = " · ".join(f"{at(t, *row, k)} · {at(s, *row, f'{k} / {block}')}" for t, s, row in sides)
            return f"sum over {k} of {product}"
        case Reduce(tensor, how):
            k = _contracted(tensor, x)
            return f"{'sum' if how == 'sum' else 'greatest'} over {k} of {at(tensor, *x, k)}"
        case Attend(q, k, v):
            kept = "" if meaning.keep is TRUE else f", where {meaning.keep}"
            scores = f"{at(q, *x[:2], ':')} · {at(k, x[0], 'j', ':')} / {log2(e) / meaning.factor:.6g}"
            return f"sum over j of {at(v, x[0], x[2], 'j')} · softmax over j of {scores}{kept}"
        case Compute(function, operands):
            return f"{function}({', '.join(_formula(operand, x) for operand in operands)})"


def _contracted(tensor: Tensor, taken: Sequence[str]) -> str:
    name = tensor.names[-1]
    return f"{name}'" if name in taken else name
