"""Every target gets a whole code object that says what it needs; every failure is one clear line."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from layoutalg import cache
from layoutalg.device import (
    CodeObject,
    CompileError,
    NoCompilerError,
    UnknownTargetError,
    choose_compiler,
    compile_source,
    compile_to_assembly,
    find_compilers,
    targets,
)
from layoutalg.device import compilers as compilers_module
from tests.matrix import each

Source = Callable[[str], str]

WAVE_SIZE = {
    "gfx906": 64, "gfx90a": 64, "gfx942": 64, "gfx950": 64, "gfx1030": 32, "gfx1100": 32, "gfx1151": 32, "gfx1201": 32,
    "gfx1250": 32,
}  # fmt: skip
AMD = tuple(WAVE_SIZE)
HEADER = '#include "layoutalg_device.h"\n'
NOP = HEADER + 'extern "C" __global__ void nop() {}\n'
MFMA = (
    HEADER
    + """
typedef _Float16 half4_t __attribute__((ext_vector_type(4)));
typedef float float16_t __attribute__((ext_vector_type(16)));
extern "C" __global__ void __launch_bounds__(64) mfma(const half4_t* a, const half4_t* b, float16_t* d) {
    float16_t sum = {};
    d[threadIdx.x] = __builtin_amdgcn_mfma_f32_32x32x8f16(a[threadIdx.x], b[threadIdx.x], sum, 0, 0, 0);
}
"""
)
MMA_SYNC = (
    HEADER
    + """
typedef float float4_t __attribute__((ext_vector_type(4)));
extern "C" __global__ void __launch_bounds__(32) mma(const unsigned* a, const unsigned* b, float4_t* d) {
    const unsigned lane = threadIdx.x;
    float4_t c = {};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c.x), "+f"(c.y), "+f"(c.z), "+f"(c.w)
        : "r"(a[lane]), "r"(a[lane + 32]), "r"(a[lane + 64]), "r"(a[lane + 96]), "r"(b[lane]), "r"(b[lane + 32]));
    d[lane] = c;
}
"""
)


@pytest.mark.parametrize("target", each(AMD, "gfx1151"))
def test_amd_targets_build_whole_code_objects(source: Source, target: str) -> None:
    code = compile_source(source("lds_transpose"), target)
    assert code.payload[:4] == b"\x7fELF"
    assert int.from_bytes(code.payload[18:20], "little") == 224  # EM_AMDGPU: the object itself, not a bundle
    assert code.target == target
    for name, element_bytes in (("lds_transpose_f32", 4), ("lds_transpose_f16", 2)):
        kernel = code.kernels[name]
        assert kernel.lds_bytes == 64 * 65 * element_bytes
        assert (kernel.spills, kernel.scratch_bytes, kernel.agprs) == (0, 0, 0)
        assert kernel.wave_size == WAVE_SIZE[target]
        assert kernel.max_threads == 256
        assert kernel.vgprs is not None
        assert 0 < kernel.vgprs <= 64
        assert kernel.sgprs is not None
        assert kernel.sgprs > 0
        assert kernel.code_size is not None
        assert kernel.code_size > 100
        assert [(p.kind, p.offset, p.size) for p in kernel.parameters] == [
            ("pointer", 0, 8), ("pointer", 8, 8), ("value", 16, 4), ("value", 20, 4),
        ]  # fmt: skip


@pytest.mark.parametrize("target", each(AMD, "gfx1250"))
def test_register_transposition_uses_16_byte_accesses(source: Source, target: str) -> None:
    assembly = compile_to_assembly(source("register_transpose"), target)
    suffix = "dwordx4" if WAVE_SIZE[target] == 64 or target == "gfx1030" else "b128"
    load, store = f"global_load_{suffix}", f"global_store_{suffix}"
    assert assembly.count(load) == 4
    assert assembly.count(store) == 4


def test_nvidia_target_builds_ptx(source: Source) -> None:
    code = compile_source(source("lds_transpose"), "sm_90")
    assert b".target sm_90" in code.payload
    kernel = code.kernels["lds_transpose_f16"]
    assert kernel.lds_bytes == 64 * 65 * 2
    assert kernel.max_threads == 256
    assert kernel.vgprs is None  # the driver chooses
    assert [(p.kind, p.offset, p.size) for p in kernel.parameters] == [
        ("pointer", 0, 8), ("pointer", 8, 8), ("value", 16, 4), ("value", 20, 4),
    ]  # fmt: skip


def test_cpu_parameters_are_known_by_type(source: Source) -> None:
    kernel = compile_source(source("lds_transpose"), "cpu").kernels["lds_transpose_f16"]
    assert [(p.kind, p.element, p.written) for p in kernel.parameters] == [
        ("pointer", "f2", False), ("pointer", "f2", True), ("value", "i4", False), ("value", "i4", False),
    ]  # fmt: skip


@pytest.mark.parametrize("target", each(["gfx90a", "gfx942", "gfx950"], "gfx942"))
def test_matrix_instructions_build_where_they_exist(target: str) -> None:
    assert "v_mfma_f32_32x32x8" in compile_to_assembly(MFMA, target)
    assert compile_source(MFMA, target).kernels["mfma"].max_threads == 64


@pytest.mark.parametrize("target", each(["gfx1100", "gfx1201"], "gfx1201"))
def test_matrix_instructions_are_refused_where_they_do_not_exist(target: str) -> None:
    with pytest.raises(CompileError, match=rf"{target}: .*kernel.hip:7:\d+: error: .*needs target feature") as caught:
        compile_source(MFMA, target)
    assert "\n" not in str(caught.value)


def test_inline_ptx_builds() -> None:
    assert b"mma.sync.aligned.m16n8k16" in compile_source(MMA_SYNC, "sm_90").payload


def test_accumulation_registers_are_counted() -> None:
    body = 'asm volatile("v_accvgpr_write_b32 a7, 0" ::: "a7");'
    kernel = compile_source(f'{HEADER}extern "C" __global__ void acc() {{ {body} }}\n', "gfx942").kernels["acc"]
    assert kernel.agprs == 8
    assert kernel.vgprs is not None
    assert kernel.vgprs >= 8  # the unified file's count includes them


def test_spills_are_counted() -> None:
    body = "".join(f"float v{i} = p[{i} * n];\n" for i in range(200))
    body += 'asm volatile("s_nop 0" ::: "memory");\n'
    body += "".join(f"p[{i} * n + 1] = v{199 - i};\n" for i in range(200))
    text = f'{HEADER}extern "C" __global__ void __launch_bounds__(1024) many(volatile float* p, int n) {{\n{body}}}\n'
    kernel = compile_source(text, "gfx942").kernels["many"]
    assert kernel.vgpr_spills is not None
    assert kernel.vgpr_spills > 0
    assert kernel.spills == kernel.vgpr_spills + (kernel.sgpr_spills or 0)
    assert kernel.scratch_bytes is not None
    assert kernel.scratch_bytes >= 4 * kernel.vgpr_spills


def test_unknown_target_names_the_known_ones() -> None:
    with pytest.raises(UnknownTargetError, match="unknown target 'gfx999': give one of gfx906, gfx908, gfx90a, gfx942"):
        compile_source(NOP, "gfx999")


@pytest.mark.parametrize("target", each(targets(), "gfx1151"))
def test_an_error_names_its_line(target: str) -> None:
    text = NOP + 'extern "C" __global__ void wrong(float* p) { p[0] = q; }\n'
    with pytest.raises(CompileError, match=r"kernel\.hip:3:\d+: error: use of undeclared identifier 'q'") as caught:
        compile_source(text, target)
    assert str(caught.value).startswith(target)
    assert "\n" not in str(caught.value)
    assert "undeclared" in caught.value.output


def test_a_source_without_kernels_is_refused_for_the_cpu() -> None:
    with pytest.raises(CompileError, match="the source holds no kernel"):
        compile_source(HEADER + "// __global__ void no() {}\n", "cpu")


def test_an_absent_compiler_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _hide_compilers(monkeypatch, tmp_path)
    with pytest.raises(NoCompilerError, match=r"no compiler for gfx942: .*pip install ziglang==0\.17\.0"):
        compile_source(NOP, "gfx942")


def test_a_compiler_that_cannot_run_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = compilers_module.Compiler("system", ("/nowhere/clang++",), ("/nowhere/ld.lld",), "gone")
    with pytest.raises(CompileError, match=r"/nowhere/clang\+\+ cannot be run"):
        compile_source(NOP, "gfx942", compiler=gone)


def test_rocm_comes_first_and_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _stand_in(tmp_path / "rocm", monkeypatch)
    kinds = [compiler.kind for compiler in find_compilers()]
    assert (kinds[0], kinds[-1]) == ("rocm", "zig")
    assert choose_compiler("gfx950").kind == "rocm"
    assert compile_source(NOP, "gfx950").kernels["nop"].wave_size == 64
    assert (tmp_path / "rocm" / "used").exists()


def test_a_compiler_that_does_not_know_the_target_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _stand_in(tmp_path / "rocm", monkeypatch, refuse="gfx950")
    assert choose_compiler("gfx950").kind != "rocm"
    assert choose_compiler("gfx942").kind == "rocm"


def test_what_was_built_once_is_not_built_again(monkeypatch: pytest.MonkeyPatch, source: Source) -> None:
    first = compile_source(source("register_transpose"), "gfx90a")

    def refuse(*arguments: object, **options: object) -> None:
        raise AssertionError("the compiler ran")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    assert compile_source(source("register_transpose"), "gfx90a") == first
    with pytest.raises(AssertionError, match="the compiler ran"):
        compile_source(source("register_transpose"), "gfx90a", opt_level=1)


def test_a_damaged_cache_entry_is_built_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LAYOUTALG_CACHE", str(tmp_path))
    first = compile_source(NOP, "gfx942")
    (entry,) = (path for path in (tmp_path / "objects").glob("*/*"))
    entry.write_bytes(entry.read_bytes()[:-1])
    assert compile_source(NOP, "gfx942") == first
    assert len(entry.read_bytes()) == len(first.payload) + 32


def test_a_cache_that_cannot_be_written_costs_nothing_but_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("LAYOUTALG_CACHE", str(tmp_path / "file"))
    assert compile_source(NOP, "gfx942").target == "gfx942"


def test_the_oldest_half_of_a_full_folder_goes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LAYOUTALG_CACHE", str(tmp_path))
    names = [f"ab{n}" for n in range(cache.LIMIT + 1)]
    for age, name in enumerate(names):
        cache.write(name, name.encode())
        if age < cache.LIMIT:
            os.utime(tmp_path / "objects" / "ab" / name, (age, age))
    kept = names[len(names) // 2 :]
    assert [cache.read(name) for name in names] == [name.encode() if name in kept else None for name in names]


def test_builds_are_reproducible(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, source: Source) -> None:
    results = []
    for folder in ("one", "two"):
        monkeypatch.setenv("LAYOUTALG_CACHE", str(tmp_path / folder))
        results.append(
            [compile_source(source("lds_transpose"), target).payload for target in ("gfx942", "sm_90", "cpu")]
        )
    assert results[0] == results[1]


def test_a_code_object_is_saved_whole(tmp_path: Path) -> None:
    code = compile_source(NOP, "gfx1201")
    code.save(tmp_path / "nop.co")
    assert CodeObject.read((tmp_path / "nop.co").read_bytes()) == code
    assert [path.name for path in tmp_path.iterdir()] == ["nop.co"]


def test_nothing_heavy_is_imported_with_the_package() -> None:
    heavy = "numpy elftools msgpack z3 sympy cuda hip"
    script = f"import sys, layoutalg.device; print([m for m in {heavy.split()} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def _hide_compilers(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("ROCM_PATH", raising=False)
    monkeypatch.setattr(compilers_module, "find_compilers", lambda: ())


def _stand_in(root: Path, monkeypatch: pytest.MonkeyPatch, refuse: str = "no-target") -> None:
    """A ROCm folder whose compiler is the wheel's, and which leaves a file behind when it is used."""
    zig = next(compiler for compiler in find_compilers() if compiler.kind == "zig")
    folder = root / "llvm" / "bin"
    folder.mkdir(parents=True)
    for name, command in (("clang++", (*zig.clang, *zig.include)), ("ld.lld", zig.linker)):
        script = (
            f'#!/bin/sh\ncase "$*" in *{refuse}*) exit 1;; esac\ntouch {root}/used\nexec {" ".join(command)} "$@"\n'
        )
        (folder / name).write_text(script)
        (folder / name).chmod(0o755)
    monkeypatch.setenv("ROCM_PATH", str(root))
