"""The static report: what is read from assembly text, and the divisions that follow."""

import pytest
from typer.testing import CliRunner

from layoutalg.bench.cases import Case
from layoutalg.bench.static import reports
from layoutalg.cli.app import application
from layoutalg.cli.errors import InputError
from layoutalg.device.codeobject import KernelResources
from layoutalg.device.static_report import gpus, inner_loop, lds_bytes, memory_bytes, occupancy, static_report
from layoutalg.target import target

NESTED = """
k:
  s_load_dwordx2 s[0:1], s[2:3], 0x0
.LBB0_1:
  v_mov_b32_e32 v0, 0
.LBB0_2:                                ; the inner one
  global_load_dwordx4 v[0:3], v4, s[0:1]
  ds_write_b128 v5, v[0:3]
  s_cbranch_scc1 .LBB0_2
  s_cbranch_scc0 .LBB0_1
  s_endpgm
"""


def test_the_innermost_loop_is_read():
    assert [line.split()[0] for line in inner_loop(NESTED)] == [
        "global_load_dwordx4",
        "ds_write_b128",
        "s_cbranch_scc1",
    ]


def test_a_kernel_without_a_loop_is_read_whole():
    assert inner_loop("k:\n v_add_u32 v0, v1, v2\n s_endpgm\n v_never v0\n") == ["v_add_u32 v0, v1, v2", "s_endpgm"]


@pytest.mark.parametrize(
    ("text", "size"),
    [("ds_read_b64 v0, v1", 8), ("ds_write2_b32 v0, v1, v2", 8), ("ds_load_2addr_stride64_b32 v0, v1", 8),
     ("ds_store_b16 v0, v1", 2), ("ds_read_u16_d16 v0, v1", 2), ("ds_bpermute_b32 v0, v1, v2", 0)],
)  # fmt: skip
def test_bytes_of_lds_instructions(text, size):
    assert lds_bytes(text) == size


@pytest.mark.parametrize(
    ("text", "size"),
    [("global_load_dword v0, v1, s[0:1]", 4), ("global_load_ushort v0, v1", 2), ("buffer_load_b96 v0, v1", 12),
     ("global_load_short_d16_hi v0, v1", 2)],
)  # fmt: skip
def test_bytes_of_loads(text, size):
    assert memory_bytes(text) == size


def test_limits_are_plain_divisions():
    gpu = gpus()[0]
    found = static_report(
        NESTED, KernelResources("k", (), vgprs=128, lds_bytes=16384), gpu,
        bytes_moved=2 << 20, bytes_loaded=1 << 20, operations=0, threads=256,
    )  # fmt: skip
    assert found.instructions == {"load": 1, "lds": 1, "branch": 1}
    assert found.limits["memory"] == pytest.approx((2 << 20) / 1638e9 * 1e6)
    trips = (1 << 20) / (64 * 16)
    assert found.limits["lds"] == pytest.approx(trips * 64 * 16 / (104 * 1700e6 * 4 * 32) * 1e6)
    assert (found.bound, found.limits["matrix"]) == ("memory", 0.0)


def test_occupancy_is_what_registers_and_lds_allow():
    gfx942 = target("gfx942")
    assert occupancy(KernelResources("k", (), vgprs=128, lds_bytes=16384), gfx942, 256) == 16
    assert occupancy(KernelResources("k", (), vgprs=16, lds_bytes=65536), gfx942, 256) == 4


def test_every_card_has_a_target_and_a_source():
    assert all(target(gpu.target).name == gpu.target and gpu.source for gpu in gpus())
    assert {gpu.confidence for gpu in gpus()} <= {"read", "derived", "unchecked"}


def test_a_product_uses_the_matrix_cores_of_a_card_that_has_them():
    case = Case("contraction", ((512, 512), (512, 512)), "f16", {"einsum": "ik,jk->ij"})
    (report,) = reports([case], "gfx942")
    assert 0 < report.instructions["matrix"] < sum(report.instructions.values())
    assert report.limits["matrix"] == pytest.approx(2 * 512**3 / 1307e12 * 1e6)


def test_a_card_that_is_not_amds_is_refused():
    done = CliRunner().invoke(application(), ["bench", "--static", "--target", "sm_90"])
    assert isinstance(done.exception, InputError)
