"""`#if` and `#ifdef` that neither the file nor `-D` decides: the text once for each branch.

A macro is what the file or `-D` says: `-D FAST=1`, or `-D FAST=undefined`.  Of one that neither speaks of, the
compiler, its target, a flag or another header decides: each of its branches is read, and what does not come out the
same whichever is taken is not read, and the macro is asked for.  `-D __gfx942__=1` says of every `__gfx…__` whether it
is defined.

`#ifndef X` right before `#define X` guards an include or gives a default: it is read as not defined before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise, product

from layoutalg.cpp.given import UNDEFINED, Define
from layoutalg.formats.model import Unread
from layoutalg.records import dataclass

MOST = 8
"""Variants that are read; of more, none."""
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(?P<word>\w+)(?P<rest>(?:\\\n|[^\n])*)", re.MULTILINE)
_OPENS = ("if", "ifdef", "ifndef")
_BRANCHES = ("elif", "elifdef", "elifndef", "else")
_TARGET = re.compile(r"__gfx[0-9a-f]+__|__HIP_DEVICE_COMPILE__|__AMDGCN__|__HIP__")
_FAMILY = re.compile(r"__gfx([0-9a-f]+)__")
_PROCESSOR = re.compile(r"__gfx(9[0-9][0-9a-f]|1[0-9]{3})__")
"""clang defines one `__gfx<number>__` for the processor that it compiles for (clang, AMDGPU target macros); CK's
`include/ck_tile/core/config.hpp` defines those of families (`__gfx9__`, `__gfx94__`, `__gfx103__`) by it."""


@dataclass(frozen=True)
class Variant:
    """A text whose conditions are all decided, and those that were open."""

    text: str
    open: tuple[Unread, ...]
    macros: str = ""
    """The directives that come before it: what `-D` says of macros."""


@dataclass
class _Chain:
    """An `#if` with its branches that nothing decides: the directives' places, and whether one is an `#else`."""

    places: list[tuple[int, int]]
    told: Unread
    has_else: bool = False


def variants(text: str, plain: str, given: Mapping[str, Define]) -> Iterator[Variant]:
    """The text for each way of taking its open branches; `plain` is it without comments."""
    macros, chains = _decided(plain, given)
    told = tuple(chain.told for chain in chains)
    ways = [len(chain.places) + (not chain.has_else) for chain in chains]
    total = 1
    for count in ways:
        total *= count
    if total > MOST:
        yield Variant(re.sub(r"[^\n]", " ", text), told, macros)
        yield Variant(text, told, macros)
        return
    for taken in product(*(range(count) for count in ways)):
        edits = dict[tuple[int, int], str]()
        for chain, way in zip(chains, taken, strict=True):
            for n, place in enumerate(chain.places):
                last = chain.has_else and n == len(chain.places) - 1
                word = "#else" if last else f"{'#if' if n == 0 else '#elif'} {int(n == way)}"
                edits[place] = word
        made = text
        for (begin, end), word in sorted(edits.items(), reverse=True):
            made = made[:begin] + word + re.sub(r"[^\n]", "", made[begin:end]) + made[end:]
        yield Variant(made, told, macros)


def _decided(plain: str, given: Mapping[str, Define]) -> tuple[str, list[_Chain]]:
    """What is known of a text's macros, as directives, and its open chains."""
    macros = {name: one.value for name, one in given.items()}
    targets = [one[1] for name in macros if (one := _PROCESSOR.fullmatch(name)) and macros[name] != UNDEFINED]
    known, head = set(macros), dict[str, str]()
    stack, chains = list[_Chain | None](), list[_Chain]()
    directives = list(_DIRECTIVE.finditer(plain))
    used = {w for d in directives if d["word"] in (*_OPENS, *_BRANCHES) for w in re.findall(r"[A-Za-z_]\w*", d["rest"])}
    for name in used:
        if name in macros:
            head[name] = macros[name]
        elif _FAMILY.fullmatch(name) and any(_PROCESSOR.fullmatch(one) for one in macros):
            known.add(name)
            number = _FAMILY.fullmatch(name)
            if number is not None and any(one.startswith(number[1]) for one in targets):
                head[name] = "1"
            else:
                head[name] = UNDEFINED
        elif targets and name in ("__HIP_DEVICE_COMPILE__", "__AMDGCN__", "__HIP__"):
            known.add(name)
            head[name] = "1"
    for n, one in enumerate(directives):
        word, rest = one["word"], one["rest"]
        if word in ("define", "undef"):
            known.update(re.findall(r"[A-Za-z_]\w*", rest)[:1])
        elif word in _OPENS:
            names = [w for w in re.findall(r"[A-Za-z_]\w*", rest) if w not in ("defined", "true", "false")]
            following = directives[n + 1] if n + 1 < len(directives) else None
            if word == "ifndef" and following is not None and following["word"] == "define" and names \
                    and following["rest"].split()[:1] == names[:1] and names[0] not in given:  # fmt: skip
                known.add(names[0])
                head.setdefault(names[0], UNDEFINED)
            unknown = [w for w in names if w not in known]
            chain = None
            if unknown:
                line = plain.count("\n", 0, one.start()) + 1
                chain = _Chain([one.span()], Unread(" ".join(one[0].split()), line, _asks(unknown[0], word, rest)))
                chains.append(chain)
            stack.append(chain)
        elif word in _BRANCHES and stack:
            above = stack[-1]
            if above is not None:
                above.places.append(one.span())
                above.has_else = above.has_else or word == "else"
        elif word == "endif" and stack:
            stack.pop()
    said = (
        f"#undef {name}\n" + ("" if value == UNDEFINED else f"#define {name} {value}\n") for name, value in head.items()
    )
    return "".join(said), chains


def defaults(plain: str, given: Mapping[str, Define]) -> Iterator[Unread]:
    """The macros of which a text gives a value where nothing else does."""
    directives = list(_DIRECTIVE.finditer(plain))
    for one, following in pairwise(directives):
        name, *value = following["rest"].split()[:2] or ("",)
        if one["word"] == "ifndef" and following["word"] == "define" and [name] == one["rest"].split() and value \
                and name not in given:  # fmt: skip
            line = plain.count("\n", 0, one.start()) + 1
            yield Unread(name, line, f"is read as the default that stands here; -D {name}=… gives another")


def conditional(plain: str) -> dict[int, str]:
    """The lines of a text that stand under a condition, each with the innermost; a guard of an include is none."""
    found, stack = dict[int, str](), list[tuple[int, str]]()
    directives = list(_DIRECTIVE.finditer(plain))
    for n, one in enumerate(directives):
        if one["word"] in _OPENS:
            following = directives[n + 1] if n + 1 < len(directives) else None
            guards = one["word"] == "ifndef" and following is not None and following["word"] == "define"
            line = plain.count("\n", 0, one.start()) + 1
            stack.append((line, "" if guards else " ".join(one[0].split())))
        elif one["word"] == "endif" and stack:
            first, said = stack.pop()
            for line in range(first, plain.count("\n", 0, one.start()) + 2) if said else ():
                found.setdefault(line, said)
    return found


def _asks(name: str, word: str, rest: str) -> str:
    if word == "if" and not re.search(rf"defined\s*\(?\s*{name}", rest):
        return f"the macro {name} is not known here; give -D {name}=1"
    return (
        f"whether {name} is defined is up to the compiler, its target or another header; give -D {name}=1, "
        f"or -D {name}={UNDEFINED}"
    )
