"""What accesses cost waves: LDS cycles and segments, of kernels that are known to cost so much."""

from functools import cache

import pytest

from layoutalg.device.compile import compile_source
from layoutalg.formats.spec import loads
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.refine.audit.audit import Audit, audit
from layoutalg.refine.audit.facts import BANKS, COALESCED

LAUNCH = """
symbols = {{ N = {{ min = 1, max = 64 }} }}
[[descriptor]]
name = "x"
dtype = "i32"
base = {{ kind = "naive", lengths = ["N", 64, 64], strides = [4096, 64, 1] }}
[[descriptor]]
name = "o"
dtype = "i32"
base = {{ kind = "naive", lengths = ["N", 64], strides = [64, 1] }}
[launch]
grid = ["N"]
block = [64]
arguments = ["x", "o"]
writes = ["o"]
claims = {}
"""
KERNEL = """
extern "C" __global__ void {}(const int* x, int* o) {{
    __shared__ int s[64 * 33];
    int t = threadIdx.x, b = blockIdx.x;
    {}
}}
"""
KERNELS = {
    "rows": "o[b * 64 + t] = x[b * 4096 + t];",
    "column": "o[b * 64 + t] = x[b * 4096 + t * 64];",
    "begins_anywhere": "o[b * 64 + t] = x[b * 3 + t];",
    "conflicts": "s[t * 32] = x[b * 4096 + t]; __syncthreads(); o[b * 64 + t] = s[(63 - t) * 32];",
    "padded": "s[t * 33] = x[b * 4096 + t]; __syncthreads(); o[b * 64 + t] = s[(63 - t) * 33];",
    "gathered": "o[b * 64 + t] = x[x[b * 4096 + t] & 63];",
}


@cache
def audited(name: str, claims: str = "[]") -> Audit:
    text = "".join(KERNEL.format(*one) for one in KERNELS.items())
    kernels = read_kernels(compile_source("#include <hip/hip_runtime.h>" + text, "gfx942").payload)
    return audit(decode_kernel(kernels[name]), loads(LAUNCH.format(claims)))


def costs(name: str, claim: str) -> list[tuple[int, int, int]]:
    return [(one.best, one.worst, one.least) for one in audited(name).facts if one.claim == claim]


def test_lanes_in_a_row_touch_the_fewest_segments() -> None:
    assert costs("rows", COALESCED) == [(2, 2, 2)] * 2  # 64 lanes of 4 bytes, segments of 128 bytes


def test_a_column_touches_a_segment_a_lane() -> None:
    assert costs("column", COALESCED)[0] == (64, 64, 2)  # of 128 bytes: 256 bytes would lie in two


def test_a_row_that_begins_anywhere_may_touch_one_more() -> None:
    assert costs("begins_anywhere", COALESCED)[0] == (2, 3, 2)


def test_a_column_of_lds_has_conflicts_that_padding_takes_away() -> None:
    assert costs("conflicts", BANKS) == [(64, 64, 2)] * 2  # each lane in one bank
    assert costs("padded", BANKS) == [(2, 2, 2)] * 2


def test_what_was_loaded_says_no_cost() -> None:
    assert "loaded" in next(one.why for one in audited("gathered").facts if one.why)


@pytest.mark.parametrize(("name", "claim", "outcome"), [
    ("padded", BANKS, {"proved"}), ("conflicts", BANKS, {"refuted"}), ("rows", COALESCED, {"proved"}),
    ("column", COALESCED, {"refuted", "proved"}), ("begins_anywhere", COALESCED, {"unknown", "proved"}),
    ("gathered", COALESCED, {"unknown", "proved"}),
])  # fmt: skip
def test_claims_of_a_launch_are_decided(name: str, claim: str, outcome: set[str]) -> None:
    found = audited(name, f'["{claim}"]')
    assert {verdict.name for said, _, verdict in found.claims if said == claim} == outcome
    assert not [said for said, _, _ in audited(name).claims if said == claim]
