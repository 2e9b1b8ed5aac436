"""What would give a header or a name that a source asks for and that is not here, by what clang and LLD say of it.

| begins with                             | is of       | is given by                                         |
|-----------------------------------------|-------------|-----------------------------------------------------|
| `rocwmma/`, `miopen/`, `rocblas/` …     | a ROCm      | its folder of headers, with `-I`                    |
| `ck/`, `ck_tile/`                       | CK          | a checkout's `include`, with `-I`                   |
| `cuda`, `cub/`, `__nv_` …               | CUDA        | `hipify-perl`, which writes HIP's names             |
| `torch/`, `ATen/`, `c10/`               | PyTorch     | its wheel's folders of headers, with `-I`           |
| any header                              | the user    | a folder near the source's that has it, with `-I`   |
| `hipMalloc`, `__shfl` … that ours lack  | HIP         | `hipcc`, whose code object every command here takes |
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Callable, Mapping
from itertools import takewhile
from pathlib import Path

_FOLDER = "give the folder that has it with -I"
_ROCM = f"it is of a ROCm: {_FOLDER}, such as /opt/rocm/include"
_DEBIAN = _ROCM + ", or of Debian's package {}"
_CUDA = "it is CUDA's: convert the source with hipify-perl"

#: What a header's name begins with → whose it is, and what gives it; the first that fits.  Packages: Debian 12.
_HEADERS: Mapping[str, str] = {
    "hiprand": _DEBIAN.format("libhiprand-dev"), "rocrand": _DEBIAN.format("librocrand-dev"),
    "rocprim": _DEBIAN.format("librocprim-dev"),
    "hipsparse": _DEBIAN.format("libhipsparse-dev"), "rocsparse": _DEBIAN.format("librocsparse-dev"),
    **dict.fromkeys(("ck/", "ck_tile/"), f"it is CK's: {_FOLDER}, a checkout's include"),
    **dict.fromkeys(("cuda", "cub/", "curand", "cublas", "cufft", "cusparse", "nccl", "cutlass", "mma.h",
                     "cooperative_groups"), _CUDA),
    **dict.fromkeys(("hip/", "hipblas", "hipcub/", "hipfft", "hipsolver", "rocblas", "rocfft", "rocsolver", "rocwmma/",
                     "roctracer", "thrust/", "miopen", "rccl", "hsa/"), _ROCM),
    **dict.fromkeys(("torch/", "ATen/", "c10/"),
                    f"it is PyTorch's: {_FOLDER}, those of torch.utils.cpp_extension.include_paths()"),
}  # fmt: skip

#: Names by whose they are: those that HIP's runtime header declares, which a source has not included; CUDA's; HIP's.
_RUNTIME = re.compile(
    r"__(?:global|device|host|shared|constant|launch_bounds)__|(?:thread|block)Idx|(?:block|grid)Dim|__syncthreads|"
    "warpSize"
)
_OF_CUDA = re.compile(r"cuda[A-Z_]\w*|__nv_\w+|nvcuda|cub|cutlass|cu(?:blas|fft|rand|sparse)[A-Z_]\w*")
_OF_HIP = re.compile(r"hip[A-Z]\w*|__[a-z]\w*|(?:hip|roc)(?:cub|prim|rand|wmma)\w*|cooperative_groups|atomic[A-Z]\w*")

#: Folders around a source's, among whose own a header is looked for.
_AROUND = 4

_MISSING_HEADER = re.compile(r"'(?P<name>[^']+)' file not found")
_MISSING_NAME = re.compile(
    r"use of undeclared identifier '(?P<name>\w+)'|unknown type name '(?P<type>\w+)'"
    r"|no (?:member|type|template) named '(?P<member>\w+)' in (?:namespace )?'(?P<of>[\w:]+)'"
    r"|no template named '(?P<template>\w+)'|use of undeclared '(?P<other>\w+)'"
)
_MISSING_SYMBOL = re.compile(r"undefined (?:\w+ )?symbol: (?P<name>.*)")


def hint(text: str, target: str, folder: str = ".") -> str:
    """What would mend an error of these words in a source of a folder, after a colon; "" where they say it themselves.

    >>> hint("'cub/cub.cuh' file not found", "gfx942")
    ": it is CUDA's: convert the source with hipify-perl"
    >>> hint("use of undeclared identifier 'lenght'", "gfx942")
    ''
    """
    for pattern, given in _HINTS:
        found = pattern.search(text)
        if found is not None:
            said = given(found, target, folder)
            return f": {said}" if said else ""
    return ""


def _header(found: re.Match[str], target: str, folder: str) -> str:
    name = found["name"]
    near = _folder_with(name, Path(folder).resolve())
    if near:
        return f"give -I {os.path.relpath(near)}, which has it"
    return next((said for begin, said in _HEADERS.items() if name.startswith(begin)), _FOLDER)


def _folder_with(name: str, folder: Path) -> Path | None:
    """The folder, in those around a source's, that has a header: the nearest, and that whose name begins most alike."""
    for around in folder.parents[:_AROUND]:
        try:
            having = [one for one in around.iterdir() if (one / name).is_file()]
        except OSError:
            continue
        if having:
            return min(having, key=lambda one: (-_alike(one.name, folder.name), one.name))
    return None


def _alike(one: str, other: str) -> int:
    """The characters with which both names begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _name(found: re.Match[str], target: str, folder: str) -> str:
    name = next(filter(None, (found["of"], *found.groups())))
    if _RUNTIME.fullmatch(name):
        return "include <hip/hip_runtime.h>"
    if _OF_CUDA.fullmatch(name.partition("::")[0]):
        return _CUDA
    if _OF_HIP.fullmatch(name.partition("::")[0]):
        return (
            f"layoutalg's HIP headers have not got it: compile with a ROCm's hipcc --genco --offload-arch={target}, "
            "and go on with the code object"
        )
    return ""


def _symbol(found: re.Match[str], target: str, folder: str) -> str:
    if found["name"].startswith("__ocml_"):
        return (
            "it is of AMD's device library of mathematics, and not in layoutalg's own: the library is taken from a "
            "ROCm (ROCM_PATH), from Debian's package rocm-device-libs, or from the wheel of triton"
        )
    if found["name"].startswith("__ockl_"):
        return "it is of AMD's device library, which layoutalg's HIP header does without"
    return "it is declared and not defined: define it in this source, since no other is linked to it"


_HINTS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], str, str], str]], ...] = (
    (_MISSING_HEADER, _header), (_MISSING_NAME, _name), (_MISSING_SYMBOL, _symbol),
)  # fmt: skip
