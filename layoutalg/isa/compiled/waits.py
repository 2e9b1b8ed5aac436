"""Which registers may wait for data that is under way: the wait counters (`run.wait_counters`) along all ways at once.

While an instruction's text is written, its registers and its memory tell what they do that counters look at.  Of each
basic block these deeds are followed from what may be under way where it begins, until nothing more is found:

    s_load_dword s4      s4 may be under way, with 0 accesses of `lgkm` behind it, which come back in any order
    global_load v1       v1 may be under way, with 0 of `vm` behind it
    global_load v2       v2 may be under way, with 0 behind it; v1, with 1
    s_waitcnt vmcnt(1)   v1 is there

Where ways meet, what is under way on one may be under way, with the least behind it.  So code of which nothing is said
here has no such fault in any run; what is said may have none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from layoutalg.isa.decode.instructions import Operand
from layoutalg.records import dataclass

Key = tuple[str, int, str]
"""A register and its half, or all of it."""

#: Accesses of LDS, whichever, as a register that nobody reads; and the last access of a counter that may overtake.
_LDS, _UNORDERED = ("LDS", 0, ""), ("unordered", 0, "")

_State = dict[tuple[Key, str], int]
"""What may be under way, on which counter, and how many accesses at least were issued there behind it."""


@dataclass(frozen=True)
class _Issued:
    counters: tuple[str, ...]
    unordered: bool


@dataclass(frozen=True)
class _Waited:
    left: Mapping[str, int]


@dataclass(frozen=True)
class _Touched:
    key: Key


@dataclass(frozen=True)
class _Loaded:
    key: Key
    counters: tuple[str, ...]
    ordered: bool


@dataclass(frozen=True)
class _Signalled:
    """The wave comes to a barrier."""


_Deed = _Issued | _Waited | _Touched | _Loaded | _Signalled


@dataclass
class WaitDeeds:
    """What the instructions of one basic block do, in their order."""

    deeds: list[_Deed] = field(default_factory=list)

    def issue(self, counters: tuple[str, ...], unordered: bool, lds: bool = False) -> None:
        """An access that these count up; of LDS, or of what may be it."""
        self.deeds.append(_Issued(counters, unordered))
        if lds:
            self.deeds.append(_Loaded(_LDS, counters[-1:], True))

    def wait(self, left: Mapping[str, int]) -> None:
        """A wait until so many are left."""
        self.deeds.append(_Waited(left))

    def touch(self, operand: Operand, half: str = "") -> None:
        """A register, or a half of it, is read or written."""
        self.deeds.append(_Touched((operand.kind, operand.index, half)))

    def load(self, operand: Operand, counters: tuple[str, ...], ordered: bool, half: str = "") -> None:
        """A register, or a half of it, is due on the access that was issued last."""
        self.deeds.append(_Loaded((operand.kind, operand.index, half), counters, ordered))

    def signal(self) -> None:
        """A barrier, of which the wave says that it has come there."""
        self.deeds.append(_Signalled())


def unwaited(deeds: Mapping[int, WaitDeeds], successors: Mapping[int, Sequence[int]], start: int) -> tuple[bool, bool]:
    """Whether a register may be touched before a wait, and whether an access of LDS may be under way at a barrier."""
    states: dict[int, _State] = {start: {}}
    ahead, touched, at_barrier = [start], False, False
    while ahead:
        address = ahead.pop()
        state = dict(states[address])
        for deed in deeds[address].deeds:
            touched |= not _followed(state, deed)
            at_barrier |= isinstance(deed, _Signalled) and any(key == _LDS for key, _ in state)
        for place in successors[address]:
            if place in deeds and _join(states, place, state):
                ahead.append(place)
    return touched, at_barrier


def _join(states: dict[int, _State], place: int, state: _State) -> bool:
    """Adds what may be under way where a block begins; whether that is new."""
    if place not in states:
        states[place] = dict(state)
        return True
    known, new = states[place], False
    for one, behind in state.items():
        if behind < known.get(one, behind + 1):
            known[one], new = behind, True
    return new


def _followed(state: _State, deed: _Deed) -> bool:
    """Carries a deed out; False where a register that it touches may be under way."""
    if isinstance(deed, _Issued):
        for one in [one for one in state if one[1] in deed.counters]:
            state[one] += 1
        state.update({(_UNORDERED, name): 0 for name in deed.counters if deed.unordered})
    elif isinstance(deed, _Waited):
        for name, left in deed.left.items():
            if left == 0 or (_UNORDERED, name) not in state:
                for one in [one for one, behind in state.items() if one[1] == name and behind >= left]:
                    del state[one]
    elif isinstance(deed, _Touched):
        return not any(_pending(state, deed.key))
    elif isinstance(deed, _Loaded):
        waits = deed.key == _LDS or (deed.ordered and len(deed.counters) == 1)
        fine = all(waits and name in deed.counters for name in _pending(state, deed.key))
        state.update({(deed.key, name): 0 for name in deed.counters})
        return fine
    return True


def _pending(state: _State, key: Key) -> Iterator[str]:
    """The counters on which a register, or what it has in common with its half, may wait."""
    kind, index, half = key
    return (
        name for (one, name) in state
        if one[:2] == (kind, index) and not (half and one[2] and half != one[2])
    )  # fmt: skip
