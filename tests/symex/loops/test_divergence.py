"""Loops that each lane leaves for itself: the safe ones are proved, and what a run shows to be wrong never is."""

import pytest

from layoutalg.audit.audit import Audit, audit
from layoutalg.errors import DeviceError, Fault
from layoutalg.formats.spec import loads
from layoutalg.isa.run.launch import execute
from layoutalg.launch.concrete import bound
from tests.audit.auditing import kernels

EACH = "for (int i = GID; i < n; i += STRIDE)"
SUM = f"int i = GID; float s = 0; {EACH.replace('int i = GID', '')} s += x[i];"
FLAG = f"int i = GID, f = 0; {EACH.replace('int i = GID', '')} {{ if (x[i] < 0) {{ f = 1; break; }} o[i] = x[i]; }}"
LAST = f"int i = GID; float v = 0; {EACH.replace('int i = GID', '')} {{ v = x[i]; if (v < 0) break; }}"
PAIRS = (
    "int i = GID; for (; i + STRIDE < n; i += 2 * STRIDE) {{ float a = x[i], b = x[i + {}]; if (a < 0 || b < 0) break; "
    "o[i] = a; o[i + STRIDE] = b; }} for (; i {} n; i += STRIDE) o[i] = 1;"
)
AGAIN = "for (int j = 0; j < (int)(threadIdx.x % 7); ++j)"
SOME = f"int j = 0; {AGAIN.replace('int j = 0', '')} s += x[j];"

#: What a kernel does, the lengths of x and o, and whether it is safe and ends at all sizes.
KERNELS = {
    "stride": (f"{EACH} o[i] = x[i];", "N", "N", True),
    "one_too_far": (f"{EACH.replace('<', '<=')} o[i] = x[i];", "N", "N", False),
    "next": (f"{EACH} o[i] = x[i + 1];", "N", "N", False),
    "stride_of_zero": (f"{EACH.replace('STRIDE', 'z')} o[i] = x[i];", "N", "N", False),
    "never_equal": (f"{EACH.replace('<', '!=')} if (0 <= i && i < n) o[i] = x[i];", "N", "N", False),
    "overlapping": (f"{EACH.replace('STRIDE', 'blockDim.x')} o[i] = x[i];", "N", "N", False),
    "one_value_in_one_turn": (
        f"{EACH.replace('STRIDE', 'STRIDE * 4194304')} o[i / 64] = x[i / 64];",
        "N",
        "N",
        True,
    ),
    "own_number_in_one_turn": (f"{EACH.replace('STRIDE', 'STRIDE * 4194304')} o[i / 64] = i;", "N", "N", False),
    "to_minus_one": ("for (int i = n - 1 - (int)GID; i >= 0; i -= STRIDE) o[i] = x[i];", "N", "N", True),
    "from_the_end": ("for (int i = n - (int)GID; i >= 0; i -= STRIDE) o[i] = x[i];", "N", "N", False),
    "read_behind": (f"{SUM} o[i] = s;", "N", "N + 256", True),
    "read_one_too_far_behind": (f"{SUM} o[i] = s;", "N", "N + 255", False),
    "two_exits": (f"{FLAG} if (f) o[i] = 1;", "N", "N", True),
    "two_exits_mixed_up": (f"{FLAG} if (!f) o[i] = 1;", "N", "N", False),
    "behind_two_exits": (f"{FLAG} if (i < n) o[i] = 1;", "N", "N", True),
    "not_behind_two_exits": (f"{FLAG} o[i] = 1;", "N", "N", False),
    "what_made_it_leave": (f"{LAST} if (v < 0) o[i] = 1;", "N", "N", True),
    "not_what_made_it_leave": (f"{LAST} if (v >= 0) o[i] = 1;", "N", "N", False),
    "perhaps_what_made_it_leave": (f"{LAST} if (!(v >= 0)) o[i] = 1;", "N", "N", False),  # or no number
    "pairs_and_a_tail": (PAIRS.format("STRIDE", "<"), "N", "N", True),
    "pairs_and_one_too_far": (PAIRS.format("STRIDE", "<="), "N", "N", False),
    "pairs_one_too_far": (PAIRS.format("STRIDE + 1", "<"), "N", "N", False),
    "nested": (f"{EACH} {{ float s = 0; for (int j = i; j < n; j += 3) s += x[j]; o[i] = s; }}", "N", "N", True),
    "lane_counts": (f"float s = 0; {SOME} o[j * 256 + GID] = s;", "6", "1792", True),
    "lane_counts_too_far": (f"float s = 0; {SOME} o[j * 256 + GID] = s;", "6", "1790", False),
    "last_element": (f"float s = 0; {SOME} o[GID] = s;", "5", "256", False),
    "barrier": (f"{EACH} {{ o[i] = x[i]; __syncthreads(); }}", "N", "N", False),
}

HEAD = """#include <hip/hip_runtime.h>
#define GID (blockIdx.x * blockDim.x + threadIdx.x)
#define STRIDE (gridDim.x * blockDim.x)
"""
SOURCE = HEAD + "".join(
    f'extern "C" __global__ void {name}(const float* x, float* o, int n, int z) {{ {body} }}\n'
    for name, (body, *_) in KERNELS.items()
)

LAUNCH = """
symbols = {{ N = {{ min = 1, max = 1000000 }} }}
[[descriptor]]
name = "x"
dtype = "f32"
base = {{ kind = "naive", lengths = ["{x}"], strides = [1] }}
[[descriptor]]
name = "o"
dtype = "f32"
base = {{ kind = "naive", lengths = ["{o}"], strides = [1] }}
[launch]
kernel = "{name}"
grid = [4, 1, 1]
block = [64, 1, 1]
arguments = ["x", "o", "N", {{ name = "z", bytes = 4 }}]
writes = ["o"]
"""


def audited(name: str, target: str) -> Audit:
    _, x, o, _ = KERNELS[name]
    return audit(kernels(SOURCE, target)[name], loads(LAUNCH.format(name=name, x=x, o=o)), 20)


QUICK = (
    "stride", "two_exits", "lane_counts", "read_one_too_far_behind", "what_made_it_leave",
    "perhaps_what_made_it_leave", "pairs_and_one_too_far",
)  # fmt: skip


@pytest.mark.parametrize("name", QUICK)
def test_a_loop_that_lanes_leave_is_proved_if_and_only_if_it_is_safe_and_ends(name: str) -> None:
    found = audited(name, "gfx942")
    assert found.proved == KERNELS[name][-1], found.failures


@pytest.mark.slow
@pytest.mark.parametrize("target", ["gfx942", "gfx1201"])
@pytest.mark.parametrize("name", KERNELS)
def test_every_such_loop_as_a_run_has_it(name: str, target: str) -> None:
    """What is safe is proved, and runs; what is not is not proved."""
    _, x, o, safe = KERNELS[name]
    found, code, file = audited(name, target), kernels(SOURCE, target)[name], loads(LAUNCH.format(name=name, x=x, o=o))
    assert found.proved == safe, found.failures
    for n in (1, 65, 257, 300) if safe else ():
        launch = bound(file, code.kernel.metadata, {"N": n}, {}, {"z": 0}, n)
        try:
            execute(code, launch.grid, launch.block, launch.arguments, 60_000, lds=launch.lds)
        except (Fault, DeviceError) as fault:
            pytest.fail(f"at N = {n}: {fault}")
