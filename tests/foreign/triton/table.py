"""What the kernels of `kernels.py` compute, by numpy, and the sizes that they are carried out at."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tests.foreign.corpus import EXACT, Array, Given, Sizes, Tensors, Tolerance, sizes

BUILDS = Path(__file__).parent / "builds"


@dataclass(frozen=True)
class TritonKernel:
    """One kernel: what numpy says of it, and how far a result may be from that."""

    reference: Callable[[Given], Tensors]
    sizes: tuple[Sizes, ...]
    tolerance: Tolerance = EXACT
    values: Mapping[str, Any] = field(default_factory=dict)


ROUNDS, MULTIPLIERS, WEYL = 10, (0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85)


def philox(seed: int, counter: Array) -> Array:
    """The first word of Philox-4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011)."""
    words = [counter.astype(np.uint64), *(np.zeros(counter.shape, np.uint64) for _ in range(3))]
    keys, low = [seed, 0], np.uint64(0xFFFFFFFF)
    for _ in range(ROUNDS):
        products = [words[2 * k] * np.uint64(MULTIPLIERS[k]) for k in range(2)]
        high = [product >> np.uint64(32) for product in products]
        words = [high[1] ^ words[1] ^ np.uint64(keys[0]), products[1] & low,
                 high[0] ^ words[3] ^ np.uint64(keys[1]), products[0] & low]  # fmt: skip
        keys = [(key + more) % 2**32 for key, more in zip(keys, WEYL, strict=True)]
    return words[0].astype(np.uint32)


def uniform(words: Array) -> Array:
    """Words as numbers from 0 to 1 (triton.language.random, uint_to_uniform_float)."""
    signed = words.view(np.int32).astype(np.int64)
    return np.where(signed < 0, -signed - 1, signed).astype(np.float32) * np.float32(4.6566127342e-10)


def _dropout(g: Given) -> Array:
    kept = uniform(philox(int(g.seed), np.arange(g.n, dtype=np.uint32))) > g.p
    return np.where(kept, g.x / (np.float32(1) - g.p), np.float32(0))


def _softmax(x: Array) -> Array:
    powers = np.exp(x.astype(float) - x.max(-1, keepdims=True))
    result: Array = powers / powers.sum(-1, keepdims=True)
    return result


def _layer_norm(g: Given) -> Array:
    x = g.x.astype(float)
    centred = x - x.mean(1, keepdims=True)
    result: Array = centred / np.sqrt((centred**2).mean(1, keepdims=True) + g.epsilon) * g.gain + g.bias
    return result


def _attention(g: Given) -> Array:
    q, k, v = (one.astype(float) for one in (g.q, g.k, g.v))
    result: Array = _softmax(np.einsum("hmd,hnd->hmn", q, k) * g.scale) @ v
    return result


ROWS = sizes("M N", (1, 1), (3, 200), (2, 512))
HALF = "rounded to f16, which has 11 bits"

KERNELS: Mapping[str, TritonKernel] = {
    "add": TritonKernel(lambda g: {"o": g.x + g.y}, sizes("n", (1,), (255,), (1000,))),
    "transpose": TritonKernel(lambda g: {"o": g.x.T}, sizes("M N", (1, 1), (33, 70), (64, 32))),
    "row_sum": TritonKernel(
        lambda g: {"o": g.x.astype(float).sum(1)}, sizes("M N", (1, 1), (3, 200), (2, 700)),
        Tolerance(1e-5, 1e-5, "a sum of up to 700 elements in another order"),
    ),
    "softmax": TritonKernel(
        lambda g: {"o": _softmax(g.x)}, ROWS,
        Tolerance(1e-7, 1e-5, "exponentials within a few ulp of arguments up to 16, a sum and a division"),
    ),
    "matmul": TritonKernel(
        lambda g: {"c": g.a.astype(float) @ g.b}, sizes("M N K", (1, 1, 1), (70, 130, 40), (64, 64, 64)),
        Tolerance(1e-3, 1e-3, HALF),
    ),
    "dropout": TritonKernel(
        lambda g: {"o": _dropout(g)}, sizes("n", (1,), (700,)),
        Tolerance(0, 1e-6, "a division within an ulp"), {"p": np.float32(0.4), "seed": np.int32(123)},
    ),
    "layer_norm": TritonKernel(
        lambda g: {"o": _layer_norm(g)}, sizes("M N", (1, 1), (3, 200), (2, 700)),
        Tolerance(1e-5, 1e-5, "a sum of up to 700 squares in another order, a root within 1 ulp"),
        {"epsilon": np.float32(1e-5)},
    ),
    "attention": TritonKernel(
        lambda g: {"o": _attention(g)}, sizes("H N", (1, 1), (2, 70), (1, 128)),
        Tolerance(5e-3, 5e-3, "powers and results " + HALF), {"scale": np.float32(0.1)},
    ),
}  # fmt: skip
