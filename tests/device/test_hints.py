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


def test_a_header_that_lies_near_is_found_in_the_folder_that_is_named_most_alike(tmp_path, monkeypatch):
    for folder in ("src/sum-cuda", "src/sum-omp", "src/summed-hip", "src/tally-cuda", "src/sum-hip", "common"):
        (tmp_path / folder).mkdir(parents=True)
    for header in (
        "src/sum-cuda/reference.h",
        "src/sum-omp/reference.h",
        "src/summed-hip/reference.h",
        "src/tally-cuda/reference.h",
        "common/utils.hpp",
    ):
        (tmp_path / header).write_text("")
    monkeypatch.chdir(tmp_path / "src" / "sum-hip")
    assert hint("'reference.h' file not found", "gfx90a") == ": give -I ../sum-cuda, which has it"
    assert hint("'utils.hpp' file not found", "gfx90a") == ": give -I ../../common, which has it"
    monkeypatch.chdir(tmp_path)
    assert hint("'reference.h' file not found", "gfx90a", "src/tally-hip") == ": give -I src/tally-cuda, which has it"
    assert hint("'none.h' file not found", "gfx90a", "src/sum-hip") == ": give the folder that has it with -I"


@pytest.mark.parametrize(("text", "given"), NAMES)
def test_a_name_says_what_has_it(text, given):
    assert given in hint(text, "gfx90a")


@pytest.mark.parametrize("text", PLAIN)
def test_the_users_own_names_are_theirs_to_mend(text):
    assert hint(text, "gfx90a") == ""
