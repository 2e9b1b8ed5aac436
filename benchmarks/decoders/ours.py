"""Our decoder's instructions in the form of `said`: operands in the assembler's order, modifiers by its names.

What one of the two writes by rote is left out on both sides (`compared`): sources that are what the short encodings
leave unsaid, `op_sel_hi` of all ones, the low half of a register.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from benchmarks.decoders.said import WORDED, Said
from layoutalg.isa.architecture import Architecture
from layoutalg.isa.decode.instructions import NO_REGISTER, Instruction, Operand
from layoutalg.target.model import CodeFormat

Signs = Mapping[str, tuple[int, int, int]]
"""By role: whether a source is negated, absolute, extended."""

#: Roles in the assembler's order, by encoding.
_ALU = ("d", "m", "a", "b", "c", "n")
_FLAT = ("d", "addr", "data", "base")
_BUFFER = ("d", "data", "addr", "resource", "soffset")
_ORDER: Mapping[str, tuple[str, ...]] = {
    "DS": ("d", "addr", "data", "data2"), "GLOBAL": _FLAT, "FLAT": _FLAT, "SCRATCH": _FLAT,
    "MUBUF": _BUFFER, "VBUFFER": _BUFFER, "SMEM": ("d", "data", "base", "soffset"),
}  # fmt: skip

#: Instructions whose immediate LLVM writes though it is 0; it does of all branches too.
_COUNTED = frozenset({
    "S_NOP", "S_SLEEP", "S_BRANCH", "S_CLAUSE", "S_SETPRIO", "S_WAIT_LOADCNT", "S_WAIT_STORECNT", "S_WAIT_DSCNT",
    "S_WAIT_KMCNT", "S_WAIT_EXPCNT", "S_WAIT_SAMPLECNT", "S_WAIT_BVHCNT", "S_WAIT_LOADCNT_DSCNT",
    "S_WAIT_STORECNT_DSCNT", "S_SET_INST_PREFETCH_DISTANCE", "S_SETHALT", "S_SETKILL", "S_TRAP", "S_DECPERFLEVEL",
    "S_INCPERFLEVEL", "S_WAIT_XCNT", "S_WAIT_ASYNCCNT", "S_WAIT_TENSORCNT", "S_SET_VGPR_MSB", "S_SETPRIO_INC_WG",
    "S_MONITOR_SLEEP", "S_ROUND_MODE", "S_DENORM_MODE", "S_BARRIER_WAIT", "S_TTRACEDATA_IMM",
})  # fmt: skip

#: Names that the manuals and LLVM have differently.
_NAMES = {"v_accvgpr_read": "v_accvgpr_read_b32", "v_accvgpr_write": "v_accvgpr_write_b32"}


def said(instruction: Instruction, architecture: Architecture, machine: CodeFormat) -> Said:
    """An instruction of ours as LLVM would say it."""
    if instruction.halves:
        halves = [said(half, architecture, machine) for half in instruction.halves]
        return Said("::".join(half.name for half in halves), tuple(o for half in halves for o in half.operands))
    name = instruction.name.lower()
    name = _NAMES.get(name, name)
    if name in WORDED:
        return Said(name)
    fields = dict(instruction.fields)
    operands = tuple(_operands(instruction, machine, fields))
    modifiers = dict(_modifiers(instruction, fields, len(operands)))
    return Said(name, operands, frozenset((key, value) for key, value in modifiers.items() if value))


def _operands(instruction: Instruction, machine: CodeFormat, fields: dict[str, int]) -> Iterator[str]:
    """Operands in order, each with its signs; fields that are said with them are taken out."""
    if not machine.scratch_sve and fields.pop("sve", 0):
        fields["lds"] = 1
    name, form, held = instruction.name, instruction.form, _written(instruction, fields)
    signs = _signs(instruction, fields)
    order = ("d", "a", "c", "b") if "MK_" in name else _ORDER.get(form, _ALU)
    for role in order if held else ():
        operand = held.get(role, NO_REGISTER)
        if role == "addr" and form == "SCRATCH":
            there = fields.pop("sve", 0) if machine.scratch_sve else held.get("base") == NO_REGISTER
            yield _text(operand) if there else "off"
        elif role == "addr" and form in ("MUBUF", "VBUFFER"):
            yield _text(operand) if fields.get("offen") or fields.get("idxen") else "off"
        elif role == "base" and form in ("GLOBAL", "SCRATCH"):
            yield "off" if operand == NO_REGISTER else _text(operand)
        elif role in ("base", "soffset") and form in ("FLAT", "SMEM") and operand == NO_REGISTER:
            continue
        elif role in held:
            yield _signed(_text(operand), *signs.get(role, (0, 0, 0)))
    if fields.get("simm16") or form == "SOPK" or name in _COUNTED or name.startswith("S_CBRANCH"):
        yield f"#{fields.pop('simm16', 0):x}"


def _written(instruction: Instruction, fields: Mapping[str, int]) -> dict[str, Operand]:
    """The operands without those that LLVM leaves unsaid."""
    name, held = instruction.name, dict(instruction.operands)
    if name.startswith("V_CMPX"):
        held.pop("m", None)
        held |= {"m": held["m2"]} if "m2" in held else {}
    if name.startswith("V_DIV_FMAS") or instruction.form == "VOPD":
        held.pop("n", None)
    returns = any(fields.get(field, 0) & 1 for field in ("sc0", "glc", "th"))
    if ("ATOMIC" in name and not returns) or fields.get("lds"):
        held.pop("d", None)
    return held


def _signs(instruction: Instruction, fields: dict[str, int]) -> Signs:
    """The signs of sources, which no packed operation has; the fields of V_BITOP3 are its table."""
    if "BITOP3" in instruction.name:
        fields["bitop3"] = fields.pop("omod", 0) << 6 | fields.pop("abs", 0) << 3 | fields.pop("neg", 0)
        return {}
    if instruction.name.startswith("V_WMMA") and instruction.name.endswith("64_IU8"):  # as `decode.extended.with_signs`
        fields["neg"] = ~fields.pop("unsigned", 0) & 3
    if instruction.form.startswith("VOP3P") and "_MIX" not in instruction.name:
        return {}
    negated, absolute = fields.pop("neg", 0), fields.pop("abs", 0) | fields.pop("neg_hi", 0)
    return {
        role: (negated >> bit & 1, absolute >> bit & 1, fields.pop(f"src{bit}_sext", 0))
        for bit, role in enumerate("abc")
    }


def _signed(text: str, negated: int, absolute: int, extended: int) -> str:
    text = f"|{text}|" if absolute else text
    text = f"sext({text})" if extended else text
    return f"-{text}" if negated else text


def _text(operand: Operand) -> str:
    if operand.kind in ("v", "a", "s", "aperture"):
        return f"{operand.kind}{operand.index}{'.h' if operand.high else ''}"
    if operand.kind in ("int", "bits", "wide", "float"):
        return f"#{operand.index & 0xFFFFFFFF:x}"
    return operand.kind


_RENAMED = {"clmp": "clamp", "bc": "bound_ctrl", "neg": "neg_lo", "opsel": "op_sel"}
_OUTPUT = {0: ("mul", 0), 1: ("mul", 2), 2: ("mul", 4), 3: ("div", 2)}
_SELECTED = ("BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD", "")
_UNUSED = ("UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", "")
_TWO = ("READ2", "WRITE2", "WRXCHG2", "2ADDR")


def _modifiers(instruction: Instruction, fields: dict[str, int], operands: int) -> Iterator[tuple[str, int | str]]:
    form, name = instruction.form, instruction.name
    if form == "DS" and not any(two in name for two in _TWO):
        yield "offset", fields.pop("offset0", 0) | fields.pop("offset1", 0) << 8
    if form.endswith("_SDWA"):
        yield from _sub_dword(form, fields)
    if "_DPP" in form:
        yield from _parallel(form, fields)
    if form == "VBUFFER":
        fields.pop("format", 0)
    yield _OUTPUT[fields.pop("omod", 0)]
    if form == "VOP3P":
        upper = fields.pop("opsel_hi", 3) | fields.pop("opsel_hi2", 1) << 2
        bytes_or_less = "_DOT" in name and "16" not in name  # which have no halves
        yield "op_sel_hi", 0 if bytes_or_less else upper & (1 << max(operands - 1, 0)) - 1
    for field, value in fields.items():
        yield _RENAMED.get(field, field), value


def _sub_dword(form: str, fields: dict[str, int]) -> Iterator[tuple[str, int | str]]:
    for field in ("s0", "s1", "sd"):  # said by the operands
        fields.pop(field, 0)
    if form != "VOPC_SDWA":
        yield "dst_sel", _SELECTED[fields.pop("dst_sel", 0)]
        yield "dst_unused", _UNUSED[fields.pop("dst_unused", 0)]
    yield "src0_sel", _SELECTED[fields.pop("src0_sel", 0)]
    if form != "VOP1_SDWA":
        yield "src1_sel", _SELECTED[fields.pop("src1_sel", 0)]


#: Controls of data-parallel primitives (LLVM, SIDefines, DppCtrl).
_ROWS = {0x100: "row_shl", 0x110: "row_shr", 0x120: "row_ror", 0x150: "row_newbcast", 0x160: "row_xmask"}
_WHOLE = {
    0x130: ("wave_shl", 1), 0x134: ("wave_rol", 1), 0x138: ("wave_shr", 1), 0x13C: ("wave_ror", 1),
    0x140: ("row_mirror", 1), 0x141: ("row_half_mirror", 1), 0x142: ("row_bcast", 15), 0x143: ("row_bcast", 31),
}  # fmt: skip


def _parallel(form: str, fields: dict[str, int]) -> Iterator[tuple[str, int | str]]:
    if form.endswith("_DPP8"):
        yield "dpp8", f"[{','.join(str(fields.pop(f'lane_sel_{lane}', 0)) for lane in range(8))}]"
        return
    code = fields.pop("dpp", 0)
    if code < 0x100:
        yield "quad_perm", f"[{','.join(str(code >> shift & 3) for shift in (0, 2, 4, 6))}]"
    else:
        yield _WHOLE.get(code) or (_ROWS.get(code & 0x1F0, f"dpp{code:x}"), code & 15)


#: Names, up to gfx90a, of bits that CDNA 3 calls otherwise (LLVM, SIDefines, CPol), and the one of RDNA of a control.
_BEFORE = frozenset({"gfx906", "gfx908", "gfx90a"})
_OLD = {"glc": "sc0", "slc": "nt", "scc": "sc1"}
#: Values of RDNA 4's scope and temporal hint (LLVM, SIDefines, CPol).
_SCOPES = {"CU": 0, "SE": 1, "DEV": 2, "SYS": 3}
_HINTS = {
    "RT": 0, "NT": 1, "HT": 2, "LU": 3, "RT_WB": 3, "BYPASS": 3, "NT_RT": 4, "RT_NT": 5, "NT_HT": 6, "NT_WB": 7,
    "RETURN": 1, "NT_RETURN": 3, "CASCADE_RT": 4, "CASCADE_NT": 6,
}  # fmt: skip
#: Names of LLVM for scalar products of which both factors have signs, which RDNA 3's says by `neg_lo`.
_SIGNED = {"v_dot4_i32_i8": "v_dot4_i32_iu8", "v_dot8_i32_i4": "v_dot8_i32_iu4"}
#: LLVM's names for CDNA 5 of what it calls as we do for others.
_PROGRAM_COUNTER = {
    "s_get_pc_i64": "s_getpc_b64", "s_set_pc_i64": "s_setpc_b64", "s_swap_pc_i64": "s_swappc_b64",
    "s_call_i64": "s_call_b64", "s_rfe_i64": "s_rfe_b64",
}  # fmt: skip
_SCALAR_MEMORY = ("s_load", "s_store", "s_buffer", "s_atomic", "s_scratch", "s_dcache_discard", "s_prefetch")


def compared(ours: Said, theirs: Said, target: str) -> Said:
    """LLVM's side as ours says it: its names of this target's bits and products, and nothing that it writes by rote."""
    operands, modifiers = theirs.operands, {key: value for key, value in theirs.modifiers if value}
    renamed = _OLD if target in _BEFORE and not ours.name.startswith("s_") else {}
    for old, new in {**renamed, "row_share": "row_newbcast"}.items():
        if old in modifiers:
            modifiers[new] = modifiers.pop(old)
    for key, parts, values in (("scope", 1, _SCOPES), ("th", 2, _HINTS)):
        if key in modifiers:
            modifiers[key] = values.get(str(modifiers[key]).split("_", parts)[-1], modifiers[key])
    if "op_sel_hi" in dict(ours.modifiers):
        modifiers.setdefault("op_sel_hi", 0 if "_mix" in ours.name else (1 << len(operands) - 1) - 1)
    if any(".l" in operand or ".h" in operand for operand in operands) and "op_sel" in modifiers:
        places = (*operands[1:], operands[0])  # the halves of registers are said twice
        upper = sum(1 << place for place, operand in enumerate(places) if ".h" in operand)
        modifiers["op_sel"] = int(modifiers["op_sel"]) & ~upper
    operands = tuple(operand.replace(".l", "") for operand in operands)
    if ours.name.startswith(_SCALAR_MEMORY) and operands[-1:] == ("null",):
        operands = operands[:-1]
    if ours.name.startswith(_SCALAR_MEMORY) and len(operands) > 2 and operands[-1].startswith("#"):
        offset = int(operands[-1][1:], 16)
        modifiers["offset"], operands = offset - (offset >> 31 << 32), operands[:-1]
    if _wrong_constant(ours, operands):
        operands = ours.operands
    name = theirs.name if theirs.name == ours.name else _matrix(_PROGRAM_COUNTER.get(theirs.name, theirs.name))
    if ours.name == _SIGNED.get(name):
        name, modifiers = ours.name, {**modifiers, "neg_lo": 3}
    left = frozenset((key, value) for key, value in modifiers.items() if value)
    return replace(theirs, name=name, operands=operands, modifiers=left)


def _wrong_constant(ours: Said, operands: tuple[str, ...]) -> bool:
    """Whether LLVM 23 read a constant K of 128 to 192 as if it were the code of a small one (LLVM 19 does not)."""
    if not re.search(r"(fma|mad)[am]k_", ours.name) or len(ours.operands) != len(operands):
        return False
    differing = [pair for pair in zip(ours.operands, operands, strict=True) if pair[0] != pair[1]]
    return all(
        one.startswith("#") and other.startswith("#") and int(one[1:], 16) == int(other[1:], 16) + 128
        for one, other in differing
    )


_PRODUCT = re.compile(r"(v_mfma_[a-z0-9]+)_(\d+)x(\d+)x(\d+)(f32|f16|i8|bf16|f64)(_1k)?$")
#: Elements that a lane has of a factor.
_ELEMENTS = {"f32": 1, "f64": 1, "f16": 4, "i8": 4, "bf16": 2}


def _matrix(name: str) -> str:
    """CDNA 3's name of a matrix product of CDNA 2: of how many blocks it is stands in it.

    >>> _matrix("v_mfma_f32_32x32x8f16"), _matrix("v_mfma_f32_32x32x4bf16_1k")
    ('v_mfma_f32_32x32x8_f16', 'v_mfma_f32_32x32x4_2b_bf16')
    """
    found = _PRODUCT.match(name)
    if not found:
        return name
    result, m, n, k, dtype, more = found.groups()
    blocks = _ELEMENTS[dtype] * (2 if more else 1) * 64 // (int(m) * int(k))
    return f"{result}_{m}x{n}x{k}_{f'{blocks}b_' if blocks > 1 else ''}{dtype}"


def alike(ours: Said, theirs: Said) -> bool:
    """Whether ours says all that LLVM does, and besides only signs, halves and modifiers."""
    return _plain(ours) == _plain(theirs) and theirs.modifiers <= ours.modifiers


def _plain(one: Said) -> tuple[str, ...]:
    """Operands without signs, and without halves where bits say halves of what has none: LLVM then says none at all."""
    halves = "" if "op_sel" in dict(one.modifiers) else ".h"
    return tuple(re.sub(r"^-?\|?([^|]*)\|?$", r"\1", operand).replace(".h", halves) for operand in one.operands)
