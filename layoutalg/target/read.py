"""Targets from TOML: the files in `data/`, and a user's own in the same format.

    name = "mychip"                      # letters, digits, _ . -
    title = "what it is"

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

A file with an unknown key, a missing one, or phases that do not part the wave is refused with the reason.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Set
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

from layoutalg.target.model import (
    DWORD,
    Access,
    Confidence,
    Evidence,
    LdsInstruction,
    Target,
    TargetError,
    UnknownTargetError,
)

FACTS: Mapping[str, type] = {"wave_size": int, "lds_bytes": int, "max_workgroup": int, "vgprs": int, "segments": list}
EVIDENCE = {"confidence", "sources"}
LDS = {"instructions", "access", "bytes", "alignment", "banks", *EVIDENCE}


class TargetFileError(TargetError):
    """A target file that says too little, too much or something impossible; the message names the file and the key."""


@cache
def target(name: str) -> Target:
    """A target that comes with the package, by name; UnknownTargetError lists the names.

    >>> target("gfx950").instruction("ds_read_b64").banks
    64
    """
    if name not in target_names():
        raise UnknownTargetError(
            f"unknown target {name!r}: it is one of {', '.join(target_names())}, or the path of a target's TOML file"
        )
    file = files("layoutalg.target").joinpath("data", f"{name}.toml")
    return parse(file.read_text(encoding="utf-8"), f"{name}.toml")


@cache
def target_names() -> tuple[str, ...]:
    """The targets that come with the package.

    >>> target_names()
    ('gfx1100', 'gfx1201', 'gfx1250', 'gfx90a', 'gfx942', 'gfx950', 'sm_90')
    """
    data = files("layoutalg.target").joinpath("data")
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in data.iterdir() if entry.name.endswith(".toml")))


def load_target(path: str | Path) -> Target:
    """A target from a user's TOML file; TargetFileError says what is wrong with it, OSError that it cannot be read."""
    return parse(Path(path).read_text(encoding="utf-8"), str(path))


def parse(text: str, origin: str) -> Target:
    """A target from the text of a TOML file; `origin` names it in errors.

    >>> parse("name = 3", "chip.toml")
    Traceback (most recent call last):
        ...
    layoutalg.target.read.TargetFileError: chip.toml: it lacks facts, lds, sources, title
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TargetFileError(f"{origin}: not TOML: {error}") from error
    return _File(origin).target(table)


class _File:
    """Reads one file's tables; every refusal names the file and the place in it."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.sources: Mapping[str, str] = {}

    def target(self, table: Mapping[str, Any]) -> Target:
        self.keys("", table, {"name", "title", "sources", "facts", "lds"})
        self.sources = {key: self.of(str, f"sources.{key}", text) for key, text in table["sources"].items()}
        facts = table["facts"]
        self.keys("facts", facts, set(FACTS))
        evidence = {}
        for name, kind in FACTS.items():
            self.keys(f"facts.{name}", facts[name], {"value", *EVIDENCE}, {"doubt"})
            self.of(kind, f"facts.{name}.value", facts[name]["value"])
            evidence[name] = self.evidence(f"facts.{name}", facts[name])
        value = {name: facts[name]["value"] for name in FACTS}
        for name, number in value.items():
            self.positive(f"facts.{name}.value", number)
        value["segments"] = tuple(sorted(value["segments"]))
        found: dict[str, LdsInstruction] = {}
        for place, entry in enumerate(self.of(list, "lds", table["lds"])):
            for instruction in self.instructions(f"lds[{place}]", entry, value["wave_size"]):
                self.check(instruction.name not in found, f"lds[{place}]", f"{instruction.name} is given twice")
                found[instruction.name] = instruction
        name, title = (self.of(str, key, table[key]) for key in ("name", "title"))
        return Target(name=name, title=title, evidence=evidence, instructions=found, **value)

    def instructions(self, place: str, entry: Any, wave: int) -> list[LdsInstruction]:
        self.keys(place, entry, LDS, {"doubt", "run", "phases", "pairs_merge"})
        self.check(entry["access"] in get_args(Access), place, f"access is read or write, not {entry['access']!r}")
        numbers = {key: self.positive(f"{place}.{key}", entry[key]) for key in ("bytes", "alignment", "banks")}
        phases = self.phases(place, entry, wave)
        evidence = self.evidence(place, entry)
        names = self.of(list, f"{place}.instructions", entry["instructions"])
        merge = self.of(bool, f"{place}.pairs_merge", entry.get("pairs_merge", False))
        made = [
            LdsInstruction(
                self.of(str, place, name), entry["access"], **numbers, phases=phases, evidence=evidence,
                pairs_merge=merge,
            )
            for name in names
        ]  # fmt: skip
        self.check(
            not merge or len(phases) % 2 == 0, place, f"pairs_merge joins phases in twos, and {len(phases)} is odd"
        )
        for one in made[:1]:
            wanted = max(map(len, phases)) * one.dwords
            self.check(
                wanted <= one.banks, place, f"a phase asks for {wanted} dwords of {one.banks} banks: no cycle serves it"
            )
            self.check(
                one.alignment % min(one.bytes, DWORD) == 0, place, f"alignment {one.alignment} splits {one.bytes} bytes"
            )
        return made

    def phases(self, place: str, entry: Mapping[str, Any], wave: int) -> tuple[tuple[int, ...], ...]:
        self.check(("run" in entry) != ("phases" in entry), place, 'give either run = lanes, or phases = ["0-3 …"]')
        if "run" in entry:
            run = self.positive(f"{place}.run", entry["run"])
            self.check(wave % run == 0, place, f"a wave of {wave} lanes has no runs of {run}")
            return tuple(tuple(range(start, start + run)) for start in range(0, wave, run))
        groups = tuple(
            self.lanes(f"{place}.phases", text) for text in self.of(list, f"{place}.phases", entry["phases"])
        )
        given = sorted(lane for group in groups for lane in group)
        self.check(
            given == list(range(wave)), f"{place}.phases", f"they do not hold each of {wave} lanes once: {given}"
        )
        sizes = {len(group) for group in groups}
        self.check(len(sizes) == 1, f"{place}.phases", f"they are of unequal sizes, {sorted(sizes)}")
        return groups

    def lanes(self, place: str, text: Any) -> tuple[int, ...]:
        found: list[int] = []
        for part in self.of(str, place, text).split():
            first, _, last = part.partition("-")
            self.check(first.isdecimal() and (last or first).isdecimal(), place, f"{part!r} is no lane or range a-b")
            found += range(int(first), int(last or first) + 1)
        return tuple(found)

    def evidence(self, place: str, entry: Mapping[str, Any]) -> Evidence:
        confidence, doubt = entry["confidence"], entry.get("doubt", "")
        allowed = get_args(Confidence)
        self.check(confidence in allowed, place, f"confidence is one of {', '.join(allowed)}, not {confidence!r}")
        cited = self.of(list, f"{place}.sources", entry["sources"])
        for key in cited:
            self.check(key in self.sources, place, f"source {key!r} is not in [sources]")
        self.check(bool(cited) or confidence == "assumed", place, f"{confidence}, but by whom? sources is empty")
        self.check(bool(doubt) or confidence != "assumed", place, "assumed needs a doubt: from what it was taken")
        return Evidence(confidence, tuple(self.sources[key] for key in cited), self.of(str, f"{place}.doubt", doubt))

    def keys(self, place: str, table: Any, needed: Set[str], optional: Set[str] = frozenset()) -> None:
        where = place or ""
        self.check(isinstance(table, dict), where, "a table is needed here")
        self.check(needed <= set(table), where, f"it lacks {', '.join(sorted(needed - set(table)))}")
        unknown = sorted(set(table) - needed - optional)
        self.check(not unknown, where, f"unknown key {', '.join(unknown)}")

    def positive(self, place: str, number: Any) -> Any:
        for one in number if isinstance(number, list) and number else [number]:
            self.check(type(one) is int and one > 0, place, f"a positive integer is needed, not {number!r}")
        return number

    def of(self, kind: type, place: str, thing: Any) -> Any:
        self.check(isinstance(thing, kind), place, f"{thing!r} is no {kind.__name__}")
        return thing

    def check(self, holds: bool, place: str, message: str) -> None:
        if not holds:
            raise TargetFileError(f"{self.origin}: {place}{': ' if place else ''}{message}")
