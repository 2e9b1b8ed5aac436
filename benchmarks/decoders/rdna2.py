"""Writes RDNA 2's opcodes, by asking LLVM what each opcode is for gfx1030, and RDNA 3's of the same fields.

    python -m benchmarks.decoders.rdna2 [--llvm LIBRARY] [--check]

An instruction of RDNA 3 has the same fields where it has the same name, or the one that the name became: LLVM's
assembler takes the older ones for gfx1100 too (VOP*Instructions.td, DSInstructions.td, FLATInstructions.td, aliases).
Those without one are printed and left out.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import tinygrad.runtime.autogen.amd.rdna3.enum as rdna3

import layoutalg.isa.decode as decode
from benchmarks.decoders.llvm import Llvm
from benchmarks.decoders.opcodes import PLACES, read_all
from benchmarks.decoders.said import read
from benchmarks.decoders.tables import write_table

FILE = Path(decode.__file__).parent / "rdna2.toml"
HEAD = """\
# RDNA 2's opcodes: each with the instruction of RDNA 3 that has the same fields, by its decoder's name.  Made by
# `python -m benchmarks.decoders.rdna2`, which asks LLVM's disassembler for gfx1030 what each opcode is (LLVM {}).
"""
_NULL = 125
_THREE = ((260, 264, 268), (4, 6, 264), (260, 264, 128), (260, 128, 128), (4, 8, 128), (128, 128, 128))
_PACKED = ((272, 288, 320), (272, 288, 128), (4, 6, 256))


def _flat(seg: int) -> tuple[int, ...]:
    """Words of the three kinds of flat accesses: loads, stores, atomic operations."""
    return tuple(
        seg << 14 | glc << 16 | (4 | data << 8 | _NULL << 16 | result << 24) << 32
        for data, result, glc in ((0, 0, 0), (0, 16, 0), (8, 0, 0), (8, 16, 1))
    )


#: Encoding → bits that most of its instructions may have, besides the encoding and the opcode.
WORDS: Mapping[str, tuple[int, ...]] = {
    "SOP2": (4 | 8 << 8 | 12 << 16,), "SOPK": (4 << 16 | 1, _NULL << 16), "SOP1": (4 | 8 << 16, 4, 8 << 16),
    "SOPC": (4 | 8 << 8,), "SOPP": (0,), "VOP2": (260 | 2 << 17 | 8 << 9, 4 | 2 << 17 | 8 << 9),
    "VOP1": (260 | 2 << 17, 4 | 2 << 17, 260), "VOPC": (260 | 8 << 9,),
    "VOP3": (126 | (260 | 264 << 9) << 32,
             *(2 | vcc | (a | b << 9 | c << 18) << 32 for a, b, c in _THREE for vcc in (0, 106 << 8))),
    "VOP3P": tuple(2 | hi | (a | b << 9 | c << 18 | (3 << 27 if hi else 0)) << 32 for a, b, c in _PACKED
                   for hi in (1 << 14, 0)),
    "DS": (*((4 | a << 8 | b << 16 | d << 24) << 32
             for a, b, d in ((8, 12, 16), (0, 0, 0), (0, 0, 16), (8, 0, 0), (8, 0, 16))), 0),
    "SMEM": (2 | 8 << 6 | _NULL << 57, _NULL << 57, 8 << 6 | _NULL << 57, 2 | _NULL << 57),
    "FLAT": _flat(0), "GLOBAL": _flat(2), "SCRATCH": _flat(1),
    "MUBUF": (8 << 40 | 128 << 56, 128 << 56, 0),
}  # fmt: skip

_WIDTHS = {
    "UBYTE": "U8", "SBYTE": "I8", "USHORT": "U16", "SSHORT": "I16", "SHORT": "B16", "BYTE": "B8", "DWORD": "B32",
    **{f"DWORDX{n}": f"B{32 * n}" for n in (2, 3, 4, 8, 16)},
}  # fmt: skip
_ATOMICS = {
    **{name: f"{name}_U32" for name in ("ADD", "SUB", "INC", "DEC", "CSUB")},
    **{name: f"{name}_B32" for name in ("SWAP", "CMPSWAP", "AND", "OR", "XOR")},
    "SMIN": "MIN_I32", "SMAX": "MAX_I32", "UMIN": "MIN_U32", "UMAX": "MAX_U32",
    "FMIN": "MIN_F32", "FMAX": "MAX_F32", "FCMPSWAP": "CMPSWAP_F32",
}  # fmt: skip
#: What stands in a name → what became of it.
_PARTS = (
    ("DS_READ2ST64", "DS_LOAD_2ADDR_STRIDE64"), ("DS_READ2_", "DS_LOAD_2ADDR_"), ("DS_READ_", "DS_LOAD_"),
    ("DS_WRITE2ST64", "DS_STORE_2ADDR_STRIDE64"), ("DS_WRITE2_", "DS_STORE_2ADDR_"), ("DS_WRITE_", "DS_STORE_"),
    ("WRXCHG2ST64", "STOREXCHG_2ADDR_STRIDE64"), ("WRXCHG2", "STOREXCHG_2ADDR"), ("WRXCHG", "STOREXCHG"),
    ("DS_CMPST", "DS_CMPSTORE"), ("S_ANDN2", "S_AND_NOT1"), ("S_ANDN1", "S_AND_NOT0"), ("S_ORN2", "S_OR_NOT1"),
    ("S_ORN1", "S_OR_NOT0"), ("_TRU_", "_T_"), ("_PKNORM_", "_PK_NORM_"), ("_PKRTZ_", "_PK_RTZ_"),
)  # fmt: skip
#: Others, and those of which no name became anything, but that have the fields of another.
_OTHERS = {
    "S_FF1_I32_B32": "S_CTZ_I32_B32", "S_FF1_I32_B64": "S_CTZ_I32_B64", "S_FLBIT_I32_B32": "S_CLZ_I32_U32",
    "S_FLBIT_I32_B64": "S_CLZ_I32_U64", "S_FLBIT_I32": "S_CLS_I32", "S_FLBIT_I32_I64": "S_CLS_I32_I64",
    "S_FF0_I32_B32": "S_CTZ_I32_B32", "S_FF0_I32_B64": "S_CTZ_I32_B64", "V_FFBH_U32": "V_CLZ_I32_U32",
    "V_FFBL_B32": "V_CTZ_I32_B32", "V_FFBH_I32": "V_CLS_I32", "V_CVT_RPI_I32_F32": "V_CVT_NEAREST_I32_F32",
    "V_CVT_FLR_I32_F32": "V_CVT_FLOOR_I32_F32", "V_CVT_PKACCUM_U8_F32": "V_CVT_PK_U8_F32",
    "V_MUL_LEGACY_F32": "V_MUL_DX9_ZERO_F32", "V_FMA_LEGACY_F32": "V_FMA_DX9_ZERO_F32",
    "V_FMAC_LEGACY_F32": "V_FMAC_DX9_ZERO_F32", "S_INST_PREFETCH": "S_SET_INST_PREFETCH_DISTANCE",
    "V_DOT2C_F32_F16": "V_FMAC_F32", "V_DOT4C_I32_I8": "V_FMAC_F32", "V_DOT2_I32_I16": "V_DOT2_F32_F16",
    "V_DOT2_U32_U16": "V_DOT2_F32_F16", "V_DOT4_I32_I8": "V_DOT4_U32_U8", "V_DOT8_I32_I4": "V_DOT8_U32_U4",
}  # fmt: skip


def newer(name: str) -> str:
    """RDNA 3's name.

    >>> newer("GLOBAL_LOAD_SBYTE_D16_HI"), newer("BUFFER_ATOMIC_SMIN_X2"), newer("DS_READ2ST64_B64")
    ('GLOBAL_LOAD_D16_HI_I8', 'BUFFER_ATOMIC_MIN_I64', 'DS_LOAD_2ADDR_STRIDE64_B64')
    """
    atomic = re.fullmatch(r"(\w+_ATOMIC)_([A-Z]+)(_X2)?", name)
    if atomic and atomic[2] in _ATOMICS:
        whole = _ATOMICS[atomic[2]]
        return f"{atomic[1]}_{whole[:-2]}64" if atomic[3] else f"{atomic[1]}_{whole}"
    access = re.fullmatch(r"(\w+_(?:LOAD|STORE))_([A-Z0-9]+)((?:_D16)?(?:_HI)?)", name)
    if access and access[2] in _WIDTHS:
        return f"{access[1]}{access[3]}_{_WIDTHS[access[2]]}"
    for old, new in _PARTS:
        name = name.replace(old, new)
    return _OTHERS.get(name, name)


def _known(encoding: str) -> Mapping[str, str]:
    """The decoder's names of RDNA 3's instructions of an encoding, by those without the encoding's suffix."""
    enums = [getattr(rdna3, f"{name}Op") for name in ((encoding, "VOP3SD") if encoding == "VOP3" else (encoding,))]
    return {re.sub("_E(32|64)$", "", name): name for enum in enums for name in enum.__members__}


def _rows(library: Llvm, encoding: str) -> Iterator[tuple[str, int, str]]:
    """Name, opcode, and RDNA 3's name of the same fields."""
    place = "FLAT" if encoding in ("GLOBAL", "SCRATCH") else encoding
    _, upper, above, lowest, bits = next(one for one in PLACES["rdna2"] if one[0] == place)
    known = _known(encoding)
    for opcode in range(1 << bits):
        head = upper << above | opcode << lowest
        if any(below < above and head >> below == other for _, other, below, _, _ in PLACES["rdna2"]):
            continue  # another encoding's
        codes = [(head | word).to_bytes(16, "little") for word in WORDS[encoding]]
        texts = [text for _, text in read_all(library, "gfx1030", codes) if text and "/*Invalid" not in text]
        name = read(texts[0]).name.upper() if texts else ""
        like = known.get(name) or known.get(newer(name))
        if like:
            yield name, opcode, like
        elif name:
            print(f"left out: {encoding} {opcode:#x} {texts[0]}", file=sys.stderr)


def table(library: Llvm) -> str:
    """The file's text."""
    parts = [HEAD.format(library.version)]
    for encoding in WORDS:
        parts.append(f"\n[{encoding}]\n")
        parts += [f'{name} = [{opcode:#x}, "{like}"]\n' for name, opcode, like in _rows(library, encoding)]
    return "".join(parts)


if __name__ == "__main__":
    sys.exit(write_table(__doc__, FILE, table, sys.argv[1:]))
