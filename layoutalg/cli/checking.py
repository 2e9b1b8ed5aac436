"""`check` and `offsets`: what a file claims, decided; and a descriptor's offsets."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from layoutalg.cli.errors import BAD_INPUT, InputError
from layoutalg.cli.files import (
    SOURCES,
    TTGIR,
    Includes,
    defines_of,
    descriptor_of,
    expand,
    missing,
    read,
    refuse_empty,
    refuse_unasked,
    sizes_of,
)
from layoutalg.cli.kept import Kept
from layoutalg.cli.output import Format, OutputFormat, placed, time_limit
from layoutalg.cli.rechecking import Source, named
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass

with lazy_imports():
    from concurrent import futures

    from rich import console, progress

    import layoutalg.prove as prove
    from layoutalg import formats
    from layoutalg import target as gpus
    from layoutalg.cli import checked, reports, watching
    from layoutalg.cli import cluster as clusters
    from layoutalg.formats import check as claims
    from layoutalg.formats import items
    from layoutalg.prove import certificates as smtlib
    from layoutalg.prove import decide

Unreadable: TypeAlias = "formats.SpecError | InputError | OSError"


Files = Annotated[
    list[Path],
    typer.Argument(
        help="Spec files (.toml, .json), folders of them, CK Tile C++ (.hpp, .cpp), text with C++ blocks, or Triton's "
        "GPU IR (.ttgir)."
    ),
]
Defines = Annotated[
    list[str] | None, typer.Option("-D", help="A size, or a template or macro parameter of C++: NAME=VALUE.")
]


Executing = Annotated[
    str | None,
    typer.Option(
        help="`dask`: on the Dask cluster of DASK_SCHEDULER_ADDRESS, else on one of --jobs processes here; "
        "`dask:ADDRESS`: on that one."
    ),
]


def check(
    files: Files,
    define: Defines = None,
    include: Includes = None,
    target: Annotated[
        list[str] | None, typer.Option(help="A GPU that Triton's IR is checked for, in place of its own; may repeat.")
    ] = None,
    item: Annotated[str | None, typer.Option(help="The one item that --claim is of.")] = None,
    claim: Annotated[
        list[str] | None,
        typer.Option(help="A claim of --item in place of those of the file, as files write it: contiguous(8)."),
    ] = None,
    strategy: Annotated[str | None, typer.Option(help="Force one strategy, e.g. z3.")] = None,
    seconds: Annotated[float, time_limit("each claim")] = 10.0,
    memory: Annotated[int, typer.Option(min=256, help="The solver's limit in megabytes.")] = 2048,
    jobs: Annotated[int, typer.Option("-j", "--jobs", min=1, help="Processes that prove at once.")] = 1,
    executor: Executing = None,
    certificates: Annotated[
        Path | None, typer.Option(callback=placed, help="Write SMT-LIB certificates to this folder.")
    ] = None,
    cache: Annotated[
        bool,
        typer.Option(envvar="LAYOUTALG_KEEP_PROOFS", help="Keep what is decided; an unchanged file is not read again."),
    ] = True,
    watch: Annotated[bool, typer.Option(help="Check again whenever a file changes.")] = False,
    form: Format = OutputFormat.TEXT,
) -> int:
    """Prove every claim of each descriptor."""
    if (item is None) != (not claim):
        raise InputError("--item and --claim go together: one item, and what is claimed of it")
    if claim and certificates is not None:
        raise InputError("--certificates are of what files claim: leave --claim out")
    how = How(strategy, seconds, memory, jobs, executor, item, tuple(claim or ()))
    options = (strategy, seconds, memory, item, how.claims, form is OutputFormat.JSON)
    keep = Kept(*options) if cache and certificates is None else None
    once = partial(_check, files, defines_of(define), include, target or (), how, keep, certificates, form)
    return watching.repeat(files, once) if watch else once()


def _check(
    files: list[Path],
    defines: dict[str, str],
    include: list[Path] | None,
    target: Sequence[str],
    how: How,
    keep: Kept | None,
    certificates: Path | None,
    form: OutputFormat,
) -> int:
    paths = expand(files)
    if defines and not any(path.suffix in SOURCES for path in paths):
        raise InputError("-D gives C++ parameters their values; a spec file's symbols are checked for all of theirs")
    for name in target:
        gpus.target(name)
    if target and not any(path.suffix == TTGIR for path in paths):
        raise InputError("--target is of Triton's IR (.ttgir); a spec file's accesses name their targets")
    before = {str(path): kept for path in paths if keep is not None and (kept := keep.get(path)) is not None}
    rest = [path for path in paths if str(path) not in before]
    texts = {path: None if keep is None else keep.text(path) for path in rest}
    specs, bad = _read_all(texts, defines, include, target, alone=form is OutputFormat.TEXT and not before)
    specs = [spec if how.item is None else items.claiming(spec, how.item, how.claims) for spec in specs]
    results = _decide(specs, how, quiet=form is not OutputFormat.TEXT)
    if certificates is not None:
        folders, gpu = [str(folder) for folder in include or ()], list(target)
        source = Source([spec.path for spec in specs], defines, folders, gpu, strategy=how.strategy)
        _certify(specs, results, certificates, how, source)
    limits = how.limits if form is OutputFormat.JSON else None
    now = {s.path: checked.CheckedFile.of(s, found, limits) for s, found in zip(specs, results, strict=True)}
    if keep is not None:
        for one in now.values():
            keep.put(one)
    found = [(before | now)[str(path)] for path in paths if path not in bad]
    if before:
        n = sum(len(one.results) for one in before.values())
        print(f"note: {n} claims as an earlier run decided them; --no-cache decides them anew", file=sys.stderr)
    if form is OutputFormat.JSON:
        print(json.dumps(checked.document(found, [*map(str, bad.values())]), indent=1, ensure_ascii=False))
    elif form is OutputFormat.TEXT:
        checked.show(found)
        _print_missing(specs, defines)
    elif told := reports.WRITERS[form](checked.told(found, bad)):
        print(told)
    return BAD_INPUT if bad else checked.exit_code(found)


def _read_all(
    texts: Mapping[Path, str | None],
    defines: dict[str, str],
    include: list[Path] | None,
    targets: Sequence[str],
    *,
    alone: bool,
) -> tuple[list[formats.SpecFile], dict[Path, Unreadable]]:
    """The files that can be read, and what is wrong with the others: it is told, and the rest is checked still.

    `texts`: what each file says; None where it is still to be read.
    Where none can, and they are `alone`, the only error (or the last one) is raised.
    """
    specs: list[formats.SpecFile] = []
    errors: dict[Path, Unreadable] = {}
    for path, text in texts.items():
        given = defines if path.suffix in SOURCES else {}
        try:
            spec = read(path, given, include, alone=False, text=text, targets=targets, partly=True)
            refuse_empty(spec)
            specs.append(spec)
        except (formats.SpecError, InputError, OSError) as error:
            errors[path] = error
    last = [*errors.values()][-1] if alone and errors and not specs else None
    for told in errors.values():
        if told is not last:
            print(f"layoutalg: {told}", file=sys.stderr)
    if last is not None:
        raise last
    refuse_unasked([spec for spec in specs if Path(spec.path).suffix in SOURCES])
    return specs, errors


@dataclass(frozen=True)
class How:
    """How claims are decided, as the command line says it; of one item, and which, where that is said."""

    strategy: str | None
    seconds: float
    memory: int
    jobs: int
    executor: str | None
    item: str | None = None
    claims: tuple[str, ...] = ()

    @property
    def limits(self) -> prove.Limits:
        """What one obligation may cost."""
        return prove.Limits(seconds=self.seconds, memory_mb=self.memory)


def _decide(specs: list[formats.SpecFile], how: How, quiet: bool) -> list[list[claims.Result]]:
    if not specs:
        return []  # nothing is left to prove, and what proves takes longest to import
    if how.strategy is not None and how.strategy not in decide.STRATEGIES:
        raise InputError(f"no strategy {how.strategy!r}: give one of {', '.join(decide.STRATEGIES)}")
    with cluster(how.executor, how.jobs) as executor, _progress(quiet) as told:
        return claims.check_all(
            specs, strategy=how.strategy, limits=how.limits, jobs=how.jobs, executor=executor, progress=told
        )


@contextmanager
def cluster(executor: str | None, jobs: int) -> Iterator[futures.Executor | None]:
    """The executor that --executor names; None where it is not given."""
    if executor is None:
        yield None
        return
    kind, _, address = executor.partition(":")
    if kind != "dask":
        raise InputError(f"--executor {executor}: give dask, or dask:ADDRESS")
    with ExitStack() as stack:
        try:
            workers = clusters.dask_executor(address or None, workers=jobs if jobs > 1 else None, say=_say)
            found = stack.enter_context(workers)
        except (OSError, ValueError) as error:
            raise InputError(f"--executor {executor}: {error}") from None
        yield found


def _say(line: str) -> None:
    print(f"note: {line}", file=sys.stderr, flush=True)


@contextmanager
def _progress(quiet: bool) -> Iterator[claims.Progress | None]:
    """A bar on stderr, where somebody sees it."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    with progress.Progress(
        *progress.Progress.get_default_columns(), progress.MofNCompleteColumn(),
        console=console.Console(stderr=True), transient=True,
    ) as bar:  # fmt: skip
        yield lambda count: partial(bar.advance, bar.add_task("proving", total=count))


def _certify(
    specs: list[formats.SpecFile], results: list[list[claims.Result]], folder: Path, how: How, source: Source
) -> None:
    """One folder of certificates for all claims of all files; one that they decide otherwise is a defect of ours."""
    asked, said = {}, {}
    for spec, found in zip(specs, results, strict=True):
        for (name, claim), result in zip(named(spec), found, strict=True):
            if claim is not None:
                asked[name], said[name] = claim, result.verdict.name
    manifest = smtlib.write_certificates(asked, folder, strategy=how.strategy, limits=how.limits, source=asdict(source))
    print(f"certificates: {manifest}", file=sys.stderr)
    for entry in json.loads(manifest.read_text(encoding="utf-8"))["claims"]:
        if {entry["verdict"], said[entry["name"]]} == {"proved", "refuted"}:
            raise AssertionError(
                f"{entry['name']} is {said[entry['name']]}, and {entry['verdict']} by its certificates"
            )


def _print_missing(specs: list[formats.SpecFile], defines: dict[str, str]) -> None:
    """What C++ files still ask for, all at once: each part that is not read names only the first."""
    for spec in specs:
        if spec.unread and (told := missing(Path(spec.path), defines)):
            print(f"note: {spec.path}: {told.removeprefix('; ')}", file=sys.stderr)


def offsets(
    file: Annotated[Path, typer.Argument(help="A spec file.")],
    descriptor: Annotated[str, typer.Option(help="The descriptor's name.")],
    define: Defines = None,
    include: Includes = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Print every offset of a descriptor, row-major over its index; null where the index reaches no data."""
    item = descriptor_of(read(file, defines_of(define), include, partly=True), descriptor)
    document = formats.offsets(item.descriptor, {} if file.suffix in SOURCES else sizes_of(define))
    if as_json:
        print(json.dumps(document))
    else:
        print(f"lengths {document['lengths']}, {document['element_space_size']} elements")
        print(" ".join("-" if o is None else str(o) for o in document["offsets"]))
    return 0
