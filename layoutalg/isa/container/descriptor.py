"""The kernel descriptor: the 64 bytes from which the machine sets a kernel up, and what it writes to registers first.

Its fields, and the order of the scalar registers, are those of LLVM's AMDGPUUsage, "Kernel Descriptor" and "Initial
Kernel Execution State". Bits are numbered from the descriptor's start, as there:

| bits | field | read here as |
|---|---|---|
| 0–31, 32–63, 64–95 | LDS, private and kernel-argument bytes | `lds_bytes`, `scratch_bytes`, `kernarg_bytes` |
| 128–191 | code entry, relative to the descriptor | the container's `entry` |
| 352–383 | COMPUTE_PGM_RSRC3 | bits 0–5: where accumulation registers begin, bit 16: waves apart (CDNA) |
| 384–415 | COMPUTE_PGM_RSRC1 | bits 0–5: vector registers, 6–9: scalar ones (CDNA), 12–19: float mode |
| 416–447 | COMPUTE_PGM_RSRC2 | bits 0 and 10: more registers, 1–5: user registers, 7–9: block, 11–12: thread indices |
| 448–463 | kernel code properties | bits 0–6: which pointers come first, 10: wave of 32, 11: stack |
| 464–479 | preloaded arguments | refused unless 0 |

`ZERO` lists every bit that must be 0, or that asks for what is not modelled. How the machine does a thing and not what
comes of it is said by RSRC1's bits 21 and 23 (NaN), 29–31 and RSRC3's prefetch: any value is taken.

What it cannot represent: preloaded arguments, f16 that does not overflow.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass

from layoutalg.errors import CodeObjectError
from layoutalg.target import MachineCode
from layoutalg.target import target as gpu
from layoutalg.target.known import decoded

#: Where scratch is described to buffer instructions, on targets that have it so (LLVM's AMDGPUUsage, "Kernel Prolog",
#: Private Segment Buffer: SGPR0-3): the name in the descriptor's list of user registers.
BUFFER = "private_segment_buffer"

#: Pointers and sizes that the machine writes to scalar registers before a kernel, in this order: property bit, dwords.
_USER_SGPRS = (
    (BUFFER, 0, 4),
    ("dispatch_ptr", 1, 2),
    ("queue_ptr", 2, 2),
    ("kernarg_segment_ptr", 3, 2),
    ("dispatch_id", 4, 2),
    ("flat_scratch_init", 5, 2),
    ("private_segment_size", 6, 1),
)

#: The machine fills in no more user registers.
_MOST_USER_SGPRS = 16

_CDNA, _RDNA3, _RDNA4 = frozenset({"cdna"}), frozenset({"rdna3"}), frozenset({"rdna4"})
_ALL, _RDNA = _CDNA | _RDNA3 | _RDNA4, _RDNA3 | _RDNA4
_RSRC3, _RSRC1, _RSRC2, _PROPERTIES = 352, 384, 416, 448

#: First and last bit, the architectures where they must be 0, and what they are.
ZERO: tuple[tuple[int, int, frozenset[str], str], ...] = (
    (96, 127, _ALL, "reserved bytes 12 to 15"),
    (192, 351, _ALL, "reserved bytes 24 to 43"),
    (_RSRC3 + 6, _RSRC3 + 15, _CDNA, "reserved bits of RSRC3"),
    (_RSRC3 + 17, _RSRC3 + 31, _CDNA, "reserved bits of RSRC3"),
    (_RSRC3 + 0, _RSRC3 + 3, _RDNA3, "shared vector registers"),
    (_RSRC3 + 10, _RSRC3 + 11, _RDNA3, "a trap at its start or end"),
    (_RSRC3 + 12, _RSRC3 + 31, _RDNA3, "reserved bits of RSRC3"),
    (_RSRC3 + 0, _RSRC3 + 3, _RDNA4, "reserved bits of RSRC3"),
    (_RSRC3 + 12, _RSRC3 + 12, _RDNA4, "reserved bits of RSRC3"),
    (_RSRC3 + 14, _RSRC3 + 31, _RDNA4, "reserved bits of RSRC3"),
    (_RSRC1 + 6, _RSRC1 + 9, _RDNA, "a number of scalar registers, where all have as many"),
    (_RSRC1 + 10, _RSRC1 + 11, _ALL, "a priority"),
    (_RSRC1 + 20, _RSRC1 + 20, _ALL, "the mode of trap handlers"),
    (_RSRC1 + 21, _RSRC1 + 21, _RDNA4, "waves that take turns"),
    (_RSRC1 + 22, _RSRC1 + 22, _ALL, "single steps"),
    (_RSRC1 + 23, _RSRC1 + 23, _RDNA4, "reserved bits of RSRC1"),
    (_RSRC1 + 24, _RSRC1 + 25, _ALL, "a mode of debuggers"),
    (_RSRC1 + 26, _RSRC1 + 26, _ALL, "f16 overflow to the greatest number"),
    (_RSRC1 + 27, _RSRC1 + 28, _ALL, "reserved bits of RSRC1"),
    (_RSRC1 + 29, _RSRC1 + 31, _CDNA, "reserved bits of RSRC1"),
    (_RSRC2 + 6, _RSRC2 + 6, _ALL, "a trap handler, or vector registers that are allocated while it runs"),
    (_RSRC2 + 13, _RSRC2 + 14, _ALL, "exceptions of memory"),
    (_RSRC2 + 15, _RSRC2 + 23, _ALL, "a size of LDS beside the first"),
    (_RSRC2 + 24, _RSRC2 + 30, _ALL, "floating-point exceptions"),
    (_RSRC2 + 31, _RSRC2 + 31, _ALL, "reserved bits of RSRC2"),
    (_PROPERTIES + 7, _PROPERTIES + 9, _ALL, "reserved properties"),
    (_PROPERTIES + 10, _PROPERTIES + 10, _CDNA, "waves of 32 lanes, which the machine has not"),
    (_PROPERTIES + 12, _PROPERTIES + 15, _ALL, "reserved properties"),
    (_PROPERTIES + 16, _PROPERTIES + 31, _ALL, "preloaded kernel arguments"),
    (_PROPERTIES + 32, _PROPERTIES + 63, _ALL, "reserved bytes 60 to 63"),
)

#: Bytes of scratch that one wave can have (COMPUTE_TMPRING_SIZE.WAVESIZE: LLVM, GCNSubtarget, getMaxWaveScratchSize).
_WAVE_SCRATCH: Mapping[str, int] = {
    "cdna": 1024 * ((1 << 13) - 1), "rdna3": 256 * ((1 << 15) - 1), "rdna4": 256 * ((1 << 18) - 1)
}  # fmt: skip


@dataclass(frozen=True)
class Descriptor:
    """What the machine does before the first instruction."""

    lds_bytes: int
    scratch_bytes: int  # scratch memory of one thread
    kernarg_bytes: int
    dynamic_stack: bool  # the runtime may give more scratch
    wave_size: int
    float_mode: int  # rounding and denormals
    user_sgprs: tuple[tuple[str, int], ...]  # what is in the first scalar registers, and in how many
    user_sgpr_count: int  # how many registers those take, padding included
    block_indices: tuple[bool, bool, bool]  # x, y, z follow, one register each (in ttmp registers on gfx12)
    extra_sgprs: tuple[bool, bool]  # block info, and the wave's scratch offset, after those
    thread_dimensions: int  # 1 to 3 thread indices packed in v0, 10 bits each
    scalar_registers: int  # that a wave may use, VCC and others of the machine among them
    vector_registers: int
    accumulators: int


def machine_code(target: str) -> MachineCode:
    """How a target's machine code is read; CodeObjectError where nothing reads it.

    >>> machine_code("gfx1100").decoder
    'rdna3'
    """
    found = decoded().get(target)
    if found is None or found.machine is None:
        raise CodeObjectError(f"no decoder for {target}: known are {', '.join(decoded())}")
    return found.machine


def read_descriptor(data: bytes, target: str, name: str) -> Descriptor:
    """Reads a kernel's descriptor.

    Raises `CodeObjectError` for what no machine of the target takes, or what is not modelled; `name` is the kernel's.
    """
    architecture = machine_code(target).decoder
    whole = int.from_bytes(data, "little")
    for first, last, where, what in ZERO:
        if architecture in where and _bits(whole, first, last):
            raise CodeObjectError(f"{name}: its descriptor asks for {what} (bits {first} to {last} must be 0)")
    lds, private, kernargs = struct.unpack_from("<III", data)
    wave_size = 32 if _bits(whole, _PROPERTIES + 10, _PROPERTIES + 10) else 64
    granules, offset = _bits(whole, _RSRC1, _RSRC1 + 5), _bits(whole, _RSRC3, _RSRC3 + 5)
    try:
        scalar_registers = _scalar_registers(architecture, _bits(whole, _RSRC1 + 6, _RSRC1 + 9))
        vector_registers, accumulators = _vector_registers(architecture, wave_size, granules, offset)
    except ValueError as error:
        raise CodeObjectError(f"{name}: its descriptor asks for {error}") from error
    found = Descriptor(
        lds_bytes=lds,
        scratch_bytes=private,
        kernarg_bytes=kernargs,
        dynamic_stack=bool(whole >> _PROPERTIES + 11 & 1),
        wave_size=wave_size,
        float_mode=_bits(whole, _RSRC1 + 12, _RSRC1 + 19),
        user_sgprs=tuple((one, n) for one, bit, n in _USER_SGPRS if whole >> _PROPERTIES + bit & 1),
        user_sgpr_count=_bits(whole, _RSRC2 + 1, _RSRC2 + 5),
        block_indices=(bool(whole >> _RSRC2 + 7 & 1), bool(whole >> _RSRC2 + 8 & 1), bool(whole >> _RSRC2 + 9 & 1)),
        extra_sgprs=(bool(whole >> _RSRC2 + 10 & 1), bool(whole >> _RSRC2 & 1)),
        thread_dimensions=_bits(whole, _RSRC2 + 11, _RSRC2 + 12) + 1,
        scalar_registers=scalar_registers,
        vector_registers=vector_registers,
        accumulators=accumulators,
    )
    why = _why_not(found, target, apart=architecture == "cdna" and bool(whole >> _RSRC3 + 16 & 1))
    if why:
        raise CodeObjectError(f"{name}: {why}")
    return found


def _bits(whole: int, first: int, last: int) -> int:
    return whole >> first & (1 << last - first + 1) - 1


def _why_not(found: Descriptor, target: str, apart: bool) -> str:
    """What is wrong with fields together; empty where nothing is."""
    given = sum(dwords for _, dwords in found.user_sgprs)
    scratch = _WAVE_SCRATCH[machine_code(target).decoder] // found.wave_size
    if not given <= found.user_sgpr_count <= _MOST_USER_SGPRS:
        return (f"its descriptor asks for {found.user_sgpr_count} user registers, and what is to be in them takes "
                f"{given}, of {_MOST_USER_SGPRS} at most")  # fmt: skip
    described = {BUFFER, "flat_scratch_init"} & dict(found.user_sgprs).keys()
    if described and machine_code(target).scratch_base == "machine":
        return f"its descriptor asks for a description of scratch, which {target} has not"
    if found.thread_dimensions > len(found.block_indices):
        return "its descriptor asks for four thread indices"
    if found.lds_bytes > gpu(target).lds_bytes:
        return f"it has {found.lds_bytes} bytes of LDS, {target} has {gpu(target).lds_bytes}"
    if found.lds_bytes and apart:
        return "it has LDS and a block's waves apart, which have none in common"
    if found.scratch_bytes > scratch:
        return f"it has {found.scratch_bytes} bytes of scratch for each thread, {target} has {scratch}"
    return ""


def _scalar_registers(architecture: str, granules: int) -> int:
    """Scalar registers of a wave: on CDNA in granules of 16, which the field counts in eights; else all there are.

    ValueError where there are not as many: 112 on CDNA, those of the machine among them.
    """
    count = (granules // 2 + 1) * 16 if architecture == "cdna" else 106
    if count > 112:
        raise ValueError(f"{count} scalar registers of 112")
    return min(count, 106)


def _vector_registers(architecture: str, wave_size: int, granules: int, offset: int) -> tuple[int, int]:
    """Vector and accumulation registers of a wave (AMDGPUUsage, COMPUTE_PGM_RSRC1 and 3 for GFX90A, GFX10–GFX12).

    On CDNA both are parts of one file, in granules of 8; accumulation registers begin at a multiple of 4, no later than
    the file ends (LLVM, AMDGPUAsmParser, .amdhsa_accum_offset). ValueError where there are not as many.
    """
    if architecture != "cdna":
        count = (granules + 1) * (8 if wave_size == 32 else 4)
        if count > 256:
            raise ValueError(f"{count} vector registers of 256")
        return count, 0
    total, first = (granules + 1) * 8, (offset + 1) * 4
    if first > total:
        raise ValueError(f"accumulation registers from {first} on, of {total} registers")
    return first, total - first
