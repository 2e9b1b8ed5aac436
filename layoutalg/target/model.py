"""The records of a target: numbers, instructions, and the evidence for each.

A phase is a set of lanes whose requests the LDS serves together: in one cycle when no bank is asked for two different
dwords.  An instruction's phases part the wave, so for 64 lanes in runs of 8

    phases = ((0, …, 7), (8, …, 15), …, (56, …, 63))        phase_of = (0, 0, 0, 0, 0, 0, 0, 0, 1, …, 7)

and lanes × dwords of one phase never exceed the banks (a phase is what one cycle can serve).
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import field
from fnmatch import fnmatchcase
from typing import Literal

from layoutalg.records import dataclass
from layoutalg.target.dtypes import DType

Confidence = Literal["measured", "documented", "assumed"]
Access = Literal["read", "write"]
Vendor = Literal["", "amd", "nvidia"]
Decoder = Literal["", "cdna", "cdna1", "rdna2", "rdna3", "rdna4", "cdna5"]

DWORD = 4
"""Bytes of a bank's entry, on every target here."""

DEFAULT, DEFAULT_READ = "gfx942", "ds_read_b128"
"""The target and its instruction that are meant where none is named."""
DEFAULT_EXPLAINED = ("gfx942", "gfx950")  #: of which `explain` tells where none is named
DEFAULT_MEASURED = "sm_90"
"""The target that `bench` prepares for where none is named."""


class TargetError(ValueError):
    """What a target cannot answer, with what it can.

    >>> from layoutalg.target import target
    >>> try:
    ...     target("gfx942").for_width("read", 7)
    ... except TargetError as error:
    ...     print(error)
    gfx942 has no LDS read of 7 bytes a lane; it has [1, 2, 4, 8, 12, 16]
    """


class UnknownTargetError(TargetError):
    """A name that no target has, or none that code can be built for.

    >>> from layoutalg.target import target
    >>> target("gfx943")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    layoutalg.target.model.UnknownTargetError: unknown target 'gfx943'...: it is one of ...
    """


class UnknownInstructionError(TargetError):
    """An LDS instruction that the target lacks.

    >>> from layoutalg.target import target
    >>> target("gfx942").instruction("ds_read_b127")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    layoutalg.target.model.UnknownInstructionError: gfx942 has no LDS instruction 'ds_read_b127' (did you mean ...
    """


class UnknownTypeError(TargetError):
    """An element type that the target lacks."""


class UnknownLoadError(TargetError):
    """A load straight to LDS that the target lacks."""


@dataclass(frozen=True)
class Evidence:
    """Why a fact is believed: how firmly, by whom (full citations), and what is doubtful ('' where nothing is).

    >>> Evidence("documented", ("the manual",)).text
    'documented (the manual)'
    """

    confidence: Confidence
    sources: tuple[str, ...]
    doubt: str = ""

    @property
    def certain(self) -> bool:
        """Whether a verdict may rest on the fact without saying more."""
        return not self.doubt

    @property
    def text(self) -> str:
        """One line for a report."""
        said = f"{self.confidence} ({'; '.join(self.sources)})" if self.sources else self.confidence
        return f"{said}. In doubt: {self.doubt}" if self.doubt else said


@dataclass(frozen=True)
class LdsInstruction:
    """One LDS instruction: bytes a lane, the alignment it needs, and the lanes of each phase.

    >>> from layoutalg.target import target
    >>> write = target("gfx942").instruction("ds_write_b64")
    >>> write.dwords, len(write.phases), write.phases[1][0]
    (2, 4, 16)
    """

    name: str
    access: Access
    bytes: int
    alignment: int
    banks: int
    phases: tuple[tuple[int, ...], ...]
    evidence: Evidence
    pairs_merge: bool = False
    """Whether a read may take two phases in one where neighbouring lanes agree; `memory.banks` states the rule."""

    def __hash__(self) -> int:
        """By name: instructions key caches in loops of a microsecond, and hashing every phase would be most of it."""
        return hash(self.name)

    @property
    def dwords(self) -> int:
        """Dwords that one lane's access touches."""
        return -(-self.bytes // DWORD)

    @property
    def lanes(self) -> int:
        """Lanes of a wave."""
        return sum(map(len, self.phases))

    @property
    def phase_of(self) -> tuple[int, ...]:
        """The phase of each lane, by lane."""
        where = {lane: number for number, phase in enumerate(self.phases) for lane in phase}
        return tuple(where[lane] for lane in range(self.lanes))


@dataclass(frozen=True)
class Unit:
    """What the waves of a block share: SIMDs, waves and registers of each, bytes of LDS (`kept` for each block).

    Registers are those of one lane, given out in granules.  A unit is a compute unit of CDNA, a work-group processor
    of RDNA, a multiprocessor.
    """

    simds: int
    waves: int
    registers: int
    granule: int
    lds: int
    blocks: int
    evidence: Evidence
    kept: int = 0

    def resident(self, waves: int, lds: int, registers: int = 0) -> int:
        """Blocks of so many waves and bytes of LDS that the unit holds; `registers` of a lane, where they are known.

        >>> from layoutalg.target import target
        >>> unit = target("gfx942").unit
        >>> unit.resident(4, 16384), unit.resident(4, 16384, 200), unit.resident(1, 0)
        (4, 2, 32)
        """
        given = -(-registers // self.granule) * self.granule
        by_registers = self.simds * min(self.waves, self.registers // given if given else self.waves) // waves
        by_lds = self.lds // (lds + self.kept) if lds + self.kept else by_registers
        return min(by_registers, by_lds, self.blocks if waves > 1 else self.simds * self.waves)


@dataclass(frozen=True)
class CodeFormat:
    """How compiled code for a GPU is told and read.

    `number` is EF_AMDGPU_MACH of the ELF header; `decoder` the instruction set as the decoder calls it ("": none reads
    it, and the rest says nothing).  `scratch_base`: who sets up the base of scratch; `scratch_sve`: whether scratch
    instructions have a bit that says whether they have a vector address.  `eights`: the formats of fp8 and bf8.
    `dots_flush`: whether sums of products of f16 and bf16, matrix products too, take subnormal ones for zeros.
    `m0_bits`: how much of M0 says where in LDS a load from memory goes.  `keeps_stores`: whether a store that its wave
    has waited for may lie in a cache that other blocks do not look into.
    `opcodes`: by encoding, opcodes that other targets of the decoder have for something else, or have not, by the
    decoder's names, or the manual's where it has none.  `lacks`: instructions that the decoder knows, of newer
    processors, and this one has not; `*` stands for any letters.

    >>> from layoutalg.target import target
    >>> code = target("gfx942").machine
    >>> code.eights, code.has_not("BUFFER_ATOMIC_PK_ADD_BF16"), target("gfx950").machine.eights
    ('fnuz', True, 'ocp')
    """

    number: int
    evidence: Evidence
    decoder: Decoder = ""
    scratch_base: Literal["machine", "kernel"] = "machine"
    scratch_sve: bool = True
    eights: Literal["ocp", "fnuz"] = "ocp"
    dots_flush: bool = False
    m0_bits: int = 16
    keeps_stores: bool = False
    opcodes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    lacks: tuple[str, ...] = ()

    def has_not(self, instruction: str) -> bool:
        """Whether it is one that the decoder knows, and this processor has not."""
        return any(fnmatchcase(instruction, pattern) for pattern in self.lacks)


@dataclass(frozen=True)
class MatrixCores:
    """The matrix instructions that a GPU has, by name; `cycles`: those that a SIMD's matrix core takes, where known.

    >>> from layoutalg.target import target
    >>> target("gfx942").matrix.cycles["mfma_f32_32x32x8f16"]
    32
    """

    instructions: tuple[str, ...]
    evidence: Evidence
    cycles: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class StraightLoads:
    """The loads that bring global memory straight to LDS: of 4, 12 and 16 bytes a lane on gfx950."""

    bytes: tuple[int, ...]  # that each brings a lane
    evidence: Evidence


@dataclass(frozen=True)
class ProfilerCounters:
    """Hardware counters that are publicly defined."""

    family: Literal["CDNA", "RDNA"]  # whose names and definitions they have
    flat_in_lds: bool  # whether those of LDS count flat accesses
    matrix: tuple[str, ...]  # the types of matrix products that have some
    evidence: Evidence


@dataclass(frozen=True)
class ElementTypes:
    """The element types of `layoutalg.target.dtypes` that not every GPU has, and the format of each on this one."""

    formats: Mapping[str, str]
    evidence: Evidence


@dataclass(frozen=True)
class Tiling:
    """How a product of matrices is cut by default: the instruction, its repeats by a wave and waves (m, n), the k."""

    instruction: str
    repeats: tuple[int, ...]
    waves: tuple[int, ...]
    k: int


@dataclass(frozen=True)
class Card:
    """A card's peak numbers, which no code was run for.

    `clock`: MHz, the peak engine clock; `bandwidth`: GB/s; `half_matrix`: TFLOP/s of dense f16 by the matrix cores;
    `issue`: wave instructions of the vector units that a compute unit begins in a cycle; `chiplets`: each has an L2,
    and blocks are dealt to them in turns.  `confidence`: read (on a page that `source` names), derived, unchecked.

    >>> from layoutalg.target import target
    >>> card = target("gfx942").cards[0]
    >>> card.name, card.units, card.bandwidth
    ('MI300X', 304, 5300)
    """

    name: str
    units: int
    clock: int
    bandwidth: int
    half_matrix: float
    issue: int
    confidence: Literal["read", "derived", "unchecked"]
    source: str
    target: str = ""
    chiplets: int = 1


@dataclass(frozen=True)
class Target:
    """A GPU: sizes in bytes, lanes and registers, its LDS instructions, and the evidence for each number by its name.

    `vgprs` is the most vector registers (4 bytes each) that one lane can address; `segments` are the sizes in bytes
    in which global memory is fetched, smallest first.  `processor`: as compilers call it; `older`: processors of its
    vendor whose code it runs, and can be compiled for.  `library`: the library's kernels are proved for its limits.
    `rivals`: by instruction, what others say of its banks, in doubt.  Records of which nothing is said are None.

    >>> from layoutalg.target import target
    >>> gfx950 = target("gfx950")
    >>> gfx950.wave_size, gfx950.lds_bytes // 1024, gfx950.segments
    (64, 160, (64, 128))
    """

    name: str
    title: str
    wave_size: int
    lds_bytes: int
    max_workgroup: int
    vgprs: int
    segments: tuple[int, ...]
    evidence: Mapping[str, Evidence]
    instructions: Mapping[str, LdsInstruction]
    vendor: Vendor = ""
    processor: str = ""
    older: tuple[str, ...] = ()
    library: bool = False
    unit: Unit | None = None
    machine: CodeFormat | None = None
    matrix: MatrixCores | None = None
    straight: StraightLoads | None = None
    counters: ProfilerCounters | None = None
    types: ElementTypes | None = None
    tilings: Mapping[str, Tiling] = field(default_factory=dict)
    cards: tuple[Card, ...] = ()
    rivals: Mapping[str, tuple[LdsInstruction, ...]] = field(default_factory=dict)

    def instruction(self, name: str) -> LdsInstruction:
        """The LDS instruction of this name; UnknownInstructionError lists what the target has instead.

        >>> from layoutalg.target import target
        >>> target("gfx942").instruction("ds_load_b96")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        layoutalg.target.model.UnknownInstructionError: gfx942 has no LDS instruction 'ds_load_b96' ...
        """
        found = self.instructions.get(name)
        if found is not None:
            return found
        near = difflib.get_close_matches(name, self.instructions, n=1, cutoff=0.7)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise UnknownInstructionError(
            f"{self.name} has no LDS instruction {name!r}{hint}; it has {', '.join(self.instructions)}"
        )

    def require(self, dtype: DType) -> None:
        """UnknownTypeError for an element type that no instruction of the target reads; it lists those that some do.

        Of a target of which nothing is stated, every type is taken.

        >>> from layoutalg.target import target
        >>> from layoutalg.target.dtypes import DTYPES
        >>> target("gfx942").require(DTYPES["f4"])
        Traceback (most recent call last):
            ...
        layoutalg.target.model.UnknownTypeError: gfx942 has no f4; of such types it has tf32 (e8m10), f8 (e4m3fnuz), \
bf8 (e5m2fnuz)
        """
        if self.types is None or not dtype.formats or dtype.name in self.types.formats:
            return
        has = ", ".join(f"{name} ({form})" for name, form in self.types.formats.items())
        raise UnknownTypeError(f"{self.name} has no {dtype.name}; of such types it has {has or 'none'}")

    def require_straight(self, bytes: int) -> None:
        """UnknownLoadError where no load brings so many bytes a lane straight to LDS; it says which there are.

        >>> from layoutalg.target import target
        >>> target("gfx942").require_straight(16)
        Traceback (most recent call last):
            ...
        layoutalg.target.model.UnknownLoadError: gfx942 has no load of 16 bytes a lane to LDS: it has of 4 bytes a lane
        """
        has = self.straight.bytes if self.straight else ()
        if bytes not in has:
            widths = f"of {', '.join(map(str, has))} bytes a lane" if has else "none that is described here"
            raise UnknownLoadError(f"{self.name} has no load of {bytes} bytes a lane to LDS: it has {widths}")

    def lds_alignment(self, instruction: LdsInstruction) -> int:
        """The bytes that each address of an LDS instruction must be a multiple of: on AMD's GPUs no more than a dword.

        LLVM's `unaligned-access-mode`, which amdhsa has on (AMDGPUUsage, "Target Features"; Linux, amdkfd,
        SH_MEM_CONFIG: SH_MEM_ALIGNMENT_MODE_UNALIGNED), lets LDS be accessed anywhere; what begins within a dword is
        not priced.  An instruction's own `alignment` is the one that is fastest, and that a layout is held to.

        >>> from layoutalg.target import target
        >>> [(gpu := target(name)).lds_alignment(gpu.for_width("read", 16)) for name in ("gfx942", "sm_90")]
        [4, 16]
        """
        return min(instruction.alignment, DWORD) if self.vendor == "amd" else instruction.alignment

    def for_width(self, access: Access, bytes: int) -> LdsInstruction:
        """The instruction that reads or writes this many bytes a lane; UnknownInstructionError where there is none.

        >>> from layoutalg.target import target
        >>> target("gfx942").for_width("read", 16).name, target("sm_90").for_width("write", 8).name
        ('ds_read_b128', 'st.shared.64')
        """
        for candidate in self.instructions.values():
            if (candidate.access, candidate.bytes) == (access, bytes):
                return candidate
        widths = sorted({i.bytes for i in self.instructions.values() if i.access == access})
        raise UnknownInstructionError(f"{self.name} has no LDS {access} of {bytes} bytes a lane; it has {widths}")
