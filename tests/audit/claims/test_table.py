"""The names of claims."""

from pathlib import Path

import pytest

from layoutalg.audit.claims.table import asked_for, on_request, usual
from layoutalg.errors import LaunchError


def test_what_is_asked_for_is_what_is_not_usual() -> None:
    assert asked_for(("in_bounds", "coalesced", "coalesced")) == ("coalesced",)
    assert not usual().keys() & on_request().keys()


def test_a_claim_that_is_none_is_refused_with_the_nearest() -> None:
    with pytest.raises(LaunchError, match="did you mean 'coalesced'"):
        asked_for(("coalesce",))


def test_the_documentation_says_of_each_what_it_says() -> None:
    page = Path(__file__).parents[3] / "docs" / "pages" / "howto" / "audit-a-kernel.md"
    rows = page.read_text(encoding="utf-8").splitlines()
    for name, says in {**usual(), **on_request()}.items():
        assert f"| `{name}` | {says} |" in rows, name
