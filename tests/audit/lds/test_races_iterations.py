"""LDS whose slots turn with a loop: what is right is proved, and each small mistake is not."""

from collections.abc import Mapping
from functools import cache

import pytest

from layoutalg.audit.audit import Audit, audit
from layoutalg.device.compile import compile_source
from layoutalg.formats.spec import loads
from layoutalg.isa.container.binary import KernelBinary, read_kernels
from layoutalg.isa.decode.code import decode_kernel

LAUNCH = """
symbols = { N = { min = 1, max = 4096 } }
[[descriptor]]
name = "x"
dtype = "i32"
base = { kind = "naive", lengths = ["N", 256], strides = [256, 1] }
[[descriptor]]
name = "o"
dtype = "i32"
base = { kind = "naive", lengths = [256], strides = [1] }
[launch]
grid = [1]
block = [256]
arguments = ["x", "o", { value = "N", dtype = "i32" }]
writes = ["o"]
"""
KERNEL = """
extern "C" __global__ void {}(const int* x, int* o, int n) {{
    __shared__ int s[1024];
    int t = threadIdx.x, a = 0;
    {}
    o[t] = a;
}}
"""
FIRST = "s[t] = x[t]; __syncthreads(); "
NEXT = FIRST + "for (int i = 0; i < n; ++i) {{ if (i + {} < n) s[(i + {} & 1) * 256 + t] = x[t]; {}"
READ = "a += s[(i & 1) * 256 + (t ^ 64)]; __syncthreads(); }"

RIGHT = {
    "double_buffer": NEXT.format(1, 1, "") + READ,
    "two_slots_one_barrier": "for (int i = 0; i < n; ++i) { s[(i & 1) * 256 + t] = x[t]; __syncthreads();"
    " a += s[(i & 1) * 256 + (t ^ 64)]; }",
    "four_slots": "for (int j = 0; j < 3; ++j) s[j * 256 + t] = x[t]; __syncthreads(); for (int i = 0; i < n; ++i)"
    " { s[(i + 3 & 3) * 256 + t] = x[t]; a += s[(i & 3) * 256 + (t ^ 64)]; __syncthreads(); }",
    "last_slot": "for (int i = 0; i < n; ++i) { s[(i & 1) * 256 + t] = x[t]; __syncthreads(); }"
    " a = s[(n - 1 & 1) * 256 + (t ^ 64)];",
    "ping_pong": "int c = 0; " + FIRST + "for (int i = 0; i < n; ++i)"
    " { s[(c ^ 1) * 256 + t] = s[c * 256 + (t ^ 64)] + i; c ^= 1; __syncthreads(); } a = s[c * 256 + (t ^ 64)];",
    "tree_in_loop": "for (int i = 0; i < n; ++i) { s[t] = x[t]; __syncthreads(); for (int k = 128; k > 0; k >>= 1)"
    " { if (t < k) s[t] += s[t + k]; __syncthreads(); } a += s[0]; __syncthreads(); }",
    "two_loops": "for (int i = 0; i < n; ++i) { s[t] = x[t]; __syncthreads(); a += s[t ^ 64]; __syncthreads(); }"
    " for (int i = 0; i < n; ++i) a += s[t ^ 128];",
    "reverse": "if (t < n && n <= 256) s[n - 1 - t] = x[t]; __syncthreads(); if (t < n && n <= 256) a = s[t];",
    "either_guard": "if (n < 100) s[t] = 1; else s[t] = 2; __syncthreads(); a = s[t ^ 64];",
    "narrow_reader": "if (t < n) s[t] = 1; __syncthreads(); if ((t ^ 64) < n) a = s[t ^ 64];",
}
BROKEN = {
    "no_barrier_before": (NEXT.format(1, 1, "") + READ).replace("__syncthreads(); for", "for"),
    "same_slot": NEXT.format(1, 0, "") + READ,
    "nothing_first": (NEXT.format(1, 1, "") + READ).removeprefix(FIRST),
    "narrow_writer": NEXT.format(2, 1, "") + READ,
    "one_slot_one_barrier": "for (int i = 0; i < n; ++i) { s[t] = x[t]; __syncthreads(); a += s[t ^ 64]; }",
    "four_slots_a_stage_more": RIGHT["four_slots"].replace("i + 3", "i + 4"),
    "four_slots_a_stage_less": RIGHT["four_slots"].replace("j < 3", "j < 2"),
    "another_slot": RIGHT["last_slot"].replace("n - 1 &", "n &"),
    "tree_without_the_last_barrier": RIGHT["tree_in_loop"].replace("a += s[0]; __syncthreads();", "a += s[0];"),
    "second_loop_stores": RIGHT["two_loops"].replace("a += s[t ^ 128];", "{ a += s[t ^ 128]; s[t] = i; }"),
    "reverse_of_one_less": RIGHT["reverse"].replace("a = s[t]", "a = s[t + 1]"),
    "a_gap_between_guards": RIGHT["either_guard"].replace("else s", "else if (n > 100) s"),
    "wide_reader": RIGHT["narrow_reader"].replace("^ 64) < n", "^ 64) <= n"),
}
DEAR = ("ping_pong",)


@cache
def kernels() -> Mapping[str, KernelBinary]:
    text = "".join(KERNEL.format(name, body) for name, body in (RIGHT | BROKEN).items())
    return read_kernels(compile_source("#include <hip/hip_runtime.h>" + text, "gfx942").payload)


def audited(name: str) -> Audit:
    return audit(decode_kernel(kernels()[name]), loads(LAUNCH))


@pytest.mark.parametrize("name", [pytest.param(one, marks=pytest.mark.slow) if one in DEAR else one for one in RIGHT])
def test_turns_that_are_synchronised_are_proved(name: str) -> None:
    found = audited(name)
    assert found.proved, found.failures


@pytest.mark.parametrize("name", list(BROKEN)[:2])
def test_turns_with_a_mistake_are_not(name: str) -> None:
    found = audited(name)
    assert {claim for claim, _, verdict in found.claims if verdict.name != "proved"} & {"race_free", "initialised"}


@pytest.mark.slow
@pytest.mark.parametrize("name", list(BROKEN)[2:])
def test_more_turns_with_a_mistake_are_not(name: str) -> None:
    found = audited(name)
    assert {claim for claim, _, verdict in found.claims if verdict.name != "proved"} & {"race_free", "initialised"}
