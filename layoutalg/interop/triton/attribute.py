"""Triton's layout attributes as data: a name and fields, read from text, each value with the place where it stands.

    #ttg.dot_op<{opIdx = 0, parent = #ttg.amd_mfma<{version = 3, …}>, kWidth = 4}>
    #ttg.padded_shared<[64:+8] {order = [1, 0], shape = [64, 64]}>
    #ttg.shared_linear<{offset = [[0, 1], [1, 0]], block = []}, alignment = 16>

Of the dialect's older name, `#triton_gpu`, too.  An alias (`#mma`) stands for what the file says it is.  The grammar
is that of `TritonGPUAttrDefs.td` and of what Triton 3.9 prints; what it does not know of MLIR is refused, with the
character where it stands.  What it cannot represent: other values than numbers, truth values, lists, tables, layouts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import NoReturn, TypeAlias, Union

from layoutalg.errors import LayoutError, shortened
from layoutalg.records import dataclass

Value: TypeAlias = Union[int, bool, "list[Value]", "dict[str, Value]", "Attribute"]

DEEPEST = 32
"""Brackets within brackets that are followed."""

_TOKEN = re.compile(r"\s*(?:(:\+)|(-?\d+)\b|(#?[A-Za-z_][\w.]*)|([<>{}\[\],=])|(\S))")


class TritonTextError(LayoutError):
    """A text that is no layout of Triton's: the character where it goes wrong (`at`, from 0) and why.

    >>> try:
    ...     parse("#ttg.blocked<{order}>")
    ... except TritonTextError as error:
    ...     print(error.at, error.reason)
    19 '=' is wanted, not '}'
    """

    def __init__(self, reason: str, text: str, at: int) -> None:
        self.reason, self.text, self.at = reason, text, at
        start = max(0, at - 20)
        around = f"{'…' * (start > 0)}{text[start:at]}▸{text[at : at + 20]}{'…' * (at + 20 < len(text))}"
        super().__init__(shortened(f"character {at + 1}: {reason} (at {around!r})" if text else reason))


@dataclass(frozen=True, eq=False)
class Attribute:
    """A layout as Triton writes it: its mnemonic, its fields, and the text and place that they come from."""

    name: str
    fields: Mapping[str, Value]
    text: str = field(default="", repr=False)
    places: Mapping[str, int] = field(default_factory=dict, repr=False)
    """Where each field's value begins; the layout itself under ""."""

    def refuse(self, reason: str, key: str = "") -> NoReturn:
        """TritonTextError at a field, or at the layout."""
        at = self.places.get(key, self.places.get("", 0))
        raise TritonTextError(f"{self.name}: {reason}", self.text, at)

    def only(self, *known: str) -> None:
        """Refuses a field that is none of these."""
        for key in self.fields:
            if key not in known:
                self.refuse(f"no field {key!r} is known; it has {', '.join(known)}", key)

    def number(self, key: str, default: int | None = None, least: int = 0) -> int:
        """A field that is a number."""
        value = self._value(key, default)
        if type(value) is not int or value < least:
            self.refuse(f"{key} is {_shown(value)}; a whole number from {least} on is wanted", key)
        return value

    def power(self, key: str, default: int | None = None) -> int:
        """A field that is a power of two."""
        value = self.number(key, default, least=1)
        if value & (value - 1):
            self.refuse(f"{key} is {value}; a power of two is wanted", key)
        return value

    def truth(self, key: str, default: bool | None = None) -> bool:
        """A field that is true or false."""
        value = self._value(key, default)
        if type(value) is not bool:
            self.refuse(f"{key} is {_shown(value)}; true or false is wanted", key)
        return value

    def numbers(self, key: str, default: Sequence[int] | None = None) -> list[int]:
        """A field that is a list of numbers."""
        value = self._value(key, None if default is None else list(default))
        if not (isinstance(value, list) and all(type(one) is int and one >= 0 for one in value)):
            self.refuse(f"{key} is {_shown(value)}; a list of whole numbers is wanted", key)
        return [int(one) for one in value if isinstance(one, int)]

    def powers(self, key: str, default: Sequence[int] | None = None) -> list[int]:
        """A field that is a list of powers of two."""
        found = self.numbers(key, default)
        if any(n < 1 or n & (n - 1) for n in found):
            self.refuse(f"{key} is {found}; powers of two are wanted", key)
        return found

    def vectors(
        self, key: str, rank: int | None = None, default: Sequence[Sequence[int]] | None = None
    ) -> list[list[int]]:
        """A field that is a list of bases, each of `rank` numbers."""
        value = self._value(key, None if default is None else [list(one) for one in default])
        found: list[list[int]] = []
        for one in value if isinstance(value, list) else [value]:
            if not (isinstance(one, list) and all(type(n) is int and n >= 0 for n in one)):
                self.refuse(f"{key} is {_shown(value)}; a list of bases, each a list of numbers, is wanted", key)
            found.append([int(n) for n in one if isinstance(n, int)])
        if rank is None and found:
            rank = len(found[0])
        for basis in found:
            if len(basis) != rank:
                self.refuse(f"{key} has the basis {basis}; one number for each of {rank} dimensions is wanted", key)
        return found

    def layout(self, key: str) -> Attribute:
        """A field that is a layout."""
        value = self._value(key, None)
        if not isinstance(value, Attribute):
            self.refuse(f"{key} is {_shown(value)}; a layout is wanted", key)
        return value

    def table(self, key: str) -> Attribute:
        """A field that is a table, with its own fields."""
        value = self._value(key, {})
        if not isinstance(value, dict):
            self.refuse(f"{key} is {_shown(value)}; a table is wanted", key)
        return Attribute(f"{self.name}: {key}", value, self.text, {"": self.places.get(key, 0)})

    def _value(self, key: str, default: Value | None) -> Value:
        if key in self.fields:
            return self.fields[key]
        if default is None:
            self.refuse(f"{key} is missing")
        return default

    def __str__(self) -> str:
        return write(self)


def _shown(value: Value) -> str:
    return f"the layout {value.name}" if isinstance(value, Attribute) else shortened(write(value), 60)


def write(value: Value) -> str:
    """A value as Triton writes it.

    >>> write(parse("#ttg.padded_shared<[64:+8]{order=[1,0],shape=[64,64]}>"))
    '#ttg.padded_shared<[64:+8] {order = [1, 0], shape = [64, 64]}>'
    """
    if isinstance(value, Attribute):
        fields = dict(value.fields)
        pads, alignment = fields.pop("pads", None), fields.pop("alignment", None)
        head = f"[{', '.join(f'{i}:+{p}' for i, p in pads)}] " if isinstance(pads, list) else ""  # type: ignore[misc]
        tail = "" if alignment is None else f", alignment = {write(alignment)}"
        return f"#ttg.{value.name}<{head}{write(fields)}{tail}>"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(write, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key} = {write(one)}' for key, one in value.items())}}}"
    return str(value)


def parse(text: str, aliases: Mapping[str, Attribute] | None = None) -> Attribute:
    """The layout that a text says; TritonTextError with the character where it goes wrong.

    >>> parse("#ttg.blocked<{sizePerThread = [1, 4], order = [1, 0}>")
    Traceback (most recent call last):
        ...
    layoutalg.interop.triton.attribute.TritonTextError: character 52: ',' or ']' is wanted, not '}' \
(at '…1, 4], order = [1, 0▸}>')
    """
    reader = _Reader(text, aliases or {})
    found = reader.value(0)
    if reader.kind:
        reader.refuse(f"nothing more is wanted, not {reader.token!r}")
    if not isinstance(found, Attribute):
        raise TritonTextError("a layout is wanted: #ttg.NAME<…>", text, 0)
    return found


class _Reader:
    """Recursive descent over the tokens."""

    def __init__(self, text: str, aliases: Mapping[str, Attribute]) -> None:
        self.text, self.aliases = text, aliases
        self.kind, self.token, self.at, self._next = "", "", 0, 0
        self.step()

    def step(self) -> None:
        """On to the next token: `kind` is pad, number, word, mark, or "" at the end."""
        match = _TOKEN.match(self.text, self._next)
        if match is None or match.end() == match.start():
            self.kind, self.token, self.at = "", "the end", len(self.text)
            return
        kind = ("pad", "number", "word", "mark", "other")[(match.lastindex or 1) - 1]
        self.kind, self.token = kind, match[match.lastindex or 1]
        self.at, self._next = match.start(match.lastindex or 1), match.end()
        if kind == "other":
            self.refuse(f"{self.token!r} means nothing in a layout")

    def refuse(self, reason: str) -> NoReturn:
        raise TritonTextError(reason, self.text, self.at)

    def take(self, *wanted: str) -> str:
        """One of these tokens, and on to the next."""
        if self.token not in wanted or not self.kind:
            self.refuse(f"{' or '.join(map(repr, wanted))} is wanted, not {self.token!r}")
        found = self.token
        self.step()
        return found

    def value(self, depth: int) -> Value:
        """A value of any kind."""
        if depth > DEEPEST:
            self.refuse(f"more than {DEEPEST} brackets within brackets")
        if self.kind == "number":
            number = int(self.token[:20])
            if number >= 1 << 31:
                self.refuse(f"the number {self.token[:20]} is too large")
            self.step()
            return number
        if self.token in ("true", "false"):
            return self.take("true", "false") == "true"
        if self.token == "[":
            return self.listed(depth)
        if self.token == "{":
            return self.fields(depth)[0]
        if self.token.startswith("#"):
            return self.attribute(depth)
        self.refuse(f"a value is wanted, not {self.token!r}")

    def listed(self, depth: int) -> list[Value]:
        """[value, …], or the pads of padded_shared: [interval:+padding, …]."""
        self.take("[")
        found: list[Value] = []
        while self.token != "]" or not self.kind:
            one = self.value(depth + 1)
            if self.kind == "pad":
                self.step()
                one = [one, self.value(depth + 1)]
            found.append(one)
            if self.token != "]":
                self.take(",", "]")
        self.take("]")
        return found

    def fields(self, depth: int) -> tuple[dict[str, Value], dict[str, int]]:
        """{name = value, …}, and where each value begins."""
        self.take("{")
        found: dict[str, Value] = {}
        places: dict[str, int] = {}
        while self.token != "}" or not self.kind:
            self.field(depth, found, places)
            if self.token != "}":
                self.take(",", "}")
        self.take("}")
        return found, places

    def field(self, depth: int, found: dict[str, Value], places: dict[str, int]) -> None:
        """name = value."""
        if self.kind != "word" or self.token.startswith("#"):
            self.refuse(f"a field's name is wanted, not {self.token!r}")
        key = self.token
        if key in found:
            self.refuse(f"{key} is given twice")
        self.step()
        self.take("=")
        places[key] = self.at
        found[key] = self.value(depth + 1)

    def attribute(self, depth: int) -> Attribute:
        """#ttg.name<…>, or an alias."""
        start, full = self.at, self.token
        dialect, dot, name = full.removeprefix("#").partition(".")
        if not dot:
            if full not in self.aliases:
                self.refuse(f"nothing says what {full} stands for")
            self.step()
            return self.aliases[full]
        if dialect not in ("ttg", "triton_gpu"):
            self.refuse(f"{full} is no layout of Triton's GPU dialect (#ttg)")
        self.step()
        self.take("<")
        pads = self.listed(depth) if self.token == "[" else None
        found, places = self.fields(depth)
        while self.token == ",":
            self.step()
            self.field(depth, found, places)
        self.take(">")
        if pads is not None:
            found, places = {"pads": pads, **found}, {"pads": start, **places}
        return Attribute(name, found, self.text, {"": start, **places})
