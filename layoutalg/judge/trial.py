"""Runs of a kernel beside a reference: at sizes that tell most, with drawn contents and with awkward ones.

| contents | are |
|---|---|
| drawn | what the launch file allows, at random |
| awkward | all zero; all a third; of alternating sign; far apart, so that sums lose digits |

A run that finds no difference proves nothing: it says at how many sizes it was tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutalg.audit.followed import LaunchedKernel
from layoutalg.audit.runs import STEPS, Runs, at_sizes
from layoutalg.device.checked import execute_checked
from layoutalg.errors import DeviceError, LayoutError
from layoutalg.formats.model import SpecFile
from layoutalg.index import InexpressibleError
from layoutalg.isa.decode.code import MachineCode
from layoutalg.launch.concrete import BoundLaunch, bound
from layoutalg.records import dataclass

Array = NDArray[Any]
Compare = Callable[[BoundLaunch, Mapping[str, int], Mapping[str, Any], Sequence[Array]], str]
"""What differs between a reference and what a run left, in words; "" where nothing does."""

AWKWARD: Mapping[str, Callable[[Array], Array]] = {
    "zeros": np.zeros_like,
    "all the same": lambda drawn: np.full_like(drawn, 1 / 3),  # a sum of many in a narrow type goes astray
    "alternating signs": lambda drawn: np.where(np.arange(drawn.size).reshape(drawn.shape) % 2, -1, 1) * np.abs(drawn),
    "far apart": lambda drawn: np.where(np.arange(drawn.size).reshape(drawn.shape) % 3, drawn / 256, drawn * 256),
}


@dataclass(frozen=True)
class Trial:
    """At which sizes runs were made, with contents of how many kinds, and the first difference."""

    sizes: tuple[str, ...]
    runs: int
    difference: str = ""


def trial(code: MachineCode, file: SpecFile, compare: Compare, seconds: float) -> Trial:
    """Runs until one differs, the sizes are exhausted, or the time."""
    runs = Runs(code, LaunchedKernel.of(code, file).launched, file, seconds)
    sizes, count = dict[str, None](), 0
    for at, made, values, outputs in _runs(runs):
        sizes[at_sizes(at).removeprefix(" at ")] = None
        count += 1
        if told := compare(made, at, values, outputs):
            return Trial((*sizes,), count, f"a run{at_sizes(at)}: {told}")
    return Trial((*sizes,), count)


def _runs(runs: Runs) -> Iterator[tuple[Mapping[str, int], BoundLaunch, Mapping[str, Any], Sequence[Array]]]:
    """Those with drawn contents, then those with awkward ones."""
    seen: list[Mapping[str, int]] = []
    for sizes, made, values, run in runs.results():
        seen += [] if sizes in seen else [sizes]
        yield sizes, made, values, run.outputs
    assert runs.file.launch is not None
    if runs.file.launch.assumed:
        return  # awkward contents would have to be such as are assumed
    metadata = runs.code.kernel.metadata
    for awkward in AWKWARD.values():
        for sizes in seen[:2]:
            made, values = runs.made(sizes, 0)
            drawn = {name: one.read(one.buffer.array) for name, one in made.tensors.items()}
            inputs: dict[str, Any] = {
                name: awkward(one).astype(one.dtype) if one.dtype.kind == "f" else one for name, one in drawn.items()
            }
            made = bound(runs.file, metadata, sizes, inputs, values, 0)
            try:
                run = execute_checked(runs.code, made.grid, made.block, made.arguments, STEPS, strict=False,
                                      lds=made.lds)  # fmt: skip
            except (DeviceError, LayoutError, InexpressibleError, ArithmeticError):
                continue
            yield sizes, made, values, run.outputs
