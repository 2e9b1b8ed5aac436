"""The contract that a kernel is held against: a launch file, of the reference's tensors, not of what the kernel does.

| part | from | else |
|---|---|---|
| names, types, arguments | the kernel (its template, `audit.figures`) | |
| lengths of tensors | who judges: `shapes` | refused: the kernel's own guards would excuse what they let through |
| tensors that are written | the left sides of equations, what a function gives back | |
| grid, block, LDS | who judges, else the source's own launch | refused: so may its guards |
| what comes out | the reference; each element of what is written is claimed to be stored | |

What it cannot represent: a reference of several launches, host code, tensors that are views of one another.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

from layoutalg.audit.figures.template import LENGTH, SIZE
from layoutalg.errors import LaunchError
from layoutalg.formats import spec
from layoutalg.formats.model import SpecFile
from layoutalg.index import ZERO, simplify, symbol
from layoutalg.index.parse import parse
from layoutalg.interop.parameters import KernelParameter
from layoutalg.judge import launches as starts
from layoutalg.judge.exported import TakenTensor
from layoutalg.judge.launches import HostLaunch
from layoutalg.judge.source import split
from layoutalg.records import dataclass

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

    @property
    def sizes(self) -> frozenset[str]:
        """The names in lengths of tensors."""
        return frozenset(re.findall(r"[A-Za-z_]\w*", " ".join(self.shapes.values())))


@dataclass(frozen=True)
class LaunchContract:
    """A launch file, as data and read, and what of it comes from where."""

    data: Data
    file: SpecFile
    notes: tuple[str, ...] = ()


def of_file(data: Data, reference: Reference, path: str) -> LaunchContract:
    """A launch file that is given, with the reference's claims."""
    return _read({**data, "launch": {**data["launch"], **_claims(reference)}}, (f"the launch is {path}'s",), path)


def claiming(made: LaunchContract, reference: Reference, path: str = "the contract") -> LaunchContract:
    """A contract whose reference is another."""
    return _read({**made.data, "launch": {**made.data["launch"], **_claims(reference)}}, made.notes, path)


def tensors(made: LaunchContract) -> dict[str, TakenTensor]:
    """A contract's tensors of packed lengths, and the values of no lengths that it names."""
    found = {
        one["name"]: TakenTensor(one["dtype"], tuple(map(str, one["base"]["lengths"])))
        for one in made.data.get("descriptor", [])
        if one.get("base", {}).get("kind") == "packed"
    }
    values = (
        one for one in made.data["launch"]["arguments"] if isinstance(one, dict) and "name" in one and "dtype" in one
    )
    return found | {one["name"]: TakenTensor(one["dtype"], ()) for one in values}


def proposed(
    data: Data,
    parameters: Sequence[KernelParameter],
    reference: Reference,
    said: StatedLaunch,
    text: str,
) -> LaunchContract:
    """A launch file from a kernel's template, what is said, and how its source starts it.

    `parameters`: the kernel's, also those that it does nothing with; `text`: the source, "" where there is none.
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
    started = _started(launch, said, parameters, text)
    launch["guessed"] = False
    launch |= _claims(reference)
    data["given"] = [*data.get("given", []), *said.given]
    data["symbols"] = _symbols(data)
    data["symbols"] |= {name: {"min": n, "max": n} for name, n in started.fixed.items() if name in data["symbols"]}
    made = _read(data, started.notes, "the contract")
    for one in started.computed:
        _check_sizes(one, made.file)
    return made


@dataclass(frozen=True)
class _Started:
    """What a source's launches say: notes, sizes that are numbers, and texts that the host computes in 32 bits."""

    notes: tuple[str, ...]
    fixed: Mapping[str, int]
    computed: tuple[str, ...]


def _check_sizes(text: str, file: SpecFile) -> None:
    """LaunchError where C may compute something else: where a part of it may be negative, or as large as 2³¹."""
    for node in ast.walk(ast.parse(text, mode="eval")):
        if isinstance(node, ast.BinOp | ast.UnaryOp):
            part = parse(ast.unparse(node), file.symbols)
            if not 0 <= part.lo <= part.hi < 1 << 31:
                raise LaunchError(
                    f"{text}: {ast.unparse(node)} may be negative or 2^31 and more, of which C makes something else:"
                    " say --grid, or less of the sizes"
                )


def _add_untouched(data: Data, parameters: Sequence[KernelParameter], said: StatedLaunch) -> None:
    """Tensors that are spoken of and that the kernel does not touch: its template has no such."""
    there = {one["name"] for one in data.get("descriptor", [])}
    for place, one in enumerate(parameters):
        if one.points and one.name in said.shapes and one.name not in there:
            data["launch"]["arguments"][place] = one.name
            data.setdefault("descriptor", []).append({"name": one.name, "dtype": one.dtype or "f32"})


def _claims(reference: Reference) -> Data:
    return {"writes": [*reference.writes], "claims": ["stores_all"], "computes": [*reference.equations], "tried": []}


def _started(launch: Data, said: StatedLaunch, parameters: Sequence[KernelParameter], text: str) -> _Started:
    """Sets grid, block and LDS; whence they are, and what sizes each launch of the source gives."""
    found, notes, fixed = dict[str, tuple[Any, str]](), list[str](), dict[str, int]()
    try:
        own = [*_own(launch["kernel"], parameters, text)]
        if own:
            by = f"line {own[0].line} of the source"
            found, fixed = _ways(own, said, parameters, by)
            notes += dict.fromkeys(f"not judged: {one.condition}" for one in own if one.condition)
            taken = sorted(
                {name for one in own for name in one.parameters_of(said.sizes, [other.name for other in parameters])}
            )
            notes += [f"{name} of the host's function is taken for the tensors' {name}" for name in taken]
    except LaunchError as error:
        found, fixed = {}, {}
        notes.append(f"not read: {error}")
    read = {name: value[0] for name, value in found.items()}
    found |= {"grid": ([*said.grid], "--grid")} if said.grid else {}
    found |= {"block": ([*said.block], "--block")} if said.block else {}
    for key in ("grid", "block"):
        if key not in found:
            guess = ",".join(map(str, launch[key]))
            suggested = f"; its own guards suggest --{key} {guess!r}" if "grid_" not in guess else f": say --{key}"
            raise LaunchError(
                "; ".join((f"nothing says with what {key} {launch['kernel']} is started{suggested}", *notes))
            )
        launch[key], by = found[key]
        notes.append(f"{key} {_shown(launch[key])}, by {by}")
    if "lds" in found:
        launch["lds"] = found["lds"][0]
        notes.append(f"lds {launch['lds']}, by {found['lds'][1]}")
    notes += [f"{name} is {number} in each launch of the source" for name, number in fixed.items()]
    kept = [text for key in ("grid", "lds") if key in read and launch[key] == read[key] for text in _listed(read[key])]
    return _Started(tuple(notes), fixed, tuple(kept))


def _own(kernel: str, parameters: Sequence[KernelParameter], text: str) -> Iterator[HostLaunch]:
    """A source's launches of a kernel, each of whole tensors; LaunchError where it may have others."""
    base, _, arguments = kernel.replace("(anonymous namespace)::", "").split("(")[0].partition("<")
    name = base.split()[-1].split("::")
    own = [one for one in starts.launches(text) if name[-len(one.kernel.split("::")) :] == one.kernel.split("::")]
    if why := starts.otherwise(text, name[-1]) if text else "":
        raise LaunchError(why)
    wanted = tuple(split(arguments.removesuffix(">"))) if arguments else ()
    for one in own:
        one.check(parameters, starts.kernels(text, name[-1]))
        is_it = one.instantiates(wanted)
        if is_it is None:
            raise one.unread(f"whether it starts {kernel} is not seen")
        if is_it:
            yield one


def _ways(
    own: Sequence[HostLaunch], said: StatedLaunch, parameters: Sequence[KernelParameter], by: str
) -> tuple[dict[str, tuple[Any, str]], dict[str, int]]:
    """Grid, block and LDS, and the sizes that are numbers, of launches that are one; LaunchError where they are not."""
    names = [one.name for one in parameters]
    found: list[tuple[dict[str, tuple[Any, str]], dict[str, int]]] = []
    for one in own:
        way: dict[str, tuple[Any, str]] = {} if said.grid else {"grid": (one.named(one.grid, names, said.sizes), by)}
        way |= {} if said.block else {"block": ([*map(_number, one.named(one.block, names))], by)}
        if one.lds and one.lds != "0":
            way["lds"] = one.named(one.lds, names)[0], by
        found.append((way, sizes(one, said, parameters)))
    if any(other != found[0] for other in found):
        raise LaunchError(f"the source starts {own[0].kernel} in {len(found)} ways")
    return found[0]


def sizes(one: HostLaunch, said: StatedLaunch, parameters: Sequence[KernelParameter]) -> dict[str, int]:
    """The sizes that a launch gives as numbers; LaunchError where one is not as its tensors are long."""
    lengths = {name: split(text) for name, text in said.shapes.items()}
    of_tensors = dict[str, str]()
    for name, passed in one.tensors(parameters).items():
        if name in lengths:
            of_tensors |= one.sizes_of(passed, lengths[name])
    spoken = said.sizes
    names = [other.name for other in parameters]
    fixed = dict[str, int]()
    for argument, parameter in zip(one.arguments, parameters, strict=False):
        if parameter.points or parameter.fields or (parameter.dtype or "i")[0] not in "iu":
            continue
        number = one.number(argument)
        if number is not None and (parameter.name in spoken or number < 1):
            raise one.unread(f"it gives {number} for {parameter.name}, whatever its tensors are")
        if number is not None:
            fixed[parameter.name] = number
        elif parameter.name in spoken and (text := one.perhaps(argument, of_tensors)):
            symbols = {name: symbol(name) for name in spoken}
            if simplify(parse(text, symbols) - symbols[parameter.name]) is not ZERO:
                raise one.unread(
                    f"it gives {argument} for {parameter.name}: of tensors as they are said that is {text}"
                )
        elif parameter.name in spoken and not (given := one.given(argument)):
            raise one.unread(f"it gives {argument} for {parameter.name}, which tensors as they are said do not tell")
        elif parameter.name in spoken and parameter.name not in given and given & {*names}:
            raise one.unread(f"it gives {argument} for {parameter.name}")
    return fixed


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else [*value]


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
