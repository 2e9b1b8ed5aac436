"""Constant expressions of C++, by the compiler: what CK's own templates build, read from an object file, nothing run.

    >>> from layoutalg.formats.cpp import CppUnit
    >>> constants(CppUnit("gfx942", ()), {"six": "2 * 3", "wrong": "2 *"})["six"]
    6

The expressions of a unit become one source; each is written as JSON text (`include/layoutalg/ck_structure.h`) into a
constant of its own, and read back by its symbol.  `layoutalg.formats.ck_structure.layout` makes a layout of one.  The
headers of a unit are parsed once and kept (all of `ops/gemm` takes 6 s, a descriptor some 0.1 s).

| answer       | when                                                                                               |
|--------------|----------------------------------------------------------------------------------------------------|
| data         | it is a constant: numbers, lists, and tables with a `kind`                                         |
| `CppError`   | this expression does not compile, is no constant, or is of no kind that is known; the others are   |
| `CppUnitError` raised | a header is not there or the prelude does not compile, so that no expression has a value  |

Whose fault an error is, the compiler's own notes say ("in instantiation of … requested here"); the faulty ones are left
out and the others compiled again, so that no value comes from a source with an error in it.  Where
they do not (of several errors in one function only the first has notes), the unit is compiled by itself, to know
whether it is the unit's.

What was read is kept under the hash of the unit, with the hashes of the headers that it read: a header that changes is
read anew.  What is not seen: a header that is put where none was before, in front of one that was read.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from layoutalg import cache
from layoutalg.device.compilers import Compiler, choose_compiler
from layoutalg.device.diagnostics import read_errors
from layoutalg.device.precompiled import after, dependencies, hashes, parsed, precompiled_again, read, unchanged
from layoutalg.device.process import run_compiler
from layoutalg.device.targets import family
from layoutalg.errors import CompileError, LayoutError
from layoutalg.formats.cpp import CONSTEXPR, Constants, CppError, CppUnit, CppUnitError
from layoutalg.isa.container.elf import SHT_SYMTAB, Elf
from layoutalg.records import dataclass
from layoutalg.target.dtypes import element_type

#: C++20, whose `requires` finds which of CK's two interfaces an object has; steps of evaluation that one constant may
#: take (clang's own limit, a million, is too few for the largest descriptors); all errors, with all their notes.
_FLAGS = (
    "-std=c++20", "-w", "-fno-access-control", "-Wno-invalid-constexpr", "-fconstexpr-steps=4000000", "-ferror-limit=0",
    "-ftemplate-backtrace-limit=0", "-fno-caret-diagnostics", "-fno-color-diagnostics", "-fno-crash-diagnostics",
)  # fmt: skip
_DEPENDENCIES = ("-dependency-file", "kernel.d", "-MT", "kernel")
_HEADERS, _PRELUDE, _EXPRESSION = "layoutalg:headers", "layoutalg:prelude", "layoutalg:expression:"

_ASSERTED = re.compile(r"^static assertion failed(?: due to requirement '(?P<required>.*?)')?(?:: )?")
_NO_WARP_GEMM = re.compile(r"undefined template '[\w:]*\bWarpGemmDispatcher<(?P<of>[^,']*(?:,[^,']*){5,})>'")
_UNKNOWN = re.compile(r"unknown<(?P<type>.*)>$")  # what ck_structure.h itself asserts
#: HIP's `__device__`, whether its header is there or not; a function of both sides may name what either side has.
_DEVICE, _BOTH = "__attribute__((device))", "__attribute__((host, device))"
_OURS = "layoutalg/"
_STRUCTURE = f"{_OURS}ck_sizes.h"

Place = tuple[str, int]
"""A file of the source and a line in it, from 1."""


def constants(unit: CppUnit, expressions: Mapping[str, str], *, compiler: Compiler | None = None) -> Constants:
    """What each expression is, by its name.

    Raises `CppUnitError` where the unit does not compile whatever is asked, and `CompileError` where no compiler of AMD
    targets is there or it takes more time or memory than it may.
    """
    if family(unit.target) != "amd":
        raise CppUnitError(CppError(f"{unit.target} is no AMD target, so that CK has no code for it"))
    for folder in unit.include:
        if not folder.is_dir():
            raise CppUnitError(CppError(f"{folder}: no such folder of headers"))
    chosen = compiler or choose_compiler(unit.target)
    session = _Session(unit, chosen, _command(unit, chosen))
    steps = map("\0".join, session.steps)
    source = session.headers, session.asking(expressions)
    key = cache.key("constants", *expressions, *source, chosen.version, *steps)
    kept = _kept(key)
    if kept is None:
        kept = session.compile(dict(expressions))
        if session.read is not None:
            cache.write(
                key, json.dumps({"read": session.read, "found": {n: _out(v) for n, v in kept.items()}}).encode()
            )
    return kept


def _command(unit: CppUnit, compiler: Compiler) -> tuple[tuple[str, ...], ...]:
    """The two steps to an object file."""
    dependencies = tuple(part for flag in _DEPENDENCIES for part in ("-Xclang", flag))
    folders = tuple(f"-I{folder.resolve()}" for folder in unit.include)
    return compiler.steps(unit.target, 0, (*_FLAGS, *dependencies, *folders))[:2]


@dataclass
class _Session:
    """One unit being compiled; `read` are the headers that it read, with their hashes, once something compiles.

    `sound`: it is known to compile where nothing is asked of it.  `parsed`: its headers, where they compile.
    """

    unit: CppUnit
    compiler: Compiler
    steps: tuple[tuple[str, ...], ...]
    read: Mapping[str, str] | None = None
    sound: bool = False
    parsed: Path | None = None

    @property
    def headers(self) -> str:
        """What comes first; each part of the user's is under a name of its own for the compiler's messages."""
        headers = "".join(f'#include "{header}"\n' for header in self.unit.headers)
        return f'#line 1 "{_HEADERS}"\n{headers}#line 1 "layoutalg"\n#include "{_STRUCTURE}"\n'

    def asking(self, expressions: Mapping[str, str]) -> str:
        """What comes after the headers."""
        sizes = "".join(
            f"static constexpr layoutalg::Size {name} = layoutalg::Size::symbol({n});\n"
            for n, name in enumerate(self.unit.sizes)
        )
        asked = "".join(
            f'#line 1 "{_EXPRESSION}{n}"\n'
            f"static {_BOTH} constexpr auto layoutalg_made_{n}() {{ return layoutalg::structure(\n{expression}\n); }}\n"
            f"static {_DEVICE} constexpr auto layoutalg_text_{n} = layoutalg_made_{n}();\n"
            f'extern "C" {_DEVICE} __attribute__((used)) constexpr auto layoutalg_{n} = '
            f"layoutalg::exact<layoutalg_text_{n}.size>(layoutalg_text_{n});\n"
            for n, expression in enumerate(expressions.values())
        )
        return f'{sizes}#line 1 "{_PRELUDE}"\n{self.unit.prelude}\n#line 1 "layoutalg"\n{asked}'

    def compile(self, expressions: Mapping[str, str]) -> dict[str, Any | CppError]:
        """What each is; of those that do not compile, why, and the others without them."""
        if not expressions:
            return {}
        self._parse_headers()
        try:
            texts = self._built(expressions)
        except _StoppedError as error:
            return self._without_faulty(expressions, error.said)
        return {name: json.loads(texts[n]) for n, name in enumerate(expressions)}

    def _built(self, expressions: Mapping[str, str]) -> Mapping[int, str]:
        """The texts that the compiler writes."""
        (*command, _, source, _, output), assemble = self.steps
        before, asking = self._before(command), self.asking(expressions)
        with tempfile.TemporaryDirectory(prefix="layoutalg-") as folder:
            (Path(folder) / source).write_text(asking if before else f"{self.headers}{asking}")
            for step in ((*command, *before, "-S", source, "-o", output), assemble):
                status, said = run_compiler(step, folder)
                if status != 0:
                    raise _StoppedError(said)
            after_headers = dict(hashes(dependencies((Path(folder) / "kernel.d").read_text())))
            self.read = {**(read(self.parsed) if self.parsed else {}), **after_headers}
            return _texts((Path(folder) / "kernel.o").read_bytes())

    def _before(self, command: Sequence[str]) -> tuple[str, ...]:
        """The flags for headers that are parsed already: ours, which lie in no folder of the user's, or this unit's."""
        if self.parsed is not None:
            return after(self.parsed)
        ours = not self.unit.include and all(header.startswith(_OURS) for header in self.unit.headers)
        return precompiled_again(command, self.headers, self.compiler.version) if ours else ()

    def _parse_headers(self) -> None:
        """Has the headers of others parsed; who needs faulty ones tells of them."""
        if self.parsed is None and self.unit.include:
            (*command, _, _, _, _), _ = self.steps
            with suppress(CompileError):
                self.parsed = parsed(command, self.headers, self.compiler.version)

    def _without_faulty(self, expressions: Mapping[str, str], said: str) -> dict[str, Any | CppError]:
        names = list(expressions)
        faulty: dict[str, CppError] = {}
        errors = self._errors(said)
        for error in errors:
            asked = error.expression
            if asked is not None:
                faulty.setdefault(names[asked], error.told)
            elif error.place is not None:
                self._require_unit()
        if faulty:
            # A static_assert stops once: what asks for the same class again meets an error that it left behind.
            asserted = {name: error for name, error in faulty.items() if error.refused}
            certain = asserted or faulty
            return {**certain, **self.compile({n: e for n, e in expressions.items() if n not in certain})}
        if len(names) == 1:
            return {names[0]: errors[0].told}
        halves = names[: len(names) // 2], names[len(names) // 2 :]
        found = [self.compile({n: expressions[n] for n in half}) for half in halves]
        return {**found[0], **found[1]}

    def _errors(self, said: str) -> Sequence[_Error]:
        if errors := list(_errors(said, self.unit.include)):
            return errors
        raise CompileError(f"{self.unit.target}: the compiler ended and named no error: it may want more memory")

    def _require_unit(self) -> None:
        """CppUnitError where the unit does not compile although nothing is asked of it."""
        if not self.sound:
            try:
                self._built({})
            except _StoppedError as error:
                raise CppUnitError(self._errors(error.said)[0].told) from error
            self.sound = True


class _StoppedError(Exception):
    """A source that does not compile, and what the compiler said."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self.said = said


@dataclass(frozen=True)
class _Error:
    """An error with the places of its notes, the nearest to the fault first, and those that include its file last.

    `include`: the folders of headers, below which a header's place is told.
    """

    text: str
    notes: tuple[str, ...]
    places: tuple[Place, ...]
    include: Sequence[Path] = ()

    @property
    def place(self) -> Place | None:
        """The first place that the user wrote."""
        return next(((f, n) for f, n in self.places if f in (_HEADERS, _PRELUDE) or f.startswith(_EXPRESSION)), None)

    @property
    def expression(self) -> int | None:
        """The expression that asked for it."""
        asked = [file for file, _ in self.places if file.startswith(_EXPRESSION)]
        return int(asked[-1].removeprefix(_EXPRESSION)) if asked else None

    @property
    def header(self) -> str:
        """The header that the fault is in, and its line; empty where it is in the user's text."""
        file, line = self.places[0]
        below = next((str(Path(file).relative_to(f)) for f in self.include if Path(file).is_relative_to(f)), "")
        return f"{below}:{line}" if below else ""

    @property
    def told(self) -> CppError:
        """The error as it is told: CK's own words where it asserts, the reason where something is no constant."""
        asserted, warp, reason = _ASSERTED.match(self.text), _NO_WARP_GEMM.search(self.text), self.text
        if asserted:
            required, what = asserted["required"] or "", self.text[asserted.end() :].strip('"')
            reason = f"static_assert stops it: {what or required}{f' ({required})' if what and required else ''}"
            if unknown := _UNKNOWN.match(required):
                return CppError(f"{what}: {unknown['type']}", "expression")
        elif "must be initialized by a constant expression" in self.text:
            reason = f"is no constant: {self.notes[0] if self.notes else 'the compiler does not say why'}"
            if "non-constexpr" in reason:
                reason += f" (where CK does not say constexpr, name {CONSTEXPR} before that header)"
        elif self.text.startswith("no matching") and self.notes:
            reason = f"{self.text}: {self.notes[0]}"
        elif warp:
            a, b, summed, m, n, k = (_type(part.strip()) for part in warp["of"].split(",")[:6])
            reason = f"CK has no warp GEMM of {m} × {n} × {k} for {a} and {b}, summed in {summed}"
        if "layoutalg::Size" in self.text:
            reason += " (CK takes a number here, no size that is open: give a constant)"
        where = self.place
        part = {_HEADERS: "headers", _PRELUDE: "prelude"}.get(where[0], "expression") if where else None
        line = (where[1] - 1 if where else 0) - (part == "expression")  # which stands below what makes it a constant
        return CppError(reason, part, max(line, 0), bool(asserted or warp), self.header)


def _type(text: str) -> str:
    """An element type as Tile Engine names it; another text as it is.

    >>> _type("_Float16"), _type("16")
    ('fp16', '16')
    """
    try:
        found = element_type(text)
    except LayoutError:
        return text
    return found.engine or found.name


def _errors(said: str, include: Sequence[Path]) -> Iterator[_Error]:
    """The compiler's errors that have a place, in its order."""
    folders = [folder.resolve() for folder in include]
    for error in (one for one in read_errors(said) if one.said.place):
        places = ((one.file, one.line) for one in (error.said, *error.notes, *error.around))
        yield _Error(error.said.text, tuple(note.text for note in error.notes), tuple(places), folders)


def _texts(payload: bytes) -> dict[int, str]:
    """The texts in an object file, by number."""
    elf, found = Elf.read(payload), dict[int, str]()
    for table in elf.sections:
        if table.kind == SHT_SYMTAB:
            for symbol in elf.symbols(table):
                number = symbol.name.removeprefix("layoutalg_")
                if number != symbol.name and number.isdecimal():
                    data = elf.contents(elf.sections[symbol.section])
                    found[int(number)] = data[symbol.address : symbol.address + symbol.size].decode()
    return found


def _kept(key: str) -> dict[str, Any | CppError] | None:
    """What the cache has, unless a header that it was read with has changed."""
    payload = cache.read(key)
    if payload is None:
        return None
    kept = json.loads(payload)
    if kept["read"] and not unchanged(kept["read"]):
        return None
    return {name: _in(value) for name, value in kept["found"].items()}


def _out(value: Any) -> Any:
    return {"error": vars(value)} if isinstance(value, CppError) else {"value": value}


def _in(value: Any) -> Any:
    return CppError(**value["error"]) if "error" in value else value["value"]
