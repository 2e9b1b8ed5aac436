"""Layouts of an LDS tile (1, length, k) of a product's operand, swizzled by xor.

| layout      | a row in LDS is | read                                  | xor-ed                        |
|-------------|-----------------|---------------------------------------|-------------------------------|
| `rows_of_k` | k of one m      | in runs of k, each lane another row   | the run's number by the row's |
| `rows_of_m` | m of one k      | by lanes along the row                | groups of 8 by k div 4        |
| `rows_of_n` | n of one k      | in runs of n, by a wave (ldmatrix)    | the run's number by k mod 8   |
| `pieces_of_n` | n of one k    | in pieces of 64 bytes, by a wave (tr) | the piece's number by k mod 4 |
| `planes`    | 64 k, or 64 m   | by a matrix descriptor (wgmma)        | the run's number by the row's |
"""

from __future__ import annotations

from layoutalg.index import as_expr
from layoutalg.kernel.library.copies import in_coordinates, packed_strides
from layoutalg.layout import (
    Merge,
    PassThrough,
    TensorAdaptor,
    TensorDescriptor,
    Transform,
    Unmerge,
    Xor,
    chain_tensor_adaptors,
    make_naive_tensor_descriptor,
    make_single_stage_tensor_adaptor,
    transform_tensor_descriptor,
)

TWISTS: tuple[tuple[int, int], ...] = ((0, 0), (1, 0), (2, 0), (1, 2), (2, 1))
"""What the two next digits of a row's number are xor-ed to: 0 nothing, 1 the run's place, 2 the row within a pass."""


def rows_of_k(length: int, k: int, run: int, bytes_each: int, twist: tuple[int, int] = (0, 0)) -> TensorDescriptor:
    """A tile (1, length, k) in LDS as rows of k, in runs that a lane reads at once; runs are swizzled by xor.

    As many rows as one pass over 32 banks holds (`layers`) share one xor, as in CK's XOR-swizzled LDS descriptor; with
    a twist, higher digits of the row's number are xor-ed too, so that rows far apart do not meet either.
    """
    sizes = _digits_of_rows(length, k, run, bytes_each)
    _, _, groups, layers, _, run = sizes
    strides = [2 * groups * layers * k, groups * layers * k, layers * k, k, run, 1]
    layout = make_naive_tensor_descriptor(sizes, strides)
    for digit, place in _xors(twist):
        layout = xored(layout, digit, place)
    merges = [Merge(tuple(map(as_expr, sizes[:4]))), Merge(tuple(map(as_expr, sizes[4:])))]
    plane = transform_tensor_descriptor(layout, merges, [[0, 1, 2, 3], [4, 5]], [[0], [1]])
    return in_coordinates(plane, 3, (1, 2))


def order_of_rows(length: int, k: int, run: int, bytes_each: int, twist: tuple[int, int] = (0, 0)) -> TensorAdaptor:
    """From elements (1, length, k) in the order in which `rows_of_k` has them in LDS to where they are in the tile.

    Xors undo themselves, so it is what a wave loads whose lanes land one after the other.
    """
    sizes = list(map(as_expr, _digits_of_rows(length, k, run, bytes_each)))
    one, each = as_expr(1), [[d] for d in range(7)]
    order = make_single_stage_tensor_adaptor(
        [PassThrough(one), Merge(tuple(sizes[:4])), Merge(tuple(sizes[4:]))], [[0], [1, 2, 3, 4], [5, 6]], each[:3]
    )
    for digit, place in _xors(twist)[::-1]:
        others = [d for d in range(1, 7) if d - 1 not in (digit, place)]
        dims = [[digit + 1, place + 1], [0], *([d] for d in others)]
        swapped = [Xor((sizes[digit], sizes[place])), PassThrough(one), *(PassThrough(sizes[d - 1]) for d in others)]
        order = chain_tensor_adaptors(make_single_stage_tensor_adaptor(swapped, dims, dims), order)
    rows = [PassThrough(one), Unmerge(tuple(sizes[:4])), Unmerge(tuple(sizes[4:]))]
    below = make_single_stage_tensor_adaptor(rows, each[:3], [[0], [1, 2, 3, 4], [5, 6]])
    return chain_tensor_adaptors(below, order)


def _digits_of_rows(length: int, k: int, run: int, bytes_each: int) -> list[int]:
    """Of a row's number and of its place in the row: what `rows_of_k` xors."""
    run = max(run, 16 // bytes_each if run < 4 else run)
    groups, layers = k // run, max(1, 128 // (k * bytes_each))
    return [length // (2 * groups * layers), 2, groups, layers, groups, run]


def _xors(twist: tuple[int, int]) -> list[tuple[int, int]]:
    """Which digits are xor-ed to which: to the run's place, or the row within a pass."""
    places = {1: 4, 2: 3}
    return [(digit, places[to]) for digit, to in ((2, 1), (1, twist[0]), (0, twist[1])) if to]


def xored(layout: TensorDescriptor, digit: int, place: int) -> TensorDescriptor:
    """The layout with dimension `place` xor-ed by dimension `digit`."""
    lengths = layout.lengths
    others = [d for d in range(layout.rank) if d not in (digit, place)]
    dims = [[digit, place], *([d] for d in others)]
    transforms: list[Transform] = [Xor((lengths[digit], lengths[place])), *(PassThrough(lengths[d]) for d in others)]
    return transform_tensor_descriptor(layout, transforms, dims, dims)


def rows_of_m(length: int, k: int, twist: bool = False) -> TensorDescriptor:
    """A tile (1, length, k) in LDS as rows of m (or n): lanes read along them; groups of 8 are swizzled by k div 4.

    With a twist, rows of odd k are moved by 32, so that lanes at k and k + 1 do not meet in 64 banks.
    """
    sizes = [k // 4, 2, 2, length // 64, 2, 4, 8]  # k div 4, bits of k; 64s, 32s, 8s and words of m
    layout = xored(make_naive_tensor_descriptor(sizes, packed_strides(sizes)), 0, 5)
    layout = xored(layout, 2, 4) if twist else layout
    merges = [Merge(tuple(map(as_expr, sizes[:3]))), Merge(tuple(map(as_expr, sizes[3:])))]
    plane = transform_tensor_descriptor(layout, merges, [[0, 1, 2], [3, 4, 5, 6]], [[1], [0]])
    return in_coordinates(plane, 3, (1, 2))


def rows_of_n(length: int, k: int) -> TensorDescriptor:
    """A tile (1, length, k) in LDS as rows of n (or m), in runs of 8 that are swizzled by k mod 8."""
    sizes = [k // 8, 8, length // 64, 8, 8]
    layout = xored(make_naive_tensor_descriptor(sizes, packed_strides(sizes)), 1, 3)
    merges = [Merge(tuple(map(as_expr, sizes[:2]))), Merge(tuple(map(as_expr, sizes[2:])))]
    plane = transform_tensor_descriptor(layout, merges, [[0, 1], [2, 3, 4]], [[1], [0]])
    return in_coordinates(plane, 3, (1, 2))


def pieces_of_n(length: int, k: int, bytes_each: int) -> TensorDescriptor:
    """A tile (1, length, k) in LDS as rows of n (or m), in pieces of 64 bytes: those of four rows lie on all 64 banks.

    So half a wave's rows do, of a load that transposes: four k, of 32 n each, where elements have 16 bits.
    """
    sizes = _digits_of_pieces(length, k, bytes_each)
    layout = make_naive_tensor_descriptor(sizes, packed_strides(sizes))
    layout = xored(layout, 1, 4)
    merges = [Merge(tuple(map(as_expr, sizes[:3]))), Merge(tuple(map(as_expr, sizes[3:])))]
    plane = transform_tensor_descriptor(layout, merges, [[0, 1, 2], [3, 4, 5]], [[1], [0]])
    return in_coordinates(plane, 3, (1, 2))


def order_of_pieces(length: int, k: int, bytes_each: int) -> TensorAdaptor:
    """From elements (1, length, k) in the order in which `pieces_of_n` has them to where they are in the tile."""
    sizes = list(map(as_expr, _digits_of_pieces(length, k, bytes_each)))
    one, each = as_expr(1), [[d] for d in range(7)]
    upper = [PassThrough(one), Merge(tuple(sizes[3:])), Merge(tuple(sizes[:3]))]
    order = make_single_stage_tensor_adaptor(upper, [[0], [4, 5, 6], [1, 2, 3]], each[:3])
    dims = [[2, 5], *([d] for d in (0, 1, 3, 4, 6))]
    swapped = [Xor((sizes[1], sizes[4])), PassThrough(one), *(PassThrough(sizes[d - 1]) for d in (1, 3, 4, 6))]
    order = chain_tensor_adaptors(make_single_stage_tensor_adaptor(swapped, dims, dims), order)
    rows = [PassThrough(one), Unmerge(tuple(sizes[3:])), Unmerge(tuple(sizes[:3]))]
    return chain_tensor_adaptors(make_single_stage_tensor_adaptor(rows, each[:3], [[0], [4, 5, 6], [1, 2, 3]]), order)


def _digits_of_pieces(length: int, k: int, bytes_each: int) -> list[int]:
    """Of a row's number, and of its place in the row: what `pieces_of_n` xors are the second and the fifth."""
    piece = 64 // bytes_each
    pieces = length // piece
    layers = min(4, pieces)  # pieces that are xor-ed: with fewer than four in a row, several rows share one
    return [k // 4, layers, 4 // layers, pieces // layers, layers, piece]


def planes(length: int, k: int, along_k: bool) -> TensorDescriptor:
    """A tile (1, length, k) of 16-bit elements as rows of 64, along k or m: what a matrix descriptor can name."""
    fast, slow = (k, length) if along_k else (length, k)
    sizes = [fast // 64, slow // 8, 8, 8, 8]
    layout = xored(make_naive_tensor_descriptor(sizes, packed_strides(sizes)), 2, 3)
    merges = [Merge(tuple(as_expr(sizes[d]) for d in dims)) for dims in ((1, 2), (0, 3, 4))]
    upper = [[0], [1]] if along_k else [[1], [0]]
    plane = transform_tensor_descriptor(layout, merges, [[1, 2], [0, 3, 4]], upper)
    return in_coordinates(plane, 3, (1, 2))


__all__ = [
    "TWISTS",
    "order_of_pieces",
    "order_of_rows",
    "pieces_of_n",
    "planes",
    "rows_of_k",
    "rows_of_m",
    "rows_of_n",
    "xored",
]
