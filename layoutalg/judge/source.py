"""The part of a source that is for the GPU: a torch extension has another, which only its host's compiler can read.

| at the top of a source, or in its namespaces | is |
|---|---|
| a declaration that names torch, pybind11 … or starts a kernel | left out, its lines empty |
| any other | kept |
| directives of the preprocessor | kept, those too that stand in what is left out; includes of torch are HIP's |

Conditions that torch's headers or its build may decide are no such text's own: it is refused (`depends`).
What it cannot represent: templates that only a launch instantiates; kernels whose own text names torch.
"""

from __future__ import annotations

import re

from layoutalg.cpp.source import bare, blank

_OF_HOST = re.compile(r"\b(?:torch|at|c10|pybind11|py)\s*::|\bPYBIND11_MODULE\b|\bTORCH_LIBRARY\w*|<<<")
_HEADERS = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"](?:torch|ATen|c10|pybind11|cuda)[^\n]*', re.MULTILINE)
_SPACE = re.compile(r"\s*(?:inline\s+)?(?:namespace\b[\w\s:]*|extern\s*)\Z")

_OF_TORCH = re.compile(r"\b(?:torch|at|c10|pybind11|py)\s*::|\bPYBIND11_MODULE\b|\bTORCH_LIBRARY\w*")
_CONDITION = re.compile(r"[ \t]*#[ \t]*(if|ifdef|ifndef|elif|endif|define|undef)\b((?:[^\n]*\\\n)*[^\n]*)")
_OF_COMPILERS = re.compile(r"_[_A-Z]\w*|defined|true|false|and|or|not")
"""Names that no program defines (C++, [lex.name]), and words of conditions."""

DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
"""A line of the preprocessor's, with those that it goes on in."""


def of_device(text: str) -> str:
    """A source without what only its host needs, each line where it was: bindings, and functions that start kernels.

    >>> of_device("__global__ void k() {}\\nat::Tensor f() { k<<<1, 1>>>(); }").split("\\n")
    ['__global__ void k() {}', '                                 ']
    """
    if not _HEADERS.search(text) and not _OF_HOST.search(bare(text)):
        return text
    text = _HEADERS.sub("#include <hip/hip_runtime.h>", text)
    plain = DIRECTIVE.sub(lambda found: blank(found[0]), bare(text))
    kept, start, deep = list[str](), 0, 0
    for at, letter in enumerate(plain):
        if letter == "{" and deep == 0 and _SPACE.match(plain, start, at):
            kept.append(text[start : at + 1])
            start = at + 1
            continue
        deep = max(0, deep + (letter in "{(") - (letter in "})"))
        if deep == 0 and letter in ";}":
            is_host = _OF_HOST.search(plain, start, at + 1)
            kept.append(_directives(text[start : at + 1]) if is_host else text[start : at + 1])
            start = at + 1
    return "".join([*kept, text[start:]])


def depends(text: str) -> str:
    """What kernels of an extension hang on that torch's headers or its build may define, in words; "" where nothing.

    >>> depends("#include <torch/extension.h>\\n#ifdef USE_ROCM\\n__global__ void k() {}\\n#endif")
    'line 2: what is compiled hangs on USE_ROCM, which torch or its build may define'
    """
    if not (_HEADERS.search(text) or _OF_TORCH.search(bare(text))):
        return ""
    kept = bare(of_device(text))
    own, opened = set[str](), list[tuple[int, list[str]]]()
    for found in _CONDITION.finditer(kept):
        word, names = found[1], re.findall(r"\b[A-Za-z_]\w*", found[2])
        if word in ("define", "undef"):
            own |= {names[0]} if names and not opened else set()
        elif word == "endif":
            start, unknown = opened.pop() if opened else (0, [])
            if unknown and DIRECTIVE.sub("", kept[start : found.start()]).strip() + _macros(
                kept[start : found.start()]
            ):
                line = kept.count("\n", 0, start) + 1
                return f"line {line}: what is compiled hangs on {unknown[0]}, which torch or its build may define"
        else:
            unknown = [name for name in names if name not in own and not _OF_COMPILERS.fullmatch(name)]
            if word == "elif" and opened:
                opened[-1][1].extend(unknown)
            else:
                opened.append((found.start(), unknown))
    return ""


def _macros(text: str) -> str:
    """The macros that a text defines."""
    return "".join(one[2] for one in _CONDITION.finditer(text) if one[1] in ("define", "undef"))


def _directives(text: str) -> str:
    """The directives of a text alone, on as many lines."""
    kept, end = list[str](), 0
    for found in DIRECTIVE.finditer(text):
        kept += [blank(text[end : found.start()]), found[0]]
        end = found.end()
    return "".join([*kept, blank(text[end:])])


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
