"""Instructions that no assembler writes are refused, with what is wrong."""

import functools
import io
from dataclasses import replace

import pytest
from elftools.elf.elffile import ELFFile

from layoutalg.device.compile import compile_source
from layoutalg.errors import CodeObjectError, UnsupportedInstructionError
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.library.transpose import register_transpose
from layoutalg.refine.refinement import prove_binary
from tests.isa.assembly import assembled
from tests.matrix import each

PROGRAM = register_transpose(96, 64)
SUM = (
    "v_fmac_f32_e64 v2, v0, v1",
    "v_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], v[0:15]",
    "v_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], 0",
    "v_mfma_f32_4x4x4_16b_f16 v[0:3], v[0:1], v[2:3], v[0:3]",
)


@functools.cache
def payload(target):
    return compile_source(emit_unverified(PROGRAM), target).payload


@functools.cache
def kernel(target):
    return read_kernels(payload(target))[PROGRAM.name]


def encoded(target, line):
    """The bytes of one instruction."""
    binary = assembled(PROGRAM, target, lambda text: text.replace("\ts_endpgm\n", f"\ts_endpgm\n\t{line}\n", 1))
    end = next(i for i in binary.instructions if i.name == "S_ENDPGM")
    return binary.kernel.code[end.address + end.size - binary.kernel.entry :]


def decoded(target, code, **given):
    return decode_kernel(replace(kernel(target), code=code, **given))


def word(code, *changes):
    """The bytes with some fields replaced: (lowest, highest, value)."""
    number = int.from_bytes(code, "little")
    for low, high, new in changes:
        number = number & ~(((1 << high - low + 1) - 1) << low) | new << low
    return number.to_bytes(len(code), "little")


@pytest.mark.parametrize(
    ("target", "line", "changes", "why"),
    [
        ("gfx942", "s_load_dword s0, s[0:1], 0x0", [(6, 12, 124)], "it loads to m0"),
        ("gfx1100", "s_load_b32 s0, s[0:1], 0x0", [(6, 12, 124)], "it loads to null"),
        ("gfx1201", "s_load_b32 s0, s[0:1], 0x0", [(6, 12, 125)], "it loads to m0"),
        ("gfx942", "s_load_dwordx2 s[2:3], s[0:1], 0x0", [(6, 12, 3)], "2 registers from s3 on, which is not aligned"),
        ("gfx1100", "s_load_b128 s[4:7], s[0:1], 0x0", [(6, 12, 6)], "4 registers from s6 on, which is not aligned"),
        ("gfx942", "s_load_dwordx4 s[4:7], s[0:1], 0x0", [(6, 12, 104)], "4 registers from s104 on are not there"),
        ("gfx942", "v_lshl_add_u64 v[2:3], v[4:5], 1, v[6:7]", [(0, 7, 3)], "2 registers from v3 on, which is odd"),
        ("gfx942", "v_lshl_add_u64 v[2:3], v[4:5], 1, v[6:7]", [(32, 40, 261)], "2 registers from v5 on, which is odd"),
        ("gfx90a", "global_load_dwordx3 v[2:4], v[0:1], off", [(56, 63, 3)], "3 registers from v3 on, which is odd"),
        ("gfx90a", "global_load_dword v2, v[0:1], off", [(32, 39, 1)], "2 registers from v1 on, which is odd"),
        ("gfx942", "s_mov_b32 s4, s5", [(16, 22, 112)], "it writes s112, a trap temporary"),
        ("gfx1100", "v_readfirstlane_b32 s4, v1", [(17, 24, 108)], "it writes s108, a trap temporary"),
        ("gfx942", "v_add3_u32 v0, s4, v1, s4", [(32, 40, 5)], "it reads 2 scalar operands, the machine 1"),
        ("gfx942", "v_cndmask_b32_e32 v0, v1, v2, vcc", [(0, 8, 5)], "it reads 2 scalar operands, the machine 1"),
        ("gfx1100", "v_add3_u32 v0, s4, s5, s4", [(50, 58, 6)], "it reads 3 scalar operands, the machine 2"),
        ("gfx942", "v_fmac_f32_e64 v2, -v0, |v1|", [(61, 63, 4)], "neg of a source that it has not"),
        ("gfx942", "v_fmac_f32_e64 v2, v0, v1", [(8, 10, 4)], "abs of a source that it has not"),
        ("gfx942", SUM[1], [(32, 40, 256 + 4)], "the result lies on v4"),
        ("gfx942", SUM[1], [(50, 58, 256 + 2)], "the result lies on v2"),
        ("gfx1100", "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]", [(32, 40, 256 + 7)], "lies on v7"),
        ("gfx1201", "s_barrier_signal -1", [(0, 7, 128)], "a barrier that is not the block's"),
        ("gfx1201", "s_barrier_signal -1", [(0, 7, 125)], "a barrier that is not the block's"),
        ("gfx1201", "s_barrier_wait 0xffff", [(0, 15, 0)], "a barrier that is not the block's"),
        ("gfx1100", "flat_load_b32 v2, v[4:5]", [(0, 12, 0x1008)], "0x1008, of which the machine ignores the highest"),
        ("gfx950", "ds_write2_b32 v2, v3, v4 offset1:4", [(0, 7, 4)], "two elements at one offset"),
        ("gfx1201", "ds_load_2addr_stride64_b64 v[2:5], v6 offset1:1", [(8, 15, 0)], "two elements at one offset"),
        ("gfx942", "v_lshl_add_u64 v[2:3], s[4:5], 1, v[6:7]", [(32, 40, 253)], "2 registers from scc on are not"),
        ("gfx942", "v_lshl_add_u64 v[2:3], s[4:5], 1, v[6:7]", [(32, 40, 124)], "2 registers from m0 on are not"),
    ],
)
def test_what_no_assembler_writes_is_refused(target, line, changes, why):
    code = encoded(target, line)[:8]
    decoded(target, code, vector_registers=256)
    with pytest.raises(UnsupportedInstructionError, match=why):
        decoded(target, word(code, *changes), vector_registers=256)


@pytest.mark.parametrize("line", SUM)
def test_what_is_allowed_is_decoded(line):
    assert decoded("gfx942", encoded("gfx942", line)[:8], vector_registers=256).instructions


def test_three_registers_of_a_transposed_load_begin_at_any():
    """ds_read_b96_tr_b6 v[3:5], v0 (CDNA 4 ISA, 11.4), and of ds_read_b96 not."""
    assert decoded("gfx950", bytes.fromhex("0000c2d900000003")).instructions
    with pytest.raises(UnsupportedInstructionError, match="3 registers from v3 on, which is odd"):
        decoded("gfx950", bytes.fromhex("0000fcd900000003"))


def with_descriptor(target, offset, change):
    """The kernel with four bytes of its descriptor changed."""
    code = payload(target)
    elf = ELFFile(io.BytesIO(code))
    (symbol,) = elf.get_section_by_name(".dynsym").get_symbol_by_name(f"{PROGRAM.name}.kd")
    at = next(elf.address_offsets(symbol["st_value"])) + offset
    word = change(int.from_bytes(code[at : at + 4], "little")).to_bytes(4, "little")
    return read_kernels(code[:at] + word + code[at + 4 :])[PROGRAM.name]


@pytest.mark.parametrize("target", each(["gfx90a", "gfx942", "gfx1100", "gfx1201"], "gfx90a"))
def test_registers_that_a_kernel_does_not_ask_for_are_not_there(target):
    assert prove_binary(decode_kernel(kernel(target)), PROGRAM).proved
    why = "the kernel asks for 8 registers v|accumulation registers from 32 on, of 8 registers"
    with pytest.raises((UnsupportedInstructionError, CodeObjectError), match=why):
        decode_kernel(with_descriptor(target, 48, lambda word: word & ~63))


def test_scalar_registers_that_a_kernel_does_not_ask_for_are_not_there():
    few = with_descriptor("gfx942", 48, lambda word: word & ~(15 << 6))
    decode_kernel(replace(few, code=encoded("gfx942", "s_mov_b32 s15, 0")[:4]))
    with pytest.raises(UnsupportedInstructionError, match="the kernel asks for 16 registers s"):
        decode_kernel(replace(few, code=encoded("gfx942", "s_mov_b32 s16, 0")[:4]))


def test_accumulation_registers_begin_where_the_descriptor_says():
    fewer = with_descriptor("gfx942", 44, lambda word: word & ~63)
    assert (fewer.vector_registers, fewer.accumulators) == (4, kernel("gfx942").vector_registers - 4)
    read = bytes.fromhex("0c40d8d304010018")  # v_accvgpr_read_b32 v12, a4
    with pytest.raises(UnsupportedInstructionError, match="the kernel asks for 4 registers v"):
        decode_kernel(replace(fewer, code=read + fewer.code))


def test_f16_that_does_not_overflow_is_refused():
    with pytest.raises(CodeObjectError, match="f16 overflow"):
        with_descriptor("gfx1100", 48, lambda word: word | 1 << 26)


@pytest.mark.parametrize("target", each(["gfx1100", "gfx1201"], "gfx1100"))
def test_registers_that_were_given_back_are_not_used(target):
    message = "\ts_sendmsg sendmsg(MSG_DEALLOC_VGPRS)\n"

    def early(text):
        before, found, after = text.replace(message, "").rpartition("\tglobal_store_b128")
        return before + message + found + after

    with pytest.raises(UnsupportedInstructionError, match="have been given back"):
        assembled(PROGRAM, target, early)


def test_the_mark_of_the_end_of_code_is_no_instruction():
    """It interrupts a wave that comes there (RDNA 3 ISA, S_CODE_END)."""
    marked = assembled(PROGRAM, "gfx1100", lambda text: text.replace("\ts_endpgm\n", "\ts_code_end\n\ts_endpgm\n", 1))
    found = prove_binary(marked, PROGRAM, seconds=5)
    assert found.name == "unknown"
    assert "S_CODE_END" in found.failures[0][1].reason
