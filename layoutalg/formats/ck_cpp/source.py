"""Source text for the reader: C++ files whole, the C++ blocks of .rst and .md files one by one.

Before the grammar sees it, a text loses what the grammar does not know and the reader does not need: attribute macros
(`CK_TILE_HOST_DEVICE`, `__host__` …) and the words `typename` and `template` where they only help a compiler
(`typename Problem::T`, `Policy::template F<P>()`).  They become blanks, so that every line stays where it was.  And
`sequence<a, b>{}` is written `sequence(a, b)`: in nested lists of names, `<` cannot be told from "less than" without
knowing what is a type; here these names always are (`LISTS`).  `tuple<int, int>{a, b}` is written `tuple(a, b)`.

| file           | blocks                                                                        |
|----------------|-------------------------------------------------------------------------------|
| .rst           | `.. code-block:: cpp` (or c++, C++, hip, cuda), indented below it             |
| .md            | ```` ```cpp ```` (or c++, hip, cuda) up to the closing fence                  |
| anything else  | the whole file                                                                |
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import tree_sitter_cpp
from tree_sitter import Language, Node, Parser

from layoutalg.errors import SpecError
from layoutalg.formats.ck_cpp.values import Unreadable

LARGEST_SOURCE = 1 << 19
"""Characters of a source file; a larger one is refused."""

DEEPEST = 400
"""How deep syntax may be nested; what is deeper is refused, as what looks below each node takes the square of it."""
MOST_BLOCKS = 1000
"""Blocks of C++ in one text."""

_MACROS = re.compile(
    r"\b(?:CK_TILE_(?:HOST_DEVICE(?:_EXTERN)?|HOST|DEVICE(?:_EXTERN)?|[A-Z_]+_ADDR)|__(?:host|device|global|forceinline|shared)__)\b"
)
_HINTS = re.compile(r"\btypename(?=\s+\w+\s*(?:<[^<>;(){}]*>)?\s*::)|(?<=[.:>])\s*template(?=\s+\w+\s*[<(])")
_RST = re.compile(r"^([ \t]*)\.\. code-block:: *(?:cpp|c\+\+|C\+\+|hip|cuda)[ \t]*$", re.MULTILINE)
_MD = re.compile(r"^([ \t]*)(```+|~~~+)[ \t]*(?:cpp|c\+\+|C\+\+|hip|cuda)(?![\w+])[^\n]*$", re.MULTILINE)


LISTS = frozenset({
    "sequence", "Sequence", "tuple", "Tuple", "tile_distribution_encoding", "TileDistributionEncoding",
})  # fmt: skip
"""Templates that are lists, and are read as calls."""
_LISTS = re.compile(rf"\b(?:{'|'.join(sorted(LISTS))})\s*<")
_BRACKETS = re.compile(r"[()\[\]{}<>;]")
_BRACES = re.compile(r"\s*\{(\s*)\}")
_OPENED = re.compile(r"\s*\{")


@dataclass(frozen=True)
class SourceBlock:
    """One piece of C++, and the line in its file that its first line is."""

    text: str
    line: int = 1


def blocks(text: str, file: str) -> list[SourceBlock]:
    """The C++ in a file of that name.

    >>> blocks("Text.\\n\\n.. code-block:: cpp\\n\\n   int a;\\n\\nMore.", "x.rst")
    [SourceBlock(text='\\nint a;\\n', line=4)]
    """
    ending = file.lower().rsplit(".", 1)[-1]
    kind, begins = {"rst": (_rst, _RST), "md": (_md, _MD), "markdown": (_md, _MD)}.get(ending, (None, None))
    if kind is None or begins is None:
        return [SourceBlock(text)]
    if sum(1 for _ in begins.finditer(text)) > MOST_BLOCKS:
        raise SpecError(f"has more than {MOST_BLOCKS} blocks of C++", file)
    return list(kind(text))


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
        width = min((_indent(line) for line in inside if line.strip() and _indent(line) > outer), default=0)
        yield SourceBlock("\n".join(line[min(width, _indent(line)) :] for line in inside), start + 1)


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


def cleaned(text: str) -> str:
    """The text without what the grammar does not know, at the same places.

    >>> cleaned("CK_TILE_HOST_DEVICE static auto f(); using T = typename P::T;")
    '                    static auto f(); using T =          P::T;'
    >>> cleaned("tuple<sequence<A, B>, sequence<C>>{}")
    'tuple(sequence(A, B), sequence(C))  '
    >>> cleaned("Tuple<int>{4}")
    'Tuple     (4)'
    """
    for pattern in (_MACROS, _HINTS):
        text = pattern.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    letters, (ends, braced) = list(text), _closings(text)
    for match in _LISTS.finditer(text):
        end = ends.get(match.end() - 1)
        if end is None or text.startswith("::", end + 1):
            continue
        start = match.end() - 1
        letters[start], letters[end] = "(", ")"
        if braces := _BRACES.match(text, end + 1):
            letters[braces.end() - 1] = letters[braces.end() - len(braces[1]) - 2] = " "
        elif (opened := _OPENED.match(text, end + 1)) and (closed := braced.get(opened.end() - 1)):
            letters[start : end + 1] = [letter if letter == "\n" else " " for letter in text[start : end + 1]]
            letters[opened.end() - 1], letters[closed] = "(", ")"
    return "".join(letters)


def _closings(text: str) -> tuple[dict[int, int], dict[int, int]]:
    """The place of each `<` that opens a list, with that of its `>`; within other brackets, < compares.  And of braces.

    All in one pass.  A `<` in brackets opens a list only right after the name of one.
    """
    opens = {match.end() - 1 for match in _LISTS.finditer(text)}
    found: dict[int, int] = {}
    braced: dict[int, int] = {}
    stack: list[tuple[str, int]] = []
    for match in _BRACKETS.finditer(text):
        letter, at = match[0], match.start()
        inside = bool(stack) and stack[-1][0] == "<"
        if letter in "([{" or (letter == "<" and (inside or at in opens)):
            stack.append((letter, at))
        elif letter == ">" and inside:
            found[stack[-1][1]] = at
            stack.pop()
        elif letter in ")]}":
            while stack and stack[-1][0] == "<":
                stack.pop()
            if stack:
                opened, before = stack.pop()
                if opened == "{":
                    braced[before] = at
        elif letter == ";":
            while stack and stack[-1][0] == "<":
                stack.pop()
    return {at: end for at, end in found.items() if at in opens}, braced


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_cpp.language()))


def parsed(text: str) -> Node:
    """The syntax tree of a cleaned text; what is no C++ becomes ERROR nodes. Unreadable where it is nested too deep."""
    root = _parser().parse(text.encode(errors="replace")).root_node
    _refuse_deep(root)
    return root


def _refuse_deep(root: Node) -> None:
    cursor, depth = root.walk(), 0
    while True:
        if cursor.goto_first_child():
            depth += 1
            if depth > DEEPEST:
                line = cursor.node.start_point[0] if cursor.node is not None else 0
                raise Unreadable(f"it is nested deeper than {DEEPEST} levels", line=line + 1)
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            depth -= 1
