"""`hazards`: what is wrong with machine code whatever its launch, of files, folders, libraries and wheels."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from layoutalg import __version__
from layoutalg.cli import checking
from layoutalg.cli.auditing import UNKNOWN
from layoutalg.cli.errors import BAD_INPUT, InputError
from layoutalg.cli.output import console_for
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass

with lazy_imports():
    from rich import progress

    from layoutalg.cli import reports
    from layoutalg.hazards import kernels, sweep
    from layoutalg.isa.container import lines, names, places

MANY = 20
"""Reasons for which kernels are not analysed that are shown, without --exhaustive."""

Data = dict[str, Any]


class HazardFormat(StrEnum):
    """What is printed on stdout: text, one JSON document, a JSON line for each kernel, or what other tools read."""

    TEXT = "text"
    JSON = "json"
    JSONL = "jsonl"
    SARIF = "sarif"
    JUNIT = "junit"
    GITHUB = "github"


def hazards(
    paths: Annotated[list[Path], typer.Argument(help="Code objects, bundles, libraries, wheels, folders of them.")],
    target: Annotated[str, typer.Option(help="That of the code objects to look at: gfx90a, gfx90a:xnack-.")] = "",
    kernel: Annotated[list[str] | None, typer.Option(help="Only kernels of this name; may repeat.")] = None,
    jobs: Annotated[int, typer.Option("-j", "--jobs", min=1, help="Processes that analyse at once.")] = 1,
    executor: checking.Executing = None,
    cache: Annotated[bool, typer.Option(help="Keep what is found; an unchanged code object is not read again.")] = True,
    exhaustive: Annotated[
        bool,
        typer.Option(
            "--exhaustive", help="List what is undecided or not analysed, and exit 2 for it whatever is found."
        ),
    ] = False,
    form: Annotated[HazardFormat, typer.Option("--format", help="What is printed on stdout.")] = HazardFormat.TEXT,
) -> int:
    """Find hazards in every kernel's machine code, without a launch file.

    Registers that are read or overwritten while an access is still to write them; that nothing has written; that the
    kernel did not ask for; instructions that the processor has not; LDS outside the allocation;
    instructions between which AMD's manual asks for more wait states.

    A hazard is certain, or possible on a way that is told; what no execution is known to show is undecided, and is no
    hazard. Exit 0 nothing, 1 something found, 2 something undecided or not analysed, 3 bad input.

    \b
    layoutalg hazards librocsparse.so.0 --target gfx90a:xnack- --jobs 8
    layoutalg hazards amd_aiter.whl --format jsonl > found.jsonl
    """
    told = ToldHazards()
    with checking.cluster(executor, jobs) as workers:
        held = _tracked(places.held_at(paths, target), form)
        for one in sweep.sweep(held, kernel, jobs=jobs, executor=workers, keep=cache):
            told.take(one, form)
    return told.end(form, exhaustive)


def _tracked(found: Iterator[places.HeldCode], form: HazardFormat) -> Iterable[places.HeldCode]:
    """With a bar on stderr, where somebody sees it."""
    if not sys.stderr.isatty() or form is HazardFormat.JSONL:
        return found
    return progress.track([*found], "analysing", console=console_for(sys.stderr), transient=True)


@dataclass
class ToldHazards:
    """What was found so far, and how it is told."""

    def __post_init__(self) -> None:
        self.kernels: list[Data] = []
        self.errors: list[str] = []

    def take(self, one: sweep.SweptCode, form: HazardFormat) -> None:
        """Takes in a code object: text and JSON lines are printed as they come."""
        if one.error:
            self.errors.append(one.error)
        for kernel in one.kernels:
            data = _data(one.held, kernel)
            self.kernels.append(data)
            if form is HazardFormat.JSONL:
                print(json.dumps(data))
            elif form is HazardFormat.TEXT and data["findings"]:
                print(*_text(data), sep="\n")

    def end(self, form: HazardFormat, exhaustive: bool) -> int:
        """Tells what they come to; returns the exit code.  Where nothing could be read, the last error is raised."""
        for error in self.errors if self.kernels else self.errors[:-1]:
            print(f"layoutalg: {error}", file=sys.stderr)
        if self.errors and not self.kernels:
            raise InputError(self.errors[-1])
        if form is HazardFormat.TEXT:
            print(*_summary(self.kernels, exhaustive), sep="\n")
        elif form is HazardFormat.JSON:
            print(json.dumps({"layoutalg": __version__, "kernels": self.kernels, "errors": self.errors,
                              "findings": sum(len(one["findings"]) for one in self.kernels),
                              "undecided": sum(len(one["undecided"]) for one in self.kernels),
                              "not_analysed": sum(bool(one["not_analysed"]) for one in self.kernels)}))  # fmt: skip
        elif form is not HazardFormat.JSONL:
            written = reports.WRITERS[form](_reports(self.kernels, self.errors))
            print(written, end="\n" if written else "")
        found = any(one["findings"] for one in self.kernels)
        open_ = any(one["undecided"] or one["not_analysed"] or one["left_out"] for one in self.kernels)
        if self.errors:
            return BAD_INPUT
        if open_ and (exhaustive or not found):
            return UNKNOWN
        return 1 if found else 0


def _data(held: places.HeldCode, kernel: kernels.Analysed) -> Data:
    """A kernel as data: each finding with the command that finds it again."""
    again = ["layoutalg", "hazards", held.path, "--target", held.target, "--kernel", kernel.kernel]
    return {
        "file": held.path, "target": held.target, "kernel": kernel.kernel, "instructions": kernel.instructions,
        "not_analysed": kernel.not_analysed, "undecided": kernel.undecided, "left_out": kernel.left_out,
        "findings": [{**finding, "replay": shlex.join(again)} for finding in kernel.findings],
    }  # fmt: skip


def _text(one: Data) -> Iterator[str]:
    count = _counted(len(one["findings"]), "hazard")
    yield f"{one['file']}: {names.spoken(one['kernel'])} for {one['target']}: {count}"
    yield from (line for finding in one["findings"] for line in _lines(finding, "possible"))
    yield f"  again: {one['findings'][0]['replay']}"


def _lines(finding: Data, what: str) -> Iterator[str]:
    """A finding in words."""
    at, missing = finding["consumer"], f"; missing: {finding['missing']}" if finding["missing"] else ""
    yield f"  {finding['kind']}: {at['address']:#x} {at['instruction']} {finding['what']}{_source(at)}{missing}"
    if finding["also"]:
        last = finding["also"][-1]
        lacks = f", where {last['missing']} is missing" if last["missing"] != finding["missing"] else ""
        yield f"    and {len(finding['also'])} more behind it, as far as {last['address']:#x}{lacks}"
    if finding["condition"]:
        yield f"    {what}: {finding['condition']}"


def _source(place: Data) -> str:
    return f" ({place['source']})" if "source" in place else ""


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _summary(found: list[Data], exhaustive: bool) -> Iterator[str]:
    """How much was analysed, and why some was not."""
    left = [one for one in found if one["not_analysed"]]
    if exhaustive:
        yield from (line for one in found for line in _left_open(one))
    else:
        reasons = list(dict.fromkeys(one["not_analysed"] for one in left))
        yield from (f"not analysed: {reason}" for reason in reasons[:MANY])
        if reasons[MANY:]:
            yield f"and for {len(reasons) - MANY} more reasons; --exhaustive has them all"
    yield from dict.fromkeys(
        f"not looked for in code of {one['target']}, of which no rules are known here: {', '.join(one['left_out'])}"
        for one in found if one["left_out"]
    )  # fmt: skip
    hazards = sum(len(one["findings"]) for one in found)
    bad = sum(bool(one["findings"]) for one in found)
    undecided = sum(len(one["undecided"]) for one in found)
    instructions = sum(one["instructions"] for one in found)
    yield (f"{_counted(len(found), 'kernel')} of {_counted(instructions, 'instruction')}: "
           f"{_counted(hazards, 'hazard')} in {_counted(bad, 'kernel')}, {undecided} undecided, "
           f"{len(left)} not analysed")  # fmt: skip


def _left_open(one: Data) -> Iterator[str]:
    """What is undecided of a kernel, or why it was not analysed."""
    place = f"{one['file']}: {names.spoken(one['kernel'])}"
    if one["not_analysed"]:
        yield f"{place}: not analysed: {one['not_analysed']}"
    if one["undecided"]:
        yield f"{place}: {len(one['undecided'])} undecided"
        yield from (line for finding in one["undecided"] for line in _lines(finding, "undecided"))


def _reports(found: list[Data], errors: list[str]) -> list[reports.Report]:
    """What other tools are told: at the line of the source, else of the whole file."""
    told: list[reports.Report] = []
    for one in found:
        name = one["kernel"]
        for finding in one["findings"]:
            place = finding["consumer"]
            path, _, line = place.get("source", "").partition(lines.ARROW)[0].rpartition(":")
            said = f"{place['address']:#x} {place['instruction']} {finding['what']}"
            condition = f"; possible: {finding['condition']}" if finding["condition"] else ""
            missing = f"; missing: {finding['missing']}" if finding["missing"] else ""
            verdict = "refuted" if finding["certain"] else "unknown"
            told.append(reports.Report(path or one["file"], name, finding["kind"], verdict, False,
                                       f"{said}{missing}{condition}", int(line or 1)))  # fmt: skip
        if one["not_analysed"]:
            told.append(reports.Report(one["file"], name, "analysed", "unknown", False, one["not_analysed"]))
        elif not (one["findings"] or one["undecided"]):
            told.append(reports.Report(one["file"], name, "hazards", "proved", True))
    return [*told, *(reports.Report(error.partition(": ")[0], "", "read", "error", False, error) for error in errors)]
