"""Where a value stands in a TOML or JSON text: line and column of a path, for messages.

The parsers of the standard library give no positions.  A text that they have accepted is followed here by a small
scanner that knows just enough of both notations: strings, comments, brackets, and where a key or an entry begins.

    [[descriptor]]                   ("descriptor", 0)            line 1
    base = { lengths = [3, 4] }      ("descriptor", 0, "base", "lengths", 1)    line 2

It runs only once something is wrong, and never fails: for a path that it cannot find it gives the nearest one above.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from layoutalg.formats.reading import Path

_TOKEN = re.compile(
    r'(?P<skip>[ \t\r\n]+|\#[^\n]*)'
    r'|(?P<string>"""(?:\\.|(?!""").)*"{3,5}|\'\'\'(?:(?!\'\'\').)*\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\')'
    r"|(?P<mark>[\[\]{},=:])"
    r"|(?P<bare>[^\s\[\]{},=:#\"']+)",
    re.DOTALL,
)  # fmt: skip
_TIME = re.compile(r"\d\d:\d\d")
Token = tuple[str, str, int]


def position(text: str, path: Path) -> tuple[int, int] | None:
    """Line and column (from 1) of the value, or of the nearest table or list around it; None for an empty text.

    >>> position('a = 1\\n[[b]]\\nc = [1,\\n  2]', ("b", 0, "c", 1))
    (4, 3)
    """
    best: tuple[int, int] = 0, 0
    for found, at in places(text):
        if len(found) > best[0] and found == path[: len(found)]:
            best = len(found), at
        if best[0] == len(path):
            break
    before = text[: best[1]]
    return (before.count("\n") + 1, len(before) - before.rfind("\n")) if best[0] else None


_BLOCK = re.compile(r"""[^\n"'=]*=[ \t]*("{3}|'{3})(\n?)""")


def line_of(text: str, path: Path, within: int) -> int | None:
    """The line (from 1) of a line of a TOML text of several (from 0); of any other value, that of the value.

    >>> block = "'" * 3
    >>> line_of(f"a = 1\\nb = {block}\\nfirst\\nsecond\\n{block}", ("b",), 1)
    4
    """
    place = position(text, path)
    if place is None:
        return None
    start = sum(map(len, text.splitlines(keepends=True)[: place[0] - 1])) + place[1] - 1
    block = _BLOCK.match(text, start)
    return place[0] + len(block[2]) + within if block else place[0]


def places(text: str) -> Iterator[tuple[Path, int]]:
    """Each path with where it begins, in the order of the text."""
    tokens = list(_tokens(text))
    yield from _Scanner(text, tokens).document()


def _tokens(text: str) -> Iterator[Token]:
    end = 0
    for match in _TOKEN.finditer(text):
        at, kind = match.start(), match.lastgroup or ""
        if at != end:  # a lone quote: no text that a parser accepted has one
            return
        if kind != "skip":
            yield kind, match[0], at
        end = match.end()


class _Scanner:
    """Follows the tokens of one text; every loop takes a token at least, so that it ends."""

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text, self.tokens, self.at = text, tokens, 0

    def document(self) -> Iterator[tuple[Path, int]]:
        if self.mark() == "{":
            yield from self.value(())
            return
        prefix: Path = ()
        counts: dict[Path, int] = {}
        while self.at < len(self.tokens):
            if self.mark() == "[":
                start = self.tokens[self.at][2]
                prefix = self.header(counts)
                yield prefix, start
            else:
                yield from self.pair(prefix, "=")

    def header(self, counts: dict[Path, int]) -> Path:
        """The path of `[a.b]` or `[[a.b]]`; a name that is a list means its last entry."""
        depth = 0
        while self.mark() == "[":
            depth, self.at = depth + 1, self.at + 1
        path: Path = ()
        parts = self.key("]")
        for n, part in enumerate(parts):
            path = (*path, part)
            if depth == 2 and n == len(parts) - 1:
                counts[path] = counts.get(path, -1) + 1
            if path in counts:
                path = (*path, counts[path])
        while depth and self.mark() == "]":
            depth, self.at = depth - 1, self.at + 1
        return path

    def key(self, stop: str) -> list[str]:
        """The parts of a dotted key, up to a mark that stays unread."""
        parts: list[str] = []
        while self.at < len(self.tokens) and self.mark() != stop:
            kind, word, _ = self.tokens[self.at]
            parts += [word[1:-1]] if kind == "string" else [p for p in word.split(".") if p]
            self.at += 1
        return parts

    def pair(self, prefix: Path, mark: str) -> Iterator[tuple[Path, int]]:
        start = self.tokens[self.at][2]
        path = (*prefix, *self.key(mark))
        self.at += 1
        yield path, start
        yield from self.value(path)

    def value(self, path: Path) -> Iterator[tuple[Path, int]]:
        opening = self.mark()
        if opening not in ("[", "{"):
            self.scalar()
            return
        self.at += 1
        entry = 0
        while self.at < len(self.tokens) and self.mark() not in ("]", "}"):
            if opening == "{":
                yield from self.pair(path, "=" if self.is_toml() else ":")
            else:
                yield (*path, entry), self.tokens[self.at][2]
                yield from self.value((*path, entry))
            entry += 1
            if self.mark() == ",":
                self.at += 1
        self.at += 1

    def scalar(self) -> None:
        """One word; a TOML time of day has colons and a date may have a space, both on its line."""
        line = self.tokens[self.at][2] if self.at < len(self.tokens) else 0
        self.at += 1
        while self.mark() == ":" and _TIME.search(self.text[line : line + 24]):
            self.at += 2

    def is_toml(self) -> bool:
        return not self.tokens or self.tokens[0][1] != "{"

    def mark(self) -> str:
        """The mark at hand, empty where a word or nothing is."""
        if self.at < len(self.tokens) and self.tokens[self.at][0] == "mark":
            return self.tokens[self.at][1]
        return ""
