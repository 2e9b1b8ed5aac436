"""Variables: their limits, and what leaves them no value."""

from __future__ import annotations

import math

import pytest

from layoutalg.index import symbol, unlimited, var


def test_limits() -> None:
    size = symbol("M", min=3, max=100, multiple_of=8)
    assert (size.lo, size.hi) == (8, 96)
    assert var("k", symbol("N")).hi == math.inf
    assert (unlimited("u").lo, unlimited("u", 3).lo, unlimited("u").hi) == (-math.inf, 3, math.inf)


def test_one_name_and_one_range_are_one_variable() -> None:
    assert var("k", 8) is var("k", 8)
    assert symbol("M", min=2) is symbol("M", min=2)
    assert symbol("M") is not symbol("M", min=2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: var("k", 0), "index k over an extent of 0 has no value"),
        (lambda: symbol("M", min=5, max=3), "symbol M: min 5, max 3"),
        (lambda: symbol("M", min=9, max=15, multiple_of=8), "no multiple of 8 lies between 9 and 15"),
    ],
)
def test_what_leaves_no_value_is_refused(make: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()  # type: ignore[operator]
