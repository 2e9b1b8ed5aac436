"""What a kernel prints is left out of its code, noted there, and told by whoever reads it."""

from layoutalg.device import compile_source
from layoutalg.isa.container.binary import read_kernels

SOURCE = """#include <hip/hip_runtime.h>
__device__ __attribute__((noinline)) int told(int n) { printf("%d", n); return n + 1; }
extern "C" __global__ void twice(int* n) {
    if (n[0] > 3) printf("%d is large\\n", n[0]++);
    if (n[1] > 3) printf("so is %d\\n", n[1]);
}
extern "C" __global__ void silent(int* n) { n[0] = 1; }
"""


def test_each_kernel_has_the_calls_that_were_left_out_of_it() -> None:
    code = compile_source(SOURCE, "gfx942")
    assert {name: kernel.unprinted for name, kernel in code.kernels.items()} == {"twice": 2, "silent": 0}
    kernels = read_kernels(code.payload)
    noted, end = kernels["twice"].unprinted, kernels["twice"].entry + len(kernels["twice"].code)
    assert all(kernels["twice"].entry <= address < end for address in noted)
    assert kernels["silent"].unprinted == ()


def test_what_a_called_function_prints_is_every_callers() -> None:
    source = SOURCE.replace("n[0] = 1;", "n[0] = told(n[0]);")
    assert compile_source(source, "gfx942").kernels["silent"].unprinted == 1


def test_notes_that_are_damaged_are_none() -> None:
    payload = bytearray(compile_source(SOURCE, "gfx942").payload)
    payload[62:64] = b"\xff\xfe"  # no such section of names
    assert read_kernels(bytes(payload))["twice"].unprinted == ()
