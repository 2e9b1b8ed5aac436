"""What cannot be decided is said soon: once a claim is open, others get fewer steps, and none is asked twice."""

import pytest

from layoutalg.index import TRUE, all_of, eq, mod, symbol, var
from layoutalg.kernel.library.transpose import register_transpose
from layoutalg.prove import ForAll, Limits, Proved, Refuted, Unknown, prove
from layoutalg.refine.simulation import questions as budgets

A, B = var("a", 1 << 20), var("b", 1 << 20)


class Asked:
    """Stands for the prover: never decides, and keeps what it was asked, with what limits."""

    def __init__(self):
        self.asked = []

    def __call__(self, claim, limits):
        self.asked.append((claim.goal, limits))
        return Unknown("it", "portfolio", 0.0, (), "not decided")


@pytest.fixture
def questions(monkeypatch):
    found = Asked()
    monkeypatch.setattr(budgets, "prove", found)
    return found


@pytest.fixture
def prover():
    return budgets.Questions(register_transpose(96, 64))


def test_a_claim_that_is_open_is_not_asked_again(questions, prover):
    for k in range(8):
        assert isinstance(prover.decide("place", eq(A * 3 + k, B + k), A < 99), Unknown)
    assert len(questions.asked) == 1
    prover.decide("place", eq(A * 3 + 1, B), A < 99)
    assert len(questions.asked) == 2


def test_what_follows_an_open_claim_gets_fewer_steps(questions, prover):
    prover.decide("first", eq(A, B), TRUE)
    prover.decide("second", A < B, TRUE)
    assert [limits for _, limits in questions.asked] == [
        Limits(steps=budgets.CLAIM_STEPS), Limits(steps=budgets.RANGE_STEPS),
    ]  # fmt: skip
    assert budgets.FIRST_STEPS < budgets.RANGE_STEPS < budgets.CLAIM_STEPS


def test_after_some_open_claims_none_is_asked(questions, prover):
    for k in range(budgets.OPEN_CLAIMS + 3):
        assert isinstance(prover.decide("place", eq(A * (k + 2), B), TRUE), Unknown)
    assert len(questions.asked) == budgets.OPEN_CLAIMS


def test_ranges_that_are_not_shown_use_up_their_steps(monkeypatch, prover):
    asked = []
    monkeypatch.setattr(budgets, "holds", lambda claim, limits: asked.append(limits))
    for k in range(budgets.OPEN_RANGES + 1):
        for _ in range(2):
            assert not prover.shown(B + 5 + k > A, A < B + 4)
    many, few = [budgets.RANGE_STEPS] * budgets.OPEN_RANGES, [budgets.FIRST_STEPS]
    assert [limits.steps for limits in asked] == many + few


@pytest.mark.parametrize("seconds", [10.0, 100.0])
def test_what_a_solver_answers_within_its_steps_does_not_depend_on_time(seconds):
    """Stopped by its steps at the same point, in a fraction of its time."""
    n, m, k = (symbol(name) for name in "NMK")
    claim = ForAll("products", eq(mod(n * m * (k + 1), n * m + k), 0), n * n > m * k)
    verdict = prove(claim, strategy="z3", limits=Limits(seconds=seconds, steps=10_000))
    assert verdict.name == "unknown"


def test_what_follows_an_open_claim_may_still_be_refuted(monkeypatch, prover):
    with monkeypatch.context() as patched:
        patched.setattr(budgets, "prove", Asked())
        assert isinstance(prover.decide("open", A < B, TRUE), Unknown)
    assert isinstance(prover.decide("wrong", A + B < 9, A < 99), Refuted)
    assert isinstance(prover.decide("right", A < 100, all_of(A < 99, B < 9)), Proved)
