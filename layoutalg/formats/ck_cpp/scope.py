"""Names and what they mean, inside out: blocks, functions, structs, the file; then `-D`, then left open.

What the file says wins; `-D` fills in what it leaves open: template and function parameters, macros, names from headers
that are not there, and a variable whose own value could not be read.  A definition may name a path's end only:
`Problem::BlockGemmShape::kM` is found as itself, as `BlockGemmShape::kM` or as `kM`, the longest first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from tree_sitter import Node

from layoutalg.formats.ck_cpp.values import Broken, CppParameter, Open, Unreadable, Value


@dataclass(frozen=True)
class Lazy:
    """A member that is evaluated when it is first asked for."""

    evaluate: Callable[[], Value]


@dataclass(eq=False)
class Scope:
    """One level of names."""

    parent: Scope | None
    defines: Mapping[str, Value]
    names: dict[str, Value] = field(default_factory=dict)
    exported: dict[str, Value] = field(default_factory=dict)
    """Names that come from namespaces within, with their values."""
    constant: set[str] = field(default_factory=set)
    """Names declared const or constexpr: no call changes them."""
    kinds: dict[str, Node | None] = field(default_factory=dict)
    """The types that variables were declared with."""
    frame: bool = False
    """Whether a call of a function begins here."""
    closure: bool = False
    """Whether it is what a lambda captures."""

    def inner(self) -> Scope:
        """A level within this one."""
        return Scope(self, self.defines)

    def find(self, name: str) -> Value | None:
        """The value of a name, None where no level and no `-D` has it; Unreadable where it has one that is broken."""
        level = self.find_level(name)
        return self.defines.get(name) if level is None else level.own(name)

    def own(self, name: str) -> Value:
        """The value of a name of this level."""
        value = self.names[name]
        if isinstance(value, Lazy):
            error = Unreadable(f"{name} is defined by itself")
            self.names[name] = Broken(error)
            try:
                value = value.evaluate()
            except Unreadable as problem:
                value = Broken(problem)
            self.names[name] = value
        if isinstance(value, Broken):
            if name in self.defines and not value.changed:
                return self.defines[name]
            raise value.error
        return value

    def find_level(self, name: str) -> Scope | None:
        """The innermost level that has a name."""
        level: Scope | None = self
        while level is not None and name not in level.names:
            level = level.parent
        return level

    def assigned(self, name: str, value: Value) -> None:
        """Gives a name of some level another value; outside the function that is run, one that is not known."""
        level, outside = self, False
        while name not in level.names and level.parent is not None:
            level, outside = level.parent, outside or level.frame
        level = level if name in level.names else self
        known = level.names.get(name)
        if isinstance(known, Broken) and known.lasting:
            return
        if outside and level is not self:
            error = Unreadable(f"{name} is not known: a function sets it, and when it is called is not read")
            value = Broken(error, changed=True, lasting=True)
        level.names[name] = value

    def frozen(self) -> Scope:
        """The names as they are now, out to those of the function, and of the lambdas that it stands in."""
        outermost = self.parent is None or (self.frame and not self.parent.closure)
        return replace(
            self, parent=self.parent if outermost or self.parent is None else self.parent.frozen(),
            names=dict(self.names), exported=dict(self.exported), constant=set(self.constant),
        )  # fmt: skip


class AskedDefines(dict[str, Value]):
    """What `-D` gives; it keeps the names that were asked for."""

    def __init__(self, given: Mapping[str, Value]) -> None:
        super().__init__(given)
        self.names: set[str] = set()

    def __contains__(self, name: object) -> bool:
        found = super().__contains__(name)
        self.names.update({str(name)} if found else ())
        return found

    def __getitem__(self, name: str) -> Value:
        self.names.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Value = None) -> Value:
        """The value of a name."""
        self.names.add(name)
        return super().get(name, default)


def defined(defines: Mapping[str, Value], path: str) -> Value | None:
    """What `-D` says of a path, by its longest end that is named.

    >>> defined({"kM": 1, "Shape::kM": 2}, "Problem::Shape::kM")
    2
    """
    parts = path.split("::")
    return next((defines[end] for n in range(len(parts)) if (end := "::".join(parts[n:])) in defines), None)


def member(defines: Mapping[str, Value], owner: Open, name: str) -> Value:
    """A member of what is left open: what `-D` says of it, else left open too."""
    path = f"{owner.path}::{name}"
    found = defined(defines, path)
    return Open(path, variable=owner.variable) if found is None else found


@dataclass(frozen=True, eq=False)
class CppFunction:
    """A function or lambda: where it was defined, its template and its call parameters, its body."""

    name: str
    scope: Scope
    template: tuple[CppParameter, ...]
    parameters: tuple[CppParameter, ...]
    body: Node
    line: int
    bound: Mapping[str, Value] = field(default_factory=dict)
    """The template parameters that have a value."""
    kind: Node | None = None
    """The type that it says it returns."""


@dataclass(frozen=True, eq=False)
class Struct:
    """A struct or namespace: the scope of its members; of a template, its parameters and its node too."""

    name: str
    scope: Scope
    template: tuple[CppParameter, ...] = ()
    node: Node | None = None
