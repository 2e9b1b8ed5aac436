"""z3 in this process: its own steps decide, and no clock, which stands still here or runs away."""

from __future__ import annotations

import time
from typing import Any

import pytest
import z3

from layoutalg.index import budget, eq, symbol, var
from layoutalg.prove import ForAll, Limits, prove
from layoutalg.prove.query import check_within
from layoutalg.prove.smt import forms

M, N, P = symbol("M"), symbol("N"), symbol("P")
DIGITS = ForAll("digits", eq(((var("x", M) * N + var("y", N)) * P + var("z", P)) // (N * P), var("x", M)))


def pigeons(count: int) -> Any:
    """One hole less than there are pigeons: never, and long to see."""
    context = z3.Context()
    solver, holes = z3.SolverFor("QF_LIA", ctx=context), z3.Ints(" ".join(f"p{k}" for k in range(count)), context)
    apart = [a != b for n, a in enumerate(holes) for b in holes[:n]]
    solver.add(*apart, *(z3.And(hole >= 0, hole < count - 1) for hole in holes))
    return solver


def test_a_query_ends_after_as_many_steps_whenever_it_is_asked() -> None:
    def taken() -> tuple[str, float]:
        before = budget.spent()
        return str(check_within(0.05, pigeons(14))), round(budget.spent() - before, 9)  # a difference of sums of floats

    assert taken() == taken()
    assert taken()[0] == "unknown"


def test_a_query_takes_no_more_than_what_is_left_around_it() -> None:
    with budget.within(0.05):
        assert str(check_within(60.0, pigeons(14))) == "unknown"
        assert budget.left() == 0


@pytest.mark.parametrize("hours", [0, 1000])
def test_no_clock_has_a_part_in_what_is_found(monkeypatch: pytest.MonkeyPatch, hours: int) -> None:
    """Where the clocks on the wall run `hours` with each look, verdicts and certificates are as they are."""
    now = [0.0]

    def clock() -> float:
        now[0] += 3600.0 * hours
        return now[0]

    for name in ("time", "monotonic", "perf_counter"):
        monkeypatch.setattr(time, name, clock)
    claims = [
        DIGITS,
        ForAll("it is", M * N * 4 + N <= (M * 4 + 1) * (N + 1)),
        ForAll("it is not", M * N < 1 << 40),
        ForAll("in time", (M + N) * (M + N) <= 4 * M * N + 5 * (M * M + N * N)),
    ]
    found = [prove(claim, limits=Limits(seconds=2)).name for claim in claims]
    assert found == ["proved", "proved", "refuted", "proved"]
    forms.cache_clear()
    assert "with steps" in forms(DIGITS)[0].how
