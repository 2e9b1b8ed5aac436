"""Tables of a TOML file as dataclasses: a format is declared as records, and one reader checks all of them.

| a field of type       | is in the file                                                        |
|-----------------------|-----------------------------------------------------------------------|
| `int`, `float`        | a positive number                                                     |
| `str`, `bool`         | itself                                                                |
| `Literal["a", "b"]`   | one of these words                                                    |
| `tuple[T, ...]`       | a list                                                                |
| `Mapping[str, T]`     | a table of any keys                                                   |
| a record              | a table with the record's keys; those with a default may be left out  |
| `Evidence`            | the keys `confidence`, `sources` and `doubt` of the record's own table |

Every refusal names the file and the key.  What it cannot represent: fields of two types, but for "a record or none".
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from layoutalg.target.model import Confidence, Evidence, TargetError

Record = TypeVar("Record")


class TargetFileError(TargetError):
    """A target file that says too little, too much or something impossible; the message names the file and the key.

    >>> from layoutalg.target.read import parse
    >>> parse('name = "mine"', "mine.toml")
    Traceback (most recent call last):
        ...
    layoutalg.target.tables.TargetFileError: mine.toml: it lacks facts, lds, sources, title
    """


class Tables:
    """Reads one file's tables: `origin` names it in errors, `sources` are its citations by their keys."""

    def __init__(self, origin: str, sources: Mapping[str, str]) -> None:
        self.origin = origin
        self.sources = sources

    def record(self, place: str, table: Any, kind: type[Record]) -> Record:
        """A table as a record; TargetFileError names the key that is missing, unknown or wrong."""
        hints, needed, optional = _keys_of(cast(Hashable, kind))
        self.check(isinstance(table, dict), place, "a table is needed here")
        lacking, unknown = sorted(needed - set(table)), sorted(set(table) - needed - optional)
        self.check(not lacking, place, f"it lacks {', '.join(lacking)}")
        self.check(not unknown, place, f"unknown key {', '.join(unknown)}")
        given = {
            key: self.value(f"{place}.{key}".lstrip("."), table[key], hint) for key, hint in hints.items()
            if key in table and hint is not Evidence
        }  # fmt: skip
        if Evidence in hints.values():
            given["evidence"] = self.evidence(place, table)
        return kind(**given)

    def value(self, place: str, thing: Any, kind: Any) -> Any:
        """What one key holds, as the type of its field."""
        form, parts = get_origin(kind), get_args(kind)
        if form is Literal:
            one_of = " or ".join(parts) if len(parts) == 2 else f"one of {', '.join(filter(None, parts))}"
            self.check(thing in parts, place, f"{place.rpartition('.')[2]} is {one_of}, not {thing!r}")
        elif form is tuple:
            self.of(list, place, thing)
            return tuple(self.value(f"{place}[{n}]", one, parts[0]) for n, one in enumerate(thing))
        elif form is not None and issubclass(form, Mapping):
            return {
                key: self.value(f"{place}.{key}", one, parts[1]) for key, one in self.of(dict, place, thing).items()
            }
        elif is_dataclass(kind):
            return self.record(place, thing, kind)  # type: ignore[arg-type]
        elif kind in (int, float):
            self.of(int if kind is int else (int, float), place, thing)
            self.check(type(thing) is not bool and thing > 0, place, f"a positive integer is needed, not {thing!r}")
        else:
            self.of(kind, place, thing)
        return thing

    def evidence(self, place: str, table: Mapping[str, Any]) -> Evidence:
        """Who says what a table holds."""
        found = self.value(f"{place}.confidence", table["confidence"], Confidence)
        cited = self.value(f"{place}.sources", table["sources"], tuple[str, ...])
        doubt = self.value(f"{place}.doubt", table.get("doubt", ""), str)
        for key in cited:
            self.check(key in self.sources, place, f"source {key!r} is not in [sources]")
        self.check(bool(cited) or found == "assumed", place, f"{found}, but by whom? sources is empty")
        self.check(bool(doubt) or found != "assumed", place, "assumed needs a doubt: from what it was taken")
        return Evidence(found, tuple(self.sources[key] for key in cited), doubt)

    def of(self, kind: type | tuple[type, ...], place: str, thing: Any) -> Any:
        """The thing, if it is of a kind."""
        name = kind.__name__ if isinstance(kind, type) else "number"
        self.check(isinstance(thing, kind), place, f"{thing!r} is no {name}")
        return thing

    def check(self, holds: bool, place: str, message: str) -> None:
        """Refuses the file where something does not hold."""
        if not holds:
            raise TargetFileError(f"{self.origin}: {place}{': ' if place else ''}{message}")


@cache
def _keys_of(kind: Hashable) -> tuple[Mapping[str, Any], frozenset[str], frozenset[str]]:
    """A record's fields with their types, the keys that a table of it must have, and those that it may have."""
    hints = {key: _some(hint) for key, hint in get_type_hints(kind).items()}
    own = [field for field in fields(kind) if hints[field.name] is not Evidence]  # type: ignore[arg-type]
    needed = {field.name for field in own if field.default is MISSING and field.default_factory is MISSING}
    cited = Evidence in hints.values()
    return (
        hints, frozenset(needed | ({"confidence", "sources"} if cited else set())),
        frozenset({field.name for field in own} - needed | ({"doubt"} if cited else set())),
    )  # fmt: skip


def _some(hint: Any) -> Any:
    """The type without None."""
    if get_origin(hint) in (Union, type(int | None)):
        return next(part for part in get_args(hint) if part is not type(None))
    return hint
