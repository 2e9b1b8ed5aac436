"""What is read of LDS, as a term: that of its writer, in the coordinates of the thread that reads.

    tile[y][x] = …x[row(block, y), …]    barrier    tile[x][y]  is  …x[row(block, x), …]

Who stored a byte says `lds.handed`: of each piece of the readers one store, and the writer's coordinates by the
reader's.  The writer's term with these in place of its own is what is read, where all of this is so:

| is asked | because |
|---|---|
| that the store happens whenever the read does | else another store, or none, is the last |
| that the writer's turn of a loop around both is one that it makes | lanes may make unlike numbers of turns |
| that the term is of the launch, of threads and turns, and of functions of these | an unknown is one thread's own |

What it cannot represent: stores in a loop that was left before the read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, reduce

from layoutalg.audit.intervals import is_counted
from layoutalg.audit.lds.digits import digits
from layoutalg.audit.lds.handed import Handed, LdsContents
from layoutalg.audit.meaning.parts import parts_of
from layoutalg.audit.meaning.places import Decide
from layoutalg.audit.meaning.terms import Terms
from layoutalg.index import Expr, all_of, extent_of, select, simplify
from layoutalg.launch.symbolic import KernelLaunch
from layoutalg.symex.machine.state import TracedElement
from layoutalg.symex.values.unknowns import Kind, arguments_of, dependencies, kind_of
from layoutalg.symex.values.word import NotReadable

Names = Mapping[Expr, Expr]


class ThroughLds:
    """What one kernel reads of LDS."""

    def __init__(self, terms: Terms, launched: KernelLaunch, trace: Sequence[TracedElement], decide: Decide) -> None:
        self.terms, self.launched, self.trace, self.decide = terms, launched, trace, decide
        self.turns = {t for one in trace for t in one.loops}
        self.why: dict[Expr, str] = {}  # what was read → why it has no term

    @cached_property
    def contents(self) -> LdsContents:
        """Who stored what. Raises `NotReadable` where that is not seen."""
        return LdsContents(self.launched, self.trace)

    def term(self, read: TracedElement, names: Names, done: dict[Expr, Expr]) -> Expr | None:
        """The term of what was read, of the terms of all that was loaded before; None, and `why`, where it has none."""
        try:
            own = {v: v for v in (*self.launched.threads, *read.loops)}
            pieces = self.contents.of(read.value, own)
            guard = self.terms.rewritten(read.guard, names, done, simplify)
            each = [self._written(read, one, all_of(self.launched.given, guard), names, done) for one in pieces]
        except NotReadable as error:
            self.why[read.value] = str(error)
            return None
        others = zip(pieces[:-1], each[:-1], strict=True)
        return reduce(lambda rest, one: select(one[0].where, one[1], rest), others, each[-1])

    def _written(self, read: TracedElement, piece: Handed, given: Expr, names: Names, done: dict[Expr, Expr]) -> Expr:
        """What a writer stored, in the reader's coordinates."""
        at = f"what {read.instruction.address:#x} reads of LDS"
        turns = [t for t in piece.element.loops if t in piece.env]
        if len(turns) < len(piece.element.loops) or not all(map(is_counted, turns)):
            raise NotReadable(f"{at} is stored in a turn that is not known")
        made = all_of(piece.needed, *(t < extent_of(t) for t in turns))
        own = [self.terms.rewritten(e, names, done, simplify) for e in (piece.element.value, made)]
        value, goal = self._moved(own, piece, at)
        if not self.decide(goal, all_of(given, piece.where)):
            raise NotReadable(f"{at}: that it is stored before, where {goal}, is not seen")
        return value

    def _moved(self, own: Sequence[Expr], piece: Handed, about: str) -> list[Expr]:
        """Terms of the writer's coordinates in those of the reader."""
        speaking = dependencies(*own)
        for v in speaking:
            if kind_of(v) not in (None, Kind.RESULT) or (v in self.turns and v not in piece.env):
                raise NotReadable(f"{about} is made of {self.why.get(v, v)}")
        every = [*own, *(e for v in speaking for e in arguments_of(v))]
        wholes, numbers = {}, dict(piece.env)
        for v, parts in ((v, parts_of(v, every)) for v in self.contents.numbers):
            if parts is not None:
                wholes[v] = parts.whole
                numbers |= {
                    d: self._digit(piece, v, at, int(d.hi) + 1, about)
                    for d, at in zip(parts.digits, parts.places, strict=True)
                }
        split: dict[Expr, Expr] = {}
        moved: dict[Expr, Expr] = {}
        return [
            self.terms.rewritten(self.terms.rewritten(e, wholes, split, simplify), numbers, moved, simplify)
            for e in own
        ]

    def _digit(self, piece: Handed, v: Expr, place: int, length: int, about: str) -> Expr:
        """A digit of a writer's coordinate, by the reader's."""
        readers, writers = piece.threads
        numbers = self.contents.numbers
        form = digits(numbers[v][writers] // place % length, {u: held[readers] for u, held in numbers.items()})
        if form is None:
            raise NotReadable(f"{about}: its writer is no map of digits")
        return form
