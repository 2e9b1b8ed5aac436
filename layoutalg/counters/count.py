"""A launch's counters, from a run of its machine code: how often, and how surely.

Each figure is a range, `least` to `most`:

| certainty | is |
|---|---|
| exact | one number, by the definition that is named |
| bounded | what the definition surely counts, and what it may |
| in doubt | one number, by what is named, which is not said of this target, or is contested |
| not known | no source says what it counts, or what something costs |

What a wave learns of others (results of atomics, loads of a loop that waits) or of the clock may lead to other
counts on a GPU: where a kernel has such instructions, no count but that of its waves is exact.
A counter of LDS cycles is the sum of what `isa.run.cycles` gives each instruction.  All blocks of the launch are run,
or one of many that are `alike`: then what is counted of it is counted as often as there are blocks, instructions that
some blocks carry out and others do not are counted perhaps, and how much of memory the others reach is a bound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Literal

from layoutalg.counters.alike import AlikeBlocks
from layoutalg.counters.definitions import (
    ADDRESSED,
    ADDRESSES,
    COUNTER_DEFS,
    EVERY_ADDRESS,
    LINES,
    MATRIX_TYPES,
    MI300,
    MOPS,
    TYPED,
    addressed,
    counted,
    has_line_counter,
    instructions_of,
    is_rdna,
    lds_counters,
    lds_doubts,
    source_of,
    times_at_most,
)
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.decode.code import MachineCode
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.run.cycles import InstructionCycles
from layoutalg.isa.run.observer import Observer
from layoutalg.isa.run.polls import polls
from layoutalg.isa.semantics.accesses import ACCESSES, CLOCKS, access_of, gives_result
from layoutalg.isa.semantics.control import BARRIERS
from layoutalg.isa.semantics.matrix import matrix_instruction_of
from layoutalg.records import dataclass
from layoutalg.target import target as gpu
from layoutalg.target.operand import MatrixInstruction

Certainty = Literal["exact", "bounded", "in doubt", "not known"]
RUN = "the run itself"
Counts = Sequence[tuple[Instruction, int]]


@dataclass(frozen=True)
class CounterFigure:
    """What a counter comes to: from `least` to `most`, each None where it is not known, and who says so."""

    name: str
    least: int | None
    most: int | None
    what: str
    source: str
    notes: tuple[str, ...] = ()

    @property
    def certainty(self) -> Certainty:
        """How surely it is known."""
        if self.least is None:
            return "not known"
        if self.most is None or self.least < self.most:
            return "bounded"
        return "in doubt" if self.notes else "exact"

    @property
    def text(self) -> str:
        """The number, or the range."""
        if self.least is None:
            return "not known"
        if self.most is None:
            return f"{self.least} or more"
        return f"{self.least}" if self.least == self.most else f"{self.least} … {self.most}"


@dataclass(frozen=True)
class GridCounts:
    """How often the waves of a grid carried out each instruction, and how many of these had no active lane, by address.

    `times`: how many blocks stand for the one that was run.
    """

    instructions: Counts
    idle: Mapping[int, int]
    times: int = 1

    @classmethod
    def of(cls, program: MachineCode, watch: Observer, times: int = 1, same: AlikeBlocks | None = None) -> GridCounts:
        """What was counted, as often as blocks are alike; perhaps, what stands between branches by the block."""
        ran = {one.address: (one, count * times) for one, count in watch.counts(program)}
        idle = {address: count * times for address, count in watch.idle.items()}
        for branch, between in same.between.items() if same else ():
            _, most = ran.get(branch, (None, 0))
            ran |= {step.address: (step.instruction, most) for step in between}
            idle |= dict.fromkeys((step.address for step in between), most)
        return cls([ran[address] for address in sorted(ran)], idle, times)


def figures(
    program: MachineCode, grid: Sequence[int], block: Sequence[int], lds: Sequence[InstructionCycles], watch: Observer,
    ran: GridCounts,
) -> tuple[CounterFigure, ...]:  # fmt: skip
    """Every counter of a launch that has run, its observer counting idle waves."""
    target, counts = program.kernel.target, ran.instructions
    waves = prod(grid) * -(-prod(block) // program.kernel.wave_size)
    found = [CounterFigure("SQ_WAVES", waves, waves, "waves", source_of(target))]
    found += linear_figures(counts, ran.idle, target)
    found = [_by_halves(one, target, program.kernel.wave_size) for one in found]
    found += _lds(counts, lds, ran.times, target)
    all_stated = [*(stated(one, target) for one in found), *_of_the_run(ran, watch, program.kernel)]
    notes = tuple(by_order(program, counts))
    return tuple(one if one.name == "SQ_WAVES" else replace(one, notes=(*one.notes, *notes)) for one in all_stated)


def linear_figures(counts: Counts, idle: Mapping[int, int], target: str) -> list[CounterFigure]:
    """The counters that are sums over instructions: of two launches together, both together."""
    barriers = sum(count for one, count in counts if BARRIERS.get(one.name, (False, False))[1])
    waits = CounterFigure("barriers", barriers, barriers, "waits at a barrier, by wave", RUN)
    addressed = () if is_rdna(target) else _addressed(counts, idle)
    return [*_instructions(counts, idle, target), *addressed, *_matrix(counts, target), waits]


def _by_halves(one: CounterFigure, target: str, wave: int) -> CounterFigure:
    """A figure that may be twice as great where a wave is issued in halves."""
    return replace(one, most=None if one.most is None else one.most * times_at_most(one.name, target, wave))


def by_order(program: MachineCode, counts: Counts) -> Iterator[str]:
    """Why another order of waves, or another hour, may lead to other counts: what a wave learns of others, or reads."""
    waiting = polls(program)
    for instruction, _ in counts:
        name = instruction.name
        if gives_result(name, instruction.fields) or instruction.address in waiting or name in CLOCKS:
            yield f"another order of waves, or another time, may lead to other counts: {instruction.place}"


def stated(one: CounterFigure, target: str) -> CounterFigure:
    """A figure on a target: of those whose counters no page defines it is in doubt, or not known."""
    said = gpu(target).counters
    if one.least is None or one.source == RUN or (said and said.evidence.certain):
        return one
    if said:
        return replace(one, notes=(*one.notes, said.evidence.doubt))
    note = f"no public definition of {target}'s counters was found"
    return CounterFigure(one.name, None, None, one.what, "", (note,))


def _instructions(counts: Counts, idle: Mapping[int, int], target: str) -> Iterator[CounterFigure]:
    """The counters of instructions; a vector instruction of a wave without an active lane is counted perhaps."""
    surely, perhaps = Counter[str](), Counter[str]()
    for instruction, count in counts:
        how, unsure = counted(instruction, target), idle.get(instruction.address, 0)
        for name in how.surely:
            surely[name] += count - unsure
            perhaps[name] += unsure
        for name in how.perhaps:
            perhaps[name] += count
    for name, what in instructions_of(target).items():
        yield CounterFigure(name, surely[name], surely[name] + perhaps[name], what, source_of(target))
    for name in dict.fromkeys((*surely, *perhaps)):
        if name.startswith(TYPED):
            what = f"matrix products of {name.removeprefix(TYPED)}"
            yield CounterFigure(name, surely[name], surely[name] + perhaps[name], what, COUNTER_DEFS)


def _addressed(counts: Counts, idle: Mapping[int, int]) -> Iterator[CounterFigure]:
    """The counters of the units that make addresses: of accesses there are, each kind."""
    surely, perhaps = Counter[str](), Counter[str]()
    for instruction, count in counts:
        how, unsure = addressed(instruction), idle.get(instruction.address, 0)
        for name in how.surely:
            surely[name] += count - unsure
            perhaps[name] += unsure
        for name in how.perhaps:
            perhaps[name] += count
    for name in ADDRESSED:
        if name in surely or name in perhaps or name == EVERY_ADDRESS:
            what = "vector memory instructions" + (" of the kind, by wave" if name != EVERY_ADDRESS else ", by wave")
            yield CounterFigure(name, surely[name], surely[name] + perhaps[name], what, ADDRESSES)


def _lds(counts: Counts, lds: Sequence[InstructionCycles], times: int, target: str) -> Iterator[CounterFigure]:
    """Cycles of LDS: not known where an instruction reaches it whose price no source gives."""
    reasons = (*(one.unpriced for one in lds), *(unpriced(one) for one, _ in counts))
    why = tuple(dict.fromkeys(reason for reason in reasons if reason))
    cycles, least, idle = (times * sum(getattr(one, key) for one in lds) for key in ("cycles", "least", "idle"))
    doubts = tuple(dict.fromkeys((*(doubt for one in lds for doubt in one.doubts), *lds_doubts(target))))
    for (name, what, source), found in zip(lds_counters(target), (cycles - least, cycles + idle), strict=True):
        yield (
            CounterFigure(name, None, None, what, "", why)
            if why
            else CounterFigure(name, found, found, what, source, doubts)
        )
    if is_rdna(target):
        return
    if lds or why:
        note = "no source says what an address conflict is"
        yield CounterFigure("SQ_LDS_ADDR_CONFLICT", None, None, "cycles lost to address conflicts", "", (note,))
    else:
        yield CounterFigure("SQ_LDS_ADDR_CONFLICT", 0, 0, "cycles lost to address conflicts", MI300)


def unpriced(instruction: Instruction) -> str:
    """Why no source says what an instruction costs in LDS; empty of others."""
    name = instruction.name
    if name.startswith("DS_") and name not in ACCESSES:
        return f"no source says what {name.lower()} costs in LDS"
    if name in ACCESSES and access_of(name, instruction.fields).to_lds:
        return "no source says what loads straight to LDS cost there"
    return ""


def _matrix(counts: Counts, target: str) -> Iterator[CounterFigure]:
    """Operations of the matrix cores by the type of A, and their cycles."""
    each = [(one, n) for one, n in counts if one.name.startswith(("V_MFMA_", "V_SMFMAC_"))]
    products = [(matrix_instruction_of(one.name, target), n) for one, n in each]
    said, operations, unknown = gpu(target).counters, Counter[str](), Counter[str]()
    for (instruction, _), (one, count) in zip(each, products, strict=True):
        names = [MATRIX_TYPES.get(one.a_dtype, "") if one else ""]
        if one is None or "F8F6F4" in instruction.name or said is None or names[0] not in said.matrix:
            names = [name.removeprefix(TYPED) for name in _typed(instruction, target)]
            unknown.update(dict.fromkeys(names, 1))
        else:
            operations[names[0]] += 2 * one.m * one.n * one.k * count
    for name in dict.fromkeys((*operations, *unknown)):
        what = f"operations of matrix products of {name}, in units of {MOPS}"
        if unknown[name]:
            note = "of sparse products, several blocks, and types without a counter no source says what they count"
            yield CounterFigure(f"{TYPED}MOPS_{name}", None, None, what, "", (note,))
        else:
            done = operations[name] // MOPS
            yield CounterFigure(f"{TYPED}MOPS_{name}", done, done, what, MI300)
    if each:
        yield _busy(each, products, target)


def _typed(instruction: Instruction, target: str) -> list[str]:
    """The counters of its type that may count a matrix product."""
    how = counted(instruction, target)
    return [name for name in (*how.surely, *how.perhaps) if name.startswith(TYPED)]


def _busy(
    each: Counts, products: Sequence[tuple[MatrixInstruction | None, int]], target: str
) -> CounterFigure:  # fmt: skip
    """How long matrix cores are busy: not known where a product's cycles are not."""
    cores = gpu(target).matrix
    known = cores.cycles if cores else {}
    pairs = [*zip(each, products, strict=True)]
    missing = sorted({one.name.lower() for (one, _), (found, _) in pairs if found is None or found.name not in known})
    name, what = "SQ_VALU_MFMA_BUSY_CYCLES", "cycles that matrix cores are busy, of all SIMDs"
    if cores is None or missing:
        return CounterFigure(name, None, None, what, "", (f"no cycles are known of {', '.join(missing)}",))
    cycles = sum(known[one.name] * count for one, count in products if one is not None)
    note = "one product after the other on each SIMD"
    return CounterFigure(name, cycles, cycles, what, cores.evidence.text, (note,))


def _of_the_run(ran: GridCounts, watch: Observer, kernel: KernelBinary) -> Iterator[CounterFigure]:
    """What is no counter of the hardware, and is said of the run."""
    moved = watch.traffic.values()
    for name, store in (("bytes read", False), ("bytes written", True)):
        total = sum(one.bytes for one in moved if one.store is store)
        most = total if ran.times == 1 else _most_bytes(ran, store, kernel.wave_size)
        yield CounterFigure(name, total, most, "of all lanes in global memory, caches apart", RUN)
    yield from _caches(ran, watch) if has_line_counter(kernel.target) else ()
    what = "of the smallest size that instructions touch, by wave"
    if ran.times == 1:
        total = sum(one.segments for one in moved)
        yield CounterFigure("segments", total, total, what, RUN)
    else:
        yield CounterFigure("segments", None, None, what, "", (f"one of {ran.times} blocks was run",))


def _caches(ran: GridCounts, watch: Observer) -> Iterator[CounterFigure]:
    """What caches are asked for: each line that a load of a wave touches at least once."""
    name, what = "TCP_TOTAL_CACHE_ACCESSES_sum", "look-ups of lines in vector L1 caches"
    if ran.times == 1:
        lines = sum(one.wide for one in watch.traffic.values() if not (one.store or one.atomic))
        yield CounterFigure(name, lines, None, what, LINES)
    else:
        yield CounterFigure(name, None, None, what, "", (f"one of {ran.times} blocks was run",))
    what = "requests to L2 caches, of all kinds"
    yield CounterFigure("TCC_REQ_sum", None, None, what, "", ("what vector L1 caches keep is not modelled",))


def _most_bytes(ran: GridCounts, store: bool, lanes: int) -> int:
    """The bytes of accesses of which every lane reaches memory."""
    reached = ((ACCESSES[one.name], count) for one, count in ran.instructions if one.name in ACCESSES)
    return sum(
        lanes * access.size * count
        for access, count in reached
        if access.space in ("global", "flat", "buffer") and (access.store is store or access.atomic)
    )
