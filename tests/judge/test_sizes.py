"""Sizes at which what PyTorch decided may fail."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest

from layoutalg.formats import loads
from layoutalg.formats.model import SpecFile
from layoutalg.index import lt
from layoutalg.judge.graph import UnsaidError
from layoutalg.judge.sizes import special_sizes

FILE = loads("symbols = { m = { min = 1, max = 4096 }, n = { min = 2, max = 4096 } }")


Sizes = Mapping[str, int]


def tried(
    sizes: Sequence[str], decided: Callable[[Sizes], Sequence[str]] = lambda _: (), file: SpecFile = FILE
) -> list[Sizes]:
    return list(special_sizes(lambda fixed, at: decided(fixed), sizes, file))


def at_first(*texts: str) -> Callable[[Sizes], Sequence[str]]:
    return lambda fixed: () if fixed else texts


def test_a_size_that_may_be_1_is_tried_there() -> None:
    assert tried(["m", "n"]) == [{"m": 1, "n": n} for n in (11, 23)]


def test_what_holds_for_all_sizes_asks_for_none() -> None:
    assert tried(["n"], at_first("(n) + 2 >= 4", "(m) == (m)")) == []


def test_where_a_decision_fails_a_few_times_it_is_tried() -> None:
    assert {at["n"] for at in tried(["n"], at_first("n > 4"))} == {2, 3, 4}


def test_what_fails_where_two_sizes_are_small_is_tried_there() -> None:
    found = tried(["m", "n"], lambda fixed: () if "m" in fixed else ("8 < m * n",))
    assert {at["m"] for at in found if at["m"] > 1} == {2, 3, 4}


def test_what_is_decided_where_a_size_is_fixed_is_asked_too() -> None:
    found = tried(["m", "n"], lambda fixed: ("n > 4",) if fixed == {"m": 1} else ())
    assert [at["n"] for at in found] == [11, 23, 2, 3, 4]
    with pytest.raises(UnsaidError, match="where not n <= 100, at m = 1"):
        tried(["m", "n"], lambda fixed: ("n <= 100",) if fixed == {"m": 1} else ())


def test_each_part_of_a_decision_is_asked_by_itself() -> None:
    assert {at["n"] for at in tried(["n"], at_first("m >= 1 and n >= 3"))} == {2}
    both = tried(["m", "n"], lambda fixed: () if fixed else ("m > 2 and n > 3",))
    assert {at["m"] for at in both} >= {1, 2}
    assert {at["n"] for at in both} >= {2, 3}


def test_sizes_are_tried_that_a_contract_has() -> None:
    file = replace(FILE, given=lt(20, FILE.symbols["n"]))
    assert [at["n"] for at in tried(["m", "n"], file=file)] == [23, 41]


def test_sizes_that_a_contract_has_not_are_not_tried() -> None:
    file = replace(FILE, given=lt(1, FILE.symbols["m"]))
    assert tried(["m", "n"], file=file) == []


@pytest.mark.parametrize("text", ["n < 20", "n % 2 == 0", "m < n", "n != 37", "Max(n, 2) == n"])
def test_a_decision_that_fails_for_many_sizes_is_refused(text: str) -> None:
    with pytest.raises(UnsaidError):
        tried(["m", "n"], at_first(text))
