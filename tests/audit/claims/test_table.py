"""The names of claims."""

from pathlib import Path

import pytest

from layoutalg.audit.claims.safety import SAFETY
from layoutalg.audit.claims.table import asked_for, on_request, rows, usual
from layoutalg.errors import LaunchError

PAGES = Path(__file__).parents[3] / "docs" / "pages"


def test_what_is_asked_for_is_what_is_not_usual() -> None:
    assert asked_for(("in_bounds", "coalesced", "coalesced")) == ("coalesced",)
    assert not usual().keys() & on_request().keys()


def test_a_claim_that_is_none_is_refused_with_the_nearest() -> None:
    with pytest.raises(LaunchError, match="did you mean 'coalesced'"):
        asked_for(("coalesce",))


def test_the_documentation_says_of_each_what_it_says() -> None:
    lines = (PAGES / "howto" / "audit-a-kernel.md").read_text(encoding="utf-8").splitlines()
    for name, says in {**usual(), **on_request()}.items():
        assert f"| `{name}` | {says} |" in lines, name


def test_the_page_on_soundness_says_of_each_what_it_rests_on() -> None:
    text = (PAGES / "explanation" / "soundness.md").read_text(encoding="utf-8")
    table = text.partition("| claim | what is shown, and why it is enough | rests on |\n|---|---|---|\n")[2]
    said = {}
    for line in table.partition("\n\n")[0].splitlines():
        names, _, rests = (cell.strip() for cell in line.strip("|").split("|"))
        said |= {name: tuple(rests.split(", ")) for name in names.split(", ")}
    every = tuple(one.NAME for one in SAFETY)
    written = {(): ("nothing",), every: ("all from launchable to initialised",)}
    assert said == {one.NAME: written.get(one.RESTS_ON, one.RESTS_ON) for one in rows()}


def test_no_claim_rests_on_one_that_rests_on_it() -> None:
    known: set[str] = set()
    left = {one.NAME: {*one.RESTS_ON} for one in rows()}
    while ready := {name for name, rests in left.items() if rests <= known} - known:
        known |= ready
    assert known == left.keys()
