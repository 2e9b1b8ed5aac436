"""Lengths and grids that accesses suggest."""

import pytest

from layoutalg.audit.figures.figures import figures
from layoutalg.device.compile import compile_source
from layoutalg.formats.spec import loads
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.container.signature import parameters
from layoutalg.isa.decode.code import decode_kernel

HEAD = '#include <hip/hip_runtime.h>\nextern "C" __global__ void k'


@pytest.mark.parametrize(
    ("source", "grid", "lengths"),
    [
        (
            "(const float* x, float* o, int n) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n) o[i] = x[i + 1]; }",
            ["(n + 63) // 64"],
            {"x": "n + 1", "o": "n"},
        ),
        (
            "(const float* x, float* o, int m, int n) {"
            " int i = blockIdx.y * 8 + threadIdx.y, j = blockIdx.x * 32 + threadIdx.x;"
            " if (i < m && j < n) o[j * m + i] = x[i * n + j]; }",
            ["(n + 31) // 32", "(m + 7) // 8"],
            {"x": "m * n", "o": "m * n"},
        ),
        (
            "(const float* x, float* o, int n) {"
            " for (int j = threadIdx.x; j < n; j += 256) o[blockIdx.x * n + j] = x[j]; }",
            ["grid_x"],
            {"x": "n", "o": "grid_x * n"},
        ),
        (
            "(const float* x, const int* at, float* o, int n) {"
            " int i = blockIdx.x * 64 + threadIdx.x; if (i < n) o[i] = x[at[i]]; }",
            ["(n + 63) // 64"],
            {"x": "n_x", "at": "n", "o": "n"},
        ),
    ],
)
def test_guards_tell_sizes(source: str, grid: list[str], lengths: dict[str, str]) -> None:
    payload = compile_source(HEAD + source, "gfx942", flags=("-g",)).payload
    code = decode_kernel(read_kernels(payload)["k"])
    file = loads(figures(code, said=parameters(payload, code.kernel.entry)).template)
    assert [str(one) for one in file.launch.grid] == grid
    assert {one.name: str(one.descriptor.element_space_size) for one in file.descriptors} == lengths
