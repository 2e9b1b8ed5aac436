"""A folder of what was compiled and decided, one file for each content hash.

The key is the SHA-256 of everything that the result depends on (source, headers, flags, compiler, and for the CPU the
processor). A file holds the SHA-256 of its payload, then the payload, and appears whole by a rename, so processes share
the folder freely. A file that does not match its own hash counts as absent and is written anew.

The folder is `$LAYOUTALG_CACHE`, else `$XDG_CACHE_HOME/layoutalg`, else `~/.cache/layoutalg`. Where it cannot be
written, nothing is kept and nothing fails. Files lie in 256 folders by the first two digits of their keys, at most
`LIMIT` in each; the oldest half of a folder goes when there are more. So a write never looks through the whole cache.
"""

import hashlib
import os
import sys
from functools import cache
from pathlib import Path

from layoutalg.disk import write_whole
from layoutalg.lazy import lazy_imports

with lazy_imports():
    from importlib import metadata


LIMIT = 16


def folder() -> Path:
    """Where the cache lies."""
    if explicit := os.environ.get("LAYOUTALG_CACHE"):
        return Path(explicit)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "layoutalg"


def key(*parts: bytes | str) -> str:
    """The content hash of some parts; where one part ends matters.

    >>> key("ab", "c") == key("a", "bc")
    False
    """
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


@cache
def package() -> str:
    """The hash of this package's source, and of the versions of what verdicts rest on."""
    root = Path(__file__).parent
    files = sorted(path for path in root.rglob("*") if path.suffix in (".py", ".toml", ".json"))
    versions = [metadata.version(name) for name in ("z3-solver", "numpy", "sympy")]
    sources = (part for path in files for part in (str(path.relative_to(root)), path.read_bytes()))
    return key(sys.version, *versions, *sources)


def read(name: str) -> bytes | None:
    """The payload kept under a key, or None when there is none or it is damaged."""
    try:
        content = _path(name).read_bytes()
    except OSError:
        return None
    digest, payload = content[:32], content[32:]
    return payload if hashlib.sha256(payload).digest() == digest else None


def write(name: str, payload: bytes) -> None:
    """Keeps a payload under a key; does nothing when the folder cannot be written."""
    try:
        path = _path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, hashlib.sha256(payload).digest() + payload)
        _prune(path.parent)
    except OSError:
        return


def _path(name: str) -> Path:
    return folder() / "objects" / name[:2] / name


def _prune(folder: Path) -> None:
    files = [path for path in folder.iterdir() if path.is_file()]
    if len(files) > LIMIT:
        for path in sorted(files, key=lambda path: path.stat().st_mtime)[: len(files) // 2]:
            path.unlink(missing_ok=True)
