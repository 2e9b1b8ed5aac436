"""Thread-value layouts, CuTe's atoms, tiled copies and tiled MMAs, as tile distributions and back.

A thread-value layout is a layout of two modes, (thread, value) → the number of an element of a tile, the tile's first
dimension fastest; mma.sync m16n8k16's A, a 16 × 16 tile, is ((4,8),(2,2,2)):((32,1),(16,8,128)).  A tile
distribution says the same with factors:

| of the layout                 | of the distribution                                                |
|-------------------------------|--------------------------------------------------------------------|
| a mode n:d of the thread      | a factor n of the dimension that d steps along, owned by P          |
| a mode n:0 of the thread      | a factor of R: n threads hold the same                              |
| a mode n:d of the value       | a factor owned by a Y                                               |
| first mode fastest            | last factor fastest                                                 |

What a distribution cannot represent is refused: elements that nobody holds or two values hold, and modes that no factor
is.  Atoms come from the matrix instructions' operand maps (`layoutalg.target.matrix`), and each is proved to be its
map; CuTe's B is (n, k), so the map's (k, n) is turned round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from layoutalg.errors import LayoutError
from layoutalg.index import Term
from layoutalg.interop.cute.algebra import make_layout, right_inverse, size
from layoutalg.interop.cute.compose import composition
from layoutalg.interop.cute.layout import Layout, NoLayoutError, of_modes, plain
from layoutalg.interop.cute.products import raked_product, zipped_divide
from layoutalg.interop.cute.recognize import layout_of_map
from layoutalg.interop.cute.sizes import at_most, exactly_over, same, size_of, times
from layoutalg.interop.cute.trees import Mode, tree_text
from layoutalg.layout import TileDistribution, TileDistributionEncoding
from layoutalg.target.matrix import matrix_instruction
from layoutalg.target.operand import OperandMap


@dataclass(frozen=True)
class _Part:
    """A factor of one dimension: its length, its step along the dimension, and who owns it ("r" + its place, …)."""

    length: Term
    step: Term
    owner: tuple[str, int]


def distribution(thread_value: Layout, tile: Sequence[Term], wave: Term | None = None) -> TileDistribution:
    """The tile distribution that is a thread-value layout on a tile of these lengths.

    P is (lane), or with the lanes of a wave given, (warp, lane).  NoLayoutError where no distribution is the layout.

    >>> d = distribution(Layout(((4, 8), (2, 2)), ((32, 1), (16, 8))), (16, 8))
    >>> d.lengths, d.ps, d.lower((9,), (1, 0))
    ((16, 8), (32,), (10, 2))
    """
    thread_value = plain(thread_value, "distribution")
    if not isinstance(tile, Sequence):
        raise LayoutError(f"a tile {tile!r}: a length for each dimension is wanted")
    tile, wave = [size_of(n) for n in tile], None if wave is None else size_of(wave)
    if len(thread_value) != 2:
        raise NoLayoutError(f"{thread_value}: a thread-value layout has two modes, thread and value")
    threads, lanes = _cut(thread_value[0].modes, wave, thread_value)
    parts = list[tuple[int | None, _Part]]()
    for n, mode in enumerate(threads):
        parts += _factors(mode, tile, ("p", n), thread_value)
    for n, mode in enumerate(thread_value[1].modes):
        parts += _factors(mode, tile, ("y", n), thread_value)
    parts += [(d, _Part(1, 1, ("y", 0))) for d, length in enumerate(tile) if type(length) is int and length == 1]
    copies = [part for dim, part in parts if dim is None]
    if any(part.owner[0] == "y" for part in copies):
        raise NoLayoutError(
            f"{thread_value}: a mode of the value has stride 0, and two registers would hold one element"
        )
    factors: list[list[_Part]] = [_covering(d, length, parts, thread_value) for d, length in enumerate(tile)]
    place = {id(part): (d + 1, n) for d, each in enumerate(factors) for n, part in enumerate(each)}
    place |= {id(part): (0, n) for n, part in enumerate(copies)}
    held = [part for _, part in parts if part.owner[0] == "p"]
    p = [[place[id(part)] for part in reversed(held) if (part.owner[1] < lanes) == low] for low in (False, True)]
    y = [place[id(part)] for _, part in reversed(parts) if part.owner[0] == "y"]
    return TileDistribution(
        TileDistributionEncoding.of(
            [part.length for part in copies],
            [[part.length for part in each] for each in factors],
            p if wave is not None else p[1:],
            y,
        )
    )


def thread_value(distribution: TileDistribution) -> Layout:
    """The thread-value layout of a tile distribution; the thread counts lanes first, then warps.

    >>> thread_value(distribution(Layout(((4, 8), (2, 2)), ((32, 1), (16, 8))), (16, 8)))
    ((4,8),(2,2)):((32,1),(16,8))
    """
    if not isinstance(distribution, TileDistribution):
        raise LayoutError(f"thread_value of a {type(distribution).__name__}: a TileDistribution is wanted")
    encoding = distribution.encoding
    stride: dict[tuple[int, int], Term] = {(0, n): 0 for n in range(len(encoding.rs))}
    below: Term = 1
    for d, h in enumerate(encoding.hs):
        for n in reversed(range(len(h))):
            stride[d + 1, n] = below
            below = times(below, size_of(h[n]))
    owned = [factor for p in reversed(encoding.ps) for factor in reversed(p)]
    modes = [[(size_of(encoding.length(f)), stride[f]) for f in fs] for fs in (owned, list(reversed(encoding.ys)))]
    return make_layout(*(of_modes(each) if each else Layout(1, 0) for each in modes))


def _cut(modes: Sequence[Mode], wave: Term | None, shown: Layout) -> tuple[list[Mode], int]:
    """The thread's modes with one ending where a wave does, and how many of them are the lane's."""
    if wave is None:
        return list(modes), len(modes)
    done, found = list[Mode](), list(modes)
    reached: Term = 1
    while found and not same(reached, wave):
        n, d = found.pop(0)
        over = exactly_over(wave, reached)
        if over is not None and exactly_over(over, n) is None and (more := exactly_over(n, over)) is not None:
            found.insert(0, (more, times(d, over)))
            n = over
        done.append((n, d))
        reached = times(reached, n)
    if not same(reached, wave):
        raise NoLayoutError(f"{shown}: its {size(shown[0])} threads are no waves of {wave}")
    return done + found, len(done)


def _factors(
    mode: Mode, tile: Sequence[Term], owner: tuple[str, int], shown: Layout
) -> Iterator[tuple[int | None, _Part]]:
    """A mode as factors of the tile's dimensions; it may run from one dimension into the next."""
    n, d = mode
    while not (type(n) is int and n == 1):
        if type(d) is int and d == 0:
            yield None, _Part(n, 0, owner)
            return
        found = _along(d, tile)
        if found is None:
            raise NoLayoutError(f"{shown}: a mode {n}:{d} steps along no dimension of a tile {tree_text(tuple(tile))}")
        dim, step, room = found
        within = n if at_most(n, room) else room
        rest = exactly_over(n, within)
        if rest is None:
            raise NoLayoutError(f"{shown}: a mode {n}:{d} leaves dimension {dim} of the tile after {room}")
        yield dim, _Part(within, step, owner)
        n, d = rest, times(d, within)


def _along(stride: Term, tile: Sequence[Term]) -> tuple[int, Term, Term] | None:
    """The dimension that a stride steps along, its step there, and how many such steps the dimension has."""
    below: Term = 1
    for dim, length in enumerate(tile):
        end = times(below, length)
        step, room = exactly_over(stride, below), exactly_over(end, stride)
        if step is not None and room is not None and not (type(room) is int and room == 1):
            return dim, step, room
        below = end
    return None


def _covering(dim: int, length: Term, parts: Sequence[tuple[int | None, _Part]], shown: Layout) -> list[_Part]:
    """The factors of a dimension, the slowest first, each step all that is below it."""
    left, found = [part for d, part in parts if d == dim], list[_Part]()
    reached: Term = 1
    while left:
        part = next((one for one in left if same(one.step, reached)), None)
        if part is None:
            steps = ", ".join(f"{one.length}:{one.step}" for one in left)
            raise NoLayoutError(
                f"{shown}: along dimension {dim} nothing steps by {reached}, so that elements are held by nobody or "
                f"twice (left are {steps})"
            )
        left.remove(part)
        found.insert(0, part)
        reached = times(reached, part.length)
    if not same(reached, length):
        raise NoLayoutError(f"{shown}: along dimension {dim} it holds {reached} of {length} elements")
    return found


# --- atoms and what is tiled with them --------------------------------------------------------------------------------


@dataclass(frozen=True)
class MmaAtom:
    """A matrix instruction as CuTe has it: thread-value layouts of A (m, k), B (n, k) and C (m, n).

    >>> atom = mma_atom("mfma_f32_32x32x8f16")
    >>> atom.shape, atom.threads, atom.c
    ((32, 32, 8), 64, ((32,2),(4,4)):((32,4),(1,8)))
    """

    name: str
    shape: tuple[int, int, int]
    threads: int
    a: Layout
    b: Layout
    c: Layout


def mma_atom(name: str) -> MmaAtom:
    """The atom of a matrix instruction of `layoutalg.target.matrix`, AMD's or NVIDIA's, from its operand maps.

    >>> mma_atom("mfma_f32_32x32x8f16").a
    ((32,2),4):((1,128),32)
    >>> mma_atom("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32").b
    ((4,8),(2,2)):((16,1),(8,64))
    """
    one = matrix_instruction(name)
    a, c = _operand(one.a, turned=False), _operand(one.d, turned=False)
    return MmaAtom(name, (one.m, one.n, one.k), one.wave, a, _operand(one.b, turned=True), c)


def _operand(held: OperandMap, turned: bool) -> Layout:
    first, second, rows = held.row, held.column, held.shape[0]
    if turned:
        first, second, rows = second, first, held.shape[1]
    made = layout_of_map(first + second * rows, (held.lane, held.element))
    assert isinstance(made, Layout)
    return made


@dataclass(frozen=True)
class TiledMma:
    """CuTe's TiledMMA: an atom for each warp, the warps laid out over (m, n).

    Threads count the atom's first, then the warps as `warps` says; values count the atom's first, then its repetitions.

    >>> tiled = TiledMma(mma_atom("mfma_f32_32x32x8f16"), Layout((2, 2)))
    >>> tiled.c((128, 128))[0]
    ((32,2),(2,2)):((128,4),(32,4096))
    >>> tiled.a((128, 16))[0]
    ((32,2),(2,2)):((1,512),(32,0))
    """

    atom: MmaAtom
    warps: Layout

    def __post_init__(self) -> None:
        if len(plain(self.warps, "warps")) != 2:
            raise NoLayoutError(f"warps {self.warps}: two modes are wanted, over m and over n")

    def a(self, tile: tuple[Term, Term]) -> Layout:
        """The thread-value layout of A's tile (m, k): warps along n hold the same."""
        return self._over(self.atom.a, (0, 2), tile)

    def b(self, tile: tuple[Term, Term]) -> Layout:
        """The thread-value layout of B's tile (n, k): warps along m hold the same."""
        return self._over(self.atom.b, (1, 2), tile)

    def c(self, tile: tuple[Term, Term]) -> Layout:
        """The thread-value layout of C's tile (m, n)."""
        return self._over(self.atom.c, (0, 1), tile)

    def _over(self, operand: Layout, dims: tuple[int, int], tile: tuple[Term, Term]) -> Layout:
        """The tile in atoms; the atoms in turns of all warps; and the warps of a turn in their order."""
        sides = [self.atom.shape[d] for d in dims]
        if len(tile) != len(dims):
            raise NoLayoutError(f"a tile {tile} of an operand: two lengths are wanted")
        along = [size(self.warps[d]) if d < 2 else 1 for d in dims]
        for have, side, n in zip(tile, sides, along, strict=True):
            if exactly_over(have, times(side, n)) is None:
                raise NoLayoutError(f"a tile of {have} for atoms of {side} and {n} warps: it is no multiple of both")
        atoms = zipped_divide(Layout(tuple(tile)), tuple(sides))
        assert isinstance(atoms, Layout)
        turns = zipped_divide(atoms[1], tuple(along))
        held = composition(atoms[0], operand)
        assert isinstance(turns, Layout)
        assert isinstance(held, Layout)
        grid = tuple(size(mode) for mode in self.warps)
        steps = [turns[0][dims.index(d)].stride if d in dims else 0 for d in range(2)]
        order = composition(Layout(grid, tuple(steps)), right_inverse(self.warps))
        assert isinstance(order, Layout)
        if not same(size(order), size(self.warps)):
            raise NoLayoutError(f"warps {self.warps}: they are not numbered from 0 on, each once")
        return make_layout(make_layout(held[0], order), make_layout(held[1], turns[1]))


def tiled_copy(threads: Layout, values: Layout) -> tuple[Layout, tuple[Term, ...]]:
    """CuTe's make_tiled_copy: each thread a block of values; its thread-value layout, and the tile's lengths.

    >>> tiled_copy(Layout((32, 8), (8, 1)), Layout((1, 4)))
    (((8,32),4):((128,1),32), (32, 32))
    """
    threads, values = plain(threads, "threads"), plain(values, "values")
    for what, one in (("threads", threads), ("values", values)):
        if not same(size(right_inverse(one)), size(one)):
            raise NoLayoutError(f"{what} {one}: they are not numbered from 0 on, each once")
    both = raked_product(threads, values)
    made = composition(right_inverse(both), Layout((size(threads), size(values))))
    assert isinstance(made, Layout)
    return made, tuple(size(mode) for mode in both)
