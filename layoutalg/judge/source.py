"""The part of a source that is for the GPU: a torch extension has another, which only its host's compiler can read.

| at the top of a source, or in its namespaces | is |
|---|---|
| a declaration that names torch, pybind11 … or starts a kernel | left out, its lines empty |
| any other | kept |
| directives of the preprocessor | kept, those too that stand in what is left out; includes of torch are HIP's |

Conditions that torch's headers or its build may decide are no such text's own, and a name that is kept may mean what is
left out: such a source is refused (`depends`).
What it cannot represent: templates that only a launch instantiates; kernels whose own text names torch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

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
    return "".join(_directives(text[start:end]) if is_host else text[start:end] for start, end, is_host in _parts(text))


def _parts(text: str) -> Iterator[tuple[int, int, bool]]:
    """From where to where each declaration at the top or in a namespace goes, and whether only the host needs it."""
    plain = DIRECTIVE.sub(lambda found: blank(found[0]), bare(text))
    start, deep = 0, 0
    for at, letter in enumerate(plain):
        if letter == "{" and deep == 0 and _SPACE.match(plain, start, at):
            yield start, at + 1, False
            start = at + 1
            continue
        deep = max(0, deep + (letter in "{(") - (letter in "})"))
        if deep == 0 and letter in ";}":
            yield start, at + 1, _OF_HOST.search(plain, start, at + 1) is not None
            start = at + 1
    yield start, len(text), False


def _left_out(text: str) -> Iterator[tuple[int, str]]:
    """Each declaration that is left out, and its line."""
    text = _HEADERS.sub("#include <hip/hip_runtime.h>", text)
    plain = DIRECTIVE.sub(lambda found: blank(found[0]), bare(text))
    for start, end, is_host in _parts(text):
        if is_host:
            part = plain[start:end]
            yield plain.count("\n", 0, end - len(part.lstrip())) + 1, " ".join(part.split())


def _declared(part: str) -> Iterator[str]:
    """What a declaration declares that a GPU's code may mean: no function of the host's."""
    part = re.sub(r"\Atemplate\s*<[^;{}()]*?>\s*(?=\w)", "", part)
    head = re.split(r"[{=]", part, maxsplit=1)[0]
    if found := re.match(r"using\s+(?!namespace\b)(?:[\w:]*::\s*)?(\w+)", part):
        yield found[1]
    elif part.startswith("typedef"):
        yield from re.findall(r"(\w+)\s*;\s*\Z", part)
    elif found := re.search(r"\b(?:struct|class|union|enum(?:\s+class)?)\s+(\w+)", head):
        yield found[1]
    elif found := re.search(r"\b(\w+)\s*\(", head):
        yield from (found[1],) if re.search(r"\b__(?:device|global|host)__|\bconstexpr\b", head) else ()
    elif found := re.search(r"(\w+)\s*(?:\[[^\]]*\])*\s*;?\s*\Z", head):
        yield found[1]


def depends(text: str) -> str:
    """What kernels hang on that is not compiled with them, in words; "" where nothing.

    What torch's headers or its build may define; what is left out, and may be meant by a name that is kept.

    >>> depends("#include <torch/extension.h>\\n#ifdef USE_ROCM\\n__global__ void k() {}\\n#endif")
    'line 2: what is compiled hangs on USE_ROCM, which torch or its build may define'
    """
    kept = bare(of_device(text))
    spoken = {*re.findall(r"[A-Za-z_]\w*", DIRECTIVE.sub("", kept))}
    for line, part in _left_out(text):
        if named := [name for name in _declared(part) if name in spoken]:
            return f"line {line}: {named[0]} is left out, as only a host can mean it, and spoken of elsewhere"
    if not (_HEADERS.search(text) or _OF_TORCH.search(bare(text))):
        return ""
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
