"""The claims on a binary: what its machine code does to memory is what the kernel program says, for all sizes at once.

| claim, of each element that the binary accesses | says |
|---|---|
| place | its byte offset is that of an element of the program, in the same buffer, of the same kind |
| condition | a store happens exactly when the program's does; a load only when the program's does |
| value | a store stores what the program says, in terms of what was loaded |
| alignment | an access of several elements begins at a multiple of what its instruction needs |
| barriers | as many barriers stand before it as in the program (LDS) |
| complete | each store of the program is done by one of the binary, and no other store is there |
| loops | a loop runs as often as the program's, and each access in it is the program's in the same iteration |
| carried | what a loop hands on (a sum) is the program's before it, and stays so by an iteration |
| order | a load and a store of LDS between two barriers that change places do not meet |

The symbolic machine itself refuses a binary whose data are used before their wait, whose LDS accesses are under way at
a barrier, or whose barriers only some waves reach.  With the claims, what was proved of the program holds of the
binary: `target = the map of source`; sums and conversions are the same operations on the same values in the same order.

Assumed: buffers do not overlap, lie in the address space whole, beside the apertures of LDS and scratch, and begin at
multiples of 16; the code is not changed while it runs; the machine does what AMD's pseudocode says.  Not modelled:
time, cache policy, wait states between dependent instructions.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from layoutalg.errors import DeviceError
from layoutalg.index import Expr, all_of, as_expr, conjuncts, simplify, substitute, variables
from layoutalg.index.conditions import meaning
from layoutalg.isa.decode.code import MachineCode
from layoutalg.kernel.program import Program
from layoutalg.prove import ForAll, Limits, Proved, Refuted, Shown, Unknown, Verdict, Witness, holds, prove
from layoutalg.refine.idioms.reciprocal import ASSUMPTION
from layoutalg.refine.loops.execution import SymbolicExecution
from layoutalg.refine.loops.invariants import Loops
from layoutalg.refine.replay import Replay, replay
from layoutalg.refine.simulation.compare import Comparison, unknown
from layoutalg.refine.simulation.expected import ExpectedElement, expected_elements
from layoutalg.refine.simulation.samples import extreme_sizes, shows_wrong
from layoutalg.refine.simulation.signature import arguments_of
from layoutalg.refine.symbolic.machine import SymbolicMachine
from layoutalg.refine.symbolic.state import TracedElement
from layoutalg.refine.values.uninterpreted import ASSUMPTION as EQUAL_RESULTS
from layoutalg.refine.values.uninterpreted import UninterpretedFunctions
from layoutalg.refine.values.unknowns import Kind, kind_of
from layoutalg.refine.values.word import NotReadable

#: Seconds that one question about the range of a value may take; not knowing costs a longer formula, nothing else.
QUICK = 2.0

#: Seconds for a first try with few assumptions.
AT_FIRST = 0.5

#: Seconds for ranges that are not shown, in all; and for what follows a claim that is left open.
PATIENCE = 6.0

#: Choices of small sizes that are tried where only a proof counts.
FEW = 8


@dataclass(frozen=True)
class BinaryVerdict:
    """Every claim on a binary with its verdict; true where all are proved."""

    kernel: str
    target: str
    verdicts: tuple[tuple[str, Verdict], ...]
    narrow: tuple[str, ...] = ()  # accesses that the compiler split into narrower ones; slow, not wrong
    assumptions: tuple[str, ...] = ()  # what was taken from elsewhere
    replayed: Replay | None = None  # what runs say, of what differs from the program or is shown to be wrong

    def __bool__(self) -> bool:
        return self.proved

    @property
    def proved(self) -> bool:
        """Whether every claim is proved."""
        return bool(self.verdicts) and all(isinstance(verdict, Proved) for _, verdict in self.verdicts)

    @property
    def name(self) -> str:
        """`proved`; `refuted` when some claim is; else `unknown`."""
        if self.proved:
            return "proved"
        return "refuted" if any(isinstance(verdict, Refuted) for _, verdict in self.verdicts) else "unknown"

    @property
    def failures(self) -> tuple[tuple[str, Verdict], ...]:
        """The claims that are not proved."""
        return tuple((about, verdict) for about, verdict in self.verdicts if not isinstance(verdict, Proved))


def prove_binary(
    code: MachineCode, program: Program, limits: Limits | None = None, seconds: float = 60
) -> BinaryVerdict:
    """Decides every claim on a decoded kernel against the program that it was compiled from.

    What cannot be followed or decided is `Unknown`, with the reason.  `Refuted`, the last verdict then, is what a run
    shows to be wrong: a difference from the program that no run shows is `Unknown`, too, and says what differs.
    `limits` are those of one claim, `seconds` is the time for all.
    """
    found = _decided(code, program, limits or Limits(), seconds)
    return found if found.proved else _carried_out(found, code, program)


def _carried_out(found: BinaryVerdict, code: MachineCode, program: Program) -> BinaryVerdict:
    """The verdicts once the binary has been run: refuted where that shows it to be wrong, and nowhere else."""
    about, claimed = next(((about, v) for about, v in found.verdicts if isinstance(v, Refuted)), ("", None))
    again = replay(code, program, claimed)
    if again.confirmed and claimed is None:
        shown = Refuted("the binary does what the program says", "a run", 0.0, (), Witness((again.sizes,), str(again)))
        return replace(found, verdicts=(*found.verdicts, ("a run", shown)), replayed=again)
    if again.confirmed or claimed is None:
        return replace(found, replayed=again if again.confirmed else None)
    why = f"it differs from the claimed program, {claimed.reason}, but that is not seen to matter: {again}"
    return replace(found, verdicts=(*found.verdicts[:-1], (about, unknown(why))), replayed=again)


def _decided(code: MachineCode, program: Program, limits: Limits, seconds: float) -> BinaryVerdict:
    """Every claim, up to the first that fails at a witness."""
    functions, loops = UninterpretedFunctions(), Loops()
    prover = _Prover(program, limits, time.monotonic() + seconds, functions)
    verdicts: list[tuple[str, Verdict]] = []
    narrow: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    try:
        wanted = expected_elements(program, functions)
        loops.expected = wanted.loops
        found, assumptions = _trace(code, program, prover, functions, loops)
        narrow = _narrow(program, wanted.elements, found)
        for about, verdict in Comparison(
            program, wanted, found, loops, prover, functions, code.kernel.lds_bytes
        ).verdicts():
            verdicts.append((about, verdict))
            if isinstance(verdict, Refuted):
                break
    except DeviceError as error:
        verdicts.append(("the binary is followed", unknown(str(error))))
    except RecursionError:
        verdicts.append(("the binary is followed", unknown("its values are choices nested too deeply")))
    doubt = code.kernel.machine.evidence.doubt
    assumptions += (f"{code.kernel.target}: {doubt}",) if doubt else ()
    return BinaryVerdict(program.name, code.kernel.target, tuple(verdicts), narrow, assumptions)


def _trace(
    code: MachineCode, program: Program, prover: _Prover, functions: UninterpretedFunctions, loops: Loops
) -> tuple[Sequence[TracedElement], tuple[str, ...]]:
    """The binary's accesses, and what was assumed in reading them."""
    arguments = arguments_of(code.kernel, program)
    blocks = (_linear(program),) if program.linear else program.grid
    given = all_of(program.requires, *(simplify(block < 1 << 31) for block in blocks))  # HIP launches no more
    for number, runs in loops.expected.items():
        if not prover.shown(runs >= 1, program.requires):
            raise NotReadable(f"a loop of {runs} that may not run at all")
        given = all_of(given, number < runs)
    computes = functions.applied  # the program does, since only it has been read
    machine = SymbolicMachine(code, arguments, blocks, program.threads, given, _sizes(program), prover.shown, functions)
    SymbolicExecution(machine, loops.execute, prover.deadline).run()
    assumed = {ASSUMPTION: machine.w.divisions.errors, EQUAL_RESULTS: computes}
    return machine.trace, tuple(text for text, needed in assumed.items() if needed)


def _sizes(program: Program) -> dict[str, int]:
    """Bytes of an element in each buffer and in LDS."""
    shared = {int(s.dtype.bytes) for s in program.shared}
    if len(shared) > 1:
        raise NotReadable(f"{program.name}: LDS holds elements of several sizes")
    return {tensor.name: int(tensor.dtype.bytes) for tensor in program.tensors} | {"lds": min(shared, default=4)}


def _linear(program: Program) -> Expr:
    """The number of a block in a grid that is launched as one row, the first variable fastest."""
    total, step = as_expr(0), as_expr(1)
    for index, extent in zip(program.grid, program.extents, strict=True):
        total, step = total + index * step, step * extent
    return total


class _Prover:
    """Asks the prover, first with the assumptions that speak only of what the goal speaks of.

    Once a claim is left open the binary is not proved any more; what follows may still refute it, and gets less time.
    """

    def __init__(self, program: Program, limits: Limits, deadline: float, functions: UninterpretedFunctions) -> None:
        self.program, self.limits, self.deadline, self.functions = program, limits, deadline, functions
        self.free: set[Expr] = set()
        self._extremes = extreme_sizes(program)
        self._found: dict[tuple[Expr, Expr], bool] = {}
        self._decided: dict[tuple[frozenset[Expr], Expr], Proved | Unknown] = {}
        self.patience = PATIENCE  # seconds for questions about ranges that are not answered
        self.shown_values = (
            Shown("block", program.grid),
            Shown("thread", program.threads),
            *((Shown("sizes", program.sizes),) if program.sizes else ()),
        )

    def shown(self, goal: Expr, given: Expr) -> bool:
        """Whether the goal is proved, soon."""
        if (goal, given) not in self._found:
            began = time.monotonic()
            self._found[goal, given] = self._shown(goal, given)
            if not self._found[goal, given]:
                self.patience -= time.monotonic() - began
        return self._found[goal, given]

    def _shown(self, goal: Expr, given: Expr) -> bool:
        if time.monotonic() > self.deadline or any(shows_wrong(goal, given, sizes) for sizes in self._extremes):
            return False
        seconds = QUICK if self.patience > 0 else AT_FIRST
        quick = replace(self.limits, seconds=min(self.limits.seconds, seconds), choices=FEW)
        return any(
            holds(ForAll("a value is in range", goal, part, self.shown_values if part is given else ()), limits)
            for part, limits in self._attempts(goal, given, quick)
        )

    def decide(self, label: str, goal: Expr, given: Expr, show: tuple[Shown, ...] = ()) -> Verdict:
        """The verdict on `given ⇒ goal`."""
        claim = meaning(goal), given
        if claim not in self._decided:
            verdict = self._decide(label, goal, given, show)
            if isinstance(verdict, Refuted) and any(map(self._free, variables(goal, given))):
                verdict = self._refuted_for_numbers(label, goal, given, show) or unknown(
                    f"it depends on what is not known of floating-point results or other lanes: {verdict.reason}"
                )
            if not isinstance(verdict, Proved | Unknown):
                return verdict
            if isinstance(verdict, Unknown):
                self.limits = replace(self.limits, seconds=min(self.limits.seconds, QUICK))
                self.deadline = min(self.deadline, time.monotonic() + PATIENCE)
            self._decided[claim] = verdict
        return replace(self._decided[claim], claim=label)

    def _refuted_for_numbers(self, label: str, goal: Expr, given: Expr, show: tuple[Shown, ...]) -> Refuted | None:
        """A refutation in which roundings to bf16 are what the machine makes of a number."""
        while values := (written := self.functions.for_numbers(variables(goal, given)))[0]:
            goal, given = substitute(goal, values), all_of(substitute(given, values), written[1])
        if any(map(self._free, variables(goal, given))):
            return None
        verdict = self._decide(label, goal, given, show)
        return verdict if isinstance(verdict, Refuted) else None

    def _decide(self, label: str, goal: Expr, given: Expr, show: tuple[Shown, ...]) -> Verdict:
        if time.monotonic() > self.deadline:
            return unknown("the time for all claims is used up")
        for part, limits in self._attempts(goal, given, self.limits):
            told = (*self.shown_values, *show) if part is given else ()
            verdict = prove(ForAll(label, goal, part, told), limits=limits)
            if isinstance(verdict, Proved):
                return verdict
        return verdict

    def _attempts(self, goal: Expr, given: Expr, limits: Limits) -> Iterator[tuple[Expr, Limits]]:
        """Assumptions to try: those that speak only of what the goal speaks of, for a short time; then all."""
        mentioned = set(variables(goal))
        near = all_of(*(part for part in conjuncts(given) if set(variables(part)) <= mentioned))
        if near is not given:
            yield near, replace(limits, seconds=min(limits.seconds, AT_FIRST), choices=FEW)
        yield given, limits

    def _free(self, v: Expr) -> bool:
        """Whether the prover may give it values that the machine would not."""
        return v in self.free or kind_of(v) in (Kind.ANY, Kind.RESULT)


def _narrow(program: Program, wanted: Sequence[ExpectedElement], found: Sequence[TracedElement]) -> tuple[str, ...]:
    """Buffers where the binary's widest access is narrower than the program's."""
    notes = []
    inside = {s.name for s in program.shared}
    widths: dict[tuple[bool, str], int] = {}
    for w in wanted:
        key = w.store, "lds" if w.buffer in inside else w.buffer
        widths[key] = max(w.width, widths.get(key, 0))
    for (store, buffer), meant in widths.items():
        moved = [f.width for f in found if (f.store, f.buffer) == (store, buffer)]
        if moved and min(moved) < meant:
            verb = "stores to" if store else "loads from"
            notes.append(f"{verb} {buffer}: {min(moved)} bytes at a time, the program has {meant}")
    return tuple(notes)
