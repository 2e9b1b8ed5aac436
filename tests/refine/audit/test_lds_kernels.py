"""LDS thread by thread: what meets between two barriers, and what is read that nobody stored."""

import pytest

from layoutalg.device.compile import compile_source
from layoutalg.formats.spec import loads
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.refine.audit.audit import Audit, audit

LAUNCH = """
[[descriptor]]
name = "o"
dtype = "i32"
base = { kind = "naive", lengths = [256], strides = [1] }
[launch]
grid = [1]
block = [256]
arguments = ["o"]
writes = ["o"]
"""
KERNEL = """
#include <hip/hip_runtime.h>
extern "C" __global__ void k(int* o) {{
    __shared__ int s[256];
    int t = threadIdx.x;
    {}
}}
"""


def audited(body: str) -> Audit:
    (kernel,) = read_kernels(compile_source(KERNEL.format(body), "gfx942").payload).values()
    return audit(decode_kernel(kernel), loads(LAUNCH))


def claim(found: Audit, name: str) -> set[str]:
    return {verdict.name for said, _, verdict in found.claims if said == name}


@pytest.mark.parametrize("body", [
    "s[t] = t; __syncthreads(); o[t] = s[255 - t];",
    "volatile int* v = s; v[t] = t; o[t] = v[t ^ 1];",  # a wave's own lanes, whose accesses are in order
    "if (t < 128) s[t] = t; __syncthreads(); if (t < 128) o[t] = s[127 - t];",
    "s[t] = t; __syncthreads(); int a = s[255 - t]; __syncthreads(); s[t] = a; __syncthreads(); o[t] = s[255 - t];",
])  # fmt: skip
def test_synchronised(body: str) -> None:
    found = audited(body)
    assert found.proved, found.failures


@pytest.mark.parametrize(("body", "name"), [
    ("s[t] = t; o[t] = s[255 - t];", "race_free"),  # no barrier
    ("s[t] = t; __syncthreads(); int a = s[255 - t]; s[t] = a; __syncthreads(); o[t] = s[t];", "race_free"),
    ("s[t & 63] = t; __syncthreads(); o[t] = s[t & 63];", "race_free"),  # four waves store to one place
    ("if (t < 128) s[t] = t; __syncthreads(); o[t] = s[t];", "initialised"),
    ("s[t] = t; __syncthreads(); if (t < 128) o[t] = s[t * 2 - 1 & 255]; else o[t] = 0;", ""),
])  # fmt: skip
def test_not_synchronised(body: str, name: str) -> None:
    found = audited(body)
    if name:
        assert not found.proved
        assert claim(found, name) & {"refuted", "unknown"}, found.claims
    else:
        assert found.proved, found.failures
