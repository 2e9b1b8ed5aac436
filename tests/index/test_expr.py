"""Nodes: one object for one meaning, ranges, and what is refused."""

from __future__ import annotations

import math
import pickle

import pytest

from layoutalg.index import (
    FALSE,
    TRUE,
    ZERO,
    add,
    all_of,
    any_of,
    bitand,
    const,
    div,
    eq,
    lookup,
    lt,
    mod,
    negation,
    select,
    symbol,
    var,
    xor,
)

IX, J = var("i", 8), var("j", 5)


def test_equal_expressions_are_one_object() -> None:
    assert (IX * 4 + J) // 3 is (IX * 4 + J) // 3
    assert pickle.loads(pickle.dumps(IX * 4 + J)) is IX * 4 + J


@pytest.mark.parametrize(
    ("built", "simpler"),
    [
        (IX % 8, IX),
        (IX // 8, ZERO),
        ((IX + 16) // 8, const(2)),
        (IX % 1, ZERO),
        (IX ^ IX, ZERO),
        (IX ^ 0, IX),
        (IX & 7, IX),
        (IX & 3, IX % 4),
        (IX * 2 * 3, IX * 6),
        (IX < 8, TRUE),
        (lt(IX, IX), FALSE),
        (eq(IX, 9), FALSE),
        (all_of(), TRUE),
        (any_of(), FALSE),
        (all_of(IX < 3, FALSE), FALSE),
        (negation(IX < 3), IX >= 3),
        (negation(negation(eq(IX, 3))), eq(IX, 3)),
        (select(IX < 9, J, IX), J),
        (select(IX < 3, J, J), J),
        (lookup([4, 7, 9], 2), const(9)),
    ],
)
def test_what_the_ranges_decide_is_not_built(built: object, simpler: object) -> None:
    assert built is simpler


def test_ranges() -> None:
    assert (xor(IX, 5).lo, xor(IX, 5).hi) == (0, 7)
    assert ((IX - J).lo, (IX - J).hi) == (-4, 7)
    assert (bitand(IX - J, -4).lo, bitand(IX - J, -4).hi) == (-4, 7)
    assert ((symbol("N") * 10**400).hi, (symbol("N") * -(10**400) + 1).lo) == (math.inf, -math.inf)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: div(IX, J), "division by j, which can be 0"),
        (lambda: mod(IX, symbol("M") - 1), "division by M - 1, which can be 0"),
        (lambda: lookup([1, 2], IX), r"index i in 0…7 leaves a table of 2 entries"),
    ],
)
def test_what_has_no_meaning_is_refused(make: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()  # type: ignore[operator]


def test_numbers_are_not_truth_values() -> None:
    with pytest.raises(TypeError, match="i is a number; a truth value is needed"):
        all_of(IX, IX < 3)
    with pytest.raises(TypeError, match="the truth of i < 3 depends on its variables"):
        bool(IX < 3)
    with pytest.raises(TypeError, match="i is not a constant"):
        int(IX)


def test_text_of_deep_and_shared_expressions_stays_short() -> None:
    e = add(var("i", 1 << 30), 0)
    for _ in range(3000):
        e = e ^ (e // 2)
    assert len(repr(e)) <= 20_000
