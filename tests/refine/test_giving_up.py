"""What cannot be decided is said soon: once a claim is open, others get little time, and none is asked twice."""

from dataclasses import replace

import pytest

from layoutalg.index import TRUE, all_of, eq, var
from layoutalg.kernel.library.transpose import register_transpose
from layoutalg.prove import Limits, Proved, Refuted, Unknown
from layoutalg.refine import refinement
from layoutalg.refine.values.uninterpreted import UninterpretedFunctions

A, B = var("a", 1 << 20), var("b", 1 << 20)


class Questions:
    """Stands for the prover: never decides, and keeps what it was asked, with what limits."""

    def __init__(self):
        self.asked = []

    def __call__(self, claim, limits):
        self.asked.append((claim.goal, limits))
        return Unknown("it", "portfolio", 0.0, (), "not decided")


@pytest.fixture
def questions(monkeypatch):
    found = Questions()
    monkeypatch.setattr(refinement, "prove", found)
    return found


@pytest.fixture
def prover():
    return refinement._Prover(register_transpose(96, 64), Limits(), 1e12, UninterpretedFunctions())


def test_a_claim_that_is_open_is_not_asked_again(questions, prover):
    for k in range(8):
        assert isinstance(prover.decide("place", eq(A * 3 + k, B + k), A < 99), Unknown)
    assert len(questions.asked) == 1
    prover.decide("place", eq(A * 3 + 1, B), A < 99)
    assert len(questions.asked) == 2


def test_what_follows_an_open_claim_gets_less_time(questions, prover):
    prover.decide("first", eq(A, B), TRUE)
    prover.decide("second", A < B, TRUE)
    first, second = (limits for _, limits in questions.asked)
    assert first == Limits()
    assert second == replace(first, seconds=refinement.QUICK)
    assert prover.deadline < 1e12


def test_ranges_that_are_not_shown_use_up_their_time(monkeypatch, prover):
    asked = []
    monkeypatch.setattr(refinement, "holds", lambda claim, limits: asked.append(limits))
    assert not prover.shown(A < B + 5, A < B + 4)
    assert prover.patience < refinement.PATIENCE
    prover.patience = 0.0
    assert not prover.shown(A < B + 7, A < B + 4)
    assert [limits.seconds for limits in asked] == [refinement.QUICK, refinement.AT_FIRST]
    assert prover.limits == Limits()


def test_what_follows_an_open_claim_may_still_be_refuted(monkeypatch, prover):
    with monkeypatch.context() as patched:
        patched.setattr(refinement, "prove", Questions())
        assert isinstance(prover.decide("open", A < B, TRUE), Unknown)
    assert isinstance(prover.decide("wrong", A + B < 9, A < 99), Refuted)
    assert isinstance(prover.decide("right", A < 100, all_of(A < 99, B < 9)), Proved)
