"""Writes the own opcodes of CDNA 5, by asking LLVM what each opcode is for gfx1250 and for gfx1201.

    python -m benchmarks.decoders.tables [--llvm LIBRARY] [--check]

An opcode is CDNA 5's own where LLVM knows it for gfx1250 and calls it otherwise, or not at all, for gfx1201.  The file
has with it an instruction of RDNA 4 whose fields are the same, chosen by the operands of LLVM's text, and which of
those are halves of registers.  Opcodes whose fields are those of no instruction of RDNA 4 are printed and left out.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import layoutalg.isa.decode as decode
from benchmarks.decoders.llvm import Llvm, llvm
from benchmarks.decoders.opcodes import PLACES, Place, read_all
from benchmarks.decoders.said import read

FILE = Path(decode.__file__).parent / "cdna5.toml"
HEAD = """\
# Opcodes of CDNA 5 (gfx1250) that RDNA 4 has for something else, or has not: each with an instruction of RDNA 4 of the
# same fields, and the operands that are of 16 bits.  Made by `python -m benchmarks.decoders.tables`, which asks LLVM's
# disassembler for gfx1250 and gfx1201 what each opcode is (LLVM {}, rocm-bindings-compiler 10.0.0.0.1.2).
"""
#: Encodings in the order of the file.
ENCODINGS = ("DS", "SOPP", "VBUFFER", "VFLAT", "VGLOBAL", "VOP1", "VOP2", "VOP3", "VOP3P")

_THREE = ((260, 264, 268), (4, 6, 264), (260, 264, 128), (260, 128, 128), (4, 8, 128), (128, 128, 128))
_PACKED = ((272, 288, 320), (272, 288, 128), (4, 6, 256))
#: Encoding → bits that most of its instructions may have, besides the encoding and the opcode.
WORDS: Mapping[str, tuple[int, ...]] = {
    "VOP3": tuple(2 | vcc | (a | b << 9 | c << 18) << 32 for a, b, c in _THREE for vcc in (0, 106 << 8)),
    "VOP3P": tuple(2 | hi | (a | b << 9 | c << 18 | (3 << 27 if hi else 0)) << 32 for a, b, c in _PACKED
                   for hi in (1 << 14, 0)),
    "VOP1": (260 | 2 << 17, 4 | 2 << 17, 260), "VOP2": (260 | 2 << 17 | 8 << 9, 4 | 2 << 17 | 8 << 9),
    "SOPP": (0,), "DS": ((4 | 8 << 8 | 12 << 16 | 16 << 24) << 32, 4 << 32, 16 << 56, 0),
    **dict.fromkeys(("VFLAT", "VGLOBAL"), (
        4 | (8 | 12 << 23) << 32 | 16 << 64, 124 | (8 | 12 << 23) << 32 | 16 << 64, 124 | 8 << 32 | 16 << 64,
        124 | 12 << 55 | 16 << 64, 4 | 12 << 55 | 16 << 64, 124, 4 | 16 << 64, 4 | 8 << 32,
    )),
    "VBUFFER": (124 | 8 << 32 | 4 << 41 | 1 << 55, 124 | 1 << 55),
}  # fmt: skip


def names(library: Llvm, target: str, place: Place) -> Iterator[tuple[int, str, str]]:
    """Each opcode of an encoding that LLVM knows: its name and LLVM's text of the first words that it takes."""
    encoding, upper, above, lowest, bits = place
    for opcode in range(1 << bits):
        head = upper << above | opcode << lowest
        codes = [(head | word).to_bytes(16, "little") for word in WORDS[encoding]]
        texts = [text for _, text in read_all(library, target, codes) if text and "/*Invalid" not in text]
        found = next(((read(text).name, text) for text in texts), None)
        if found:
            yield opcode, *found


def like(encoding: str, name: str, operands: list[str]) -> str:
    """An instruction of RDNA 4 of the same fields; empty where none is known."""
    sources = len(operands) - 1
    if encoding == "SOPP":
        return "S_NOP"
    if encoding == "VBUFFER":
        return "BUFFER_ATOMIC_ADD_U32"
    if encoding in ("VFLAT", "VGLOBAL"):
        kinds = {
            "TENSOR": "",
            "PREFETCH": "LOAD_B32",
            "ATOMIC": "ATOMIC_ADD_U32",
            "LOAD": "LOAD_B32",
            "STORE": "STORE_B32",
        }
        kind = next((kind for word, kind in kinds.items() if word in name), "")
        return f"{encoding[1:]}_{kind}" if kind else ""
    if encoding == "DS":
        atomic = "DS_ADD_RTN_U32" if "_RTN_" in name else "DS_ADD_U32" if sources == 1 else ""
        return "DS_LOAD_B32" if "LOAD" in name else atomic
    if "LD_SCALE" in name or name == "V_PERMLANE16_SWAP_B32":
        return "V_SWAP_B32" if encoding == "VOP1" else ""
    if name.startswith("V_FMA"):
        named = {"V_FMAMK_F64": "V_FMAMK_F32", "V_FMAAK_F64": "V_FMAAK_F32", "V_FMAC_F64": "V_FMAC_F32"}
        if name in named:
            return named[name]
    if "WMMA" in name or "SWMMAC" in name:
        return "V_WMMA_F32_16X16X16_F16"
    by_sources = {
        "VOP1": {1: "V_MOV_B32"}, "VOP2": {2: "V_ADD_F32"}, "VOP3P": {2: "V_PK_ADD_F16", 3: "V_PK_FMA_F16"},
        "VOP3": {1: "V_MOV_B32", 2: "V_MUL_LO_U32", 3: "V_FMA_F32"},
    }  # fmt: skip
    return by_sources[encoding].get(sources, "")


def table(library: Llvm) -> str:
    """The file's text."""
    parts = [HEAD.format(library.version)]
    for encoding in ENCODINGS:
        place = next(place for place in PLACES["rdna4"] if place[0] == encoding)
        theirs = {opcode: name for opcode, name, _ in names(library, "gfx1201", place)}
        rows = [f"\n[{encoding}]\n"]
        for opcode, name, text in names(library, "gfx1250", place):
            if theirs.get(opcode) == name:
                continue
            operands = [piece.split(" ")[0] for piece in re.split(r", *(?![^\[]*\])", text.partition(" ")[2])]
            other = like(encoding, name.upper(), operands)
            halves = "".join(role for role, one in zip("dabc", operands, strict=False) if re.search(r"\.[lh]$", one))
            if other:
                shown = f', "{halves}"' if halves else ""
                rows.append(f'{name.upper()} = [{opcode:#x}, "{other}"{shown}]\n')
            else:
                print(f"left out: {encoding} {opcode:#x} {text}", file=sys.stderr)
        parts.append("".join(rows))
    return "".join(parts)


def write_table(told: str | None, file: Path, table: Callable[[Llvm], str], arguments: list[str]) -> int:
    """The command that writes a table; with `--check` it says whether the file is what it would write."""
    parser = argparse.ArgumentParser(description=told, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--llvm", type=Path)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args(arguments)
    library = llvm(given.llvm)
    if library is None:
        parser.error("no libLLVM: say where it is with --llvm (benchmarks/decoders/llvm.py says where to get one)")
    text = table(library)
    if given.check:
        return int(file.read_text() != text)
    file.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(write_table(__doc__, FILE, table, sys.argv[1:]))
