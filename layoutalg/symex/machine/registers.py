"""The registers of the symbolic machine: what one lane, and one lane's wave, has in them.

A vector register is written under the lane's own condition (`state`).  Some registers hold more than a value for each
lane: compilers keep scalar words in single lanes of a vector register (`lanes`), and move that register whole.
The word in lane 5 of v7 is the scalar register ("v7", 5):

| instruction | scalar registers in lanes |
|---|---|
| a move of R, all lanes active | those of R are also those of the target |
| any other write of R | those of R are gone; what is read there then is an unknown |

The own lane has a thread.  Of lanes that have none, which a block that does not fill its waves leaves, only masks speak
(`values.word`): they are not active at entry (`isa.run.registers`), and must never be.
What it cannot represent: what other lanes have in a vector register; lanes without a thread that EXEC switches on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from layoutalg.index import FALSE, TRUE, Expr, all_of, div, mod, negation, select, simplify, symbol, variables
from layoutalg.index.conditions import conjunction, disjunction, implies
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.decode.instructions import EXEC, Instruction, Operand
from layoutalg.isa.interpreter.operands import APERTURES
from layoutalg.isa.semantics.accesses import MemoryInstruction
from layoutalg.symex.machine.arguments import HIGHEST_ADDRESS
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.machine.outstanding import Key
from layoutalg.symex.machine.state import State, resolved, within
from layoutalg.symex.values.unknowns import Kind
from layoutalg.symex.values.word import Bit, Mask, NotReadable, Word, as_mask, own_bit

#: Moves of a whole vector register, lane by lane.
MOVES = frozenset({"V_MOV_B32", "V_ACCVGPR_READ", "V_ACCVGPR_WRITE", "V_ACCVGPR_MOV_B32"})


class SymbolicRegisters:
    """The registers of one unknown lane and of its wave."""

    def __init__(self, kernel: KernelBinary, values: IndexValues) -> None:
        self.kernel, self.w = kernel, values
        self.state = State()
        self.index_mode, self._index = 0, 0
        self.where = "the entry"  # the instruction that is carried out
        self._lanes: dict[Key, set[int]] = {}  # of vector registers: those that ever had a scalar word
        self._exec: tuple[tuple[Word | Mask | None, ...], Expr] = ((), TRUE)  # EXEC's registers, and the lane's bit
        # What a loader adds to the addresses of a code object keeps the alignment of code (`container.loader`).
        size = max((segment.end for segment in kernel.image), default=0)
        self.code = symbol("address of code", min=0, max=HIGHEST_ADDRESS - size, multiple_of=256)
        # LLVM's AMDGPUUsage, "Address Spaces": each base is a multiple of 2^32, and the aperture is as large.
        self.apertures = {
            space: symbol(f"aperture of {space}", min=0, max=(1 << 32) - 1) * (1 << 32) for space in APERTURES.values()
        }

    # Registers

    def read_scalar(self, operand: Operand, bits: int) -> Word | Mask:
        """A scalar word, or a mask."""
        if operand.kind in ("v", "a"):
            raise NotReadable(f"{operand} where a scalar register is expected")
        if operand.kind == "scc":
            return self.w.word(select(self.scc.expr, 1, 0))
        if operand.kind == "null":
            return self.w.const(0, bits)
        low = self._scalar((operand.kind, operand.index))
        if bits == 32:
            return low
        high = self._scalar((operand.kind, operand.index + 1))
        if isinstance(low, Mask) and isinstance(high, Mask) and (low.half, high.half) == (0, 1):
            return self._whole(low, high)
        if isinstance(low, Mask) and self.kernel.wave_size == 32 and operand.index == EXEC:
            return low
        return self.w.pair(low, high)

    def _whole(self, low: Mask, high: Mask) -> Mask:
        """The mask of which these are the halves."""
        if high.own is low.own:
            return Mask(low.own, low.carry, low.guard)
        lower = self.w.wave.lane < self.kernel.wave_size // 2
        return Mask(disjunction(conjunction(lower, low.own), conjunction(negation(lower), high.own)))

    def _scalar(self, key: Key) -> Word | Mask:
        if self.state.outstanding.open(key):
            raise NotReadable(f"{key[0]}{key[1]} is used before a wait for its load")
        if key not in self.state.scalars:
            self.state.scalars[key] = self.w.fresh_word()
        return self.state.scalars[key]

    def write_scalar(self, operand: Operand, bits: int, word: Word | Mask) -> None:
        """Writes one register, or both halves."""
        if operand.kind == "null":
            return
        key = (operand.kind, operand.index)
        if operand.index in (EXEC, EXEC + 1) and isinstance(word, Word):
            word = self._lanes_of(word, bits, operand.index - EXEC)
        parts: tuple[Word | Mask, ...] = (word,)
        if isinstance(word, Mask):
            parts = self._registers_of(word, bits)
        elif bits == 64:
            parts = (self.w.low(word), self.w.high(word))
        for k, part in enumerate(parts):
            if self.state.outstanding.open((key[0], key[1] + k)):
                raise NotReadable(f"{key[0]}{key[1] + k} is written while its load is under way")
            self.state.scalars[key[0], key[1] + k] = part if isinstance(part, Mask) else self.w.scalar(part)

    def _lanes_of(self, word: Word, bits: int, half: int) -> Mask:
        """The lanes that a number in EXEC, or in one half of it, lets take part."""
        if bits == self.kernel.wave_size:
            return as_mask(word)
        own = own_bit(word)
        if own is None or self.kernel.wave_size == 32:
            raise NotReadable("half of EXEC as a number")
        return Mask(own, half=half)

    def _registers_of(self, mask: Mask, bits: int) -> tuple[Word | Mask, ...]:
        """A mask as registers; the upper one of two in a wave of 32 lanes holds nobody's bits."""
        if self.kernel.wave_size == 32:
            return (mask,) if bits == 32 else (mask, self.w.unknown_word())
        if bits == 32 and mask.half is None:
            raise NotReadable("a mask of 64 lanes in one register")
        return mask.halves if bits == 64 else (mask,)

    def set_exec(self, state: State, mask: Mask) -> None:
        """EXEC of a state: of lanes that have a thread."""
        mask = mask.having(all_of(self.w.wave.occupied, mask.own))
        for k, part in enumerate(self._registers_of(mask, self.kernel.wave_size)):
            state.scalars["s", EXEC + k] = part

    def put_scalars(self, keys: Sequence[Key], words: Sequence[Word]) -> None:
        """Registers of which no load is under way get these words."""
        self.state.scalars.update(zip(keys, words, strict=True))

    def write_scc(self, truth: Bit) -> None:
        """Writes the condition code."""
        self.state.scc = truth

    @property
    def scc(self) -> Bit:
        """The condition code; where nothing wrote it, an undefined one from here on."""
        if self.state.scc is None:
            self.state.scc = Bit(self.w.fresh_bit(kind=Kind.UNDEFINED))
        return self.state.scc

    def define_scc(self) -> None:
        """One condition code on all ways from here on: an unknown, where nothing wrote it."""
        self.state.scc = self.scc

    @property
    def active(self) -> Expr:
        """The condition under which this lane takes part."""
        return within(self.own_exec, self.state.path)

    @property
    def own_exec(self) -> Expr:
        """The lane's bit of EXEC; kept while its registers are what they were, since each instruction asks for it."""
        registers = self.lanes
        if registers != self._exec[0]:
            mask = as_mask(self.read_scalar(Operand("s", EXEC), self.kernel.wave_size))
            if self.w.wave.occupied is not TRUE and mask.vacant is not FALSE:
                raise NotReadable(f"{self.where}: lanes may be active that have no thread")
            self._exec = registers, mask.threads
        return self._exec[1]

    @property
    def lanes(self) -> tuple[Word | Mask | None, Word | Mask | None]:
        """What EXEC holds, as its two registers have it."""
        return self.state.scalars.get(("s", EXEC)), self.state.scalars.get(("s", EXEC + 1))

    @property
    def plain_exec(self) -> Expr | None:
        """The lane's bit of EXEC, read without anything new; None where that fails, or lanes without a thread run."""
        low, high = self.lanes
        if not isinstance(low, Mask) or (self.kernel.wave_size == 64 and getattr(high, "own", None) is not low.own):
            return None
        return low.threads if self.w.wave.occupied is TRUE or low.vacant is FALSE else None

    def enter(self, state: State) -> None:
        """From here on the registers are those of another state."""
        self.state = state

    def assume(self, instruction: Instruction) -> None:
        """What may be assumed of values: a scalar one counts also where this lane takes no part."""
        self.where = instruction.place
        scalar = instruction.form.startswith(("SOP", "SMEM"))
        self.w.ranges.assume(self.state.condition if scalar else self.active)

    def read_register(self, operand: Operand, bits: int, half: str = "") -> Word:
        """The lane's word."""
        if operand.kind not in ("v", "a"):
            raise NotReadable(f"{operand} where a vector register is expected")
        low = self.cell((operand.kind, operand.index), half)
        return low if bits == 32 else self.w.pair(low, self.cell((operand.kind, operand.index + 1)))

    def cell(self, key: Key, half: str = "") -> Word:
        """The lane's word in one vector register, of which perhaps a half is looked at, or dword of scratch."""
        if self.state.outstanding.open(key, half):
            raise NotReadable(f"{key[0]}{key[1]} is used before a wait for its load")
        return self._held(key)

    def _held(self, key: Key) -> Word:
        return resolved(self.w, self.state.cells.get(key, ()), self.active)

    def old_register(self, operand: Operand) -> Word:
        """What it has, whether or not more is under way."""
        return self._held((operand.kind, operand.index))

    def anything(self) -> Word:
        """An unknown of its own."""
        return self.w.unknown_word()

    def write_register(self, operand: Operand, bits: int, word: Word | Mask, half: str = "") -> None:
        """Writes under the lane's own condition; the bits of all lanes are a number that no lane knows."""
        if isinstance(word, Mask):
            word = self.w.unknown_word(word.own, bits=bits)
        parts = (self.w.low(word), self.w.high(word)) if bits == 64 else (word,)
        for k, part in enumerate(parts):
            self.write_cell((operand.kind, operand.index + k), part, half=half)

    def write_cell(
        self, key: Key, word: Word, after: tuple[str, ...] = (), source: Key | None = None, half: str = ""
    ) -> None:
        """Writes under the lane's own condition, and what is in single lanes where the source moves as a whole.

        `after`: counters on which this is a load itself, which comes after those that are under way on them; `half`:
        the half that is written, where the other one is kept.
        """
        outstanding = self.state.outstanding
        if outstanding.open(key, half) and not outstanding.only(key, after, half):
            raise NotReadable(f"{key[0]}{key[1]} is written while its load is under way")
        guard = self.active
        if guard is FALSE:
            return
        self.put(key, guard, word)
        self.set_lane_words(key, self.lane_words(source) if source and self.all_active() else {})

    def put(self, key: Key, guard: Expr, word: Word) -> None:
        """Writes under a condition."""
        kept = tuple(write for write in self.state.cells.get(key, ()) if not implies(write[0], guard))
        self.state.cells[key] = (*kept, (guard, word))

    def widened(self, access: MemoryInstruction, key: Key, value: Expr) -> Expr:
        """What a register gets of a narrow value that is loaded."""
        if access.signed:
            half = 1 << 8 * access.size - 1
            value = mod(value + half, 2 * half) - half
        if not access.half:
            return value
        value = mod(value, 1 << 16)
        kept = self.kernel.architecture.loads_keep_other_half
        word = self._held(key) if kept else self.w.fresh_word()
        old = self.w.unsigned(word)
        if access.half == "low":
            return div(old, 1 << 16) * (1 << 16) + value
        return mod(old, 1 << 16) + value * (1 << 16)

    def lanes_of(self, mask: Word | Mask) -> Bit:
        """The lane's bit of a mask."""
        mask = as_mask(mask)
        return Bit(mask.threads, mask.carry if implies(self.active, mask.guard) else None)

    def mask_of(self, truth: Bit) -> Mask:
        """The lane's bit, if it takes part."""
        return Mask(all_of(self.w.wave.occupied, truth.expr, self.active), truth.carry, self.active)

    def lane_number(self) -> Word:
        """The own lane's, by its thread."""
        return self.w.word(self.w.wave.lane)

    def aperture(self, space: str) -> Word:
        """The base of an aperture, which is not known."""
        return self.w.word(self.apertures[space], 64)

    def loaded_at(self, address: int) -> Word:
        """Where an address of the code object is loaded, which is not known."""
        return self.w.word(self.code + address, 64)

    def clock(self) -> Word:
        """What the machine says, which is not known; all lanes of the wave have it alike."""
        time = self.w.fresh("time", 1 << 64, Kind.ANY)
        self.w.alike.add(time)
        return self.w.word(time, 64)

    # Registers by number

    def number(self, word: Word | Mask) -> int:
        """A word that is constant."""
        e = None if isinstance(word, Mask) else simplify(word.expr)
        if e is None or e.op != "const":
            raise NotReadable(f"{self.where}: a number that is not constant")
        return int(e.value) % (1 << 32)

    def begin_indexing(self, number: Word | Mask, mode: int) -> None:
        """M0's low byte is the number's; bits of it stay, which nobody uses."""
        self._index = self.number(number) % 256
        self.write_scalar(Operand("m0"), 32, self.w.unknown_word())
        self.index_mode = mode

    def register_offset(self) -> int:
        """The number that was set when the mode began, or M0."""
        return self._index if self.index_mode else self.number(self.read_scalar(Operand("m0"), 32))

    def further(self, operand: Operand, offset: int) -> Operand:
        """The register so many further on."""
        if operand.kind != "v" or operand.index + offset >= self.kernel.vector_registers:
            raise NotReadable(f"{self.where}: {offset} further on than {operand}")
        return Operand("v", operand.index + offset)

    def space_of(self, address: Word) -> str:
        """Which space a flat address is in, by what it is made of; its offset there is yet to be shown.

        What is in no aperture is global memory (LLVM's AMDGPUUsage, "Address Spaces": Generic).
        """
        made_of = set(variables(address.expr))
        return next((space for space, base in self.apertures.items() if made_of & set(variables(base))), "global")

    # Scalar words in single lanes

    def lane_words(self, register: Key) -> dict[int, Word | Mask]:
        """The scalar words in a register's lanes."""
        file, scalars = lanes_file(register), self.state.scalars
        return {lane: word for lane in self._lanes.get(register, ()) if (word := scalars.get((file, lane))) is not None}

    def set_lane_words(self, register: Key, words: Mapping[int, Word | Mask]) -> None:
        """The register has these words, and in all its other lanes nothing that is known."""
        file, scalars = lanes_file(register), self.state.scalars
        for lane in self._lanes.get(register, set()) - words.keys():
            scalars.pop((file, lane), None)
        if words:
            scalars.update({(file, lane): word for lane, word in words.items()})
            self._lanes.setdefault(register, set()).update(words)

    def set_lane_word(self, register: Key, lane: int, word: Word | Mask) -> None:
        """The register has this word in this lane."""
        self.state.scalars[lanes_file(register), lane] = word
        self._lanes.setdefault(register, set()).add(lane)

    def moved_whole(self, instruction: Instruction) -> Mapping[int, Word | Mask]:
        """The scalar words that a move takes along: those of its source."""
        source, whole = instruction.operands.get("a"), instruction.form in ("VOP1", "VOP3", "VOP3P")
        if instruction.name in MOVES and whole and not self.index_mode and source and source.kind in ("v", "a"):
            return self.lane_words((source.kind, source.index))
        return {}

    def all_active(self) -> bool:
        """Whether every lane of the wave is: this one is, whichever thread it is, and every lane is a thread's."""
        return self.own_exec is TRUE and self.w.wave.occupied is TRUE


@lru_cache(maxsize=1 << 10)
@cache
def lanes_file(register: Key) -> str:
    """What the scalar registers in the lanes of a vector register are called."""
    return f"{register[0]}{register[1]}"
