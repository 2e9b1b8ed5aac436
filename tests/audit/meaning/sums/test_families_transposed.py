"""A product whose operands LDS has turned round: loads that transpose, the matrix core, and the sum over k."""

import functools

import pytest

from layoutalg.audit.audit import audit
from layoutalg.device.compile import compile_source
from layoutalg.formats.spec import loads
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel

#: Both operands lie as K x 16 in memory; a lane wants eight k of one column, and gets four of a load.
SOURCE = """
typedef short h4 __attribute__((ext_vector_type(4)));
typedef short h8 __attribute__((ext_vector_type(8)));
typedef _Float16 f8 __attribute__((ext_vector_type(8)));
typedef float f4 __attribute__((ext_vector_type(4)));
using row = __attribute__((address_space(3))) h4*;
static __attribute__((device)) inline f8 operand(h4* tile, unsigned t, unsigned turned) {
  unsigned at = (8 * (t / 16) + t % 16 / 4) * 4 + t % 4;
  h4 low = __builtin_amdgcn_ds_read_tr16_b64_v4i16((row)(tile + (at ^ turned)));
  h4 high = __builtin_amdgcn_ds_read_tr16_b64_v4i16((row)(tile + (at + 16 ^ turned)));
  return __builtin_bit_cast(f8, __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7));
}
#define KERNEL(name, left_turned, right_turned) \\
extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(64, 64))) \\
void name(const h8* a, const h8* b, float* c) { \\
  __attribute__((shared)) h8 left[64]; __attribute__((shared)) h8 right[64]; \\
  unsigned t = __builtin_amdgcn_workitem_id_x(), g = __builtin_amdgcn_workgroup_id_x(); \\
  left[t] = a[g * 64 + t]; right[t] = b[g * 64 + t]; \\
  __builtin_amdgcn_s_waitcnt(0); __builtin_amdgcn_s_barrier(); \\
  f4 sum = {0, 0, 0, 0}; \\
  sum = __builtin_amdgcn_mfma_f32_16x16x32_f16( \\
      operand((h4*)left, t, left_turned), operand((h4*)right, t, right_turned), sum, 0, 0, 0); \\
  for (int e = 0; e < 4; ++e) c[g * 256 + (4 * (t / 16) + e) * 16 + t % 16] = sum[e]; }
KERNEL(product, 0, 0)
KERNEL(another_order, 16, 16)
KERNEL(two_orders, 16, 0)
"""
LAUNCH = """
symbols = {{ B = {{ min = 1, max = 65535 }} }}
[[descriptor]]
name = "a"
dtype = "f16"
base = {{ kind = "packed", lengths = ["B", 32, 16] }}
[[descriptor]]
name = "b"
dtype = "f16"
base = {{ kind = "packed", lengths = ["B", 32, 16] }}
[[descriptor]]
name = "c"
dtype = "f32"
base = {{ kind = "packed", lengths = ["B", 16, 16] }}
[launch]
kernel = "{kernel}"
grid = ["B"]
block = [64]
arguments = ["a", "b", "c"]
writes = ["c"]
computes = ["c[g, i, j] = sum[k] f32(a[g, k, i]) * f32({right})"]
"""


@functools.cache
def kernels():
    return read_kernels(compile_source(SOURCE, "gfx950").payload)


def computed(kernel: str, right: str = "b[g, k, j]"):
    code = decode_kernel(kernels()[kernel])
    assert sum(i.name == "DS_READ_B64_TR_B16" for i in code.instructions) == 4
    return audit(code, loads(LAUNCH.format(kernel=kernel, right=right)), seconds=600)


@pytest.mark.slow
def test_a_product_of_operands_that_lds_turned_round_is_proved() -> None:
    found = computed("product")
    assert found.proved, [(claim, verdict.reason) for claim, _, verdict in found.claims if not verdict]


@pytest.mark.slow
def test_both_operands_may_be_read_in_another_order_of_k() -> None:
    assert computed("another_order").proved


@pytest.mark.slow
@pytest.mark.parametrize(("kernel", "right"), [("two_orders", "b[g, k, j]"), ("product", "b[g, k, i]")])
def test_operands_that_do_not_belong_together_are_refuted_by_a_run(kernel: str, right: str) -> None:
    found = computed(kernel, right)
    assert [claim for claim, _, verdict in found.claims if verdict.name == "refuted"] == ["computes"]
    assert "a run at B = 70" in str([verdict.reason for claim, _, verdict in found.claims if claim == "computes"])


def test_everything_but_the_sum_is_proved_at_once() -> None:
    text = LAUNCH.format(kernel="product", right="").split("computes")[0]
    assert audit(decode_kernel(kernels()["product"]), loads(text)).proved
