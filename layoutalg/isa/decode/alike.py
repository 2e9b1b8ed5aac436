"""Instructions that differ in the numbers of their registers or in their literal alone: decoded once.

| operand | bits of the encoding that may be others | of its number |
|---|---|---|
| vector or accumulation register | 7 | the lowest: v0 to v127, or v128 to v255 |
| scalar register below s96 | 5 | the lowest: 32 of one row |
| literal | 32 | all |

All other bits are the pattern: its name, its form, its fields and its other operands are those of the instruction from
which it was made.  Nothing besides the operand hangs on these bits: the eighth bit of a vector register does (the upper
half of a 16-bit operation, `halves`), and so do codes of scalars from 96 on (VCC, M0, constants).
What it cannot represent: dual instructions, own opcodes, literals of 64 bits, aligned bases; these are decoded anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from layoutalg.isa.decode.instruction import Instruction
from layoutalg.isa.decode.operand import Operand
from layoutalg.records import dataclass

#: Kind of an operand → the lowest bits of its number that are no part of a pattern.
_FREE: Mapping[str, int] = {"v": 7, "a": 7, "s": 5}

#: Scalar registers below this one have their number as their code, in every instruction set.
_PLAIN_SCALARS = 96

_LITERAL = 0xFFFFFFFF

#: In this byte of an instruction lie its encoding and no free bit.
_ENCODING = 24


@dataclass(frozen=True)
class _Pattern:
    """The first instruction that had it, and the bit at which each free number begins."""

    first: Instruction
    registers: tuple[tuple[str, int, tuple[Operand, ...]], ...]  # by role: the first bit, a register by what is there
    literals: tuple[tuple[str, int], ...]

    def instruction(self, word: int) -> Instruction:
        """Another that has it, at the address 0."""
        first = self.first
        operands = dict(first.operands)
        for role, lowest, row in self.registers:
            operands[role] = row[word >> lowest & len(row) - 1]
        for role, lowest in self.literals:
            operands[role] = Operand("bits", word >> lowest & _LITERAL)
        return Instruction(0, first.size, first.name, first.form, MappingProxyType(operands), first.fields)


class Patterns:
    """The patterns that were seen of a target's instructions: by encoding, those with the same free bits together."""

    def __init__(self) -> None:
        self._by_encoding: dict[int, dict[int, dict[int, _Pattern]]] = {}

    def find(self, word: int) -> Instruction | None:
        """The first instruction of a piece of code, given as a number, at the address 0; None of no known pattern."""
        for fixed, known in self._by_encoding.get(_encoding(word), {}).items():
            pattern = known.get(word & fixed)
            if pattern is not None:
                return pattern.instruction(word)
        return None

    def add(self, word: int, first: Instruction, places: Mapping[str, int]) -> None:
        """That of an instruction; `places`: by role, the lowest bit of the field that an operand's number is."""
        rows, literals, fixed = [], [], (1 << 8 * first.size) - 1
        for role, lowest in places.items():
            one = first.operands[role]
            if one.kind == "bits":
                literals.append((role, lowest))
                fixed &= ~(_LITERAL << lowest)
            elif one.kind in ("v", "a") or (one.kind == "s" and one.index < _PLAIN_SCALARS):
                row = _row(one, _FREE[one.kind])
                rows.append((role, lowest, row))
                fixed &= ~((len(row) - 1) << lowest)
        known = self._by_encoding.setdefault(_encoding(word), {}).setdefault(fixed, {})
        known[word & fixed] = _Pattern(first, tuple(rows), tuple(literals))


def _encoding(word: int) -> int:
    return word >> _ENCODING & 0xFF


def _row(one: Operand, free: int) -> tuple[Operand, ...]:
    """The registers whose numbers differ from one's in the free bits alone, by these."""
    first = one.index >> free << free
    return _registers(one.kind, first, 1 << free, one.high)


@cache
def _registers(kind: str, first: int, count: int, high: bool) -> tuple[Operand, ...]:
    return tuple(Operand(kind, first + number, high) for number in range(count))
