"""What names stand for at a place of a host's source, by C's scopes, where nothing changes them.

| a name is | and stands for |
|---|---|
| defined by one `#define` | that text, put in its place as it is (C's preprocessor knows no brackets) |
| a variable of a whole type or `dim3`, initialised | its initialiser, with the names of that place |
| … `const`, `constexpr`, or of a function and never changed | the same, later too |
| of any other type, a parameter, a member of an object, without a value, under `#if` | nothing that is known |

A change is an assignment, `++`, an address or a reference that is taken, a function that is not known to take it by
value, and a macro that has one of these.  What it cannot represent: types; names that headers or other files define.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from layoutalg.cpp.source import bare, blank
from layoutalg.errors import LaunchError
from layoutalg.judge.source import DIRECTIVE, split
from layoutalg.records import dataclass

_WHOLE = r"unsigned\s+int|unsigned\s+long|long\s+long|unsigned|int|long|size_t|auto|u?int(?:32|64)_t|dim3"

TYPE = rf"(?:std\s*::\s*)?(?:{_WHOLE})"
"""Types that hold what launches are of as it is: sizes from 0 to 2³¹."""

_SAID = r"((?:\b(?:static|const|constexpr|inline|thread_local|extern|volatile)\s+)*)\b(" + TYPE + r")\s+(const\s+)?"
_VALUE = r"\s*(?:=(?!=)([^;]*)|\(([^;]*)\)|\{([^;]*)\})\s*;"
_MACRO = re.compile(r"[ \t]*#[ \t]*define[ \t]+(\w+)(?:[ \t]+(\S[^\n]*))?\Z")
_MACRO_TEXT = re.compile(r"[ \t]*#[ \t]*define[ \t]+(\w+)(\([^()]*\))?(.*)", re.DOTALL)
_CLASS = re.compile(r"\b(?:struct|class|union)\b[^;{}()]*\Z")
_NO_TYPES = frozenset({"return", "else", "case", "goto", "throw", "new", "delete", "sizeof", "and", "or", "not", "do"})
_ASSIGNED = re.compile(r"\s*(?:\.\s*\w+|\[[^\]]*\])*\s*(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)|\s*\.\s*\w+_\s*\(")
_POINTED = re.compile(r"(?:\+\+|--|>>|(?:[(,=\[{]|\breturn)\s*&|&\s*\w+\s*[={(])\s*\Z")
_BY_VALUE = re.compile(
    r"(?:>>>|_cast\s*<[^<>]*>|\b(?:if|while|for|switch|return|sizeof|dim3|min|max|printf|hipLaunchKernelGGL|[A-Z][A-Z\d_]*)"
    r"|\b(?:torch|at|c10)\s*::\s*\w+|\.\s*(?:size|stride|view|reshape|select|narrow|slice|sum)|\b"
    + TYPE
    + r"\s+\w+)\s*\Z"
)
_MEMBERS = re.compile(r"(?:\s*\.\s*[xyz]\b)+")
_ALTERS = re.compile(r"(?<![=!<>])=(?!=)|<<=|>>|\+\+|--|(?:^|[(,=\[{;])\s*&(?!&)")
"""What a macro's text has that may change what it speaks of."""
_WORDS = re.compile(rf"{_WHOLE}|if|else|for|while|do|switch|return|const|sizeof|min|max|std|__global__|hip\w+|cuda\w+")
"""What a source is read by: one that defines such a word anew is not."""
_TYPES = re.compile(r"\busing\s+(\w+)\s*=|\btypedef\b[^;{}]*\b(\w+)\s*;|\b(?:struct|class|union|enum)\s+(\w+)\s*[:{;]")
_BLOCK = re.compile(r"(?:[;{})]|\b(?:else|do|try|const|noexcept|override|mutable)|\bnamespace\b[\w\s:]*|"
                    r"\b(?:struct|class|enum|union)\b[^;{}()]*|extern\s*\"?\s*C?\s*\"?|->[\s\w:<>]*)\s*\Z")  # fmt: skip


@dataclass(frozen=True)
class HostVariable:
    """A declaration, where it is seen; `text`: what it is initialised with, None where that is not known."""

    at: int
    end: int
    text: str | None = None
    fixed: bool = False  # const, or constexpr
    once: bool = False  # static: its initialiser is carried out but once


@dataclass(frozen=True)
class _MacroText:
    """A macro with its parameters."""

    name: str
    parameters: tuple[str, ...]
    text: str

    def alters(self, name: str = "") -> bool:
        """Whether its text may change something; of a name, whether it speaks of that one."""
        spoken = not name or (name not in self.parameters and re.search(rf"\b{name}\b", self.text) is not None)
        return spoken and _ALTERS.search(self.text) is not None


class HostNames:
    """The names of a source."""

    def __init__(self, text: str) -> None:
        self._without = without = bare(text)
        self.macros: dict[str, list[tuple[int, str]]] = {}
        self.conditional: list[tuple[int, int]] = []  # from #if to #endif
        self.defining: list[tuple[int, int]] = []  # macros' texts
        self._directives(without)
        self.plain = DIRECTIVE.sub(lambda found: blank(found[0]), without)
        self._known: dict[str, tuple[HostVariable, ...]] = {}

    def _directives(self, text: str) -> None:
        opened: list[int] = []
        for one in DIRECTIVE.finditer(text):
            word = one[0].strip().lstrip("#").split(None, 1)[0] if one[0].strip() != "#" else ""
            if word.startswith("if"):
                opened.append(one.start())
            elif word == "endif" and opened:
                self.conditional.append((opened.pop(), one.end()))
            elif word in ("define", "undef"):
                self.defining.append(one.span())
                found = _MACRO.match(one[0])
                name = found[1] if found else re.split(r"\W+", one[0].strip().lstrip("# \t"))[1]
                self.macros.setdefault(name, []).append((one.start(), found[2] or "" if found else "?"))
        self.conditional += [(start, len(text)) for start in opened]

    def is_conditional(self, at: int) -> bool:
        """Whether a compiler may leave out what stands there."""
        return any(start <= at < end for start, end in self.conditional)

    def macro(self, name: str, at: int) -> str | None:
        """What a macro is there; LaunchError where that depends on the compiler, or on which was last."""
        found = self.macros.get(name, [])
        if not found:
            return None
        (place, text), *others = found
        if others or place > at or self.is_conditional(place):
            raise LaunchError(f"line {self.line(at)}: {name} is not defined once")
        return text

    @property
    def redefined(self) -> str:
        """A word that is taken for C's here, and that is a macro or a type of the source; "" where there is none."""
        return next((name for name in (*self.macros, *self.types) if _WORDS.fullmatch(name)), "")

    @cached_property
    def types(self) -> frozenset[str]:
        """The types that the source declares."""
        return frozenset(next(filter(None, found.groups())) for found in _TYPES.finditer(self.plain))

    def line(self, at: int) -> int:
        """The number of a line, from 1."""
        return self.plain.count("\n", 0, at) + 1

    @cached_property
    def _brackets(self) -> tuple[dict[int, int], list[int]]:
        """Where each bracket is closed, and of each character which bracket it stands in, -1 where in none."""
        closed, inside, opened = dict[int, int](), list[int](), list[int]()
        for at, letter in enumerate(self.plain):
            if letter in ")]}" and opened:
                closed[opened.pop()] = at
            inside.append(opened[-1] if opened else -1)
            if letter in "([{":
                opened.append(at)
        return {**dict.fromkeys(opened, len(self.plain)), **closed}, [*inside, -1]

    def closing(self, opened: int) -> int:
        """Where a bracket is closed."""
        return self._brackets[0].get(opened, len(self.plain))

    def _is_block(self, opened: int) -> bool:
        """Whether a brace begins statements, and no list of values."""
        if self.plain[opened] != "{":
            return False
        first = not self.plain[:opened].strip()
        return first or _BLOCK.search(self.plain, max(0, opened - 200), opened) is not None

    def _around(self, at: int) -> Iterator[int]:
        """The brackets around a place, from within."""
        opened = self._brackets[1][at]
        while opened >= 0:
            yield opened
            opened = self._brackets[1][opened]

    def within(self, at: int, *words: str) -> bool:
        """Whether a place is in a statement that one of these words begins."""
        pattern = re.compile(rf"\b(?:{'|'.join(words)})\s*(?:constexpr\s*)?\Z")
        first, _ = self.function(at)
        places = [at, *(opened for opened in self._around(at) if opened > first)]
        begins = {end: start for start, end in self._brackets[0].items()}
        for place in places:
            before = len(self.plain[:place].rstrip())
            while before:
                head = begins[before - 1] if self.plain[before - 1] == ")" and before - 1 in begins else before
                if pattern.search(self.plain, 0, head):
                    return True
                word = re.search(r"\b(?:if|else|for|while|switch|do)\s*\Z", self.plain[:head])
                before = len(self.plain[: word.start()].rstrip()) if word else 0
        return False

    def is_statement(self, at: int) -> bool:
        """Whether what begins at a place is a statement: no part of one, nor behind what may be a macro."""
        head = self.plain[:at].rstrip()
        if re.search(r"(?:[;{}]|\b(?:else|do|default)|\bcase\b[^;:{}?]*:|\bdefault\s*:)\Z|\A\Z", head):
            return True
        opened = next((start for start, end in self._brackets[0].items() if end == len(head) - 1), None)
        before = self.plain[: opened or 0]
        return head[-1:] == ")" and re.search(r"\b(?:if(?:\s+constexpr)?|for|while|switch)\s*\Z", before) is not None

    def asks(self, at: int) -> bool:
        """Whether a kernel's name at a place is for the runtime to say or set something of it."""
        around = (self.plain[:opened] for opened in self._around(at) if self.plain[opened] == "(")
        return any(re.search(r"\b(?:hip|cuda)(?:Func|Occupancy)\w*\s*(?:<[^<>]*>)?\s*\Z", head) for head in around)

    def is_parameter(self, one: HostVariable) -> bool:
        """Whether a declaration is a parameter of a function that has a name."""
        opened = self._brackets[1][one.at]
        if opened < 0 or self.plain[opened] != "(" or self.plain[self.closing(opened) + 1 :].lstrip()[:1] in ("", ";"):
            return False
        name = re.search(r"(\w+)\s*\Z", self.plain[:opened])
        return name is not None and name[1] not in ("for", "catch", "if", "while", "switch")

    def function(self, at: int) -> tuple[int, int]:
        """From where to where the function goes that a place is in; the whole text where it is in none."""
        for opened in [*self._around(at)][::-1]:
            head = self.plain[:opened].rstrip()
            if self.plain[opened] == "{" and (
                head.endswith(")") or re.search(r"\)\s*(?:const|noexcept|->[^;{}]*)\Z", head)
            ):
                return opened, self.closing(opened)
        return 0, len(self.plain)

    def declared(self, name: str) -> tuple[HostVariable, ...]:
        """The declarations of a name."""
        if name not in self._known:
            self._known[name] = tuple(self._declared(name))
        return self._known[name]

    def _declared(self, name: str) -> Iterator[HostVariable]:
        said = {found.end(3) if found[3] else found.end(2): found
                for found in re.finditer(_SAID + rf"\b{name}\b" + _VALUE, self.plain)}  # fmt: skip
        by_place = {self.plain.index(name, at): found for at, found in said.items()}
        for found in re.finditer(rf"\b{name}\b", self.plain):
            at = found.start()
            if at not in by_place:
                if self._is_declaration(at, found.end()):
                    yield self._listed(at, found.end()) or HostVariable(at, self._scope(at))
                continue
            one = by_place[at]
            text = one[4] if one[4] is not None else one[5] or one[6] or ""
            text = " ".join(text.split()).removeprefix("dim3").strip() if one[2] == "dim3" and one[4] else text.strip()
            if one[2] == "dim3":
                text = f"dim3({text})" if one[4] is None else f"dim3{text}"
            elif _commas(text):
                text = split(text)[0]
            yield self._initialised(at, text, f"{one[1]} {one[3] or ''}".split())

    def _listed(self, at: int, end: int) -> HostVariable | None:
        """A declaration behind another of its statement: `int a = 1, b = 2`."""
        start = max(self.plain.rfind(letter, 0, at) for letter in ";{}") + 1
        head = re.compile(r"\s*" + _SAID).match(self.plain, start, at)
        said = re.compile(r"\s*=(?!=)([^;]*);").match(self.plain, end)
        alike = self._brackets[1][at] == self._brackets[1][start] and self.plain[:at].rstrip()[-1:] == ","
        if head is None or said is None or head[2] == "dim3" or not alike:
            return None
        return self._initialised(at, " ".join(split(said[1])[0].split()), f"{head[1]} {head[3] or ''}".split())

    def _initialised(self, at: int, text: str, words: Sequence[str]) -> HostVariable:
        """A declaration with a value, and the words before its type."""
        member = self._is_member(at) and not {"static", "constexpr"} & {*words}  # a constructor may say otherwise
        other = member or {"extern", "volatile"} & {*words} or self.is_conditional(at)
        known = None if "?" in text or other else text
        once = bool({"static", "thread_local"} & {*words}) and "constexpr" not in words
        return HostVariable(at, self._scope(at), known, bool({"const", "constexpr"} & {*words}), once)

    def _is_member(self, at: int) -> bool:
        """Whether a declaration is of an object's part."""
        opened = self._brackets[1][at]
        return opened >= 0 and self.plain[opened] == "{" and _CLASS.search(self.plain, 0, opened) is not None

    def _is_declaration(self, at: int, end: int) -> bool:
        """Whether a name is declared here, of whatever type."""
        before, behind = self.plain[max(0, at - 300) : at], self.plain[end : end + 40].lstrip()
        if word := re.search(r"(\w+)\s+\Z", before):
            return word[1] not in _NO_TYPES
        if re.search(r"(?:\w[&*]+\s+|[\w>]\s+[&*]+)\Z", before) or re.search(r"\bauto\s*&{0,2}\s*\[[^\]]*\Z", before):
            return True
        if re.search(r"[\w>]\s*[&*]+\s*\Z", before) and re.match(r"=(?!=)|\{", behind):
            return True
        if re.search(r"<[^;{}()]*>\s*\Z", before) and behind[:1] in tuple("=({;,)[:"):
            return True
        opened = self._brackets[1][at]
        listed = before.rstrip().endswith(",") and (opened < 0 or self._is_block(opened))
        return listed and behind[:1] in tuple("=({;,[")

    def _scope(self, at: int) -> int:
        """Where a name is seen no more that is declared at a place."""
        around = [*self._around(at)]
        template = re.search(r"\btemplate\s*(<[^;{}()]*)\Z", self.plain[max(0, at - 300) : at])
        if template and template[1].count("<") > template[1].count(">"):
            return self._next(at)
        if not around or self.plain[around[0]] == "{":
            return self.closing(around[0]) if around else len(self.plain)
        heads = []
        for opened in around:
            if self.plain[opened] == "{":
                break
            heads.append(opened)
        return self._next(self.closing(heads[-1]))

    def _next(self, at: int) -> int:
        """The end of the block or the statement that comes next."""
        found = re.compile(r"[{;]").search(self.plain, at)
        if found is None:
            return len(self.plain)
        return self.closing(found.start()) if found[0] == "{" else found.end()

    def visible(self, name: str, at: int) -> HostVariable | None:
        """The declaration that a name is of at a place; None where this source has none."""
        found = [one for one in self.declared(name) if one.at < at <= one.end]
        return max(found, key=lambda one: one.at, default=None)

    def is_changed(self, name: str, one: HostVariable | None) -> bool:
        """Whether a name may be something else later than where it is declared."""
        if one is not None and one.fixed:
            return False
        start, end = (0, len(self.plain)) if one is None else (one.at, one.end)
        if one is not None and one.text is not None and self.function(one.at) == (0, len(self.plain)):
            return True  # of all functions: another file's may change it
        if any(one.alters(name) for one in self._macro_texts):
            return True
        declared = {each.at for each in self.declared(name)}
        return any(found.start() not in declared and self._changes(found.start(), found.end())
                   for found in re.finditer(rf"\b{name}\b", self.plain) if start <= found.start() <= end)  # fmt: skip

    @cached_property
    def _macro_texts(self) -> tuple[_MacroText, ...]:
        texts = (_MACRO_TEXT.match(self._without, start, end) for start, end in self.defining)
        return tuple(_MacroText(one[1], tuple(re.findall(r"\w+", one[2] or "")), one[3]) for one in texts if one)

    def _changes(self, at: int, end: int) -> bool:
        members = _MEMBERS.match(self.plain, end)
        if members is not None and not _ASSIGNED.match(self.plain, end):
            end = members.end()
        while (before := self.plain[:at].rstrip())[-1:] == "(" and self.plain[end:].lstrip()[:1] == ")":
            if re.search(r"[\w>\]]\s*\(\Z", before):
                break  # a call
            at, end = len(before) - 1, self.closing(len(before) - 1) + 1
        if _ASSIGNED.match(self.plain, end) or _POINTED.search(self.plain[max(0, at - 200) : at]):
            return True
        opened = self._brackets[1][at]
        if opened < 0 or self.plain[opened] != "(":
            return False
        alone = self.plain[:at].rstrip()[-1:] in "(," and self.plain[end:].lstrip()[:1] in tuple(",)")
        head = self.plain[max(0, opened - 200) : opened]
        own = re.search(r"\b(\w+)\s*\Z", head)
        if own and own[1] in self.macros:
            return alone and any(one.alters() for one in self._macro_texts if one.name == own[1])
        return alone and _BY_VALUE.search(head) is None and not self._takes_values(head)

    def _takes_values(self, head: str) -> bool:
        """Whether a function whose name a text ends with is of this source, and takes no reference."""
        name = re.search(r"\b([A-Za-z_]\w*)\s*\Z", head)
        if name is None:
            return not re.search(r"[\w>\]]\s*\Z", head)  # brackets of no call
        heads = re.findall(rf"\w[\s&*]+{name[1]}\s*\(([^()]*)\)\s*\{{", self.plain)
        return bool(heads) and not any("&" in one or "auto" in one for one in heads)


def _commas(text: str) -> bool:
    deep = 0
    for letter in text:
        deep += (letter in "([{") - (letter in ")]}")
        if letter == "," and not deep:
            return True
    return False
