"""Reading CK and CK Tile C++ without CK: which descriptors, adaptors and distributions a file builds, by the compiler.

    >>> file = loads('''
    ... template <typename Problem>
    ... constexpr auto MakeALdsBlockDescriptor()
    ... {
    ...     constexpr index_t M = Problem::kM;
    ...     return make_naive_tensor_descriptor(make_tuple(number<M>{}, number<64>{}), make_tuple(number<72>{}, number<1>{}));
    ... }
    ... ''', "policy.hpp", {"kM": "128"})
    >>> file.descriptor("MakeALdsBlockDescriptor").descriptor.lengths
    (128, 64)

Every function is called once, its parameters filled in by `-D`; what it returns is named after it.  Variables at file
level, in documentation blocks and in functions that return nothing are named after themselves.  What builds a layout
and cannot be read is listed with its line and one reason.  A comment above says what is claimed, where that is not the
usual: `// claims: in_bounds` for windows that overlap.

| step                                                         | by                              |
|--------------------------------------------------------------|---------------------------------|
| a branch that nothing here decides is taken each way          | `conditionals`                  |
| what the text declares; what does not compile goes out of it | `declared`, `settled`           |
| each function and variable as a constant                     | `layoutalg.device.constants`    |
| what was recorded as a layout                                | `records`                       |
| what makes a layout and came to nothing is named             | `inventory`                     |

What it cannot read: classes of other files (`-D WarpGemm::kK=16` says what they hold).
"""  # noqa: E501

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from layoutalg.cpp.calls import Call, calls
from layoutalg.cpp.conditionals import Variant, conditional, defaults, variants
from layoutalg.cpp.given import Define, read_given, size_of
from layoutalg.cpp.inventory import BUILDS, KINDS, UNCLAIMED, Place, inventory
from layoutalg.cpp.names import STUB, tables
from layoutalg.cpp.records import Records
from layoutalg.cpp.remainders import as_sizes, remainders
from layoutalg.cpp.settled import TARGET, Settled, told
from layoutalg.cpp.source import LARGEST_SOURCE, balanced, bare, blocks, cleaned, joined
from layoutalg.device.constants import constants
from layoutalg.errors import CompileError, LayoutError, NoCompilerError, SpecError
from layoutalg.formats.claims import USUAL, arguments
from layoutalg.formats.context import Context
from layoutalg.formats.cpp import CppError, CppUnit, CppUnitError
from layoutalg.formats.model import AdaptorItem, DescriptorItem, DistributionItem, Item, SpecFile, StatedClaim, Unread
from layoutalg.formats.reading import DocumentError, reading
from layoutalg.formats.spec import read_text
from layoutalg.index import Expr
from layoutalg.layout import TensorAdaptor, TensorDescriptor, TileDistribution, TileDistributionEncoding
from layoutalg.records import dataclass

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
    given, symbols = read_given(defines or {})
    with reading(file):
        reader = Reader(source, file, given, symbols)
        return reader.read()


def value_of(source: str, function: str, arguments: Sequence[Expr]) -> Expr:
    """What a function of `long long` returns of variables, as C++ computes it; SpecError where that is not read.

    >>> from layoutalg.index import var
    >>> value_of("constexpr long long f(long long i) { return i / 4 * 8 + i % 4; }", "f", [var("i", 64)])
    i // 4 * 8 + i % 4
    """
    given = ", ".join(size_of(one, n, "asked") for n, one in enumerate(arguments))
    text = source.replace("long long", "layoutalg::Size")
    asked = f"layoutalg::cases([](layoutalg::Decisions* asked) {{ return layoutalg::Size({function}({given})); }})"
    try:
        found = constants(CppUnit(TARGET, (STUB,), (), text), {"value": asked})["value"]
    except CppUnitError as problem:
        raise SpecError(f"{function} is not read: {problem.error.reason}") from problem
    if isinstance(found, CppError):
        raise SpecError(f"{function} is not read: {found.reason}")
    made = Records(arguments).value(found)
    assert isinstance(made, Expr)
    return made


@dataclass
class Reader:
    """Reads one file."""

    source: str
    file: str
    given: Mapping[str, Define]
    symbols: Mapping[str, Expr]
    unread: list[Unread] = field(default_factory=list)
    unchecked: list[Unread] = field(default_factory=list)

    def read(self) -> SpecFile:
        """The file; of a branch that nothing decides, what comes out whichever is taken."""
        text = self._text()
        found = list(variants(text, bare(text), self.given))
        read = [self._variant(one) for one in found]
        first = read[0]
        items, unread, unchecked = first.items, first.unread, first.unchecked
        for variant, other in zip(found[1:], read[1:], strict=True):
            same = {(one.name, one.line): one for one in other.items}
            items = tuple(one for one in items if same.get((one.name, one.line)) == one)
            lost = [one for one in (*first.items, *other.items) if one not in items]
            if lost or other.unread != first.unread:
                unread = (*unread, *(one for one in variant.open if one not in unread))
        unchecked = (*unchecked, *defaults(bare(text), self.given))
        for one in first.items:
            if one not in items and one.line is not None:
                unchecked = (
                    *unchecked,
                    Unread(one.name, one.line, "stands under what is open or not compiled, or depends on it"),
                )
        words = set(re.findall(r"\w+", self.source))
        return SpecFile(self.file, self.symbols, items, unread=_once((*self.unread, *unread)),
                        unchecked=_once((*self.unchecked, *unchecked)), unasked=self._unasked(text, words))  # fmt: skip

    def _text(self) -> str:
        """The C++ of the file, at its lines; a block whose brackets do not match is left out."""
        kept = []
        for block in blocks(self.source, self.file):
            text = cleaned(block.text)
            if balanced(bare(text)):
                kept.append(type(block)(text, block.line))
                continue
            makes = [n for n, line in enumerate(bare(text).split("\n")) if any(
                kind.fullmatch(word) for word in re.findall(r"\w+", line) for kind in KINDS.values())]  # fmt: skip
            self.unread += [Unread("the block", block.line + n, "its brackets do not match") for n in makes[:1]]
        if len(kept) == 1 and kept[0].line == 1:
            return kept[0].text
        return joined(kept, self.source.count("\n") + 1)

    def _variant(self, variant: Variant) -> SpecFile:
        if not BUILDS.search(bare(variant.text)) and not any(k.search(variant.text) for k in KINDS.values()):
            return SpecFile(self.file)
        settled = Settled(variant.text, self.given, list(self.symbols.values()), _is_ck(self.source), variant.macros)
        try:
            settled.settle()
            made = self._values(settled) if settled.whole else ({}, [_unsettled(settled)])
        except NoCompilerError:
            raise
        except (CompileError, RecursionError) as error:
            why = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
            made = {}, [Unread("the file", 1, why)]
        listed = self._listed(variant, settled, *made)
        return replace(listed, unchecked=(*listed.unchecked, *self._remainders(settled)))

    def _remainders(self, settled: Settled) -> Iterator[Unread]:
        """Divisions of what `-D` gives that drop a remainder; none where sizes do not go through the text."""
        given, symbols, known = as_sizes(self.given, self.symbols)
        if len(symbols) == len(self.symbols) or not settled.whole or "/" not in bare(settled.text):
            return
        try:
            again = replace(settled, given=given, symbols=list(symbols.values()))
            _, recorded = Reader(self.source, self.file, given, symbols)._recorded(again)
        except CompileError:
            return
        for call, data in recorded.items():
            yield from (Unread(call.name, call.line, words) for words in dict.fromkeys(remainders(data, known)))

    def _recorded(self, settled: Settled) -> tuple[list[Unread], dict[Call, Any]]:
        """The calls for which something is missing, and what the compiler records of each of the others."""
        asked, unread = list[Call](), list[Unread]()
        for call in calls(settled.declared, self.given, settled.text, settled.opened):
            if call.missing:
                if call.builds:
                    unread.append(Unread(call.name, call.line, call.missing))
            else:
                asked.append(call)
        header = "layoutalg/ck_stub_sizes.h" if self.symbols else STUB
        unit = CppUnit(TARGET, (header,), (), f"{tables()} {settled.before}{settled.text}")
        try:
            made = constants(unit, {str(n): call.expression for n, call in enumerate(asked)})
        except CppUnitError as problem:
            line = max(problem.error.line + 1 - settled.before.count("\n"), 1)
            return [*unread, Unread("the file", line, problem.error.reason)], {}
        return unread, {call: made[str(n)] for n, call in enumerate(asked)}

    def _values(self, settled: Settled) -> tuple[dict[Call, Any], list[Unread]]:
        """What each call makes, and those that could not be made."""
        unread, recorded = self._recorded(settled)
        values = dict[Call, Any]()
        lines = settled.before.count("\n")
        records = Records(list(self.symbols.values()), settled.old)
        for call, data in recorded.items():
            try:
                if isinstance(data, CppError):
                    values[call] = _failed(call, data, lines, settled.text)
                else:
                    values[call] = None if data is None else records.value(data)
            except (LayoutError, ValueError, TypeError) as error:
                values[call] = Unread(call.name, call.line, str(error), refused=True)
        return values, unread

    def _listed(
        self, variant: Variant, settled: Settled, values: Mapping[Call, Any], unread: Sequence[Unread]
    ) -> SpecFile:
        """The items, and every place that makes something and came to none."""
        items, named = list[Item](), dict[str, int]()
        left = [*unread]
        came = dict[int, str]()
        plain = bare(variant.text)
        for call, value in sorted(values.items(), key=lambda one: one[0].line):
            if isinstance(value, Unread):
                if call.builds:
                    left.append(value)
                came[call.line] = f"not read: {value.reason}"
            elif (item := self._item(call, value, named)) is not None:
                items.append(item)
            else:
                came.setdefault(call.line, "what it returns is no layout")
        read = [plain_of(settled, call) for call, value in values.items() if not isinstance(value, Unread)]
        for one in [one for one in left if any(re.search(rf"\b{re.escape(one.name)}\s*[(<]", text) for text in read)]:
            left.remove(one)
            came[one.line] = "is read where it is called, and not checked by itself"
        known = {(one.name, one.line) for one in left}
        places = inventory(plain, settled.original.found)
        for one in sorted(settled.broken, key=lambda one: "." not in one.name):
            place = next((p for p in places if p.first <= one.line <= p.last), None)
            first, last = (place.first, place.last) if place and "." not in one.name else (one.line, one.line)
            inside = range(first, last + 1)
            if not BUILDS.search(_lines_of(plain, first, last)) or any(item.line in inside for item in items):
                came.setdefault(first, f"not read: {one.reason}")
            elif (one.name, one.line) not in known:
                left.append(
                    Unread(one.name or (place.name if place else "the line"), one.line, one.reason, one.refused)
                )
        unchecked = list(self._passed(places, items, left, came))
        return SpecFile(self.file, {}, tuple(items), unread=_once(left), unchecked=tuple(unchecked))

    def _passed(
        self, places: Sequence[Place], items: Sequence[Item], unread: list[Unread], came: Mapping[int, str]
    ) -> Iterator[Unread]:
        """The places of which no claim speaks; what the reading does not reach is not read."""
        under = conditional(bare(self.source))
        for place in places:
            lines = range(place.first, place.last + 1)
            inside = [one for one in items if one.line in lines]
            if inside or any(one.line in lines for one in unread):
                if inside and (said := place.described(UNCLAIMED)):
                    yield Unread(place.name, place.first, f"{said}: nothing is claimed of them")
                continue
            why = next((came[line] for line in lines if line in came), None)
            if why is None and place.first in under:
                why = f"stands under {under[place.first]!r}, which is open or not compiled"
            if why is None:
                unread.append(Unread(place.name, place.first, f"{place.described()}: the reading does not reach it"))
            else:
                yield Unread(place.name, place.first, f"{place.described()}: {why}")

    def _item(self, call: Call, value: Any, named: dict[str, int]) -> Item | None:
        """An item for a layout; None for any other value."""
        if isinstance(value, TileDistributionEncoding):
            value = TileDistribution(value)
        for kind, (of, make) in ITEMS.items():
            if isinstance(value, of):
                count = named[call.name] = named.get(call.name, 0) + 1
                stated = self._stated(kind, call.line)
                claims = stated or tuple(StatedClaim(claim) for claim in USUAL[kind])
                name = call.name if count == 1 else f"{call.name}_{count}"
                return make(value, {"name": name, "line": call.line, "claims": claims, "stated": stated is not None})
        return None

    def _stated(self, kind: str, line: int) -> tuple[StatedClaim, ...] | None:
        """The claims of a comment above a line: `// claims: in_bounds, contiguous(8)`; None where there is none."""
        lines = self.source.split("\n")
        context = Context({}, lambda path: None, dict(self.symbols))
        for n in range(line - 1, max(line - 1 - FARTHEST, 0), -1):
            match = CLAIMS.match(lines[n - 1])
            if match:
                try:
                    return tuple(context.claim((), text, kind) for text in arguments(match[1]))
                except DocumentError as problem:
                    raise SpecError(problem.reason, self.file, n, None, "claims") from problem
            if not ABOVE.match(lines[n - 1]):
                break
        return None

    def _unasked(self, text: str, words: set[str]) -> dict[str, bool]:
        """The names of `-D` that nothing asks for: not in the text, or what the text itself says."""
        own = re.findall(r"\b(?:index_t|int|auto|bool)\s+(\w+)\s*=", bare(text))
        found = {name: one.last in words for name, one in self.given.items()}
        member = set(re.findall(r"::\s*(\w+)", bare(text)))
        return {name: said for name, said in found.items() if not said or (self.given[name].last in own
                and self.given[name].last not in member and name not in self.symbols)}  # fmt: skip


def plain_of(settled: Settled, call: Call) -> str:
    """The body of what was called."""
    return settled.text[call.body : call.end]


def _unsettled(settled: Settled) -> Unread:
    """What is said of a text of which no part compiles by itself."""
    last = settled.broken[-1] if settled.broken else Unread("the file", 1, "it does not compile")
    return Unread("the file", last.line, last.reason)


def _failed(call: Call, error: CppError, lines: int, text: str) -> Unread:
    """Why a call makes nothing, at the line of the text that the compiler names."""
    line = error.line + 1 - lines if error.part == "prelude" else call.line
    return Unread(call.name, max(line, 1) if line > 0 else call.line, told(error.reason, text), error.refused)


def _lines_of(text: str, first: int, last: int) -> str:
    return "\n".join(text.split("\n")[first - 1 : last])


def _once(found: Sequence[Unread]) -> tuple[Unread, ...]:
    """Each part once, by its line."""
    kept = dict[tuple[str, int], Unread]()
    for one in found:
        kept.setdefault((one.name, one.line), one)
    return tuple(sorted(kept.values(), key=lambda one: one.line))


def _is_ck(source: str) -> bool:
    """Whether the text is old CK's: its own spellings, and nothing of CK Tile's."""
    return "ck_tile" not in source and re.search(r"\b(?:Sequence|Number)\s*<", source) is not None


ITEMS: Mapping[str, tuple[type, Callable[[Any, dict[str, Any]], Item]]] = {
    "descriptor": (TensorDescriptor, lambda value, about: DescriptorItem(descriptor=value, **about)),
    "adaptor": (TensorAdaptor, lambda value, about: AdaptorItem(adaptor=value, **about)),
    "distribution": (TileDistribution, lambda value, about: DistributionItem(distribution=value, **about)),
}
"""The item of each kind of layout."""
