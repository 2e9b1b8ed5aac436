"""RDNA's hardware counters: those that AMD's definitions name for gfx11 and gfx12, and what each surely counts.

| instructions | surely | perhaps |
|---|---|---|
| `v_*` | `SQ_INSTS_VALU` | a dual one: once more |
| `ds_*` | `SQ_INSTS_LDS` | |
| `flat_*` | `SQ_INSTS_FLAT`, `SQ_INSTS_LDS` ("including FLAT") | `SQ_INSTS_TEX_LOAD` or `…_STORE` |
| `global_*`, `scratch_*`: of that encoding | | `SQ_INSTS_FLAT`, `SQ_INSTS_LDS`, `SQ_INSTS_TEX_LOAD` or `…_STORE` |
| `buffer_*` that load, or return | `SQ_INSTS_TEX_LOAD` | |
| `buffer_*` that store, and atomic ones that do not return | `SQ_INSTS_TEX_STORE` | |
| what cleans caches | | all four of memory |
| `s_load_*`, `s_buffer_load_*` | `SQ_INSTS_SMEM` | |
| branches, waits, barriers, hints, `s_nop` | | `SQ_INSTS_SALU` |
| other `s_*` | `SQ_INSTS_SALU` | |

Of a wave of 64 no source says whether an instruction that is issued for each half counts once or twice.
What it cannot represent: `TA_BUFFER_…_WAVEFRONTS`, packets of 32 lanes, of which no source says how many an
instruction has.  There are no counters of matrix products, of reads and writes of memory as such, or of branches.
"""

from __future__ import annotations

from collections.abc import Mapping

from layoutalg.counters.kinds import CountedBy, scalar_kind
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.semantics.accesses import ACCESSES, access_of

INSTRUCTIONS: Mapping[str, str] = {
    "SQ_INSTS_VALU": "vector instructions, matrix products among them",
    "SQ_INSTS_LDS": "LDS instructions, flat ones too",
    "SQ_INSTS_FLAT": "flat instructions",
    "SQ_INSTS_TEX_LOAD": "buffer loads, and atomic operations that return",
    "SQ_INSTS_TEX_STORE": "buffer stores, and atomic operations that do not return",
    "SQ_INSTS_SALU": "scalar arithmetic",
    "SQ_INSTS_SMEM": "scalar memory",
}
"""Counters of instructions that waves issue, and what they count."""

LDS = "SQC_LDS"
"""How the counters of LDS cycles begin."""
UNREAD = ("no reading of it on such a GPU was found that ours could be held against; on gfx1201 it was read as 0 "
          "whatever the kernel (ROCm/rocm-systems, issue #5953)")  # fmt: skip

OF_LANES = frozenset(INSTRUCTIONS) - {"SQ_INSTS_SALU", "SQ_INSTS_SMEM"}
"""The counters of instructions that a wave of 64 may issue in two halves."""

_MEMORY = ("SQ_INSTS_FLAT", "SQ_INSTS_LDS", "SQ_INSTS_TEX_LOAD", "SQ_INSTS_TEX_STORE")


def counted(instruction: Instruction) -> CountedBy:
    """Which counters of instructions count one.

    >>> counted(Instruction(0, 4, "S_NOP", "SOPP"))
    CountedBy(surely=(), perhaps=('SQ_INSTS_SALU',))
    """
    name = instruction.name
    if name.startswith("V_"):
        return CountedBy(("SQ_INSTS_VALU",), ("SQ_INSTS_VALU",) if instruction.halves else ())
    if name.startswith("DS_"):
        return CountedBy(("SQ_INSTS_LDS",))
    if name.startswith("S_"):
        kind = scalar_kind(name)
        surely = {"memory": ("SQ_INSTS_SMEM",), "arithmetic": ("SQ_INSTS_SALU",)}.get(kind, ())
        perhaps = () if surely else ("SQ_INSTS_SMEM",) if kind == "cache" else ("SQ_INSTS_SALU",)
        return CountedBy(surely, perhaps)
    if name not in ACCESSES:
        return CountedBy((), _MEMORY)
    access = access_of(name, instruction.fields)
    texture = ("SQ_INSTS_TEX_LOAD" if access.returns(instruction.fields) else "SQ_INSTS_TEX_STORE",)
    if name.startswith("BUFFER_"):
        return CountedBy(texture)
    flat = ("SQ_INSTS_FLAT", "SQ_INSTS_LDS")
    return CountedBy(flat, texture) if name.startswith("FLAT_") else CountedBy((), (*flat, *texture))
