"""Which registers wait for data that is still under way, for every wave: the model of the wait counters.

An access takes a ticket: the number of accesses its wave has issued on that counter.  A wait for at most n lets tickets
up to `issued - n` be done, unless accesses that come back in any order are under way: then only a wait for 0 does.
A register that is loaded is *due* until its ticket is done; reading it before is a `Fault`, and so is writing it
(the load would overwrite the value later).  Further loads of one counter to it may follow where they come in order.
Where a load keeps the half that it does not load, halves are registers of their own (LLVM: VGPR_16): each is due apart,
and an instruction waits for the half that it reads or writes (`Operand.high`, `MemoryInstruction.half_read`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from layoutalg.errors import Fault
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.spaces import Thread

Key = tuple[str, int]


class WaitCounters:
    """Tickets of each counter and the due registers."""

    def __init__(self, names: Iterable[str], waves: int, thread_of: Callable[[int], Thread]) -> None:
        """`thread_of` names the first thread of a wave."""
        self.thread_of = thread_of
        self.issued = {name: np.zeros(waves, np.int64) for name in names}
        self.done = {name: np.zeros(waves, np.int64) for name in self.issued}
        self.unordered = {name: np.zeros(waves, np.int64) for name in self.issued}  # ticket of the last such access
        self.open = set[str]()  # counters on which accesses may be under way
        self.due: dict[Key, dict[str, dict[str, Array]]] = {}  # register → its half, or all of it → counter → ticket

    def issue(self, names: tuple[str, ...], live: Array, unordered: bool) -> None:
        """The live waves (a truth for each) issue one access."""
        for name in names:
            self.open.add(name)
            self.issued[name] = self.issued[name] + live
            if unordered:
                self.unordered[name] = np.where(live, self.issued[name], self.unordered[name])

    def wait(self, left: Mapping[str, int], live: Array) -> None:
        """The live waves wait until at most so many accesses are left."""
        for name, count in left.items():
            if name not in self.open:
                continue
            known = (self.unordered[name] <= self.done[name]) | (count == 0)
            reached = np.maximum(self.done[name], self.issued[name] - count)
            self.done[name] = np.where(live & known, reached, self.done[name])
            if (self.done[name] == self.issued[name]).all():
                self.open.discard(name)

    def load(
        self, keys: Iterable[Key], names: tuple[str, ...], live: Array, ordered: bool, where: str, half: str = ""
    ) -> None:
        """Registers become due, on the tickets just issued; or halves of registers, which are due apart."""
        for key in keys:
            old = self._pending(key, live, half)
            if old and not (ordered and old.keys() == set(names)):
                raise self._fault(old, f"{key[0]}{key[1]} is loaded while another access to it is under way", where)
            due = self.due.setdefault(key, {}).setdefault(half, {})
            for name in names:
                due[name] = np.where(live, self.issued[name], due.get(name, np.zeros_like(self.issued[name])))

    def check(self, key: Key, live: Array, where: str, does: str, half: str = "") -> None:
        """A `Fault` when a live wave touches a register, or a half of it, whose data is under way."""
        if key in self.due:
            pending = self._pending(key, live, half)
            if pending:
                what = f"{key[0]}{key[1]} is {does} before a wait for its load ({', '.join(pending)})"
                raise self._fault(pending, what, where)

    def _fault(self, pending: Mapping[str, Array], what: str, where: str) -> Fault:
        thread = self.thread_of(int(np.argmax(next(iter(pending.values())))))
        return Fault("wait", f"{what}, {thread}", where, thread=thread)

    def _pending(self, key: Key, live: Array, half: str = "") -> Mapping[str, Array]:
        """Counters on which the register waits, and in which live waves; forgets what no wave waits for any more.

        Of a half it is asked what it has in common with what is under way: not what is to come to the other half.
        """
        found: dict[str, Array] = {}
        for part, tickets in [*self.due.get(key, {}).items()]:
            open_ = {name: ticket > self.done[name] for name, ticket in tickets.items()}
            if not any(waiting.any() for waiting in open_.values()):
                del self.due[key][part]
            elif not (part and half and part != half):
                for name, waiting in open_.items():
                    if (waiting & live).any():
                        found[name] = waiting & live | found.get(name, np.False_)
        if not self.due.get(key, {"": {}}):
            del self.due[key]
        return found
