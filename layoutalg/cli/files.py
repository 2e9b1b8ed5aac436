"""Layout files by their ending: spec files, CK Tile C++, documentation with C++ blocks, Triton's GPU IR."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from layoutalg.cli.errors import InputError
from layoutalg.errors import LayoutError
from layoutalg.lazy import lazy_imports

with lazy_imports():
    from layoutalg import cpp, formats
    from layoutalg.cpp import asking
    from layoutalg.device import constants
    from layoutalg.formats import cpp as compiling
    from layoutalg.formats import spec as specs
    from layoutalg.formats import ttgir
    from layoutalg.interop.triton import build as builds

Includes = Annotated[
    list[Path] | None, typer.Option("-I", "--include", help="A folder of headers for the C++ of a spec file: CK's.")
]
SPECS = (".toml", ".json")
ENDING = ".layout.toml"
"""Of spec files that pytest and editors find by their name."""
TTGIR = ".ttgir"
SOURCES = (".hpp", ".cpp", ".h", ".cuh", ".hip", ".inc", ".rst", ".md")


def expand(paths: list[Path]) -> list[Path]:
    """The files, and of each folder its spec files; InputError where a folder has none."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(p for p in path.rglob("*") if p.suffix in SPECS and p.is_file())
            if not inside:
                raise InputError(f"{path}: no spec file (*.toml, *.json) in this folder")
            found += inside
        else:
            found.append(path)
    return found


def read(
    path: Path,
    defines: dict[str, str],
    include: Sequence[Path] | None = None,
    *,
    alone: bool = True,
    text: str | None = None,
    targets: Sequence[str] = (),
    partly: bool = False,
) -> formats.SpecFile:
    """The layouts of a file; `defines` gives template and macro parameters of C++ their values.

    `include`: folders of headers for the C++ of a spec file, besides its own.
    `alone`: no other file is read with these, so that one that nothing in it asks for is refused.
    `text`: what the file says, where that is not what it says now.  `targets`: GPUs that Triton's GPU IR is for.
    `partly`: of a spec file with C++, what makes no layout is left out and told (`SpecFile.unread`).
    """
    if path.suffix == TTGIR:
        return ttgir.load(path, targets) if text is None else ttgir.loads(text, str(path), targets)
    if path.suffix in SOURCES:
        source = cpp.load(path, defines) if text is None else cpp.loads(text, str(path), defines)
        if alone:
            refuse_unasked([source])
        return source
    spec = load(path, include, text=text, partly=partly)
    for name in defines:
        if name not in spec.symbols:
            raise InputError(f"-D {name}: {path} has no symbol {name!r}; it has {', '.join(spec.symbols) or 'none'}")
    return spec


def load(
    path: Path, include: Sequence[Path] | None = None, *, text: str | None = None, partly: bool = False
) -> formats.SpecFile:
    """The spec file at a path (where a text is given: which says that), its C++ compiled."""
    if text is None:
        return formats.load(path, compiled=_compiled, include=include or (), partly=partly)
    is_json = path.suffix == ".json"
    return formats.loads(text, str(path), is_json=is_json, compiled=_compiled, include=include or (), partly=partly)


def _compiled(unit: compiling.CppUnit, expressions: Mapping[str, str]) -> compiling.Constants:
    """The compiler's room is imported where a file has C++."""
    return constants.constants(unit, expressions)


def refuse_empty(spec: formats.SpecFile) -> None:
    """InputError where a file has nothing to check."""
    if not (spec.items or spec.unread or spec.unchecked):
        raise InputError(f"{spec.path}: it describes no layout, so that nothing can be checked")


def refuse_unasked(sources: list[formats.SpecFile]) -> None:
    """InputError for a -D whose name stands in none of the C++ files; a note for one that nothing asked for."""
    told = [dict(source.unasked) for source in sources]
    for name in set(told[0]).intersection(*told[1:]) if told else ():
        files = ", ".join(source.path for source in sources)
        if not any(mentioned[name] for mentioned in told):
            raise InputError(f"-D {name}: nothing in {files} is of that name{_hint(sources)}")
        print(f"note: nothing in {files} asked for -D {name}", file=sys.stderr)


def _hint(sources: list[formats.SpecFile]) -> str:
    """What the files do ask for, where something of them is not read."""
    asked = [reason for source in sources if (reason := unread_reason(source))]
    return f"; {asked[0]}" if asked else ""


def unread_reason(spec: formats.SpecFile) -> str:
    """The first thing of a file that is not read and why; empty where all is read."""
    if not spec.unread:
        return ""
    first = spec.unread[0]
    return f"line {first.line}: {first.name} is not read: {first.reason}"


def missing(path: Path, defines: dict[str, str]) -> str:
    """All that a C++ file still asks for, as one would write it; empty where that is nothing."""
    if path.suffix not in SOURCES:
        return ""
    found = asking.asked(path, defines)
    return f"; in all it asks for {' '.join(f'-D {name}={value}' for name, value in found.items())}" if found else ""


def triton_files(file: Path | None, metadata: Path | None) -> tuple[Path, builds.TritonBuild | None]:
    """The code object, and what Triton wrote of it: beside the code object, or beside its metadata."""
    if (file is None) == (metadata is None):
        raise InputError("give a code object, or with --triton what Triton wrote of one: KERNEL.json")
    path = metadata or Path(str(file)).with_suffix(".json")
    code = file or path.with_suffix(".hsaco")
    if metadata is None and (code.suffix != ".hsaco" or not path.is_file()):
        return code, None
    texts = (specs.read_text(one) if one.is_file() else "" for one in (path, path.with_suffix(".ttir")))
    try:
        return code, builds.read_build(*texts)
    except LayoutError as error:
        raise InputError(f"{path}: {error}") from None


def descriptor_of(spec: formats.SpecFile, name: str | None) -> formats.DescriptorItem:
    """The descriptor of that name, or the only one; InputError lists what there is."""
    names = [d.name for d in spec.descriptors]
    if name is None and len(names) == 1:
        return spec.descriptors[0]
    if name not in names:
        for part in spec.unread:
            if part.name == name or not names:
                raise InputError(f"{spec.path}: line {part.line}: {part.name} is not read: {part.reason}")
        what = f"no descriptor {name!r}" if name else "several descriptors; say which"
        raise InputError(f"{spec.path}: {what}; it has {', '.join(names) or 'none'}")
    return spec.descriptor(name)


def accesses_of(spec: formats.SpecFile, descriptor: str) -> list[formats.AccessItem]:
    """The file's own accesses of a descriptor."""
    return [a for a in spec.items if isinstance(a, formats.AccessItem) and a.descriptor.name == descriptor]


def defines_of(given: list[str] | None) -> dict[str, str]:
    """NAME=VALUE texts as a mapping; InputError names one that is not written so."""
    defines: dict[str, str] = {}
    for text in given or []:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise InputError(f"-D {text}: give a value as NAME=VALUE, e.g. -D M=64")
        defines[name.strip()] = value.strip()
    return defines


def sizes_of(given: list[str] | None) -> dict[str, int]:
    """NAME=INTEGER texts as sizes."""
    sizes = {}
    for name, value in defines_of(given).items():
        try:
            sizes[name] = int(value)
        except ValueError:
            raise InputError(f"-D {name}={value}: a size is an integer") from None
    return sizes
