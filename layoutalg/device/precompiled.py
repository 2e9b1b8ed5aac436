"""Headers that the compiler parses once a process: what comes after them goes on from there.

A process that asks once is the quicker without: to parse headers for others costs more than to parse them.
"""

from __future__ import annotations

import functools
import itertools
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from multiprocessing.util import Finalize
from pathlib import Path

from layoutalg.device.process import run_compiler
from layoutalg.errors import CompileError

#: What the parsed text is called, in the compiler's list of what it has read.
SOURCE = "layoutalg-before.hip"


def precompiled(command: Sequence[str], text: str) -> tuple[str, ...]:
    """The flags that put a text of headers before a source; `command` compiles that source, up to its `-S`."""
    return after(_parsed(tuple(command), text))


def after(folder: tempfile.TemporaryDirectory[str]) -> tuple[str, ...]:
    """The flags that put what lies parsed in a folder before a source."""
    return "-include-pch", str(Path(folder.name) / "before.pch")


def precompiled_again(command: Sequence[str], text: str) -> tuple[str, ...]:
    """The same, but none where this process asks for the first time."""
    return precompiled(command, text) if next(_asked(tuple(command), text)) else ()


@functools.cache
def _asked(command: tuple[str, ...], text: str) -> Iterator[int]:
    return itertools.count()


@functools.cache
def _parsed(command: tuple[str, ...], text: str) -> tempfile.TemporaryDirectory[str]:
    """The folder of a text as the compiler has parsed it, for as long as this process lives."""
    return parsed(command, text)


def parsed(command: Sequence[str], text: str) -> tempfile.TemporaryDirectory[str]:
    """The folder of a text as the compiler has parsed it, with what else the command writes."""
    folder = tempfile.TemporaryDirectory(prefix="layoutalg-")
    # A pool's process ends without `atexit`, by which the folder would go.
    Finalize(folder, shutil.rmtree, (folder.name,), {"ignore_errors": True}, exitpriority=0)
    (Path(folder.name) / SOURCE).write_text(text)
    step = (*command, "-Xclang", "-emit-pch", "-S", SOURCE, "-o", "before.pch")
    status, said = run_compiler(step, folder.name)
    if status != 0:
        raise CompileError(f"what a source is read with does not compile: {said[:400]}")
    return folder
