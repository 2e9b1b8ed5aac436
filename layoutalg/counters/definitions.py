"""AMD's hardware counters, by the names of rocprofv3: what each counts, and who says so.

An instruction is counted *surely* where the definition names what it is, and *perhaps* where no definition that was
found says whether it is:

| instructions | surely | perhaps |
|---|---|---|
| `v_*` | `SQ_INSTS_VALU` | |
| `v_mfma_*`, `v_smfmac_*` | `SQ_INSTS_VALU`, `SQ_INSTS_MFMA`, `SQ_INSTS_VALU_MFMA_F16` … by the type of A | |
| those of a type without a counter; `…_f8f6f4` | `SQ_INSTS_VALU`, `SQ_INSTS_MFMA` | by type: F32 of XF32; F8, F6F4 |
| `v_accvgpr_*`, encoded as matrix instructions | `SQ_INSTS_VALU` | `SQ_INSTS_MFMA` |
| `ds_*` | `SQ_INSTS_LDS` | |
| loads; stores | `SQ_INSTS_VMEM_RD`; `SQ_INSTS_VMEM_WR` | straight to LDS, and on MI200 `global_*`: `SQ_INSTS_LDS` |
| atomic operations, what cleans caches | | `SQ_INSTS_VMEM_RD`, `SQ_INSTS_VMEM_WR` |
| every vector memory access | `TA_TOTAL_WAVEFRONTS_sum` | what cleans caches |
| `global_*`, `flat_*` | `TA_FLAT_WAVEFRONTS_sum` and its `READ`, `WRITE` or `ATOMIC` | |
| `buffer_*` | `TA_BUFFER_WAVEFRONTS_sum` and its `READ`, `WRITE` or `ATOMIC` | what cleans caches |
| `scratch_*`, straight to LDS | | `TA_FLAT_…` and `TA_BUFFER_…` |
| `s_load_*`, `s_buffer_load_*` | `SQ_INSTS_SMEM` | |
| `s_branch`, `s_cbranch_*` | `SQ_INSTS_BRANCH` | |
| `s_nop` | | |
| waits, barriers, hints, jumps, messages | | `SQ_INSTS_SALU`, jumps: or `SQ_INSTS_BRANCH` |
| other `s_*` | `SQ_INSTS_SALU` | |

Of a wave without an active lane no source says whether its vector instruction is counted: perhaps.
Which of them a target has is in its file (`[counters]`); those of RDNA, which are others, are in `rdna`.
"""

from __future__ import annotations

from collections.abc import Mapping

from layoutalg.counters import rdna
from layoutalg.counters.kinds import CountedBy, ScalarKind, scalar_kind
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.semantics.accesses import ACCESSES, access_of
from layoutalg.target import target as gpu

MI300 = ("AMD, ROCm documentation, MI300 and MI200 Series performance counters and metrics "
         "(rocm.docs.amd.com, conceptual/gpu-arch/mi300-mi200-performance-counters)")  # fmt: skip
INTERNAL = ("AMD, ROCm Compute Profiler, profiling by example, Internal instructions and IPC: s_nop is none of SALU's "
            "(rocm.docs.amd.com/projects/rocprofiler-compute)")  # fmt: skip
COUNTER_DEFS = ("AMD, rocprofiler-sdk, counter_defs.yaml (github.com/ROCm/rocm-systems, "
                "projects/rocprofiler-sdk/source/share/rocprofiler-sdk, commit 1b1610fc)")  # fmt: skip
ADDRESSES = ("AMD, ROCm Compute Profiler, vector L1 cache, instruction counts: global and flat accesses are FLAT's, "
             "buffer ones BUFFER's; profiling by example, vector memory: a wave's is 1 on an MI250")  # fmt: skip
LINES = ("AMD, rocprofiler-sdk, counter_defs.yaml: look-ups of lines, hits and misses; of 128 bytes, as the profiler's "
         "metrics have them on MI300 (64 by AMD's page on the vector L1 cache, which are no fewer)")  # fmt: skip
LDS_EXAMPLE = ("AMD, ROCm Compute Profiler, profiling by example, Bank conflicts: on an MI250 n work items on one bank "
               "are n + 1 cycles and n - 1 conflicts")  # fmt: skip

INSTRUCTIONS: Mapping[str, str] = {
    "SQ_INSTS_VALU": "vector instructions, matrix products among them",
    "SQ_INSTS_MFMA": "matrix products",
    "SQ_INSTS_LDS": "LDS instructions (MI200: flat ones too)",
    "SQ_INSTS_VMEM_RD": "vector memory reads, flat ones too",
    "SQ_INSTS_VMEM_WR": "vector memory writes, flat ones too",
    "SQ_INSTS_SALU": "scalar arithmetic",
    "SQ_INSTS_SMEM": "scalar memory",
    "SQ_INSTS_BRANCH": "branches",
}
"""Counters of instructions that waves issue, and what they count (`MI300`)."""

TYPED = "SQ_INSTS_VALU_MFMA_"
"""How the counters of matrix products of one type begin (`COUNTER_DEFS`); of which types a target has some, it says."""

MATRIX_TYPES: Mapping[str, str] = {
    "f16": "F16", "bf16": "BF16", "f32": "F32", "f64": "F64", "i8": "I8", "fp8": "F8", "bf8": "F8", "xf32": "XF32",
    "fp4": "F6F4", "fp6": "F6F4", "bf6": "F6F4",
}  # fmt: skip
"""The element types of A, by the names of counters of matrix products: of SQ_INSTS_VALU_MFMA_MOPS_…, operations in
units of 512.
"""
MOPS = 512

_VECTOR_MEMORY = ("GLOBAL_", "FLAT_", "BUFFER_", "SCRATCH_")
_UNITS = ("FLAT", "BUFFER")
EVERY_ADDRESS = "TA_TOTAL_WAVEFRONTS_sum"
_DOES = ("", "READ_", "WRITE_", "ATOMIC_")
ADDRESSED = (EVERY_ADDRESS, *(f"TA_{unit}_{does}WAVEFRONTS_sum" for unit in _UNITS for does in _DOES))
"""The counters of `addressed`."""

_EITHER = ("SQ_INSTS_VMEM_RD", "SQ_INSTS_VMEM_WR")


def is_rdna(target: str) -> bool:
    """Whether the target's counters are RDNA's."""
    said = gpu(target).counters
    return said is not None and said.family == "RDNA"


def instructions_of(target: str) -> Mapping[str, str]:
    """The counters of instructions by their names on a target, and what they count."""
    return rdna.INSTRUCTIONS if is_rdna(target) else INSTRUCTIONS


def source_of(target: str) -> str:
    """Who says what counters of waves and instructions count."""
    return COUNTER_DEFS if is_rdna(target) else MI300


def lds_counters(target: str) -> tuple[tuple[str, str, str], tuple[str, str, str]]:
    """Cycles lost to conflicts, and cycles that LDS is used: name, what it counts and who says so.

    >>> [name for name, _, _ in lds_counters("gfx942")], lds_counters("gfx1100")[0][0]
    (['SQ_LDS_BANK_CONFLICT', 'SQ_LDS_IDX_ACTIVE'], 'SQC_LDS_BANK_CONFLICT')
    """
    unit = rdna.LDS if is_rdna(target) else "SQ_LDS"
    used = COUNTER_DEFS if is_rdna(target) else LDS_EXAMPLE
    return (
        (f"{unit}_BANK_CONFLICT", "cycles lost to bank conflicts", source_of(target)),
        (f"{unit}_IDX_ACTIVE", "cycles that LDS is used", used),
    )


def has_line_counter(target: str) -> bool:
    """Whether a target has `TCP_TOTAL_CACHE_ACCESSES_sum`."""
    said = gpu(target).counters
    return said is not None and said.family == "CDNA"


def lds_doubts(target: str) -> tuple[str, ...]:
    """What speaks against the counters of LDS cycles being our cycles."""
    return (rdna.UNREAD,) if is_rdna(target) else ()


def times_at_most(name: str, target: str, wave: int) -> int:
    """How often an instruction of a wave of so many lanes may be counted, for once that it is issued.

    >>> times_at_most("SQ_INSTS_VALU", "gfx1100", 64), times_at_most("SQ_INSTS_SALU", "gfx1100", 64)
    (2, 1)
    """
    return 2 if is_rdna(target) and wave == 64 and name in rdna.OF_LANES else 1


def counted(instruction: Instruction, target: str) -> CountedBy:
    """Which counters of instructions count one.

    >>> counted(Instruction(0, 4, "S_ADD_U32", "SOP2"), "gfx942")
    CountedBy(surely=('SQ_INSTS_SALU',), perhaps=())
    >>> counted(Instruction(0, 4, "S_BARRIER", "SOPP"), "gfx942")
    CountedBy(surely=(), perhaps=('SQ_INSTS_SALU',))
    """
    name = instruction.name
    if is_rdna(target):
        return rdna.counted(instruction)
    if name.startswith(("V_MFMA_", "V_SMFMAC_")):
        return _product(name, target)
    if name.startswith("V_"):
        return CountedBy(("SQ_INSTS_VALU",), ("SQ_INSTS_MFMA",) if name.startswith("V_ACCVGPR_") else ())
    if name.startswith("DS_"):
        return CountedBy(("SQ_INSTS_LDS",))
    return _vector_memory(instruction, target) if name.startswith(_VECTOR_MEMORY) else _SCALAR[scalar_kind(name)]


def _product(name: str, target: str) -> CountedBy:
    """A matrix product: of its type where the target has such a counter.

    >>> _product("V_MFMA_F32_32X32X8_F16", "gfx942").surely, _product("V_MFMA_F32_16X16X8_XF32", "gfx942").perhaps
    (('SQ_INSTS_VALU', 'SQ_INSTS_MFMA', 'SQ_INSTS_VALU_MFMA_F16'), ('SQ_INSTS_VALU_MFMA_F32',))
    """
    every, said = ("SQ_INSTS_VALU", "SQ_INSTS_MFMA"), gpu(target).counters
    types = said.matrix if said else ()
    if "F8F6F4" in name:
        return CountedBy(every, tuple(f"{TYPED}{one}" for one in ("F8", "F6F4") if one in types))
    last = [part for part in name.lower().split("_") if part in MATRIX_TYPES]
    wanted = MATRIX_TYPES[last[-1]] if last else ""
    if wanted in types:
        return CountedBy((*every, f"{TYPED}{wanted}"))
    return CountedBy(every, tuple(f"{TYPED}{one}" for one in types if wanted.endswith(one)))


def addressed(instruction: Instruction) -> CountedBy:
    """Which counters of the units that make addresses count a vector memory instruction, by wave (`ADDRESSES`).

    >>> addressed(Instruction(0, 8, "GLOBAL_LOAD_DWORD", "FLAT")).surely
    ('TA_TOTAL_WAVEFRONTS_sum', 'TA_FLAT_WAVEFRONTS_sum', 'TA_FLAT_READ_WAVEFRONTS_sum')
    """
    name = instruction.name
    if not name.startswith(_VECTOR_MEMORY):
        return CountedBy()
    access = access_of(name, instruction.fields) if name in ACCESSES else None
    does = "" if access is None else "ATOMIC_" if access.atomic else "WRITE_" if access.store else "READ_"
    of = {unit: tuple(f"TA_{unit}_{one}WAVEFRONTS_sum" for one in dict.fromkeys(("", does))) for unit in _UNITS}
    if access is None:  # what cleans caches
        return CountedBy((), (EVERY_ADDRESS, *of["BUFFER"]))
    if name.startswith("SCRATCH_") or access.to_lds:
        return CountedBy((EVERY_ADDRESS,), (*of["FLAT"], *of["BUFFER"]))
    return CountedBy((EVERY_ADDRESS, *of["BUFFER" if name.startswith("BUFFER_") else "FLAT"]))


def _vector_memory(instruction: Instruction, target: str) -> CountedBy:
    name = instruction.name
    said = gpu(target).counters
    flat = name.startswith(("FLAT_", "GLOBAL_", "SCRATCH_")) and said is not None and said.flat_in_lds
    lds = ("SQ_INSTS_LDS",) if flat else ()
    if name not in ACCESSES or ACCESSES[name].atomic:
        return CountedBy((), (*_EITHER, *lds))
    access = access_of(name, instruction.fields)
    direction = ("SQ_INSTS_VMEM_WR" if access.store else "SQ_INSTS_VMEM_RD",)
    if flat and name.startswith("FLAT_"):
        return CountedBy((*direction, *lds))
    return CountedBy(direction, ("SQ_INSTS_LDS",) if access.to_lds else lds)


_SCALAR: Mapping[ScalarKind, CountedBy] = {
    "branch": CountedBy(("SQ_INSTS_BRANCH",)),
    "jump": CountedBy((), ("SQ_INSTS_BRANCH", "SQ_INSTS_SALU")),
    "nop": CountedBy(),
    "memory": CountedBy(("SQ_INSTS_SMEM",)),
    "cache": CountedBy((), ("SQ_INSTS_SMEM",)),
    "control": CountedBy((), ("SQ_INSTS_SALU",)),
    "arithmetic": CountedBy(("SQ_INSTS_SALU",)),
}
