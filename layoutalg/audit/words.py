"""Verdicts in the words of a launch: what execution calls by a number is told by what it stands for.

| a reason has | it is told as |
|---|---|
| `loaded 3` | `an element of x` |
| `loaded 3 (thread.x = thread.x_other')` | `an element of x, of the other thread` |
| `carried 58`, `lanes 84`, `undefined 7` | what a loop carries, a number of lanes, what nothing wrote |
| `turn 0`, `turn 0_other'` | `iteration 0`, and that of the other thread |
| `any 61 = 0`, and the like, in a list of values | nothing: no source has a name for it |

The values by their numbers are in the witness.  What it cannot represent: which variable of a source it was.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from layoutalg.audit.claims.claim import Finding
from layoutalg.launch.symbolic import LDS
from layoutalg.prove import Refuted, Unknown
from layoutalg.symex.trace import Trace

#: What execution calls unknowns by, beside a number, and what they are.
_STANDS_FOR = {
    "any": "what the machine chooses", "carried": "what a loop carries", "elsewhere": "what another lane has",
    "inside": "whether a lane is in a loop", "lanes": "a number of lanes",
    "lanes_taken": "a number of lanes", "last_turn": "the last iteration of a loop", "loaded": "what is loaded",
    "lowest_one": "the lowest bit that is set", "ones": "a number of bits", "reversed": "bits in reverse",
    "undefined": "what nothing wrote", "updated": "what an atomic operation brings",
}  # fmt: skip

_INSTANCE = r"(?: \((?P<of>[^()]*)\))?"
_UNKNOWN = re.compile(rf"\b(?P<name>{'|'.join(_STANDS_FOR)}) \d+\b{_INSTANCE}")
_VALUES = re.compile(r" \(for (?P<values>(?:[^()]|\([^()]*\))*)\)")
_VALUE = re.compile(r"(?P<what>(?:[^,()]|\([^()]*\))+?) = (?P<value>-?\d+)(?:, |$)")


def in_words(finding: Finding, trace: Trace) -> Finding:
    """A finding whose reason speaks of nothing that execution has numbered."""
    verdict, told = finding.verdict, partial(_told, loaded=trace.loaded_by_name)
    if isinstance(verdict, Refuted):
        return finding._replace(verdict=replace(verdict, witness=replace(verdict.witness, text=told(verdict.reason))))
    if isinstance(verdict, Unknown):
        return finding._replace(verdict=replace(verdict, why=told(verdict.why)))
    return finding


def _told(reason: str, loaded: Mapping[str, str]) -> str:
    named = partial(_named, loaded=loaded)
    told = _UNKNOWN.sub(named, _VALUES.sub(partial(_values, named=named), reason))
    of_other = re.sub(r"\bturn (\d+)_other'?", r"the other's iteration \1", told)
    return re.sub(r"\bturn (\d+)\b", r"iteration \1", of_other)


def _values(found: re.Match[str], named: Callable[[re.Match[str]], str]) -> str:
    """A list of values: sizes and elements of tensors stay, each in words."""
    told = []
    for one in _VALUE.finditer(found["values"]):
        unknown = _UNKNOWN.fullmatch(one["what"])
        if unknown is None:
            told.append(f"{one['what']} = {one['value']}")
        elif unknown["name"] == "loaded":
            told.append(f"{named(unknown)} = {one['value']}")
    return f" (for {', '.join(told)})" if told else ""


def _named(found: re.Match[str], loaded: Mapping[str, str]) -> str:
    """What an unknown stands for, and whose it is."""
    buffer = loaded.get(found[0].partition(" (")[0], "")
    place = "LDS" if buffer == LDS else buffer
    words = f"an element of {place}" if place else _STANDS_FOR[found["name"]]
    if not found["of"]:
        return words
    return f"{words} of {'the other thread' if '_other' in found['of'] else 'another iteration'}"
