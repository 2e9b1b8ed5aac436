"""What a C++ file asks for: every value that `-D` must give before all of it is read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from layoutalg.cpp.reader import load
from layoutalg.errors import SpecError

ROUNDS = 40
"""Each round gives what the one before asked for."""
_PROPOSED = re.compile(r"give -D ([\w:]+)=([^\s)]+)(?: \(or -D (\w+)=)?")


def asked(path: str | Path, defines: Mapping[str, str]) -> dict[str, str]:
    """The names that are missing, with an example of a value for each; the examples may decide which are asked for."""
    missing: dict[str, str] = {}
    for _ in range(ROUNDS):
        try:
            unread = load(path, {**defines, **missing}).unread
        except SpecError:
            break
        found = [match for part in unread if (match := _PROPOSED.search(part.reason))]
        more = {match[3] or match[1]: match[2] for match in found}
        if not more.keys() - missing.keys() - defines.keys():
            break
        missing |= {name: value for name, value in more.items() if name not in defines}
    return missing
