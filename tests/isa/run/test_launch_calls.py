"""Calls of functions beyond the kernel, and constant tables that are read by the program counter."""

import functools
from dataclasses import replace

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.errors import Fault, UnsupportedInstructionError
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from layoutalg.isa.run.launch import execute
from tests.isa.assembly import mutant
from tests.matrix import each

TARGETS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")

#: A function's stack on gfx90a without optimisation: a buffer with an offset in a register.
NOT_YET = "gfx90a", 0

SOURCE = """
#include <hip/hip_runtime.h>

__constant__ int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
extern "C" __global__ void looked_up(int* out) { out[threadIdx.x] = table[threadIdx.x % 8] + table[blockIdx.x]; }

extern "C" __global__ void digits(int* out) {
  const int of_pi[8] = {3, 1, 4, 1, 5, 9, 2, 6};  // read by the vector units, since each lane has its own index
  out[threadIdx.x] = of_pi[threadIdx.x % 8];
}

__device__ __attribute__((noinline)) int twice(int x) { return 2 * x + 1; }
__device__ __attribute__((noinline)) int nested(int x) { return twice(x) * twice(x + 1); }
extern "C" __global__ void called(int* out, int n) {
  if ((int)threadIdx.x < n) out[threadIdx.x] = nested(threadIdx.x);
}
"""


@functools.cache
def program(target, name, opt_level=3):
    return decode_kernel(read_kernels(compile_source(SOURCE, target, opt_level=opt_level).payload)[name])


@pytest.mark.parametrize("target", each(TARGETS, "gfx90a"))
def test_a_constant_table_is_read(target):
    code = program(target, "looked_up")
    assert any(one.name == "S_GETPC_B64" for one in code.instructions)
    (out,) = execute(code, (1,), (64,), [np.zeros(64, np.int32)]).outputs
    assert (out == np.tile([3, 1, 4, 1, 5, 9, 2, 6], 8) + 3).all()


@pytest.mark.parametrize(
    ("target", "opt_level"),
    each(
        [(target, level) for target in TARGETS for level in (0, 3) if (target, level) != NOT_YET],
        ("gfx950", 0),
        ("gfx1201", 3),
    ),
)
def test_functions_are_called(target, opt_level):
    code = program(target, "called", opt_level)
    (out,) = execute(code, (1,), (128,), [np.full(128, -1, np.int32), 100]).outputs
    x = np.arange(100)
    assert (out[:100] == (2 * x + 1) * (2 * x + 3)).all()
    assert (out[100:] == -1).all()


@pytest.mark.parametrize("name", ["digits", "looked_up"])
def test_a_lost_carry_is_seen(name):
    """Constants lie before the code, variables behind it; without the carry, neither is where it is read."""
    code = program("gfx942", name)
    assert (execute(code, (1,), (8,), [np.zeros(8, np.int32)]).outputs[0] % 3 == [0, 1, 1, 1, 2, 0, 2, 0]).all()
    getpc = next(k for k, one in enumerate(code.instructions) if one.name == "S_GETPC_B64")
    upper = next(one for one in code.instructions[getpc:] if one.name == "S_ADDC_U32")
    with pytest.raises(Fault, match=r"in no buffer|past the end|before"):
        execute(mutant(code, upper, (23, 29, 0)), (1,), (64,), [np.zeros(64, np.int32)])  # S_ADD_U32


def test_a_jump_to_nowhere_is_a_fault():
    code = program("gfx942", "called")
    call = next(one for one in code.instructions if one.name == "S_SWAPPC_B64")
    given = [np.zeros(64, np.int32), 64]
    without = replace(code.kernel, image=tuple(one for one in code.kernel.image if not one.executable))
    with pytest.raises(Fault, match="no instruction at 0x"):
        execute(MachineCode(without, code.instructions), (1,), (64,), given)
    undefined = mutant(code, call, (0, 7, 44))  # from registers that nothing wrote
    with pytest.raises(Fault, match="where a jump leads depends on an undefined value"):
        execute(undefined, (1,), (64,), given)


def test_code_beyond_the_kernel_is_read_as_strictly():
    code = program("gfx942", "called")
    assert code.called(code.kernel.entry) is None
    assert code.called(2) is None
    text = next(one for one in code.kernel.image if one.executable)
    broken = replace(text, data=b"\xff" * len(text.data))
    image = tuple(broken if one is text else one for one in code.kernel.image)
    with pytest.raises(UnsupportedInstructionError, match="bytes ffffffff"):
        execute(MachineCode(replace(code.kernel, image=image), code.instructions), (1,), (64,),
                [np.zeros(64, np.int32), 64])  # fmt: skip


def test_a_stack_that_grows_is_as_large_as_hip_makes_it():
    """A recursion's depth is not known to the compiler."""
    source = """
#include <hip/hip_runtime.h>
__device__ __attribute__((noinline)) int sum(volatile int* at, int n) {
  volatile int mine[4] = {at[n], 0, 0, 0};
  return n ? mine[0] + sum(at, n - 1) + mine[1] : mine[0];
}
extern "C" __global__ void summed(int* data, int n) { data[threadIdx.x] = sum(data, n); }
"""
    code = decode_kernel(read_kernels(compile_source(source, "gfx942").payload)["summed"])
    assert code.kernel.dynamic_stack
    assert code.kernel.scratch_bytes < 1024
    data = np.arange(100, dtype=np.int32)
    assert execute(code, (1,), (1,), [data, 9]).outputs[0][0] == 45
    with pytest.raises(Fault, match="scratch byte"):
        execute(code, (1,), (1,), [data, 99])
