"""Reading a file: what is wrong stands at a path in the document, and no file takes longer than it may."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from layoutalg.errors import SpecError
from layoutalg.index import budget

Path = tuple[str | int, ...]
"""The way to a value in a document: keys of tables and places in lists."""


class DocumentError(Exception):
    """A value that is wrong, at a path in the document: becomes a SpecError once its line is known.

    `line`: which line of a text of several, from 0.
    """

    def __init__(self, path: Path, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.path, self.reason, self.line = path, reason, line


def key_path(path: Sequence[str | int]) -> str:
    """A path as text.

    >>> key_path(("descriptor", 1, "steps", 0, "lengths"))
    'descriptor[1].steps[0].lengths'
    """
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


READING_SECONDS = 10.0
"""What reading a file may take; the longest of CK's takes a second."""


@contextmanager
def reading(file: str) -> Iterator[None]:
    """All that is read below has READING_SECONDS; SpecError where that is not enough."""
    try:
        with budget.within(READING_SECONDS):
            yield
    except budget.OutOfTimeError:
        budget.check()
        raise SpecError(f"takes more than {READING_SECONDS:g} s to read: its expressions are too long", file) from None
