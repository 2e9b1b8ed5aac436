"""A command line and what came of it: `run` in this process, `start` in one of its own, which costs its start-up.

Both keep all that is written to the two streams, by the process itself and by those that it starts.  Each command is
started once by some test, so that what only a fresh process shows (an import left out, a bad end) is seen too.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import pytest

from layoutalg.cli import main

Finished = subprocess.CompletedProcess[str]
GOOD = """
[[descriptor]]
name = "a_lds"
dtype = "f16"
base = { kind = "naive", lengths = [8, 64, 8], strides = [520, 8, 1] }
steps = [[
  { transform = "pass_through", length = 64,      lower = [1],    upper = [0] },
  { transform = "merge",        lengths = [8, 8], lower = [0, 2], upper = [1] },
]]
"""
"""A spec file whose every claim is proved."""


def written(folder: Path, text: str) -> Path:
    """A spec file of that text."""
    path = folder / "spec.toml"
    path.write_text(text)
    return path


def run(*arguments: object) -> Finished:
    """What the command does; as when a shell starts it, it reads `sys.argv` and exits."""
    words = ["layoutalg", *map(str, arguments)]
    texts: dict[str, str] = {}
    with (
        mock.patch.object(sys, "argv", words),
        _written("stdout", 1, texts),
        _written("stderr", 2, texts),
        pytest.raises(SystemExit) as stopped,
    ):
        main()
    return Finished(words, stopped.value.code, **texts)


def start(*arguments: object) -> Finished:
    """What the command does in a process of its own."""
    command = [sys.executable, "-c", "from layoutalg.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def refused(result: Finished, *words: str, shown: bool = False) -> None:
    """Exit 3, one line on stderr with these words, no traceback; on stdout nothing, or the one document of JSON.

    `shown`: below it stand lines of a source, with a caret.
    """
    assert result.returncode == 3, result
    if {"--json", "json"} & {*result.args}:
        assert json.loads(result.stdout).keys() == {"error", "exit"}
    else:
        assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert (len(lines) > 2 and " | " in lines[1] and "^" in lines[2]) if shown else len(lines) == 1, result.stderr
    for word in words:
        assert word in lines[0]


@contextmanager
def _written(name: str, number: int, texts: dict[str, str]) -> Iterator[None]:
    """Keeps in `texts` what is written to a stream, by its name in `sys` and by its number."""
    before = os.dup(number)
    with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
        os.dup2(file.fileno(), number)
        try:
            with mock.patch.object(sys, name, file):
                yield
        finally:
            os.dup2(before, number)
            os.close(before)
        file.seek(0)
        texts[name] = file.read()
