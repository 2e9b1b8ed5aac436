"""Every field of every statement of a ring changed: what stays proved computes the same.

A mutant that is proved is carried out on numbers (`reference_run`), copies and products early and late; one whose text
is that of the ring itself need not be.  `LAYOUTALG_FUZZ=2000 pytest tests/kernel/obligations/test_ring_mutations.py`
tries them all; a failure names the change.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.library.convolution import convolution
from layoutalg.kernel.library.windows import Windows
from layoutalg.kernel.program import (
    Program,
)
from layoutalg.kernel.verify import requirements
from layoutalg.layout import LayoutError
from layoutalg.prove import Limits, Proved, prove
from tests.fuzzing import FIRST, count
from tests.kernel.mutants import mutants
from tests.kernel.obligations.test_ring import plan, product
from tests.kernel.reference_run import run
from tests.matrix import some

EINSUMS = ("ik,kj->ij", "ki,jk->ij", "windows", "ik,kj->ij exchanged")
LENGTHS = {"i": 136, "k": 200, "j": 72}


@cache
def base(einsum: str) -> Program:
    if einsum == "windows":
        windows = Windows((3, 2), (1, 2), (1, 1), (1, 0))
        return convolution(windows, "f16", plan=plan(whole=False), widths=(8, 8), channels=64)
    of, *exchanged = einsum.split()
    return product(of, replace(plan(whole=False), exchanged=bool(exchanged)))


# --- what becomes of them ---------------------------------------------------------------------------------------------


def is_proved(program: Program) -> bool:
    try:
        return all(isinstance(prove(r.claim, limits=Limits(seconds=1)), Proved) for r in requirements(program))
    except LayoutError:
        return False


@cache
def case(einsum: str) -> tuple[dict[str, int], Any, Any, Any]:
    """Sizes, matrices, and their product; of windows, an image, its filters, and what they give at each window."""
    rng = np.random.default_rng(0)
    if einsum == "windows":
        n, h, w, k = 3, 7, 14, 72
        a, b = rng.integers(-2, 3, (n, h, w, 64)).astype(float), rng.integers(-1, 2, (k, 3, 2, 64)).astype(float)
        padded = np.pad(a, ((0, 0), (1, 1), (0, 0), (0, 0)))
        seen = (padded[:, y : y + h, x : x + w - 1 : 2] for y in range(3) for x in range(2))
        wanted = sum(
            np.einsum("nhwc,kc->nhwk", one, b[:, y, x]) for one, (y, x) in zip(seen, np.ndindex(3, 2), strict=True)
        )
        return {"N": n, "H0": h, "H1": w, "K": k}, a, b, wanted
    einsum = einsum.split()[0]
    names = einsum.partition("->")[0].split(",")
    a, b = (rng.integers(-2, 3, [LENGTHS[x] for x in letters]).astype(float) for letters in names)
    return {f"N_{x}": n for x, n in LENGTHS.items()}, a, b, np.einsum(einsum, a, b)


def computes(program: Program, einsum: str) -> bool:
    """Whether a run, copies and products early or late, gives the product."""
    sizes, a, b, wanted = case(einsum)
    found = (run(program, {"a": a.ravel(), "b": b.ravel()}, sizes, late) for late in (False, True))
    return all(np.array_equal(one, wanted.ravel()) for one in found)


def kernel(program: Program) -> str:
    text = emit_unverified(program)
    return text[text.index('extern "C" __global__') :]


@pytest.mark.parametrize("einsum", some(EINSUMS, 1))
def test_the_ring_itself_is_right(einsum: str) -> None:
    assert is_proved(base(einsum))
    assert computes(base(einsum), einsum)


@pytest.mark.parametrize("einsum", some(EINSUMS, 1))
def test_a_mutant_that_is_proved_computes_the_same(einsum: str) -> None:
    program = base(einsum)
    every = [(what, mutant) for what, mutant in mutants(program) if mutant != program]
    drawn = random.Random(FIRST).sample(every, min(len(every), count(12)))
    found: Counter[str] = Counter()
    for what, mutant in drawn:
        proved = is_proved(mutant)
        same = proved and kernel(mutant) == kernel(program)
        if proved and not same:
            assert computes(mutant, einsum), f"seed {FIRST}: {what} is proved, and computes another product"
        found["the same text" if same else "the same product" if proved else "not proved"] += 1
    assert found["not proved"] > len(drawn) // 2, found
