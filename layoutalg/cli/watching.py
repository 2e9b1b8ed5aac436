"""`--watch`: a command done again whenever one of its files changes, until it is interrupted."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from layoutalg.cli.errors import BAD_INPUT, InputError, is_told, words
from layoutalg.cli.files import expand

EVERY = 0.3
"""Seconds between two looks at the files: a look costs microseconds a file, and works on every disk."""


def repeat(files: Sequence[Path], once: Callable[[], int]) -> int:
    """Does it now and after each change, bad input too; the last exit code, when it is interrupted."""
    code = 0
    try:
        while True:
            before = stamps(files)
            try:
                code = once()
            except Exception as error:
                if not is_told(error):
                    raise
                print(f"layoutalg: {words(error)}", file=sys.stderr)
                code = BAD_INPUT
            print("watching; Ctrl-C ends it", file=sys.stderr, flush=True)
            while stamps(files) == before:
                time.sleep(EVERY)
    except KeyboardInterrupt:
        return code


def stamps(files: Sequence[Path]) -> dict[Path, tuple[int, int]]:
    """When each file, and each spec file of a folder, was last written, and its size; without those that are gone."""
    found = {}
    for path in files:
        with suppress(InputError, OSError):
            for file in expand([path]):
                status = file.stat()
                found[file] = (status.st_mtime_ns, status.st_size)
    return found
