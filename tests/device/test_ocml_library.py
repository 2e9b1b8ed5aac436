"""AMD's library of mathematics is taken where it is: shown with a library of one function, compiled here."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from layoutalg.device import CompileError, choose_compiler, choose_with_ocml, compile_source, ocml
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute

KERNEL = """#include <hip/hip_runtime.h>
extern "C" __global__ void k(float* x) { x[threadIdx.x] = tanhf(x[threadIdx.x]); }
"""
FUNCTION = """extern const __attribute__((address_space(4))) unsigned __oclc_ISA_version;
extern const __attribute__((address_space(4))) unsigned char __oclc_finite_only_opt;
float __ocml_tanh_f32(float x) { return __oclc_finite_only_opt ? 0 : __oclc_ISA_version + x; }
"""


@pytest.fixture
def rocm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """A ROCm whose library is this C source, as ROCM_PATH."""

    def made(source: str) -> Path:
        path = tmp_path / "amdgcn" / "bitcode" / "ocml.bc"
        path.parent.mkdir(parents=True)
        (tmp_path / "ocml.c").write_text(source)
        version = ("-Xclang", "-mcode-object-version=none")
        kind = ("--target=amdgcn-amd-amdhsa", "-nogpulib", *version, "-O1", "-emit-llvm", "-c")
        clang = choose_compiler("gfx942").clang
        subprocess.run((*clang, *kind, str(tmp_path / "ocml.c"), "-o", str(path)), check=True)
        monkeypatch.setenv("ROCM_PATH", str(tmp_path))
        return path

    return made


def _of_three(target: str) -> float:
    code = decode_kernel(read_kernels(compile_source(KERNEL, target).payload)["k"])
    return float(execute(code, [1], [64], [np.full(64, 3, np.float32)]).outputs[0][0])


@pytest.mark.parametrize(("target", "version"), [("gfx942", 9402), ("gfx1201", 12001)])
def test_the_functions_of_a_library_are_linked(rocm: Callable[[str], Path], target: str, version: int) -> None:
    path = rocm(FUNCTION)
    assert str(choose_with_ocml(target).ocml) == f"AMD's ocml, of ROCm ({path})"
    assert _of_three(target) == version + 3
    assert b"__oclc" not in compile_source(KERNEL, target).payload


def test_a_library_that_the_compiler_cannot_read_is_passed_over(rocm: Callable[[str], Path]) -> None:
    rocm(FUNCTION).write_bytes(b"BC\xc0\xde of a newer LLVM")
    chosen = choose_with_ocml("gfx942").ocml
    assert chosen is None or chosen.origin != "of ROCm"


def test_what_a_library_has_not_is_told_with_where_it_would_be(rocm: Callable[[str], Path]) -> None:
    rocm(FUNCTION)
    with pytest.raises(CompileError, match=r"__ocml_sin_f32 .*(ROCM_PATH).*rocm-device-libs.*triton"):
        compile_source(KERNEL.replace("tanhf(", "sinf("), "gfx942")


def test_a_library_that_is_another_is_not_taken_from_the_cache(rocm: Callable[[str], Path]) -> None:
    path = rocm(FUNCTION)
    old = choose_with_ocml("gfx942").version
    path.write_bytes(path.read_bytes() + b"\0" * 4)
    ocml.readable.cache_clear()
    assert choose_with_ocml("gfx942").version != old


def test_without_a_library_the_functions_are_the_headers_own() -> None:
    payload = compile_source(KERNEL, "gfx942", compiler=choose_compiler("gfx942")).payload
    found = execute(decode_kernel(read_kernels(payload)["k"]), [1], [64], [np.full(64, 3, np.float32)]).outputs[0][0]
    assert found == np.float32(np.tanh(3.0))
