"""Waves that wait for one another by a flag: what may be order by atomic operations is told, and no fault."""

from functools import cache

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.errors import Fault
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.isa.run.polls import polls
from tests.matrix import each

TARGETS = ("gfx942", "gfx1100", "gfx1201")
SOURCE = """
#include <hip/hip_runtime.h>
#define WORKGROUP __HIP_MEMORY_SCOPE_WORKGROUP
// the first half of the block hands a word a lane to the second, each lane by a flag of its own
extern "C" __global__ __launch_bounds__(128) void by_flag(unsigned* o) {
  __shared__ unsigned data[64];
  __shared__ unsigned flag[64];
  unsigned t = threadIdx.x, lane = t & 63;
  if (t < 64) flag[lane] = 0;
  __syncthreads();
  if (t < 64) {
    data[lane] = t + 7;
    __hip_atomic_store(&flag[lane], 1u, __ATOMIC_RELEASE, WORKGROUP);
  } else {
    while (__hip_atomic_load(&flag[lane], __ATOMIC_ACQUIRE, WORKGROUP) == 0);
    o[lane] = data[lane];
  }
}
// a flag in global memory, stored plainly and taken by a compare and swap
extern "C" __global__ __launch_bounds__(128) void by_swap(unsigned* o, unsigned* data, unsigned* flag) {
  if (threadIdx.x == 0) {
    data[0] = 7;
    __hip_atomic_store(flag, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
  }
  if (threadIdx.x == 64) {
    unsigned e;
    do e = 1; while (!__hip_atomic_compare_exchange_strong(flag, &e, 1u, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED,
                                                           __HIP_MEMORY_SCOPE_AGENT));
    o[0] = data[0];
  }
}
// places are cleared beside others' sums, with no barrier between
extern "C" __global__ __launch_bounds__(128) void cleared_late(unsigned* o) {
  __shared__ unsigned count[128];
  count[127 - threadIdx.x] = 0;
  __hip_atomic_fetch_add(&count[threadIdx.x], 1u, __ATOMIC_RELAXED, WORKGROUP);
  __syncthreads();
  o[threadIdx.x] = count[threadIdx.x];
}
// a sum along LDS, in a loop of loads alone
extern "C" __global__ __launch_bounds__(128) void sums(unsigned* o, unsigned* x, unsigned n) {
  unsigned sum = 0;
  #pragma unroll 1
  for (unsigned i = 0; i < n; ++i) sum += x[i * 128 + threadIdx.x];
  o[threadIdx.x] = sum;
}
"""


@cache
def kernel(target: str, name: str) -> MachineCode:
    return decode_kernel(read_kernels(compile_source(SOURCE, target).payload)[name])


@pytest.mark.slow
@pytest.mark.parametrize("target", each(TARGETS, "gfx1201"))
def test_what_a_flag_hands_on_is_told(target: str) -> None:
    run = execute(kernel(target, "by_flag"), (1,), (128,), [np.zeros(64, np.uint32)])
    assert np.array_equal(run.outputs[0], np.arange(7, 71))
    assert run.unjudged
    given = [np.zeros(1, np.uint32) for _ in range(3)]
    run = execute(kernel(target, "by_swap"), (1,), (128,), given)
    assert [int(one[0]) for one in run.outputs] == [7, 7, 1]
    assert run.unjudged


@pytest.mark.parametrize("target", each(TARGETS, "gfx1201"))
def test_a_store_beside_sums_is_a_race(target: str) -> None:
    with pytest.raises(Fault, match="with no barrier between") as caught:
        execute(kernel(target, "cleared_late"), (1,), (128,), [np.zeros(128, np.uint32)])
    assert caught.value.kind == "race"


@pytest.mark.parametrize("target", each(TARGETS, "gfx1100"))
def test_a_loop_that_looks_at_other_places_each_time_waits_for_nobody(target: str) -> None:
    assert polls(kernel(target, "by_flag"))
    assert not polls(kernel(target, "sums"))
    assert not polls(kernel(target, "by_swap"))
