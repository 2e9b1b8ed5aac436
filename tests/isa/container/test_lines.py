"""Source lines of instructions: what the compiler wrote, and nothing where it wrote none or it is damaged."""

import pytest

from layoutalg.device.compile import compile_source
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.container.lines import SourceLines
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


def test_damage_says_nothing():
    payload = compile_source(SOURCE, "gfx942", flags=("-gline-tables-only",)).payload
    assert SourceLines.read(compile_source(SOURCE, "gfx942").payload).addresses == ()
    for at in range(0, len(payload), 1009):
        SourceLines.read(payload[:at] + bytes([payload[at] ^ 0xFF]) + payload[at + 1 :])
