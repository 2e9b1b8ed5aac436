"""What was compiled, and what each kernel in it needs, read from the object itself.

A code object is the file that a runtime loads. Nothing about it is remembered from the compile step: resources and
parameters are read from where each format keeps them, so a file from elsewhere reads the same way.

| format | told by | resources from | parameters from |
|---|---|---|---|
| AMD ELF | machine 224 | the note `NT_AMDGPU_METADATA`, a msgpack document | its `.args` |
| PTX | `.version` | `.shared`, `.maxntid`, the constant `NAME_lds_bytes`; registers are the driver's | `.param` lines |
| CPU ELF | the host's machine | none | the tables `layoutalg_parameters_NAME` |

An AMD ELF is read as a loader reads it (`container`). On gfx90a, gfx942 and gfx950 the metadata's `.vgpr_count` counts
the unified file, accumulation registers included.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from math import prod
from pathlib import Path
from typing import Self

from layoutalg.disk import write_whole
from layoutalg.errors import CodeObjectError
from layoutalg.isa.container.elf import SHT_DYNSYM, Elf, damaged
from layoutalg.isa.container.loader import EM_AMDGPU, Container, LoadedKernel
from layoutalg.records import dataclass

_BUNDLES = (b"__CLANG_OFFLOAD_BUNDLE__", b"CCOB")
"""How bundles begin, plain and compressed (clang's documentation, "Clang Offload Bundler")."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel. `element` and `written` are known on the CPU only.

    >>> from layoutalg.device.runtime import pack_number
    >>> pack_number("scale", Parameter("value", size=4, offset=16, element="f4"), 1.5).hex()
    '0000c03f'
    """

    kind: str  # pointer or value
    size: int  # bytes of the parameter itself
    offset: int  # bytes from the start of the kernel's arguments
    element: str = ""  # what a pointer points to, or the value's type: a letter (f, i, u, b) and bytes, as in f4
    written: bool = True  # a pointer that may be written through


@dataclass(frozen=True)
class KernelResources:
    """What a kernel takes from the machine. None where the format does not say.

    >>> KernelResources("twice", (), vgpr_spills=2, sgpr_spills=1).spills
    3
    >>> print(KernelResources("twice", ()).spills)
    None
    """

    name: str
    parameters: tuple[Parameter, ...]
    code_size: int | None = None  # bytes
    vgprs: int | None = None
    agprs: int | None = None
    sgprs: int | None = None
    lds_bytes: int | None = None  # declared
    asked_lds_bytes: int = 0  # that the launch must ask for, besides
    scratch_bytes: int | None = None  # a thread
    vgpr_spills: int | None = None
    sgpr_spills: int | None = None
    wave_size: int | None = None
    max_threads: int | None = None  # of a block
    unprinted: int = 0  # calls of printf that were left out of the code

    @property
    def all_lds_bytes(self) -> int | None:
        """LDS of a block: what is declared, and what the launch asks for besides."""
        return None if self.lds_bytes is None else self.lds_bytes + self.asked_lds_bytes

    @property
    def spills(self) -> int | None:
        """Registers of both kinds that were spilled to memory."""
        if self.vgpr_spills is None or self.sgpr_spills is None:
            return None
        return self.vgpr_spills + self.sgpr_spills


@dataclass(frozen=True)
class CodeObject:
    r"""A compiled file for one target, with its kernels.

    >>> ptx = b".version 8.0\n.target sm_80\n.visible .entry twice(\n.param .u64 twice_param_0\n)\n{\nret;\n}\n"
    >>> code = CodeObject.read(ptx)
    >>> code.target, list(code.kernels), code.kernels["twice"].parameters[0].size
    ('sm_80', ['twice'], 8)
    """

    target: str
    payload: bytes
    kernels: Mapping[str, KernelResources]

    @classmethod
    def read(cls, payload: bytes) -> Self:
        """Reads a code object from its bytes.

        Raises `CodeObjectError` when they are not a whole one.

        >>> CodeObject.read(b"GIF89a")
        Traceback (most recent call last):
        layoutalg.errors.CodeObjectError: not a code object (neither ELF nor PTX): compile the source again
        """
        if payload.startswith(b"\x7fELF"):
            target, kernels = _read_elf(payload)
        elif b".version" in payload[:4096] and b".target" in payload[:4096]:
            target, kernels = _read_ptx(payload.decode(errors="replace"))
        elif payload.startswith(_BUNDLES):
            raise CodeObjectError("a bundle of code objects: compile with --no-gpu-bundle-output for one target")
        else:
            raise CodeObjectError("not a code object (neither ELF nor PTX): compile the source again")
        return cls(target, payload, {kernel.name: kernel for kernel in kernels})

    def save(self, path: str | Path) -> None:
        """Writes the payload to a file, which appears whole or not at all. Raises `OSError`."""
        write_whole(Path(path), self.payload)


def _read_elf(payload: bytes) -> tuple[str, list[KernelResources]]:
    file = Elf.read(payload)
    if file.machine != EM_AMDGPU:
        return "cpu", list(_read_cpu(file))
    container = Container.read(payload)
    return container.target, [_amd_kernel(kernel, container) for kernel in container.kernels.values()]


def _amd_kernel(kernel: LoadedKernel, container: Container) -> KernelResources:
    said = kernel.metadata
    pointers = ("global_buffer", "dynamic_shared_pointer")
    shared = {one.name: getattr(said, one.name) for one in fields(KernelResources) if hasattr(said, one.name)}
    return KernelResources(
        **shared,
        parameters=tuple(
            Parameter("pointer" if argument.kind in pointers else "value", argument.size, argument.offset)
            for argument in said.visible
        ),
        code_size=len(kernel.code),
        unprinted=len(container.unprinted_by(kernel)),
    )


def _read_cpu(file: Elf) -> Iterator[KernelResources]:
    tables = [section for section in file.sections if section.kind == SHT_DYNSYM]
    symbols = {symbol.name: symbol for table in tables for symbol in file.symbols(table)}
    if not symbols:
        raise damaged("it has no symbols")
    segments = file.segments()
    prefix = "layoutalg_parameters_"
    for name, symbol in symbols.items():
        if name.startswith(prefix):
            kernel = name.removeprefix(prefix)
            table = next((t for s in segments if (t := s.bytes_at(symbol.address, symbol.size)) is not None), None)
            if table is None or kernel not in symbols:
                raise damaged(f"it has no table of {kernel}'s parameters, or no {kernel}")
            yield KernelResources(kernel, tuple(_cpu_parameters(table)), symbols[kernel].size)


def _cpu_parameters(table: bytes) -> Iterator[Parameter]:
    """Reads `layoutalg::Parameter`: a kind (r, w, v), a scalar's letter and bytes, ended by a null entry."""
    offset = 0
    for kind, letter, size in zip(table[0::3], table[1::3], table[2::3], strict=False):
        if kind == 0:
            return
        if chr(kind) not in "rwv" or not size:
            raise damaged(f"a parameter of kind {kind} and {size} bytes")
        own = size if chr(kind) == "v" else 8
        offset = -(-offset // own) * own
        yield Parameter(
            "value" if chr(kind) == "v" else "pointer", own, offset, f"{chr(letter)}{size}", chr(kind) == "w"
        )
        offset += own


_PTX_ENTRY = re.compile(r"\.entry\s+(\w+)\s*\((.*?)\)([^{]*)\{(.*?)^\}", re.DOTALL | re.MULTILINE)
_PTX_PARAM = re.compile(r"\.param\s+(?:\.align\s+(\d+)\s+)?\.([bfsu])(\d+)\s+(.*)$")
_PTX_SHARED = re.compile(r"\.shared\s+\.align\s+\d+\s+\.b8\s+([\w$]+)\[(\d+)\]")
_PTX_ASKED = re.compile(r"\.(?:const|global)\s+\.align\s+4\s+\.u32\s+(\w+)_lds_bytes\s*=\s*(\d+);")
_PTX_THREADS = re.compile(r"\.maxntid\s+(\d+)(?:,\s*(\d+))?(?:,\s*(\d+))?")


def _read_ptx(text: str) -> tuple[str, list[KernelResources]]:
    target = re.search(r"^\.target\s+(sm_\d+)", text, re.MULTILINE)
    if target is None:
        raise CodeObjectError("the PTX names no target (.target sm_…): compile the source again")
    entries = _PTX_ENTRY.findall(text)
    if not entries or len(entries) != text.count(".entry ") or text.count("{") != text.count("}"):
        raise CodeObjectError("the PTX is not whole: compile the source again")
    asked = {name: int(size) for name, size in _PTX_ASKED.findall(text)}
    shared = {name: int(size) for name, size in _PTX_SHARED.findall(text)}
    kernels = []
    for name, parameters, directives, body in entries:
        threads = _PTX_THREADS.search(directives)
        kernels.append(
            KernelResources(
                name,
                tuple(_ptx_parameters(parameters)),
                lds_bytes=sum(size for variable, size in shared.items() if variable in body),
                asked_lds_bytes=asked.get(name, 0),
                wave_size=32,
                max_threads=prod(map(int, threads.groups(default="1"))) if threads else None,
            )
        )
    return target[1], kernels


def _ptx_parameters(text: str) -> Iterator[Parameter]:
    offset = 0
    for line in (line.strip() for line in text.split(",") if line.strip()):
        match = _PTX_PARAM.match(line)
        if match is None:
            raise CodeObjectError(f"a PTX parameter that cannot be read: {line}")
        letter, bits, rest = match[2], int(match[3]), match[4]
        array = re.search(r"\[(\d+)\]", rest)
        size = bits // 8 * (int(array[1]) if array else 1)
        aligned = int(match[1] or size)
        offset = -(-offset // aligned) * aligned
        kind = "pointer" if rest.startswith(".ptr") else "value"
        yield Parameter(kind, size, offset, "" if kind == "pointer" or letter == "b" else f"{letter}{size}")
        offset += size
