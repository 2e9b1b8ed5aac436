"""Asynchronous copies: a load and a store to LDS that one instruction does, some time between the two.

The program is proved as if the load filled registers where it stands, and the store wrote LDS where it stands.  The
instruction (`cp.async` of PTX, sm_80 and later) writes LDS at any moment from the load's place on, and is awaited at
the store's.  That makes no difference where

    load(r) … store(r)         no barrier, and no statement that touches r, in between; r is used by such pairs only
    one vector of 16 bytes     the same elements for both, of one type, 0 where a guard lets nothing through
    LDS accesses in between    to other buffers, or to other slots (so a thread's own accesses do not meet it either)

Other threads' accesses: load and store are in one interval between barriers, and within an interval the absence of
races is proved whatever the order.  Source: PTX ISA, `cp.async` and `cp.async.wait_all`, which makes a thread's copies
visible to it; the barrier after it, to the block.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from layoutalg.index import TRUE, eq, negation
from layoutalg.kernel.obligations.base import Requirement
from layoutalg.kernel.obligations.limits import targets_of
from layoutalg.kernel.program import (
    Barrier,
    Load,
    Loop,
    Program,
    SharedAccess,
    Statement,
    StoreShared,
    registers_of,
    vector_width,
    vector_ys,
    walk,
)
from layoutalg.layout import LayoutError
from layoutalg.prove import ForAll, Shown

BYTES = 16


def asynchronous(program: Program) -> Iterator[Requirement]:
    """What an asynchronous copy needs beside its load's and its store's own obligations."""
    if not any(isinstance(s, StoreShared) and s.copies for s in walk(program.body)):
        return
    wrong = [gpu.name for gpu in targets_of(program) if not gpu.name.startswith("sm_")]
    if wrong:
        raise LayoutError(f"{program.name}: asynchronous copies to LDS are written for sm_80 and later, not {wrong[0]}")
    numbers = {id(s): n for n, s in program.statements()}
    paired = set[int]()
    for body in _bodies(program.body):
        for place, s in enumerate(body):
            if isinstance(s, StoreShared) and s.copies:
                start = _partner(program, body, place, s)
                paired |= {id(body[start]), id(s)}
                _refuse_parts(program, s, s.copies)
                yield from _between(program, numbers[id(s)], s, body[start + 1 : place])
    for s in walk(program.body):
        if isinstance(s, StoreShared) and s.copies:
            _refuse_uses(program, s, paired)


def _bodies(body: Sequence[Statement]) -> Iterator[Sequence[Statement]]:
    """The program's body, and each loop's."""
    yield body
    for s in body:
        if isinstance(s, Loop):
            yield from _bodies(s.body)


def _partner(program: Program, body: Sequence[Statement], place: int, s: StoreShared) -> int:
    """Where the store's load stands: the last one like it, in the same body before it."""
    found = [n for n in range(place) if body[n] == s.copies]
    if not found:
        raise LayoutError(f"{program.name}: the load that a store to {s.shared.name} copies is not before it")
    return found[-1]


def _refuse_parts(program: Program, s: StoreShared, load: Load) -> None:
    kinds = {load.tensor.dtype, load.registers.dtype, s.shared.dtype}
    size = vector_width(s) * s.shared.dtype.bytes
    if load.registers != s.registers or vector_ys(load) != vector_ys(s) or len(kinds) != 1 or size != BYTES:
        raise LayoutError(f"{program.name}: a copy to {s.shared.name} must move the same {BYTES} bytes as its load")
    if load.fill != "sum":
        raise LayoutError(f"{program.name}: a copy to {s.shared.name} leaves 0 outside, not what a {load.fill} needs")


def _refuse_uses(program: Program, s: StoreShared, paired: set[int]) -> None:
    for other in walk(program.body):
        if id(other) not in paired and s.registers in registers_of(other):
            raise LayoutError(f"{program.name}: {s.registers.name} is copied past the registers, and read elsewhere")


def _between(program: Program, number: int, s: StoreShared, body: Sequence[Statement]) -> Iterator[Requirement]:
    """Nothing between the load and the store meets the copy."""
    for n, other in enumerate(walk(body)):
        if isinstance(other, Barrier):
            raise LayoutError(f"{program.name}: a barrier stands within a copy to {s.shared.name}")
        if s.registers in registers_of(other):
            raise LayoutError(f"{program.name}: {s.registers.name} is used within its copy to {s.shared.name}")
        if isinstance(other, SharedAccess) and other.shared == s.shared:
            shown = (Shown("slot", (s.slot,)), Shown("slot", (other.slot,)))
            goal = ForAll("they use different slots", negation(eq(s.slot, other.slot)), TRUE, shown)
            yield Requirement(f"{number}: the copy does not meet access {n} within it", goal)


__all__ = ["asynchronous"]
