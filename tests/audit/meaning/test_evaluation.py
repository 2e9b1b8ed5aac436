"""What an equation says on numbers: against numpy's own way to say it."""

from typing import Any

import numpy as np
import pytest

from layoutalg.audit.meaning.evaluation import Content, evaluated
from layoutalg.formats.equations import EquationNames, equation
from layoutalg.index import symbol

M, N = symbol("M", min=1, max=99), symbol("N", min=1, max=99)
TYPES = {
    "x": ("f32", (M, N)), "y": ("f32", (N,)), "h": ("f16", (M, N)), "k": ("i32", (N,)), "w": ("u32", (N,)),
    "b": ("bf16", (N,)),
    "o": ("f32", (M, N)), "t": ("f32", (N, M)), "r": ("f32", (M,)), "n": ("i32", (N,)), "v": ("f32", (N,)),
}  # fmt: skip
NAMED = EquationNames(TYPES, {"M": M, "N": N}, {"alpha": "f32"})
DRAWN = np.random.default_rng(0)
SIZES = {"M": 3, "N": 5}
SHAPES = {name: tuple(SIZES[str(n)] for n in lengths) for name, (_, lengths) in TYPES.items()}
GIVEN: dict[str, Any] = {name: DRAWN.normal(size=shape).astype(np.float32) for name, shape in SHAPES.items()}
GIVEN |= {"h": GIVEN["h"].astype(np.float16), "k": DRAWN.integers(0, 5, 5).astype(np.int32)}
GIVEN |= {"w": DRAWN.integers(0, 1 << 32, 5).astype(np.uint32), "n": np.zeros(5, np.int32)}
GIVEN |= {"b": (GIVEN["y"].view(np.uint32) >> 16).astype(np.uint16)}
TENSORS = {name: Content(one, np.ones(one.shape, np.bool_)) for name, one in GIVEN.items()}
X, Y, H, K, W = (GIVEN[name] for name in "xyhkw")
TWO, ALPHA = np.float32(2), np.float32(1.5)


def said(text: str) -> tuple[Any, Any]:
    """The equation's elements, and which are defined."""
    return evaluated(equation(text, NAMED), TENSORS, SIZES, {"alpha": ALPHA})


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("t[j, i] = x[i, j]", X.T),
        ("o[i, j] = x[i, j] + 2.0 * y[j]", X + TWO * Y),
        ("o[i, j] = alpha * x[i, j] - y[N - 1 - j]", ALPHA * X - Y[::-1]),
        ("v[i] = where(i < N - 1, y[i + 1], 0.0)", np.append(Y[1:], np.float32(0))),
        ("v[i] = y[k[i]]", Y[K]),
        ("o[i, j] = max(x[i, j], 0)", np.maximum(X, 0)),
        ("o[i, j] = f32(h[i, j] * 2 + h[i, j])", (H * np.float16(2) + H).astype(np.float32)),
        ("v[i] = f32(b[i])", (GIVEN["b"].astype(np.uint32) << 16).view(np.float32)),
        ("n[i] = k[i] * 3 + i - N", K * 3 + np.arange(5) - 5),
        ("n[i] = i32(w[i] >> 3 ^ w[i] & 255)", (W >> 3 ^ W & 255).astype(np.int32)),
        ("n[i] = bits_i32(y[i])", Y.view(np.int32)),
        ("n[i] = where(w[i] % 2 == 0 and not i > 2, i32(1), -1)", np.where((W % 2 == 0) & (np.arange(5) <= 2), 1, -1)),
        ("r[i] = sum[j] x[i, j]", X.sum(1, dtype=float).astype(np.float32)),
        ("r[i] = sum[j] x[i, j] * y[j] + 1", (X.astype(float) @ Y).astype(np.float32) + np.float32(1)),
        ("r[i] = max[j] x[i, j]", X.max(1)),
        ("r[i] = sum[j < i + 1] x[i, j]", np.tril(X).sum(1, dtype=float).astype(np.float32)),
        ("o[i, j] = sum[l, m] x[l, m]", np.full((3, 5), X.sum(dtype=float), np.float32)),
        ("o[i, j] = sqrt(fma(x[i, j], x[i, j], 1))", np.sqrt(np.float32(X.astype(float) ** 2 + 1))),
    ],
)
def test_an_equation_is_what_numpy_says(text: str, wanted: Any) -> None:
    found, defined = said(text)
    assert defined.all()
    assert np.allclose(found, wanted, rtol=1e-6) if "sum" in text else np.array_equal(found, wanted)


def test_what_lies_outside_is_undefined() -> None:
    found, defined = said("v[i] = y[i + 1]")
    assert defined.tolist() == [True] * 4 + [False]
    assert np.array_equal(found[:4], Y[1:])


def test_a_greatest_of_nothing_is_what_every_number_is_above() -> None:
    said = equation("r[i] = max[l < M - 3] x[i, l]", NAMED)
    values, defined = evaluated(said, TENSORS, SIZES, {})
    assert np.isneginf(values).all()
    assert defined.all()
