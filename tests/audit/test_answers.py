"""Answers are kept, but for those that more time may change."""

from __future__ import annotations

import pytest

from layoutalg.audit import answers
from layoutalg.index import TRUE, Expr, budget, var
from layoutalg.prove import ForAll, Limits, Unknown

LIMITS = Limits(seconds=5.0, steps=500_000)
ASKED = ForAll("it is small", var("an index", 9) < 9 - var("another", 3))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[ForAll]:
    """What the prover is asked, which is told to see nothing."""
    found: list[ForAll] = []

    def holds(question: ForAll, _: Limits) -> bool:
        found.append(question)
        return False

    def prove(question: ForAll, *, limits: Limits) -> Unknown:
        found.append(question)
        return Unknown(question.label, "portfolio", limits.seconds, (), "it is not seen")

    monkeypatch.setattr(answers, "holds", holds)
    monkeypatch.setattr(answers, "prove", prove)
    return found


def goal(name: str) -> Expr:
    """A goal that no other test asks."""
    return var(name, 9) < 8


def test_what_is_open_with_all_its_time_is_kept(asked: list[ForAll]) -> None:
    for _ in range(2):
        assert not answers.shown(goal("open"), TRUE, LIMITS)
        assert not answers.verdict(ForAll("open", goal("open")), LIMITS)
    assert len(asked) == 2


def test_what_is_open_for_want_of_time_is_asked_again(asked: list[ForAll]) -> None:
    for _ in range(2):
        with budget.within(LIMITS.seconds / 2):
            assert not answers.shown(goal("late"), TRUE, LIMITS)
            assert answers.verdict(ForAll("late", goal("late")), LIMITS).reason == "it is not seen"
    assert len(asked) == 4


def test_other_words_and_other_limits_are_other_questions(asked: list[ForAll]) -> None:
    for label, limits in (("one", LIMITS), ("two", LIMITS), ("two", Limits(seconds=6.0))):
        answers.verdict(ForAll(label, goal("words")), limits)
    assert len(asked) == 3


def test_a_refutation_tells_its_own_values() -> None:
    found = answers.verdict(ASKED, LIMITS)
    assert (found.name, found.reason) == ("refuted", answers.verdict(ASKED, LIMITS).reason)
