"""Blocks that do not fill their waves: lanes without a thread are not active, and what they have nobody wrote."""

from math import prod

import pytest

from layoutalg.audit.audit import Audit, audit
from layoutalg.errors import DeviceError, Fault
from layoutalg.formats.spec import loads
from layoutalg.isa.decode.code import MachineCode
from layoutalg.isa.run.launch import execute
from layoutalg.launch.concrete import bound
from tests.audit.auditing import kernels
from tests.matrix import some

FLAG = (
    'int f; asm volatile("s_mov_b32 %0, 0\\n s_not_b64 vcc, exec\\n s_cbranch_vccz 1f\\n s_mov_b32 %0, 1\\n1:"'
    ' : "=s"(f) :: "vcc");'
)
TREE = (
    "__shared__ float s[B]; s[T] = x[G]; __syncthreads(); for (int k = 64; k > 0; k >>= 1) {{ "
    "if (T < k {}) s[T] += s[T + k]; __syncthreads(); }} if (T == 0) o[G] = s[0];"
)
BREAK = (
    "int i = G, f = 0; for (; i < n; i += S) {{ if (x[i] < 0) {{ f = 1; break; }} o[i] = x[i]; }} if ({}f) o[i] = 1;"
)
PERMUTE = "int j = __builtin_amdgcn_ds_bpermute({} * 4, G);"
SHIFT = "int j = __builtin_amdgcn_update_dpp(0, G, {}, 0xf, 0xf, true);"

#: What a kernel does, its blocks (for N elements, as many whole ones, or seven), and whether it is safe.
KERNELS = {
    "guarded": ("if (G < n) o[G] = x[G];", "N", True),
    "one_too_far": ("if (G <= n) o[G] = x[G];", "N", False),
    "as_many_as_threads": ("o[G] = x[G];", "N whole", True),
    "as_if_waves_were_full": ("int i = blockIdx.x * ((B + 63) / 64 * 64) + T; o[i] = x[i];", "N whole", False),
    "tree": (TREE.format("&& T + k < B"), "N whole", True),
    "tree_of_a_power_of_two": (TREE.format(""), "N whole", False),
    "through_lds": ("__shared__ float s[B]; s[T] = x[G]; __syncthreads(); o[G] = s[B - 1 - T];", "N whole", True),
    "through_lds_no_barrier": ("__shared__ float s[B]; s[T] = x[G]; o[G] = s[B - 1 - T];", "N whole", None),
    "stride": ("for (int i = G; i < n; i += S) o[i] = x[i];", "7", True),
    "stride_too_short": ("for (int i = G; i < n; i += B / 2) o[i] = x[i];", "7", False),
    "leaves": (BREAK.format(""), "7", True),
    "leaves_mixed_up": (BREAK.format("!"), "7", False),
    "lanes_count": ("float s = 0; int k = 0; for (; k < T % 7; ++k) s += x[k]; o[G + k / 7] = s;", "N whole", True),
    "lane_0": ("int j = __builtin_amdgcn_readlane(G, 0); if (G < n) o[G] = x[G - G / 9999999 + j - j];", "N", True),
    "last_lane": ("int j = __builtin_amdgcn_readlane(G, 63); o[G] = x[j];", "N whole", False),
    "neighbour": (PERMUTE.format("(T ^ 1)") + "if (j < n && G < n) o[G] = x[j];", "N", True),
    "next": (PERMUTE.format("(T + 1)") + "if (G < n) o[G] = x[j];", "N", False),
    "row": (SHIFT.format("0x118") + "if (j < n && G < n) o[G] = x[j];", "N", True),
    "row_unguarded": (SHIFT.format("0x108") + "if (G < n) o[G] = x[j];", "N", False),
    "switched_on": ('if (G < n) { asm volatile("s_mov_b64 exec, -1" ::: "memory"); o[G] = x[G]; }', "N", False),
    "some_lane_is_off": (FLAG + "if (G + f < n) o[G] = x[G + f];", "N", True),
    "some_lane_is_off_unguarded": (FLAG + "o[G] = x[G + f];", "N whole", False),
}

HEAD = """#include <hip/hip_runtime.h>
#define T ((int)(threadIdx.x + threadIdx.y * blockDim.x))
#define G ((int)(blockIdx.x * B) + T)
#define S (gridDim.x * B)
"""
LAUNCH = """
symbols = {{ N = {{ min = 1, max = 100000 }} }}
[[descriptor]]
name = "x"
dtype = "f32"
base = {{ kind = "naive", lengths = ["{length}"], strides = [1] }}
[[descriptor]]
name = "o"
dtype = "f32"
base = {{ kind = "naive", lengths = ["{length}"], strides = [1] }}
[launch]
kernel = "{name}"
grid = ["{grid}", 1, 1]
block = {block}
arguments = ["x", "o", "N"]
writes = ["o"]
"""


def compiled(name: str, threads: int, target: str) -> MachineCode:
    """One kernel of a source that has all: blocks of a size are compiled once."""
    head = f'extern "C" __global__ void __launch_bounds__({threads}) '
    each = (f"{head}{one}(const float* x, float* o, int n) {{ {KERNELS[one][0]} }}\n" for one in KERNELS)
    text = f"{HEAD}#define B {threads}\n{''.join(each)}"
    if target == "gfx1201":  # waves of 32
        text = text.replace("b64", "b32").replace(" vcc,", " vcc_lo,").replace(" exec", " exec_lo")
    return kernels(text, target)[name]


def launch_of(name: str, block: tuple[int, ...]) -> str:
    threads = prod(block)
    length, grid = {
        "N": ("N", f"(N + {threads - 1}) // {threads}"), "N whole": (f"N * {threads}", "N"), "7": ("N", "7"),
    }[KERNELS[name][1]]  # fmt: skip
    return LAUNCH.format(name=name, length=length, grid=grid, block=list(block))


def audited(name: str, block: tuple[int, ...], target: str) -> Audit:
    return audit(compiled(name, prod(block), target), loads(launch_of(name, block)), 20)


QUICK = (
    "one_too_far", "as_if_waves_were_full", "tree_of_a_power_of_two", "leaves", "lanes_count", "last_lane", "neighbour",
    "next", "switched_on", "some_lane_is_off", "some_lane_is_off_unguarded",
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "block"), some([(name, block) for block in ((96,), (17, 3)) for name in QUICK], 6, slow=True)
)
def test_a_block_that_does_not_fill_its_waves_is_proved_if_and_only_if_it_is_safe(
    name: str, block: tuple[int, ...]
) -> None:
    found = audited(name, block, "gfx942")
    assert found.proved == KERNELS[name][2], found.failures


#: Safe, and not seen to be: that nothing wraps where a lane goes on, if what it loads lets it leave.
UNSEEN = {("leaves", "gfx1201")}


@pytest.mark.slow
@pytest.mark.parametrize(("target", "block"), [
    ("gfx942", (96,)), ("gfx942", (17, 3)), ("gfx942", (5,)), ("gfx942", (65,)),
    ("gfx1201", (40,)), ("gfx1201", (17, 3)),
])  # fmt: skip
@pytest.mark.parametrize("name", KERNELS)
def test_every_such_block_as_runs_have_it(name: str, target: str, block: tuple[int, ...]) -> None:
    """What is proved runs at all sizes; what is safe, by what is written here, is proved."""
    found, code, file = audited(name, block, target), compiled(name, prod(block), target), loads(launch_of(name, block))
    safe, faults = KERNELS[name][2], []
    for n in (1, 2, 17, 50, 96, 97, 130) if found.proved or safe else ():
        launch = bound(file, code.kernel.metadata, {"N": n}, {}, {}, n)
        try:
            execute(code, launch.grid, launch.block, launch.arguments, 200_000, lds=launch.lds)
        except (Fault, DeviceError) as fault:
            faults.append(f"at N = {n}: {fault}")
    assert not (found.proved and faults), faults
    seen = (name, target) not in UNSEEN
    assert found.proved == seen or not (safe and not faults), found.failures
