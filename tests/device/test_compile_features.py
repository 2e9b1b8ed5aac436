"""What programs for HIP use, feature by feature (`features/*.hip`): each compiles as it is, or is refused by its name.

A file holds sections, `//@ the feature` and a source that is whole; all of a file are one translation unit as well.
"""

import re
from pathlib import Path

import numpy as np
import pytest

from layoutalg.device import CompileError, compile_source
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from tests.matrix import each, turns

FILES = sorted((Path(__file__).parent / "features").glob("*.hip"))
ALONE = {
    f"{path.stem}: {feature}": source
    for path in FILES
    for feature, source in re.findall(r"^//@ (.+)\n((?:(?!//@).*\n)*)", path.read_text(), re.MULTILINE)
}
REFUSED = {
    "x[0] = *(float*)malloc(4);": "'malloc' is unavailable: .* buffer from the host",
    "free(x);": "'free' is unavailable: .* buffer from the host",
    "x[0] = *new float;": "'layoutalg_new.*' .* buffer from the host",
    "x[0] = *new float[4];": "'layoutalg_new.*' .* buffer from the host",
    "x[0] = tex2D<float>(t, 1.0f, 2.0f);": "'tex2D<.*' is unavailable: .* reads textures",
    "tex1Dfetch(x, t, 3);": "'tex1Dfetch<.*' is unavailable: .* reads textures",
    "surf2Dwrite(x[0], s, 0, 1);": "'surf2Dwrite<.*' is unavailable: .* reads textures or surfaces",
}  # fmt: skip
KERNEL = (
    "#include <hip/hip_runtime.h>\n__global__ void k(float* x, hipTextureObject_t t, hipSurfaceObject_t s) {{ {} }}"
)
REFUSED_HEADERS = ("hiprand/hiprand_kernel.h", "rocrand/rocrand_kernel.h", "rocwmma/rocwmma.hpp")


@pytest.mark.parametrize("target", each(["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"], "gfx1100"))
@pytest.mark.parametrize("path", [path for path in FILES if path.stem != "program"], ids=lambda path: path.stem)
def test_a_file_of_features_compiles(path: Path, target: str) -> None:
    assert compile_source(path.read_text(), target, opt_level=1).kernels


def test_the_library_of_c_plus_plus_20_takes_memory_for_the_host() -> None:
    source = "#include <hip/hip_runtime.h>\n#include <string>\n#include <vector>\n"
    source += "__global__ void k(int* x) { *x = 1; }\n"
    source += "int main() { std::vector<int> v(3); std::string s; k<<<1, 1>>>(new int[3]); }\n"
    assert compile_source(source, "gfx942", opt_level=1, flags=("-std=c++20",)).kernels


@pytest.mark.parametrize("feature", turns(ALONE, str))
def test_each_feature_compiles_alone(feature: str) -> None:
    source = ALONE[feature] + 'extern "C" __attribute__((global)) void alone() {}\n'
    assert "alone" in compile_source(source, "gfx942", opt_level=1).kernels


def test_kernels_that_only_the_host_instantiates_are_there() -> None:
    kernels = compile_source(ALONE["host: launches, and the kernels that only they instantiate"], "gfx942").kernels
    by_name = [name for name in ("scaled", "hidden", "twice", "of_file", "applied") for k in kernels if f"{name}" in k]
    assert by_name == 3 * ["scaled"] + ["hidden"] + 3 * ["twice"] + ["of_file"] + 3 * ["applied"]


@pytest.mark.slow
def test_a_whole_program_is_read_for_its_kernel() -> None:
    code = decode_kernel(read_kernels(compile_source(ALONE["program: a program"], "gfx942").payload)["vector_add"])
    a, b = np.random.default_rng(0).standard_normal((2, 100)).astype(np.float32)
    result = execute(code, [2], [64], [a, b, np.zeros(128, np.float32), 100]).outputs[2]
    assert (result == np.pad(a + b, (0, 28))).all()


@pytest.mark.parametrize("statement", REFUSED)
def test_what_no_kernel_can_have_is_refused_by_name(statement: str) -> None:
    with pytest.raises(CompileError, match=REFUSED[statement]):
        compile_source(KERNEL.format(statement), "gfx942")


@pytest.mark.parametrize("header", REFUSED_HEADERS)
def test_a_library_beside_hip_is_refused_by_name_or_taken_from_its_folder(header: str, tmp_path: Path) -> None:
    source = f'#include <{header}>\nextern "C" __attribute__((global)) void k(int* x) {{ *x = THEIRS; }}\n'
    with pytest.raises(CompileError, match=f"layoutalg has no {header.partition('/')[0]}: give the folder"):
        compile_source(source, "gfx942")
    (tmp_path / header).parent.mkdir()
    (tmp_path / header).write_text("#define THEIRS 3\n")
    assert compile_source(source, "gfx942", include=[tmp_path]).kernels
