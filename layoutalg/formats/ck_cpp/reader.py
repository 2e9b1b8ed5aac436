"""Reading CK and CK Tile C++: which descriptors, adaptors and distributions a file builds; nothing is compiled or run.

    >>> file = loads('''
    ... template <typename DocumentError>
    ... constexpr auto MakeALdsBlockDescriptor()
    ... {
    ...     constexpr index_t M = Problem::kM;
    ...     return make_naive_tensor_descriptor(make_tuple(number<M>{}, number<64>{}), make_tuple(number<72>{}, number<1>{}));
    ... }
    ... ''', "policy.hpp", {"kM": "128"})
    >>> file.descriptor("MakeALdsBlockDescriptor").descriptor.lengths
    (128, 64)

Every function without required arguments is called once, its template parameters filled in by `-D`; what it returns is
named after it.  Variables at file level, in documentation blocks and in functions that return nothing are named after
themselves.  What builds a layout and cannot be read is listed with its line and one reason.  A comment above says what
is claimed, where that is not the usual: `// claims: in_bounds` for windows that overlap.

What it cannot read: loops, recursion over types, classes of other files (`-D WarpGemm::kK=16` says what they hold).
"""  # noqa: E501

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from tree_sitter import Node

from layoutalg.errors import SpecError
from layoutalg.formats.ck_cpp.convert import number
from layoutalg.formats.ck_cpp.defines import read_define
from layoutalg.formats.ck_cpp.inventory import UNCLAIMED, inventory, makes_something
from layoutalg.formats.ck_cpp.kinds import BUILDS
from layoutalg.formats.ck_cpp.nodes import called, of_part, returns, text
from layoutalg.formats.ck_cpp.scope import AskedDefines, CppFunction, Scope
from layoutalg.formats.ck_cpp.source import LARGEST_SOURCE, blocks, cleaned, parsed
from layoutalg.formats.ck_cpp.statements import StatementRunner
from layoutalg.formats.ck_cpp.values import Broken, Unreadable, Value
from layoutalg.formats.claims import USUAL, arguments
from layoutalg.formats.context import Context
from layoutalg.formats.model import AdaptorItem, DescriptorItem, DistributionItem, Item, SpecFile, StatedClaim, Unread
from layoutalg.formats.reading import DocumentError, reading
from layoutalg.formats.spec import read_text
from layoutalg.index import Expr, symbol
from layoutalg.layout import TensorAdaptor, TensorDescriptor, TileDistribution, TileDistributionEncoding

MOST_ITEMS = 2000
FARTHEST = 8
"""Lines above a declaration in which its comment is looked for."""
CLAIMS = re.compile(r"\s*//\s*claims:(.*)")
ABOVE = re.compile(r"\s*(?://|template\b|\[\[|CK_TILE_|__host__|__device__|static\b|constexpr\b)|\s*$")


def load(path: str | Path, defines: Mapping[str, str] | None = None) -> SpecFile:
    """The layouts of a C++, .rst or .md file; SpecError where it cannot be read at all.

    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "policy.hpp"
    >>> _ = path.write_text("auto tile() { return make_naive_tensor_descriptor_packed(make_tuple(64, 8)); }")
    >>> load(path).descriptor("tile").descriptor.lengths
    (64, 8)
    """
    return loads(read_text(path), str(path), defines)


def loads(source: str, file: str = "", defines: Mapping[str, str] | None = None) -> SpecFile:
    """The layouts of a text; `file` names it, and its ending says whether it is C++ or text with C++ blocks.

    `defines`: name → integer, list (`[2,2,1]`), type name, or `{ min = 1, multiple_of = 8 }` for a symbol of that name.

    >>> source = "auto tile() { return make_naive_tensor_descriptor_packed(make_tuple(kM, 8)); }"
    >>> loads(source, defines={"kM": "64"}).descriptor("tile").descriptor.lengths
    (64, 8)
    """
    if len(source) > LARGEST_SOURCE:
        raise SpecError(f"is larger than {LARGEST_SOURCE >> 20} MiB of C++", file)
    symbols: dict[str, Expr] = {}
    values = AskedDefines({name: _define(name, given, symbols) for name, given in (defines or {}).items()})
    reader = Reader(
        values, "ck" if _is_ck(source) else "ck_tile", scope=Scope(None, values), file=file, lines=source.split("\n"),
        claimed=Context({}, lambda path: None, symbols),
    )  # fmt: skip
    with reading(file):
        for block in blocks(source, file):
            reader.read(block.text, block.line)
    words = set(re.findall(r"\w+", source))
    mentioned = {name: name.rsplit("::", 1)[-1] in words for name in values}
    claimed = {name for name in symbols if mentioned[name]}  # a claim in a comment may speak of a symbol
    unasked = {name: mentioned[name] for name in values if name not in values.names | claimed}
    return SpecFile(file, symbols, tuple(reader.items), unread=tuple(reader.unread),
                    unchecked=tuple(reader.unchecked), unasked=unasked)  # fmt: skip


def value_of(source: str, function: str, arguments: Sequence[Expr]) -> Expr:
    """What a function of a text returns, as C++ computes it; SpecError where that is not read.

    >>> from layoutalg.index import var
    >>> value_of("constexpr int f(int i) { return i / 4 * 8 + i % 4; }", "f", [var("i", 64)])
    i // 4 * 8 + i % 4
    """
    defines = AskedDefines({})
    reader = Reader(defines, "ck_tile", scope=Scope(None, defines), lines=source.split("\n"))
    try:
        with reading(""):
            reader.read(source, 1)
            return number(reader.called(reader.functions[function][0], tuple(arguments)))
    except (KeyError, Unreadable) as error:
        raise SpecError(f"{function} is not read: {error}") from error


def _is_ck(source: str) -> bool:
    """Whether the text is old CK's: its own spellings, and nothing of CK Tile's."""
    return "ck_tile" not in source and re.search(r"\b(?:Sequence|Number)\s*<", source) is not None


def _define(name: str, given: str, symbols: dict[str, Expr]) -> Value:
    try:
        if given.lstrip().startswith("{"):
            limits = tomllib.loads(f"limits = {given}")["limits"]
            if not isinstance(limits, dict):
                raise ValueError("a symbol is written { min = 1, max = 64, multiple_of = 8 }")
            symbols[name] = symbol(_symbol_name(name, symbols), **limits)
            return symbols[name]
        return read_define(given)
    except (ValueError, TypeError) as error:
        raise SpecError(f"-D {name}={given}: {error}") from error


def _symbol_name(path: str, symbols: Mapping[str, Expr]) -> str:
    """The end of a path, or as much of it as no other symbol has: A::kM and B::kM are two."""
    taken = {made.value.name for made in symbols.values()}
    parts = path.split("::")
    names = ["_".join(parts[n:]) for n in reversed(range(len(parts)))]
    return next(name for name in (*names, *(f"{names[-1]}_{n}" for n in range(len(taken) + 1))) if name not in taken)


@dataclass
class Reader(StatementRunner):
    """Collects the layouts of the blocks of one file, which share their names."""

    scope: Scope = field(default_factory=lambda: Scope(None, {}))
    items: list[Item] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    unchecked: list[Unread] = field(default_factory=list)
    named: dict[str, int] = field(default_factory=dict)
    whole: dict[int, Unread] = field(default_factory=dict)
    """Of each body that stopped the reading, what was said."""
    came: dict[int, str] = field(default_factory=dict)
    """What came of each body that was read: an item, a part that is not read, or else why there is neither."""
    collecting: bool = True
    prefix: str = ""
    file: str = ""
    lines: list[str] = field(default_factory=list)
    claimed: Context = field(default_factory=lambda: Context({}, lambda path: None))

    def read(self, block: str, line: int) -> None:
        """One block: its own names first, then each of its functions."""
        self.first_line, self.line, self.collecting, self.prefix = line, line, True, ""
        known = {id(f) for listed in self.functions.values() for f in listed}
        items, unread = len(self.items), len(self.unread)
        try:
            root = parsed(cleaned(block))
        except Unreadable as error:
            if makes_something(block):
                self.unread.append(Unread("the block", line + (error.line or 1) - 1, error.reason))
            return
        try:
            self.macros.begin(root)
            self.level(root, self.scope)
        except RecursionError:
            self.left_out("the block", Unreadable("it is nested too deep"), block)
        fresh = [f for listed in self.functions.values() for f in listed if id(f) not in known]
        for name, scope, node in self.members:
            self.line = self.first_line + node.start_point[0]
            self.noted(name, self.attempt(partial(scope.own, name)), node, self.line)
        self.members.clear()
        for function in fresh:
            self.set_by(function)
        for function in sorted(fresh, key=lambda f: f.line):
            self.tried(function)
        for body in self.completed & self.whole.keys():
            part = self.whole.pop(body)
            self.unread = [other for other in self.unread if other is not part]
            self.came[body] = "is read where it is called, and not checked by itself"
        listed: dict[str, int | None] = {item.name: item.line for item in self.items[items:]}
        self.passed_by(root, listed | {part.name: part.line for part in self.unread[unread:]})

    def tried(self, function: CppFunction) -> None:
        """Calls a function for what it returns, or, where it returns nothing, for what it declares."""
        body = text(function.body)
        before = len(self.items), len(self.unread)
        self.collecting = not returns(function.body)
        self.prefix = f"{function.name}." if self.collecting else ""
        self.line, self.depth = function.line, 0
        try:
            returned = self.body(function, self.frame(function))
        except Unreadable as error:
            self.left_out(function.name, error, body)
            if len(self.unread) > before[1]:
                self.whole[function.body.id] = self.unread[-1]
            else:
                self.came[function.body.id] = f"not read: {error.reason}"
        except RecursionError:
            self.left_out(function.name, Unreadable("it is nested too deep"), body)
        else:
            if returned is not None:
                self.add(function.name, returned.value, function.line)
        if (len(self.items), len(self.unread)) != before:
            self.came[function.body.id] = ""
        why = "they stay inside it" if self.collecting else "what it returns is no layout"
        self.came.setdefault(function.body.id, why)

    def passed_by(self, root: Node, listed: Mapping[str, int | None]) -> None:
        """Lists what the block makes and no claim speaks of; what was not even reached is not read."""
        for place in inventory(root, self.first_line):
            body = place.node.child_by_field_name("body") if place.node.type == "function_definition" else None
            lines = range(place.first, place.last + 1)
            here = place.name in listed or any(line in lines for line in listed.values() if line is not None)
            came = self.came.get(body.id) if body is not None else "" if here else None
            aside = self.aside(place.node)
            if aside is not None and not came:
                came = f"stands under {called(aside)!r}, which is open or not compiled"
            if came is None:
                self.unread.append(
                    Unread(place.name, place.first, f"{place.described()}: the reading does not reach it")
                )
            elif came:
                self.unchecked.append(Unread(place.name, place.first, f"{place.described()}: {came}"))
            elif left := place.described(UNCLAIMED):
                self.unchecked.append(Unread(place.name, place.first, f"{left}: nothing is claimed of them"))

    def told_default(self, name: str, node: Node) -> None:
        """A macro whose default is read, unless it only guards an include."""
        first = next(child for child in of_part(node) if child.type != "comment")
        if first.child_by_field_name("value") is not None:
            reason = f"is read as the default that stands here; -D {name}=… gives another"
            self.unchecked.append(Unread(name, self.first_line + node.start_point[0], reason))

    def left_out(self, name: str, error: Unreadable, source: str) -> None:
        """Notes what was not read, if it builds a layout."""
        if BUILDS.search(source) and len(self.unread) < MOST_ITEMS:
            self.unread.append(Unread(name, error.line or self.line, error.reason, error.refused))

    def noted(self, name: str, value: Value, node: Node, line: int) -> None:
        if not self.collecting or self.depth > (1 if self.prefix else 0):
            return
        if isinstance(value, Broken):
            self.left_out(f"{self.prefix}{name}", value.error, text(node))
        else:
            self.add(f"{self.prefix}{name}", value, line)

    def add(self, name: str, value: Value, line: int) -> None:
        """An item for a layout; nothing for any other value."""
        if isinstance(value, TileDistributionEncoding):
            value = TileDistribution(value)
        for kind, (of, make) in ITEMS.items():
            if isinstance(value, of) and len(self.items) < MOST_ITEMS:
                count = self.named[name] = self.named.get(name, 0) + 1
                unique = name if count == 1 else f"{name}_{count}"
                stated = self.stated(kind, line)
                claims = stated or tuple(StatedClaim(claim) for claim in USUAL[kind])
                about = {"name": unique, "line": line, "claims": claims, "stated": stated is not None}
                self.items.append(make(value, about))

    def stated(self, kind: str, line: int) -> tuple[StatedClaim, ...] | None:
        """The claims of a comment above a line: `// claims: in_bounds, contiguous(8)`; None where there is none."""
        for n in range(line - 1, max(line - 1 - FARTHEST, 0), -1):
            match = CLAIMS.match(self.lines[n - 1])
            if match:
                try:
                    return tuple(self.claimed.claim((), text, kind) for text in arguments(match[1]))
                except DocumentError as problem:
                    raise SpecError(problem.reason, self.file, n, None, "claims") from problem
            if not ABOVE.match(self.lines[n - 1]):
                break
        return None


ITEMS: Mapping[str, tuple[type, Callable[[Any, dict[str, Any]], Item]]] = {
    "descriptor": (TensorDescriptor, lambda value, about: DescriptorItem(descriptor=value, **about)),
    "adaptor": (TensorAdaptor, lambda value, about: AdaptorItem(adaptor=value, **about)),
    "distribution": (TileDistribution, lambda value, about: DistributionItem(distribution=value, **about)),
}
"""The item of each kind of layout."""
