"""Bad input: one line on stderr, exit code 3, no traceback."""

from __future__ import annotations

BAD_INPUT = 3
DEFECT = 70
"""Exit code of an error that is ours (EX_SOFTWARE of sysexits.h): never one that means a verdict."""


class InputError(Exception):
    """Something that the user gave cannot be used; the message says what, and what to do."""


def is_told(error: Exception) -> bool:
    """Whether the message of an error is for the user: the library's own kinds, and files that cannot be used.

    >>> is_told(InputError("no such size")), is_told(OSError()), is_told(ValueError())
    (True, True, False)
    """
    return isinstance(error, OSError) or any(kind.__module__.startswith("layoutalg.") for kind in type(error).__mro__)


def words(error: Exception) -> str:
    """An error in one line, the file first where it is of one.

    >>> words(FileNotFoundError(2, "No such file or directory", "x.co"))
    'x.co: No such file or directory'
    """
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)
