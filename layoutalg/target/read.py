"""Targets from TOML: the files in `data/`, and a user's own in the same format.

    name = "mychip"                      # letters, digits, _ . -
    title = "what it is"
    vendor = "amd"                       # amd | nvidia: how code for it is built; without it, none is
    processor = "gfx1100"                # what compilers call it, if not its name
    older = ["sm_80"]                    # processors whose code it runs, for which code can be built too
    library = true                       # the library's kernels are proved for its limits, and emitted without a check
    like = "gfx1100"                     # a target whose data are taken where this file has none of its own

    [sources]                            # short key = full citation
    manual = "The manual, section 3"

    [facts]                              # every one of these; confidence: measured | documented | assumed
    wave_size     = { value = 64,        confidence = "documented", sources = ["manual"] }
    lds_bytes     = { value = 65536,     … }
    max_workgroup = { value = 1024,      … }      # work-items
    vgprs         = { value = 256,       … }      # 4-byte registers that a lane can address
    segments      = { value = [64, 128], … }      # bytes fetched together from global memory

    [[lds]]                              # one a family of instructions that the LDS serves alike
    instructions = ["ds_read_b128"]
    access = "read"                      # read | write
    bytes = 16                           # a lane
    alignment = 16
    banks = 32
    phases = ["0-3 20-23", "4-7 16-19"]  # every lane of the wave once; or: run = 8, for lanes in order
    pairs_merge = true                   # optional: the rule of that name in `layoutalg.memory.banks`
    confidence = "assumed"
    sources = []
    doubt = "taken from …"               # asked for where confidence is assumed

    [[rival]]                            # what another source says of instructions that are in [[lds]]
    instructions = ["ds_read_b128"]
    banks = 32
    run = 8                              # or phases, and the evidence, as above

    [unit]                               # occupancy; the fields of `model.Unit`, and its evidence
    [machine]                            # machine code; the fields of `model.CodeFormat`, and its evidence
    [matrix]                             # instructions = names of `layoutalg.target.matrix`, and their evidence;
                                         # cycles = { NAME = 32 }: those of a SIMD's matrix core
    [straight]                           # bytes = [4, 16]: a lane's, of loads straight to LDS; evidence
    [types]                              # formats = { f8 = "e4m3fn" }: narrow types that instructions read; evidence
    [plans.f16]                          # how products of f16 are cut; the fields of `model.Tiling`
    [[card]]                             # peak numbers; the fields of `model.Card`

A file with an unknown key, a missing one, or phases that do not part the wave is refused with the reason.  `like` takes
facts and LDS instructions one by one, and for the same processor the other tables.  What nobody said of this target
itself is then assumed: "taken from" the other, with the other's doubts.

The environment's LAYOUTALG_TARGETS names a folder of a user's own targets, NAME.toml each; they are known by name
wherever the package's are.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from layoutalg.target.dtypes import DTYPES
from layoutalg.target.files import target_files, text_of
from layoutalg.target.matrix import matrix_table
from layoutalg.target.model import (
    DWORD,
    Access,
    Card,
    CodeFormat,
    ElementTypes,
    Evidence,
    LdsInstruction,
    MatrixCores,
    StraightLoads,
    Target,
    Tiling,
    Unit,
    UnknownTargetError,
    Vendor,
)
from layoutalg.target.tables import Tables, TargetFileError


@dataclass(frozen=True)
class _Number:
    value: int
    evidence: Evidence


@dataclass(frozen=True)
class _Numbers:
    value: tuple[int, ...]
    evidence: Evidence


@dataclass(frozen=True)
class _Facts:
    wave_size: _Number
    lds_bytes: _Number
    max_workgroup: _Number
    vgprs: _Number
    segments: _Numbers


@dataclass(frozen=True)
class _Lds:
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
class _Rival:
    instructions: tuple[str, ...]
    banks: int
    evidence: Evidence
    run: int = 0
    phases: tuple[str, ...] = ()


@dataclass(frozen=True)
class _File:
    name: str
    title: str
    sources: Mapping[str, str]
    facts: _Facts
    lds: tuple[_Lds, ...]
    rival: tuple[_Rival, ...] = ()
    vendor: Vendor = ""
    processor: str = ""
    older: tuple[str, ...] = ()
    library: bool = False
    unit: Unit | None = None
    machine: CodeFormat | None = None
    matrix: MatrixCores | None = None
    straight: StraightLoads | None = None
    types: ElementTypes | None = None
    plans: Mapping[str, Tiling] = field(default_factory=dict)
    card: tuple[Card, ...] = ()


@cache
def target(name: str) -> Target:
    """A target of the package or of the user's folder, by name; UnknownTargetError lists the names.

    >>> target("gfx950").instruction("ds_read_b64").banks
    64
    """
    if name not in target_files():
        raise UnknownTargetError(
            f"unknown target {name!r}: it is one of {', '.join(target_names())}, or the path of a target's TOML file"
        )
    found = parse(text_of(name), f"{name}.toml")
    if found.name != name:
        raise TargetFileError(f"{name}.toml: name: it is {found.name!r}, where the file's is {name!r}")
    return found


def target_names() -> tuple[str, ...]:
    """The targets of the package and of the user's folder.

    >>> target_names()[:3]
    ('gfx1030', 'gfx1100', 'gfx1151')
    """
    return tuple(sorted(target_files()))


def load_target(path: str | Path) -> Target:
    """A target from a user's TOML file; TargetFileError says what is wrong with it, OSError that it cannot be read.

    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "mine.toml"
    >>> _ = path.write_text('name = "mine"\\ntitle = "Mine"\\nlike = "gfx942"\\nsources = {}')
    >>> load_target(path).instruction("ds_read_b128").evidence.doubt
    'no measurement on mine was found: taken from gfx942'
    """
    return parse(Path(path).read_text(encoding="utf-8"), str(path))


def parse(text: str, origin: str) -> Target:
    """A target from the text of a TOML file; `origin` names it in errors.

    >>> parse("name = 3", "chip.toml")
    Traceback (most recent call last):
        ...
    layoutalg.target.tables.TargetFileError: chip.toml: it lacks facts, lds, sources, title
    """
    table = _tables(text, origin)
    sources = table.get("sources", {})
    tables = Tables(origin, sources if isinstance(sources, dict) else {})
    file = tables.record("", table, _File)
    facts = {key: getattr(file.facts, key) for key in _Facts.__annotations__}
    values: dict[str, Any] = {key: fact.value for key, fact in facts.items()}
    values["segments"] = tuple(sorted(values["segments"]))
    tables.check(bool(re.fullmatch(r"[\w.-]+", file.name)), "name", f"{file.name!r} has more than letters, digits, _.-")
    _check_matrix(tables, file)
    _check_types(tables, file)
    instructions = _lds_instructions(tables, file)
    return Target(
        name=file.name, title=file.title, evidence={key: fact.evidence for key, fact in facts.items()},
        instructions=instructions, rivals=_rivals(tables, file, instructions), vendor=file.vendor,
        processor=file.processor or file.name, older=file.older, library=file.library, unit=file.unit,
        machine=file.machine, matrix=file.matrix, straight=file.straight, types=file.types, tilings=file.plans,
        cards=tuple(replace(card, target=file.name) for card in file.card), **values,
    )  # fmt: skip


# Inheritance


def _tables(text: str, origin: str, below: tuple[str, ...] = ()) -> dict[str, Any]:
    """A file's tables, with those that it takes from the target that it is like; `below` are like this one."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TargetFileError(f"{origin}: not TOML: {error}") from error
    like = table.pop("like", None)
    if like is None:
        return table
    name = str(table.get("name"))
    others = [other for other in target_names() if other not in (*below, name)]
    if like not in others:
        raise TargetFileError(f"{origin}: like: {like!r} is none of {', '.join(others)}")
    return _completed(table, _tables(text_of(like), f"{like}.toml", (*below, name)), like)


#: What a file says of one GPU only.
_OWN = frozenset({"name", "title", "processor", "sources", "library", "card", "older", "rival"})


#: What follows from the processor, so that only another card with the same one can have it.
_OF_THE_PROCESSOR = frozenset({"machine", "unit", "matrix", "straight", "types", "plans"})


def _completed(table: dict[str, Any], other: Mapping[str, Any], like: str) -> dict[str, Any]:
    """Tables with those of another target where they have none; other forms are left for the records to refuse."""
    name, found = str(table.get("name")), dict(table)
    theirs = {key: _taken(entry, name, like) for key, entry in other.items() if key not in _OWN}
    if table.get("processor", name) != other.get("processor", like):
        theirs = {key: entry for key, entry in theirs.items() if key not in _OF_THE_PROCESSOR}
    own = table.get("lds", [])
    if isinstance(own, list):
        given = set[str]().union(*map(_instructions, own))
        found["lds"] = own + [entry for entry in theirs["lds"] if not given & _instructions(entry)]
    for key in ("facts", "plans"):
        if isinstance(table.get(key, {}), dict):
            found[key] = {**theirs.get(key, {}), **table.get(key, {})}
    return {**theirs, **found}


def _instructions(entry: Any) -> set[str]:
    """The instructions that an entry of LDS names, where it has the form of one."""
    names = entry.get("instructions") if isinstance(entry, dict) else None
    return set(map(str, names)) if isinstance(names, list) else set()


def _taken(entry: Any, name: str, like: str) -> Any:
    """An entry as it stands in another file: what was known of the other is assumed of this one."""
    if isinstance(entry, list):
        return [_taken(one, name, like) for one in entry]
    if not isinstance(entry, dict):
        return entry
    found = {key: _taken(one, name, like) for key, one in entry.items()}
    if entry.get("confidence") in ("measured", "documented"):
        there = f"; there: {entry['doubt']}" if entry.get("doubt") else ""
        doubt = f"no measurement on {name} was found: taken from {like}{there}"
        found |= {"confidence": "assumed", "sources": [], "doubt": doubt}
    return found


# What records cannot say


def _check_matrix(tables: Tables, file: _File) -> None:
    """Matrix instructions are those of the table, plans have ones that the target has, and a card is the file's own."""
    having = file.matrix.instructions if file.matrix else ()
    for name in having:
        tables.check(name in matrix_table(), "matrix.instructions", f"{name!r} is not described: see target/matrix.py")
    for name, cycles in (file.matrix.cycles if file.matrix else {}).items():
        tables.check(name in having, "matrix.cycles", f"{name!r} is not in matrix.instructions")
        tables.check(cycles > 0, "matrix.cycles", f"{name} takes {cycles}; from 1 on")
    for dtype, plan in file.plans.items():
        place = f"plans.{dtype}"
        tables.check(plan.instruction in having, place, f"{plan.instruction!r} is not in matrix.instructions")
        tables.check(len(plan.repeats) == len(plan.waves) == 2, place, "repeats and waves have two numbers, of m and n")
        tables.check(plan.k % matrix_table()[plan.instruction].k == 0, place, "k is no multiple of the instruction's")
    tables.check(not any(card.target for card in file.card), "card", "target is the file's own")


def _check_types(tables: Tables, file: _File) -> None:
    """Formats are of types that have such, and machine code is read in the same."""
    for name, form in (file.types.formats if file.types else {}).items():
        place = f"types.formats.{name}"
        known = DTYPES[name].formats if name in DTYPES else ()
        several = ", ".join(one.name for one in DTYPES.values() if one.formats)
        tables.check(bool(known), place, f"{name!r} is none of the types that not every GPU has: {several}")
        tables.check(form in known, place, f"{name} is {' or '.join(known)}, not {form!r}")
        both = name != "f8" or file.machine is None or (file.machine.eights == "fnuz") == form.endswith("fnuz")
        tables.check(both, place, "machine.eights says another format")


def _lds_instructions(tables: Tables, file: _File) -> Mapping[str, LdsInstruction]:
    found: dict[str, LdsInstruction] = {}
    for number, entry in enumerate(file.lds):
        place = f"lds[{number}]"
        phases = _phases(tables, place, entry, file.facts.wave_size.value)
        for name in entry.instructions:
            tables.check(name not in found, place, f"{name} is given twice")
            found[name] = LdsInstruction(
                name, entry.access, entry.bytes, entry.alignment, entry.banks, phases, entry.evidence, entry.pairs_merge
            )
            _check_served(tables, place, found[name])
    return found


def _rivals(
    tables: Tables, file: _File, instructions: Mapping[str, LdsInstruction]
) -> Mapping[str, tuple[LdsInstruction, ...]]:
    found: dict[str, tuple[LdsInstruction, ...]] = {}
    for number, entry in enumerate(file.rival):
        place = f"rival[{number}]"
        phases = _phases(tables, place, entry, file.facts.wave_size.value)
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


def _phases(tables: Tables, place: str, entry: _Lds | _Rival, wave: int) -> tuple[tuple[int, ...], ...]:
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
