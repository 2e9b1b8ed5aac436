"""What clang and LLD say of a source that does not compile: each error at the user's own line, with what would mend it.

    k.hip:4:10: error: use of undeclared identifier '__nv_ldg': it is CUDA's: convert the source with hipify-perl
        4 |   a[i] = __nv_ldg(b + i);
          |          ^

An error in a header is told at the line of the user's that asks for it, by the notes that clang adds ("in instantiation
of … requested here") or the lines that include it; then the header's line follows.  LLD's errors have a line where the
code has debug information.  What it cannot say: which error is the cause of others; clang's order holds.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from layoutalg.device.hints import hint
from layoutalg.errors import shortened
from layoutalg.records import dataclass

_SAID = re.compile(
    r"(?P<file>[^\s>].*?):(?P<line>\d+):(?P<column>\d+): (?P<kind>(?:fatal )?error|note|warning): (?P<text>.*)"
)
_INCLUDED = re.compile(r"In file included from (?P<file>.+?):(?P<line>\d+):")
_REFERENCED = re.compile(r">>> referenced by .* \((?P<file>[^:]+):(?P<line>\d+)\)")
_IN = re.compile(r">>>(?: referenced by)? +\S+:\((?P<function>.*)\)")
_BARE = re.compile(r"(?:[\w./+-]+: )?(?:fatal )?error: (?P<text>.*)")
_SUMMARY = re.compile(r"\d+ (?:error|warning)s? (?:and \d+ errors? )?generated.*")

#: Notes that are shown with an error.
_FEW = 3


@dataclass(frozen=True)
class Said:
    """One thing that a compiler says: where, in its words, and the lines that it shows below."""

    file: str
    line: int
    column: int
    text: str
    shown: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """`k.hip:4:10`; "" where there is none."""
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part)


@dataclass(frozen=True)
class SourceError:
    """An error, its notes, and the places that include the file that it is in, the nearest first."""

    said: Said
    notes: tuple[Said, ...] = ()
    around: tuple[Said, ...] = ()

    def told_at(self, source: str) -> Said:
        """The place nearest to the error that is in the source, or in a file beside it; the error's own otherwise."""
        places = (self.said, *self.notes, *self.around)
        return next((one for one in places if _is_users(one.file, source)), self.said)

    def lines(self, source: str, target: str, folder: str) -> list[str]:
        """The error in one line, and below it what is shown: source lines with carets, the first notes."""
        beside = os.path.join(folder, os.path.dirname(source))
        at, own = self.told_at(source), self.said
        reason = f": {self.notes[0].text}" if self.notes and own.text.startswith("no matching") else ""
        reason += next((f" {note.text}" for note in self.notes if not note.place), "")
        found = [f"{at.place or source}: error: {own.text}{reason}{hint(own.text, target, beside)}"]
        found += at.shown
        if at is not own and own.place:
            found += [f"{own.place}: here", *own.shown]
        for note in list(dict.fromkeys(self.notes))[:_FEW]:
            if note.place and note != at:
                found += [f"{note.place}: note: {note.text}", *note.shown]
        return found


def read_errors(output: str, folder: str | None = None) -> list[SourceError]:
    """The errors in what a compiler or linker said, in its order; a line that it does not show is read from a folder.

    >>> [error.said.place for error in read_errors("a.hip:1:2: error: no\\n    1 | xy\\n      |  ^\\n")]
    ['a.hip:1:2']
    """
    found: list[tuple[list[Said], list[Said]]] = []
    kind, around = "", list[Said]()
    for following, said in _parts(output, folder):
        kind = kind if following == "note" else following
        if kind == "included":
            around.insert(0, said)
            continue
        if following == "error":
            found.append(([said], around))
        elif kind == "error":
            found[-1][0].append(said)
        around = []
    return [SourceError(said[0], tuple(said[1:]), tuple(places)) for said, places in found]


def refusal(output: str, source: str, target: str, folder: str = ".") -> tuple[str, Sequence[str], Sequence[list[str]]]:
    """What is told of a failure: the first error in one line, what is shown below it, and the lines of each other."""
    errors = read_errors(output, folder)
    if not errors:
        return f"the compiler ended and named no error; it said: {shortened(output) or 'nothing'}", (), ()
    (first, *below), *others = (error.lines(source, target, folder) for error in errors)
    return first, below, others


def _parts(output: str, folder: str | None) -> Iterator[tuple[str, Said]]:
    """Errors, notes, warnings and the places of includes, each with the lines below it."""
    kind, said, shown = "", Said("", 0, 0, ""), list[str]()
    for line in (*output.splitlines(), None):
        found = None if line is None else _heading(line)
        if line is not None and found is None:
            if not _SUMMARY.fullmatch(line) and not line.startswith(">>>"):
                shown.append(line)
            continue
        if kind:
            yield kind, Said(said.file, said.line, said.column, said.text, tuple(shown) or _line_of(folder, said))
        shown = []
        kind, said = found or ("", said)


def _heading(line: str) -> tuple[str, Said] | None:
    """What a line begins: `error`, `note`, `warning` or `included`."""
    if one := _SAID.fullmatch(line):
        kind = one["kind"].removeprefix("fatal ")
        return kind, Said(os.path.normpath(one["file"]), int(one["line"]), int(one["column"]), one["text"])
    if one := _INCLUDED.fullmatch(line):
        return "included", Said(os.path.normpath(one["file"]), int(one["line"]), 0, "")
    if one := _REFERENCED.fullmatch(line):
        return "note", Said(os.path.normpath(one["file"]), int(one["line"]), 0, "referenced here")
    if one := _IN.fullmatch(line):
        return "note", Said("", 0, 0, f"in {one['function']}")
    if one := _BARE.fullmatch(line):
        return "error", Said("", 0, 0, one["text"])
    return None


def _line_of(folder: str | None, said: Said) -> tuple[str, ...]:
    """A line of a folder's file as clang shows it, with a caret below its first character."""
    if folder is None:
        return ()
    try:
        text = (
            (Path(folder) / said.file)
            .read_text(encoding="utf-8", errors="replace")
            .splitlines()[said.line - 1]
            .rstrip()
        )
    except (OSError, IndexError):
        return ()
    mark = text[: len(text) - len(text.lstrip())] + "^"
    return (f"{said.line:5} | {text}", f"      | {mark}") if said.line else ()


def _is_users(file: str, source: str) -> bool:
    """Whether a file is the source, or lies beside or below it."""
    beside = os.path.dirname(source)
    inside = file.startswith(f"{beside}/") if beside else not os.path.isabs(file) and not file.startswith("..")
    return bool(file) and not file.startswith("<") and (file == source or inside)
