"""Addends, their sums and products."""

from layoutalg.audit.ask import Open
from layoutalg.audit.meaning.sums.addends import Addend, Factor, Placed, Sum, candidate, product, put_together, total
from layoutalg.index import as_expr, conjuncts, eq, negation, simplify, symbol
from layoutalg.prove import ForAll

K = symbol("k", min=0, max=9)
X = Addend(factors=(Factor("x", "f32", Placed(K * 4)),))


def test_a_product_of_two_sums_is_no_sum_of_products():
    one = Sum((X.over(K),))
    assert product(one, one) == Open("a product of two sums")
    assert product(one, Sum((Addend(),))) == one


def test_of_a_turn_that_a_guard_says_one_term_is_left():
    turn, n = symbol("s", min=0, max=1 << 40), symbol("n")
    one = Addend(factors=(Factor("x", "f32", Placed(turn * 4)),), guards=(Placed(turn < n),))
    assert one.over_turns(turn).bound == (turn,)
    (first,) = (one.where(Placed(eq(turn, 2))).over_turns(turn),)
    assert (first.bound, first.factors[0].place.value, first.guard) == ((), as_expr(8), as_expr(2) < n)
    before = one.where(Placed(eq(turn + 3, n))).over_turns(turn)
    assert (before.bound, before.factors[0].place.value) == ((), simplify(n * 4 - 12))
    assert all(part in conjuncts(before.guard) for part in conjuncts(n - 3 >= 0)), "no turn is before the first"
    assert X.where(Placed(eq(K, symbol("n")))).over(K).bound == (K,)  # of an equation's index: it has a length


def test_what_is_there_either_way_is_there():
    yes, no = (X.where(Placed(c)) for c in (symbol("i") < 4, negation(symbol("i") < 4)))
    assert put_together(Sum((yes, no))) == Sum((X,))
    assert put_together(Sum((yes, yes))) == Sum((yes, yes))


def test_of_sums_only_one_product_that_is_always_there_is_a_candidate_of_a_greatest():
    """A sum over an index is no greatest over it, and where a guard fails a sum is 0, which is a candidate."""
    assert candidate(Sum((X,))) == Sum((X,))
    for no in ((), (X, X), (X.over(K),), (X.where(Placed(K < 4)),)):
        assert candidate(Sum(no)) == Open("a greatest or least of sums")


def test_what_must_hold_for_a_part_must_for_the_whole_and_what_is_not_seen_is_not_seen_of_it():
    asked, left = ForAll("it is so", K < 4), Open("no reading")
    one, other = Sum((X,), (asked,)), Sum((Addend(),), assumed=("a compiler",))
    assert total(one, other) == Sum((X, Addend()), (asked,), ("a compiler",))
    assert product(other, one) == Sum((X,), (asked,), ("a compiler",))
    assert total(one, left, Open("another")) == product(left, one) == left
