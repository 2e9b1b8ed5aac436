"""A missing header or name says what would give it; what is only mistyped says nothing more."""

import pytest

from layoutalg.device.hints import hint

HEADERS = (
    ("hipcub/hipcub.hpp", "of a ROCm"),
    ("rocprim/block/block_load.hpp", "librocprim-dev"),
    ("hiprand/hiprand_kernel.h", "libhiprand-dev"),
    ("hip/hip_texture.h", "of a ROCm"),
    ("rocwmma/rocwmma.hpp", "/opt/rocm/include"),
    ("cuda_fp16.h", "hipify-perl"),
    ("cub/cub.cuh", "hipify-perl"),
    ("torch/extension.h", "PyTorch's"),
    ("ck_tile/core.hpp", "CK's"),
    ("hip_utils.hpp", ": give the folder that has it with -I"),
    ("../common.h", ": give the folder that has it with -I"),
)
NAMES = (
    ("use of undeclared identifier '__shfl_everywhere'", "--offload-arch=gfx90a"),
    ("use of undeclared identifier 'hipMallocMystery'; did you mean 'hipMalloc'?", "hipcc"),
    ("no member named 'BlockScan' in namespace 'hipcub'", "hipcc"),
    ("no type named 'thread_block' in namespace 'cub'", "CUDA's"),
    ("use of undeclared identifier 'cudaMalloc'", "CUDA's"),
    ("unknown type name '__global__'", "include <hip/hip_runtime.h>"),
    ("use of undeclared identifier 'threadIdx'", "include <hip/hip_runtime.h>"),
    ("undefined hidden symbol: f(float)", "declared and not defined"),
    ("undefined symbol: __ocml_sin_f64", "AMD's device library"),
)
PLAIN = (
    "use of undeclared identifier 'lenght'",
    "unknown type name 'Values'",
    "no member named 'x' in 'Point'",
    "use of undeclared identifier 'HIP_CHECK'",
    "expected ';' after expression",
)


@pytest.mark.parametrize(("name", "given"), HEADERS)
def test_a_header_says_whose_it_is(name, given):
    said = hint(f"'{name}' file not found", "gfx90a")
    assert given in said
    assert "\n" not in said


@pytest.mark.parametrize(("text", "given"), NAMES)
def test_a_name_says_what_has_it(text, given):
    assert given in hint(text, "gfx90a")


@pytest.mark.parametrize("text", PLAIN)
def test_the_users_own_names_are_theirs_to_mend(text):
    assert hint(text, "gfx90a") == ""
