"""Whether both entries of a kernel with preloaded arguments come to one state: what holds of one holds of both then.

Firmware that preloads no arguments enters where a few instructions load them.  These are followed from the state of the
other entry without its preloaded registers; where they come to that entry with the same in all registers that are
filled there, a wave goes on as it does there: what is undefined there may be anything.
"""

from __future__ import annotations

from collections import Counter

from layoutalg.index import Expr, all_of, variables
from layoutalg.isa.container.descriptor import PRELOADED
from layoutalg.isa.decode.code import MachineCode, branch_target
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.machine.environment import Environment, Inputs
from layoutalg.symex.machine.machine import SymbolicMachine
from layoutalg.symex.machine.state import State
from layoutalg.symex.machine.tracing import TraceBuilder
from layoutalg.symex.values.unknowns import Kind, kind_of
from layoutalg.symex.values.word import Mask, NotReadable, Word

WITHOUT_PRELOAD = "by firmware that preloads no arguments"
"""What is said of claims on a kernel that is entered at its first instruction, though it has preloaded arguments."""

#: All that these instructions do is to fill registers.
HARMLESS = ("S_LOAD_", "S_WAITCNT", "S_NOP", "S_BRANCH")


def enter_alike(code: MachineCode, inputs: Inputs, environment: Environment) -> bool:
    """Whether what holds of a kernel with preloaded arguments holds where they are not; False where it is not seen."""
    wave = inputs.wave(code.kernel.wave_size)
    values = IndexValues(environment.shows, all_of(inputs.given, wave.exists), None, wave)
    filled = SymbolicMachine(code, inputs, values, TraceBuilder(environment)).registers.state
    trace = TraceBuilder(environment)
    other = SymbolicMachine(code.without_preload, inputs, values, trace)
    state = filled.copy()
    for register in _preloaded(code):
        state.scalars.pop(("s", register), None)
    other.registers.enter(state)
    try:
        came = _comes_to(other, code.kernel.start)
        return came and not (trace.elements or trace.loads) and _covers(state, filled)
    except NotReadable:
        return False


def _preloaded(code: MachineCode) -> range:
    """The scalar registers of preloaded arguments."""
    first = 0
    for name, dwords in code.kernel.user_sgprs:
        if name == PRELOADED:
            return range(first, first + dwords)
        first += dwords
    return range(0)


def _comes_to(machine: SymbolicMachine, end: int) -> bool:
    """Carries out harmless instructions from the entry up to an address; whether they come there."""
    address, by_address = machine.kernel.start, machine.program.by_address
    while address < end and address in by_address:
        instruction = by_address[address]
        if not instruction.name.startswith(HARMLESS):
            return False
        target = branch_target(instruction)
        if target is not None and target <= address:
            return False
        if target is None:
            machine.execute(instruction)
        address = instruction.address + instruction.size if target is None else target
    return address == end


def _covers(state: State, filled: State) -> bool:
    """Whether all of a state is in another, where nothing is under way; what is undefined may be anything."""
    read = Counter(v for word in filled.scalars.values() for v in variables(_expr(word)))
    same = all(
        _same(state.scalars.get(key), word) or (kind_of(_expr(word)) is Kind.UNDEFINED and read[_expr(word)] == 1)
        for key, word in filled.scalars.items()
    )
    return same and state.cells == filled.cells and not any(map(state.outstanding.open, state.scalars))


def _expr(word: Word | Mask) -> Expr:
    return word.own if isinstance(word, Mask) else word.expr


def _same(one: Word | Mask | None, other: Word | Mask) -> bool:
    if isinstance(one, Word) and isinstance(other, Word):
        return one.expr is other.expr and one.bits == other.bits
    return one is other
