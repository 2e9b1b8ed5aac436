"""What an obligation may not be, and random ones: every strategy against each point in exact Python integers."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random

import pytest

from layoutalg.index import TRUE, add, all_of, eq, mul, var, xor
from layoutalg.index.evaluate import value, values
from layoutalg.layout import make_naive_tensor_descriptor
from layoutalg.prove import (
    All,
    FitsIndexType,
    ForAll,
    InBounds,
    InjectiveMap,
    Limits,
    Obligation,
    Onto,
    Proved,
    Refuted,
    Surjective,
    Unknown,
    prove,
)
from layoutalg.prove.decide import STRATEGIES, missed
from layoutalg.prove.obligation import SharedNameError
from layoutalg.prove.outcome import Fails
from tests.fuzzing import FIRST, KNOWN, count
from tests.index.expressions import Generator

COUNT = count(60, dear=5)


def generator(seed: int) -> Generator:
    """Three variables of a few values each."""
    g = Generator(Random(seed), symbolic=False)
    g.indices = [var(name, g.random.choice((1, 2, 3, 4, 5, 8))) for name in "ijk"]
    return g


def for_all(g: Generator) -> Obligation:
    """Mostly false; sums and digits that are true are among `strided` and `eq`."""
    given = g.truth(1) if g.random.random() < 0.4 else TRUE
    number = g.number(3)
    goal = g.random.choice(
        (
            lambda: g.truth(3),
            lambda: eq(number, number // 4 * 4 + number % 4),
            lambda: all_of(number <= int(number.hi), number >= int(number.lo)),
            lambda: all_of(number < int(number.hi), g.truth(1)),
        )
    )()
    return ForAll("goal", goal, given)


def injective(g: Generator) -> Obligation:
    """Sums of multiples, of digits, of xors, and whatever comes."""
    r = g.random
    scaled = [mul(v, r.choice((1, 2, 3, 4, 5, 8, 16, 24, -3))) for v in g.indices]
    i, j, k = g.indices
    n = r.choice((2, 3, 4, 6))
    output = r.choice(
        (
            lambda: add(*scaled),
            lambda: add(scaled[0], scaled[1], i // n * r.choice((1, 7, 40)), mul(i % n, 9), k * r.choice((1, 2, 45))),
            lambda: add(xor(i, j), j * 8, k * 64),
            lambda: add(xor(i, mul(j, 2)) % 8, mul(j, r.choice((8, 16))), k * 64),
            lambda: g.number(3),
        )
    )()
    outputs = (output, g.number(1)) if r.random() < 0.3 else (output,)
    over = tuple(g.indices) if r.random() < 0.8 else tuple(g.indices[:2])
    return InjectiveMap("one to one", over, outputs, g.truth(1) if r.random() < 0.2 else TRUE)


def onto(g: Generator) -> Obligation:
    """A few targets, often all reached."""
    output = add(*(mul(v, g.random.choice((1, 2, 3))) for v in g.indices))
    targets = (var("e", g.random.choice((1, 2, 4, 8))),)
    return Onto("reached", tuple(g.indices), (output,), targets, g.truth(1) if g.random.random() < 0.2 else TRUE)


def truth(o: Obligation) -> str:
    """The right verdict, from every point in Python integers; nothing is proved of no point."""
    axes = o.variables if isinstance(o, ForAll) else tuple(dict.fromkeys((*o.over, *o.variables)))
    grid = [dict(zip(axes, at, strict=True)) for at in product(*(range(int(v.hi) + 1) for v in axes))]
    inside = [p for p in grid if value(o.given, p)]
    if isinstance(o, Onto):
        every = {tuple(p[t] for t in o.targets) for p in grid}
        return "proved" if every <= {tuple(values(o.outputs, p)) for p in inside} else "refuted"
    if isinstance(o, ForAll):
        holds = all(value(o.goal, p) for p in inside)
    else:
        seen = {(*values(o.outputs, p), *(p[v] for v in o.shared)) for p in inside}
        holds = len(seen) == len({tuple(p.values()) for p in inside})
    return ("proved" if inside else "vacuous") if holds else "refuted"


@pytest.mark.fuzz
@pytest.mark.parametrize("make", [for_all, injective, onto])
def test_the_portfolio_decides_random_obligations_as_enumeration_does(make: object) -> None:
    seen: Counter[str] = Counter()
    for seed in range(FIRST, FIRST + COUNT):
        obligation = make(generator(seed))  # type: ignore[operator]
        verdict = prove(obligation, limits=Limits(seconds=2))
        expected = truth(obligation)
        assert verdict.name == expected or expected == "vacuous", f"seed {seed}: {verdict}\n{obligation}"
        seen[verdict.name] += 1
    if KNOWN:
        assert min(seen["proved"], seen["refuted"]) > COUNT // 20


@pytest.mark.fuzz
@pytest.mark.parametrize("strategy", list(STRATEGIES))
@pytest.mark.parametrize("make", [for_all, injective])
def test_no_strategy_is_wrong_on_random_obligations(make: object, strategy: str) -> None:
    for seed in range(FIRST + 100_000, FIRST + 100_000 + COUNT // (4 if strategy == "z3" else 1)):
        obligation = make(generator(seed))  # type: ignore[operator]
        verdict = prove(obligation, strategy=strategy, limits=Limits(seconds=2))
        expected = truth(obligation)
        assert verdict.name in ("unknown", expected) or expected == "vacuous", f"seed {seed}: {verdict}\n{obligation}"


@pytest.mark.parametrize("strategy", [None, "z3"])
@pytest.mark.parametrize("strides", [(80000, 2), (40001, 1)])
def test_an_element_that_no_index_reaches_is_found_where_enumeration_is_too_long(
    strides: tuple[int, int], strategy: str | None
) -> None:
    d = make_naive_tensor_descriptor((70000, 40000), strides)
    verdict = prove(Surjective(d), strategy=strategy)
    assert isinstance(verdict, Refuted)
    assert "missed element" in verdict.strategy
    element = verdict.witness.points[0]["element"]
    assert element % strides[0] >= 40000 * strides[1] or element % strides[1], "an index does reach it"


def test_every_element_of_a_large_space_is_reached_through_the_inverse() -> None:
    d = make_naive_tensor_descriptor((70000, 40000), (40000, 1))
    assert isinstance(prove(Surjective(d), strategy="z3"), Proved)


def test_an_element_is_missed_only_where_no_index_reaches_it() -> None:
    x, target = var("x", 6), var("t", 5)
    for scale, shift in product(range(1, 6), range(5)):
        onto = Onto("onto", (x,), ((x * scale + shift) % 5,), (target,))
        values = {(n * scale + shift) % 5 for n in range(6)}
        found = missed(onto, Limits(), None)
        assert isinstance(found, Fails) == (values != set(range(5))), (scale, shift)
        assert isinstance(prove(onto), Proved if values == set(range(5)) else Refuted)


def test_two_variables_of_one_name_are_refused() -> None:
    a, b = var("i", 8), var("i", 16)
    for statement in (
        InjectiveMap("both", (a, b), (a % 4, a // 4, b // 4)),
        ForAll("both", eq(a, b), all_of(a < 4, b < 4)),
    ):
        with pytest.raises(SharedNameError, match="two variables are named i"):
            prove(statement)


def test_an_assumption_that_never_holds_proves_nothing() -> None:
    i = var("i", 10)
    verdict = prove(ForAll("three", eq(i, 3), all_of(i < 2, i > 5)))
    assert isinstance(verdict, Unknown)
    assert "never holds" in verdict.reason
    assert isinstance(prove(ForAll("three", i < 3, all_of(i < 2, i >= 0))), Proved)


@pytest.mark.parametrize("strategy", [None, "z3"])
def test_claims_on_several_layouts_may_name_their_indices_alike(strategy: str | None) -> None:
    tiles = [make_naive_tensor_descriptor((n, 8), (8, 1)) for n in (4, 16, 32)]
    assert isinstance(prove(All(tuple(map(InBounds, tiles))), strategy=strategy), Proved)
    verdict = prove(All((*map(FitsIndexType, tiles), FitsIndexType(tiles[2], 8))), strategy=strategy)
    assert isinstance(verdict, Refuted)
