"""What another block may be told of: stores that were ready when a wave of their block told it."""

from __future__ import annotations

import numpy as np

from layoutalg.isa.run.released import Released

EVERY = np.array([True, True])


def test_a_store_is_told_of_where_it_was_ready_before() -> None:
    released = Released()
    released.note(4, np.array([3, 0]))
    assert released.never(np.array([4]), np.array([3])).all()
    released.tell(4, EVERY)
    assert released.never(np.array([4, 4, 5, 9, -1]), np.array([3, 4, 1, 1, 7])).tolist() == [
        False, True, True, True, False
    ]  # fmt: skip


def test_what_was_told_before_it_was_ready_is_not_told() -> None:
    released = Released()
    released.tell(0, EVERY)
    released.note(0, np.array([2, 2]))
    assert released.never(np.array([0, 1]), np.array([1, 2])).all()
    released.tell(0, np.array([False, True]))
    assert released.never(np.array([0, 1]), np.array([1, 2])).tolist() == [True, False]


def test_what_needs_no_release_is_never_missed() -> None:
    assert not Released().never(np.array([0]), np.array([0])).any()
