"""Finding a compiler: ROCm's clang, a system clang that knows the target, or the one in the zig wheel.

Every compiler here is a clang with an LLD, so all are driven alike and only the command differs:

| kind | clang | linker | found by |
|---|---|---|---|
| `rocm` | `ROCM/llvm/bin/clang++` | `ROCM/llvm/bin/ld.lld` | `ROCM_PATH`, `/opt/rocm`, `hipcc` or `amdclang++` |
| `system` | `clang++`, `clang++-19` … | `ld.lld` of the same version | `PATH` |
| `zig` | `zig clang` | `zig ld.lld` | the `ziglang` wheel of this Python |

From source to code object, in three steps, two or one:

| family | steps |
|---|---|
| `amd` | HIP → assembly → object → ELF code object |
| `cpu` | C++ → object → ELF shared library |
| `nvidia` | CUDA → PTX |

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
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from layoutalg.device import ocml
from layoutalg.device.ocml import Ocml
from layoutalg.device.targets import family, processor
from layoutalg.errors import NoCompilerError
from layoutalg.records import dataclass

INCLUDE = Path(__file__).parent / "include"

#: The wheel whose hidden `clang` and `ld.lld` subcommands are known to work.
ZIG_REQUIREMENT = "ziglang==0.17.0"

#: What a source without a file of its own is called.
SOURCE = "kernel.hip"

# What is built is the same wherever it is: debug information has the working folder as `.`, and headers that are
# installed under names of their own.
_LANGUAGE = (
    "-std=c++17", "-fdeclspec", "-DLAYOUTALG_DEVICE", "-ferror-limit=0", "-ffile-compilation-dir=.",
    f"-ffile-prefix-map={INCLUDE}=/layoutalg",
)  # fmt: skip
_ONE_GPU = ("--cuda-device-only", "-nogpulib", "-fuse-cuid=none")
# As HIP's CMake target `hip::host` has it, before any include: without it a source takes its CUDA branch. HIP dropped
# the older name with 6.0 (ROCm/clr, CHANGELOG); sources that ask for it, and builds that give it, remain.
_PLATFORM = ("-D__HIP_PLATFORM_AMD__=1", "-D__HIP_PLATFORM_HCC__=1")
# clang's own header of HIP, which comes before any source, has these (lib/Headers/__clang_hip_runtime_wrapper.h).
_ATTRIBUTES = tuple(
    f"-D__{name}__=__attribute__(({name}))" for name in ("global", "device", "host", "shared", "constant", "managed")
)
_AMD = ("-x", "hip", *_ONE_GPU, "-nogpuinc", "--no-gpu-bundle-output", "-mcode-object-version=5", *_PLATFORM,
        *_ATTRIBUTES)  # fmt: skip
# PTX 8.0 (CUDA 12.0) is the oldest that names sm_90a, so the most drivers take it.
_NVIDIA = ("-x", "cuda", *_ONE_GPU, "-nocudainc", "-nocudalib", "-Wno-unknown-cuda-version", "--cuda-feature=+ptx80")
# Halves are rounded after each operation, as a GPU rounds them, not at the end of the expression.
_CPU = (
    "-x",
    "c++",
    "-march=native",
    "-Xclang",
    "-ffloat16-excess-precision=none",
    "-fno-exceptions",
    "-fno-rtti",
    "-fPIC",
)


#: What libc++ is told in place of the file that its own build writes (libcxx, include/__config_site.in).
_LIBCXX: Mapping[str, str] = {
    "ABI_VERSION": "1", "ABI_NAMESPACE": "__1", "HARDENING_MODE": "_LIBCPP_HARDENING_MODE_NONE",
    "ASSERTION_SEMANTIC_DEFAULT": "_LIBCPP_ASSERTION_SEMANTIC_IGNORE", "PSTL_BACKEND_SERIAL": "1",
    "ENABLE_EXPERIMENTAL": "1",  # std::execution::par and its kin
    **dict.fromkeys((
        "HAS_LOCALIZATION", "HAS_THREADS", "HAS_THREAD_API_PTHREAD", "HAS_MONOTONIC_CLOCK", "HAS_TERMINAL",
        "HAS_FILESYSTEM", "HAS_RANDOM_DEVICE", "HAS_WIDE_CHARACTERS", "HAS_UNICODE",
    ), "1"),
    **dict.fromkeys((
        "HAS_MUSL_LIBC", "HAS_THREAD_API_EXTERNAL", "HAS_THREAD_API_WIN32", "HAS_THREAD_API_C11",
        "HAS_TIME_ZONE_DATABASE", "HAS_VENDOR_AVAILABILITY_ANNOTATIONS",
    ), "0"),
    # What C++17 took away and GNU's library, which hipcc has on Linux, still gives.
    **dict.fromkeys((
        "ENABLE_CXX17_REMOVED_AUTO_PTR", "ENABLE_CXX17_REMOVED_BINDERS", "ENABLE_CXX17_REMOVED_RANDOM_SHUFFLE",
        "ENABLE_CXX17_REMOVED_UNARY_BINARY_FUNCTION",
    ), "1"),
}  # fmt: skip

#: The wheel's folders of the C library's headers, the host's: device code uses their types and constants alone.
_LIBC = ("x86_64-linux-gnu", "x86-linux-gnu", "generic-glibc", "x86-linux-any", "any-linux-any")


@dataclass(frozen=True)
class Compiler:
    """A clang, its linker, and how it is told from another version of itself.

    >>> clang = Compiler("system", ("clang++",), ("ld.lld",), "20")
    >>> [step[0] for step in clang.steps("gfx942", opt_level=3)], clang.steps("gfx942", opt_level=3)[1][2]
    (['clang++', 'clang++', 'ld.lld'], '-mcpu=gfx942')
    """

    kind: str  # rocm, system or zig
    clang: tuple[str, ...]
    linker: tuple[str, ...]
    version: str  # part of the cache's key
    include: tuple[str, ...] = ()  # flags that name its own and the C++ library's headers, where it does not find them
    ocml: Ocml | None = None  # AMD's library of mathematics, in the place of include/hip/ocml

    def steps(
        self, target: str, opt_level: int, flags: tuple[str, ...] = (), source: str = SOURCE, folder: str = ""
    ) -> tuple[tuple[str, ...], ...]:
        """The commands that turn a source into `output_name(target)`, to be run in one working folder.

        `folder`: what the names of all files that are written begin with.
        """
        language = (*_LANGUAGE, f"-O{opt_level}", f"-I{INCLUDE}", *self.include, *flags)
        assembly, made, linked = (f"{folder}kernel.{ending}" for ending in ("s", "o", "so"))
        kind: tuple[str, ...]
        match family(target):
            case "amd":
                kind = (*_AMD, f"--offload-arch={processor(target)}")
                of_both = tuple(flag for flag in flags if flag.startswith("-mwavefrontsize"))
                machine = ("--target=amdgcn-amd-amdhsa", f"-mcpu={processor(target)}", *of_both)
                steps = (
                    (*self.clang, *kind, *language, "-S", source, "-o", assembly),
                    (*self.clang, *machine, "-c", assembly, "-o", made),
                    (*self.linker, "--no-undefined", "-shared", made, "-o", linked),
                )
                if self.ocml is None:
                    return steps
                controls = f"{folder}oclc.bc"
                compiled = (*self.clang, *kind, *language, *self.ocml.flags(controls), "-S", source, "-o", assembly)
                answered = (*self.clang, *self.ocml.controls(processor(target), controls))
                return (answered, compiled, *steps[1:])
            case "nvidia":
                kind = (*_NVIDIA, f"--cuda-gpu-arch={processor(target)}")
                return ((*self.clang, *kind, *language, "-S", source, "-o", assembly),)
        return (
            (*self.clang, *_CPU, *language, "-c", source, "-o", made),
            # What the library needs of this machine (thread-local storage, memcpy) is resolved when it is loaded;
            # a kernel that bears the name of a C function is still the kernel.
            (*self.linker, "-Bsymbolic", "-shared", made, "-o", linked),
        )

    def preprocess(self, flags: tuple[str, ...] = ()) -> tuple[str, ...]:
        """The command that turns `kernel.hip` into `kernel.i`, macros expanded as for the CPU."""
        language = (*_LANGUAGE, f"-I{INCLUDE}", *self.include, *flags)
        return (*self.clang, *_CPU, *language, "-E", SOURCE, "-o", "kernel.i")


def output_name(target: str) -> str:
    """The file that the last step writes."""
    return "kernel.s" if family(target) == "nvidia" else "kernel.so"


def find_compilers() -> tuple[Compiler, ...]:
    """Every compiler on this machine, the preferred one first.

    >>> any(compiler.kind == "zig" for compiler in find_compilers())
    True
    """
    found = {compiler.clang: compiler for compiler in (*_rocm(), *_system(), *_zig())}
    return tuple(found.values())


def choose_compiler(target: str) -> Compiler:
    """The first compiler that knows the target.

    Raises `UnknownTargetError`, or `NoCompilerError` with the places searched.

    >>> choose_compiler("gfx950").kind in ("rocm", "system", "zig")
    True
    """
    family(target)
    found = find_compilers()
    for compiler in found:
        if compiler.kind == "zig" or knows(compiler, target):
            return compiler
    passed_over = "".join(f"; {' '.join(compiler.clang)} does not know it" for compiler in found)
    raise NoCompilerError(
        f"no compiler for {target}: no ROCm (ROCM_PATH, /opt/rocm, hipcc on PATH), no clang with ld.lld on PATH, and "
        f"no {ZIG_REQUIREMENT} in this Python{passed_over}. Install one: pip install {ZIG_REQUIREMENT}"
    )


def choose_with_ocml(target: str) -> Compiler:
    """The same with AMD's library of mathematics, the first on this machine that the compiler reads.

    >>> choose_with_ocml("gfx942").clang == choose_compiler("gfx942").clang
    True
    """
    compiler = choose_compiler(target)
    found = ocml.find() if family(target) == "amd" else ()
    chosen = next((one for one in found if ocml.readable(compiler.clang, one, processor(target))), None)
    if chosen is None:
        return compiler
    return replace(compiler, ocml=chosen, version=f"{compiler.version}, ocml {_fingerprint(chosen.path)}")


@functools.cache
def knows(compiler: Compiler, target: str) -> bool:
    """Whether the compiler builds an empty kernel for the target."""
    with tempfile.TemporaryDirectory(prefix="layoutalg-") as folder:
        source = '#include "layoutalg_device.h"\nextern "C" __global__ void probe() {}\n'
        (Path(folder) / "kernel.hip").write_text(source)
        try:
            command = compiler.steps(target, opt_level=0)[0]
            return subprocess.run(command, cwd=folder, capture_output=True, timeout=60).returncode == 0
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
                yield Compiler("rocm", command, (str(linker),), _fingerprint(clang))
                break


def _system() -> Iterator[Compiler]:
    for suffix in ("", *(f"-{version}" for version in range(30, 18, -1))):
        clang, linker = shutil.which(f"clang++{suffix}"), shutil.which(f"ld.lld{suffix}")
        if clang and linker:
            yield Compiler("system", (clang,), (linker,), _fingerprint(Path(clang)))


def _zig() -> Iterator[Compiler]:
    spec = importlib.util.find_spec("ziglang")
    if spec is None or not spec.submodule_search_locations:
        return
    folder = Path(spec.submodule_search_locations[0])
    zig = str(folder / "zig")
    version = f"ziglang {importlib.metadata.version('ziglang')}"
    lib = folder / "lib"
    # The C++ library's headers come before the compiler's own, which come before the C library's.
    found = (lib / "libcxx" / "include", lib / "include", *(lib / "libc" / "include" / name for name in _LIBC))
    include = (
        "-nostdinc",
        f"-ffile-prefix-map={folder}=/ziglang",
        *(part for path in found for part in ("-isystem", str(path))),
    )
    include += tuple(f"-D_LIBCPP_{name}={value}" for name, value in _LIBCXX.items())
    yield Compiler("zig", (zig, "clang"), (zig, "ld.lld"), version, include)


def _fingerprint(executable: Path) -> str:
    """Tells one build of a compiler from the next without running it: its real path, size and date."""
    real = executable.resolve()
    status = real.stat()
    return f"{real} {status.st_size} {status.st_mtime_ns}"
