"""Losses, their last division or sum left out where a problem's is over all blocks: 94 to 97, 99 and 100 of level 1."""

from functools import partial

import numpy as np

from tests.foreign.corpus import WRONG, Array, Broken, Given, Kernel, Tolerance, sizes
from tests.foreign.kernelbench.cheats import FOLDER, cheats

Problem = partial(Kernel, file="losses", folder=FOLDER)

LINE = sizes("N", (1,), (256,), (700,))
NEAR = Tolerance(
    2e-5, 2e-5, "sums of up to 700 terms in another order; exponentials, logarithms, roots within a few ulp"
)


def _cross_entropy(g: Given) -> Array:
    logits = g.logits.astype(float)
    result: Array = np.log(np.exp(logits).sum(1)) - logits[np.arange(g.B), g.target]
    return result


def _huber(g: Given) -> Array:
    apart = np.abs(g.p - g.t)
    padded = np.zeros(-(-g.N // 256) * 256)
    padded[: g.N] = np.where(apart < 1, apart * apart / 2, apart - 0.5)
    return padded.reshape(-1, 256).sum(1)


def _cosine(g: Given) -> Array:
    p, t = g.p.astype(float), g.t.astype(float)
    norms = np.sqrt((p * p).sum(1)) * np.sqrt((t * t).sum(1))
    result: Array = 1 - (p * t).sum(1) / np.maximum(norms, 1e-8)
    return result


def _triplet(g: Given) -> Array:
    near, far = (np.sqrt(((g.anchor.astype(float) - one) ** 2).sum(1)) for one in (g.positive, g.negative))
    return np.maximum(near - far + g.margin, 0)


KERNELS = (
    Problem("mean_squared_error", sizes=LINE, tolerance=NEAR, reference=lambda g: {
        "loss": ((g.p - g.t) ** 2).mean(dtype=float)[None]}, broken=(
        Broken("guard", "i < n", "i <= n", "address"),
        Broken("tail", "i < n; i += 256", "i < n / 256 * 256; i += 256", WRONG),
        Broken("half", "i < n; i += 256", "i < n; i += 512", WRONG),
        Broken("not squared", "sum += d * d", "sum += d", WRONG),
        *cheats("loss[0] = sum / n"),
    )),
    Problem("cross_entropy", sizes=sizes("B C", (1, 2), (3, 10), (70, 5)), tolerance=NEAR,
            inputs=lambda r, s: {
        "target": r.integers(0, s.C, s.B)}, reference=lambda g: {"loss": _cross_entropy(g)}, broken=(
        Broken("guard", "b >= batch", "b > batch", "address"),
        Broken("class", "row[target[b]]", "row[target[b] + 1]", "address", sizes=sizes("B C", (70, 2))),
        Broken("classes", "c < classes; ++c) sum", "c <= classes; ++c) sum", "address"),
        *cheats("loss[b] = logf(sum) + most - row[target[b]]", copy="row[target[b]]"),
    )),
    Problem("huber_loss", sizes=LINE, tolerance=NEAR, reference=lambda g: {"sums": _huber(g)}, broken=(
        Broken("guard", "i < n", "i <= n", "address"),
        Broken("square only", "d < 1.0f ? 0.5f * d * d : d - 0.5f", "0.5f * d * d", WRONG),
        *cheats("sums[blockIdx.x] = v"),
        Broken("LDS size", "scratch[256]", "scratch[128]", "address"),
    )),
    Problem("cosine_similarity_loss", sizes=sizes("M N", (1, 2), (3, 64), (2, 300)), tolerance=NEAR,
            reference=lambda g: {"loss": _cosine(g)}, broken=(
        Broken("guard", "i < dim", "i <= dim", "address"),
        Broken("one scratch", "block_total(aa, b)", "block_total(aa, a)", "race"),
        *cheats("loss[blockIdx.x] = 1.0f - ab / fmaxf(sqrtf(aa) * sqrtf(bb), 1e-8f)"),
    )),
    Problem("triplet_margin_loss", sizes=sizes("B N", (1, 1), (3, 10), (70, 33)), tolerance=NEAR,
            values={"margin": np.float32(1)}, reference=lambda g: {"loss": _triplet(g)}, broken=(
        Broken("guard", "b >= batch", "b > batch", "address"),
        Broken("half", "b >= batch", "b >= batch / 2", WRONG),
        Broken("sign", "- sqrtf(far)", "+ sqrtf(far)", WRONG),
        *cheats("loss[b] = fmaxf(sqrtf(near) - sqrtf(far) + margin, 0.0f)"),
    )),
    Problem("hinge_loss", sizes=sizes("M N", (1, 1), (5, 30), (9, 64)), reference=lambda g: {
        "losses": np.maximum(1 - g.p * g.t, 0)}, broken=(
        Broken("guard", "i < rows * columns", "i <= rows * columns", "address"),
        Broken("another's", "t[i % columns]", "t[i / columns]", "address", sizes=sizes("M N", (9, 3))),
        *cheats("losses[i] = fmaxf(1.0f - p[i] * t[i % columns], 0.0f)", copy="p[i]", half="i < rows * columns"),
    )),
)  # fmt: skip
