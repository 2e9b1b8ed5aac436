"""Where AMD's XML of CDNA 4 and its manual differ: what the page says of each place, on bytes of LLVM's assembler."""

import re
from pathlib import Path

import numpy as np
import pytest

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.decode.instructions import Operand
from tests.isa.assembly import bytes_of
from tests.isa.decode.test_allowed import decoded
from tests.isa.machines import after, machine_of

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "benchmarks" / "decoders" / "MANUAL.md"
FINDINGS = ("refused", "agrees", "mended", "doubt", "no matter")
TARGET, ALL = "gfx950", [True] * 64

#: What no entry describes, or not so: the bytes are beside what the assembler is told.
REFUSED = {
    "v_screen_partition_4se_b32 v0, v1": "016f007e",
    "v_exp_legacy_f32 v0, v1": "0197007e",
    "v_log_legacy_f32 v0, v1": "0199007e",
    "s_atc_probe 0, s[4:5], 0x0": "02009ac000000000",
    "s_atc_probe_buffer 0, s[4:7], 0x0": "02009ec000000000",
    "s_rfe_restore_b64 s[4:5], s6": "04068095",
    "s_endpgm_ordered_ps_done": "00009ebf",
    "s_getreg_b32 s0, hwreg(HW_REG_MODE)": "01f880b8",
    "s_setreg_b32 hwreg(HW_REG_MODE), s0": "01f800b9",
    "s_cbranch_g_fork s[4:5], s[6:7]": "04068094",
    "s_cbranch_join s4": "042e80be",
    "s_rfe_b64 s[4:5]": "041f80be",
    "s_movrels_b32 s0, s1": "012a80be",
    "s_movreld_b64 s[0:1], s[2:3]": "022d80be",
    "s_buffer_load_dword s0, s[4:7], 0x0": "020022c000000000",
    "s_store_dword s0, s[4:5], 0x0": "020042c000000000",
    "s_atomic_add s0, s[4:5], 0x0 glc": "02000bc200000000",
    "s_buffer_atomic_add s0, s[4:7], 0x0": "02000ac100000000",
    "s_scratch_load_dword s0, s[4:5], 0x0": "020016c000000000",
    "buffer_load_format_x v2, off, s[4:7], 0": "000000e000020180",
    "tbuffer_load_format_x v2, off, s[4:7], 0 format:[BUF_DATA_FORMAT_32]": "000020e800020180",
    "buffer_load_ubyte off, s[4:7], 0 lds": "000041e000000180",
    "global_load_lds_ubyte v[0:1], off": "008098dc00007f00",
    "scratch_load_lds_dword off, s0": "0040a8dc00000000",
    "ds_append v0": "00007cd900000000",
    "ds_consume v0": "00007ad900000000",
    "ds_read_addtid_b32 v0": "00006cd900000000",
    "ds_write_addtid_b32 v0": "00003ad800000000",
    "ds_wrxchg2_rtn_b32 v[2:3], v4, v5, v6 offset1:1": "00015cd804050602",
    "ds_cmpst_f32 v2, v3, v4": "000022d802030400",
    "v_pk_fmac_f16 v0, v1, v2": "01050078",
    "v_mac_f16_e32 v0, v1, v2": "01050046",
    "v_madak_f16 v0, v1, v2, 0x4000": "0105004a00400000",
    "v_mad_f16 v0, v1, v2, v3": "000003d201050e04",
    "v_mad_legacy_f16 v0, v1, v2, v3": "0000ead101050e04",
    "v_fma_legacy_f16 v0, v1, v2, v3": "0000eed101050e04",
    "v_fma_f16 v2, v3, v4, v5 op_sel:[0,0,0,1]": "024006d203091604",
    "v_cvt_pkaccum_u8_f32 v0, v1, v2": "0000f0d101050200",
    "v_cvt_sr_fp8_f32 v0, v1, v2": "0000a4d201050200",
    "v_cvt_sr_bf16_f32 v0, v1, v2": "0000a7d201050200",
    "v_cvt_scalef32_sr_fp8_f32 v0, v1, v2, v3": "000037d201050e04",
    "v_cvt_scalef32_pk32_fp6_f16 v[0:5], v[8:23], v6": "000058d2080d0200",
    "v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[8:11], v12": "0000e2d304113204",
    "v_mfma_f64_16x16x4_f64 v[0:7], v[8:9], v[10:11], v[12:19] neg:[1,0,0]": "0000eed308153224",
    "v_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], v[20:35] cbsz:1 abid:1": "0009ccd310255204",
    "v_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], v[20:35] blgp:3": "0000ccd310255264",
    "v_dot2_f32_bf16 v0, v1, v2, v3 neg_lo:[0,0,1]": "00409ad301050e9c",
    "v_dot2c_f32_bf16_e64 v0, -v1, v2": "000016d101050220",
    "v_add_f32_e64 v0, v1, v2 mul:2": "000001d101050208",
    "v_cmp_lt_f32_e64 s[4:5], v1, v2 clamp": "048041d001050200",
    "v_mad_u16 v0, v1, v2, v3 clamp": "008004d201050e04",
    "v_mul_u32_u24_e64 v0, v1, v2 clamp": "008008d101050200",
    "v_ceil_f64_dpp v[2:3], v[4:5] row_newbcast:1 row_mask:0xf bank_mask:0xf": "fa30047e045101ff",
}

#: What is decoded as both say, or as the one that is right.
DECODED = {
    "v_mov_b32_e64 v0, v1": ("000041d101010000", "v_mov_b32 d=v0, a=v1"),
    "v_permlane16_swap_b32_e64 v0, v1": ("000099d101010000", "v_permlane16_swap_b32 d=v0, a=v1"),
    "v_prng_b32_e64 v0, v1": ("000098d101010000", "v_prng_b32 d=v0, a=v1"),
    "v_add_co_u32_e64 v0, s[4:5], v1, v2": ("000419d101050200", "v_add_co_u32 d=v0, m=s4, a=v1, b=v2"),
    "v_div_scale_f32 v0, s[4:5], v1, v1, v2": ("0004e0d101030a04", "v_div_scale_f32 d=v0, m=s4, a=v1, b=v1, c=v2"),
    "v_mad_u64_u32 v[0:1], s[4:5], v2, v3, v[4:5]": (
        "0004e8d102071204", "v_mad_u64_u32 d=v0, m=s4, a=v2, b=v3, c=v4"),
    "v_cmp_lt_u32_sdwa vcc, v1, v2 src0_sel:WORD_0 src1_sel:DWORD": (
        "f904927d01000406", "v_cmp_lt_u32 a=v1, b=v2, m=vcc src0_sel:0x4 src1_sel:0x6"),
    "v_cmp_lt_u32_sdwa s[10:11], v1, v2 src0_sel:WORD_0 src1_sel:DWORD": (
        "f904927d018a0406", "v_cmp_lt_u32 a=v1, b=v2, m=s10 src0_sel:0x4 src1_sel:0x6 sd:0x1"),
    "global_load_dword a2, v[0:1], off": ("008050dc0000ff02", "global_load_dword d=a2, addr=v0, base=null"),
    "global_store_dword v[0:1], a2, off": ("008070dc0002ff00", "global_store_dword addr=v0, data=a2, base=null"),
    "buffer_atomic_add v2, v3, s[4:7], 0 offen sc0": (
        "005008e103020180", "buffer_atomic_add data=v2, addr=v3, resource=s4, soffset=0 offen:0x1 sc0:0x1"),
    "v_cvt_pk_fp8_f32 v2, s3, v4": ("0200a2d203080200", "v_cvt_pk_fp8_f32 d=v2, a=s3, b=v4"),
}  # fmt: skip


def rows():
    """Of each place by its number: whether it is looked at in the page, and the tests that it names."""
    found = {}
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and cells[0][0].isdigit():
            assert len(cells) == 4, line
            found |= dict.fromkeys(map(int, cells[0].split(", ")), (cells[2], re.findall(r"`(test_\w+)`", cells[3])))
    return found


def test_each_place_has_a_row_with_the_tests_that_show_it():
    found = rows()
    assert sorted(found) == list(range(1, 93))
    written = {
        name for path in ROOT.glob("tests/**/test_*.py") for name in re.findall(r"def (test_\w+)", path.read_text())
    }
    for number, (finding, tests) in found.items():
        assert finding.startswith(FINDINGS), number
        assert tests or finding.startswith("no matter"), number
        assert set(tests) <= written, set(tests) - written


def carried_out(code, active=ALL, **scalars):
    """The machine after the instructions, scalar registers being given, and its vector registers before."""
    machine, instructions = machine_of(TARGET, code, active)
    registers = machine.registers
    for k in range(20):
        registers.write_scalar(Operand("s", k), 32, registers.w.const(scalars.get(f"s{k}", 0), 32))
    with np.errstate(all="ignore"):
        before, _ = after(machine, instructions)
    return machine, before


def scalar(machine, number):
    return int(machine.registers.read_scalar(Operand("s", number), 32).ravel()[0])


@pytest.mark.parametrize("line", REFUSED)
def test_what_no_entry_describes_is_refused_by_its_name(line):
    """Of typed buffer accesses the decoder knows none."""
    name = line.split()[0].removesuffix("_e64").removesuffix("_e32").removesuffix("_dpp")
    with pytest.raises(UnsupportedInstructionError, match=f"(?i)unknown|{name}"):
        carried_out(REFUSED[line])


@pytest.mark.parametrize("line", DECODED)
def test_fields_are_what_they_are_of_each_instruction(line):
    code, text = DECODED[line]
    (found,) = decoded(TARGET, bytes.fromhex(code), vector_registers=64, accumulators=64).instructions
    assert str(found) == text


def test_the_assembler_writes_these_bytes():
    lines = [*REFUSED.items(), *((line, code) for line, (code, _) in DECODED.items())]
    assert bytes_of([line for line, _ in lines], TARGET).hex() == "".join(code for _, code in lines)


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("fa08827c045101ff", "the operand code 250"),  # v_cmp_lt_f32 with the second dword of a primitive
        ("ef0084be", "the operand code 239"),  # s_mov_b32 s4 of what XML calls SRC_POPS_EXITING_WAVE_ID
        ("00006dd803000002", "gds"),  # ds_read_b32 v2, v3 with the bit GDS
        ("04ff11bf78563412", "a mode that is not a number"),  # s_set_gpr_idx_on s4 with a literal
    ],
)
def test_what_one_of_both_alone_has_is_refused(code, why):
    with pytest.raises(UnsupportedInstructionError, match=why):
        carried_out(code)


@pytest.mark.parametrize(
    ("code", "a", "b", "scc"),
    [
        ("05060484", 7, 7, True),  # s_max_i32 s4, s5, s6
        ("05068484", 7, 7, True),  # s_max_u32
        ("05060483", 7, 7, False),  # s_min_i32
        ("05060481", 0x7FFFFFFF, 1, True),  # s_add_i32: an overflow
        ("05060481", 0xFFFFFFFF, 1, False),  # a carry
        ("05068481", 0x80000000, 1, True),  # s_sub_i32
        ("05068481", 0, 1, False),
    ],
)
def test_the_condition_code_of_signed_sums_and_of_equals(code, a, b, scc):
    machine, _ = carried_out(code, s5=a, s6=b)
    assert bool(machine.registers.scc.ravel()[0]) is scc


def test_lanes_are_read_whether_active_or_not():
    """v_readfirstlane_b32 s4, v1 where none is, and v_readlane_b32 s4, v7, s5 of 64 and 9 more."""
    machine, before = carried_out("0105087e", active=[False] * 64)
    assert scalar(machine, 4) == before[1][0]
    machine, before = carried_out("0105087e", active=[n > 20 for n in range(64)])
    assert scalar(machine, 4) == before[1][21]
    machine, before = carried_out("040089d2070b0000", active=[n > 20 for n in range(64)], s5=64 + 9)
    assert scalar(machine, 4) == before[7][9]


def test_the_greatest_of_three_with_one_that_is_no_number_is_none():
    """v_maximum3_f32 v2, v3, v4, v5: by AMD's pseudocode, and as LLVM takes it for llvm.maximum."""
    machine, instructions = machine_of(TARGET, "0200a9d203091604", ALL)
    for k, number in ((3, 1.0), (4, np.nan), (5, 2.0)):
        word = int(np.float32(number).view(np.uint32))
        machine.registers.vectors["v", k] = machine.registers.w.const(0, 32) | np.full(64, word, np.uint32)
    _, found = after(machine, instructions)
    assert np.isnan(np.array(found[2], np.uint32).view(np.float32)).all()
