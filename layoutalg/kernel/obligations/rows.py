"""Statements on rows: registers are of the thread that has them, rows beside their tile, masks where they are computed.

| statement      | must hold, of every thread and register                                                     |
|----------------|---------------------------------------------------------------------------------------------|
| `Move`         | the register that is read holds the coordinates that are wanted, in their order             |
| `MaskScores`   | the coordinates that are computed are the tile's; the condition fits the index type         |
| `Rescale`      | each total's register lies in the row whose power it takes; the greatest has the rows' lanes |
| `Exponentiate` | the same of scores and the shift, and all are f32                                           |
| `Divide`       | the same of the results and what they are divided by                                        |

What the tiles then mean is followed by `softmax`.
"""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.index import TRUE, all_equal, as_expr
from layoutalg.kernel.access.rows import kept_at, masked_at, row_index, source_index
from layoutalg.kernel.obligations.base import Requirement, fits, lanes_of
from layoutalg.kernel.obligations.memory import computed
from layoutalg.kernel.program import Divide, Exponentiate, MaskScores, Move, Program, Registers, Rescale, Rows
from layoutalg.prove import ForAll, Shown
from layoutalg.target.dtypes import DTYPES


def move(program: Program, number: int, s: Move) -> Iterator[Requirement]:
    """Each register is one of the source's, of the same thread."""
    own, there = s.registers.distribution, s.source.distribution
    ps = lanes_of(own)
    found = own.lower(ps, own.y_index)
    held = there.lower(ps, source_index(s))
    shown = (Shown("lane", ps), Shown("registers", own.y_index), Shown("holds", held), Shown("wanted", found))
    same = ForAll("a thread moves what it holds", all_equal(found, [held[d] for d in s.order]), TRUE, shown)
    yield Requirement(f"{number}: {s.registers.name} is {s.source.name} in its own order", same)
    lengths = ForAll("one shape", all_equal(own.lengths, [there.lengths[d] for d in s.order]))
    yield Requirement(f"{number}: {s.registers.name} and {s.source.name} have one shape", lengths)


def mask(program: Program, number: int, s: MaskScores) -> Iterator[Requirement]:
    """The condition is asked at the register's coordinates."""
    what, tile = f"{number}: {s.registers.name} is masked", s.registers.distribution
    inner = tile.lower(program.lanes, tile.y_index)
    meant = [o + x for o, x in zip(s.origin, inner, strict=True)]
    yield computed(what, masked_at(program, s), meant, program)
    about = f"{what}: its condition fits {program.index_bits} bits"
    yield from fits(about, [kept_at(program, s), s.only], program.index_bits, program.requires)
    yield Requirement(f"{what}: scores are f32", _f32(s.registers))


def rescale(program: Program, number: int, s: Rescale) -> Iterator[Requirement]:
    """Each total takes the power of its own row."""
    alike = as_expr(int(s.shift.distribution == s.greatest.distribution))
    about = f"{number}: {s.shift.name} and {s.greatest.name} lie alike"
    yield Requirement(about, ForAll("one distribution", alike))
    for rows in s.totals:
        yield _beside(number, rows, s.shift)
    yield Requirement(f"{number}: {s.shift.name} is raised in f32", _f32(s.shift, s.greatest, *s.accumulators))


def exponentiate(program: Program, number: int, s: Exponentiate) -> Iterator[Requirement]:
    """Each score is taken beside its own row's shift."""
    yield _beside(number, s.rows, s.shift)
    alike = as_expr(int(s.registers.distribution == s.scores.distribution))
    about = f"{number}: {s.registers.name} and {s.scores.name} lie alike"
    yield Requirement(about, ForAll("one distribution", alike))
    yield Requirement(f"{number}: powers are taken in f32", _f32(s.registers, s.scores, s.shift))


def divide(program: Program, number: int, s: Divide) -> Iterator[Requirement]:
    """Each result is divided by its own row's."""
    yield _beside(number, s.rows, s.by)
    yield Requirement(f"{number}: it is divided in f32", _f32(s.registers, s.by))


def _beside(number: int, rows: Rows, by: Registers) -> Requirement:
    """A tile's registers lie in the rows of the registers beside them."""
    tile, held = rows.registers.distribution, by.distribution
    ps = lanes_of(tile)
    found, row = tile.lower(ps, tile.y_index), held.lower(ps, row_index(rows))
    shown = (Shown("lane", ps), Shown("registers", tile.y_index), Shown("holds", found), Shown("row", row))
    goal = all_equal([found[d] for d in rows.axes], row)
    about = f"{number}: each of {rows.registers.name} has its row's {by.name}"
    return Requirement(about, ForAll("rows agree", goal, TRUE, shown))


def _f32(*tiles: Registers) -> ForAll:
    return ForAll("all are f32", as_expr(int(all(r.dtype == DTYPES["f32"] for r in tiles))))


__all__ = ["divide", "exponentiate", "mask", "move", "rescale"]
