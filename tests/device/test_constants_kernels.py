"""What the compiler says of CK's LDS descriptors is what CK's own code computes, compiled and run in the executor.

Of the universal GEMM policy, the tiles of A and B in LDS in 48 configurations: three types, four layouts, four tiles,
one of which has a row length that is no power of two.  Every offset is compared.
"""

from itertools import product

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.device.constants import constants
from layoutalg.device.isa import machine_code
from layoutalg.formats import offsets
from layoutalg.formats.ck_structure import layout
from layoutalg.formats.cpp import CppUnit
from layoutalg.isa.run.launch import execute
from tests.composable_kernel import composable_kernel
from tests.matrix import parts

PRELUDE = """
using namespace ck_tile;
using Row = tensor_layout::gemm::RowMajor;
using Column = tensor_layout::gemm::ColumnMajor;
template <class Type, class A, class B, int m, int n, int k>
struct Tiles {
  using Shape = TileGemmShape<sequence<m, n, k>, sequence<2, 2, 1>, sequence<32, 32, 16>>;
  using Traits = TileGemmUniversalTraits<true, true, true, false, A, B, Row>;
  using Problem = UniversalGemmPipelineProblem<Type, Type, float, Shape, Traits>;
  using Policy = UniversalGemmPipelineAgBgCrPolicy;
};
"""
HEADERS = ("ck_tile/core.hpp", "ck_tile/ops/gemm.hpp")
TYPES, LAYOUTS = ("half_t", "bf16_t", "fp8_t"), ("Row", "Column")
TILES = ("128, 256, 32", "192, 128, 64", "256, 64, 128", "64, 192, 96")
KERNEL = """
extern "C" __global__ void {name}(int* out) {{
#if defined(__HIP_DEVICE_COMPILE__)
  constexpr auto d = {expression};
  constexpr int columns = d.get_length(number<1>{{}});
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < d.get_length(number<0>{{}}) * columns) out[n] = d.calculate_offset(make_tuple(n / columns, n % columns));
#endif
}}
"""


@pytest.mark.slow
@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
@pytest.mark.parametrize("some", parts(7))
def test_the_descriptors_of_the_universal_policy_are_what_its_code_computes(target, some):
    configurations = [f"Tiles<{', '.join(each)}>" for each in product(TYPES, LAYOUTS, LAYOUTS, TILES)][some]
    expressions = {
        f"{side}_{n}": f"{tiles}::Policy::Make{side}LdsBlockDescriptor<{tiles}::Problem>()"
        for n, tiles in enumerate(configurations)
        for side in "AB"
    }
    include = composable_kernel() / "include"
    read = constants(CppUnit(target, HEADERS, (include,), PRELUDE), expressions)
    headers = "".join(f'#include "{header}"\n' for header in HEADERS)
    kernels = "".join(KERNEL.format(name=name, expression=e) for name, e in expressions.items())
    code = compile_source(headers + PRELUDE + kernels, target, include=(include,))
    assert len(read) == 2 * len(configurations) >= 12
    for name in expressions:
        told = offsets(layout(read[name]))
        count = len(told["offsets"])
        out = np.full(count, -1, np.int32)
        run = execute(machine_code(code, name), (-(-count // 256),), (256,), [out])
        assert run.outputs[0].tolist() == told["offsets"], name
