"""Honest builds: every kernel × target × level × compiler, each carried out and proved.

Wheels of other versions of ziglang bring other versions of LLVM; a folder for each, as `pip install --target` makes it:

    pip install --no-deps --target WHEELS/0.15.2 ziglang==0.15.2

A clang with its ld.lld elsewhere is given by its folder (`bin/clang++`, `bin/ld.lld`).
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from layoutalg.cli.golden import programs
from layoutalg.device.compile import compile_source
from layoutalg.device.compilers import Compiler, find_compilers
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.program import Program

TARGETS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")
LEVELS = ("0", "1", "2", "s", "3")
PRODUCTS = ("gemm_f16", "contraction_f32", "contraction_bf16", "conv_f16")
"""Kernels of loops and matrix instructions."""


@cache
def kernels() -> Mapping[str, Mapping[str, Program]]:
    """Every kernel's program, by folder and target."""
    return {
        name: {t: folder.get(t) or folder[""] for t in TARGETS if folder.keys() & {t, ""}}
        for name, folder in programs().items()
    }


def compilers(folders: list[Path]) -> Iterator[tuple[str, Compiler]]:
    """The usual compiler, and those in folders, each with the version that it says."""
    usual = next(compiler for compiler in find_compilers() if compiler.kind == "zig")
    yield usual.version, usual
    for folder in folders:
        for zig in sorted(folder.glob("**/ziglang/zig")):
            include = ("-nostdinc", "-isystem", str(zig.parent / "lib" / "include"))
            command = (str(zig), "clang")
            name = f"{_version(command)} (ziglang {zig.parent.parent.name})"
            yield name, Compiler("zig", command, (str(zig), "ld.lld"), name, include)
        clang = folder / "bin" / "clang++"
        if clang.is_file():
            name = _version((str(clang),))
            yield name, Compiler("system", (str(clang),), (str(folder / "bin" / "ld.lld"),), f"{name} {clang}")


def _version(command: tuple[str, ...]) -> str:
    said = subprocess.run((*command, "--version"), capture_output=True, text=True, timeout=60, check=True).stdout
    found = re.search(r"^(.*)clang version (\S+)", said, re.MULTILINE)
    return f"{found[1]}clang {found[2]}" if found else said.splitlines()[0]


def built(kernel: str, target: str, level: str, compiler: Compiler) -> MachineCode:
    """One kernel's binary; CompileError where the compiler does not know the target or does not take the source."""
    program = kernels()[kernel][target]
    code = compile_source(emit_unverified(program), target, compiler=compiler, flags=(f"-O{level}",))
    return decode_kernel(read_kernels(code.payload)[program.name])
