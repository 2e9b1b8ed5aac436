"""Source lines of instructions: what the compiler wrote, and nothing where it wrote none or it is damaged."""

import pytest

from layoutalg.device.compile import compile_source
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.container.lines import InlinedCall, SourceLines
from layoutalg.isa.decode.code import decode_kernel
from tests.matrix import each

SOURCE = """#line 1 "a/double.hip"
#include "layoutalg_device.h"
extern "C" __global__ void first(float* o) {
  o[threadIdx.x] = 1;
}
extern "C" __global__ void second(float* o) {
  o[threadIdx.x] =
    2;
}
"""


@pytest.mark.parametrize("target", each(["gfx942", "gfx1201"], "gfx942"))
@pytest.mark.parametrize("version", [4, 5])
def test_stores_come_from_their_lines(target, version):
    payload = compile_source(SOURCE, target, flags=("-gline-tables-only", f"-gdwarf-{version}")).payload
    found = SourceLines.read(payload)
    for name, line in (("first", 3), ("second", 6)):
        code = decode_kernel(read_kernels(payload)[name])
        (store,) = (one.address for one in code.instructions if one.name.startswith("GLOBAL_STORE"))
        assert found.of(store) == f"double.hip:{line}"
    assert found.of(0) == found.of(1 << 40) == ""


INLINED = """#line 1 "own.hip"
#include "layoutalg_device.h"
#line 1 "leaf.hpp"
__device__ __attribute__((always_inline)) void leaf(float* o, float x) { o[threadIdx.x] = x; }
#line 10 "one.hpp"
template <int n> __device__ __attribute__((always_inline)) void deep(float* o, float x) {
  deep<n - 1>(o, x);
}
template <> __device__ __attribute__((always_inline)) void deep<0>(float* o, float x) {
  leaf(o, x);
}
#line 20 "own.hip"
extern "C" __global__ void k(float* o) {
  if (threadIdx.x < 7) leaf(o, 1);
  deep<DEEP>(o + 64, 2);
}
"""


@pytest.mark.parametrize("version", each([5, 4], 5))
@pytest.mark.parametrize(
    ("deep", "told"),
    [
        (0, "own.hip:22 > one.hpp:14 > leaf.hpp:1"),
        (1, "own.hip:22 > one.hpp:11 > one.hpp:14 > leaf.hpp:1"),
        (2, "own.hip:22 > one.hpp:11 > one.hpp:14 > leaf.hpp:1"),  # a line that is there already is not told again
    ],
)
def test_of_functions_that_were_inlined_the_kernel_s_own_line_comes_first(version, deep, told):
    flags = ("-gline-tables-only", f"-gdwarf-{version}", f"-DDEEP={deep}")
    payload = compile_source(INLINED, "gfx942", flags=flags).payload
    code, found = decode_kernel(read_kernels(payload)["k"]), SourceLines.read(payload)
    stores = [one.address for one in code.instructions if one.name.startswith("GLOBAL_STORE")]
    assert [found.of(store) for store in stores] == ["own.hip:21 > leaf.hpp:1", told]


def test_of_many_lines_the_first_and_the_last_are_told():
    calls = tuple(InlinedCall(0, 9, f"{name}.hpp:1") for name in "abcdef")
    assert SourceLines((0,), ("leaf.hpp:2",), calls).of(4) == "a.hpp:1 > … > f.hpp:1 > leaf.hpp:2"


def test_damage_says_nothing():
    payload = compile_source(SOURCE, "gfx942", flags=("-gline-tables-only",)).payload
    assert SourceLines.read(compile_source(SOURCE, "gfx942").payload).addresses == ()
    for at in range(0, len(payload), 1009):
        SourceLines.read(payload[:at] + bytes([payload[at] ^ 0xFF]) + payload[at + 1 :])
