"""What a definition of counters tells apart: surely and perhaps, and the kinds of scalar instructions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from layoutalg.isa.semantics.accesses import ACCESSES, CLOCKS, NO_EFFECT
from layoutalg.isa.semantics.control import BARRIERS, BRANCHES, ENDS, JUMPS
from layoutalg.records import dataclass

ScalarKind = Literal["branch", "jump", "nop", "memory", "cache", "control", "arithmetic"]

_CONTROL = frozenset({*BARRIERS, *ENDS, *NO_EFFECT})
_STATE = ("S_WAIT", "S_SENDMSG", "S_TRAP", "S_SET", "S_SLEEP", "S_ICACHE")


@dataclass(frozen=True)
class CountedBy:
    """The counters that count an instruction, surely and perhaps."""

    surely: tuple[str, ...] = ()
    perhaps: tuple[str, ...] = ()

    def reaches(self, names: Iterable[str]) -> bool:
        """Whether one of these counters may count it."""
        return any(name in (*self.surely, *self.perhaps) for name in names)


def scalar_kind(name: str) -> ScalarKind:
    """The kind of a scalar instruction.

    >>> scalar_kind("S_ADD_U32"), scalar_kind("S_LOAD_DWORD"), scalar_kind("S_BARRIER"), scalar_kind("S_CBRANCH_SCC0")
    ('arithmetic', 'memory', 'control', 'branch')
    """
    if name in BRANCHES:
        return "branch"
    if name in JUMPS:
        return "jump"
    if name == "S_NOP":
        return "nop"
    if name in ACCESSES:
        return "memory"
    if name in CLOCKS or "DCACHE" in name:
        return "cache"
    return "control" if name in _CONTROL or name.startswith(_STATE) else "arithmetic"
