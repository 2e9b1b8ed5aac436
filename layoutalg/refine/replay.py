"""A refutation carried out: the binary is run at the witness's sizes, then at others, and a run says that it is wrong.

| a run | is said as |
|---|---|
| does what no correct kernel does | the fault |
| leaves something else in memory | a wrong result, with the first element that differs |
| is exact | it shows no difference: an extra barrier, a store that another one mends, LDS laid out otherwise |

Only what a run shows is refuted; what merely differs from the claimed program is not known to be wrong.  Unaligned
accesses are done, as amdhsa sets the machine up; a scalar address whose lowest bits are dropped, and a run that does
not end within `STEPS`, show nothing.
A witness without sizes (a store that is missing altogether) is replayed at others alone.  Not replayed: sizes beyond
`ELEMENTS` and `BLOCKS`.  What it cannot represent: a run with the data that the witness has; inputs are drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from layoutalg.errors import DeviceError, Fault, LaunchError, StepLimit
from layoutalg.index import Expr, budget, prod, value
from layoutalg.isa.decode.code import MachineCode
from layoutalg.kernel.program import Program
from layoutalg.prove import Refuted
from layoutalg.records import dataclass
from layoutalg.refine.trial import LaunchCase, TrialResult, attempt, make_case, small_sizes
from layoutalg.target.elements import numbers
from layoutalg.target.known import formats_of

#: The most elements of a tensor in a replay.
ELEMENTS = 1 << 18

#: The most blocks.
BLOCKS = 512

#: A run that takes more instructions than this is stopped, and after so many in all no other begins: about ten seconds.
STEPS, ALL_STEPS = 100_000, 200_000

#: Further sizes that are tried: the most that each is (great ones in the faster of the orders); and the elements there.
OTHERS = (40, 8, 20_000, 200, 16_000)
FEW = 1 << 15

#: The largest of so many choices of sizes is run.
DRAWN = 8

#: How waves take turns: the lowest address first, and at random; at other sizes the one or the other.
ORDERS = (None, 1)


@dataclass(frozen=True)
class Replay:
    """What came of it: `confirmed` where a run is wrong, None where there was none at the witness's sizes."""

    sizes: Mapping[str, int]
    confirmed: bool | None
    text: str
    steps: int = 0  # instructions that were carried out

    def __str__(self) -> str:
        at = ", ".join(f"{name} = {n}" for name, n in self.sizes.items())
        return f"{'not ' if self.confirmed is None else ''}replayed{f' at {at}' if at else ''}: {self.text}"


def replay(code: MachineCode, program: Program, verdict: Refuted | None = None, seconds: float = 60) -> Replay:
    """Carries the binary out where a claim fails, and at some other sizes until a run is wrong.

    What is found within `seconds` depends on steps, not on the machine's speed.

    >>> from layoutalg.isa.container.binary import read_kernels
    >>> from layoutalg.isa.decode.code import decode_kernel
    >>> from layoutalg.device.compile import compile_source
    >>> from layoutalg.kernel.emit import emit_unverified
    >>> from layoutalg.kernel.library.transpose import lds_transpose
    >>> from layoutalg.prove import Witness
    >>> program = lds_transpose()
    >>> payload = compile_source(emit_unverified(program), "gfx1201").payload
    >>> code = decode_kernel(read_kernels(payload)[program.name])
    >>> print(replay(code, program, Refuted("a claim", "nothing", 0.0, (), Witness(({"M": 3, "N": 70},), ""))))
    replayed at M = 3, N = 70: the run shows no difference, nor does any at other sizes
    """
    own, end = _sizes(program, verdict), budget.spent() + seconds
    first = Replay({}, None, "no sizes are named") if own is None else _run(code, program, own, ORDERS, seconds)
    if first.confirmed:
        return first
    others: list[Replay] = []
    for k, sizes in enumerate(_others(program)):
        if first.steps + sum(other.steps for other in others) >= ALL_STEPS:
            break
        others.append(_run(code, program, sizes, ORDERS[k % 2 : k % 2 + 1], end - budget.spent()))
        if others[-1].confirmed:
            return others[-1]
        if budget.spent() > end:
            break
    if all(other.confirmed is None for other in others):
        return replace(first, text="; at others, ".join(run.text for run in (first, *others[:1])))
    if own is None:
        return Replay({}, False, "no run at small sizes shows a difference")
    joint = ", nor does any" if first.confirmed is False else "; no run shows a difference"
    return replace(first, text=f"{first.text}{joint} at other sizes")


def _run(
    code: MachineCode, program: Program, sizes: Mapping[Expr, int], orders: Sequence[int | None], seconds: float
) -> Replay:
    """Runs at these sizes, in each of these orders; what takes longer is stopped, and shows nothing."""
    named = {size.value.name: n for size, n in sizes.items()}
    extents = [value(tensor.descriptor.element_space_size, sizes) for tensor in program.tensors]
    blocks = value(prod(program.launch), sizes)
    if max(extents) > ELEMENTS or blocks > BLOCKS:
        return Replay(named, None, f"too large to run here ({max(extents)} elements, {blocks} blocks)")
    if not value(program.requires, sizes):
        return Replay(named, None, f"{program.name} is not launched at these sizes")
    return budget.in_time(
        seconds,
        lambda: _tried(code, program, make_case(program, sizes, formats=formats_of(code.kernel.target)), orders),
        lambda why: Replay(named, None, f"the run was stopped: {why}"),
    )


def _tried(code: MachineCode, program: Program, case: LaunchCase, orders: Sequence[int | None]) -> Replay:
    named, steps = {size.value.name: n for size, n in case.sizes.items()}, 0
    for order in orders:
        try:
            trial = attempt(code, program, case, STEPS, order, strict=False)
        except StepLimit as hangs:
            return Replay(named, None, f"a fault, {hangs}", steps + STEPS)
        except Fault as fault:
            return Replay(named, fault.kind != "alignment" or None, f"a fault, {fault}", steps)
        except DeviceError as error:
            return Replay(named, None, str(error), steps)
        steps += trial.execution.steps
        if not trial.exact:
            return Replay(named, True, _difference(program, trial, formats_of(code.kernel.target)), steps)
    return Replay(named, False, "the run shows no difference", steps)


def _sizes(program: Program, verdict: Refuted | None) -> Mapping[Expr, int] | None:
    """The witness's sizes; None where it names none."""
    point = verdict.witness.points[0] if verdict is not None and verdict.witness.points else {}
    if not all(size.value.name in point for size in program.sizes):
        return None
    return {size: point[size.value.name] for size in program.sizes}


def _others(program: Program) -> Iterator[Mapping[Expr, int]]:
    """Some small sizes, each the largest of several that are drawn; one choice where there are none to choose.

    None of a program that takes no small ones.
    """
    for seed, most in enumerate(OTHERS if program.sizes else OTHERS[:1]):
        try:
            drawn = [small_sizes(program, DRAWN * seed + k, most, FEW) for k in range(DRAWN)]
        except LaunchError:
            return
        yield max(drawn, key=lambda sizes: math.prod(sizes.values()))


def _difference(program: Program, trial: TrialResult, formats: Mapping[str, str]) -> str:
    """The first element of a tensor that is not as it should be."""
    meant = (*trial.case.inputs, trial.case.expected)
    for tensor, found, wanted in zip(program.tensors, trial.execution.outputs, meant, strict=True):
        raw = (array.reshape(-1).view(f"u{tensor.dtype.bytes}") for array in (found, wanted))
        wrong = np.flatnonzero(np.not_equal(*raw))
        if wrong.size:
            first = int(wrong[0])
            pair = (array.reshape(-1)[first : first + 1] for array in (found, wanted))
            got, right = (numbers(one, tensor.dtype, formats)[0] for one in pair)
            return (
                f"a wrong result, {wrong.size} of {found.size} elements of {tensor.name}; the first is {first}, "
                f"{got:g} for {right:g}"
            )
    raise AssertionError("a trial that is not exact differs somewhere")
