"""What kind of instruction one is to the rules of wait states: its unit, and of matrix products their passes.

| kind | is | passes |
|---|---|---|
| `xdl` | products of f16, bf16, f8 and less, i8, xf32; sparse ones; on gfx90a of f32 too | 2 … 16 |
| `sgemm` | of f32, from gfx940 on | 2 … 16 |
| `dgemm16`, `dgemm4` | of f64: 16 × 16 × 4, 4 × 4 × 4 | 8 (gfx950: 16), 4 |
| `wmma` | RDNA's | not counted |

(CDNA 3 ISA, 7.5, and CDNA 4 ISA, 7.6, "Dependency Resolution: Required Independent Instructions"; LLVM,
GCNHazardRecognizer, isXDL, isDGEMM; passes: LLVM, SISchedule.td, SIDPFullSpeedModel, SIDPGFX942FullSpeedModel and
SIDPGFX950FullSpeedModel.)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.semantics.transcendental import TRANSCENDENTAL
from layoutalg.records import dataclass

#: Transcendental operations besides those that are described (CDNA 3 ISA, table 12, "Trans Ops").
_OTHER_TRANSCENDENTAL = frozenset({"V_EXP_LEGACY_F32", "V_LOG_LEGACY_F32"})

_SIZE = re.compile(r"^V_S?MFMAC?_(?:SCALE_)?([A-Z]+\d+)_(\d+)X\d+X(\d+)_?(.*)$")


@dataclass(frozen=True)
class MatrixPasses:
    """A matrix product: its kind, and the passes of four cycles that it takes."""

    kind: str
    passes: int


def unit_of(instruction: Instruction) -> str:
    """`valu`, `matrix`, `salu`, `vmem`, `lds`, `smem`, or nothing of these.

    >>> unit_of(Instruction(0, 8, "V_MFMA_F32_32X32X8_F16", "VOP3P_MFMA")), unit_of(Instruction(0, 4, "S_NOP", "SOPP"))
    ('matrix', 'salu')
    """
    form, name = instruction.form, instruction.name
    if name.startswith(("V_MFMA", "V_SMFMAC", "V_WMMA", "V_SWMMAC")):
        return "matrix"
    if form.startswith("VOP"):
        return "valu"
    if form in ("MUBUF", "MTBUF", "VBUFFER", "GLOBAL", "FLAT", "SCRATCH"):
        return "vmem"
    return {"DS": "lds", "SMEM": "smem"}.get(form, "salu" if form.startswith("SOP") else "")


def is_transcendental(name: str) -> bool:
    """Whether the transcendental unit computes it.

    >>> is_transcendental("V_EXP_F32"), is_transcendental("V_ADD_F32")
    (True, False)
    """
    return name in TRANSCENDENTAL or name in _OTHER_TRANSCENDENTAL


class Schedule(NamedTuple):
    """Passes of products of f64 of 16 rows; whether narrow ones take half of f32's, which are a kind of their own."""

    f64: int
    halves: bool


#: Target → the schedule of its matrix cores (LLVM, SISchedule.td: the model of each processor).
_SCHEDULES: Mapping[str, Schedule] = {
    "gfx90a": Schedule(8, halves=False), "gfx942": Schedule(8, halves=True), "gfx950": Schedule(16, halves=True),
}  # fmt: skip


def is_dot(name: str) -> bool:
    """Whether it is a dot product of CDNA's vector units ("DLops")."""
    return name.startswith("V_DOT")


def is_packing(instruction: Instruction) -> bool:
    """Whether the result goes to another place of its register: SDWA's, VOP3's upper half, a byte of a conversion.

    (LLVM, getDstSelForwardingOperand.)  Of conversions to f8 with rounding by a random number a second bit says which
    byte, and of those to f4 by such no choice is the place that needs no shift.
    """
    name, fields = instruction.name, instruction.fields
    if instruction.form.endswith("_SDWA"):
        return fields.get("dst_sel", 6) != 6
    if instruction.form != "VOP3":
        return False
    if name.startswith("V_CVT_SCALEF32_SR") and "FP4" in name:
        return True
    picks = 12 if name.startswith("V_CVT") and "_SR_" in name and name.split("_SR_")[1][:3] in ("FP8", "BF8") else 8
    return bool(fields.get("opsel", 0) & picks)


def matrix_of(instruction: Instruction, target: str) -> MatrixPasses | None:
    """The kind and passes of a matrix product; None of what is none.

    >>> matrix_of(Instruction(0, 8, "V_MFMA_F32_32X32X8_F16", "VOP3P_MFMA"), "gfx942")
    MatrixPasses(kind='xdl', passes=8)
    >>> matrix_of(Instruction(0, 8, "V_MFMA_F32_16X16X4_F32", "VOP3P_MFMA"), "gfx942")
    MatrixPasses(kind='sgemm', passes=8)
    """
    if instruction.name.startswith(("V_WMMA", "V_SWMMAC")):
        return MatrixPasses("wmma", 0)
    found = _SIZE.match(instruction.name)
    if found is None:
        return None
    result, rows, depth, types = found[1], int(found[2]), int(found[3]), found[4]
    if result == "F64":
        return MatrixPasses("dgemm16", _SCHEDULES[target].f64) if rows == 16 else MatrixPasses("dgemm4", 4)
    single, halves = types.split("_")[-1] == "F32", _SCHEDULES[target].halves
    return MatrixPasses("sgemm" if single and halves else "xdl", _passes(instruction, halves, rows, depth, types))


def _passes(instruction: Instruction, halves: bool, rows: int, depth: int, types: str) -> int:
    if rows == 4:
        return 2
    whole = 8 if rows == 16 else 16
    if not halves:
        return whole
    if "F8F6F4" in types:  # of f8 on either side, as the name ends, twice as many
        return whole if any(kind.endswith("8") for kind in types.split(".")[1:]) else whole // 2
    sparse = instruction.name.startswith("V_SMFMAC")
    shallow = depth <= 4 and "XF32" not in types
    return whole if shallow and not sparse else whole // 2
