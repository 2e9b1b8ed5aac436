"""Buffer instructions with descriptors: what is in range is accessed, what is not loads 0 and stores nothing."""

import functools

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.errors import Fault, UnsupportedInstructionError
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from tests.matrix import each

TARGETS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")
FLAGS = {target: 0x31004000 if target.startswith("gfx1") else 0x00020000 for target in TARGETS}  # CK Tile's
SOURCE = """
#include "layoutalg_device.h"
typedef int i4 __attribute__((ext_vector_type(4)));
typedef float f4 __attribute__((ext_vector_type(4)));
#define RAW(name) __asm("llvm.amdgcn.raw.buffer." name)
extern "C" __device__ float load_1(i4, int, int, int) RAW("load.f32");
extern "C" __device__ f4 load_4(i4, int, int, int) RAW("load.v4f32");
extern "C" __device__ unsigned char load_byte(i4, int, int, int) RAW("load.i8");
extern "C" __device__ void store_1(float, i4, int, int, int) RAW("store.f32");
extern "C" __device__ void store_4(f4, i4, int, int, int) RAW("store.v4f32");
extern "C" __device__ float load_index(i4, int, int, int, int) __asm("llvm.amdgcn.struct.buffer.load.f32");
extern "C" __device__ int add(int, i4, int, int, int) RAW("atomic.add.i32");

__device__ i4 buffer(void* data, int high, int bytes, int flags) {
  unsigned long long at = (unsigned long long)data;
#ifdef __gfx1250__
  return i4{(int)at, (int)(at >> 32 & 0x1ffffff) | bytes << 25, (int)((unsigned)bytes >> 7), flags};
#endif
  return i4{(int)at, (int)(at >> 32 & 0xffff) | high, bytes, flags};
}

extern "C" __global__ void copy(float* in, float* out, int bytes, int high, int flags, int scalar, int first) {
  i4 from = buffer(in, high, bytes, flags), to = buffer(out, 0, bytes, flags);
  int at = threadIdx.x * 4 + first;
  store_1(load_1(from, at, scalar, 0), to, at, scalar, 0);
}
extern "C" __global__ void fours(float* in, f4* out, int bytes, int first, int flags) {
  out[threadIdx.x] = load_4(buffer(in, 0, bytes, flags), threadIdx.x * 16 + first, 0, 0);
}
extern "C" __global__ void stored(const f4* in, float* out, int bytes, int first, int flags) {
  store_4(in[threadIdx.x], buffer(out, 0, bytes, flags), threadIdx.x * 16 + first, 0, 0);
}
extern "C" __global__ void bytes(unsigned char* in, int* out, int bytes, int flags) {
  out[threadIdx.x] = load_byte(buffer(in, 0, bytes, flags), threadIdx.x, 0, 0);
}
extern "C" __global__ void structured(float* in, float* out, int count, int high, int more, int flags) {
  out[threadIdx.x] = load_index(buffer(in, high, count, flags), threadIdx.x, more, 0, 0);
}
extern "C" __global__ void counted(int* n, int* out, int bytes, int flags) {
  out[threadIdx.x] = add(1, buffer(n, 0, bytes, flags), threadIdx.x / 2 * 4, 0, 0);
}
"""


@functools.cache
def kernels(target):
    return dict(read_kernels(compile_source(SOURCE, target).payload))


def run(target, name, *args):
    return execute(decode_kernel(kernels(target)[name]), (1,), (64,), list(args)).outputs


DATA = np.arange(1, 65, dtype=np.float32)


def copied(target, *, count=256, high=0, flags=None, scalar=0, first=0):
    flags = FLAGS.get(target, 0) if flags is None else flags
    return run(target, "copy", DATA, np.full(64, -1, np.float32), count, high, flags, scalar, first)[1]


@pytest.mark.parametrize("target", each(TARGETS, "gfx1201"))
def test_what_is_out_of_range_loads_0_and_stores_nothing(target):
    assert np.array_equal(copied(target), DATA)
    assert copied(target, count=12)[:5].tolist() == [1, 2, 3, -1, -1]
    assert copied(target, count=0).tolist() == [-1] * 64
    assert np.array_equal(copied(target, count=0x7FFFFFFE), DATA)
    assert copied(target, count=0x7FFFFFFE, first=-(1 << 31)).tolist() == [-1] * 64  # how Triton masks lanes
    with pytest.raises(Fault, match="past the end of buffer"):
        copied(target, count=260, first=4)
    found = run(target, "fours", DATA, np.full((64, 4), -1, np.float32), 64, 0, FLAGS[target])[1]
    assert found.ravel().tolist() == [*range(1, 17), *[0] * 240]
    found = run(target, "bytes", np.arange(1, 65, dtype=np.uint8), np.zeros(64, np.int32), 33, FLAGS[target])[1]
    assert found.tolist() == [*range(1, 34), *[0] * 31]


@pytest.mark.parametrize("target", each(TARGETS, "gfx1201"))
def test_an_element_that_is_partly_out_of_range(target):
    """CDNA looks at each dword; what RDNA does is in doubt, as what any does to a part of a dword."""
    wide = [DATA, np.full((64, 4), -1, np.float32), 56, 0, FLAGS[target]]
    kept = [DATA.repeat(4).reshape(64, 4), np.full(64, -1, np.float32), 56, 0, FLAGS[target]]
    if target.startswith("gfx1"):
        for name, args in (("fours", wide), ("stored", kept)):
            with pytest.raises(UnsupportedInstructionError, match="sources differ in whether it is in the range"):
                run(target, name, *args)
    else:
        assert run(target, "fours", *wide)[1].ravel()[:20].tolist() == [*range(1, 15), *[0] * 6]
        assert run(target, "stored", *kept)[1].tolist() == [1] * 4 + [2] * 4 + [3] * 4 + [4] * 2 + [-1] * 50
    with pytest.raises(UnsupportedInstructionError, match="sources differ in whether it is in the range"):
        copied(target, count=14)


@pytest.mark.parametrize("target", each(TARGETS, "gfx90a"))
def test_a_scalar_offset_that_sources_count_or_not(target):
    assert copied(target, count=272, scalar=16, first=-(1 << 31)).tolist() == [-1] * 64
    with pytest.raises(UnsupportedInstructionError, match="sources differ in whether it is in the range"):
        copied(target, count=256, scalar=16)
    with pytest.raises(UnsupportedInstructionError, match=r"wraps at 2\^32 \(triton #10673"):
        copied(target, count=272, scalar=16, first=-16)


@pytest.mark.parametrize("target", each(TARGETS, "gfx90a"))
def test_a_buffer_that_is_not_modelled_is_refused(target):
    flags = FLAGS[target]
    for given, why in (
        ({"high": 1 << 31}, "its stride or swizzle is 0x8000"),
        ({"flags": flags | 1 << 23}, "its last word has the bits 0x800000"),
        ({"flags": flags & ~0x7F000}, "it has no format"),
        ({"flags": flags | 1}, "it selects the constant 1"),
        ({"flags": flags | 1 << 30}, "its last word has the bits 0x40000000"),
    ):
        with pytest.raises(UnsupportedInstructionError, match=f"a buffer that is not modelled: {why}"):
            copied(target, **given)
    if not target.startswith("gfx1"):  # a stride is of accesses with an index alone
        assert np.array_equal(copied(target, high=16 << 16), DATA)
    else:
        with pytest.raises(UnsupportedInstructionError, match="its stride or swizzle is 0x10"):
            copied(target, high=16 << 16)
        with pytest.raises(UnsupportedInstructionError, match="its range is checked in the way 1"):
            copied(target, flags=flags ^ 2 << 28)
        assert np.array_equal(copied(target, flags=flags ^ 1 << 28, count=1), DATA)  # any range, if there is one
        assert copied(target, flags=flags ^ 1 << 28, count=0).tolist() == [-1] * 64


@pytest.mark.parametrize("target", ["gfx90a", "gfx942", "gfx950"])
def test_an_access_with_an_index_goes_so_many_strides_on(target):
    """In range by its bytes it is there, out of range by its index it is not; between, sources differ."""
    data = np.arange(128, dtype=np.float32)
    some = functools.partial(run, target, "structured", data, np.full(64, -1, np.float32))
    assert np.array_equal(some(512, 4 << 16, 0, FLAGS[target])[1], data[:64])
    assert np.array_equal(some(512, 8 << 16, 0, FLAGS[target])[1], data[::2])
    assert np.array_equal(some(512, 4 << 16, 4, FLAGS[target])[1], data[1:65])
    assert some(0, 4 << 16, 0, FLAGS[target])[1].tolist() == [0] * 64
    with pytest.raises(UnsupportedInstructionError, match="sources differ in whether it is in the range"):
        some(40, 4 << 16, 0, FLAGS[target])  # 40 bytes, or 40 records


@pytest.mark.parametrize("target", each(TARGETS, "gfx1100"))
def test_atomic_operations_in_a_buffer(target):
    n, out = np.zeros(32, np.int32), np.full(64, -1, np.int32)
    after, found = run(target, "counted", n, out, 40, FLAGS[target])
    assert after.tolist() == [2] * 10 + [0] * 22
    assert found.tolist() == [0, 1] * 10 + [0] * 44


def test_a_buffer_of_gfx1250_has_fields_of_its_own():
    """What ends where the buffer does is in it by one source and out of it by another."""
    copied_, doubt = functools.partial(copied, "gfx1250"), "sources differ in whether it is in the range"
    assert np.array_equal(copied_(count=257), DATA)
    assert np.array_equal(copied_(count=0x7FFFFFFE), DATA)
    assert copied_(count=0x7FFFFFFE, first=-(1 << 31)).tolist() == [-1] * 64  # how Triton masks lanes
    assert copied_(count=0).tolist() == [-1] * 64
    for differs in ({"count": 256}, {"count": 12}, {"count": 14}, {"count": 273, "scalar": 16, "first": -16}):
        with pytest.raises(UnsupportedInstructionError, match=doubt):
            copied_(**differs)
    with pytest.raises(Fault, match="past the end of buffer"):
        copied_(count=261, first=4)
    assert np.array_equal(copied_(count=1, flags=1), DATA)  # of 2³⁹ + 1 bytes
    more = np.arange(256, dtype=np.float32)
    assert np.array_equal(run("gfx1250", "fours", more, np.zeros((64, 4), np.float32), 1025, 0, 0)[1].ravel(), more)


@pytest.mark.parametrize(("flags", "why"), [
    (1 << 12, "it has a stride"), (1 << 26, "it has a stride that is multiplied"), (1 << 28, "it has swizzled places"),
    (1 << 29, "it has a range that is checked record by record"), (1 << 31, "it has the type of another resource"),
    (1 << 6, "its last word has the bits 0x40"),
])  # fmt: skip
def test_a_buffer_of_gfx1250_that_is_not_modelled_is_refused(flags, why):
    with pytest.raises(UnsupportedInstructionError, match=f"a buffer that is not modelled: {why}"):
        copied("gfx1250", count=257, flags=flags)
