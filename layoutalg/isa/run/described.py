"""Which instructions of a piece of code the machine takes, form by form: what a survey of anybody's binaries counts.

The machine itself is asked.  A form is a name with the kinds of its operands, its constants and its modifiers; one
instruction of each is carried out on a wave whose registers hold numbers that are nothing special, and addresses where
it has one.  What ends in a `Fault` was taken: another program would have had other numbers there.

| what may still be refused where it is carried out | is asked here |
|---|---|
| an instruction, an operand, a modifier | yes |
| what a register holds: a buffer's description, an index of a register | no |

A library holds one code many times, and few instructions that differ in their bytes: each is decoded once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cached_property

import numpy as np

from layoutalg.errors import Fault, UnsupportedInstructionError, shortened
from layoutalg.isa.architecture import ARCHITECTURES
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.container.descriptor import code_format
from layoutalg.isa.container.metadata import KernelMetadata
from layoutalg.isa.decode.allowed import refuse_what_is_not_allowed
from layoutalg.isa.decode.instructions import EXEC, NO_REGISTER, Instruction, Operand, decode
from layoutalg.isa.interpreter.operands import refuse_fields
from layoutalg.isa.run.concrete import ConcreteMachine
from layoutalg.isa.run.cycles import LdsMeter
from layoutalg.isa.run.spaces import GlobalMemory, Region
from layoutalg.isa.semantics.control import BARRIERS, BRANCHES, ENDS, JUMPS, NAMED_BARRIERS, TRAPS
from layoutalg.isa.semantics.floats import FLOAT_MODE
from layoutalg.records import dataclass

#: Bytes of the longest instruction, and of those that the decoder does not know.
_LONGEST, _UNKNOWN = 16, 8

#: Instructions have whole dwords.
_DWORD = 4

#: What registers hold: ones and small numbers, as integers, f16, bf16 and f32.
_HELD = 0x3C003C00

#: A place in LDS and in scratch, an offset, and half an address; the bytes around that address.
_PLACE, _ROOM = 0x40, 1 << 17

#: The last word of a buffer's description (`semantics.buffers`).
_FLAGS = {"cdna": 0x20000, "cdna1": 0x20000, "rdna2": 0x31014000, "rdna3": 0x31004000, "rdna4": 0x31004000, "cdna5": 0}

#: Role of another part of an address → the registers that it has.
_ADDRESSES = {"base": 2, "soffset": 1, "resource": 3}

#: Immediates that say where to, and not what is done.
_PLACES = frozenset({"offset", "offset0", "offset1"})


def form_of(instruction: Instruction) -> str:
    """What an instruction has in common with others that differ in registers and places alone.

    >>> form_of(Instruction(0, 4, "S_ADD_U32", "SOP2", {"d": Operand("s", 3), "a": Operand("m0")}, {}))
    'S_ADD_U32 SOP2 d=s a=m0'
    """
    operands = (f"{role}={_kind(operand)}" for role, operand in instruction.operands.items())
    kept = ((name, value) for name, value in instruction.fields.items() if name not in _PLACES)
    fields = (f"{name}:{value:#x}" for name, value in kept)
    return " ".join((instruction.name, instruction.form, *operands, *fields))


def _kind(operand: Operand) -> str:
    """A register's file, with VCC and EXEC by their names; a constant itself, integers by whether they are 0."""
    if operand.kind == "int":
        return "int" if operand.index else "0"
    if operand.kind in ("s", "v", "a") and str(operand)[:2] not in ("vc", "ex"):
        return f"{operand.kind}.h" if operand.high else operand.kind
    return "literal" if operand.kind == "bits" else str(operand)


@dataclass(frozen=True, eq=False)
class TakenForms:
    """What a machine takes, of a target, a wave's size and the float mode of a descriptor."""

    target: str
    wave_size: int
    float_mode: int = FLOAT_MODE
    _known: dict[str, str] = field(default_factory=dict)  # by form
    _of: dict[int, tuple[Instruction, str]] = field(default_factory=dict)  # by an instruction's identity, which is kept

    def refused(self, instruction: Instruction) -> str:
        """Why the machine does not take an instruction; empty where it does.

        >>> [TakenForms("gfx942", 64).refused(Instruction(0, 4, name, "SOPP")) for name in ("S_NOP", "S_SETHALT")]
        ['', 'S_SETHALT']
        """
        known = self._of.get(id(instruction))
        if known is None:
            form = form_of(instruction)
            if form not in self._known:
                self._known[form] = self._asked(instruction)
            known = self._of[id(instruction)] = instruction, self._known[form]
        return known[1]

    def _asked(self, instruction: Instruction) -> str:
        try:
            refuse_what_is_not_allowed(self.kernel, [instruction])
            self._carry_out(instruction)
        except UnsupportedInstructionError as error:
            if "has no entry in the semantics" in str(error):
                return instruction.name
            return f"{instruction.name}: {_reason(instruction, error)}"
        except Fault:
            pass
        return ""

    def _carry_out(self, instruction: Instruction) -> None:
        name = instruction.name
        if name in BARRIERS or name in ENDS or name in TRAPS or name in BRANCHES or name in NAMED_BARRIERS.values():
            return
        if name in JUMPS:
            refuse_fields(instruction, frozenset({"simm16"}))
            return
        machine = self._machine()
        self._address(machine, instruction)
        machine.registers.where = instruction.place
        machine.step(instruction)

    def _address(self, machine: ConcreteMachine, instruction: Instruction) -> None:
        """Writes addresses where the instruction takes them."""
        registers, place = machine.registers, machine.registers.w.const(_PLACE, 32)
        whole = instruction.operands.get("base", NO_REGISTER) == NO_REGISTER
        for role, words in {"addr": 1 + whole, **_ADDRESSES}.items():
            operand = instruction.operands.get(role, NO_REGISTER)
            keys = [(operand.kind, operand.index + k) for k in range(words)]
            if operand.kind == "v":
                registers.vectors |= dict.fromkeys(keys, np.broadcast_to(place, (1, 1, 1, self.wave_size)))
            elif operand.kind == "s":
                registers.scalars |= dict.fromkeys(keys, place)
        if "resource" in instruction.operands:
            flags = registers.w.const(_FLAGS[self.kernel.architecture.name], 32)
            registers.scalars["s", instruction.operands["resource"].index + 3] = flags

    def _machine(self) -> ConcreteMachine:
        """One wave whose registers all hold the number."""
        data = np.zeros(_ROOM, np.uint8)
        memory = GlobalMemory([Region("room", data, (_PLACE << 32 | _PLACE) - _ROOM // 2)])
        first, waves, meter = np.zeros((1, 3), np.int64), 1, LdsMeter(self.target)
        machine = ConcreteMachine(self.kernel, first, waves, self.wave_size, memory, 1, meter, strict=False)
        registers, word = machine.registers, machine.registers.w.const(_HELD, 32)
        in_lanes = np.broadcast_to(word, (1, 1, 1, self.wave_size))
        registers.vectors |= {(kind, k): in_lanes for kind in "va" for k in range(256)}
        registers.scalars = {
            **{("s", k): word for k in range(EXEC)},
            ("m0", 0): registers.w.const(_PLACE, 32),
            **registers.scalars,
        }
        registers.scc = np.zeros((1, 1, 1, 1), np.bool_)
        return machine

    @cached_property
    def kernel(self) -> KernelBinary:
        """A kernel that has all registers."""
        said = KernelMetadata("any", "any.kd", (), 0, 0, 0, self.wave_size, 1024, (), False, 0, 0, 0, None, None)
        accumulators = 256 if ARCHITECTURES[code_format(self.target).decoder].accumulators else 0
        return KernelBinary(
            lds_bytes=1 << 13, scratch_bytes=1 << 13, kernarg_bytes=0, dynamic_stack=False, wave_size=self.wave_size,
            float_mode=self.float_mode, clamps_nan=True, user_sgprs=(), user_sgpr_count=0, preload_offset=0,
            block_indices=(True, True, True), extra_sgprs=(False, False), thread_dimensions=3, scalar_registers=106,
            vector_registers=256, accumulators=accumulators, named_barriers=0, one_cache=True,
            metadata=said, target=self.target,
            code=b"", entry=0, image=(),
        )  # fmt: skip


def _reason(instruction: Instruction, error: UnsupportedInstructionError) -> str:
    """What a refusal says, without the one instruction that it was said of."""
    said = str(error)
    for part in (instruction.place, str(instruction), f"{instruction.address:#x}"):
        said = said.replace(part, "")
    return shortened(said.removeprefix(instruction.name).strip(" :"), 80)


@dataclass(frozen=True)
class Described:
    """How many instructions a code has, and how often what the machine does not take, or nothing decodes, is in it."""

    instructions: int
    missing: Mapping[str, int]


@dataclass
class Surveyor:
    """Surveys codes of one target."""

    target: str
    _codes: dict[tuple[bytes, int, int], Described] = field(default_factory=dict)
    _decoded: dict[bytes, tuple[int, tuple[Instruction, ...], str]] = field(default_factory=dict)  # by its own bytes
    _forms: dict[tuple[int, int], TakenForms] = field(default_factory=dict)

    def survey(self, code: bytes, wave_size: int, float_mode: int = FLOAT_MODE) -> Described:
        """Counts what a code has, of waves of so many lanes in this float mode."""
        key = code, wave_size, float_mode
        if key not in self._codes:
            count, missing = 0, Counter[str]()
            forms = self.forms(wave_size, float_mode)
            for parts, reason in self.instructions(code):
                count += 1
                missing.update(filter(None, (reason, *map(forms.refused, parts))))
            self._codes[key] = Described(count, dict(missing.most_common()))
        return self._codes[key]

    def forms(self, wave_size: int, float_mode: int = FLOAT_MODE) -> TakenForms:
        """What the machine takes, of waves of so many lanes in a float mode."""
        return self._forms.setdefault((wave_size, float_mode), TakenForms(self.target, wave_size, float_mode))

    def instructions(self, code: bytes) -> Iterator[tuple[tuple[Instruction, ...], str]]:
        """Each instruction, of which there are two in a dual one, or why it is not decoded.

        What is not decoded is taken to have 8 bytes, as most of the forms that lack.
        """
        at = 0
        while at < len(code):
            size, parts, reason = self._first(code[at : at + _LONGEST])
            at += size
            yield parts, reason

    def _first(self, window: bytes) -> tuple[int, tuple[Instruction, ...], str]:
        """What is known of the first instruction: how long it is depends on no more than its own bytes."""
        for size in range(_DWORD, len(window) + 1, _DWORD):
            known = self._decoded.get(window[:size])
            if known is not None:
                return known
        try:
            architecture = ARCHITECTURES[code_format(self.target).decoder]
            found = next(iter(decode(window, 0, architecture, self.target)))
        except UnsupportedInstructionError as error:
            reason = str(error).removesuffix(", at 0x0").partition(": ")[2] or str(error)
            return self._decoded.setdefault(window, (_UNKNOWN, (), f"not decoded: {shortened(reason, 80)}"))
        return self._decoded.setdefault(window[: found.size], (found.size, found.halves or (found,), ""))
