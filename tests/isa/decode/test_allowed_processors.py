"""Machine code of each decoded target: an instruction that the processor lacks is not read as if it were there."""

import fnmatch
import re
import subprocess
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from layoutalg.device.compilers import choose_compiler
from layoutalg.device.targets import processor
from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.architecture import ARCHITECTURES
from layoutalg.isa.decode import opcodes
from layoutalg.isa.decode.allowed import refuse_what_is_not_allowed
from layoutalg.isa.semantics.accesses import ACCESSES
from layoutalg.isa.semantics.table import ALU
from layoutalg.kernel.library.transpose import lds_transpose
from layoutalg.target import CodeFormat
from layoutalg.target.known import decoded
from tests.isa.assembly import assembled
from tests.matrix import each

SHORTHAND = {"V_MOV_B16", "V_SWAP_B16"}
"""In AMD's RDNA 4 ISA; the assembler takes them for gfx1201 only with +real-true16."""


def code_format(target: str) -> CodeFormat:
    machine = decoded()[target].machine
    assert machine
    return machine


def names(decoder: str) -> set[str]:
    """Every instruction that the decoder knows."""
    module = import_module(f"tinygrad.runtime.autogen.amd.{ARCHITECTURES[decoder].tables}.enum")
    found = {name for kind, enum in vars(module).items() if kind.endswith("Op") for name in enum.__members__}
    found = set() if decoder == "rdna2" else found  # whose every opcode is its own
    own = Path(opcodes.__file__).with_name(f"{decoder}.toml")
    found |= {name for rows in tomllib.loads(own.read_text()).values() for name in rows} if own.is_file() else set()
    return {name.removesuffix("_E32").removesuffix("_E64") for name in found}


@pytest.mark.parametrize("target", each(decoded(), "gfx1201"))
def test_what_the_processor_lacks_is_what_its_assembler_refuses(target: str, tmp_path: Path) -> None:
    machine = code_format(target)
    known = names(machine.decoder)
    described = sorted(known & {*ALU, *ACCESSES} - SHORTHAND)
    (tmp_path / "all.s").write_text("".join(f"{name.lower()}\n" for name in described))
    flags = ("--target=amdgcn-amd-amdhsa", f"-mcpu={processor(target)}", "-ferror-limit=0", "-c", "all.s")
    command = (*choose_compiler(target).clang, *flags, "-o", "all.o")
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stderr
    lines = re.findall(r"^all\.s:(\d+):\d+: error: instruction not supported on this GPU", said, re.MULTILINE)
    assert {described[int(line) - 1] for line in lines} == {name for name in described if machine.has_not(name)}
    assert all(fnmatch.filter(known, pattern) for pattern in machine.lacks)


def test_another_processors_instruction_is_refused() -> None:
    """gfx1151's code has scalar products of floats, which its decoder reads and gfx1100 would not execute."""
    binary = assembled(lds_transpose(vector=4), "gfx1151", lambda text: text)
    there = [one for one in binary.instructions if code_format("gfx1100").has_not(one.name)]
    assert {one.name for one in there} >= {"S_CVT_F32_U32", "S_MUL_F32"}
    refuse_what_is_not_allowed(binary.kernel, there)
    binary = assembled(lds_transpose(vector=4), "gfx1100", lambda text: text)
    with pytest.raises(UnsupportedInstructionError, match="an instruction that gfx1100 has not"):
        refuse_what_is_not_allowed(binary.kernel, there)
