"""What lanes of a wave say to one another: whose numbers they have, and which waves have which turns."""

import pytest

from layoutalg.audit.audit import audit
from layoutalg.formats.spec import load, loads
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.prove import Verdict
from tests.foreign.corpus import HERE
from tests.foreign.running import machine_code
from tests.foreign.table import KERNELS
from tests.foreign.triton.table import BUILDS
from tests.matrix import some


def followed(source: str) -> tuple[str, Verdict]:
    """How a kernel that is launched as `copy_plain` is, and need not copy, is audited; and whether it is followed."""
    launch = (HERE / "launch" / "copy_plain.toml").read_text().partition("computes")[0]
    found = audit(machine_code(KERNELS["copy_plain"], "gfx942", 3, source), loads(launch), 30)
    return found.name, next(verdict for claim, _, verdict in found.claims if claim == "followed")


@pytest.mark.parametrize("name", ["add-gfx942", "add-gfx1201"])
def test_kernels_of_triton_are_proved(name: str) -> None:
    (binary,) = read_kernels((BUILDS / f"{name}.co").read_bytes()).values()
    found = audit(decode_kernel(binary), load(BUILDS / f"{name}.toml"), 30)
    assert found.proved, found.failures


KERNEL = """#include <hip/hip_runtime.h>
extern "C" __global__ void copy_plain(const float* x, float* o, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 64;
    {}
}}"""

FIRST = "int first = __builtin_amdgcn_readfirstlane(i);"


@pytest.mark.parametrize("body", [
    f"{FIRST} if (first + lane < n) o[first + lane] = x[i];",  # the first lane's number and the own one's
    "int j = __builtin_amdgcn_ds_bpermute((lane ^ 1) * 4, i); if (j < n) o[j] = x[j];",
    "int j = __builtin_amdgcn_readlane(i, 63); if (j < n) o[i] = x[j];",
    "int j = __builtin_amdgcn_update_dpp(0, i, 0x118, 0xf, 0xf, true); if (j < n && i < n) o[i] = x[j];",
])  # fmt: skip
def test_what_lanes_say_to_one_another_is_followed(body: str) -> None:
    assert followed(KERNEL.format(body))[0] == "proved"


REMAINDER = "if (n > 300) {{ unsigned m = (blockIdx.x * 7u + 5u) % (unsigned)(n + {}); if (i < n) o[i] = x[m]; }}"


def test_what_the_first_lane_has_on_a_way_that_all_lanes_take_is_what_all_have() -> None:
    """Scalar division goes through a vector register, also behind a branch."""
    assert followed(KERNEL.format(REMAINDER.format(0)))[0] == "proved"
    assert followed(KERNEL.format(REMAINDER.format(1)))[0] != "proved"


@pytest.mark.parametrize("body", some([
    f"{FIRST} if (first < n) o[first] = x[i];",  # lanes of a wave meet
    f"{FIRST} if (i < n) o[first + lane] = x[first + 63];",  # a lane that is beyond
    "int j = __builtin_amdgcn_ds_bpermute((lane ^ 1) * 4, i); if (i < n) o[i] = x[j];",
    "int j = __builtin_amdgcn_ds_bpermute((lane & 62) * 4, i); if (i < n && j < n) o[j] = x[i];",  # two there
    "int j = __builtin_amdgcn_readlane(i, 63); if (i < n) o[i] = x[j];",
    "if (i < n) { int j = __builtin_amdgcn_update_dpp(0, i, 0x141, 0xf, 0xf, false); o[j] = x[i]; }",
    "if (i < n && lane > 3) { int j = __builtin_amdgcn_readlane(i, 0); o[i] = x[i - j]; }",
], 4))  # fmt: skip
def test_what_another_lane_has_is_not_what_the_own_one_has(body: str) -> None:
    assert followed(KERNEL.format(body))[0] != "proved"


def test_a_barrier_in_turns_that_waves_have_different_numbers_of_is_not_followed() -> None:
    turns = "int k = 0; do __syncthreads(); while ((k += 3) < (first & 255) / 16);"
    name, verdict = followed(KERNEL.format(f"{FIRST} {turns} if (i < n) o[i] = x[i];"))
    assert name != "proved"
    assert "in different numbers of turns" in verdict.reason
