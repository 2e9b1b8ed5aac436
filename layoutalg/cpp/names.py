"""The names that a header is compiled with: CK's transforms and types of our tables, and what `-D` says of open ones.

Of `Problem::BlockGemmShape::kM`, `Problem` and `BlockGemmShape` are open: a class of which only members are known that
`-D` gives, by the longest end of the path that is named.  A member that it does not give is not there, so that the
compiler names it wherever it is used: nothing is decided by what is open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from layoutalg.cpp.given import Define, size_of
from layoutalg.cpp.records import CLASSES, has_flag
from layoutalg.index import Expr
from layoutalg.layout import ck
from layoutalg.target.dtypes import DTYPES

STUB = "layoutalg/ck_stub.h"
_BUILT_IN = frozenset({
    "float", "double", "_Float16", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t",
    "uint64_t",
})  # fmt: skip
_OURS = frozenset({"index_t", "long_index_t", "int", "char", "bool", "short", "unsigned", "size_t"})
_MEMBER = re.compile(r"::\s*(?:template\s+)?([A-Za-z_]\w*)(?=(\s*::)?)")
_OPENS = re.compile(r"\busing\s+(\w+)\s*=([^;]*)::\s*(\w+)\s*>*\s*;")


@cache
def tables() -> str:
    """CK's transforms and element types, as declarations on one line."""
    names = sorted({name for one in ck.TRANSFORMS_OF.values() for name in one} - {"make_functor_transform"})
    made = [
        f'template <class... T> constexpr auto {name}(const T&... t) {{ return transform<"{name}", T...>{{t...}}; }}'
        for name in names
    ]
    made += [_class(name, len(kind.parameters()), has_flag(name, kind)) for name, kind in CLASSES.items()]
    return f"namespace ck_tile {{ {' '.join((*made, *_types()))} }}"


def _class(name: str, count: int, flag: bool) -> str:
    """A class of CK's own for a transform: `template <class T> struct UnMerge`."""
    types, flagged = [f"T{n}" for n in range(count)], ["constant<F>"] * flag
    head = ", ".join((*(f"class {t} = void" for t in types), *(["bool F = false"] * flag)))
    base = f"transform<{', '.join((chr(34) + name + chr(34), *types, *flagged))}>"
    given = ", ".join(f"const {t}& t{n}" for n, t in enumerate(types))
    passed = ", ".join((*(f"t{n}" for n in range(count)), *("constant<F>{}" for _ in flagged)))
    return (
        f"template <{head}> struct {name} : {base} {{ constexpr {name}() = default; "
        f"constexpr {name}({given}) : {base}({passed}) {{}} }};"
    )


def _types() -> Iterator[str]:
    """CK's element types, one struct of its size each, and how many elements each holds."""
    packed = {name: count for d in DTYPES.values() for name, count in d.packed.items()}
    for d in DTYPES.values():
        names = {name: size for name, size in d.stored.items() if name.isidentifier() and name not in _OURS}
        own = next((name for name in names if name in _BUILT_IN), d.ck[0] if d.ck else "")
        for name, size in names.items():
            if name not in _BUILT_IN:
                struct = name == own or name in packed
                yield f"struct {name} {{ char bytes[{size}]; }};" if struct else ""
        yield from (f"using {name} = {own};" for name in names if name not in (own, *packed, *_BUILT_IN))
        for name in (n for n in names if n == own or n in packed):
            held = packed.get(name, 1)
            yield f"template <> struct numeric_traits<{name}> {{ static constexpr int PackedSize = {held}; }};"


def prefix(text: str, given: Mapping[str, Define], symbols: Sequence[Expr], opened: Sequence[str], old: bool) -> str:
    """What stands before a text (without comments), on one line: symbols, what is open, whose names it uses."""
    sizes = [
        f"inline constexpr layoutalg::Size layoutalg_size_{n} = {size_of(made, n)};" for n, made in enumerate(symbols)
    ]
    using = f"using namespace {'ck' if old else 'ck_tile'};"
    names = [f'using {name} = layoutalg::Open<"{name}">;' for name in opened if name not in given]
    values = [f"inline constexpr auto {name} = {given[name].value};" for name in opened if name in given]
    return " ".join((*sizes, using, "namespace layoutalg {", *_opened(text, given), "}", *names, *values))


def _opened(text: str, given: Mapping[str, Define]) -> Iterator[str]:
    """`layoutalg::Open`: the members that the text asks of other classes."""
    paths = list(given.values())
    listed = ", ".join(f'"{one.name}"' for one in paths) or "0"
    yield f"inline constexpr const char* given_paths[] = {{{listed}}};"
    yield (
        "template <class T> constexpr int given_at(const T& path) { int found = -1; unsigned longest = 0; "
        f"for (int n = 0; n < {len(paths)}; ++n) {{ unsigned length = 0; while (given_paths[n][length]) ++length; "
        "if (ends_with(path.text, given_paths[n]) && length > longest) { found = n; longest = length; } } "
        "return found; }"
    )
    scopes, types, words = members(text)
    for n, one in enumerate(paths):
        if one.last in types and one.type:
            yield f"template <class Late> struct GivenType<{n}, Late> {{ using type = {one.type}; }};"
        elif one.last in words and one.last not in types:
            held = f"static constexpr auto value = {one.value};"
            yield f"template <class Late> struct GivenValue<{n}, Late> {{ {held} }};"
    path, late, number = "layoutalg_path", "layoutalg_late", "layoutalg_n"  # which no member's name hides
    for word in words:
        found = (
            f"using {word} = typename GivenType<{number}, {late}>::type;" if word in types
            else f"static constexpr auto {word} = GivenValue<{number}, {late}>::value;"
        )  # fmt: skip
        open_ = f'using {word} = Open<joined<{path}, "{word}">()>;' if word in scopes else ""
        head = f"template <Name {path}, class {late}, int {number}"
        yield f'{head} = given_at(joined<{path}, "{word}">())> struct Member_{word} {{ {open_} }};'
        yield f"{head}> requires({number} >= 0) struct Member_{word}<{path}, {late}, {number}> {{ {found} }};"
    bases = ", ".join(f"Member_{word}<{path}, {late}>" for word in words)
    yield f"template <Name {path}, class {late}> struct OpenOf {f': {bases}' if bases else ''} {{}};"
    yield "template <Name path> struct Open : OpenOf<path, void> {};"


def stays_open(name: str, text: str, own: frozenset[str] = frozenset()) -> bool:
    """Whether all that a text without comments does with a type is to ask for its members.

    >>> stays_open("P", "template <typename P> f() { return P::k + g<P>(); }", frozenset({"g"}))
    True
    >>> stays_open("P", "template <typename P> f() { return sizeof(P); }")
    False
    """
    for one in re.finditer(rf"\b{name}\b(?P<scope>\s*::)?(?P<names>[\s&*]*(?:const\s+)?\w*\s*[,)])?", text):
        before = text[: one.start()].rstrip()
        if one["names"] and re.search(r"[(,]\s*(?:const)?$", before) and not re.search(r"\bsizeof\s*\($", before):
            continue
        if one["scope"] or re.search(
            r"\b(?:typename|class|struct|auto|index_t|int|bool)(?:\s*\.\.\.)?$|using$", before
        ):
            continue
        around = _template_around(before)
        if around not in own and not around.startswith("remove_c"):
            return False
    return bool(name)


def _only_asked(word: str, text: str) -> bool:
    """Whether a member type is only asked for members of its own, named anew, or handed on to the text's functions."""
    ends = re.finditer(rf"::\s*{word}\b(?!\s*::)", text)
    kept = (
        re.search(r"(?:\busing\s+\w+\s*=|[\w:]+\s*<)\s*(?:typename\s+)?[\w:\s<]*$", text[: one.start()]) for one in ends
    )
    return all(one is not None and not re.search(r"\b(?:is_\w+|sizeof|numeric_traits)\b", one[0]) for one in kept)


def _template_around(before: str) -> str:
    """The name of the template among whose arguments a text ends; empty where it is none."""
    depth = 0
    for at in range(len(before) - 1, -1, -1):
        letter = before[at]
        if letter in ";{}()":
            return ""
        depth += (letter == ">") - (letter == "<")
        if depth < 0:
            found = re.search(r"(\w+)\s*$", before[:at])
            return found[1] if found else ""
    return ""


def members(text: str) -> tuple[set[str], set[str], list[str]]:
    """The words that stand after `::`: those that are scopes, those that are types, and all.

    >>> scopes, types, words = members("P::Shape::kM + sizeof(typename P::T)")
    >>> sorted(scopes), sorted(types), words
    (['Shape'], ['Shape', 'T'], ['Shape', 'T', 'kM'])
    """
    scopes = {one[1] for one in _MEMBER.finditer(text) if one[2]}
    words = {one[1] for one in _MEMBER.finditer(text)}
    types = scopes | {
        word
        for word in words
        if re.search(rf"\btypename\s[^;(){{}}]*?::\s*{word}\b|\busing\s+\w+\s*=[^;]*::\s*{word}\s*>*\s*;", text)
    }
    for alias, _, word in _OPENS.findall(text):
        uses = re.findall(rf"(?<!::)\b{alias}\b(\s*::)?", text)
        if len(uses) > 1 and sum(not use for use in uses) <= text.count(f"using {alias} "):
            scopes.add(word)
    scopes = {word for word in scopes if _only_asked(word, text)}
    return scopes, types, sorted(words)
