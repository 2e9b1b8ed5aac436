"""Atomic operations: in bounds as stores are, no race with one another, and nobody knows what they bring."""

import functools

import pytest

from layoutalg.audit.audit import Audit, audit
from layoutalg.device.compile import compile_source
from layoutalg.formats.spec import loads
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from tests.matrix import each

LAUNCH = """
symbols = {{ N = {{ min = 1, max = 100000 }} }}
[[descriptor]]
name = "x"
dtype = "u32"
base = {{ kind = "naive", lengths = ["N"], strides = [1] }}
[[descriptor]]
name = "o"
dtype = "u32"
base = {{ kind = "naive", lengths = [256], strides = [1] }}
[[descriptor]]
name = "w"
dtype = "u64"
base = {{ kind = "naive", lengths = [64], strides = [1] }}
[launch]
grid = ["(N + 127) // 128"]
block = [128]
arguments = ["x", "o", "w", "N"]
writes = [{}]
"""
KERNEL = """
#include <hip/hip_runtime.h>
typedef unsigned long long u64;
extern "C" __global__ void k(const unsigned* x, unsigned* o, u64* w, int n) {{
    __shared__ unsigned s[256];
    __shared__ u64 wide[64];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    {}
}}
"""
CLEARED = "s[t] = 0; s[t + 128] = 0; __syncthreads();"


def audited(body: str, target: str = "gfx942", writes: str = '"o", "w"') -> Audit:
    (kernel,) = read_kernels(compile_source(KERNEL.format(body), target).payload).values()
    return audit(decode_kernel(kernel), loads(LAUNCH.format(writes)))


def verdicts(found: Audit, name: str) -> set[str]:
    return {verdict.name for claim, _, verdict in found.claims if claim == name}


@pytest.mark.parametrize("target", each(["gfx942", "gfx1201"], "gfx942"))
@pytest.mark.parametrize("body", [
    "if (i < n) atomicAdd(&o[x[i] & 255], 1u);",
    "if (i < n) atomicMax(&w[x[i] % 64], (u64)i);",
    "if (i < n) atomicCAS(&o[t], x[i], 7u);",
    "if (i < n) { unsigned at = atomicInc(&o[t & 7], 100u); if (at < n) atomicXor(&o[8 + t], x[at]); }",
    "if (i < n) { u64 at = atomicExch(&w[t & 7], (u64)i); if (at < n) atomicOr(&o[t & 1], x[at]); }",
    CLEARED + "if (i < n) atomicAdd(&s[x[i] & 255], 1u); __syncthreads(); atomicAdd(&o[t], s[t] + s[t + 128]);",
    CLEARED + "if (i < n && atomicSub(&s[x[i] & 255], 1u) == 0) atomicAdd(&o[t], 1u);",
    "if (i < n) { atomicAdd(&o[t], 1u); if (i < 128) o[128 + t] = 3; }",
])  # fmt: skip
def test_right(body: str, target: str) -> None:
    found = audited(body, target)
    assert found.proved, list(found.failures)


again = functools.partial(pytest.param, marks=pytest.mark.slow)
"""A case whose fault is another one's too."""


@pytest.mark.parametrize(("body", "claim"), [
    ("if (i <= n) atomicAdd(&o[x[i] & 255], 1u);", "in_bounds"),
    again("if (i < n) atomicAdd(&o[t * 2 + 2], 1u);", "in_bounds"),
    ("if (i < n) atomicAdd(&w[t % 65], (u64)i);", "in_bounds"),
    ("if (i < n) atomicAdd((u64*)(o + (t & 127)), 1ull);", "aligned"),
    (CLEARED + "if (i < n) atomicAdd(&s[x[i] & 511], 1u);", "lds_in_bounds"),
    again(CLEARED + "if (i < n) atomicAdd((unsigned*)((char*)s + t), 1u);", "aligned"),
    ("s[t] = 0; __syncthreads(); if (i < n) { atomicAdd(&s[x[i] & 255], 1u); atomicAdd(&o[t], s[t]); }", "race_free"),
    again("if (i < n) { atomicAdd(&o[t], 1u); o[t ^ 64] = 3; }", "race_free"),
    ("if (i < n) atomicAdd(&o[t], o[(t + 1) & 127]);", "race_free"),
    again(CLEARED + "if (i < n) atomicAdd(&s[x[i] & 255], 1u); atomicAdd(&o[t], s[t]);", "race_free"),
    ("s[t] = 0; s[t + 128] = 0; if (i < n) atomicAdd(&s[x[i] & 255], 1u);", "race_free"),
])  # fmt: skip
def test_wrong_and_shown_by_a_run(body: str, claim: str) -> None:
    assert "refuted" in verdicts(audited(body), claim)


@pytest.mark.parametrize(("body", "claim"), [
    ("if (i < n) o[128 + (atomicAdd(&o[t], 1u) & 255)] = 1;", "in_bounds"),  # what comes back may be anything
    ("unsigned a = atomicOr(&o[t], 0u), b = atomicOr(&o[t], 0u); if (a != b) atomicAdd(&o[a + 256], 1u);", "in_bounds"),
    ("atomicExch(&o[t & 1], 5u); if (atomicOr(&o[t & 1], 0u) != 5) atomicAdd(&o[256 + t], 1u);", "in_bounds"),
    (CLEARED + "if (atomicAdd(&s[t], 1u) > 0) atomicAdd(&o[256 + t], 1u);", "in_bounds"),
    ("if (i < n) o[atomicAdd(&o[t], 0u) & 127 | 128] = i;", "race_free"),  # two may get one
    ("if (i < n) { atomicAdd(&o[t & 1], 1u); atomicAdd((u64*)&o[t & 2], 1ull); }", "race_free"),  # of two widths
    ("wide[t & 63] = 0; __syncthreads(); atomicAdd(&wide[t & 63], 1ull); atomicAdd((unsigned*)&wide[t & 31], 1u);",
     "race_free"),
    ("if (i < n) atomicAdd(&s[x[i] & 255], 1u);", "initialised"),
    ('int v; asm volatile("" : "=v"(v)); if (i < n) atomicAdd(&o[t], v);', "defined"),
])  # fmt: skip
def test_not_proved(body: str, claim: str) -> None:
    assert verdicts(audited(body), claim) - {"proved"}


@pytest.mark.parametrize("body", ["if (i < n) atomicAdd(&o[t], 1u);", "if (i < n) atomicExch(&o[t], 1u);"])
def test_a_tensor_that_is_only_read_is_not_updated(body: str) -> None:
    assert verdicts(audited(body, writes='"w"'), "read_only") == {"refuted"}


def test_a_narrow_scope_orders_no_two_blocks() -> None:
    body = "if (i < n) __hip_atomic_fetch_add(&o[t & 7], x[i], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_{});"
    assert audited(body.replace("{}", "AGENT"), "gfx1201").proved
    assert verdicts(audited(body.replace("{}", "WORKGROUP"), "gfx1201"), "race_free") - {"proved"}
