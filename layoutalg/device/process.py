"""A compiler as a process: in a folder of its own, with a limit on its time and on its memory, ended with its children.

What a user hands over is compiled, never run; but templates and constant evaluation compute whatever they are told to,
so a compiler gets seconds and bytes, and what it started goes with it.  Where there is no `ulimit -v` (macOS ignores
it), the memory is not limited.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence

from layoutalg.errors import CompileError

#: How long one step of a compiler may take, in seconds.
TIME_LIMIT = 120.0

#: The address space of one step of a compiler, in bytes; the largest of CK's kernels takes a quarter.
MEMORY_LIMIT = 8 << 30


def run_compiler(command: Sequence[str], folder: str) -> tuple[int, str]:
    """Runs one step in a folder: its exit status, and all that it said.

    Raises `CompileError` where the command cannot be run or takes longer than it may.
    """
    if shutil.which(command[0]) is None:
        raise CompileError(f"{command[0]} cannot be run: install it again or name another")
    limited = ("sh", "-c", f'ulimit -v {MEMORY_LIMIT >> 10} 2>/dev/null; exec "$0" "$@"', *command)
    environment = {**os.environ, "TMPDIR": folder, "LC_ALL": "C"}
    process = subprocess.Popen(
        limited, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    try:
        said, _ = process.communicate(timeout=TIME_LIMIT)
    except subprocess.TimeoutExpired:
        raise CompileError(f"{command[0]} took over {TIME_LIMIT:g} s: give it less to do") from None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    return process.returncode, said.decode(errors="replace")
