"""Kernels that call the mathematics of `include/hip/ocml` are proved safe: nothing undefined is stored."""

import pytest

from layoutalg.audit.audit import audit
from layoutalg.device import choose_compiler, compile_source
from layoutalg.formats import loads
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from tests.matrix import each

LAUNCH = """
[symbols]
N = { min = 1, max = 1000000 }

[[descriptor]]
name = "x"
dtype = "f32"
base = { kind = "naive", lengths = ["N"], strides = [1] }

[launch]
kernel = "k"
grid = ["(N + 63) // 64"]
block = [64]
arguments = ["x", "N"]
writes = ["x"]
"""
ONE = ("sinf", "tanf", "acosf", "atanf", "sinhf", "tanhf", "asinhf", "acoshf", "atanhf", "expm1f", "log1pf", "erff",
       "erfcf", "cbrtf", "tgammaf", "lgammaf", "normcdff")  # fmt: skip
CALLS = (*(f"{name}(x[i])" for name in ONE), "powf(x[i], 2.5f)", "atan2f(x[i], 2.5f)", "hypotf(x[i], 2.5f)")


@pytest.mark.parametrize("call", each(CALLS, "powf(x[i], 2.5f)"))
def test_a_kernel_that_calls_a_function_is_proved(call: str) -> None:
    source = f"""#include <hip/hip_runtime.h>
extern "C" __global__ void k(float* x, int n) {{ int i = blockIdx.x * 64 + threadIdx.x; if (i < n) x[i] = {call}; }}
"""
    payload = compile_source(source, "gfx942", compiler=choose_compiler("gfx942")).payload
    found = audit(decode_kernel(read_kernels(payload)["k"]), loads(LAUNCH))
    assert found.proved, [(claim, about, verdict.reason) for claim, about, verdict in found.claims if not verdict]
