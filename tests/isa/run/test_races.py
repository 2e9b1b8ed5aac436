"""What two waves do to one place with nothing between them that orders it is a race; what may be ordered is none."""

import functools
from dataclasses import replace

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.errors import Fault
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.isa.run.races import NOBODY, OF_BLOCK, SEVERAL, Group
from tests.isa.assembly import NOP
from tests.matrix import each

TARGETS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")
SOURCE = """
#include "layoutalg_device.h"
#define FAIRLY __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE
#define AGENT __HIP_MEMORY_SCOPE_AGENT
#define ALONE(name, ...) extern "C" __global__ void name(__VA_ARGS__)

// waves of one block hand data to each other through memory
template <bool wait> __device__ void handed(int* data, int* out) {
  int t = threadIdx.x;
  data[t] = t;
  if (wait) __syncthreads();
  out[t] = data[t ^ 64];
}
ALONE(handed_over, int* data, int* out) { handed<true>(data, out); }
ALONE(snatched, int* data, int* out) { handed<false>(data, out); }
ALONE(overwritten, int* data, int* out) { out[threadIdx.x] = data[threadIdx.x ^ 64]; data[threadIdx.x] = 1; }
ALONE(all_alike, int* data) { data[0] = 7; }
ALONE(each_its_own_in_lds, int* data) {
  __shared__ int place[1];
  volatile int* there = place;
  there[0] = threadIdx.x / 64;
  __syncthreads();
  data[threadIdx.x] = there[0];
}
ALONE(alike_in_one_block, int* data) {
  __shared__ int place[128];
  volatile int* there = place;
  there[threadIdx.x] = 7;
  there[threadIdx.x ^ 64] = 7 + blockIdx.x;
  __syncthreads();
  data[threadIdx.x + 128 * blockIdx.x] = there[threadIdx.x];
}
ALONE(all_alike_in_lds, int* data) {
  __shared__ int place[1];
  volatile int* there = place;
  there[0] = 7;
  __syncthreads();
  data[threadIdx.x] = there[0];
}
ALONE(read_and_overwritten, int* data) {
  __shared__ int there[128];
  there[threadIdx.x] = threadIdx.x;
  __syncthreads();
  int old = there[threadIdx.x ^ 64];
  __syncthreads();
  there[threadIdx.x] = 9;
  __syncthreads();
  data[threadIdx.x] = old + there[threadIdx.x ^ 64];
}
ALONE(each_its_own, int* data) { data[0] = threadIdx.x / 64; }

// the block that is done last adds what the others left; `fair`: it knows so by an atomic operation
template <bool fair> __device__ void last(unsigned* parts, unsigned* done, unsigned* out) {
  __shared__ unsigned before;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = blockIdx.x + 1;
    unsigned old = 0;
    if (fair) while (!__hip_atomic_compare_exchange_strong(done, &old, old + 1, FAIRLY, AGENT)) {}
    else old = done[0], done[0] = old + 1;
    before = old;
  }
  __syncthreads();
  if (before == gridDim.x - 1 && threadIdx.x == 64) {
    unsigned sum = 0;
    for (unsigned k = 0; k < gridDim.x; ++k) sum += parts[k];
    out[0] = sum;
  }
}
ALONE(last_one, unsigned* parts, unsigned* done, unsigned* out) { last<true>(parts, done, out); }
ALONE(last_guess, unsigned* parts, unsigned* done, unsigned* out) { last<false>(parts, done, out); }

// what is updated atomically, and read or written otherwise
ALONE(counted, unsigned* n, const int* zero) {
  __hip_atomic_fetch_add(n + zero[threadIdx.x], 1u, __ATOMIC_RELAXED, AGENT);
}
ALONE(counted_and_read, unsigned* n, unsigned* out, const int* zero) {
  __hip_atomic_fetch_add(n + zero[threadIdx.x], 1u, __ATOMIC_RELAXED, AGENT);
  out[blockIdx.x * 128 + threadIdx.x] = n[0];
}
ALONE(greatest, unsigned* n, unsigned* out, const int* zero) {
  if (n[0] < threadIdx.x) __hip_atomic_fetch_max(n + zero[threadIdx.x], threadIdx.x, __ATOMIC_RELAXED, AGENT);
  out[blockIdx.x * 128 + threadIdx.x] = n[0] > 0;
}
ALONE(counted_and_written, unsigned* n, const int* zero) {
  __hip_atomic_fetch_add(n + zero[threadIdx.x], 1u, __ATOMIC_RELAXED, AGENT);
  n[0] = 1000;
}
ALONE(cleared_and_counted, unsigned* n, const int* zero) {
  if (blockIdx.x == 0 && threadIdx.x == 0) n[0] = 5;
  __syncthreads();
  __hip_atomic_fetch_add(n + zero[threadIdx.x], 1u, __ATOMIC_RELAXED, AGENT);
}

// the first threads wait in a loop for the last one, which goes on behind it
ALONE(awaited, int* data, int* flag) {
  int t = threadIdx.x;
  if (t < 64) while (!__hip_atomic_load(flag, __ATOMIC_ACQUIRE, AGENT)) {}
  data[t] = t < 64 ? data[t + 64] + 1 : t;
  if (t >= 64) __hip_atomic_fetch_or(flag, 1, __ATOMIC_RELEASE, AGENT);
}

// some waves come to one barrier more than the others
ALONE(one_more, int* out, int waves) {
  __shared__ int data[128];
  data[threadIdx.x] = threadIdx.x;
  if ((int)threadIdx.x / 64 < waves) {
    __syncthreads();
    data[threadIdx.x] += 1;
  }
  __syncthreads();
  out[threadIdx.x] = data[threadIdx.x ^ 64];
}
"""


@functools.cache
def kernels(target):
    return dict(read_kernels(compile_source(SOURCE, target).payload))


def program(target, name):
    return decode_kernel(kernels(target)[name])


def run(target, name, *arrays, blocks=1):
    return execute(
        program(target, name), (blocks,), (128,), [a.copy() if isinstance(a, np.ndarray) else a for a in arrays]
    )


def race(target, name, why, *arrays, blocks=1, kind="race"):
    with pytest.raises(Fault, match=why) as caught:
        run(target, name, *arrays, blocks=blocks)
    assert caught.value.kind == kind


INTS, ZERO = np.zeros(128, np.int32), np.zeros(128, np.int32)


@pytest.mark.parametrize("target", each(TARGETS, "gfx1201"))
def test_waves_of_a_block_are_ordered_by_a_barrier(target):
    assert np.array_equal(run(target, "handed_over", INTS, INTS).outputs[1], np.arange(128) ^ 64)
    race(target, "snatched", "global memory, (written|read) by another wave with no barrier between", INTS, INTS)
    race(target, "overwritten", "writes global memory, read by another wave with no barrier between", INTS, INTS)
    assert run(target, "all_alike", INTS).outputs[0][0] == 7
    race(target, "each_its_own", "two lanes store different values", INTS, kind="collision")


@pytest.mark.parametrize("target", each(TARGETS, "gfx950"))
def test_waves_may_store_the_same_to_one_place_of_lds(target):
    assert (run(target, "all_alike_in_lds", INTS).outputs[0] == 7).all()
    with pytest.raises(Fault, match=r"another wave|different values"):
        run(target, "each_its_own_in_lds", INTS)


def test_what_is_alike_in_the_first_block_may_differ_in_another():
    with pytest.raises(Fault, match=r"block \(1, 0, 0\) .* another wave"):
        run("gfx942", "alike_in_one_block", np.zeros(256, np.int32), blocks=2)


@pytest.mark.parametrize(("target", "wait"), [("gfx1100", "S_WAITCNT_VSCNT"), ("gfx1201", "S_WAIT_STORECNT")])
def test_a_write_is_complete_before_the_barrier_where_waves_have_caches_of_their_own(target, wait):
    whole = program(target, "handed_over")
    barrier = next(i for i in whole.instructions if i.name.startswith("S_BARRIER"))
    waits = [i for i in whole.instructions if i.name.startswith(wait) and i.address < barrier.address]
    code = bytearray(whole.kernel.code)
    for one in waits:
        start = one.address - whole.kernel.entry
        code[start : start + one.size] = NOP.to_bytes(4, "little") * (one.size // 4)
    hasty = replace(whole.kernel, code=bytes(code))
    with pytest.raises(Fault, match="reads global memory, written by another wave with no barrier between"):
        execute(decode_kernel(hasty), (1,), (128,), [INTS, INTS.copy()])
    together = decode_kernel(replace(hasty, one_cache=True))
    assert np.array_equal(execute(together, (1,), (128,), [INTS, INTS.copy()]).outputs[1], np.arange(128) ^ 64)


@pytest.mark.parametrize("target", each(TARGETS, "gfx942"))
def test_a_read_of_lds_is_over_before_the_barrier_behind_which_others_overwrite(target):
    assert np.array_equal(run(target, "read_and_overwritten", INTS).outputs[0], (np.arange(128) ^ 64) + 9)
    whole = program(target, "read_and_overwritten")
    read = next(i for i in whole.instructions if i.name.startswith(("DS_READ", "DS_LOAD")))
    wait = next(i for i in whole.instructions if i.name.startswith("S_WAIT") and i.address > read.address)
    code, start = bytearray(whole.kernel.code), wait.address - whole.kernel.entry
    code[start : start + wait.size] = NOP.to_bytes(4, "little") * (wait.size // 4)
    with pytest.raises(Fault, match=r"writes LDS byte .*, whose read by another wave was under way at the barrier"):
        execute(decode_kernel(replace(whole.kernel, code=bytes(code))), (1,), (128,), [INTS])


@pytest.mark.parametrize("target", each(TARGETS, "gfx90a"))
def test_what_atomic_operations_may_order_is_not_judged(target):
    parts, done, out = np.zeros(8, np.uint32), np.zeros(1, np.uint32), np.zeros(1, np.uint32)
    found = run(target, "last_one", parts, done, out, blocks=8)
    assert found.outputs[2][0] == 36
    assert len(found.unjudged) == 1
    race(target, "last_guess", "another block (wrote|read)|two lanes store", parts, done, out, blocks=8)


@pytest.mark.parametrize("target", each(TARGETS, "gfx1201"))
def test_atomic_operations_race_with_others(target):
    n, out = np.zeros(1, np.uint32), np.zeros(256, np.uint32)
    assert run(target, "counted", n, ZERO, blocks=2).outputs[0][0] == 256
    race(target, "counted_and_read", "reads global memory, atomically updated by another wave", n, out, ZERO)
    told = run(target, "greatest", n, out, ZERO, blocks=2).unjudged
    assert any("load" in text for text in told)
    assert not run(target, "counted", n, ZERO, blocks=2).unjudged
    race(target, "counted_and_written", "writes global memory, atomically updated by another wave", n, ZERO)
    assert run(target, "cleared_and_counted", n, ZERO).outputs[0][0] == 133
    race(target, "cleared_and_counted", "atomically updates global memory where another block wrote", n, ZERO, blocks=2)


@pytest.mark.parametrize("target", each(["gfx942", "gfx950"], "gfx950"))
def test_a_wave_that_waits_in_a_loop_lets_others_go_on(target):
    assert np.array_equal(run(target, "awaited", INTS, INTS[:1]).outputs[0][:64], np.arange(65, 129))


@pytest.mark.parametrize("target", each(TARGETS, "gfx942"))
def test_a_barrier_that_some_waves_skip_is_named(target):
    run(target, "one_more", INTS, 2)
    race(target, "one_more", "waves of a block met at different barriers, 0x.* and 0x.*: .*LDS byte", INTS, 1,
         kind="barrier")  # fmt: skip


def test_who_did_something_to_a_place():
    """Waves 0 to 3 are two blocks."""
    group, none = Group(3, 2), np.zeros(1, np.int32)

    def note(wave, passed, place=0):
        group.note(np.array([place]), np.array([wave], np.int32), none + passed, none + passed)
        return int(group.who[place])

    def others(wave, passed):
        return [bool(found[0]) for found in group.others(np.array([0]), np.array([wave], np.int32), none + passed)]

    assert [note(0, 0), note(1, 0)] == [0, OF_BLOCK]
    assert (others(0, 0), others(0, 1), others(2, 0)) == ([True, False], [False, False], [False, True])
    assert note(1, 1) == 1
    assert note(3, 0) == SEVERAL
    assert (others(0, 5), others(3, 5)) == ([False, True], [False, True])
    assert group.who[1] == NOBODY
    at_once = np.array([1, 1, 2, 2])
    group.note(at_once, np.array([2, 3, 1, 2], np.int32), np.zeros(4, np.int32), np.zeros(4, np.int32))
    assert group.who[1:].tolist() == [OF_BLOCK - 1, SEVERAL]
