"""Launches of kernels of zjin-lcf/HeCBench."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.foreign.hip.cases import Array, Case, Draw, Given, between, both, read, whole, write

U32, F16, F32, F64, I32, I64, U64 = np.uint32, np.float16, np.float32, np.float64, np.int32, np.int64, np.uint64


def accuracy(draw: Draw) -> Given:
    """How many rows have their label among their four greatest."""
    rows, columns = 8, 300
    x, label = between(draw, 0, 1, rows, columns), draw.integers(0, columns, rows).astype(I32)
    x[::2][np.arange(4), label[::2]] = 2
    right = (x > x[np.arange(rows), label][:, None]).sum(1) < 4
    return Given([rows, columns, 4, read(x), read(label), both(np.zeros(1, I32))], {5: right.sum(keepdims=True)})


def weighted_by_distance(draw: Draw) -> Given:
    """Means weighted by a power of the distance, which depends on how far the known points are."""
    x, y, z = between(draw, 0, 10, 3, 20)
    at_x, at_y = between(draw, 0, 10, 2, 64)
    mean = between(draw, 0.1, 3, 64)
    far = np.minimum(mean / (0.5 / np.sqrt(20 / 100)), 2).astype(float)
    u = 0.5 - 0.5 * np.cos(3.1415926 / 2 * far)
    alpha = np.interp(u, [0.1, 0.3, 0.5, 0.7, 0.9], [1.5, 2, 2.5, 3, 3.5]) / 2
    alpha = np.where((u > 0.3) & (u <= 0.5), np.interp(u, [0.3, 0.5], [1.5, 2.5]) / 2, alpha)
    distance = (at_x[:, None] - x.astype(float)) ** 2 + (at_y[:, None] - y.astype(float)) ** 2
    weight = distance ** -alpha[:, None]
    given = [read(x.copy()), read(y.copy()), read(z.copy()), 20, read(at_x.copy()), read(at_y.copy())]
    return Given([*given, write(64), 64, F32(100), read(mean)], {6: (weight * z).sum(1) / weight.sum(1)})


def counted(draw: Draw) -> Given:
    """Eight counters, by one atomic of a wave for all lanes that want the same."""
    return Given([both(np.zeros(8, I32)), 8], {0: np.full(8, 2 * 256 // 8)})


def triad_of(scale: float, first: bool) -> Callable[[Draw], Given]:
    """b + scale c, where the result is the first argument or the third."""

    def given(draw: Draw) -> Given:
        b, c = whole(draw, 512), whole(draw, 512)
        wanted = b + np.float64(F32(scale)) * c
        if first:
            return Given([write(512), read(b), read(c)], {0: wanted})
        return Given([read(b), read(c), write(512), F32(scale)], {2: wanted})

    return given


def dot(draw: Draw) -> Given:
    """A scalar product, a sum a block."""
    a, b = whole(draw, 1024, dtype=F64), whole(draw, 1024, dtype=F64)
    sums = (a * b).reshape(2, 2, 256).sum((0, 2))
    return Given([read(a), read(b), write(2, F64), 1024], {2: sums})


def bins(draw: Draw) -> Given:
    """A histogram in LDS, then in memory."""
    x = (draw.integers(-2, 18, 500) + 0.5).astype(F32)
    inside = x[(x >= 0) & (x <= 16)]
    wanted = np.bincount(inside.astype(int), minlength=16)
    return Given([both(np.zeros(16, I32)), read(x), 16, F32(0), F32(16), 500, 16], {0: wanted})


def binary_search(draw: Draw) -> Given:
    """Where numbers stand among sorted ones."""
    a = np.sort(draw.permutation(1000)[:100]).astype(F32)
    z = draw.integers(int(a[0]), int(a[-1]), 64).astype(F32)
    wanted = np.searchsorted(a, z, "right") - 1
    return Given([read(a), read(z), write(64, U64), U64(64), U64(99)], {2: wanted})


def gaussian(draw: Draw) -> Given:
    """A blur of bytes, whose sum is rounded towards 0 after each of its nine terms."""
    image = draw.integers(0, 256, (10, 10)).astype(np.uint8)
    total = np.zeros((8, 8))
    for i, j in np.ndindex(3, 3):
        total = np.trunc(total + 0.0625 * (1 + (i == 1)) * (1 + (j == 1)) * image[i : i + 8, j : j + 8])
    wanted = np.zeros((10, 10))
    wanted[1:9, 1:9] = total
    return Given([read(image), write((10, 10), np.uint8), 10, 10], {1: wanted})


def hysteresis(draw: Draw) -> Given:
    """Edges by two thresholds and their mean."""
    image = draw.integers(0, 256, (10, 10)).astype(np.uint8)
    wanted = np.zeros((10, 10))
    wanted[1:9, 1:9] = np.where(image[1:9, 1:9] >= 40, 255, 0)
    return Given([read(image), write((10, 10), np.uint8), 10, 10], {1: wanted})


def chi_squared(draw: Draw) -> Given:
    """Of how often a variant is among cases and among controls."""
    data = draw.integers(ord("0"), ord("3"), (60, 64)).astype(np.uint8)
    one, other = (
        (part[None] == np.frombuffer(b"012", np.uint8)[:, None, None]).sum(1) + 1.0 for part in np.split(data, [30])
    )
    n, m = one.sum(0) + 1, other.sum(0) + 1
    both_of = (one + other) / (n + m)
    wanted = ((one - n * both_of) ** 2 / (n * both_of) + (other - m * both_of) ** 2 / (m * both_of)).sum(0)
    return Given([U32(60), U32(64), 30, 30, read(data), write(64)], {5: wanted})


def convolution(draw: Draw) -> Given:
    """Of two channels by two filters of 3 by 3."""
    x, w = whole(draw, 1, 2, 10, 10), whole(draw, 2, 2, 3, 3)
    windows = np.lib.stride_tricks.sliding_window_view(x[0], (3, 3), (1, 2))
    return Given(
        [read(x), read(w), write((1, 2, 8, 8)), 2, 2, 3, 10, 10, 8, 8, 1], {2: np.einsum("cyxpq,mcpq->myx", windows, w)}
    )


def first_matrix(draw: Draw) -> Given:
    """0 for each node to itself, half the greatest int elsewhere."""
    wanted = np.full((16, 16), (2**31 - 1) // 2)
    wanted[np.arange(12), np.arange(12)] = 0
    return Given([12, write((16, 16), I32), 16], {1: wanted})


def shortest_paths(draw: Draw) -> Given:
    """Floyd and Warshall's on 64 nodes, with each step's row and column as they were then."""
    side = 64
    distance = draw.integers(1, 1000, (side, side)).astype(I32)
    np.fill_diagonal(distance, 0)
    wanted, rows, columns = distance.copy(), np.zeros_like(distance), np.zeros_like(distance)
    for k in range(side):
        wanted = np.minimum(wanted, wanted[:, k : k + 1] + wanted[k])
        rows[k], columns[k] = wanted[k], wanted[:, k]
    return Given(
        [both(distance), side, write((side, side), I32), write((side, side), I32)], {0: wanted, 2: rows, 3: columns}
    )


def gamma(draw: Draw) -> Given:
    """Grey pixels, squared."""
    x = np.repeat(draw.integers(0, 255, (64, 1)), 4, 1).astype(np.uint8)
    return Given([both(x)], {0: x.astype(int) ** 2 // 255})


def hausdorff(draw: Draw) -> Given:
    """The greatest of the least squared distances."""
    a, b = whole(draw, 100, 2), whole(draw, 30, 2)
    squares = ((a[:, None] - b) ** 2).sum(2)
    return Given([read(a), read(b), both(np.zeros(1, F32)), 100, 30], {2: squares.min(1).max(keepdims=True)})


def sorted_fours(draw: Draw) -> Given:
    """Each four in order."""
    x = between(draw, -1, 1, 100, 4)
    return Given([write((100, 4)), both(x), 100], {0: np.sort(x, 1)})


def packed(draw: Draw) -> Given:
    """Two lists put one behind the other, without what is empty before them."""
    x = between(draw, -1, 1, 64)
    start, end, empty = np.array([0, 8], I32), np.array([0, 30, 50], U32), np.array([2, 3], U32)
    wanted = np.concatenate([x[2:32], x[35:55]])
    return Given([write(50), read(x), read(start), read(end), read(empty)], {0: wanted})


def wave_step(draw: Draw) -> Given:
    """A step of a wave equation; the border stays."""
    previous, velocity, following = whole(draw, 12, 16), whole(draw, 12, 16), whole(draw, 12, 16)
    wanted, inner = following.copy(), previous[1:-1, 1:-1]
    around = previous[1:-1, 2:] + previous[1:-1, :-2] + previous[2:, 1:-1] + previous[:-2, 1:-1] - 4 * inner
    wanted[1:-1, 1:-1] = 2 * inner - following[1:-1, 1:-1] + around * 2 * velocity[1:-1, 1:-1]
    return Given([both(following), read(previous), read(velocity), F32(2), U64(12), U64(16)], {0: wanted})


def lower_bound_of_warping(draw: Draw) -> Given:
    """How far each window, normalised, is outside of an envelope, squared."""
    n, m = 100, 10
    x, mean, lower = whole(draw, n), whole(draw, n - m + 1), whole(draw, m)
    deviation, upper = draw.choice([0.5, 1, 2], n - m + 1).astype(F32), lower + 3
    windows = (np.lib.stride_tricks.sliding_window_view(x, m) - mean[:, None]) / deviation[:, None]
    outside = np.maximum(windows - upper, 0) + np.minimum(windows - lower, 0)
    given = [read(x), read(mean), read(deviation), write(n - m + 1), read(lower), read(upper), m, n]
    return Given(given, {3: (outside**2).sum(1)})


def langevin(low: float, high: float) -> Callable[[Draw], Given]:
    """coth x - 1 / x."""

    def given(draw: Draw) -> Given:
        x = between(draw, low, high, 256)
        return Given([read(x), write(256)], {1: 1 / np.tanh(x.astype(float)) - 1 / x.astype(float)})

    return given


def _neighbours(draw: Draw, atoms: int, most: int) -> tuple[Array, Array, Array, Array]:
    """How many each atom has, which, and how it hops there; a column an atom."""
    number = draw.integers(0, most + 1, atoms).astype(I32)
    return number, draw.integers(0, atoms, (most, atoms)).astype(I32), *whole(draw, 2, most, atoms, dtype=F64)


def hamiltonian(draw: Draw) -> Given:
    """A sparse complex matrix on a state."""
    n, most = 100, 4
    number, which, real, imaginary = _neighbours(draw, n, most)
    potential, state_real, state_imaginary = (whole(draw, n, dtype=F64) for _ in range(3))
    state, there = state_real + 1j * state_imaginary, np.arange(most)[:, None] < number
    wanted = (potential * state + np.where(there, (real + 1j * imaginary) * state[which], 0).sum(0)) / 4
    matrices = [read(number), read(which), read(potential), read(real.copy()), read(imaginary.copy())]
    states = [read(state_real), read(state_imaginary), write(n, F64), write(n, F64)]
    return Given([n, F64(4), *matrices, *states], {9: wanted.real, 10: wanted.imag})


def chebyshev(draw: Draw) -> Given:
    """Two terms of a sum."""
    n = 100
    parts = [whole(draw, n, dtype=F64) for _ in range(4)]
    wanted = 2 * (parts[0] + 1j * parts[1]) + 3 * (parts[3] - 1j * parts[2]) * -1
    return Given(
        [n, *map(read, parts), write(n, F64), write(n, F64), F64(2), F64(3), -1], {5: wanted.real, 6: wanted.imag}
    )


def overlay(draw: Draw) -> Given:
    """A box of a colour that half covers what is there."""
    image = whole(draw, 20, 24, 3, low=0, high=256)
    wanted = np.zeros_like(image)
    wanted[5:17, 4:14] = 0.5 * np.array([200, 100, 50]) + 0.5 * image[5:17, 4:14]
    colour = np.array([200, 100, 50, 127.5], F32)
    return Given([read(image), write(image.shape), 24, 20, 4, 5, 10, 12, colour.tobytes()], {1: wanted})


def cheapest_path(draw: Draw) -> Given:
    """Two rows of the cheapest way down a grid."""
    wall, before = draw.integers(0, 10, (2, 60)).astype(I32), draw.integers(0, 10, 60).astype(I32)
    cost = before
    for row in wall:
        around = np.pad(cost, 1, "edge")
        cost = np.minimum(np.minimum(around[:-2], around[2:]), cost) + row
    noted = np.zeros(10, I32)
    noted[before[9]] = 1
    given = [read(wall), read(before), write(60, I32), both(np.zeros(10, I32)), 2, 1, 2, 60, 0]
    return Given(given, {2: cost, 3: noted})


def sum_into(draw: Draw) -> Given:
    """y + x, in strides of the grid."""
    x, y = between(draw, -1, 1, 300), between(draw, -1, 1, 300)
    return Given([300, read(x), both(y)], {2: x + y})


def sum_of(draw: Draw) -> Given:
    """a + b."""
    a, b = between(draw, -1, 1, 100), between(draw, -1, 1, 100)
    return Given([read(a), read(b), write(100), 100], {2: a + b})


def quasirandom(draw: Draw) -> Given:
    """Exclusive ors of those columns of a table that a number's bits choose."""
    n, seed = 128, 5
    table = draw.integers(0, 1 << 31, (3, 31)).astype(U32)
    chosen = (np.arange(n) + seed)[:, None] >> np.arange(31) & 1
    result = np.bitwise_xor.reduce(np.where(chosen, table[:, None], 0), 2).astype(U32)
    wanted = (result + U32(1)).astype(F32) * (F32(1) / F32(0x80000001))
    return Given([write((3, n)), read(table), U32(seed), U32(n)], {0: wanted})


def rotation(draw: Draw) -> Given:
    """About the z axis."""
    points = between(draw, 0.1, 0.2, 100, 4)
    points[:, 1] += 2
    x, y, z, _ = points.astype(float).T
    cosine, sine = np.cos(0.5), np.sin(0.5)
    wanted = np.stack([x * cosine + y * sine, y * cosine - x * sine, z, 0 * z], 1)
    return Given([100, F32(0.5), np.array([0, 0, 1], F32).tobytes(), both(points)], {3: wanted})


def block_addition(draw: Draw) -> Given:
    """Each block's number added to what is there."""
    x, y = whole(draw, 2), whole(draw, 2, 64)
    return Given([read(x), both(y)], {1: y + x[:, None]})


def exclusive_scan(draw: Draw) -> Given:
    """Sums of what stands before."""
    x = whole(draw, 128)
    return Given([write(128), read(x), U32(128)], {0: np.cumsum(x) - x})


def swapped(draw: Draw) -> Given:
    """Six vectors of each thread, swapped about and added."""
    vectors = np.arange(256)[:, None] + np.array([0, 11, 19, 23])
    return Given([write((256, 4))], {0: 6 * vectors + 1 + 3 + 7 + 13 + 17})


def tridiagonal(draw: Draw) -> Given:
    """32 systems at once, by Thomas's algorithm."""
    n, systems = 10, 32
    lower, upper = -between(draw, 0.5, 1, n, systems, dtype=F64), -between(draw, 0.5, 1, n, systems, dtype=F64)
    diagonal, right = between(draw, 4, 5, n, systems, dtype=F64), between(draw, 1, 2, n, systems, dtype=F64)
    solved = np.stack([
        np.linalg.solve(np.diag(diagonal[:, s]) + np.diag(lower[1:, s], -1) + np.diag(upper[:-1, s], 1), right[:, s])
        for s in range(systems)
    ], 1)  # fmt: skip
    return Given([read(lower), read(diagonal), both(upper), both(right), n, systems], {3: solved})


def halves(n: int) -> Callable[[Draw], Given]:
    """a + b in f16."""

    def given(draw: Draw) -> Given:
        a, b = between(draw, -2, 2, 2, n, dtype=F16)
        return Given([read(a.copy()), read(b.copy()), write(n, F16), U64(n)], {2: a + b})

    return given


def welford(draw: Draw) -> Given:
    """Means and variances of two features."""
    x = between(draw, 1, 9, 2, 2, 80)
    features = x.astype(float).swapaxes(0, 1).reshape(2, -1)
    return Given([read(x), write(2), write(2), 2, 2, 80], {1: features.mean(1), 2: features.var(1)})


def loss_gradient(draw: Draw) -> Given:
    """Of a negative log likelihood, for the first 64 of its length."""
    classes, length, done = 81, 8732, 64
    logs = -between(draw, 0.5, 3, classes, length)
    gradient, negative, weight = (between(draw, 0.5, 1, length) for _ in range(3))
    target, mask = draw.integers(0, classes, length), draw.integers(0, 2, length)
    scaled = -(gradient + np.where(mask, negative, 0)).astype(float) * weight
    here = target, np.arange(length)
    wanted = -np.exp(logs.astype(float)) * scaled * logs[here]
    wanted[here] += scaled
    wanted[:, done:] = 0
    given = [read(logs), read(gradient), read(negative), read(target), read(weight), read(mask)]
    return Given([*given, write(logs.shape)], {6: wanted})


def _case(file: str, kernel: str, grid: int | tuple[int, ...], block: int | tuple[int, ...],
          given: Callable[[Draw], Given], ulp: float = 0, lds: int = 0) -> Case:  # fmt: skip
    return Case(f"HeCBench/src/{file}", kernel, grid, block, given, ulp, lds)


CASES = (
    _case("accuracy-hip/main.cu", "accuracy_kernel", 2, 256, accuracy),
    _case("accuracy-hip/main.cu", "accuracy_kernel2", 2, 256, accuracy),
    _case("aidw-hip/main.cu", "AIDW_Kernel", 1, 64, weighted_by_distance, ulp=32),
    _case("atomicAggregate-hip/main.cu", "k2", 2, 256, counted),
    _case("babelstream-hip/main.cu", "triad_kernel If", 2, 256, triad_of(0.4, first=True), ulp=1),
    _case("babelstream-hip/main.cu", "dot_kernel Id", 2, 256, dot),
    _case("bincount-hip/main.cu", "bincount IifiL16DeviceMemoryType0E", 2, 64, bins, lds=64),
    _case("bsearch-hip/main.cu", "kernel_BS", 1, 64, binary_search),
    _case("bsearch-hip/main.cu", "kernel_BS2", 1, 64, binary_search),
    _case("bsearch-hip/main.cu", "kernel_BS3", 1, 64, binary_search),
    _case("bsearch-hip/main.cu", "kernel_BS4", 1, 64, binary_search),
    _case("ced-hip/main.cu", "gaussian_kernel", 1, (8, 8), gaussian, lds=400),
    _case("ced-hip/main.cu", "hyst_kernel", 1, (8, 8), hysteresis),
    _case("chi2-hip/chi2.cu", "chi_kernel", 1, 64, chi_squared, ulp=64),
    _case("convolution3D-hip/main.cu", "conv3d_s1", (1, 2, 1), (16, 16), convolution),
    _case("crossEntropy-hip/main.cu", "loss_bwd Iff", 1, 64, loss_gradient, ulp=16),
    _case("floydwarshall2-hip/main.cu", "init1", 1, 256, first_matrix),
    _case("floydwarshall2-hip/main.cu", "FW0_64", 1, 1024, shortest_paths),
    _case("gamma-correction-hip/main.cu", "gamma_correction", 1, 64, gamma),
    _case("hausdorff-hip/main.cu", "computeDistance", 2, 64, hausdorff),
    _case("hybridsort-hip/mergesort.cu", "sortElement", 2, 64, sorted_fours),
    _case("hybridsort-hip/mergesort.cu", "mergepack", (1, 2), 64, packed),
    _case("iso2dfd-hip/iso2dfd.cu", "iso_2dfd_kernel", (2, 2), (8, 8), wave_step),
    _case("keogh-hip/main.cu", "lb_keogh", 2, 64, lower_bound_of_warping, lds=4 * 74),
    _case("langevin-hip/main.cu", "k0", 1, 256, langevin(1, 8), ulp=8),
    _case("langevin-hip/main.cu", "k1", 1, 256, langevin(1, 8), ulp=8),
    _case("lsqt-hip/hamiltonian.cu", "gpu_apply_hamiltonian", 2, 64, hamiltonian),
    _case("lsqt-hip/hamiltonian.cu", "gpu_chebyshev_01", 2, 64, chebyshev),
    _case("overlay-hip/main.cu", "DetectionOverlayBox", (2, 2), (8, 8), overlay),
    _case("pathfinder-hip/main.cu", "pathfinder", 1, 64, cheapest_path),
    _case("prefetch-hip/main.cu", "add", 2, 64, sum_into),
    _case("qrg-hip/main.cu", "qrng", 1, (32, 3), quasirandom),
    _case("rodrigues-hip/main.cu", "rotate2", 2, 64, rotation, ulp=8),
    _case("scan2-hip/main.cu", "blockAddition", 2, 64, block_addition),
    _case("scan2-hip/main.cu", "prefixSum", 1, 64, exclusive_scan, lds=512),
    _case("shmembench-hip/shmem_kernels.cu", "benchmark_shmem", 1, 256, swapped),
    _case("streamOrderedAllocation-hip/main.cu", "vectorAddGPU", 2, 64, sum_of),
    _case("thomas-hip/cuThomasBatch.cu", "cuThomasBatch", 1, 64, tridiagonal, ulp=32),
    _case("triad-hip/triad.cu", "triad", 2, 256, triad_of(1.75, first=False)),
    _case("vadd-hip/main.cu", "base_elementwise_add_kernel", 2, 64, halves(100)),
    _case("vadd-hip/main.cu", "vectorized_elementwise_add_kernel", 2, 64, halves(1024)),
    _case("wedford-hip/main.cu", "welford_kernel", 2, (64, 2), welford, ulp=32),
)
