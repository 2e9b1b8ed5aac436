"""Terms by their digits are the terms wherever the condition holds, and cases lose and gain no place."""

import itertools
import random

import pytest

from layoutalg.audit.meaning.sums.tabulated import cases, tabulated
from layoutalg.index import FALSE, TRUE, ZERO, Expr, all_of, any_of, as_expr, eq, lt, symbol, value, var, variables

T, K, N = var("t", 64), var("k", 4), symbol("N", min=1, max=9)
PLACES = [{T: t, K: k, N: n} for t, k, n in itertools.product(range(64), range(4), (1, 2, 9))]


def drawn(draw: random.Random, depth: int = 3) -> Expr:
    if not depth:
        return draw.choice([T, K, N, as_expr(draw.randint(-9, 9))])
    one, other = drawn(draw, depth - 1), drawn(draw, depth - 1)
    return draw.choice(
        [one + other, one * other, one - other, one // draw.choice([2, 4, 7]), one % draw.choice([2, 8])]
    )


def condition(draw: random.Random) -> Expr:
    return all_of(*(draw.choice([eq, lt])(drawn(draw, 2) % 4, draw.randint(0, 3)) for _ in range(draw.randint(0, 2))))


def test_a_term_is_the_same_wherever_the_condition_holds() -> None:
    draw, told = random.Random(7), 0
    for _ in range(60):
        e, given = drawn(draw), condition(draw)
        found = tabulated(e, given)
        told += found is not e
        for at in PLACES:
            if not variables(given) or value(given, at):
                assert value(found, at) == value(e, at), (e, given, found, at)
    assert told > 10


def test_what_is_one_for_the_threads_of_a_condition_alone_is_not_for_others() -> None:
    e = N * (T // 8 % 2 * 8 - T % 4 + T % 8)
    assert tabulated(e, eq(T // 8 % 2 + T // 4 % 2, 0)) is ZERO
    assert tabulated(e, eq(T // 8 % 2, 0)) is not ZERO
    assert tabulated(e, TRUE) is not ZERO


@pytest.mark.slow
def test_what_is_left_of_alternatives_in_their_cases_is_all_of_them() -> None:
    draw = random.Random(11)
    for _ in range(30):
        alternatives = [all_of(condition(draw), lt(drawn(draw, 2), N)) for _ in range(draw.randint(1, 4))]
        found = cases(alternatives, TRUE)
        for at in PLACES:
            here = [one for one in found if one.where is TRUE or value(one.where, at)]
            assert here, at
            whole = any(one is TRUE or (one is not FALSE and value(one, at)) for one in alternatives)
            each = [any_of(*one.left.values()) for one in here]
            assert all(one is TRUE or (one is not FALSE and value(one, at)) for one in each) == whole
