"""What is said about a file that cannot be read: where it is wrong, what stands there, what was expected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from layoutalg.index import budget

LONGEST_REASON = 600
"""The characters of a reason, and of a key, that are kept: what is refused may be as long as the file."""

Path = tuple[str | int, ...]
"""The way to a value in a document: keys of tables and places in lists."""


def shortened(text: str, most: int = LONGEST_REASON) -> str:
    r"""The text on one line, without its middle where it is longer, and with nothing that a terminal would obey.

    >>> shortened("a very long word", 9)
    'a ve … ord'
    >>> print(shortened("red: \x1b[31m"))
    red: \x1b[31m
    """
    line = " ".join(text.splitlines())
    kept = line if len(line) <= most else f"{line[: most // 2]} … {line[len(line) - (most - most // 2 - 2) :]}"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in kept)


class SpecError(ValueError):
    """A file that is no spec file; `file`, `line` and `column` (from 1, or None) and `key` say where it is wrong."""

    def __init__(
        self, reason: str, file: str = "", line: int | None = None, column: int | None = None, key: str = ""
    ) -> None:
        reason, key = shortened(reason), shortened(key, 120)
        self.reason, self.file, self.line, self.column, self.key = reason, file, line, column, key
        place = ":".join(str(part) for part in (file, line, column) if part)
        super().__init__(": ".join(part for part in (shortened(place), key, reason) if part))


class Problem(Exception):
    """A value that is wrong, at a path in the document: becomes a SpecError once its line is known."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(reason)
        self.path, self.reason = path, reason


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
