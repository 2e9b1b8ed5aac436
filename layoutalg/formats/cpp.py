"""C++ in a spec file: what is asked of the compiler, and what it may answer.

A file's table `[cpp]` names headers; items name constant expressions over them.  All of a file's expressions make one
translation unit, which somebody above this room compiles (`layoutalg.device.constants`); nothing of it is executed, and
what comes back is data (`layoutalg.formats.ck_structure` reads it).

| part of the unit    | from                     | stands in messages as                     |
|---------------------|--------------------------|-------------------------------------------|
| headers             | `[cpp] headers`          | the entry of the list                     |
| prelude             | `[cpp] prelude`          | its line                                  |
| an expression       | `cpp` of an item         | the item                                  |

The names of the file's `symbols` are sizes in the prelude and in expressions; what CK computes of them is recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from layoutalg.formats import ck_structure
from layoutalg.formats.context import RefusedLayoutError, meaning
from layoutalg.formats.reading import DocumentError
from layoutalg.formats.reading import Path as Place
from layoutalg.index import Expr
from layoutalg.layout import TensorAdaptor, TensorDescriptor, TileDistribution


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
    """Why the compiler gives no constant; `refused`: CK's own `static_assert` says that there is none.

    `part`: "headers", "prelude" or "expression", and `line` from 0 in it; None where no line of the user's is known.
    """

    reason: str
    part: str | None = None
    line: int = 0
    refused: bool = False


class CppUnitError(Exception):
    """A unit that does not compile, whatever is asked of it."""

    def __init__(self, error: CppError) -> None:
        super().__init__(error.reason)
        self.error = error


Constants = Mapping[str, Any | CppError]
"""What each expression is, by its name: data as JSON has it, or why there is none."""

Compiled = Callable[[CppUnit, Mapping[str, str]], Constants]
"""Who compiles a unit's expressions; `CppUnitError` where the unit itself does not compile."""

ITEMS = ("descriptor", "adaptor", "distribution")
"""The kinds of items that an expression may stand for."""


def compiled_constants(
    data: Mapping[str, Any], folder: Path, compiled: Compiled | None, include: Sequence[Path] = ()
) -> Constants:
    """What the expressions of a checked document are, by the names of their items' places; `folder` is the file's.

    DocumentError where the unit does not compile, or nobody compiles it.
    """
    asked = {
        place_name(kind, n): entry["cpp"]
        for kind in ITEMS
        for n, entry in enumerate(data.get(kind, ()))
        if "cpp" in entry
    }
    if not asked:
        return {}
    kind, _, n = next(iter(asked)).partition(" ")
    if "cpp" not in data:
        raise DocumentError(
            (kind, int(n), "cpp"), "an expression of C++ needs the table [cpp], which names its headers"
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
        return compiled(unit, asked)
    except CppUnitError as problem:
        error = problem.error
        if error.part == "headers":
            raise DocumentError(("cpp", "headers", error.line), error.reason) from problem
        raise DocumentError(("cpp", error.part) if error.part else ("cpp",), error.reason, error.line) from problem


def place_name(kind: str, n: int) -> str:
    """The name of the n-th item of a kind among a file's expressions."""
    return f"{kind} {n}"


T = TypeVar("T")


def constant_of(constants: Constants, path: Place, sizes: Sequence[Expr], wanted: type[T]) -> T:
    """The layout of the item at a path, of the kind that is wanted; DocumentError where there is none."""
    found = constants[place_name(str(path[0]), int(path[1]))]
    at = (*path, "cpp")
    if isinstance(found, CppError):
        where = (at, found.line) if found.part == "expression" else (at, 0)
        beside = f"prelude, line {found.line + 1}: " if found.part == "prelude" else ""
        raise (RefusedLayoutError if found.refused else DocumentError)(where[0], beside + found.reason, where[1])
    with meaning(at):
        made = ck_structure.layout(found, sizes)
    if not isinstance(made, wanted):
        raise DocumentError(at, f"is {_KINDS.get(type(made), 'a number')}, where {_KINDS[wanted]} is expected")
    return made


_KINDS: Mapping[type, str] = {
    TensorDescriptor: "a descriptor",
    TensorAdaptor: "an adaptor",
    TileDistribution: "a distribution",
    tuple: "a list",
    ck_structure.WarpGemm: "a warp GEMM (its lanes: AWarpDstrEncoding, BWarpDstrEncoding, CWarpDstrEncoding)",
    ck_structure.Window: "a window",
}
