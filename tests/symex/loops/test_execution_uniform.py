"""Branches on lanes and on what all lanes have alike: what is behind one knows of both."""

import pytest

from tests.audit.auditing import audited
from tests.matrix import each

SOURCE = """#include <hip/hip_runtime.h>
extern "C" __global__ void taps(const float* x, const float* f, float* o, int n, int taps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < COUNT; ++k) sum += f[k] * x[i + k];
  o[i] = sum;
}
"""
LAUNCH = """
symbols = { N = { min = 1, max = 100000 }, T = { min = 1, max = 1000 } }
[[descriptor]]
name = "x"
dtype = "f32"
base = { kind = "naive", lengths = ["N + T - 1"], strides = [1] }
[[descriptor]]
name = "f"
dtype = "f32"
base = { kind = "naive", lengths = ["T"], strides = [1] }
[[descriptor]]
name = "o"
dtype = "f32"
base = { kind = "naive", lengths = ["N"], strides = [1] }
[launch]
kernel = "taps"
grid = ["(N + 63) // 64"]
block = [64]
arguments = ["x", "f", "o", "N", "T"]
writes = ["o"]
"""


COUNTS = [("taps", True), ("taps + 1", False), ("taps + (i & 1)", False)]


@pytest.mark.parametrize("target", each(["gfx942", "gfx1201"], "gfx942"))
@pytest.mark.parametrize(("count", "safe"), each(COUNTS, *COUNTS[:2]))
def test_the_rest_of_an_unrolled_loop_behind_a_guard(count: str, safe: bool, target: str) -> None:
    found = audited(SOURCE.replace("COUNT", count), LAUNCH, target)
    assert found.proved == safe, found.failures
