"""The contract that a kernel is held against: a launch file, of the reference's tensors, not of what the kernel does.

| part | from | else |
|---|---|---|
| names, types, arguments | the kernel (its template, `audit.figures`) | |
| lengths of tensors | who judges: `shapes` | refused: the kernel's own guards would excuse what they let through |
| tensors that are written | the left sides of equations, what a function gives back | |
| grid, block, LDS | who judges, else the source's own launch | guesses, which the verdict tells |
| what comes out | the reference; each element of what is written is claimed to be stored | |

What it cannot represent: a reference of several launches, host code, tensors that are views of one another.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from layoutalg.audit.figures.template import LENGTH, SIZE
from layoutalg.errors import LaunchError
from layoutalg.formats import spec
from layoutalg.formats.model import SpecFile
from layoutalg.interop.parameters import KernelParameter
from layoutalg.judge.source import HostLaunch, split

Data = dict[str, Any]

_LEFT = re.compile(r"\s*(\w+)\s*\[")


@dataclass(frozen=True)
class Reference:
    """What is wanted: equations, or none where a function says it; and which tensors it writes."""

    equations: tuple[str, ...]
    writes: tuple[str, ...]

    @classmethod
    def of(cls, equations: Sequence[str]) -> Reference:
        """Equations as launch files write them; LaunchError where one begins with no element."""
        left = [_LEFT.match(text) for text in equations]
        for text, found in zip(equations, left, strict=True):
            if found is None:
                raise LaunchError(f"{text!r} is no equation of an element, such as o[i] = 2.0 * x[i]")
        return cls(tuple(equations), tuple(dict.fromkeys(found[1] for found in left if found)))


@dataclass(frozen=True)
class StatedLaunch:
    """What who judges says of the launch."""

    shapes: Mapping[str, str] = field(default_factory=dict)
    given: tuple[str, ...] = ()
    grid: tuple[str, ...] = ()
    block: tuple[int, ...] = ()


@dataclass(frozen=True)
class LaunchContract:
    """A launch file, as data and read, and what of it is guessed or comes from where."""

    data: Data
    file: SpecFile
    notes: tuple[str, ...] = ()


def of_file(data: Data, reference: Reference, path: str) -> LaunchContract:
    """A launch file that is given, with the reference's claims."""
    return _read({**data, "launch": {**data["launch"], **_claims(reference)}}, (f"the launch is {path}'s",), path)


def proposed(
    data: Data,
    parameters: Sequence[KernelParameter],
    reference: Reference,
    said: StatedLaunch,
    started: Sequence[HostLaunch],
) -> LaunchContract:
    """A launch file from a kernel's template, what is said, and how its source starts it.

    `parameters`: the kernel's, also those that it does nothing with.
    LaunchError for a tensor whose lengths nobody says, with what the kernel's guards suggest.
    """
    _add_untouched(data, parameters, said)
    launch, items = data["launch"], data.get("descriptor", [])
    names = [one["name"] for one in items]
    unknown = [name for name in (*said.shapes, *reference.writes) if name not in names]
    if unknown:
        raise LaunchError(f"{launch['kernel']} has no tensor {unknown[0]!r}; it has {', '.join(names) or 'none'}")
    if missing := [one for one in items if one["name"] not in said.shapes]:
        guess = " ".join(f"--shape {one['name']}={','.join(map(str, one['base']['lengths']))}" for one in missing)
        raise LaunchError(f"say how large its tensors are; its own guards suggest {guess.replace(' // ', '//')}")
    for one in items:
        one["base"] = {"kind": "packed", "lengths": split(said.shapes[one["name"]])}
    notes = [*_started(launch, said, started)]
    launch["guessed"] = bool(notes) and any(note.startswith("guessed") for note in notes)
    launch |= _claims(reference)
    data["given"] = [*data.get("given", []), *said.given]
    data["symbols"] = _symbols(data)
    return _read(data, tuple(notes), "the contract")


def _add_untouched(data: Data, parameters: Sequence[KernelParameter], said: StatedLaunch) -> None:
    """Tensors that are spoken of and that the kernel does not touch: its template has no such."""
    there = {one["name"] for one in data.get("descriptor", [])}
    for place, one in enumerate(parameters):
        if one.points and one.name in said.shapes and one.name not in there:
            data["launch"]["arguments"][place] = one.name
            data.setdefault("descriptor", []).append({"name": one.name, "dtype": one.dtype or "f32"})


def _claims(reference: Reference) -> Data:
    return {"writes": [*reference.writes], "claims": ["stores_all"], "computes": [*reference.equations], "tried": []}


def _started(launch: Data, said: StatedLaunch, started: Sequence[HostLaunch]) -> list[str]:
    """Sets grid, block and LDS; whence they are."""
    found: dict[str, tuple[Any, str]] = {}
    notes: list[str] = []
    parameters = tuple(one if isinstance(one, str) else one.get("name", "") for one in launch["arguments"])
    own = [one for one in started if one.kernel == re.split(r"[<(]", launch["kernel"])[0].split("::")[-1]]
    if len({(one.grid, one.block, one.lds) for one in own}) > 1:
        notes.append(f"not read: the source starts {launch['kernel']} in {len(own)} ways")
    elif own:
        by = f"line {own[0].line} of the source"
        try:
            found["grid"] = own[0].named(own[0].grid, parameters), by
            found["block"] = [*map(_number, own[0].named(own[0].block, parameters))], by
            if own[0].lds:
                found["lds"] = own[0].named(own[0].lds, parameters)[0], by
        except LaunchError as error:
            found = {}
            notes.append(f"not read: {error}")
    found |= {"grid": ([*said.grid], "--grid")} if said.grid else {}
    found |= {"block": ([*said.block], "--block")} if said.block else {}
    for key in ("grid", "block"):
        value, by = found.get(key, (launch[key], ""))
        if not by and any(str(one).startswith("grid_") for one in value):
            told = "; ".join(("nothing says how many blocks it is started with: say --grid", *notes))
            raise LaunchError(f"{launch['kernel']}: {told}")
        launch[key] = value
        notes.append(f"{key} {_shown(value)}, by {by}" if by else f"guessed: {key} {_shown(value)}")
    if "lds" in found:
        launch["lds"] = found["lds"][0]
        notes.append(f"lds {launch['lds']}, by {found['lds'][1]}")
    return notes


def _shown(values: Sequence[Any]) -> str:
    return f"[{', '.join(map(str, values))}]"


def _number(text: str) -> int:
    if not re.fullmatch(r"[\d\s()*+-]+", text):
        raise LaunchError(f"a block of {text} threads is no number")
    found = spec.loads(json.dumps({"launch": {"grid": [1], "block": [text], "arguments": []}}), is_json=True).launch
    assert found is not None
    return int(found.block[0])


def _symbols(data: Data) -> Data:
    """The template's symbols that something of it names, and those that only shapes name."""
    texts = json.dumps({key: value for key, value in data.items() if key != "symbols"})
    used = {*re.findall(r"[A-Za-z_]\w*", texts)}
    kept = {name: limits for name, limits in data.get("symbols", {}).items() if name in used}
    lengths = (text for one in data.get("descriptor", []) for text in one["base"]["lengths"])
    new = {name for text in lengths for name in re.findall(r"[A-Za-z_]\w*", text)} - {*kept}
    alone = len(kept) + len(new) == 1
    return kept | {name: {"min": 1, "max": LENGTH if alone else SIZE} for name in sorted(new)}


def _read(data: Data, notes: tuple[str, ...], path: str) -> LaunchContract:
    return LaunchContract(data, spec.loads(json.dumps(data), path, is_json=True), notes)
