"""Matrix products of a kernel that is compiled for the machine at hand, beside the numpy machine's."""

import numpy as np
import pytest

from layoutalg.device.plain import execute_plainly
from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.run.launch import execute
from tests.audit.gfx1250 import code

HEAD = """
typedef int i8v __attribute__((ext_vector_type(8)));
typedef int i16v __attribute__((ext_vector_type(16)));
typedef float f8v __attribute__((ext_vector_type(8)));
typedef float f16v __attribute__((ext_vector_type(16)));
extern "C" __global__ void k(const i16v* a, const i16v* b, {0}* d) {{
  i16v x = a[threadIdx.x], y = b[threadIdx.x];
  {0} c = {{}};
  d[threadIdx.x] = {1};
}}"""
EIGHTS = HEAD.format("f8v", "__builtin_amdgcn_wmma_f32_16x16x128_f8f6f4({}, x, {}, y, 0, c)")
FOURS = HEAD.format(
    "f16v", "__builtin_amdgcn_wmma_f32_32x16x128_f4(x, __builtin_shufflevector(y, y, 0, 1, 2, 3, 4, 5, 6, 7), 0, c)"
)


def given(sums: int) -> list[np.ndarray]:
    """Codes of small numbers of eight bits, and room for the sums."""
    rng = np.random.default_rng(4)
    codes = [rng.integers(0x30, 0x40, (32, 64), np.uint8) for _ in "ab"]
    return [*(one.view(np.int32) for one in codes), np.zeros((32, sums), np.float32)]


@pytest.mark.parametrize("formats", [(0, 0), (1, 0)])
def test_a_product_whose_formats_are_in_its_name_is_the_numpy_machines(formats: tuple[int, int]) -> None:
    program = code(EIGHTS.replace("({}, x, {}", f"({formats[0]}, x, {formats[1]}"))
    mine, theirs = (run(program, (1,), (32,), given(8)).outputs[2] for run in (execute_plainly, execute))
    assert np.array_equal(mine, theirs)
    assert mine.any()


def test_elements_of_four_bits_are_refused_by_name() -> None:
    with pytest.raises(UnsupportedInstructionError, match="V_WMMA_F32_32X16X128_F4 has no compiled text"):
        execute_plainly(code(FOURS), (1,), (32,), given(16))
