"""AMD machine code compiled for this processor, for its results alone: what `isa.compiled` writes, built and loaded.

A kernel is compiled once, by the compiler of the CPU's kernels, and kept in the cache by its text.
"""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from layoutalg.device.compile import compile_for_host
from layoutalg.errors import STEP_LIMIT
from layoutalg.isa.compiled.kernel import KernelText, text_of
from layoutalg.isa.compiled.launch import run_plainly
from layoutalg.isa.decode.code import MachineCode
from layoutalg.isa.run.arguments import Triple
from layoutalg.isa.run.laid_out import chosen, lay_out
from layoutalg.isa.run.launch import Execution

#: Each operation is rounded by itself, and bytes are what they are asked for as.
FLAGS = ("-ffp-contract=off", "-fno-math-errno", "-fno-strict-aliasing", "-std=c++20", "-w")


def execute_plainly(
    program: MachineCode, grid: Sequence[int], block: Sequence[int], args: Sequence[Any], step_limit: int = STEP_LIMIT,
    strict: bool = True, lds: int = 0, blocks: Sequence[Triple] = (),
) -> Execution:  # fmt: skip
    """Runs a kernel as `isa.run.launch.execute` does, compiled, and looks at addresses and barriers alone.

    Nothing is said of races, waits and undefined values, and a step is one wave's.  Blocks run one after another, so a
    kernel whose blocks wait for each other is refused.  Raises `UnsupportedInstructionError` besides where a run comes
    to an instruction that has no text.
    """
    written, library = compiled(program)
    laid_out = lay_out(program, grid, block, args, lds)
    return run_plainly(program, written, library, laid_out, step_limit, strict, chosen(laid_out.launch, blocks))


@lru_cache(maxsize=32)
def text(program: MachineCode) -> KernelText:
    """A kernel's text."""
    return text_of(program)


@lru_cache(maxsize=32)
def compiled(program: MachineCode, checked: bool = False) -> tuple[KernelText, ctypes.CDLL]:
    """A kernel's text, and the library that was made of it, with checks or without."""
    written = text(program)
    with tempfile.TemporaryDirectory(prefix="layoutalg-") as folder:
        path = Path(folder) / "kernel.so"
        path.write_bytes(compile_for_host(written.checked if checked else written.source, FLAGS))
        return written, ctypes.CDLL(str(path))
