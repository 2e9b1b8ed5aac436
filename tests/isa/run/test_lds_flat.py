"""LDS is LDS by whichever instruction: flat accesses, volatile ones too, are watched as those of the LDS unit are."""

import functools

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.errors import Fault
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from tests.matrix import each

TARGETS = ("gfx942", "gfx1100", "gfx1201")
SOURCE = """
#include <hip/hip_runtime.h>
// volatile makes clang access LDS by flat instructions
extern "C" __global__ void flat(const float* x, float* o, int wait) {
  __shared__ volatile float s[256];
  s[threadIdx.x] = x[threadIdx.x];
  if (wait) __syncthreads();
  o[threadIdx.x] = s[255 - threadIdx.x];
}
extern "C" __global__ void plain(const float* x, float* o, int wait) {
  __shared__ float s[256];
  s[threadIdx.x] = x[threadIdx.x];
  __builtin_amdgcn_wave_barrier();
  if (wait) __syncthreads();
  o[threadIdx.x] = s[255 - threadIdx.x];
}
"""


@functools.cache
def kernels(target: str):
    return dict(read_kernels(compile_source(SOURCE, target).payload))


@pytest.mark.parametrize("target", each(TARGETS, "gfx942"))
@pytest.mark.parametrize(("name", "unit"), [("flat", "FLAT"), ("plain", "DS")])
def test_a_race_in_lds_is_a_fault_by_whichever_instruction(target: str, name: str, unit: str) -> None:
    program = decode_kernel(kernels(target)[name])
    assert any(one.name.startswith(f"{unit}_") for one in program.instructions)
    x, o = np.arange(256, dtype=np.float32), np.zeros(256, np.float32)
    assert np.array_equal(execute(program, (1,), (256,), [x, o, 1]).outputs[1], x[::-1])
    with pytest.raises(Fault, match="LDS byte 0x3fc, written by another wave with no barrier between") as caught:
        execute(program, (1,), (256,), [x, o, 0])
    assert caught.value.kind == "race"
