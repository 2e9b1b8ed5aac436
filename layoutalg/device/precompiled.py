"""Headers that the compiler parses once a process: what comes after them goes on from there."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Sequence
from pathlib import Path

from layoutalg.device.process import run_compiler
from layoutalg.errors import CompileError

#: What the parsed text is called, in the compiler's list of what it has read.
SOURCE = "layoutalg-before.hip"


def precompiled(command: Sequence[str], text: str) -> tuple[str, ...]:
    """The flags that put a text of headers before a source; `command` compiles that source, up to its `-S`."""
    return "-include-pch", str(Path(_parsed(tuple(command), text).name) / "before.pch")


@functools.cache
def _parsed(command: tuple[str, ...], text: str) -> tempfile.TemporaryDirectory[str]:
    """The folder of a text as the compiler has parsed it, for as long as this process lives."""
    folder = tempfile.TemporaryDirectory(prefix="layoutalg-")
    (Path(folder.name) / SOURCE).write_text(text)
    step = (*command, "-Xclang", "-emit-pch", "-S", SOURCE, "-o", "before.pch")
    status, said = run_compiler(step, folder.name)
    if status != 0:
        raise CompileError(f"what a source is read with does not compile: {said[:400]}")
    return folder
