"""The kernel descriptor: the 64 bytes from which the machine sets a kernel up, and what it writes to registers first.

Its fields, and the order of the scalar registers, are those of LLVM's AMDGPUUsage, "Kernel Descriptor" and "Initial
Kernel Execution State". Bits are numbered from the descriptor's start, as there:

| bits | field | read here as |
|---|---|---|
| 0–31, 32–63, 64–95 | LDS, private and kernel-argument bytes | `lds_bytes`, `scratch_bytes`, `kernarg_bytes` |
| 128–191 | code entry, relative to the descriptor | the container's `entry` |
| 352–383 | COMPUTE_PGM_RSRC3 | bits 0–5: where accumulation registers begin, bit 16: waves apart (CDNA) |
| 384–415 | COMPUTE_PGM_RSRC1 | bits 0–5: vector registers, 6–9: scalar ones (CDNA), 12–19: float mode |
| 416–447 | COMPUTE_PGM_RSRC2 | bits 0 and 10: more registers, 1–5 (6): user registers, 7–9: block, 11–12: thread |
| 448–463 | kernel code properties | bits 0–6: which pointers come first, 10: wave of 32, 11: stack |
| 464–470, 471–479 | preloaded arguments (CDNA) | how many dwords: the last of `user_sgprs`; `preload_offset` |

`ZERO`, and `Architecture.zero`, list every bit that must be 0, or that asks for what is not modelled. How the machine
does a thing and not what comes of it is said by RSRC1's bits 21 and 23 (NaN), 29–31 and RSRC3's prefetch: any value is
taken.

Whether preloaded arguments or the size of scratch come first among the registers is said in two ways (AMDGPUUsage,
"Initial Kernel Execution State" and "Preloaded Kernel Arguments"), so a descriptor that asks for both is refused.
What it cannot represent: f16 that does not overflow.
"""

from __future__ import annotations

import struct

from layoutalg.errors import CodeObjectError
from layoutalg.isa.architecture import ARCHITECTURES, PROPERTIES, RSRC1, RSRC2, RSRC3, Architecture
from layoutalg.records import dataclass
from layoutalg.target import CodeFormat
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

#: What is in the registers of preloaded arguments, in the list of user registers, and where they are asked for: dwords
#: in the low 7 bits, the first dword in the others.
PRELOADED, _PRELOAD = "preloaded_arguments", PROPERTIES + 16

#: The machine fills in no more user registers.
_MOST_USER_SGPRS = 16

#: Register, first and last bit that must be 0 in every descriptor, and what they are.
ZERO: tuple[tuple[int, int, int, str], ...] = (
    (0, 96, 127, "reserved bytes 12 to 15"),
    (0, 192, 351, "reserved bytes 24 to 43"),
    (RSRC1, 10, 11, "a priority"),
    (RSRC1, 20, 20, "the mode of trap handlers"),
    (RSRC1, 22, 22, "single steps"),
    (RSRC1, 24, 25, "a mode of debuggers"),
    (RSRC1, 26, 26, "f16 overflow to the greatest number"),
    (RSRC1, 27, 28, "reserved bits of RSRC1"),
    (RSRC2, 6, 6, "a trap handler, or vector registers that are allocated while it runs"),
    (RSRC2, 13, 14, "exceptions of memory"),
    (RSRC2, 15, 23, "a size of LDS beside the first"),
    (RSRC2, 24, 30, "floating-point exceptions"),
    (RSRC2, 31, 31, "reserved bits of RSRC2"),
    (PROPERTIES, 7, 9, "reserved properties"),
    (PROPERTIES, 12, 15, "reserved properties"),
    (PROPERTIES, 32, 63, "reserved bytes 60 to 63"),
)


@dataclass(frozen=True)
class Descriptor:
    """What the machine does before the first instruction."""

    lds_bytes: int
    scratch_bytes: int  # scratch memory of one thread
    kernarg_bytes: int
    dynamic_stack: bool  # the runtime may give more scratch
    wave_size: int
    float_mode: int  # rounding and denormals
    clamps_nan: bool  # to 0, where a number is clamped
    user_sgprs: tuple[tuple[str, int], ...]  # what is in the first scalar registers, and in how many
    user_sgpr_count: int  # how many registers those take, padding included
    preload_offset: int  # dwords from the start of the arguments to those that are preloaded
    block_indices: tuple[bool, bool, bool]  # x, y, z follow, one register each (in ttmp registers on gfx12)
    extra_sgprs: tuple[bool, bool]  # block info, and the wave's scratch offset, after those
    thread_dimensions: int  # 1 to 3 thread indices, from v0 on (`Architecture.packs_threads`)
    scalar_registers: int  # that a wave may use, VCC and others of the machine among them
    vector_registers: int
    accumulators: int
    named_barriers: int  # of each block
    one_cache: bool  # the waves of a block share their first cache: neither TG_SPLIT nor WGP_MODE

    @property
    def has_scratch_buffer(self) -> bool:
        """Whether the machine finds a buffer that describes scratch."""
        return BUFFER in dict(self.user_sgprs)


def code_format(target: str) -> CodeFormat:
    """How a target's machine code is read; CodeObjectError where nothing reads it.

    >>> code_format("gfx1100").decoder
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
    architecture = ARCHITECTURES[code_format(target).decoder]
    whole = int.from_bytes(data, "little")
    for register, first, last, what in (*ZERO, *architecture.zero):
        if (register, last) == (RSRC2, architecture.user_count_bits):
            continue  # a bit of the count
        if _bits(whole, register + first, register + last):
            where = f"bits {register + first} to {register + last}"
            raise CodeObjectError(f"{name}: its descriptor asks for {what} ({where} must be 0)")
    lds, private, kernargs = struct.unpack_from("<III", data)
    wave_size = 32 if _bits(whole, PROPERTIES + 10, PROPERTIES + 10) else 64
    granules, offset = _bits(whole, RSRC1, RSRC1 + 5), _bits(whole, RSRC3, RSRC3 + 5)
    try:
        scalar_registers = _scalar_registers(architecture, _bits(whole, RSRC1 + 6, RSRC1 + 9))
        vector_registers, accumulators = _vector_registers(architecture, wave_size, granules, offset)
    except ValueError as error:
        raise CodeObjectError(f"{name}: its descriptor asks for {error}") from error
    found = Descriptor(
        lds_bytes=lds,
        scratch_bytes=private,
        kernarg_bytes=kernargs,
        dynamic_stack=bool(whole >> PROPERTIES + 11 & 1),
        wave_size=wave_size,
        float_mode=_bits(whole, RSRC1 + 12, RSRC1 + 19),
        clamps_nan=bool(whole >> RSRC1 + 21 & 1) or not architecture.says_clamped_nan,
        user_sgprs=_user_sgprs(whole),
        user_sgpr_count=_bits(whole, RSRC2 + 1, RSRC2 + architecture.user_count_bits),
        preload_offset=_bits(whole, _PRELOAD + 7, _PRELOAD + 15),
        block_indices=(bool(whole >> RSRC2 + 7 & 1), bool(whole >> RSRC2 + 8 & 1), bool(whole >> RSRC2 + 9 & 1)),
        extra_sgprs=(bool(whole >> RSRC2 + 10 & 1), bool(whole >> RSRC2 & 1)),
        thread_dimensions=_bits(whole, RSRC2 + 11, RSRC2 + 12) + 1,
        scalar_registers=scalar_registers,
        vector_registers=vector_registers,
        accumulators=accumulators,
        named_barriers=_NAMED * min(4, _bits(whole, RSRC3 + 14, RSRC3 + 16)) if architecture.has_named_barriers else 0,
        one_cache=not (whole >> RSRC3 + 16 & 1 if architecture.accumulators == "shared" else whole >> RSRC1 + 29 & 1),
    )
    why = _why_not(
        found, target, architecture, apart=not architecture.has_named_barriers and bool(whole >> RSRC3 + 16 & 1)
    )
    if why:
        raise CodeObjectError(f"{name}: {why}")
    return found


#: Named barriers come by so many, up to four times (LLVM, NAMED_BAR_CNT: a quarter of them, rounded up, says lld).
_NAMED = 4


def _bits(whole: int, first: int, last: int) -> int:
    return whole >> first & (1 << last - first + 1) - 1


def _user_sgprs(whole: int) -> tuple[tuple[str, int], ...]:
    """What is in the user registers, and in how many; preloaded arguments come after all else."""
    first = tuple((name, dwords) for name, bit, dwords in _USER_SGPRS if whole >> PROPERTIES + bit & 1)
    preloaded = _bits(whole, _PRELOAD, _PRELOAD + 6)
    return (*first, (PRELOADED, preloaded)) if preloaded else first


def _why_not(found: Descriptor, target: str, architecture: Architecture, apart: bool) -> str:
    """What is wrong with fields together; empty where nothing is."""
    given = sum(dwords for _, dwords in found.user_sgprs)
    scratch = architecture.wave_scratch // found.wave_size
    if not given <= found.user_sgpr_count <= _MOST_USER_SGPRS:
        return (f"its descriptor asks for {found.user_sgpr_count} user registers, and what is to be in them takes "
                f"{given}, of {_MOST_USER_SGPRS} at most")  # fmt: skip
    described = {BUFFER, "flat_scratch_init"} & dict(found.user_sgprs).keys()
    if described and code_format(target).scratch_base == "machine":
        return f"its descriptor asks for a description of scratch, which {target} has not"
    if {PRELOADED, "private_segment_size"} <= dict(found.user_sgprs).keys():
        return "its descriptor asks for preloaded arguments and the size of scratch, of which either may come first"
    if found.thread_dimensions > len(found.block_indices):
        return "its descriptor asks for four thread indices"
    if found.lds_bytes > gpu(target).lds_bytes:
        return f"it has {found.lds_bytes} bytes of LDS, {target} has {gpu(target).lds_bytes}"
    if found.lds_bytes and apart:
        return "it has LDS and a block's waves apart, which have none in common"
    if found.scratch_bytes > scratch:
        return f"it has {found.scratch_bytes} bytes of scratch for each thread, {target} has {scratch}"
    return ""


def _scalar_registers(architecture: Architecture, granules: int) -> int:
    """Scalar registers of a wave, 106 of them for programs.

    ValueError where there are not as many: 112 where they come in granules, those of the machine among them.
    """
    count = (granules // 2 + 1) * architecture.scalar_granule
    if count > 112:
        raise ValueError(f"{count} scalar registers of 112")
    return min(count or 106, 106)


def _vector_registers(architecture: Architecture, wave_size: int, granules: int, offset: int) -> tuple[int, int]:
    """Vector and accumulation registers of a wave (AMDGPUUsage, COMPUTE_PGM_RSRC1 and 3 for GFX90A, GFX10–GFX12).

    Where both are parts of one file, accumulation registers begin at a multiple of 4, no later than the file ends
    (LLVM, AMDGPUAsmParser, .amdhsa_accum_offset). ValueError where there are not as many.
    """
    count = (granules + 1) * architecture.vector_granules[wave_size]
    if architecture.accumulators == "shared":
        first = (offset + 1) * 4
        if first > count:
            raise ValueError(f"accumulation registers from {first} on, of {count} registers")
        return first, count - first
    if count > architecture.vector_registers:
        raise ValueError(f"{count} vector registers of {architecture.vector_registers}")
    return count, count if architecture.accumulators else 0
