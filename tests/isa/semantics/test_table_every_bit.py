"""Every bit of an instruction says something to the machine, or an instruction with it the other way is refused.

One instruction of each form is assembled, each of its bits is turned over, and what is decoded is carried out: it must
be refused, or leave something else behind.  What may change nothing is listed, with who says so.
"""

import functools
import re
from contextlib import nullcontext
from dataclasses import replace
from itertools import combinations_with_replacement

import numpy as np
import pytest

from layoutalg.errors import Fault, UnsupportedInstructionError
from layoutalg.isa.decode.code import branch_target
from layoutalg.isa.decode.instructions import EXEC, Operand, decode
from layoutalg.isa.interpreter.sub_dword import WHOLE
from layoutalg.isa.run.concrete import ConcreteMachine
from layoutalg.isa.run.cycles import LdsMeter
from layoutalg.isa.run.spaces import GlobalMemory, Region
from layoutalg.isa.semantics.accesses import NO_EFFECT
from layoutalg.isa.semantics.control import ENDS
from tests.isa.assembly import assembled
from tests.isa.decode.test_allowed import PROGRAM, decoded
from tests.matrix import some

CDNA = """
v_mov_b32_e32 v2, v7
v_mov_b32_e64 v2, v7
v_add_u32_e32 v2, v7, v9
v_add_u32_e64 v2, v7, v9
v_mul_f32_e64 v2, v7, v9
v_mul_f32_e64 v2, -v7, |v9|
v_cvt_f32_u32_e64 v2, v7
v_fma_f64 v[2:3], -v[8:9], |v[10:11]|, v[12:13]
v_add_f64 v[2:3], v[8:9], -4.0
v_cmp_gt_f64_e64 s[10:11], v[8:9], v[10:11]
v_ldexp_f64 v[2:3], v[8:9], v7
v_rcp_f64_e32 v[2:3], v[8:9]
v_div_fmas_f64 v[2:3], v[8:9], v[10:11], v[12:13]
v_max3_f32 v2, v7, v9, v11
v_mul_f16_e64 v2, -v7, |v9|
v_pk_fma_f16 v2, v7, v9, v11 op_sel:[1,0,0] neg_lo:[0,1,0]
v_fma_mixlo_f16 v2, v7, v9, v11 op_sel_hi:[1,0,0]
v_cvt_f32_f16_sdwa v2, v7 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
v_sub_u32_sdwa v2, v7, v9 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:WORD_1
v_sub_u32_sdwa v2, v7, v9 dst_sel:WORD_0 dst_unused:UNUSED_SEXT src0_sel:BYTE_2 src1_sel:BYTE_1
v_cmp_gt_f16_sdwa s[10:11], v7, v9 src0_sel:WORD_1 src1_sel:WORD_1
v_cmp_gt_f16_sdwa vcc, v7, v9 src0_sel:WORD_1 src1_sel:WORD_1
v_mov_b32_dpp v2, v7 row_shr:1 row_mask:0xa bank_mask:0xe
v_add_f32_dpp v2, -v7, |v9| quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
v_cmp_gt_u32_e32 vcc, v7, v9
v_cmp_gt_f32_e64 s[10:11], v7, v9
v_cmpx_gt_u32_e64 s[10:11], v7, v9
v_cndmask_b32_e64 v2, v7, v9, s[10:11]
v_add_co_u32_e64 v2, s[10:11], v7, v9
v_add3_u32 v2, v7, v9, v11
v_mad_u64_u32 v[2:3], s[10:11], v7, v9, v[12:13]
v_add_u16_e64 v2, v7, v9
v_mad_u16 v2, v7, v9, v11
v_bfrev_b32_e64 v2, v7
v_mbcnt_lo_u32_b32 v2, v7, v9
v_cmp_lt_i16_e64 s[10:11], v7, v9
v_pk_add_u16 v2, v7, v9
v_pk_mad_i16 v2, v7, v9, v11
v_dot4_i32_i8 v2, v7, v9, v11
v_swap_b32 v2, v7
s_bcnt1_i32_b64 s10, s[12:13]
v_readlane_b32 s10, v7, 3
v_writelane_b32 v2, s10, 3
v_readfirstlane_b32 s10, v7
v_accvgpr_write_b32 a2, v7
v_accvgpr_read_b32 v2, a7
s_add_u32 s10, s12, s13
s_mov_b32 s10, s12
s_cmp_eq_u32 s12, s13
s_movk_i32 s10, 0x7
s_load_dword s10, s[4:5], 0x10
s_load_dword s10, s[4:5], s6
global_load_dword v2, v[4:5], off offset:16
global_load_dword v2, v6, s[4:5] offset:16
global_store_dword v[4:5], v7, off offset:16
flat_load_dword v2, v[4:5] offset:16
ds_read_b32 v2, v6 offset:16
ds_read2_b32 v[2:3], v6 offset0:1 offset1:2
ds_write_b32 v6, v7 offset:16
global_atomic_add v[4:5], v7, off offset:16
ds_wrxchg_rtn_b32 v2, v6, v7 offset:16
ds_mskor_b32 v6, v7, v9 offset:16
s_waitcnt vmcnt(1) lgkmcnt(2)
s_barrier
s_endpgm
s_cbranch_scc0 4
"""
GFX90A = """
buffer_load_dword v2, v6, s[8:11], s6 offen offset:16
buffer_store_dwordx2 v[8:9], v6, s[8:11], 0 offen
buffer_atomic_add v2, v6, s[8:11], 0 offen glc
global_atomic_swap_x2 v[2:3], v[4:5], v[8:9], off offset:16 glc
"""
GFX942 = """
buffer_load_dword v2, v6, s[8:11], s6 offen offset:16

v_pk_mul_f32 v[2:3], v[8:9], v[10:11]
v_pk_fma_f32 v[2:3], v[8:9], v[10:11], v[12:13]
v_pk_mov_b32 v[2:3], v[8:9], v[10:11] op_sel:[0,1]
v_lshl_add_u64 v[2:3], v[8:9], 2, v[10:11]
v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[10:11], v[0:3]
scratch_load_dword v2, off, off offset:16
scratch_load_dword v2, v6, off offset:16
s_load_dword s10, s[4:5], s6 offset:0x10
"""
RDNA = """
v_mov_b32_e32 v2, v7
v_mov_b32_e64 v2, v7
v_add_nc_u32_e32 v2, v7, v9
v_add_nc_u32_e64 v2, v7, v9
v_mul_f32_e64 v2, v7, v9
v_mul_f32_e64 v2, -v7, |v9|
v_cvt_f32_u32_e64 v2, v7
v_fma_f64 v[2:3], -v[8:9], |v[10:11]|, v[12:13]
v_fma_f16 v2, v7, v9, v11
v_pk_mul_f16 v2, v7, v9
v_fma_mix_f32 v2, v7, v9, v11
v_cvt_f32_f16_e64 v2, v7
v_cmp_gt_u32_e32 vcc_lo, v7, v9
v_cmp_gt_f32_e64 s10, v7, v9
v_cndmask_b32_e64 v2, v7, v9, s10
v_add_co_u32 v2, s10, v7, v9
v_add3_u32 v2, v7, v9, v11
v_add_nc_u16 v2, v7, v9
v_add_nc_u16 v2, v7, s12
v_max_i16 v2, v7, v9
v_mad_u16 v2, v7, v9, v11
v_cmp_lt_i16_e64 s10, v7, v9
v_pk_add_u16 v2, v7, v9
v_dot4_i32_iu8 v2, v7, v9, v11
v_ctz_i32_b32_e64 v2, v7
v_readlane_b32 s10, v7, 3
v_writelane_b32 v2, s10, 3
v_readfirstlane_b32 s10, v7
v_mov_b32_dpp v2, v7 row_ror:1 row_mask:0x3 bank_mask:0xe bound_ctrl:1
v_add_f32_e64_dpp v2, v7, v9 row_xmask:5 row_mask:0x3 bank_mask:0xf
v_add_f32_dpp v2, v7, v9 dpp8:[7,6,5,4,3,2,1,0]
v_dual_mov_b32 v2, v7 :: v_dual_mov_b32 v3, v8
v_dual_mul_f32 v2, v7, v9 :: v_dual_add_f32 v3, v8, v10
s_mov_b32 s10, s12
s_cmp_eq_u32 s12, s13
s_movk_i32 s10, 0x7
s_load_b32 s10, s[4:5], 0x10
global_load_b32 v2, v[4:5], off offset:16
global_load_b32 v2, v6, s[4:5] offset:16
global_store_b32 v[4:5], v7, off offset:16
flat_load_b32 v2, v[4:5] offset:16
scratch_load_b32 v2, off, off offset:16
scratch_load_b32 v2, v6, off offset:16
buffer_load_b32 v2, v6, s[8:11], s6 offen offset:16
buffer_store_b64 v[8:9], v6, s[8:11], s6 offen
s_endpgm
s_cbranch_scc0 4
"""
LINES = {
    "gfx90a": CDNA + GFX90A,
    "gfx942": CDNA + GFX942,
    "gfx950": "v_bitop3_b32 v2, v7, v9, v11 bitop3:0x27\nv_mfma_f32_32x32x16_f16 v[0:15], v[16:19], v[20:23], 0\n",
    "gfx1100": RDNA
    + """
s_add_u32 s10, s12, s13
v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]
ds_load_b32 v2, v6 offset:16
ds_store_b32 v6, v7 offset:16
buffer_atomic_add_u32 v2, v6, s[8:11], 0 offen glc
global_atomic_add_u32 v2, v[4:5], v7, off offset:16 glc
buffer_gl0_inv
s_waitcnt vmcnt(1) lgkmcnt(2)
s_waitcnt_vscnt null, 0x1
s_barrier
""",
    "gfx1201": RDNA
    + """
s_add_co_u32 s10, s12, s13
v_wmma_f32_16x16x16_f16 v[0:7], v[8:11], v[12:15], v[0:7]
ds_load_b32 v2, v6 offset:16
ds_store_b32 v6, v7 offset:16
buffer_atomic_add_u32 v2, v6, s[8:11], null offen th:TH_ATOMIC_RETURN
global_atomic_add_u32 v2, v[4:5], v7, off offset:16 th:TH_ATOMIC_RETURN
s_wait_loadcnt 0x1
s_wait_loadcnt_dscnt 0x102
s_wait_kmcnt 0x1
s_barrier_signal -1
s_barrier_wait 0xffff
""",
}
CASES = [(target, line) for target, lines in LINES.items() for line in lines.splitlines() if line]

#: Fields that say how, not what: the order of caches (LLVM's AMDGPUUsage, "Memory Model"), and waits for exports.
CACHES = frozenset({"glc", "slc", "dlc", "sc0", "sc1", "nt", "th", "scope"})
EXPORTS = {"cdna": 0x70, "rdna3": 0x7}
#: The bits that make s0 the constant 0 in the three source fields, which assemblers write where there is no source.
ZEROS = {"cdna": (), "rdna3": (39, 48, 57), "rdna4": (39, 48, 57)}
#: Registers that the kernel asks for.
ALL = {"vector_registers": 256, "accumulators": 256}
HERE, ROOM = 0x5_0000_8000, 1 << 16


@functools.cache
def registers(wave_size):
    """Finite numbers as f16, bf16 and f32, alike where lanes hold one element; v4, v6, s4, s6 and s8 lead to memory."""
    rng = np.random.default_rng(5)

    def drawn(*shape):
        high = rng.integers(0, 2, shape) << 15 | rng.integers(124, 130, shape) << 7 | rng.integers(0, 128, shape)
        low = rng.integers(0, 2, shape) << 15 | rng.integers(13, 17, shape) << 10 | rng.integers(0, 1024, shape)
        return (high << 16 | low).astype(np.uint32)

    vectors = {(kind, k): drawn(1, 16) for kind in "va" for k in range(256)}
    lanes = np.arange(16, dtype=np.uint32)[None] * 16
    vectors["v", 4], vectors["v", 5], vectors["v", 6] = lanes + np.uint32(HERE % 2**32), 0 * lanes + 5, lanes
    scalars = {("s", k): drawn(1, 1) for k in range(EXEC)} | {("m0", 0): drawn(1, 1)}
    scalars |= {("s", k): np.full((1, 1), v, np.uint32) for k, v in ((4, HERE % 2**32), (5, 5), (6, 32))}
    words = (HERE % 2**32, 5, ROOM // 4, 0x20000 if wave_size == 64 else 0x31004000)
    scalars |= {("s", 8 + k): np.full((1, 1), v, np.uint32) for k, v in enumerate(words)}
    whole = {k: np.tile(v, (1, 1, 1, wave_size // 16)) for k, v in vectors.items()}
    return whole, {k: v[None, None] for k, v in scalars.items()}


def left_behind(program):
    """What one instruction leaves in registers and memory, or the fault that it is."""
    (instruction,) = program.instructions
    name, architecture = instruction.name, program.kernel.architecture
    if name in architecture.waits:
        return architecture.waits[name].left(instruction.fields.get("simm16", 0))
    if name in ENDS or name.startswith("S_BARRIER") or name in NO_EFFECT:
        return str(instruction)
    if branch_target(instruction) is not None:
        return branch_target(instruction)
    data = np.random.default_rng(6).integers(0, 256, ROOM, np.uint8)
    memory = GlobalMemory([Region("room", data, HERE - ROOM // 2)])
    machine = ConcreteMachine(
        replace(program.kernel, lds_bytes=4096, scratch_bytes=4096), np.zeros((1, 3), np.int64), 1,
        program.kernel.wave_size, memory, 1, LdsMeter(program.kernel.target), strict=False,
    )  # fmt: skip
    vectors, scalars = registers(program.kernel.wave_size)
    machine.registers.vectors |= vectors
    machine.registers.scalars = scalars | machine.registers.scalars
    machine.registers.scc[:] = True
    if "_DPP" in instruction.form:  # some lanes are not active: what is read of them depends on the modifiers
        machine.registers.write_scalar(Operand("s", EXEC), 64, machine.registers.w.const(0xDBF7 * 0x1000100010001, 64))
    copies = [copy.data for held in (machine.memory.scratch.bytes, machine.memory.lds.bytes) for copy in held.copies]
    for copy in copies:
        copy[:] = np.arange(copy.size) % 251
    try:
        machine.step(instruction)
    except Fault as fault:
        return fault.kind
    registers_ = machine.registers
    words = [words for held in (registers_.vectors, registers_.scalars) for _, words in sorted(held.items())]
    parts = [*words, registers_.scc, memory.contents(0), *copies]
    return b"".join(np.ascontiguousarray(part).tobytes() for part in parts)


def differing(one, other):
    """The fields and registers in which two decoded instructions differ; None where more does."""
    if one.halves or (one.name, one.form, one.operands.keys()) != (other.name, other.form, other.operands.keys()):
        return None
    roles = {role for role in one.operands if one.operands[role] != other.operands[role]}
    if any(operand.kind not in "vas" for role in roles for operand in (one.operands[role], other.operands[role])):
        return None  # another constant
    if roles and one.name.startswith("S_CMP"):
        return None  # one bit may well be the same
    return roles | {k for k in one.fields.keys() | other.fields.keys() if one.fields.get(k) != other.fields.get(k)}


def both_are_whole(one, other):
    """Whether all of a register is written and the rest of it, which is none, is zeros or kept: LLVM writes either."""
    return all(i.fields["dst_sel"] == WHOLE and i.fields.get("dst_unused", 0) in (0, 2) for i in (one, other))


def rows_beyond(one, other, wave_size):
    """Whether the rows in which two masks differ are beyond the wave (RDNA 3 ISA, DPP16: "wave 64 only")."""
    return not (one.fields["row_mask"] ^ other.fields["row_mask"]) & (1 << wave_size // 16) - 1


@pytest.mark.parametrize(("target", "line"), some(tuple(CASES), 12))
def test_a_bit_that_is_turned_over_is_refused_or_does_something_else(target, line):
    code = assembled_line(target, line)
    honest = decoded(target, code, **ALL)
    (instruction,) = honest.instructions
    before, architecture = left_behind(honest), honest.kernel.architecture.name
    assert before not in ("address", "control"), "the honest instruction is no fault"
    silent = []
    for bit in range(8 * len(code)):
        turned = (int.from_bytes(code, "little") ^ 1 << bit).to_bytes(len(code), "little")
        try:
            mutant = decoded(target, turned, **ALL)
            (after,) = mutant.instructions
            fields = differing(instruction, after)
            if fields is None or (instruction == after and bit in ZEROS[architecture]):
                continue
            if (fields and fields <= CACHES) or (architecture in EXPORTS and EXPORTS[architecture] >> bit & 1
                                                 and instruction.name == "S_WAITCNT"):  # fmt: skip
                continue
            if fields == {"dst_unused"} and both_are_whole(instruction, after):
                continue
            if fields == {"row_mask"} and rows_beyond(instruction, after, mutant.kernel.wave_size):
                continue
            if left_behind(mutant) == before:
                silent.append((bit, str(after)))
        except (UnsupportedInstructionError, ValueError):  # ValueError: two instructions, or none
            continue
    assert not silent


@functools.cache
def assembled_line(target, line):
    """Its bytes, in a kernel that asks for all registers."""

    def edit(text):
        text = re.sub(r"(\.amdhsa_next_free_vgpr) .*", r"\1 " + ("256" if target.startswith("gfx1") else "512"), text)
        text = re.sub(r"(\.amdhsa_accum_offset) .*", r"\1 256", text)
        return text.replace("\ts_endpgm\n", f"\ts_endpgm\n\t{line}\n", 1)

    binary = assembled(PROGRAM, target, edit)
    end = next(i for i in binary.instructions if i.name == "S_ENDPGM")
    code = binary.kernel.code[end.address + end.size - binary.kernel.entry :]
    return code[: next(decode(code, 0, binary.kernel.architecture, target)).size]


@pytest.mark.parametrize(("target", "line"), [case for case in CASES if case[1].startswith("v_wmma")])
def test_a_matrix_product_has_no_modifiers_but_those_that_the_assembler_writes(target, line):
    """Both bits of `op_sel_hi` cleared at once, and every other pair of modifiers' bits."""
    code = assembled_line(target, line)
    bits = [*range(8, 16), *range(59, 64)]  # neg_hi, op_sel, op_sel_hi of c, clamp; op_sel_hi, neg
    for one, other in combinations_with_replacement(bits, 2):
        turned = int.from_bytes(code, "little") ^ (1 << one | 1 << other if one != other else 1 << one)
        with pytest.raises(UnsupportedInstructionError, match="is not described"):
            left_behind(decoded(target, turned.to_bytes(len(code), "little"), **ALL))


@pytest.mark.parametrize(("scope", "hint", "allowed"), [(0, 1, True), (0, 3, False), (3, 3, True), (0, 7, False)])
def test_a_last_use_is_no_load_like_others(scope, hint, allowed):
    """What was stored before may be lost after it (LLVM, SIDefines, CPol: TH_LU); bits 50–51 and 52–54."""
    code = assembled_line("gfx1201", "global_load_b32 v2, v[4:5], off offset:16")
    word = int.from_bytes(code, "little") | scope << 50 | hint << 52
    hinted = decoded("gfx1201", word.to_bytes(len(code), "little"), **ALL)
    with nullcontext() if allowed else pytest.raises(UnsupportedInstructionError, match="the temporal hint"):
        left_behind(hinted)


def test_a_product_of_waves_of_another_size_is_refused():
    code = assembled_line("gfx1100", next(line for line in LINES["gfx1100"].splitlines() if line.startswith("v_wmma")))
    with pytest.raises(UnsupportedInstructionError, match="waves of 32 lanes"):
        decoded("gfx1100", code, wave_size=64, **ALL)


def test_a_scratch_load_to_lds_is_no_load_with_a_vector_address():
    """gfx90a's bit 13 says what CDNA 3's says of the address (LLVM: `scratch_load_sbyte off, s6 lds`)."""
    code = bytes.fromhex("006044dc00000602")
    assert left_behind(decoded("gfx942", code, **ALL))
    with pytest.raises(UnsupportedInstructionError, match="data goes to LDS"):
        left_behind(decoded("gfx90a", code, **ALL))
