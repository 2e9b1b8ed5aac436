"""What C++ expressions of the subset evaluate to, and what is said of those that do not.

| C++                                      | value                                                     |
|------------------------------------------|-----------------------------------------------------------|
| integers, truth values, `number<8>{}`    | `Expr` (an integer, or a formula over symbols)            |
| `make_tuple(…)`, `sequence<…>{}`, arrays | a Python tuple                                            |
| `make_merge_transform(…)` …              | `Transform`                                               |
| descriptors and views; adaptors          | `TensorDescriptor`; `TensorAdaptor`                       |
| `tile_distribution_encoding<…>{}` …      | `TileDistributionEncoding`, `TileDistribution`            |
| a name that the file leaves open         | `Open`: its path; it becomes a value by `-D`              |
| functions, lambdas, structs              | `CppFunction`, `Struct` (in `scope`)                         |
| templates of constants and of aliases    | `TemplatePattern`                                                 |
| a variable whose value was not read      | `Broken`: why                                             |
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tree_sitter import Node

Value = Any
"""One of the table above."""


class Unreadable(Exception):
    """A part that is not read, and why; `refused` where it was read and makes no layout."""

    def __init__(self, reason: str, line: int | None = None, *, refused: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.line, self.refused = reason, line, refused


@dataclass(frozen=True)
class Open:
    """A name that the file does not define: `Problem::BlockGemmShape::kM`.

    `given`: what `-D` says something is; `variable`: it belongs to a parameter or a variable, and could be anything.
    """

    path: str
    given: bool = False
    variable: bool = False

    @property
    def last(self) -> str:
        """The last part of the path."""
        return self.path.rsplit("::", 1)[-1]


@dataclass(frozen=True)
class Broken:
    """A variable without a value; `changed`: it had one, and was given another that is not known.

    `lasting`: it may change at any time, so that no assignment gives it a value again.
    """

    error: Unreadable
    changed: bool = False
    lasting: bool = False


@dataclass(frozen=True)
class CppParameter:
    """A parameter of a function or template; `default` is the node of its default value."""

    name: str
    default: Node | None = None
    pack: bool = False
    by_reference: bool = False
    """Whether the function may change what is given."""
    kind: Node | None = None
    """The type that it is declared with."""


@dataclass(frozen=True, eq=False)
class TemplatePattern:
    """A template of a constant or of an alias, which is read anew for each list of arguments."""

    name: str
    read: Callable[[Sequence[Value]], Value]


@dataclass(frozen=True)
class Method:
    """A built-in method with its object, waiting for its arguments."""

    name: str
    call: Callable[[tuple[Value, ...]], Value]
