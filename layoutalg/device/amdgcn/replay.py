"""A refutation replayed: the binary is carried out at the witness's sizes, and the run says whether it is wrong there.

| the run | is said as |
|---|---|
| does what no correct kernel does | the fault |
| leaves something else in memory | a wrong result, with the first element that differs |
| is exact | it shows no difference: what a witness says of loaded data, or of LDS that nothing reads, need not show |

A witness without sizes (a store that is missing altogether) is replayed at small ones.  Not replayed: sizes beyond
`ELEMENTS` and `BLOCKS`.  What it cannot represent: a run with the data that the witness has; inputs are drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from layoutalg.device.amdgcn.errors import Fault, UnsupportedInstructionError
from layoutalg.device.amdgcn.program import Program as Binary
from layoutalg.device.amdgcn.trial import Trial, attempt, make_case, small_sizes
from layoutalg.index import Expr, prod, value
from layoutalg.kernel.dtypes import numbers
from layoutalg.kernel.program import Program
from layoutalg.prove import Refuted

#: The most elements of a tensor in a replay.
ELEMENTS = 1 << 18

#: The most blocks.
BLOCKS = 512

#: A replay that takes more instructions than this does not end, as far as can be told.
STEPS = 100_000

#: How waves take turns: the lowest address first, and at random.
ORDERS = (None, 1)


@dataclass(frozen=True)
class Replay:
    """What came of it: `confirmed` where the run is wrong, None where there was none."""

    sizes: Mapping[str, int]
    confirmed: bool | None
    text: str

    def __str__(self) -> str:
        at = ", ".join(f"{name} = {n}" for name, n in self.sizes.items())
        return f"{'not ' if self.confirmed is None else ''}replayed{f' at {at}' if at else ''}: {self.text}"


def replay(binary: Binary, program: Program, verdict: Refuted) -> Replay:
    """Carries the binary out where a claim fails.

    >>> from layoutalg.device.amdgcn.binary import read_kernels
    >>> from layoutalg.device.amdgcn.program import decode_kernel
    >>> from layoutalg.device.compile import compile_source
    >>> from layoutalg.kernel.emit import emit_unverified
    >>> from layoutalg.kernel.library.transpose import lds_transpose
    >>> from layoutalg.prove import Witness
    >>> program = lds_transpose()
    >>> code = compile_source(emit_unverified(program), "gfx1201").payload
    >>> binary = decode_kernel(read_kernels(code)[program.name])
    >>> print(replay(binary, program, Refuted("a claim", "nothing", 0.0, (), Witness(({"M": 3, "N": 70},), ""))))
    replayed at M = 3, N = 70: the run shows no difference
    """
    sizes = _sizes(program, verdict)
    told = {size.value.name: n for size, n in sizes.items()}
    extents = [value(tensor.descriptor.element_space_size, sizes) for tensor in program.tensors]
    blocks = value(prod(program.launch), sizes)
    if max(extents) > ELEMENTS or blocks > BLOCKS:
        return Replay(told, None, f"too large to run here ({max(extents)} elements, {blocks} blocks)")
    if not value(program.requires, sizes):
        return Replay(told, None, f"{program.name} is not launched at these sizes")
    case = make_case(program, sizes)
    for order in ORDERS:
        try:
            trial = attempt(binary, program, case, STEPS, order)
        except Fault as fault:
            return Replay(told, True, f"a fault, {fault}")
        except UnsupportedInstructionError as error:
            return Replay(told, None, str(error))
        if not trial.exact:
            return Replay(told, True, _difference(program, trial))
    return Replay(told, False, "the run shows no difference")


def _sizes(program: Program, verdict: Refuted) -> Mapping[Expr, int]:
    """The witness's sizes, small ones where it names none."""
    point = verdict.witness.points[0] if verdict.witness.points else {}
    if not all(size.value.name in point for size in program.sizes):
        return small_sizes(program)
    return {size: point[size.value.name] for size in program.sizes}


def _difference(program: Program, trial: Trial) -> str:
    """The first element of a tensor that is not as it should be."""
    meant = (*trial.case.inputs, trial.case.expected)
    for tensor, found, wanted in zip(program.tensors, trial.execution.outputs, meant, strict=True):
        raw = (array.reshape(-1).view(f"u{tensor.dtype.bytes}") for array in (found, wanted))
        wrong = np.flatnonzero(np.not_equal(*raw))
        if wrong.size:
            first = int(wrong[0])
            got, right = (numbers(array.reshape(-1)[first : first + 1], tensor.dtype)[0] for array in (found, wanted))
            return (
                f"a wrong result, {wrong.size} of {found.size} elements of {tensor.name}; the first is {first}, "
                f"{got:g} for {right:g}"
            )
    raise AssertionError("a trial that is not exact differs somewhere")
