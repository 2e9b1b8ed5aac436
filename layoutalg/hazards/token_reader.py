"""The semantics table read on arrays with axes for waves and lanes: one reader, for whoever knows what registers hold.

| a token | is |
|---|---|
| `a32` `b64` `d32` … | the word of a register, of two, or of a constant |
| `n` | the truth of each lane, which whoever knows masks says |
| `scc`, `exec64` | kept as registers are |
| `lane`, `k` | the lane's number, the immediate |

An instruction of which a source is not known has no result that is.
What it cannot represent: floating point, modifiers of operands, halves of registers.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from layoutalg.isa.decode.instructions import EXEC, Instruction, Operand
from layoutalg.isa.run.arrays import Array, ArrayValues
from layoutalg.isa.semantics.table import ALU

VALUES = ArrayValues()

Place = tuple[str, int]

EXECUTION = Operand("s", EXEC)


class TokenReader:
    """What instructions make of words that are known by their registers, in waves of so many lanes."""

    words: Mapping[Place, Array]
    lanes: int

    def mask(self, operand: Operand) -> Array | None:
        """The truth of each lane that scalar registers are."""
        raise NotImplementedError

    def read(self, operand: Operand, bits: int = 32) -> Array | None:
        """The word that an operand is."""
        if operand.kind in ("int", "bits"):
            return VALUES.const(operand.index, bits)
        low = self.words.get((operand.kind, operand.index))
        if bits == 32 or low is None:
            return low
        high = self.words.get((operand.kind, operand.index + 1))
        return None if high is None else VALUES.pair(*np.broadcast_arrays(low, high))

    def computed(self, one: Instruction) -> dict[str, Array] | None:
        """What an instruction of the table writes, by token; None where a source is not known, or it is not read."""
        alu = ALU.get(one.name)
        if alu is None or alu.floats or one.fields.keys() - {"simm16"} or len(one.form) > 5:
            return None
        words = [self._token(one, token) for token in alu.reads]
        if any(word is None for word in words):
            return None
        found = alu.effect(VALUES, *words)
        return dict(zip(alu.writes, [found] if len(alu.writes) == 1 else [*found], strict=True))

    def _token(self, one: Instruction, token: str) -> Array | None:
        """What a token of a signature reads (`isa.semantics.table`)."""
        if token == "k":
            value = one.fields.get("simm16", 0)
            return VALUES.const(value - (1 << 16) if value >> 15 else value, 32)
        if token == "lane":
            return np.arange(self.lanes, dtype=np.uint32).reshape(1, 1, 1, -1)
        if token == "scc":
            word = self.words.get(("scc", 0))
            return None if word is None else word != 0
        if token.startswith("exec"):
            return self.read(EXECUTION, int(token[4:]))
        operand = one.operands.get(token[0])
        if operand is None:
            return None
        if token == "n":
            return self.mask(operand)
        return self.read(operand, int(token[1:])) if token[1:] in ("32", "64") else None


def halves(target: Operand, word: Array) -> list[tuple[Place, Array]]:
    """The registers that hold a word of 32 or 64 bits."""
    parts = (word,) if word.dtype == np.uint32 else (VALUES.low(word), VALUES.high(word))
    return [((target.kind, target.index + k), part) for k, part in enumerate(parts)]
