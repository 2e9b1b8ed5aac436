"""One instruction carried out: which table, or which unit of the machine, says what it does.

Control (branches, barriers, ends) is not here: one machine runs many waves, the other follows all paths at once.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.decode.modes import NO_MODE, OVERFLOW, SETS_MODE, mode_after
from layoutalg.isa.interpreter.addresses import Addresses
from layoutalg.isa.interpreter.arithmetic import Arithmetic
from layoutalg.isa.interpreter.exchanges import EXCHANGES, Exchanges
from layoutalg.isa.interpreter.moves import MOVED_BY, MOVES, Moves
from layoutalg.isa.interpreter.operands import Action, Operands, operand_of, refuse_fields
from layoutalg.isa.interpreter.storage import Lanes, MemoryStorage, RegisterStorage
from layoutalg.isa.semantics.accesses import ACCESSES, CLOCKS, MemoryInstruction, access_of, has_no_effect
from layoutalg.isa.semantics.floats import FLOAT_MODE
from layoutalg.isa.semantics.flushed import KEPT
from layoutalg.isa.semantics.matrix import fields_of, heeds_mode, matrix_instruction_of
from layoutalg.isa.semantics.table import ALU
from layoutalg.isa.semantics.tensor import GROUPS, TENSOR_COPIES
from layoutalg.isa.semantics.values import Word
from layoutalg.target.operand import MatrixInstruction


class Interpreter:
    """The semantics table, carried out on a machine's registers, memory and lanes."""

    def __init__(self, registers: RegisterStorage, memory: MemoryStorage, lanes: Lanes) -> None:
        self.kernel, self.memory, self.lanes = registers.kernel, memory, lanes
        self.operands = Operands(registers)
        self.arithmetic = Arithmetic(self.operands, lanes)
        self.addresses = Addresses(self.operands, memory)
        self.moves = Moves(self.operands, lanes)
        self.exchanges = Exchanges(self.operands, memory, lanes)
        self.registers, self.waits = registers, registers.kernel.architecture.waits
        self._actions: dict[int, tuple[Instruction, Action]] = {}  # by the instruction's identity, which is kept

    def step(self, instruction: Instruction) -> None:
        """Carries out one instruction that is not control.

        Raises `UnsupportedInstructionError` with its name when no table has an entry.
        """
        if self.registers.index_mode:  # registers have other numbers each time
            self._action(instruction)()
            return
        known = self._actions.get(id(instruction))
        if known is None:
            known = self._actions[id(instruction)] = instruction, self._action(instruction)
        known[1]()

    def _action(self, instruction: Instruction) -> Action:
        """What carries out an instruction; all that is the same each time is done here."""
        name = instruction.name
        if instruction.halves:
            return self.arithmetic.dual(instruction)
        if name in ALU:
            return self.arithmetic.one(instruction, ALU[name])
        if name in ACCESSES:
            return partial(self._access, instruction, self._in_mode(instruction, access_of(name, instruction.fields)))
        if name in TENSOR_COPIES:
            refuse_fields(instruction, frozenset({"scope", "th"}))
            return partial(self._copy_tensor, instruction)
        if name in CLOCKS:
            refuse_fields(instruction, frozenset())
            return lambda: self.memory.bring_scalars(operand_of(instruction, "d"), self.registers.clock())
        if name in self.waits:
            return partial(self.memory.wait, self.waits[name].left(instruction.fields.get("simm16", 0)))
        if has_no_effect(name, instruction.fields):
            return lambda: None
        if name in SETS_MODE:
            free = self.kernel.architecture.free_mode
            mode_after(instruction, self.kernel.float_mode, free)  # what it sets is in the instructions behind it
            return lambda: None
        return self._between_lanes(instruction)

    def _in_mode(self, instruction: Instruction, access: MemoryInstruction) -> MemoryInstruction:
        """The access in the float mode: LDS keeps denormal f32 where the mode says so (CDNA 4 ISA, 9.2.2)."""
        mode = self.kernel.float_mode if instruction.mode is None else instruction.mode
        if access.atomic is None or (mode != NO_MODE and mode & KEPT == KEPT):
            return access
        return replace(access, atomic=replace(access.atomic, subnormals=False))

    def _access(self, instruction: Instruction, access: MemoryInstruction) -> None:
        in_lds = self.addresses.in_lds(instruction, access) if access.to_lds or access.from_lds else None
        if access.space == "buffer":
            descriptor, scalar, offset, index = self.addresses.in_buffer(instruction)
            self.memory.access_buffer(instruction, access, descriptor, scalar, offset, in_lds, index)
        else:
            self.memory.access(instruction, access, self.addresses.of(instruction, access), in_lds)

    def _copy_tensor(self, instruction: Instruction) -> None:
        """A copy of a box, as the registers of its groups say."""
        groups: list[list[Word]] = []
        for role, count in GROUPS.items():
            first = instruction.operands.get(role)
            held = (replace(first, index=first.index + k) for k in range(count)) if first else ()
            groups.append(
                [self.registers.read_scalar(one, 32) for one in held] or [self.registers.w.const(0, 32)] * count
            )
        self.memory.copy_tensor(instruction, groups)

    def _between_lanes(self, instruction: Instruction) -> Action:
        if self.registers.index_mode and instruction.name.startswith("V_"):
            raise UnsupportedInstructionError(f"{instruction.place} with indexed registers")
        if instruction.name in EXCHANGES:
            return partial(EXCHANGES[instruction.name], self.exchanges, instruction)
        matrix = matrix_instruction_of(instruction.name, self.kernel.target)
        if matrix is None and instruction.name not in MOVES:
            raise UnsupportedInstructionError(
                f"{instruction.name} ({instruction.form}) at {instruction.address:#x} has no entry in the semantics"
            )
        refuse_fields(
            instruction,
            fields_of(instruction.name, matrix) if matrix else MOVED_BY.get(instruction.name, frozenset()),
        )
        if matrix:
            self._refuse_mode(instruction, matrix)
        if matrix is None:
            return partial(MOVES[instruction.name], self.moves, instruction)
        return partial(self.lanes.multiply, instruction, matrix)

    def _refuse_mode(self, instruction: Instruction, matrix: MatrixInstruction) -> None:
        """A product that looks at the mode is done in that which is modelled; no f16 is held."""
        mode = self.kernel.float_mode if instruction.mode is None else instruction.mode
        held = mode == NO_MODE or bool(mode & OVERFLOW)
        if (heeds_mode(matrix) and mode & ~OVERFLOW != FLOAT_MODE) or (held and matrix.accumulator == "f16"):
            which = "a float mode that depends on the way there" if mode == NO_MODE else f"the float mode {mode:#x}"
            raise UnsupportedInstructionError(f"{instruction.place} in {which}")
