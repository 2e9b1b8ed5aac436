"""Attention's entry: what its commands ask for, what is launched, and what numpy says of it."""

from __future__ import annotations

from dataclasses import replace
from math import prod, sqrt
from typing import Any

from layoutalg.kernel.library.attention import AttentionCut, attention, cut_for
from layoutalg.kernel.library.entry import Command, Kernel, Option, Task, Work
from layoutalg.kernel.library.options import DTYPE
from layoutalg.kernel.program import Program
from layoutalg.layout import LayoutError
from layoutalg.lazy import lazy_imports
from layoutalg.target.dtypes import KERNEL_DTYPES
from layoutalg.target.elements import numbers

with lazy_imports():
    import numpy as np
    import numpy.typing as npt


def attention_task(
    shapes: tuple[tuple[int, ...], tuple[int, ...]], causal: bool, dtype: str, target: str,
    cut: AttentionCut | None = None,
) -> Task:  # fmt: skip
    """The launch for queries (…, m, d) and keys (…, n, d); LayoutError where they do not fit."""
    (*batches, m, d), (*others, n, e) = shapes
    if batches != others or d != e:
        raise LayoutError(f"attention: queries {shapes[0]} and keys {shapes[1]} differ in batches, or in their heads")
    if causal and m != n:
        raise LayoutError(f"attention: {m} queries and {n} keys; where keys end at the row, give as many")
    cut = cut or cut_for(target, d, causal)
    whole = n % cut.keys == 0 and not causal
    program = attention(target, d, causal, dtype, replace(cut, whole=whole))
    sizes = {"G": prod(batches), "M": m, "N": n}
    return Task(program, {s.value.name: sizes[s.value.name] for s in program.sizes}, shapes[0])


def _emitted(target: str, head: int, causal: bool, dtype: str) -> Program:
    return attention(target, head, causal, dtype)


def _work(target: str, dtype: str, q: npt.NDArray[Any], k: npt.NDArray[Any], v: npt.NDArray[Any], causal: bool) -> Work:
    if k.shape != v.shape:
        raise LayoutError(f"attention: keys {k.shape} and values {v.shape} have one shape")

    def expected() -> npt.NDArray[Any]:
        asked, keys, values = (numbers(x, KERNEL_DTYPES[dtype]).astype(np.float64) for x in (q, k, v))
        scores = asked @ keys.swapaxes(-1, -2) / sqrt(q.shape[-1])
        if causal:
            scores[..., np.triu(np.ones(scores.shape[-2:], bool), 1)] = -np.inf
        powers = np.exp(scores - scores.max(-1, keepdims=True))
        found: npt.NDArray[Any] = powers @ values / powers.sum(-1, keepdims=True)
        return found

    task = attention_task((q.shape, k.shape), causal, dtype, target)
    return Work(
        [q, k, v], (task,), expected, exact=False, size=lambda: float(np.abs(numbers(v, KERNEL_DTYPES[dtype])).max())
    )


HEAD = Option("head", "integer", "Elements of a head: 64 or 128.", 64)
CAUSAL = Option("causal", "flag", "Keys end at the row.", False)
QUERIES, KEYS, VALUES = (
    Option(letter, "array", f"The {name}, batches × rows × head, a .npy file.")
    for letter, name in (("q", "queries"), ("k", "keys"), ("v", "values"))
)
KERNELS = (
    Kernel(
        "attention",
        Command("Attention forward: softmax of q·k, times v.", _emitted, (HEAD, CAUSAL, replace(DTYPE, default="f16"))),
        Command("Attention forward: softmax of q·k, times v.", _work, (QUERIES, KEYS, VALUES, CAUSAL)),
        golden_for={
            "attention_f16": lambda target: attention(target, 64),
        },
    ),
)
