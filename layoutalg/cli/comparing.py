"""`diff`: what became of each layout between two versions of a file."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Annotated, Any

import typer

from layoutalg import __version__
from layoutalg.cli.errors import InputError
from layoutalg.cli.files import SOURCES, SPECS, Includes, defines_of, read
from layoutalg.cli.output import Format, OutputFormat, say, time_limit
from layoutalg.lazy import lazy_imports

with lazy_imports():
    import layoutalg.prove as prove
    from layoutalg import formats
    from layoutalg.cli import reports
    from layoutalg.formats import compare as comparing

Version = Annotated[str, typer.Argument(help="A spec file or CK Tile C++, or REVISION:PATH of git.")]
COLOURS = {"same": "green", "refinement": "green", "added": "green", "unknown": "yellow"}


def diff(
    old: Version,
    new: Version,
    define: Annotated[list[str] | None, typer.Option("-D", help="A parameter of C++, in both: NAME=VALUE.")] = None,
    include: Includes = None,
    seconds: Annotated[float, time_limit("each question")] = 10.0,
    form: Format = OutputFormat.TEXT,
) -> int:
    """Compare two versions of a file, layout by layout: exit 0 where each is the same map, or a refinement."""
    defines = defines_of(define)
    if defines and not any(Path(text).suffix in SOURCES for text in (old, new)):
        raise InputError("-D gives C++ parameters their values; a spec file's symbols are compared for all of theirs")
    before, after = (_version(text, defines, include) for text in (old, new))
    found = list(comparing.compare(before, after, limits=prove.Limits(seconds=seconds)))
    if not found:
        raise InputError(f"{old}, {new}: they describe no layouts to compare")
    if form is OutputFormat.JSON:
        entries = [_entry(c) for c in found]
        document = {"layoutalg": __version__, "old": old, "new": new, "layouts": entries}
        print(json.dumps(document, indent=1, ensure_ascii=False))
    elif form is OutputFormat.TEXT:
        for c in found:
            say(": ".join(part for part in (c.name, typer.style(c.what, COLOURS.get(c.what, "red")), _how(c)) if part))
    elif told := reports.WRITERS[form]([_report(after.path, c) for c in found]):
        print(told)
    wrong = {c.what for c in found if not c}
    return 1 if wrong - {"unknown"} else 2 if wrong else 0


def _entry(c: comparing.LayoutComparison) -> dict[str, Any]:
    return {**vars(c), "passed": bool(c)}


def _how(c: comparing.LayoutComparison) -> str:
    first = f"first at {c.index}: offset {c.offsets[1]}, was {c.offsets[0]}" if c.offsets else ""
    return ": ".join(part for part in (c.reason, first) if part)


def _report(path: str, c: comparing.LayoutComparison) -> reports.Report:
    """At its place in the new version; what is no longer there is told at the top."""
    return reports.Report(path, c.name, "same_map", c.what, bool(c), _how(c), c.line or 1)


def _version(text: str, defines: dict[str, str], include: list[Path] | None) -> formats.SpecFile:
    """A file that is there, else one of a revision; the headers of its C++ are today's."""
    path, (revision, colon, name) = Path(text), text.partition(":")
    content = None if path.exists() or not colon else _of_revision(revision, name)
    path = path if content is None else Path(name)
    given = defines if path.suffix in SOURCES else {}
    if path.suffix not in (*SPECS, *SOURCES):
        raise InputError(f"{text}: neither a spec file ({', '.join(SPECS)}) nor C++ ({', '.join(SOURCES)})")
    return read(path, given, include, text=content)


def _of_revision(revision: str, name: str) -> str:
    """The text that git has; a name is relative to the folder that the command runs in, as it is for other files."""
    place = name if name.startswith(("./", "../", "/")) else f"./{name}"
    command = ["git", "show", f"{revision}:{place}"]
    try:
        told = subprocess.run(command, capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"{revision}:{name}: no such file, and git does not answer ({error})") from None
    if told.returncode:
        why = told.stderr.decode(errors="replace").strip().splitlines()[:1]
        raise InputError(f"{revision}:{name}: {' '.join(why) or 'git has no such file'}")
    try:
        return told.stdout.decode()
    except UnicodeDecodeError:
        raise InputError(f"{revision}:{name}: is no UTF-8 text") from None
