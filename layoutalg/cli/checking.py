"""`check`, `recheck` and `offsets`: what a file claims, decided; decided again; and a descriptor's offsets."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from layoutalg.cli.errors import BAD_INPUT, InputError
from layoutalg.cli.files import (
    SOURCES,
    Includes,
    defines_of,
    descriptor_of,
    expand,
    missing,
    read,
    refuse_unasked,
    sizes_of,
)
from layoutalg.cli.output import placed, say
from layoutalg.lazy import lazy

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from rich import console, progress

    from layoutalg import formats, prove
    from layoutalg.formats import check as claims
    from layoutalg.prove import certificates as smtlib
    from layoutalg.prove import decide, parallel
    from layoutalg.prove import recheck as again
else:
    console = lazy("rich.console")
    progress = lazy("rich.progress")
    formats = lazy("layoutalg.formats")
    prove = lazy("layoutalg.prove")
    claims = lazy("layoutalg.formats.check")
    smtlib = lazy("layoutalg.prove.certificates")
    decide = lazy("layoutalg.prove.decide")
    parallel = lazy("layoutalg.prove.parallel")
    again = lazy("layoutalg.prove.recheck")


Files = Annotated[
    list[Path],
    typer.Argument(
        help="Spec files (.toml, .json), folders of them, CK Tile C++ (.hpp, .cpp), or text with C++ blocks."
    ),
]
Defines = Annotated[
    list[str] | None, typer.Option("-D", help="A size, or a template or macro parameter of C++: NAME=VALUE.")
]


def check(
    files: Files,
    define: Defines = None,
    include: Includes = None,
    strategy: Annotated[str | None, typer.Option(help="Force one strategy, e.g. z3.")] = None,
    seconds: Annotated[float, typer.Option(min=0.001, max=86400, help="The limit for each claim.")] = 10.0,
    memory: Annotated[int, typer.Option(min=256, help="The solver's limit in megabytes.")] = 2048,
    jobs: Annotated[int, typer.Option("-j", "--jobs", min=1, help="Processes that prove at once.")] = 1,
    dask: Annotated[str | None, typer.Option(help="Prove on the Dask cluster at this address.")] = None,
    certificates: Annotated[
        Path | None, typer.Option(callback=placed, help="Write SMT-LIB certificates to this folder.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Prove every claim of each descriptor."""
    defines = defines_of(define)
    paths = expand(files)
    if defines and not any(path.suffix in SOURCES for path in paths):
        raise InputError("-D gives C++ parameters their values; a spec file's symbols are checked for all of theirs")
    specs, bad = _read_all(paths, defines, include)
    how = How(strategy, seconds, memory, jobs, dask)
    results = _decide(specs, how, quiet=as_json)
    if certificates is not None:
        _certify(specs, results, certificates, how)
    if as_json:
        print(json.dumps(_document(specs, results, bad, how.limits), indent=1, ensure_ascii=False))
    else:
        _print(specs, results)
        _print_missing(specs, defines)
    return BAD_INPUT if bad else _exit_code(specs, [r for found in results for r in found])


def _read_all(
    paths: list[Path], defines: dict[str, str], include: list[Path] | None
) -> tuple[list[formats.SpecFile], list[str]]:
    """The files that can be read, and what is wrong with the others: it is told, and the rest is checked still.

    Where none can, the only error (or the last one) is raised.
    """
    specs: list[formats.SpecFile] = []
    errors: list[formats.SpecError | InputError | OSError] = []
    for path in paths:
        try:
            spec = read(path, defines if path.suffix in SOURCES else {}, include, alone=False)
            if not (spec.items or spec.unread or spec.unchecked):
                raise InputError(f"{spec.path}: it describes no layout, so that nothing can be checked")
            specs.append(spec)
        except (formats.SpecError, InputError, OSError) as error:
            errors.append(error)
    for told in errors if specs else errors[:-1]:
        print(f"layoutalg: {told}", file=sys.stderr)
    if errors and not specs:
        raise errors[-1]
    refuse_unasked([spec for spec in specs if Path(spec.path).suffix in SOURCES])
    return specs, [str(told) for told in errors]


@dataclass(frozen=True)
class How:
    """How claims are decided, as the command line says it."""

    strategy: str | None
    seconds: float
    memory: int
    jobs: int
    dask: str | None

    @property
    def limits(self) -> prove.Limits:
        """What one obligation may cost."""
        return prove.Limits(seconds=self.seconds, memory_mb=self.memory)


def _decide(specs: list[formats.SpecFile], how: How, quiet: bool) -> list[list[claims.Result]]:
    if how.strategy is not None and how.strategy not in decide.STRATEGIES:
        raise InputError(f"no strategy {how.strategy!r}: give one of {', '.join(decide.STRATEGIES)}")
    if how.jobs > 1 or how.dask is not None:
        with _executor(how.dask) as executor:
            return claims.check_all(specs, strategy=how.strategy, limits=how.limits, jobs=how.jobs, executor=executor)
    with _progress(specs, quiet) as rounds:
        return [list(claims.check(spec, strategy=how.strategy, limits=how.limits)) for spec in rounds]


@contextmanager
def _executor(address: str | None) -> Iterator[Executor | None]:
    """The Dask cluster's executor; None where no address is given."""
    if address is None:
        yield None
        return
    try:
        with parallel.dask_executor(address) as executor:
            yield executor
    except ImportError:
        raise InputError("--dask needs Dask: pip install distributed") from None
    except (OSError, ValueError) as error:
        raise InputError(f"--dask {address}: no scheduler answers there ({error})") from None


@contextmanager
def _progress(specs: list[formats.SpecFile], quiet: bool) -> Iterator[Iterable[formats.SpecFile]]:
    """The files, with a bar on stderr where there are several and somebody sees it."""
    if quiet or len(specs) == 1 or not sys.stderr.isatty():
        yield specs
        return
    yield progress.track(specs, "proving", console=console.Console(stderr=True), transient=True)


def _certify(specs: list[formats.SpecFile], results: list[list[claims.Result]], folder: Path, how: How) -> None:
    """One folder of certificates for all claims of all files; one that they decide otherwise is a defect of ours."""
    asked, said = {}, {}
    for spec, found in zip(specs, results, strict=True):
        verdicts = iter(found)
        for number, item in enumerate(spec.items):
            for n, q in enumerate(claims.questions(item)):
                result = next(verdicts)
                if q.claim is not None:
                    name = f"{spec.path}: {number}.{item.name}.{n}.{q.text}"
                    asked[name], said[name] = q.claim, result.verdict.name
    manifest = smtlib.write_certificates(asked, folder, strategy=how.strategy, limits=how.limits)
    print(f"certificates: {manifest}", file=sys.stderr)
    for entry in json.loads(manifest.read_text())["claims"]:
        if {entry["verdict"], said[entry["name"]]} == {"proved", "refuted"}:
            raise AssertionError(
                f"{entry['name']} is {said[entry['name']]}, and {entry['verdict']} by its certificates"
            )


def recheck(
    folder: Annotated[Path, typer.Argument(help="A folder that check --certificates wrote.")],
    jobs: Annotated[int, typer.Option("-j", "--jobs", min=1, help="Processes at once.")] = 2,
    seconds: Annotated[float, typer.Option(help="The limit for each certificate.")] = 10.0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Decide every certificate again with other solvers: cvc5 (integers) and bitwuzla (bit-vectors)."""
    try:
        found, without = again.recheck(folder, jobs=jobs, seconds=seconds), again.uncovered(folder)
    except ImportError as error:
        raise InputError(str(error)) from None
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"{folder}: not a folder of certificates ({error})") from None
    counts = {kind: sum(r.result == kind for r in found) for kind in ("agrees", "disagrees", "undecided", "altered")}
    if as_json:
        entries = [{**vars(r), "result": r.result} for r in found]
        print(json.dumps({**counts, "uncertified": without, "certificates": entries}, ensure_ascii=False))
    else:
        for r in found:
            if r.result != "agrees":
                print(f"{r.file}: {r.result}: {r.solver} says {r.answer}, expected {r.expected} ({r.label})")
        print(f"{len(found)} certificates: " + ", ".join(f"{n} {kind}" for kind, n in counts.items() if n))
        if without:
            print(f"not by certificates alone: {', '.join(without)}")
    return 1 if counts["disagrees"] or counts["altered"] else 2 if counts["undecided"] else 0


def _exit_code(specs: list[formats.SpecFile], results: list[claims.Result]) -> int:
    """3 where a part of a file makes no layout, 1 when something decided is not as expected, 2 when something is open.

    What was not read is open: unknown is never a pass.
    """
    unread = [part for spec in specs for part in spec.unread]
    if any(part.refused for part in unread):
        return BAD_INPUT
    wrong = {r.verdict.name for r in results if not r.passed}
    if not results and any(spec.unchecked for spec in specs):
        return 2
    if wrong & {"refuted", "proved"}:
        return 1
    return 2 if wrong or unread else 0


def _document(
    specs: list[formats.SpecFile], results: list[list[claims.Result]], bad: list[str], limits: prove.Limits
) -> dict[str, Any]:
    files = []
    for spec, found in zip(specs, results, strict=True):
        files.append(
            {
                "file": spec.path,
                "results": [_entry(r) for r in found],
                "facts": {d.name: claims.facts(d, limits) for d in spec.descriptors},
                "unread": [vars(u) for u in spec.unread],
                "unchecked": [{"name": u.name, "line": u.line, "reason": u.reason} for u in spec.unchecked],
            }
        )
    every = [r for found in results for r in found]
    counts = {name: sum(r.verdict.name == name for r in every) for name in ("proved", "refuted", "unknown")}
    counts |= {name: sum(len(getattr(spec, name)) for spec in specs) for name in ("unread", "unchecked")}
    return {"files": files, **counts, "errors": bad, "passed": all(r.passed for r in every) and not bad}


def _entry(r: claims.Result) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "item": r.item.name,
        "line": r.item.line,
        "claim": r.claim,
        "verdict": r.verdict.name,
        "expect": r.expect,
        "passed": r.passed,
        "strategy": r.verdict.strategy,
        "milliseconds": round(r.verdict.seconds * 1e3, 4),
        "assumptions": list(r.verdict.assumptions),
        "reason": r.verdict.reason,
    }
    if isinstance(r.verdict, prove.Refuted):
        entry["witness"] = [dict(p) for p in r.verdict.witness.points]
    return entry


def _print(specs: list[formats.SpecFile], results: list[list[claims.Result]]) -> None:
    for spec, found in zip(specs, results, strict=True):
        say(typer.style(spec.path, bold=True))
        for r in found:
            _print_result(r)
        for unread in spec.unread:
            say(typer.style(f"  line {unread.line}: {unread.name} not read: {unread.reason}", dim=True))
        for passed in spec.unchecked:
            say(typer.style(f"  line {passed.line}: {passed.name} not checked: {passed.reason}", dim=True))
    every = [r for found in results for r in found]
    wrong = [r for r in every if not r.passed]
    left, seen = (sum(len(getattr(spec, name)) for spec in specs) for name in ("unread", "unchecked"))
    verdict = f"{len(wrong)} not as expected" if wrong else "all as expected" if every else "nothing was checked"
    told = [f"{_counted(n, 'part')} not {what}" for n, what in ((left, "read"), (seen, "checked")) if n]
    say("; ".join([f"{_counted(len(every), 'claim')}: {verdict}", *told]))


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _print_missing(specs: list[formats.SpecFile], defines: dict[str, str]) -> None:
    """What C++ files still ask for, all at once: each part that is not read names only the first."""
    for spec in specs:
        if spec.unread and (told := missing(Path(spec.path), defines)):
            print(f"note: {spec.path}: {told.removeprefix('; ')}", file=sys.stderr)


def _print_result(r: claims.Result) -> None:
    mark, colour = ("✓", "green") if r.passed else (("?", "yellow") if r.verdict.name == "unknown" else ("✗", "red"))
    verdict = r.verdict.name + (" as expected" if r.passed and r.expect == "refuted" else "")
    how = typer.style(f"({r.verdict.strategy}, {r.verdict.seconds * 1e3:.2f} ms)", dim=True)
    say(f"  {typer.style(mark, colour)} {r.item.name}: {r.claim} {typer.style(verdict, colour)} {how}")
    if r.verdict.reason:
        say(f"      {r.verdict.reason}")
    if r.because and not r.passed:
        say(f"      expected: {r.expect}, because {r.because}")


def offsets(
    file: Annotated[Path, typer.Argument(help="A spec file.")],
    descriptor: Annotated[str, typer.Option(help="The descriptor's name.")],
    define: Defines = None,
    include: Includes = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Print every offset of a descriptor, row-major over its index; null where the index reaches no data."""
    item = descriptor_of(read(file, defines_of(define), include), descriptor)
    document = formats.offsets(item.descriptor, {} if file.suffix in SOURCES else sizes_of(define))
    if as_json:
        print(json.dumps(document))
    else:
        print(f"lengths {document['lengths']}, {document['element_space_size']} elements")
        print(" ".join("-" if o is None else str(o) for o in document["offsets"]))
    return 0
