"""Loads straight to LDS, carried out: what a wave brings where, and what nobody may look at before it has come."""

import functools

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.errors import Fault, UnsupportedInstructionError
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from tests.isa.decode.test_allowed import decoded
from tests.matrix import each

SOURCE = """
using lds_ptr = __attribute__((address_space(3))) void*;
using global_ptr = __attribute__((address_space(1))) void*;
#define KERNEL extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(256, 256))) void
#define HERE unsigned t = __builtin_amdgcn_workitem_id_x(), b = __builtin_amdgcn_workgroup_id_x(); \\
  unsigned wave = __builtin_amdgcn_readfirstlane(t / 64); in += b * 256; out += b * 256;
#define BRING(from, to) __builtin_amdgcn_global_load_lds((global_ptr)(from), (lds_ptr)(to), 4, 0, 0);
#define WAIT asm volatile("s_waitcnt vmcnt(0)" ::: "memory");
#define MEET __builtin_amdgcn_s_barrier();

// each block turns its 256 numbers around
#define REVERSE(name, before, behind, to) KERNEL name(const unsigned* in, unsigned* out) { \\
  __attribute__((shared)) unsigned tile[320]; HERE \\
  BRING(in + t, tile + to) before behind \\
  unsigned found; int at = 4 * (255 - t); \\
  asm volatile("ds_read_b32 %0, %1\\ns_waitcnt lgkmcnt(0)" : "=v"(found) : "v"(at) : "memory"); \\
  out[t] = found; tile[319] = t == 300; }
REVERSE(reverse, WAIT, MEET, wave * 64)
REVERSE(no_wait, , MEET, wave * 64)
REVERSE(no_barrier, WAIT, , wave * 64)
REVERSE(late_wait, MEET, WAIT, wave * 64)
REVERSE(one_place, WAIT, MEET, 0)
REVERSE(too_far, WAIT, MEET, wave * 64 + 100)

// each lane reads what it loaded itself, without a barrier
KERNEL own(const unsigned* in, unsigned* out) {
  __attribute__((shared)) unsigned tile[256]; HERE
  BRING(in + t, tile + wave * 64) WAIT
  out[t] = tile[t];
}

// M0 is no multiple of 4
KERNEL odd_start(const unsigned* in, unsigned* out) {
  __attribute__((shared)) unsigned tile[320]; HERE
  asm volatile("s_mov_b32 m0, 2\\nglobal_load_lds_dword %0, off\\ns_waitcnt vmcnt(0)" :: "v"(in + t) : "memory");
  tile[t] = t; out[t] = tile[t];
}

// through a buffer of `bytes` bytes; lanes below `least` do not take part
KERNEL buffer(unsigned* in, unsigned* out, int bytes, int least) {
  __attribute__((shared)) unsigned tile[256]; HERE
  tile[t] = 7; __builtin_amdgcn_s_waitcnt(0); MEET
  auto described = __builtin_amdgcn_make_buffer_rsrc(in, 0, bytes, 0x00020000);
  if (t >= least) __builtin_amdgcn_raw_ptr_buffer_load_lds(described, (lds_ptr)(tile + wave * 64), 4, 4 * t, 0, 0, 0);
  WAIT MEET
  out[t] = tile[t];
}
"""
WIDE = """
using lds_ptr = __attribute__((address_space(3))) void*;
using global_ptr = __attribute__((address_space(1))) void*;
typedef unsigned u4 __attribute__((ext_vector_type(4)));
extern "C" __attribute__((global)) void quads(const u4* in, u4* out) {
  __attribute__((shared)) u4 tile[80];
  unsigned t = __builtin_amdgcn_workitem_id_x();
  __builtin_amdgcn_global_load_lds((global_ptr)(in + t - 4), (lds_ptr)tile, 16, 64, 0);
  asm volatile("s_waitcnt vmcnt(0)" ::: "memory");
  __builtin_amdgcn_s_barrier();
  out[t] = tile[4 + (t ^ 5)];
}
extern "C" __attribute__((global)) void triples(const unsigned* in, u4* out) {
  __attribute__((shared)) u4 tile[64];
  unsigned t = __builtin_amdgcn_workitem_id_x();
  tile[t] = 7;
  asm volatile("s_waitcnt lgkmcnt(0)" ::: "memory");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_global_load_lds((global_ptr)(in + 3 * t), (lds_ptr)tile, 12, 0, 0);
  asm volatile("s_waitcnt vmcnt(0)" ::: "memory");
  __builtin_amdgcn_s_barrier();
  out[t] = tile[t];
}
"""


@functools.cache
def kernels(target, source=SOURCE):
    return read_kernels(compile_source(source, target).payload)


def run(name, *more, target="gfx942", size=512):
    data = np.arange(size, dtype=np.uint32) + 1
    return data, execute(decode_kernel(kernels(target)[name]), (2,), (256,), [data, np.zeros_like(data), *more])


@pytest.mark.parametrize("target", each(["gfx942", "gfx950"], "gfx950"))
def test_lanes_land_one_after_the_other(target):
    data, done = run("reverse", target=target)
    assert (done.outputs[1].reshape(2, 256) == data.reshape(2, 256)[:, ::-1]).all()


def test_a_wave_may_read_what_it_waited_for_itself():
    data, done = run("own")
    assert (done.outputs[1] == data).all()


@pytest.mark.parametrize("name", ["no_wait", "no_barrier", "late_wait"])
def test_what_is_not_waited_for_is_a_race(name):
    with pytest.raises(Fault, match=r"which a load of .* is bringing") as caught:
        run(name)
    assert caught.value.kind == "race"


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("one_place", "collision", "thread 0 and thread 64"),  # all waves bring theirs to the first bytes
        ("too_far", "address", "of an LDS allocation of 1280"),
        ("odd_start", "alignment", "M0 is 0x2, of which a load to LDS takes bits 2 to 15"),
    ],
)
def test_a_wrong_place_is_a_fault(name, kind, message):
    with pytest.raises(Fault, match=message) as caught:
        run(name)
    assert caught.value.kind == kind


def test_what_is_out_of_a_buffer_comes_as_0_and_inactive_lanes_bring_nothing():
    data, done = run("buffer", 4 * 200, 70)
    expected = np.where(np.arange(256) < 70, 7, np.where(np.arange(256) < 200, data[:256], 0))
    assert (done.outputs[1][:256] == expected).all()


def test_wide_lanes_are_16_bytes_apart():
    data = np.arange(256, dtype=np.uint32).reshape(64, 4)
    code = kernels("gfx950", WIDE)
    done = execute(decode_kernel(code["quads"]), (1,), (64,), [data, np.zeros_like(data)])
    assert (done.outputs[1] == data[np.arange(64) ^ 5]).all()
    done = execute(decode_kernel(code["triples"]), (1,), (64,), [data, np.zeros_like(data)])
    assert (done.outputs[1][:, :3] == data.ravel()[:192].reshape(64, 3)).all()
    assert (done.outputs[1][:, 3] == 7).all()


@pytest.mark.parametrize("code", ["0080f4dd00000000", "001049e000000100", "00105de000000100"])
def test_a_processor_without_wide_ones_refuses_them(code):
    """And loads of halves, of which no source says what becomes of the dword's others."""
    with pytest.raises(UnsupportedInstructionError, match=r"gfx942 has not|lds is not described"):
        decoded("gfx942", bytes.fromhex(code))
