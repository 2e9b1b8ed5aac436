"""A kernel as the loader sees it: its code bytes, its descriptor and its arguments, out of an AMD code object.

The kernel descriptor is the 64 bytes at the symbol `NAME.kd`; it says what the machine puts into registers before the
first instruction.  Its fields, and the order of the scalar registers, are those of LLVM's AMDGPUUsage, "Kernel
Descriptor" and "Initial Kernel Execution State":

| bytes | field | read here as |
|---|---|---|
| 0–3, 4–7, 8–11 | LDS, private and kernel-argument bytes | `lds_bytes`, `private_bytes`, `kernarg_bytes` |
| 16–23 | code entry, relative to the descriptor | `entry` |
| 44–47 | COMPUTE_PGM_RSRC3 | bits 0–5: where accumulation registers begin, bit 16: waves apart (CDNA) |
| 48–51 | COMPUTE_PGM_RSRC1 | bits 0–5: vector registers, 6–9: scalar ones, 12–19: float mode, 26: overflow of f16 |
| 52–55 | COMPUTE_PGM_RSRC2 | bits 1–5: user registers, 7–9: block indices, 11–12: thread indices |
| 56–57 | kernel code properties | bits 0–6: which pointers come first, bit 10: wave of 32 |
| 58–59 | preloaded arguments | refused unless 0 |

What it cannot represent: several code objects linked together, dynamic LDS, kernels with preloaded arguments.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from layoutalg.device.codeobject import amd_metadata
from layoutalg.device.errors import CodeObjectError

#: How tinygrad's decoder names the instruction set of a target.
ARCHITECTURES = {"gfx90a": "cdna", "gfx942": "cdna", "gfx950": "cdna", "gfx1100": "rdna3", "gfx1201": "rdna4"}

#: Pointers and sizes that the machine writes to scalar registers before a kernel, in this order: property bit, dwords.
_USER_SGPRS = (
    ("private_segment_buffer", 0, 4),
    ("dispatch_ptr", 1, 2),
    ("queue_ptr", 2, 2),
    ("kernarg_segment_ptr", 3, 2),
    ("dispatch_id", 4, 2),
    ("flat_scratch_init", 5, 2),
    ("private_segment_size", 6, 1),
)


@dataclass(frozen=True)
class Argument:
    """One argument of the kernel-argument segment, the hidden ones included."""

    offset: int  # bytes from the start of the segment
    size: int
    kind: str  # the metadata's value kind: global_buffer, by_value, hidden_block_count_x, …


@dataclass(frozen=True)
class KernelBinary:
    """One kernel of a code object: code, descriptor and arguments."""

    name: str
    target: str
    code: bytes
    entry: int  # address of the first instruction in the image
    wave_size: int
    float_mode: int  # rounding and denormals
    lds_bytes: int
    private_bytes: int  # scratch memory of one thread
    kernarg_bytes: int
    arguments: tuple[Argument, ...]
    user_sgprs: tuple[tuple[str, int], ...]  # what is in the first scalar registers, and in how many
    user_sgpr_count: int  # how many registers those take, padding included
    block_indices: tuple[bool, bool, bool]  # x, y, z follow, one register each (in ttmp registers on gfx12)
    extra_sgprs: tuple[bool, bool]  # block info, and the wave's scratch offset, after those
    thread_dimensions: int  # 1 to 3 thread indices packed in v0, 10 bits each
    scalar_registers: int  # that a wave may use, VCC and others of the machine among them
    vector_registers: int
    accumulators: int
    image: tuple[tuple[int, bytes], ...]  # loaded segments: (address, bytes)

    @property
    def architecture(self) -> str:
        """The instruction set: `cdna`, `rdna3` or `rdna4`."""
        return ARCHITECTURES[self.target]


def read_kernels(payload: bytes) -> Mapping[str, KernelBinary]:
    """The kernels of an AMD code object, by name.

    Raises `CodeObjectError` when the bytes are damaged or use what is not supported (named in the message).

    >>> read_kernels(b"GIF89a")
    Traceback (most recent call last):
    layoutalg.device.errors.CodeObjectError: not an AMD code object: Magic number does not match
    """
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    try:
        elf = ELFFile(io.BytesIO(payload))
        target, kernels = amd_metadata(elf)
        if target not in ARCHITECTURES:
            raise CodeObjectError(f"no decoder for {target}: known are {', '.join(ARCHITECTURES)}")
        return {entry[".name"]: _read_kernel(elf, entry, target) for entry in kernels}
    except (ELFError, ValueError, KeyError, IndexError, struct.error) as error:
        raise CodeObjectError(f"not an AMD code object: {error}") from error


def _read_kernel(elf: Any, entry: Mapping[str, Any], target: str) -> KernelBinary:
    symbols = {symbol.name: symbol for symbol in elf.get_section_by_name(".dynsym").iter_symbols()}
    descriptor_at, code_at = symbols[entry[".symbol"]]["st_value"], symbols[entry[".name"]]["st_value"]
    image = tuple(
        (segment["p_vaddr"], segment.data().ljust(segment["p_memsz"], b"\0"))
        for segment in elf.iter_segments("PT_LOAD")
    )
    descriptor = _bytes_at(image, descriptor_at, 64)
    lds, private, kernargs, _, relative_entry = struct.unpack_from("<IIIIq", descriptor)
    accumulation, mode, resources = struct.unpack_from("<III", descriptor, 44)
    properties, preload = struct.unpack_from("<HH", descriptor, 56)
    if preload:
        raise CodeObjectError(f"{entry['.name']} preloads kernel arguments, which is not supported")
    if descriptor_at + relative_entry != code_at:
        raise CodeObjectError(f"{entry['.name']}: the descriptor's entry is not the symbol's address")
    if mode >> 26 & 1:
        raise CodeObjectError(f"{entry['.name']} has f16 overflow to the greatest number, which is not supported")
    if ARCHITECTURES[target] == "cdna" and accumulation >> 16 & 1 and lds:
        raise CodeObjectError(f"{entry['.name']} has LDS and a block's waves apart, which have none in common")
    wave_size = 32 if properties >> 10 & 1 else 64
    registers = _vector_registers(target, wave_size, mode & 63, accumulation & 63)
    return KernelBinary(
        name=entry[".name"],
        target=target,
        code=_bytes_at(image, code_at, symbols[entry[".name"]]["st_size"]),
        entry=code_at,
        float_mode=mode >> 12 & 0xFF,
        wave_size=wave_size,
        lds_bytes=lds,
        private_bytes=private,
        kernarg_bytes=kernargs,
        arguments=tuple(Argument(a[".offset"], a[".size"], a[".value_kind"]) for a in entry.get(".args", ())),
        user_sgprs=tuple((name, dwords) for name, bit, dwords in _USER_SGPRS if properties >> bit & 1),
        user_sgpr_count=resources >> 1 & 31,
        block_indices=(bool(resources >> 7 & 1), bool(resources >> 8 & 1), bool(resources >> 9 & 1)),
        extra_sgprs=(bool(resources >> 10 & 1), bool(resources & 1)),
        thread_dimensions=(resources >> 11 & 3) + 1,
        scalar_registers=_scalar_registers(target, mode >> 6 & 15),
        vector_registers=registers[0],
        accumulators=registers[1],
        image=image,
    )


def _scalar_registers(target: str, granules: int) -> int:
    """Scalar registers of a wave: on CDNA in granules of 16, which the field counts in eights; else all there are."""
    return min((granules // 2 + 1) * 16, 106) if ARCHITECTURES[target] == "cdna" else 106


def _vector_registers(target: str, wave_size: int, granules: int, offset: int) -> tuple[int, int]:
    """Vector and accumulation registers of a wave (AMDGPUUsage, COMPUTE_PGM_RSRC1 and 3 for GFX90A, GFX10–GFX12).

    On CDNA both are parts of one file, in granules of 8; accumulation registers begin at a multiple of 4.
    """
    if ARCHITECTURES[target] != "cdna":
        return min((granules + 1) * (8 if wave_size == 32 else 4), 256), 0
    total, first = (granules + 1) * 8, (offset + 1) * 4
    return min(total, first, 256), max(total - first, 0)


def _bytes_at(image: tuple[tuple[int, bytes], ...], address: int, size: int) -> bytes:
    for start, data in image:
        if start <= address and address + size <= start + len(data):
            return data[address - start : address - start + size]
    raise ValueError(f"address {address:#x} lies in no loaded segment")
