"""LDS instructions from the entries of a target's file: phases that part the wave, and that a cycle can serve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from layoutalg.records import dataclass
from layoutalg.target.model import DWORD, Access, Evidence, LdsInstruction
from layoutalg.target.tables import Tables


@dataclass(frozen=True)
class LdsEntry:
    """Instructions that the LDS serves alike."""

    instructions: tuple[str, ...]
    access: Access
    bytes: int
    alignment: int
    banks: int
    evidence: Evidence
    run: int = 0
    phases: tuple[str, ...] = ()
    pairs_merge: bool = False


@dataclass(frozen=True)
class RivalEntry:
    """What another source says of instructions."""

    instructions: tuple[str, ...]
    banks: int
    evidence: Evidence
    run: int = 0
    phases: tuple[str, ...] = ()


def lds_instructions(tables: Tables, entries: Sequence[LdsEntry], wave: int) -> Mapping[str, LdsInstruction]:
    """The instructions that the entries of a file describe, of waves of so many lanes."""
    found: dict[str, LdsInstruction] = {}
    for number, entry in enumerate(entries):
        place = f"lds[{number}]"
        phases = _phases(tables, place, entry, wave)
        for name in entry.instructions:
            tables.check(name not in found, place, f"{name} is given twice")
            found[name] = LdsInstruction(
                name, entry.access, entry.bytes, entry.alignment, entry.banks, phases, entry.evidence, entry.pairs_merge
            )
            _check_served(tables, place, found[name])
    return found


def lds_rivals(
    tables: Tables, entries: Sequence[RivalEntry], instructions: Mapping[str, LdsInstruction], wave: int
) -> Mapping[str, tuple[LdsInstruction, ...]]:
    """What other sources say of instructions, by their names."""
    found: dict[str, tuple[LdsInstruction, ...]] = {}
    for number, entry in enumerate(entries):
        place = f"rival[{number}]"
        phases = _phases(tables, place, entry, wave)
        for name in entry.instructions:
            tables.check(name in instructions, place, f"{name} is in no [[lds]]: there is nothing to differ from")
            one = replace(instructions[name], banks=entry.banks, phases=phases, evidence=entry.evidence)
            _check_served(tables, place, one)
            models = [(of.banks, set(map(frozenset, of.phases))) for of in (one, instructions[name])]
            tables.check(models[0] != models[1], place, f"of {name} it says what [[lds]] says")
            found[name] = (*found.get(name, ()), one)
    return found


def _check_served(tables: Tables, place: str, one: LdsInstruction) -> None:
    wanted = max(map(len, one.phases)) * one.dwords
    tables.check(
        wanted <= one.banks, place, f"a phase asks for {wanted} dwords of {one.banks} banks: no cycle serves it"
    )
    tables.check(
        not one.pairs_merge or len(one.phases) % 2 == 0, place,
        f"pairs_merge joins phases in twos, and {len(one.phases)} is odd",
    )  # fmt: skip
    tables.check(
        one.alignment % min(one.bytes, DWORD) == 0, place, f"alignment {one.alignment} splits {one.bytes} bytes"
    )


def _phases(tables: Tables, place: str, entry: LdsEntry | RivalEntry, wave: int) -> tuple[tuple[int, ...], ...]:
    tables.check(bool(entry.run) != bool(entry.phases), place, 'give either run = lanes, or phases = ["0-3 …"]')
    if entry.run:
        tables.check(wave % entry.run == 0, place, f"a wave of {wave} lanes has no runs of {entry.run}")
        return tuple(tuple(range(start, start + entry.run)) for start in range(0, wave, entry.run))
    place = f"{place}.phases"
    groups = tuple(_lanes(tables, place, text) for text in entry.phases)
    given = sorted(lane for group in groups for lane in group)
    tables.check(given == list(range(wave)), place, f"they do not hold each of {wave} lanes once: {given}")
    sizes = {len(group) for group in groups}
    tables.check(len(sizes) == 1, place, f"they are of unequal sizes, {sorted(sizes)}")
    return groups


def _lanes(tables: Tables, place: str, text: str) -> tuple[int, ...]:
    found: list[int] = []
    for part in text.split():
        first, _, last = part.partition("-")
        tables.check(first.isdecimal() and (last or first).isdecimal(), place, f"{part!r} is no lane or range a-b")
        found += range(int(first), int(last or first) + 1)
    return tuple(found)
