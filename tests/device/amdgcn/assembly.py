"""Kernels whose assembly was edited by hand between the compiler and the assembler."""

import subprocess
import tempfile
from pathlib import Path

from layoutalg.device.amdgcn.binary import read_kernels
from layoutalg.device.amdgcn.program import decode_kernel
from layoutalg.device.compilers import choose_compiler, output_name
from layoutalg.kernel.emit import emit_unverified


def assembled(program, target, edit):
    """The program's binary; `edit` makes of the compiler's assembly what is assembled."""
    write, *rest = choose_compiler(target).steps(target, 3)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "kernel.hip").write_text(emit_unverified(program))
        subprocess.run(write, cwd=folder, check=True)
        source = Path(folder) / "kernel.s"
        source.write_text(edit(source.read_text()))
        for step in rest:
            subprocess.run(step, cwd=folder, check=True)
        return decode_kernel(read_kernels((Path(folder) / output_name(target)).read_bytes())[program.name])
