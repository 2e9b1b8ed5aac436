"""Encodings of two parts: parts of registers (SDWA), data of other lanes (DPP16, DPP8), matrix products with scales.

| code of the first source | the second dword | its register and |
|---|---|---|
| 249 | SDWA, on CDNA | parts of sources and of the result, signs |
| 250 | DPP16 | where the lanes read, which are written, signs |
| 233, 234 | DPP8, on RDNA | the lane that each of eight reads; 234: also of lanes that are not active (`fi`) |

(ISA manuals, "Scalar source operands", SDWA, DPP.)  Signs get the names that VOP3 has for them; in VOP3 the second
dword's own say nothing, so they stay and are refused.

VOP3PX2 is V_MFMA_LD_SCALE_B32 and a matrix product behind it, one instruction: the first part names the scales of A and
B (`scale_a`, `scale_b`), and which byte of each it is ({OP_SEL_HI, OP_SEL} of the source: `byte_a`, `byte_b`), the
product's ABID[0] that they count (CDNA 4 ISA, 7.1.5).  The bits of OP_SEL of a third source, which it has not, say
nothing: LLVM sets OP_SEL_HI's (its test of the assembler for gfx950), AMD's own kernels either.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.records import dataclass

SCALED = "VOP3PX2"
"""The encoding of matrix products with scales."""

#: The upper half of the first word of V_MFMA_LD_SCALE_B32, and of the products that may follow it.
_LD_SCALE, _WITH_SCALES = 0xD3AC, frozenset({0xD3AD, 0xD3AE})

#: The formats of eight bits and less that fields pick, of such products (CDNA 4 ISA, 7.1.5, CBSZ and BLGP).
_FORMATTED, _FORMATS = "_F8F6F4", ("FP8", "BF8", "FP6", "BF6", "FP4")
_PICKED = frozenset({"cbsz", "blgp"})
_OF_CDNA_5 = ("V_WMMA_", "V_SWMMAC_")

_DPP8, _DPP8_FI, _SDWA, _DPP16 = 233, 234, 249, 250
_VCC = 106

#: Sign of a source → VOP3's name of it, and its bit there.
_SIGNS: Mapping[str, tuple[str, int]] = {
    "src0_neg": ("neg", 1), "src0_abs": ("abs", 1), "src1_neg": ("neg", 2), "src1_abs": ("abs", 2),
}  # fmt: skip


@dataclass(frozen=True)
class Extension:
    """What a second dword says: operand codes by role, fields, and which of the decoder's fields those were."""

    operands: Mapping[str, int] = field(default_factory=dict)
    fields: Mapping[str, int] = field(default_factory=dict)
    read: frozenset[str] = frozenset()


def with_second_dword(raw: Any, code: bytes) -> Any:
    """What was decoded, with the second dword that the decoder misses: DPP8, and a comparison's in VOP3."""
    form, code_of_first = type(raw), raw.src0.offset if hasattr(raw, "src0") else 0
    suffix = {_DPP8: "_DPP8", _DPP8_FI: "_DPP8", _DPP16: "_DPP16"}.get(code_of_first)
    if suffix is None or suffix in form.__name__:
        return raw
    whole = getattr(sys.modules[form.__module__], form.__name__.removesuffix("_SDST") + suffix, None)
    if whole is None:
        raise UnsupportedInstructionError(f"the operand code {code_of_first}")
    return whole.from_bytes(code)


def own_words(code: bytes, architecture: str) -> bytes:
    """The code without what follows an instruction of CDNA, of which the decoder takes any two for one with scales.

    Raises `UnsupportedInstructionError` for scales alone: of what they are is not said.
    """
    if architecture != "cdna" or int.from_bytes(code[2:4], "little") != _LD_SCALE:
        return code[:8] if architecture == "cdna" else code
    if int.from_bytes(code[8:12], "little") >> 16 not in _WITH_SCALES:
        raise UnsupportedInstructionError("V_MFMA_LD_SCALE_B32 without a matrix product behind it")
    return code


def plain_form(form: str) -> str:
    """The encoding without its second dword.

    >>> plain_form("VOP3_DPP16"), plain_form("VOP2_SDWA"), plain_form("SOP2")
    ('VOP3', 'VOP2', 'SOP2')
    """
    return form.partition("_DPP")[0].removesuffix("_SDWA")


def extension_of(raw: Any, form: str) -> Extension:
    """What the second dword of an encoding says; nothing where it has none."""
    if form.endswith("_SDWA"):
        return Extension(*_sub_dword(raw, form))
    if form == SCALED:
        return _scales(raw)
    if raw.op.name.endswith(_FORMATTED):
        return Extension(read=_PICKED)
    if "_DPP" not in form:
        return Extension()
    eight = form.endswith("_DPP8")
    code = raw.src0.offset
    if code not in ((_DPP8, _DPP8_FI) if eight else (_DPP16,)):
        raise UnsupportedInstructionError(f"the operand code {_SDWA if eight else _DPP16}")
    operands, fields, read = {"a": raw.vsrc0.offset}, {"fi": 1} if code == _DPP8_FI else {}, {"src0", "vsrc0"}
    if plain_form(form) in ("VOP1", "VOP2", "VOPC") and not eight:
        fields |= _signs(raw)
        read |= _SIGNS.keys()
    if plain_form(form) == "VOP3" and raw.op.name.startswith("V_CMP"):
        operands["m"] = raw.vdst.offset - 256  # the decoder takes it for a vector register
        read.add("vdst")
    return Extension(operands, fields, frozenset(read))


def with_signs(name: str, fields: dict[str, int]) -> dict[str, int]:
    """The fields of CDNA 5's product of bytes, which have signs where the bit of NEG that is A's or B's is set.

    (LLVM, VOP3PInstructions, IU8: neg_lo; RDNA 4 ISA, V_WMMA_I32_16X16X16_IU8.)

    >>> with_signs("V_WMMA_I32_16X16X64_IU8", {"neg": 3}), with_signs("V_WMMA_I32_16X16X64_IU8", {"neg": 1})
    ({}, {'unsigned': 2})
    """
    if not name.endswith("_IU8"):
        return fields
    unsigned = ~fields.get("neg", 0) & 3
    return {key: value for key, value in fields.items() if key != "neg"} | ({"unsigned": unsigned} if unsigned else {})


def with_formats(raw: Any, name: str) -> str:
    """The name of a product with the formats of A and B that its fields pick: `V_MFMA_F32_16X16X128_F8F6F4.FP8.FP4`."""
    if not name.endswith(_FORMATTED):
        return name
    if name.startswith("V_WMMA_"):  # OP_SEL and OP_SEL_HI: LLVM, VOP3PInstructions, matrix_a_fmt and matrix_b_fmt
        a, b = raw.opsel, raw.opsel_hi | raw.opsel_hi2 << 2
    else:
        a, b = raw.cbsz, raw.blgp
    if max(a, b) >= len(_FORMATS):
        raise UnsupportedInstructionError(f"{name} of the formats {a} and {b}")
    return ".".join((name, _FORMATS[a], _FORMATS[b]))


def fields_of_own(raw: Any, name: str, fields: dict[str, int]) -> dict[str, int]:
    """The fields of a product of CDNA 5, which has bits of its own in the places of OP_SEL and OP_SEL_HI.

    They are the formats that its name has; else, but of that of f4, the last says that B is again the one before
    (LLVM's disassembler, matrix_b_reuse; A's is the third of OP_SEL).
    """
    if not name.startswith(_OF_CDNA_5) or name.endswith("_F4"):
        return fields
    if name.endswith(_FORMATTED):
        return {key: value for key, value in fields.items() if key not in ("opsel", "opsel_hi", "opsel_hi2")}
    others = {key: value for key, value in fields.items() if key != "opsel_hi2"}
    return with_signs(name, others | ({"reuse_b": 1} if raw.opsel_hi2 else {}))


def _scales(raw: Any) -> Extension:
    if raw.abid != 1:
        raise UnsupportedInstructionError(f"{raw.op.name} with scales that do not count")
    picked = {f"byte_{role}": raw.opsel >> k & 1 | (raw.opsel_hi >> k & 1) << 1 for k, role in enumerate("ab")}
    read = {"x2encoding", "scale_src0", "scale_src1", "opsel", "opsel_hi", "abid", *_PICKED}
    fields = {name: byte for name, byte in picked.items() if byte}
    return Extension({"scale_a": raw.scale_src0, "scale_b": raw.scale_src1}, fields, frozenset(read))


def _sub_dword(raw: Any, form: str) -> tuple[Mapping[str, int], Mapping[str, int], frozenset[str]]:
    operands = {"a": raw.vsrc0.offset - (256 if raw.s0 else 0)}
    if form != "VOP1_SDWA":
        operands["b"] = raw.vsrc1.offset - (256 if raw.s1 else 0)
    if form == "VOPC_SDWA":
        operands["m"] = raw.sdst.offset if raw.sd else _VCC
    return operands, _signs(raw), frozenset({"src0", "vsrc0", "vsrc1", *_SIGNS})


def _signs(raw: Any) -> dict[str, int]:
    found: dict[str, int] = {}
    for key, (name, bit) in _SIGNS.items():
        if getattr(raw, key):
            found[name] = found.get(name, 0) | bit
    return found
