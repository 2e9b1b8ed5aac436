"""Products with scales of blocks in scalar registers: audited where all have one scale, as runs carry them out."""

import numpy as np
import pytest

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.run.launch import execute
from tests.audit.gfx1250 import audited, code

#: The first wave has its scales in a scalar register, the others in a vector's; all store one row to one place.
KERNEL = """
typedef int i16v __attribute__((ext_vector_type(16)));
typedef float f8v __attribute__((ext_vector_type(8)));
#define PRODUCT(scale) asm volatile("v_wmma_scale_f32_16x16x128_f8f6f4 %0, %1, %1, 0, " scale ", " scale \\
                                    : "=&v"(d) : "v"(x), "s"(s), "v"(v))
extern "C" __global__ void k(const float* a, float* b, int n) {
  int t = threadIdx.x, l = t % 32, s = SCALES, v;
  if (blockIdx.x) return;
  asm volatile("v_mov_b32 %0, %1" : "=v"(v) : "s"(s));
  i16v x = {};
  for (int k = 0; k < 8; ++k) x[k] = (int)a[8 * l + k];
  f8v d;
  if (__builtin_amdgcn_readfirstlane(t / 32)) PRODUCT("%3"); else PRODUCT("%2");
  asm volatile("s_nop 15\\n s_nop 15");
  b[l] = d[0];
}"""


@pytest.mark.parametrize(("scales", "alike"), [
    ("0x7f7f7f7f", True), ("0x7f7f7f80", False), ("__builtin_amdgcn_readfirstlane((int)a[0])", False),
])  # fmt: skip
def test_scalar_registers_have_one_scale_or_are_refused(scales: str, alike: bool) -> None:
    source, given = KERNEL.replace("SCALES", scales), [np.arange(256, dtype=np.float32), np.zeros(256, np.float32), 256]
    found = audited(source, "ab", multiple=", multiple_of = 256")
    assert found.proved == alike
    if alike:
        assert execute(code(source), (1,), (256,), given).outputs[1][:32].any()
        return
    assert any("one scale alone" in verdict.reason for _, _, verdict in found.claims if not verdict)
    if "a[0]" not in scales:
        with pytest.raises(UnsupportedInstructionError, match="different scales"):
            execute(code(source), (1,), (256,), given)
