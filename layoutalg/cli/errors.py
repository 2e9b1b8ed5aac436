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
