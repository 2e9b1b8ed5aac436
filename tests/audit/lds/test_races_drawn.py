"""Drawn accesses of LDS, in and around loops: what is proved of them holds of every run of a few turns, enumerated."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.ask import Answer, Ask
from layoutalg.audit.lds.initialised import Initialised
from layoutalg.audit.lds.races import LdsRaces
from layoutalg.audit.lds.tables import LdsTables
from layoutalg.index import FALSE, TRUE, Expr, as_expr, div, eq, mod, symbol, value, var, xor
from layoutalg.launch.symbolic import LDS
from layoutalg.prove import Limits, Obligation, Proved, prove
from layoutalg.symex.loops.inferred import MOST
from layoutalg.symex.trace import Trace
from tests.fuzzing import FIRST, KNOWN, count

N = symbol("N", min=1, max=64)
THREAD, T, U = var("thread_x", 8), var("t", N), var("u", N)
WAVE = 4
LIMITS = Limits(seconds=1, steps=100_000)
LAUNCHED: Any = SimpleNamespace(
    kernel=SimpleNamespace(wave_size=WAVE, target="gfx942"), threads=(THREAD,), thread_number=THREAD,
    most=(8,), exists=TRUE, sizes={"N": N}, alike=frozenset({N}),
    blocks=(), arguments=(), given=TRUE,
)  # fmt: skip


def instruction(number: int) -> Any:
    return SimpleNamespace(address=number, name="DS")


class Asked(Ask):
    """The prover alone, of kernels of which nothing else is known."""

    def __init__(self) -> None:
        super().__init__(LAUNCHED, Trace())

    def decide(self, about: str, obligation: Obligation, limits: Limits = LIMITS) -> Answer:
        return Answer(about, prove(obligation, limits=LIMITS))


class Drawn:
    """Accesses in order: some before a loop, a loop (perhaps with another within), some behind it."""

    def __init__(self, random: Random) -> None:
        self.random, self.found = random, list[TracedAccess]()
        self.barriers: Expr = as_expr(0)
        self.often, self.free = random.choice([0.5, 0.9, 1.0]), random.choice([0.3, 0.7, 0.9])
        for slot in range(random.choice([0, 0, 1, 2, 3])):  # what all threads fill first
            self.found.append(
                TracedAccess(instruction(slot), True, LDS, *2 * (THREAD * 2 + 16 * slot,), 2, TRUE, as_expr(0), FALSE)
            )
        self.some(2, ())
        self.loop((T,), nested=random.random() < 0.3)
        self.some(2, ())

    def loop(self, loops: tuple[Expr, ...], nested: bool) -> None:
        before, t = self.barriers, loops[-1]
        mark = len(self.found)
        self.some(3, loops)
        if nested:
            self.loop((*loops, U), nested=False)
            self.some(1, loops)
        each = self.barriers - before
        for k in range(mark, len(self.found)):
            one = self.found[k]
            self.found[k] = replace(one, barriers=one.barriers + each * t)
        self.barriers = before + each * N

    def some(self, most: int, loops: tuple[Expr, ...]) -> None:
        for _ in range(self.random.randint(1, most)):
            if self.random.random() < self.often:
                self.barriers = self.barriers + 1
            lane = self.random.choice([THREAD, THREAD, xor(THREAD, 1), xor(THREAD, 4), 7 - THREAD, div(THREAD, 2)])
            slots = self.random.choice([1, 1, 2, 3])
            turn: Expr = self.random.choice([*loops, *loops, N, FALSE]) + self.random.randint(-1, 2)
            slot = mod(turn + 6, slots)
            guards = [THREAD < 4, THREAD < N, N <= THREAD, eq(mod(THREAD, 2), 0), N < 3]
            guards += [loops[-1] + 1 < N, loops[-1] > 0] if loops else []
            guard = TRUE if self.random.random() < self.free else self.random.choice(guards)
            width = self.random.choice([1, 1, 1, 2])
            store, atomic = self.random.random() < 0.6, self.random.random() < 0.2
            offset = slot * 16 + lane * (2 if width == 2 else 1)
            if atomic:
                store, width = True, self.random.choice([4, 4, 8])
                offset = slot * 16 + mod(lane, 16 // width) * width
            what = instruction(len(self.found)), store, LDS, offset, offset, width, guard
            plain = store and not atomic
            stored = (as_expr(self.random.randint(5, 6)),) if plain and self.random.random() < 0.3 else ()
            uniform = plain and self.random.random() < 0.3
            self.found.append(TracedAccess(*what, self.barriers, FALSE, loops, atomic, stored=stored, uniform=uniform))


def moments(found: Sequence[TracedAccess], n: int, depth: int = 0) -> Iterator[tuple[TracedAccess, Mapping[Expr, int]]]:
    """Each access in each turn, in the order of a wave."""
    at = 0
    while at < len(found):
        loop = found[at].loops[depth : depth + 1]
        end = at
        while end < len(found) and found[end].loops[depth : depth + 1] == loop:
            end += 1
        if not loop:
            yield from ((one, {N: n}) for one in found[at:end])
        else:
            for turn in range(n):
                yield from ((one, {**here, loop[0]: turn}) for one, here in moments(found[at:end], n, depth + 1))
        at = end


def wrong(found: Sequence[TracedAccess], n: int) -> set[str]:
    """The claims that fail at this size: each access of each byte, one by one."""
    seen: dict[int, list[tuple[TracedAccess, int, int, int, int, int]]] = {}
    fails: set[str] = set()
    for order, (one, turns) in enumerate(moments(found, n)):
        barriers = value(one.barriers, turns)
        for thread in range(8):
            at = {**turns, THREAD: thread}
            if not value(one.guard, at):
                continue
            start = value(one.offset, at)
            for byte in range(start, start + one.width):
                before = seen.setdefault(byte, [])
                for other, wave, interval, when, by, begun in before:
                    same = wave == thread // WAVE and (when != order or not one.store or by == thread)
                    same |= one.atomic and other.atomic and one.width == other.width
                    if begun == start and one.width == other.width and one.store and other.store:
                        same |= bool(one.stored) and one.stored == other.stored
                        same |= one.uniform and when == order and wave == thread // WAVE
                    if not same and interval == barriers and (other.store or one.store):
                        fails.add("race_free")
                if (one.atomic or not one.store) and not any(
                    other.store and (wave == thread // WAVE or interval < barriers) and (when != order or by != thread)
                    for other, wave, interval, when, by, _ in before
                ):
                    fails.add("initialised")
                before.append((one, thread // WAVE, barriers, order, thread, start))
    return fails


def proved(found: Sequence[TracedAccess]) -> set[str]:
    """The claims that are proved of all sizes."""
    tables, ask = LdsTables.of(found, LAUNCHED), Asked()
    read = Initialised(tables, ask)
    races, initialised = (one.decided() for one in LdsRaces(tables, ask).meetings()), map(read.decided, read.reads)
    claims = {"race_free": races, "initialised": initialised}
    return {name for name, answers in claims.items() if all(isinstance(one.verdict, Proved) for one in answers)}


def access(store: bool, offset: Expr, barriers: Expr) -> TracedAccess:
    return TracedAccess(instruction(store), store, LDS, offset, offset, 1, TRUE, barriers, FALSE, (T,))


@pytest.mark.parametrize("slots", [1, 2, 3, 4])
def test_a_slot_of_any_turn_meets_what_no_turn_moves(slots: int) -> None:
    """One barrier each turn: a turn's store meets the next one's read, of which the turns are all alike."""
    slot = mod(T + 1, slots) * 16
    found = access(False, xor(THREAD, 4), T), access(True, slot + THREAD, T + 1)
    assert "race_free" in wrong(found, 6) - proved(found)
    beside = access(False, xor(THREAD, 4) + 16 * slots, T), found[1]
    assert "race_free" in proved(beside) - wrong(beside, 6)


@pytest.mark.parametrize(("turn", "slots", "certain"), [
    (T, 2, True), (T, 1, True), (var("turn", MOST), 1, True), (var("turn", MOST), 2, False),
])  # fmt: skip
def test_of_turns_that_lanes_leave_for_themselves_only_the_first_is_certain(
    turn: Expr, slots: int, certain: bool
) -> None:
    """Another lane of the wave may have left the loop before it stored to the second slot."""
    slot = mod(turn, slots) * 16
    found = [
        TracedAccess(instruction(1), True, LDS, *2 * (slot + THREAD,), 1, TRUE, as_expr(0), FALSE, (turn,)),
        TracedAccess(instruction(2), False, LDS, *2 * (slot + xor(THREAD, 1),), 1, TRUE, as_expr(0), FALSE, (turn,)),
    ]
    assert ("initialised" in proved(found)) == certain
    behind = TracedAccess(instruction(3), False, LDS, *2 * (xor(THREAD, 1),), 1, TRUE, as_expr(0), FALSE)
    assert "initialised" in proved([found[0], behind])


@pytest.mark.fuzz
@pytest.mark.slow
def test_what_is_proved_of_drawn_accesses_holds() -> None:
    both = 0
    for seed in range(FIRST, FIRST + count(60, dear=10)):
        found = Drawn(Random(seed)).found
        claims = proved(found)
        both += len(claims)
        for n in (1, 2, 3, 4, 6) if claims else ():
            assert not claims & wrong(found, n), (seed, n)
    if KNOWN:
        assert both
