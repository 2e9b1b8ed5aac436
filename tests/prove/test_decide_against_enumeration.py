"""Every verdict against exhaustive enumeration by an independent oracle, on random descriptors.

`LAYOUTALG_FUZZ=100000 pytest -s tests/prove/test_decide_against_enumeration.py` is the nightly size; each failure names
its seed.  `LAYOUTALG_SEED` is the first one: ten runs of 10000, from 0, 10000, 20000 … on, are the same as one
of 100000.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random

import pytest

from layoutalg.index import Expr
from layoutalg.layout import LayoutError, TensorDescriptor
from layoutalg.prove import (
    Agree,
    Bijective,
    Claim,
    Contiguous,
    InBounds,
    Injective,
    Limits,
    Monotone,
    Refuted,
    RoundTripUpper,
    Surjective,
    prove,
)
from layoutalg.prove.decide import STRATEGIES
from tests.fuzzing import FIRST, KNOWN, count
from tests.prove.descriptors import draw, instantiate, sizes_of, symbols, values_of
from tests.prove.oracle import Enumerated, enumerate_all

COUNT = count(200)
Case = tuple[int, TensorDescriptor, Enumerated, Random]
Truth = Callable[[], bool]


def cases(count: int, offset: int = 0) -> Iterator[Case]:
    """Concrete descriptors, enumerated."""
    for seed in range(FIRST + offset, FIRST + offset + count):
        random = Random(seed)
        descriptor = draw(random)
        if descriptor is None:
            continue
        try:
            e = enumerate_all(descriptor)
        except IndexError:
            continue  # an index leaves a table: nothing says what is there
        if e.valid.any():  # else everything is true of it, and nothing is proved
            yield seed, descriptor, e, random


def claims_with_truth(descriptor: TensorDescriptor, e: Enumerated, random: Random) -> Iterator[tuple[Claim, Truth]]:
    """What is asked of a descriptor, and what enumeration says."""
    yield InBounds(descriptor), e.in_bounds
    yield Injective(descriptor), e.injective
    yield Surjective(descriptor), e.surjective
    yield Bijective(descriptor), e.bijective
    dimension, count = random.randrange(descriptor.rank), random.choice((2, 3, 4))
    yield Contiguous(descriptor, dimension, count), lambda: e.contiguous(dimension, count)
    yield Monotone(descriptor, dimension), lambda: e.monotone(dimension)


@pytest.mark.fuzz
def test_the_portfolio_decides_every_concrete_claim_as_enumeration_does() -> None:
    seen: Counter[tuple[str, str]] = Counter()
    for seed, descriptor, e, random in cases(COUNT):
        for claim, truth in claims_with_truth(descriptor, e, random) if descriptor.rank else ():
            verdict = prove(claim)
            expected = "proved" if truth() else "refuted"
            assert verdict.name == expected, f"seed {seed}: {verdict}\n{descriptor}"
            seen[claim.name, expected] += 1
    tally = ", ".join(f"{name} {verdict} {n}" for (name, verdict), n in sorted(seen.items()))
    print(f"\nseeds {FIRST}…{FIRST + COUNT - 1}: {seen.total()} claims, no difference ({tally})")  # shown by pytest -s
    names = {name for name, _ in seen}
    if KNOWN:
        assert all(seen[name, verdict] > COUNT // 100 for name in names for verdict in ("proved", "refuted"))


@pytest.mark.fuzz
@pytest.mark.parametrize("strategy", [name for name in STRATEGIES if name != "z3"])
def test_no_strategy_alone_is_ever_wrong(strategy: str) -> None:
    for seed, descriptor, e, random in cases(COUNT // 8, offset=10_000_000):
        for claim, truth in claims_with_truth(descriptor, e, random) if descriptor.rank else ():
            verdict = prove(claim, strategy=strategy)
            assert verdict.name in ("unknown", "proved" if truth() else "refuted"), f"seed {seed}: {verdict}"


@pytest.mark.fuzz
def test_z3_alone_is_never_wrong() -> None:
    decided = total = 0
    for seed, descriptor, e, random in cases(COUNT // 30, offset=20_000_000):
        for claim, truth in claims_with_truth(descriptor, e, random) if descriptor.rank else ():
            verdict = prove(claim, strategy="z3", limits=Limits(seconds=5))
            assert verdict.name in ("unknown", "proved" if truth() else "refuted"), f"seed {seed}: {verdict}"
            if claim.name in ("in_bounds", "injective", "contiguous"):
                decided, total = decided + (verdict.name != "unknown"), total + 1
    if KNOWN:
        assert decided > 0.95 * total


@pytest.mark.fuzz
def test_a_proof_for_all_sizes_holds_at_each_that_is_tried_and_a_refutation_at_its_own() -> None:
    seen: Counter[str] = Counter()
    for seed in range(FIRST + 30_000_000, FIRST + 30_000_000 + COUNT // 8):
        random = Random(seed)
        descriptor = draw(random, symbols(random))
        if descriptor is None or not descriptor.rank or not sizes_of(descriptor):
            continue
        sizes = sizes_of(descriptor)
        dimension, count = random.randrange(descriptor.rank), random.choice((2, 3, 4))
        tried = [{s: values_of(random, s) for s in sizes} for _ in range(6)]
        for claim in (
            InBounds(descriptor),
            Injective(descriptor),
            Bijective(descriptor),
            Contiguous(descriptor, dimension, count),
        ):
            verdict = prove(claim, limits=Limits(seconds=0.5))
            seen[verdict.name] += 1
            if verdict.name == "proved":
                assert not any(truth_at(claim, descriptor, at) is False for at in tried), f"seed {seed}: {verdict}"
            elif isinstance(verdict, Refuted):
                found = verdict.witness.points[0]
                at = {s: found.get(s.value.name, int(s.lo)) for s in sizes}
                assert truth_at(claim, descriptor, at) is not True, f"seed {seed}: {verdict}\n{descriptor}"
    if KNOWN:
        assert seen["proved"] > 20
        assert seen["refuted"] > 20
        assert seen["unknown"] < 0.1 * seen.total()


def truth_at(claim: Claim, descriptor: TensorDescriptor, at: dict[Expr, int]) -> bool | None:
    """What enumeration says at these sizes; None where they make no layout, or one that is too large."""
    try:
        concrete = instantiate(descriptor, at)
        if min(map(int, concrete.adaptor.hidden_lengths.values())) < 1:
            return None
        if math.prod(int(n) for n in concrete.lengths) > 20_000:
            return None
        e = enumerate_all(concrete)
    except (LayoutError, IndexError):
        return None
    if isinstance(claim, Contiguous):
        return e.contiguous(claim.dimension, claim.count)
    return {"in_bounds": e.in_bounds, "injective": e.injective, "bijective": e.bijective}[claim.name]()


@pytest.mark.fuzz
def test_round_trips_and_agreement_are_decided_as_enumeration_does() -> None:
    previous: dict[tuple[Expr, ...], TensorDescriptor] = {}
    for seed, descriptor, e, _ in cases(COUNT // 3, offset=40_000_000):
        back = prove(RoundTripUpper(descriptor))
        if back.name == "proved":
            assert e.injective(), f"seed {seed}: {back}"
        other = previous.get(descriptor.lengths, descriptor)
        previous[descriptor.lengths] = descriptor
        there = enumerate_all(other)
        same = bool((e.valid == there.valid).all() and (e.offsets == there.offsets)[e.valid].all())
        verdict = prove(Agree(descriptor, other))
        assert verdict.name == ("proved" if same else "refuted"), f"seed {seed}: {verdict}"
