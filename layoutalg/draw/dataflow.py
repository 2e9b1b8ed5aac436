"""A kernel's data flow: what moves between global memory, registers and LDS, statement by statement.

Time runs from left to right, one statement a column, with the number that its obligations have; the body of a loop is
drawn once, under a bracket, and the loop itself has a number and no column.  Each tensor,
register tile and LDS buffer is a bar in its memory's row, from its first use to its last; each statement that moves or
combines data is an arrow from every bar it reads to the bar it writes.

    global     [source]                                 [target]
                  │ load                                   ↑ store
    registers  [a ▔▔▔▔▔▔▔▔▔▔▔]        ╎         [b ▔▔▔▔▔▔▔▔▔▔▔]
                        │ store       ╎ barrier   ↑ load
    LDS              [tile ▔▔▔▔▔▔▔▔▔▔▔╎▔▔▔▔▔▔▔▔▔▔▔]

What it cannot represent: which thread moves what; the grids of the distributions and descriptors do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count, islice
from typing import Any

from layoutalg.draw.svg import SMALL, Picture, line, shape, text_width, words
from layoutalg.errors import DrawError
from layoutalg.kernel.program import Loop, Program, Registers, Shared, Statement, Tensor, walk
from layoutalg.records import dataclass

MEMORIES: Mapping[type, str] = {Tensor: "global", Registers: "registers", Shared: "LDS"}
"""The row of each kind of data, from the top."""

COLUMN, LEFT, TOP, BAR, ROW, STACK, LOOP = 150.0, 96.0, 62.0, 38.0, 106.0, 56.0, 26.0


@dataclass(frozen=True)
class DataflowStep:
    """A statement in its column: its number, name, what it reads and writes, how, and the loops around it."""

    number: int
    name: str
    reads: tuple[Any, ...]
    writes: tuple[Any, ...]
    how: str
    loops: tuple[Loop, ...] = ()


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
    'transpose_lds_xor_f32: 5 statements'
    """
    steps = list(_steps(program.body, count()))
    deepest = max((len(step.loops) for step in steps), default=0)
    bars = _stacked(_bars(steps))
    title = f"{program.name}: {len(steps)} statement{'s' * (len(steps) != 1)}"
    bottom = max((bar.y for bar in bars), default=TOP) + BAR
    rows = {bar.memory: [b.y for b in bars if b.memory == bar.memory] for bar in bars}
    width = max(LEFT + COLUMN * len(steps), text_width(program.summary)) + 40
    body = "".join(_row(name, min(ys), max(ys), LEFT + COLUMN * len(steps) + 16) for name, ys in rows.items())
    body += "".join(_bar(bar) for bar in bars)
    body += "".join(_column(n, step, bars, bottom) for n, step in enumerate(steps))
    body += "".join(_bracket(loop, first, last, depth - deepest) for loop, first, last, depth in _loops(steps))
    moved = shape("g", transform=f"translate(0 {LOOP * deepest:g})", inner=body)
    return Picture(width, bottom + 30 + LOOP * deepest, moved, title).headed(title, program.summary)


def _steps(body: Sequence[Statement], numbers: Iterator[int], loops: tuple[Loop, ...] = ()) -> Iterator[DataflowStep]:
    """The statements in order, those of a loop once, numbered as `Program.statements` does."""
    for s in body:
        number = next(numbers)
        name, how = (words.format(s) for words in s.words) if isinstance(s, Statement) else ("", "")
        if isinstance(s, Loop):
            yield from _steps(s.body, numbers, (*loops, s))
        elif name:
            yield DataflowStep(number, name, (*s.reads,), (*s.adds_to, *s.fills), how, loops)
            list(islice(numbers, len(list(walk(s.parts)))))  # its parts have numbers of their own
        else:
            raise DrawError(f"no picture of {type(s).__name__}: it has no words")


def _loops(steps: Sequence[DataflowStep]) -> Iterator[tuple[Loop, int, int, int]]:
    """Each loop with its first and last column and its depth."""
    for depth in range(max((len(step.loops) for step in steps), default=0)):
        inside = [(n, step.loops[depth]) for n, step in enumerate(steps) if len(step.loops) > depth]
        for loop in {id(loop): loop for _, loop in inside}.values():
            columns = [n for n, other in inside if other is loop]
            yield loop, columns[0], columns[-1], depth


Key = tuple[str, str]
"""A piece of data by its memory and its name: a tensor and a register tile may have one name."""


def _key(data: Any) -> Key:
    return MEMORIES[type(data)], data.name


def _bars(steps: Sequence[DataflowStep]) -> list[Bar]:
    uses: dict[Key, tuple[Any, list[int]]] = {}
    for n, step in enumerate(steps):
        for data in (*step.reads, *step.writes):
            uses.setdefault(_key(data), (data, []))[1].append(n)
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


def _column(n: int, step: DataflowStep, bars: Sequence[Bar], bottom: float) -> str:
    x = LEFT + COLUMN * (n + 0.5)
    if not step.writes:
        dashes = shape("path", "bad", d=f"M{x:g} {TOP - 8:g}V{bottom + 12:g}", stroke_dasharray="6 5")
        return dashes + _heading(x, f"{step.number}  {step.name}", step.how, "bad-ink bold")
    y = {_key(bar.data): bar.y for bar in bars}
    body = _heading(x, f"{step.number}  {step.name}", step.how, "ink bold")
    for target in step.writes:
        body += shape("circle", "ink", cx=x + 26, cy=y[_key(target)] + BAR / 2, r=0 if step.reads else 3)
        for k, source in enumerate(step.reads):
            if _key(source) != _key(target):
                body += _arrow(x + 26 + 16 * k, y[_key(source)], y[_key(target)], step.name if k == 0 else "")
    return body


def _arrow(x: float, start: float, end: float, name: str) -> str:
    y1, y2 = (start + BAR, end) if start < end else (start, end + BAR)
    tip = 7 if start < end else -7
    head = f"M{x - 5:g} {y2 - tip:g}L{x:g} {y2:g}L{x + 5:g} {y2 - tip:g}"
    body = line(x, y1, x, y2, "frame") + shape("path", "frame", d=head)
    short = abs(y2 - y1) < 2 * SMALL
    return (
        body if short else body + words(x + 9, (y1 + y2) / 2, name.split()[0] if name else "", "soft", SMALL, "start")
    )


def _heading(x: float, name: str, how: str, cls: str) -> str:
    size = min(SMALL, SMALL * COLUMN / max(text_width(how, SMALL), 1))
    return words(x, 22, name, cls, 12) + words(x, 39, how, "soft", size)


def _bracket(loop: Loop, first: int, last: int, depth: int) -> str:
    x, y, width = LEFT + COLUMN * first + 6, 4 + LOOP * depth, COLUMN * (last - first + 1) - 12
    extent = loop.index.value.extent
    text = f"for each {loop.index.value.name} below {int(loop.index.hi) + 1 if extent is None else extent}"
    frame = shape("path", "edge", d=f"M{x:g} {y + LOOP - 4:g}V{y + 8:g}h{width:g}V{y + LOOP - 4:g}")
    ground = shape("rect", "paper", x=x + 12, y=y, width=text_width(text, 11) + 8, height=16)
    return frame + ground + words(x + 16, y + 8, text, "ink", 11, "start")
