"""AMD's device library of mathematics, ocml, where this machine has it: bitcode that clang links into a kernel.

| from | where |
|---|---|
| a ROCm | `ROCM/amdgcn/bitcode`, `ROCM/lib/llvm/lib/clang/*/lib/amdgcn/bitcode` |
| Debian's `rocm-device-libs` | `/usr/lib/*/amdgcn/bitcode` |
| the `triton` wheel of this Python | `triton/backends/amd/lib` |

The first that the compiler reads is taken: bitcode of a newer LLVM than its own it does not read. Without any, the
functions are those of `include/hip/ocml`. What the library asks of its user (`__oclc_…`) is `include/hip/ocml/oclc.h`.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from layoutalg.records import dataclass

_OCLC = Path(__file__).parent / "include" / "hip" / "ocml" / "oclc.h"

_PROBE = """#define __device__ __attribute__((device))
extern "C" __device__ float __ocml_tanh_f32(float);
__attribute__((global)) void probe(float* x) { *x = __ocml_tanh_f32(*x); }
"""


@dataclass(frozen=True)
class Ocml:
    """A file of the library, and whose it is."""

    path: Path
    origin: str

    def __str__(self) -> str:
        return f"AMD's ocml, {self.origin} ({self.path})"

    def controls(self, processor: str, made: str) -> tuple[str, ...]:
        """What clang is told to write the answers to the library's questions to a file."""
        of_target = (f"-mcpu={processor}", f"-DLAYOUTALG_OCLC_ISA={isa_version(processor)}")
        kind = ("--target=amdgcn-amd-amdhsa", "-nogpulib", "-Xclang", "-mcode-object-version=none", "-x", "c")
        return (*kind, *of_target, "-emit-llvm", "-c", str(_OCLC), "-o", made)

    def flags(self, controls: str) -> tuple[str, ...]:
        """What clang is told to link the library and that file to a kernel."""
        linked = (("-Xclang", "-mlink-builtin-bitcode", "-Xclang", file) for file in (str(self.path), controls))
        return ("-DLAYOUTALG_OCML", *(flag for flags in linked for flag in flags))


def isa_version(processor: str) -> int:
    """A processor's number in the library: its major version in thousands, then the minor one, then the stepping.

    >>> isa_version("gfx90a"), isa_version("gfx942"), isa_version("gfx1201")
    (9010, 9402, 12001)
    """
    digits = processor.removeprefix("gfx")
    return int(digits[:-2]) * 1000 + int(digits[-2], 16) * 100 + int(digits[-1], 16)


def find() -> Iterator[Ocml]:
    """Every file of the library on this machine, the preferred one first."""
    for folder, origin in _folders():
        for path in sorted(folder.parent.glob(f"{folder.name}/ocml.bc")):
            yield Ocml(path, origin)


def _folders() -> Iterator[tuple[Path, str]]:
    for root in (os.environ.get("ROCM_PATH"), "/opt/rocm"):
        if root:
            yield Path(root) / "amdgcn" / "bitcode", "of ROCm"
            clangs = sorted((Path(root) / "lib" / "llvm" / "lib" / "clang").glob("*/lib/amdgcn/bitcode"))
            yield from ((folder, "of ROCm") for folder in clangs)
    for folder in sorted(Path("/usr/lib").glob("*/amdgcn/bitcode")):
        yield folder, "of rocm-device-libs"
    found = importlib.util.find_spec("triton")
    for place in (found.submodule_search_locations or ()) if found else ():
        yield Path(place) / "backends" / "amd" / "lib", "of the triton wheel"


@functools.cache
def readable(clang: tuple[str, ...], ocml: Ocml, processor: str) -> bool:
    """Whether a clang links the library to a kernel for the processor."""
    with tempfile.TemporaryDirectory(prefix="layoutalg-") as folder:
        (Path(folder) / "probe.hip").write_text(_PROBE)
        hip = ("-x", "hip", "--cuda-device-only", "-nogpulib", "-nogpuinc", f"--offload-arch={processor}")
        kernel = (*hip, *ocml.flags("oclc.bc"), "-S", "-emit-llvm", "probe.hip", "-o", os.devnull)
        try:
            commands = ((*clang, *ocml.controls(processor, "oclc.bc")), (*clang, *kernel))
            return all(
                subprocess.run(command, cwd=folder, capture_output=True, timeout=60).returncode == 0
                for command in commands
            )
        except (OSError, subprocess.TimeoutExpired):
            return False
