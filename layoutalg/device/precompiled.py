"""Headers that the compiler parses once: what comes after them goes on from there, in this process and in others.

What the compiler has made of a text lies in the cache's folder, `parsed/KEY`, with the hashes of all that it was made
from and its own: where one of these is another, the text is parsed anew.  The key has the command and the compiler's
version.  Of all folders the last used stay, `LIMIT` bytes together.  Where the cache cannot be written, they lie in a
folder of this process.

Who asks once is the quicker without: to parse headers for others costs more than to parse them.
What it cannot see: a header that is put where none was before, in front of one that was read.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from multiprocessing.util import Finalize
from pathlib import Path

from layoutalg import cache
from layoutalg.device.process import run_compiler
from layoutalg.disk import write_whole
from layoutalg.errors import CompileError

#: What the parsed text is called, in the compiler's list of what it has read.
SOURCE = "layoutalg-before.hip"

#: Bytes of all that is kept parsed; HIP's header takes 6 MB for each target and level, CK's take 30 to 50 MB.
LIMIT = 512 << 20

#: Who takes what is parsed opens it within so many seconds.
_IN_USE = 60

_PARSED, _READ, _DEPENDENCIES = "before.pch", "read.json", "before.d"
#: The compiler itself, too, holds a header of another size or time (in seconds) against what it was, by its content.
_STEP = tuple(
    part
    for flag in ("-fvalidate-ast-input-files-content", "-emit-pch", "-dependency-file", _DEPENDENCIES, "-MT", "before")
    for part in ("-Xclang", flag)
)


def precompiled(command: Sequence[str], text: str, version: str) -> tuple[str, ...]:
    """The flags that put a text of headers before a source; `command` compiles that source, up to its `-S`.

    `version` is the compiler's.  What was parsed is held against its headers once a process.

    Raises `CompileError` where the headers do not compile.
    """
    key = tuple(command), text, version
    folder = _once(*key)
    if not (folder / _PARSED).exists():  # it has gone for others
        _once.cache_clear()
        folder = _once(*key)
    return after(folder)


def precompiled_again(command: Sequence[str], text: str, version: str) -> tuple[str, ...]:
    """The same, but none where nobody has asked before."""
    folder = _folder(tuple(command), text, version)
    if folder.exists():
        return precompiled(command, text, version)
    folder.mkdir(parents=True)
    return ()


def after(folder: Path) -> tuple[str, ...]:
    """The flags that put what lies parsed in a folder before a source."""
    return "-include-pch", str(folder / _PARSED), "-Xclang", "-fvalidate-ast-input-files-content"


def parsed(command: Sequence[str], text: str, version: str) -> Path:
    """The folder of a text as the compiler has parsed it, now or before.

    Raises `CompileError` where it does not compile.
    """
    folder = _folder(tuple(command), text, version)
    folder.mkdir(parents=True, exist_ok=True)
    if unchanged(_made(folder)):
        with suppress(OSError):
            (folder / _PARSED).touch()
        return folder
    write_whole(folder / SOURCE, text.encode())
    status, said = run_compiler((*command, *_STEP, "-S", SOURCE, "-o", _PARSED), str(folder))
    if status != 0:
        raise CompileError(f"what a source is read with does not compile: {said[:400]}")
    made = dict(hashes([folder / _PARSED, *dependencies((folder / _DEPENDENCIES).read_text())]))
    write_whole(folder / _READ, json.dumps(made).encode())
    _prune(folder)
    return folder


def read(folder: Path) -> Mapping[str, str]:
    """The headers that what lies parsed in a folder was made from, with their hashes."""
    return {path: digest for path, digest in _made(folder).items() if path != str(folder / _PARSED)}


def _made(folder: Path) -> Mapping[str, str]:
    """The same, and the hash of what was made of them; nothing where there is none."""
    try:
        found: Mapping[str, str] = json.loads((folder / _READ).read_bytes())
    except (OSError, ValueError):
        return {}
    return found


def dependencies(made: str) -> Sequence[Path]:
    """The headers that a dependency file names, but ours, which the cache's key has."""
    names = re.sub(r"\\\n", " ", made).split(": ", 1)[-1]
    found = [Path(re.sub(r"\\(.)", r"\1", name)) for name in re.findall(r"(?:\\.|[^\s\\])+", names)]
    return [path for path in found if path.is_absolute() and path.name != SOURCE]


def hashes(paths: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """Files with their hashes."""
    for path in paths:
        yield str(path), hashlib.sha256(path.read_bytes()).hexdigest()


def unchanged(files: Mapping[str, str]) -> bool:
    """Whether files, one at least, still have these hashes."""
    try:
        return bool(files) and dict(hashes(map(Path, files))) == files
    except OSError:
        return False


@functools.cache
def _once(command: tuple[str, ...], text: str, version: str) -> Path:
    return parsed(command, text, version)


def _folder(command: tuple[str, ...], text: str, version: str) -> Path:
    return _root(cache.folder()) / cache.key("parsed", text, version, *command)


@functools.cache
def _root(kept: Path) -> Path:
    """The folder of all; of this process alone where the cache cannot be written."""
    folder = kept / "parsed"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder.resolve()
    except OSError:
        return Path(_own().name)


@functools.cache
def _own() -> tempfile.TemporaryDirectory[str]:
    folder = tempfile.TemporaryDirectory(prefix="layoutalg-")
    # A pool's process ends without `atexit`, by which the folder would go.
    Finalize(folder, shutil.rmtree, (folder.name,), {"ignore_errors": True}, exitpriority=0)
    return folder


def _prune(latest: Path) -> None:
    """Drops what was used the longest time ago, until what is left is within the limit."""
    found = []
    for folder in latest.parent.iterdir():
        with suppress(OSError):
            status = (folder / _PARSED).stat()
            found.append((status.st_mtime, status.st_size, folder))
    kept = sum(size for _, size, _ in found)
    for used, size, folder in sorted(found):
        if kept <= LIMIT or used > time.time() - _IN_USE:
            break
        shutil.rmtree(folder, ignore_errors=True)
        kept -= size
