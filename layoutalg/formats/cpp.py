"""C++ in a spec file: what is asked of the compiler, and what it may answer.

A file's table `[cpp]` names headers; items name constant expressions over them.  All of a file's expressions make one
translation unit, which somebody above this room compiles (`layoutalg.device.constants`); nothing of it is executed, and
what comes back is data (`layoutalg.formats.ck_structure` reads it).

| part of the unit    | from                     | stands in messages as                     |
|---------------------|--------------------------|-------------------------------------------|
| headers             | `[cpp] headers`          | the entry of the list                     |
| prelude             | `[cpp] prelude`          | its line                                  |
| an expression       | `cpp` of an item, or of a distribution's `window` | the item         |
| `GetSmemPackA`, `GetSmemSizeA` | the policy of an item's `MakeALdsBlockDescriptor` | nothing: it claims nothing |

The names of the file's `symbols` are sizes in the prelude and in expressions; what CK computes of them is recorded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, TypeVar

from layoutalg.formats import ck_structure
from layoutalg.formats.context import RefusedLayoutError, meaning
from layoutalg.formats.reading import DocumentError
from layoutalg.formats.reading import Path as Place
from layoutalg.index import Expr
from layoutalg.layout import TensorAdaptor, TensorDescriptor, TileDistribution
from layoutalg.records import dataclass


@dataclass(frozen=True)
class CppUnit:
    """What expressions are compiled with; `include` are folders, `sizes` the names that are no numbers."""

    target: str
    headers: tuple[str, ...]
    include: tuple[Path, ...] = ()
    prelude: str = ""
    sizes: tuple[str, ...] = ()


@dataclass(frozen=True)
class CppError:
    """Why the compiler gives no constant; `refused`: CK's own `static_assert` stops it, or it has no such warp GEMM.

    `part`: "headers", "prelude" or "expression", and `line` from 0 in it; None where no line of the user's is known.
    `header`: the header that the fault is in, as it is included, and its line; empty where it is in the user's text.
    """

    reason: str
    part: str | None = None
    line: int = 0
    refused: bool = False
    header: str = field(default="", compare=False)

    @property
    def told(self) -> str:
        """The reason, with the header's line."""
        return f"{self.reason} ({self.header})" if self.header else self.reason


class CppUnitError(Exception):
    """A unit that does not compile, whatever is asked of it."""

    def __init__(self, error: CppError) -> None:
        super().__init__(error.reason)
        self.error = error

    def __reduce__(self) -> tuple[type[CppUnitError], tuple[CppError]]:
        """Another process is told the whole error."""
        return CppUnitError, (self.error,)


Constants = Mapping[str, Any | CppError]
"""What each expression is, by its name: data as JSON has it, or why there is none."""

Compiled = Callable[[CppUnit, Mapping[str, str]], Constants]
"""Who compiles a unit's expressions; `CppUnitError` where the unit itself does not compile."""

CONSTEXPR = "layoutalg/constexpr.h"
"""A header of ours: functions of CK's headers behind it are read as constexpr, where CK does not say so."""

ITEMS = ("descriptor", "adaptor", "distribution")
"""The kinds of items that an expression may stand for."""


def compiled_constants(
    data: Mapping[str, Any], folder: Path, compiled: Compiled | None, include: Sequence[Path] = ()
) -> Constants:
    """What the expressions of a checked document are, by the names of their items' places; `folder` is the file's.

    DocumentError where the unit does not compile, or nobody compiles it.
    """
    asked = dict(_expressions(data))
    if not asked:
        return {}
    if "cpp" not in data:
        raise DocumentError(
            (*next(iter(asked)), "cpp"), "an expression of C++ needs the table [cpp], which names its headers"
        )
    if compiled is None:
        raise DocumentError(("cpp",), "a file with C++ is read with a compiler: load(path, compiled=constants)")
    table = data["cpp"]
    for place, name in enumerate(table.get("include", ())):
        if not (folder / name).is_dir():
            raise DocumentError(("cpp", "include", place), f"{folder / name}: no such folder of headers")
    folders = (*(folder / name for name in table.get("include", ())), *include)
    unit = CppUnit(
        table["target"], tuple(table["headers"]), folders, table.get("prelude", ""), tuple(data.get("symbols", ()))
    )
    try:
        return compiled(unit, {place_name(path): text for path, text in asked.items()})
    except CppUnitError as problem:
        error = problem.error
        if error.part == "headers":
            raise DocumentError(("cpp", "headers", error.line), error.told) from problem
        raise DocumentError(("cpp", error.part) if error.part else ("cpp",), error.told, error.line) from problem


def _expressions(data: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    """The expressions of a document, each with the path of the table that it stands in."""
    for kind in ITEMS:
        for n, entry in enumerate(data.get(kind, ())):
            if "cpp" in entry:
                yield (kind, n), entry["cpp"]
            if isinstance(window := entry.get("window"), Mapping):
                yield (kind, n, "window"), window["cpp"]
            if kind == "descriptor" and "claims" not in entry and (in_lds := _IN_LDS.fullmatch(entry.get("cpp", ""))):
                for part, asked in _BESIDE.items():
                    yield (kind, n, part), asked.format(**in_lds.groupdict())


_IN_LDS = re.compile(
    r"\s*(?P<policy>.*\S)\s*::\s*(?:template\s+)?Make(?P<operand>\w*)Lds(?:Block)?Descriptor\s*<(?P<of>.*)>"
    r"\s*\(\s*\)\s*",
    re.DOTALL,
)
"""A policy's LDS descriptor of an operand; what is given for its parameters."""

_BESIDE: Mapping[str, str] = {
    "vector": """[]<class P>(P*) {{
  if constexpr (requires {{ P::template GetSmemPack{operand}<{of}>(); }})
    return static_cast<int>(P::template GetSmemPack{operand}<{of}>());
  else
    return 1;
}}(static_cast<{policy}*>(nullptr))""",
    "room": """[]<class P>(P*) {{
  if constexpr (requires {{ P::template GetSmemSize{operand}<{of}>(); }})
    return static_cast<int>(P::template GetSmemSize{operand}<{of}>());
  else if constexpr (requires {{ P::template GetSmemSize<{of}>(); }})
    return static_cast<int>(P::template GetSmemSize<{of}>());
  else
    return 0;
}}(static_cast<{policy}*>(nullptr))""",
    "whole": """[]<class P>(P*) {{
  if constexpr (requires {{ P::template GetSmemSize<{of}>(); }})
    return static_cast<int>(P::template GetSmemSize<{of}>());
  else
    return 0;
}}(static_cast<{policy}*>(nullptr))""",
}
"""What a policy says beside it: elements of a vector, or 1; bytes of LDS, the operand's, else all, or 0; all, or 0."""


def place_name(path: Place) -> str:
    """The name of an expression among a file's: the path of the table that it stands in."""
    return " ".join(map(str, path))


T = TypeVar("T")


def constant_of(constants: Constants, path: Place, sizes: Sequence[Expr], wanted: type[T]) -> T:
    """The layout of the item at a path, of the kind that is wanted; DocumentError where there is none."""
    made = _value(constants, path, sizes)
    if not isinstance(made, wanted):
        raise DocumentError((*path, "cpp"), f"is {_kind(made)}, where {_KINDS[wanted]} is expected")
    return made


def claims_beside(constants: Constants, path: Place, dtype: str | None, lds: int | None) -> Sequence[str]:
    """What is claimed of a descriptor at a path by what its policy says beside it; of bytes where it has a type.

    `lds`: the bytes of LDS that the GPU gives a block: what a policy asks for beyond them, its operands have not.
    """
    vector, room, whole = (constants.get(place_name((*path, part))) for part in _BESIDE)
    packed = [f"contiguous({vector})"] if isinstance(vector, int) and vector > 1 else []
    if not isinstance(room, int) or room <= 0 or not dtype:
        return packed
    asked = max(room, whole) if isinstance(whole, int) else room
    beyond = 0 if lds is None else max(0, asked - lds)
    return [*packed, f"fits_lds({max(0, room - beyond)})"]


def lengths_of(constants: Constants, path: Place, sizes: Sequence[Expr]) -> tuple[Expr, ...]:
    """The lengths of the window at a path: a tile window's, or a list of numbers; DocumentError where it is neither."""
    made = _value(constants, path, sizes)
    lengths = made.lengths if isinstance(made, ck_structure.Window) else made
    if not isinstance(lengths, tuple) or not lengths or not all(isinstance(n, Expr) for n in lengths):
        raise DocumentError((*path, "cpp"), f"is {_kind(made)}, where a window or a list of its lengths is expected")
    return lengths


def _value(constants: Constants, path: Place, sizes: Sequence[Expr]) -> Any:
    """What the expression at a path is; DocumentError where it does not compile or is no layout."""
    found = constants[place_name(path)]
    at = (*path, "cpp")
    if isinstance(found, CppError):
        where = (at, found.line) if found.part == "expression" else (at, 0)
        beside = f"prelude, line {found.line + 1}: " if found.part == "prelude" else ""
        raise (RefusedLayoutError if found.refused else DocumentError)(where[0], beside + found.told, where[1])
    with meaning(at):
        return ck_structure.layout(found, sizes)


def _kind(made: Any) -> str:
    return _KINDS.get(type(made), "a number")


_KINDS: Mapping[type, str] = {
    TensorDescriptor: "a descriptor",
    TensorAdaptor: "an adaptor",
    TileDistribution: "a distribution",
    tuple: "a list",
    ck_structure.WarpGemm: 'a warp GEMM (its lanes: operand = "a", "b" or "c")',
    ck_structure.Window: "a window",
}
