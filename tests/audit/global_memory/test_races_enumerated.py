"""Races held against enumeration: kernels' accesses as formulas, drawn with faults in them, at all small sizes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.ask import Answer, Ask
from layoutalg.audit.global_memory.own_rows import OwnRows
from layoutalg.audit.global_memory.races import meetings
from layoutalg.index import FALSE, TRUE, Expr, all_of, const, eq, maximum, symbol, value, var, variables
from layoutalg.prove import Limits, Obligation, prove
from layoutalg.symex.trace import Trace
from layoutalg.symex.values.unknowns import Kind, unknown_value

N, M = symbol("N", min=1, max=5), symbol("M", min=1, max=4)
T = 4
ERROR = unknown_value("error", 3, Kind.DATA)
Y, X = var("thread_y", 2), var("thread_x", T)
KERNEL = SimpleNamespace(one_cache=True, architecture=SimpleNamespace(name="cdna"))
LIMITS = Limits(seconds=2, steps=300_000, choices=8)


class Drawn:
    """One kernel: the accesses of a plan, each of its numbers and guards perhaps another than it should be."""

    def __init__(self, seed: int, name: str = "") -> None:
        self.random = random = Random(seed)
        self.faults = random.choice([0.0, 0.1, 0.2])
        plans = [self.rows, self.columns, self.unrolled, self.grid_stride, self.wide, self.split]
        plan = getattr(self, name) if name else random.choice(plans)
        blocks = {self.rows: (M + T - 1) // T, self.grid_stride: const(2), self.split: const(3)}
        self.block = var("block_x", blocks.get(plan, (N + T - 1) // T))
        self.at = self.block * self.off(T) + X
        self.accesses: list[TracedAccess] = []
        plan()
        launched: Any = SimpleNamespace(
            blocks=(self.block,),
            threads=(X, Y),
            given=TRUE,
            sizes={"N": N, "M": M},
            arguments=(),
            kernel=KERNEL,
        )
        self.launched = launched

    def off(self, number: Any) -> Any:
        """The number, or with a fault one beside it."""
        return number + self.random.choice([-1, 1]) if self.random.random() < self.faults else number

    def put(self, element: Expr, *guard: Expr, store: bool = True, width: int = 4) -> None:
        """An access of elements from one on; with a fault a part of its guard is missing."""
        instruction: Any = SimpleNamespace(address=0x10, name="ACCESS", form="GLOBAL")
        kept = all_of(*(part for part in guard if self.random.random() >= self.faults))
        self.accesses.append(
            TracedAccess(instruction, store, "x", *2 * (element * width,), width, kept, const(0), undefined=FALSE)
        )

    def rows(self) -> None:
        """Each thread has a row, in a loop over its columns."""
        turn = var("iteration_0", self.off(N))
        self.put(self.at * N + turn, self.at < M, eq(Y, 0))
        self.put(self.at * N + self.off(turn), self.at < M, eq(Y, 0), store=False)

    def columns(self) -> None:
        """Each thread has a column, and every second row of it."""
        row = var("iteration_0", M) * 2 + Y
        self.put(row * self.off(N) + self.at, self.at < self.off(N), row < M)

    def unrolled(self) -> None:
        """Each thread has some rows, one after the other or with a stride."""
        count, near = self.random.choice([2, 3, 4]), self.random.random() < 0.5
        for k in range(count):
            row = Y * self.off(count) + k if near else Y + self.off(2) * k
            self.put(row * N + self.at, self.at < N, row < M)

    def grid_stride(self) -> None:
        """As many turns as each thread has elements left."""
        count = maximum(0, (N - self.at + T * 2 - 1) // (T * 2))
        element = var("iteration_0", count) * self.off(T * 2) + self.at
        self.put(element, eq(Y, 0))
        self.put(self.off(element), eq(Y, 0), store=False)

    def wide(self) -> None:
        """Several elements a thread, stored one by one, loaded at once."""
        for k in range(2):
            self.put(self.at * 2 + self.off(k), self.at < N, eq(Y, 0))
        self.put(self.at, self.at < N, eq(Y, 0), store=False, width=8)

    def split(self) -> None:
        """One part by the first block, the other by the rest."""
        self.put(self.at, eq(Y, 0), self.block > 0)
        self.put(self.at, eq(Y, 1), eq(self.block, 0))
        self.put(X, eq(Y, 1), eq(self.block, self.off(const(0))), store=self.random.random() < 0.5)

    def places(self) -> None:
        """Each thread stores to and loads from many places of a row, of whose columns little is seen."""
        length = self.random.choice([N, const(8)])
        for k in range(12):
            column = var("iteration_0", 3) * (k + 1) % length
            self.put(self.at * self.off(length) + self.off(column), self.at < M, eq(Y, 0), store=k % 3 == 0)

    def estimated(self) -> None:
        """Places by a quotient whose error is mended before they are made of it, or is not."""
        at = (self.at * 6 + Y * 3 + ERROR) // self.off(3)
        self.put(at, at < self.off(N) * 2)

    @property
    def race(self) -> Mapping[Expr, int] | None:
        """Sizes at which two threads meet."""
        for sizes in ({N: n, M: m} for n in range(1, 6) for m in range(1, 5)):
            touched: dict[int, tuple[set[tuple[int, ...]], set[tuple[int, ...]]]] = {}
            for access in self.accesses:
                own = variables(access.offset, access.guard, self.block, X, Y)
                for point in _points([v for v in own if v not in sizes], sizes):
                    if value(access.guard, point):
                        first = value(access.offset, point)
                        for byte in range(first, first + access.width):
                            by = touched.setdefault(byte, (set(), set()))
                            by[access.store].add((point[self.block], point[X], point[Y]))
            if any(stored and len(loaded | stored) > 1 for loaded, stored in touched.values()):
                return sizes
        return None


def _points(over: list[Expr], at: Mapping[Expr, int]) -> Iterator[dict[Expr, int]]:
    if not over:
        yield dict(at)
        return
    for n in range(value(over[0].value.extent, at) if over[0].value.extent is not None else int(over[0].hi) + 1):
        yield from _points(over[1:], {**at, over[0]: n})


class Asked(Ask):
    """The prover alone, of kernels of which nothing else is known."""

    def __init__(self, launched: Any) -> None:
        super().__init__(launched, Trace())

    def decide(self, about: str, obligation: Obligation, limits: Limits = LIMITS) -> Answer:
        return Answer(about, prove(obligation, limits=LIMITS))


def race_free(accesses: Sequence[TracedAccess], launched: Any) -> bool:
    return all(one.decided().verdict.name == "proved" for one in meetings(accesses, Asked(launched)))


def held(seeds: range, plan: str = "") -> tuple[int, int]:
    """How many have no race, and how many of these are shown to have none; none that has one is."""
    safe = shown = 0
    for seed in seeds:
        drawn = Drawn(seed, plan)
        proved, race = race_free(drawn.accesses, drawn.launched), drawn.race
        assert not (proved and race), (seed, race, [(str(a), a.offset, a.guard) for a in drawn.accesses])
        safe, shown = safe + (race is None), shown + proved
    return safe, shown


def test_no_race_is_missed() -> None:
    safe, shown = held(range(8))
    assert shown == safe


def test_no_race_is_missed_where_an_estimate_has_an_error() -> None:
    safe, shown = held(range(30), "estimated")
    assert shown == safe > 10


def test_no_race_is_missed_in_rows_of_threads_own() -> None:
    safe, shown = held(range(6), "places")
    assert shown == safe
    drawn = [Drawn(seed, "places") for seed in range(6)]
    together = [[*meetings(one.accesses, Asked(one.launched))] for one in drawn]
    assert any(len(found) == 1 and isinstance(found[0], OwnRows) for found in together)


@pytest.mark.parametrize(("form", "barriers", "shown"), [("GLOBAL", 1, True), ("GLOBAL", 0, False), ("SMEM", 1, False)])
def test_barriers_order_what_goes_through_one_cache(form: str, barriers: int, shown: bool) -> None:
    launched: Any = SimpleNamespace(blocks=(), threads=(X,), given=TRUE, sizes={}, arguments=(), kernel=KERNEL)
    instructions: list[Any] = [
        SimpleNamespace(address=k, name="ACCESS", form=kind) for k, kind in enumerate(("GLOBAL", form))
    ]
    store = TracedAccess(instructions[0], True, "x", *2 * (X * 4,), 4, TRUE, const(0), undefined=FALSE)
    load = TracedAccess(instructions[1], False, "x", *2 * ((X + 1) % T * 4,), 4, TRUE, const(barriers), undefined=FALSE)
    assert race_free([store, load], launched) == shown


@pytest.mark.parametrize(
    ("form", "first", "shown"), [("GLOBAL", False, True), ("SMEM", False, False), ("SMEM", True, True)]
)
def test_a_scalar_load_of_what_its_own_thread_stores_is_in_no_order_in_its_own_row(
    form: str, first: bool, shown: bool
) -> None:
    """Scalar loads go by another cache than stores, also where each thread has a row for itself."""
    launched: Any = SimpleNamespace(blocks=(), threads=(X,), given=TRUE, sizes={}, arguments=(), kernel=KERNEL)
    store: Any = SimpleNamespace(address=0, name="ACCESS", form="GLOBAL")
    columns = [var("iteration_0", 3) * (k + 1) % 16 for k in range(10)]
    stores = [
        TracedAccess(store, True, "x", *2 * ((X * 16 + c) * 4,), 4, TRUE, const(0), undefined=FALSE) for c in columns
    ]
    load = replace(stores[0], instruction=SimpleNamespace(address=1, name="ACCESS", form=form), store=False)
    assert race_free([load, *stores] if first else [*stores, load], launched) == shown


@pytest.mark.parametrize(("beside", "width", "scope", "name", "shown"), [
    ("", 4, 0, "cdna", True), ("", 8, 0, "cdna", False), ("", 4, 2, "rdna4", True), ("", 4, 1, "rdna4", False),
    ("load", 4, 0, "cdna", False), ("store", 4, 0, "cdna", False), ("far", 4, 0, "cdna", True),
    ("lone", 4, 0, "cdna", False),
])  # fmt: skip
def test_atomic_operations_race_with_what_is_none(beside: str, width: int, scope: int, name: str, shown: bool) -> None:
    kernel = SimpleNamespace(one_cache=True, architecture=SimpleNamespace(name=name))
    launched: Any = SimpleNamespace(blocks=(), threads=(X,), given=TRUE, sizes={}, arguments=(), kernel=kernel)
    instruction: Any = SimpleNamespace(address=0, name="ATOMIC", form="GLOBAL", fields={"scope": scope})
    common = TracedAccess(instruction, True, "x", const(0), const(0), 4, TRUE, const(0), undefined=FALSE, atomic=True)
    found = [common, replace(common, offset=X * 4 // 8 * 8, width=width)]
    if beside:
        found.append(
            replace(found[0], store=beside != "load", offset=const(64 if beside == "far" else 8), atomic=False)
        )
        found[-1] = replace(found[-1], guard=eq(X, 3) if beside in ("far", "lone") else TRUE)
    assert race_free(found, launched) == shown


@pytest.mark.slow
def test_no_race_is_missed_in_many_kernels() -> None:
    safe, shown = held(range(8, 200))
    assert shown >= safe * 0.9
    safe, shown = held(range(6, 60), "places")
    assert shown == safe
