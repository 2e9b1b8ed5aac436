"""The claims that a file may make: names, how many numbers each takes, and of what.

| claim                  | says |
|------------------------|------------------------------------------------------------------------------|
| `in_bounds`            | every hidden index lies in its dimension, every valid offset in the element space |
| `injective`            | two valid indices never meet |
| `bijective`            | injective, and everything below is reached |
| `covers(n)`            | a distribution holds each element n times (unless stated, as often as its Rs say) |
| `fits_index(bits)`     | no value in between leaves a signed integer of that many bits (32 unless stated) |
| `contiguous(n, d)`     | from a multiple of n on, n indices along dimension d (else the last) are neighbours |
| `aligned(n)`           | the offset of every index whose last coordinate is a multiple of n is a multiple of n |
| `round_trip`           | upper(lower(u)) = u |
| `round_trip_lower`     | lower(upper(d)) = d |
| `increments`           | moving an index by a step equals computing it anew |
| `digits`               | a merge, however it is computed, gives the mixed-radix digits (by magic: below 2^31) |
| `lengths(…)`           | the lengths of the top dimensions |
| `element_space_size(n)`| the size of the memory, in elements |
| `conflict_free`        | the lanes of each phase fall into different LDS banks |
| `cycles(n)`            | the access costs n cycles on each of its targets |
| `coalesced`            | neighbouring lanes reach neighbouring memory |

A claim is written as its name, with integers or expressions over symbols in brackets where it takes any.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

CLAIM_TEXT = re.compile(r"\s*([a-z_]+)\s*(?:\((.*)\))?\s*", re.DOTALL)


@dataclass(frozen=True)
class Form:
    """How a claim is written: the least and the greatest number of arguments, and the kinds of item it is for.

    `numbers`: the range of each argument that is a number and no size.
    """

    least: int
    most: int
    of: frozenset[str]
    numbers: tuple[tuple[int, int], ...] = ()


_MAPS = frozenset({"descriptor", "transform", "adaptor", "distribution"})
_TRANSFORMS = frozenset({"transform", "adaptor"})
_ACCESS = frozenset({"access"})

CLAIMS: Mapping[str, Form] = {
    "in_bounds": Form(0, 0, _MAPS | _ACCESS),
    "injective": Form(0, 0, _MAPS | _ACCESS),
    "bijective": Form(0, 0, _MAPS),
    "covers": Form(0, 1, frozenset({"distribution"}), ((1, 1024),)),
    "fits_index": Form(0, 1, _MAPS, ((2, 64),)),
    "contiguous": Form(1, 2, frozenset({"descriptor"}), ((1, 1 << 16), (0, 63))),
    "aligned": Form(1, 1, frozenset({"descriptor"}), ((1, 1 << 30),)),
    "round_trip": Form(0, 0, _TRANSFORMS | {"descriptor", "distribution"}),
    "round_trip_lower": Form(0, 0, _TRANSFORMS | {"descriptor", "distribution"}),
    "increments": Form(0, 0, _TRANSFORMS | {"descriptor"}),
    "digits": Form(0, 0, frozenset({"transform"})),
    "lengths": Form(1, 64, _MAPS),
    "element_space_size": Form(1, 1, frozenset({"descriptor"})),
    "conflict_free": Form(0, 0, _ACCESS),
    "cycles": Form(1, 1, _ACCESS),
    "coalesced": Form(0, 0, _ACCESS),
}

USUAL: Mapping[str, tuple[str, ...]] = {
    "descriptor": ("in_bounds", "injective", "fits_index"),
    "transform": ("in_bounds",),
    "adaptor": ("in_bounds",),
    "distribution": ("in_bounds", "covers"),
    "access": ("in_bounds",),
}
"""What is claimed of an item that states no claims."""


def split(text: str) -> tuple[str, list[str]] | None:
    """The name and the argument texts of a claim; None where it is not written as one.

    >>> split("contiguous(8, K // 2)")
    ('contiguous', ['8', 'K // 2'])
    """
    match = CLAIM_TEXT.fullmatch(text)
    if match is None:
        return None
    name, inner = match.groups()
    return name, arguments(inner) if inner is not None else []


def arguments(text: str) -> list[str]:
    """The parts between commas that stand in no brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]
