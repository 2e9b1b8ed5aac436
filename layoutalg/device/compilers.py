"""Finding a compiler: ROCm's clang, a system clang that knows the target, or the one in the zig wheel.

Every compiler here is a clang with an LLD, so all are driven alike and only the command differs:

| kind | clang | linker | found by |
|---|---|---|---|
| `rocm` | `ROCM/llvm/bin/clang++` | `ROCM/llvm/bin/ld.lld` | `ROCM_PATH`, `/opt/rocm`, `hipcc` or `amdclang++` on `PATH` |
| `system` | `clang++`, `clang++-19` … | `ld.lld` of the same version | `PATH` |
| `zig` | `zig clang` | `zig ld.lld` | the `ziglang` wheel of this Python |

ROCm comes first for GPU targets; for the CPU the wheel does, because it brings its own C library headers.
A compiler is probed with an empty kernel before it is trusted with a target.
nvcc is no candidate: it knows neither `ext_vector_type` nor `_Float16`, which emitted kernels use.
"""

import functools
import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from layoutalg.device.errors import NoCompilerError
from layoutalg.device.targets import family

INCLUDE = Path(__file__).parent / "include"

#: The wheel whose hidden `clang` and `ld.lld` subcommands are known to work.
ZIG_REQUIREMENT = "ziglang==0.17.0"

_DEVICE_FLAGS = ("-std=c++17", "-fdeclspec", "-DLAYOUTALG_DEVICE", "-nogpulib")


@dataclass(frozen=True)
class Compiler:
    """A clang, its linker, and how it is told from another version of itself."""

    kind: str  # rocm, system or zig
    clang: tuple[str, ...]
    linker: tuple[str, ...]
    host: tuple[str, ...]  # builds a shared library of this machine
    version: str  # part of the cache's key
    include: tuple[str, ...] = ()  # flags that name its freestanding headers

    def compile_command(self, target: str, opt_level: int, source: str, output: str) -> tuple[str, ...]:
        """The command from source to assembly text (a GPU) or to a shared library (the CPU)."""
        shared = (f"-O{opt_level}", f"-I{INCLUDE}", *self.include)
        match family(target):
            case "amd":
                hip = ("-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output", f"--offload-arch={target}")
                abi = ("-nogpuinc", "-mcode-object-version=5", "-fuse-cuid=none")
                return (*self.clang, *hip, *abi, *_DEVICE_FLAGS, *shared, "-S", source, "-o", output)
            case "nvidia":
                # PTX 7.8 (CUDA 11.8) is the oldest that names sm_90, so the most drivers take it.
                cuda = ("-x", "cuda", "--cuda-device-only", f"--cuda-gpu-arch={target}", "--cuda-feature=+ptx78")
                quiet = ("-nocudainc", "-nocudalib", "-Wno-unknown-cuda-version", "-fuse-cuid=none")
                return (*self.clang, *cuda, *quiet, *_DEVICE_FLAGS, *shared, "-S", source, "-o", output)
        library = ("-x", "c++", "-std=c++17", "-shared", "-fPIC", "-nostdlib++", "-fno-exceptions", "-fno-rtti")
        return (*self.host, *library, "-fno-sanitize=undefined", "-DLAYOUTALG_DEVICE", f"-O{opt_level}",
                f"-I{INCLUDE}", source, "-o", output)  # fmt: skip

    def assemble_command(self, target: str, source: str, output: str) -> tuple[str, ...]:
        """The command from AMD assembly text to a relocatable object."""
        return (*self.clang, "--target=amdgcn-amd-amdhsa", f"-mcpu={target}", "-c", source, "-o", output)

    def link_command(self, source: str, output: str) -> tuple[str, ...]:
        """The command from a relocatable object to a code object."""
        return (*self.linker, "--no-undefined", "-shared", source, "-o", output)


def find_compilers() -> tuple[Compiler, ...]:
    """Every compiler on this machine, the preferred one first.

    >>> any(compiler.kind == "zig" for compiler in find_compilers())
    True
    """
    found = {compiler.clang: compiler for compiler in (*_rocm(), *_system(), *_zig())}
    return tuple(found.values())


def choose_compiler(target: str) -> Compiler:
    """The first compiler that knows the target (for the CPU: the wheel's first).

    Raises `UnknownTargetError`, or `NoCompilerError` with the places searched.

    >>> choose_compiler("cpu").kind
    'zig'
    """
    wheel_first = family(target) == "cpu"
    found = sorted(find_compilers(), key=lambda compiler: wheel_first and compiler.kind != "zig")
    for compiler in found:
        if compiler.kind == "zig" or knows(compiler, target):
            return compiler
    passed_over = "".join(f"; {' '.join(compiler.clang)} does not know it" for compiler in found)
    raise NoCompilerError(
        f"no compiler for {target}: no ROCm (ROCM_PATH, /opt/rocm, hipcc on PATH), no clang with ld.lld on PATH, and no "
        f"{ZIG_REQUIREMENT} in this Python{passed_over}. Install one: pip install {ZIG_REQUIREMENT}"
    )


@functools.cache
def knows(compiler: Compiler, target: str) -> bool:
    """Whether the compiler builds an empty kernel for the target."""
    with tempfile.TemporaryDirectory(prefix="layoutalg-") as folder:
        source, output = Path(folder) / "probe.hip", Path(folder) / "probe.out"
        source.write_text('#include "layoutalg_device.h"\nextern "C" __global__ void probe() {}\n')
        command = compiler.compile_command(target, 0, str(source), str(output))
        try:
            return subprocess.run(command, capture_output=True, timeout=60).returncode == 0
        except (OSError, subprocess.TimeoutExpired):
            return False


def _rocm() -> Iterator[Compiler]:
    roots = [Path(root) for root in (os.environ.get("ROCM_PATH"), "/opt/rocm") if root]
    on_path = [shutil.which(name) for name in ("hipcc", "amdclang++")]
    roots += [Path(found).resolve().parents[depth] for found in on_path if found for depth in (1, 2)]
    for root in roots:
        for folder in (root / "llvm" / "bin", root / "lib" / "llvm" / "bin", root / "bin"):
            clang, linker = folder / "clang++", folder / "ld.lld"
            if root.name and clang.is_file() and linker.is_file() and folder != Path("/usr/bin"):
                command = (str(clang),)
                yield Compiler("rocm", command, (str(linker),), command, _fingerprint(clang))
                break


def _system() -> Iterator[Compiler]:
    for suffix in ("", *(f"-{version}" for version in range(30, 18, -1))):
        clang, linker = shutil.which(f"clang++{suffix}"), shutil.which(f"ld.lld{suffix}")
        if clang and linker:
            yield Compiler("system", (clang,), (linker,), (clang,), _fingerprint(Path(clang)))


def _zig() -> Iterator[Compiler]:
    spec = importlib.util.find_spec("ziglang")
    if spec is None or not spec.submodule_search_locations:
        return
    folder = Path(spec.submodule_search_locations[0])
    zig = str(folder / "zig")
    version = f"ziglang {importlib.metadata.version('ziglang')}"
    include = ("-nostdinc", "-isystem", str(folder / "lib" / "include"))
    yield Compiler("zig", (zig, "clang"), (zig, "ld.lld"), (zig, "c++"), version, include)


def _fingerprint(executable: Path) -> str:
    """Tells one build of a compiler from the next without running it: its real path, size and date."""
    real = executable.resolve()
    status = real.stat()
    return f"{real} {status.st_size} {status.st_mtime_ns}"
