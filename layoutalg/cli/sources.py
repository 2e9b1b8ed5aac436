"""A HIP source, audited as the launch files beside it say; an editor shows what is found at the source's own lines.

| beside `scale.hip`               | is                                                                    |
|----------------------------------|-----------------------------------------------------------------------|
| `scale.toml`, `scale.WORD.toml`  | launch files of its kernels: each is audited, as it is launched there  |
| any other                        | nothing of the source's                                               |

The source is compiled with lines for one target.  Where it does not compile, the compiler's error stands at its line;
what is found in a header stands at the first line, with its place.  What it cannot represent: macros and folders of
headers that a build would give.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from layoutalg.cli import checked, reports
from layoutalg.cli.errors import is_told
from layoutalg.cli.files import load
from layoutalg.lazy import lazy_imports

with lazy_imports():
    from layoutalg import device
    from layoutalg.audit import audit as auditing
    from layoutalg.cli import auditing as told
    from layoutalg.isa.container import chosen, lines
    from layoutalg.isa.decode import code as codes

SOURCES = (".hip", ".cpp", ".cu")


def launch_files(source: Path) -> list[Path]:
    """The launch files of a source's kernels; none of what is no source.

    >>> launch_files(Path("nowhere/scale.hip"))
    []
    """
    if source.suffix not in SOURCES:
        return []
    beside = source.parent.glob(f"{source.stem}.*") if source.parent.is_dir() else ()
    return sorted(path for path in beside if path.suffix == ".toml" and not path.name.endswith(".layout.toml"))


def source_of(launch: Path) -> Path | None:
    """The source that a launch file is of; None where there is none beside it."""
    stem = launch.name.partition(".")[0]
    return next((path for end in SOURCES if launch in launch_files(path := launch.with_name(stem + end))), None)


def audited(source: Path, target: str, seconds: float, include: Sequence[Path] = ()) -> list[reports.Report]:
    """What is not proved of the source's kernels, at its lines, within so many seconds a launch file."""
    launches = launch_files(source)
    if not launches:
        return []
    try:
        compiler = device.choose_with_ocml(target)
        code = device.compile_file(source, target, compiler=compiler, flags=("-g",), include=include)
    except Exception as error:
        if not is_told(error):
            raise
        return [_placed(source, str(error))]
    return [found for launch in launches for found in _of_launch(source, launch, code.payload, seconds, include)]


def _of_launch(
    source: Path, launch: Path, payload: bytes, seconds: float, include: Sequence[Path]
) -> list[reports.Report]:
    try:
        spec = load(launch, tuple(include))
        if spec.launch is None:
            return []
        held, kernel = chosen.chosen_kernel(payload, spec.launch.kernel, "")
        found = auditing.audit(codes.decode_kernel(kernel), spec, seconds)
        every = told.Told(found, lines.SourceLines.read(held).of).as_reports(source)
    except Exception as error:
        if not is_told(error):
            raise
        return [replace(checked.of_error(launch, error), file=str(source), line=1, column=1)]
    return [_of_source(source, launch, one) for one in every if not one.passed]


def _of_source(source: Path, launch: Path, one: reports.Report) -> reports.Report:
    """A report at the source's line; where it is of a header, at the first one, with its place."""
    if Path(one.file).name == source.name:
        return replace(one, file=str(source), message=f"{one.message} (as {launch.name} launches it)")
    return replace(one, file=str(source), line=1, message=f"{one.file}:{one.line}: {one.message}")


def _placed(source: Path, error: str) -> reports.Report:
    """A compiler's error at the line that it names."""
    found = re.search(rf"{re.escape(source.name)}:(\d+)(?::(\d+))?:? *(.*)", error, re.DOTALL)
    line, column, message = (int(found[1]), int(found[2] or 1), found[3]) if found else (1, 1, error)
    return reports.Report(str(source), source.name, "read", "error", False, message, line, column)
