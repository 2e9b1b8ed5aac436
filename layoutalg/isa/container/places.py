"""Code objects by the paths that people give: files, folders of them, libraries, wheels and other zip archives.

| path | code objects are |
|---|---|
| a code object, a bundle, a library | within (`bundle`) |
| a folder | those of the files in it that begin as one of these, or as an archive |
| a wheel, a zip archive | those of its members that begin so |
| `archive.whl/folder/file.co` | those of that member |
"""

from __future__ import annotations

import errno
import zipfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from layoutalg.disk import LARGEST_LIBRARY, read_whole
from layoutalg.errors import CodeObjectError
from layoutalg.isa.container.bundle import BEGINNINGS, Bundled, NoCodeError, code_objects
from layoutalg.records import dataclass

_ARCHIVE = b"PK\x03\x04"
_BEGIN = (*BEGINNINGS, _ARCHIVE)


@dataclass(frozen=True)
class HeldCode:
    """A code object and the path that it has for people; or why what lies there cannot be read."""

    path: str
    target: str = ""
    payload: bytes = b""
    error: str = ""


def held_at(paths: Sequence[Path], target: str = "") -> Iterator[HeldCode]:
    """The code objects at these paths, for a target or for all."""
    for path in paths:
        found = False
        for one in _at(path, target):
            found = True
            yield one
        if not found:
            yield HeldCode(str(path), error=f"{path}: no AMD code object in it")


def content_of(path: Path) -> bytes:
    """What a file holds, or `archive.whl/folder/file.co` does; `OSError` where nothing is there, or too much."""
    archive = _archive_around(path)
    if archive is None:
        return read_whole(path, LARGEST_LIBRARY)
    member = path.relative_to(archive).as_posix()
    try:
        with zipfile.ZipFile(archive) as held:
            if held.getinfo(member).file_size > LARGEST_LIBRARY:
                raise OSError(errno.EFBIG, f"more than {LARGEST_LIBRARY >> 20} MiB", str(path))
            return held.read(member)
    except KeyError as error:
        raise FileNotFoundError(errno.ENOENT, f"{archive.name} has no such member", str(path)) from error
    except zipfile.BadZipFile as error:
        raise NotADirectoryError(errno.ENOTDIR, "no folder and no archive", str(archive)) from error


def _archive_around(path: Path) -> Path | None:
    """The file that a path goes on behind, as if it were a folder."""
    return None if path.exists() else next((one for one in path.parents if one.is_file()), None)


def _at(path: Path, target: str) -> Iterator[HeldCode]:
    if path.is_dir():
        for file in sorted(one for one in path.rglob("*") if one.is_file()):
            if _beginning(file).startswith(_BEGIN):
                yield from _in_file(file, target, surely=False)
    elif path.is_file():
        yield from _in_file(path, target)
    else:
        archive = _archive_around(path)
        if archive is None:
            yield HeldCode(str(path), error=f"{path}: no such file or folder")
        else:
            yield from _in_archive(archive, target, path.relative_to(archive).as_posix())


def _beginning(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(32)
    except OSError:
        return b""


def _in_file(file: Path, target: str, *, surely: bool = True) -> Iterator[HeldCode]:
    if _beginning(file).startswith(_ARCHIVE):
        yield from _in_archive(file, target)
    else:
        yield from _within(str(file), partial(read_whole, file, LARGEST_LIBRARY), target, surely)


def _in_archive(file: Path, target: str, only: str = "") -> Iterator[HeldCode]:
    try:
        with zipfile.ZipFile(file) as archive:
            names = [name for name in archive.namelist() if not name.endswith("/") and only in ("", name)]
            if only and not names:
                yield HeldCode(f"{file}/{only}", error=f"{file}: no member {only}")
            for name in names:
                with archive.open(name) as member:
                    begins = member.read(32).startswith(BEGINNINGS)
                if begins or only:
                    yield from _within(f"{file}/{name}", partial(archive.read, name), target, bool(only))
    except (zipfile.BadZipFile, OSError) as error:
        yield HeldCode(str(file), error=f"{file}: {getattr(error, 'strerror', None) or error}")


def _within(path: str, read: Callable[[], bytes], target: str, surely: bool) -> Iterator[HeldCode]:
    """The code objects of a file; where it need not have any, as a host's library, none is no error."""
    try:
        found: Sequence[Bundled] = code_objects(read(), target)
    except NoCodeError as error:
        if surely:
            yield HeldCode(path, error=f"{path}: {getattr(error, 'strerror', None) or error}")
        return
    except (CodeObjectError, OSError, zipfile.BadZipFile) as error:
        yield HeldCode(path, error=f"{path}: {error}")
        return
    yield from (HeldCode(path, str(one.target), one.payload) for one in found)
