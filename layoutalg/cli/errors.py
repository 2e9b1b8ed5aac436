"""Bad input: one line on stderr, exit code 3, no traceback."""

from __future__ import annotations

BAD_INPUT = 3


class InputError(Exception):
    """Something that the user gave cannot be used; the message says what, and what to do."""
