"""numpy beside our kernels, on the processor."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from layoutalg.bench.cases import HAVING, Case, Rival

TYPES = {"f32": "float32", "f16": "float16"}
"""What numpy computes with: not bf16, whose bits it would take for integers."""
ROUNDS, WARM = 7, 2


class NumpyLab:
    """The processor: what a user would call is numpy."""

    def __init__(self, name: str) -> None:
        self.name, self.instead = name, f"numpy {np.__version__}"
        self.numbers = np.random.default_rng()

    def random(self, shape: tuple[int, ...], dtype: str) -> Any:
        return self.numbers.standard_normal(shape, "f4").astype(TYPES[dtype])

    def poisoned(self, shape: tuple[int, ...], dtype: str) -> Any:
        return np.full(shape, np.nan, TYPES[dtype])

    def copy(self, source: Any, target: Any) -> Callable[[], object]:
        return lambda: np.copyto(target, source)

    def same(self, found: Any, wanted: Any) -> bool:
        return bool(np.array_equal(found, wanted))

    def error(self, found: Any, wanted: Any) -> float:
        wide = wanted.astype("f8")
        difference = float(np.linalg.norm(found.astype("f8") - wide) / np.linalg.norm(wide))
        return difference if np.isfinite(difference) else float("inf")

    def wanted(self, case: Case, operands: list[Any]) -> Any:
        return np.ascontiguousarray(case.work(operands, HAVING.get(case.kind, "cpu")).expected())

    def rivals(self, case: Case) -> Mapping[str, Rival]:
        def by_numpy(operands: list[Any], target: Any) -> Callable[[], object]:
            return lambda: np.copyto(target, self._compute(case, operands), casting="same_kind")

        return {"numpy": by_numpy}

    def _compute(self, case: Case, operands: list[Any]) -> Any:
        x, o = operands[0], case.options
        match case.kind:
            case "transpose":
                return x.T
            case "permute":
                return x.transpose(o["axes"])
            case "reduce":
                return x.sum(o["axes"]) if o["how"] == "sum" else x.max(o["axes"])
            case "contraction":
                return np.einsum(o["einsum"], *operands, optimize=True)
            case "attention":
                return case.work(operands, HAVING[case.kind]).expected()
        filter = o["filter"] if case.kind == "im2col" else operands[1].shape[1:-1]
        windows = self._windows(x, filter, o["stride"], o["pad"])
        if case.kind == "im2col":
            return windows.reshape(case.result)
        return np.tensordot(windows, operands[1], axes=((3, 4, 5), (1, 2, 3)))

    def _windows(self, x: Any, filter: tuple[int, ...], stride: tuple[int, ...], pad: tuple[int, ...]) -> Any:
        """N, Ho, Wo, Y, X, C."""
        padded = np.pad(x, ((0, 0), *((p, p) for p in pad), (0, 0)))
        every = np.lib.stride_tricks.sliding_window_view(padded, filter, axis=(1, 2))
        return every[:, :: stride[0], :: stride[1]].transpose(0, 1, 2, 4, 5, 3)

    def rate(self, dtype: str) -> float:
        n = 256
        a, b = (self.random((n, n), "f32") for _ in range(2))
        return 2 * n**3 / self.microseconds([lambda: a @ b])

    def microseconds(self, works: list[Callable[[], object]]) -> float:
        times = []
        for number in range(ROUNDS):
            start = time.perf_counter()
            works[number % len(works)]()
            times.append((time.perf_counter() - start) * 1e6)
        return statistics.median(times[WARM:])
