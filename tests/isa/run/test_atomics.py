"""Atomic operations, carried out: every lane counts once, whatever others do at its address."""

import functools
from dataclasses import replace

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.errors import Fault, UnsupportedInstructionError
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from tests.isa.machines import after, machine_of
from tests.matrix import each

TARGETS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")
#: `zero` holds zeros: addresses that the compiler cannot see to be one, so that it makes one operation of each lane.
SOURCE = """
#include "layoutalg_device.h"
#define AGENT __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT
#define BLOCK __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP
typedef unsigned long long u64;
typedef __attribute__((address_space(3))) float lds_float;

// bins of what is drawn: in LDS first, then in memory
extern "C" __global__ void histogram(const unsigned* in, unsigned* bins) {
  __shared__ unsigned mine[16];
  if (threadIdx.x < 16) mine[threadIdx.x] = 0;
  __syncthreads();
  __hip_atomic_fetch_add(&mine[in[blockIdx.x * 128 + threadIdx.x] % 16], 1u, BLOCK);
  __syncthreads();
  if (threadIdx.x < 16) __hip_atomic_fetch_add(&bins[threadIdx.x], mine[threadIdx.x], AGENT);
}

// one operation after the other, on words of 32 and 64 bits
template <typename T, typename S> __device__ void all(const T* in, T* out, const int* zero) {
  T x = in[blockIdx.x * 128 + threadIdx.x];
  out += zero[threadIdx.x];
  __hip_atomic_fetch_add(&out[0], x, AGENT);
  __hip_atomic_fetch_sub(&out[1], x, AGENT);
  __hip_atomic_fetch_and(&out[2], x, AGENT);
  __hip_atomic_fetch_or(&out[3], x, AGENT);
  __hip_atomic_fetch_xor(&out[4], x, AGENT);
  __hip_atomic_fetch_min(&out[5], x, AGENT);
  __hip_atomic_fetch_max(&out[6], x, AGENT);
  __hip_atomic_fetch_min((S*)&out[7], (S)x, AGENT);
  __hip_atomic_fetch_max((S*)&out[8], (S)x, AGENT);
}
extern "C" __global__ void words(const unsigned* in, unsigned* out, const int* zero) {
  all<unsigned, int>(in, out, zero); }
extern "C" __global__ void doubles(const u64* in, u64* out, const int* zero) { all<u64, long long>(in, out, zero); }

// a place for each thread, in no order that is said: by adding, by an exchange, and by swapping until it works
extern "C" __global__ void tickets(unsigned* counters, unsigned* out, unsigned* before, const int* zero) {
  int i = blockIdx.x * 32 + threadIdx.x, o = zero[threadIdx.x];
  out[i] = __hip_atomic_fetch_add(&counters[o], 1u, AGENT);
  before[i] = __hip_atomic_exchange(&counters[1 + o], (unsigned)i + 1, AGENT);
  unsigned old = 0, seen;
  do {
    seen = old;
    __hip_atomic_compare_exchange_strong(&counters[2 + o], &old, seen + 5, __ATOMIC_RELAXED, AGENT);
  } while (old != seen);
}

// sums of numbers in LDS, some of them undefined
extern "C" __global__ void sums(const float* in, float* out, int written) {
  __shared__ float total[2], data[64];
  if ((int)threadIdx.x < written) data[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x < 2) total[threadIdx.x] = 0;
  __syncthreads();
  __builtin_amdgcn_ds_faddf((lds_float*)&total[threadIdx.x & 1], data[threadIdx.x], 0, 0, false);
  __syncthreads();
  if (threadIdx.x < 2) out[threadIdx.x] = total[threadIdx.x];
}

extern "C" __global__ void at(char* out, const int* where) {
  __hip_atomic_fetch_add((unsigned*)(out + where[threadIdx.x]), 1u, AGENT);
}
"""


@functools.cache
def kernels(target):
    return dict(read_kernels(compile_source(SOURCE, target).payload))


def program(target, name):
    return decode_kernel(kernels(target)[name])


def drawn(*shape, bits=32):
    return np.random.default_rng(4).integers(0, 1 << bits, shape, np.uint64, endpoint=False).astype(f"u{bits // 8}")


ZERO = np.zeros(128, np.int32)


@pytest.mark.parametrize("target", each(TARGETS, "gfx90a"))
def test_each_lane_counts_once(target):
    source, bins = drawn(5 * 128), np.arange(16, dtype=np.uint32)
    run = execute(program(target, "histogram"), (5,), (128,), [source, bins])
    assert np.array_equal(run.outputs[1], bins + np.bincount(source % 16, minlength=16).astype(np.uint32))
    assert run.ordered == run.unjudged == ()
    same = np.full_like(source, 3)
    assert execute(program(target, "histogram"), (5,), (128,), [same, bins]).outputs[1][3] == 3 + 5 * 128


@pytest.mark.parametrize("target", each(TARGETS, "gfx942"))
@pytest.mark.parametrize(("name", "bits"), [("words", 32), ("doubles", 64)])
def test_every_operation_in_memory(target, name, bits):
    source, out = drawn(3 * 128, bits=bits), drawn(9, bits=bits)
    signed = source.view(f"i{bits // 8}")
    run = execute(program(target, name), (3,), (128,), [source, out, ZERO])
    with np.errstate(over="ignore"):
        want = [out[0] + source.sum(dtype=source.dtype), out[1] - source.sum(dtype=source.dtype)]
    want += [op.reduce(source, initial=first) for op, first in zip(
        (np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.minimum, np.maximum), out[2:7], strict=True)]  # fmt: skip
    want += [min(signed.min(), out[7:8].view(signed.dtype)[0]), max(signed.max(), out[8:9].view(signed.dtype)[0])]
    assert [int(x) % (1 << bits) for x in want] == [int(x) for x in run.outputs[1]]
    assert run.ordered == ()


@pytest.mark.parametrize("target", each(TARGETS, "gfx1100"))
def test_what_comes_back_is_of_one_order_of_many(target):
    counters, out = np.zeros(3, np.uint32), np.zeros(2 * 32, np.uint32)
    run = execute(program(target, "tickets"), (2,), (32,), [counters, out, out.copy(), ZERO])
    after, places, before, _ = run.outputs
    assert after[[0, 2]].tolist() == [64, 5 * 64]
    assert sorted(places) == list(range(64))
    assert sorted([*before, after[1]]) == list(range(65))
    assert [text.split()[1].split("_")[2] for text in run.ordered] == ["add", "swap", "cmpswap"]
    other = execute(program(target, "tickets"), (2,), (32,), [counters, out, out.copy(), ZERO], order=1).outputs
    assert after[[0, 2]].tolist() == other[0][[0, 2]].tolist()
    assert (places != other[1]).any()


@pytest.mark.parametrize("target", each(TARGETS, "gfx90a"))
def test_numbers_are_added_in_lds(target):
    source = (drawn(64) % 1000).astype(np.float32)
    run = execute(program(target, "sums"), (1,), (64,), [source, np.zeros(2, np.float32), 64])
    assert run.outputs[1].tolist() == source.reshape(32, 2).sum(axis=0).tolist()
    assert [text.split()[1] for text in run.ordered] == ["ds_add_f32"]
    with pytest.raises(Fault, match="a stored value depends on an undefined value") as caught:
        execute(program(target, "sums"), (1,), (64,), [source, np.zeros(2, np.float32), 63])
    assert caught.value.kind == "uninitialised"


@pytest.mark.parametrize("target", each(TARGETS, "gfx1201"))
def test_an_atomic_operation_is_aligned_in_every_mode(target):
    """Machines report others as faults of memory, or break them into two (RDNA 3 ISA, "Memory Alignment")."""
    where = np.arange(64, dtype=np.int32) % 4 * 4
    out = np.zeros(16, np.uint8)
    assert execute(program(target, "at"), (1,), (64,), [out, where]).outputs[0].view("u4").tolist() == [16] * 4
    for strict in (True, False):
        with pytest.raises(Fault, match="which is no multiple of 4") as caught:
            execute(program(target, "at"), (1,), (64,), [out, where + 2], strict=strict)
        assert caught.value.kind == "alignment"
    with pytest.raises(Fault, match="past the end of buffer"):
        execute(program(target, "at"), (1,), (64,), [out, where + 4])


def test_numbers_whose_sum_is_in_doubt_are_refused():
    """Memory outside LDS may flush them (LLVM's pull request 96443); turned into such an operation by its opcode."""
    whole = program("gfx942", "at")
    first = next(i for i in whole.instructions if i.name == "GLOBAL_ATOMIC_ADD")
    code, start = bytearray(whole.kernel.code), first.address - whole.kernel.entry
    word = int.from_bytes(code[start : start + 4], "little") & ~(0x7F << 18) | 77 << 18  # global_atomic_add_f32
    code[start : start + 4] = word.to_bytes(4, "little")
    mutant = decode_kernel(replace(whole.kernel, code=bytes(code)))
    where = np.zeros(64, np.int32)
    with pytest.raises(UnsupportedInstructionError, match=r"GLOBAL_ATOMIC_ADD_F32|global_atomic_add_f32"):
        execute(mutant, (1,), (64,), [np.zeros(4, np.float32).view(np.uint8), where])


def test_a_sum_in_lds_is_of_denormal_numbers_where_the_mode_keeps_them():
    """ds_add_f32 v2, v3: of the least number and itself (CDNA 4 ISA, 9.2.2)."""
    for mode in (0xF0, 0xC0):
        machine, instructions = machine_of("gfx950", "00002ad802030000", [n == 0 for n in range(64)], float_mode=mode)
        none = machine.registers.w.const(0, 32)
        machine.registers.vectors["v", 2], machine.registers.vectors["v", 3] = none, none | np.uint32(1)
        if mode == 0xF0:
            after(machine, instructions)
        else:
            with pytest.raises(UnsupportedInstructionError, match="whose result targets differ in"):
                after(machine, instructions)
