"""Operands: registers and constants, and the codes of nine bits that stand for them in an encoding."""

from __future__ import annotations

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.architecture import Architecture
from layoutalg.records import dataclass

VCC, EXEC = 106, 126


@dataclass(frozen=True)
class Operand:
    """A register or a constant.

    `kind` is `v` (vector), `a` (accumulation), `s` (scalar, 106–107 VCC, 108–123 trap temporaries, 126–127 EXEC),
    `m0`, `null`, `scc`, `int` (`index` is the value), `bits` (a 32-bit literal), `wide` (one of 64), `float` (a
    constant's 32 bits) or `aperture` (235 the base of LDS, 237 of scratch, in the flat address space).
    """

    kind: str
    index: int = 0
    high: bool = False  # of a 16-bit operation: the upper half of the register

    def __str__(self) -> str:
        names = {("s", VCC): "vcc", ("s", EXEC): "exec", ("s", VCC + 1): "vcc_hi", ("s", EXEC + 1): "exec_hi"}
        if self.kind in ("m0", "null", "scc"):
            return self.kind
        if self.kind == "int":
            return str(self.index)
        return names.get((self.kind, self.index)) or (
            f"{self.index:#x}"
            if self.kind in ("bits", "wide", "float")
            else f"{self.kind}{self.index}{'.h' if self.high else ''}"
        )


NO_REGISTER = Operand("null")
"""What is read as 0 and written nowhere; of an access without a scalar base, its base."""


#: Inline floats of the source field, as 32 bits (ISA manuals, "Scalar source operands", codes 240–248).
_FLOATS = (0x3F000000, 0xBF000000, 0x3F800000, 0xBF800000, 0x40000000, 0xC0000000, 0x40800000, 0xC0800000, 0x3E22F983)


def operand(code: int, literal: int | None, architecture: Architecture) -> Operand:
    """An operand from its nine-bit code (ISA manuals, "Scalar source operands")."""
    if code >= 256:
        return Operand("v", code - 256)
    special = architecture.special.get(code)
    if special == "":
        raise UnsupportedInstructionError(f"the operand code {code}, which {architecture.name.upper()} reserves")
    if special:
        return Operand(special)
    if code < 128:
        return Operand("s", code)
    if code <= 192:
        return Operand("int", code - 128)
    if code <= 208:
        return Operand("int", 192 - code)
    if 235 <= code <= 238:
        return Operand("aperture", code)
    if 240 <= code <= 248:
        return Operand("float", _FLOATS[code - 240])
    if code == 254 and architecture.wide_literals:
        return Operand("wide")  # its value: `_with_wide`
    if code == 255 and literal is not None:
        return Operand("bits", literal)
    if code == 253:
        return Operand("scc")
    raise UnsupportedInstructionError(f"the operand code {code}")
