"""What is seen to be a multiple is one, by enumeration of drawn terms; what is shifted by less is none."""

import random

import pytest

from layoutalg.index import const, div, select, value, var
from layoutalg.index.multiples import is_multiple

ROW, COLUMN = var("i", 16), var("j", 8)


def drawn(draw, depth=3):
    if not depth or draw.random() < 0.2:
        return draw.choice((ROW, COLUMN, const(draw.randrange(64)), ROW % 4, div(COLUMN, 2)))
    one, other = drawn(draw, depth - 1), drawn(draw, depth - 1)
    return draw.choice(
        (one + other, one * draw.choice((2, 4, 6, 8, 12)), one ^ other, select(ROW < COLUMN, one, other))
    )


@pytest.mark.parametrize("n", [2, 6, 8, 16])
def test_what_is_seen_to_be_a_multiple_is_one(n):
    draw, seen = random.Random(n), 0
    for _ in range(1000):
        term = drawn(draw)
        if is_multiple(term, n):
            seen += 1
            assert all(value(term, {ROW: i, COLUMN: j}) % n == 0 for i in range(16) for j in range(8)), term
            assert not is_multiple(term + 1, n)
    assert seen > 20


def test_factors_within_xor_are_seen():
    assert is_multiple((ROW * 32 ^ 32) * 2 + COLUMN * 64, 64)
    assert not is_multiple((ROW * 32 ^ 16) * 2 + COLUMN * 64, 64)
    assert not is_multiple(ROW * 6 ^ COLUMN * 6, 6)  # 6 ^ 12 is 10
