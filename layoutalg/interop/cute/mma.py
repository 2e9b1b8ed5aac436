"""CuTe's TiledMMA: atoms laid out over (m, n, k), and what each thread has of A, B and C.

    make_tiled_mma("SM80_16x8x16_F32F16F16F32_TN", Layout((2, 2, 1)), (32, 32, 16))

| argument      | says                                                                                           |
|---------------|------------------------------------------------------------------------------------------------|
| `atom`        | the instruction, whose threads are the first                                                   |
| `atom_layout` | which threads after those carry out the atom at (m, n, k): (2, 2, 1) is two by two warps        |
| `tile`        | for each of m, n and k a length or a layout by which it is reordered; None: one atom for each   |

`partition_a(layout, thread)` is what one thread has of a tensor (m, k): its modes are a value of the atom, and the
atom's repetitions along each mode, (MMA, MMA_M, MMA_K).  (NVIDIA, CUTLASS, include/cute/atom/mma_atom.hpp.)  Where
atoms lie along k, CUTLASS 4.2's `get_layoutC_TV` leaves the tile; `c()` is what its `partition_C` gives them, the same.
A tensor that is no multiple of the tile has parts that go on beyond it, as in CuTe, for a mask to cut off.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index

from layoutalg.errors import LayoutError
from layoutalg.index import Expr, Term
from layoutalg.interop.cute.algebra import make_layout, right_inverse, size
from layoutalg.interop.cute.atoms import MmaAtom, mma_atom
from layoutalg.interop.cute.compose import composition
from layoutalg.interop.cute.layout import AnyLayout, Layout, NoLayoutError, mapped, plain
from layoutalg.interop.cute.products import logical_divide, zipped_divide
from layoutalg.interop.cute.sizes import exactly_over, quotient, remainder, same, times
from layoutalg.interop.cute.tiles import number_at, slice_and_offset
from layoutalg.records import dataclass

Permutation = Layout | Expr | int | None
"""How m, n or k is reordered before atoms are laid out over it; None, or a length, leaves its order."""
Operand = tuple[Layout, tuple[int, int]]
"""The atom's thread-value layout, and which of m, n and k it goes along."""


@dataclass(frozen=True)
class TiledMma:
    """CuTe's TiledMMA: an atom for each warp, the warps laid out over (m, n) or (m, n, k).

    Threads count the atom's first, then the warps as `atoms` says; values count the atom's first, then its repetitions.

    >>> tiled = TiledMma(mma_atom("mfma_f32_32x32x8f16"), Layout((2, 2)))
    >>> tiled.c((128, 128))[0]
    ((32,2),(2,2)):((128,4),(32,4096))
    >>> tiled.a((128, 16))[0]
    ((32,2),(2,2)):((1,512),(32,0))
    """

    atom: MmaAtom
    atoms: Layout
    permutation: tuple[Permutation, ...] = (None, None, None)

    def __post_init__(self) -> None:
        if not isinstance(self.atom, MmaAtom):
            raise NoLayoutError(f"atom {self.atom!r}: an MmaAtom or its name is wanted")
        if len(plain(self.atoms, "atoms")) not in (2, 3):
            raise NoLayoutError(f"atoms {self.atoms}: modes over m and n, or over m, n and k are wanted")
        if not same(size(right_inverse(self.atoms)), size(self.atoms)):
            raise NoLayoutError(f"warps {self.atoms}: they are not numbered from 0 on, each once")
        if not isinstance(self.permutation, tuple) or len(self.permutation) != 3:
            raise NoLayoutError(f"tile {self.permutation}: one of each of m, n and k is wanted, None where it is free")

    @property
    def threads(self) -> Term:
        """How many take part."""
        return times(self.atom.threads, size(self.atoms))

    @property
    def tile(self) -> tuple[Term, ...]:
        """The lengths (m, n, k) that all threads have at once."""
        return tuple(size(one) if isinstance(one, Layout) else one for one in map(self._tiler, range(3)))

    def a(self, tile: tuple[Term, Term] | None = None) -> Layout:
        """The thread-value layout of A's tile (m, k): warps along n hold the same."""
        return self._over(self._a, tile)

    def b(self, tile: tuple[Term, Term] | None = None) -> Layout:
        """The thread-value layout of B's tile (n, k): warps along m hold the same."""
        return self._over(self._b, tile)

    def c(self, tile: tuple[Term, Term] | None = None) -> Layout:
        """The thread-value layout of C's tile (m, n): warps along k hold the same."""
        return self._over(self._c, tile)

    def partition_a(self, layout: AnyLayout, thread: Term) -> tuple[AnyLayout, Term]:
        """What a thread has of A (m, k, …), and where it begins: (MMA, MMA_M, MMA_K, …).

        >>> tiled = make_tiled_mma("SM80_16x8x16_F32F16F16F32_TN", Layout((2, 2, 1)))
        >>> tiled.partition_a(Layout((64, 32)), 33)
        (((2,2,2),2,2):((64,8,512),32,1024), 144)
        """
        return self._partition(self._a, layout, thread)

    def partition_b(self, layout: AnyLayout, thread: Term) -> tuple[AnyLayout, Term]:
        """What a thread has of B (n, k, …), and where it begins: (MMA, MMA_N, MMA_K, …)."""
        return self._partition(self._b, layout, thread)

    def partition_c(self, layout: AnyLayout, thread: Term) -> tuple[AnyLayout, Term]:
        """What a thread has of C (m, n, …), and where it begins: (MMA, MMA_M, MMA_N, …)."""
        return self._partition(self._c, layout, thread)

    # --- how --------------------------------------------------------------------------------------------------------

    @property
    def _a(self) -> Operand:
        return self.atom.a, (0, 2)

    @property
    def _b(self) -> Operand:
        return self.atom.b, (1, 2)

    @property
    def _c(self) -> Operand:
        return self.atom.c, (0, 1)

    def _along(self, d: int) -> Layout:
        """The atoms along m, n or k."""
        return self.atoms[d] if d < len(self.atoms) else Layout(1, 0)

    def _tiler(self, d: int) -> Layout | Term:
        one = self.permutation[d]
        return times(self.atom.shape[d], size(self._along(d))) if one is None else one

    def _divided(self, operand: Operand, layout: Layout) -> tuple[Layout, Layout, Layout, Layout]:
        """A tensor's layout in threads of an atom, atoms, values of an atom, and the atom's repetitions."""
        held, dims = operand
        if len(layout) < 2:
            raise NoLayoutError(f"{layout}: a tensor of an operand has two modes or more")
        ordered = logical_divide(layout, tuple(map(self._tiler, dims)))
        by_atoms = zipped_divide(ordered, tuple(self.atom.shape[d] for d in dims))
        inside = composition(by_atoms[0], held)
        among = zipped_divide(by_atoms[1], tuple(size(self._along(d)) for d in dims))
        assert isinstance(inside, Layout)
        return inside[0], among[0], inside[1], among[1]

    def _over(self, operand: Operand, tile: tuple[Term, Term] | None) -> Layout:
        """The thread-value layout of a tile: the warps of a turn are in their order."""
        dims, own = operand[1], tuple(self.tile[d] for d in operand[1])
        lengths = own if tile is None else tile
        if not isinstance(lengths, Sequence) or len(lengths) != len(dims):
            raise NoLayoutError(f"a tile {tile} of an operand: two lengths are wanted")
        for have, whole, d in zip(lengths, own, dims, strict=True):
            if exactly_over(have, whole) is None:
                raise NoLayoutError(
                    f"a tile of {have} for atoms of {self.atom.shape[d]} and {size(self._along(d))} warps: it is no "
                    f"multiple of {whole}"
                )
        lane, among, value, again = self._divided(operand, Layout(tuple(lengths)))
        steps = [among[dims.index(d)].stride if d in dims else 0 for d in range(3)]
        grid = [(size(self._along(d)), step) for d, step in enumerate(steps)][: len(self.atoms)]
        order = composition(Layout(tuple(n for n, _ in grid), tuple(d for _, d in grid)), right_inverse(self.atoms))
        assert isinstance(order, Layout)
        return make_layout(make_layout(lane, order), make_layout(value, again))

    def _partition(self, operand: Operand, layout: AnyLayout, thread: Term) -> tuple[AnyLayout, Term]:
        thread = thread_of(thread, self.threads)
        warp = quotient(thread, self.atom.threads)
        at = (remainder(thread, self.atom.threads), tuple(number_at(self._along(d), warp) for d in operand[1]))

        def parts(one: Layout) -> Layout:
            lane, among, value, again = self._divided(operand, one)
            return make_layout(make_layout(lane, among), value, *again)

        whole = mapped(layout, parts)
        return slice_and_offset(whole, (at, *[None] * (len(whole) - 1)))


def thread_of(thread: Term, threads: Term) -> Term:
    """A thread's number; LayoutError where it is none of those that take part."""
    if isinstance(thread, Expr):
        return thread
    try:
        number = index(thread)
    except TypeError:
        raise LayoutError(f"thread {thread!r}: a number is wanted") from None
    if number < 0 or (type(threads) is int and number >= threads):
        raise LayoutError(f"thread {number} of {threads}")
    return number


def make_tiled_mma(
    atom: MmaAtom | str, atom_layout: Layout | None = None, tile: Sequence[Permutation] = (None, None, None)
) -> TiledMma:
    """CuTe's make_tiled_mma; the atom by name (`mma_atom`), one of it where no layout is given.

    >>> tiled = make_tiled_mma("SM80_16x8x16_F32F16F16F32_TN", Layout((2, 2, 1)), (32, 32, 16))
    >>> tiled.tile, tiled.threads
    ((32, 32, 16), 128)
    >>> tiled.c()
    (((4,8),(2,2)),((2,2),(1,2))):(((64,1),(16,256)),((32,8),(0,512)))
    """
    one = mma_atom(atom) if isinstance(atom, str) else atom
    return TiledMma(one, Layout((1, 1, 1), (0, 0, 0)) if atom_layout is None else atom_layout, tuple(tile))
