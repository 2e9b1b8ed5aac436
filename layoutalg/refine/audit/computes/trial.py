"""Runs that refute an equation: what a kernel left, beside what numpy says that the equation's elements are.

Floats may differ as far as another order of operations, or another way to compute a function, makes them: so much of
the greatest element. What an equation takes from outside its tensors is compared with nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutalg.formats.equation import Equation
from layoutalg.formats.model import SpecFile
from layoutalg.isa.run.bound import BoundLaunch
from layoutalg.prove import Witness
from layoutalg.refine.audit.computes.evaluation import Content, evaluated
from layoutalg.refine.audit.runs import Runs
from layoutalg.target.elements import from_bits

#: How far from what an equation says a float may be, in the greatest magnitude that it says.
NEAR: Mapping[str, float] = {"f64": 1e-9, "f32": 1e-3, "f16": 3e-2, "bf16": 3e-2}


def refuting_run(equation: Equation, file: SpecFile, runs: Runs) -> Witness | None:
    """A run whose result is not what the equation says, of those at small sizes; None where none is."""
    for sizes, made, values, memories in runs.results():
        text = _difference(equation, file, made, sizes, values, memories)
        if text:
            at = ", ".join(f"{name} = {n}" for name, n in sizes.items())
            return Witness((dict(sizes),), f"a run{' at ' if at else ''}{at}: {text}")
    return None


def _difference(
    equation: Equation, file: SpecFile, made: BoundLaunch, sizes: Mapping[str, int], values: Mapping[str, Any],
    memories: Sequence[NDArray[Any]],
) -> str:  # fmt: skip
    """The first element that is not what the equation says; empty where there is none."""
    before = {
        name: Content(one.read(one.buffer.array), np.asarray(one.places >= 0)) for name, one in made.tensors.items()
    }
    wanted, defined = evaluated(equation, before, sizes, values)
    own = made.tensors[equation.tensor]
    memory = next(memory for one, memory in zip(made.passed, memories, strict=True) if one is own)
    found = own.read(memory)
    dtype = file.descriptor(equation.tensor).dtype or ""
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
    return f"{equation.tensor}[{shown}] is {a[index]}, and the equation says {b[index]}"
