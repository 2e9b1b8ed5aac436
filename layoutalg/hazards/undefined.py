"""Registers that are used, though nothing has written them on whatever way control comes there.

| what writes a register first | by |
|---|---|
| the machine: user registers, preloaded arguments, block and thread numbers | the descriptor (`isa.run.initial`) |
| an instruction, on some way from an entry to the use | the graph: a least fixpoint |

What a register holds that neither writes is whatever the wave before left there; so is what is computed of it.  It is
*used* where it is an address, decides a branch or which lanes run, or is all that a store stores.  What is computed and
never used is no fault: compilers and people write such code.
Results of a choice, or of 64 bits of which the lower may be all that is wanted, are taken to be defined.
What it cannot represent: registers that are written on one way and not on another; lanes that were not written.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import or_

from layoutalg.hazards.flow import ControlFlow, FlowStep
from layoutalg.hazards.hazard import Hazard
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.container.descriptor import PRELOADED
from layoutalg.isa.decode.instructions import EXEC
from layoutalg.isa.effects import END, Registers, TouchedRegisters, named, registers, spans_of
from layoutalg.isa.semantics.accesses import ACCESSES
from layoutalg.isa.semantics.control import BRANCHES, JUMPS

#: Instructions whose result is defined though a source is not: a choice, and sums of 64 bits for those of 32.
_DEFINED = frozenset({"V_CNDMASK_B32", "V_CNDMASK_B16", "S_CSELECT_B32", "S_CSELECT_B64", "V_MAD_U64_U32",
                      "V_MAD_I64_I32", "V_MAD_CO_U64_U32", "V_MAD_CO_I64_I32"})  # fmt: skip

#: What is the same of one register twice, whatever it holds.
_CLEARS = frozenset({"V_XOR_B32", "S_XOR_B32", "S_XOR_B64", "V_SUB_U32"})

#: Every register, and which lanes run.
_ALL, _LANES = (1 << END) - 1, registers("s", EXEC, 2)


def at_start(kernel: KernelBinary) -> Registers:
    """The registers that the machine writes before the first instruction, on firmware that preloads as the kernel says.

    (LLVM's AMDGPUUsage, "Initial Kernel Execution State".)
    """
    indices = 1 if kernel.architecture.packs_threads else kernel.thread_dimensions
    found = registers("v", 0, indices) | registers("s", EXEC, 2)
    register = 0
    for name, dwords in kernel.user_sgprs:
        if name != PRELOADED or kernel.preloaded:
            found |= registers("s", register, dwords)
        register += dwords
    register = kernel.user_sgpr_count
    if kernel.architecture.block_registers:
        for place in kernel.architecture.block_registers:
            found |= registers("s", place)
    further = sum(kernel.block_indices) + sum(kernel.extra_sgprs)
    found |= registers("s", register, further) if further else 0
    if kernel.architecture.cluster_register is not None:
        found |= registers("s", kernel.architecture.cluster_register)
    if kernel.architecture.wave_number:
        found |= registers("s", kernel.architecture.wave_number[0])
    return found


def find(flow: ControlFlow) -> Iterator[Hazard]:
    """The first use of each register that nothing has written, from each entry."""
    each = {entry: dict(_from(flow, entry, _ALL & ~at_start(kernel))) for entry, kernel in flow.starts}
    for address in sorted({address for found in each.values() for address in found}):
        entries = [entry for entry, found in each.items() if address in found]
        used = reduce(or_, (each[entry][address] for entry in entries))
        when = f" where a wave begins at {entries[0]:#x}" if len(entries) < len(each) else ""
        yield Hazard("undefined", address, f"uses {', '.join(named(used))}, which nothing has written{when}")


def _from(flow: ControlFlow, entry: int, undefined: Registers) -> Iterator[tuple[int, Registers]]:
    """The steps that first use an undefined register, and which, where so many are undefined at an entry."""
    before, left = {entry: undefined}, {entry}
    while left:
        start = min(left, key=flow.order.__getitem__)
        left.remove(start)
        after = before[start]
        for step in flow.blocks[start].steps:
            after = _after(flow, step, after)
        for successor in flow.blocks[start].successors:
            known = before.get(successor, _ALL)
            if known & after != known or successor not in before:
                before[successor] = known & after
                left.add(successor)
    told = 0
    for start in sorted(before):
        undefined = before[start]
        for step in flow.blocks[start].steps:
            used = _used(flow, step, undefined) & ~told
            if used:
                told |= used
                yield step.address, used
            undefined = _after(flow, step, undefined)


def _after(flow: ControlFlow, step: FlowStep, undefined: Registers) -> Registers:
    """What is undefined after a step: its results, where a whole register that it reads is."""
    reads, writes = step.effects.reads, step.effects.writes | step.effects.perhaps_writes
    one = step.instruction
    clears = one.name in _DEFINED or (one.name in _CLEARS and one.operands.get("a") == one.operands.get("b"))
    if not reads & undefined or clears or one.name in ACCESSES:
        return undefined & ~writes
    some = any(span.read and not span.written and _whole(span, undefined) for span in spans_of(one, flow.kernel))
    return undefined | writes if some else undefined & ~writes


def _whole(span: TouchedRegisters, undefined: Registers) -> bool:
    """Whether some register of an operand is undefined, both halves of it."""
    words = (registers(span.operand.kind, span.operand.index + k) for k in range(span.count))
    return any(word and word & undefined == word for word in words)


def _used(flow: ControlFlow, step: FlowStep, undefined: Registers) -> Registers:
    """What of the undefined registers decides where something is accessed, what is stored, or where control goes."""
    reads, writes = step.effects.reads, step.effects.writes
    if not reads & undefined:
        return 0
    one = step.instruction
    if one.name in BRANCHES or one.name in JUMPS:
        return reads & undefined
    if one.name not in ACCESSES:
        return reads & undefined if writes & _LANES and writes & _after(flow, step, undefined) else 0
    found = 0
    for span in spans_of(one, flow.kernel):
        data = span.role in ("data", "data2")
        whole = span.registers & undefined == span.registers if data else _whole(span, undefined)
        if span.read and whole and not (data and ACCESSES[one.name].space == "scratch"):
            found |= span.registers & undefined
    return found
