"""A tile in LDS: what its usual reads cost in bank conflicts, and the layout that synthesis puts in its place.

The tile has two dimensions, rows × k, of known size, and fits the LDS.  Each read is for every place in the tile:

| read                        | lane l of 64, vectors of V                                         |
|-----------------------------|--------------------------------------------------------------------|
| along the rows              | neighbouring lanes take neighbouring vectors of a row              |
| down the columns            | neighbouring lanes take one vector each of neighbouring rows       |
| A of a matrix instruction   | row l mod S, k from e·(l div S): as the instruction wants it       |

Where the file has accesses of the descriptor, those are told of, and no usual ones: what they cost in banks, or, where
they name no instruction, in segments of memory; lanes that take no part cost nothing.

What it cannot represent: reads of less than four bytes a lane (no source says which lanes meet), and tiles of other
ranks: put an access in the file for those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from layoutalg.explain.finding import Fix, Prover, Remark
from layoutalg.formats import AccessItem, DescriptorItem, SpecFile, StatedClaim
from layoutalg.formats.accesses import dtype_of, lanes_of
from layoutalg.formats.check import check
from layoutalg.index import var
from layoutalg.layout import LayoutError
from layoutalg.memory import Access, Coalesced, ConflictFree, LaneMap, Reach, access, lane_map, operand, price
from layoutalg.memory.banks import AccessError
from layoutalg.prove import Limits, Proved, Refuted, Unknown, Verdict, prove
from layoutalg.synth.problem import Problem, Use, rowwise
from layoutalg.synth.report import ck, toml
from layoutalg.synth.search import synthesize
from layoutalg.target import TargetError, target
from layoutalg.target.dtypes import DType
from layoutalg.target.matrix import matrix_instruction

WAVE = 64
WIDTHS = (16, 8, 4)
"""Bytes of the reads, the widest first."""

OPERANDS: dict[str, tuple[str, ...]] = {
    "f16": ("mfma_f32_32x32x16_f16", "mfma_f32_16x16x32_f16"),
    "bf16": ("mfma_f32_32x32x16_bf16", "mfma_f32_16x16x32_bf16"),
    "f32": ("mfma_f32_32x32x2f32", "mfma_f32_16x16x4f32"),
    "f64": ("mfma_f64_16x16x4f64",),
    "f8": ("mfma_f32_32x32x16_fp8_fp8", "mfma_f32_16x16x32_fp8_fp8"),
    "bf8": ("mfma_f32_32x32x16_bf8_bf8", "mfma_f32_16x16x32_bf8_bf8"),
    "i8": ("mfma_i32_32x32x16_i8", "mfma_i32_16x16x32_i8"),
}
"""The matrix instructions whose operands are read, by element type.

gfx942 has the 16-bit ones of half that k: it executes two of them on the same registers, loaded by one read."""


def why_not(item: DescriptorItem, targets: Sequence[str]) -> str | None:
    """Why nothing is told of the tile in LDS; None where something is."""
    d = item.descriptor
    if item.dtype is None:
        return "it has no dtype, which says how many bytes an element has (of C++ a .toml: cpp = …, dtype = …)"
    if d.element_space_size.op != "const" or any(n.op != "const" for n in d.lengths):
        return "its sizes are symbols; give them values (-D NAME=VALUE)"
    size = -(-int(d.element_space_size) * dtype_of(item).bits // 8)
    room = min(target(t).lds_bytes for t in targets)
    if size > room:
        return f"its {size:,} bytes do not fit the {room:,} bytes of LDS"
    if d.rank != 2:
        return f"it has {d.rank} dimension{'s' * (d.rank != 1)}; the usual reads are of rows × k"
    return None


def reads(item: DescriptorItem, prover: Prover) -> Iterator[LaneMap]:
    """The usual reads of a tile, those that divide it evenly."""
    rows, columns = (int(n) for n in item.descriptor.lengths)
    kind = dtype_of(item)
    vector = _vector(item, prover, kind)
    if vector is not None:
        if (
            along := _if_even(partial(rowwise, rows, columns, vector, WAVE, f"rows, {vector} elements a lane,"))
        ) is not None:
            yield along
        if (down := _down(rows, columns, vector)) is not None:
            yield down
    for name in OPERANDS.get(item.dtype or "", ()):
        a = matrix_instruction(name).a
        held = int(a.element.hi) + 1
        read = _if_even(
            partial(operand, a, (rows, columns), width=min(held, WIDTHS[0] * 8 // kind.bits), name=f"A of {name}")
        )
        if read is not None:
            yield read


def _vector(item: DescriptorItem, prover: Prover, kind: DType) -> int | None:
    """The widest vector along the rows that an LDS instruction moves."""
    for width in WIDTHS:
        count, rest = divmod(width * 8, kind.bits)
        if rest:
            continue
        one = count == 1
        if one or (count > 1 and isinstance(prover(item, "contiguous", count), Proved)):
            return count
    return None


def _if_even(make: Callable[[], LaneMap]) -> LaneMap | None:
    """The lane map, None where the lanes do not divide the tile evenly."""
    try:
        return make()
    except AccessError:
        return None


def _down(rows: int, columns: int, vector: int) -> LaneMap | None:
    """Lanes down the rows first, for every place in the tile."""
    down = min(rows, WAVE)
    across = WAVE // down
    if rows % down or WAVE % down or columns % (across * vector):
        return None
    lane = var("lane", WAVE)
    row, column = lane % down, lane // down * vector
    if rows > down:
        row = var("block", rows // down) * down + row
    if columns > across * vector:
        column = var("part", columns // (across * vector)) * (across * vector) + column
    return lane_map(lane, (row, column), vector, f"columns, {vector} elements a lane,")


def findings(item: DescriptorItem, prover: Prover, targets: Sequence[str]) -> Iterator[Remark]:
    """What each usual read costs on each target."""
    for lanes in reads(item, prover):
        for name in targets:
            try:
                found = access(item.descriptor, lanes, dtype_of(item), name)
            except (AccessError, TargetError) as error:
                yield Remark("banks", f"{lanes.name} on {name}: not told: {error}.", "open", "the target's table")
                continue
            yield _finding(found, prove(ConflictFree(found), limits=prover.limits))


def of_accesses(items: Sequence[AccessItem], limits: Limits) -> Iterator[Remark]:
    """What the file's own accesses cost on each of their targets."""
    for item in items:
        (inside,) = check(SpecFile("", {}, (replace(item, claims=(StatedClaim("in_bounds"),)),)), limits=limits)
        if isinstance(inside.verdict, Refuted):
            text = f"{item.name}: a lane that takes part leaves the tensor: {inside.verdict.reason}."
            yield Remark("bounds", text, "fault", inside.verdict.strategy, inside.verdict)
            continue
        for name in item.targets:
            try:
                yield _of_access(item, name, limits)
            except (AccessError, LayoutError, TargetError) as error:
                yield Remark("banks", f"{item.name} on {name}: not told: {error}.", "open", "the file's access")


def _of_access(item: AccessItem, name: str, limits: Limits) -> Remark:
    d, lanes, kind = item.descriptor.descriptor, lanes_of(item), dtype_of(item.descriptor)
    if item.instruction is not None:
        found = access(d, lanes, kind, name, item.instruction, item.given)
        return _finding(found, prove(ConflictFree(found), limits=limits))
    claim = Coalesced(Reach(d, lanes, kind, given=item.given), target(name))
    verdict = prove(claim, limits=limits)
    grade = "fine" if isinstance(verdict, Proved) else "cost" if isinstance(verdict, Refuted) else "open"
    text = claim.statement() if isinstance(verdict, Proved) else f"{item.name} on {name}: {verdict.reason}"
    return Remark("memory", f"{text}{_masked(claim.access)}.", grade, verdict.strategy, verdict)


def _masked(reach: Reach) -> str:
    """Which lanes take part, where not all do."""
    return "".join(f"; {line}" for line in reach.masking)


def _finding(found: Access, verdict: Verdict) -> Remark:
    if isinstance(verdict, Proved):
        text = f"{found.name}: no bank conflicts{_masked(found)}."
        return Remark("banks", text, "fine", verdict.strategy, verdict)
    if isinstance(verdict, Unknown):
        return Remark("banks", f"{found.name}: open: {verdict.reason}.", "open", verdict.strategy, verdict)
    cost = price(found)
    if isinstance(cost, Unknown):
        return Remark("banks", f"{found.name}: cannot be done: {verdict.reason}.", "cost", verdict.strategy, verdict)
    most = cost.total[1]
    text = (
        f"{found.name}: bank conflicts: up to {cost.degree} cycles a phase, {most} in all instead of {cost.served[1]}"
    )
    return Remark("banks", f"{text}: {verdict.reason}{_masked(found)}.", "cost", cost.strategy, verdict)


def fix(item: DescriptorItem, prover: Prover, targets: Sequence[str], risks: Sequence[Remark]) -> Fix | None:
    """The layout of fewest bytes without conflicts for the operands' reads and the copy into the tile; None without."""
    if not any(isinstance(f.verdict, Refuted) for f in risks):
        return None
    rows, columns = (int(n) for n in item.descriptor.lengths)
    wanted = [r for r in reads(item, prover) if r.name.startswith("A of")] or list(reads(item, prover))
    try:
        copy = rowwise(rows, columns, max(1, WIDTHS[0] * 8 // dtype_of(item).bits), WAVE)
        problem = Problem((rows, columns), item.dtype or "", (Use(copy, "write"), *map(Use, wanted)), tuple(targets))
        found = synthesize(problem, limits=prover.limits)
    except (AccessError, LayoutError, TargetError) as error:
        return Fix("banks", f"No other layout was searched for: {error}.")
    names = ", ".join(dict.fromkeys(lanes.name for lanes in (copy, *wanted)))
    more = f"{found.extra:,} bytes more than packed" if found.extra else "no byte more than packed"
    if found.conflict_free:
        text = f"Use the layout “{found.name}”, {found.bytes:,} bytes ({more}): without bank conflicts on "
        text += f"{', '.join(targets)} for {names}; proved."
    else:
        text = f"No layout of the families searched is without conflicts for {names}. The best is “{found.name}”, "
        text += f"{found.bytes:,} bytes, {found.degree} cycles a phase."
    return Fix("banks", text, found.verdicts, toml(found, item.name), ck(found, item.name))
