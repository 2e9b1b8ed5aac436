"""Executors that others wrote, each in a process of its own, which is started again when it dies.

A worker reads dispatches from its standard input: a line of JSON (`Dispatch.header`), then the bytes of the regions. It
answers with a line, `{"ran": true}` and the same regions after the run, or `{"unknown": WHAT}`. One that dies answers
with the end of what it wrote to its standard error: `UNKNOWN` says which of these deaths mean that it does not know an
instruction.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from benchmarks.executors.dispatch import Dispatch

WORKERS = Path(__file__).parent / "workers"
SECONDS = 120.0
"""A dispatch that takes longer is ended."""


@dataclass(frozen=True)
class Executor:
    """One project: what runs it, given its checkout or what was built of it, and the targets that it has."""

    name: str
    command: tuple[str, ...]
    targets: tuple[str, ...]
    unknown: str  # a pattern: what it says when it dies of an instruction that it does not know


CDNA, RDNA = ("gfx90a", "gfx942", "gfx950"), ("gfx1100", "gfx1201")

EXECUTORS = {
    one.name: one
    for one in (
        Executor("tinygrad", (sys.executable, str(WORKERS / "tinygrad_worker.py")), CDNA + RDNA, r"(?!)"),
        Executor("mgpusim", (), ("gfx942",), r"(.*(?:not (?:implemented|supported)|not found|[Cc]annot find).*)"),
        Executor(
            "remu",
            (sys.executable, str(WORKERS / "remu_worker.py")),
            ("gfx1100",),
            r"((?:not yet implemented|assertion `left == right` failed).*)",
        ),
    )
}


@dataclass(frozen=True)
class Answer:
    """What came of a dispatch: memory by address, or why there is none."""

    memory: Mapping[int, bytes] | None
    unknown: str = ""
    died: str = ""


class Worker:
    """A process that carries dispatches out."""

    def __init__(self, executor: Executor, given: Sequence[str]):
        self.executor, self.given = executor, tuple(given)
        self._start()

    def _start(self) -> None:
        self.said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 as long as the process lives
        self.process = subprocess.Popen((*self.executor.command, *self.given), stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.said)  # fmt: skip

    def carry_out(self, sent: Dispatch) -> Answer:
        """One dispatch."""
        timer = threading.Timer(SECONDS, self.process.kill)
        timer.start()
        try:
            answer = self._asked(sent)
        except (BrokenPipeError, EOFError):
            answer = self._death(in_time=timer.is_alive())
        finally:
            timer.cancel()
        return answer

    def _asked(self, sent: Dispatch) -> Answer:
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin
        assert stdout
        stdin.write(sent.header() + b"".join(region.data for region in sent.regions))
        stdin.flush()
        line = stdout.readline()
        if not line:
            raise EOFError
        said = json.loads(line)
        if "unknown" in said:
            return Answer(None, unknown=said["unknown"])
        memory = {region.address: stdout.read(len(region.data)) for region in sent.regions}
        if any(len(memory[region.address]) != len(region.data) for region in sent.regions):
            raise EOFError
        return Answer(memory)

    def _death(self, in_time: bool) -> Answer:
        self.process.kill()
        code = self.process.wait()
        self.said.seek(0)
        said = self.said.read().decode(errors="replace")
        self._start()
        if not in_time:
            return Answer(None, died=f"not done in {SECONDS:.0f} s")
        found = re.findall(self.executor.unknown, said)
        if found:
            return Answer(None, unknown=found[-1].strip(" :"))
        lines = [line for line in said.splitlines() if line.strip()]
        last = [line for line in lines if line.startswith("panic:")][-1:] or lines[-2:]
        return Answer(None, died=f"exit {code}: {' | '.join(last)}")

    def close(self) -> None:
        """Ends the process."""
        self.process.kill()
        self.process.wait()
