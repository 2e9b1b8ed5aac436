"""What differs between the instruction sets of AMD's GPUs: one record of each, and code asks the record.

| | `cdna` | `rdna3` | `rdna4` | `cdna5` |
|---|---|---|---|---|
| 16-bit operations | write the low half, clear the upper | write either half, keep the other | there too | there too |
| no scalar base is written as | EXEC's upper half | `null` | `null` | `null` |
| scalar operands of a vector instruction | 1 | 2 | 2 | 2 |
| counters of outstanding accesses | vm, lgkm | vm, vs, lgkm | load, store, ds, km | the same, and async |
| the block's indices lie | after the user registers | there too | in trap temporaries | there too |
| a lane's offset from a scalar base | has no sign | none | none | has one, may count elements |

`cdna1` is gfx908's, and of it a part gfx906's: the encodings of `cdna`, with accumulation registers apart.  `rdna2` is
gfx1030's and its kin's, read as RDNA 3's encodings (`decode.rdna2`).  `cdna5` is gfx1250's: the encodings of RDNA 4
with opcodes of its own (`decode.opcodes`).  A family is added by an entry in `ARCHITECTURES`, under the name that its
decoder has; target files name it as their `machine.decoder`.
What it cannot represent: what differs between GPUs of one set, which the target's file says (`target.CodeFormat`), and
instructions, which the tables of `semantics` have by their names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Literal

from layoutalg.records import dataclass

#: Where the descriptor has COMPUTE_PGM_RSRC1 to 3 and the kernel code properties, in bits from its start.
RSRC3, RSRC1, RSRC2, PROPERTIES = 352, 384, 416, 448

Bits = tuple[tuple[int, int], ...]
"""A number's pieces in an immediate, the lowest first: first bit, and how many."""


@dataclass(frozen=True)
class Wait:
    """Where an immediate says of each counter how many accesses may be left."""

    fields: Mapping[str, Bits]
    exports: Bits = ()  # of a counter that no kernel here uses

    def left(self, immediate: int) -> Mapping[str, int]:
        """How many accesses of each counter may be left."""
        return {counter: _number(immediate, pieces) for counter, pieces in self.fields.items()}

    @property
    def most(self) -> Mapping[str, int]:
        """What each counter's field holds at most: all ones, which is no wait (LLVM, AMDGPUBaseInfo)."""
        return {name: (1 << sum(bits for _, bits in pieces)) - 1 for name, pieces in self.fields.items()}

    @property
    def bits(self) -> int:
        """The bits of the immediate that say something."""
        fields = (*self.fields.values(), self.exports)  # two counters may share some
        return sum({1 << first + n for pieces in fields for first, count in pieces for n in range(count)})


def _number(immediate: int, pieces: Bits) -> int:
    number, place = 0, 0
    for first, count in pieces:
        number |= (immediate >> first & (1 << count) - 1) << place
        place += count
    return number


@dataclass(frozen=True)
class Counters:
    """The counters that count accesses, by what they access."""

    load: str
    store: str
    lds: str
    constant: str
    copies: str = ""  # asynchronous copies from memory to LDS, where the machine has them
    copies_back: str = ""  # those from LDS to memory, which are in no order with the others
    tensors: str = ""  # copies of boxes of a tensor, where the machine has them

    @property
    def landing(self) -> str:
        """The counter of what is loaded straight to LDS."""
        return self.copies or self.load

    def of(self, space: str, store: bool, copies: bool = False) -> tuple[str, ...]:
        """The counters of an access; a flat one is counted as of global memory and of LDS.

        >>> ARCHITECTURES["rdna3"].counters.of("flat", True)
        ('vs', 'lgkm')
        """
        if copies:
            return (self.copies_back if store else self.copies,)
        vector = self.store if store else self.load
        counted = {"constant": (self.constant,), "lds": (self.lds,), "flat": (vector, self.lds)}
        return counted.get(space, (vector,))


@dataclass(frozen=True, eq=False)
class Architecture:
    """An instruction set: how its code is decoded, what is allowed in it, and what a machine of it does."""

    name: str

    #: Encoding → bits of an offset that has a sign; offsets of the others have none (ISA manuals, SMEM, FLAT).
    signed_offsets: Mapping[str, int]
    #: Operand codes of M0 and of `null`, and ("") the one that is reserved (ISA manuals, "Scalar Operands").
    special: Mapping[int, str]
    #: What stands in the field `saddr` of an access without a scalar base (ISA manuals, FLAT, "saddr").
    no_base: int
    #: What assemblers write in source fields that a vector operation has not, and does not read: s0, or the constant 0
    #: (LLVM's pull request 175753, "Encode unused VALU src0/1/2 fields as inline 0 on GFX10+").
    unused_source: frozenset[int]
    #: Whether 16-bit operations read and write halves of registers and keep the other; else they write the low one and
    #: clear the upper (LLVM, zeroesHigh16BitsOfDest; RDNA 3 ISA, VOP3)
    halves: bool
    #: Whether V_CMPX writes its mask to a register, or VCC, besides EXEC (ISA manuals, VOPC).
    compares_write_vcc: bool
    #: Whether bits of a scalar access, `imm` and `soffset_en`, say which offsets it has (CDNA 3 ISA, SMEM).
    says_scalar_offsets: bool
    #: Scalar operands that one vector instruction reads at most (LLVM, validateConstantBusLimitations).
    scalar_operands: int
    #: Whether vector registers that are named together begin at an even one (LLVM, AMDGPUAsmParser, validateVGPRAlign).
    even_vectors: bool

    #: Data-parallel controls, by the names of `semantics.dpp` (LLVM, isSupportedDPPCtrl).
    lane_controls: frozenset[str]

    #: Whether DS_PERMUTE_B32 and its kind reach all of 64 lanes (AMD's pseudocode for DS_BPERMUTE_B32).
    permutes_64_lanes: bool

    #: Whether a bit of the descriptor says that clamping makes 0 of a NaN, as it always does elsewhere (AMDGPUUsage,
    #: COMPUTE_PGM_RSRC1, ENABLE_DX10_CLAMP: GFX6 to GFX11).
    says_clamped_nan: bool

    #: What counts accesses up (LLVM's AMDGPUUsage, "Memory Model").
    counters: Counters
    #: Wait instruction → where its immediate has each counter (LLVM, AMDGPUBaseInfo: decodeWaitcnt, decodeLoadcntDscnt;
    #: ISA manuals, S_WAITCNT).
    waits: Mapping[str, Wait]
    #: Spaces whose accesses come back in any order (LLVM, GCNSubtarget::hasFlatLgkmVMemCountInOrder).
    unordered: frozenset[str]
    #: Whether 16-bit loads into half a register keep the other half.  CDNA's write all of the register where its memory
    #: has ECC, and on gfx90a without (LLVM, GCNSubtarget::d16PreservesUnusedBits; its pull request 161256, "Use true16
    #: loads with +real-true16 and sram-ecc"; its review D112635).
    loads_keep_other_half: bool

    #: Bits of the descriptor that must be 0 besides `descriptor.ZERO`: register, first and last bit, what they are.
    zero: tuple[tuple[int, int, int, str], ...]
    #: Wave size → vector registers in a granule (AMDGPUUsage, COMPUTE_PGM_RSRC1).
    vector_granules: Mapping[int, int]
    #: Bytes of scratch of a wave at most (COMPUTE_TMPRING_SIZE.WAVESIZE: LLVM, GCNSubtarget, getMaxWaveScratchSize).
    wave_scratch: int
    #: Scalar registers in a granule, which RSRC1 counts in halves of it; 0: every wave has all, whatever RSRC1 says
    #: (AMDGPUUsage, the same: reserved since GFX10; compilers wrote a count until LLVM's pull request 154666, "Set
    #: GRANULATED_WAVEFRONT_SGPR_COUNT of compute_pgm_rsrc1 to 0 for gfx10+", of 2025).
    scalar_granule: int = 0
    #: Whether v0 has all of a thread's indices; else v0, v1 and v2 have one each (AMDGPUUsage, VGPR set-up order).
    packs_threads: bool = True
    #: Whether short encodings name the upper half of a register, by 128 more; else VOP3 alone picks halves.
    short_halves: bool = True
    #: Whether a data-parallel primitive moves 64 bits, by `row_share` (LLVM, GCNSubtarget::hasDPALU_DPP).
    moves_64_bits: bool = False
    #: Whether accumulation registers are the rest of the vector registers' file (AMDGPUUsage, COMPUTE_PGM_RSRC3), or a
    #: file of their own, as large, to which matrix products write alone (LLVM, VOP3PInstructions, FeatureGFX90AInsts).
    accumulators: Literal["", "shared", "apart"] = ""
    #: The scalar registers that have the block's x, and y and z in halves, where those do not follow the user's.
    block_registers: tuple[int, int] | None = None
    #: The scalar register that has the wave's number in its block, and the first and last of its bits there.
    wave_number: tuple[int, int, int] | None = None
    #: Further spaces whose loads, though they are counted in order, may write one register in any (LLVM,
    #: GCNSubtarget::hasVmemWriteVgprInOrder; its pull request 105549, "GFX12 VMEM loads can write VGPR results out of
    #: order").
    out_of_order_loads: frozenset[str] = frozenset()
    #: Whose encodings the decoder's tables have, if not its own.
    encodings: str = ""
    #: Encoding → bits that the decoder's tables have not: what they say, and the bit.
    more_bits: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    #: Encoding → fields that the decoder's tables say that its operations have not.
    used_fields: Mapping[str, frozenset[str]] = field(default_factory=dict)
    #: Fields of memory instructions that say how, not what, is accessed, besides the common ones.
    hints: frozenset[str] = frozenset()
    #: Whether packed operations on f32 take 32 bits of a scalar register or constant, for both halves (LLVM,
    #: hasPKF32InstsReplicatingLower32BitsOfScalarInput).
    packs_low_scalars: bool = False
    #: Whether literals may have 64 bits, in the two dwords behind an instruction (operand code 254).
    wide_literals: bool = False
    #: Whether a lane's 32-bit offset from a scalar base in global memory has a sign.
    signed_lane_offset: bool = False
    #: Bits of MODE, and of SCHED_MODE (`decode.modes`), that decide nothing of what is modelled.
    free_mode: int = 0
    #: Vector registers that a wave has at most.
    vector_registers: int = 256
    #: Bits of the count of user registers (AMDGPUUsage, COMPUTE_PGM_RSRC2, USER_SGPR_COUNT).
    user_count_bits: int = 5
    #: The scalar register that says where a block lies in its cluster.
    cluster_register: int | None = None
    has_named_barriers: bool = False
    #: Cache controls that the decoder lacks, by the opcode in bits 18–25 of MUBUF (RDNA 3 ISA, MUBUF; LLVM,
    #: BUFInstructions: GFX9's real instructions).
    undecoded: Mapping[int, str] = field(default_factory=dict)

    @property
    def tables(self) -> str:
        """The instruction set whose encodings the decoder's tables have."""
        return self.encodings or self.name

    @property
    def most_counted(self) -> Mapping[str, int]:
        """How far each counter counts (LLVM, SIInsertWaitcnts: "If a counter has been maxed out avoid overflow").

        >>> ARCHITECTURES["cdna"].most_counted
        {'vm': 63, 'lgkm': 15}
        """
        return {name: most for wait in self.waits.values() for name, most in wait.most.items()}

    @property
    def overtaking(self) -> frozenset[str]:
        """Spaces whose loads may write one register in another order than they were issued."""
        return self.unordered | self.out_of_order_loads


_NO_PRELOAD = (PROPERTIES, 16, 31, "preloaded kernel arguments, which the machine has not")

_LANE_CONTROLS = frozenset({"quad_perm", "row_shl", "row_shr", "row_ror", "row_mirror", "row_half_mirror", "row_share"})

_CDNA = Architecture(
    "cdna",
    signed_offsets={"SMEM": 21, "GLOBAL": 13, "SCRATCH": 13},
    special={124: "m0", 125: ""},
    no_base=127,
    unused_source=frozenset({0}),
    halves=False,
    compares_write_vcc=True,
    says_scalar_offsets=True,
    scalar_operands=1,
    even_vectors=True,
    lane_controls=_LANE_CONTROLS | {"wave_shl", "wave_rol", "wave_shr", "wave_ror", "row_bcast15", "row_bcast31"},
    permutes_64_lanes=True,
    says_clamped_nan=True,
    counters=Counters(load="vm", store="vm", lds="lgkm", constant="lgkm"),
    waits={"S_WAITCNT": Wait({"vm": ((0, 4), (14, 2)), "lgkm": ((8, 4),)}, exports=((4, 3),))},
    unordered=frozenset({"constant", "flat"}),
    loads_keep_other_half=False,
    zero=(
        (RSRC3, 6, 15, "reserved bits of RSRC3"),
        (RSRC3, 17, 31, "reserved bits of RSRC3"),
        (RSRC1, 29, 31, "reserved bits of RSRC1"),
        (PROPERTIES, 10, 10, "waves of 32 lanes, which the machine has not"),
    ),
    vector_granules={64: 8},
    wave_scratch=1024 * ((1 << 13) - 1),
    scalar_granule=16,
    undecoded={0x3E: "BUFFER_WBINVL1", 0x3F: "BUFFER_WBINVL1_VOL"},
    accumulators="shared",
    moves_64_bits=True,
)

_CDNA1 = replace(
    _CDNA,
    name="cdna1",
    encodings="cdna",
    even_vectors=False,  # LLVM, GCNSubtarget::needsAlignedVGPRs
    zero=(
        (RSRC3, 0, 31, "reserved bits of RSRC3"),
        (RSRC1, 29, 31, "reserved bits of RSRC1"),
        (PROPERTIES, 10, 10, "waves of 32 lanes, which the machine has not"),
        _NO_PRELOAD,
    ),
    vector_granules={64: 4},
    packs_threads=False,
    accumulators="apart",
    moves_64_bits=False,
)

_RDNA3 = Architecture(
    "rdna3",
    signed_offsets={"SMEM": 21, "GLOBAL": 13, "SCRATCH": 13},
    special={124: "null", 125: "m0"},
    no_base=124,
    unused_source=frozenset({0, 128}),
    halves=True,
    compares_write_vcc=False,
    says_scalar_offsets=False,
    scalar_operands=2,
    even_vectors=False,
    lane_controls=_LANE_CONTROLS | {"row_xmask"},
    permutes_64_lanes=False,
    says_clamped_nan=True,
    counters=Counters(load="vm", store="vs", lds="lgkm", constant="lgkm"),
    waits={
        "S_WAITCNT": Wait({"vm": ((10, 6),), "lgkm": ((4, 6),)}, exports=((0, 3),)),
        "S_WAITCNT_VSCNT": Wait({"vs": ((0, 6),)}),
    },
    unordered=frozenset({"constant"}),
    loads_keep_other_half=True,
    zero=(
        (RSRC3, 0, 3, "shared vector registers"),
        (RSRC3, 10, 11, "a trap at its start or end"),
        (RSRC3, 12, 31, "reserved bits of RSRC3"),
        _NO_PRELOAD,
    ),
    vector_granules={32: 8, 64: 4},
    wave_scratch=256 * ((1 << 15) - 1),
    undecoded={0x2B: "BUFFER_GL0_INV", 0x2C: "BUFFER_GL1_INV"},
)

_RDNA2 = replace(
    _RDNA3,
    name="rdna2",
    encodings="rdna3",
    signed_offsets={"SMEM": 21, "GLOBAL": 12, "SCRATCH": 12},
    special={124: "m0", 125: "null"},
    no_base=125,
    short_halves=False,
    waits={**_RDNA3.waits, "S_WAITCNT": Wait({"vm": ((0, 4), (14, 2)), "lgkm": ((8, 6),)}, exports=((4, 3),))},
    zero=((RSRC3, 0, 3, "shared vector registers"), (RSRC3, 4, 31, "reserved bits of RSRC3"), _NO_PRELOAD),
    wave_scratch=1024 * ((1 << 13) - 1),
    packs_threads=False,
    undecoded={0x71: "BUFFER_GL0_INV", 0x72: "BUFFER_GL1_INV"},
)

_RDNA4 = replace(
    _RDNA3,
    name="rdna4",
    permutes_64_lanes=True,
    signed_offsets={"SMEM": 24, "GLOBAL": 24, "SCRATCH": 24, "FLAT": 24},
    says_clamped_nan=False,
    counters=Counters(load="load", store="store", lds="ds", constant="km"),
    waits={
        # deprecated, and still taken "with a conservative effect" (LLVM's pull requests 77336, 92306): at least this
        "S_WAITCNT": Wait({"load": ((10, 6),), "ds": ((4, 6),), "km": ((4, 6),)}, exports=((0, 3),)),
        "S_WAIT_LOADCNT": Wait({"load": ((0, 6),)}),
        "S_WAIT_STORECNT": Wait({"store": ((0, 6),)}),
        "S_WAIT_DSCNT": Wait({"ds": ((0, 6),)}),
        "S_WAIT_KMCNT": Wait({"km": ((0, 5),)}),
        "S_WAIT_LOADCNT_DSCNT": Wait({"load": ((8, 6),), "ds": ((0, 6),)}),
        "S_WAIT_STORECNT_DSCNT": Wait({"store": ((8, 6),), "ds": ((0, 6),)}),
    },
    out_of_order_loads=frozenset({"global", "scratch", "flat"}),
    zero=(
        (RSRC3, 0, 3, "reserved bits of RSRC3"),
        (RSRC3, 12, 12, "reserved bits of RSRC3"),
        (RSRC3, 14, 31, "reserved bits of RSRC3"),
        _NO_PRELOAD,
        (RSRC1, 21, 21, "waves that take turns"),
        (RSRC1, 23, 23, "reserved bits of RSRC1"),
    ),
    wave_scratch=256 * ((1 << 18) - 1),
    undecoded={},
    block_registers=(108 + 9, 108 + 7),  # ttmp9 and ttmp7 (LLVM, SITargetLowering, WorkGroupIDX to Z)
    wave_number=(108 + 8, 25, 29),  # ttmp8 (LLVM, SITargetLowering::lowerWaveID)
)

#: The bits of SCHED_MODE with which code takes over from the machine to wait for what registers depend on (LLVM,
#: GCNSubtarget::hasExpertSchedulingMode), as `decode.modes` counts them.
_SCHEDULED = 0b11 << 32

_CDNA5 = replace(
    _RDNA4,
    name="cdna5",
    encodings="rdna4",
    # LLVM 23's disassembler (`benchmarks/decoders`); rocm-systems, rocjitsu, gfx1250/addr_calc.cpp
    more_bits={
        form: {"scale_offset": bit} for form, bit in (("GLOBAL", 48), ("FLAT", 48), ("SCRATCH", 48), ("SMEM", 56))
    },
    used_fields={"FLAT": frozenset({"saddr"})},
    packs_low_scalars=True,
    wide_literals=True,
    even_vectors=True,
    loads_keep_other_half=False,  # LLVM's pull request 155293: "sram-ecc is always on"
    hints=frozenset({"nv"}),  # that nobody writes it meanwhile
    # LLVM, GCNSubtarget::hasSignedGVSOffset; rocm-systems, rocjitsu, GlobalStoreSignExtendsNegativeSaddrVgprOffset
    signed_lane_offset=True,
    # how accesses whose address had no page are tried again (LLVM's pull request 169016, "Enable multi-group xnack
    # replay in hardware (GFX1250)")
    free_mode=1 << 25 | _SCHEDULED,
    counters=replace(_RDNA4.counters, copies="async", copies_back="async_back", tensors="tensor"),
    waits={
        **{name: wait for name, wait in _RDNA4.waits.items() if name != "S_WAITCNT"},
        # LLVM, AMDGPUBaseInfo, getAsynccntBitWidth; one counter, but "loads" and "stores" are in no order (ISA, 10.8)
        "S_WAIT_ASYNCCNT": Wait({"async": ((0, 6),), "async_back": ((0, 6),)}),
        "S_WAIT_TENSORCNT": Wait({"tensor": ((0, 6),)}),
    },
    # rocm-systems, rocjitsu, kernel descriptor: dynamic registers, a split of the cache
    zero=(
        (RSRC3, 0, 3, "reserved bits of RSRC3"),
        (RSRC3, 12, 12, "reserved bits of RSRC3"),
        (RSRC3, 17, 17, "registers that come as they are asked for"),
        (RSRC3, 18, 31, "a split of the cache, and reserved bits of RSRC3"),
        (RSRC1, 21, 21, "waves that take turns"),
        (RSRC1, 23, 23, "reserved bits of RSRC1"),
        (RSRC1, 29, 29, "work-group processor mode, which the machine has not"),  # LLVM's pull request 153680
    ),
    vector_granules={32: 16},
    vector_registers=1024,  # LLVM, GCNSubtarget::has1024AddressableVGPRs
    user_count_bits=6,
    has_named_barriers=True,
    cluster_register=108 + 6,  # ttmp6 (LLVM, SITargetLowering, of clusters)
)

#: The instruction sets that are read, by their names.
ARCHITECTURES: Mapping[str, Architecture] = {one.name: one for one in (_CDNA, _CDNA1, _RDNA2, _RDNA3, _RDNA4, _CDNA5)}
