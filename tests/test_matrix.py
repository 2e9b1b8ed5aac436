"""A quick run takes the cells of a matrix that are named; each other one has its day; a loop tells all failures."""

import itertools

import pytest

from tests.matrix import PARTS, all_hold, each, parts, some, today

OUTER, INNER = each("abcde", "b"), each([(1, 2), (3, 4), (5, 6)], (3, 4))


@pytest.fixture(params=list(itertools.product(OUTER, INNER)) + [(one,) for one in parts(14)])
def cell(request: pytest.FixtureRequest) -> pytest.Item:
    for one in request.param:
        for mark in one.marks:
            request.node.add_marker(mark)
    return request.node


def test_each_cell_that_is_not_quick_has_one_day_in_a_week(cell: pytest.Item) -> None:
    assert sum(today(cell, day) for day in range(PARTS)) == 1


def test_a_run_of_each_day_takes_its_share_of_a_corpus() -> None:
    taken = [index for one in parts(14) for index in range(100)[one.values[0]]]
    assert sorted(taken) == [*range(100)]


def test_quick_cells_are_those_that_are_named_or_spread() -> None:
    assert [one.values for one in OUTER + INNER if not one.marks] == [("b",), (3, 4)]
    assert [one.values[0] for one in some(range(10), 3) if not one.marks] == [0, 4, 8]
    assert {mark.name for one in some(range(10), 3, slow=True) for mark in one.marks} == {"slow"}
    with pytest.raises(AssertionError, match="not all of"):
        each("abc", "d")
    with pytest.raises(AssertionError, match="which of them"):
        each("abc")


def test_every_case_that_fails_is_told_by_name() -> None:
    with pytest.raises(AssertionError, match=r"^a: ValueError: [^\n]*\nc: ValueError: "):
        all_hold(["a", "1", "c"], int)
