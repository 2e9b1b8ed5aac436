"""LDS cycles of single instructions, against the bank model on addresses that are known beforehand."""

import functools
from typing import NamedTuple

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.index import extent_of
from layoutalg.index.evaluate import value
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.cycles import FLAT, InstructionCycles
from layoutalg.isa.run.launch import execute
from layoutalg.kernel.library.contraction import contraction
from layoutalg.kernel.library.einsum import parse_einsum
from layoutalg.kernel.program import AsyncCopy, Loop, walk
from layoutalg.memory.banks import BY_DWORDS, LANES_OFF, TWO_ADDRESSES, cycles, phase_cycles
from layoutalg.refine.cycles import LdsCycles, _reached
from layoutalg.target import target as named
from tests.matrix import each

TARGETS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")
SOURCE = """
#include "layoutalg_device.h"
typedef float f3 __attribute__((ext_vector_type(3)));
typedef float f4 __attribute__((ext_vector_type(4)));
typedef float f2 __attribute__((ext_vector_type(2)));
struct apart { f2 at[33]; };
__device__ f4 both(const apart* p) { f2 a = p->at[0], b = p->at[32]; return f4{a.x, a.y, b.x, b.y}; }

#define KERNEL(name, T, READ)                                                                    \\
  extern "C" __global__ void name(const int* start, T* out, int lanes) {                      \\
    __shared__ f4 lds[1024];                                                                  \\
    for (int k = 0; k < 1024; k += 64) lds[k + threadIdx.x] = f4{1, 2, 3, 4};                 \\
    __syncthreads();                                                                          \\
    if ((int)threadIdx.x < lanes) out[threadIdx.x] = READ((const char*)lds + start[threadIdx.x]); \\
  }
#define WHOLE(T, at) *(const T*)(at)
#define ONE(at) WHOLE(float, at)
#define FOUR(at) WHOLE(f4, at)
#define THREE(at) WHOLE(f3, at)
#define BOTH(at) both((const apart*)(at))
KERNEL(one, float, ONE)
KERNEL(four, f4, FOUR)
KERNEL(pair, f4, BOTH)
KERNEL(three, f3, THREE)
"""


@functools.cache
def kernels(target, opt_level=3):
    return dict(read_kernels(compile_source(SOURCE, target, opt_level=opt_level).payload))


def reads(target, kernel, starts, lanes=64, opt_level=3, strict=True):
    """What the loads from LDS cost, of 64 threads that begin at these bytes."""
    width = {"one": 1, "three": 4}.get(kernel, 4)
    out = np.zeros(64 * width, np.float32)
    program, given = decode_kernel(kernels(target, opt_level)[kernel]), [starts.astype(np.int32), out, lanes]
    run = execute(program, (1,), (64,), given, strict=strict)
    return [one for one in run.lds if not one.store]


def waves(target, starts):
    return starts.reshape(-1, named(target).wave_size)


@pytest.mark.parametrize("target", each(TARGETS, "gfx1100"))
@pytest.mark.parametrize("stride", [0, 4, 8, 12, 32, 64, 128, 132])
def test_dwords_at_a_stride(target, stride):
    starts = np.arange(64) * stride
    (one,) = reads(target, "one", starts)
    how = named(target).for_width("read", 4)
    assert one.cycles == cycles(target, how, waves(target, starts)).sum()
    assert one.least == len(how.phases) * 64 // named(target).wave_size
    assert one.accesses == 64 // named(target).wave_size


@pytest.mark.parametrize("target", each(TARGETS, "gfx1100"))
@pytest.mark.parametrize("stride", [16, 32, 80, 128])
def test_sixteen_bytes_at_a_stride(target, stride):
    starts = np.arange(64) * stride
    (one,) = reads(target, "four", starts)
    assert one.bytes == 16
    assert one.cycles == cycles(target, named(target).for_width("read", 16), waves(target, starts)).sum()
    assert TWO_ADDRESSES not in one.doubts


@pytest.mark.parametrize("target", each(TARGETS, "gfx1100"))
@pytest.mark.parametrize("stride", [8, 32, 136])
def test_two_addresses_are_two_accesses(target, stride):
    """Two floats here, and two 256 bytes on: one instruction, priced as two and marked so."""
    starts = np.arange(64) * stride
    (one,) = reads(target, "pair", starts)
    assert any(part in one.where for part in ("ds_read2_b64", "ds_load_2addr_b64"))
    eight = named(target).for_width("read", 8)
    assert one.cycles == sum(cycles(target, eight, waves(target, starts + at)).sum() for at in (0, 256))
    assert one.accesses == 2 * 64 // named(target).wave_size
    assert TWO_ADDRESSES in one.doubts


@pytest.mark.parametrize("target", each(TARGETS, "gfx1201"))
def test_twelve_bytes_are_as_doubtful_as_the_targets_table(target):
    starts = np.arange(64) * 16
    (one,) = reads(target, "three", starts)
    assert one.bytes == 12
    assert bool(one.doubts) == bool(named(target).for_width("read", 12).evidence.doubt)
    assert one.cycles == cycles(target, named(target).for_width("read", 12), waves(target, starts)).sum()


@pytest.mark.parametrize("target", each(TARGETS, "gfx1100"))
def test_lanes_that_are_switched_off_cost_nothing_of_their_own(target):
    """All lanes ask for one bank; with three of them on, their phase takes three cycles, one of nobody none."""
    starts = np.arange(64) * 256 % (1 << 14)
    (some,) = reads(target, "one", starts, lanes=3)
    how = named(target).for_width("read", 4)
    assert (some.accesses, some.cycles, some.least, some.idle) == (1, 3, 1, len(how.phases) - 1)
    assert LANES_OFF in some.doubts


@pytest.mark.parametrize("target", each(TARGETS, "gfx1100"))
@pytest.mark.parametrize("lanes", [1, 9, 21, 33, 40, 64])
def test_a_run_and_a_claim_price_masked_lanes_alike(target, lanes):
    """One convention: the meter of a run has the cycles that `memory.banks` has of the lanes that take part."""
    starts = np.arange(64) * 272 % (1 << 14) // 16 * 16
    (one,) = reads(target, "four", starts, lanes=lanes)
    how, on = named(target).for_width("read", 16), waves(target, np.arange(64) < lanes)
    found = phase_cycles(target, how, waves(target, starts), on)[on.any(axis=1)]
    assert (one.cycles, one.least, one.idle) == (found.sum(), (found > 0).sum(), (found == 0).sum())
    assert (LANES_OFF in one.doubts) == (not on[on.any(axis=1)].all())


@pytest.mark.parametrize("target", each(["gfx942", "gfx1201"], "gfx942"))
def test_an_access_through_the_flat_unit_is_in_doubt(target):
    starts = np.arange(64) * 8
    found = [one for one in reads(target, "one", starts, opt_level=0) if one.bytes == 4]
    assert [one.cycles for one in found] == [
        cycles(target, named(target).for_width("read", 4), waves(target, starts)).sum()
    ]
    assert FLAT in found[0].doubts


@pytest.mark.parametrize("target", each(["gfx942", "gfx1201"], "gfx1201"))
def test_an_access_within_a_dword_is_not_priced(target):
    (one,) = reads(target, "four", np.arange(64) * 16 + 2, strict=False)
    assert "no multiple of 4" in one.unpriced
    assert "not priced" in str(one)


@pytest.mark.parametrize("target", each(TARGETS, "gfx950"))
@pytest.mark.parametrize("stride", [16, 68, 80])
def test_sixteen_bytes_at_any_dword_are_priced(target, stride):
    starts = np.arange(64) * stride + 4
    (one,) = reads(target, "four", starts)
    assert one.cycles == cycles(target, named(target).for_width("read", 16), waves(target, starts)).sum()
    assert BY_DWORDS in one.doubts


def test_idle_phases_hide_no_conflict_beside_the_claim():
    """A claim of 4 phases without conflicts: 4 cycles in 2 phases are no equal of it, 2 cycles in 2 phases are."""
    made = {"where": "0x0 ds_read_b64", "store": False, "bytes": 8, "accesses": 1, "least": 2, "idle": 2}
    said = Claimed(False, 8, 1, 4, 4, True)
    assert LdsCycles((InstructionCycles(**made, cycles=2),), (said,)).equal
    slow = LdsCycles((InstructionCycles(**made, cycles=4),), (said,))
    assert not slow.equal
    assert not slow.each_as_claimed
    assert "4 cycles, claimed 4 (the program's accesses; 2 more phases are of no lane)" in str(slow)
    assert slow.report["idle"] == 2


class Claimed(NamedTuple):
    """A claim on an access, without its program."""

    store: bool
    bytes: int
    accesses: int
    least: int
    most: int
    cost: bool

    @property
    def access(self):
        return self


def test_every_statement_of_a_program_has_its_turns_the_parts_of_an_asynchronous_copy_too():
    program = contraction(parse_einsum("ik,kj->ij"), "f16", "f32", target="sm_90", widths=(8, 8, 4))
    statements = dict(program.statements())
    turns = list(_reached(program.body, 1, dict.fromkeys(program.sizes, 512)))
    assert any(isinstance(s, AsyncCopy) for s in statements.values())
    assert len(turns) == len(statements)
    (loop,) = (number for number, s in statements.items() if isinstance(s, Loop))
    inside = range(loop + 1, loop + 1 + sum(1 for _ in walk(statements[loop].parts)))
    assert {turns[n] for n in inside} == {
        turns[loop] * value(extent_of(statements[loop].index), dict.fromkeys(program.sizes, 512))
    }
