"""Compiled runs with checks against the numpy machine: what is faultless is the same, and no fault is passed over."""

from dataclasses import replace

import numpy as np
import pytest

from layoutalg.device import checked
from layoutalg.device.checked import execute_checked, execute_compiled
from layoutalg.device.compile import compile_source
from layoutalg.errors import Fault
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.isa.run.spaces import Buffer
from tests.matrix import each

HEAD = """
#include <hip/hip_runtime.h>
#define T threadIdx.x
#define G (blockIdx.x * blockDim.x + T)
#ifdef __GFX9__
#define WORDS 0x27000
#else
#define WORDS 0x31004000
#endif
extern "C" __global__ void k(const int* in, int* out, int n) {
  __shared__ int tile[256];
"""

#: What orders the accesses of one wave alone.
ONE_WAVE = '__builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront"); __builtin_amdgcn_wave_barrier();'

#: A register that nothing wrote, and a sum whose addend has it above.
NOTHING = 'int x; asm volatile("" : "=v"(x)); '
SUM = NOTHING + ("unsigned long long sum = (unsigned long long)(unsigned)in[G] * (unsigned)in[T]"
                 " + ((unsigned long long)(unsigned)x << 32 | T); ")  # fmt: skip

THROUGH = "tile[T] = in[G]; {} out[G] = tile[T ^ {}];"

#: Four numbers from one on that each of 32 lanes stores at once, so many bytes apart.
OF_A_BUFFER = (
    "typedef int Four __attribute__((ext_vector_type(4))); int x = {0}; if (G < 32)"
    " __builtin_amdgcn_raw_buffer_store_b128((Four){{x, x + 1, x + 2, x + 9}},"
    " __builtin_amdgcn_make_buffer_rsrc(out, (short)0, 4096, WORDS), {1} * x, 0, 0);"
)

#: Name → what a kernel does, whether numpy finds nothing, and whether the compiled run says so.
KERNELS = {
    "through LDS": (THROUGH.format("__syncthreads();", 64), True, True),
    "with no barrier, within a wave": (THROUGH.format(ONE_WAVE, 1), True, True),
    "with no barrier": (THROUGH.format(ONE_WAVE, 64), False, False),
    "two loops": ("for (int k = 0; k < n; k++) { tile[T] = in[G] + k; __syncthreads(); out[G] = tile[255 - T];"
                  " __syncthreads(); }", True, True),
    "two loops, one barrier": ("for (int k = 0; k < n; k++) { tile[T] = in[G] + k; __syncthreads();"
                               " out[G] = tile[255 - T]; }", False, False),
    "some lanes": ("if (T % 3) tile[T] = in[G]; __syncthreads(); if (T % 3) out[G] = tile[T];", True, True),
    "all lanes of some": ("if (T % 3) tile[T] = in[G]; __syncthreads(); out[G] = tile[T];", False, False),
    "what nothing wrote, kept": ("if (T < 99) tile[T] = in[G]; __syncthreads(); int x = tile[T]; if (T < 99)"
                                 " out[G] = x;", True, True),
    "a branch on what nothing wrote": ("if (n > 99) tile[T] = n; __syncthreads(); if (tile[T] > 9) out[G] = 1;",
                                       False, False),
    "an address of what nothing wrote": ("if (n > 99) tile[T] = n; __syncthreads(); out[tile[T] & 255] = 1;",
                                         False, False),
    "two lanes to one place": ("out[blockIdx.x * 256 + (T & ~1)] = in[G];", False, False),
    "two lanes alike to one place": ("out[blockIdx.x * 256 + (T & ~1)] = n;", True, True),
    "four dwords of a buffer over another lane's": (OF_A_BUFFER.format("T & 31", 4), False, False),
    "four dwords of a buffer over its like": (OF_A_BUFFER.format("0", 4), True, True),
    "four dwords of a buffer beside another lane's": (OF_A_BUFFER.format("T & 31", 16), True, True),
    "two blocks to one place": ("if (T == 0) out[0] = blockIdx.x;", False, False),
    "two blocks alike to one place": ("if (T == 0) out[0] = n;", True, False),
    "another block's place is read": ("out[G] = out[(G + 256) & 1023];", False, False),
    "its own place is read": ("out[G] = out[G] * 3 + in[G];", True, True),
    "two bytes of one word": ("((char*)out)[G] = in[G];", True, True),
    "a lane that nothing wrote": (NOTHING + "if (T & 1) x = in[G]; out[G] = __builtin_amdgcn_readlane(x, 2);", False,
                                  False),
    "a lane that something wrote": (NOTHING + "if (T & 1) x = in[G]; out[G] = __builtin_amdgcn_readlane(x, 3);", True,
                                    True),
    "another lane that nothing wrote": (NOTHING + "if (T & 1) x = in[G]; out[G] = __shfl(x, T);", False, False),
    "a register that nothing wrote": (NOTHING + "out[G] = x;", False, False),
    "a scalar register that nothing wrote": ('int x; asm volatile("" : "=s"(x)); out[G] = x;', False, False),
    "a condition code that nothing wrote": ('int x; asm volatile("s_cselect_b32 %0, 1, 2" : "=s"(x)); out[G] = x;',
                                            False, False),
    "half of what nothing wrote": (NOTHING + "out[G] = (x & 0xFFFF0000) | (in[G] & 0xFFFF);", False, False),
    "none of what nothing wrote": (NOTHING + "out[G] = (x & 0) | in[G];", True, True),
    "the upper half of a sum": (SUM + "out[G] = sum >> 32;", False, False),
    "the lower half of a sum": (SUM + "out[G] = sum;", True, True),
    "its own that nothing wrote": ("int own[64]; own[in[T] & 1] = in[G]; out[G] = own[in[T] & 63];", False, False),
    "its own that something wrote": ("int own[64]; for (int k = 0; k < 64; k++) own[in[k] & 0 | k] = in[G];"
                                     " out[G] = own[in[T] & 63];", True, True),
    "bytes of LDS that nothing wrote": ("((char*)tile)[4 * T] = in[G]; __syncthreads(); out[G] = tile[T];", False,
                                        False),
    "LDS of the block before": ("if (blockIdx.x == 0) tile[T] = in[G]; __syncthreads(); out[G] = tile[T];", False,
                                False),
    "what all lanes wrote at last": (NOTHING + "if (T & 1) x = in[G]; if (!(T & 1)) x = n; out[G] = x;", True, True),
    "a wave that has ended": ("if (T > 128 + 63) return; __syncthreads(); out[G] = in[G];", True, False),
}  # fmt: skip

QUICK = ("two loops", "a branch on what nothing wrote")


def made(body, target="gfx942"):
    return decode_kernel(read_kernels(compile_source(HEAD + body + "}\n", target).payload)["k"])


def arguments(n=3):
    given = np.random.default_rng(1).integers(0, 1 << 30, 1024).astype(np.int32)
    return [given, given[::-1].copy(), n]


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip((*one.outputs, *one.undefined), (*other.outputs, *other.undefined),
                                                    strict=True))  # fmt: skip


def assert_as_numpy(code, args, faultless, clean):
    found = execute_compiled(code, [4], [256], args)
    assert (found is not None) is clean
    try:
        exact = execute(code, [4], [256], args)
    except Fault:
        assert not faultless
    else:
        assert faultless
        assert found is None or (same(found, exact) and found.steps == exact.steps)


@pytest.mark.parametrize("name", QUICK)
def test_a_few_kernels(name):
    body, *wanted = KERNELS[name]
    assert_as_numpy(made(body), arguments(), *wanted)


@pytest.mark.slow
@pytest.mark.parametrize("target", each(["gfx942", "gfx1100", "gfx1201"], "gfx942"))
@pytest.mark.parametrize("name", KERNELS)
def test_kernels_and_their_twins(name, target):
    body, *wanted = KERNELS[name]
    assert_as_numpy(made(body, target), arguments(), *wanted)


def test_a_wait_that_is_missing():
    """Without its waits a kernel is not run compiled: numpy names the register."""
    code = made(KERNELS["its own place is read"][0])
    kept = tuple(one for one in code.instructions if one.name != "S_WAITCNT")
    assert len(kept) < len(code.instructions)
    unwaited = replace(code, instructions=tuple(
        replace(one, name="S_NOP") if one.name == "S_WAITCNT" else one for one in code.instructions
    ))  # fmt: skip
    assert execute_compiled(unwaited, [4], [256], arguments()) is None
    with pytest.raises(Fault, match="before a wait"):
        execute_checked(unwaited, [4], [256], arguments())


def test_memory_that_nothing_defines():
    """Copied about it is no fault, and is said to be undefined where nothing wrote; looked at it is one."""
    code, (given, out, _) = made("if (T & 1) out[G] = in[G]; else if (n) out[G] = out[G ^ 2] > 0;"), arguments()
    for n in (0, 1):
        args = [given, Buffer(out, "out", defined=False), n]
        found = execute_compiled(code, [4], [256], args)
        if n:
            assert found is None
            with pytest.raises(Fault, match="undefined"):
                execute(code, [4], [256], args)
        else:
            assert found is not None
            assert same(found, execute(code, [4], [256], args))
            assert found.undefined[1].sum() == 4 * 512


def test_a_run_that_takes_long_goes_on_compiled(monkeypatch):
    code, compiled_runs, found = made(KERNELS["two loops"][0]), [], execute_compiled
    monkeypatch.setattr(checked, "execute_compiled", lambda *args: compiled_runs.append(1) or found(*args))
    short = execute_checked(code, [4], [256], arguments())
    assert not compiled_runs
    monkeypatch.setattr(checked, "COMPILING", 0)
    monkeypatch.setattr(checked, "INSTRUCTION", 1)
    for count in (1, 2):
        long = execute_checked(code, [4], [256], arguments(40))
        assert len(compiled_runs) == count
    exact = execute(code, [4], [256], arguments(40))
    assert same(long, exact)
    assert not same(long, short)
