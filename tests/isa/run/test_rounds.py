"""Waves that go round: one that waits for another lets it go, and where none can go on the run is over."""

import functools

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.errors import Fault, Livelock, StepLimit
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from tests.matrix import each

TARGETS = ("gfx942", "gfx1100", "gfx1201")
SOURCE = """
#include <hip/hip_runtime.h>
#define KERNEL(name) extern "C" __global__ __launch_bounds__(128) void name(unsigned* o, unsigned* flag, unsigned n)
#define SET(word, what) __hip_atomic_store(word, what, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT)
#define GET(word) __hip_atomic_load(word, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT)
// each block waits for the one behind it: the last one has n
KERNEL(handed_down) {
  unsigned b = blockIdx.x, got = n;
  if (b + 1 < gridDim.x) while (!(got = GET(flag + b + 1)));
  if (threadIdx.x == 0) {
    o[b] = got;
    SET(flag + b, got);
  }
}
// what is stored again and again is what is there
KERNEL(stores_the_same) {
  while (!GET(flag)) if (threadIdx.x == 0) o[blockIdx.x] = 5;
}
// a flag that another block stores behind a barrier of its own
KERNEL(behind_a_barrier) {
  if (blockIdx.x == 0) {
    while (!GET(flag));
  } else {
    __syncthreads();
    if (threadIdx.x == 0) SET(flag, n);
  }
  o[blockIdx.x * 128 + threadIdx.x] = 7;
}
// waves of a block stand at a barrier to which the first does not come before the flag is there
KERNEL(beside_a_barrier) {
  if (threadIdx.x < 64) while (!GET(flag));
  __syncthreads();
  o[blockIdx.x * 128 + threadIdx.x] = 7;
}
__device__ __attribute__((noinline)) void await(unsigned* flag) { while (!GET(flag)); }
KERNEL(waits_in_a_function) {
  await(flag);
  o[threadIdx.x] = 7;
}
KERNEL(counts) {
  for (unsigned i = 0; i < n && !GET(flag); ++i);
  o[blockIdx.x * 128 + threadIdx.x] = 7;
}
"""


@functools.cache
def kernels(target):
    return read_kernels(compile_source(SOURCE, target).payload)


def run(target, name, blocks, n=0, **how):
    arguments = [np.zeros(128 * blocks, np.uint32), np.zeros(blocks + 1, np.uint32), n]
    return execute(decode_kernel(kernels(target)[name]), (blocks,), (128,), arguments, **how)


@pytest.mark.parametrize("order", [None, 1])
@pytest.mark.parametrize("target", each(TARGETS, "gfx942"))
def test_waves_that_wait_let_others_go(target, order):
    found = run(target, "handed_down", 12, n=3, order=order)
    assert (found.outputs[0][:12] == 3).all()
    assert found.steps < 12 * 500


@pytest.mark.parametrize("name", ["handed_down", "stores_the_same", "waits_in_a_function"])
@pytest.mark.parametrize("target", each(TARGETS, "gfx1201"))
def test_a_word_that_none_stores_ends_the_run(target, name):
    with pytest.raises(Livelock, match="waves go round for ever") as caught:
        run(target, name, 3)
    assert caught.value.steps < 2000


@pytest.mark.parametrize("target", each(TARGETS, "gfx942"))
def test_blocks_that_are_whole_pass_their_barrier_while_others_wait_for_them(target):
    assert (run(target, "behind_a_barrier", 4, n=1).outputs[0] == 7).all()
    with pytest.raises(Livelock):
        run(target, "behind_a_barrier", 4, n=0)


def test_a_barrier_to_which_a_wave_may_yet_come_is_no_fault_of_the_barrier():
    """What it waits for may be stored by a block that has not begun."""
    with pytest.raises(Livelock):
        run("gfx942", "beside_a_barrier", 2)


def test_what_counts_its_turns_goes_on():
    assert (run("gfx942", "counts", 2, n=2000).outputs[0] == 7).all()
    with pytest.raises(StepLimit) as caught:
        run("gfx942", "counts", 2, n=2000, step_limit=3000)
    assert not isinstance(caught.value, Livelock)
    assert isinstance(caught.value, Fault)
