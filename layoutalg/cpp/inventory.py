"""What a file builds, counted by its words alone: so that what the reading passes by is named too.

Each call of a function that makes a layout, a view, a tile window or an access of one belongs to the innermost function
whose body it stands in, or to its line outside functions.  Nothing is evaluated, so that the list does not depend on
how far the reading came, nor on what is compiled.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field

from layoutalg.cpp.declared import Declared
from layoutalg.records import dataclass

KINDS: Mapping[str, re.Pattern[str]] = {
    "tile window": re.compile(r"make_\w*tile_window\w*"),
    "tensor view": re.compile(r"make_\w*tensor_view\w*|transform_tensor_view"),
    "access": re.compile(r"(?:async_)?(?:load|store|update)_tile(?:_\w+)?|shuffle_tile|transpose_tile\w*"),
    "layout": re.compile(
        r"make_\w*(?:descriptor|distribution|adaptor|_transform)\w*|transform_tensor_\w+|chain_tensor_adaptors\w*|"
        r"tile_distribution_encoding"
    ),
}
"""The functions of CK and CK Tile that make each kind, the first that fits; `access` moves a tile through a window."""
UNCLAIMED = ("tile window", "access")
"""Kinds of which nothing is claimed, wherever they stand."""
BUILDS = re.compile(
    r"\b(?:make_naive_tensor_\w+|transform_tensor_\w+|make_single_stage_tensor_adaptor|chain_tensor_adaptors|"
    r"make_static_tile_distribution|tile_distribution_encoding|make_\w+_transform(?:_v\d\w*)?|TensorDescriptor)\s*[(<]"
)
"""Text that builds a layout."""
_CALLED = re.compile(r"\b([A-Za-z_]\w*)(?=\s*[(<{])")


@dataclass
class Place:
    """A function, or a line outside functions: its name, its lines, and the calls in it by kind, with lines."""

    name: str
    first: int
    last: int
    begin: int
    calls: dict[str, list[int]] = field(default_factory=dict)

    def described(self, kinds: tuple[str, ...] = tuple(KINDS)) -> str:
        """What it makes: `2 layouts (lines 3, 4), 1 tile window (line 9)`."""
        parts = []
        for kind in (k for k in kinds if k in self.calls):
            lines = Counter(self.calls[kind])
            plural = "" if lines.total() == 1 else "es" if kind == "access" else "s"
            at = ", ".join(map(str, lines))
            parts.append(f"{lines.total()} {kind}{plural} (line{'' if len(lines) == 1 else 's'} {at})")
        return ", ".join(parts)


def inventory(text: str, declared: Sequence[Declared]) -> list[Place]:
    """Every place of a text without comments that makes a layout, a view, a window or an access, in order."""
    found: dict[int, Place] = {}
    functions = sorted((one for one in declared if one.kind == "function"), key=lambda one: one.end - one.begin)
    for word in _CALLED.finditer(text):
        kind = next((kind for kind, pattern in KINDS.items() if pattern.fullmatch(word[1])), None)
        if kind is None:
            continue
        around = next((one for one in functions if one.body <= word.start() < one.end), None)
        line = line_of(text, word.start())
        if around is None:
            around = next(
                (one for one in declared if one.kind != "function" and one.begin <= word.start() < one.end), None
            )
        if around is None:
            begin = text.rfind("\n", 0, word.start()) + 1
            written = " ".join(text[begin:].partition("\n")[0].split())
            place = found.setdefault(begin, Place(written[:60], line, line, begin))
        else:
            lines = line_of(text, around.declaration), line_of(text, around.end)
            place = found.setdefault(around.begin, Place(around.name, *lines, around.begin))
        place.calls.setdefault(kind, []).append(line)
    return list(found.values())


def line_of(text: str, at: int) -> int:
    """The line of a character, from 1."""
    return text.count("\n", 0, at) + 1
