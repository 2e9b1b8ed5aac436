"""One decoded instruction: a name, operands by role and immediate fields (`instructions` has the roles)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from types import MappingProxyType

from layoutalg.isa.decode.operand import Operand
from layoutalg.records import dataclass


@dataclass(frozen=True)
class Instruction:
    """One instruction, or one half of a dual one."""

    address: int
    size: int  # bytes
    name: str  # as the ISA manual of its architecture has it, without _e32 and _e64; formats that fields pick behind it
    form: str  # the encoding: SOP2, VOP3, DS, …
    operands: Mapping[str, Operand] = field(default_factory=lambda: MappingProxyType({}))
    fields: Mapping[str, int] = field(
        default_factory=lambda: MappingProxyType({})
    )  # immediates and modifiers, none that is the assembler's own
    halves: tuple[Instruction, ...] = ()  # of a dual instruction: both read before either writes
    mode: int | None = None  # the float mode, where the code sets it (`modes`); else the descriptor's

    @cached_property
    def is_branch(self) -> bool:
        """Whether it may go on elsewhere, at an address relative to its own."""
        return self.name.startswith(("S_BRANCH", "S_CBRANCH"))

    @cached_property
    def place(self) -> str:
        """Its address and text, as messages have them."""
        return f"{self.address:#x} {self}"

    def __str__(self) -> str:
        if self.halves:
            return " :: ".join(map(str, self.halves))
        operands = ", ".join(f"{role}={operand}" for role, operand in self.operands.items())
        fields = " ".join(f"{name}:{value:#x}" for name, value in self.fields.items())
        return " ".join(part for part in (self.name.lower(), operands, fields) if part)
