"""Kernels edited by hand: their assembly between the compiler and the assembler, or the bits of one instruction."""

import functools
import io
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

from elftools.elf.elffile import ELFFile

from layoutalg.device.compile import compile_to_assembly
from layoutalg.device.compilers import choose_compiler, output_name
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.kernel.emit import emit_unverified

#: `s_nop 0`.
NOP = 0xBF800000


def assembled(program, target, edit):
    """The program's binary; `edit` makes of the compiler's assembly what is assembled."""
    _, *rest = choose_compiler(target).steps(target, 3)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "kernel.s").write_text(edit(_assembly(emit_unverified(program), target)))
        for step in rest:
            subprocess.run(step, cwd=folder, check=True)
        return decode_kernel(read_kernels((Path(folder) / output_name(target)).read_bytes())[program.name])


@functools.cache
def _assembly(source, target):
    return compile_to_assembly(source, target)


def with_scratch(text, size):
    """The assembly of a kernel that asks for scratch, which descriptor and metadata say."""
    for line in (".amdhsa_private_segment_fixed_size ", ".private_segment_fixed_size: "):
        assert f"{line}0" in text
        text = text.replace(f"{line}0", f"{line}{size}")
    return text


def mutant(program, instruction, *bits):
    """The program with some bits of one instruction's encoding replaced: (lowest, highest, value)."""
    start = instruction.address - program.kernel.entry
    word = int.from_bytes(program.kernel.code[start : start + instruction.size], "little")
    for low, high, new in bits:
        mask = ((1 << high - low + 1) - 1) << low
        word = word & ~mask | new << low
    code = bytearray(program.kernel.code)
    code[start : start + instruction.size] = word.to_bytes(instruction.size, "little")
    return decode_kernel(replace(program.kernel, code=bytes(code)))


def bytes_of(lines, target):
    """What the assembler makes of instructions that stand in no kernel, one after the other."""
    _, assemble, *_ = choose_compiler(target).steps(target, 3)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "kernel.s").write_text("\n".join((*lines, "")))
        subprocess.run(assemble, cwd=folder, check=True)
        return ELFFile(io.BytesIO((Path(folder) / "kernel.o").read_bytes())).get_section_by_name(".text").data()
