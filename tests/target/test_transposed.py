"""Loads that transpose: the maps against what those who ran them expect, and against the executed instructions."""

import functools

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.target.transposed import TRANSPOSED

GFX950 = [one for one in TRANSPOSED.values() if "gfx950" in one.targets]

SOURCE = """
typedef int i2 __attribute__((ext_vector_type(2)));
typedef int i3 __attribute__((ext_vector_type(3)));
typedef short h4 __attribute__((ext_vector_type(4)));
typedef int i4 __attribute__((ext_vector_type(4)));
#define LOAD(name, type, as, builtin) \\
extern "C" __attribute__((global)) void name(const i4* in, type* out, int half) { \\
  __attribute__((shared)) i4 tile[64]; \\
  int t = __builtin_amdgcn_workitem_id_x(); \\
  tile[t] = in[t]; \\
  asm volatile("s_waitcnt lgkmcnt(0)" ::: "memory"); __builtin_amdgcn_s_barrier(); \\
  if (t % 2 >= half) { as got = builtin((__attribute__((address_space(3))) as*)(tile + t)); \\
    out[t] = __builtin_bit_cast(type, got); } }
LOAD(ds_read_b64_tr_b16, i2, h4, __builtin_amdgcn_ds_read_tr16_b64_v4i16)
LOAD(ds_read_b64_tr_b8, i2, i2, __builtin_amdgcn_ds_read_tr8_b64_v2i32)
LOAD(ds_read_b64_tr_b4, i2, i2, __builtin_amdgcn_ds_read_tr4_b64_v2i32)
LOAD(ds_read_b96_tr_b6, i3, i3, __builtin_amdgcn_ds_read_tr6_b96_v3i32)
"""


@functools.cache
def kernels():
    return read_kernels(compile_source(SOURCE, "gfx950").payload)


def test_those_of_gfx950_and_of_16_bits_are_in_order():
    in_order = {name for name, one in TRANSPOSED.items() if one.is_in_order}
    assert in_order == {one.name for one in GFX950} | {"ds_load_tr16_b128"}


@pytest.mark.parametrize("one", TRANSPOSED.values(), ids=str)
def test_each_element_goes_to_one_lane(one):
    places = {one.at(lane, e) for lane in range(64) for e in range(one.elements)}
    assert places == {(lane, e) for lane in range(64) for e in range(one.elements)}


@pytest.mark.parametrize("one", GFX950, ids=str)
def test_the_maps_are_what_rocroller_expects_of_an_mi350(one):
    """Its TransposeLoadsTest (ROCm/rocm-libraries, shared/rocroller), whose 16 lanes load the elements in their order.

    Of 16, 8 and 4 bits: register z, place x in it and lane y hold number z·NX·16 + x·16 + y; of 6 bits: element y of
    lane x goes to lane y as its x-th.
    """
    in_register = 32 // one.bits
    for lane in range(16):
        for e in range(one.elements):
            z, x = divmod(e, in_register)
            linear = (z * in_register + x) * 16 + lane
            expected = (e, lane) if one.bits == 6 else divmod(linear, one.elements)
            assert one.at(lane, e) == expected


def test_rows_of_hipkittens():
    """Its 16- and 8-bit loads: lane l names row l div 4 (l div 2) of a tile, and gets column l."""
    for name, lanes in (("ds_read_b64_tr_b16", 4), ("ds_read_b64_tr_b8", 2)):
        one = TRANSPOSED[name]
        for lane in range(16):
            rows = [at[0] // lanes for at in (one.at(lane, e) for e in range(one.elements))]
            columns = {at[0] % lanes * one.elements + at[1] for at in (one.at(lane, e) for e in range(one.elements))}
            assert (rows, columns) == (list(range(one.elements)), {lane})


def test_gfx1250_gives_wmma_coordinates():
    """As rocjitsu's kernel addresses 16 bits: lane l names k = l mod 8 + 8·(l div 16), m from 8·(l div 8 mod 2) on."""
    one = TRANSPOSED["ds_load_tr16_b128"]
    for lane in range(32):
        for e in range(8):
            other, k = one.at(lane, e)
            there = other % 8 + 8 * (other // 16), 8 * (other // 8 % 2) + k
            assert there == (8 * (lane // 16) + e, lane % 16)


@pytest.mark.parametrize("one", GFX950, ids=str)
def test_the_executed_instruction_follows_the_map(one):
    rng = np.random.default_rng(5)
    loaded = rng.integers(0, 1 << 32, (64, 4), np.uint32)
    out = np.zeros((64, 4 if one.bytes == 12 else 2), np.uint32)  # vectors of three lie 16 bytes apart
    done = execute(decode_kernel(kernels()[one.name]), (1,), (64,), [loaded, out, 0]).outputs[1]

    def element(words, e):
        whole = sum(int(word) << 32 * k for k, word in enumerate(words[:3]))
        return whole >> e * one.bits & (1 << one.bits) - 1

    for lane in range(64):
        for e in range(one.elements):
            other, k = one.at(lane, e)
            assert element(done[lane], e) == element(loaded[other], k)


def test_all_lanes_must_be_active():
    code = decode_kernel(kernels()["ds_read_b64_tr_b8"])
    with pytest.raises(UnsupportedInstructionError, match="inactive lanes"):
        execute(code, (1,), (64,), [np.zeros((64, 4), np.uint32), np.zeros((64, 2), np.uint32), 1])
