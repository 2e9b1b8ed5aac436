"""Layout files by their ending: spec files, CK Tile C++, and documentation with C++ blocks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from layoutalg.cli.errors import InputError

if TYPE_CHECKING:
    from layoutalg.formats import DescriptorItem, SpecFile

SPECS = (".toml", ".json")
SOURCES = (".hpp", ".cpp", ".h", ".cuh", ".hip", ".inc", ".rst", ".md")


def expand(paths: list[Path]) -> list[Path]:
    """The files, and of each folder its spec files; InputError where a folder has none."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(p for p in path.rglob("*") if p.suffix in SPECS)
            if not inside:
                raise InputError(f"{path}: no spec file (*.toml, *.json) in this folder")
            found += inside
        else:
            found.append(path)
    return found


def read(path: Path, defines: dict[str, str]) -> SpecFile:
    """The layouts of a file; `defines` gives template and macro parameters of C++ their values."""
    if path.suffix in SOURCES:
        from layoutalg.formats import ck_cpp

        return ck_cpp.load(path, defines)
    from layoutalg.formats import load

    spec = load(path)
    for name in defines:
        if name not in spec.symbols:
            raise InputError(f"-D {name}: {path} has no symbol {name!r}; it has {', '.join(spec.symbols) or 'none'}")
    return spec


def descriptor_of(spec: SpecFile, name: str | None) -> DescriptorItem:
    """The descriptor of that name, or the only one; InputError lists what there is."""
    names = [d.name for d in spec.descriptors]
    if name is None and len(names) == 1:
        return spec.descriptors[0]
    if name not in names:
        what = f"no descriptor {name!r}" if name else "several descriptors; say which"
        raise InputError(f"{spec.path}: {what}; it has {', '.join(names) or 'none'}")
    return spec.descriptor(name)


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
