"""Why a source that compiles makes no kernel: what it says of kernels, before the preprocessor and after.

| the source has                          | is told                                                    |
|-----------------------------------------|------------------------------------------------------------|
| nothing but space and comments          | that it is empty                                           |
| no `__global__`                         | that it has no kernel                                      |
| `__global__` in parts that are left out | which `#if` leaves it out where the device's code is made  |
| a kernel that is a template             | that nothing instantiates it                               |
| one without a body                      | that it is not defined                                     |
"""

from __future__ import annotations

import re
from collections.abc import Iterator

#: What `__global__` is once the preprocessor has read HIP's header, and the name that follows.
_GLOBAL = "__attribute__((global))"
_NAME = re.compile(r"\bvoid\s+(?:__attribute__\(\((?:[^()]|\([^()]*\))*\)\)\s*)*(?P<name>\w+)\s*[(<]")
_MARKER = re.compile(r'^# (?P<line>\d+) "(?P<file>(?:[^"\\]|\\.)*)"[ \d]*$', re.MULTILINE)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_DIRECTIVE = re.compile(r"\s*#\s*(?P<name>if|ifdef|ifndef|elif|else|endif)\b.*")


def why_no_kernel(name: str, text: str, preprocessed: str) -> str:
    """Where and why, of a source of this name; all that its kernels lack, the first in full.

    >>> why_no_kernel("k.hip", "// nothing yet\\n", "")
    'k.hip: the source is empty: write a kernel, __global__ void name(…)'
    >>> why_no_kernel("k.hip", "#ifdef HOST\\n__global__ void k() {}\\n#endif\\n", "")
    "k.hip:2: no kernel comes out: all are left out by '#ifdef HOST' in line 1, where the device's code is made"
    >>> why_no_kernel("k.hip", "", "template <int N> __attribute__((global)) void k(int* a) { }")
    'k.hip:1: no kernel comes out: k is a template that nothing instantiates: add template __global__ void k<…>(…);'
    """
    bare = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)
    lacking = list(_lacking(preprocessed, name))
    if lacking:
        place, reason = lacking[0]
        more = f" ({len(lacking) - 1} more alike)" if len(lacking) > 1 else ""
        return f"{place}: no kernel comes out: {reason}{more}"
    if not bare.strip():
        return f"{name}: the source is empty: write a kernel, __global__ void name(…)"
    lines = bare.split("\n")
    of_code = (at for at, line in enumerate(lines, 1) if "__global__" in line and not line.lstrip().startswith("#"))
    left_out = next(of_code, None)
    if left_out is None:
        return f"{name}: the source holds no kernel: no function in it is __global__"
    condition = _condition(lines[:left_out])
    by = f"by {condition[1]!r} in line {condition[0]}" if condition else "by the preprocessor"
    return f"{name}:{left_out}: no kernel comes out: all are left out {by}, where the device's code is made"


def _lacking(preprocessed: str, name: str) -> Iterator[tuple[str, str]]:
    """The place of each kernel that the preprocessor leaves, and what it lacks."""
    start = 0
    while (at := preprocessed.find(_GLOBAL, start)) >= 0:
        start = at + len(_GLOBAL)
        kernel = _NAME.search(preprocessed, start)
        if kernel is None:
            continue
        before = re.split(r"[;}]|^#.*$", preprocessed[:at], flags=re.MULTILINE)[-1]
        after = re.search(r"[;{]", preprocessed[kernel.end() :])
        yield _place(preprocessed, kernel.start(), name), _reason(kernel["name"], before, after[0] if after else ";")


def _reason(kernel: str, before: str, after: str) -> str:
    if re.search(r"\btemplate\s*<\s*[^>\s]", before):
        return f"{kernel} is a template that nothing instantiates: add template __global__ void {kernel}<…>(…);"
    if after == ";":
        return f"{kernel} is declared and not defined"
    return f"{kernel} is left out, since nothing launches or instantiates it"


def _place(preprocessed: str, at: int, name: str) -> str:
    """The file and line that the markers of the preprocessor say of a place."""
    marker = max(_MARKER.finditer(preprocessed, 0, at), key=lambda one: one.start(), default=None)
    if marker is None:
        return f"{name}:{preprocessed.count(chr(10), 0, at) + 1}"
    return f"{marker['file']}:{int(marker['line']) + preprocessed.count(chr(10), marker.end() + 1, at)}"


def _condition(lines: list[str]) -> tuple[int, str] | None:
    """The innermost conditional that is open after these lines, and its line."""
    opened: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        found = _DIRECTIVE.fullmatch(line)
        if found is None:
            continue
        if not found["name"].startswith("if") and opened:
            opened.pop()
        if found["name"] != "endif":
            opened.append((number, line.strip()))
    return opened[-1] if opened else None
