"""What crosses the lanes of a wave in the numpy machine: one lane read or written, the first one, matrix products."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.decode.instructions import Instruction, Operand
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.matrix import multiply
from layoutalg.isa.run.registers import WaveRegisters
from layoutalg.target.operand import MatrixInstruction
from layoutalg.target.transposed import TransposedLoad


class WaveLanes:
    """The lanes of every wave's vector registers."""

    def __init__(self, registers: WaveRegisters) -> None:
        self.registers = registers

    def gathered(self, word: Array, lane: Array) -> Array:
        """A choice along the last axis; what all lanes have alike stays."""
        return np.take_along_axis(word, self._column(lane), axis=-1) if word.shape[-1] > 1 else word

    def scattered(self, word: Array, lane: Array) -> Array:
        """One source lane after the other; noise where two of other words name one lane."""
        registers = self.registers
        column, active = self._column(lane), registers.exec_lanes & registers.running
        word, column, active = np.broadcast_arrays(word, column, active)
        result, named, contested = np.zeros(word.shape, np.uint32), *np.zeros((2, *word.shape), np.bool_)
        for k in range(registers.lanes):
            at, here, new = column[..., k : k + 1], active[..., k : k + 1], word[..., k : k + 1]
            old, before, doubt = (np.take_along_axis(one, at, axis=-1) for one in (result, named, contested))
            np.put_along_axis(result, at, np.where(here, new, old), axis=-1)
            np.put_along_axis(named, at, here | before, axis=-1)
            np.put_along_axis(contested, at, doubt | (here & before & (old != new)), axis=-1)
        return np.where(contested, registers.anything(), result) if contested.any() else result

    def all_active(self) -> bool:
        """Of the live waves."""
        return bool((self.registers.exec_lanes | ~self.registers.running).all())

    def active_at(self, lane: Array) -> Array:
        """A choice of EXEC's lanes."""
        return np.take_along_axis(self.registers.exec_lanes, self._column(lane), axis=-1)

    def _column(self, lane: Array) -> Array:
        return self._number(lane).astype(np.int64)

    def read_lane(self, source: Operand, lane: Array) -> Array:
        """One lane of a vector register, active or not."""
        return np.take_along_axis(self.registers.vector(source.kind, source.index), self._column(lane), axis=-1)

    def write_lane(self, target: Operand, lane: Array, word: Array) -> None:
        """One lane of a vector register, active or not."""
        registers = self.registers
        chosen = (np.arange(registers.lanes, dtype=np.uint32) == self._number(lane)) & registers.running
        key = (target.kind, target.index)
        registers.track.check(key, registers.live, registers.where, "written")
        registers.store_lanes(key, word, chosen, False)

    def read_first_lane(self, source: Operand) -> Array:
        """The lowest active lane, lane 0 when none is."""
        column = np.argmax(self.registers.exec_lanes, axis=-1)[..., None]
        return np.take_along_axis(self.registers.vector(source.kind, source.index), column, axis=-1)

    def multiply(self, instruction: Instruction, matrix: MatrixInstruction) -> None:
        """D = A·B + C for every live wave."""
        multiply(self.registers, instruction, matrix)

    def _number(self, lane: Array) -> Array:
        return lane & np.uint32(self.registers.lanes - 1)


def transposed(dwords: Sequence[Array], load: TransposedLoad, active: Array, where: str) -> list[Array]:
    """DS_READ_B64_TR_B16 and its kind: lanes load elements of so many bits, and each gets a column of them."""
    if (active.any(axis=-1) != active.all(axis=-1)).any():
        raise UnsupportedInstructionError(f"a transposed load with inactive lanes, at {where}")
    loaded = np.ascontiguousarray(np.stack(dwords, axis=-1)).view(np.uint8)
    elements = np.unpackbits(loaded, axis=-1, bitorder="little").reshape(*loaded.shape[:-1], load.elements, load.bits)
    lanes, which = _exchanged(load, loaded.shape[-2])
    turned = elements[..., lanes, which, :].reshape(*loaded.shape[:-1], -1)
    words = np.packbits(turned, axis=-1, bitorder="little").view(np.uint32)
    return [words[..., k] for k in range(len(dwords))]


@functools.cache
def _exchanged(load: TransposedLoad, lanes: int) -> tuple[Array, Array]:
    """Of each lane and element, whose it is, and which of that lane's."""
    found = np.array([[load.at(lane, e) for e in range(load.elements)] for lane in range(lanes)])
    return found[..., 0], found[..., 1]
