"""The records of a target: numbers, instructions, and the evidence for each.

A phase is a set of lanes whose requests the LDS serves together: in one cycle when no bank is asked for two different
dwords.  An instruction's phases part the wave, so for 64 lanes in runs of 8

    phases = ((0, …, 7), (8, …, 15), …, (56, …, 63))        phase_of = (0, 0, 0, 0, 0, 0, 0, 0, 1, …, 7)

and lanes × dwords of one phase never exceed the banks (a phase is what one cycle can serve).
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Confidence = Literal["measured", "documented", "assumed"]
Access = Literal["read", "write"]

DWORD = 4
"""Bytes of a bank's entry, on every target here."""


class TargetError(ValueError):
    """What a target cannot answer, with what it can."""


class UnknownTargetError(TargetError):
    """A name that no target has."""


class UnknownInstructionError(TargetError):
    """An LDS instruction that the target lacks."""


@dataclass(frozen=True)
class Evidence:
    """Why a fact is believed: how firmly, by whom (full citations), and what is doubtful ('' where nothing is).

    >>> Evidence("documented", ("the manual",)).text
    'documented (the manual)'
    """

    confidence: Confidence
    sources: tuple[str, ...]
    doubt: str = ""

    @property
    def certain(self) -> bool:
        """Whether a verdict may rest on the fact without saying more."""
        return not self.doubt

    @property
    def text(self) -> str:
        """One line for a report."""
        said = f"{self.confidence} ({'; '.join(self.sources)})" if self.sources else self.confidence
        return f"{said}. In doubt: {self.doubt}" if self.doubt else said


@dataclass(frozen=True)
class LdsInstruction:
    """One LDS instruction: bytes a lane, the alignment it needs, and the lanes of each phase.

    >>> from layoutalg.target import target
    >>> write = target("gfx942").instruction("ds_write_b64")
    >>> write.dwords, len(write.phases), write.phases[1][0]
    (2, 4, 16)
    """

    name: str
    access: Access
    bytes: int
    alignment: int
    banks: int
    phases: tuple[tuple[int, ...], ...]
    evidence: Evidence
    pairs_merge: bool = False
    """Whether a read may take two phases in one where neighbouring lanes agree; `memory.banks` states the rule."""

    def __hash__(self) -> int:
        """By name: instructions key caches in loops of a microsecond, and hashing every phase would be most of it."""
        return hash(self.name)

    @property
    def dwords(self) -> int:
        """Dwords that one lane's access touches."""
        return -(-self.bytes // DWORD)

    @property
    def lanes(self) -> int:
        """Lanes of a wave."""
        return sum(map(len, self.phases))

    @property
    def phase_of(self) -> tuple[int, ...]:
        """The phase of each lane, by lane."""
        where = {lane: number for number, phase in enumerate(self.phases) for lane in phase}
        return tuple(where[lane] for lane in range(self.lanes))


@dataclass(frozen=True)
class Target:
    """A GPU: sizes in bytes, lanes and registers, its LDS instructions, and the evidence for each number by its name.

    `vgprs` is the most vector registers (4 bytes each) that one lane can address; `segments` are the sizes in bytes
    in which global memory is fetched, smallest first.

    >>> from layoutalg.target import target
    >>> gfx950 = target("gfx950")
    >>> gfx950.wave_size, gfx950.lds_bytes // 1024, gfx950.segments
    (64, 160, (64, 128))
    """

    name: str
    title: str
    wave_size: int
    lds_bytes: int
    max_workgroup: int
    vgprs: int
    segments: tuple[int, ...]
    evidence: Mapping[str, Evidence]
    instructions: Mapping[str, LdsInstruction]

    def instruction(self, name: str) -> LdsInstruction:
        """The LDS instruction of this name; UnknownInstructionError lists what the target has instead.

        >>> from layoutalg.target import target
        >>> target("gfx942").instruction("ds_load_b96")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        layoutalg.target.model.UnknownInstructionError: gfx942 has no LDS instruction 'ds_load_b96' ...
        """
        found = self.instructions.get(name)
        if found is not None:
            return found
        near = difflib.get_close_matches(name, self.instructions, n=1, cutoff=0.7)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise UnknownInstructionError(
            f"{self.name} has no LDS instruction {name!r}{hint}; it has {', '.join(self.instructions)}"
        )

    def for_width(self, access: Access, bytes: int) -> LdsInstruction:
        """The instruction that reads or writes this many bytes a lane; UnknownInstructionError where there is none.

        >>> from layoutalg.target import target
        >>> target("gfx942").for_width("read", 16).name, target("sm_90").for_width("write", 8).name
        ('ds_read_b128', 'st.shared.64')
        """
        for candidate in self.instructions.values():
            if (candidate.access, candidate.bytes) == (access, bytes):
                return candidate
        widths = sorted({i.bytes for i in self.instructions.values() if i.access == access})
        raise UnknownInstructionError(f"{self.name} has no LDS {access} of {bytes} bytes a lane; it has {widths}")
