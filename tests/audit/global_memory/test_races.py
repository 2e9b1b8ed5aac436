"""Races in global memory: what each thread has for itself is another thing in another thread."""

import pytest

from layoutalg.audit.audit import Audit, audit
from layoutalg.device.compile import compile_source
from layoutalg.formats.spec import loads
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from tests.matrix import some

LAUNCH = """
symbols = {{ N = {{ min = 1, max = 64 }} }}
[[descriptor]]
name = "x"
dtype = "i32"
base = {{ kind = "naive", lengths = [65536], strides = [1] }}
[[descriptor]]
name = "o"
dtype = "i32"
base = {{ kind = "naive", lengths = [65536], strides = [1] }}
[launch]
grid = [4]
block = [64]
arguments = ["x", "o", "N"]
writes = ["o"]
assume = [{{ of = "x", min = {}, max = {} }}]
"""
KERNEL = """
#include <hip/hip_runtime.h>
extern "C" __global__ void k(const int* x, int* o, int n) {{
    int t = blockIdx.x * 64 + threadIdx.x;
    {}
}}
"""


def races(body: str, least: int = 0, most: int = 255, target: str = "gfx942") -> set[str]:
    (kernel,) = read_kernels(compile_source(KERNEL.format(body), target).payload).values()
    found: Audit = audit(decode_kernel(kernel), loads(LAUNCH.format(least, most)))
    return {verdict.name for said, _, verdict in found.claims if said == "race_free"}


@pytest.mark.parametrize("body", [
    "o[t] = x[t];", "o[t * 2] = 1; o[t * 2 + 1] = 2;", "o[t + 256 * x[t]] = 1;",
])  # fmt: skip
def test_apart(body: str) -> None:
    assert races(body) == {"proved"}


@pytest.mark.parametrize("body", some([
    "o[t / 2] = x[t];",
    "o[t + x[t]] = 1;",  # apart where all load the same, and not else
    "o[x[t]] = t;",
    "for (int k = 0; k < n; ++k) o[t + k] = t;",  # apart in each turn, and not between two
    "o[t] = o[t + 1] + 1;",
    "if (x[t] == 7) o[0] = t;",
], 3))  # fmt: skip
def test_not_apart(body: str) -> None:
    assert "proved" not in races(body) or races(body) & {"unknown", "refuted"}


@pytest.mark.slow
def test_a_loop_that_may_count_down_from_0_is_not_proved() -> None:
    """Its count says no turn, the code makes 2³²: of those nothing is known."""
    body = 'int k = n, s = 0; do { s = s * 3 + t; asm volatile("" : "+v"(s)); } while (--k != 0); o[t] = s;'
    (kernel,) = read_kernels(compile_source(KERNEL.format(body), "gfx942").payload).values()
    limits = {least: LAUNCH.replace("min = 1, max = 64", f"min = {least}, max = 64").format(0, 255) for least in (0, 1)}
    assert audit(decode_kernel(kernel), loads(limits[1])).proved
    assert not audit(decode_kernel(kernel), loads(limits[0])).proved


BESIDE = "o[t] = x[t]; __syncthreads(); int a = o[t ^ 1]; __syncthreads(); o[t] = a;"


def test_barriers_order_what_is_of_one_block() -> None:
    assert races(BESIDE) == {"proved"}
    assert races(BESIDE.replace("t ^ 1", "t ^ 64")) != {"proved"}  # of another block
    assert races(BESIDE.replace("__syncthreads(); int", "int")) != {"proved"}  # only one barrier
    assert races("for (int k = 0; k < n; ++k) { o[t] = x[t] + k; __syncthreads(); o[256 + t] = o[t ^ 1]; }") != {
        "proved"
    }
    assert races(BESIDE, target="gfx1201") != {"proved"}  # waves of a block on two compute units
