"""Reasons in the words of a launch."""

import pytest

from layoutalg.audit.claims.claim import Finding
from layoutalg.audit.words import in_words
from layoutalg.index import const
from layoutalg.prove import Proved, Refuted, Unknown, Witness
from layoutalg.symex.machine.tracing import TracedLoad
from layoutalg.symex.trace import Trace
from layoutalg.symex.values.unknowns import Kind, unknown_value
from tests.audit.test_audit_cases import CASES, questions


def load(name: str, buffer: str) -> TracedLoad:
    return TracedLoad(buffer, const(0), 4, (unknown_value(name, 1 << 32, Kind.DATA),))


TRACE = Trace(loads=(load("loaded 3", "x"), load("loaded 31", "lds")))


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("it: not at lane 5 (for N = 7, any 61 = 0)", "it: not at lane 5 (for N = 7)"),
        ("it: not at lane 5 (for any 61 = 0, lanes 84 = 3, carried 58 = 1)", "it: not at lane 5"),
        ("it fails (for loaded 3 = 9, M = -1)", "it fails (for an element of x = 9, M = -1)"),
        (
            "fails (for loaded 3 (block.x = block.x_other', thread.x = 0) = 9, any 1 (turn 0 = turn 0 - 1) = 0)",
            "fails (for an element of x of the other thread = 9)",
        ),
        ("it loads at loaded 31 + carried 2", "it loads at an element of LDS + what a loop carries"),
        ("loaded 4 and undefined 4 == 1", "what is loaded and what nothing wrote == 1"),
        ("two meet (for turn 0 = 1, turn 0_other' = 2)", "two meet (for iteration 0 = 1, the other's iteration 0 = 2)"),
        ("many 61 lanes 84", "many 61 a number of lanes"),
        ("block (0, 0, 0) (for N = 1), and more", "block (0, 0, 0) (for N = 1), and more"),
        ("", ""),
    ],
)
def test_what_execution_numbers_is_told_by_what_it_stands_for(reason: str, told: str) -> None:
    witness = Witness(({"any 61": 0},), reason)
    refuted = in_words(Finding("c", "a", Refuted("c", "z3", 0.0, (), witness)), TRACE)
    assert refuted.verdict.reason == told
    assert refuted.verdict.witness.points == witness.points  # by their numbers
    assert in_words(Finding("c", "a", Unknown("c", "z3", 0.0, (), reason)), TRACE).verdict.reason == told


def test_what_is_proved_stays() -> None:
    finding = Finding("c", "a", Proved("c", "z3", 0.0))
    assert in_words(finding, TRACE) is finding


@pytest.mark.slow
def test_a_word_by_which_waves_wait_for_each_other_is_told_by_its_name() -> None:
    (one,) = [question for question in questions(CASES / "waits_for_a_flag.toml") if question.kernel == "block_waits"]
    (reason,) = {v.reason for name, _, v in one.audited().claims if name == "ends" and isinstance(v, Unknown)}
    assert "it waits for what flag holds" in reason
