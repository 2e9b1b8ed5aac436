"""Files that appear whole or not at all: both caches and every file that a command writes.

The text goes to a file of another name beside its place, which is then moved there; processes that read or write the
same file at once see one whole content or another.  What it cannot promise: anything after a loss of power.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


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
