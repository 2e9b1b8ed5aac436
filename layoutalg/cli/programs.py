"""The library's program that a user means: by the folder or the spec file that `make kernels` wrote, or by its name.

| given                                | the program                                                             |
|--------------------------------------|-------------------------------------------------------------------------|
| `kernels/cast`, `…/spec.toml`        | the one that the spec's title names, if its descriptors are those there |
| `cast` (a folder's name, no path)    | the same, with nothing to compare                                       |
| `cast_f32_bf16_v4` (a kernel's name) | that one; of a transposition through LDS, every form has a name         |

A file of other descriptors is refused: a spec says what memory holds, not what a kernel computes, so no program can be
made of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from layoutalg.cli.errors import InputError
from layoutalg.lazy import lazy_imports

with lazy_imports():
    import layoutalg.formats.dump as dumped
    from layoutalg import formats
    from layoutalg.cli import golden
    from layoutalg.kernel import library
    from layoutalg.kernel import program as statements

Folder: TypeAlias = "Mapping[str, statements.Program]"
"""A kernel's programs by target; "" is the one for all."""


def program_of(against: str, target: str) -> statements.Program:
    """The program for a target; InputError where there is none, or where a file says something else of it.

    >>> program_of("cast", "gfx942").name, program_of("transpose_lds_pad_f16_v2", "gfx942").name
    ('cast_f32_bf16_v4', 'transpose_lds_pad_f16_v2')
    """
    path = Path(against)
    if len(path.parts) > 1 or path.suffix or path.exists():
        return _for(target, _described(path), against)
    if against in library.folders():
        return _for(target, library.folder(against), against)
    return _for(target, {t: p for t, p in _folder_of(against, against).items() if p.name == against}, against)


def _for(target: str, folder: Folder, what: str) -> statements.Program:
    found = folder.get(target) or folder.get("")
    if found is None:
        raise InputError(f"{what} has no program for {target}; it has {', '.join(folder)}")
    return found


def _folder_of(name: str, where: object) -> Folder:
    """The folder that has a kernel of this name."""
    for folder in map(library.folder, library.folders()):
        if any(program.name == name for program in folder.values()):
            return folder
    named = (entry.named(name) for entry in library.kernels().values())
    made = next((program for program in named if program), None)
    if made is None:
        raise InputError(f"{where}: no kernel {name!r} to prove against; there are {', '.join(library.folders())}")
    return {"": made}


def _described(path: Path) -> Folder:
    """The programs of the folder whose spec a file is."""
    if not path.exists():
        raise InputError(f"{path}: no such folder or file; give a kernel's folder, its spec.toml, or a kernel's name")
    file = path / "spec.toml" if path.is_dir() else path
    if not file.is_file():
        raise InputError(f"{path}: no spec.toml in this folder; give a kernel's folder, e.g. kernels/transpose_lds")
    spec = formats.load(file)
    name, colon, _ = spec.title.partition(": ")
    if not colon:
        raise InputError(f'{file}: its title names no kernel; those of `make kernels` begin "NAME: "')
    folder = _folder_of(name, file)
    differing = list(_differing(spec, formats.loads(golden.spec_of(next(iter(folder.values()))))))
    if differing:
        raise InputError(f"{file}: not what {name} is: it differs in {', '.join(differing)}")
    return folder


def _differing(one: formats.SpecFile, other: formats.SpecFile) -> Iterator[str]:
    """What two files say differently: the title, a symbol, or an item, by name."""
    left, right = _parts(one), _parts(other)
    return (name for name in dict.fromkeys((*left, *right)) if left.get(name) != right.get(name))


def _parts(file: formats.SpecFile) -> dict[str, Any]:
    return {"its title": file.title, **file.symbols, **{item.name: dumped.item_data(item) for item in file.items}}
