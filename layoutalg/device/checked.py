"""Runs with all checks, by whichever machine is quicker: numpy at first, and compiled where a kernel takes long.

numpy begins at once; compiling takes half a second and more for each instruction.  So a run begins in numpy, and one
that has taken as long as compiling would take goes on compiled, and so do further runs of that kernel.  What a compiled
run finds no fault in numpy finds none in (`isa.compiled.checked`); where there may be one, numpy says which.
Which machine it is depends on the instructions that were carried out alone, not on the time that they took.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

from layoutalg.device.plain import compiled, text
from layoutalg.errors import STEP_LIMIT, NoCompilerError, UnsupportedInstructionError
from layoutalg.isa.compiled.checked import run_checked
from layoutalg.isa.decode.code import MachineCode
from layoutalg.isa.run.arguments import Triple
from layoutalg.isa.run.laid_out import chosen, lay_out
from layoutalg.isa.run.launch import Execution, Impatience, execute

#: What compiling takes, by what a step of few lanes takes in numpy (40 µs): for a kernel, and for each instruction.
COMPILING, INSTRUCTION = 12_500, 60

#: Whether a kernel runs compiled: it does where numpy took too long, and no more where that says too little.
_COMPILED: WeakKeyDictionary[MachineCode, bool] = WeakKeyDictionary()


def execute_checked(
    program: MachineCode, grid: Sequence[int], block: Sequence[int], args: Sequence[Any], step_limit: int = STEP_LIMIT,
    order: int | None = None, strict: bool = True, lds: int = 0, blocks: Sequence[Triple] = (),
) -> Execution:  # fmt: skip
    """Runs a kernel as `isa.run.launch.execute` does, with its arguments and errors; LDS accesses are not priced.

    Of a compiled run `steps` are those of the wave that has most, for each time that numpy would run some blocks.
    """
    wanted = _COMPILED.get(program)
    if wanted is None:
        patience = COMPILING + INSTRUCTION * len(program.instructions)
        try:
            return execute(program, grid, block, args, step_limit, order, strict, lds, blocks=blocks, priced=False,
                           patience=patience)  # fmt: skip
        except Impatience:
            wanted = _COMPILED[program] = True
    if wanted:
        found = execute_compiled(program, grid, block, args, step_limit, strict, lds, blocks)
        if found is not None:
            return found
        _COMPILED[program] = False
    return execute(program, grid, block, args, step_limit, order, strict, lds, blocks=blocks, priced=False)


def execute_compiled(
    program: MachineCode, grid: Sequence[int], block: Sequence[int], args: Sequence[Any], step_limit: int = STEP_LIMIT,
    strict: bool = True, lds: int = 0, blocks: Sequence[Triple] = (),
) -> Execution | None:  # fmt: skip
    """Runs a kernel compiled, with checks; None where numpy has to say more, or there is no compiler or no text."""
    try:
        if text(program).unchecked:
            return None
        written, library = compiled(program, checked=True)
    except (NoCompilerError, UnsupportedInstructionError):
        return None
    laid_out = lay_out(program, grid, block, args, lds)
    return run_checked(written, library, laid_out, step_limit, strict, chosen(laid_out.launch, blocks))
