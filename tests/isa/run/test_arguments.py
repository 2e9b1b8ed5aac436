"""Arguments as HIP lays them out: structs, floats, unused ones, hidden ones, dynamic LDS, the dispatch packet."""

import functools

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.errors import Fault, LaunchError
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.arguments import layout
from layoutalg.isa.run.launch import execute
from tests.matrix import each

TARGETS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")

SOURCE = """
#include <hip/hip_runtime.h>

struct Pair { char tag; int* from; short step; };
extern "C" __global__ void by_struct(Pair p, int* out) { out[threadIdx.x] = p.from[threadIdx.x * p.step] + p.tag; }

extern "C" __global__ void floats(void* out, double a, float b, __fp16 c) {
  *(double*)out = a, ((float*)out)[2] = b, ((__fp16*)out)[6] = c;
}

extern "C" __global__ void unused(const int* nothing, int* out, int number, int used) {
  out[threadIdx.x] = used ? number : 7;
  if (used == 2) out[threadIdx.x] = nothing[0];
}

extern "C" __global__ void swapped(int* to, const int* from, int n) {
  int mine = from[n - 1 - threadIdx.x];
  __syncthreads();
  to[threadIdx.x] = mine;
}

extern "C" __global__ void reversed(const int* in, int* out) {
  extern __shared__ int lds[];
  lds[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = lds[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void sizes(unsigned* out) {
  unsigned number = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  out[number * blockDim.x * blockDim.y * blockDim.z + thread] = number * 1000 + thread;
}

#define HIDDEN(at) ((const unsigned*)__builtin_amdgcn_implicitarg_ptr())[(at) / 4]
extern "C" __global__ void hidden(unsigned* out) {  // LLVM, AMDGPUUsage, "Code Object V5 Metadata": offsets
  extern __shared__ int lds[];
  lds[threadIdx.x] = 0;
  for (int k = 0; k < 3; ++k) out[k] = HIDDEN(4 * k);
  out[3] = HIDDEN(12), out[4] = HIDDEN(16), out[5] = HIDDEN(20);
  out[6] = HIDDEN(64) & 0xffff, out[7] = HIDDEN(120);
}

typedef const __attribute__((address_space(4))) unsigned* Packet;
extern "C" __global__ void packet(unsigned* out) {
  Packet p = (Packet)__builtin_amdgcn_dispatch_ptr();
  for (int k = 0; k < 8; ++k) out[k] = p[k];
}
"""


@functools.cache
def kernels(target):
    return read_kernels(compile_source(SOURCE, target).payload)


@functools.cache
def program(target, name):
    return decode_kernel(kernels(target)[name])


def ran(target, name, block, args, grid=(1,), **how):
    return execute(program(target, name), grid, block, args, **how).outputs


@pytest.mark.parametrize("target", each(TARGETS, "gfx950"))
def test_a_struct_is_the_list_of_its_fields(target):
    source, out = np.arange(64, dtype=np.int32), np.zeros(32, np.int32)
    given = [[np.int8(-5), source, np.int16(2)], out]
    assert (ran(target, "by_struct", (32,), given)[1] == source[::2] - 5).all()


def test_bytes_stand_where_they_are_put():
    source, out = np.arange(64, dtype=np.int32), np.zeros(32, np.int32)
    given = [[b"\x03" + bytes(7), source, b"\x01\x00" + bytes(6)], out]
    assert (ran("gfx942", "by_struct", (32,), given)[1] == source[:32] + 3).all()


@pytest.mark.parametrize(
    ("struct", "why"),
    [
        ([np.int8(1), np.int16(2)], "has 4 bytes, the argument has 24"),
        ([1, 2], "the size of the field 1 is not known: give a numpy scalar"),
        (np.zeros(4, np.int32), "a number or a struct of 24 bytes"),
        (b"123", "has 3 bytes, the argument has 24"),
        ("text", "the size of the field 'text' is not known"),
        (2.5, "has 24 bytes, in which there is no number 2.5"),
    ],
)
def test_a_struct_has_its_size(struct, why):
    with pytest.raises(LaunchError, match=why):
        ran("gfx942", "by_struct", (32,), [struct, np.zeros(32, np.int32)])


def test_structs_are_aligned_as_in_c():
    assert (
        layout([np.uint8(1), [np.uint8(2), np.uint32(3)], np.uint8(4)], {}).hex() == "01000000020000000300000004000000"
    )
    assert layout([np.uint8(1), [np.uint8(2), np.uint8(3)], np.uint16(4)], {}).hex() == "010203000400"


@pytest.mark.parametrize("target", each(["gfx942", "gfx1201"], "gfx942"))
def test_floats_are_packed_by_the_size_of_the_argument(target):
    (out,) = ran(target, "floats", (1,), [np.zeros(16, np.uint8), 1e300, 0.1, 1.5])
    assert (out[:8].view("f8")[0], out[8:12].view("f4")[0], out[12:14].view("f2")[0]) == (1e300, np.float32(0.1), 1.5)
    with pytest.raises(LaunchError, match="there is no number 1e\\+300"):
        ran(target, "floats", (1,), [np.zeros(16, np.uint8), 3.5, 1e300, 1.5])


def test_an_unused_argument_is_seen_when_it_is_used():
    out = np.zeros(64, np.int32)
    assert (ran("gfx942", "unused", (64,), [None, out, None, 0])[0] == 7).all()
    with pytest.raises(Fault, match="a stored value depends on an undefined value"):
        ran("gfx942", "unused", (64,), [None, out, None, 1])
    with pytest.raises(Fault, match="in no buffer"):
        ran("gfx942", "unused", (64,), [None, out, 5, 2])


def test_one_array_in_two_places_is_one_memory():
    data = np.arange(64, dtype=np.int32)
    one, other = ran("gfx942", "swapped", (64,), [data, data, 64])
    assert (one == data[::-1]).all()
    assert (other == data[::-1]).all()


@pytest.mark.parametrize("target", each(TARGETS, "gfx1201"))
def test_lds_that_is_given_at_the_launch(target):
    data, out = np.arange(96, dtype=np.int32), np.zeros(96, np.int32)
    assert (ran(target, "reversed", (96,), [data, out], lds=4 * 96)[1] == data[::-1]).all()
    with pytest.raises(Fault, match="of an LDS allocation of 380"):
        ran(target, "reversed", (96,), [data, out], lds=4 * 95)
    with pytest.raises(LaunchError, match="is launched with 1000000 bytes of LDS"):
        ran(target, "reversed", (96,), [data, out], lds=1_000_000)


@pytest.mark.parametrize("target", each(TARGETS, "gfx950"))
def test_sizes_of_grid_and_block(target):
    """Of gfx12, the block's y and z in the halves of one register."""
    blocks, threads = 2 * 3 * 4, 8 * 4 * 3
    (out,) = ran(target, "sizes", (8, 4, 3), [np.zeros(blocks * threads, np.uint32)], grid=(2, 3, 4))
    assert (out.reshape(blocks, threads) == np.arange(blocks)[:, None] * 1000 + np.arange(threads)).all()


@pytest.mark.parametrize("target", each(["gfx90a", "gfx1100"], "gfx1100"))
def test_hidden_arguments_are_those_of_hip(target):
    (out,) = ran(target, "hidden", (8, 4, 1), [np.zeros(8, np.uint32)], grid=(1, 3, 1), lds=100)
    assert out.tolist() == [1, 3, 1, 8 | 4 << 16, 1, 0, 3, 100]


@pytest.mark.parametrize("target", each(["gfx90a", "gfx1100"], "gfx1100"))
def test_the_packet_of_the_dispatch(target):
    (out,) = ran(target, "packet", (8, 4, 1), [np.zeros(8, np.uint32)], lds=100)
    assert out.tolist() == [2 | 3 << 16, 8 | 4 << 16, 1, 8, 4, 1, 0, 100]


def test_a_block_of_more_threads_than_the_target_has():
    with pytest.raises(LaunchError, match="at most 1024 threads, not 2048"):
        ran("gfx942", "sizes", (2048,), [np.zeros(2048, np.uint32)])
    with pytest.raises(LaunchError, match="HIP launches fewer than 2³²"):
        ran("gfx942", "sizes", (1024,), [np.zeros(1, np.uint32)], grid=(1 << 22,))
