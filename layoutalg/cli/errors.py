"""Bad input: one line on stderr, exit code 3, no traceback."""

from __future__ import annotations

BAD_INPUT = 3
DEFECT = 70
"""Exit code of an error that is ours (EX_SOFTWARE of sysexits.h): never one that means a verdict."""


class InputError(Exception):
    """Something that the user gave cannot be used; the message says what, and what to do."""
