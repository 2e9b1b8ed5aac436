"""What each memory instruction moves, and which instructions have no effect: tables, for every generation.

A memory instruction moves `size` bytes a lane between registers and one address space:

| space | address of a lane |
|---|---|
| `constant` | scalar base + scalar offset + immediate, the lowest two bits dropped where it is of dwords |
| `global` | vector pair + immediate, or scalar base + 32-bit vector offset + immediate |
| `flat` | vector pair + immediate; LDS and scratch have apertures in it |
| `scratch` | scalar + vector + immediate, in the lane's own memory |
| `buffer` | as a descriptor in scalar registers says (`semantics.buffers`): in global memory, or in scratch |
| `lds` | vector + immediate, in the block's LDS; `2` forms take two immediates, counted in elements (`ST64`: in 64) |

A load may go straight to LDS (`GLOBAL_LOAD_LDS_*`; buffer loads with the bit `lds`): no register gets the data, and the
wave says where, not the lane: lane n's bytes lie at M0 + immediate + n·4, or n·16 of 12 and 16 bytes, where the lane is
active (CDNA 3 and 4 ISA, "Memory Buffer Load to LDS"; CDNA 4 ISA, 10.3, "Addressing").  The immediate moves both ends.
It is a load of memory for the counters, vmcnt alone (CDNA 4 ISA, 10.4), so a wait for LDS does not wait for it.

CDNA 5 copies by lane (`GLOBAL_LOAD_ASYNC_TO_LDS_*`): each active lane names its place in LDS, in the register where
another load would have its result, and the immediate moves both ends (CDNA 5 ISA, 13.6, as AMD's rocm-systems, hotswap,
has it; LLVM, SIInstrInfo: `vdst` is read).  A counter of their own counts them (LLVM's pull requests 185810, 185813).
A lane whose place lies beyond all LDS of the machine copies nothing, and reads nothing (the same; Triton's pull request
9761): so compilers mask.  One that lies beyond the block's LDS but not there is dropped too, and no kernel means it.
Stores to LDS are dropped there, too (RDNA 2 ISA, 3.6.1; Triton's pull request 10588, of gfx1250 and GFX9), but a wrong
index comes there as well: for a mask is taken what no index comes to by mistake (`MASKS`), the rest is out of bounds.

`GLOBAL_STORE_ASYNC_FROM_LDS_*` copy the other way: `vdata` is the lane's place in LDS, the immediate moves both ends
(rocm-systems' pull request 10199, with CDNA 5 ISA, 10.8.1; LLVM's 190776).  What a lane beyond the block's LDS stores
no source says: that is out of bounds here.

An address must be a multiple of what `needed_alignment` says, whoever looks at it.  amdhsa sets the machine up as
UNALIGNED, "any alignment is allowed (but atomics must still be aligned)" (RDNA 4 ISA, 9.5, "Alignment"; Linux, amdkfd:
SH_MEM_ALIGNMENT_MODE_UNALIGNED), and LLVM gives wide accesses to addresses of dwords (`unaligned-access-mode`,
`allowsMisalignedMemoryAccessesImpl`).  Scalar loads drop the lowest two bits of each part of their address in every
mode (ISA manuals, "Scalar Memory").

Loads come back later.  Each kind counts up a counter when issued, and a wait instruction stops until at most n of a
counter are left (ISA manuals, S_WAITCNT).  Which kind counts where, and what comes back in any order, so that a wait
for n > 0 says nothing of it, is the instruction set's matter: `isa.architecture`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.semantics.atomics import GLOBAL, LDS, Atomic
from layoutalg.records import dataclass
from layoutalg.target.transposed import TRANSPOSED, TransposedLoad

#: Addresses of LDS by which compilers mask stores: Triton's is 2³¹ − 1, and an immediate may be added to it.
MASKS = range(1 << 30, (1 << 31) + (1 << 17))


@dataclass(frozen=True)
class MemoryInstruction:
    """One memory instruction: space, direction, bytes a lane, and how a narrow value sits in its register."""

    space: str  # constant, global, flat, scratch, lds or buffer
    store: bool
    size: int  # bytes of each element
    signed: bool = False  # a narrow load extends its sign
    half: str = ""  # "low" or "high": an access of that half of the register
    pair_step: int = 0  # 0: one element; else bytes that an immediate of the two-element form counts
    by_buffer: bool = False  # scratch, by the buffer that describes it (never in the table)
    atomic: Atomic | None = None  # it reads and writes at once
    transposed: TransposedLoad | None = None  # lanes exchange what they load, each gets a column
    to_lds: bool = False  # a load whose data go to LDS
    from_lds: bool = False  # a store whose data come from LDS
    by_lane: bool = False  # and each lane says where, in its register `d` or `data`: an asynchronous copy

    @property
    def registers(self) -> int:
        """How many registers one element takes."""
        return max(1, self.size // 4)

    @property
    def half_read(self) -> str:
        """The half of its data's register that a store reads; empty where it reads all of it.

        >>> [ACCESSES[name].half_read for name in ("DS_WRITE_B16", "DS_WRITE_B8_D16_HI", "DS_WRITE_B32")]
        ['low', 'high', '']
        """
        return (self.half or "low") if self.size < 4 and not self.from_lds else ""

    @property
    def aligned_whole(self) -> bool:
        """Whether its addresses must be multiples of its size, whoever looks at them (`needed_alignment`)."""
        return self.atomic is not None or (self.transposed is not None and self.space == "lds")

    @property
    def lane_stride(self) -> int:
        """Bytes from one lane's place in LDS to the next one's, of a load that goes there: no less than 16 of 12.

        CDNA 4 ISA, 9.1.9: TIDinWave · 4, and · 16 of three and four dwords; AMD's emulators, Mirage and rocjitsu, too.
        """
        return 4 if self.size <= 4 else 16

    def returns(self, fields: Mapping[str, int]) -> bool:
        """Whether data come back to registers.

        Of an atomic operation in LDS its name says so, of others a bit: CDNA's GLC (later SC0), RDNA 3's GLC, the
        lowest of RDNA 4's temporal hint (ISA manuals, FLAT and MUBUF; RDNA 4 ISA, "Temporal Hints": TH_ATOMIC_RETURN).
        """
        if self.atomic is None:
            return not (self.store or self.to_lds)
        asked = fields.get("glc", 0) or fields.get("sc0", 0) or fields.get("th", 0) & 1
        return self.atomic.returns or bool(self.space != "lds" and asked)

    def is_counted_as_store(self, fields: Mapping[str, int]) -> bool:
        """Whether the counter of stores counts it, where there is one: nothing comes back, to registers or LDS."""
        return not (self.to_lds or self.returns(fields))


def needed_alignment(size: int, *, whole: bool = False) -> int:
    """The bytes that an address of an element of so many bytes must be a multiple of, in every space.

    No more than a dword, as the mode DWORD_STRICT has it ("the smaller of: element-size or DWORD", RDNA 4 ISA, 9.5);
    an atomic operation, and a load from LDS that transposes, needs the `whole` of its size.  As amdhsa sets the machine
    up any byte would do; but what is not even of dwords is a compiler's joined bytes, or not meant.

    >>> [needed_alignment(size) for size in (1, 2, 4, 8, 12, 16)], needed_alignment(8, whole=True)
    ([1, 2, 4, 4, 4, 4], 8)
    """
    return natural_alignment("lds", size) if whole else min(size, 4)


def natural_alignment(space: str, size: int) -> int:
    """The alignment that an element of so many bytes has where it lies among its like, which is the fastest.

    | space | what |
    |---|---|
    | `lds` | 1, 2, 4, 8; 16 of 12 and 16 bytes (RDNA 3 ISA, "LDS Alignment and Out-of-Range": native alignment) |
    | others | the size, and 4 of 12 bytes |

    >>> [[natural_alignment(space, size) for size in (1, 2, 4, 8, 12, 16)] for space in ("lds", "global")]
    [[1, 2, 4, 8, 16, 16], [1, 2, 4, 8, 4, 16]]
    """
    return 1 << (size - 1).bit_length() if space == "lds" else size & -size


def may_be_atomic(fields: Mapping[str, int]) -> bool:
    """Whether a load reaches beyond the wave's own cache, as atomic and volatile loads do, and others need not.

    LLVM's AMDGPUUsage, "Memory Model" (load atomic): GLC, with neither SLC nor NT, which make it a hint; SC0, SC1; a
    scope.
    """
    alone = not (fields.get("nt") or fields.get("slc"))
    return bool(fields.get("scope") or fields.get("sc1") or (alone and (fields.get("sc0") or fields.get("glc"))))


Row = tuple[str, int, Mapping[str, Any]]
"""What instructions are called after their space, bytes of an element, and the rest of `MemoryInstruction`."""


def _exchanging(*names: str) -> Iterable[Row]:
    """Loads whose lanes exchange what they load."""
    for name in names:
        load = TRANSPOSED[f"ds_{name.lower()}"]
        yield name, load.bytes, {"transposed": load}


#: Vector memory, by the names of CDNA and of RDNA.
_VECTOR: tuple[Row, ...] = (
    ("LOAD_UBYTE LOAD_U8", 1, {}),
    ("LOAD_SBYTE LOAD_I8", 1, {"signed": True}),
    ("LOAD_USHORT LOAD_U16", 2, {}),
    ("LOAD_SSHORT LOAD_I16", 2, {"signed": True}),
    ("LOAD_UBYTE_D16 LOAD_D16_U8", 1, {"half": "low"}),
    ("LOAD_UBYTE_D16_HI LOAD_D16_HI_U8", 1, {"half": "high"}),
    ("LOAD_SBYTE_D16 LOAD_D16_I8", 1, {"signed": True, "half": "low"}),
    ("LOAD_SBYTE_D16_HI LOAD_D16_HI_I8", 1, {"signed": True, "half": "high"}),
    ("LOAD_SHORT_D16 LOAD_D16_B16", 2, {"half": "low"}),
    ("LOAD_SHORT_D16_HI LOAD_D16_HI_B16", 2, {"half": "high"}),
    ("LOAD_DWORD LOAD_B32", 4, {}),
    ("LOAD_DWORDX2 LOAD_B64", 8, {}),
    ("LOAD_DWORDX3 LOAD_B96", 12, {}),
    ("LOAD_DWORDX4 LOAD_B128", 16, {}),
    ("STORE_BYTE STORE_B8", 1, {}),
    ("STORE_SHORT STORE_B16", 2, {}),
    ("STORE_BYTE_D16_HI STORE_D16_HI_B8", 1, {"half": "high"}),
    ("STORE_SHORT_D16_HI STORE_D16_HI_B16", 2, {"half": "high"}),
    ("STORE_DWORD STORE_B32", 4, {}),
    ("STORE_DWORDX2 STORE_B64", 8, {}),
    ("STORE_DWORDX3 STORE_B96", 12, {}),
    ("STORE_DWORDX4 STORE_B128", 16, {}),
)

#: Global memory to LDS, and back.  Of narrow ones by M0 no source that was found says what becomes of the dword's rest.
_TO_LDS: tuple[Row, ...] = (
    ("LOAD_LDS_DWORD", 4, {"to_lds": True}),
    ("LOAD_LDS_DWORDX3", 12, {"to_lds": True}),
    ("LOAD_LDS_DWORDX4", 16, {"to_lds": True}),
    ("LOAD_ASYNC_TO_LDS_B8", 1, {"to_lds": True, "by_lane": True}),
    ("LOAD_ASYNC_TO_LDS_B32", 4, {"to_lds": True, "by_lane": True}),
    ("LOAD_ASYNC_TO_LDS_B64", 8, {"to_lds": True, "by_lane": True}),
    ("LOAD_ASYNC_TO_LDS_B128", 16, {"to_lds": True, "by_lane": True}),
    ("STORE_ASYNC_FROM_LDS_B8", 1, {"from_lds": True, "by_lane": True}),
    ("STORE_ASYNC_FROM_LDS_B32", 4, {"from_lds": True, "by_lane": True}),
    ("STORE_ASYNC_FROM_LDS_B64", 8, {"from_lds": True, "by_lane": True}),
    ("STORE_ASYNC_FROM_LDS_B128", 16, {"from_lds": True, "by_lane": True}),
)

_LDS: tuple[Row, ...] = (
    ("READ_U8 LOAD_U8", 1, {}),
    ("READ_I8 LOAD_I8", 1, {"signed": True}),
    ("READ_U16 LOAD_U16", 2, {}),
    ("READ_I16 LOAD_I16", 2, {"signed": True}),
    ("READ_U8_D16 LOAD_U8_D16", 1, {"half": "low"}),
    ("READ_U8_D16_HI LOAD_U8_D16_HI", 1, {"half": "high"}),
    ("READ_I8_D16 LOAD_I8_D16", 1, {"signed": True, "half": "low"}),
    ("READ_I8_D16_HI LOAD_I8_D16_HI", 1, {"signed": True, "half": "high"}),
    ("READ_U16_D16 LOAD_U16_D16", 2, {"half": "low"}),
    ("READ_U16_D16_HI LOAD_U16_D16_HI", 2, {"half": "high"}),
    ("READ_B32 LOAD_B32", 4, {}),
    ("READ_B64 LOAD_B64", 8, {}),
    ("READ_B96 LOAD_B96", 12, {}),
    ("READ_B128 LOAD_B128", 16, {}),
    *_exchanging("READ_B64_TR_B16", "READ_B64_TR_B8", "READ_B64_TR_B4", "READ_B96_TR_B6"),
    *_exchanging("LOAD_TR16_B128", "LOAD_TR8_B64", "LOAD_TR4_B64"),
    ("READ2_B32 LOAD_2ADDR_B32", 4, {"pair_step": 4}),
    ("READ2_B64 LOAD_2ADDR_B64", 8, {"pair_step": 8}),
    ("READ2ST64_B32 LOAD_2ADDR_STRIDE64_B32", 4, {"pair_step": 4 * 64}),
    ("READ2ST64_B64 LOAD_2ADDR_STRIDE64_B64", 8, {"pair_step": 8 * 64}),
    ("WRITE_B8 STORE_B8", 1, {}),
    ("WRITE_B16 STORE_B16", 2, {}),
    ("WRITE_B8_D16_HI STORE_B8_D16_HI", 1, {"half": "high"}),
    ("WRITE_B16_D16_HI STORE_B16_D16_HI", 2, {"half": "high"}),
    ("WRITE_B32 STORE_B32", 4, {}),
    ("WRITE_B64 STORE_B64", 8, {}),
    ("WRITE_B96 STORE_B96", 12, {}),
    ("WRITE_B128 STORE_B128", 16, {}),
    ("WRITE2_B32 STORE_2ADDR_B32", 4, {"pair_step": 4}),
    ("WRITE2_B64 STORE_2ADDR_B64", 8, {"pair_step": 8}),
    ("WRITE2ST64_B32 STORE_2ADDR_STRIDE64_B32", 4, {"pair_step": 4 * 64}),
    ("WRITE2ST64_B64 STORE_2ADDR_STRIDE64_B64", 8, {"pair_step": 8 * 64}),
)

_CONSTANT: tuple[Row, ...] = (
    ("LOAD_U8", 1, {}),
    ("LOAD_I8", 1, {"signed": True}),
    ("LOAD_U16", 2, {}),
    ("LOAD_I16", 2, {"signed": True}),
    ("LOAD_DWORD LOAD_B32", 4, {}),
    ("LOAD_DWORDX2 LOAD_B64", 8, {}),
    ("LOAD_B96", 12, {}),
    ("LOAD_DWORDX4 LOAD_B128", 16, {}),
    ("LOAD_DWORDX8 LOAD_B256", 32, {}),
    ("LOAD_DWORDX16 LOAD_B512", 64, {}),
)


def _named(prefix: str, space: str, rows: Iterable[Row], **of_all: Any) -> Mapping[str, MemoryInstruction]:
    return {
        f"{prefix}_{name}": MemoryInstruction(space, name.startswith(("STORE", "WRITE")), size, **of_all, **rest)
        for names, size, rest in rows
        for name in names.split()
    }


def _atomics(prefix: str, space: str, rows: Mapping[str, Atomic]) -> Mapping[str, MemoryInstruction]:
    return {
        f"{prefix}_{name}": MemoryInstruction(space, False, atomic.size, atomic=atomic) for name, atomic in rows.items()
    }


#: Every memory instruction that is known.
ACCESSES: Mapping[str, MemoryInstruction] = {
    **_named("GLOBAL", "global", (*_VECTOR, *_TO_LDS, *_exchanging("LOAD_TR16_B128", "LOAD_TR8_B64"))),
    **_named("FLAT", "flat", _VECTOR),
    **_named("SCRATCH", "scratch", _VECTOR),
    **_named("BUFFER", "buffer", _VECTOR),
    **_named("DS", "lds", _LDS),
    **_named("S", "constant", _CONSTANT),
    **_atomics("GLOBAL_ATOMIC", "global", GLOBAL),
    **_atomics("FLAT_ATOMIC", "flat", GLOBAL),
    **_atomics("BUFFER_ATOMIC", "buffer", GLOBAL),
    **_atomics("DS", "lds", LDS),
}

#: What brings the time, as scalar loads bring data (CDNA 3 ISA, S_MEMTIME, S_MEMREALTIME).
CLOCKS = frozenset({"S_MEMTIME", "S_MEMREALTIME"})

#: Instructions without an effect that is modelled: scheduling hints, caches (memory is coherent here), counters of
#: units that no kernel here uses, and the register hazards that a machine of one instruction at a time does not have.
NO_EFFECT = frozenset({
    "S_NOP", "S_CLAUSE", "S_DELAY_ALU", "S_WAIT_ALU", "S_SET_INST_PREFETCH_DISTANCE", "S_SETPRIO", "S_SLEEP",
    "S_INST_PREFETCH", "S_WAKEUP", "V_NOP", "S_WAIT_XCNT", "S_SETPRIO_INC_WG", "S_SET_VGPR_MSB",
    "S_WAIT_BVHCNT", "S_WAIT_SAMPLECNT", "S_WAIT_EXPCNT", "S_WAIT_IDLE", "S_WAITCNT_DEPCTR",
    "BUFFER_GL0_INV", "BUFFER_GL1_INV", "BUFFER_WBINVL1", "BUFFER_WBINVL1_VOL", "BUFFER_INV", "BUFFER_INVL2",
    "BUFFER_WBL2", "GLOBAL_PREFETCH_B8", "GLOBAL_INV", "GLOBAL_WB", "GLOBAL_WBINV", "S_DCACHE_INV", "S_ICACHE_INV",
})  # fmt: skip

#: What invalidates a wave's first cache on RDNA, so that it finds what its block's waves have stored, and the least
#: `scope` that does (LLVM's AMDGPUUsage, "Memory Model GFX10-GFX11", "GFX12": an acquire of a work-group in WGP mode).
INVALIDATES = {"BUFFER_GL0_INV": 0, "GLOBAL_INV": 1}

#: The message with which an ending wave gives its registers back (RDNA 3 ISA, S_SENDMSG).
DEALLOCATE_VGPRS = 3


def invalidates(name: str, fields: Mapping[str, int]) -> bool:
    """Whether a wave that has carried this out finds what waves of its block have stored before.

    >>> invalidates("GLOBAL_INV", {"scope": 1}), invalidates("GLOBAL_INV", {}), invalidates("S_DCACHE_INV", {})
    (True, False, False)
    """
    return name in INVALIDATES and fields.get("scope", 0) >= INVALIDATES[name]


def access_of(name: str, fields: Mapping[str, int]) -> MemoryInstruction:
    """The memory instruction of this name, as these fields have it: a buffer load with the bit `lds` goes to LDS.

    Raises `UnsupportedInstructionError` for one that would be of bytes or halves, a store, or an atomic operation.

    >>> access_of("BUFFER_LOAD_DWORD", {"lds": 1}) == replace(ACCESSES["BUFFER_LOAD_DWORD"], to_lds=True)
    True
    """
    access = ACCESSES[name]
    if not fields.get("lds"):
        return access
    if access.space != "buffer" or access.store or access.atomic or access.size not in (4, 12, 16):
        raise UnsupportedInstructionError(f"{name.lower()} with the modifier lds is not described")
    return replace(access, to_lds=True)


def gives_result(name: str, fields: Mapping[str, int]) -> bool:
    """Whether it is an atomic operation by which its wave may learn how far others are.

    >>> gives_result("GLOBAL_ATOMIC_ADD", {"sc0": 1}), gives_result("GLOBAL_ATOMIC_ADD", {})
    (True, False)
    """
    access = ACCESSES.get(name)
    return access is not None and access.atomic is not None and access.returns(fields)


def may_tell(name: str, fields: Mapping[str, int]) -> bool:
    """Whether it gives a result by which its wave may learn how far others are: an atomic operation, or a load.

    >>> may_tell("GLOBAL_LOAD_DWORD", {"sc1": 1}), may_tell("GLOBAL_LOAD_DWORD", {}), may_tell("GLOBAL_ATOMIC_ADD", {})
    (True, False, False)
    """
    access = ACCESSES.get(name)
    loads = access is not None and not access.store and access.atomic is None and access.space != "lds"
    return gives_result(name, fields) or (loads and may_be_atomic(fields))


def has_no_effect(name: str, fields: Mapping[str, int]) -> bool:
    """Whether nothing that is modelled changes by an instruction of this name and these immediates."""
    return name in NO_EFFECT or (name == "S_SENDMSG" and fields.get("simm16") == DEALLOCATE_VGPRS)
