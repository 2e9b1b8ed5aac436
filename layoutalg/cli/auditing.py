"""`audit`: a kernel that anybody compiled, proved safe as a launch file says it is launched."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from math import prod
from pathlib import Path
from typing import Annotated, Any

import typer

from layoutalg import __version__
from layoutalg.cli.errors import InputError
from layoutalg.cli.executing import chosen_kernel
from layoutalg.cli.files import Includes, load, triton_files
from layoutalg.cli.output import Format, OutputFormat, placed, time_limit
from layoutalg.disk import write_whole
from layoutalg.errors import shortened
from layoutalg.index import variables
from layoutalg.index.evaluate import value
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass

with lazy_imports():
    from layoutalg import formats
    from layoutalg.audit import audit as auditing
    from layoutalg.audit.figures import figures as measured
    from layoutalg.cli import reports
    from layoutalg.counters.formulas import call as counting
    from layoutalg.interop.triton import build as builds
    from layoutalg.isa.container import lines, names, signature
    from layoutalg.isa.decode import code as codes
    from layoutalg.launch import report
    from layoutalg.prove import verdict as verdicts

UNKNOWN = 2
"""Exit code where something is neither proved nor refuted: without a launch file, everything."""

MANY = 12
"""Claims that are not proved are shown so many at most, of each verdict."""


def audit(
    file: Annotated[
        Path | None, typer.Argument(help="A code object, a bundle of them, or a library that holds some.")
    ] = None,
    triton: Annotated[
        Path | None, typer.Option(help="What Triton wrote of a kernel, KERNEL.json, in place of a file.")
    ] = None,
    launch_file: Annotated[
        Path | None,
        typer.Option("--launch", help="The launch file (.toml, .json); without it, a template is written."),
    ] = None,
    kernel: Annotated[str | None, typer.Option(help="The kernel, where the launch file names none.")] = None,
    target: Annotated[str, typer.Option(help="Whose code object, where a file holds several.")] = "",
    template: Annotated[
        Path | None, typer.Option(callback=placed, help="Where the template goes, without --launch.")
    ] = None,
    counters: Annotated[
        bool, typer.Option("--counters", help="What rocprofv3 would count of the launch, too, as formulas.")
    ] = False,
    seconds: Annotated[float, time_limit("all claims", least=0.1)] = 60.0,
    include: Includes = None,
    form: Format = OutputFormat.TEXT,
) -> int:
    """Prove that a kernel is safe as it is launched, for all sizes; exit 1 where a run shows that it is not, 2 unknown.

    By default: each access lies in its tensor or in LDS, is aligned, and stores to no tensor that is only read; what is
    stored, and what is read of LDS, was written before; no two threads race; no index wraps; loops end, barriers meet.

    The launch file's `claims` add stores_all, bank_conflict_free and coalesced; its `computes` says what comes out, a
    claim too, and its `tried` what runs at small sizes are held against. The first line says what is not claimed.

    Without --launch: what needs none (registers, occupancy, LDS cycles), and a template of a launch file to fill in.

    \b
    layoutalg audit transpose.co > transpose.toml
    layoutalg audit --triton ~/.triton/cache/…/softmax.json --template softmax.toml
    layoutalg audit transpose.co --launch transpose.toml
    """
    if template is not None and launch_file is not None:
        raise InputError("--template is where a launch file is written that is missing: leave --launch out")
    if counters and (launch_file is None or form not in (OutputFormat.TEXT, OutputFormat.JSON)):
        raise InputError("--counters are of a launch, in words or as JSON: give --launch, and no other --format")
    if launch_file is None and form not in (OutputFormat.TEXT, OutputFormat.JSON):
        raise InputError(f"--format {form} is of claims, which need a launch file: give --launch")
    spec = load(launch_file, include) if launch_file is not None else None
    named = spec.launch.kernel if spec is not None and spec.launch else None
    file, build = triton_files(file, triton)
    payload, chosen = chosen_kernel(file, kernel or named or (build.name if build else None), target)
    code, where = codes.decode_kernel(chosen), lines.SourceLines.read(payload).of
    if spec is None:
        said = signature.parameters(payload, chosen.entry)
        found = measured.figures(code, seconds, said, build)
        return _figures(found, where, template, form is OutputFormat.JSON)
    if build is not None:
        _refuse_other_blocks(spec, build)
    told = Told(auditing.audit(code, spec, seconds), where)
    counted = counting.formulas_of(code, spec, None, seconds) if counters else None
    if form is OutputFormat.JSON:
        print(json.dumps({"layoutalg": __version__, **told.data, **({"counters": counted.report} if counted else {})}))
    elif form is OutputFormat.TEXT:
        print(*told.text(), *(counting.text(counted) if counted else ()), sep="\n")
    elif written := reports.WRITERS[form](told.as_reports(file)):
        print(written)
    return told.exit_code


def _refuse_other_blocks(spec: formats.SpecFile, build: builds.TritonBuild) -> None:
    """InputError where a launch has other threads, or less LDS, than Triton compiled the kernel for."""
    launch = spec.launch
    threads = [value(one, {}) for one in launch.block if not variables(one)] if launch is not None else []
    if launch is None or len(threads) < len(launch.block):
        return
    if prod(threads) != build.threads:
        raise InputError(f"{spec.path}: a block of {prod(threads)} threads; Triton compiled {build.name} for "
                         f"{build.warps} waves of {build.lanes} lanes: block = [{build.threads}]")  # fmt: skip
    if not variables(launch.lds) and value(launch.lds, {}) < build.shared:
        raise InputError(f"{spec.path}: {launch.lds} bytes of LDS; Triton compiled {build.name} for {build.shared}: "
                         f"lds = {build.shared}")  # fmt: skip


@dataclass(frozen=True)
class Told:
    """An audit as it is told: in words, as data, by an exit code."""

    found: auditing.Audit
    where: report.Lines

    @property
    def claims(self) -> list[dict[str, Any]]:
        """Every claim as data."""
        return [_claim(self.found, *one, self.where) for one in self.found.claims]

    @property
    def data(self) -> dict[str, Any]:
        """As JSON has it."""
        found = self.found
        return {"kernel": found.kernel, "target": found.target, "verdict": found.name, "claims": self.claims,
                "vacuous": found.vacuous, "not_asked": found.unasked, "not_claimed": found.unclaimed,
                "ended": found.ended, "assumptions": found.assumptions,
                "facts": [vars(one) for one in found.facts]}  # fmt: skip

    @property
    def exit_code(self) -> int:
        """Of the whole."""
        return {"proved": 0, "refuted": 1}.get(self.found.name, UNKNOWN)

    def as_reports(self, file: Path) -> list[reports.Report]:
        """What other tools are told: at the line of the source, else of the whole code object."""
        told = [*(one for one in self.claims if one["verdict"] == "proved"), *(one for one, *_ in faults(self.claims))]
        return [_report(self.found.kernel, one, str(file)) for one in told]

    def text(self) -> Iterator[str]:
        """In words."""
        return _told(self.found, self.claims, self.where)


def _report(kernel: str, one: dict[str, Any], file: str) -> reports.Report:
    path, _, line = one.get("source", "").partition(lines.ARROW)[0].rpartition(":")
    passed = one["verdict"] == "proved"
    message = ": ".join(text for text in (one["about"], one["reason"]) if text)
    return reports.Report(path or file, kernel, one["claim"], one["verdict"], passed, message, int(line or 1))


def _claim(
    found: auditing.Audit, claim: str, about: str, verdict: verdicts.Verdict, where: report.Lines
) -> dict[str, Any]:
    """A claim as data: refuted with its witness, and with the run that shows it."""
    data: dict[str, Any] = {
        "claim": claim,
        "about": about,
        "verdict": verdict.name,
        "by": verdict.strategy,
        "reason": verdict.reason,
    }
    places = [where(report.address_of(part.strip())) for part in about.split(";")]
    data |= {"source": places[0]} if places[0] else {}
    data |= {"meets": places[1]} if places[1:] and places[1] else {}
    if isinstance(verdict, verdicts.Refuted | verdicts.Unknown) and verdict.witness is not None:
        data |= {"witness": [dict(point) for point in verdict.witness.points]}
    run = found.shown.get((claim, about))
    if run is None:
        return data
    line = where(run.address)
    return data | {"run": run.facts | ({"source": line} if line else {})}


def _told(found: auditing.Audit, claims: list[dict[str, Any]], where: report.Lines) -> Iterator[str]:
    """A verdict in words: each claim with how much of it is proved, then what is not."""
    unclaimed = f"; not claimed: {', '.join(found.unclaimed)}" if found.unclaimed else ""
    yield f"{names.spoken(found.kernel)} for {found.target}: {found.name} ({len(claims)} claims){unclaimed}"
    for claim, each in Counter(one["claim"] for one in claims).items():
        proved = sum(one["claim"] == claim and one["verdict"] == "proved" for one in claims)
        yield f"  {claim}: {f'proved ({each} of {each})' if proved == each else f'{proved} of {each} proved'}"
    if found.vacuous:
        yield f"  nothing to show: {', '.join(f'{name} ({why})' for name, why in found.vacuous.items())}"
    if found.unasked:
        yield f"  not asked, as the code is not followed: {', '.join(found.unasked)}"
    for verdict in ("refuted", "unknown"):
        some = [one for one in faults(claims) if one[0]["verdict"] == verdict]
        for one, *others in some[:MANY]:
            about = f"{'' if one['about'][:1] == '(' else ','} {one['about']}" if one["about"] else ""
            of_run = _at(one["run"]) if "run" in one and "source" not in one else ""
            more = f"; so {'are' if others[1:] else 'is'} {len(others)} more at these lines" if others else ""
            yield f"  {one['claim']}{about}{_at(one)}: {verdict}: {shortened(one['reason'])}{of_run}{more}"
        if some[MANY:]:
            yield f"  and {len(some) - MANY} more that are {verdict}; the JSON document has them all"
    yield from (f"  told: {place}: {report.ENDED}" for place in found.ended)
    wasted = [one for one in found.facts if one.worst > one.least]
    yield from (f"  costs more than the least: {line}" for line in measured.costs_text(wasted, where))
    for text in found.assumptions:
        yield f"  assumed: {text}"


def _at(one: dict[str, Any]) -> str:
    places = [one[key] for key in ("source", "meets") if key in one]
    return f" ({'; '.join(dict.fromkeys(places))})" if places else ""


def faults(claims: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Claims that are not proved, those together that one fault of the source makes fail; the worst of each first.

    One claim fails at the instructions of the same lines, or, without lines, in one memory: one barrier that is missing
    is so many pairs of instructions.  What is unknown for want of a run is with what is refuted; all else that is
    unknown is together where its reason is the same.
    """
    found: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    failed = [one for one in claims if one["verdict"] != "proved"]
    for one in sorted(failed, key=lambda one: str(one["verdict"])):  # refuted, then unknown
        memories = ";".join(part.strip().rpartition(" ")[2] for part in one["about"].split(";"))
        place = one["claim"], one["about"].partition("(")[2], one.get("source", memories), one.get("meets", "")
        if one["verdict"] == "refuted" or (place in found and unshown(one)):
            found.setdefault(place, []).append(one)
        else:
            found.setdefault((*place, one["reason"]), []).append(one)
    return [*found.values()]


def unshown(one: dict[str, Any]) -> bool:
    """Whether the prover refutes it, and no run has shown it."""
    return one["verdict"] == "unknown" and "witness" in one


def _figures(found: measured.Figures, where: report.Lines, template: Path | None, as_json: bool) -> int:
    """Tells what needs no launch file, and writes a template of one."""
    head = {"layoutalg": __version__, "kernel": found.kernel.name, "target": found.kernel.target}
    text = "\n".join((f"{names.spoken(found.kernel.name)} for {head['target']}: not audited without --launch",
                      *(f"  {line}" for line in found.text(where))))  # fmt: skip
    comment = "".join(f"# {line}\n" for line in text.splitlines())
    if template is not None:
        write_whole(template, f"{comment}\n{found.template}".encode())
    if as_json:
        print(
            json.dumps(
                {
                    "layoutalg": __version__,
                    **head,
                    "verdict": "unknown",
                    "figures": found.data(where),
                    "template": found.template,
                }
            )
        )
    elif template is not None:
        print(f"{text}\n{template}: a launch file to fill in; then: layoutalg audit … --launch {template}")
    else:
        print(f"{comment}\n{found.template}", end="")
    return 0 if template is not None else UNKNOWN
