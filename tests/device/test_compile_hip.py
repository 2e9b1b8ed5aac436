"""Plain HIP compiles with the header that stands in for ROCm's; what it has not stops the build by its name."""

import numpy as np
import pytest

from layoutalg.device import CompileError, choose_compiler, compile_source
from layoutalg.device.compile import compile_to_assembly
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from tests.matrix import each

SIZES = """
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
#include <hip/hip_bfloat16.h>
static_assert(sizeof(float2) == 8 && alignof(float2) == 8 && sizeof(float4) == 16 && alignof(float4) == 16);
static_assert(sizeof(float3) == 12 && alignof(float3) == 4 && sizeof(uchar4) == 4 && sizeof(double2) == 16);
static_assert(sizeof(__half) == 2 && sizeof(__half2) == 4 && sizeof(hip_bfloat16) == 2 && sizeof(dim3) == 12);
"""
KERNEL = '#include <hip/hip_runtime.h>\nextern "C" __global__ void k(float* x, double* y, int* n) {{ {} }}\n'
OF_FLOATS = (
    "fabsf", "floorf", "ceilf", "truncf", "rintf", "nearbyintf", "roundf", "sqrtf", "expf", "exp2f", "exp10f", "logf",
    "log2f", "log10f", "rsqrtf", "__expf", "__logf", "__log2f", "__sinf", "__cosf", "__saturatef",
)  # fmt: skip
OF_DOUBLES = ("fabs", "floor", "ceil", "trunc", "rint", "round", "sqrt")
LACKING = ("j0f", "j1f", "y0f", "y1f")


@pytest.mark.parametrize("target", each(["gfx90a", "gfx1201"], "gfx90a"))
def test_types_have_the_sizes_of_hip(target):
    compile_source(SIZES + 'extern "C" __global__ void k() {}\n', target)


@pytest.mark.parametrize("target", each(["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"], "gfx1100"))
def test_functions_need_no_library(target):
    body = "".join(f"x[{k}] = {name}(x[{k}]); " for k, name in enumerate(OF_FLOATS))
    body += "".join(f"y[{k}] = {name}(y[{k}]); " for k, name in enumerate(OF_DOUBLES))
    body += "n[0] = __popc(n[0]) + __clz(n[1]) + __ffs(n[2]) + __brev(n[3]) + __mulhi(n[4], n[5]) + max(n[6], 3); "
    body += "n[1] = __shfl(n[1], 3) + __shfl_up(n[2], 1) + __shfl_down(n[3], 1, 16) + __any(n[4]) + __all(n[5]); "
    body += "atomicAdd(x, 1.0f); atomicMax(n, 3); atomicCAS(n, 3, 4); atomicAdd(y, 1.0); atomicExch(x, 2.0f);"
    assert compile_source(KERNEL.format(body), target).kernels["k"].code_size


def test_memory_is_copied_and_filled():
    body = "memcpy(x, n, n[0]); memset(n + 8, 1, 8);"
    code = decode_kernel(read_kernels(compile_source(KERNEL.format(body), "gfx942").payload)["k"])
    given = np.array([12, 5, 6, 7, *range(8)], np.int32)
    x, _, n = execute(code, [1], [64], [np.zeros(4, np.float32), np.zeros(1), given]).outputs
    assert x.view(np.int32).tolist() == [12, 5, 6, 0]
    assert n.tolist() == [12, 5, 6, 7, 0, 1, 2, 3, 0x1010101, 0x1010101, 6, 7]


@pytest.mark.parametrize("name", LACKING)
def test_a_function_of_the_device_library_is_named(name):
    with pytest.raises(
        CompileError, match=rf"__ocml_{name.removesuffix('f')}_f32 in .*: it is of AMD's device library"
    ):
        compile_source(KERNEL.format(f"x[0] = {name}(x[0]);"), "gfx942", compiler=choose_compiler("gfx942"))


EXPONENTIALS = {
    "exp": np.exp, "exp2": np.exp2, "exp10": lambda x: np.power(10.0, x), "log": np.log, "log2": np.log2,
    "log10": np.log10,
}  # fmt: skip


@pytest.mark.parametrize("target", each(["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"], "gfx942"))
@pytest.mark.parametrize("dtype", each(["f16", "f32"], "f32"))
def test_exponentials_are_next_to_the_exact_ones(target, dtype):
    """Of f16 at every number, of f32 at a few thousand: as CK calls them, by the device library's names."""
    element, array, word = {"f16": ("_Float16", np.float16, np.int16), "f32": ("float", np.float32, np.int32)}[dtype]
    given = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    if dtype == "f32":
        given = (np.random.default_rng(0).standard_normal(1 << 13) * 20).astype(np.float32)
    body = "".join(f"o[{k * len(given)} + i] = __ocml_{name}_{dtype}(x[i]);" for k, name in enumerate(EXPONENTIALS))
    source = f'#include <hip/hip_runtime.h>\nextern "C" __global__ void k(const {element}* x, {element}* o)'
    source += f"{{ int i = blockIdx.x * 64 + threadIdx.x; {body} }}\n"
    code = decode_kernel(read_kernels(compile_source(source, target).payload)["k"])
    result = execute(code, [len(given) // 64], [64], [given, np.zeros((len(EXPONENTIALS), len(given)), array)])
    for function, found in zip(EXPONENTIALS.values(), result.outputs[1], strict=True):
        with np.errstate(all="ignore"):
            exact = function(given.astype(np.longdouble)).astype(array)
        nan = np.isnan(exact)
        assert (np.isnan(found) == nan).all()
        assert np.abs(found.view(word).astype(int) - exact.view(word).astype(int))[~nan].max() <= 1


@pytest.mark.slow
def test_headers_of_the_cpp_library_are_found() -> None:
    source = "#include <array>\n#include <type_traits>\n" + KERNEL.format(
        "std::array<int, 3> a{1, 2, 3}; n[0] = a[n[1]];"
    )
    assert compile_source(source, "gfx942").kernels["k"].code_size


@pytest.mark.slow
def test_a_folder_of_headers_is_read_each_time(tmp_path) -> None:
    source = '#include "there.h"\n' + KERNEL.format("n[0] = THERE;")
    for number in (1, 2):
        (tmp_path / "there.h").write_text(f"#define THERE {number}\n")
        payload = compile_source(source, "gfx942", include=[tmp_path]).payload
        assert payload == compile_source(KERNEL.format(f"n[0] = {number};"), "gfx942").payload


def test_a_claim_that_fails_stops_the_wave() -> None:
    text = compile_to_assembly(KERNEL.format("assert(n[0] > 3); n[1] = 0;"), "gfx942")
    assert "s_trap" in text


def test_other_machines_are_refused():
    with pytest.raises(CompileError, match="is for AMD targets"):
        compile_source(KERNEL.format(""), "sm_90")
