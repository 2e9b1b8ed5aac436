"""Copies between two descriptors of one shape: permutation, padding, slice, conversion, im2col are this one program.

The target at each coordinate is the source at the same coordinate, so what a copy does is all in the descriptors:

| kernel              | source in coordinates x                | target in coordinates x             |
|---------------------|----------------------------------------|-------------------------------------|
| permute (1, 0)      | rows × columns, strides (columns, 1)   | strides (1, rows)                   |
| pad                 | padded: no data at the edges           | packed                              |
| slice               | slice of a packed tensor               | packed                              |
| im2col              | windows over a padded image, merged    | a packed matrix                     |

Where memory runs along the same coordinate in both (`axes` equal), a thread moves its elements straight; where it does
not, a 64×64 tile goes through LDS, so that loads and stores both run along memory.  LDS words are swizzled by xor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from layoutalg.index import ONE, TRUE, Expr, Term, all_of, as_expr, prod, var
from layoutalg.kernel.library.staging import COLUMN, ROW, SEGMENT, Plane, by_column, by_row, divides, swizzled
from layoutalg.kernel.obligations.limits import launchable
from layoutalg.kernel.program import (
    Await,
    Barrier,
    Commit,
    ElementMap,
    Load,
    LoadShared,
    Program,
    Registers,
    Shared,
    Statement,
    Store,
    StoreShared,
    StraightCopy,
    Tensor,
)
from layoutalg.kernel.program.fragments import encoded
from layoutalg.layout import (
    Insert,
    LayoutError,
    PassThrough,
    TensorDescriptor,
    TileDistribution,
    make_single_stage_tensor_adaptor,
    transform_tensor_descriptor,
)
from layoutalg.records import dataclass
from layoutalg.target.dtypes import KERNEL_DTYPES, DType

LARGEST = (1 << 31) - (1 << 14)
"""The largest size of a dimension: a tile more still fits an int."""
TILE, THREADS = 64, 256

Elements = tuple[str, tuple[Expr, ...], tuple[Expr, ...], Expr, Expr]
"""An `ElementMap` whose tensor, "source" or "target", is yet to be made."""
Steps = Callable[[Tensor, Tensor, tuple[Expr, ...]], tuple[Statement, ...]]
"""A program's statements, once its tensors and the origin are known."""


def dtype_named(name: str, known: Mapping[str, DType] = KERNEL_DTYPES) -> DType:
    """The element type; LayoutError lists those that there are."""
    if name not in known:
        raise LayoutError(f"no kernel for {name} elements; there are {', '.join(known)}")
    return known[name]


@dataclass(frozen=True)
class Copy:
    """What to copy: two descriptors of one shape, and along which coordinate the memory of each runs.

    * `vectors`: elements moved at a time by loads and by stores, along their axes.
    * `requires`: what is assumed of the sizes beside their ranges.
    * `fills`: whether the target's memory is written whole (or only its coordinates' elements).
    * `segment`: bytes that a wave writes in one piece, where memory runs another way in the target.
    * `threads`: of a block; `tile`: its lengths along the target's and along the source's axis, where those differ.
    * `names`, `blocks`: of coordinates and of the grid's indices, one for each; d0, b0 … unless given.
    * `layout`: elements of the buffer in LDS and the tile's map to them; swizzled unless given.
    * `straight`: tiles come to LDS past the registers; they are whole then.
    """

    name: str
    source: TensorDescriptor
    target: TensorDescriptor
    sizes: tuple[Expr, ...] = ()
    axes: tuple[int, int] = (-1, -1)
    vectors: tuple[int, int] = (1, 1)
    dtypes: tuple[str, str] = ("f32", "f32")
    index_bits: int = 32
    requires: Expr = field(default=TRUE)
    element_maps: tuple[Elements, ...] = ()
    fills: bool = True
    segment: int = SEGMENT
    threads: int = THREADS
    tile: tuple[int, int] = (TILE, TILE)
    names: tuple[str, ...] = ()
    blocks: tuple[str, ...] = ()
    layout: tuple[int, TensorDescriptor] | None = None
    straight: bool = False

    @property
    def rank(self) -> int:
        """The number of coordinates."""
        return self.source.rank

    def program(self) -> Program:
        """The program that copies; LayoutError where shapes or vectors make none."""
        if self.source.rank != self.target.rank:
            raise LayoutError(f"{self.name}: source of rank {self.source.rank}, target of {self.target.rank}")
        along, across = (a % self.rank for a in self.axes)
        kinds = [dtype_named(name) for name in self.dtypes]
        for width, kind in zip(self.vectors, kinds, strict=True):
            if width not in (1, 2, 4, 8) or width * kind.bytes > 16:
                raise LayoutError(f"{self.name}: vectors of {width} {kind.name}; 1, 2, 4 or 8, up to 16 bytes")
        names = self.names or tuple(f"d{n}" for n in range(self.rank))
        blocks = self.blocks or tuple(f"b{n}" for n in range(self.rank))
        source = Tensor("source", kinds[0], self.source, names)
        target = Tensor("target", kinds[1], self.target, names)
        tile, steps = self._direct(along) if along == across else self._staged(along, across)
        counts = [(n + (t - 1)) // t for n, t in zip(self.target.lengths, tile, strict=True)]
        grid = tuple(map(var, blocks[::-1], counts[::-1]))
        tiles = make_single_stage_tensor_adaptor(
            [PassThrough(c) for c in counts],
            [[n] for n in range(self.rank)],
            [[self.rank - 1 - n] for n in range(self.rank)],
        )
        origin = tuple(g * t for g, t in zip(reversed(grid), tile, strict=True))
        threads = (var("tx", self.threads),)
        tensors = {"source": source, "target": target}
        maps = tuple(ElementMap(tensors[t], x, at, offset, valid) for t, x, at, offset, valid in self.element_maps)
        return Program(
            self.name, source, target, self.sizes, grid, threads, threads, tiles, tile,
            steps(source, target, origin), self.index_bits, self._requires(counts),
            element_maps=maps, linear=True, fills=self.fills,
        )  # fmt: skip

    def _requires(self, counts: Sequence[Expr]) -> Expr:
        """As many blocks as can be launched; what else is assumed."""
        return all_of(self.requires, launchable(prod(list(counts)[::-1]), self.threads))

    # --- what a thread does -------------------------------------------------------------------------------------------

    def _direct(self, axis: int) -> tuple[tuple[int, ...], Steps]:
        """A tile along one coordinate (and 64 of another), from memory to memory."""
        width = max(self.vectors)
        if self.rank == 1:
            hs: list[list[int]] = [[4, self.threads, width]]
            tile: tuple[int, ...] = (4 * self.threads * width,)
            held = encoded([], hs, [[(1, 1)]], [(1, 0), (1, 2)])
        else:
            rows = axis - 1 if axis else 1
            tile = tuple(TILE if d in (rows, axis) else 1 for d in range(self.rank))
            held = self._held((rows, axis), by_row((TILE, TILE), self.threads, width))
        registers = Registers("tile", dtype_named(self.dtypes[0]), held)
        moving = [1 if width > 1 and v == width else None for v in self.vectors]

        def steps(source: Tensor, target: Tensor, origin: tuple[Expr, ...]) -> tuple[Statement, ...]:
            return (Load(registers, source, origin, moving[0]), Store(target, registers, origin, moving[1]))

        return tile, steps

    def _staged(self, along: int, across: int) -> tuple[tuple[int, ...], Steps]:
        """A tile of two coordinates, loaded along one and stored along the other."""
        kind, places = dtype_named(self.dtypes[0]), (across, along)
        if not divides(self.tile, self.threads, self.vectors):
            raise LayoutError(f"{self.name}: {self.threads} threads do not divide a tile of {self.tile}")
        tile = tuple(dict(zip(places, self.tile, strict=True)).get(d, 1) for d in range(self.rank))
        held = self._held(places, by_row(self.tile, self.threads, self.vectors[0]))
        stored_by = self._held(places, by_column(self.tile, self.threads, self.vectors[1], kind.bytes, self.segment))
        elements, plane = self.layout or (self.tile[0] * self.tile[1], swizzled(self.tile, *self.vectors))
        layout, lds = in_coordinates(plane, self.rank, places), Shared("lds", kind, elements)
        loaded, stored = Registers("by_row", kind, held), Registers("by_column", kind, stored_by)
        moving = [1 if v > 1 else None for v in self.vectors]

        def steps(source: Tensor, target: Tensor, origin: tuple[Expr, ...]) -> tuple[Statement, ...]:
            load = Load(loaded, source, origin, moving[0], guarded=not self.straight)
            store = StoreShared(lds, layout, loaded, moving[0])
            copy = (StraightCopy(load, store), Commit(), Await(0, (lds,))) if self.straight else (load, store)
            return (
                *copy,
                Barrier(),
                LoadShared(stored, lds, layout),
                Store(target, stored, origin, moving[1]),
            )

        return tile, steps

    def _held(self, places: tuple[int, int], plane: Plane) -> TileDistribution:
        """The distribution of a plane whose rows and columns are those coordinates."""
        hs: list[list[int]] = [[] for _ in range(self.rank)]
        hs[places[ROW]], hs[places[COLUMN]] = list(plane.rows), list(plane.columns)
        thread, ys = ([(places[side] + 1, minor) for side, minor in parts] for parts in (plane.thread, plane.ys))
        return encoded([], hs, [thread], ys)


def in_coordinates(tile: TensorDescriptor, rank: int, places: Sequence[int]) -> TensorDescriptor:
    """A tile as one of a tensor's rank: its dimensions at those places, the others of length 1."""
    others = [d for d in range(rank) if d not in places]
    if not others and list(places) == sorted(places):
        return tile
    transforms = [PassThrough(n) for n in tile.lengths], [Insert(ONE) for _ in others]
    lower: list[list[int]] = [[d] for d in range(tile.rank)] + [[] for _ in others]
    return transform_tensor_descriptor(tile, [*transforms[0], *transforms[1]], lower, [[d] for d in (*places, *others)])


def packed_strides(lengths: Sequence[Term]) -> tuple[Expr, ...]:
    """Row-major strides without gaps.

    >>> packed_strides((3, 4, 5))
    (20, 5, 1)
    """
    return tuple(prod([as_expr(n) for n in lengths[d + 1 :]]) for d in range(len(lengths)))
