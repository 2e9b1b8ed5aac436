"""Files that appear whole or not at all, both caches and every file that a command writes; and inputs of a known end.

The text goes to a file of another name beside its place, which is then moved there; processes that read or write the
same file at once see one whole content or another.  What it cannot promise: anything after a loss of power.
"""

from __future__ import annotations

import errno
import os
import tempfile
from contextlib import suppress
from pathlib import Path

LARGEST = 256 << 20
"""Bytes of an input: no code object, source or certificate is larger."""

LARGEST_LIBRARY = 4 << 30
"""Bytes of a host's library, which holds code objects for many GPUs."""


def read_whole(path: Path, largest: int = LARGEST) -> bytes:
    """The content of a regular file; `OSError` for a device, a pipe, or what has more bytes than the largest.

    >>> read_whole(Path("/dev/zero"))
    Traceback (most recent call last):
        ...
    OSError: [Errno 22] no regular file: '/dev/zero'
    """
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "no regular file", str(path))
    if path.stat().st_size > largest:
        raise OSError(errno.EFBIG, f"more than {largest >> 20} MiB", str(path))
    return path.read_bytes()


def files_of(folder: Path, ending: str) -> dict[str, bytes]:
    """The content of a folder's files of an ending, by name; what is no file, or cannot be read, is none of them.

    A link to nowhere is an editor's lock.  `OSError` where there is no such folder.
    """
    found = {}
    for path in sorted(folder.iterdir()):
        if path.name.endswith(ending):
            with suppress(OSError):
                found[path.name] = read_whole(path)
    return found


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file that appears whole or not at all, in a folder that is there.

    Raises `OSError` when it cannot be written; then nothing is left behind.

    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "a"
    >>> write_whole(path, b"text")
    >>> path.read_text()
    'text'
    """
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
