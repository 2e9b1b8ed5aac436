"""Wait counters on all paths at once: of each register that waits for data, how many accesses must have followed.

For a register and a counter, `age` is the least number of accesses that were issued on the counter after the register's
own, over all paths that lead here.  A wait that leaves at most n under way is a wait for the register when n ≤ age (and
n = 0 when accesses that come back in any order are under way).  Where paths meet, the younger age counts.

Where a load of 16 bits keeps the other half of its register, the halves wait apart (LLVM: halves are registers of their
own, VGPR_16): both may be under way, in any order, and an instruction waits for the half that it looks at.

Where waves have first caches of their own, an access of memory is under way until a wait for its counter: of each
instruction the youngest is followed, behind which the others are done.  So are scalar loads everywhere, which go by a
cache of their own: a store that they are not waited for before may come first.

An access of LDS, and a load to LDS, may be under way while its wave passes barriers.  Those of one instruction are told
apart by how many barriers its wave has passed since: of each such number the youngest is followed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from itertools import pairwise

from layoutalg.records import dataclass
from layoutalg.symex.machine.sight import Sight

Key = tuple[str, int]

HALVES = ("low", "high")

#: Barriers over which an access of LDS may be under way, at most.
MOST_SPANNED = 8

#: What stands for an access of LDS, and for a load to LDS, beside its instruction's address: by the barriers since.
OF_LDS = tuple(f"lds {passed}" for passed in range(MOST_SPANNED + 1))
TO_LDS = tuple(f"to lds {passed}" for passed in range(MOST_SPANNED + 1))

_SPANNED = {name: passed for names in (OF_LDS, TO_LDS) for passed, name in enumerate(names)}
_LATER = {name: later for names in (OF_LDS, TO_LDS) for name, later in pairwise(names)}

#: What stands for an access of memory, beside its instruction's address.
MEMORY = "memory"

#: What stands for a scalar load of memory that may be stored to, likewise.
SCALAR = "scalar load"

#: What stands for a copy from LDS to memory, likewise.
BACK = "copy from LDS"

#: What stands for an instruction that writes back, likewise.
WRITE_BACK = "write back"


@dataclass
class Outstanding:
    """Ages by register and counter; and the counters on which unordered accesses are under way."""

    ages: dict[Key, dict[str, int]] = field(default_factory=dict)
    unordered: frozenset[str] = frozenset()
    sight: Sight = field(default_factory=Sight)  # where waves may know of others by atomic operations

    def copy(self) -> Outstanding:
        """An independent copy."""
        return Outstanding({key: dict(ages) for key, ages in self.ages.items()}, self.unordered, self.sight)

    def issue(self, counters: Iterable[str], keys: Iterable[Key], unordered: bool) -> None:
        """One access on these counters, whose data goes to these registers."""
        names = tuple(counters)
        for ages in self.ages.values():
            for name in names:
                if name in ages:
                    ages[name] += 1
        for key in keys:
            self.ages.setdefault(key, {}).update(dict.fromkeys(names, 0))
        if unordered:
            self.unordered |= frozenset(names)

    @property
    def accesses(self) -> frozenset[int]:
        """The instructions of which an access of memory may be under way (`access_at`)."""
        return frozenset(address for name, address in self.ages if name == MEMORY)

    @property
    def scalar_loads(self) -> frozenset[int]:
        """The instructions of which a scalar load of memory may be under way (`scalar_load_at`)."""
        return frozenset(address for name, address in self.ages if name == SCALAR)

    @property
    def copies_back(self) -> frozenset[int]:
        """The instructions of which a copy from LDS to memory may be under way (`copy_back_at`)."""
        return frozenset(address for name, address in self.ages if name == BACK)

    @property
    def unseen(self) -> frozenset[int]:
        """The instructions whose accesses of memory other blocks may not see yet, or which are not done."""
        return self.accesses | self.sight.unseen

    @property
    def writes_back(self) -> bool:
        """Whether what a cache keeps may be on its way back."""
        return any(name == WRITE_BACK for name, _ in self.ages)

    def write_back(self, counters: Iterable[str], address: int) -> None:
        """An instruction writes back what a cache keeps from other blocks; a wait for it is one for that."""
        self.issue(counters, [(WRITE_BACK, address)], False)
        self.sight = self.sight.writing_back()

    @property
    def uses_lds(self) -> bool:
        """Whether an access of LDS may be under way that is no load to it."""
        return any(name in OF_LDS for name, _ in self.ages)

    @property
    def loads_to_lds(self) -> frozenset[int]:
        """The instructions of which a load to LDS, or a copy from there, may be under way."""
        return frozenset(address for name, address in self.ages if name in TO_LDS)

    def pass_barrier(self) -> Mapping[int, int]:
        """A barrier is passed: of each instruction whose access of LDS is under way, how many since, at most.

        Of what is under way over more than `MOST_SPANNED` no more may follow.
        """
        spanned: dict[int, int] = {}
        for name, address in self.ages:
            if name in _SPANNED:
                spanned[address] = max(spanned.get(address, 0), _SPANNED[name] + 1)
        self.ages = {(_LATER.get(name, name), address): ages for (name, address), ages in self.ages.items()}
        return spanned

    def wait(self, left: Mapping[str, int]) -> None:
        """Waits until at most so many are under way."""
        for name, count in left.items():
            if count and name in self.unordered:
                continue
            for key, ages in list(self.ages.items()):
                if ages.get(name, -1) >= count:
                    del ages[name]
                if not ages:
                    del self.ages[key]
            if not count:
                self.unordered -= {name}
        if self.sight.leaving and not self.writes_back:
            self.sight = self.sight.written_back()

    def open(self, key: Key, half: str = "") -> bool:
        """Whether the register, or what a half of it has in common with what is loaded, may still wait for its data."""
        return any(part in self.ages for part in _parts(key, half))

    def only(self, key: Key, counters: tuple[str, ...], half: str = "") -> bool:
        """Whether it waits on these counters alone, which bring their data in order."""
        names = {name for part in _parts(key, half) for name in self.ages.get(part, ())}
        return names <= set(counters) and not self.unordered & set(counters)

    def join(self, other: Outstanding) -> None:
        """What is certain on both of two paths."""
        for key, ages in other.ages.items():
            mine = self.ages.setdefault(key, {})
            for name, age in ages.items():
                mine[name] = min(age, mine.get(name, age))
        self.unordered |= other.unordered
        self.sight = self.sight.joined(other.sight)


def half_of(key: Key, half: str) -> Key:
    """A half of a register, or all of it."""
    return (f"{key[0]} {half}", key[1]) if half else key


def access_at(address: int) -> Key:
    """The youngest access of memory by an instruction."""
    return (MEMORY, address)


def scalar_load_at(address: int) -> Key:
    """The youngest scalar load of memory by an instruction."""
    return (SCALAR, address)


def copy_back_at(address: int) -> Key:
    """The youngest copy from LDS to memory by an instruction."""
    return (BACK, address)


def lds_at(address: int, brings: bool = False) -> Key:
    """The youngest access of LDS by an instruction, or load to LDS that it `brings`, since which is no barrier."""
    return ((TO_LDS if brings else OF_LDS)[0], address)


def _parts(key: Key, half: str) -> tuple[Key, ...]:
    return (key, *(half_of(key, one) for one in ((half,) if half else HALVES)))
