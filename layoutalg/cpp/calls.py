"""How each function, variable and name of a layout is written as one expression, its parameters given.

| parameter                              | is given                                                             |
|----------------------------------------|----------------------------------------------------------------------|
| any that `-D` names                    | what `-D` says                                                        |
| with a default                         | that                                                                  |
| `typename Problem`                     | a class of which only what `-D` gives is known                        |
| a pointer                              | none                                                                  |
| another                                | is asked for                                                          |
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from layoutalg.cpp.declared import CppParameter, Declarations, Declared, Owner
from layoutalg.cpp.given import Define
from layoutalg.cpp.inventory import BUILDS
from layoutalg.cpp.names import stays_open
from layoutalg.cpp.settled import asked, named
from layoutalg.cpp.source import bare
from layoutalg.records import dataclass

_DECIDES = re.compile(r"\b(?:requires|enable_if\w*|void_t|is_detected\w*|declval|is_base_of\w*|is_invocable\w*)\b")


@dataclass(frozen=True)
class Call:
    """What is computed of a declaration; `missing`: what `-D` must give first."""

    name: str
    line: int
    expression: str
    begin: int
    body: int
    end: int
    builds: bool
    missing: str = ""


class _MissingError(Exception):
    """A parameter that nothing gives."""


@dataclass(frozen=True)
class _Filling:
    """Gives parameters their values in a text."""

    given: Mapping[str, Define]
    text: str
    opens: bool
    """Whether a type may stay open: nothing in the text is decided by what a type is."""
    own: frozenset[str] = frozenset()
    """What the text declares."""
    opened: frozenset[str] = frozenset()
    """Classes of other files."""

    def template(self, parameters: tuple[CppParameter, ...], deduced: Mapping[str, str]) -> str:
        """The template arguments, `<…>`; as many as are needed."""
        named = [n for n, p in enumerate(parameters) if p.default is None or p.name in self.given]
        listed = [
            self.argument(p, deduced)
            for p in parameters[: max(named, default=-1) + 1]
            if not p.pack or p.name in self.given
        ]
        return f"<{', '.join(listed)}>" if parameters else ""

    def argument(self, parameter: CppParameter, deduced: Mapping[str, str]) -> str:
        found = self.given.get(parameter.name)
        if found is not None:
            if parameter.kind == "type" and not found.type:
                raise _MissingError(f"-D {found.name} gives no type, which {parameter.name} is")
            return found.type if parameter.kind == "type" else found.value
        if parameter.default is not None:
            return parameter.default
        if parameter.name in deduced:
            return f"ck_tile::remove_cvref_t<decltype({deduced[parameter.name]})>"
        if parameter.kind != "type" or not self.opens or not stays_open(parameter.name, self.text, self.own):
            raise _MissingError(asked(parameter.name or "a parameter without a name", self.text, parameter.type))
        return f'layoutalg::Open<"{parameter.name}">'

    def values(self, parameters: tuple[CppParameter, ...]) -> dict[str, str]:
        """The arguments of a call; of those that are left out, none."""
        made = dict[str, str]()
        for parameter in parameters:
            found = self.given.get(parameter.name)
            if found is not None and found.symbol is not None:
                made[parameter.name] = f"layoutalg::asking({found.value}, asked)"
            elif found is not None:
                made[parameter.name] = found.value
            elif parameter.default is not None:
                break
            elif parameter.type.replace("const ", "").rstrip(" &") in self.opened:
                made[parameter.name or f"_{len(made)}"] = (
                    f'layoutalg::Open<"{parameter.type.replace("const ", "").rstrip(" &")}">{{}}'
                )
            elif "*" in parameter.type:
                made[parameter.name or f"_{len(made)}"] = "nullptr"
            else:
                raise _MissingError(asked(parameter.name or "a parameter without a name", self.text))
        return made

    def owner(self, owners: tuple[Owner, ...]) -> str:
        return "".join(f"{one.name}{self.template(one.template, {})}::" for one in owners)


def calls(declared: Declarations, given: Mapping[str, Define], text: str, opened: Iterable[str] = ()) -> Iterator[Call]:
    """Every declaration as an expression."""
    fill = _Filling(
        given,
        bare(text),
        not declared.typed and not _DECIDES.search(text),
        frozenset(declared.names),
        frozenset(opened),
    )
    for one in declared.found:
        if text.startswith("= delete", one.body) or not one.is_called or not one.name:
            continue
        if one.kind == "alias" and not BUILDS.search(text[one.begin : one.end]):
            continue
        if one.kind == "function" and (one.is_void or one.name.startswith("operator")):
            continue
        written = text[one.begin : one.end]
        name, line = named(one, text)
        about = (name, line)
        try:
            expression, missing = _expression(one, fill), ""
        except _MissingError as error:
            expression, missing = "", str(error)
        yield Call(*about, expression, one.begin, one.body, one.end, BUILDS.search(written) is not None, missing)


def _expression(one: Declared, fill: _Filling) -> str:
    owner = fill.owner(one.owners)
    if one.kind == "alias":
        return f"layoutalg::Built{{{owner}{one.name}{{}}}}"
    if one.kind == "variable":
        return f"layoutalg::Built{{{owner}{one.name}}}"
    values = fill.values(one.parameters)
    kinds = {p.name: re.sub(r"\bconst\b|&|\s", "", p.type) for p in one.parameters}
    deduced = {kinds[name]: value for name, value in values.items() if name in kinds}
    arguments = fill.template(one.template, deduced)
    template = "template " if one.template and one.of_class else ""
    if one.of_class and not one.is_static:
        whole = f"{owner.removesuffix('::')}{{}}.{template}{one.name}{arguments}({', '.join(values.values())})"
    else:
        whole = f"{owner}{template}{one.name}{arguments}({', '.join(values.values())})"
    if not any(value.endswith(", asked)") for value in values.values()):
        return f"layoutalg::Built{{{whole}}}"
    return f"layoutalg::cases([](layoutalg::Decisions* asked) {{ return layoutalg::Built{{{whole}}}; }})"
