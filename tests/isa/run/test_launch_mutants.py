"""Binaries with one thing wrong: each mutant that changes what the kernel does must be seen by a run.

A mutant is run on shapes that leave no byte of room: exact buffers, ragged edges, one tile and several.  It is *seen*
when it cannot be decoded or run, when it faults, or when the result differs.  A mutant that is not seen
must be neutral: the bit lies in a hint, in a field that nothing reads, or in a wait that waits for no less.
"""

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from layoutalg.errors import Fault, UnsupportedInstructionError
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.isa.semantics.accesses import NO_EFFECT
from tests.fuzzing import FIRST, KNOWN, count
from tests.matrix import each

FLIPS = count(20, dear=50)
"""Bits flipped for each target."""
SHAPES = ((100, 70), (64, 129))
LATENT = {"S_WAITCNT", "S_WAIT_LOADCNT", "S_WAIT_DSCNT", "S_WAIT_KMCNT", "S_WAIT_STORECNT"}


def patched(program, changes):
    """The program with other bytes at some addresses."""
    code = bytearray(program.kernel.code)
    for address, data in changes.items():
        start = address - program.kernel.entry
        code[start : start + len(data)] = data
    return decode_kernel(replace(program.kernel, code=bytes(code)))


def seen(program, shapes=SHAPES):
    """How a run shows that the program is wrong: a fault's kind, `result`, `refused`, or nothing."""
    for rows, columns in shapes:
        given = np.arange(1, rows * columns + 1, dtype=np.float32).reshape(rows, columns)
        out = np.full((columns, rows), -1, np.float32)
        grid = (-(-columns // 64), -(-rows // 64))
        try:
            run = execute(program, grid, (256,), [given, out, rows, columns], step_limit=8000)
        except Fault as fault:
            return fault.kind
        except UnsupportedInstructionError:
            return "refused"
        if not (np.array_equal(run.outputs[0], given) and np.array_equal(run.outputs[1], given.T)):
            return "result"
    return None


def nop(program, instruction):
    """Bytes that do nothing: S_NOP (SOPP opcode 0) as often as needed."""
    return bytes.fromhex("000080bf") * (instruction.size // 4)


def removed(program, names):
    """Every mutant without one instruction of these names."""
    for instruction in program.instructions:
        if instruction.name in names:
            yield instruction, patched(program, {instruction.address: nop(program, instruction)})


@pytest.mark.parametrize("target", each(["gfx90a", "gfx942", "gfx1100", "gfx1201"], "gfx1201"))
def test_a_removed_barrier_is_a_race(program, target):
    kernel = program("transposes", "transpose_xor_f32", target)
    names = ("S_BARRIER", "S_BARRIER_SIGNAL", "S_BARRIER_WAIT")
    kinds = [seen(mutant) for _, mutant in removed(kernel, names)]
    assert kinds
    assert set(kinds) <= {"race", "barrier"}


@pytest.mark.parametrize("target", each(["gfx90a", "gfx942", "gfx1100", "gfx1201"], "gfx942"))
@pytest.mark.parametrize("opt_level", each([1, 3], 1))
def test_a_removed_wait_is_seen(program, target, opt_level):
    kernel = program("transposes", "transpose_padded_f32", target, opt_level)
    mutants = list(removed(kernel, LATENT))
    found = [(instruction, seen(mutant)) for instruction, mutant in mutants[:: 1 + len(mutants) // 8]]
    assert len(found) > 3
    assert {kind for instruction, kind in found if not repeated(kernel, instruction)} <= {"wait", "race"}


def repeated(program, wait):
    """Whether the same wait stands before this one, and nothing between them starts an access: it waits for nothing."""
    at = program.instructions.index(wait)
    before = next((n for n in range(at - 1, -1, -1) if program.instructions[n].name == wait.name), None)
    if before is None or str(program.instructions[before]) != str(wait):
        return False
    between = program.instructions[before + 1 : at]
    return not any(i.name.startswith(("DS_", "GLOBAL_", "FLAT_", "S_LOAD")) for i in between)


def neutral(program, before, after):
    """Whether the change cannot matter: a hint, a field that nothing reads, or a wait that waits for no less."""
    if before is None or after is None or before.name in NO_EFFECT or str(before) == str(after):
        return True
    if before.name != after.name:
        return False
    wait = program.kernel.architecture.waits.get(before.name)
    if wait is None:
        return before.form == "SOPP" and before.name in ("S_ENDPGM", "S_BARRIER", "S_BARRIER_WAIT")
    limits = {"vm": 8, "lgkm": 8, "load": 8, "ds": 8}  # no more than these are ever under way here
    old, new = (wait.left(one.fields.get("simm16", 0)) for one in (before, after))
    return all(new[name] <= max(old[name], 0) or old[name] >= limits.get(name, 0) for name in old)


@pytest.mark.fuzz
@pytest.mark.parametrize("target", each(["gfx942", "gfx950", "gfx1100", "gfx1201"], "gfx1100"))
def test_a_flipped_bit_is_seen_or_neutral(program, target):
    """Flipped bits drawn at random from all bits of the code.

    Some survive every run and are not neutral by the rules above: a mask register that is dead, an addition whose
    operands share no bit, a shift that only sizes above 2**29 would show.  They are few; a proof must judge them.
    """
    kernel, rng = program("transposes", "transpose_xor_f32", target, 1), random.Random(f"{target} {FIRST}")
    code, kinds, survivors = kernel.kernel.code, Counter(), []
    for _ in range(FLIPS):
        bit = rng.randrange(8 * len(code))
        at = kernel.kernel.entry + bit // 8
        address = max(a for a in kernel.by_address if a <= at)
        try:
            mutant = patched(kernel, {at: bytes([code[bit // 8] ^ 1 << bit % 8])})
            kind = seen(mutant)
        except UnsupportedInstructionError:
            kind = "refused"
        kinds[kind] += 1
        if kind is None:
            before, after = kernel.by_address[address], mutant.by_address.get(address)
            if not neutral(kernel, before, after):
                survivors.append(f"{before}   ->   {after}")
    if KNOWN:
        assert sum(kinds.values()) - kinds[None] >= 0.6 * FLIPS
        assert len(survivors) <= 0.1 * FLIPS + 1, survivors
