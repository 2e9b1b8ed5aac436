"""Sizes at which what PyTorch decided may fail."""

import pytest

from layoutalg.formats import loads
from layoutalg.judge.graph import UnsaidError
from layoutalg.judge.sizes import special_sizes

FILE = loads("symbols = { m = { min = 1, max = 4096 }, n = { min = 2, max = 4096 } }")


def test_a_size_that_may_be_1_is_tried_there() -> None:
    assert special_sizes([], ["m", "n"], FILE) == [{"m": 1, "n": n} for n in (2, 2, 5)]


def test_what_holds_for_all_sizes_asks_for_none() -> None:
    assert special_sizes(["(n) + 2 >= 4", "(m) == (m)"], ["n"], FILE) == []


def test_where_a_decision_fails_a_few_times_it_is_tried() -> None:
    assert {at["n"] for at in special_sizes(["n > 4"], ["n"], FILE)} == {2, 3, 4}


@pytest.mark.parametrize("text", ["n < 20", "n % 2 == 0", "m < n", "n != 37", "Max(n, 2) == n"])
def test_a_decision_that_fails_for_many_sizes_is_refused(text: str) -> None:
    with pytest.raises(UnsaidError):
        special_sizes([text], ["m", "n"], FILE)
