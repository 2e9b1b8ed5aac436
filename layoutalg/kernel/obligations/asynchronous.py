"""Asynchronous copies: what is under way at each point of a program, and when it has arrived.

A thread's copies write LDS at any moment from the `AsyncCopy` to the `Await` by which they have arrived; groups
arrive oldest first.  So each copy is in `Flight` between the two, and everything else in the proof follows from that:

| question                    | answer                                                                              |
|-----------------------------|-------------------------------------------------------------------------------------|
| what does LDS hold?         | what has arrived, from the `Await` on (`values`)                                    |
| who may touch those words?  | nobody, from the copy to the first barrier after the `Await` (`lds.no_race`)        |
| at the head of a loop?      | the newest n groups of earlier iterations, n as before the loop and after each one; |
|                             | and the copies that the one before has begun and not committed                      |
| before the first iteration? | the same copies, counted back: iterations −1, −2 … are what stands before the loop  |

    Copy tile 0; Commit; Copy tile 1; Commit; for k:  Await(1); Barrier; Copy tile k + 2; Commit; …
    head of k:     [tile k] [tile k + 1]           n = 2: of iterations k − 2 and k − 1
    after Await:            [tile k + 1]           tile k has arrived

Source: PTX ISA, cp.async (16 bytes, 0 where the source's size is 0), cp.async.commit_group, cp.async.wait_group N (all
but the N newest groups are complete and visible to the thread); the barrier after it makes them visible to the block.
Elsewhere a copy is a load and a store, done where it stands, which is one such moment.  What it cannot represent:
copies in loops without barriers, and a number of groups under way that changes from iteration to iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Generic, TypeVar

from layoutalg.index import TRUE, Expr, as_expr, extent_of
from layoutalg.kernel.access.address import address_of
from layoutalg.kernel.obligations import straight
from layoutalg.kernel.obligations.base import Requirement, inside
from layoutalg.kernel.program import (
    AsyncCopy,
    Await,
    BoxCopy,
    Commit,
    Load,
    Loop,
    Program,
    Statement,
    StraightCopy,
    apart,
    walk,
)
from layoutalg.layout import LayoutError
from layoutalg.prove import ForAll, Shown
from layoutalg.records import dataclass

BYTES = 16
T = TypeVar("T")


@dataclass
class Flight(Generic[T]):
    """Groups of copies under way, oldest first, and what was begun since the last `Commit`."""

    groups: list[tuple[T, ...]] = field(default_factory=list)
    begun: tuple[T, ...] = ()

    @property
    def under_way(self) -> tuple[T, ...]:
        """Every copy that has not been awaited."""
        return (*(one for group in self.groups for one in group), *self.begun)

    def copied(self) -> Flight[T]:
        """Another of the same copies."""
        return Flight(self.groups[:], self.begun)

    def put(self, change: Callable[[T], T]) -> Flight[T]:
        """The same copies, told otherwise."""
        return Flight([tuple(map(change, group)) for group in self.groups], tuple(map(change, self.begun)))

    def begin(self, one: T) -> None:
        """A copy begins."""
        self.begun += (one,)

    def commit(self) -> None:
        """What was begun is a group."""
        self.groups.append(self.begun)
        self.begun = ()

    def land(self, most: int) -> tuple[T, ...]:
        """What arrives, oldest first, so that at most so many groups stay under way.

        >>> flight = Flight([("a",), ("b",), ("c",)])
        >>> flight.land(1), flight.groups
        (('a', 'b'), [('c',)])
        """
        arrived = self.groups[: max(0, len(self.groups) - most)]
        self.groups = self.groups[len(arrived) :]
        return tuple(one for group in arrived for one in group)

    def at_head(self, loop: Loop, made: Callable[[AsyncCopy], T], at: Callable[[T, Expr], T]) -> Flight[T]:
        """What is under way at the head of an iteration: the groups that earlier ones have committed, and what the one
        before has begun since.

        LayoutError where that is not as much for all iterations.
        """
        name, index, count, each = loop.index.value.name, loop.index, len(self.groups), Flight[T]()
        for s in loop.body:
            if isinstance(s, AsyncCopy):
                each.begin(made(s))
            elif isinstance(s, Commit):
                each.commit()
        if groups_left(loop.body, count) != count:
            raise LayoutError(
                f"loop {name}: {count} groups of copies are under way before it, and not after each iteration; each "
                "iteration must commit and await as many"
            )
        if not each.groups:
            if each.begun:
                raise LayoutError(f"loop {name} begins copies, and commits none: ever more of them are under way")
            return self.copied()  # all of it from before the loop
        left = tuple(at(one, index - 1) for one in each.begun)
        issued = [(*left, *each.groups[0]), *each.groups[1:]]
        back, newest = 0, list[tuple[T, ...]]()
        while len(newest) < count:
            back += 1
            newest += [tuple(at(one, index - back) for one in group) for group in reversed(issued)]
        return Flight(newest[:count][::-1], left)


def groups_left(body: Sequence[Statement], count: int) -> int:
    """How many groups are under way after a body, of so many before it."""
    for s in body:
        if isinstance(s, Commit):
            count += 1
        elif isinstance(s, Await):
            count = min(count, s.groups)
    return count


def asynchronous(program: Program) -> Iterator[Requirement]:
    """What a copy needs beside its load's and its store's own obligations."""
    for number, s in program.statements():
        if isinstance(s, AsyncCopy):
            _refuse_parts(program, s)
            if not isinstance(s, BoxCopy):
                yield _whole(number, s)
            if isinstance(s, StraightCopy):
                yield from straight.straight(program, number, s)
            yield from _where_there_is_data(number, s)
        elif isinstance(s, Loop) and any(isinstance(t, Loop) and copies_in(t) for t in s.body):
            raise LayoutError(f"{program.name}: copies in a loop within a loop")
    for s in apart(program.body):
        if isinstance(s, Load) and s.only is not TRUE:
            raise LayoutError(f"{program.name}: a load of {s.tensor.name} has a condition; only copies may")
    kinds = {type(s) for s in walk(program.body) if isinstance(s, AsyncCopy)}
    if len(kinds) > 1:
        raise LayoutError(f"{program.name}: copies of two kinds, which are awaited in different ways")


def _whole(number: int, s: AsyncCopy) -> Requirement:
    """A thread's vector is what an instruction copies."""
    size = s.store.width * s.store.shared.dtype.bytes
    sizes = straight.BYTES if isinstance(s, StraightCopy) else (BYTES,)
    told = " or ".join(map(str, sizes))
    whole = ForAll(f"{told} bytes, not {size}", as_expr(int(size in sizes)))
    return Requirement(f"{number}: a copy to {s.store.shared.name} is one instruction", whole)


def copies_in(loop: Loop) -> bool:
    """Whether an iteration begins, commits or awaits copies."""
    return any(isinstance(s, AsyncCopy | Commit | Await) for s in walk(loop.body))


def _where_there_is_data(number: int, s: AsyncCopy) -> Iterator[Requirement]:
    """The test that is emitted, of the indices below padding, is the tensor's validity."""
    address = address_of(s.load.tensor)
    if address.valid is not TRUE:
        within = inside(list(address.padded.values()), [extent_of(i) for i in address.padded])
        shown = (Shown("indices", tuple(address.padded.values())),)
        both = (ForAll("in range where there is data", within, address.valid, shown),
                ForAll("data where they are in range", address.valid, within, shown))  # fmt: skip
        for claim in both:
            yield Requirement(f"{number}: indices below padding of {s.load.tensor.name}: {claim.label}", claim)


def _refuse_parts(program: Program, s: AsyncCopy) -> None:
    load, store = s.load, s.store
    kinds = {load.tensor.dtype, load.registers.dtype, store.shared.dtype}
    if load.registers != store.registers or load.vector_ys != store.vector_ys or len(kinds) != 1:
        raise LayoutError(f"{program.name}: a copy to {store.shared.name} must move the same elements as its load")
    if load.fill != "sum":
        raise LayoutError(f"{program.name}: a copy to {store.shared.name} leaves 0 outside, not what a max needs")


__all__ = ["Flight", "asynchronous", "copies_in", "groups_left"]
