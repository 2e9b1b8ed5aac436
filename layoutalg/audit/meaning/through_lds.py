"""What is read of LDS, as a term: that of its writer, in the coordinates of the thread that reads.

    tile[y][x] = …x[row(block, y), …]    barrier    tile[x][y]  is  …x[row(block, x), …]

Who stored a byte says `lds.history`: of each piece of the readers one store, and the writer's coordinates by the
reader's.  The writer's term with these in place of its own is what is read, where all of this is so:

| is asked | because |
|---|---|
| that the store happens whenever the read does | else another store, or none, is the last |
| that the writer's iteration of a loop around both is one that it makes | lanes may make unlike numbers of them |
| that the term is of the launch, threads and iterations, and of functions of these | an unknown is one thread's own |

What it cannot represent: stores in a loop that was left before the read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from layoutalg.audit.ask import Open
from layoutalg.audit.epochs import is_counted
from layoutalg.audit.lds.block import BlockThreads
from layoutalg.audit.lds.digits import digits
from layoutalg.audit.lds.history import Forwarded, History
from layoutalg.audit.meaning.places import Decide
from layoutalg.audit.meaning.terms import Terms
from layoutalg.audit.parts import parts_of
from layoutalg.index import Expr, all_of, extent_of, select, simplify
from layoutalg.launch.symbolic import KernelLaunch
from layoutalg.symex.machine.tracing import TracedElement
from layoutalg.symex.values.unknowns import Kind, arguments_of, dependencies, kind_of

Names = Mapping[Expr, Expr]


class ThroughLds:
    """What one kernel reads of LDS."""

    def __init__(
        self,
        terms: Terms,
        launched: KernelLaunch,
        trace: Sequence[TracedElement],
        history: History | Open,
        decide: Decide,
    ) -> None:
        """`history`: who stored what."""
        self.terms, self.launched, self.history, self.decide = terms, launched, history, decide
        self.block = BlockThreads(launched)
        self.iterations = {t for one in trace for t in one.loops}
        self.why: dict[Expr, str] = {}  # what was read → why it has no term

    def term(self, read: TracedElement, names: Names, done: dict[Expr, Expr]) -> Expr | None:
        """The term of what was read, of the terms of all that was loaded before; None, and `why`, where it has none."""
        found = self._term(read, names, done)
        if isinstance(found, Open):
            self.why[read.value] = found.why
            return None
        return found

    def _term(self, read: TracedElement, names: Names, done: dict[Expr, Expr]) -> Expr | Open:
        """The stored term, of several where the reader is one of whose."""
        if isinstance(self.history, Open):
            return self.history
        pieces = self.history.forwarded(read.value, {v: v for v in (*self.launched.threads, *read.loops)})
        if isinstance(pieces, Open):
            return pieces
        guard = self.terms.rewritten(read.guard, names, done, simplify)
        each: list[tuple[Expr, Expr]] = []
        for piece in pieces:
            stored = self._stored(read, piece, all_of(self.launched.given, guard), names, done)
            if isinstance(stored, Open):
                return stored
            each.append((piece.where, stored))
        *others, (_, last) = each
        return reduce(lambda rest, one: select(one[0], one[1], rest), others, last)

    def _stored(
        self, read: TracedElement, piece: Forwarded, given: Expr, names: Names, done: dict[Expr, Expr]
    ) -> Expr | Open:
        """What a writer stored, in the reader's coordinates."""
        about = f"what {read.instruction.address:#x} reads of LDS"
        iterations = [t for t in piece.element.loops if t in piece.writer]
        if len(iterations) < len(piece.element.loops) or not all(map(is_counted, iterations)):
            return Open(f"{about} is stored in a turn that is not known")
        made = all_of(piece.needed, *(t < extent_of(t) for t in iterations))
        own = [self.terms.rewritten(e, names, done, simplify) for e in (piece.element.value, made)]
        for v in dependencies(*own):
            if kind_of(v) not in (None, Kind.RESULT) or (v in self.iterations and v not in piece.writer):
                return Open(f"{about} is made of {self.why.get(v, v)}")
        terms = self._of_reader(own, piece)
        if terms is None:
            return Open(f"{about}: its writer is no map of digits")
        value, goal = terms
        if not self.decide(goal, all_of(given, piece.where)):
            return Open(f"{about}: that it is stored before, where {goal}, is not seen")
        return value

    def _of_reader(self, own: Sequence[Expr], piece: Forwarded) -> list[Expr] | None:
        """Terms of the writer's coordinates in those of the reader; None where a digit of a writer's is no such map."""
        every = [*own, *(e for v in dependencies(*own) for e in arguments_of(v))]
        wholes, numbers = {}, dict(piece.writer)
        for v, parts in ((v, parts_of(v, every)) for v in self.block.indices):
            if parts is None:
                continue
            wholes[v] = parts.whole
            for d, place in zip(parts.digits, parts.places, strict=True):
                digit = self._digit(piece, v, place, int(d.hi) + 1)
                if digit is None:
                    return None
                numbers[d] = digit
        split: dict[Expr, Expr] = {}
        moved: dict[Expr, Expr] = {}
        return [
            self.terms.rewritten(self.terms.rewritten(e, wholes, split, simplify), numbers, moved, simplify)
            for e in own
        ]

    def _digit(self, piece: Forwarded, v: Expr, place: int, length: int) -> Expr | None:
        """A digit of a writer's coordinate, by the reader's."""
        readers, writers = piece.threads
        numbers = self.block.indices
        return digits(numbers[v][writers] // place % length, {u: held[readers] for u, held in numbers.items()})
