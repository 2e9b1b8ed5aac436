"""Loads that wait for another wave: those of a loop that only looks, at an address that it does not change.

    again: ds_read_b32 v1, v0;  s_waitcnt;  v_cmp_eq 0, v1;  s_cbranch again

Compilers make a relaxed or acquiring atomic load of LDS, and on RDNA of global memory, a plain one (LLVM's AMDGPUUsage,
"Memory Model": load atomic), so nothing in such an instruction says that it is one.  But a loop of no stores, atomic
operations and barriers in which a load has the same address each time can end by what another wave stores alone.

What it cannot represent: a flag that is looked at once, and loops whose body calls functions.
"""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.isa.decode.code import MachineCode, branch_target
from layoutalg.isa.decode.instructions import Instruction, Operand
from layoutalg.isa.semantics.accesses import ACCESSES
from layoutalg.isa.semantics.control import BARRIERS, JUMPS, NAMED_BARRIERS

#: Registers that an instruction which is no load writes at most, from its result on, and that an address has.
_WIDE = 2


def polls(program: MachineCode) -> frozenset[int]:
    """The addresses of such loads."""
    found: set[int] = set()
    for branch in program.instructions:
        target = branch_target(branch)
        if target is not None and target <= branch.address:
            body = [one for one in program.instructions if target <= one.address <= branch.address]
            met = (*BARRIERS, *NAMED_BARRIERS.values(), *JUMPS)
            if not any(one.name in met or _changes(one) for one in body):
                found |= _looks(body)
    return frozenset(found)


def _looks(body: Sequence[Instruction]) -> set[int]:
    """The loads of a loop that changes no memory, which look where it does not change."""
    written = {(kind, index) for one in body for at in _results(one) for kind, index in _registers(at, _width(one))}
    return {
        one.address
        for one in body
        if one.name in ACCESSES
        and not any(
            register in written
            for role in ("addr", "base")
            if role in one.operands
            for register in _registers(one.operands[role], _WIDE)
        )
    }


def _registers(operand: Operand, width: int) -> list[tuple[str, int]]:
    return [(operand.kind, operand.index + k) for k in range(width)]


def _changes(instruction: Instruction) -> bool:
    access = ACCESSES.get(instruction.name)
    return access is not None and (access.store or access.atomic is not None or access.to_lds)


def _results(instruction: Instruction) -> list[Operand]:
    parts = instruction.halves or (instruction,)
    return [one.operands[role] for one in parts for role in ("d", "m", "m2") if role in one.operands]


def _width(instruction: Instruction) -> int:
    access = ACCESSES.get(instruction.name)
    return _WIDE if access is None else access.registers * (2 if access.pair_step else 1)
