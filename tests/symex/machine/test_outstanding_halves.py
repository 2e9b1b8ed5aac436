"""Two halves of one register under way at once: each load keeps what it does not load, in any order."""

import pytest

from tests.audit.auditing import audited
from tests.matrix import each, some

SOURCE = """#include <hip/hip_runtime.h>
extern "C" __global__ void pairs(const _Float16* x, unsigned* o, int n) {{
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i >= n) return;
    unsigned v = 0;
    asm volatile("{}" : "+v"(v) : "v"(x + i), "v"(x + i + n) : "memory");
    o[i] = v;
}}
"""
LAUNCH = """
symbols = { N = { min = 1, max = 1000000 } }
[[descriptor]]
name = "x"
dtype = "f16"
base = { kind = "naive", lengths = [2, "N"], strides = ["N", 1] }
[[descriptor]]
name = "o"
dtype = "f16"
base = { kind = "naive", lengths = ["N", 2], strides = [2, 1] }
[launch]
kernel = "pairs"
grid = ["(N + 63) // 64", 1, 1]
block = [64, 1, 1]
arguments = ["x", "o", "N"]
writes = ["o"]
computes = ["o[i, j] = x[j, i]"]
"""
LOW, HIGH = "global_load_d16_b16 %0, %{}, off", "global_load_d16_hi_b16 %0, %{}, off"
WHOLE, WAIT = "global_load_u16 %0, %{}, off", {"gfx1100": "s_waitcnt vmcnt({})", "gfx1201": "s_wait_loadcnt {}"}

#: What is loaded, with how many left after the wait, and where it is proved: by loads in order, or in any.
LOADS = {
    "both": ((LOW.format(1), HIGH.format(2)), 0, ("gfx1100", "gfx1201")),
    "the upper one first": ((HIGH.format(2), LOW.format(1)), 0, ("gfx1100", "gfx1201")),
    "one twice": ((LOW.format(2), LOW.format(1), HIGH.format(2)), 0, ("gfx1100",)),
    "the whole first": ((WHOLE.format(1), HIGH.format(2)), 0, ("gfx1100",)),
    "the whole last": ((HIGH.format(2), WHOLE.format(1)), 0, ()),
    "exchanged": ((LOW.format(2), HIGH.format(1)), 0, ()),
    "one alone": ((LOW.format(1),), 0, ()),
    "waited for the first": ((LOW.format(1), HIGH.format(2)), 1, ()),
}  # fmt: skip


@pytest.mark.parametrize("target", each(["gfx1100", "gfx1201"], "gfx1201"))
@pytest.mark.parametrize("name", some(LOADS, 4, slow=True))
def test_halves_wait_apart(name: str, target: str) -> None:
    lines, left, right = LOADS[name]
    found = audited(SOURCE.format("\\n ".join((*lines, WAIT[target].format(left)))), LAUNCH, target)
    assert found.proved == (target in right), found.failures
