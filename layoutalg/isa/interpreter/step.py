"""One instruction carried out: which table, or which unit of the machine, says what it does.

Control (branches, barriers, ends) is not here: one machine runs many waves, the other follows all paths at once.
"""

from __future__ import annotations

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.interpreter.addresses import Addresses
from layoutalg.isa.interpreter.arithmetic import Arithmetic
from layoutalg.isa.interpreter.moves import MOVES, Moves
from layoutalg.isa.interpreter.operands import Operands, refuse_fields
from layoutalg.isa.interpreter.storage import Lanes, MemoryStorage, RegisterStorage
from layoutalg.isa.semantics.accesses import ACCESSES, has_no_effect
from layoutalg.isa.semantics.matrix import matrix_instruction_of
from layoutalg.isa.semantics.table import ALU


class Interpreter:
    """The semantics table, carried out on a machine's registers, memory and lanes."""

    def __init__(self, registers: RegisterStorage, memory: MemoryStorage, lanes: Lanes) -> None:
        self.kernel, self.memory, self.lanes = registers.kernel, memory, lanes
        self.operands = Operands(registers)
        self.arithmetic = Arithmetic(self.operands, lanes)
        self.addresses = Addresses(self.operands, memory)
        self.moves = Moves(self.operands, lanes)
        self.waits = registers.kernel.architecture.waits

    def step(self, instruction: Instruction) -> None:
        """Carries out one instruction that is not control.

        Raises `UnsupportedInstructionError` with its name when no table has an entry.
        """
        name = instruction.name
        if instruction.halves:
            self.arithmetic.dual(instruction)
        elif name in ALU:
            self.arithmetic.one(instruction, ALU[name])
        elif name in ACCESSES:
            access = ACCESSES[name]
            self.memory.access(instruction, access, self.addresses.of(instruction, access))
        elif name in self.waits:
            self.memory.wait(self.waits[name].left(instruction.fields.get("simm16", 0)))
        elif not has_no_effect(instruction.name, instruction.fields):
            self._between_lanes(instruction)

    def _between_lanes(self, instruction: Instruction) -> None:
        refuse_fields(instruction, frozenset())
        if instruction.name in MOVES:
            MOVES[instruction.name](self.moves, instruction)
            return
        matrix = matrix_instruction_of(instruction.name, self.kernel.target)
        if matrix is None:
            raise UnsupportedInstructionError(
                f"{instruction.name} ({instruction.form}) at {instruction.address:#x} has no entry in the semantics"
            )
        self.lanes.multiply(instruction, matrix)
