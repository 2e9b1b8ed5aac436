"""What is made of other operations: its value and its range."""

from __future__ import annotations

from layoutalg.index import maximum, minimum, prod, value, var

IX = var("i", 8)


def test_minimum_and_maximum() -> None:
    for i in range(8):
        assert (value(minimum(IX, 3), {IX: i}), value(maximum(IX, 3), {IX: i})) == (min(i, 3), max(i, 3))


def test_ranges() -> None:
    assert (minimum(IX, 3).hi, maximum(IX, 3).lo) == (3, 3)


def test_a_product_of_nothing_is_one() -> None:
    assert (prod([]), prod([IX]), prod([IX, 2, 3])) == (1, IX, IX * 6)
