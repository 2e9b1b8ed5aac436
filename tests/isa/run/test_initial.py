"""Registers as the machine finds them: preloaded arguments, filled in by current firmware and not by older."""

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.errors import CodeObjectError, Fault
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.refine.trial import report
from tests.isa.assembly import mutant
from tests.isa.containers import Edited
from tests.isa.edits import NAME, PROGRAM, preloading
from tests.matrix import each

TARGETS = ("gfx90a", "gfx942", "gfx950")


def edited(target, edit):
    code = Edited(preloading(target))
    edit(code)
    return decode_kernel(read_kernels(bytes(code.payload))[NAME])


def ran(program):
    return report(program, PROGRAM)


@pytest.mark.parametrize("target", each(TARGETS, "gfx942"))
def test_both_entries_are_exact(target):
    program = edited(target, lambda code: None)
    assert program.kernel.user_sgprs[-1] == ("preloaded_arguments", 6)
    assert program.kernel.start == program.kernel.entry + 256
    assert ran(program)["exact"]
    older = program.without_preload
    assert older.kernel.start == older.kernel.entry
    assert ran(older)["exact"]


def test_the_registers_are_those_that_the_descriptor_says():
    """One fewer, and the last size is undefined."""
    moved = edited("gfx942", lambda code: code.descriptor_bits(464, 470, 5))
    assert "undefined value" in ran(moved)["fault"]
    assert ran(moved.without_preload)["exact"]


def test_each_firmware_has_its_own_code():
    program = edited("gfx942", lambda code: None)
    first = program.instructions[0]
    assert first.name == "S_LOAD_DWORDX2"
    wrong = mutant(program, first, (32, 52, 8))  # loads the result's pointer as the source's
    assert ran(wrong)["exact"]
    assert not ran(wrong.without_preload)["exact"]


@pytest.mark.parametrize(
    ("first", "last", "value", "why"),
    [
        (471, 479, 7, "dwords 7 to 12 of the arguments to be preloaded, with 24 bytes of arguments"),
        (464, 470, 7, "8 user registers, and what is to be in them takes 9"),
        (454, 454, 1, "preloaded arguments and the size of scratch"),
    ],
)
def test_what_is_not_there_is_not_preloaded(first, last, value, why):
    def edit(code):
        code.descriptor_bits(first, last, value)
        code.descriptor_bits(417, 421, 9 if first == 454 else 8)

    with pytest.raises(CodeObjectError, match=why):
        edited("gfx942", edit)


WAVES = """
#include <hip/hip_runtime.h>
extern "C" __global__ void waves(int* out, int first) {
  int number;
  if (first) asm volatile("s_lshr_b32 %0, ttmp8, 24" : "=s"(number));
  else asm volatile("s_bfe_u32 %0, ttmp8, 0x50019" : "=s"(number));
  out[blockIdx.x * blockDim.x + threadIdx.x] = number;
}
"""


@pytest.mark.parametrize("wave_size", [32, 64])
def test_a_wave_of_gfx12_finds_its_number_in_its_block(wave_size):
    flags = ("-mwavefrontsize64",) if wave_size == 64 else ()
    program = decode_kernel(read_kernels(compile_source(WAVES, "gfx1201", flags=flags).payload)["waves"])
    assert program.kernel.wave_size == wave_size
    (out,) = execute(program, (2,), (192,), [np.zeros(384, np.int32), 0]).outputs
    assert (out.reshape(2, 192) == np.arange(192) // wave_size).all()
    with pytest.raises(Fault, match="undefined value"):
        execute(program, (2,), (192,), [np.zeros(384, np.int32), 1])


@pytest.mark.parametrize("target", each(["gfx1100", "gfx1201"], "gfx1100"))
def test_waves_of_32_and_of_64_run(target):
    source = """
#include <hip/hip_runtime.h>
extern "C" __global__ void reversed(int* out, int n) {
  __shared__ int lds[200];
  int number = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x;
  if (threadIdx.x < n) lds[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x < n) out[number + threadIdx.x] = lds[n - 1 - threadIdx.x];
}
"""
    for flags, wave_size in (((), 32), (("-mwavefrontsize64",), 64)):
        program = decode_kernel(read_kernels(compile_source(source, target, flags=flags).payload)["reversed"])
        assert program.kernel.wave_size == wave_size
        (out,) = execute(program, (2, 2), (200,), [np.zeros((4, 200), np.int32), 170]).outputs
        assert (out[:, :170] == np.arange(170)[::-1]).all()
        assert not out[:, 170:].any()
