"""Moves that name a lane or a register by a number (ISA manuals, V_READLANE_B32, V_MOVRELS_B32, S_SET_GPR_IDX_ON).

And those from the program counter, S_GETPC_B64, and from a register of the machine, S_GETREG_B32.

Which instruction is which move is one table; what a lane or a register further on holds is the machine's matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.interpreter.operands import Operands, operand_of
from layoutalg.isa.interpreter.storage import Lanes
from layoutalg.isa.semantics.control import BEGINS_INDEXING, ENDS_INDEXING


class Moves:
    """Moves between lanes, and between registers by number."""

    def __init__(self, operands: Operands, lanes: Lanes) -> None:
        self.operands, self.registers, self.lanes = operands, operands.registers, lanes

    def read_lane(self, instruction: Instruction) -> None:
        """V_READLANE_B32."""
        lane = self.operands.constant(operand_of(instruction, "b"), 32)
        word = self.lanes.read_lane(operand_of(instruction, "a"), lane)
        self.registers.write_scalar(operand_of(instruction, "d"), 32, word)

    def write_lane(self, instruction: Instruction) -> None:
        """V_WRITELANE_B32."""
        word, lane = (self.operands.constant(operand_of(instruction, role), 32) for role in "ab")
        self.lanes.write_lane(operand_of(instruction, "d"), lane, word)

    def read_first_lane(self, instruction: Instruction) -> None:
        """V_READFIRSTLANE_B32."""
        word = self.lanes.read_first_lane(operand_of(instruction, "a"))
        self.registers.write_scalar(operand_of(instruction, "d"), 32, word)

    def program_counter(self, instruction: Instruction) -> None:
        """S_GETPC_B64: the address of the instruction behind it."""
        following = instruction.address + instruction.size
        self.registers.write_scalar(operand_of(instruction, "d"), 64, self.registers.loaded_at(following))

    def machine_register(self, instruction: Instruction) -> None:
        """S_GETREG_B32 of what says whether a wave's block lies in a cluster: of a launch without clusters, 0.

        (LLVM, SITargetLowering: a block's number where it is 0, else it is made of the cluster's.)  No other is
        modelled.
        """
        if self.registers.kernel.architecture.cluster_register is None or instruction.fields.get("simm16") != _CLUSTER:
            raise UnsupportedInstructionError(f"{instruction.place}: a register of the machine that is not modelled")
        self.registers.write_scalar(operand_of(instruction, "d"), 32, self.registers.w.const(0, 32))

    def begin_index_mode(self, instruction: Instruction) -> None:
        """S_SET_GPR_IDX_ON: M0's low byte from the source, the mode from the second source's raw field."""
        mode = operand_of(instruction, "b")
        if mode.kind != "s" or mode.index > 15:
            raise UnsupportedInstructionError(f"{instruction.place}: a mode that is not a number")
        self.registers.begin_indexing(self.operands.constant(operand_of(instruction, "a"), 32), mode.index)

    def end_index_mode(self, instruction: Instruction) -> None:
        """S_SET_GPR_IDX_OFF."""
        self.registers.index_mode = 0

    def move_relative(self, instruction: Instruction) -> None:
        """V_MOVRELS_B32, V_MOVRELD_B32: M0 is added to the number of the source or of the result."""
        source, target = operand_of(instruction, "a"), operand_of(instruction, "d")
        offset = self.registers.register_offset()
        if BY_NUMBER[instruction.name] == "a":
            source = self.registers.further(source, offset)
        else:
            target = self.registers.further(target, offset)
        in_lanes = source.kind in ("v", "a")
        word = self.registers.read_register(source, 32) if in_lanes else self.operands.constant(source, 32)
        self.registers.write_register(target, 32, word)


#: Bits 6 to 9 of the register 28, IB_STS2 (LLVM, SIDefines, Hwreg).
_CLUSTER = 28 | 6 << 6 | 3 << 11

#: Immediates that a move has.
MOVED_BY: Mapping[str, frozenset[str]] = {"S_GETREG_B32": frozenset({"simm16"})}

#: Move → the operand whose number M0 is added to.
BY_NUMBER: Mapping[str, str] = {"V_MOVRELS_B32": "a", "V_MOVRELD_B32": "d"}

#: Instruction → what carries it out.
MOVES: Mapping[str, Callable[[Moves, Instruction], None]] = {
    "V_READLANE_B32": Moves.read_lane,
    "V_WRITELANE_B32": Moves.write_lane,
    "V_READFIRSTLANE_B32": Moves.read_first_lane,
    "S_GETPC_B64": Moves.program_counter,
    "S_GETREG_B32": Moves.machine_register,
    BEGINS_INDEXING: Moves.begin_index_mode,
    ENDS_INDEXING: Moves.end_index_mode,
    **dict.fromkeys(BY_NUMBER, Moves.move_relative),
}
