"""One element at a time: scalars of every type, structs by value, constant tables, calls, scratch."""

import numpy as np

from tests.foreign.corpus import NOTHING, WRONG, Array, Broken, Given, Kernel, Tensors, Tolerance, bf16, f32, sizes

FILE = "elementwise"
LINE = sizes("N", (1,), (256,), (300,))
GUARD = Broken("guard", "i < n", "i <= n", "address")
NO_GUARD = Broken("guard", "if (i < n) ", "", "address")
RETURN = Broken("guard", "i >= n", "i > n", "address")
COEFFICIENTS = np.array([1, -0.5, 0.25, 2, -3, 0.125])
LEVELS = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])


def _digits(x: Array) -> Array:
    """What `local_array` makes of its words."""
    words = x.view(np.uint32).astype(np.int64)
    digits = np.stack([words >> 2 * k & 3 for k in range(16)])
    total = np.zeros_like(words)
    for k in range(16):
        total = 3 * total + np.take_along_axis(digits, ((k + words) % 16)[None], 0)[0]
    return total


def _adam(g: Given) -> Tensors:
    m, v = np.float32(0.875) * g.m + np.float32(0.125) * g.g, np.float32(0.75) * g.v + np.float32(0.25) * g.g * g.g
    return {"m": m, "v": v, "w": g.w - g.rate * m / (np.sqrt(v) + np.float32(1e-6))}


KERNELS = (
    Kernel("saxpy", FILE, LINE, lambda g: {"y": g.alpha * g.x + g.y}, (
        GUARD,
        Broken("operand", "+ y[i]", "+ x[i]", WRONG),
    ), values={"alpha": np.float32(1.5)}, inputs=lambda r, s: {"y": r.integers(-9, 9, s.N)}),
    Kernel("axpby_f64", FILE, LINE, lambda g: {"y": g.alpha * g.x + g.beta * g.y}, (
        NO_GUARD,
        Broken("precision", "alpha * x[i]", "(float)alpha * (float)x[i]", NOTHING, "these numbers fit a float"),
        Broken("sign", "+ beta", "- beta", WRONG),
    ), values={"alpha": np.float64(0.5), "beta": np.float64(-3)}, inputs=lambda r, s: {"y": r.integers(-9, 9, s.N)}),
    Kernel("divide", FILE, LINE, lambda g: {"o": g.a / g.b}, (
        GUARD,
        Broken("swapped", "a[i] / b[i]", "b[i] / a[i]", WRONG),
    ), inputs=lambda r, s: {"a": r.normal(size=s.N), "b": r.uniform(0.5, 2, s.N)}),
    Kernel("gelu", FILE, LINE, lambda g: {"o": g.x / (1 + np.exp(-1.702 * g.x.astype(float)))}, (
        RETURN,
        Broken("sign", "-1.702f", "1.702f", WRONG),
    ), Tolerance(1e-6, 1e-5, "expf is within a few ulp, of arguments up to 14, and a division follows")),
    Kernel("hypotenuse", FILE, LINE, lambda g: {"o": np.sqrt(g.a * g.a + g.b * g.b)}, (
        GUARD,
        Broken("factor", "b[i] * b[i]", "b[i]", WRONG),
    )),
    Kernel("add_half2", FILE, sizes("N", (1,), (128,), (200,)), lambda g: {"o": np.float16(2) * g.a + g.b}, (
        Broken("guard", "i < pairs", "i <= pairs", "address"),
        Broken("operands", "__hfma2(a[i], __float2half2_rn(2.0f), b[i])", "__hfma2(a[i], b[i], a[i])", WRONG),
    )),
    Kernel("scale_bf16", FILE, LINE, lambda g: {"o": bf16(f32(g.x) * g.scale)}, (
        GUARD,
        Broken("lost bits", "__float2bfloat16(__bfloat162float(x[i]) * scale)", "x[i]", WRONG),
    ), values={"scale": np.float32(1.01171875)}, inputs=lambda r, s: {"x": bf16(r.normal(size=s.N))}),
    Kernel("clamp_f16", FILE, LINE, lambda g: {"o": np.clip(g.x, g.low, g.high)}, (
        GUARD,
        Broken("one side", "fmaxf(__half2float(x[i]), low)", "__half2float(x[i])", WRONG),
    ), values={"low": np.float32(-2.5), "high": np.float32(3)}),
    Kernel("polynomial", FILE, LINE, lambda g: {"o": np.polyval(COEFFICIENTS[::-1], g.x)}, (
        RETURN,
        Broken("short", "int k = 5", "int k = 4", WRONG),
    )),
    Kernel("lookup", FILE, LINE,
           lambda g: {"o": np.where(g.x & 8, -1, 1) * LEVELS[g.x & 7]}, (
        GUARD,
        Broken("sign", "x[i] & 8", "x[i] & 16", WRONG),
        Broken("beyond the table", "-levels[x[i] & 7]", "-levels[x[i] & 15]", "address"),
    )),
    Kernel("affine_by_struct", FILE, LINE,
           lambda g: {"o": np.where(np.arange(g.N) & g.mask, g.x * g.scale + g.shift, g.x + g.bias)}, (
        Broken("guard", "i < p.n", "i <= p.n", "address"),
        Broken("field", "p.scale", "p.shift", WRONG),
    ), values={"scale": np.float32(2), "shift": np.float32(0.5), "mask": np.uint32(5), "bias": np.float64(-0.25)}),
    Kernel("negate_by_struct", FILE, LINE, lambda g: {"o": -g.x}, (
        Broken("guard", "i < t.n", "i <= t.n", "address"),
        Broken("swapped", "t.o[i] = -t.x[i]", "((float*)t.x)[i] = -t.o[i]", "uninitialised"),
    )),
    Kernel("call_function", FILE, LINE, lambda g: {"o": g.x**3 + (g.x + 1) ** 3}, (
        GUARD,
        Broken("argument", "x[i] + 1.0f", "x[i] + 2.0f", WRONG),
    )),
    Kernel("local_array", FILE, sizes("N", (1,), (64,), (100,)), lambda g: {"o": _digits(g.x).astype(np.int32)}, (
        RETURN,
        Broken("uninitialised", "k < 16; ++k) digits", "k < 15; ++k) digits", WRONG),
        Broken("order", "(k + v) & 15", "(k - v) & 15", WRONG),
    )),
    Kernel("every", FILE, sizes("N", (1,), (192,), (200,)), lambda g: {"o": g.x[::3] + np.int16(1)}, (
        Broken("guard", "i * STEP < n", "i <= n / STEP", "address", sizes=sizes("N", (192,), (3,))),
        Broken("stride", "x[i * STEP]", "x[i]", WRONG),
    )),
    Kernel("complex_multiply", FILE, LINE,
           lambda g: {"o": np.stack([g.a[:, 0] * g.b[:, 0] - g.a[:, 1] * g.b[:, 1],
                                     g.a[:, 0] * g.b[:, 1] + g.a[:, 1] * g.b[:, 0]], 1)}, (
        RETURN,
        Broken("sign", "p.x * q.x - p.y * q.y", "p.x * q.x + p.y * q.y", WRONG),
    )),
    Kernel("select_where", FILE, LINE, lambda g: {"o": np.where(g.mask, g.a, g.b)}, (
        GUARD,
        Broken("swapped", "a[i] : b[i]", "b[i] : a[i]", WRONG),
    ), inputs=lambda r, s: {"mask": r.integers(0, 3, s.N)}),
    Kernel("adam_step", FILE, LINE, _adam, (
        RETURN,
        Broken("uninitialised", "0.875f * m[i]", "0.875f * (&w[n - 1])[i + 1 - n]", WRONG),
        Broken("not kept", "v[i] = second;", "", WRONG),
    ), Tolerance(1e-6, 1e-6, "a quotient by a square root, each rounded, in another order"),
        values={"rate": np.float32(0.125)},
        inputs=lambda r, s: {"w": r.normal(size=s.N), "m": r.normal(size=s.N), "v": r.uniform(1, 2, s.N)}),
)  # fmt: skip
