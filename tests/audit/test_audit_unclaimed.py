"""What comes out, and no equation claims: what runs make of it, and what is said; cases are in `cases`."""

import pytest

from layoutalg.audit.ask import Open, unseen
from layoutalg.audit.audit import Audit
from layoutalg.audit.claims import computes
from layoutalg.errors import SpecError
from layoutalg.prove import Verdict
from tests.audit.test_audit_cases import asking


def of(name: str, more: str) -> Audit:
    return asking("stored_everywhere", name, more).audited()


def said(found: Audit, name: str) -> list[Verdict]:
    return [verdict for claim, _, verdict in found.claims if claim == name]


@pytest.mark.parametrize(("name", "shown"), [
    ("but_the_last_column", "a run at M = 70, N = 65: o[0, 64] is never stored to, 70 of 4550 are not"),
    ("the_first_tile", "o[0, 64] is never stored to"),
    ("adds_but_the_last", "a run at M = 1, N = 1: o[0, 0] is never stored to"),
])  # fmt: skip
def test_a_run_names_an_element_that_is_left_out(name: str, shown: str) -> None:
    (verdict,) = said(of(name, 'claims = ["stores_all"]'), "stores_all")
    assert shown in str(verdict.reason)


def test_without_the_claim_nothing_is_claimed_and_that_is_said() -> None:
    found = of("the_first_tile", "")
    assert found.proved
    assert found.unclaimed == ("what o holds", "that all of o is stored to")
    assert of("copies", 'computes = ["o[i, j] = x[i, j]"]').unclaimed == ()


def test_what_is_tried_is_proved_where_it_is_seen() -> None:
    right = of("copies", 'tried = ["o[i, j] = x[i, j]"]')
    assert right.proved
    assert [one.name for one in said(right, "computes")] == ["proved"]
    assert right.unclaimed == ()


def test_what_is_tried_is_no_claim_where_it_is_not_seen_but_where_a_run_refutes_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(computes, "decided", lambda kernel, one: unseen(one.text, Open("nobody looked")))
    right = of("copies", 'tried = ["o[i, j] = x[i, j]"]')
    assert right.proved
    assert not said(right, "computes")
    assert right.unclaimed[0].startswith("what o holds (")
    assert right.unclaimed[0].endswith(" runs at small sizes gave it)")
    wrong = of("reversed", 'tried = ["o[i, j] = x[i, j]"]')
    (verdict,) = said(wrong, "computes")
    assert verdict.name == wrong.name == "refuted"
    assert "and the equation says" in str(verdict.reason)
    assert wrong.unclaimed == ()


def test_an_equation_is_claimed_or_tried() -> None:
    with pytest.raises(SpecError, match="o has an equation before"):
        of("copies", 'computes = ["o[i, j] = x[i, j]"]\ntried = ["o[i, j] = x[j, i]"]')
