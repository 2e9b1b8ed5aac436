"""How fast numpy evaluates a descriptor: the offsets of 4096 × 4096 elements, against the same map written by hand.

    python benchmarks/offsets.py

Each case is a descriptor through five transforms or more, and the numpy expression that an author would write for it.
Both give an int64 array of every offset; the best of several runs counts, the two taking turns.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from layoutalg.index.evaluate import grid
from layoutalg.layout import (
    Merge,
    PassThrough,
    RightPad,
    Slice,
    TensorDescriptor,
    Unmerge,
    Xor,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_packed,
    transform_tensor_descriptor,
)

N = 4096
Offsets = npt.NDArray[np.int64]


def swizzled() -> TensorDescriptor:
    """Rows 4104 apart, vectors of 8 swapped by xor with the row: embed, 2 unmerges, xor, 2 pass_throughs, 2 merges."""
    d = make_naive_tensor_descriptor((N, N), (N + 8, 1))
    d = transform_tensor_descriptor(d, [Unmerge((64, 64)), Unmerge((512, 8))], [[0], [1]], [[0, 1], [2, 3]])
    layer = [PassThrough(64), Xor((64, 512)), PassThrough(8)]
    d = transform_tensor_descriptor(d, layer, [[0], [1, 2], [3]], [[0], [1, 2], [3]])
    return transform_tensor_descriptor(d, [Merge((64, 64)), Merge((512, 8))], [[0, 1], [2, 3]], [[0], [1]])


def swizzled_by_hand() -> Offsets:
    """The same."""
    i, j = np.arange(N)[:, None], np.arange(N)[None, :]
    return i * (N + 8) + (((j >> 3) ^ (i & 63)) << 3) + (j & 7)


def tiled() -> TensorDescriptor:
    """Tiles of 32 × 48 one after another, padded to 4096 columns: unmerge, 2 merges, slice, right_pad, pass_through."""
    d = make_naive_tensor_descriptor_packed((128, 86, 32, 48))
    d = transform_tensor_descriptor(d, [Merge((128, 32)), Merge((86, 48))], [[0, 2], [1, 3]], [[0], [1]])
    d = transform_tensor_descriptor(d, [PassThrough(N), Slice(4128, 8, 4088)], [[0], [1]], [[0], [1]])
    return transform_tensor_descriptor(d, [PassThrough(N), RightPad(4080, 16)], [[0], [1]], [[0], [1]])


def tiled_by_hand() -> Offsets:
    """The same."""
    i, j = np.arange(N)[:, None], np.arange(N)[None, :] + 8
    return i // 32 * (86 * 32 * 48) + j // 48 * (32 * 48) + i % 32 * 48 + j % 48


def unaligned() -> TensorDescriptor:
    """A division by 40 that mixes both dimensions: unmerge, pass_through, merge, unmerge, merge, unmerge."""
    d = make_naive_tensor_descriptor_packed((N * N // 32, 32))
    d = transform_tensor_descriptor(d, [Merge((N * N // 32, 32))], [[0, 1]], [[0]])
    d = transform_tensor_descriptor(d, [Unmerge((32, N * N // 32))], [[0]], [[1, 0]])
    d = transform_tensor_descriptor(d, [PassThrough(N * N // 32), PassThrough(32)], [[0], [1]], [[0], [1]])
    d = transform_tensor_descriptor(d, [Merge((N * N // 32, 32))], [[0, 1]], [[0]])
    return transform_tensor_descriptor(d, [Unmerge((N, N))], [[0]], [[0, 1]])


def unaligned_by_hand() -> Offsets:
    """The same."""
    i, j = np.arange(N)[:, None], np.arange(N)[None, :]
    n = i * N + j
    return n % 32 * (N * N // 32) + n // 32


CASES: dict[str, tuple[Callable[[], TensorDescriptor], Callable[[], Offsets]]] = {
    "swizzled": (swizzled, swizzled_by_hand),
    "tiled": (tiled, tiled_by_hand),
    "unaligned": (unaligned, unaligned_by_hand),
}


@dataclass(frozen=True)
class Timing:
    """Seconds of each, and whether they agree."""

    ours: float
    by_hand: float
    equal: bool

    @property
    def ratio(self) -> float:
        """How many times slower ours is."""
        return self.ours / self.by_hand


def measure(name: str, rounds: int = 5) -> Timing:
    """The best of several rounds of one case, in processor time: other work on the machine does not count."""
    build, by_hand = CASES[name]
    descriptor = build()
    times: dict[str, list[float]] = {"ours": [], "by hand": []}
    for _ in range(rounds):
        start = time.thread_time()
        found = grid(descriptor.offset(descriptor.index), descriptor.index)
        middle = time.thread_time()
        wanted = by_hand()
        times["ours"].append(middle - start)
        times["by hand"].append(time.thread_time() - middle)
    return Timing(min(times["ours"]), min(times["by hand"]), np.array_equal(found, wanted))


def main() -> None:
    """Print one line a case."""
    for name in CASES:
        t = measure(name)
        count = len(CASES[name][0]().adaptor.transforms)
        equal = "equal" if t.equal else "DIFFERENT"
        print(f"{name:10} {count} transforms  {t.ours:.3f} s  by hand {t.by_hand:.3f} s  {t.ratio:.2f} times  {equal}")


if __name__ == "__main__":
    main()
