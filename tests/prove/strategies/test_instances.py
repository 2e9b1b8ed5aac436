"""What fails at a corner fails: there is a point of the domain where it does."""

import itertools
import random

import pytest

from layoutalg.index import Expr, all_of, eq, symbol, value, var
from layoutalg.index.evaluate import admits
from layoutalg.prove import ForAll
from layoutalg.prove.strategies.instances import fails_at_a_corner
from tests.fuzzing import FIRST, KNOWN, count

N, S = symbol("N", min=1, max=7), symbol("S", min=2, max=8, multiple_of=2)
OVER = (N, S, var("i", N), var("j", N * S))


def drawn(draw: random.Random) -> tuple[Expr, Expr]:
    """A goal, and what is given."""

    def number() -> Expr:
        a, b = draw.choice(OVER), draw.choice(OVER)
        return a * draw.randrange(-2, 3) + b * draw.choice([a, 1, -1]) + draw.randrange(-9, 9)

    def condition() -> Expr:
        return draw.choice([number() < number(), number() <= number(), eq(number() % 4, draw.randrange(4))])

    return condition(), all_of(*(condition() for _ in range(draw.randrange(3))))


@pytest.mark.fuzz
def test_what_fails_at_a_corner_fails() -> None:
    points = [
        dict(zip(OVER, at, strict=True)) for at in itertools.product(range(1, 8), range(2, 9, 2), range(7), range(56))
    ]
    points = [at for at in points if all(admits(v, at) for v in OVER)]
    found = []
    for seed in range(FIRST, FIRST + count(40)):
        goal, given = drawn(random.Random(seed))
        failed = fails_at_a_corner(ForAll("it is so", goal, given))
        found.append(failed)
        assert not failed or any(value(given, at) and not value(goal, at) for at in points), seed
    if KNOWN:
        assert set(found) == {True, False}
