"""C that is compiled for this machine and run, in a process of its own, with no library of C.

For a program `zig cc` first builds that library, 29 s of a processor where its cache is empty.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from layoutalg.device.compilers import find_compilers

_CALL = """
import ctypes, sys
ctypes.CDLL(sys.argv[1]).run(ctypes.CFUNCTYPE(None, ctypes.c_longlong)(lambda n: print(n)))
"""


def told(source: str, folder: Path, *flags: str) -> list[int]:
    """What C23 without headers tells, by `void run(void (*tell)(long long))`; its own end if that is a bad one."""
    compiler = next(one for one in find_compilers() if one.kind == "zig")
    (folder / "t.c").write_text(source)
    command = (*compiler.clang, "-std=c23", "-O0", "-fPIC", *flags, "-c", "t.c", "-o", "t.o")
    for step in (command, (*compiler.linker, "-shared", "t.o", "-o", "t.so")):
        made = subprocess.run(step, cwd=folder, capture_output=True, text=True, timeout=120)
        assert made.returncode == 0, made.stderr[:3000]
    done = subprocess.run([sys.executable, "-c", _CALL, folder / "t.so"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"exit {done.returncode} (a trap is undefined behaviour)\n{done.stdout[-3000:]}"
    return [int(line) for line in done.stdout.split()]
