"""Builds that fault since their compiler reloads registers before it restores EXEC, with that order mended.

    python -m benchmarks.binary.run mended --compilers WHEELS/0.11.0 --only --levels 0

Where a block begins, lanes come back that were not active; a spilled vector register that is reloaded before they do
has no value in them.  LLVM's register allocator put reloads there where words in lanes are read before; its pull
request 69924 of October 2023, "Improve isBasicBlockPrologue helper function", changed that.  In a *mended* binary the
block first restores EXEC:

    scratch_load_b64 v[7:8], off, s33          v_readlane_b32 s0, v2, 7
    v_readlane_b32 s0, v2, 7             →     s_or_b32 exec_lo, exec_lo, s0
    s_or_b32 exec_lo, exec_lo, s0              scratch_load_b64 v[7:8], off, s33

If it is exact then and can be proved, nothing else was wrong with the build.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.binary.builds import built, kernels
from benchmarks.binary.proofs import Portion, code, limited, seen
from benchmarks.binary.state import State
from layoutalg.errors import CompileError
from layoutalg.isa.decode.code import Block, MachineCode
from layoutalg.isa.decode.instructions import EXEC, Instruction, Operand
from layoutalg.isa.semantics.accesses import ACCESSES

MENDED = Path(__file__).parent / "mended.jsonl"
_BETWEEN = ("V_READLANE_B32", "V_ACCVGPR_READ", "S_WAITCNT", "S_NOP")
"""Instructions that stand before EXEC's restoring beside loads: words in lanes, registers spilled to others, waits."""


def run_mended(portion: Portion, state: State) -> None:
    """Mends the builds that a run shows to fault, runs and proves them, a line for each."""
    for key, compiler in portion.builds():
        _, level, kernel, target = key
        try:
            binary = built(kernel, target, level, compiler)
        except CompileError:
            continue
        program = kernels()[kernel][target]
        before = seen(binary, program)
        if before == "exact":
            continue
        after, blocks = mended(binary)
        row: dict[str, Any] = {"before": before, "blocks": blocks, "run": seen(after, program)}
        state.put(key, {**row, **limited(after, program, portion.seconds), "code": code()})
        print(" · ".join(key), state.rows[key], flush=True)


def mended(binary: MachineCode) -> tuple[MachineCode, int]:
    """The program with EXEC restored first in each block, and in how many blocks that is another order."""
    changed = [new for block in binary.blocks.values() if (new := _exec_first(block)) is not None]
    instead = {instruction.address: instruction for block in changed for instruction in block}
    kept = (i for i in binary.instructions if not any(b[0].address <= i.address < _end(b) for b in changed))
    order = sorted((*kept, *instead.values()), key=lambda instruction: instruction.address)
    return MachineCode(binary.kernel, tuple(order)), len(changed)


def _end(block: list[Instruction]) -> int:
    return block[-1].address + block[-1].size


def _exec_first(block: Block) -> list[Instruction] | None:
    """The block with EXEC restored first; None where nothing is reloaded before, or its mask is what is reloaded."""
    head = list(itertools.takewhile(_may_stand_before, block.instructions))
    rest = block.instructions[len(head) :]
    if not rest or not rest[0].name.startswith("S_OR_B") or rest[0].operands["d"] != Operand("s", EXEC):
        return None
    mask = rest[0].operands["b"]
    lanes = [i for i in head if i.name == "V_READLANE_B32" and 0 <= i.operands["d"].index - mask.index < 2]
    reloads = [i for i in head if i not in lanes]
    written = {register for i in reloads for register in _written(i)}
    if not written or any((i.operands["a"].kind, i.operands["a"].index) in written for i in lanes):
        return None
    return list(_placed(block.instructions[0].address, [*lanes, rest[0], *reloads, *rest[1:]]))


def _may_stand_before(instruction: Instruction) -> bool:
    access = ACCESSES.get(instruction.name)
    return instruction.name in _BETWEEN or bool(access and access.space == "scratch" and not access.store)


def _written(instruction: Instruction) -> Iterator[tuple[str, int]]:
    """The vector registers that a reload writes."""
    target, access = instruction.operands.get("d"), ACCESSES.get(instruction.name)
    if target is not None and target.kind in ("v", "a"):
        yield from ((target.kind, target.index + k) for k in range(access.registers if access else 1))


def _placed(address: int, instructions: list[Instruction]) -> Iterator[Instruction]:
    for instruction in instructions:
        yield replace(instruction, address=address)
        address += instruction.size
