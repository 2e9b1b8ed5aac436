"""Source text for the compiler: C++ files whole, the C++ blocks of .rst and .md files, every line where it was.

| file           | blocks                                                                        |
|----------------|-------------------------------------------------------------------------------|
| .rst           | `.. code-block:: cpp` (or c++, C++, hip, cuda), indented below it             |
| .md            | ```` ```cpp ```` (or c++, hip, cuda) up to the closing fence                  |
| anything else  | the whole file                                                                |

A block may use the names of those before it and declare one of them anew: each stands in a namespace within the one
before.  Includes are left out: of other headers nothing is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from layoutalg.errors import SpecError
from layoutalg.records import dataclass

LARGEST_SOURCE = 1 << 19
"""Characters of a source file; a larger one is refused."""
MOST_BLOCKS = 250
"""Blocks of C++ in one text."""

_RST = re.compile(r"^([ \t]*)\.\. code-block:: *(?:cpp|c\+\+|C\+\+|hip|cuda)[ \t]*$", re.MULTILINE)
_MD = re.compile(r"^([ \t]*)(```+|~~~+)[ \t]*(?:cpp|c\+\+|C\+\+|hip|cuda)(?![\w+])[^\n]*$", re.MULTILINE)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*(include|pragma|error|warning)\b.*$", re.MULTILINE)
_SPACE = re.compile(r'(?:\bnamespace\b[\w\s:]*|\bextern\s*"C"\s*)$')
_ASIDE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])*\'', re.DOTALL
)
"""Comments and literals that are texts."""
INCLUDED = "layoutalg_text_of_another_file"
"""What stands for an include inside a function or class: its text is not known, so that neither is the rest."""
_PAIRS = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True)
class SourceBlock:
    """One piece of C++, and the line in its file that its first line is."""

    text: str
    line: int = 1


def blocks(text: str, file: str) -> list[SourceBlock]:
    """The C++ in a file of that name.

    >>> blocks("Text.\\n\\n.. code-block:: cpp\\n\\n   int a;\\n\\nMore.", "x.rst")
    [SourceBlock(text='\\n   int a;\\n', line=4)]
    """
    ending = file.lower().rsplit(".", 1)[-1]
    kind, begins = {"rst": (_rst, _RST), "md": (_md, _MD), "markdown": (_md, _MD)}.get(ending, (None, None))
    if kind is None or begins is None:
        return [SourceBlock(text)]
    if sum(1 for _ in begins.finditer(text)) > MOST_BLOCKS:
        raise SpecError(f"has more than {MOST_BLOCKS} blocks of C++", file)
    return list(kind(text))


def blank(text: str) -> str:
    """Nothing, on as many lines."""
    return re.sub(r"[^\n]", " ", text)


def bare(text: str) -> str:
    """A text without comments and strings, every character where it was.

    >>> bare('a /* b */ "c" // d')
    'a                 '
    """
    return _ASIDE.sub(lambda found: blank(found[0]), text)


def cleaned(text: str) -> str:
    """A text in ASCII without its includes.

    >>> cleaned('#include "a.h"\\nint a;')
    '              \\nint a;'
    """
    plain = text.encode("ascii", "replace").decode().replace("\r", " ").replace("\0", "?")
    inside = _bodies(plain)

    def without(found: re.Match[str]) -> str:
        return f"{INCLUDED};" if found[1] == "include" and inside[found.start()] else blank(found[0])

    return _INCLUDE.sub(without, plain)


def _bodies(text: str) -> list[bool]:
    """Of each character, whether it stands in the braces of anything but a namespace."""
    plain, spaces = bare(text), list[bool]()
    inside = list[bool]()
    for at, letter in enumerate(plain):
        if letter == "{":
            spaces.append(_SPACE.search(text, max(at - 200, 0), at) is not None)
        elif letter == "}" and spaces:
            spaces.pop()
        inside.append(not all(spaces))
    return inside


def balanced(text: str) -> bool:
    """Whether the brackets of a text without comments and strings match.

    >>> balanced("f(a[1]) { }"), balanced("f(]")
    (True, False)
    """
    open_: list[str] = []
    for letter in text:
        if letter in "([{":
            open_.append(letter)
        elif letter in _PAIRS and (not open_ or open_.pop() != _PAIRS[letter]):
            return False
    return not open_


def joined(found: Sequence[SourceBlock], lines: int) -> str:
    """The blocks of a text as one, each within the names of those before it and at its own lines."""
    out = [""] * (lines + 1)
    for n, block in enumerate(found):
        out[max(block.line - 2, 0)] += f" namespace layoutalg_block_{n} {{"
        for at, line in enumerate(block.text.split("\n")):
            out[block.line - 1 + at] = line
    out[-1] += " " + "}" * len(found)
    return "\n".join(out)


def _rst(text: str) -> Iterator[SourceBlock]:
    lines = text.split("\n")
    for match in _RST.finditer(text):
        start = text.count("\n", 0, match.start()) + 1
        outer, inside = len(match[1].expandtabs()), list[str]()
        for line in lines[start:]:
            if line.strip() and _indent(line) <= outer and not _dedented(lines, start + len(inside), outer):
                break
            inside.append(line)
        while len(inside) > 1 and not inside[-1].strip() and not inside[-2].strip():
            inside.pop()
        yield SourceBlock("\n".join(inside), start + 1)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _dedented(lines: list[str], at: int, outer: int) -> bool:
    """Whether a line that stands too far left is a stray comment in a block that goes on below it."""
    following = lines[at + 1] if at + 1 < len(lines) else ""
    return lines[at].lstrip().startswith("//") and bool(following.strip()) and _indent(following) > outer


def _md(text: str) -> Iterator[SourceBlock]:
    end = 0
    for match in _MD.finditer(text):
        if match.start() < end:
            continue
        closing = re.compile(rf"^[ \t]*{re.escape(match[2])}[ \t]*$", re.MULTILINE).search(text, match.end())
        end = closing.end() if closing else len(text)
        inner = text[match.end() + 1 : closing.start() if closing else len(text)]
        yield SourceBlock(inner, text.count("\n", 0, match.end()) + 2)
