"""Whole words: counts, reversals, hashes, products, divisions."""

import zlib

import numpy as np

from tests.foreign.corpus import NOTHING, WRONG, Array, Broken, Given, Kernel, Tensors, sizes

FILE = "bits"
LINE = sizes("N", (1,), (64,), (200,))
GUARD = Broken("guard", "i < n", "i <= n", "address")
RETURN = Broken("guard", "i >= n", "i > n", "address")
EDGES = (0, 1, 0x80000000, 0xFFFFFFFF, 0x00010000)


def _words(r: np.random.Generator, s: Given) -> Tensors:
    x = r.integers(0, 1 << 32, s.N) >> r.integers(0, 32, s.N)
    x[: len(EDGES)] = EDGES[: s.N]
    return {"x": x}


def _counts(x: Array) -> Array:
    ones = [bin(v).count("1") + 64 * (32 - int(v).bit_length()) + 4096 * (int(v) & -int(v)).bit_length() for v in x]
    return np.array(ones, np.int32)


def _reversed(x: Array) -> Array:
    mirrored = np.array([int(f"{v:032b}"[::-1], 2) for v in x], np.uint32)
    return mirrored ^ (x << np.uint32(7) | x >> np.uint32(25))


def _hashed(g: Given) -> Array:
    v = g.x ^ g.seed
    v = (v ^ v >> np.uint32(16)) * np.uint32(0x85EBCA6B)
    v = (v ^ v >> np.uint32(13)) * np.uint32(0xC2B2AE35)
    result: Array = v ^ v >> np.uint32(16)
    return result


def _shifted(g: Given) -> Tensors:
    s = g.state.copy()
    for _ in range(g.R):
        s ^= s << np.uint64(13)
        s ^= s >> np.uint64(7)
        s ^= s << np.uint64(17)
    return {"state": s, "o": (s >> np.uint64(40)).astype(np.float32) * np.float32(2.0**-24)}


def _interleaved(x: Array) -> Array:
    wide, result = x.astype(np.uint32), np.zeros(len(x), np.uint32)
    for k in range(16):
        for part in range(2):
            result |= (wide[:, part] >> np.uint32(k) & np.uint32(1)) << np.uint32(2 * k + part)
    return result


def _divided(g: Given) -> Tensors:
    a, b = g.a.astype(np.int64), g.b.astype(np.int64)
    quotient = np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b))
    return {"quotient": quotient, "remainder": a - b * quotient}


def _high(g: Given) -> Tensors:
    s = g.a.view(np.int32).astype(np.int64) * g.b.view(np.int32) >> 32
    return {"o": (g.a.astype(np.uint64) * g.b >> np.uint64(32)), "s": s}


def _divisors(r: np.random.Generator, s: Given) -> Tensors:
    b = r.integers(1, 1 << 31, s.N) >> r.integers(0, 30, s.N)
    return {"a": r.integers(-(1 << 31) + 1, 1 << 31, s.N), "b": np.maximum(b, 1) * r.choice([-1, 1], s.N)}


def _steps(x: Array) -> Array:
    counts = []
    for v in map(int, x):
        count = 0
        while v > 1:
            v, count = 3 * v + 1 if v & 1 else v // 2, count + 1
        counts.append(count)
    return np.array(counts)


def _votes(g: Given) -> Array:
    padded = np.zeros(g.o.size * 64, bool)
    padded[: g.N] = g.x < 0
    result: Array = g.o | np.packbits(padded, bitorder="little").view(np.uint64)
    return result


KERNELS = (
    Kernel("count_bits", FILE, LINE, lambda g: {"o": _counts(g.x)}, (
        GUARD,
        Broken("of zero", "__clz(x[i])", "(31 - (int)(__float_as_uint((float)x[i]) >> 23) + 127)", WRONG),
    ), inputs=_words),
    Kernel("reverse_bits", FILE, LINE, lambda g: {"o": _reversed(g.x)}, (
        GUARD,
        Broken("rotation", "x[i] >> 25", "x[i] >> 24", WRONG),
    ), inputs=_words),
    Kernel("hash_words", FILE, LINE, lambda g: {"o": _hashed(g)}, (
        RETURN,
        Broken("constant", "0xc2b2ae35u", "0xc2b2ae37u", WRONG),
    ), values={"seed": np.uint32(0x9747B28C)}),
    Kernel("xorshift", FILE, sizes("N R", (1, 1), (64, 3), (100, 20)), _shifted, (
        RETURN,
        Broken("narrow", "unsigned long long s =", "unsigned s =", WRONG),
        Broken("not kept", "state[i] = s;", "", WRONG),
    ), inputs=lambda r, s: {"state": r.integers(1, 1 << 63, s.N)}),
    Kernel("morton", FILE, LINE, lambda g: {"o": _interleaved(g.x)}, (
        GUARD,
        Broken("swapped", "spread(x[i].y) << 1", "spread(x[i].y)", WRONG),
    )),
    Kernel("divide_integers", FILE, LINE, _divided, (
        RETURN,
        Broken("unsigned", "a[i] / b[i]", "(unsigned)a[i] / b[i]", WRONG),
        Broken("by floats", "a[i] / b[i]", "(int)((float)a[i] / b[i])", WRONG, sizes=sizes("N", (200,), (1000,))),
    ), inputs=_divisors),
    Kernel("multiply_high", FILE, LINE, _high, (
        RETURN,
        Broken("unsigned", "__mulhi((int)a[i], (int)b[i])", "__umulhi(a[i], b[i])", WRONG),
    )),
    Kernel("arithmetic_64", FILE, LINE, lambda g: {"o": g.a * g.b + (g.a >> 5) - (g.b ^ g.a)}, (
        GUARD,
        Broken("narrow", "a[i] * b[i]", "(int)a[i] * b[i]", WRONG),
    )),
    Kernel("checksum", FILE, sizes("M L", (1, 1), (64, 9), (70, 20)),
           lambda g: {"o": np.array([zlib.crc32(row.tobytes()) for row in g.x])}, (
        Broken("guard", "row >= rows", "row > rows", "address"),
        Broken("LDS size", "table[256]", "table[200]", "address"),
        Broken("uninitialised edge", "k < 256", "k < 255", "uninitialised", sizes=sizes("M L", (64, 100))),
    ), unaligned=True),
    Kernel("collatz", FILE, LINE, lambda g: {"o": _steps(g.x)}, (
        RETURN,
        Broken("endless", "v / 2", "v / 2 + (v == 2)", "control"),
        Broken("count", "++steps", "steps += 2", WRONG),
    ), inputs=lambda r, s: {"x": r.integers(1, 300, s.N)}),
    Kernel("pack_votes", FILE, LINE, lambda g: {"o": _votes(g)}, (
        Broken("guard", "i < n && x[i] < 0.0f", "x[i] < 0.0f", "address"),
        Broken("strict", "x[i] < 0.0f", "x[i] <= 0.0f", WRONG),
        Broken("half of a wave of 32", "i % 64 == 32", "i % 64 == 31", NOTHING, "waves of 64 have no halves"),
    ), inputs=lambda r, s: {"o": np.zeros(-(-s.N // 64))}),
)  # fmt: skip
