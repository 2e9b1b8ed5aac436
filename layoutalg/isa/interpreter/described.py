"""Which instructions of a piece of code some table describes, by name: what a survey of anybody's binaries counts.

One that is described can still be refused where it is carried out, with the modifier that is not modelled; one that is
not is always refused.  A library holds one code many times, and few instructions that differ in their bytes: each is
decoded once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from layoutalg.errors import UnsupportedInstructionError, shortened
from layoutalg.isa.architecture import ARCHITECTURES, Architecture
from layoutalg.isa.container.descriptor import code_format
from layoutalg.isa.decode.instructions import Instruction, decode
from layoutalg.isa.interpreter.exchanges import EXCHANGES
from layoutalg.isa.interpreter.moves import MOVES
from layoutalg.isa.semantics.accesses import ACCESSES, has_no_effect
from layoutalg.isa.semantics.control import BARRIERS, BRANCHES, ENDS, JUMPS
from layoutalg.isa.semantics.matrix import matrix_instruction_of
from layoutalg.isa.semantics.table import ALU

#: Bytes of the longest instruction, and of those that the decoder does not know.
_LONGEST, _UNKNOWN = 16, 8

#: Instructions have whole dwords.
_DWORD = 4


def is_described(instruction: Instruction, architecture: Architecture, target: str) -> bool:
    """Whether a table has an entry for an instruction.

    >>> [is_described(one, ARCHITECTURES["cdna"], "gfx942") for one in (
    ...     Instruction(0, 4, "S_ADD_U32", "SOP2"), Instruction(0, 4, "S_TRAP", "SOPP"))]
    [True, False]
    """
    name = instruction.name
    tables = (ALU, ACCESSES, MOVES, EXCHANGES, architecture.waits, BRANCHES, JUMPS, BARRIERS, ENDS)
    return (
        any(name in table for table in tables)
        or has_no_effect(name, instruction.fields)
        or matrix_instruction_of(name, target) is not None
    )


@dataclass(frozen=True)
class Described:
    """How many instructions a code has, and how often those without an entry, or that are not decoded, occur in it."""

    instructions: int
    missing: Mapping[str, int]


@dataclass
class Surveyor:
    """Surveys codes of one target."""

    target: str
    _codes: dict[bytes, Described] = field(default_factory=dict)
    _known: dict[bytes, tuple[int, tuple[str, ...]]] = field(default_factory=dict)  # instruction → bytes, what lacks

    def survey(self, code: bytes) -> Described:
        """Counts what a code has; what is not decoded is taken to have 8 bytes, as most of the forms that lack."""
        if code not in self._codes:
            at, count, missing = 0, 0, Counter[str]()
            while at < len(code):
                size, lacking = self._first(code[at : at + _LONGEST])
                at, count = at + size, count + 1
                missing.update(lacking)
            self._codes[code] = Described(count, dict(missing.most_common()))
        return self._codes[code]

    def _first(self, window: bytes) -> tuple[int, tuple[str, ...]]:
        """What is known of the first instruction: how long it is depends on no more than its own bytes."""
        for size in range(_DWORD, len(window) + 1, _DWORD):
            known = self._known.get(window[:size])
            if known is not None:
                return known
        architecture = ARCHITECTURES[code_format(self.target).decoder]
        try:
            found = next(iter(decode(window, 0, architecture, self.target)))
        except UnsupportedInstructionError as error:
            reason = str(error).removesuffix(", at 0x0").partition(": ")[2] or str(error)
            return self._known.setdefault(window, (_UNKNOWN, (f"not decoded: {shortened(reason, 80)}",)))
        parts = found.halves or (found,)
        lacking = tuple(one.name for one in parts if not is_described(one, architecture, self.target))
        return self._known.setdefault(window[: found.size], (found.size, lacking))
