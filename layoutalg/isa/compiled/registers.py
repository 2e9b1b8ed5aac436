"""`RegisterStorage` as C text: registers are arrays of a wave's state (`machine.h`)."""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.compiled.defined import Definedness
from layoutalg.isa.compiled.emission import Emission, TextWord
from layoutalg.isa.compiled.values import Call, TextValues
from layoutalg.isa.compiled.waits import WaitDeeds
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.decode.instructions import EXEC, Operand
from layoutalg.isa.run.registers import APERTURES, image_base

SCC = Operand("scc")


class TextRegisters:
    """The registers of the wave `W`."""

    index_mode = 0

    def __init__(self, kernel: KernelBinary, emission: Emission, calls: list[Call], track: WaitDeeds) -> None:
        """`track` is told what wait counters look at."""
        self.kernel, self.emission, self.w = kernel, emission, TextValues(emission, calls)
        self.track, self.defined = track, Definedness(emission)

    @property
    def scc(self) -> TextWord:
        """A truth of the wave."""
        self.defined.read(SCC)
        return self.emission.value(1, "W->scc")

    def write_scc(self, truth: TextWord) -> None:
        """Writes it."""
        self.defined.write(SCC)
        self.emission.statement(f"W->scc = {self.emission.use(truth)};")

    def read_scalar(self, operand: Operand, bits: int) -> TextWord:
        """One register or two."""
        if bits == 64:
            low, high = self.read_scalar(operand, 32), self.read_scalar(Operand(operand.kind, operand.index + 1), 32)
            return self.w.pair(low, high)
        if operand.kind == "null":
            return self.w.const(0, 32)
        if operand.kind not in ("s", "m0", "scc"):
            raise UnsupportedInstructionError(f"the scalar source {operand.kind}")
        self.track.touch(operand)
        self.defined.read(operand)
        return self.emission.value(32, self._scalar(operand))

    def write_scalar(self, operand: Operand, bits: int, word: TextWord) -> None:
        """Writes one register or two; lanes look at EXEC."""
        if operand.kind == "null":
            return
        text = self.emission.use(word)
        for index in range(operand.index, operand.index + bits // 32):
            self.track.touch(Operand(operand.kind, index))
            self.defined.write(Operand(operand.kind, index))
        if bits == 64:
            self.emission.statement(f"W->s[{operand.index}] = (uint32_t)({text});")
            self.emission.statement(f"W->s[{operand.index + 1}] = (uint32_t)((uint64_t)({text}) >> 32);")
        else:
            self.emission.statement(f"{self._scalar(operand)} = {text};")
        if operand.kind == "s" and operand.index in (EXEC, EXEC + 1):
            self.defined.tell()
            self.emission.whole("set_exec(W);")

    def _scalar(self, operand: Operand) -> str:
        return f"W->s[{operand.index}]" if operand.kind == "s" else f"W->{operand.kind}"

    def read_register(self, operand: Operand, bits: int, half: str = "") -> TextWord:
        """One register or two of each lane."""
        if operand.kind not in ("v", "a"):
            raise UnsupportedInstructionError(f"{operand} where a vector register is expected")
        for index in range(operand.index, operand.index + bits // 32):
            self.track.touch(Operand(operand.kind, index), half if bits == 32 else "")
        if bits == 64:
            low, high = (self.old_register(Operand(operand.kind, operand.index + k)) for k in (0, 1))
            return self.w.pair(low, high)
        return self.old_register(operand)

    def old_register(self, operand: Operand) -> TextWord:
        """One register of each lane."""
        self.defined.read(operand)
        return self.emission.value(32, f"W->{operand.kind}[{operand.index}][l]", lanes=True)

    def anything(self) -> TextWord:
        """Noise in each lane where undefined values are looked for, else 0."""
        name = self.emission.name()
        self.emission.statement(f"const uint32_t *{name} = anything(B);")
        return self.emission.value(32, f"{name}[l]", lanes=True)

    def write_register(self, operand: Operand, bits: int, word: TextWord, half: str = "") -> None:
        """Writes the active lanes, by their bits: a store under a mask is slow."""
        parts = (self.w.low(word), self.w.high(word)) if bits == 64 else (word,)
        for index in range(operand.index, operand.index + len(parts)):
            self.track.touch(Operand(operand.kind, index), half)
        self.put_register(operand, parts)

    def put_register(self, operand: Operand, parts: Sequence[TextWord]) -> None:
        """Writes the active lanes, of which no counter is asked."""
        for index, part in enumerate(parts, operand.index):
            self.defined.write(Operand(operand.kind, index))
            register = f"W->{operand.kind}[{index}][l]"
            self.emission.in_lanes(f"{register} = chosen(W->x[l], {{}}, {register});", part)

    def lanes_of(self, mask: TextWord) -> TextWord:
        """A bit of the mask for each lane."""
        return self.emission.value(1, "({} >> l & 1) != 0", mask, lanes=True)

    def mask_of(self, truth: TextWord) -> TextWord:
        """The bits of the active lanes."""
        active = self.emission.value(1, "W->x[l] != 0", lanes=True)
        found = self.emission.sum_of_lanes("(uint64_t)({}) << l", truth & active)
        return self.emission.value(self.kernel.wave_size, "{}", found)

    def lane_number(self) -> TextWord:
        """The loop's number."""
        return TextWord(self.emission, "(uint32_t)l", 32, True)

    def aperture(self, space: str) -> TextWord:
        """The base of LDS or scratch."""
        return self.w.const(APERTURES[space] << 32, 64)

    def loaded_at(self, address: int) -> TextWord:
        """Where an address of the code object is loaded."""
        return self.w.const(image_base(self.kernel) + address, 64)

    def clock(self) -> TextWord:
        """Later than whenever it was asked before."""
        return self.emission.value(64, "B->ticks += 1000")

    def begin_indexing(self, number: TextWord, mode: int) -> None:
        """Registers have fixed numbers in text."""
        raise UnsupportedInstructionError("register indexing has no compiled text")

    def register_offset(self) -> int:
        """The same."""
        raise UnsupportedInstructionError("register indexing has no compiled text")

    def further(self, operand: Operand, offset: int) -> Operand:
        """The same."""
        raise UnsupportedInstructionError("register indexing has no compiled text")
