"""Ways that meet: a condition of the path is left out where they are all ways, and nowhere else."""

import itertools
import random

from layoutalg.index import TRUE, all_of, any_of, eq, negation, value, var
from layoutalg.index.conditions import is_tautology
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.machine.state import State, joined

P, Q, R = (eq(var(name, 2), 1) for name in "pqr")

#: The paths of nested branches, of which all together are every way.
WAYS = ((P,), (negation(P), Q), (negation(P), negation(Q), R), (negation(P), negation(Q), negation(R)))


def path(*ways: tuple) -> tuple:
    return joined(IndexValues(lambda goal, given: False), [State(path=way) for way in ways]).path


def test_all_ways_in_any_order_leave_no_condition() -> None:
    for ways in itertools.permutations(WAYS):
        assert path(*ways) == (), ways


def test_where_a_way_is_missing_a_condition_is_left() -> None:
    for ways in itertools.permutations(WAYS, 3):
        assert path(*ways), ways


def test_a_tautology_is_one_whatever_its_comparisons_are() -> None:
    draw, found = random.Random(0), 0
    for _ in range(300):
        parts = [all_of(*(draw.choice((one, negation(one))) for one in draw.sample((P, Q, R), draw.randrange(1, 4))))
                 for _ in range(draw.randrange(1, 7))]  # fmt: skip
        condition = any_of(*parts)
        always = condition is TRUE or all(
            value(condition, dict(zip((var(name, 2) for name in "pqr"), at, strict=True)))
            for at in itertools.product((0, 1), repeat=3)
        )
        assert is_tautology(condition) == always
        found += always
    assert 10 < found < 290
    assert not is_tautology(any_of(*(all_of(*way) for way in WAYS)), 2)  # too few steps
