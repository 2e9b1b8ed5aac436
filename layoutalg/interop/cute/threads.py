"""Thread-value layouts, such as those of CuTe's atoms, tiled copies and MMAs, as tile distributions and back.

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
is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from layoutalg.errors import LayoutError
from layoutalg.index import Term
from layoutalg.interop.cute.algebra import make_layout, size
from layoutalg.interop.cute.layout import Layout, NoLayoutError, of_modes, plain
from layoutalg.interop.cute.sizes import at_most, exactly_over, same, size_of, times
from layoutalg.interop.cute.trees import Mode, tree_text
from layoutalg.layout import TileDistribution, TileDistributionEncoding
from layoutalg.records import dataclass


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
    encoding = distribution.sole_encoding
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
