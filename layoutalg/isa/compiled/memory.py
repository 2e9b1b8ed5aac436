"""`MemoryStorage` as C text: each access is a call that looks at every lane's address (`machine.h`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.compiled.emission import LaneLoop, TextWord
from layoutalg.isa.compiled.registers import TextRegisters
from layoutalg.isa.decode.instructions import Instruction, Operand
from layoutalg.isa.interpreter.operands import atomic_operands, operand_of
from layoutalg.isa.run.scratch import SCRATCH_BUFFER, SCRATCH_OFFSET
from layoutalg.isa.semantics.accesses import MemoryInstruction, needed_alignment
from layoutalg.isa.semantics.buffers import RULES
from layoutalg.isa.semantics.counted import counted

#: A call that may end the run.
_CALL = "if (!{}) return FAULT;"

#: The lanes that are active.
_ACTIVE = "W->x"


class TextMemory:
    """Global memory, LDS and scratch, as the wave `W` of the block `B` sees them."""

    def __init__(self, registers: TextRegisters) -> None:
        self.registers, self.w, self.emission = registers, registers.w, registers.emission
        self.architecture = registers.kernel.architecture

    def wait(self, left: Mapping[str, int]) -> None:
        """What is loaded is there at once."""
        self.registers.track.wait(left)

    def copy_tensor(self, instruction: Instruction, groups: Sequence[Sequence[TextWord]]) -> None:
        """Boxes of a tensor have no compiled text."""
        raise UnsupportedInstructionError(f"{instruction.place} has no compiled text")

    def bring(self, target: Operand, word: TextWord) -> None:
        """It is there at once."""
        counters = (self.architecture.counters.lds,)
        self.registers.track.issue(counters, False)
        self.registers.put_register(target, (word,))
        self.registers.track.load(target, counters, True)

    def bring_scalars(self, target: Operand, word: TextWord) -> None:
        """It is there at once."""
        self.registers.write_scalar(target, 64, word)  # of a clock, which no two machines have alike

    def start_in_lds(self, word: TextWord, bits: int) -> TextWord:
        """Checked where it is run."""
        self._check(f"whole_dwords(B, {self.emission.use(word)}, {bits}, M0)")
        return word

    def dwords(self, part: TextWord) -> TextWord:
        """Checked where it is run."""
        self._check(f"whole_dwords(B, {self.emission.use(part)}, 64, CONSTANT)")
        return part

    def access(
        self,
        instruction: Instruction,
        access: MemoryInstruction,
        addresses: tuple[TextWord, ...],
        in_lds: TextWord | None = None,
    ) -> None:
        """One element after the other."""
        if access.by_lane or (access.transposed and not access.transposed.is_in_order):
            raise UnsupportedInstructionError(f"{instruction.place} has no compiled text")
        self._issue(instruction, access)
        if access.space == "constant":
            self._constant(instruction, access, addresses[0])
            return
        brought = []
        for number, address in enumerate(addresses):
            at = self.emission.array(self._wide(address))
            brought += self._element(instruction, access, number, at, _ACTIVE)
        self._arrive(instruction, access, brought, in_lds)

    def access_buffer(
        self,
        instruction: Instruction,
        access: MemoryInstruction,
        descriptor: tuple[TextWord, TextWord, TextWord],
        scalar: TextWord,
        offset: TextWord,
        in_lds: TextWord | None = None,
        index: TextWord | None = None,
    ) -> None:
        """Where each dword is and whether it is in range, then an access of each that is."""
        self._issue(instruction, access)
        emission, rules = self.emission, RULES[self.architecture.name]
        at, which = emission.array(offset), emission.array(self._wide(index)) if index is not None else "0"
        said, moved = rules.fields(self.w, descriptor), self.w.zext(scalar)
        words = ", ".join(map(emission.use, (said.base, said.count, said.upper, said.flags, moved)))
        dwords, name, brought = max(1, access.size // 4), emission.name(), []
        whole, stride = int(access.atomic is not None or not rules.by_dword), rules.stride
        if self.registers.kernel.has_scratch_buffer:
            meant = f"{SCRATCH_BUFFER[0] + SCRATCH_OFFSET}ull, {SCRATCH_BUFFER[1]}ull, 0"
            raw = ", ".join(map(emission.use, (descriptor[0], self.w.pair(*descriptor[1:]), moved)))
            emission.whole(f'if (is_scratch({raw}, {meant})) return refuse(B, "scratch by its buffer");')
        emission.whole(f"uint64_t {name}[LANES];")
        emission.whole(f"uint32_t {name}_in[{dwords}][LANES];")
        self._check(f"ranged<{min(access.size, 4)}, {dwords}, {whole}, {stride}, {rules.unsure}>"
                    f"(B, W, {words}, {at}, {which}, {name}, {name}_in)")  # fmt: skip
        placed = replace(access, space="global")
        if access.atomic or dwords == 1:
            brought = self._element(instruction, placed, 0, name, f"{name}_in[0]")
        else:
            one = replace(placed, size=4)
            for k in range(dwords):
                brought += self._element(instruction, one, k, f"{name}", f"{name}_in[{k}]", 4 * k, access.size)
        if access.store and dwords > 1:
            self._hold(operand_of(instruction, "data"), dwords, name)
        self._arrive(instruction, access, brought, in_lds)

    def _hold(self, data: Operand, dwords: int, at: str) -> None:
        """Dwords that were stored one after the other: whether none has put another lane's out of its place."""
        held = (
            f"still_holds<GLOBAL, 4>(B, W, {at}, {4 * k}, {at}_in[{k}], W->{data.kind} + {data.index + k})"
            for k in range(dwords)
        )
        self.emission.whole(f"if (CHECKED && !rises<{4 * dwords}>({at}) && !({' && '.join(held)})) return FAULT;")

    def _issue(self, instruction: Instruction, access: MemoryInstruction) -> None:
        """What counters look at of an access: that it is made, what it stores, and what it brings."""
        track, how = self.registers.track, counted(instruction.name, instruction.fields, self.architecture)
        assert how  # it is a memory instruction
        track.issue(how.counters, how.unordered, access.space in ("lds", "flat"))
        elements = 2 if access.pair_step else 1
        if access.store:
            for role in ("data", "data2"):
                first = instruction.operands.get(role)
                count = access.registers * (1 if "data2" in instruction.operands else elements)
                for k in range(count if first else 0):
                    assert first
                    track.touch(Operand(first.kind, first.index + k), access.half_read)
        elif not access.to_lds and not access.atomic:
            target, ordered = operand_of(instruction, "d"), access.space not in self.architecture.overtaking
            half = access.half if self.architecture.loads_keep_other_half else ""
            for k in range(access.registers * elements):
                track.load(Operand(target.kind, target.index + k), how.counters, ordered, half)

    def _element(
        self, instruction: Instruction, access: MemoryInstruction, number: int, at: str, lanes: str, further: int = 0,
        aligned: int = 0,
    ) -> list[str]:  # fmt: skip
        """Carries out one element; returns arrays of what it brings."""
        needed = needed_alignment(aligned or access.size, whole=access.aligned_whole)
        if access.atomic:
            return self._atomic(instruction, access, at, lanes, needed)
        given, count = f"{access.space.upper()}, {access.size}, {needed}", access.registers
        if access.store:
            second = number if "data2" in instruction.operands else 0
            data = operand_of(instruction, "data2" if second else "data")
            first = data.index + (0 if "data2" in instruction.operands else number)
            for k in range(count):
                self.registers.defined.read(Operand(data.kind, first + k))
            shift = 16 if access.half == "high" else 0
            self._check(f"store<{given}>(B, W, {at}, {further}, {lanes}, W->{data.kind} + {first}, {shift})")
            return []
        plain = not (access.to_lds or access.transposed or access.half or access.signed or lanes != _ACTIVE)
        if plain:
            target = operand_of(instruction, "d")
            to = f"W->{target.kind} + {target.index + number * count}"
            for k in range(count):
                self.registers.defined.write(Operand(target.kind, target.index + number * count + k))
            self._check(f"load<{given}>(B, W, {at}, {further}, {lanes}, {to})")
            return []
        name = self.emission.name()
        self.emission.whole(f"uint32_t {name}[{count}][LANES] = {{{{0}}}};")
        self._check(f"load<{given}>(B, W, {at}, {further}, {lanes}, {name})")
        if access.transposed:
            self._check(f"transposed<{access.transposed.bits}, {count}, {access.transposed.group}>(B, W, {name})")
        return [f"{name}[{k}]" for k in range(count)]

    def _arrive(
        self, instruction: Instruction, access: MemoryInstruction, brought: list[str], in_lds: TextWord | None
    ) -> None:
        """Registers get what was loaded, or LDS does."""
        emission, count = self.emission, len(brought)
        if not brought:
            return
        if in_lds is not None:
            start, name = emission.array(self._wide(in_lds)), emission.name()
            emission.whole(f"uint32_t {name}[{count}][LANES];")
            for k, one in enumerate(brought):
                emission.in_lanes(f"{name}[{k}][l] = {one}[l];")
            emission.close()
            needed = needed_alignment(access.size)
            self._check(f"store<LDS, {access.size}, {needed}>(B, W, {start}, 0, {_ACTIVE}, {name}, 0)")
            return
        target = instruction.operands.get("d") or operand_of(instruction, "data")
        for k, one in enumerate(brought):
            register = Operand(target.kind, target.index + k)
            self.registers.put_register(register, (self._widened(access, register, one),))

    def _widened(self, access: MemoryInstruction, register: Operand, array: str) -> TextWord:
        """A narrow value with its sign, beside the half that is kept."""
        w, word = self.w, TextWord(self.emission, f"{array}[l]", 32, True)
        if access.signed:
            shift = w.const(32 - 8 * access.size, 32)
            word = w.ashr(w.shl(word, shift), shift)
        if not access.half:
            return word
        registers = self.registers
        old = registers.old_register(register) if self.architecture.loads_keep_other_half else registers.anything()
        if access.half == "low":
            return old & w.const(0xFFFF0000, 32) | word & w.const(0xFFFF, 32)
        return old & w.const(0xFFFF, 32) | w.shl(word, w.const(16, 32))

    def _constant(self, instruction: Instruction, access: MemoryInstruction, address: TextWord) -> None:
        """A load of the wave."""
        target, text = operand_of(instruction, "d"), self.emission.use(address)
        to = f"W->s + {target.index}" if target.kind == "s" else f"&W->{target.kind}"
        if target.kind == "null":
            raise UnsupportedInstructionError("a scalar load to nowhere has no compiled text")
        needed = needed_alignment(access.size)
        for k in range(access.registers):
            self.registers.defined.write(Operand(target.kind, target.index + k))
        self._check(f"load_scalar<{access.size}, {needed}, {int(access.signed)}>(B, W, {text}, {to})")

    def _atomic(
        self, instruction: Instruction, access: MemoryInstruction, at: str, lanes: str, needed: int
    ) -> list[str]:
        """One lane after the other: what was there, what is made of it, what comes back."""
        atomic, emission, w = access.atomic, self.emission, self.w
        assert atomic
        size = atomic.registers
        words = [self.registers.old_register(one) for one in atomic_operands(instruction, access)]
        joined = [words[k] if size == 1 else w.pair(*words[k : k + 2]) for k in range(0, len(words), size)]
        data = [emission.array(word) for word in joined]
        bits, name = 32 * size, emission.name()
        emission.whole(f"uint{bits}_t {name}[LANES] = {{0}}, {name}_old;")
        self._check(f"aligned<{access.space.upper()}, {needed}>(B, W, {at}, 0, {lanes})")
        loop = LaneLoop(parallel=False)
        emission.open(loop)
        emission.in_lanes(f"if (!{lanes}[l]) continue;")
        emission.in_lanes(f"uint8_t *at = place<{access.space.upper()}, {access.size}, true>(B, W, {at}[l], l, true);")
        emission.in_lanes("if (!at) return FAULT;")
        emission.in_lanes(f"__builtin_memcpy(&{name}_old, at, {access.size});")
        old = emission.value(bits, f"{name}_old", lanes=True)
        given = [emission.value(bits, f"{one}[l]", lanes=True) for one in data]
        new = atomic.effect(w, old, given[0], given[-1])
        if atomic.number:
            doubt = "numbers whose result targets differ in (subnormal, NaN, or zeros)"
            emission.in_lanes(
                f'if ({{}}) return refuse(B, "an atomic operation on {doubt}");',
                atomic.doubtful(w, old, given[0], new),
            )
        emission.in_lanes(f"{name}_old = {{}};", new)
        emission.in_lanes(f"__builtin_memcpy(at, &{name}_old, {access.size}); {name}[l] = {{}};", old)
        if emission.loop is not loop:
            raise UnsupportedInstructionError("an atomic operation on these numbers has no compiled text")
        emission.close()
        if not access.returns(instruction.fields):
            return []
        if size == 1:
            return [name]
        emission.whole(f"uint32_t {name}_both[2][LANES];")
        emission.in_lanes(f"{name}_both[0][l] = (uint32_t){name}[l]; {name}_both[1][l] = (uint32_t)({name}[l] >> 32);")
        emission.close()
        return [f"{name}_both[0]", f"{name}_both[1]"]

    def _wide(self, word: TextWord) -> TextWord:
        return word if word.bits == 64 else self.w.zext(word)

    def _check(self, call: str) -> None:
        self.emission.whole(_CALL.format(call))
