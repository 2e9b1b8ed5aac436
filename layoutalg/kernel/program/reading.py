"""Readings of programs: what each statement means to the prover, as text, to a machine.

A reading has a method for each class of statements, as `ast.NodeVisitor` has for nodes of Python; that of a base class
serves all of it:

    class Text(Reading[str]):
        def read_barrier(self, s: Barrier) -> str: …
        def read_shared_access(self, s: SharedAccess) -> str: …         LoadShared and StoreShared

A statement that a reading has no method for is refused: none is passed over unseen.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Generic, TypeVar

from layoutalg.kernel.program.statement import Statement
from layoutalg.layout import LayoutError

T = TypeVar("T")


class Reading(Generic[T]):
    """One reading of statements.

    >>> from layoutalg.kernel.library.transpose import lds_transpose
    >>> class Kind(Reading[str]):
    ...     def read_barrier(self, s): return "meet"
    ...     def read_memory_access(self, s): return "move"
    >>> [Kind().read(s) for s in lds_transpose().body]
    ['move', 'move', 'meet', 'move', 'move']
    """

    def read(self, s: Statement) -> T:
        """What the statement is to this reading."""
        methods = (getattr(self, name, None) for name in _names(type(s).__mro__))
        found: Any = next(method for method in methods if method is not None)
        result: T = found(s)
        return result

    def read_statement(self, s: Statement) -> T:
        """A statement of no class that is known here; LayoutError unless the reading says something of it."""
        raise LayoutError(f"statements of {type(s).__name__} have no {type(self).__name__.lstrip('_').lower()}")


@cache
def _names(classes: tuple[type, ...]) -> tuple[str, ...]:
    """The methods that serve a class of these bases, its own first.

    >>> from layoutalg.kernel.program.accesses import LoadShared
    >>> _names(LoadShared.__mro__)
    ('read_load_shared', 'read_shared_access', 'read_memory_access', 'read_statement')
    """
    names = (k.__name__ for k in classes if issubclass(k, Statement))
    return tuple(f"read_{re.sub('(?<=[a-z])(?=[A-Z])', '_', name).lower()}" for name in names)
