"""One budget a claim, which Python's strategies keep as the solver does."""

import pytest

from layoutalg.formats import loads
from layoutalg.formats.check import check
from layoutalg.index import budget, nonnegative, parse, simplify, symbol
from layoutalg.index.evaluate import value
from layoutalg.layout import Merge, make_naive_tensor_descriptor_packed, transform_tensor_descriptor
from layoutalg.prove import ForAll, InBounds, Injective, Limits, Proved, Unknown, prove


@pytest.mark.parametrize("claim", [InBounds, Injective])
def test_a_merge_of_twenty_unbounded_sizes_is_decided_or_told(claim) -> None:
    sizes = [symbol(f"N{k}") for k in range(20)]
    base = make_naive_tensor_descriptor_packed(sizes)
    merged = transform_tensor_descriptor(base, [Merge(tuple(sizes))], [list(range(20))], [[0]])
    verdict = prove(claim(merged), limits=Limits(seconds=0.5))
    assert isinstance(verdict, Proved | Unknown)


DEEP = {
    "divisions": "({e}+N)//{n}",
    "remainders": "({e}+N)%{n}",
    "greatest": "max({e},N+{k})",
    "bits": "({e}^N)+1",
}


@pytest.mark.slow
@pytest.mark.parametrize("step", DEEP.values(), ids=DEEP)
def test_a_length_nested_190_deep_is_decided_or_told(step: str) -> None:
    text = "M"
    for k in range(190):
        text = step.format(e=text, k=k, n=k % 5 + 2)
    spec = loads(
        f'symbols = {{ M = {{ min = 1 }}, N = {{ min = 1 }} }}\n[[descriptor]]\nname = "x"\n'
        f'base = {{ kind = "packed", lengths = ["{text}", 4] }}\n'
    )
    for result in check(spec, limits=Limits(seconds=0.5)):
        assert not (isinstance(result.verdict, Unknown) and not result.verdict.why)


def test_what_is_out_of_time_says_so() -> None:
    late = symbol("too_late")
    verdict = prove(ForAll("it is", late < late * late + 1), limits=Limits(seconds=0))
    assert isinstance(verdict, Unknown)
    assert verdict.why == "out of time after 0 s"


def test_a_strategy_that_runs_out_of_time_leaves_some_for_the_next(monkeypatch) -> None:
    from layoutalg.prove import decide

    def endless(*_: object) -> None:
        while True:
            budget.check()

    monkeypatch.setattr(decide, "PORTFOLIO", (endless, decide.normal_form))
    m = symbol("M")
    assert isinstance(prove(ForAll("it is", (m + 1) * (m - 1) < m * m), limits=Limits(seconds=0.2)), Proved)


def test_the_budget_around_is_the_one_that_ends_first() -> None:
    with budget.within(0.0), pytest.raises(budget.OutOfTimeError):
        budget.in_time(60, budget.check, str)
    assert budget.left() == float("inf")


def test_a_product_too_long_to_write_out_stays_a_product_of_the_same_value() -> None:
    symbols = {f"x{k}": symbol(f"x{k}") for k in range(8)}
    whole = parse(f"({'+'.join(symbols)}+1)", symbols)
    power = whole
    for _ in range(11):
        power = power * whole
    point = {v: k + 1 for k, v in enumerate(symbols.values())}
    assert value(simplify(power), point) == value(power, point)
    assert nonnegative(power)


def test_a_budget_counts_steps_and_not_the_clock(monkeypatch) -> None:
    monkeypatch.setattr(budget.time, "process_time", lambda: 0.0)
    with budget.within(1):
        budget.check(budget.STEPS // 2)
        assert budget.left() == 0.5
        with pytest.raises(budget.OutOfTimeError):
            budget.check(budget.STEPS // 2)


def test_what_no_count_foresees_ends_with_the_processors_time(monkeypatch) -> None:
    seconds = iter(range(100))
    monkeypatch.setattr(budget.time, "process_time", lambda: next(seconds))
    with budget.within(1):
        for _ in range(budget.SLACK - 1):
            budget.check(budget.LOOK + 1)
        with pytest.raises(budget.OutOfTimeError):
            budget.check(budget.LOOK + 1)


def test_a_question_takes_as_many_steps_whenever_it_is_asked() -> None:
    def taken(name: str) -> float:
        before = budget.spent()
        m, n = symbol(f"{name}m"), symbol(f"{name}n")
        assert prove(ForAll("it is", m * n * 4 + n <= (m * 4 + 1) * (n + 1)), strategy="z3").name == "proved"
        return budget.spent() - before

    first = taken("warm")
    assert 0 < taken("once") <= 2 * first
