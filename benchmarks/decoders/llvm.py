"""The second decoder: LLVM's disassembler of AMDGPU, by its C interface (llvm-c/Disassembler.h).

Any libLLVM with the AMDGPU target will do.  The newest comes in a wheel, whose one file is enough:

    pip download --no-deps rocm-bindings-compiler
    unzip -j rocm_bindings_compiler*.whl rocm/bindings/llvm/libLLVM.so -d FOLDER

That library wants two others, for compression, which the wheel has not and a disassembler never calls: where they are
not found, empty ones are made with the project's own compiler.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

LIBRARY = "LAYOUTALG_LLVM"
"""The environment variable with the path of a libLLVM."""

_TRIPLE = b"amdgcn-amd-amdhsa"
_LONGEST = 20
"""Bytes of the longest encoding: three dwords and a literal or lane selector, and one to spare."""
_ROOM = 1024

_MISSING = {
    "librocm_sysdeps_z.so.1": ("compress2", "compressBound", "crc32", "uncompress"),
    "librocm_sysdeps_zstd.so.1": (
        "ZSTD_CCtx_setParameter", "ZSTD_compress2", "ZSTD_compressBound", "ZSTD_createCCtx", "ZSTD_decompress",
        "ZSTD_freeCCtx", "ZSTD_getErrorName", "ZSTD_isError",
    ),
}  # fmt: skip
_VERSION = "AMDROCM_SYSDEPS_1.0"


class Llvm:
    """A loaded libLLVM; OSError where it cannot be loaded."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.library: Any = ctypes.CDLL(str(path))
        except OSError as error:
            if not any(name in str(error) for name in _MISSING):
                raise
            _load_empty_libraries()
            self.library = ctypes.CDLL(str(path))
        for part in ("TargetInfo", "Target", "TargetMC", "Disassembler"):
            getattr(self.library, f"LLVMInitializeAMDGPU{part}")()
        text, number, size, pointer = ctypes.c_char_p, ctypes.c_uint64, ctypes.c_size_t, ctypes.c_void_p
        self._create = self.library.LLVMCreateDisasmCPUFeatures
        self._create.restype, self._create.argtypes = pointer, [text] * 3 + [pointer, ctypes.c_int, pointer, pointer]
        self._read = self.library.LLVMDisasmInstruction
        self._read.restype, self._read.argtypes = size, [pointer, text, number, number, text, size]
        self._said = ctypes.create_string_buffer(_ROOM)
        self._contexts: dict[tuple[str, str], int] = {}

    @property
    def version(self) -> str:
        """Major, minor and patch."""
        parts = [ctypes.c_uint() for _ in range(3)]
        self.library.LLVMGetVersion(*map(ctypes.byref, parts))
        return ".".join(str(part.value) for part in parts)

    def instruction(self, code: bytes, target: str, features: str = "") -> tuple[int, str]:
        """The size and the text of the first instruction; (0, "") where it is none."""
        if (target, features) not in self._contexts:
            made = self._create(_TRIPLE, target.encode(), features.encode(), None, 0, None, None)
            if not made:
                raise OSError(f"{self.path} does not know {target}")
            self._contexts[target, features] = made
        piece = code[:_LONGEST]
        size = self._read(self._contexts[target, features], piece, len(piece), 0, self._said, _ROOM)
        return (size, " ".join(self._said.value.decode().split())) if size else (0, "")


@cache
def llvm(path: Path | None = None) -> Llvm | None:
    """The libLLVM of a path, of the environment or of the wheel where it is installed; None where there is none."""
    if path is not None:
        return Llvm(path)
    places = [os.environ.get(LIBRARY, ""), *(f"{folder}/rocm/bindings/llvm/libLLVM.so" for folder in sys.path)]
    found = next((place for place in places if place and Path(place).is_file()), None)
    return Llvm(Path(found)) if found else None


def _load_empty_libraries() -> None:
    """Loads libraries of the names that are missing, whose functions trap."""
    with tempfile.TemporaryDirectory() as folder:
        for name, functions in _MISSING.items():
            source, versions = Path(folder, "empty.c"), Path(folder, "versions")
            source.write_text("".join(f"void {function}(void) {{ __builtin_trap(); }}\n" for function in functions))
            versions.write_text(f"{_VERSION} {{ global: *; }};\n")
            names = (f"-Wl,-soname,{name}", f"-Wl,--version-script,{versions}", "-o", f"{folder}/{name}")
            command = (sys.executable, "-m", "ziglang", "cc", "-shared", "-nostdlib", *names, str(source))
            subprocess.run(command, check=True)
            ctypes.CDLL(f"{folder}/{name}", ctypes.RTLD_GLOBAL)
