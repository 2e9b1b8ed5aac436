"""What synthesis found, to read and to take away: plain text, JSON data, a spec file that proves it again, and CK C++.

The spec file holds the layout and every access with `claims = ["conflict_free"]`, so that `layoutalg check` decides all
of it anew, from the file alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from layoutalg.formats import AccessItem, DescriptorItem, SpecFile, dump
from layoutalg.formats.ck_write import to_ck
from layoutalg.formats.model import StatedClaim
from layoutalg.index import fresh, substitute, var
from layoutalg.memory import Access
from layoutalg.prove import Verdict
from layoutalg.synth.direct import brought
from layoutalg.synth.search import Synthesis


def data(found: Synthesis) -> dict[str, Any]:
    """The result as JSON data.

    >>> from layoutalg.synth.problem import gemm_problem
    >>> from layoutalg.synth.search import synthesize
    >>> found = data(synthesize(gemm_problem(64, 64, "f16", "mfma_f32_16x16x32_f16", ("gfx942", "gfx950"))))
    >>> found["layout"], found["bytes"], found["conflict_free"], [v["verdict"] for v in found["proved"]]
    ('xor', 8192, True, ['proved', 'proved', 'proved', 'proved', 'proved', 'proved', 'proved'])
    """
    problem = found.problem
    return {
        "tile": list(problem.lengths),
        "dtype": problem.dtype,
        "targets": list(problem.targets),
        "layout": found.name,
        "bytes": found.bytes,
        "packed_bytes": problem.packed_bytes,
        "cycles_a_phase": found.degree,
        "conflict_free": found.conflict_free,
        "smallest": found.smallest,
        "proved": [_verdict(v) for v in found.verdicts],
        "excluded": [_verdict(v) for v in found.excluded],
        "tried": [{"layout": t.name, "extra_bytes": t.extra, "cycles_a_phase": t.degree} for t in found.trials],
        "notes": list(problem.notes),
        "ways_out": list(found.ways_out),
        "seconds": found.seconds,
        "spec": toml(found),
        "ck": ck(found),
    }


def text(found: Synthesis) -> str:
    """The result in plain words."""
    problem = found.problem
    rows, columns = problem.lengths
    head = f"{rows} × {columns} {problem.dtype} on {', '.join(problem.targets)}: {found.name}, {found.bytes} bytes"
    head += f" ({found.extra} more than packed)" if found.extra else " (as many as packed)"
    if found.conflict_free:
        lines = [f"{head}, free of bank conflicts.", _how_small(found)]
    elif found.degree == 1:
        lines = [f"{head}: free of bank conflicts, but not all that is needed was proved."]
    else:
        lines = [f"No layout of the families is free of conflicts. The best is {head}, {found.degree} cycles a phase."]
        lines += [f"One is, {way}." for way in found.ways_out] or [
            "Neither a narrower copy, nor one target alone, nor one access less makes one free."
        ]
    lines += problem.notes
    lines += [f"    {line}" for line in dump(SpecFile("", {}, (_tile(found, "tile"),))).splitlines() if line]
    lines += [f"  {verdict}" for verdict in found.verdicts]
    if found.excluded:
        lines.append("What will not do (of other layouts nothing is said):")
        lines += [f"  {verdict}" for verdict in found.excluded]
    doubts = dict.fromkeys(a for v in found.verdicts for a in v.assumptions if "In doubt" in a)
    lines += [f"Rests on: {doubt}" for doubt in doubts]
    return "\n".join(lines)


def _how_small(found: Synthesis) -> str:
    if not found.extra:
        return "No layout takes fewer bytes."
    if found.smallest:
        return "It is the smallest of those named below: each of fewer bytes was looked at."
    return "A smaller one of those named below may exist: not all were decided."


def toml(found: Synthesis, name: str = "tile") -> str:
    """The layout and its accesses as a spec file."""
    return dump(spec(found, name))


def ck(found: Synthesis, name: str = "tile") -> str:
    """The layout as CK Tile C++."""
    return to_ck(found.descriptor, name)


def spec(found: Synthesis, name: str = "tile") -> SpecFile:
    """The layout and its accesses, as `layoutalg check` takes them.

    >>> from layoutalg.formats.check import check
    >>> from layoutalg.formats import loads
    >>> from layoutalg.synth.problem import gemm_problem
    >>> from layoutalg.synth.search import synthesize
    >>> found = synthesize(gemm_problem(128, 32, "f16", "mfma_f32_32x32x16_f16", ("gfx942", "gfx950")))
    >>> all(result.passed for result in check(loads(toml(found))))
    True
    """
    tile = _tile(found, name)
    return SpecFile("", {}, (tile, *_accesses(found, tile), *_brought(found, tile)), "A layout in LDS, synthesized")


def _tile(found: Synthesis, name: str) -> DescriptorItem:
    note = f"{found.name}: {found.bytes} bytes"
    return DescriptorItem(name=name, descriptor=found.descriptor, dtype=found.problem.dtype, note=note)


def _accesses(found: Synthesis, tile: DescriptorItem) -> Iterator[AccessItem]:
    """One access for each use and instruction; several targets share one where they name it alike."""
    claims = ("in_bounds", "conflict_free") if found.degree == 1 else ("in_bounds",)
    grouped: dict[tuple[str, str], list[Access]] = {}
    for access in found.problem.accesses(found.descriptor):
        grouped.setdefault((access.lanes.name, access.instruction.name), []).append(access)
    for n, ((lanes, instruction), group) in enumerate(grouped.items()):
        one = group[0]
        lane = var("lane", one.lanes.lanes)
        new = {v: fresh(v.value.name, int(v.hi) + 1, {"lane"}) for v in one.lanes.variables}
        index = tuple(substitute(i, {**new, one.lanes.lane: lane}) for i in one.first)
        yield AccessItem(
            name=f"access_{n}", note=lanes, descriptor=tile, lane=lane, variables=tuple(new.values()), index=index,
            width=one.lanes.width, instruction=instruction, targets=tuple(a.target.name for a in group),
            claims=tuple(map(StatedClaim, claims)), stated=True,
        )  # fmt: skip


def _brought(found: Synthesis, tile: DescriptorItem) -> Iterator[AccessItem]:
    """What loads straight to LDS bring, where it can be written."""
    lanes = brought(found.problem, found.descriptor) if found.problem.direct else None
    if lanes is not None:
        yield AccessItem(
            name="brought", note=lanes.name, descriptor=tile, lane=lanes.lane, variables=lanes.variables,
            index=lanes.first, width=lanes.width, targets=found.problem.targets,
            claims=tuple(map(StatedClaim, ("in_bounds", "lands"))), stated=True,
        )  # fmt: skip


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "claim": verdict.claim,
        "verdict": verdict.name,
        "strategy": verdict.strategy,
        "reason": verdict.reason,
        "rests_on": list(verdict.assumptions),
    }
