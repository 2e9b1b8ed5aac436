"""Counters of launches that AMD has published, and of each kind of figure."""

import numpy as np
import pytest

from layoutalg.counters.call import LaunchCounters, counters
from layoutalg.counters.count import linear_figures
from layoutalg.counters.definitions import counted
from layoutalg.device.compile import compile_source
from layoutalg.formats import SpecFile, loads
from layoutalg.isa.decode.instructions import Instruction

CONFLICTS = """
#include <hip/hip_runtime.h>
extern "C" __global__ void k(int* o, int flag) {
  __shared__ int a[32 * 256];
  int i = threadIdx.x * 32;
  if (flag) a[256 + i] = i;
  __syncthreads();
  int x = a[i];
  if (x == -1234567) o[threadIdx.x] = x;
}
"""
GUARDED = """
#include <hip/hip_runtime.h>
extern "C" __global__ void k(int* o, int flag) {
  if (threadIdx.x < flag) __builtin_nontemporal_store(1, o + threadIdx.x);
  atomicAdd(o + 200, 1);
}
"""


LOADS = """
#include <hip/hip_runtime.h>
extern "C" __global__ void k(int* o, int flag) {
  if (o[threadIdx.x] == -77) atomicAdd(o + flag * threadIdx.x, 1);
}
"""

TICKET = """
#include <hip/hip_runtime.h>
extern "C" __global__ void k(int* o, int flag) {
  if (atomicAdd(o, 1) == flag) o[1] = 7;
}
"""


def launched(block: int, flag: int = 0, written: str = '["o"]') -> SpecFile:
    return loads(f"""
[[descriptor]]
name = "o"
dtype = "i32"
base = {{ kind = "packed", lengths = [256] }}
[launch]
grid = [2]
block = [{block}]
arguments = ["o", {flag}]
writes = {written}
""")


def ran(source: str, launch: SpecFile, target: str = "gfx942") -> LaunchCounters:
    return counters(compile_source(source, target).payload, launch)


def test_work_items_on_one_bank_cost_what_omniperf_shows_of_an_mi250() -> None:
    code = compile_source(CONFLICTS, "gfx90a").payload
    for threads in (1, 2, 3, 20, 32):
        found = counters(code, launched(threads))
        assert found["SQ_LDS_IDX_ACTIVE"].least == 2 * (threads + 1)  # of two blocks
        assert found["SQ_LDS_BANK_CONFLICT"].least == 2 * (threads - 1)
        assert found["SQ_LDS_IDX_ACTIVE"].certainty == "in doubt"


def test_instructions_are_exact_where_the_definition_names_them() -> None:
    found = ran(CONFLICTS, launched(64))
    exact = {name: found[name].least for name in ("SQ_WAVES", "SQ_INSTS_LDS", "SQ_INSTS_MFMA", "SQ_INSTS_VMEM_WR")}
    assert exact == {"SQ_WAVES": 2, "SQ_INSTS_LDS": 2, "SQ_INSTS_MFMA": 0, "SQ_INSTS_VMEM_WR": 0}
    assert found["SQ_WAVES"].certainty == found["SQ_INSTS_LDS"].certainty == "exact"
    assert found["SQ_INSTS_SALU"].certainty == "bounded"  # waits and barriers


def test_an_atomic_operation_is_a_read_or_a_write() -> None:
    code = compile_source(GUARDED, "gfx942").payload
    found = counters(code, launched(64, 64), inputs={"o": np.zeros(256, np.int32)})
    assert found["SQ_INSTS_VMEM_WR"].most == found["SQ_INSTS_VMEM_WR"].least + 2
    assert found["SQ_INSTS_VMEM_RD"].least == 0
    assert (
        found["TA_TOTAL_WAVEFRONTS_sum"].least
        == found["TA_FLAT_WAVEFRONTS_sum"].least
        == found["SQ_INSTS_VMEM_WR"].most
    )
    assert found["TA_FLAT_ATOMIC_WAVEFRONTS_sum"].least == 2
    assert found["TA_FLAT_ATOMIC_WAVEFRONTS_sum"].certainty == "exact"


@pytest.mark.parametrize("target", ["gfx1100", "gfx1201"])
def test_of_rdna_are_told_the_counters_that_it_has(target: str) -> None:
    """By their own names; those of CDNA alone are not told."""
    found = ran(CONFLICTS, launched(64), target)
    names = {one.name for one in found.figures}
    assert not names & {"SQ_INSTS_VMEM_RD", "SQ_INSTS_BRANCH", "SQ_INSTS_MFMA", "SQ_LDS_BANK_CONFLICT", "TCC_REQ_sum"}
    assert (found["SQ_WAVES"].least, found["SQ_WAVES"].certainty) == (4, "exact")
    assert (found["SQ_INSTS_SMEM"].certainty, found["SQ_INSTS_LDS"].least) == ("exact", 4)
    assert found["SQ_INSTS_LDS"].most == 8  # global stores have the encoding of flat ones
    assert (found["SQC_LDS_BANK_CONFLICT"].least, found["SQC_LDS_BANK_CONFLICT"].certainty) == (4 * 31, "in doubt")


def test_of_rdna_what_a_definition_leaves_open_is_counted_perhaps() -> None:
    one, other = (Instruction(0, 4, name, "VOP2") for name in ("V_ADD_F32", "V_MUL_F32"))
    dual = Instruction(0, 8, "V_DUAL_ADD_F32::V_DUAL_MUL_F32", "VOPD", halves=(one, other))
    found = {figure.name: figure for figure in linear_figures([(dual, 3), (one, 2)], {}, "gfx1100")}
    assert (found["SQ_INSTS_VALU"].least, found["SQ_INSTS_VALU"].most) == (5, 8)
    for name, fields, wanted in (
        ("BUFFER_LOAD_B32", {}, "SQ_INSTS_TEX_LOAD"), ("BUFFER_STORE_B32", {}, "SQ_INSTS_TEX_STORE"),
        ("BUFFER_ATOMIC_ADD_U32", {"glc": 1}, "SQ_INSTS_TEX_LOAD"),
        ("BUFFER_ATOMIC_ADD_U32", {}, "SQ_INSTS_TEX_STORE"),
    ):  # fmt: skip
        assert counted(Instruction(0, 8, name, "MUBUF", fields=fields), "gfx1100").surely == (wanted,)
    assert counted(Instruction(0, 4, "S_CBRANCH_SCC0", "SOPP"), "gfx1201").surely == ()


def test_of_a_wave_that_rdna_issues_in_halves_vector_instructions_may_count_twice() -> None:
    narrow = compile_source(CONFLICTS, "gfx1100")
    wide = compile_source(CONFLICTS, "gfx1100", flags=("-mwavefrontsize64",))
    one, two = (counters(code.payload, launched(64)) for code in (narrow, wide))
    assert (one["SQ_WAVES"].least, two["SQ_WAVES"].least) == (4, 2)
    assert (two["SQ_INSTS_LDS"].least, two["SQ_INSTS_LDS"].most) == (2, 8)  # as many global stores, perhaps
    assert two["SQ_INSTS_SMEM"].certainty == "exact"


def test_a_mi350_has_counters_of_its_own() -> None:
    found = ran(CONFLICTS, launched(64), "gfx950")
    assert found["SQ_WAVES"].certainty == "exact"


def test_matrix_products_are_counted_by_their_type() -> None:
    product = "V_MFMA_F32_{}"
    typed = {
        "gfx942": {"32X32X8_F16": "F16", "4X4X4_16B_BF16": "BF16", "16X16X32_BF8_FP8": "F8", "16X16X8_XF32": "~F32"},
        "gfx950": {"16X16X32_FP8_FP8": "F8", "16X16X128_F8F6F4.FP4.FP4": "~F8 F6F4"},
        "gfx90a": {"16X16X4_F32": "F32"},
    }
    for target, each in typed.items():
        for name, wanted in each.items():
            how = counted(Instruction(0, 8, product.format(name), "VOP3P"), target)
            names = how.perhaps if wanted.startswith("~") else how.surely[2:]
            assert names == tuple(f"SQ_INSTS_VALU_MFMA_{one}" for one in wanted.removeprefix("~").split())
    sparse = counted(Instruction(0, 8, "V_SMFMAC_I32_16X16X64_I8", "VOP3P"), "gfx942")
    assert sparse.surely[2:] == ("SQ_INSTS_VALU_MFMA_I8",)


def test_of_what_a_product_without_a_description_multiplies_nothing_is_stated() -> None:
    sparse = Instruction(0, 8, "V_SMFMAC_F32_16X16X32_F16", "VOP3P")
    dense = Instruction(8, 8, "V_MFMA_F32_32X32X8_F16", "VOP3P")
    found = {one.name: one for one in linear_figures([(sparse, 3), (dense, 2)], {}, "gfx942")}
    assert found["SQ_INSTS_VALU_MFMA_F16"].least == 5
    assert found["SQ_INSTS_VALU_MFMA_MOPS_F16"].least is None
    assert found["SQ_VALU_MFMA_BUSY_CYCLES"].least is None


def test_lines_that_loads_touch_are_a_lower_bound_and_l2_is_not_known() -> None:
    found = ran(LOADS, launched(64, 8))
    lines = found["TCP_TOTAL_CACHE_ACCESSES_sum"]
    assert (lines.least, lines.most, lines.certainty, lines.text) == (4, None, "bounded", "4 or more")  # 256 B each
    assert found["TCC_REQ_sum"].certainty == "not known"


def test_what_limits_a_unit_is_named() -> None:
    held = ran(CONFLICTS, launched(64)).occupancy
    assert held is not None
    assert (held.waves, held.limited_by) == (2, ("LDS",))


def test_a_report_is_data_and_two_kernels_stand_side_by_side() -> None:
    found = ran(CONFLICTS, launched(64))
    assert found.report["roofline"]["estimate"] is True
    assert {one["name"] for one in found.report["counters"]} >= {"SQ_WAVES", "bytes read"}
    assert "an estimate" in str(found)


@pytest.mark.parametrize("name", ["SQ_LDS_ADDR_CONFLICT"])
def test_what_no_source_defines_is_not_known(name: str) -> None:
    one = ran(CONFLICTS, launched(64))[name]
    assert (one.least, one.certainty) == (None, "not known")


def test_what_another_order_of_waves_may_change_is_not_exact() -> None:
    code = compile_source(TICKET, "gfx942").payload
    found = counters(code, launched(64, 5), inputs={"o": np.zeros(256, np.int32)})
    assert found["SQ_WAVES"].certainty == "exact"
    assert not [one.name for one in found.figures[1:] if one.certainty == "exact"]
    assert any("global_atomic_add" in note for note in found["SQ_INSTS_VALU"].notes)


def test_what_is_drawn_is_told() -> None:
    assert ran(CONFLICTS, launched(64, 0, "[]")).drawn == ("o",)


def test_a_wave_alone_is_limited_by_slots() -> None:
    held = ran(GUARDED.replace("atomicAdd", "// "), launched(64)).occupancy
    assert held is not None
    assert (held.waves, held.limited_by) == (32, ("wave slots",))
