"""Bytes to instructions: tinygrad's decoder, and around it what a reader of the semantics needs.

The three encodings of an operation (`_e32`, `_e64`, with a literal) become one form: a name, operands by role and the
immediate fields.  Registers that an encoding leaves unsaid (VCC of a short compare or carry) are written out.

| role | is |
|---|---|
| `d` | the result: vector or scalar register |
| `a`, `b`, `c` | first, second, third source |
| `m` | the lane mask written: a compare's result, a carry out |
| `m2` | a second register that gets the mask: CDNA's V_CMPX writes EXEC besides its destination |
| `n` | the lane mask read: the condition of a select, a carry in |
| `addr`, `base` | a memory access's vector address and its scalar base |
| `resource` | the first of the four registers that describe a buffer |
| `data`, `data2` | what a store writes |

An operand keeps only its first register: how many it spans is said by the semantics' entry.  A field is kept where it
is not what the assembler writes for want of a word (0, and of packed operations `DEFAULTS`).  Bits that say nothing of
the operation, reserved ones and registers that it has not, must be as the assembler leaves them.
What it cannot represent: instructions with data-parallel-primitive operands (they stop with their name).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.architecture import Architecture
from layoutalg.isa.decode.alike import Patterns
from layoutalg.isa.decode.block_scales import loaded_scales, scaled_name
from layoutalg.isa.decode.buffers import buffer_instruction
from layoutalg.isa.decode.dual import DualHalf, DualWords, dual_words
from layoutalg.isa.decode.extended import (
    SCALED,
    extension_of,
    fields_of_own,
    plain_form,
    with_formats,
    with_second_dword,
)
from layoutalg.isa.decode.halves import halves_of, pick_halves
from layoutalg.isa.decode.instruction import Instruction as Instruction
from layoutalg.isa.decode.opcodes import OwnOpcode
from layoutalg.isa.decode.operand import EXEC as EXEC
from layoutalg.isa.decode.operand import NO_REGISTER as NO_REGISTER
from layoutalg.isa.decode.operand import VCC as VCC
from layoutalg.isa.decode.operand import Operand as Operand
from layoutalg.isa.decode.operand import operand
from layoutalg.isa.decode.readable import readable
from layoutalg.isa.decode.tensor import tensor_words
from layoutalg.isa.decode.unused import refuse_reserved, unused_fields
from layoutalg.isa.semantics.table import ALU
from layoutalg.lazy import lazy_imports

with lazy_imports():
    import tinygrad.renderer.amd as amd


def decode(code: bytes, address: int, architecture: Architecture, target: str = "") -> Iterator[Instruction]:
    """The instructions of a piece of code, in order.

    `target` is needed where two targets of one architecture give an opcode two meanings.

    Raises `UnsupportedInstructionError` at bytes that the decoder does not know.

    >>> from layoutalg.isa.architecture import ARCHITECTURES
    >>> [str(instruction) for instruction in decode(bytes.fromhex("00810080"), 0, ARCHITECTURES["cdna"])]
    ['s_add_u32 d=s0, a=s0, b=1']
    """
    position, known, patterns = 0, _known(architecture, target), _patterns(architecture, target)
    while position < len(code):
        found = next((one for size in _SIZES if (one := known.get(code[position : position + size]))), None)
        if found is None:
            try:
                found = first_of(code[position : position + _SIZES[-1]], architecture, target, patterns)
            except UnsupportedInstructionError as error:
                raise UnsupportedInstructionError(f"{error}, at {address + position:#x}") from error
            if len(known) == _MOST:
                known.clear()
            if position + found.size <= len(code):
                known[code[position : position + found.size]] = found
        yield _at(found, address + position)
        position += found.size


#: Bytes of an instruction.
_SIZES = (4, 8, 12, 16)

#: Named barriers that a block has at most.
_NAMED_BARRIERS = 16

#: Instructions of a target that are kept: few differ, in many kernels.
_MOST = 1 << 18


@lru_cache
def _known(architecture: Architecture, target: str) -> dict[bytes, Instruction]:
    """The instructions that were decoded, at the address 0, by their own bytes, of which none begins another's."""
    return {}


@lru_cache
def _patterns(architecture: Architecture, target: str) -> Patterns:
    """What the instructions that were decoded have in common with others."""
    return Patterns()


def first_of(code: bytes, architecture: Architecture, target: str, patterns: Patterns) -> Instruction:
    """The first instruction of 16 bytes, at the address 0; by its pattern, if that is known."""
    word = int.from_bytes(code, "little")
    alike = patterns.find(word)
    if alike is not None:
        return alike
    extra = _undecoded(code, architecture)
    if extra is not None:
        return Instruction(0, 8, extra, "MUBUF")
    try:
        dual = dual_words(code) if architecture.wide_literals else None
        if dual:
            return _dual(tuple(_half_of(dual, half, architecture) for half in dual.halves), dual.form, dual.size)
        tensor = tensor_words(code) if architecture.counters.tensors else None
        if tensor:
            groups = MappingProxyType({f"group{k}": Operand("s", first) for k, first in enumerate(tensor.groups)})
            return Instruction(0, 12, tensor.name, "TENSOR", groups, MappingProxyType(tensor.fields))
        scales = loaded_scales(code) if architecture.counters.tensors else None
        if scales:
            one, (kind, codes, said) = first_of(code[8:], architecture, target, patterns), scales
            operands = {**one.operands, **{role: operand(code, None, architecture) for role, code in codes.items()}}
            return Instruction(0, 16, scaled_name(kind, one.name), one.form, operands, {**one.fields, **said})
        known, own, tables = readable(code.ljust(16, b"\0"), architecture, target)
        raw = buffer_instruction(known, tables) or amd.decode_inst(known, tables)
        raw = with_second_dword(raw, known)
        found, places = _normalised(raw, architecture, own)
        whole = _with_wide(found, known)
        if places and whole is found and own is None and raw._raw == word & (1 << 8 * found.size) - 1:
            patterns.add(word, found, places)
        return whole
    except (ValueError, AssertionError, UnsupportedInstructionError) as error:
        raise UnsupportedInstructionError(f"bytes {code[:8].hex()}: {error}") from error


def _at(instruction: Instruction, address: int) -> Instruction:
    one, halves = instruction, tuple(_at(half, address) for half in instruction.halves)
    return Instruction(address, one.size, one.name, one.form, one.operands, one.fields, halves, one.mode)


#: Bits 26–31 of MUBUF (ISA manuals).
_MUBUF = 0x38


def _undecoded(code: bytes, architecture: Architecture) -> str | None:
    word = int.from_bytes(code[:8], "little")
    return architecture.undecoded.get(word >> 18 & 0xFF) if word & ~(0xFF << 18) == _MUBUF << 26 else None


#: Field of an encoding → role.  `vdst` of a compare is its mask (see `_role`).
_ROLES = {
    "vdst": "d", "sdst": "d", "sdata": "d",
    "src0": "a", "ssrc0": "a", "src1": "b", "vsrc1": "b", "ssrc1": "b", "src2": "c",
    "addr": "addr", "vaddr": "addr", "saddr": "base", "sbase": "base", "soffset": "soffset",
    "srsrc": "resource", "data": "data", "vsrc": "data", "data0": "data", "data1": "data2", "vdata": "data",
}  # fmt: skip

#: Of these, those that hold a half or a quarter of the register's number.
_ALIGNED = frozenset({"sbase", "srsrc"})

#: Fields that carry numbers, kept under these names; every other field that is set is kept under its own.
_NUMBERS = {"ioffset": "offset"}

#: What the assembler sets by itself in packed operations and matrix products, also of sources that are not there: high
#: halves come of high halves (LLVM, AMDGPUMCCodeEmitter, getImplicitOpSelHiEncoding).
DEFAULTS: Mapping[str, Mapping[str, int]] = {"VOP3P": {"opsel_hi": 3, "opsel_hi2": 1}, "VBUFFER": {"format": 1}}


def _normalised(
    raw: Any, architecture: Architecture, own: OwnOpcode | None = None
) -> tuple[Instruction, Mapping[str, int]]:
    """What was decoded in the form of this module, at the address 0, and of its operands where their fields begin."""
    form = type(raw).__name__.removesuffix("_LIT")
    if form == "VOPD":
        halves = tuple(_dual_half(raw, half, architecture) for half in "xy")
        return _dual(halves, form, raw.size()), {}
    form = form.removesuffix("_SDST")
    form = form[1:] if form in ("VFLAT", "VGLOBAL", "VSCRATCH") else form
    known = raw.op.name.removesuffix("_E32").removesuffix("_E64")
    name = with_formats(raw, own.name if own else known)
    extension, plain = extension_of(raw, form), plain_form(form)
    operands = {role: operand(code, None, architecture) for role, code in extension.operands.items()}
    fields = dict(extension.fields)
    unused = unused_fields(raw, form, known, own.name if own else "") - architecture.used_fields.get(form, frozenset())
    more = architecture.more_bits.get(form, {})
    refuse_reserved(raw, unused, architecture, sum(1 << bit for bit in more.values()))
    fields |= {key: 1 for key, bit in more.items() if raw._raw >> bit & 1}
    read = unused | extension.read
    if form == "SMEM" and architecture.says_scalar_offsets:
        read |= {"imm", "soffset_en"} | (frozenset() if raw.imm else {"offset"})
        if "soffset" not in unused:
            operands["soffset"] = _scalar_offset(raw, name, architecture)
    defaults, places = DEFAULTS.get(plain, {}), dict[str, int]()
    for key, bits in raw._fields:
        value = getattr(raw, key)
        if key in ("op", "encoding", "seg", "literal") or key in read:
            continue
        if key == "rsrc":
            operands["resource"] = operand(value, None, architecture)
        elif type(bits).__name__ in ("BitField", "FixedBitField"):
            if value != defaults.get(key, 0):
                key = _NUMBERS.get(key, key)
                fields[key] = _signed(value, architecture.signed_offsets.get(form, 0)) if key == "offset" else value
        elif key == "saddr" and value.offset == architecture.no_base:
            operands["base"] = NO_REGISTER
        elif key in _ROLES:
            role = _role(key, name, plain)
            if role not in operands:
                operands[role] = operand(value.offset, raw._literal, architecture)
                places |= {} if key in _ALIGNED else {role: bits.lo}
        elif value.offset:
            fields[key] = value.offset
    fields = fields_of_own(raw, own.name, fields) if own else fields
    operands |= _constant(name, raw._literal)
    _write_out(name, operands, fields, architecture)
    _accumulators(name, form, operands, fields, raw, architecture.accumulators == "apart")
    if architecture.halves:
        narrow = own.halves if own and own.halves is not None else halves_of(raw, plain)
        if architecture.short_halves or plain == "VOP3":
            pick_halves(narrow, plain, operands, fields)
    if architecture.has_named_barriers and name in ("S_BARRIER_SIGNAL", "S_BARRIER_WAIT") and _named(operands, fields):
        name += ".NAMED"
    found = Instruction(0, raw.size(), name, form, MappingProxyType(operands), MappingProxyType(fields))
    return found, _places(raw, places, operands)


def _named(operands: Mapping[str, Operand], fields: Mapping[str, int]) -> bool:
    """Whether a barrier is one of the named ones (LLVM, AMDGPUExecutionSynchronization)."""
    which = operands.get("a", Operand("int", fields.get("simm16", 0)))
    return which.kind == "m0" or (which.kind == "int" and 1 <= which.index <= _NAMED_BARRIERS)


def _places(raw: Any, places: Mapping[str, int], operands: Mapping[str, Operand]) -> Mapping[str, int]:
    """Of operands that are registers with the number of a field, and of literals: the field's lowest bit."""
    literal = {bits.lo for key, bits in raw._fields if key == "literal"}
    return {
        **{role: low for role, low in places.items() if operands[role].kind in ("v", "a", "s")},
        **{role: low for low in literal for role, one in operands.items() if one.kind == "bits"},
    }


def _scalar_offset(raw: Any, name: str, architecture: Architecture) -> Operand:
    """The register with CDNA's offset of a scalar access, which may stand in the immediate's place (CDNA 3 ISA, SMEM).

    (LLVM, SMInstructions, SMEM_Real_SGPR_vi and SMEM_Real_SGPR_alt_gfx9.)
    """
    if not raw.soffset_en and raw.soffset.offset:
        raise UnsupportedInstructionError(f"{name} has the register field soffset, which it does not use")
    if not raw.imm and raw.offset >> (0 if raw.soffset_en else 7):
        raise UnsupportedInstructionError(f"{name} has the offset {raw.offset:#x}, which it does not use")
    if raw.soffset_en or not raw.imm:
        return operand(raw.soffset.offset if raw.soffset_en else raw.offset, None, architecture)
    return NO_REGISTER


#: Operations that have a constant of their own, K in the manuals → its role.
_CONSTANT = {
    **{f"{prefix}_{name}K_{dtype}": "c" for prefix in "VS" for name in ("FMAM", "FMAA", "MADM", "MADA")
       for dtype in ("F32", "F16")},
    "S_SETREG_IMM32_B32": "a",
}  # fmt: skip


#: Those whose constant has 64 bits.
_WIDE_CONSTANT = frozenset({"V_FMAMK_F64", "V_FMAAK_F64"})


def _constant(name: str, literal: int | None) -> Mapping[str, Operand]:
    """The constant that an operation has besides its sources (ISA manuals, V_FMAMK_F32, S_SETREG_IMM32_B32)."""
    if name in _WIDE_CONSTANT:
        return {"c": Operand("wide")}
    return {_CONSTANT[name]: Operand("bits", literal)} if literal is not None and name in _CONSTANT else {}


def _role(key: str, name: str, form: str) -> str:
    if key == "vdata":
        return "d" if "LOAD" in name else "data"
    if name.startswith("V_CMP") and key in ("vdst", "sdst"):
        return "m"
    if form == "VOP3SD" and key == "sdst":
        return "m"
    if key == "src2" and name in ALU and "n" in ALU[name].reads and not any(t[0] == "c" for t in ALU[name].reads):
        return "n"
    return _ROLES[key]


def _write_out(name: str, operands: dict[str, Operand], fields: dict[str, int], architecture: Architecture) -> None:
    """Adds the VCC that the short encodings leave unsaid (ISA manuals, VOP2 and VOPC)."""
    vcc = Operand("s", EXEC if name.startswith("V_CMPX") else VCC)
    if name.startswith("V_CMP"):
        given = operands.get("m", Operand("s", VCC))
        operands["m"] = vcc if name.startswith("V_CMPX") else given
        if name.startswith("V_CMPX") and architecture.compares_write_vcc:
            operands["m2"] = given  # only RDNA's writes EXEC alone
    if name in ALU and "m" in ALU[name].writes:
        operands.setdefault("m", vcc)
    if name in ALU and "n" in ALU[name].reads:
        operands.setdefault("n", vcc)


def _accumulators(
    name: str, form: str, operands: dict[str, Operand], fields: dict[str, int], raw: Any, apart: bool
) -> None:
    """Turns the vector registers that the instruction says to be accumulation registers into such (CDNA 3 ISA, ACC)."""
    roles: list[str] = []
    if name in ("V_ACCVGPR_READ", "V_ACCVGPR_WRITE", "V_ACCVGPR_MOV_B32"):
        roles = {"V_ACCVGPR_READ": ["a"], "V_ACCVGPR_WRITE": ["d"]}.get(name, ["a", "d"])
    elif form in ("VOP3P_MFMA", SCALED):
        said = {"a": raw.acc & 1, "b": raw.acc >> 1 & 1, "c": raw.acc_cd, "d": raw.acc_cd}
        if apart:
            if raw.acc_cd:
                raise UnsupportedInstructionError(f"{name} has the bit acc_cd, which it does not use")
            said |= {"c": 1, "d": 1}
        if name.startswith("V_SMFMAC"):
            del said["c"]  # which of the elements of a sparse matrix are there, a vector register
        roles = [role for role, bit in said.items() if bit]
        others = () if form == SCALED else ("opsel", "opsel_hi", "opsel_hi2", "neg", "neg_hi", "clmp")
        for key in ("acc", "acc_cd", *others):  # other names of the bits of acc, acc_cd, cbsz, abid and blgp
            fields.pop(key, None)
    elif fields.pop("acc", 0):
        if apart:
            raise UnsupportedInstructionError(f"{name} has the bit acc, which it does not use")
        roles = ["d", "data", "data2"]
    if name in ("V_READLANE_B32", "V_READFIRSTLANE_B32") and operands["d"].kind == "v":
        operands["d"] = Operand("s", operands["d"].index)  # the field holds a scalar register's code
    for role in roles:
        if role in operands and operands[role].kind == "v":
            operands[role] = Operand("a", operands[role].index)


def _dual(halves: tuple[Instruction, ...], form: str, size: int) -> Instruction:
    return Instruction(0, size, f"{halves[0].name}::{halves[1].name}", form, halves=halves)


def _half_of(dual: DualWords, half: DualHalf, architecture: Architecture) -> Instruction:
    operands = {role: operand(code, dual.literal, architecture) for role, code in half.operands.items()}
    operands |= _constant(half.name, dual.literal)
    _write_out(half.name, operands, {}, architecture)
    fields = MappingProxyType(dict(half.fields))
    return Instruction(0, dual.size, half.name, dual.form, MappingProxyType(operands), fields)


def _with_wide(found: Instruction, code: bytes) -> Instruction:
    """The instruction with its literal of 64 bits, if it has one, which stands behind it."""
    roles = [role for role, operand in found.operands.items() if operand.kind == "wide"]
    if not roles:
        return found
    at = found.size - (4 if found.name in _WIDE_CONSTANT else 0)  # which the decoder takes for one of 32 bits
    if at + 8 > len(code) or any(operand.kind == "bits" for operand in found.operands.values()):
        raise UnsupportedInstructionError(f"{found.name} with a literal of 64 bits")
    literal = Operand("wide", int.from_bytes(code[at : at + 8], "little"))
    operands = MappingProxyType({**found.operands, **dict.fromkeys(roles, literal)})
    return replace(found, size=at + 8, operands=operands)


def _dual_half(raw: Any, half: str, architecture: Architecture) -> Instruction:
    name = getattr(raw, f"op{half}").name.replace("V_DUAL_", "V_").removesuffix("_E32")
    operands = {
        "d": operand(getattr(raw, f"vdst{half}").offset, None, architecture),
        "a": operand(getattr(raw, f"src{half}0").offset, raw._literal, architecture),
    }
    if name == "V_MOV_B32":
        if getattr(raw, f"vsrc{half}1").offset != 256:
            raise UnsupportedInstructionError(f"{name} has the register field vsrc{half}1, which it does not use")
    else:
        operands["b"] = operand(getattr(raw, f"vsrc{half}1").offset, None, architecture)
    operands |= _constant(name, raw._literal)
    _write_out(name, operands, {}, architecture)
    return Instruction(0, raw.size(), name, "VOPD", MappingProxyType(operands))


def _signed(value: int, bits: int) -> int:
    """A field as a number; `bits` are 0 where it has no sign."""
    return value - (1 << bits) if bits and value >> (bits - 1) else value
