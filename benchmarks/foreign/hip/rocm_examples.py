"""Launches of kernels of ROCm/rocm-examples."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.foreign.hip.cases import Array, Case, Draw, Given, between, both, read, whole, write

U32, F32, I32, U64 = np.uint32, np.float32, np.int32, np.uint64


def bitonic_sort(draw: Draw) -> Given:
    """The one stage of step 0, which sorts pairs, every other downwards."""
    pairs = draw.permutation(128).astype(U32).reshape(-1, 2)
    wanted = np.sort(pairs)
    wanted[1::2] = wanted[1::2, ::-1]
    return Given([both(pairs), U32(0), U32(0), np.uint8(1)], {0: wanted})


def floyd_warshall(draw: Draw) -> Given:
    """A step by way of node 0, whose own row and column stay, since its way to itself is 0."""
    distance = draw.integers(1, 100, (16, 16)).astype(U32)
    np.fill_diagonal(distance, 0)
    by_way = distance[:, :1] + distance[:1]
    shorter = by_way < distance
    following = np.full((16, 16), 77, U32)
    return Given(
        [both(distance), both(following), U32(16), U32(0)],
        {0: np.minimum(distance, by_way), 1: np.where(shorter, 0, following)},
    )


def histogram(draw: Draw) -> Given:
    """A histogram a block."""
    data = draw.integers(0, 256, (2, 128 * 4)).astype(np.uint8)
    return Given(
        [read(data), write((2, 256), U32), 4], {1: np.stack([np.bincount(row, minlength=256) for row in data])}
    )


def prefix_sum(draw: Draw) -> Given:
    """Running sums of one block."""
    x = whole(draw, 256)
    return Given([both(x), 256, 1], {0: np.cumsum(x)})


def device_prefix_sum(draw: Draw) -> Given:
    """The sum before each second block of 64 is added to it, but to its last."""
    x = whole(draw, 128)
    wanted = x.copy()
    wanted[64:127] += x[63]
    return Given([both(x), 128, 64], {0: wanted})


def square(draw: Draw) -> Given:
    """Squares, in strides of the grid."""
    x = between(draw, -2, 2, 300)
    return Given([write(300), read(x), U64(300)], {0: x * x})


def square_of_ints(draw: Draw) -> Given:
    """Squares by a function."""
    x = whole(draw, 100, dtype=I32)
    return Given([write(100, I32), read(x), U32(100)], {0: x * x})


def bit_extract(draw: Draw) -> Given:
    """Bits 8 to 11."""
    x = draw.integers(0, 1 << 32, 300, dtype=U32)
    return Given([write(300, U32), read(x), U64(300)], {0: x >> 8 & 15})


def cooperative_groups(draw: Draw) -> Given:
    """A sum of a block, and those of its tiles of 16."""
    x = draw.integers(0, 1000, 64).astype(U32)
    return Given([read(x), write(1, U32), write(4, U32)], {1: x.sum(keepdims=True), 2: x.reshape(4, 16).sum(1)})


def globals_of_0(draw: Draw) -> Given:
    """A sum with globals, which nothing has set."""
    x = between(draw, -1, 1, 64)
    return Given([write(64), read(x), U64(64)], {0: x})


def transposed(side: int, *more: int) -> Callable[[Draw], Given]:
    """A transposed square matrix."""

    def given(draw: Draw) -> Given:
        x = between(draw, -1, 1, side, side)
        return Given([write((side, side)), read(x), *map(U32, more)], {0: x.T})

    return given


def product(draw: Draw) -> Given:
    """A matrix product."""
    a, b = whole(draw, 32, 48), whole(draw, 48, 32)
    return Given([read(a), read(b), write((32, 32)), U32(48)], {2: a @ b})


def moving_average(draw: Draw) -> Given:
    """Means over 97 numbers, rounded down."""
    x = draw.integers(0, 1000, 400).astype(U32)
    sums = np.convolve(x, np.ones(97, int), "valid")
    return Given([read(x), write(304, U32), U32(400)], {1: sums // 97})


def pairwise(draw: Draw) -> Given:
    """Products."""
    a, b = between(draw, -2, 2, 2, 100)
    return Given([write(100), read(a.copy()), read(b.copy()), U32(100)], {0: a * b})


def saxpy(draw: Draw) -> Given:
    """a x + y."""
    x, y = whole(draw, 100), whole(draw, 100)
    return Given([F32(3), read(x), both(y), U32(100)], {2: 3 * x + y})


def copy(draw: Draw) -> Given:
    """A copy."""
    x = between(draw, -1, 1, 64)
    return Given([write(64), read(x)], {0: x})


def copy_words(draw: Draw) -> Given:
    """A copy of so many words."""
    x = draw.integers(0, 1 << 32, 100, dtype=U32)
    return Given([write(100, U32), read(x), U32(100)], {0: x})


def shuffled(draw: Draw) -> Given:
    """A transposition within a wave."""
    x = between(draw, -1, 1, 4, 4)
    return Given([write((4, 4)), read(x), U32(4)], {0: x.T})


def sine_wave(draw: Draw) -> Given:
    """A height map."""
    u, v = (np.arange(256) * 2 / 256 - 1, np.arange(256) * 2 / 256 - 1)
    wanted: Array = np.sin(10 * u + 0.5)[:, None] * np.cos(10 * v + 0.5)
    return Given([write((256, 256)), F32(0.5)], {0: wanted})


def block_sum(draw: Draw) -> Given:
    """A sum of 1024 numbers, and one of those that are left."""
    x = whole(draw, 1024 + 300, dtype=I32)
    return Given([read(x), write(2, I32), U32(1324)], {1: np.array([x[:1024].sum(), x[1024:].sum()])})


def greatest(a_block: int, blocks: int = 2) -> Callable[[Draw], Given]:
    """The greatest of what each block reads, the last less than it may; an empty lambda stands between."""

    def given(draw: Draw) -> Given:
        n = a_block * blocks - 5
        x = draw.integers(0, 1 << 32, n, dtype=U32)
        wanted = np.array([x[k * a_block : (k + 1) * a_block].max() for k in range(blocks)])
        return Given([read(x), write(blocks, U32), np.uint8(0), U32(0), U32(n)], {1: wanted})

    return given


APPLICATIONS, BASIC = "rocm-examples/Applications", "rocm-examples/HIP-Basic"
PEERS, REDUCTION = f"{BASIC}/multi_gpu_data_transfer", "rocm-examples/Tutorials/reduction/example"

CASES = (
    Case(f"{APPLICATIONS}/bitonic_sort/main.hip", "bitonic_sort_kernel", 1, 64, bitonic_sort),
    Case(f"{APPLICATIONS}/floyd_warshall/main.hip", "floyd_warshall_kernel", (2, 2), (8, 8), floyd_warshall),
    Case(f"{APPLICATIONS}/histogram/main.hip", "histogram256_block", 2, 128, histogram, lds=256 * 128),
    Case(f"{APPLICATIONS}/prefix_sum/main.hip", "block_prefix_sum", 1, 128, prefix_sum, lds=1024),
    Case(f"{APPLICATIONS}/prefix_sum/main.hip", "device_prefix_sum", 1, 64, device_prefix_sum),
    Case(f"{BASIC}/assembly_to_executable/main.hip", "vector_square_kernel", 2, 64, square),
    Case(f"{BASIC}/llvm_ir_to_executable/main.hip", "vector_square_kernel", 2, 64, square),
    Case(f"{BASIC}/bit_extract/main.hip", "bit_extract_kernel", 2, 64, bit_extract),
    Case(f"{BASIC}/cooperative_groups/main.hip", "vector_reduce_kernel", 1, 64, cooperative_groups),
    Case(f"{BASIC}/device_globals/main.hip", "test_globals_kernel", 1, 64, globals_of_0),
    Case(f"{BASIC}/dynamic_shared/main.hip", "matrix_transpose_kernel", 1, (16, 16), transposed(16, 16), lds=1024),
    Case(f"{BASIC}/events/main.hip", "matrix_transpose_kernel", (2, 2), (8, 8), transposed(16, 16)),
    Case(f"{BASIC}/gpu_arch/main.hip", "matrix_transpose_kernel", (2, 2), (8, 8), transposed(16, 16)),
    Case(f"{BASIC}/inline_assembly/main.hip", "matrix_transpose_kernel", (2, 2), (8, 8), transposed(16, 16)),
    Case(f"{BASIC}/matrix_multiplication/main.hip", "matrix_multiplication_kernel", (2, 2), (16, 16), product),
    Case(f"{BASIC}/module_api/module.hip", "test_module_api_kernel", 1, 64, copy),
    Case(f"{BASIC}/moving_average/main.hip", "moving_average", 2, 256, moving_average),
    Case(f"{PEERS}/main.hip", "static_shared_matrix_transpose_kernel", 1, (4, 4), transposed(4)),
    Case(f"{PEERS}/main.hip", "dynamic_shared_matrix_transpose_kernel", 1, (4, 4), transposed(4, 4, 4), lds=64),
    Case(f"{BASIC}/occupancy/main.hip", "pairwise_product_kernel", 2, 64, pairwise),
    Case(f"{BASIC}/saxpy/main.hip", "saxpy_kernel", 2, 64, saxpy),
    Case(f"{BASIC}/static_device_library/main.hip", "square_kernel", 2, 64, square_of_ints),
    Case(f"{BASIC}/static_host_library/library/library.hip", "copy_kernel", 2, 64, copy_words),
    Case(f"{BASIC}/streams/main.hip", "matrix_transpose_dynamic_shared", 1, (8, 8), transposed(8, 8), lds=256),
    Case(f"{BASIC}/warp_shuffle/main.hip", "matrix_transpose_kernel", 1, (4, 4), shuffled),
    Case("rocm-examples/Libraries/rocPRIM/block_sum/main.hip", "reduce_sum_kernel", 2, 256, block_sum),
    Case(f"{REDUCTION}/v1.hip", "kernel", 2, 256, greatest(256), lds=1024),
    Case(f"{REDUCTION}/v2.hip", "kernel", 2, 256, greatest(256), lds=1024),
    Case(f"{REDUCTION}/v3.hip", "kernel", 2, 256, greatest(256), lds=1024),
    Case(f"{REDUCTION}/v4.hip", "kernel", 2, 256, greatest(512), lds=1024),
    Case(f"{REDUCTION}/v5.hip", "kernel ILj64E", 2, 256, greatest(512), lds=1024),
    Case(f"{REDUCTION}/v6.hip", "kernel ILj256ELj64E", 2, 256, greatest(512)),
    Case(f"{REDUCTION}/v7.hip", "kernel ILj256ELj64E", 2, 256, greatest(512)),
)  # fmt: skip
