"""The syntax tree of C++, by the compiler: what a text declares and where, and every error in it; nothing is compiled.

A header that comes before the texts is parsed once by itself, so that its own declarations are not in their trees.
Places are counted in characters of a text; one that a macro puts elsewhere is where the macro stands.
"""

from __future__ import annotations

import functools
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from layoutalg import cache
from layoutalg.device.compilers import INCLUDE, SOURCE, choose_compiler
from layoutalg.device.diagnostics import SourceError, read_errors
from layoutalg.device.precompiled import precompiled
from layoutalg.device.process import run_compiler
from layoutalg.errors import CompileError
from layoutalg.records import dataclass

_FLAGS = (
    "-std=c++20", "-w", "-Wno-invalid-constexpr", "-fconstexpr-steps=4000000", "-ferror-limit=0",
    "-fno-spell-checking", "-fno-access-control", "-fno-caret-diagnostics",
    "-fno-color-diagnostics", "-fno-crash-diagnostics",
)  # fmt: skip


@dataclass(frozen=True)
class SyntaxFault:
    """An error: its place in the text, and the compiler's words."""

    at: int
    text: str


@dataclass(frozen=True)
class Syntax:
    """A text's declarations as clang's JSON has them, and its errors."""

    declarations: Sequence[Mapping[str, Any]]
    faults: tuple[SyntaxFault, ...]


@dataclass(frozen=True)
class Parser:
    """The compiler's parser for texts after one header.

    >>> parser = Parser("gfx942", "int b;")
    >>> [found["name"] for found in parser.parse("int a; int f() { return b; }").declarations]
    ['a', 'f']
    """

    target: str
    header: str

    def parse(self, text: str) -> Syntax:
        """What a text of ASCII says."""
        chosen = choose_compiler(self.target)
        command = chosen.steps(self.target, 0, _FLAGS)[0]
        command = command[: command.index("-S")]
        key = cache.key("syntax tree", self.header, text, chosen.version, _ours(), *command)
        kept = cache.read(key)
        if kept is None:
            kept = json.dumps(_parsed(command, self.header, text, chosen.version)).encode()
            cache.write(key, kept)
        found = json.loads(kept)
        return Syntax(found["declarations"], tuple(SyntaxFault(*one) for one in found["faults"]))


@functools.cache
def _ours() -> bytes:
    """Our own headers, which a header may include."""
    return b"".join(path.read_bytes() for path in sorted((INCLUDE / "layoutalg").glob("*.h")))


def _parsed(command: Sequence[str], header: str, text: str, version: str) -> Mapping[str, Any]:
    before = precompiled(command, header, version)
    with tempfile.TemporaryDirectory(prefix="layoutalg-") as folder:
        (Path(folder) / SOURCE).write_text(text)
        tree = (*command, "-fsyntax-only", *before, "-Xclang", "-ast-dump=json", SOURCE)
        _, said = run_compiler(tree, folder)
    begin = said.find("{\n")
    if begin < 0:
        raise CompileError(f"the compiler gives no syntax tree: {said[:400]}")
    dumped, end = json.JSONDecoder().raw_decode(said, begin)
    lines = [0]
    for line in text.split("\n"):
        lines.append(lines[-1] + len(line) + 1)
    faults = [(lines[line - 1] + column - 1, words) for line, column, words in _faults(said[:begin] + said[end:])]
    return {"declarations": [one for one in dumped.get("inner", ()) if not one.get("isImplicit")], "faults": faults}


def _faults(said: str) -> Iterator[tuple[int, int, str]]:
    """The errors, at their lines and columns of the text, or at those that the notes of one elsewhere name."""
    for error in read_errors(said):
        place = next((one for one in (error.said, *error.notes) if one.file == SOURCE), None)
        if place is not None:
            yield place.line, place.column, _told(error)


def _told(error: SourceError) -> str:
    """The compiler's words; of what is no constant, why not."""
    is_constant = "must be initialized by a constant expression" not in error.said.text
    return error.said.text if is_constant or not error.notes else f"is no constant: {error.notes[0].text}"
