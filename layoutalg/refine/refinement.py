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

The symbolic machine itself refuses a binary whose data are used before their wait, or whose barriers only some waves
reach; accesses of LDS that are under way at a barrier are none of the program's.  With the claims, what was proved of
the program holds of the binary: `target = the map of source`; sums and conversions are the same operations on the same
values in the same order.

Assumed: buffers do not overlap, lie in the address space whole, beside the apertures of LDS and scratch, and begin at
multiples of 16 below 2⁴⁷ (Linux gives no others: amdkfd, `gpuvm_size`, AMDGPU_GMC_HOLE_START); the code is not changed
while it runs; the machine does what AMD's pseudocode says.  Not modelled: time, cache policy, wait states between
dependent instructions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from layoutalg.errors import DeviceError
from layoutalg.index import ONE, TRUE, ZERO, Expr, all_of, budget, internal, prod, simplify
from layoutalg.isa.decode.code import MachineCode
from layoutalg.isa.semantics.accesses import ACCESSES
from layoutalg.kernel.emit.kernel import conditions
from layoutalg.kernel.program import Program
from layoutalg.kernel.program.chiplets import chiplet_order
from layoutalg.prove import Proved, Refuted, Verdict, Verdicts, Witness
from layoutalg.records import dataclass
from layoutalg.refine.replay import Replay, replay
from layoutalg.refine.simulation.compare import Comparison
from layoutalg.refine.simulation.expected import ExpectedElement, expected_elements
from layoutalg.refine.simulation.questions import Questions, unknown
from layoutalg.refine.simulation.signature import arguments_of, hidden_of
from layoutalg.symex.entries import WITHOUT_PRELOAD, enter_alike
from layoutalg.symex.machine.arguments import hidden_arguments
from layoutalg.symex.machine.environment import Environment, Inputs
from layoutalg.symex.machine.orders import AxisOrder, BlockOrder, Renumbered
from layoutalg.symex.machine.tracing import TracedElement
from layoutalg.symex.trace import STANDING, Trace, follow
from layoutalg.symex.values.uninterpreted import ASSUMPTION as EQUAL_RESULTS
from layoutalg.symex.values.uninterpreted import UninterpretedFunctions
from layoutalg.symex.values.word import NotReadable


@dataclass(frozen=True)
class BinaryVerdict(Verdicts):
    """Every claim on a binary with its verdict; true where all are proved."""

    kernel: str
    target: str
    verdicts: tuple[tuple[str, Verdict], ...]
    narrow: tuple[str, ...] = ()  # accesses that the compiler split into narrower ones; slow, not wrong
    assumptions: tuple[str, ...] = ()  # the sizes spoken of, the launch, the model, and what reading the code took
    replayed: Replay | None = None  # what runs say, of what differs from the program or is shown to be wrong

    @property
    def name(self) -> str:
        """`proved`; `refuted` when some claim is; else `unknown`."""
        if self.proved:
            return "proved"
        return "refuted" if any(isinstance(verdict, Refuted) for _, verdict in self.verdicts) else "unknown"


def prove_binary(code: MachineCode, program: Program, seconds: float = 60) -> BinaryVerdict:
    """Decides every claim on a decoded kernel against the program that it was compiled from.

    What cannot be followed or decided is `Unknown`, with the reason.  `Refuted`, the last verdict then, is what a run
    shows to be wrong: a difference from the program that no run shows is `Unknown`, too, and says what differs.
    `seconds` is the time for all claims, and for the runs; what is proved in it depends on counts of steps, not on the
    machine's speed.  A kernel with preloaded arguments is proved from both of its entries.
    """
    found = _decided(code, program, seconds)
    if not found.proved:
        return _carried_out(found, code, program, seconds)
    return _and_without_preload(found, code, program, seconds) if code.kernel.preloaded else found


def _and_without_preload(found: BinaryVerdict, code: MachineCode, program: Program, seconds: float) -> BinaryVerdict:
    """The same claims besides, where firmware enters that does not preload arguments, unless both come to one state."""
    if enter_alike(code, _inputs(code, program), _Memory(Questions(program))):
        alike = Proved("it enters as with preloaded arguments", "reading", 0.0)
        return replace(found, verdicts=(*found.verdicts, (WITHOUT_PRELOAD, alike)))
    other = prove_binary(code.without_preload, program, seconds)
    claims = tuple((f"{about} ({WITHOUT_PRELOAD})", verdict) for about, verdict in other.verdicts)
    return replace(other, verdicts=(*found.verdicts, *claims))


def _carried_out(found: BinaryVerdict, code: MachineCode, program: Program, seconds: float) -> BinaryVerdict:
    """The verdicts once the binary has been run: refuted where that shows it to be wrong, and nowhere else."""
    about, claimed = next(((about, v) for about, v in found.verdicts if isinstance(v, Refuted)), ("", None))
    again = replay(code, program, claimed, seconds)
    if again.confirmed and claimed is None:
        shown = Refuted("the binary does what the program says", "a run", 0.0, (), Witness((again.sizes,), str(again)))
        return replace(found, verdicts=(*found.verdicts, ("a run", shown)), replayed=again)
    if again.confirmed or claimed is None:
        return replace(found, replayed=again if again.confirmed else None)
    why = f"it differs from the claimed program, {claimed.reason}, but that is not seen to matter: {again}"
    return replace(found, verdicts=(*found.verdicts[:-1], (about, unknown(why))), replayed=again)


@dataclass(frozen=True)
class _Memory(Environment):
    """The memory of a program, all of which holds data."""

    questions: Questions

    def shows(self, goal: Expr, given: Expr) -> bool:
        return self.questions.shown(goal, given)


def _decided(code: MachineCode, program: Program, seconds: float) -> BinaryVerdict:
    """Every claim, up to the first that fails at a witness."""
    functions = UninterpretedFunctions()
    questions = Questions(program)
    verdicts: list[tuple[str, Verdict]] = []
    narrow: tuple[str, ...] = ()
    assumptions = ((conditions(program),) if program.sizes else ()) + STANDING
    try:
        with budget.within(seconds):
            wave = _inputs(code, program).wave(code.kernel.wave_size)
            wanted = expected_elements(program, functions, wave)
            computes = functions.applied  # the program does, since only it has been read
            trace = _trace(code, program, questions, functions, wanted.loops)
            assumptions += trace.assumptions + ((EQUAL_RESULTS,) if computes else ())
            narrow = _narrow(program, wanted.elements, trace.elements)
            for about, verdict in Comparison(
                program, wanted, trace.elements, trace.loops, questions, functions, code.kernel.lds_bytes, wave
            ).verdicts():
                verdicts.append((about, verdict))
                if isinstance(verdict, Refuted):
                    break
    except DeviceError as error:
        verdicts.append(("the binary is followed", unknown(str(error))))
    except RecursionError:
        verdicts.append(("the binary is followed", unknown("its values are choices nested too deeply")))
    except budget.OutOfTimeError:
        verdicts.append(("what is left", unknown("the time for all claims is used up")))
    doubt = code.kernel.machine.evidence.doubt
    assumptions += (f"{code.kernel.target}: {doubt}",) if doubt else ()
    return BinaryVerdict(program.name, code.kernel.target, tuple(verdicts), narrow, assumptions)


def _trace(
    code: MachineCode, program: Program, questions: Questions, functions: UninterpretedFunctions,
    counts: Mapping[Expr, Expr],
) -> Trace:  # fmt: skip
    """The binary's accesses; `counts`: how often the program's loops run."""
    inputs = _inputs(code, program)
    given = inputs.given
    for number, runs in counts.items():
        if not questions.shown(runs >= 1, program.requires):
            raise NotReadable(f"a loop of {runs} that may not run at all")
        given = all_of(given, number < runs)
    memory, order = _Memory(questions), _dealt(program)
    trace = follow(code, replace(inputs, given=given), memory, functions, counts, order).complete()
    if not trace.order.stale.isdisjoint(trace.coordinates):
        raise NotReadable(f"not all is made of blocks as they are dealt to {program.chiplets} chiplets")
    if not all(met.goal is TRUE for met in trace.meetings):
        raise NotReadable("only some waves may reach a barrier")
    for one in trace.elements:
        if one.atomic:
            raise NotReadable(f"{one.instruction.place}: an atomic operation, of which a program has none")
    return trace


def _inputs(code: MachineCode, program: Program) -> Inputs:
    """What the machine finds at its start."""
    arguments = (*arguments_of(code.kernel, program), *hidden_arguments(code.kernel, hidden_of(program)))
    blocks = (_launched(program),) if program.linear else program.grid
    given = all_of(program.requires, *(simplify(block < 1 << 31) for block in blocks))  # HIP launches no more
    return Inputs(arguments, blocks, program.threads, given, _sizes(program))


def _sizes(program: Program) -> dict[str, int]:
    """Bytes of an element in each buffer and in LDS."""
    shared = {int(s.dtype.bytes) for s in program.shared}
    if len(shared) > 1:
        raise NotReadable(f"{program.name}: LDS holds elements of several sizes")
    return {tensor.name: int(tensor.dtype.bytes) for tensor in program.tensors} | {"lds": min(shared, default=4)}


def _linear(program: Program) -> Expr:
    """The number of a block in a grid that is launched as one row, the first variable fastest."""
    total, step = ZERO, ONE
    for index, extent in zip(program.grid, program.extents, strict=True):
        total, step = total + index * step, step * extent
    return total


def _launched(program: Program) -> Expr:
    """The number that a block is launched with: of its own where blocks are dealt to chiplets."""
    return _linear(program) if program.chiplets == 1 else internal("launched", prod(program.extents))


def _dealt(program: Program) -> BlockOrder | None:
    """What the machine code makes of it is the number in the grid: one to one, by the program's obligations."""
    if program.chiplets == 1:
        return None
    if not program.linear or program.persistent:
        raise NotReadable(f"blocks for {program.chiplets} chiplets of a grid that is not launched as one row of tiles")
    launched, number = _launched(program), _linear(program)
    dealt = chiplet_order(launched, prod(program.extents), program.chiplets)
    return BlockOrder((AxisOrder(launched, (Renumbered((number,), (dealt,), {dealt: number}),)),))


def _exchanged(element: TracedElement) -> bool:
    """Whether lanes exchange what they load, so that its elements are told one by one."""
    access = ACCESSES.get(element.instruction.name)
    return access is not None and access.transposed is not None


def _narrow(program: Program, wanted: Sequence[ExpectedElement], found: Sequence[TracedElement]) -> tuple[str, ...]:
    """Buffers where the binary's widest access is narrower than the program's."""
    notes = []
    inside = {s.name for s in program.shared}
    widths: dict[tuple[bool, str], int] = {}
    for w in wanted:
        key = w.store, "lds" if w.buffer in inside else w.buffer
        widths[key] = max(w.width, widths.get(key, 0))
    for (store, buffer), meant in widths.items():
        moved = [f.width for f in found if (f.store, f.buffer) == (store, buffer) and not _exchanged(f)]
        if moved and min(moved) < meant:
            verb = "stores to" if store else "loads from"
            notes.append(f"{verb} {buffer}: {min(moved)} bytes at a time, the program has {meant}")
    return tuple(notes)
