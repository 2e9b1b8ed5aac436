"""The shapes that data can have: each checks a value, and says itself as JSON Schema.

A file format is a table of shapes, read twice: the reader checks a document by it, with the path of what is wrong, and
the published schema is printed from it.  So the two cannot drift apart.

| shape                            | admits                                                            |
|----------------------------------|-------------------------------------------------------------------|
| `Integer(least, most)`           | an integer in that range                                          |
| `Real()`                         | any number                                                        |
| `Size()`                         | an integer, or an expression in a string: 64, "(M + 1) * 8"       |
| `Text(pattern)`                  | a string                                                          |
| `Choice(names)`                  | one of some strings                                               |
| `Many(shape, least, most)`       | a list                                                            |
| `Table(required, optional)`      | a table with these keys and no others                             |
| `Tagged(key, tables)`            | a table whose value at `key` says which of the tables it is       |
| `Marked(tables)`                 | a table of which some key says which of the tables it is          |
| `Instead(key, table, usual)`     | one table where it has the key, and the usual one where not       |
| `Keyed(shape)`                   | a table with keys of the author's own                             |
| `Either(shapes)`                 | the first shape that is for this type of value                    |
| `Named(name, shape)`             | that shape, which the schema defines once                         |

What they cannot say: what depends on another value (a list as long as another, a name that is defined elsewhere).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Protocol

from layoutalg.formats.reading import DocumentError, Path
from layoutalg.records import dataclass

NAME = r"[A-Za-z_][A-Za-z0-9_.\-]*"
LARGEST = (1 << 63) - 1
LONGEST_TEXT = 4000


class Shape(Protocol):
    """What a value must look like."""

    @property
    def wanted(self) -> str:
        """What is expected, in words."""

    @property
    def types(self) -> tuple[type, ...]:
        """The Python types that this shape is for."""

    def check(self, path: Path, value: Any) -> None:
        """DocumentError at the path of the first thing that is wrong."""

    def schema(self) -> dict[str, Any]:
        """The same as JSON Schema."""


def require(shape: Shape, path: Path, value: Any) -> None:
    """DocumentError unless the value has the shape's type (a truth value is no integer)."""
    if not isinstance(value, shape.types) or (isinstance(value, bool) and bool not in shape.types):
        raise DocumentError(path, f"{shape.wanted} is expected, not {shown(value)}")


def shown(value: Any) -> str:
    """A value in a message, never longer than a line."""
    if isinstance(value, bool):
        return str(value).lower()
    kinds = {dict: "a table", list: "a list", float: f"the fraction {value}"}
    named = kinds.get(type(value))
    text = named or (repr(value) if isinstance(value, int | str) else f"a {type(value).__name__}")
    return text if len(text) <= 60 else text[:57] + "…"


@dataclass(frozen=True)
class Integer:
    """An integer in a range."""

    least: int = -LARGEST
    most: int = LARGEST
    types: tuple[type, ...] = (int,)

    @property
    def wanted(self) -> str:
        if (self.least, self.most) == (-LARGEST, LARGEST):
            return "an integer"
        return f"an integer {self.least}…{self.most}" if self.most < LARGEST else f"an integer of at least {self.least}"

    def check(self, path: Path, value: Any) -> None:
        require(self, path, value)
        if not self.least <= value <= self.most:
            raise DocumentError(path, f"{self.wanted} is expected, not {shown(value)}")

    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.least, "maximum": self.most}


@dataclass(frozen=True)
class Real:
    """Any number."""

    wanted: str = "a number such as 0.5"
    types: tuple[type, ...] = (int, float)

    def check(self, path: Path, value: Any) -> None:
        require(self, path, value)

    def schema(self) -> dict[str, Any]:
        return {"type": "number"}


@dataclass(frozen=True)
class Size:
    """An integer, or an expression over the file's symbols in a string."""

    wanted: str = 'an integer or an expression such as "(M + 1) * 8"'
    types: tuple[type, ...] = (int, str)

    def check(self, path: Path, value: Any) -> None:
        require(self, path, value)
        (Text() if isinstance(value, str) else Integer()).check(path, value)

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [Integer().schema(), Text().schema()]}


@dataclass(frozen=True)
class Text:
    """A string, not empty, that matches a pattern where one is given."""

    pattern: str = ""
    wanted: str = "a text"
    longest: int = LONGEST_TEXT
    types: tuple[type, ...] = (str,)

    def check(self, path: Path, value: Any) -> None:
        require(self, path, value)
        if not 1 <= len(value) <= self.longest:
            raise DocumentError(path, f"{self.wanted} of 1…{self.longest} characters is expected, not {len(value)}")
        if self.pattern and not re.fullmatch(self.pattern, value, re.ASCII):
            raise DocumentError(path, f"{self.wanted} is expected, not {shown(value)}")

    def schema(self) -> dict[str, Any]:
        made: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": self.longest}
        return {**made, "pattern": f"^{self.pattern}$"} if self.pattern else made


def name() -> Text:
    """A name of the author's own."""
    return Text(NAME, "a name (letters, digits, _ . -)")


@dataclass(frozen=True)
class Flag:
    """true or false."""

    wanted: str = "true or false"
    types: tuple[type, ...] = (bool,)

    def check(self, path: Path, value: Any) -> None:
        require(self, path, value)

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


@dataclass(frozen=True)
class Choice:
    """One of some strings."""

    names: tuple[str, ...]
    types: tuple[type, ...] = (str,)

    @property
    def wanted(self) -> str:
        return f"one of {', '.join(self.names)}"

    def check(self, path: Path, value: Any) -> None:
        require(self, path, value)
        if value not in self.names:
            raise DocumentError(path, f"{shown(value)} is none of {', '.join(self.names)}{nearest(value, self.names)}")

    def schema(self) -> dict[str, Any]:
        return {"enum": list(self.names)}


@dataclass(frozen=True)
class Many:
    """A list of values of one shape."""

    of: Shape
    least: int = 0
    most: int = 64
    types: tuple[type, ...] = (list,)

    @property
    def wanted(self) -> str:
        return "a list"

    def check(self, path: Path, value: Any) -> None:
        require(self, path, value)
        if not self.least <= len(value) <= self.most:
            raise DocumentError(path, f"a list of {self.least}…{self.most} entries is expected, not of {len(value)}")
        for n, entry in enumerate(value):
            self.of.check((*path, n), entry)

    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": self.of.schema(), "minItems": self.least, "maxItems": self.most}


@dataclass(frozen=True)
class Table:
    """A table with the required keys, any of the optional ones, and no others."""

    required: Mapping[str, Shape] = field(default_factory=dict)
    optional: Mapping[str, Shape] = field(default_factory=dict)
    wanted: str = "a table"
    types: tuple[type, ...] = (dict,)

    def check(self, path: Path, value: Any) -> None:
        require(self, path, value)
        known = {**self.required, **self.optional}
        for key in value:
            if key not in known:
                hint = nearest(key, known) or f"; the keys here are {', '.join(known)}"
                raise DocumentError((*path, key), f"unknown key {shown(key)}{hint}")
        for key in self.required:
            if key not in value:
                raise DocumentError(path, f"the key {key!r} is missing: {self.required[key].wanted}")
        for key, entry in value.items():
            known[key].check((*path, key), entry)

    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {key: shape.schema() for key, shape in {**self.required, **self.optional}.items()},
            "required": list(self.required),
            "additionalProperties": False,
        }


@dataclass(frozen=True)
class Tagged:
    """A table that says at `key` which of several tables it is."""

    key: str
    tables: Mapping[str, Table]
    types: tuple[type, ...] = (dict,)

    @property
    def wanted(self) -> str:
        return f"a table with the key {self.key!r}"

    def check(self, path: Path, value: Any) -> None:
        require(self, path, value)
        if self.key not in value:
            raise DocumentError(path, f"the key {self.key!r} is missing: one of {', '.join(self.tables)}")
        Choice(tuple(self.tables)).check((*path, self.key), value[self.key])
        self._table(value[self.key]).check(path, value)

    def _table(self, tag: str) -> Table:
        table = self.tables[tag]
        return Table({self.key: Choice((tag,)), **table.required}, table.optional)

    def schema(self) -> dict[str, Any]:
        return {"oneOf": [self._table(tag).schema() for tag in self.tables]}


@dataclass(frozen=True)
class Marked:
    """A table that is the first of several of which it has the key; each requires its key, and no other has it.

    >>> Marked({"a": Table({"a": Integer()}), "b": Table({"b": Integer()})}).wanted
    "a table with one of the keys 'a', 'b'"
    """

    tables: Mapping[str, Table]
    types: tuple[type, ...] = (dict,)

    @property
    def wanted(self) -> str:
        return f"a table with one of the keys {', '.join(map(repr, self.tables))}"

    def check(self, path: Path, value: Any) -> None:
        require(self, path, value)
        found = next((table for key, table in self.tables.items() if key in value), None)
        if found is None:
            unknown = [shown(key) for key in value]
            raise DocumentError(path, f"{self.wanted} is expected, not {', '.join(unknown) or 'an empty one'}")
        found.check(path, value)

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [table.schema() for table in self.tables.values()]}


@dataclass(frozen=True)
class Instead:
    """A table that is of one kind where it has a key, which that kind requires, and of the usual kind where not."""

    key: str
    table: Table
    usual: Table | Instead
    types: tuple[type, ...] = (dict,)

    @property
    def wanted(self) -> str:
        return self.usual.wanted

    def check(self, path: Path, value: Any) -> None:
        require(self, path, value)
        (self.table if self.key in value else self.usual).check(path, value)

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [self.usual.schema(), self.table.schema()]}


@dataclass(frozen=True)
class Keyed:
    """A table whose keys are names of the author's own."""

    of: Shape
    most: int = 64
    wanted: str = "a table"
    types: tuple[type, ...] = (dict,)

    def check(self, path: Path, value: Any) -> None:
        require(self, path, value)
        if len(value) > self.most:
            raise DocumentError(path, f"at most {self.most} entries are expected, not {len(value)}")
        for key, entry in value.items():
            Text(r"[A-Za-z_][A-Za-z0-9_]*", "a name (letters, digits, _)").check((*path, key), key)
            self.of.check((*path, key), entry)

    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "propertyNames": {"pattern": "^[A-Za-z_][A-Za-z0-9_]*$", "maxLength": LONGEST_TEXT},
            "additionalProperties": self.of.schema(),
            "maxProperties": self.most,
        }


@dataclass(frozen=True)
class Either:
    """The first of some shapes that is for the value's type."""

    shapes: tuple[Shape, ...]

    @property
    def wanted(self) -> str:
        return " or ".join(shape.wanted for shape in self.shapes)

    @property
    def types(self) -> tuple[type, ...]:
        return tuple(kind for shape in self.shapes for kind in shape.types)

    def check(self, path: Path, value: Any) -> None:
        require(self, path, value)
        next(shape for shape in self.shapes if isinstance(value, shape.types)).check(path, value)

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [shape.schema() for shape in self.shapes]}


@dataclass(frozen=True)
class Named:
    """A shape that the schema defines once, under a name, and refers to."""

    name: str
    of: Shape

    @property
    def wanted(self) -> str:
        return self.of.wanted

    @property
    def types(self) -> tuple[type, ...]:
        return self.of.types

    def check(self, path: Path, value: Any) -> None:
        self.of.check(path, value)

    def schema(self) -> dict[str, Any]:
        return {"$ref": f"#/$defs/{self.name}"}


def nearest(word: str, known: Any) -> str:
    """A hint at the nearest known word, empty where none is near."""
    found = difflib.get_close_matches(word, list(known), 1, 0.6)
    return f"; did you mean {found[0]!r}?" if found else ""
