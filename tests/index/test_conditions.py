"""Conditions in one form: true at the same points as they were written, and alike where they say the same."""

import itertools
import random

import pytest

from layoutalg.index import (
    FALSE,
    TRUE,
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
    slack,
    symbol,
    value,
    var,
)
from layoutalg.index.conditions import (
    assuming,
    choice,
    conjunction,
    conjuncts_in_normal_form,
    disjunction,
    excludes,
    implies,
    merged,
    normal_form,
    restricted,
    upper_limits,
)
from layoutalg.index.orders import less
from layoutalg.prove import ForAll, prove
from tests.matrix import some

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


@pytest.mark.parametrize("seed", some(range(300), 25))
def test_a_condition_holds_where_it_held(seed):
    rng = random.Random(seed)
    known = [drawn(rng, rng.randrange(2)) for _ in range(2)]
    denied = any_of(*(all_of(drawn(rng, 1), rng.choice(known)) for _ in range(2)))
    condition = all_of(*known, negation(denied), drawn(rng, 2))
    for form in (conjunction(condition), all_of(*map(normal_form, conjuncts(conjunction(condition))))):
        assert all(bool(value(form, at)) == bool(value(condition, at)) for at in POINTS), (condition, form)


def test_a_denied_alternative_is_several_conditions():
    a, b, c = (name < 2 for name in NAMES)
    assert conjunction(all_of(c, negation(any_of(all_of(a, c), all_of(c, b))))) is all_of(c, negation(a), negation(b))
    assert conjunction(all_of(a, b, negation(all_of(a, b)))) is FALSE


@pytest.mark.parametrize("seed", some(range(20), 2))
def test_two_masks_have_the_bits_of_their_conditions(seed):
    rng, fewer = random.Random(seed), 0
    for _ in range(60):
        shared, part, other = drawn(rng, rng.randrange(2)), drawn(rng, 1), drawn(rng, 0)
        one, two = all_of(shared, part), all_of(shared, rng.choice([part, negation(part), other]))
        for form, join, meant in ((disjunction(one, two), any_of, any), (conjunction(one, two), all_of, all)):
            assert all(bool(value(form, at)) == meant((value(one, at), value(two, at))) for at in POINTS)
            fewer += form is not join(one, two)
    assert fewer > 20


def test_conditions_of_one_meaning_hold_at_the_same_points():
    rng = random.Random(5)
    found = {}
    for _ in range(400):
        condition = drawn(rng, rng.randrange(2))
        where = tuple(bool(value(condition, at)) for at in POINTS)
        assert found.setdefault(conjuncts_in_normal_form(condition), where) == where, condition
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


@pytest.mark.parametrize("seed", some(range(8), 1))
def test_what_is_chosen_where_a_condition_holds_has_the_same_value_there(seed):
    rng, decided = random.Random(seed), 0
    for _ in range(60):
        given = drawn(rng, rng.randrange(3))
        there = [at for at in POINTS if value(given, at)]
        for e, spread in itertools.product((drawn_number(rng, 3), drawn(rng, 2)), (False, True)):
            form = restricted(e, given, spread)
            assert all(value(form, at) == value(e, at) for at in there), (e, given, form)
            decided += form is not e
        condition = drawn(rng, 1)
        form = assuming(condition, given)
        assert all(bool(value(form, at)) == bool(value(condition, at)) for at in there), (condition, given, form)
    assert decided > 120


@pytest.mark.parametrize("seed", some(range(8), 1))
def test_one_expression_for_two_ways_is_each_on_its_way(seed):
    rng, found = random.Random(seed), 0
    for _ in range(150):
        here, there, same = drawn(rng, rng.randrange(2)), drawn(rng, rng.randrange(2)), drawn_number(rng, 1)
        x, y = select(here, same, drawn_number(rng, 1)), select(rng.choice([here, there]), same, drawn_number(rng, 1))
        one, either = merged(here, x, there, y), choice(here, x, y)
        found += one is not None
        for at in POINTS:
            assert value(either, at) == value(x if value(here, at) else y, at), (here, x, y, either)
            for holds, meant in ((here, x), (there, y)):
                if one is not None and value(holds, at):
                    assert value(one, at) == value(meant, at), (here, x, there, y, one)
    assert found > 20


X, Y = symbol("x", min=0), symbol("y", min=0)
P, Q, S = X < 7, eq(Y, 3), X <= Y
ORDERS = (X < Y, X <= Y, X + 1 <= Y, negation(Y <= X), negation(X < Y), X * 3 + 2 < Y * 5, X - Y > 4)

#: The table of the header, a line each: as it is written, as it is.
TABLE = {
    "a strict order": (X < Y, Y - X - 1 >= 0),
    "an order": (X <= Y, Y - X >= 0),
    "a denied order": (negation(Y <= X), Y - X - 1 >= 0),
    "an equation": (eq(X + 2, Y + 3), eq(X - Y, 1)),
    "a denied choice": (negation(any_of(P, Q)), all_of(negation(P), negation(Q))),
    "a denied conjunction": (negation(all_of(P, Q)), any_of(negation(P), negation(Q))),
    "absorption": (any_of(P, all_of(P, Q)), P),
    "absorption of a choice": (all_of(P, any_of(P, Q)), P),
    "a negation beside": (any_of(P, all_of(negation(P), Q)), any_of(P, Q)),
    "a negation beside, in a conjunction": (all_of(P, any_of(negation(P), Q)), all_of(P, Q)),
    "the excluded middle": (any_of(P, negation(P)), TRUE),
    "a contradiction": (all_of(P, negation(P)), FALSE),
}


def same(one, other):
    """For all values: both hold, or neither does."""
    return any_of(all_of(one, other), all_of(negation(one), negation(other)))


@pytest.mark.parametrize("line", TABLE)
def test_the_lines_of_the_table_are_lemmas(line):
    """z3 proves each for all numbers, not for those of a range; and the normal form goes by it."""
    written, form = TABLE[line]
    assert same(written, form) is TRUE or prove(ForAll(line, same(written, form)), strategy="z3")
    assert normal_form(written) is normal_form(form)


def test_the_lines_on_what_both_ways_share_and_on_the_lesser_of_two():
    ways = all_of(S, P), all_of(S, negation(P))
    assert disjunction(*ways) is S
    assert prove(ForAll("shared", same(any_of(*ways), S)), strategy="z3")
    for number in (select(X < Y, X, Y), select(X < Y, Y, X)):
        for left, right in ((number, as_expr(5)), (as_expr(5), number)):
            assert less(left, right).op in ("any", "all")
            assert prove(ForAll("of two", same(lt(left, right), less(left, right))), strategy="z3")


@pytest.mark.parametrize("order", ORDERS)
def test_the_slack_of_an_order_is_not_negative_where_it_holds(order):
    assert prove(ForAll("its slack", same(order, slack(order) >= 0)), strategy="z3")
    assert slack(eq(X, Y)) is None


@pytest.mark.parametrize("seed", some(range(20), 2))
def test_what_is_implied_or_excluded_is_so_at_every_point(seed):
    rng, found = random.Random(seed), 0
    for _ in range(150):
        one, other = (drawn(rng, rng.randrange(3)) for _ in range(2))
        other = rng.choice([other, any_of(other, one), negation(all_of(other, negation(one))), all_of(one, other)])
        here = [(bool(value(one, at)), bool(value(other, at))) for at in POINTS]
        if implies(one, other):
            found += one is not other
            assert all(b for a, b in here if a), (one, other)
        if excludes(one, other):
            found += 1
            assert not any(a and b for a, b in here), (one, other)
    assert found > 40


@pytest.mark.parametrize("seed", some(range(40), 2))
def test_what_is_left_of_a_condition_where_others_are_given_says_the_same_there(seed):
    rng, fewer = random.Random(seed), 0
    for _ in range(60):
        given = all_of(*(drawn(rng, rng.randrange(2)) for _ in range(rng.randrange(1, 3))))
        condition = rng.choice([all_of, any_of])(drawn(rng, 2), rng.choice(conjuncts(given)), drawn(rng, 1))
        left, joint = assuming(condition, given), conjunction(condition, given)
        fewer += left is not condition
        for at in POINTS:
            meant = bool(value(condition, at))
            assert bool(value(joint, at)) == (meant and bool(value(given, at))), (condition, given, joint)
            assert not value(given, at) or bool(value(left, at)) == meant, (condition, given, left)
    assert fewer > 20


def test_upper_limits_are_the_least_that_are_given():
    given = all_of(X * Y < 1000, X * Y <= 900, X <= 9, X < Y, eq(Y, 4), any_of(Y < 3, X < 2))
    assert upper_limits(given) == {X * Y: 900, X: 9}
