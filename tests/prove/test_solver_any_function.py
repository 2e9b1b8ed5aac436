"""Goals under bitwise facts, by integers with any function in the place of a bitwise operation."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from layoutalg.index import Expr, all_of, any_of, bitand, eq, negation, symbol, var, xor
from layoutalg.index.evaluate import value
from layoutalg.prove import ForAll, Limits, prove
from layoutalg.prove.outcome import Holds
from layoutalg.prove.solver import ANY_FUNCTION, with_any_function

M, V = symbol("M", max=1 << 20), symbol("V", max=1 << 40)
LANE, WAVE, BLOCK, LABEL = var("lane", 64), var("wave", 16), var("block", M), var("label", 1 << 41)
FIRST = eq(LANE + WAVE - bitand(LANE, WAVE), 0)  # as LLVM asks whether a thread is the first
COLUMN = all_of(any_of(eq(LABEL, 1 << 40), LABEL < V), negation(eq(LABEL, 1 << 40)))
IN_ROW = ForAll("in bounds", V * BLOCK + LABEL < M * V, all_of(FIRST, COLUMN))
ONE_EACH = ForAll("one thread", eq(LANE * 64 + WAVE, 0), all_of(FIRST, V * BLOCK + LABEL < M * V))


@pytest.mark.parametrize("obligation", [IN_ROW, ONE_EACH])
def test_what_is_too_wide_for_bits_rests_on_other_facts_or_on_limits(obligation: ForAll) -> None:
    verdict = prove(obligation)
    assert (verdict.name, verdict.strategy) == ("proved", ANY_FUNCTION)


def test_what_rests_on_the_bits_themselves_is_left_to_bits() -> None:
    x = var("x", 8)
    rests = ForAll("below 4", x < 4, eq(bitand(x, 4), 0))
    assert not isinstance(with_any_function(rests, Limits()), Holds)
    assert prove(rests).name == "proved"


@pytest.mark.parametrize("seed", range(30))
def test_no_counterexample_is_lost(seed: int) -> None:
    """What is shown holds at every point."""
    random = Random(seed)
    over = var("a", 6), var("b", 6), var("c", 6)

    def bits() -> Expr:
        return random.choice((bitand, xor))(*random.sample(over, 2))

    def order() -> Expr:
        return bits() + random.randint(0, 2) <= random.choice(over) + random.randint(0, 4)

    given = all_of(order(), any_of(order(), eq(bits(), random.choice(over))))
    goal = random.choice(over) + random.randint(-3, 1) <= random.choice(over) + random.choice(over)
    if isinstance(with_any_function(ForAll("an order", goal, given), Limits()), Holds):
        points = (dict(zip(over, each, strict=True)) for each in product(range(6), repeat=3))
        assert all(value(goal, point) for point in points if value(given, point))
