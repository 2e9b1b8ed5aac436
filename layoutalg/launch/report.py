"""A run in words, and as data: what came out, what was carried out how often, what moved, what LDS cost.

The faults have no figures: what was counted up to one is of no use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from layoutalg.errors import Fault
from layoutalg.isa.decode.code import MachineCode
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.launch import Execution
from layoutalg.isa.run.observer import Observer, kind_of
from layoutalg.launch.concrete import BoundLaunch
from layoutalg.target import target as gpu

Lines = Callable[[int], str]
"""The source line of an instruction's address; empty where it is not known."""

Data = dict[str, Any]

#: What is told of a barrier that waves pass without others of their block (`launch._released` names the sources).
ENDED = "a barrier passed without waves that have ended, which AMD's ISA allows and HIP forbids"

#: What is said of a run for its results alone.
UNCHECKED = "races, waits, undefined values and what accesses cost were not looked at"

#: What a run tells of instructions besides: not wrong by itself, or not judged.
_DOUBTS: Mapping[str, str] = {
    "unaligned": "unaligned",
    "ordered": "another order of lanes and blocks may change what it gives",
    "unjudged": "a race, unless atomic operations order it, which is not followed",
    "ended": ENDED,
}


def report(program: MachineCode, launch: BoundLaunch, run: Execution, observer: Observer, lines: Lines) -> Data:
    """A run as data."""
    counts = observer.counts(program)
    kinds: Counter[str] = Counter()
    for instruction, count in counts:
        kinds[kind_of(instruction, program.kernel.target)] += count
    moved = {one.where: one for one in observer.traffic.values()}
    return {
        "steps": run.steps,
        "tensors": [*_tensors(launch, run.undefined)],
        "instructions": {"waves": sum(kinds.values()), **dict(kinds.most_common())},
        "global": {
            "segment_bytes": min(gpu(program.kernel.target).segments),
            "wide_bytes": max(gpu(program.kernel.target).segments),
            **{key: sum(getattr(one, key) for one in moved.values()) for key in ("bytes", "segments", "least")},
            "instructions": [_placed(vars(one), lines) for one in moved.values()],
        },
        "lds": {
            **{key: sum(getattr(one, key) for one in run.lds) for key in ("cycles", "least")},
            "instructions": [_placed({**vars(one), "doubts": [*one.doubts]}, lines) for one in run.lds],
        },
        **{name: [_placed({"where": where}, lines) for where in getattr(run, name)] for name in _DOUBTS},
        "counts": [_placed({"where": one.place, "waves": count}, lines) for one, count in counts],
    }


def unchecked(launch: BoundLaunch, run: Execution) -> Data:
    """A run for its results alone (`device.plain`), as data."""
    return {"steps": run.steps, "unchecked": UNCHECKED, "tensors": [*_tensors(launch, [None] * len(launch.passed))]}


def _tensors(launch: BoundLaunch, left: Sequence[Array | None]) -> Iterator[Data]:
    """`left`: of each one's bytes whether nothing has written them; None: nobody looked."""
    passed = dict(zip(launch.passed, left, strict=True))
    for tensor, undefined in passed.items():
        found: Data = {"name": tensor.name, "shape": [*tensor.places.shape], "dtype": str(tensor.buffer.array.dtype),
                       "written": tensor.written, "drawn": tensor.drawn}  # fmt: skip
        if tensor.written and undefined is not None:
            found["never_written"] = tensor.unwritten(undefined)
        yield found


def _placed(found: Mapping[str, Any], lines: Lines) -> Data:
    """What is told of an instruction, with its source line where that is known."""
    source = lines(address_of(found["where"]))
    return {**found, "source": source} if source else dict(found)


def address_of(where: str) -> int:
    """The address at the start of an instruction's text; -1 where it has none."""
    try:
        return int(where.split(" ", 1)[0], 16)
    except ValueError:
        return -1


def text(found: Data) -> Iterator[str]:
    """A report in words."""
    for tensor in found["tensors"]:
        shape = " × ".join(map(str, tensor["shape"]))
        said = "drawn at random" if tensor["drawn"] else "only read"
        if tensor["written"]:
            left = tensor.get("never_written")
            said = f"written, {left} elements of it never" if left else "written"
        yield f"  {tensor['name']}: {shape} {tensor['dtype']}, {said}"
    if "unchecked" in found:
        yield f"{found['steps']} instructions by waves; {found['unchecked']}"
        return
    kinds = {**found["instructions"]}
    yield (f"instructions: {found['steps']} steps, {kinds.pop('waves')} by waves: "
           + ", ".join(f"{count} {kind}" for kind, count in kinds.items()))  # fmt: skip
    moved = found["global"]
    yield (f"global memory: {moved['bytes']} bytes, {moved['segments']} segments of {moved['segment_bytes']} where "
           f"{moved['least']} would do")  # fmt: skip
    for one in moved["instructions"]:
        times = f", {one['segments'] / one['least']:.3g} times the least" if one["segments"] > one["least"] else ""
        if one["wide"] > one["wide_least"]:
            times += f", {one['wide']} of {moved['wide_bytes']} bytes where {one['wide_least']} would do"
        yield f"  {_said(one)}: {one['accesses']} accesses, {one['bytes']} bytes, {one['segments']} segments{times}"
    lds = found["lds"]
    if lds["instructions"]:
        yield f"LDS: {lds['cycles']} cycles, {lds['cycles'] - lds['least']} of them lost to bank conflicts"
    for one in lds["instructions"]:
        lost = f"{one['cycles']} cycles, {one['cycles'] - one['least']} lost"
        yield f"  {_said(one)}: {one['accesses']} accesses, {one['unpriced'] or lost}"
    for name, meaning in _DOUBTS.items():
        yield from (f"{meaning}: {_said(one)}" for one in found[name])


def _said(one: Mapping[str, Any]) -> str:
    return f"{one['where']} ({one['source']})" if "source" in one else str(one["where"])


def fault_data(fault: Fault, launch: BoundLaunch, lines: Lines) -> Data:
    """A fault as data, with a word on what to give where that may be the cause."""
    facts: Data = {**fault.facts}
    thread = facts.pop("thread", None)
    if thread is not None:
        facts |= {"block": thread.block, "thread": thread.number}
    hint = _hint(fault, launch)
    return {**_placed({"kind": fault.kind, "what": fault.what, "where": fault.where}, lines), **facts,
            **({"hint": hint} if hint else {})}  # fmt: skip


def _hint(fault: Fault, launch: BoundLaunch) -> str:
    """What of the launch, and not of the kernel, may be the cause."""
    whole = [one.name for one in launch.tensors.values() if one.drawn and one.buffer.array.dtype.kind in "iu"]
    empty = [one.name for one in launch.tensors.values() if one.written and one.buffer.defined is not True]
    if fault.kind == "address" and whole:
        return f"{', '.join(whole)} was drawn at random: give what a kernel indexes by with --input {whole[0]}=FILE.npy"
    if fault.kind == "uninitialised" and empty:
        return f"{', '.join(empty)} has nothing in it before: give what a kernel reads with --input {empty[0]}=FILE.npy"
    if fault.kind == "alignment":
        return "--unaligned does it, as amdhsa sets the machine up"
    return ""
