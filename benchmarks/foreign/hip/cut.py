"""Parts of a C++ file, cut out at its top level: what a kernel needs, without what only a host has headers for.

| of the file                                  | is kept                                        |
|----------------------------------------------|------------------------------------------------|
| lines of the preprocessor                    | all                                            |
| where a namespace begins and ends            | all                                            |
| an item: up to a brace that closes, or a `;` | where one of the words that are asked for is in it |

What it cannot represent: braces in strings and characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_NAMESPACE = re.compile(r"namespace[\w: ]*\{|\}")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def kept(text: str, words: Sequence[str], taken: Sequence[str] = ()) -> str:
    """The parts that have one of some words, and functions that take the addresses of some kernels.

    >>> print(kept("#include <x>\\nint host() { return f({1}); }\\nstruct p {\\n  int n;\\n};\\n", ["struct p"]))
    #include <x>
    struct p {
      int n;
    };
    """
    parts = [one for one in items(text) if _always(one) or any(word in one for word in words)]
    used = [f"auto taken_{number}() {{ return &{one}; }}" for number, one in enumerate(taken)]
    return "\n".join([*parts, *used])


def items(text: str) -> Iterator[str]:
    """The items at the top level of a file, and its preprocessor's lines, without comments."""
    depth, item = 0, list[str]()
    for line in _joined(_COMMENT.sub("", text)):
        if not depth and not item and _always(line):
            yield line
            continue
        if not depth and line.lstrip().startswith("#"):
            yield line
            continue
        item.append(line)
        depth += line.count("{") - line.count("}")
        if not depth and line.rstrip().endswith((";", "}")):
            yield "\n".join(item)
            item = []


def _always(line: str) -> bool:
    """Whether that is the preprocessor's, or a namespace's begin or end."""
    return line.lstrip().startswith("#") or bool(_NAMESPACE.fullmatch(line.strip()))


def _joined(text: str) -> Iterator[str]:
    """Lines that are not empty, and what a backslash continues as one."""
    for line in re.sub(r"\\\n", "\x00", text).split("\n"):
        if line.strip():
            yield line.replace("\x00", "\\\n")
