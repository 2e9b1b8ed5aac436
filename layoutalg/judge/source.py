"""What a HIP source says of its launches, and the part of it that is for the GPU (a torch extension has another).

    scale<<<(n + 255) / 256, threads>>>(x.data_ptr<float>(), o.data_ptr<float>(), n);

A launch's blocks and threads are written in what the host knows; `HostLaunch.named` says them in what the kernel's
parameters are called, through the definitions of constants and variables (`const int threads = 256;`, `dim3`,
`#define`) and the launch's own arguments.  Sizes are at least 1, so that C's division is one that rounds down.

What it cannot represent: variables that are assigned twice, choices, calls, templates that only a launch instantiates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from layoutalg.cpp.source import bare, blank
from layoutalg.errors import LaunchError

_LAUNCH = re.compile(r"\b(\w+)\s*(?:<[^<>;]*>)?\s*<<<")
_DEFINED = re.compile(
    r"\b(?:unsigned\s+int|int|unsigned|long|size_t|auto|u?int(?:32|64)_t|dim3)\s+(\w+)\s*"
    r"(?:=([^;]*)|\(([^;]*)\)|\{([^;]*)\})\s*;"
)
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(\S[^\n]*)$", re.MULTILINE)
_CAST = re.compile(r"\(\s*(?:unsigned\s+int|int|unsigned|size_t|u?int(?:32|64)_t)\s*\)|\b(?:std::|static_cast<[^<>]*>)")
_NUMBER = re.compile(r"\b(\d+)[uUlL]+\b")
_NAME = re.compile(r"\b[A-Za-z_]\w*\b")
_KERNEL = re.compile(r"__global__[^;{]*\{")
_OF_HOST = re.compile(r"\b(?:torch|at|c10|pybind11|py)\s*::|\bPYBIND11_MODULE\b|\bTORCH_LIBRARY\w*|<<<")
_HEADERS = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"](?:torch|ATen|c10|pybind11|cuda)[^\n]*', re.MULTILINE)

#: Definitions in definitions, at most.
DEEP = 8


@dataclass(frozen=True)
class HostLaunch:
    """A launch as a host's source writes it, and what the source defines; `lds` is "" where it is not said."""

    kernel: str
    line: int
    grid: str
    block: str
    lds: str
    arguments: tuple[str, ...]
    defined: Mapping[str, str]

    def named(self, text: str, parameters: tuple[str, ...]) -> list[str]:
        """Numbers along each axis, in the kernel's parameters; LaunchError where the source does not say so much."""
        known = dict[str, str]()
        for argument, parameter in zip(self.arguments, parameters, strict=False):
            plain = _plain(argument)
            known |= {one: parameter for one in (plain, self.defined.get(plain, "")) if one and not one.isdecimal()}
        text = _plain(text)
        text = self.defined.get(text, text)
        inside = re.fullmatch(r"(?:dim3\s*)?[({](.*)[)}]", text)
        parts = split(inside[1]) if inside and (text[:4] == "dim3" or text[0] == "{") else split(text)
        return [self._said(part, known, DEEP) for part in parts]

    def _said(self, text: str, known: Mapping[str, str], deep: int) -> str:
        text = _plain(text)
        calls = sorted((re.escape(one) for one in known if not one.isidentifier()), key=len, reverse=True)  # x.size(0)

        def said(found: re.Match[str]) -> str:
            name = found[0]  # of the host's: what it passes as a parameter may bear another's name
            if name in known:
                return known[name]
            if name in ("min", "max"):
                return name
            if name not in self.defined or not deep:
                raise LaunchError(f"line {self.line}: {name} is no argument of {self.kernel}, and not defined once")
            return f"({self._said(self.defined[name], known, deep - 1)})"

        found = re.sub("|".join([*calls, _NAME.pattern]), said, text)
        if not re.fullmatch(r"[\w\s+\-*/%(),]+", found):
            raise LaunchError(f"line {self.line}: {text!r} is not read")
        return re.sub(r"\((\w+)\)", r"\1", re.sub(r"/+", "//", found))


def launches(text: str) -> Iterator[HostLaunch]:
    """Every launch that a source writes.

    >>> text = "const int b = 256; void f(int m) { k<<<(m + b - 1) / b, b>>>(m); }"
    >>> [(one.kernel, one.named(one.grid, ("n",)), one.named(one.block, ("n",))) for one in launches(text)]
    [('k', ['(n + 256 - 1) // 256'], ['256'])]
    """
    plain = bare(text)
    defined = _definitions(plain)
    for found in _LAUNCH.finditer(plain):
        end = plain.find(">>>", found.end())
        inside, opened = plain[found.end() : end], plain.find("(", end)
        said = split(inside)
        if end < 0 or opened < 0 or plain[end + 3 : opened].strip() or len(said) < 2:
            continue
        arguments = tuple(split(plain[opened + 1 : _closing(plain, opened)]))
        line = plain.count("\n", 0, found.start()) + 1
        yield HostLaunch(found[1], line, said[0], said[1], (*said, "")[2], arguments, defined)


def of_device(text: str) -> str:
    """A source without what only its host needs, each line where it was: bindings, and functions that start kernels.

    >>> of_device("__global__ void k() {}\\nat::Tensor f() { k<<<1, 1>>>(); }").split("\\n")
    ['__global__ void k() {}', '                                 ']
    """
    if not _HEADERS.search(text) and not _OF_HOST.search(bare(text)):
        return text
    text = _HEADERS.sub("#include <hip/hip_runtime.h>", text)
    plain, kept, start, deep = bare(text), list[str](), 0, 0
    for at, letter in enumerate(plain):
        deep += (letter in "{(") - (letter in "})")
        if deep == 0 and letter in ";}\n" and (letter != "\n" or plain[start:at].lstrip().startswith("#")):
            item = text[start : at + 1]
            kept.append(blank(item) if _OF_HOST.search(plain, start, at + 1) else item)
            start = at + 1
    return "".join([*kept, text[start:]])


def split(text: str) -> list[str]:
    """The parts of a list in C, at the commas that stand in no bracket.

    >>> split("f(a, b), c")
    ['f(a, b)', 'c']
    """
    parts, deep = [""], 0
    for letter in text:
        deep += (letter in "([{") - (letter in ")]}")
        if letter == "," and deep == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _definitions(plain: str) -> dict[str, str]:
    """What is defined once, and is no parameter of a host's function; `dim3 b(8, 8)` as `dim3(8, 8)`."""
    host = _KERNEL.sub("", plain)
    found: dict[str, set[str]] = {}
    for one in _DEFINED.finditer(plain):
        text = one[2] if one[2] is not None else f"dim3({one[3] or one[4]})" if "dim3" in one[0] else one[3] or one[4]
        found.setdefault(one[1], set()).add(_plain(text or ""))
    for one in _MACRO.finditer(plain):
        found.setdefault(one[1], set()).add(_plain(one[2]))
    return {
        name: next(iter(texts))
        for name, texts in found.items()
        if len(texts) == 1 and not _changed(plain, name) and not re.search(rf"[(,][^(),;]*[\s*&]{name}\s*[,)]", host)
    }


def _changed(plain: str, name: str) -> bool:
    """Whether a name is assigned to beside its definition."""
    again = rf"\b{name}(?:\.\w+)?\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)|(?:\+\+|--)\s*{name}\b|\b{name}\s*(?:\+\+|--)"
    begun = rf"\b\w+\s+{name}\s*=(?!=)"
    return len(re.findall(again, plain)) > len(re.findall(begun, plain))


def _plain(text: str) -> str:
    return _NUMBER.sub(r"\1", _CAST.sub("", " ".join(text.split()))).strip()


def _closing(text: str, at: int) -> int:
    deep = 0
    for place in range(at, len(text)):
        deep += (text[place] == "(") - (text[place] == ")")
        if deep == 0:
            return place
    return len(text)
