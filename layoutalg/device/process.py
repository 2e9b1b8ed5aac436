"""A compiler as a process: in a folder of its own, with a limit on its time and on its memory, ended with its children.

What a user hands over is compiled, never run; but templates and constant evaluation compute whatever they are told to,
so a compiler gets seconds of the processor and bytes, and what it started goes with it.  Where there is no `ulimit -v`
(macOS ignores it), the memory is not limited.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from math import ceil

from layoutalg.errors import CompileError

#: How long one step of a compiler may take, in seconds of the processor: what compiles does not depend on what else
#: the machine does.
TIME_LIMIT = 120.0

#: How much longer it may take by the clock.
PATIENCE = 10

#: The address space of one step of a compiler, in bytes; the largest of CK's kernels takes a quarter.
MEMORY_LIMIT = 8 << 30

_TOO_LONG = "{} took over {:g} s: give it less to do"


def run_compiler(command: Sequence[str], folder: str, place: str = "") -> tuple[int, str]:
    """Runs one step in a folder, or at another place with that folder for its own files: its status, and what it said.

    Raises `CompileError` where the command cannot be run or takes longer than it may.
    """
    if shutil.which(command[0]) is None:
        raise CompileError(f"{command[0]} cannot be run: install it again or name another")
    limits = f"ulimit -v {MEMORY_LIMIT >> 10} 2>/dev/null; ulimit -t {ceil(TIME_LIMIT)}"
    limited = ("sh", "-c", f'{limits}; exec "$0" "$@"', *command)
    environment = {**os.environ, "TMPDIR": folder, "LC_ALL": "C"}
    process = subprocess.Popen(
        limited,
        cwd=place or folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        said, _ = process.communicate(timeout=TIME_LIMIT * PATIENCE)
    except subprocess.TimeoutExpired:
        raise CompileError(_TOO_LONG.format(command[0], TIME_LIMIT)) from None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    if -process.returncode in (signal.SIGXCPU, signal.SIGKILL):
        raise CompileError(_TOO_LONG.format(command[0], TIME_LIMIT))
    return process.returncode, said.decode(errors="replace")
