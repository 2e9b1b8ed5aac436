"""What a machine brings to the interpreter, besides `Values`: where words live, what memory and lanes do.

| machine | a word of `RegisterStorage` is | `MemoryStorage` |
|---|---|---|
| `isa.run` | an array, for all waves of many blocks | reads and writes bytes |
| `symex.machine` | an expression, for one unknown lane | notes each element |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.decode.instructions import Instruction, Operand
from layoutalg.isa.semantics.accesses import MemoryInstruction
from layoutalg.isa.semantics.values import Truth, Values, Word
from layoutalg.target.operand import MatrixInstruction


class RegisterStorage(Protocol):
    """Scalar, vector and accumulation registers, the scalar condition code and the lane masks."""

    index_mode: int  # CDNA's register indexing: bits 0–2 sources, bit 3 result

    @property
    def kernel(self) -> KernelBinary:
        """The kernel whose registers they are."""

    @property
    def w(self) -> Values:
        """The operations of their words."""

    @property
    def scc(self) -> Truth:
        """The scalar condition code."""

    def write_scc(self, truth: Truth) -> None:
        """Writes the scalar condition code."""

    def read_scalar(self, operand: Operand, bits: int) -> Word:
        """Scalar registers as one word for the wave."""

    def write_scalar(self, operand: Operand, bits: int, word: Word) -> None:
        """Writes scalar registers."""

    def read_register(self, operand: Operand, bits: int, half: str = "") -> Word:
        """Vector or accumulation registers as one word for each lane, of which perhaps a half alone is looked at."""

    def write_register(self, operand: Operand, bits: int, word: Word, half: str = "") -> None:
        """Writes vector or accumulation registers of the active lanes; the other half is what `old_register` had."""

    def old_register(self, operand: Operand) -> Word:
        """What a vector register has that is kept: nothing looks at it, so nobody waits for it."""

    def anything(self) -> Word:
        """A word of 32 bits of which nothing is said."""

    def lanes_of(self, mask: Word) -> Truth:
        """A lane mask's word, as a truth for each lane."""

    def mask_of(self, truth: Truth) -> Word:
        """A lane mask: the truth for active lanes, 0 for the others."""

    def lane_number(self) -> Word:
        """The number of each lane in its wave."""

    def aperture(self, space: str) -> Word:
        """Where LDS (`lds`) or scratch (`scratch`) lies in the flat address space: a word of 64 bits."""

    def loaded_at(self, address: int) -> Word:
        """Where an address of the code object is loaded: a word of 64 bits."""

    def clock(self) -> Word:
        """What time it is, by some clock: a word of 64 bits for the wave."""

    def begin_indexing(self, number: Word, mode: int) -> None:
        """From here on the number's low byte is added to register numbers, to those that the mode says."""

    def register_offset(self) -> int:
        """What M0 adds to register numbers, the same for all that the instruction is carried out for."""

    def further(self, operand: Operand, offset: int) -> Operand:
        """The vector register so many further on, which must be the kernel's."""


class MemoryStorage(Protocol):
    """What memory instructions and waits do."""

    def access(
        self,
        instruction: Instruction,
        access: MemoryInstruction,
        addresses: tuple[Word, ...],
        in_lds: Word | None = None,
    ) -> None:
        """Carries out a memory instruction, whose elements have these addresses; `in_lds`: where in LDS a load ends."""

    def access_buffer(
        self,
        instruction: Instruction,
        access: MemoryInstruction,
        descriptor: tuple[Word, Word, Word],
        scalar: Word,
        offset: Word,
        in_lds: Word | None = None,
        index: Word | None = None,
    ) -> None:
        """Carries out an instruction on the buffer of a descriptor: words of 64, 32 and 32 bits; the offset has 64.

        The `index` is one of those in which a structured buffer's range is measured; its strides are in the offset.
        """

    def copy_tensor(self, instruction: Instruction, groups: Sequence[Sequence[Word]]) -> None:
        """Copies the box that the groups' registers describe (`isa.semantics.tensor`)."""

    def wait(self, left: Mapping[str, int]) -> None:
        """Waits until at most so many accesses of each counter are under way."""

    def start_in_lds(self, word: Word, bits: int) -> Word:
        """Where in LDS M0 says that loads go; refused where it has the lowest two bits, or more than so many."""

    def dwords(self, part: Word) -> Word:
        """A part of a scalar load's address; refused where it has one of the lowest two bits, which would drop."""

    def bring(self, target: Operand, word: Word) -> None:
        """Writes a vector register with what the LDS unit brings, which is there after a wait."""

    def bring_scalars(self, target: Operand, word: Word) -> None:
        """Writes two scalar registers with a word that comes as scalar loads do, and is there after a wait."""


class Lanes(Protocol):
    """What crosses the lanes of a wave."""

    def gathered(self, word: Word, lane: Word) -> Word:
        """For each lane the word of another, active or not, whose number it gives (modulo the wave's lanes)."""

    def scattered(self, word: Word, lane: Word) -> Word:
        """For each lane the word that active lanes give to its number, anything of several; 0 where none does."""

    def all_active(self) -> bool:
        """Whether every lane of every wave that the instruction is carried out for is active."""

    def active_at(self, lane: Word) -> Truth:
        """For each lane whether another is active, whose number it gives."""

    def read_lane(self, source: Operand, lane: Word) -> Word:
        """One lane of a vector register, active or not, as a word for the wave."""

    def write_lane(self, target: Operand, lane: Word, word: Word) -> None:
        """Writes one lane of a vector register, active or not."""

    def read_first_lane(self, source: Operand) -> Word:
        """The lowest active lane of a vector register, lane 0 when none is."""

    def multiply(self, instruction: Instruction, matrix: MatrixInstruction) -> None:
        """A matrix instruction: D = A·B + C."""
