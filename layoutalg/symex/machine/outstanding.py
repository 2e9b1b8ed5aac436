"""Wait counters on all paths at once: of each register that waits for data, how many accesses must have followed.

For a register and a counter, `age` is the least number of accesses that were issued on the counter after the register's
own, over all paths that lead here.  A wait that leaves at most n under way is a wait for the register when n ≤ age (and
n = 0 when accesses that come back in any order are under way).  Where paths meet, the younger age counts.

Where a load of 16 bits keeps the other half of its register, the halves wait apart (LLVM: halves are registers of their
own, VGPR_16): both may be under way, in any order, and an instruction waits for the half that it looks at.

Where waves have first caches of their own, an access of memory is under way until a wait for its counter: of each
instruction the youngest is followed, behind which the others are done.  So are scalar loads everywhere, which go by a
cache of their own: a store that they are not waited for before may come first.

Loads to LDS wait without a register: of each that may be under way it is known how many barriers the wave has passed
since, at most.  Those of one instruction are told apart by how many of them followed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from layoutalg.symex.machine.sight import Sight

Key = tuple[str, int]

HALVES = ("low", "high")

#: Loads to LDS by one instruction that are followed while they are under way at once.
GENERATIONS = 8

#: Stands for the LDS accesses of the wave, which a barrier must find done.
LDS: Key = ("lds", 0)

#: What stands for an access of memory, beside its instruction's address.
MEMORY = "memory"

#: What stands for a scalar load of memory that may be stored to, likewise.
SCALAR = "scalar load"

#: What stands for an instruction that writes back, likewise.
WRITE_BACK = "write back"


@dataclass
class Outstanding:
    """Ages by register and counter; and the counters on which unordered accesses are under way."""

    ages: dict[Key, dict[str, int]] = field(default_factory=dict)
    unordered: frozenset[str] = frozenset()
    passed: dict[Key, int] = field(default_factory=dict)  # of loads to LDS: barriers since, at most
    sight: Sight = field(default_factory=Sight)  # where waves may know of others by atomic operations

    def copy(self) -> Outstanding:
        """An independent copy."""
        return Outstanding(
            {key: dict(ages) for key, ages in self.ages.items()}, self.unordered, dict(self.passed), self.sight
        )

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

    def issue_to_lds(self, counters: Iterable[str], address: int, keys: Iterable[Key] = ()) -> bool:
        """A load to LDS by the instruction of this address, its youngest; whether no more than `GENERATIONS` are.

        `keys`: what waits for it besides.
        """
        for number in range(GENERATIONS - 1, 0, -1):
            younger, older = _load_to_lds(address, number - 1), _load_to_lds(address, number)
            if younger in self.ages:
                self.ages[older], self.passed[older] = self.ages.pop(younger), self.passed.pop(younger)
        self.issue(counters, [_load_to_lds(address, 0), *keys], False)
        self.passed[_load_to_lds(address, 0)] = 0
        return _load_to_lds(address, GENERATIONS - 1) not in self.ages

    @property
    def accesses(self) -> frozenset[int]:
        """The instructions of which an access of memory may be under way (`access_at`)."""
        return frozenset(address for name, address in self.ages if name == MEMORY)

    @property
    def scalar_loads(self) -> frozenset[int]:
        """The instructions of which a scalar load of memory may be under way (`scalar_load_at`)."""
        return frozenset(address for name, address in self.ages if name == SCALAR)

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
    def loads_to_lds(self) -> frozenset[Key]:
        """The loads to LDS that may be under way."""
        return frozenset(key for key in self.ages if key in self.passed)

    def pass_barrier(self) -> Mapping[int, int]:
        """A barrier is passed: of each instruction that loads to LDS and is under way, how many barriers since."""
        found: dict[int, int] = {}
        for key in self.loads_to_lds:
            self.passed[key] += 1
            found[key[1]] = max(found.get(key[1], 0), self.passed[key])
        return found

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
                    self.passed.pop(key, None)
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
        for key, count in other.passed.items():
            self.passed[key] = max(count, self.passed.get(key, 0))


def half_of(key: Key, half: str) -> Key:
    """A half of a register, or all of it."""
    return (f"{key[0]} {half}", key[1]) if half else key


def access_at(address: int) -> Key:
    """The youngest access of memory by an instruction."""
    return (MEMORY, address)


def scalar_load_at(address: int) -> Key:
    """The youngest scalar load of memory by an instruction."""
    return (SCALAR, address)


def _load_to_lds(address: int, number: int) -> Key:
    """A load to LDS by an instruction, the n-th youngest."""
    return (f"to lds {number}", address)


def _parts(key: Key, half: str) -> tuple[Key, ...]:
    return (key, *(half_of(key, one) for one in ((half,) if half else HALVES)))
