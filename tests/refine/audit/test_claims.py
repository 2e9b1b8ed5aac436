"""The names of claims."""

import pytest

from layoutalg.errors import LaunchError
from layoutalg.refine.audit.claims import ASKED, USUAL, asked


def test_what_is_asked_for_is_what_is_not_usual() -> None:
    assert asked(("in_bounds", "coalesced", "coalesced")) == ("coalesced",)
    assert not set(USUAL) & set(ASKED)


def test_a_claim_that_is_none_is_refused_with_the_nearest() -> None:
    with pytest.raises(LaunchError, match="did you mean 'coalesced'"):
        asked(("coalesce",))
