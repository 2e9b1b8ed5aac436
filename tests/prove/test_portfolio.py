"""The one door: routes of a claim's own, what they need first, what they find replayed; several claims at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import pytest

from layoutalg.index import Expr, eq, symbol, var
from layoutalg.layout import make_naive_tensor_descriptor_packed
from layoutalg.prove import All, Claim, ForAll, Injective, Obligation, Proved, Refuted, Unknown, Witness, prove
from layoutalg.prove.claims.base import Route
from layoutalg.prove.outcome import Fails, GaveUp, Holds, Outcome
from layoutalg.prove.portfolio import NO_REPLAY

N = symbol("N")
HOLDS, FAILS = ForAll("N is at least 1", N >= 1), ForAll("N is small", N < 9)
AT_NINE = Fails("guess", ({N: 9},))
OPEN = ForAll("open", eq(N * N * N + var("i", N) * N, 3 * N * N + 7))


@dataclass(frozen=True)
class Routed(Claim):
    """A claim with routes, that is true of numbers below 9."""

    ways: tuple[Route, ...]
    stated: tuple[Obligation, ...] = ()
    name: ClassVar[str] = "routed"

    def statement(self) -> str:
        return "it is small"

    def obligations(self) -> Iterator[Obligation]:
        return iter(self.stated)

    def expressions(self) -> Iterator[Expr]:
        yield N

    def routes(self) -> Iterator[Route]:
        return iter(self.ways)

    def witness(self, failed: Fails, obligation: Obligation | None) -> Witness | None:
        n = failed.points[0][N]
        return Witness(({"N": n},), f"{n} is not small") if n >= 9 else None


def route(outcome: Outcome, name: str = "guess", needs: tuple[ForAll, ...] = (), names_needs: bool = False) -> Route:
    return Route(name, lambda limits, strategy: outcome, needs, names_needs)


def test_the_first_route_that_decides_is_the_verdict() -> None:
    verdict = prove(Routed((route(GaveUp("one", "why")), route(Holds("two")), route(AT_NINE))))
    assert isinstance(verdict, Proved)
    assert (verdict.strategy, verdict.assumptions) == ("two", ("1 <= N",))
    refuted = prove(Routed((route(AT_NINE),)))
    assert isinstance(refuted, Refuted)
    assert refuted.reason == "9 is not small"


def test_a_route_whose_counterexample_does_not_replay_decides_nothing() -> None:
    wrong = route(Fails("guess", ({N: 3},)))
    alone = prove(Routed((wrong,), (HOLDS,)))
    assert isinstance(alone, Unknown)
    assert NO_REPLAY in alone.reason
    assert prove(Routed((wrong, route(AT_NINE)))).name == "refuted"


def test_what_a_route_needs_is_shown_first() -> None:
    never = Route("guess", lambda limits, strategy: pytest.fail("it was asked"), (FAILS,))
    verdict = prove(Routed((never,)))
    assert isinstance(verdict, Refuted)
    assert verdict.reason == "9 is not small"  # as the claim tells it
    assert prove(Routed((route(Holds("two"), needs=(HOLDS,)),))).strategy == "two"
    assert prove(Routed((route(Holds("two"), needs=(HOLDS,), names_needs=True),))).strategy == "intervals + two"
    assert prove(Routed((route(Holds("two"), needs=(OPEN,)),))).name != "proved"


def test_a_strategy_that_is_forced_takes_the_routes_of_its_name_else_the_obligations() -> None:
    claim = Routed((route(Holds("enumeration"), "enumeration"), route(Holds("two"), "f2")), (FAILS,))
    assert prove(claim, strategy="f2").strategy == "two"
    assert prove(claim, strategy="z3").name == "refuted"
    assert prove(Routed((route(GaveUp("f2", "no"), "f2"),), (HOLDS,)), strategy="f2").name == "unknown"


def test_of_several_claims_one_that_is_refuted_counts_before_one_that_is_open() -> None:
    proved, refuted = Routed((route(Holds("two")),)), Routed((route(AT_NINE),))
    unknown = Routed((route(GaveUp("one", "why")),))
    assert [prove(All(claims)).name for claims in ((proved,), (proved, unknown), (unknown, proved))] == [
        "proved", "unknown", "unknown",
    ]  # fmt: skip
    for claims in ((unknown, refuted), (refuted, unknown), (proved, unknown, refuted, proved)):
        assert prove(All(claims)).name == "refuted", claims
    layout = Injective(make_naive_tensor_descriptor_packed((N, 4)))
    both = prove(All((layout, proved)))
    assert both.strategy.endswith(" + two")
    assert set(both.assumptions) == {"1 <= N"}


def test_points_whose_number_no_text_holds_are_not_enumerated() -> None:
    words = [var(f"v{n}", 1 << 32) for n in range(500)]  # 2^16000 points are 4817 digits, of which Python writes 4300
    verdict = prove(ForAll("all are 0", eq(sum(words[1:], words[0]), 0)), strategy="enumeration")
    assert "more than 16777216 points" in str(verdict)
