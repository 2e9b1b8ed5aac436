"""Conditions in one form: true at the same points as they were written, and alike where they say the same."""

import itertools
import random

import pytest

from layoutalg.index import (
    FALSE,
    all_of,
    any_of,
    as_expr,
    conjuncts,
    div,
    eq,
    le,
    lt,
    mod,
    negation,
    select,
    value,
    var,
)
from layoutalg.index.conditions import alike, choice, chosen, given_or, less, meaning, plain, settled
from layoutalg.refine.values.word import both, either
from tests.fuzzing import some

NAMES = tuple(var(name, 3) for name in "abc")
POINTS = [dict(zip(NAMES, point, strict=True)) for point in itertools.product(range(3), repeat=3)]


def drawn(rng, depth):
    """A condition over three small numbers."""
    if depth == 0:
        a, b = rng.sample(NAMES, 2)
        return rng.choice([a < b, a <= b, a < rng.randrange(1, 3), b + a >= 2, eq(a, b)])
    join = rng.choice(
        [all_of, any_of, lambda *parts: negation(all_of(*parts)), lambda *parts: negation(any_of(*parts))]
    )
    return join(*(drawn(rng, rng.randrange(depth)) for _ in range(rng.randrange(1, 4))))


@pytest.mark.parametrize("seed", some(range(300), 75))
def test_a_condition_holds_where_it_held(seed):
    rng = random.Random(seed)
    known = [drawn(rng, rng.randrange(2)) for _ in range(2)]
    denied = any_of(*(all_of(drawn(rng, 1), rng.choice(known)) for _ in range(2)))
    condition = all_of(*known, negation(denied), drawn(rng, 2))
    for form in (settled(condition), all_of(*map(plain, conjuncts(settled(condition))))):
        assert all(bool(value(form, at)) == bool(value(condition, at)) for at in POINTS), (condition, form)


def test_a_denied_alternative_is_several_conditions():
    a, b, c = (name < 2 for name in NAMES)
    assert settled(all_of(c, negation(any_of(all_of(a, c), all_of(c, b))))) is all_of(c, negation(a), negation(b))
    assert settled(all_of(a, b, negation(all_of(a, b)))) is FALSE


@pytest.mark.parametrize("seed", some(range(20), 5))
def test_two_masks_have_the_bits_of_their_conditions(seed):
    rng, fewer = random.Random(seed), 0
    for _ in range(60):
        shared, part, other = drawn(rng, rng.randrange(2)), drawn(rng, 1), drawn(rng, 0)
        one, two = all_of(shared, part), all_of(shared, rng.choice([part, negation(part), other]))
        for form, join, meant in ((either(one, two), any_of, any), (both(one, two), all_of, all)):
            assert all(bool(value(form, at)) == meant((value(one, at), value(two, at))) for at in POINTS)
            fewer += form is not join(one, two)
    assert fewer > 20


def test_conditions_of_one_meaning_hold_at_the_same_points():
    rng = random.Random(5)
    found = {}
    for _ in range(400):
        condition = drawn(rng, rng.randrange(2))
        where = tuple(bool(value(condition, at)) for at in POINTS)
        assert found.setdefault(meaning(condition), where) == where, condition
    assert len(found) < 200


@pytest.mark.parametrize("strict", [lt, le])
def test_less_than_the_lesser_or_the_greater(strict):
    """Also of a choice that is neither: c < a ? a : b."""
    a, b, c = NAMES
    for p, q in itertools.permutations((a, b)):
        for one, other in itertools.product((a, b, c), repeat=2):
            chosen = select(strict(p, q), one, other)
            for left, right in ((chosen, c), (c, chosen), (chosen, as_expr(1)), (chosen, select(a < c, c, a))):
                form = less(left, right)
                assert all(value(form, at) == (value(left, at) < value(right, at)) for at in POINTS), (left, right)
    assert less(c, select(a < b, a, b)) is all_of(c < a, c < b)


def drawn_number(rng, depth):
    """A choice of choices of small numbers, their quotients and remainders."""
    if depth == 0:
        return rng.choice([*NAMES, as_expr(rng.randrange(4))])
    kind = rng.randrange(4)
    if kind == 0:
        return rng.choice([div, mod])(drawn_number(rng, depth - 1), rng.randrange(1, 4))
    if kind == 1:
        return drawn_number(rng, depth - 1) + drawn_number(rng, depth - 1)
    return select(drawn(rng, rng.randrange(3)), drawn_number(rng, depth - 1), drawn_number(rng, depth - 1))


@pytest.mark.parametrize("seed", some(range(8), 2))
def test_what_is_chosen_where_a_condition_holds_has_the_same_value_there(seed):
    rng, decided = random.Random(seed), 0
    for _ in range(60):
        given = drawn(rng, rng.randrange(3))
        there = [at for at in POINTS if value(given, at)]
        for e, spread in itertools.product((drawn_number(rng, 3), drawn(rng, 2)), (False, True)):
            form = chosen(e, given, spread)
            assert all(value(form, at) == value(e, at) for at in there), (e, given, form)
            decided += form is not e
        condition = drawn(rng, 1)
        form = given_or(condition, given)
        assert all(bool(value(form, at)) == bool(value(condition, at)) for at in there), (condition, given, form)
    assert decided > 120


@pytest.mark.parametrize("seed", some(range(8), 2))
def test_one_expression_for_two_ways_is_each_on_its_way(seed):
    rng, found = random.Random(seed), 0
    for _ in range(150):
        here, there, same = drawn(rng, rng.randrange(2)), drawn(rng, rng.randrange(2)), drawn_number(rng, 1)
        x, y = select(here, same, drawn_number(rng, 1)), select(rng.choice([here, there]), same, drawn_number(rng, 1))
        one, either = alike(here, x, there, y), choice(here, x, y)
        found += one is not None
        for at in POINTS:
            assert value(either, at) == value(x if value(here, at) else y, at), (here, x, y, either)
            for holds, meant in ((here, x), (there, y)):
                if one is not None and value(holds, at):
                    assert value(one, at) == value(meant, at), (here, x, there, y, one)
    assert found > 20
