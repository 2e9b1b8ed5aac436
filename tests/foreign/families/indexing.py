"""Indices that are data: gather, scatter, search, sorting, sparse rows."""

import numpy as np

from tests.foreign.corpus import NOTHING, WRONG, Array, Broken, Given, Kernel, Tensors, sizes

FILE = "indexing"
LINE = sizes("N V", (1, 1), (128, 300), (200, 200))
GUARD = Broken("guard", "i < n", "i <= n", "address")


def _scattered(o: Array, index: Array, x: Array) -> Array:
    result = o.copy()
    np.add.at(result, index, x)
    return result


def _placed(g: Given) -> Tensors:
    o = g.o.copy()
    o[g.index] = g.x
    return {"o": o}


def _sparse(r: np.random.Generator, s: Given) -> Tensors:
    starts = np.sort(r.integers(0, s.Z + 1, s.M + 1))
    return {"starts": starts, "columns": r.integers(0, s.N, s.Z)}


def _rows(g: Given) -> Tensors:
    values = g.values * g.x[g.columns]
    return {"y": np.array([values[g.starts[k] : g.starts[k + 1]].sum() for k in range(g.M)])}


def _compacted(g: Given) -> Tensors:
    kept, o = g.x[g.x > 0], g.o.copy()
    o[: kept.size] = kept
    return {"o": o, "count": np.array([kept.size])}


def _appended(g: Given) -> Tensors:
    cache = g.cache.copy()
    for one, place in enumerate(g.lengths):
        if place < g.T:
            cache[one, place] = g.k[one]
    return {"cache": cache}


KERNELS = (
    Kernel("gather", FILE, LINE, lambda g: {"o": g.x[g.index]}, (
        GUARD,
        Broken("index", "x[index[i]]", "x[index[i] + 1]", "address"),
        Broken("negative", "x[index[i]]", "x[index[i] - 400]", "address"),
    ), inputs=lambda r, s: {"index": r.integers(0, s.V, s.N)}),
    Kernel("scatter", FILE, LINE, _placed, (
        GUARD,
        Broken("two to one place", "o[index[i]]", "o[index[i] & ~1]", "collision"),
    ), inputs=lambda r, s: {"index": r.permutation(s.V)[: s.N], "o": np.zeros(s.V)}),
    Kernel("scatter_add", FILE, sizes("N C V", (1, 1, 1), (20, 7, 5), (16, 16, 8)),
           lambda g: {"o": _scattered(g.o, g.index, g.x)}, (
        Broken("guard", "i < n * columns", "i <= n * columns", "address"),
        Broken("no atomic", "atomicAdd(&o[index[i / columns] * columns + i % columns], x[i])",
               "o[index[i / columns] * columns + i % columns] += x[i]", "race"),
    ), inputs=lambda r, s: {"index": r.integers(0, s.V, s.N), "o": np.ones((s.V, s.C))}),
    Kernel("embedding", FILE, sizes("N V W", (1, 1, 1), (5, 9, 8), (4, 30, 40)),
           lambda g: {"o": np.where((g.tokens < g.V)[:, None, None], g.table[np.minimum(g.tokens, g.V - 1)], 0)}, (
        Broken("guard", " && token < words", "", "address", sizes=sizes("N V W", (40, 9, 8))),
        Broken("width", "k < width", "k <= width", "address"),
    ), inputs=lambda r, s: {"tokens": r.integers(0, 2 * s.V, s.N)}),
    Kernel("sparse_matvec", FILE, sizes("M N Z", (1, 1, 1), (64, 30, 200), (70, 20, 90)), _rows, (
        Broken("guard", "row >= rows", "row > rows", "address"),
        Broken("last of a row", "k < starts[row + 1]", "k <= starts[row + 1]", "address"),
    ), inputs=_sparse),
    Kernel("binary_search", FILE, sizes("N M", (1, 1), (64, 64), (100, 70)),
           lambda g: {"o": np.searchsorted(g.sorted, g.keys)}, (
        Broken("guard", "i >= m", "i > m", "address"),
        Broken("endless", "low = middle + 1", "low = middle", "livelock"),
        Broken("order", "sorted[middle] < keys[i]", "sorted[middle] <= keys[i]", WRONG),
    ), inputs=lambda r, s: {"sorted": np.sort(r.integers(0, 50, s.N)), "keys": r.integers(-5, 60, s.M)}),
    Kernel("compact", FILE, sizes("N", (1,), (63,), (64,)), _compacted, (
        Broken("guard", "i < n && ", "", "address"),
        Broken("inclusive", "k < t", "k <= t", WRONG),
        Broken("uninitialised", "places[t] = keep;", "if (keep) places[t] = 1;", "uninitialised"),
    ), inputs=lambda r, s: {"o": np.zeros(64)}),
    Kernel("bitonic_sort", FILE, sizes("N", (1,), (100,), (256,)), lambda g: {"x": np.sort(g.x)}, (
        Broken("no barrier within", "            __syncthreads();\n            int", "            int", "race"),
        Broken("direction", "(t & size) == 0", "(t & step) == 0", WRONG),
        Broken("LDS size", "keys[256]", "keys[255]", "address"),
    ), inputs=lambda r, s: {"x": r.integers(-999, 999, s.N)}),
    Kernel("triangle", FILE, sizes("N", (1,), (10,), (15,)), lambda g: {"o": g.x[np.tril_indices(g.N)]}, (
        Broken("guard", "i >= n * (n + 1) / 2", "i > n * (n + 1) / 2", "address"),
        Broken("row", "(row + 1) * (row + 2) / 2 <= i", "(row + 1) * (row + 2) / 2 < i", WRONG),
        Broken("overflow", "int i =", "short i =", NOTHING, "it is wrong from 32768 elements on: n = 256"),
    )),
    Kernel("key_value_append", FILE, sizes("B H D T", (1, 1, 1, 1), (3, 2, 32, 5), (2, 3, 40, 4)), _appended, (
        Broken("full", "if (place >= most) return;", "", "address", sizes=sizes("B H D T", (3, 2, 32, 1))),
        Broken("layout", "* heads + head) * width + d] = k", "* heads) * width + head + d] = k", "collision"),
        Broken("width", "d < width", "d <= width", "address"),
    ), inputs=lambda r, s: {"lengths": r.integers(0, s.T + 1, s.B), "cache": np.zeros((s.B, s.T, s.H, s.D))}),
)  # fmt: skip
