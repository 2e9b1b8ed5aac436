"""A source where it lies: headers beside it, its own name in errors and in what is built, and why it has no kernel."""

import os
import tempfile
from pathlib import Path

import pytest

from layoutalg.device import CompileError, compile_file, compile_source
from layoutalg.device.compilers import INCLUDE
from layoutalg.isa.container.lines import SourceLines

RUNTIME = "#include <hip/hip_runtime.h>\n"
KERNEL = RUNTIME + '#include "beside.h"\n__global__ void k(int* a) { a[threadIdx.x] = beside(); }\n'
BESIDE = "#include <cmath>\ninline __device__ int beside() { return fabs(-1.0f); }\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "k.hip").write_text(KERNEL)
    (tmp_path / "src" / "beside.h").write_text(BESIDE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(path: Path, text: str) -> CompileError:
    """Why a file of this text does not compile."""
    path.write_text(text)
    with pytest.raises(CompileError) as caught:
        compile_file(path, "gfx942")
    assert "\n" not in str(caught.value)
    return caught.value


def test_headers_beside_it_are_found_and_its_bytes_have_no_folder_of_this_machine(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    payload = compile_file(Path("src/k.hip"), "gfx942", flags=("-g",)).payload
    assert "k.hip:3" in SourceLines.read(payload).lines
    assert b"src/k.hip" in payload
    machine = (folder, Path(tempfile.gettempdir()), INCLUDE)
    assert not any(str(place).encode() in payload for place in machine)
    elsewhere = folder / "elsewhere"
    os.renames(folder / "src", elsewhere / "src")
    monkeypatch.chdir(elsewhere)
    assert compile_file(Path("src/k.hip"), "gfx942", flags=("-g",)).payload == payload


def test_an_error_is_at_the_users_line_without_debug_information(folder: Path) -> None:
    error = refused(Path("src/wrong.hip"), KERNEL + "__global__ void w(int* a) { a[0] = beside(1); }\n")
    assert str(error).startswith("src/wrong.hip:4:36: error: no matching function for call to 'beside': candidate")
    assert error.shown[:2] == ("    4 | __global__ void w(int* a) { a[0] = beside(1); }", f"      | {' ' * 35}^~~~~~")


def test_an_error_of_the_assembler_is_at_the_users_line(folder: Path) -> None:
    error = refused(Path("asm.hip"), RUNTIME + '__global__ void k() {\n  asm volatile("v_no_b32 v0, v1");\n}\n')
    assert str(error).startswith("asm.hip:3:16: error: invalid instruction")


def test_an_error_of_the_linker_is_at_the_users_line(folder: Path) -> None:
    text = RUNTIME + "__device__ int f(int);\n__global__ void k(int* a) {\n  a[0] = f(a[1]);\n}\n"
    error = refused(Path("link.hip"), text)
    assert str(error).startswith("link.hip:4: error: undefined hidden symbol: f(int) in k(int*): it is declared and")
    assert error.shown[0] == "    4 |   a[0] = f(a[1]);"


@pytest.mark.parametrize("target", ["gfx942", "sm_90"])
def test_a_source_whose_kernel_is_a_template_says_so(target: str) -> None:
    text = '#include "layoutalg_device.h"\ntemplate <int N>\n__global__ void k(int* a) { a[0] = N; }\n'
    with pytest.raises(CompileError) as caught:
        compile_source(text, target)
    assert str(caught.value).startswith(
        f"{target}: kernel.hip:3: no kernel comes out: k is a template that nothing instantiates: add template __global"
    )


def test_a_file_for_the_cpu_finds_what_lies_beside_it(folder: Path) -> None:
    (folder / "c.hip").write_text('#include "layoutalg_device.h"\n#include "one.h"\n'
                                  'extern "C" __global__ void k(int* a) { a[0] = ONE; }\n')  # fmt: skip
    (folder / "one.h").write_text("#define ONE 1\n")
    assert list(compile_file(Path("c.hip"), "cpu").kernels) == ["k"]
    (folder / "one.h").write_text("#define TWO 1\n")
    with pytest.raises(CompileError, match=r"cpu: c.hip:3:47: error: use of undeclared identifier 'ONE'"):
        compile_file(Path("c.hip"), "cpu")
