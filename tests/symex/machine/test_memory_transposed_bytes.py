"""Loads that transpose bytes and halves, behind stores to LDS: a column of the rows that sixteen lanes name."""

import pytest

from layoutalg.audit.audit import audit
from layoutalg.formats.spec import loads
from tests.audit.auditing import kernels

#: Each lane puts 8 bytes into LDS, 16 lanes read theirs turned round: 8 rows of 16 bytes, or 4 rows of 16 halves.
SOURCE = """
typedef int i2 __attribute__((ext_vector_type(2)));
typedef short h4 __attribute__((ext_vector_type(4)));
#define KERNEL(name, type, load, own) \\
extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(64, 64))) \\
void name(const type* in, type* out) { \\
  __attribute__((shared)) type tile[64]; \\
  unsigned t = __builtin_amdgcn_workitem_id_x(), b = __builtin_amdgcn_workgroup_id_x(); \\
  tile[t] = in[b * 64 + t]; \\
  __builtin_amdgcn_s_waitcnt(0); __builtin_amdgcn_s_barrier(); \\
  out[b * 64 + t] = load((__attribute__((address_space(3))) type*)(tile + (own))); }
KERNEL(bytes, i2, __builtin_amdgcn_ds_read_tr8_b64_v2i32, t)
KERNEL(bytes_of_other_lanes, i2, __builtin_amdgcn_ds_read_tr8_b64_v2i32, t ^ 2)
KERNEL(halves, h4, __builtin_amdgcn_ds_read_tr16_b64_v4i16, t)
KERNEL(halves_of_other_lanes, h4, __builtin_amdgcn_ds_read_tr16_b64_v4i16, t ^ 4)
"""
LAUNCH = """
symbols = {{ B = {{ min = 1, max = 65535 }} }}
[[descriptor]]
name = "x"
dtype = "{dtype}"
base = {{ kind = "packed", lengths = ["B", 4, {rows}, 16] }}
[[descriptor]]
name = "o"
dtype = "{dtype}"
base = {{ kind = "packed", lengths = ["B", 4, 16, {rows}] }}
[launch]
kernel = "{kernel}"
grid = ["B"]
block = [64]
arguments = ["x", "o"]
writes = ["o"]
computes = ["o[b, g, j, e] = {said}"]
"""


def audited(kernel: str, said: str):
    dtype, rows = ("i8", 8) if kernel.startswith("bytes") else ("i16", 4)
    return audit(
        kernels(SOURCE, "gfx950")[kernel], loads(LAUNCH.format(kernel=kernel, dtype=dtype, rows=rows, said=said))
    )


@pytest.mark.parametrize("kernel", ["bytes", "halves"])
def test_a_lane_gets_a_column(kernel: str) -> None:
    bits = 8 if kernel == "bytes" else 16
    assert any(f"_TR_B{bits}" in i.name for i in kernels(SOURCE, "gfx950")[kernel].instructions)
    found = audited(kernel, "x[b, g, e, j]")
    assert found.proved, [(c.claim, c.verdict) for c in found.claims if not c.verdict]


@pytest.mark.parametrize("kernel", ["bytes_of_other_lanes", "halves_of_other_lanes"])
def test_rows_that_change_places_are_refuted(kernel: str) -> None:
    assert audited(kernel, "x[b, g, e, j]").name == "refuted"


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["bytes_of_other_lanes", "halves_of_other_lanes"])
def test_rows_that_change_places_are_proved_as_what_they_are(kernel: str) -> None:
    assert audited(kernel, "x[b, g, e ^ 1, j]").proved


@pytest.mark.slow
def test_bytes_are_not_exchanged_as_halves_are() -> None:
    assert audited("bytes", "x[b, g, e, j - j % 2 + (j + 1) % 2]").name == "refuted"
