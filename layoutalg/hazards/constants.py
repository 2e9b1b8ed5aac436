"""Registers whose value the code itself says: constants moved to them, and what is computed of constants alone.

The semantics table is read on numbers, one for all lanes.  The program counter is the address in the code object, so a
sum with it is the address that a jump leads to.
What it cannot represent: a vector register of which a part of the lanes is written, where EXEC is not all ones: it is
said to be unknown.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from layoutalg.isa.decode.instructions import Instruction, Operand
from layoutalg.isa.run.arrays import ArrayValues
from layoutalg.isa.semantics.entries import Alu
from layoutalg.isa.semantics.table import ALU

_VALUES = ArrayValues()

Place = tuple[str, int]


class Constants:
    """What registers hold, where that is known."""

    def __init__(self, known: Mapping[Place, int] | None = None) -> None:
        self.known: dict[Place, int] = dict(known or {})

    def pair(self, operand: Operand) -> int | None:
        """What two scalar registers hold as one word."""
        low, high = (self.known.get((operand.kind, operand.index + k)) for k in range(2))
        return None if low is None or high is None else high << 32 | low

    def step(self, one: Instruction) -> None:
        """What they hold after an instruction of scalars."""
        alu = ALU.get(one.name)
        if one.name == "S_GETPC_B64":
            self._write(one.operands["d"], 64, one.address + one.size)
        elif alu is not None and one.form.startswith("SOP"):
            self._compute(one, alu)
        else:
            for role in ("d", "m"):
                target = one.operands.get(role)
                if target is not None and target.kind in ("s", "m0"):
                    self.forget(target)

    def forget(self, target: Operand, count: int = 16) -> None:
        """Registers from one on are not known any more."""
        for k in range(count):
            self.known.pop((target.kind, target.index + k), None)

    def _compute(self, one: Instruction, alu: Alu) -> None:
        words = [self._read(one, token) for token in alu.reads]
        if any(word is None for word in words):
            results: list[object] = [None] * len(alu.writes)
        else:
            found = alu.effect(_VALUES, *words)
            results = [found] if len(alu.writes) == 1 else [*found]
        for token, word in zip(alu.writes, results, strict=True):
            number = None if word is None else int(np.asarray(word).reshape(-1)[0])
            if token == "scc":
                self.known.pop(("scc", 0), None)
                if number is not None:
                    self.known["scc", 0] = number
            elif token[0] in one.operands:
                self._write(one.operands[token[0]], int(token[1:]), number)

    def _read(self, one: Instruction, token: str) -> object | None:
        if token == "scc":
            known = self.known.get(("scc", 0))
            return None if known is None else np.full((1, 1, 1, 1), bool(known))
        if token == "k":
            value = one.fields.get("simm16", 0)
            return _VALUES.const(value - (1 << 16) if value >> 15 else value, 32)
        operand = one.operands.get(token[0])
        if operand is None or not token[1:].isdigit():
            return None
        bits = int(token[1:])
        if operand.kind in ("int", "bits"):
            return _VALUES.const(operand.index, bits)
        number = self.pair(operand) if bits == 64 else self.known.get((operand.kind, operand.index))
        return None if number is None else _VALUES.const(number, bits)

    def _write(self, target: Operand, bits: int, number: int | None) -> None:
        for k in range(bits // 32):
            self.known.pop((target.kind, target.index + k), None)
            if number is not None:
                self.known[target.kind, target.index + k] = number >> 32 * k & 0xFFFFFFFF
