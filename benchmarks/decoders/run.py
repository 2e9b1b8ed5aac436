"""Two decoders over machine code: ours, and LLVM's disassembler (`llvm`).

    python -m benchmarks.decoders.run FILE|FOLDER … [--llvm LIBRARY]    code objects
    python -m benchmarks.decoders.run builds [--levels 012s3] …         our kernels, as `benchmarks.binary.builds`
    python -m benchmarks.decoders.run foreign …                         the kernels of `tests/foreign`, -O1 and -O3
    python -m benchmarks.decoders.run opcodes [--each 16] [--seed 7] …  every opcode, with fields at random

Prints what was compared, then how they differ, the most frequent first, each with one example; exit 1 where they do.
`--targets gfx1250` compares other targets than the usual.
`--sample FILE` writes one encoding of each name, form and set of modifiers, with LLVM's text, for the tests.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.binary.builds import TARGETS, kernels
from benchmarks.decoders.compare import Comparison
from benchmarks.decoders.llvm import Llvm, llvm
from benchmarks.decoders.opcodes import encodings
from benchmarks.decoders.sample import write
from layoutalg.device.compile import compile_source
from layoutalg.errors import CompileError
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.container.elf import SHT_DYNSYM, SHT_SYMTAB, Elf
from layoutalg.kernel.emit import emit_unverified
from layoutalg.target.known import processors
from tests.foreign.running import binary
from tests.foreign.table import KERNELS

_FUNCTION = 2
"""STT_FUNC."""

#: Targets for which the kernels are those of another.
LIKE = {"gfx1250": "gfx1201"}


def functions(path: Path) -> Iterator[tuple[str, bytes]]:
    """The target of a code object and each of its functions' code."""
    elf = Elf.read(path.read_bytes())
    target = processors()[elf.flags & 0xFF].name
    segments, addresses = elf.segments(), set()
    for section in elf.sections:
        for symbol in elf.symbols(section) if section.kind in (SHT_SYMTAB, SHT_DYNSYM) else ():
            if symbol.kind == _FUNCTION and symbol.size and symbol.address not in addresses:
                addresses.add(symbol.address)
                found = (segment.bytes_at(symbol.address, symbol.size) for segment in segments)
                yield target, next(code for code in found if code is not None)


def _of_files(paths: list[str]) -> Iterator[tuple[str, bytes]]:
    for path in map(Path, paths):
        for file in sorted(path.iterdir()) if path.is_dir() else [path]:
            yield from functions(file)


def _of_builds(levels: str, targets: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    for kernel, programs in kernels().items():
        for target in targets:
            for level in levels:
                source = emit_unverified(programs.get(target) or programs[LIKE[target]])
                try:
                    code = compile_source(source, target, flags=(f"-O{level}",))
                except CompileError as error:
                    print(f"{kernel} {target} -O{level}: {str(error).splitlines()[0]}", file=sys.stderr)
                    continue
                for one in read_kernels(code.payload).values():
                    yield target, one.code


def _of_foreign(targets: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    for kernel in KERNELS.values():
        for target in targets or kernel.targets:
            for level in (1, 3):
                try:
                    yield target, binary(kernel, target, level).code
                except CompileError as error:
                    print(f"{kernel.name} {target} -O{level}: {str(error).splitlines()[0]}", file=sys.stderr)


def show(comparison: Comparison) -> None:
    """Prints the numbers and the differences."""
    for target, count in comparison.instructions.items():
        print(f"{target}: {count} instructions, {comparison.encodings[target]} encodings")
    for key, count in comparison.differences.most_common():
        one = comparison.examples[key]
        print(f"{count:8} {' | '.join(key)}")
        print(f"         {one.target} {one.code.hex()}: {one.theirs or '-'} / {one.ours or '-'}")


def main(arguments: list[str]) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="+")
    parser.add_argument("--llvm", type=Path)
    parser.add_argument("--levels", default="012s3")
    parser.add_argument("--targets", nargs="*", default=())
    parser.add_argument("--each", type=int, default=16)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--sample", type=Path)
    given = parser.parse_args(arguments)
    library = llvm(given.llvm)
    if library is None:
        parser.error("no libLLVM: say where it is with --llvm (benchmarks/decoders/llvm.py says where to get one)")
    comparison = Comparison(library)
    if given.what == ["opcodes"]:
        _compare_opcodes(comparison, library, given.targets or TARGETS, given.each, given.seed)
    else:
        made = {
            "builds": lambda: _of_builds(given.levels, given.targets or TARGETS),
            "foreign": lambda: _of_foreign(given.targets),
        }
        for target, code in made.get(given.what[0], lambda: _of_files(given.what))():
            comparison.add(code, target)
    print(f"LLVM {library.version}")
    show(comparison)
    if given.sample:
        write(given.sample, comparison)
    return 1 if comparison.differences else 0


def _compare_opcodes(comparison: Comparison, library: Llvm, targets: Sequence[str], each: int, seed: int) -> None:
    for target in targets:
        for code, size, text in encodings(library, target, each, seed):
            comparison.take(code[:size] if size else code, target, text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
