"""A kernel's data flow: what moves between global memory, registers and LDS, statement by statement.

Time runs from left to right, one statement a column.  Each tensor, register tile and LDS buffer is a bar in its
memory's row, from its first use to its last; each statement that moves data is an arrow from bar to bar.

    global     [source]                                 [target]
                  │ load                                   ↑ store
    registers  [a ▔▔▔▔▔▔▔▔▔▔▔]        ╎         [b ▔▔▔▔▔▔▔▔▔▔▔]
                        │ store       ╎ barrier   ↑ load
    LDS              [tile ▔▔▔▔▔▔▔▔▔▔▔╎▔▔▔▔▔▔▔▔▔▔▔]

What it cannot represent: which thread moves what; the grids of the distributions and descriptors do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from layoutalg.draw.errors import DrawError
from layoutalg.draw.svg import SMALL, Picture, line, shape, text_width, words
from layoutalg.kernel.program import (
    Barrier,
    Load,
    LoadShared,
    Program,
    Registers,
    Shared,
    Statement,
    Store,
    StoreShared,
    Tensor,
)

MEMORIES: Mapping[type, str] = {Tensor: "global", Registers: "registers", Shared: "LDS"}
"""The row of each kind of data, from the top."""

COLUMN, LEFT, TOP, BAR, ROW, STACK = 150.0, 96.0, 62.0, 38.0, 106.0, 46.0


@dataclass(frozen=True)
class Move:
    """A statement that moves data: its name, from what to what, and how."""

    name: str
    source: Any
    target: Any
    how: str


def _width(statement: Any) -> str:
    if statement.vector is None:
        return "element by element"
    return f"{statement.registers.distribution.ys[statement.vector]} elements at once"


def _guard(statement: Load | Store) -> str:
    return f"{_width(statement)}{', guarded' if statement.guarded else ''}"


MOVES: Mapping[type, Callable[[Any], Move]] = {
    Load: lambda s: Move("load", s.tensor, s.registers, _guard(s)),
    Store: lambda s: Move("store", s.registers, s.tensor, _guard(s)),
    StoreShared: lambda s: Move("store to LDS", s.registers, s.shared, _width(s)),
    LoadShared: lambda s: Move("load from LDS", s.shared, s.registers, _width(s)),
}
"""What each statement moves."""


@dataclass(frozen=True)
class Bar:
    """A piece of data: its memory, the columns of its first and last use, and its top edge in the picture."""

    data: Any
    memory: str
    first: int
    last: int
    y: float = 0.0


def dataflow(program: Program) -> Picture:
    """The data flow of a program; DrawError for a statement that has no picture.

    >>> from layoutalg.kernel.library.transpose import lds_transpose
    >>> dataflow(lds_transpose()).title
    'transpose_lds_xor_f32: 4 moves, 1 barrier'
    """
    steps = [_step(statement) for statement in program.body]
    bars = _stacked(_bars(steps))
    moves = sum(step is not None for step in steps)
    barriers = len(steps) - moves
    title = f"{program.name}: {moves} moves, {barriers} barrier{'s' * (barriers != 1)}"
    bottom = max((bar.y for bar in bars), default=TOP) + BAR
    rows = {bar.memory: [b.y for b in bars if b.memory == bar.memory] for bar in bars}
    width = max(LEFT + COLUMN * len(steps), text_width(program.summary)) + 40
    body = "".join(_row(name, min(ys), max(ys), LEFT + COLUMN * len(steps) + 16) for name, ys in rows.items())
    body += "".join(_bar(bar) for bar in bars)
    body += "".join(_arrow(n, step, bars) if step else _barrier(n, bottom) for n, step in enumerate(steps))
    return Picture(width, bottom + 30, body, title).headed(title, program.summary)


def _step(statement: Statement) -> Move | None:
    """What a statement moves; None for a barrier."""
    if isinstance(statement, Barrier):
        return None
    if type(statement) not in MOVES:
        raise DrawError(f"no picture of {type(statement).__name__}; there are {', '.join(k.__name__ for k in MOVES)}")
    return MOVES[type(statement)](statement)


def _bars(steps: list[Move | None]) -> list[Bar]:
    uses: dict[str, tuple[Any, list[int]]] = {}
    for n, step in enumerate(steps):
        for data in (step.source, step.target) if step else ():
            uses.setdefault(data.name, (data, []))[1].append(n)
    return [Bar(data, MEMORIES[type(data)], min(at), max(at)) for data, at in uses.values()]


def _stacked(bars: list[Bar]) -> list[Bar]:
    """Each bar in its memory's row; below another where both are in use at one time."""
    placed: list[Bar] = []
    y = TOP
    for memory in MEMORIES.values():
        lines: list[list[Bar]] = []
        for bar in (bar for bar in bars if bar.memory == memory):
            free = next((line for line in lines if line[-1].last < bar.first), None)
            if free is None:
                lines.append(free := [])
            free.append(replace(bar, y=y + STACK * next(n for n, line in enumerate(lines) if line is free)))
        placed += [bar for line in lines for bar in line]
        y += STACK * (len(lines) - 1) + ROW if lines else 0
    return placed


def _row(name: str, top: float, bottom: float, right: float) -> str:
    x = LEFT - 14
    band = shape("rect", "gap", x=x, y=top - 8, width=right - x, height=bottom - top + BAR + 16, rx=8, opacity=0.55)
    return band + words(16, top + BAR / 2, name, "ink bold", 12, "start")


def _bar(bar: Bar) -> str:
    x, y = LEFT + COLUMN * bar.first + 8, bar.y
    width = COLUMN * (bar.last - bar.first + 1) - 16
    kind = {"global": "memory", "registers": "ball", "LDS": "box"}[bar.memory]
    box = shape("rect", kind, x=x, y=y, width=width, height=BAR, rx=6)
    name = words(x + 10, y + 13, bar.data.name, "ink bold", 12, "start")
    return box + name + words(x + 10, y + 28, _size(bar.data), "soft num", SMALL - 1, "start")


def _size(data: Any) -> str:
    if isinstance(data, Tensor):
        return " × ".join(map(str, data.descriptor.lengths))
    if isinstance(data, Shared):
        return f"{data.elements} {data.dtype.name}"
    return f"{data.distribution.registers} a thread"


def _arrow(n: int, move: Move, bars: list[Bar]) -> str:
    places = {bar.data.name: bar.y for bar in bars}
    x = LEFT + COLUMN * (n + 0.5) + 26
    start, end = (places[data.name] for data in (move.source, move.target))
    y1, y2 = (start + BAR, end) if start < end else (start, end + BAR)
    tip = 7 if start < end else -7
    head = f"M{x - 5:g} {y2 - tip:g}L{x:g} {y2:g}L{x + 5:g} {y2 - tip:g}"
    body = line(x, y1, x, y2, "frame") + shape("path", "frame", d=head)
    body += words(x + 9, (y1 + y2) / 2, move.name.split()[0], "soft", SMALL, "start")
    return body + _heading(n, move.name, move.how, "ink bold")


def _heading(n: int, name: str, how: str, cls: str) -> str:
    x = LEFT + COLUMN * (n + 0.5)
    size = min(SMALL, SMALL * COLUMN / max(text_width(how, SMALL), 1))
    return words(x, 22, f"{n + 1}  {name}", cls, 12) + words(x, 39, how, "soft", size)


def _barrier(n: int, bottom: float) -> str:
    x = LEFT + COLUMN * (n + 0.5)
    path = shape("path", "bad", d=f"M{x:g} {TOP - 8:g}V{bottom + 12:g}", stroke_dasharray="6 5")
    return path + _heading(n, "barrier", "all threads meet", "bad-ink bold")
