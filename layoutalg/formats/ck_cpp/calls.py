"""Calling a function of the file: which one of its overloads, what its parameters are, what it returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from tree_sitter import Node

from layoutalg.formats.ck_cpp.expressions import DEEPEST_CALL, Evaluator
from layoutalg.formats.ck_cpp.nodes import takes
from layoutalg.formats.ck_cpp.scope import CppFunction, Scope
from layoutalg.formats.ck_cpp.values import Broken, CppParameter, Open, Unreadable, Value


@dataclass(frozen=True)
class Returned:
    """What a return statement gives."""

    value: Value


@dataclass
class Caller(Evaluator):
    """Calls functions; the statements of their bodies are the runner's."""

    completed: set[int] = field(default_factory=set)
    """The bodies of functions that were called and returned."""

    def block(self, node: Node, scope: Scope) -> Returned | None:
        """The statements of a block, up to the first return."""
        raise NotImplementedError

    def attempt(self, evaluate: Callable[[], Value]) -> Value:
        """The value, or Broken with the line at hand."""
        line = self.line
        try:
            return evaluate()
        except Unreadable as error:
            if error.line is None:
                error.line = line
            return Broken(error)

    def opened(self, parameter: CppParameter, scope: Scope, *, called: bool = False) -> Value:
        """A template or function parameter without an argument: `-D`, its default, or open.

        `called`: by the file itself, which leaves out an argument so that the default holds, whatever `-D` says.
        """
        name, default = parameter.name, parameter.default
        if name in self.defines and not (called and default is not None):
            return self.defines[name]
        if default is not None:
            kind = self.attempt(lambda: self.evaluate(default, scope))
            return Open(name, variable=True) if isinstance(kind, Broken) else kind
        return Open(name, variable=True)

    def run(self, function: CppFunction, args: Sequence[Value]) -> Value:
        """Calls a function of the file: its parameters get a value, its body runs, its return is the value."""
        function = self.overload(function, len(args))
        given = dict(zip((p.name for p in function.parameters), args, strict=False))
        scope = self.frame(function, given, called=True)
        returned = self.body(function, scope)
        if returned is None:
            raise Unreadable(f"{function.name} returns nothing that is read")
        self.completed.add(function.body.id)
        return self.as_type(returned.value, function.kind, scope)

    def overload(self, function: CppFunction, count: int) -> CppFunction:
        """The one function of this name and place that takes so many arguments; Unreadable where types would decide."""
        alike = [f for f in self.functions.get(function.name, ()) if f.scope is function.scope] or [function]
        fitting = [f for f in alike if takes(f, count)]
        if not fitting:
            raise Unreadable(f"{function.name} takes {len(function.parameters)} arguments, not {count}")
        if len(fitting) > 1:
            raise Unreadable(f"{function.name} has {len(fitting)} overloads for {count} arguments: types would decide")
        (found,) = fitting
        return function if found.body.id == function.body.id else self.bound(found, list(function.bound.values()))

    def frame(
        self, function: CppFunction, args: Mapping[str, Value] = MappingProxyType({}), *, called: bool = False
    ) -> Scope:
        """The scope that a call of a function begins with; a later default may speak of an earlier parameter."""
        scope = function.scope.inner()
        scope.frame = True
        given = {**function.bound, **args}
        for parameter in (*function.template, *function.parameters):
            name = parameter.name
            value = given[name] if name in given else self.opened(parameter, scope, called=called)
            scope.names[name] = self.as_type(value, parameter.kind, scope)
            scope.kinds[name] = parameter.kind
        return scope

    def body(self, function: CppFunction, scope: Scope) -> Returned | None:
        if self.depth >= DEEPEST_CALL:
            raise Unreadable(f"more than {DEEPEST_CALL} calls within one another")
        self.depth += 1
        line = self.line
        try:
            return self.block(function.body, scope)
        finally:
            self.depth -= 1
            self.line = line
