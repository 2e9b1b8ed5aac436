"""RDNA 2, read through RDNA 3's encodings: each field is found, and what is not described is refused."""

import pytest

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.architecture import ARCHITECTURES
from layoutalg.isa.decode.instructions import decode
from layoutalg.isa.semantics.ordering import reaches_device

#: As clang 22's assembler writes them for gfx1030.
CODE = {
    "fc9f31dc00000201": "global_load_dword d=v1, addr=v0, base=s2 offset:-0x4 glc:0x1 dlc:0x1",
    "00803adc00007d04": "global_load_dwordx4 d=v4, addr=v0, base=null slc:0x1",
    "ff0770dc02057d00": "flat_store_dword addr=v2, data=v5 offset:0x7ff",
    "000105f40000000e": "s_load_dwordx2 d=s4, base=s0, soffset=s7 glc:0x1",
    "101030e002014109": "buffer_load_dword d=v1, addr=v2, resource=s4, soffset=s9 offset:0x10 offen:0x1 slc:0x1",
    "006078e003040280": "buffer_store_dwordx4 data=v4, addr=v3, resource=s8, soffset=0 idxen:0x1 glc:0x1",
    "7e0094d401000200": "v_cmpx_gt_i32 m=exec, a=s1, b=v0",
    "014803d702070200": "v_add_nc_u16 d=v1.h, a=v2.h, b=v3",
    "82079065": "v_add_f16 d=v200, a=v130, b=v3",
    "f906023602160105": "v_and_b32 a=v2, b=v3, d=v1 dst_sel:0x6 dst_unused:0x2 src0_sel:0x1 src1_sel:0x5",
    "f906027c02840506": "v_cmp_lt_f32 a=v2, b=v3, m=s4 src0_sel:0x5 src1_sel:0x6 sd:0x1",
    "fa02027e026301ff": "v_mov_b32 a=v2, d=v1 dpp:0x163 row_mask:0xf bank_mask:0xf",
    "e902027e02773905": "v_mov_b32 a=v2, d=v1 " + " ".join(f"lane_sel_{k}:{7 - k:#x}" for k in range(7)),
    "040276d5060f2004": "v_mad_u64_u32 d=v4, m=s2, a=v6, b=s7, c=v8",
    "01004bd502ff0d00db0f4940": "v_fma_f32 d=v1, a=v2, b=0x40490fdb, c=s3",
    "73118cbf": "s_waitcnt simm16:0x1173",
    "0200fdbb": "s_waitcnt_vscnt d=null simm16:0x2",
    "0102e0d801000002": "ds_read2st64_b32 d=v2, addr=v1 offset0:0x1 offset1:0x2",
    "057c048a": "s_andn2_b32 d=s4, a=s5, b=m0",
    "0000c4e100000000": "buffer_gl0_inv",
}


def text(code: str) -> str:
    (one,) = decode(bytes.fromhex(code), 0, ARCHITECTURES["rdna2"], "gfx1030")
    return str(one)


def test_every_field_is_read() -> None:
    assert {code: text(code) for code in CODE} == CODE


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("ff0f70dc02057d00", "a flat offset of more than 11 bits"),
        ("00a030dc00000201", "GLOBAL with the bits 0x2000"),  # to LDS
        ("101031e002014109", "MUBUF with the bits 0x10000"),  # to LDS
        ("008070dc0002ff00", "GLOBAL with the bits 0x80000000000000"),
        ("004070dc00027f00", "SCRATCH without an address"),
        ("000000c8", "no such opcode"),  # VINTRP
        ("01004bd5fa040e04", "the operand code 250"),  # VOP3 has no data of other lanes
    ],
)
def test_what_is_not_described_is_refused(code: str, why: str) -> None:
    with pytest.raises(UnsupportedInstructionError, match=why):
        text(code)


def test_a_load_is_past_both_caches_by_both_bits() -> None:
    loads = ({"glc": 1, "dlc": 1}, {"glc": 1}, {"dlc": 1}, {})
    assert [reaches_device(fields, "rdna2", False, False) for fields in loads] == [True, False, False, False]
