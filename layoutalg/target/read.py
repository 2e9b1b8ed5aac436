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
    [matrix]                             # instructions = names of `layoutalg.target.matrix`, of those whose fields
                                         # pick types also without .A.B for all; evidence;
                                         # cycles = { NAME = 32 }: those of a SIMD's matrix core
    [straight]                           # bytes = [4, 16]: a lane's, of loads straight to LDS; evidence
    [counters]                           # family = "CDNA" or "RDNA": whose names and definitions; flat_in_lds = true:
                                         # flat accesses count for LDS; matrix = ["F16"]: types of matrix products with
                                         # counters; evidence
    [types]                              # formats = { f8 = "e4m3fn" }: narrow types that instructions read; evidence
    [plans.f16]                          # how products of f16 are cut; the fields of `model.Tiling`
    [kin.gfx1101]                        # a processor of this instruction set, of which all else is taken from here:
                                         # the fields of `Kin`, and its evidence
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
from dataclasses import field, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from layoutalg.records import dataclass
from layoutalg.target.dtypes import DTYPES
from layoutalg.target.files import target_files, text_of
from layoutalg.target.lds import LdsEntry, RivalEntry, lds_instructions, lds_rivals
from layoutalg.target.matrix import families, matrix_table
from layoutalg.target.model import (
    Card,
    CodeFormat,
    ElementTypes,
    Evidence,
    MatrixCores,
    ProfilerCounters,
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
class Kin:
    """What a processor has of its own beside another of its instruction set: its ELF number, and a unit's registers."""

    title: str
    number: int
    evidence: Evidence
    registers: int = 0
    granule: int = 0


@dataclass(frozen=True)
class _File:
    name: str
    title: str
    sources: Mapping[str, str]
    facts: _Facts
    lds: tuple[LdsEntry, ...]
    rival: tuple[RivalEntry, ...] = ()
    vendor: Vendor = ""
    processor: str = ""
    older: tuple[str, ...] = ()
    library: bool = False
    unit: Unit | None = None
    machine: CodeFormat | None = None
    matrix: MatrixCores | None = None
    straight: StraightLoads | None = None
    counters: ProfilerCounters | None = None
    types: ElementTypes | None = None
    plans: Mapping[str, Tiling] = field(default_factory=dict)
    card: tuple[Card, ...] = ()
    kin: Mapping[str, Kin] = field(default_factory=dict)


@cache
def target(name: str) -> Target:
    """A target of the package or of the user's folder, or a processor of its kin, by name; or UnknownTargetError.

    >>> target("gfx950").instruction("ds_read_b64").banks
    64
    >>> target("gfx1102").unit.registers, target("gfx1102").instruction("ds_read_b64").evidence.doubt
    (1024, 'no measurement on gfx1102 was found: taken from gfx1100')
    """
    if name not in target_files():
        if name in kin():
            return _of_kin(name, kin()[name])
        raise UnknownTargetError(
            f"unknown target {name!r}: it is one of {', '.join(target_names())}, or the path of a target's TOML file"
        )
    found = _made(_tables(_said(name), f"{name}.toml"), f"{name}.toml")
    if found.name != name:
        raise TargetFileError(f"{name}.toml: name: it is {found.name!r}, where the file's is {name!r}")
    return found


def target_names() -> tuple[str, ...]:
    """The targets of the package and of the user's folder.

    >>> target_names()[:3]
    ('gfx1010', 'gfx1030', 'gfx1100')
    """
    return tuple(sorted(target_files()))


@cache
def kin() -> Mapping[str, str]:
    """The processors that targets' files have besides their own, each with the target of its file.

    >>> kin()["gfx1101"]
    'gfx1100'
    """
    found: dict[str, str] = {}
    for name in target_names():
        for other in _said(name).get("kin", {}):
            if found.setdefault(other, name) != name:
                raise TargetFileError(f"{name}.toml: kin.{other}: {found[other]}.toml has it too")
    return found


def is_target(name: str) -> bool:
    """Whether `target` knows a name.

    >>> is_target("gfx1101"), is_target("gfx1199")
    (True, False)
    """
    return name in target_files() or name in kin()


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
    return _made(_tables(_read(text, origin), origin), origin)


def _made(table: Mapping[str, Any], origin: str) -> Target:
    """A target of a file's tables, completed by those of others."""
    sources = table.get("sources", {})
    tables = Tables(origin, sources if isinstance(sources, dict) else {})
    file = _with_families(tables.record("", table, _File))
    facts = {key: getattr(file.facts, key) for key in _Facts.__annotations__}
    values: dict[str, Any] = {key: fact.value for key, fact in facts.items()}
    values["segments"] = tuple(sorted(values["segments"]))
    tables.check(bool(re.fullmatch(r"[\w.-]+", file.name)), "name", f"{file.name!r} has more than letters, digits, _.-")
    _check_matrix(tables, file)
    _check_types(tables, file)
    wave = file.facts.wave_size.value
    instructions = lds_instructions(tables, file.lds, wave)
    return Target(
        name=file.name, title=file.title, evidence={key: fact.evidence for key, fact in facts.items()},
        instructions=instructions, rivals=lds_rivals(tables, file.rival, instructions, wave), vendor=file.vendor,
        processor=file.processor or file.name, older=file.older, library=file.library, unit=file.unit,
        machine=file.machine, matrix=file.matrix, straight=file.straight, counters=file.counters, types=file.types,
        tilings=file.plans, cards=tuple(replace(card, target=file.name) for card in file.card), **values,
    )  # fmt: skip


def _of_kin(name: str, family: str) -> Target:
    """A processor of a file's instruction set: its own number and registers, and what else that says of such code."""
    other, own = target(family), _kin_of(family)[name]
    assert other.machine
    said = {"name": name, "title": own.title, "like": family, "sources": {}}
    taken = _made(_tables(said, f"{family}.toml"), f"{family}.toml")
    unit = other.unit
    if unit and own.registers:
        unit = replace(unit, registers=own.registers, granule=own.granule or unit.granule, evidence=own.evidence)
    return replace(
        taken, machine=replace(other.machine, number=own.number, evidence=own.evidence), unit=unit, matrix=other.matrix,
        straight=other.straight, counters=other.counters, types=other.types, tilings=other.tilings,
    )  # fmt: skip


def _kin_of(family: str) -> Mapping[str, Kin]:
    """The kin that a target's file says."""
    table = _tables(_said(family), f"{family}.toml")
    found: Mapping[str, Kin] = Tables(f"{family}.toml", table["sources"]).value("kin", table["kin"], Mapping[str, Kin])
    return found


# Inheritance


@cache
def _said(name: str) -> Mapping[str, Any]:
    """What the file of a target says, by itself; read once: many a target is like another."""
    return _read(text_of(name), f"{name}.toml")


def _read(text: str, origin: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TargetFileError(f"{origin}: not TOML: {error}") from error


def _tables(said: Mapping[str, Any], origin: str, below: tuple[str, ...] = ()) -> dict[str, Any]:
    """A file's tables, with those that it takes from the target that it is like; `below` are like this one."""
    table = {key: entry for key, entry in said.items() if key != "like"}
    like = said.get("like")
    if like is None:
        return table
    name = str(table.get("name"))
    others = [other for other in target_names() if other not in (*below, name)]
    if like not in others:
        raise TargetFileError(f"{origin}: like: {like!r} is none of {', '.join(others)}")
    return _completed(table, _tables(_said(like), f"{like}.toml", (*below, name)), like)


#: What a file says of one GPU only.
_OWN = frozenset({"name", "title", "processor", "sources", "library", "card", "older", "rival", "kin"})


#: What follows from the processor, so that only another card with the same one can have it.
_OF_THE_PROCESSOR = frozenset({"machine", "unit", "matrix", "straight", "counters", "types", "plans"})


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


def _with_families(file: _File) -> _File:
    """The file with each matrix instruction by its name, of those whose types fields pick."""
    if file.matrix is None:
        return file
    names = chain.from_iterable(families().get(name, (name,)) for name in file.matrix.instructions)
    return replace(file, matrix=replace(file.matrix, instructions=tuple(names)))


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
