"""Kernels compiled for this processor, against the numpy machine: results, and the faults that are looked at."""

from dataclasses import replace

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.device.plain import execute_plainly
from layoutalg.errors import Fault, StepLimit, UnsupportedInstructionError
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute

SOURCE = """
#include <hip/hip_runtime.h>
extern "C" __global__ void turned(const float* in, float* out, int n) {
  __shared__ float tile[64];
  tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < n; k++) sum = sum * 0.5f + tile[(threadIdx.x + k) & 63];
  out[blockIdx.x * 64 + 63 - threadIdx.x] = threadIdx.x < 40 ? sum : __builtin_amdgcn_exp2f(sum);
}
extern "C" __global__ void counted(unsigned* total, const unsigned* in) {
  atomicAdd(total, in[threadIdx.x]);
  atomicMax(total + 1, in[threadIdx.x]);
}
extern "C" __global__ void endless(volatile unsigned* out) {
  for (;;) out[threadIdx.x] = 1;
}
"""


@pytest.fixture(scope="module")
def kernels():
    read = read_kernels(compile_source(SOURCE, "gfx942").payload)
    return {name: decode_kernel(read[name]) for name in ("turned", "counted", "endless")}


def test_results_are_the_same(kernels):
    given = np.random.default_rng(3).standard_normal(5 * 64).astype(np.float32)
    args = [given, np.zeros_like(given), 9]
    plain, exact = (run(kernels["turned"], [5], [64], args) for run in (execute_plainly, execute))
    assert np.array_equal(plain.outputs[1].view(np.uint32), exact.outputs[1].view(np.uint32))


def test_atomic_operations(kernels):
    given = np.random.default_rng(3).integers(0, 1 << 20, 256).astype(np.uint32)
    total = execute_plainly(kernels["counted"], [3], [256], [np.zeros(2, np.uint32), given]).outputs[0]
    assert total.tolist() == [3 * int(given.sum()), int(given.max())]


def test_an_address_out_of_bounds_is_the_same_fault(kernels):
    args = [np.zeros(5 * 64 - 1, np.float32), np.zeros(5 * 64, np.float32), 1]
    found = []
    for run in (execute_plainly, execute):
        with pytest.raises(Fault) as fault:
            run(kernels["turned"], [5], [64], args)
        found.append(str(fault.value))
    assert found[0] == found[1]
    assert "block (4, 0, 0) thread 63" in found[0]


def test_a_kernel_that_does_not_end_is_stopped(kernels):
    with pytest.raises(StepLimit):
        execute_plainly(kernels["endless"], [2], [64], [np.zeros(64, np.uint32)], step_limit=10_000)


def test_what_has_no_text_is_named(kernels, monkeypatch):
    from layoutalg.isa.compiled.registers import TextRegisters

    def refused(*_):
        raise UnsupportedInstructionError("no compiled text")

    monkeypatch.setattr(TextRegisters, "lane_number", refused)
    monkeypatch.setattr(TextRegisters, "mask_of", refused)
    given = np.zeros(64, np.float32)
    with pytest.raises(UnsupportedInstructionError, match=r"v_\w+ .*no compiled text"):
        execute_plainly(replace(kernels["turned"]), [1], [64], [given, given, 9])  # decoded anew: what was made is kept


ACCESSES = """
#include <hip/hip_runtime.h>
typedef float wide __attribute__((ext_vector_type(4)));
extern "C" __global__ void accesses(const float* in, float* out, const wide* rows, wide* turned, unsigned char* narrow,
                                    int stride, int far) {
  unsigned t = threadIdx.x;
  __shared__ wide tile[64];
  tile[t] = rows[t];
  __syncthreads();
  turned[t] = tile[t * 5 & 63];
  if (t % 3 != 1) out[t * stride] = in[t];
  if (t < 40) narrow[t] = narrow[t + 1] + 1;
  float sum = 1;
  if (t & 4 || t < 3 || t > 60) sum = in[t];
  out[128 + t] = sum;
  float* either = t & 1 ? out + far : (float*)(turned + 64);
  if (t == 5 || t == 8) *either = in[t & 7];
}
"""


@pytest.mark.parametrize(("stride", "far"), [(1, 999), (15, 999), (17, 0), (1, 1000)])
def test_lanes_together_and_apart(stride, far):
    """Lanes in a row, with a stride, some of them, in two tensors at once; and the same fault where one is outside."""
    code = decode_kernel(read_kernels(compile_source(ACCESSES, "gfx942").payload)["accesses"])
    given = np.random.default_rng(3).standard_normal(1000).astype(np.float32)
    found = []
    for run in (execute_plainly, execute):
        out, turned, narrow = np.zeros(1000, np.float32), np.zeros(257, np.float32), np.arange(64, dtype=np.uint8)
        args = [given[:64], out, given[:256], turned, narrow, stride, far]
        try:
            found.append([one.tobytes() for one in run(code, [1], [64], args).outputs])
        except Fault as fault:
            found.append(str(fault))
    assert found[0] == found[1]
    assert isinstance(found[0], str) is (stride == 17 or far == 1000)
