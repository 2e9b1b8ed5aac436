"""What registers hold in the waves of one block, as far as thread numbers and picked numbers say it.

The semantics table is read on arrays (`token_reader`).  A scalar load
brings a number that is picked by its place in memory, so that all waves get the same from one place.
What it cannot represent: floating point, modifiers, moves across lanes by DPP, what vector loads bring: of these
nothing is known.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

import numpy as np

from layoutalg.hazards.thread_values import LANE_MOVES
from layoutalg.hazards.token_reader import EXECUTION, VALUES, Place, TokenReader, halves
from layoutalg.isa.decode.instructions import NO_REGISTER, Instruction, Operand
from layoutalg.isa.run.arrays import Array, bits_to_lanes, lanes_to_bits
from layoutalg.isa.semantics.accesses import ACCESSES, access_of
from layoutalg.isa.semantics.table import ALU
from layoutalg.records import dataclass


class Dice:
    """Numbers that nothing says, the same whenever they are asked for."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def word(self, key: object) -> Array:
        """A word: mostly a small one, as sizes and counts are."""
        dice = random.Random(f"{self.seed} {key}")
        kind = dice.random()
        if kind < 0.5:
            return VALUES.const(dice.randrange(8), 32)
        if kind < 0.8:
            return VALUES.const(dice.randrange(8) << dice.randrange(3, 10), 32)
        return VALUES.const(dice.randrange(1024) if kind < 0.9 else dice.getrandbits(32), 32)

    def choice(self, key: object, some: tuple[int, ...]) -> int:
        """One of some."""
        return random.Random(f"{self.seed} {key}").choice(some)

    def lanes(self, key: object, count: int) -> Array:
        """What lanes hold that nothing has written."""
        dice = random.Random(f"{self.seed} {key}")
        return np.array([dice.getrandbits(32) for _ in range(count)], np.uint32).reshape(1, 1, 1, -1)


@dataclass
class WaveReader(TokenReader):
    """Carries out instructions on what registers hold."""

    words: Mapping[Place, Array]
    lanes: int
    on: Array | None

    def results(self, one: Instruction, dice: Dice) -> dict[Place, Array]:
        """What an instruction writes; nothing of what is not known."""
        on = self.on
        if on is None and one.name.startswith("V_"):
            return {}
        if one.name in LANE_MOVES and on is not None:
            return self._of_lane(one, on)
        if one.name == "S_GETPC_B64":
            return dict(halves(one.operands["d"], VALUES.const(one.address + one.size, 64)))
        if one.name in ACCESSES:
            return dict(self._loaded(one, dice))
        found = self.computed(one)
        if found is None:
            return {}
        return dict(self._written(one, found, np.ones(1, np.bool_) if on is None else on))

    def mask(self, operand: Operand) -> Array | None:
        """The truth of each lane that scalar registers are."""
        word = self.read(operand, self.lanes)
        return None if word is None else bits_to_lanes(word)

    def _written(self, one: Instruction, results: Mapping[str, Array], on: Array) -> Iterator[tuple[Place, Array]]:
        for token, word in results.items():
            if token == "scc":
                yield ("scc", 0), word.astype(np.uint32)
            elif token == "m":
                bits = lanes_to_bits(np.logical_and(word, on), self.lanes)
                yield from (pair for role in ("m", "m2") if role in one.operands
                            for pair in halves(one.operands[role], bits))  # fmt: skip
            elif token.startswith("exec"):
                yield from halves(EXECUTION, word)
            elif token in ("d32", "d64"):
                yield from halves(one.operands["d"], word)

    def _of_lane(self, one: Instruction, on: Array) -> dict[Place, Array]:
        word = self.read(one.operands["a"])
        if word is None:
            return {}
        if one.name == "V_READFIRSTLANE_B32":
            lane = np.argmax(on, axis=-1)[..., None]
        else:
            number = self.read(one.operands["b"])
            if number is None:
                return {}
            lane = (number & np.uint32(self.lanes - 1)).astype(np.int64)
        if word.shape[-1] > 1:
            shape = np.broadcast_shapes(word.shape[:-1], lane.shape[:-1])
            word = np.take_along_axis(np.broadcast_to(word, (*shape, self.lanes)),
                                      np.broadcast_to(lane, (*shape, 1)), axis=-1)  # fmt: skip
        return dict(halves(one.operands["d"], word))

    def _loaded(self, one: Instruction, dice: Dice) -> Iterator[tuple[Place, Array]]:
        """What a scalar load brings: a number by its place in memory."""
        base = self.read(one.operands.get("base", NO_REGISTER), 64)
        further = one.operands.get("soffset", NO_REGISTER)
        more = VALUES.const(0, 32) if further == NO_REGISTER else self.read(further)
        if base is None or more is None or "_BUFFER_" in one.name or ACCESSES[one.name].space != "constant":
            return
        first = base + more.astype(np.uint64) + np.uint64(one.fields.get("offset", 0) % (1 << 64))
        for k in range(access_of(one.name, one.fields).registers):
            words = [int(dice.word(int(at) + 4 * k).item()) for at in first.ravel()]
            place = one.operands["d"].kind, one.operands["d"].index + k
            yield place, np.array(words, np.uint32).reshape(first.shape)


def is_followed(one: Instruction) -> bool:
    """Whether something may be known of what an instruction writes."""
    alu = ALU.get(one.name)
    scalar_load = one.name in ACCESSES and ACCESSES[one.name].space == "constant"
    return scalar_load or one.name in LANE_MOVES or (alu is not None and not alu.floats)
