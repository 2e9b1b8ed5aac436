"""Which forms of instructions stand in code that others compiled, and which of them the machines do not take.

    python -m benchmarks.foreign.forms [PATH …] [--target gfx90a:xnack-] [--corpus] [--all]

A form is a name with its encoding, the kinds of its operands, its constants and its modifiers (`isa.run.described`).
Each is asked of both machines, most frequent first: of that of `execute`, and of the symbolic one of `audit`, to which
what registers hold is unknown there, and what memory instructions reach is no question.  Paths are of code objects,
bundles, libraries, wheels and folders; what cannot be read is a line each, and of a code object that does not load the
section `.text` is read.  `--corpus` adds the HIP kernels
and Triton's builds in `tests/foreign`, at -O1 and -O3, for all targets.
"""

from __future__ import annotations

import argparse
import io
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, product
from pathlib import Path

from elftools.elf.elffile import ELFFile

from layoutalg.device.compile import compile_source
from layoutalg.errors import CodeObjectError, CompileError, UnsupportedInstructionError
from layoutalg.index import Expr, var
from layoutalg.isa.architecture import RSRC1
from layoutalg.isa.container import loader
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.container.places import held_at
from layoutalg.isa.decode.code import MachineCode, own_code
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.run.described import Surveyor, TakenForms, form_of
from layoutalg.isa.semantics.accesses import ACCESSES
from layoutalg.isa.semantics.control import BARRIERS, BRANCHES, ENDS, JUMPS
from layoutalg.isa.semantics.floats import FLOAT_MODE
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.machine.environment import Environment, Inputs
from layoutalg.symex.machine.machine import SymbolicMachine
from layoutalg.symex.machine.tracing import TraceBuilder
from layoutalg.symex.machine.wave import Wave
from layoutalg.target import known
from layoutalg.target import read as targets
from tests.foreign.corpus import TARGETS
from tests.foreign.table import KERNELS

BUILDS = Path(__file__).parents[2] / "tests" / "foreign" / "triton" / "builds"

#: What is asked of the machine of runs alone: where control goes, and what memory holds.
_OF_RUNS_ALONE = frozenset({*ACCESSES, *BARRIERS, *BRANCHES, *ENDS, *JUMPS})

#: EF_AMDGPU_MACH: the bits of an ELF header's flags that say for which processor it is (LLVM's AMDGPUUsage).
_PROCESSOR = 0xFF


class Nothing(Environment):
    """An environment that shows nothing."""

    def shows(self, goal: Expr, given: Expr) -> bool:
        """Never."""
        return False


def followed(forms: TakenForms, instruction: Instruction) -> str:
    """Why the symbolic machine does not take an instruction, of whose vector registers nothing is known; else empty."""
    block, thread = var("block", 1 << 20), var("thread", forms.wave_size)
    values = IndexValues(lambda goal, given: False, wave=Wave(forms.wave_size, (block,), (thread,)))
    code = MachineCode(forms.kernel, (instruction,))
    try:
        machine = SymbolicMachine(code, Inputs((), (block,), (thread,)), values, TraceBuilder(Nothing()))
        numbers = [values.const(k + 1, 32) for k in range(106)]
        machine.registers.put_scalars([("m0", 0), *(("s", k) for k in range(106))], [numbers[3], *numbers])
        machine.execute(instruction)
    except UnsupportedInstructionError as error:
        return str(error).replace(instruction.place, "").strip(" :")
    return ""


@dataclass
class Code:
    """The code of one kernel, or of a whole file that no loader takes."""

    name: str
    target: str
    text: bytes
    wave_size: int = 64
    float_mode: int = FLOAT_MODE


def codes(path: Path, target: str = "") -> Iterator[Code]:
    """The kernels in a file."""
    for held in held_at([path], target):
        if held.error:
            print(held.error)
        else:
            yield from _of_object(held.payload, path.name)


def _of_object(payload: bytes, name: str) -> Iterator[Code]:
    try:
        container = loader.Container.read(payload)
    except CodeObjectError:
        yield from _text(payload, name)
        return
    family = targets.kin().get(container.target, container.target)
    read = read_kernels(payload) if container.target in known.decoded() else {}
    for kernel, loaded in container.kernels.items():
        descriptor = int.from_bytes(loaded.descriptor, "little")
        mode = descriptor >> RSRC1 + 12 & 0xFF
        code = own_code(read[kernel]) if kernel in read else loaded.code
        yield Code(kernel, family, code, loaded.metadata.wave_size, mode)


def _text(payload: bytes, name: str) -> Iterator[Code]:
    """What is in the section of code, in the mode that is modelled."""
    file = ELFFile(io.BytesIO(payload))
    section, number = file.get_section_by_name(".text"), file["e_flags"] & _PROCESSOR
    found = [one for one, gpu in known.decoded().items() if gpu.machine and gpu.machine.number == number]
    if section is not None and found:
        yield Code(name, targets.kin().get(found[0], found[0]), section.data())


def corpus() -> Iterator[Code]:
    """The HIP kernels of the test suite at two levels, and Triton's builds."""
    sources = {kernel.source: kernel.targets for kernel in KERNELS.values()}
    for source, target, level in product(sources, TARGETS, (1, 3)):
        with suppress(CompileError):
            yield from _of_object(compile_source(source, target, opt_level=level).payload, target)
    for path in sorted(BUILDS.glob("*.co")):
        yield from codes(path)


@dataclass
class Sweep:
    """How often each form of a target stands in how many kernels, and one instruction of it."""

    instructions: Counter[tuple[TakenForms, str]] = field(default_factory=Counter)
    kernels: dict[tuple[TakenForms, str], set[int]] = field(default_factory=lambda: defaultdict(set))
    examples: dict[tuple[TakenForms, str], Instruction] = field(default_factory=dict)
    undecoded: Counter[tuple[str, str]] = field(default_factory=Counter)
    _seen: set[tuple[str, int, int, bytes]] = field(default_factory=set)
    _surveyors: dict[str, Surveyor] = field(default_factory=dict)

    def add(self, code: Code) -> None:
        """Counts what a code has; the same code counts once."""
        key = code.target, code.wave_size, code.float_mode, code.text
        if key in self._seen or code.target not in known.decoded():
            return
        self._seen.add(key)
        surveyor = self._surveyors.setdefault(code.target, Surveyor(code.target))
        forms = surveyor.forms(code.wave_size, code.float_mode)
        for parts, reason in surveyor.instructions(code.text):
            if reason:
                self.undecoded[code.target, reason] += 1
            for one in parts:
                form = forms, form_of(one)
                self.instructions[form] += 1
                self.kernels[form].add(len(self._seen))
                self.examples.setdefault(form, one)

    def show(self, every: bool) -> None:
        """Prints the forms that are not taken, those of most kernels first."""
        lacking = {}
        for form, one in self.examples.items():
            run = form[0].refused(one)
            audit = "" if run or one.name in _OF_RUNS_ALONE else followed(form[0], one)
            if run or audit:
                lacking[form] = f"execute: {run}" if run else f"audit: {audit}"
        print(f"{len(self._seen)} kernels, {sum(self.instructions.values())} instructions, {len(self.examples)} forms, "
              f"{len(lacking)} of them not taken; {time.process_time():.0f} s of CPU")  # fmt: skip
        for form in sorted(lacking, key=lambda form: -len(self.kernels[form]))[: None if every else 60]:
            mode = "" if form[0].float_mode == FLOAT_MODE else f" in the mode {form[0].float_mode:#x}"
            print(f"{len(self.kernels[form]):6} kernels {self.instructions[form]:7} times, {form[0].target}{mode}: "
                  f"{form[1]}: {lacking[form]}")  # fmt: skip
        for (target, reason), count in self.undecoded.most_common(None if every else 20):
            print(f"{count:7} times, {target}: {reason}")


def main() -> None:
    """Sweeps files and corpora."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--target", default="")
    parser.add_argument("--corpus", action="store_true")
    parser.add_argument("--all", action="store_true", dest="every")
    given = parser.parse_args()
    sweep = Sweep()
    for code in chain(corpus() if given.corpus else (), *(codes(path, given.target) for path in given.files)):
        sweep.add(code)
    sweep.show(given.every)


if __name__ == "__main__":
    main()
