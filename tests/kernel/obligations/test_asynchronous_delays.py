"""Random programs of copies, stores, groups, barriers and loops: whatever is proved is right under any delay.

A copy lands at any moment from where it begins to the wait by which its group is complete; one that is never awaited
may land at the very end (PTX ISA, cp.async, cp.async.commit_group, cp.async.wait_group).  Threads meet at barriers, and
between them run in any order.  Two threads stand for all: each copies a half of the tile, and reads both.

    copy A 0 │ commit │ await 0 │ barrier │ loop: read i │ copy A j │ …          j: the slot of the next turn

`LAYOUTALG_FUZZ=4000 pytest tests/kernel/obligations/test_asynchronous_delays.py` is a long run; failures name a seed.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from layoutalg.index import Expr, as_expr, var
from layoutalg.kernel.program import (
    AsyncCopy,
    Await,
    Barrier,
    Commit,
    Load,
    LoadShared,
    Loop,
    Program,
    Registers,
    Shared,
    Statement,
    Store,
    StoreShared,
    Tensor,
)
from layoutalg.kernel.program.fragments import encoded
from layoutalg.kernel.verify import requirements
from layoutalg.layout import (
    LayoutError,
    PassThrough,
    make_naive_tensor_descriptor,
    make_single_stage_tensor_adaptor,
)
from layoutalg.prove import Limits, Proved, prove
from layoutalg.target.dtypes import DTYPES
from tests.fuzzing import FIRST, KNOWN, count

# --- programs, as words and as statements -----------------------------------------------------------------------------

TURNS = 3


@dataclass(frozen=True)
class Op:
    """`copy`, `store`: of tensor `what` to a slot; `read`: of a slot; `await`: all but `what` groups; `loop`: a body.

    A slot is 0, 1, or that of the turn (i) or of the next one (j).
    """

    kind: str
    what: str = ""
    slot: str = "0"
    body: Ops = ()

    def __str__(self) -> str:
        return f"loop({text(self.body)})" if self.kind == "loop" else f"{self.kind} {self.what}{self.slot}"


Ops = tuple[Op, ...]


def text(ops: Ops) -> str:
    return "; ".join(map(str, ops))


F32 = DTYPES["f32"]
SQUARE = make_naive_tensor_descriptor((16, 16), (16, 1))
A, B, TARGET = (Tensor(name, F32, SQUARE, ("r", "c")) for name in ("source", "other", "target"))
VIA = Registers("via", F32, encoded([], [[16], [4, 4]], [[(1, 0), (2, 0)]], [(2, 1)]))
GOT = Registers("got", F32, encoded([], [[4, 4], [16]], [[(2, 0), (1, 0)]], [(1, 1)]))  # what other threads have copied
LDS = Shared("x_lds", F32, 256, 2)
GRID, THREADS = (var("b0", 1), var("b1", 1)), (var("tx", 64),)
ORIGIN = tuple(b * 16 for b in GRID)


def place(name: str, turn: Expr) -> Expr:
    """The slot that a name means in a turn."""
    return {"0": as_expr(0), "1": as_expr(1), "i": turn % 2, "j": (turn + 1) % 2}[name]


def program_of(ops: Ops) -> Program:
    """The program, whose register is stored at the end: it is to hold A."""
    indices = (var(f"i{n}", TURNS) for n in itertools.count())

    def statements(ops: Ops, turn: Expr) -> Iterator[Statement]:
        for op in ops:
            at = place(op.slot, turn)
            if op.kind in ("copy", "store"):
                parts = Load(VIA, A if op.what == "A" else B, ORIGIN, 0), StoreShared(LDS, SQUARE, VIA, 0, at)
                yield from (AsyncCopy(*parts),) if op.kind == "copy" else parts
            elif op.kind == "loop":
                yield Loop(index := next(indices), tuple(statements(op.body, index)))
            else:
                yield {"commit": Commit(), "barrier": Barrier(), "read": LoadShared(GOT, LDS, SQUARE, None, at),
                       "await": Await(int(op.what or 0), (LDS,))}[op.kind]  # fmt: skip

    tiles = make_single_stage_tensor_adaptor([PassThrough(as_expr(1))] * 2, [[0], [1]], [[0], [1]])
    body = (*statements(ops, as_expr(0)), Store(TARGET, GOT, ORIGIN))
    return Program("flights", A, TARGET, (), GRID, THREADS, THREADS, tiles, (16, 16), body, inputs=(B,))


# --- their runs -------------------------------------------------------------------------------------------------------

Word = tuple[int, int]
"""A slot, and whose half of it."""


@dataclass(eq=False)
class Copy:
    """A copy under way."""

    word: Word
    value: str


@dataclass
class Thread:
    """Where a thread is, its copies, and what it has read last of both halves."""

    number: int
    at: int = 0
    begun: list[Copy] = field(default_factory=list)
    groups: list[list[Copy]] = field(default_factory=list)
    register: tuple[str, ...] = ()


def unrolled(ops: Ops, turn: int = 0) -> Iterator[tuple[Op, int]]:
    """Every operation as it is done, with its slot."""
    for op in ops:
        if op.kind == "loop":
            for inner in range(TURNS):
                yield from unrolled(op.body, inner)
        else:
            yield op, {"0": 0, "1": 1, "i": turn % 2, "j": (turn + 1) % 2}[op.slot]


class Run:
    """A run by one schedule: who goes on next, and when each copy lands."""

    def __init__(self, ops: Ops, rng: random.Random) -> None:
        self.trace, self.rng = list(unrolled(ops)), rng
        self.lds: dict[Word, str] = {}
        self.threads = [Thread(0), Thread(1)]
        self.under_way: list[Copy] = []
        self.soon = rng.choice([0.0, 0.1, 0.5, 1.0])  # how likely a copy lands at a step
        self.same = rng.choice([0.1, 0.5, 0.9])  # how likely the thread of the last step goes on

    def registers(self) -> list[tuple[str, ...]]:
        """What the threads hold at the end."""
        thread = self.threads[0]
        while live := [t for t in self.threads if t.at < len(self.trace)]:
            free = [t for t in live if not self.waits(t)]
            if not free:  # all are at the barrier
                for t in live:
                    t.at += 1
                continue
            if thread not in free or self.rng.random() > self.same:
                thread = self.rng.choice(free)
            self.step(thread, *self.trace[thread.at])
            thread.at += 1
            for copy in [c for c in self.under_way if self.rng.random() < self.soon]:
                self.land(copy)
        return [t.register for t in self.threads]

    def waits(self, thread: Thread) -> bool:
        return self.trace[thread.at][0].kind == "barrier"

    def land(self, copy: Copy) -> None:
        self.lds[copy.word] = copy.value
        self.under_way.remove(copy)

    def step(self, thread: Thread, op: Op, slot: int) -> None:
        own = (slot, thread.number)
        if op.kind == "copy":
            thread.begun.append(Copy(own, op.what))
            self.under_way.append(thread.begun[-1])
        elif op.kind == "store":
            self.lds[own] = op.what
        elif op.kind == "commit":
            thread.groups.append(thread.begun)
            thread.begun = []
        elif op.kind == "await":
            done = len(thread.groups) - int(op.what)
            for group in thread.groups[: max(0, done)]:
                for copy in self.rng.sample(group, len(group)):
                    if copy in self.under_way:
                        self.land(copy)
            thread.groups = thread.groups[max(0, done) :]
        elif op.kind == "read":
            thread.register = tuple(self.lds.get((slot, half), "?") for half in (0, 1))


def wrong_run(ops: Ops, rng: random.Random, runs: int = 60) -> str:
    """What a run leaves that is not A; "" where none of them does."""
    found = (Run(ops, rng).registers() for _ in range(runs))
    return next((str(one) for one in found if one != [("A", "A")] * 2), "")


# --- drawn at random --------------------------------------------------------------------------------------------------


def ops(words: str) -> Ops:
    """Operations as they are written: `copy A 0; loop(await 0; read i)`."""
    found: list[Op] = []
    rest = words
    while rest := rest.strip(" ;"):
        if rest.startswith("loop("):
            depth, end = 1, 5
            while depth:
                depth += {"(": 1, ")": -1}.get(rest[end], 0)
                end += 1
            found.append(Op("loop", body=ops(rest[5 : end - 1])))
            rest = rest[end:]
            continue
        word, _, rest = rest.partition(";")
        match word.split():
            case [kind, what, slot]:
                found.append(Op(kind, what, slot))
            case ["await", groups]:
                found.append(Op("await", groups))
            case [kind, *slots]:
                found.append(Op(kind, "", *slots))
    return tuple(found)


RIGHT = [
    "copy A 0; commit; await 0; barrier; read 0",
    "copy A 0; commit; loop(await 0; barrier; read i; copy A j; commit); await 0",
    "copy A 0; commit; copy A 1; commit; loop(await 1; barrier; read i; barrier; copy A i; commit); await 0",
    "copy A 0; commit; await 0; barrier; loop(read 0; barrier; copy A 0; commit; await 0; barrier); await 0",
    "copy A 0; loop(commit; await 0; barrier; read 0; barrier; copy A 0); commit; await 0",
    "copy A 0; commit; copy A 1; loop(await 0; barrier; read i; barrier; commit; copy A i); commit; await 0",
    "copy A 0; commit; await 0; copy B 1; loop(barrier; read 0); commit; await 0",
    "copy A 0; commit; await 0; barrier; loop(loop(read 0)); read 0",
    "copy A 0; commit; await 0; loop(barrier; read 0; barrier); await 0",
    "copy A 0; commit; await 0; loop(barrier; read 0; barrier; commit; await 0); commit; await 0",
    "store A 0; barrier; loop(read 0; barrier; store A 0; barrier); read 0",
    "store B 1; copy A 0; commit; await 0; barrier; loop(read 0; barrier; copy A 0; commit; await 0; barrier)",
]


def drawn(rng: random.Random) -> Op:
    slot, kinds = rng.choice("01ij"), ("copy", "copy", "store", "commit", "await", "barrier", "barrier", "read")
    kind = rng.choice(kinds)
    return Op(kind, rng.choice("AAB") if kind in ("copy", "store") else rng.choice("0012"), slot)


def edited(ops: Ops, rng: random.Random) -> Ops:
    """The operations with one of them left out, added, moved, said otherwise, or taken into a loop or out of it."""
    if rng.random() < 0.25:
        at = rng.randrange(len(ops) + 1)
        return (*ops[:at], drawn(rng), *ops[at:])
    at = rng.randrange(len(ops))
    if ops[at].kind == "loop" and ops[at].body and rng.random() < 0.7:
        return (*ops[:at], Op("loop", body=edited(ops[at].body, rng)), *ops[at + 1 :])
    before, one, after = ops[:at], ops[at], ops[at + 1 :]
    match rng.randrange(5):
        case 0:
            return (*before, *after) or ops
        case 1:
            other = rng.randrange(len(ops))
            return (*(*before, *after)[:other], one, *(*before, *after)[other:])
        case 2:
            new = drawn(rng)
            return (*before, Op(one.kind, new.what if new.kind == one.kind else one.what, new.slot, one.body), *after)
        case 3:
            return (*before, *one.body, *after) if one.kind == "loop" else (*before, Op("loop", body=(one,)), *after)
        case _:
            return (*before, one, one, *after)


def random_ops(rng: random.Random) -> Ops:
    found = ops(rng.choice(RIGHT))
    for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 4])):
        found = edited(found, rng)
    return (*found, Op("await", "0"))


def is_proved(ops: Ops) -> bool:
    """Whether every obligation is proved; the first that is not ends it."""
    try:
        return all(isinstance(prove(r.claim, limits=Limits(seconds=1)), Proved) for r in requirements(program_of(ops)))
    except LayoutError:
        return False


AWAITED = "copy A 0; commit; await 0; "
WRONG = {
    "begun by an iteration, under way in the next": f"{AWAITED} loop(barrier; read 0; barrier; copy B 0)",
    "committed and awaited by the next, too late":
        f"{AWAITED} copy B 0; loop(barrier; read 0; barrier; commit; await 0; copy B 0); commit; await 0",
    "under way behind the loop":
        f"{AWAITED} loop(barrier; commit; await 0; copy B 0); barrier; read 0; commit; await 0",
    "never committed": f"{AWAITED} barrier; read 0; copy A 1; await 0",
    "never awaited": f"{AWAITED} barrier; read 0; copy A 1; commit",
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_copies_that_are_left_under_way_are_not_forgotten(name: str) -> None:
    assert not is_proved(ops(WRONG[name]))


@pytest.mark.parametrize("words", RIGHT)
def test_what_is_right_is_proved(words: str) -> None:
    right = (*ops(words), Op("await", "0"))
    assert not wrong_run(right, random.Random(0))
    assert is_proved(right)


@pytest.mark.fuzz
def test_what_is_proved_is_right_under_any_delay() -> None:
    found: Counter[tuple[bool, bool]] = Counter()
    cases = count(60, dear=1)
    for seed in range(FIRST, FIRST + cases):
        rng = random.Random(seed)
        program = random_ops(rng)
        wrong, proved = wrong_run(program, rng), is_proved(program)
        assert not (proved and wrong), f"seed {seed}: proved, and leaves {wrong}: {text(program)}"
        found[proved, not wrong] += 1
    if KNOWN:
        assert found[True, True] > cases // 8, found
        assert found[False, False] > cases // 8, found
