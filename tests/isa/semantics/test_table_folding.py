"""The table of arithmetic instructions against LLVM: what the compiler computes of constants.

Each expression below is what the compiler selects the instruction for (or the instruction's own builtin).  Given
constants it is folded before any instruction is chosen, so two programs of two teams must agree on a number.  A
function that is not folded to a constant fails the test.
"""

import random
import re
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest

from layoutalg.device.compilers import find_compilers
from layoutalg.isa.run.arrays import ArrayValues
from layoutalg.isa.semantics.table import ALU
from tests.isa.semantics import test_floats, test_table
from tests.matrix import all_hold

#: Instruction (and `clamp`, where it has that bit) → its result, in C++ of words a, b, c, or of floats `A`, `B`, `C`.
FOLDED = {
    "V_ADD_U32": "a + b", "V_SUB_U32": "a - b", "V_SUBREV_U32": "b - a", "V_AND_B32": "a & b", "V_OR_B32": "a | b",
    "V_XOR_B32": "a ^ b", "V_XNOR_B32": "~(a ^ b)", "V_NOT_B32": "~a", "V_LSHLREV_B32": "b << (a & 31)",
    "V_LSHRREV_B32": "b >> (a & 31)", "V_ASHRREV_I32": "(u32)((i32)b >> (a & 31))",
    "V_LSHL_ADD_U32": "(a << (b & 31)) + c", "V_ADD_LSHL_U32": "(a + b) << (c & 31)",
    "V_LSHL_OR_B32": "(a << (b & 31)) | c", "V_ADD3_U32": "a + b + c", "V_AND_OR_B32": "(a & b) | c",
    "V_OR3_B32": "a | b | c", "V_XOR3_B32": "a ^ b ^ c", "V_XAD_U32": "(a ^ b) + c", "V_BFI_B32": "(a & b) | (~a & c)",
    "V_BFE_U32": "__builtin_amdgcn_ubfe(a, b & 31, c & 31)",
    "V_BFE_I32": "(u32)__builtin_amdgcn_sbfe(a, b & 31, c & 31)",
    "V_MUL_LO_U32": "a * b", "V_MUL_HI_U32": "(u32)((u64)a * b >> 32)",
    "V_MUL_HI_I32": "(u32)((i64)(i32)a * (i32)b >> 32)", "V_MUL_U32_U24": "(a & 0xFFFFFF) * (b & 0xFFFFFF)",
    "V_MUL_I32_I24": "(u32)(((i32)(a << 8) >> 8) * (i64)((i32)(b << 8) >> 8))",
    "V_MAD_U32_U24": "(a & 0xFFFFFF) * (b & 0xFFFFFF) + c",
    "V_MIN_U32": "a < b ? a : b", "V_MAX_U32": "a > b ? a : b", "V_MIN_I32": "(u32)((i32)a < (i32)b ? (i32)a : (i32)b)",
    "V_MAX_I32": "(u32)((i32)a > (i32)b ? (i32)a : (i32)b)", "V_ALIGNBIT_B32": "__builtin_amdgcn_alignbit(a, b, c)",
    "V_PERM_B32": "__builtin_amdgcn_perm(a, b, c)", "V_CMP_LT_I32": "(u32)((i32)a < (i32)b)",
    "V_CMP_GT_U32": "(u32)(a > b)", "S_BITSET1_B32": "b | 1u << (a & 31)",
    "V_BFREV_B32": "__builtin_bitreverse32(a)", "V_BCNT_U32_B32": "__builtin_popcount(a) + b",
    "V_FFBL_B32": "a ? __builtin_ctz(a) : ~0u", "V_FFBH_U32": "a ? __builtin_clz(a) : ~0u",
    "V_FFBH_I32": "(a ^ (u32)((i32)a >> 31)) ? __builtin_clz(a ^ (u32)((i32)a >> 31)) : ~0u",
    "V_MUL_HI_U32_U24": "(u32)((u64)(a & 0xFFFFFF) * (b & 0xFFFFFF) >> 32)",
    "V_MUL_HI_I32_I24": "(u32)((i64)((i32)(a << 8) >> 8) * ((i32)(b << 8) >> 8) >> 32)",
    "V_MIN3_I32": "(u32)least((i32)a, least((i32)b, (i32)c))", "V_MAX3_U32": "most(a, most(b, c))",
    "V_MED3_I32": "(u32)most(least((i32)a, (i32)b), least(most((i32)a, (i32)b), (i32)c))",
    "V_MAXMIN_U32": "least(most(a, b), c)", "V_SAD_U32": "(a > b ? a - b : b - a) + c",
    "V_ALIGNBYTE_B32": "(u32)(((u64)a << 32 | b) >> 8 * (c & 3))",
    "V_MAD_U16": "(u16)(a * b + c)", "V_ASHRREV_I16": "(u16)((i16)b >> (a & 15))",
    "V_MIN_I16": "(u16)least((i16)a, (i16)b)",
    "V_MAX_U16": "most((u16)a, (u16)b)", "V_MAD_I32_I16": "(u32)((i16)a * (i16)b) + c",
    "V_CMP_LT_I16": "(u32)((i16)a < (i16)b)",
    "V_CMP_GE_U16": "(u32)((u16)a >= (u16)b)", "V_PK_ADD_U16": "(a + b & 0xFFFF) | ((a >> 16) + (b >> 16)) << 16",
    "V_PK_LSHLREV_B16": "(u16)(b << (a & 15)) | (b >> 16) << (a >> 16 & 15) << 16",
    "V_PK_MIN_I16": "(u16)least((i16)a, (i16)b) | (u32)least((i16)(a >> 16), (i16)(b >> 16)) << 16",
    "V_DOT2_I32_I16": "(u32)((i16)a * (i16)b) + (u32)((i16)(a >> 16) * (i16)(b >> 16)) + c",
    "V_DOT4_U32_U8": "(u8)a * (u8)b + (u8)(a >> 8) * (u8)(b >> 8) + (u8)(a >> 16) * (u8)(b >> 16)"
    " + (a >> 24) * (b >> 24) + c",
    "V_ADD_U32 clamp": "__builtin_elementwise_add_sat(a, b)", "V_SUB_U32 clamp": "__builtin_elementwise_sub_sat(a, b)",
    "V_SUBREV_U32 clamp": "__builtin_elementwise_sub_sat(b, a)",
    "V_ADD_I32 clamp": "(u32)__builtin_elementwise_add_sat((i32)a, (i32)b)",
    "V_SUB_I32 clamp": "(u32)__builtin_elementwise_sub_sat((i32)a, (i32)b)",
    "V_ADD_U16 clamp": "__builtin_elementwise_add_sat((u16)a, (u16)b)",
    "V_SUB_U16 clamp": "__builtin_elementwise_sub_sat((u16)a, (u16)b)",
    "V_ADD_I16 clamp": "(u16)__builtin_elementwise_add_sat((i16)a, (i16)b)",
    "V_PK_SUB_I16 clamp": "(u16)__builtin_elementwise_sub_sat((i16)a, (i16)b)"
    " | (u32)__builtin_elementwise_sub_sat((i16)(a >> 16), (i16)(b >> 16)) << 16",
    "V_ADD_F32": "bits(A + B)", "V_SUB_F32": "bits(A - B)", "V_MUL_F32": "bits(A * B)",
    "V_FMA_F32": "bits(__builtin_fmaf(A, B, C))", "V_MAX_F32": "bits(__builtin_fmaxf(A, B))",
    "V_MIN_F32": "bits(__builtin_fminf(A, B))",
    "V_CVT_F32_U32": "bits((float)a)", "V_CVT_F32_I32": "bits((float)(i32)a)",
    "V_CVT_F16_F32": "half((_Float16)A)",
    "V_CVT_F32_F16": "bits((float)__builtin_bit_cast(_Float16, (unsigned short)a))",
    "V_CMP_LT_F32": "(u32)(A < B)", "V_CMP_LG_F32": "(u32)__builtin_islessgreater(A, B)",
    "V_CMP_U_F32": "(u32)__builtin_isunordered(A, B)", "V_CMP_NLT_F32": "(u32)!(A < B)",
}  # fmt: skip
PRELUDE = """
#define least(x, y) ((x) < (y) ? (x) : (y))
#define most(x, y) ((x) > (y) ? (x) : (y))
typedef unsigned short u16; typedef short i16; typedef unsigned char u8;
typedef unsigned u32; typedef int i32; typedef unsigned long u64; typedef long i64;
#define bits(x) __builtin_bit_cast(u32, (x))
#define half(x) (u32)__builtin_bit_cast(unsigned short, (x))
"""
CASES = 6
WORDS = (0, 1, 7, 31, 32, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x0C0B0A09, 0x07060500, 0x3F800000, 0xBF800000,
         0x477FE000, 0x00800000, 0x4B800001, 0x33800001)  # fmt: skip


def words(name):
    rng = random.Random(name)
    return [[rng.choice(WORDS) if rng.random() < 0.6 else rng.getrandbits(32) for _ in range(3)] for _ in range(CASES)]


def folded():
    """What the compiler makes of every case: {(name, number): constant}."""
    source = [PRELUDE]
    for name, expression in FOLDED.items():
        for k, (a, b, c) in enumerate(words(name)):
            lines = [f"const u32 {x} = {n:#x}u;" for x, n in zip("abc", (a, b, c), strict=True)]
            lines += [f"const float {x.upper()} = __builtin_bit_cast(float, {x});" for x in "abc"]
            source.append(
                f'extern "C" u32 {name.replace(" ", "_")}__{k}() {{ {" ".join(lines)} return {expression}; }}'
            )
    compiler = next(c for c in find_compilers() if c.kind == "zig")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "f.cpp").write_text("\n".join(source))
        command = (*compiler.clang, "--target=amdgcn-amd-amdhsa", "-mcpu=gfx942", "-std=c++17", "-O2", "-w",
                   "-nogpulib", "-S", "f.cpp", "-o", "-")  # fmt: skip
        found = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=True).stdout
    result = {}
    for function, body in re.findall(r"^(\w+__\d+):[^\n]*\n(.*?)s_setpc_b64", found, re.MULTILINE | re.DOTALL):
        code = [line.split(";")[0].strip() for line in body.splitlines()]
        code = [line for line in code if line and not line.startswith((".", "s_waitcnt"))]
        constant = re.fullmatch(r"v_(?:mov_b32_e32|bfrev_b32_e32|not_b32_e32) v0, (\S+)", code[0])
        if len(code) == 1 and constant:
            result[function] = valued(code[0].split()[0], constant[1])
    return result


def valued(operation, text):
    """A constant as the assembler has it."""
    number = int(np.float32(float(text)).view(np.uint32)) if "." in text else int(text, 0) & 0xFFFFFFFF
    if operation.startswith("v_bfrev"):
        return int(f"{number:032b}"[::-1], 2)
    return number ^ 0xFFFFFFFF if operation.startswith("v_not") else number


@pytest.mark.slow
def test_entries_are_what_llvm_folds():
    found = folded()
    all_hold(FOLDED, lambda name: is_what_llvm_folds(name, found))


def is_what_llvm_folds(name, folded):
    (key, *clamp), case = name.split(), name.replace(" ", "_")
    w, alu, fields = ArrayValues(), ALU[key], {"clmp": 1} if clamp else {}
    for k, (a, b, c) in enumerate(words(name)):
        given = dict(zip("abc", (a, b, c), strict=True))
        if name.startswith("V_BFE"):
            given |= {"b": b & 31, "c": c & 31}  # LLVM knows widths of 0 to 32, the instruction takes five bits
        if name == "S_BITSET1_B32":
            given |= {"d": b}
        with np.errstate(all="ignore"):
            sources = [
                w.const(given[token[0]] & (0xFFFF if token.endswith("16") else 0xFFFFFFFF), 32) for token in alu.reads
            ]
            got = alu.effect(w, *sources, **fields)
        got = int((got[0] if len(alu.writes) > 1 else got).item())
        assert f"{case}__{k}" in folded, f"not folded: {FOLDED[name]}"
        expected = folded[f"{case}__{k}"]
        both_nan = got & 0x7FFFFFFF > 0x7F800000 and expected & 0x7FFFFFFF > 0x7F800000
        assert got == expected or ("F32" in name and both_nan), (
            hex(got),
            hex(expected),
            list(map(hex, given.values())),
        )


def test_how_each_entry_is_known():
    """By AMD's text for the name, or by that of another name, reviewed by hand; what LLVM folds is in the table."""
    by_text = {name for name, _ in test_table.texts()} | set(test_floats.texts())
    assert set(ALU) - by_text == test_table.REVIEWED | test_floats.MULTIPLY_THEN_ADD | test_floats.OF_CDNA_5
    assert {name.split()[0] for name in FOLDED} <= set(ALU)
