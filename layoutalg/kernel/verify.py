"""What must hold of a kernel program before it is emitted, as claims for the prover.

| obligation         | says                                                                                         |
|--------------------|----------------------------------------------------------------------------------------------|
| threads ↔ tile     | each tile that is stored is one-to-one with (lanes, registers)                               |
| cover              | the grid has a block for each tile, tiles reach every coordinate of the target once          |
| global access      | whatever its guard lets through is a coordinate of the tensor; the tensor's map is in bounds |
| meaning of tensors | at each index that the user knows, the descriptor gives the element of that index            |
| target ↔ memory    | the target's map is a bijection: every element is written, none twice                        |
| vectors            | elements of a vector access are consecutive, aligned, all inside or all outside, ≤ 16 bytes  |
| LDS                | every element of a map has a word of the buffer, its own; what is read was written there     |
| LDS again          | a buffer that lies over others is used when these are done with, behind a barrier            |
| no race            | no two threads touch a word of LDS in one barrier interval, where one of them writes         |
| asynchronous       | nothing meets a copy to LDS between its beginning and its end                                |
| copied boxes       | a tensor is one that the hardware can walk, its words are the map's; their ring never blocks |
| control            | all threads run each loop equally often, at least once, and so reach every barrier           |
| products           | a matrix operation's registers, types and lanes are those that the hardware multiplies       |
| products from LDS  | the words that an instruction reads by a matrix descriptor are its operands'                 |
| exchanges          | what a lane has afterwards is what it is for; lanes that exchange are the hardware's          |
| folds              | each element of a row is taken in once, whole or in parts                                    |
| rows               | registers that are moved, masked, rescaled are those of the thread, the row, the key         |
| values             | what is stored at a coordinate is what the program means; each contracted index counts once  |
| element types      | a value is rounded once, to the target's type, or never; sums are taken in f32               |
| index type         | every value of the emitted index arithmetic fits its type                                    |
| limits             | blocks, threads and LDS are what every target has that the program can be emitted for        |
| occupancy          | a unit of each target holds a block at least; how many, by LDS and waves                     |

Together they say: for all sizes that `requires` admits, after the kernel, the target holds the program's meaning at
each coordinate.  A program that is not well-formed (`obligations.wellformed`) has no meaning, and is refused before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from layoutalg.errors import InexpressibleError, LayoutError
from layoutalg.kernel.obligations import blocks, boxes, folds, in_lds, lds, memory, products, rows
from layoutalg.kernel.obligations import values as followed
from layoutalg.kernel.obligations.again import again
from layoutalg.kernel.obligations.asynchronous import asynchronous
from layoutalg.kernel.obligations.base import Requirement
from layoutalg.kernel.obligations.exchange import exchange
from layoutalg.kernel.obligations.limits import limits as limits_of
from layoutalg.kernel.obligations.ring import ring
from layoutalg.kernel.obligations.wellformed import refuse
from layoutalg.kernel.program import (
    AsyncCopy,
    Await,
    Barrier,
    BoxCopy,
    Clear,
    Commit,
    Divide,
    Elementwise,
    Exchange,
    Exponentiate,
    Fold,
    GlobalAccess,
    Loop,
    MaskScores,
    Move,
    Multiply,
    MultiplyShared,
    Program,
    Rescale,
    SharedAccess,
    Statement,
)
from layoutalg.prove import Limits, Unknown, Verdict, Verdicts, prove
from layoutalg.prove.obligation import SharedNameError
from layoutalg.prove.vacuity import vacuous
from layoutalg.records import dataclass


@dataclass(frozen=True)
class Verified(Verdicts):
    """A program with the verdict on each of its obligations; true where all are proved."""

    program: Program
    verdicts: tuple[tuple[str, Verdict], ...]


def verify(program: Program, *, strategy: str | None = None, limits: Limits | None = None) -> Verified:
    """Every obligation of the program, decided; `strategy` forces one of `prove`'s."""
    limits = limits or Limits()
    verdicts = tuple((r.about, _decided(r, strategy, limits)) for r in requirements(program))
    if why := vacuous(program.requires):
        nowhere = Unknown("some sizes are admitted", "vacuity", 0.0, why=why)
        verdicts = (("the sizes that it is for", nowhere), *verdicts)
    return Verified(program, verdicts)


def _decided(requirement: Requirement, strategy: str | None, limits: Limits) -> Verdict:
    """The verdict; Unknown where a program calls two variables by one name."""
    try:
        return prove(requirement.claim, strategy=strategy, limits=limits)
    except SharedNameError as error:
        return Unknown(requirement.about, "names", 0.0, why=str(error))


def _nothing(program: Program, number: int, statement: Statement) -> Iterator[Requirement]:
    """Of a statement that means something only among the others."""
    return iter(())


ALONE: Mapping[type[Statement], Callable[[Program, int, Any], Iterator[Requirement]]] = {
    GlobalAccess: memory.global_access,
    SharedAccess: lds.shared_access,
    Multiply: products.multiply,
    MultiplyShared: in_lds.multiply_shared,
    BoxCopy: boxes.box_copy,
    Fold: folds.fold,
    Exchange: exchange,
    Move: rows.move,
    MaskScores: rows.mask,
    Rescale: rows.rescale,
    Exponentiate: rows.exponentiate,
    Divide: rows.divide,
    **dict.fromkeys((AsyncCopy, Await, Barrier, Clear, Commit, Elementwise, Loop), _nothing),
}
"""What must hold of a statement by itself; what it means among the others is followed by `values`."""


def _of(statement: Statement) -> Callable[[Program, int, Any], Iterator[Requirement]]:
    """The rule of a statement; LayoutError where there is none: nobody has said what must hold of it."""
    for kind in type(statement).__mro__:
        if kind in ALONE:
            return ALONE[kind]
    raise LayoutError(
        f"statements of {type(statement).__name__} have no rule: say in verify.ALONE what must hold of one by itself"
    )


def requirements(program: Program) -> Iterator[Requirement]:
    """Every obligation of the program; LayoutError where it is not well-formed, or means nothing for some sizes."""
    try:
        yield from _requirements(program)
    except InexpressibleError as error:
        raise LayoutError(f"{program.name}: not well-formed: {error}") from error


def _requirements(program: Program) -> Iterator[Requirement]:
    refuse(program)
    yield from blocks.lanes(program)
    yield from blocks.whole_tiles(program)
    yield from blocks.cover(program)
    yield from blocks.control(program)
    yield from limits_of(program)
    yield from memory.tensors(program)
    for number, statement in program.statements():
        yield from _of(statement)(program, number, statement)
    again(program)
    yield from lds.no_race(program)
    yield from asynchronous(program)
    yield from ring(program)
    yield from followed.values(program)


__all__ = ["Requirement", "Verified", "requirements", "verify"]
