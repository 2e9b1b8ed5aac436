"""A text of which everything compiles that is left of it: what does not is taken out so that nothing can use it.

| the error stands in                    | becomes                                                                   |
|----------------------------------------|---------------------------------------------------------------------------|
| a function's body                      | `= delete`: who calls it does not compile either, overloads stay          |
| a variable's declaration               | a variable of a type that is nowhere defined                              |
| a class, outside its functions         | a class that is only declared                                             |
| anything else                          | nothing; functions and classes that it names go the first and third way    |

So no value comes from a text in which another meaning was given to a name.  Functions become `constexpr` and so do
variables with a value, as far as they stand outside functions: then the compiler computes them, or says why not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from layoutalg.cpp.declared import Declarations, Declared
from layoutalg.cpp.given import Define
from layoutalg.cpp.inventory import line_of
from layoutalg.cpp.names import STUB, prefix, stays_open, tables
from layoutalg.cpp.source import bare
from layoutalg.device.syntax import Parser, Syntax, SyntaxFault
from layoutalg.errors import SpecError
from layoutalg.formats.model import Unread
from layoutalg.index import Expr
from layoutalg.records import dataclass

TARGET = "gfx942"
INTEGERS = "#define int layoutalg::Size\n"
"""Where a size is not fixed, whatever is computed of it may be of no integer type."""
ROUNDS = 40
"""Each round takes out what the one before showed."""
LOCAL = "layoutalg_local_"
_UNDECLARED = re.compile(
    r"(?:use of undeclared identifier|unknown type name|no (?:type|template|member) named) '(\w+)'"
)
_ASSIGNED = r"(?:\+\+|--|&)\s*{0}\b|\b{0}\s*(?:\+\+|--|[-+*/%&|^]?=(?!=)|<<=|>>=)"


@dataclass
class Settled:
    """A text on its way; `broken`: what was taken out, by line, and why."""

    text: str
    given: Mapping[str, Define]
    symbols: Sequence[Expr]
    old: bool
    macros: str = ""
    opened: list[str] = field(default_factory=list)
    broken: list[Unread] = field(default_factory=list)
    declared: Declarations = field(default_factory=lambda: Declarations(""))
    original: Declarations = field(default_factory=lambda: Declarations(""))
    """What the text declared before anything was taken out."""
    whole: bool = True
    """Whether it came to an end."""

    @property
    def header(self) -> str:
        """What comes before, whatever the text is."""
        index = "#define LAYOUTALG_INDEX layoutalg::Size\n" if self.symbols else ""
        return f'{index}#include "{STUB}"\n{tables()}\n'

    @property
    def before(self) -> str:
        """What comes before this text, on one line."""
        made = prefix(bare(self.text), self.given, self.symbols, self.opened, self.old)
        return f"{made}\n{self.macros}{INTEGERS if self.symbols else ''}"

    def settle(self) -> None:
        """Takes out what does not compile, until all does."""
        parser, instrumented = Parser(TARGET, self.header), False
        for turn in range(ROUNDS):
            found = self._parsed(parser)
            if turn == 0:
                self.original = self.declared
            if found.faults:
                self._mend(found.faults)
            elif instrumented:
                return
            else:
                self._instrument()
                instrumented = True
        self.whole = False

    def _parsed(self, parser: Parser) -> Syntax:
        before = self.before
        found = parser.parse(before + self.text)
        for fault in found.faults:
            if fault.at < len(before):
                raise SpecError(f"-D {', '.join(self.given)}: {fault.text}")
        self.declared = Declarations.of(before + self.text, found.declarations, len(before))
        return Syntax(found.declarations, tuple(SyntaxFault(one.at - len(before), one.text) for one in found.faults))

    def _mend(self, faults: Sequence[SyntaxFault]) -> None:
        opened = [name for fault in faults if (name := self._opens(fault)) is not None]
        if opened:
            self.opened += dict.fromkeys(opened)
            return
        edits = dict[tuple[int, int], str]()
        for fault in faults:
            at = min(fault.at, len(self.text) - 1)
            for begin, end, made in self._taken_out(at, fault.text):
                edits.setdefault((begin, end), made)
        self._edit(edits)

    def _opens(self, fault: SyntaxFault) -> str | None:
        """The name of another file that `-D` gives, or a class of it whose members are asked for."""
        match = _UNDECLARED.search(fault.text)
        name = match[1] if match else None
        if (
            "unknown type name" in fault.text
            and name
            and stays_open(name, bare(self.text), frozenset(self.declared.names))
        ):
            return name if name not in self.opened else None
        if name is None or name in self.declared.names or name in self.opened or "in '" in fault.text:
            return None
        if name in self.given or re.search(rf"(?<![:\w]){name}\s*::", bare(self.text)):
            return name
        return None

    def _taken_out(self, at: int, why: str) -> Iterator[tuple[int, int, str]]:
        """The edits for an error at a place: from, to, what stands there instead."""
        around = sorted(
            (one for one in self.declared.found if one.begin <= at < one.end), key=lambda one: one.end - one.begin
        )
        line = line_of(self.text, at)
        for one in around:
            if one.kind == "function" and at >= one.body:
                self._note(one, why, line)
                yield from self._deleted(one)
                return
            if one.kind == "variable":
                yield from self._variable(one, why, line)
                return
        classes = sorted((c for c in self.declared.classes if c.at <= at < c.end), key=lambda c: c.end - c.at)
        if classes and not any(one.kind == "function" for one in around):
            made = classes[0]
            body = bare(self.text).find("{", made.at)
            if at < body and all(one.of_class for one in self.declared.found):  # a base of another file hides no name
                yield made.at, body, _lines(self.text[made.at : body])
                return
            self.broken.append(Unread(made.name, line, told(why, self.text, at)))
            yield made.at, made.end, _lines(self.text[made.at : made.end])
            return
        begin, end = next(((one.begin, one.end) for one in around if one.kind == "function"), self._statement(at))
        self.broken.append(Unread(around[0].name if around else "", line, told(why, self.text, at)))
        yield begin, end, _lines(self.text[begin:end])
        yield from self._named(begin, end, why, line)

    def _named(self, begin: int, end: int, why: str, line: int) -> Iterator[tuple[int, int, str]]:
        """What must go with a statement that is not read: what it may declare another of, or change."""
        written = bare(self.text[begin:end])
        words = set(re.findall(r"[A-Za-z_]\w*", written))
        for one in self.declared.found:
            if one.begin >= begin and one.end <= end:
                continue
            if one.kind == "function" and one.name in words and not self.text.startswith("= delete", one.body):
                self._note(one, f"another declaration of {one.name} is not read: {why}", line)
                yield from self._deleted(one)
            elif one.kind == "variable" and re.search(_ASSIGNED.format(re.escape(one.name)), written):
                yield from self._variable(one, f"{one.name} is changed by what is not read: {why}", line)
        for made in self.declared.classes:
            if made.name in words and not begin <= made.at < end:
                yield made.at, made.end, _lines(self.text[made.at : made.end])

    def _deleted(self, one: Declared) -> Iterator[tuple[int, int, str]]:
        """A function without its body; without one nothing says what `auto` is."""
        yield one.body, one.end, "= delete;" + _lines(self.text[one.body : one.end])
        if one.is_void and one.is_called:
            yield one.end, one.end, "".join(self._copies(one))
        head = bare(self.text[one.declaration : one.at])
        returned = re.search(r"\bdecltype\s*\(\s*auto\s*\)|\bauto\b", head)
        if returned is not None and "->" not in bare(self.text[one.at : one.body]):
            begin = one.declaration + returned.start()
            yield begin, one.declaration + returned.end(), "layoutalg::Unread"

    def _variable(self, one: Declared, why: str, line: int) -> Iterator[tuple[int, int, str]]:
        same = [other for other in self.declared.found if other.kind == "variable" and other.begin == one.begin]
        end = max(other.end for other in same)
        self._note(one, why, line_of(self.text, one.declaration))
        where = "static" if one.of_class else "extern"
        names = ", ".join(other.name for other in same)
        yield one.begin, end, f"{where} layoutalg::Unread {names}" + _lines(self.text[one.begin : end])

    def _note(self, one: Declared, why: str, line: int) -> None:
        name, own = named(one, self.text)
        self.broken.append(Unread(name, own if one.name.startswith(LOCAL) else line, told(why, self.text, one.at)))

    def _statement(self, at: int) -> tuple[int, int]:
        """A statement by its punctuation: from the one before to its semicolon or closing brace."""
        text = bare(self.text)
        begin = max(text.rfind(mark, 0, at) for mark in ";{}") + 1
        directive = text.rfind("\n#", 0, at)
        if directive >= begin:
            begin = text.find("\n", directive + 1) + 1
        depth, end = 0, begin
        for end in range(begin, len(text)):
            letter = text[end]
            depth += (letter in "([{") - (letter in ")]}")
            if depth < 0:
                return begin, max(end, at + 1) if end > at else at + 1
            if depth == 0 and end >= at and letter in ";}":
                break
        return begin, end + 1

    def _doubtful(self) -> Iterator[Declared]:
        """Functions of one name, of which another file's type would choose."""
        names = Counter(one.name for one in self.declared.found if one.kind == "function")
        of = {
            one.name for one in self.declared.found
            if any(p.type.replace("const ", "").rstrip(" &") in self.opened for p in one.parameters)
        }  # fmt: skip
        yield from (one for one in self.declared.found if one.name in of and names[one.name] > 1)

    def _instrument(self) -> None:
        """Functions and variables become constants, and functions that return nothing give each of their variables."""
        edits, line_ends = dict[tuple[int, int], str](), dict[int, str]()
        for one in (doubtful := list(self._doubtful())):
            self._note(
                one, f"{one.name} has overloads, and a type of another file would choose", line_of(self.text, one.at)
            )
            edits |= {(begin, end): made for begin, end, made in self._deleted(one)}
        for one in self.declared.found:
            if one in doubtful or one.kind == "alias" or self.text.startswith("= delete", one.body):
                continue
            if not one.is_constant and not self.text.startswith("constexpr", one.declaration):
                edits[(one.declaration, one.declaration)] = "constexpr "
            if one.is_void and one.is_called:
                line_ends[one.end] = line_ends.get(one.end, "") + "".join(self._copies(one))
        for at, copies in line_ends.items():
            edits[(at, at)] = copies
        self._edit(edits)

    def _copies(self, one: Declared) -> Iterator[str]:
        """A function that returns nothing as one that returns a variable of its block, for each."""
        called = re.match(r"operator\s*\(\s*\)|\w+", self.text[one.at :])
        if called is None:
            return
        head = re.sub(r"\bvoid\b(?=[^(]*$)", "auto", self.text[one.begin : one.at])
        if "constexpr" not in head:
            head = (
                self.text[one.begin : one.declaration]
                + "constexpr "
                + re.sub(r"\bvoid\b(?=[^(]*$)", "auto", self.text[one.declaration : one.at])
            )
        for n, local in enumerate(one.locals):
            body = self.text[one.at + len(called[0]) : local.end]
            name = f"{LOCAL}{line_of(self.text, local.at)}_{one.name if one.name.isidentifier() else 'operator'}_{n}"
            yield " " + " ".join(bare(f"{head}{name}{body} return {local.name}; }}").split())

    def _edit(self, edits: Mapping[tuple[int, int], str]) -> None:
        last = len(self.text) + 1
        for begin, end in sorted(edits, reverse=True):
            if end <= last:
                self.text = self.text[:begin] + edits[(begin, end)] + self.text[end:]
                last = begin


_LOCAL = re.compile(rf"{LOCAL}(?P<line>\d+)_(?P<function>.*)_\d+")
_LAST = re.compile(r"return\s+(\w+)\s*;\s*\}\s*$")


def named(one: Declared, text: str) -> tuple[str, int]:
    """A declaration's name and line; of a variable that a function gives, the function's name before it."""
    local = _LOCAL.fullmatch(one.name)
    if local is None:
        return one.name, line_of(text, one.declaration)
    variable = _LAST.search(text[one.begin : one.end])
    function = "operator()" if local["function"] == "operator" else local["function"]
    return f"{function}.{variable[1] if variable else ''}", int(local["line"])


def _lines(text: str) -> str:
    return re.sub(r"[^\n]", "", text)


_ABSENT = re.compile(
    r"no (?:type|template|member) named '(\w+)' in "
    r"'(?:const )?layoutalg::Open<(?:(?:layoutalg::)?Name<\d+>\{)?\"([^\"]+)\"\}?>'"
)
_MISSING = re.compile(r"use of undeclared identifier '(\w+)'")
_NO_TYPE = re.compile(r"(?:unknown type name|no template named|no type named) '(\w+)'")


def told(why: str, text: str, at: int = 0) -> str:
    """An error of the compiler in the words of who reads the header."""
    if absent := _ABSENT.search(why):
        return asked(f"{absent[2]}::{absent[1]}", text)
    if missing := _MISSING.search(why):
        return asked(missing[1], text)
    if kind := _NO_TYPE.search(why):
        return f"{kind[1]} is not known here: a type of another file"
    return why


def asked(path: str, text: str, kind: str = "") -> str:
    """What is said of a name that `-D` can give.

    >>> asked("Problem::kM", "Problem::kM / 2")
    'Problem::kM is not known here; give -D Problem::kM=64 (or -D kM=64)'
    """
    if path.rpartition("::")[2] in ("at", "At", "size", "Size", "get") and "::" in path:
        return asked(path.rpartition("::")[0], text)
    last = path.rsplit("::", 1)[-1]
    if re.search(rf"\b{last}\s*(?:<[^;{{}}]*>)?\s*\(", text) and not re.search(rf"\b{last}\s*::", text):
        return f"{path}() is not known here: a function of another file"
    example = "true" if kind == "bool" else "64"
    if re.search(rf"\b{last}\s*::\s*(?:at|At|size|get)\b", text):
        example = "[2,2,1]"
    elif last.endswith("Layout"):
        example = "RowMajor"
    elif re.search(rf"\btypename\s[^;(){{}}]*?\b{last}\b|sizeof\(\s*{last}\b", text):
        example = "half_t"
    other = f" (or -D {last}={example})" if last != path else ""
    return f"{path} is not known here; give -D {path}={example}{other}"
