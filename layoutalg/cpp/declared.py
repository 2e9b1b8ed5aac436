"""What a text declares: its functions, variables and names of layouts, with their places, of the compiler's tree.

An owner is a namespace or a class; of a class template its own parameters, of a specialization its arguments as they
are written.  What stands in a partial specialization is not listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal

from layoutalg.records import dataclass

Node = Mapping[str, Any]
Kind = Literal["type", "value", "template"]
_FUNCTIONS = ("FunctionDecl", "CXXMethodDecl", "CXXConstructorDecl", "CXXConversionDecl", "CXXDestructorDecl")
_PARAMETERS: Mapping[str, Kind] = {
    "TemplateTypeParmDecl": "type", "NonTypeTemplateParmDecl": "value", "TemplateTemplateParmDecl": "template",
}  # fmt: skip


@dataclass(frozen=True)
class CppParameter:
    """A parameter of a function or a template; `type`: of a value."""

    name: str
    kind: Kind
    type: str = ""
    default: str | None = None
    pack: bool = False


@dataclass(frozen=True)
class Owner:
    """A namespace or class that declarations stand in, as its name is written, and its parameters."""

    name: str
    is_class: bool = False
    template: tuple[CppParameter, ...] = ()


@dataclass(frozen=True)
class Local:
    """A variable of a function's own block: where its declaration ends."""

    name: str
    at: int
    end: int


@dataclass(frozen=True)
class Declared:
    """A function, variable or alias.  Places are characters: of its beginning, its declaration without `template`, its
    name, its body (a variable's: its declaration) and its end."""

    kind: Literal["function", "variable", "alias"]
    name: str
    owners: tuple[Owner, ...]
    begin: int
    declaration: int
    at: int
    body: int
    end: int
    template: tuple[CppParameter, ...] = ()
    parameters: tuple[CppParameter, ...] = ()
    type: str = ""
    is_static: bool = False
    is_constant: bool = False
    is_called: bool = True
    """Whether it is a function that can be called by its name: no constructor, no conversion."""
    locals: tuple[Local, ...] = ()

    @property
    def is_void(self) -> bool:
        """Whether it is a function that returns nothing."""
        return self.kind == "function" and self.type.startswith("void (")

    @property
    def of_class(self) -> bool:
        """Whether it is a member of a class."""
        return bool(self.owners) and self.owners[-1].is_class


@dataclass(frozen=True)
class ClassBody:
    """A class that is defined: where its name is, where its base clause or body begins, and its end."""

    name: str
    at: int
    end: int


@dataclass
class Declarations:
    """What a text declares; `typed`: whether it specializes a template for a type."""

    text: str
    found: list[Declared] = field(default_factory=list)
    classes: list[ClassBody] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    typed: bool = False
    _owners: dict[str, tuple[Owner, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str, nodes: Sequence[Node], since: int = 0) -> Declarations:
        """The declarations of a tree, places counted from a character, and only of what stands after it."""
        made = cls(text)
        for node in nodes:
            if _start(node["range"]["begin"]) >= since:
                made._walk(node, ())
        return made._moved(since)

    def _moved(self, by: int) -> Declarations:
        at = ("begin", "declaration", "at", "body", "end")
        found = [
            replace(
                one, **{name: getattr(one, name) - by for name in at},
                locals=tuple(replace(local, at=local.at - by, end=local.end - by) for local in one.locals),
            )
            for one in self.found
        ]  # fmt: skip
        classes = [replace(one, at=one.at - by, end=one.end - by) for one in self.classes]
        return Declarations(self.text[by:], found, classes, self.names, self.typed)

    def _walk(self, node: Node, owners: tuple[Owner, ...], template: Node | None = None) -> None:
        kind, name = node["kind"], node.get("name", "")
        outer = node if template is None else template
        inner = node.get("inner", ())
        if name:
            self.names.add(name)
        if kind == "NamespaceDecl":
            within = (*owners, Owner(name)) if name else owners
            self._each(inner, within)
        elif kind == "LinkageSpecDecl":
            self._each(inner, owners)
        elif kind in ("CXXRecordDecl", "ClassTemplateSpecializationDecl"):
            self._class(node, owners, outer)
        elif kind == "ClassTemplatePartialSpecializationDecl":
            self.typed = True
        elif kind in ("ClassTemplateDecl", "FunctionTemplateDecl", "VarTemplateDecl", "TypeAliasTemplateDecl"):
            made = next((one for one in inner if one["kind"] not in _PARAMETERS and "range" in one), None)
            if made is not None and made["kind"] in ("CXXRecordDecl", *_FUNCTIONS):
                self._walk(made, owners, node)
        elif kind in _FUNCTIONS:
            self._function(node, owners, outer)
        elif kind == "VarDecl" and "init" in node and not node.get("isImplicit"):
            self._add("variable", node, owners, outer)
        elif kind == "TypeAliasDecl":
            self._add("alias", node, owners, outer)

    def _each(self, nodes: Sequence[Node], owners: tuple[Owner, ...]) -> None:
        for node in nodes:
            if not node.get("isImplicit"):
                self._walk(node, owners)

    def _class(self, node: Node, owners: tuple[Owner, ...], outer: Node) -> None:
        name = node.get("name", "")
        if not node.get("completeDefinition") or not name:
            return
        at, end = _start(node.get("loc", {})), _end(node)
        spelled = name
        if node["kind"] == "ClassTemplateSpecializationDecl":
            spelled = self.text[at : _closing(self.text, self.text.find("<", at))]
            arguments = [one for one in node.get("inner", ()) if one["kind"] == "TemplateArgument"]
            self.typed |= any("type" in one and "value" not in one for one in arguments)
        within = (*owners, Owner(spelled, True, tuple(self._parameters(outer))))
        self._owners[node["id"]] = within
        self.classes.append(ClassBody(name, at + len(spelled), end))
        self._each(node.get("inner", ()), within)

    def _function(self, node: Node, owners: tuple[Owner, ...], outer: Node) -> None:
        body = next((one for one in node.get("inner", ()) if one["kind"] == "CompoundStmt"), None)
        if body is None or _start(body["range"]["begin"]) < 0:
            return
        own = self._owners.get(node.get("parentDeclContextId", ""), owners)
        self._add("function", node, own, outer, body)

    def _add(
        self, kind: Literal["function", "variable", "alias"], node: Node, owners: tuple[Owner, ...], outer: Node,
        body: Node | None = None,
    ) -> None:  # fmt: skip
        declaration = _start(node["range"]["begin"])
        if declaration < 0:
            return
        self.found.append(Declared(
            kind, node.get("name", ""), owners, min(_start(outer["range"]["begin"]), declaration), declaration,
            _start(node.get("loc", {})), _start(body["range"]["begin"]) if body else declaration, _end(node),
            tuple(self._parameters(outer)) if outer is not node else (),
            tuple(self._function_parameters(node)) if body else (),
            node.get("type", {}).get("qualType", ""), node.get("storageClass") == "static",
            bool(node.get("constexpr")) or bool(node.get("immediate")),
            node["kind"] in ("FunctionDecl", "CXXMethodDecl", "VarDecl", "TypeAliasDecl"),
            tuple(_locals(body)) if body else (),
        ))  # fmt: skip

    def _parameters(self, template: Node) -> Iterator[CppParameter]:
        for one in template.get("inner", ()):
            if one["kind"] in _PARAMETERS:
                default = self._default(one) if "defaultArg" in one else None
                kind = _PARAMETERS[one["kind"]]
                written = one.get("type", {}).get("qualType", "")
                yield CppParameter(one.get("name", ""), kind, written, default, bool(one.get("isParameterPack")))

    def _function_parameters(self, function: Node) -> Iterator[CppParameter]:
        for one in function.get("inner", ()):
            if one["kind"] == "ParmVarDecl":
                default = self._default(one) if "init" in one else None
                written = one.get("type", {}).get("qualType", "")
                yield CppParameter(one.get("name", ""), "value", written, default, written.endswith("..."))

    def _default(self, node: Node) -> str:
        written = self.text[_start(node["range"]["begin"]) : _end(node)]
        return written.partition("=")[2].strip()


def _locals(body: Node) -> Iterator[Local]:
    for statement in body.get("inner", ()):
        if statement["kind"] == "DeclStmt":
            for one in statement.get("inner", ()):
                if one["kind"] == "VarDecl" and one.get("name") and "init" in one:
                    yield Local(one["name"], _start(one["range"]["begin"]), _end(statement))


def _start(place: Mapping[str, Any]) -> int:
    at = place.get("expansionLoc", place)
    return int(at.get("offset", -1))


def _end(node: Node) -> int:
    place = node["range"]["end"]
    at = place.get("expansionLoc", place)
    return int(at.get("offset", 0)) + int(at.get("tokLen", 0))


def _closing(text: str, opened: int) -> int:
    """The place after the `>` of a `<`."""
    depth = 0
    for at in range(opened, len(text)):
        depth += (text[at] == "<") - (text[at] == ">")
        if depth == 0:
            return at + 1
    return len(text)
