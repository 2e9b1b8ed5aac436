"""Registers whose value the code itself says: constants moved to them, and what is computed of constants alone.

The semantics table is read on numbers, one for all lanes.  The program counter is the address in the code object, so a
sum with it is the address that a jump leads to.
What it cannot represent: a vector register of which a part of the lanes is written, where EXEC is not all ones: it is
said to be unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from layoutalg.isa.decode.instructions import EXEC, Instruction, Operand
from layoutalg.isa.run.arrays import ArrayValues
from layoutalg.isa.semantics.entries import Alu
from layoutalg.isa.semantics.table import ALU

_VALUES = ArrayValues()

Place = tuple[str, int]

_STATE = {"scc": Operand("scc"), "exec32": Operand("s", EXEC), "exec64": Operand("s", EXEC)}


class Constants:
    """What registers hold, where that is known."""

    def __init__(self, known: Mapping[Place, int] | None = None) -> None:
        self.known: dict[Place, int] = dict(known or {})

    def get(self, place: Place) -> int | None:
        """What a register holds; None where that is not known."""
        return self.known.get(place)

    def pair(self, operand: Operand) -> int | None:
        """What two scalar registers hold as one word."""
        low, high = (self.get((operand.kind, operand.index + k)) for k in range(2))
        return None if low is None or high is None else high << 32 | low

    def step(self, one: Instruction, writes: Iterable[Place]) -> None:
        """What they hold after an instruction: scalar arithmetic is done, all else that it writes is not known.

        `writes`: the scalar registers that it writes.
        """
        alu = ALU.get(one.name)
        if one.name == "S_GETPC_B64":
            self._write(one.operands["d"], 64, one.address + one.size)
        elif alu is not None and one.form.startswith("SOP"):
            self._compute(one, alu)
        else:
            for place in writes:
                self.known.pop(place, None)

    def _compute(self, one: Instruction, alu: Alu) -> None:
        words = [self.read(one, token) for token in alu.reads]
        found: object = None if any(word is None for word in words) else alu.effect(_VALUES, *words)
        results = found if isinstance(found, tuple) else [found] * len(alu.writes)
        for token, word in zip(alu.writes, results, strict=True):
            number = None if word is None else int(np.asarray(word).reshape(-1)[0])
            target = _STATE.get(token) or one.operands.get(token[0])
            if target is not None:
                self._write(target, int(token[-2:]) if token[-2:].isdigit() else 32, number)

    def read(self, one: Instruction, token: str) -> object | None:
        """What a token of a signature reads (`isa.semantics.table`); None where that is not known."""
        if token == "k":
            value = one.fields.get("simm16", 0)
            return _VALUES.const(value - (1 << 16) if value >> 15 else value, 32)
        operand = _STATE.get(token) or one.operands.get(token[0])
        if operand is None:
            return None
        if token == "scc":
            truth = self.get(("scc", 0))
            return None if truth is None else np.full((1, 1, 1, 1), bool(truth))
        bits = int(token[-2:])
        if operand.kind in ("int", "bits"):
            return _VALUES.const(operand.index, bits)
        number = self.pair(operand) if bits == 64 else self.get((operand.kind, operand.index))
        return None if number is None else _VALUES.const(number, bits)

    def _write(self, target: Operand, bits: int, number: int | None) -> None:
        for k in range(bits // 32):
            self.known.pop((target.kind, target.index + k), None)
            if number is not None:
                self.known[target.kind, target.index + k] = number >> 32 * k & 0xFFFFFFFF
