"""Of each subject of a claim something is found: what a claim is silent of, it does not prove."""

from collections import Counter

import pytest

from layoutalg.audit.ask import LATE, SilenceError
from layoutalg.audit.claims import followed, launchable
from layoutalg.audit.claims.claim import findings
from layoutalg.audit.claims.safety import SAFETY
from layoutalg.audit.claims.table import claimed, rows
from layoutalg.audit.followed import LaunchedKernel
from layoutalg.audit.lds.overlay import Overlay
from layoutalg.formats.spec import loads
from layoutalg.index import budget
from layoutalg.launch.symbolic import LDS
from tests.audit.test_audit_cases import asking

#: Kernels with LDS that atomic operations touch, with loops one after another, and with stores where others update.
SPOKEN_OF = [
    ("atomics_alone", "cleared_before"),
    ("atomics_alone", "stored_where_others_update"),
    ("slots_in_turns", "double_buffer"),
]


def kernel(case: str, name: str) -> LaunchedKernel:
    question = asking(case, name)
    return LaunchedKernel.of(question.code, loads(question.launch))


@pytest.mark.parametrize(("case", "name"), SPOKEN_OF)
def test_each_access_is_spoken_of_by_all_claims_on_such(case: str, name: str) -> None:
    seen = kernel(case, name).follow()
    every, lds = (Counter(str(one) for one in seen.accesses if one.memory in only or not only) for only in ("", LDS))
    told = {one.NAME: Counter(about for _, about, _ in findings(one, seen)) for one in rows()}
    assert every
    for claim in ("aligned", "no_overflow", "defined"):
        assert told[claim] == every
    assert told["in_bounds"] + told["lds_in_bounds"] == every
    assert told["lds_in_bounds"] == lds
    assert told["initialised"] == Counter(str(one) for one in seen.lds.accesses if one.atomic or not one.store)
    assert told["read_only"] == Counter(str(one) for one in seen.of_tensors if one.store)
    changing = {one.memory for one in seen.accesses if one.store}
    met = {f"{one.instruction.address:#x}" for one in seen.accesses if one.memory in changing}
    assert met == {part.split()[0] for about in told["race_free"] for part in about.split("; ")}


def test_what_only_atomic_operations_touch_is_spoken_of() -> None:
    found = asking("atomics_alone", "updated_by_all").audited()
    assert found.proved
    ((about, verdict),) = ((about, verdict) for claim, about, verdict in found.claims if claim == "race_free")
    assert "updates o" in about
    assert verdict.strategy == "atomic operations of one width"


def test_that_there_is_nothing_to_speak_of_is_told() -> None:
    found = asking("atomics_alone", "updated_by_all").audited()
    assert found.vacuous == {
        "ends": "no loop", "lds_in_bounds": "no access of LDS", "initialised": "no access that reads LDS",
        "computes": "no equation",
    }  # fmt: skip
    assert {*found.vacuous, *(claim for claim, _, _ in found.claims)} == {one.NAME for one in claimed(())}


def test_claims_on_what_is_not_followed_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def stuck(*_: object) -> None:
        raise budget.OutOfTimeError

    monkeypatch.setattr("layoutalg.audit.followed.accesses", stuck)
    found = asking("atomics_alone", "updated_by_all").audited()
    assert found.unasked == tuple(one.NAME for one in SAFETY if followed.NAME in one.RESTS_ON)
    assert {claim for claim, _, _ in found.claims} == {launchable.NAME, followed.NAME}
    assert not found.proved


def test_what_the_time_was_not_enough_for_is_open() -> None:
    seen = kernel("atomics_alone", "cleared_before").follow()
    told: set[str] = set()
    for claim in SAFETY:
        with budget.within(0):
            late = [*findings(claim, seen)]
        assert len(late) == len([*findings(claim, seen)])
        assert all(one.verdict or one.verdict.name == "unknown" for one in late)
        told |= {one.verdict.reason or "" for one in late}
    assert LATE in told


def test_two_accesses_that_were_not_compared_are_an_error_and_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = Overlay.compared

    def forgetful(self: Overlay) -> object:
        found, seen = compared(self)
        seen[:1] = False
        return found, seen

    monkeypatch.setattr(Overlay, "compared", forgetful)
    with pytest.raises(SilenceError, match="were not compared"):
        asking("slots_in_turns", "double_buffer").audited()


def test_a_claim_without_an_answer_is_an_error_and_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("layoutalg.audit.claims.aligned.decided", lambda *_: None)
    with pytest.raises(TypeError):
        asking("atomics_alone", "updated_by_all").audited()
