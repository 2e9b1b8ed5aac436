"""What was found in the files that `check` was given, as data: printed as text or JSON, told to other tools, kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

import typer

from layoutalg import __version__
from layoutalg.cli.errors import BAD_INPUT
from layoutalg.cli.output import say
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass

with lazy_imports():
    import layoutalg.prove as prove
    from layoutalg import formats
    from layoutalg.cli import reports
    from layoutalg.formats import check as claims
    from layoutalg.formats import cpp as compiling
    from layoutalg.formats import model as models

Entry = Mapping[str, Any]


@dataclass(frozen=True)
class CheckedFile:
    """One file: its results and how long each took, facts, what was not read or not checked.

    `before`: an earlier run decided it.  `compiled`: what C++ came to, by the names of the items: their lengths.
    """

    path: str
    results: Sequence[Entry]
    milliseconds: Sequence[float]
    facts: Mapping[str, Any] = field(default_factory=dict)
    unread: Sequence[Entry] = ()
    unchecked: Sequence[Entry] = ()
    before: bool = False
    compiled: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, spec: formats.SpecFile, found: Sequence[claims.Result], limits: prove.Limits | None) -> CheckedFile:
        """What was found; facts where there are limits for them."""
        return cls(
            spec.path,
            [_entry(r, _assumed(spec, r.item.name)) for r in found],
            [round(r.verdict.seconds * 1e3, 4) for r in found],
            {} if limits is None else {d.name: claims.facts(d, limits) for d in spec.descriptors},
            [vars(u) for u in spec.unread],
            [{"name": u.name, "line": u.line, "reason": u.reason} for u in spec.unchecked],
            compiled=_compiled(spec),
        )

    @property
    def is_decided(self) -> bool:
        """Whether more time would change nothing."""
        return not self.unread and all(r["verdict"] != "unknown" for r in self.results)


def _compiled(spec: formats.SpecFile) -> dict[str, str]:
    """The lengths of what the compiler made, the elements of memory below a descriptor, and what is assumed of it."""
    made = [item for item in spec.items if item.name in _by_cpp(spec)]
    return {item.name: ", ".join((_measured(item), *_assumed(spec, item.name))) for item in made}


def _by_cpp(spec: formats.SpecFile) -> set[str]:
    """The names of items that the compiler made."""
    return {entry["name"] for kind in compiling.ITEMS for entry in spec.data.get(kind, ()) if "cpp" in entry}


def _assumed(spec: formats.SpecFile, name: str) -> Sequence[str]:
    """What is assumed of how CK makes an item."""
    headers = spec.data.get("cpp", {}).get("headers", ())
    if compiling.CONSTEXPR not in headers or name not in _by_cpp(spec):
        return ()
    return (f"CK's functions behind {compiling.CONSTEXPR} read as constexpr",)


def _measured(item: formats.Item) -> str:
    if isinstance(item, models.DescriptorItem):
        return f"{_lengths(item.descriptor)} over {item.descriptor.element_space_size} elements"
    assert isinstance(item, models.DistributionItem | models.AdaptorItem)
    return _lengths(item.distribution if isinstance(item, models.DistributionItem) else item.adaptor)


def _lengths(of: Any) -> str:
    return " × ".join(map(str, of.lengths))


def _entry(r: claims.Result, assumed: Sequence[str]) -> Entry:
    line, column = r.place or (r.item.line, None)
    entry: dict[str, Any] = {
        "item": r.item.name,
        "line": line,
        "column": column,
        "claim": r.claim,
        "verdict": r.verdict.name,
        "expect": r.expect,
        "because": r.because,
        "passed": r.passed,
        "strategy": r.verdict.strategy,
        "assumptions": [*r.verdict.assumptions, *assumed],
        "reason": r.verdict.reason,
    }
    if isinstance(r.verdict, prove.Refuted):
        entry["witness"] = [dict(p) for p in r.verdict.witness.points]
    return entry


def exit_code(files: Sequence[CheckedFile]) -> int:
    """3 where a part of a file makes no layout, 1 when something decided is not as expected, 2 when something is open.

    What was not read is open: unknown is never a pass.
    """
    unread, results = _all(files, "unread"), _all(files, "results")
    if any(part["refused"] for part in unread):
        return BAD_INPUT
    wrong = {r["verdict"] for r in results if not r["passed"]}
    if not results and _all(files, "unchecked"):
        return 2
    if wrong & {"refuted", "proved"}:
        return 1
    return 2 if wrong or unread else 0


def _all(files: Sequence[CheckedFile], what: str) -> list[Entry]:
    return [entry for file in files for entry in getattr(file, what)]


def document(files: Sequence[CheckedFile], errors: Sequence[str]) -> dict[str, Any]:
    """The JSON document; `layoutalg schema check` prints its schema."""
    results = _all(files, "results")
    told = [
        {
            "file": file.path,
            "results": file.results,
            "facts": file.facts,
            "unread": file.unread,
            "unchecked": file.unchecked,
        }
        for file in files
    ]
    return {
        "layoutalg": __version__,
        "files": told,
        **{name: sum(r["verdict"] == name for r in results) for name in ("proved", "refuted", "unknown")},
        **{name: len(_all(files, name)) for name in ("unread", "unchecked")},
        "errors": errors,
        "passed": exit_code(files) == 0 and not errors,
        "milliseconds": {file.path: file.milliseconds for file in files},
    }


def told(files: Sequence[CheckedFile], errors: Mapping[Path, Exception]) -> list[reports.Report]:
    """What other tools are told."""
    found: list[reports.Report] = []
    for file in files:
        found += of_file(file, formats.read_text(file.path))
    return [*found, *(of_error(path, error) for path, error in errors.items())]


def of_file(file: CheckedFile, text: str) -> Iterator[reports.Report]:
    """Each claim of a file that has this text, at the place where it stands, else at its item's."""
    lines = text.split("\n")
    for r, took in zip(file.results, file.milliseconds, strict=True):
        line = r["line"] or 1
        column = r["column"] or len(lines[line - 1]) - len(lines[line - 1].lstrip()) + 1
        yield reports.Report(
            file.path, r["item"], r["claim"], r["verdict"], r["passed"], _why(r), line, column, took / 1e3
        )
    for u in file.unread:
        yield reports.Report(file.path, u["name"], "read", "unknown", False, u["reason"], u["line"])


def _why(r: Entry) -> str:
    """The reason of a verdict, and what the file expects in its place."""
    because = f", because {r['because']}" if r["because"] else ""
    expected = f"expected: {r['expect']}{because}" if not r["passed"] and r["expect"] != "proved" else ""
    return "; ".join(part for part in (r["reason"], expected) if part)


def of_error(path: Path, error: Exception) -> reports.Report:
    """Why a file cannot be read, at the place where it is wrong."""
    line, column = (getattr(error, part, None) or 1 for part in ("line", "column"))
    return reports.Report(str(path), path.name, "read", "error", False, str(error), line, column)


def show(files: Sequence[CheckedFile]) -> None:
    """The text: a line for each claim, and what they come to."""
    for file in files:
        say(typer.style(file.path, bold=True))
        made = dict(file.compiled)
        for r, took in zip(file.results, file.milliseconds, strict=True):
            if r["item"] in made:
                say(typer.style(f"  {r['item']} is {made.pop(r['item'])}", dim=True))
            _show_result(r, took)
        for what, parts in (("read", file.unread), ("checked", file.unchecked)):
            for part in sorted(parts, key=lambda part: part["line"]):
                told = f"  line {part['line']}: {part['name']} not {what}: {part['reason']}"
                say(typer.style(told, fg="red") if part.get("refused") else typer.style(told, dim=True))
    every = _all(files, "results")
    wrong = [r for r in every if not r["passed"]]
    verdict = f"{len(wrong)} not as expected" if wrong else "all as expected" if every else "nothing was checked"
    counts = {what: len(_all(files, f"un{what}")) for what in ("read", "checked")}
    left = [f"{_counted(n, 'part')} not {what}" for what, n in counts.items() if n]
    say("; ".join([f"{_counted(len(every), 'claim')}: {verdict}", *left]))


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _show_result(r: Entry, took: float) -> None:
    passed = r["passed"]
    mark, colour = ("✓", "green") if passed else (("?", "yellow") if r["verdict"] == "unknown" else ("✗", "red"))
    verdict = r["verdict"] + (" as expected" if passed and r["expect"] == "refuted" else "")
    how = typer.style(f"({r['strategy']}, {took:.2f} ms)", dim=True)
    say(f"  {typer.style(mark, colour)} {r['item']}: {r['claim']} {typer.style(verdict, colour)} {how}")
    if r["reason"]:
        say(f"      {r['reason']}")
    if r["because"] and not passed:
        say(f"      expected: {r['expect']}, because {r['because']}")
