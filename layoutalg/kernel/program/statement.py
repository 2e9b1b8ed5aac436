"""What every statement says of itself, whatever it does; `statements` has them all.

| a class says                             | as                          | which is asked by                      |
|------------------------------------------|-----------------------------|----------------------------------------|
| the data that it reads, adds to, fills   | `uses`, names of its fields | the proof (what loops carry), pictures |
| the statements inside it                 | `parts`                     | whoever walks a program                |
| its expressions, what is not known of it | `places`, `wrong`           | well-formedness                        |
| what it is called                        | `words`                     | pictures                               |

What it means is not said here: that is for each reading (`reading`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Any, ClassVar

from layoutalg.index import Expr
from layoutalg.kernel.program.tiles import Registers, Shared, Tensor
from layoutalg.records import dataclass

Data = Tensor | Shared | Registers


@dataclass(frozen=True)
class Uses:
    """The fields in which a statement names the data that it reads, adds to and fills."""

    reads: tuple[str, ...] = ()
    adds_to: tuple[str, ...] = ()
    fills: tuple[str, ...] = ()


class Statement:
    """What a thread does next.

    >>> from layoutalg.kernel.library.transpose import register_transpose
    >>> load, store = register_transpose().body
    >>> isinstance(load, Statement), [one.name for one in load.reads], [one.name for one in load.fills]
    (True, ['source'], ['tile'])
    """

    uses: ClassVar[Uses] = Uses()
    letters: ClassVar[tuple[str, ...]] = ()
    """Names of indices that its text declares."""
    words: ClassVar[tuple[str, str]] = "", ""
    """What it is called in pictures, and how it does it, of its fields; "" where it has no picture."""

    @property
    def reads(self) -> tuple[Data, ...]:
        """The data that it reads."""
        return self._data(self.uses.reads)

    @property
    def adds_to(self) -> tuple[Data, ...]:
        """The data that it reads and then fills."""
        return self._data(self.uses.adds_to)

    @property
    def fills(self) -> tuple[Data, ...]:
        """The data that it fills."""
        return self._data(self.uses.fills)

    @property
    def tiles(self) -> tuple[Registers, ...]:
        """Its register tiles, what it writes first."""
        return tuple(r for r in (*self.adds_to, *self.fills, *self.reads) if isinstance(r, Registers))

    @property
    def parts(self) -> tuple[Statement, ...]:
        """The statements inside it, which have numbers of their own."""
        return ()

    def places(self) -> Iterator[tuple[str, tuple[Expr, ...]]]:
        """Its expressions in the grid and the loops around, with what they are."""
        return iter(())

    def wrong(self) -> Iterator[str]:
        """What of it is not known, or cannot be, in a sentence each."""
        return iter(())

    def _data(self, names: tuple[str, ...]) -> tuple[Data, ...]:
        found: Iterator[Any] = (attrgetter(name)(self) for name in names)
        return tuple(one for held in found for one in (held if isinstance(held, tuple) else (held,)))


class Composite(Statement):
    """A statement that is nothing but its parts: they stand for it in every program (`written_out`).

    >>> from layoutalg.kernel.program.statements import Barrier
    >>> class TwoBarriers(Composite):
    ...     parts = Barrier(), Barrier()
    >>> written_out([TwoBarriers()])
    (Barrier(), Barrier())
    """


def written_out(body: Iterable[Statement]) -> tuple[Statement, ...]:
    """A body with its composites' parts in their place."""
    return tuple(p for s in body for p in (written_out(s.parts) if isinstance(s, Composite) else (s,)))


def walk(body: Iterable[Statement]) -> Iterator[Statement]:
    """Every statement, a loop before its body, a copy before its load and its store.

    >>> from layoutalg.kernel.library.transpose import straight_transpose
    >>> body = straight_transpose().body
    >>> [type(s).__name__ for s in body[:2]], [type(s).__name__ for s in walk(body[:2])]
    (['StraightCopy', 'Commit'], ['StraightCopy', 'Load', 'StoreShared', 'Commit'])
    """
    for statement in body:
        yield statement
        yield from walk(statement.parts)
