"""Divisions of what `-D` gives that leave a remainder, which C++ drops in silence: `kK / kPack` is 12 of 100 and 8.

An integer of `-D` is read once more as a size of one value: then what is recorded of a layout shows how it was computed
(`layoutalg/size.h`).  What rounds up, `(kK + 8 - 1) / 8`, drops nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from layoutalg.cpp.given import Define, one_valued
from layoutalg.index import Expr
from layoutalg.records import dataclass

_BINDS = {"+": 1, "-": 1, "*": 2, "/": 2, "%": 2}
_ATOM = 3
_COMPUTED: Mapping[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "m": min,
    "M": max,
}
_CALLED = {"m": "min", "M": "max"}


@dataclass(frozen=True)
class _Part:
    """A part of a formula."""

    words: str
    value: int | None
    binds: int = _ATOM
    addends: frozenset[int] = frozenset()
    """What it is a sum of."""
    rest: int = 0
    """What its division drops."""

    def within(self, binds: int) -> str:
        return self.words if self.binds >= binds else f"({self.words})"


def as_sizes(
    given: Mapping[str, Define], symbols: Mapping[str, Expr]
) -> tuple[dict[str, Define], dict[str, Expr], list[tuple[str, int | None]]]:
    """The integers of `-D` as sizes of one value, behind those that are not fixed; name and value of each size."""
    made, sizes = dict(given), dict(symbols)
    known: list[tuple[str, int | None]] = [(name, None) for name in symbols]
    for name, one in given.items():
        if one.number is not None and one.number > 0:
            made[name] = one_valued(one, sizes)
            known.append((one.last, one.number))
    return made, sizes, known


def remainders(data: Any, sizes: Sequence[tuple[str, int | None]]) -> Iterator[str]:
    """Each division in a record that leaves a remainder, in words.

    >>> list(remainders({"size": ["s0", 8, "/", 8, "*"]}, [("kK", 100)]))
    ['kK / 8 leaves 4, which is dropped (kK = 100)']
    >>> list(remainders({"size": ["s0", 7, "+", 8, "/"]}, [("kK", 100)]))
    []
    """
    if isinstance(data, Mapping):
        if "size" in data:
            yield from _of_size(data["size"], sizes)
        else:
            yield from remainders(list(data.values()), sizes)
    elif isinstance(data, list):
        for one in data:
            yield from remainders(one, sizes)


def _of_size(tokens: Sequence[Any], sizes: Sequence[tuple[str, int | None]]) -> Iterator[str]:
    parts = list[_Part]()
    for token in tokens:
        if isinstance(token, int):
            parts.append(_Part(str(token), token, addends=frozenset({token})))
        elif token[0] == "s":
            at = int(token[1:])
            name, value = sizes[at] if at >= 0 else ("the index", None)
            parts.append(_Part(name, value, addends=frozenset(() if value is None else {value})))
        else:
            right, left = parts.pop(), parts.pop()
            # (n - 1) / 8 + 1 rounds up, and max(1, 128 / n) has a floor of its own
            if token not in _CALLED and not (token == "+" and 1 in (left.value, right.value)):
                yield from (_told(one, sizes) for one in (left, right) if one.rest)
            parts.append(_of(left, token, right))
    yield from (_told(one, sizes) for one in parts if one.rest)


def _told(part: _Part, sizes: Sequence[tuple[str, int | None]]) -> str:
    names = re.findall(r"\w+", part.words)
    where = ", ".join(f"{name} = {value}" for name, value in sizes if value is not None and name in names)
    return f"{part.words} leaves {part.rest}, which is dropped ({where})"


def _rest(left: _Part, right: _Part) -> int:
    """What a division leaves over of a size; 0 where it rounds up, or where a side is not known."""
    if left.value is None or not right.value or right.value < 0 or right.value - 1 in left.addends:
        return 0
    return left.value % right.value if re.search(r"[A-Za-z]", left.words) else 0


def _of(left: _Part, token: str, right: _Part) -> _Part:
    compute = _COMPUTED.get(token)
    value = None
    if compute and left.value is not None and right.value is not None and (right.value or token not in "/%"):
        value = compute(left.value, right.value)
    if token in _CALLED:
        return _Part(f"{_CALLED[token]}({left.words}, {right.words})", value)
    sign = {"l": "<<", "r": ">>"}.get(token, token)
    binds = _BINDS.get(token, 0)
    addends = {value} if value is not None else set()
    if token == "+":
        addends |= left.addends | right.addends
    elif token == "-" and right.value is not None:
        addends |= {one - right.value for one in left.addends}
    rest = _rest(left, right) if token == "/" else 0
    return _Part(f"{left.within(binds)} {sign} {right.within(binds + 1)}", value, binds, frozenset(addends), rest)
