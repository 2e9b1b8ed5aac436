"""What each memory instruction moves, and what each wait waits for: tables, for every generation.

A memory instruction moves `size` bytes a lane between registers and one address space:

| space | address of a lane |
|---|---|
| `constant` | scalar base + scalar offset + immediate, the lowest two bits dropped |
| `global` | vector pair + immediate, or scalar base + 32-bit vector offset + immediate |
| `flat` | vector pair + immediate; LDS and scratch have apertures in it |
| `scratch` | scalar + vector + immediate, in the lane's own memory; on gfx90a also by a buffer |
| `lds` | vector + immediate, in the block's LDS; `2` forms take two immediates, counted in elements (`ST64`: in 64) |

An address must be a multiple of what `alignment_of` says: the mode STRICT of the machine's register SH_MEM_CONFIG.
amdhsa sets UNALIGNED, where any byte will do (ISA manuals, "Memory Alignment"; Linux, amdkfd; LLVM's
`unaligned-access-mode`).  Scalar loads drop the lowest two bits of each part of their address in every mode (ISA
manuals, "Scalar Memory").

Loads come back later.  Each kind counts up a counter when issued, and a wait instruction stops until at most n of a
counter are left (ISA manuals, S_WAITCNT; LLVM's AMDGPUUsage, "Memory Model", for which kind counts where).
Scalar accesses come back in any order, and on CDNA flat ones too, so a wait for n > 0 says nothing of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Access:
    """One memory instruction: space, direction, bytes a lane, and how a narrow value sits in its register."""

    space: str  # constant, global, flat, scratch or lds
    store: bool
    size: int  # bytes of each element
    signed: bool = False  # a narrow load extends its sign
    half: str = ""  # "low" or "high": a 16-bit access of that half of the register
    pair_step: int = 0  # 0: one element; else bytes that an immediate of the two-element form counts
    by_buffer: bool = False  # scratch, by the buffer that describes it

    @property
    def registers(self) -> int:
        """How many registers one element takes."""
        return max(1, self.size // 4)


def alignment_of(space: str, size: int) -> int:
    """The bytes that an address of an element of so many bytes must be a multiple of.

    | space | what |
    |---|---|
    | `lds` | 1, 2, 4, 8; 16 of 12 and 16 bytes (RDNA 3 ISA, "LDS Alignment and Out-of-Range": native alignment) |
    | `scratch` | at most 4: it lies in memory dword by dword (LLVM, `allowsMisalignedMemoryAccessesImpl`) |
    | others | the size, and 4 of 12 bytes (RDNA 4 ISA, "Alignment": a multiple of the data size) |

    >>> [[alignment_of(space, size) for size in (1, 2, 4, 8, 12, 16)] for space in ("lds", "scratch", "global")]
    [[1, 2, 4, 8, 16, 16], [1, 2, 4, 4, 4, 4], [1, 2, 4, 8, 4, 16]]
    """
    if space == "lds":
        return 1 << (size - 1).bit_length()
    return min(size, 4) if space == "scratch" else size & -size


def _vector_accesses() -> Mapping[str, Access]:
    table: dict[str, Access] = {}
    wide = {"DWORD": 4, "DWORDX2": 8, "DWORDX3": 12, "DWORDX4": 16, "B32": 4, "B64": 8, "B96": 12, "B128": 16}
    narrow = {"UBYTE": 1, "USHORT": 2, "U8": 1, "U16": 2}
    for space in ("global", "flat", "scratch"):
        name = space.upper()
        for suffix, size in (wide | narrow).items():
            table[f"{name}_LOAD_{suffix}"] = Access(space, False, size)
        for suffix, size in {"SBYTE": 1, "SSHORT": 2, "I8": 1, "I16": 2}.items():
            table[f"{name}_LOAD_{suffix}"] = Access(space, False, size, signed=True)
        for suffix, size in (wide | {"BYTE": 1, "SHORT": 2, "B8": 1, "B16": 2}).items():
            table[f"{name}_STORE_{suffix}"] = Access(space, True, size)
        for low, high in (("SHORT_D16", "SHORT_D16_HI"), ("D16_B16", "D16_HI_B16")):
            table[f"{name}_LOAD_{low}"] = Access(space, False, 2, half="low")
            table[f"{name}_LOAD_{high}"] = Access(space, False, 2, half="high")
            table[f"{name}_STORE_{high}"] = Access(space, True, 2, half="high")
    # Of more dwords than one no scratch buffer is read (LLVM's AMDGPUUsage, "Address Spaces": Private).
    few = {name: access for name, access in table.items() if name.startswith("SCRATCH_") and access.size <= 4}
    return table | {name.replace("SCRATCH", "BUFFER"): replace(access, by_buffer=True) for name, access in few.items()}


def _lds_accesses() -> Mapping[str, Access]:
    table: dict[str, Access] = {}
    for load, store in (("READ", "WRITE"), ("LOAD", "STORE")):
        for suffix, size in {"B32": 4, "B64": 8, "B96": 12, "B128": 16}.items():
            table[f"DS_{load}_{suffix}"] = Access("lds", False, size)
            table[f"DS_{store}_{suffix}"] = Access("lds", True, size)
        for suffix, size in {"U8": 1, "U16": 2}.items():
            table[f"DS_{load}_{suffix}"] = Access("lds", False, size)
        for suffix, size in {"I8": 1, "I16": 2}.items():
            table[f"DS_{load}_{suffix}"] = Access("lds", False, size, signed=True)
        for suffix, size in {"B8": 1, "B16": 2}.items():
            table[f"DS_{store}_{suffix}"] = Access("lds", True, size)
        table[f"DS_{load}_U16_D16"] = Access("lds", False, 2, half="low")
        table[f"DS_{load}_U16_D16_HI"] = Access("lds", False, 2, half="high")
        table[f"DS_{store}_B16_D16_HI"] = Access("lds", True, 2, half="high")
        for size in (4, 8):
            for old, new, step in (("2", "_2ADDR", 1), ("2ST64", "_2ADDR_STRIDE64", 64)):
                two = f"{old if load == 'READ' else new}_B{8 * size}"
                table[f"DS_{load}{two}"] = Access("lds", False, size, pair_step=size * step)
                table[f"DS_{store}{two}"] = Access("lds", True, size, pair_step=size * step)
    return table


def _constant_accesses() -> Mapping[str, Access]:
    dwords = {"DWORD": 1, "DWORDX2": 2, "DWORDX4": 4, "DWORDX8": 8, "DWORDX16": 16}
    dwords |= {f"B{32 * count}": count for count in (1, 2, 3, 4, 8, 16)}
    return {f"S_LOAD_{suffix}": Access("constant", False, 4 * count) for suffix, count in dwords.items()}


#: Every memory instruction that is known.
ACCESSES: Mapping[str, Access] = {**_vector_accesses(), **_lds_accesses(), **_constant_accesses()}

#: Architecture → (space, is it a store) → the counters that count the access.
COUNTERS: Mapping[str, Mapping[tuple[str, bool], tuple[str, ...]]] = {
    architecture: {
        ("constant", False): (constant,),
        ("lds", False): (lds,),
        ("lds", True): (lds,),
        **{(space, False): (load,) for space in ("global", "scratch")},
        **{(space, True): (store,) for space in ("global", "scratch")},
        ("flat", False): (load, lds),
        ("flat", True): (store, lds),
    }
    for architecture, load, store, lds, constant in (
        ("cdna", "vm", "vm", "lgkm", "lgkm"),
        ("rdna3", "vm", "vs", "lgkm", "lgkm"),
        ("rdna4", "load", "store", "ds", "km"),
    )
}

#: Architecture → spaces whose accesses come back in any order (LLVM, GCNSubtarget::hasFlatLgkmVMemCountInOrder).
UNORDERED: Mapping[str, frozenset[str]] = {
    "cdna": frozenset({"constant", "flat"}),
    "rdna3": frozenset({"constant"}),
    "rdna4": frozenset({"constant"}),
}

#: Architecture → further spaces whose loads, though they are counted in order, may write one register in any (LLVM,
#: GCNSubtarget::hasVmemWriteVgprInOrder; its pull request 105549, "GFX12 VMEM loads can write VGPR results out of
#: order").
OVERTAKING: Mapping[str, frozenset[str]] = {"rdna4": frozenset({"global", "scratch", "flat"})}

#: Architectures whose 16-bit loads into half a register keep the other half.  CDNA's write all of the register where
#: its memory has ECC, and on gfx90a without (LLVM, GCNSubtarget::d16PreservesUnusedBits; its pull request 161256, "Use
#: true16 loads with +real-true16 and sram-ecc"; its review D112635).
KEEP_OTHER_HALF = frozenset({"rdna3", "rdna4"})

_Fields = Callable[[int], Mapping[str, int]]

#: Architecture → wait instruction → from its immediate, how many of each counter may be left.
#: Bit fields: LLVM, AMDGPUBaseInfo (decodeWaitcnt, decodeLoadcntDscnt); ISA manuals, S_WAITCNT.
WAITS: Mapping[str, Mapping[str, _Fields]] = {
    "cdna": {"S_WAITCNT": lambda imm: {"vm": imm & 15 | imm >> 10 & 48, "lgkm": imm >> 8 & 15}},
    "rdna3": {
        "S_WAITCNT": lambda imm: {"vm": imm >> 10 & 63, "lgkm": imm >> 4 & 63},
        "S_WAITCNT_VSCNT": lambda imm: {"vs": imm & 63},
    },
    "rdna4": {
        "S_WAIT_LOADCNT": lambda imm: {"load": imm & 63},
        "S_WAIT_STORECNT": lambda imm: {"store": imm & 63},
        "S_WAIT_DSCNT": lambda imm: {"ds": imm & 63},
        "S_WAIT_KMCNT": lambda imm: {"km": imm & 31},
        "S_WAIT_LOADCNT_DSCNT": lambda imm: {"load": imm >> 8 & 63, "ds": imm & 63},
        "S_WAIT_STORECNT_DSCNT": lambda imm: {"store": imm >> 8 & 63, "ds": imm & 63},
    },
}

#: Instructions without an effect that is modelled: scheduling hints, caches (memory is coherent here), counters of
#: units that no kernel here uses, and the register hazards that a machine of one instruction at a time does not have.
NO_EFFECT = frozenset({
    "S_NOP", "S_CLAUSE", "S_DELAY_ALU", "S_WAIT_ALU", "S_SET_INST_PREFETCH_DISTANCE", "S_SETPRIO", "S_SLEEP",
    "S_WAIT_BVHCNT", "S_WAIT_SAMPLECNT", "S_WAIT_EXPCNT", "S_WAIT_IDLE", "S_WAITCNT_DEPCTR",
    "BUFFER_GL0_INV", "BUFFER_GL1_INV", "BUFFER_WBINVL1", "BUFFER_WBINVL1_VOL", "BUFFER_INV", "BUFFER_WBL2",
    "GLOBAL_INV", "GLOBAL_WB", "GLOBAL_WBINV", "S_DCACHE_INV", "S_ICACHE_INV",
})  # fmt: skip

#: The message with which an ending wave gives its registers back (RDNA 3 ISA, S_SENDMSG).
DEALLOCATE_VGPRS = 3


def has_no_effect(name: str, fields: Mapping[str, int]) -> bool:
    """Whether nothing that is modelled changes by an instruction of this name and these immediates."""
    return name in NO_EFFECT or (name == "S_SENDMSG" and fields.get("simm16") == DEALLOCATE_VGPRS)
