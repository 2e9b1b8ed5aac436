"""CuTe's TiledCopy: a copy instruction laid out over a tile, and what each thread has of source and destination.

    make_tiled_copy(copy_atom("SM75_U32x4_LDSM_N", 16), Layout((32, 4)), Layout((1, 8)))

An atom says of the bits that it copies, by number, which thread's value each is in the source and in the destination;
one of the two is the reference, in which a tiled copy counts threads and values:

| atom                               | threads | source: bit of (thread, value) | destination                  |
|------------------------------------|---------|--------------------------------|------------------------------|
| UniversalCopy<uint128_t>, cp.async | 1       | (1,128)                        | the same                     |
| SM75_U32x4_LDSM_N (ldmatrix.x4)    | 32      | (32,128):(128,1), a row each   | (32,(32,4)):(32,(1,1024))    |
| SM75_U16x8_LDSM_T (transposed)     | 32      | the same                       | two elements of a column     |
| SM90_…_STSM_N, _T (stmatrix)       | 32      | its destination                | its source                   |

(NVIDIA, CUTLASS, include/cute/atom: copy_traits_sm*.hpp, copy_atom.hpp.)  What it cannot represent: TMA, tensor memory,
shuffles.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from layoutalg.index import Term
from layoutalg.interop.cute.algebra import make_layout, right_inverse, size
from layoutalg.interop.cute.compose import coalesce, composition
from layoutalg.interop.cute.layout import AnyLayout, Layout, NoLayoutError, mapped, plain
from layoutalg.interop.cute.mma import TiledMma, thread_of
from layoutalg.interop.cute.products import raked_product, zipped_divide
from layoutalg.interop.cute.sizes import exactly_over, same
from layoutalg.interop.cute.tiles import recast, slice_and_offset
from layoutalg.records import dataclass


@dataclass(frozen=True)
class CopyAtom:
    """A copy instruction of elements of some width: thread-value layouts of what it copies, in elements.

    >>> copy_atom("SM75_U32x4_LDSM_N", 16).destination
    (32,(2,4)):(2,(1,64))
    """

    name: str
    source: Layout
    destination: Layout
    reference: Layout

    @property
    def threads(self) -> Term:
        """How many carry it out together."""
        return size(self.reference[0])

    @property
    def values(self) -> Term:
        """How many elements each of them copies, as the reference counts."""
        return size(self.reference[1])


_EACH = r"(?:UniversalCopy|SM80_CP_ASYNC_CACHE(?:ALWAYS|GLOBAL)(?:_ZFILL)?)<(?:cute::)?u?int(\d+)_t>"
_SOURCES: Mapping[int, Layout] = {
    1: Layout(((8, 4), 128), ((128, 0), 1)),
    2: Layout(((16, 2), 128), ((128, 0), 1)),
    4: Layout((32, 128), (128, 1)),
}
"""The bits of the rows of 16 bytes that 8, 16 or 32 threads point to."""
_ROWS: Mapping[int, Layout] = {
    1: Layout((32, 32), (32, 1)),
    2: Layout((32, (32, 2)), (32, (1, 1024))),
    4: Layout((32, (32, 4)), (32, (1, 1024))),
}
"""The bits that each thread gets of one, two or four matrices of 8 × 8, two elements of a row at a time."""
_COLUMNS: Mapping[int, Layout] = {
    1: Layout(((4, 8), (16, 2)), ((256, 16), (1, 128))),
    2: Layout(((4, 8), (16, 2, 2)), ((256, 16), (1, 128, 1024))),
    4: Layout(((4, 8), (16, 2, 4)), ((256, 16), (1, 128, 1024))),
}
"""Of the transposed matrices."""


def copy_atom(name: str, bits: int) -> CopyAtom:
    """The atom of this name, of elements of so many bits; NoLayoutError where there is none, or they do not fit it.

    >>> copy_atom("UniversalCopy<uint128_t>", 16).values
    8
    """
    if type(bits) is not int or bits < 1:
        raise NoLayoutError(f"elements of {bits} bits")
    if each := re.fullmatch(_EACH, name):
        width = int(each[1])
        return _atom(name, bits, *[Layout((1, width), (0, 1))] * 3)
    told = re.fullmatch(
        r"SM75_U32x([124])_LDSM_N|SM75_U16x([248])_LDSM_T|SM90_U32x([124])_STSM_N|SM90_U16x([248])_STSM_T", name
    )
    if told is None:
        raise NoLayoutError(
            f"no copy of the name {name} is known: UniversalCopy<uint128_t>, SM80_CP_ASYNC_CACHEALWAYS<…>, "
            "SM75_U32x4_LDSM_N, SM75_U16x8_LDSM_T, SM90_U32x4_STSM_N, SM90_U16x8_STSM_T and theirs are"
        )
    rows = told[1] or told[3]
    count = int(rows or told[2] or told[4]) // (1 if rows else 2)
    memory, held = _SOURCES[count], (_ROWS if rows else _COLUMNS)[count]
    source, destination = (memory, held) if "LDSM" in name else (held, memory)
    return _atom(name, bits, source, destination, held)


def _atom(name: str, bits: int, *layouts: Layout) -> CopyAtom:
    made = [recast(one, 1, bits) for one in layouts]
    source, destination, reference = (plain(one, name) for one in made)
    return CopyAtom(name, source, destination, reference)


@dataclass(frozen=True)
class TiledCopy:
    """CuTe's TiledCopy: `layout_tv` says of the reference's threads and values which element of the tile each has.

    >>> copy = TiledCopy(copy_atom("UniversalCopy<uint32_t>", 16), Layout((32, 2), (1, 32)), (32, 2))
    >>> copy.threads, copy.partition_d(Layout((32, 4)), 3)
    (32, (((2,1),1,2):((32,0),0,64), 3))
    """

    atom: CopyAtom
    layout_tv: Layout
    tile: tuple[Term, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.atom, CopyAtom):
            raise NoLayoutError(f"atom {self.atom!r}: a CopyAtom is wanted")
        have = [size(mode) for mode in plain(self.layout_tv, "layout_tv")]
        for what, whole, part in zip(("threads", "values"), have, (self.atom.threads, self.atom.values), strict=True):
            if exactly_over(whole, part) is None:
                raise NoLayoutError(f"{whole} {what} of a tiled copy for {part} of {self.atom.name}")

    @property
    def threads(self) -> Term:
        """How many take part."""
        return size(self.layout_tv[0])

    def source(self) -> Layout:
        """The thread-value layout of the tile as the source has it."""
        return self._over(self.atom.source)

    def destination(self) -> Layout:
        """The thread-value layout of the tile as the destination has it."""
        return self._over(self.atom.destination)

    def partition_s(self, layout: AnyLayout, thread: Term) -> tuple[AnyLayout, Term]:
        """What a thread has of a source (m, n, …), and where it begins: (CPY, CPY_M, CPY_N, …).

        >>> copy = make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", 16), Layout((32, 4), (4, 1)), Layout((1, 8)))
        >>> copy.partition_s(Layout((64, 64), (64, 1)), 5)
        (((8,1),2,2):((1,0),2048,32), 72)
        """
        return self._partition(self.atom.source, layout, thread)

    def partition_d(self, layout: AnyLayout, thread: Term) -> tuple[AnyLayout, Term]:
        """What a thread has of a destination (m, n, …), and where it begins: (CPY, CPY_M, CPY_N, …)."""
        return self._partition(self.atom.destination, layout, thread)

    def _over(self, own: Layout) -> Layout:
        """Threads and values, counted as the source or the destination does, to elements of the tile."""
        atoms = zipped_divide(self.layout_tv, (self.atom.threads, self.atom.values))
        inside = composition(atoms[0], composition(right_inverse(self.atom.reference), own))
        assert isinstance(inside, Layout)
        (lane, value), (lanes, values) = inside, atoms[1]
        return coalesce(make_layout(make_layout(lane, lanes), make_layout(value, values)), (1, (1, 1)))

    def _partition(self, own: Layout, layout: AnyLayout, thread: Term) -> tuple[AnyLayout, Term]:
        thread = thread_of(thread, self.threads)

        def parts(one: Layout) -> Layout:
            tiled = zipped_divide(one, self.tile)
            held = composition(tiled[0], self._over(own))
            assert isinstance(held, Layout)
            return make_layout(*held, *tiled[1])

        whole = mapped(layout, parts)
        return slice_and_offset(whole, (thread, *[None] * (len(whole) - 1)))


def make_tiled_copy(atom: CopyAtom, threads: Layout, values: Layout | None = None) -> TiledCopy:
    """CuTe's make_tiled_copy: each thread of a layout over the tile a block of values.

    >>> copy = make_tiled_copy(copy_atom("UniversalCopy<uint64_t>", 16), Layout((32, 8), (8, 1)), Layout((1, 4)))
    >>> copy.layout_tv, copy.tile
    (((8,32),4):((128,1),32), (32, 32))
    """
    threads, values = plain(threads, "threads"), plain(Layout(1) if values is None else values, "values")
    for what, one in (("threads", threads), ("values", values)):
        if not same(size(right_inverse(one)), size(one)):
            raise NoLayoutError(f"{what} {one}: they are not numbered from 0 on, each once")
    both = raked_product(threads, values)
    made = composition(right_inverse(both), Layout((size(threads), size(values))))
    assert isinstance(made, Layout)
    return TiledCopy(atom, made, tuple(size(mode) for mode in both))


def make_tiled_copy_a(atom: CopyAtom, mma: TiledMma) -> TiledCopy:
    """The copy whose destination is what a tiled MMA wants of A.

    >>> from layoutalg.interop.cute import make_tiled_mma
    >>> mma = make_tiled_mma("SM80_16x8x16_F32F16F16F32_TN", Layout((2, 2)))
    >>> make_tiled_copy_a(copy_atom("SM75_U32x4_LDSM_N", 16), mma).source()
    ((16,2,2,2),(8,1)):((1,256,16,0),(32,0))
    """
    return _of_mma(atom, mma.a(), mma, (0, 2))


def make_tiled_copy_b(atom: CopyAtom, mma: TiledMma) -> TiledCopy:
    """The copy whose destination is what a tiled MMA wants of B.

    >>> from layoutalg.interop.cute import make_tiled_mma
    >>> mma = make_tiled_mma("SM80_16x8x16_F32F16F16F32_TN", Layout((2, 2)))
    >>> make_tiled_copy_b(copy_atom("SM75_U32x2_LDSM_N", 16), mma).tile
    (16, 16)
    """
    return _of_mma(atom, mma.b(), mma, (1, 2))


def make_tiled_copy_c(atom: CopyAtom, mma: TiledMma) -> TiledCopy:
    """The copy whose source is what a tiled MMA gives.

    >>> from layoutalg.interop.cute import make_tiled_mma
    >>> mma = make_tiled_mma("mfma_f32_32x32x8f16", Layout((2, 2)))
    >>> make_tiled_copy_c(copy_atom("UniversalCopy<uint32_t>", 32), mma).tile
    (64, 64)
    """
    return _of_mma(atom, mma.c(), mma, (0, 1))


def _of_mma(atom: CopyAtom, held: Layout, mma: TiledMma, dims: Sequence[int]) -> TiledCopy:
    return TiledCopy(atom, held, tuple(mma.tile[d] for d in dims))
