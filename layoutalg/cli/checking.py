"""`check` and `offsets`: what a file claims, decided; and a descriptor's offsets."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from layoutalg.cli.errors import InputError
from layoutalg.cli.files import SOURCES, defines_of, descriptor_of, expand, read, sizes_of

if TYPE_CHECKING:
    from rich.console import Console

    from layoutalg.check import Result
    from layoutalg.formats import SpecFile


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.command()(check)
    app.command()(offsets)


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
    strategy: Annotated[str | None, typer.Option(help="Force one strategy, e.g. z3.")] = None,
    seconds: Annotated[float, typer.Option(help="The limit for each obligation.")] = 10.0,
    memory: Annotated[int, typer.Option(help="The solver's limit in megabytes.")] = 2048,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Prove every claim of each descriptor."""
    defines = defines_of(define)
    specs = [read(path, defines) for path in expand(files)]
    results = _decide(specs, strategy, seconds, memory, quiet=as_json)
    if as_json:
        print(json.dumps(_document(specs, results), indent=1, ensure_ascii=False))
    else:
        _print(specs, results)
    return _exit_code([r for found in results for r in found])


def _decide(
    specs: list[SpecFile], strategy: str | None, seconds: float, memory: int, quiet: bool
) -> list[list[Result]]:
    from layoutalg.check import check as decide
    from layoutalg.prove.decide import STRATEGIES
    from layoutalg.prove.outcome import Limits

    if strategy is not None and strategy not in STRATEGIES:
        raise InputError(f"no strategy {strategy!r}: give one of {', '.join(STRATEGIES)}")
    limits = Limits(seconds=seconds, memory_mb=memory)
    if quiet or sum(len(s.items) for s in specs) < 20 or not sys.stderr.isatty():
        return [list(decide(spec, strategy=strategy, limits=limits)) for spec in specs]
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    rounds = track(specs, "proving", console=console, transient=True)
    return [list(decide(spec, strategy=strategy, limits=limits)) for spec in rounds]


def _exit_code(results: list[Result]) -> int:
    """0 when all is as expected; else 1 when something decided is not, 2 when something is unknown."""
    wrong = {r.verdict.name for r in results if not r.passed}
    return (1 if wrong & {"refuted", "proved"} else 2) if wrong else 0


def _document(specs: list[SpecFile], results: list[list[Result]]) -> dict[str, Any]:
    from layoutalg.check import facts

    files = []
    for spec, found in zip(specs, results, strict=True):
        files.append(
            {
                "file": spec.path,
                "results": [_entry(r) for r in found],
                "facts": {d.name: facts(d) for d in spec.descriptors},
                "unread": [vars(u) for u in spec.unread],
            }
        )
    every = [r for found in results for r in found]
    counts = {name: sum(r.verdict.name == name for r in every) for name in ("proved", "refuted", "unknown")}
    return {"files": files, **counts, "passed": all(r.passed for r in every)}


def _entry(r: Result) -> dict[str, Any]:
    from layoutalg.prove.verdict import Refuted

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
    if isinstance(r.verdict, Refuted):
        entry["witness"] = [dict(p) for p in r.verdict.witness.points]
    return entry


def _print(specs: list[SpecFile], results: list[list[Result]]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    for spec, found in zip(specs, results, strict=True):
        console.print(Text(spec.path, style="bold"))
        for r in found:
            _print_result(console, r)
        for unread in spec.unread:
            console.print(f"  line {unread.line}: {unread.name} not read: {unread.reason}", style="dim")
    every = [r for found in results for r in found]
    wrong = [r for r in every if not r.passed]
    total = f"{len(every)} claims"
    console.print(f"{total}: all as expected" if not wrong else f"{total}: {len(wrong)} not as expected")


def _print_result(console: Console, r: Result) -> None:
    from rich.text import Text

    mark, style = ("✓", "green") if r.passed else (("?", "yellow") if r.verdict.name == "unknown" else ("✗", "red"))
    line = Text.assemble(
        (f"  {mark} ", style),
        f"{r.item.name}: {r.claim} ",
        (r.verdict.name, style),
        (" as expected" if r.passed and r.expect == "refuted" else "", style),
        (f" ({r.verdict.strategy}, {r.verdict.seconds * 1e3:.2f} ms)", "dim"),
    )
    console.print(line)
    if r.verdict.reason:
        console.print(Text(f"      {r.verdict.reason}"))


def offsets(
    file: Annotated[Path, typer.Argument(help="A spec file.")],
    descriptor: Annotated[str, typer.Option(help="The descriptor's name.")],
    define: Defines = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Print every offset of a descriptor, row-major over its index; null where the index reaches no data."""
    from layoutalg.formats import offsets as table

    item = descriptor_of(read(file, defines_of(define)), descriptor)
    document = table(item.descriptor, {} if file.suffix in SOURCES else sizes_of(define))
    if as_json:
        print(json.dumps(document))
    else:
        print(f"lengths {document['lengths']}, {document['element_space_size']} elements")
        print(" ".join("-" if o is None else str(o) for o in document["offsets"]))
    return 0
