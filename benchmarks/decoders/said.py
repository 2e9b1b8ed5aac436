"""What a decoder says of an instruction, in a form that two decoders can be compared in; and LLVM's text in that form.

| part | form | LLVM's text |
|---|---|---|
| name | without the encoding's suffix | `v_add_f32_e64` → `v_add_f32` |
| register | kind and number of the first | `v[2:3]` → `v2`, `vcc_lo` → `s106`, `ttmp1` → `s109`, `v2.h` |
| its signs and the like | as the assembler has them | `-|v2|`, `sext(v2)` |
| constant | its 32 bits | `-1` → `#ffffffff`, `0.5` → `#3f000000` |
| modifier | name and number; a list's as bits | `op_sel:[0,1]` → (`op_sel`, 2), `glc` → (`glc`, 1) |

Of 64-bit constants only the inline ones are told from their 32 bits.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from layoutalg.isa.architecture import Wait


@dataclass(frozen=True)
class Said:
    """An instruction as a decoder has it."""

    name: str
    operands: tuple[str, ...] = ()
    modifiers: frozenset[tuple[str, int | str]] = frozenset()
    widths: tuple[int, ...] = ()  # registers that each operand takes; 0 where it is not said

    def __str__(self) -> str:
        modifiers = " ".join(f"{name}:{value}" for name, value in sorted(self.modifiers, key=str))
        return f"{self.name} {', '.join(self.operands)} {modifiers}".strip()


#: Operands with names of their own, as kind and number.
_NAMED = {
    "vcc": ("s106", 2), "vcc_lo": ("s106", 1), "vcc_hi": ("s107", 1),
    "exec": ("s126", 2), "exec_lo": ("s126", 1), "exec_hi": ("s127", 1),
    "flat_scratch": ("s102", 2), "flat_scratch_lo": ("s102", 1), "flat_scratch_hi": ("s103", 1),
    "xnack_mask": ("s104", 2), "xnack_mask_lo": ("s104", 1), "xnack_mask_hi": ("s105", 1),
    "src_shared_base": ("aperture235", 0), "src_shared_limit": ("aperture236", 0),
    "src_private_base": ("aperture237", 0), "src_private_limit": ("aperture238", 0),
    "src_scc": ("scc", 0), "scc": ("scc", 0), "m0": ("m0", 0), "null": ("null", 0), "off": ("off", 0),
}  # fmt: skip
_SUFFIX = re.compile(r"(_e32|_e64)?(_dpp|_sdwa|_dpp8)?$")
_REGISTER = re.compile(r"(v|a|s|ttmp)(?:(\d+)|\[(\d+)(?::(\d+))?\])(\.[lh])?$")
_FIRST_TRAP = 108
#: What LLVM says of registers that an instruction cannot have.
_REMARK = re.compile(r"/\*.*?\*/")
#: 1 / 2π in each of three precisions.
_INVERSE = 0x3E22F983


def number(text: str) -> str:
    """The 32 bits of a constant.

    >>> number("-1"), number("0.5"), number("lit(0x10)")
    ('#ffffffff', '#3f000000', '#10')
    """
    inner = re.fullmatch(r"lit(?:64)?\((.*)\)", text)
    text = inner[1] if inner else text
    if text.startswith("0.159"):
        return f"#{_INVERSE:x}"
    if "." in text:
        return f"#{struct.unpack('<I', struct.pack('<f', float(text)))[0]:x}"
    return f"#{int(text, 0) & 0xFFFFFFFF:x}"


def _operand(text: str) -> tuple[str, int]:
    """An operand and how many registers it takes."""
    if text.startswith("neg(") or (text.startswith("-") and not re.match(r"-[\d.]", text)):
        inner, width = _operand(text[4:-1] if text.startswith("neg(") else text[1:])
        return f"-{inner}", width
    for begin, end in (("|", "|"), ("abs(", ")"), ("sext(", ")")):
        if text.startswith(begin) and text.endswith(end):
            inner, width = _operand(text[len(begin) : -len(end)])
            return (f"sext({inner})" if begin == "sext(" else f"|{inner}|"), width
    if text in _NAMED:
        return _NAMED[text]
    if found := _REGISTER.match(text):
        kind, single, first, last, half = found.groups()
        index, width = int(single or first), int(last) - int(first) + 1 if last else 1
        kind, index = ("s", index + _FIRST_TRAP) if kind == "ttmp" else (kind, index)
        return f"{kind}{index}{half or ''}", width
    return number(text), 0


def _pieces(text: str) -> Iterator[str]:
    """Parts of an operand list, at commas that stand in no brackets."""
    depth, part = 0, ""
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            yield part.strip()
            part = ""
        else:
            part += letter
    if part.strip():
        yield part.strip()


def _modifier(text: str) -> tuple[str, int | str]:
    name, _, value = text.partition(":")
    if not value:
        return name, 1
    if value.startswith("["):
        places = value[1:-1].split(",")
        if name in ("quad_perm", "dpp8", "format"):
            return name, value.replace(" ", "")
        return name, sum(int(bit) << place for place, bit in enumerate(places))
    try:
        return name, int(value, 0)
    except ValueError:
        return name, value


#: Instructions whose immediate is written in words.
WORDED = frozenset({
    "s_waitcnt", "s_sendmsg", "s_sendmsghalt", "s_sendmsg_rtn_b32", "s_sendmsg_rtn_b64", "s_delay_alu", "s_wait_alu",
    "s_waitcnt_depctr", "s_getreg_b32", "s_setreg_b32", "s_setreg_imm32_b32", "s_set_gpr_idx_on", "s_set_gpr_idx_mode",
    "s_wait_event", "s_version", "ds_swizzle_b32",
})  # fmt: skip


def read(text: str) -> Said:
    """LLVM's text of one instruction; of a dual one both halves, with a name and operands in a row.

    >>> str(read("v_add_f32_e64 v1, -|v2|, s[4:5] clamp mul:2"))
    'v_add_f32 v1, -|v2|, s4 clamp:1 mul:2'
    """
    text = _REMARK.sub("", text)
    if " :: " in text:
        halves = [read(half.replace("v_dual_", "v_")) for half in text.split(" :: ")]
        operands = tuple(operand for half in halves for operand in half.operands)
        widths = tuple(width for half in halves for width in half.widths)
        return Said("::".join(half.name for half in halves), operands, widths=widths)
    mnemonic, _, rest = text.partition(" ")
    name = _SUFFIX.sub("", mnemonic)
    if name in WORDED:
        return Said(name, modifiers=frozenset({("words", rest)}))
    modifiers: list[str] = []
    found: list[tuple[str, int]] = []
    for piece in _pieces(rest):
        first, *words = re.findall(r"\|[^|]*\||[^ ]*\([^)]*\)|[^ ]*\[[^\]]*\]\S*|\S+", piece)
        if _is_operand(first):
            found.append(_operand(first))
        else:
            words = [first, *words]
        modifiers += words
    operands, widths = tuple(operand for operand, _ in found), tuple(width for _, width in found)
    return Said(name, operands, frozenset(map(_modifier, modifiers)), widths)


def _is_operand(text: str) -> bool:
    """Whether a word is an operand and not the first modifier of an instruction without operands."""
    try:
        _operand(text)
    except ValueError:
        return False
    return True


_LEFT = re.compile(r"(vm|lgkm|exp|vs)cnt\((\d+)\)")


def left(words: str, wait: Wait) -> dict[str, int]:
    """The accesses that a wait leaves, of which LLVM does not write the counters that it leaves alone.

    >>> left("vmcnt(1)", Wait({"vm": ((0, 4),), "lgkm": ((8, 4),)}))
    {'vm': 1, 'lgkm': 15}
    """
    most = wait.left(-1)
    return {**most, **{counter: int(count) for counter, count in _LEFT.findall(words) if counter in most}}
