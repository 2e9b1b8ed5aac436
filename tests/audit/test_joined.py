"""What was found at several sizes, as one: no verdict is better than the worst of them."""

from itertools import permutations

from layoutalg.audit.claims.claim import Finding
from layoutalg.audit.costs import Fact
from layoutalg.audit.joined import facts, finding, subjects, worst
from layoutalg.prove import Proved, Refuted, Unknown, Verdict, Witness

PROVED, UNKNOWN = Proved("it holds", "z3", 0.0), Unknown("it holds", "z3", 0.0, (), "not seen")
REFUTED = Refuted("it holds", "z3", 0.0, (), Witness(({"i": 3},), "i = 3"))


def cases(*found: Verdict) -> dict[str, list[Finding]]:
    """One subject's verdict at each of several sizes."""
    return {str(64 * (n + 1)): [Finding("in_bounds", "0x0 a load", one)] for n, one in enumerate(found)}


def test_the_worst_counts() -> None:
    for order in permutations((PROVED, UNKNOWN, REFUTED)):
        (subject,) = subjects(cases(*order))
        at = 64 * (order.index(REFUTED) + 1)
        assert worst(subject)[0] == str(at)
        assert isinstance(finding(subject).verdict, Refuted)
        assert finding(subject).verdict.reason.startswith(f"blocks of {at}, ")


def test_proved_is_what_is_at_each() -> None:
    (subject,) = subjects(cases(PROVED, PROVED))
    assert finding(subject).verdict is PROVED


def test_sizes_are_named() -> None:
    (subject,) = subjects(cases(PROVED, UNKNOWN))
    assert finding(subject).verdict.reason == "blocks of 128 threads: not seen"


def test_a_subject_of_one_size_alone_is_kept() -> None:
    found = cases(PROVED, PROVED) | {"192": [Finding("launchable", "threads", REFUTED)]}
    assert [finding(one).verdict.name for one in subjects(found)] == ["refuted", "proved"]


def test_costs_are_those_of_the_dearest_size() -> None:
    cheap, dear = (Fact("x", "0x0 a load", "segments", n, n, 2) for n in (2, 5))
    assert [one.about for one in facts({"64": [cheap], "128": [dear]})] == ["0x0 a load, blocks of 128 threads"]
    assert facts({"64": [cheap], "128": [cheap]}) == [cheap]
