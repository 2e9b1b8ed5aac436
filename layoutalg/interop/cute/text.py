"""CuTe's notation, read: `((4,2),8):((2,1),16)`, `Sw<3,4,3> o 0 o (8,64):(64,1)`; and other packages' objects.

| written                            | means                                                                     |
|------------------------------------|---------------------------------------------------------------------------|
| `shape:stride`                     | a layout; a tuple in parentheses, nested as one likes, of numbers          |
| `shape`                            | the packed layout whose first mode is fastest                             |
| `Sw<B,M,S> o offset o shape:stride`| a swizzled layout (printed by CuTe C++; `S<B,M,S>` and `SW_B_M_S` too)     |
| `Sw<B,M,S> o smem_ptr[16b](unset) o …` | the same of addresses in bytes, on elements of 16 bits: Sw<B,M−1,S> |
| `_4`, `4`                          | 4: CuTe's compile-time and run-time numbers are one here                  |
| `M`, `(M+1)*8`                     | a size, and an expression over sizes, given by name                       |

FlyDSL writes layouts in the same way, in types `!fly.layout<…>` and `!fly.composed_layout<…>`: `parse` reads them and
`flydsl` writes them.  Its `?`, a size that is known at run time, has no name there: put one in its place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NoReturn

from layoutalg.errors import LayoutError
from layoutalg.index import Expr, ParseError, Term
from layoutalg.index import parse as parse_expression
from layoutalg.interop.cute.layout import DEEPEST, AnyLayout, ComposedLayout, Layout, any_layout
from layoutalg.interop.cute.sizes import size_of
from layoutalg.interop.cute.swizzle import BitSwizzle, recast_swizzle
from layoutalg.interop.cute.trees import Tree

LENGTH = 10_000
"""The most characters that a text may have."""
_SWIZZLE = re.compile(r"\s*(?:S(?:w|wizzle)?<\s*(\d+)\s*,\s*(\d+)\s*,\s*(-?\d+)\s*>|SW_(\d+)_(\d+)_(-?\d+))\s*o\s+")
_FLAG = re.compile(r"\s*smem_ptr\[(\d+)b\]\(unset\)\s*")
_STATIC = re.compile(r"(?<!\w)_(\d+)\b")
_WRAPPED = re.compile(r"\s*!\w+(?:\.\w+)*\.(?:composed_)?layout<(.*)>\s*", re.DOTALL)


def parse(given: Any, symbols: Mapping[str, Expr] | None = None) -> AnyLayout:
    """The layout of a text, or of an object with shape and stride as pycute's have; a layout stays what it is.

    Names stand for what `symbols` says.  ParseError (a ValueError) with the column where a text is no layout,
    LayoutError where what it says is none.

    >>> parse("((4,2),8):((2,1),16)"), parse("Sw<3,4,3> o 0 o (8,64):(64,1)")
    (((4,2),8):((2,1),16), Sw<3,4,3> o 0 o (8,64):(64,1))
    >>> parse("(4,8:(1,4)")
    Traceback (most recent call last):
        ...
    layoutalg.index.parse.ParseError: '(4,8:(1,4)', column 5: ',' or ')' is wanted here
    """
    if isinstance(given, Layout | ComposedLayout):
        return given
    if isinstance(given, str):
        if len(given) > LENGTH:
            raise ParseError(given, LENGTH, f"a layout has at most {LENGTH} characters; this has {len(given)}")
        wrapped = _WRAPPED.fullmatch(given)
        start, end = wrapped.span(1) if wrapped else (0, len(given))
        return _Reader(given, symbols or {}, start, end).layout()
    if hasattr(given, "layoutA") and hasattr(given, "layoutB") and hasattr(given, "offset"):
        return _composed(given)
    if hasattr(given, "shape") and hasattr(given, "stride") and not callable(given.stride):
        return Layout(given.shape, given.stride)
    raise LayoutError(f"{given!r} is no layout: a text such as (4,8):(8,1), or an object with shape and stride")


def flydsl(layout: AnyLayout) -> str:
    """The layout as FlyDSL's type.

    >>> flydsl(parse("(4,2):(2,1)")), flydsl(parse("Sw<3,4,3> o 0 o (8,64):(64,1)"))
    ('!fly.layout<(4,2):(2,1)>', '!fly.composed_layout<S<3,4,3> o 0 o (8,64):(64,1)>')
    """
    if isinstance(any_layout(layout, "type"), ComposedLayout):
        return f"!fly.composed_layout<{str(layout).replace('Sw<', 'S<', 1)}>"
    return f"!fly.layout<{layout}>"


def _composed(given: Any) -> ComposedLayout:
    """pycute's ComposedLayout: layoutB is what is applied last, a swizzle with bits, base and shift."""
    outer, inner = given.layoutB, parse(given.layoutA)
    if not all(hasattr(outer, name) for name in ("bits", "base", "shift")) or not isinstance(inner, Layout):
        raise LayoutError(f"{given!r}: of composed layouts, a swizzle over a layout can be read")
    return ComposedLayout(BitSwizzle(outer.bits, outer.base, outer.shift), given.offset, inner)


def _of_one_form(shape: Tree, stride: Tree) -> tuple[Tree, Tree]:
    """Both trees, a parenthesis around one number taken for no tuple where the other has none there."""
    match shape, stride:
        case ((Expr() | int() as one,), Expr() | int()):
            return one, stride
        case (Expr() | int(), (Expr() | int() as one,)):
            return shape, one
        case (tuple(), tuple()) if len(shape) == len(stride):
            both = [_of_one_form(a, b) for a, b in zip(shape, stride, strict=True)]
            return tuple(a for a, _ in both), tuple(b for _, b in both)
    return shape, stride


class _Reader:
    """Reads one text from left to right."""

    def __init__(self, text: str, symbols: Mapping[str, Expr], start: int, end: int) -> None:
        self.text, self.symbols, self.at, self.end = text, symbols, start, end

    def layout(self) -> AnyLayout:
        swizzle = _SWIZZLE.match(self.text, self.at, self.end)
        if swizzle is None:
            return self.plain()
        made = self.checked(lambda: BitSwizzle(*(int(n) for n in swizzle.groups() if n is not None)))
        self.at = swizzle.end()
        found = re.compile(r"\s+o\s+").search(self.text, self.at, self.end)
        if found is None:
            self.refuse(self.at, "a swizzle is followed by an offset and a layout: Sw<3,4,3> o 0 o (8,64):(64,1)")
        flag, begin = _FLAG.fullmatch(self.text, self.at, found.start()), self.at
        if flag is not None:
            made = self.checked(lambda: recast_swizzle(made, 8, int(flag[1])), begin)
        offset = 0 if flag is not None else self.number(self.at, found.start())
        self.at = found.end()
        return ComposedLayout(made, offset, self.plain())

    def plain(self) -> Layout:
        begin = self.at
        shape = self.tree(":", 0)
        stride: Tree | None = None
        if self.at < self.end:
            self.at += 1
            shape, stride = _of_one_form(shape, self.tree("", 0))
        if self.at < self.end:
            self.refuse(self.at, "the layout ends here: shape:stride")
        made: Layout = self.checked(lambda: Layout(shape, stride), begin)
        return made

    def tree(self, closing: str, depth: int) -> Tree:
        """A tuple or a number, up to a ',' or to one of `closing` (or the end, where nothing is open)."""
        if depth > DEEPEST:
            self.refuse(self.at, f"nested more than {DEEPEST} deep")
        begin = self.at = self.skipped(self.at)
        if self.at < self.end and self.text[self.at] == "(":
            after = self.skipped(self.matching(self.at) + 1)
            if after == self.end or self.text[after] in ",):":
                return self.tuple_of(depth)
        level = 0
        while self.at < self.end and (level or self.text[self.at] not in ",):"):
            level += {"(": 1, "[": 1, ")": -1, "]": -1}.get(self.text[self.at], 0)
            self.at += 1
        self.ends(closing)
        return self.number(begin, self.at)

    def tuple_of(self, depth: int) -> Tree:
        close = self.matching(self.at)
        parts: list[Tree] = []
        self.at += 1
        while True:
            if self.skipped(self.at) == close and not (parts and self.text[self.at - 1] != ","):
                break
            parts.append(self.tree(",)", depth + 1))
            if self.at == close:
                break
            self.at += 1
        self.at = self.skipped(close + 1)
        return tuple(parts)

    def ends(self, closing: str) -> None:
        """After a number stands one of `closing`; where none is named, the end."""
        here = self.text[self.at] if self.at < self.end else ""
        if here and here not in closing:
            wanted = " or ".join(f"{c!r}" for c in closing) or "the end of the layout"
            self.refuse(self.at, f"{wanted} is wanted here")

    def matching(self, opening: int) -> int:
        level = 0
        for place in range(opening, self.end):
            level += {"(": 1, ")": -1}.get(self.text[place], 0)
            if level == 0:
                return place
        for place in range(opening, self.end):
            if self.text[place] == ":":
                self.refuse(place, "',' or ')' is wanted here")
        self.refuse(opening, "this parenthesis is not closed")

    def number(self, begin: int, end: int) -> Term:
        """The expression in a part of the text."""
        if self.text[begin:end].strip() == "?":
            self.refuse(begin, "'?' is a size without a name; write a name, and say in symbols what it is")
        part = _STATIC.sub(r" \1", self.text[begin:end])
        if not part.strip():
            self.refuse(begin, "a number, a size or a tuple in parentheses is wanted here")
        try:
            return size_of(parse_expression(part, self.symbols))
        except ParseError as error:
            self.refuse(begin + error.column - 1, str(error).split(": ", 1)[1])

    def skipped(self, place: int) -> int:
        while place < self.end and self.text[place].isspace():
            place += 1
        return place

    def checked(self, make: Any, begin: int | None = None) -> Any:
        try:
            return make()
        except ParseError:
            raise
        except LayoutError as error:
            self.refuse(self.at if begin is None else begin, str(error))

    def refuse(self, place: int, problem: str) -> NoReturn:
        raise ParseError(self.text, place + 1, problem)
