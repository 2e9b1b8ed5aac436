"""The part of a source that is for the GPU: a torch extension has another, which only its host's compiler can read.

| at the top of a source, or in its namespaces | is |
|---|---|
| a declaration that names torch, pybind11 … or starts a kernel | left out, its lines empty |
| any other | kept |
| directives of the preprocessor | kept, those too that stand in what is left out; includes of torch are HIP's |

What it cannot represent: templates that only a launch instantiates; kernels whose own text names torch.
"""

from __future__ import annotations

import re

from layoutalg.cpp.source import bare, blank

_OF_HOST = re.compile(r"\b(?:torch|at|c10|pybind11|py)\s*::|\bPYBIND11_MODULE\b|\bTORCH_LIBRARY\w*|<<<")
_HEADERS = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"](?:torch|ATen|c10|pybind11|cuda)[^\n]*', re.MULTILINE)
_SPACE = re.compile(r"\s*(?:inline\s+)?(?:namespace\b[\w\s:]*|extern\s*)\Z")

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
