"""Runs that refute what is said of what comes out: what a kernel left, and where it left nothing.

What it left stands beside what numpy says that an equation's elements are.
Floats may differ as far as another order of operations, or another way to compute a function, makes them: so much of
the greatest element. What an equation takes from outside its tensors is compared with nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutalg.audit.meaning.evaluation import Content, evaluated
from layoutalg.audit.runs import Runs
from layoutalg.formats.equation import Equation
from layoutalg.formats.model import SpecFile
from layoutalg.launch.concrete import BoundLaunch
from layoutalg.prove import Witness
from layoutalg.target.elements import from_bits

#: How far from what an equation says a float may be, in the greatest magnitude that it says.
NEAR: Mapping[str, float] = {"f64": 1e-9, "f32": 1e-3, "f16": 3e-2, "bf16": 3e-2}


def differing_runs(equation: Equation, runs: Runs) -> Iterator[Witness | None]:
    """Of each run at small sizes where it left something else than the equation says; None where it did not."""
    for sizes, made, values, run in runs.results():
        text = difference(equation, runs.file, made, sizes, values, run.outputs)
        yield _witness(sizes, text) if text else None


def unstored_run(tensor: str, runs: Runs) -> Witness | None:
    """A run that stores to a part of a tensor, of those at small sizes; None where none does."""
    for sizes, made, _, run in runs.results(empty=True):
        own = made.tensors[tensor]
        undefined = next(one for passed, one in zip(made.passed, run.undefined, strict=True) if passed is own)
        left = np.argwhere(own.left(undefined))
        if len(left):
            index = ", ".join(str(int(n)) for n in left[0])
            return _witness(sizes, f"{tensor}[{index}] is never stored to, {len(left)} of {own.places.size} are not")
    return None


def _witness(sizes: Mapping[str, int], text: str) -> Witness:
    at = ", ".join(f"{name} = {n}" for name, n in sizes.items())
    return Witness((dict(sizes),), f"a run{' at ' if at else ''}{at}: {text}")


def difference(
    equation: Equation, file: SpecFile, made: BoundLaunch, sizes: Mapping[str, int], values: Mapping[str, Any],
    memories: Sequence[NDArray[Any]],
) -> str:  # fmt: skip
    """The first element of what a run left that is not what the equation says; empty where there is none."""
    before = {
        name: Content(one.read(one.buffer.array), np.asarray(one.places >= 0)) for name, one in made.tensors.items()
    }
    wanted, defined = evaluated(equation, before, sizes, values)
    return differing(equation.tensor, file, made, memories, wanted, defined, "the equation")


def differing(
    tensor: str, file: SpecFile, made: BoundLaunch, memories: Sequence[NDArray[Any]], wanted: NDArray[Any],
    defined: NDArray[Any], by: str,
) -> str:  # fmt: skip
    """The first element of a tensor that is not what is wanted where that is defined; empty where there is none."""
    own = made.tensors[tensor]
    memory = next(memory for one, memory in zip(made.passed, memories, strict=True) if one is own)
    found = own.read(memory)
    dtype = file.descriptor(tensor).dtype or ""
    a, b = (from_bits(one) if dtype == "bf16" else one for one in (found, wanted))
    if a.dtype.kind == "f":
        with np.errstate(all="ignore"):
            finite = np.abs(np.where(np.isfinite(b), b, 0).astype(float))
            near = np.abs(a.astype(float) - b.astype(float)) <= NEAR[dtype] * finite.max(initial=0.0)
        same = near | (a == b) | (np.isnan(a) & np.isnan(b)) | ~np.isfinite(b)
    else:
        same = a == b
    wrong = np.argwhere(defined & ~same)
    if not len(wrong):
        return ""
    index = tuple(int(n) for n in wrong[0])
    shown = ", ".join(map(str, index))
    return f"{tensor}[{shown}] is {a[index]}, and {by} says {b[index]}"
