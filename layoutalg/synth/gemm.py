"""The LDS layouts of GEMM tiles in Composable Kernel, as descriptors of (row, k): what synthesis is compared with.

| function     | in memory, for row r, column k of an M × K tile, V elements a vector            | more than packed   |
|--------------|---------------------------------------------------------------------------------|--------------------|
| `packed`     | r·K + k                                                                         | 0                  |
| `padded`     | (K/V, M, V) with strides ((M + 1)·V, V, 1)                                      | (K/V − 1)·V        |
| `row_padded` | (M, K) with strides (K + p, 1)                                                  | (M − 1)·p          |
| `swizzled`   | (M/L, K0·L, V), the middle xor-ed with the first; K0·L is (L, K0) or (K0, L)    | 0                  |
| `cyclic`     | (M/L, K0·L, V), the middle shifted round by the first                           | 0                  |

Sources, in ROCm/composable_kernel under include/ck_tile/ops/gemm/pipeline: `padded` is A and B of
gemm_pipeline_agmem_bgmem_creg_v1_default_policy.hpp, `swizzled` row-major A of
gemm_universal_pipeline_ag_bg_cr_policy.hpp ((K0, L) is its older order), `row_padded` its form for gfx1250.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from layoutalg.layout import (
    LayoutError,
    TensorDescriptor,
    Transform,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_packed,
    transform_tensor_descriptor,
)
from layoutalg.layout.ck import (
    make_cyclic_shift_transform,
    make_merge_transform,
    make_pass_through_transform,
    make_unmerge_transform,
    make_xor_transform,
)


def packed(rows: int, columns: int) -> TensorDescriptor:
    """Row-major without gaps."""
    return make_naive_tensor_descriptor_packed((rows, columns))


def row_padded(rows: int, columns: int, padding: int) -> TensorDescriptor:
    """Row-major, `padding` elements after each row.

    >>> row_padded(4, 8, 2).offset((1, 3))
    13
    """
    return make_naive_tensor_descriptor((rows, columns), (columns + padding, 1))


def padded(rows: int, columns: int, vector: int = 8, padding: int = 1) -> TensorDescriptor:
    """Vectors of a column one after another, `padding` vectors after each column of them: (K/V, M, V).

    >>> [int(padded(64, 32).offset((1, k))) for k in (0, 8, 16, 24)]
    [8, 528, 1048, 1568]
    """
    return columns_padded(rows, columns, vector, padding * vector)


def columns_padded(rows: int, columns: int, vector: int, padding: int) -> TensorDescriptor:
    """`padded` by any number of elements after each column of vectors."""
    parts = _parts(columns, vector)
    below = make_naive_tensor_descriptor((parts, rows, vector), (rows * vector + padding, vector, 1))
    return transform_tensor_descriptor(
        below, [make_pass_through_transform(rows), make_merge_transform((parts, vector))], [[1], [0, 2]], [[0], [1]]
    )


def swizzled(
    rows: int, columns: int, vector: int = 8, layers: int = 1, layers_outside: bool = True
) -> TensorDescriptor:
    """CK's xor: `layers` rows lie in one line of memory, whose vectors are xor-ed with the line's number.

    >>> [int(swizzled(128, 64).offset((1, k))) for k in range(0, 64, 8)]
    [72, 64, 88, 80, 104, 96, 120, 112]
    """
    return lined(rows, columns, vector, layers, layers_outside, "xor")


def cyclic(rows: int, columns: int, vector: int = 8, layers: int = 1, layers_outside: bool = True) -> TensorDescriptor:
    """CK's cyclic shift in the place of its xor: any number of vectors in a line, not only a power of two.

    >>> [int(cyclic(4, 24).offset((1, k))) for k in (0, 8, 16)]
    [32, 40, 24]
    """
    return lined(rows, columns, vector, layers, layers_outside, "cyclic")


MIXES: Mapping[str, Callable[[tuple[int, int]], Transform]] = {
    "xor": make_xor_transform,
    "cyclic": make_cyclic_shift_transform,
}
"""What a line's vectors are mixed with its number by."""


def lined(
    rows: int,
    columns: int,
    vector: int = 8,
    layers: int = 1,
    layers_outside: bool = True,
    mix: str | None = "xor",
    gap: int = 0,
) -> TensorDescriptor:
    """(K0·L, M/L, V), mixed, unmerged to rows and columns: the chain of transforms of CK's policy, step by step.

    `layers` is L, the rows of one line; in a line stand (L, K0) vectors, or (K0, L); `gap` vectors follow each line.
    """
    parts, lines = _parts(columns, vector), _parts(rows, layers)
    line = parts * layers
    below = make_naive_tensor_descriptor((line, lines, vector), (vector, (line + gap) * vector, 1))
    if mix is not None:
        below = transform_tensor_descriptor(
            below,
            [MIXES[mix]((lines, line)), make_pass_through_transform(vector)],
            [[1, 0], [2]],
            [[1, 0], [2]],
        )
    split, upper = ((layers, parts), [0, 2]) if layers_outside else ((parts, layers), [2, 0])
    apart = transform_tensor_descriptor(
        below,
        [make_unmerge_transform(split), make_pass_through_transform(lines), make_pass_through_transform(vector)],
        [[0], [1], [2]],
        [upper, [1], [3]],
    )
    return transform_tensor_descriptor(
        apart,
        [make_merge_transform((lines, layers)), make_merge_transform((parts, vector))],
        [[1, 0], [2, 3]],
        [[0], [1]],
    )


def in_blocks(stacked: TensorDescriptor, blocks: int) -> TensorDescriptor:
    """A tile whose columns are blocks that lie one below the other in `stacked`, (blocks·rows, columns / blocks).

    >>> [int(in_blocks(packed(4, 8), 2).offset((1, k))) for k in (0, 8)]
    [8, 24]
    """
    height, width = map(int, stacked.lengths)
    rows = _parts(height, blocks)
    apart = transform_tensor_descriptor(
        stacked,
        [make_unmerge_transform((blocks, rows)), make_pass_through_transform(width)],
        [[0], [1]],
        [[0, 1], [2]],
    )
    return transform_tensor_descriptor(
        apart,
        [make_pass_through_transform(rows), make_merge_transform((blocks, width))],
        [[1], [0, 2]],
        [[0], [1]],
    )


def _parts(length: int, of: int) -> int:
    if of < 1 or length % of:
        raise LayoutError(f"a length of {length} is no whole number of {of}")
    return length // of
