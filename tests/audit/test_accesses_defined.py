"""What is stored was written before: what choices make of what nothing wrote."""

import pytest

from layoutalg.audit.accesses import is_undefined
from layoutalg.audit.undefined import where_guard_undefined
from layoutalg.index import FALSE, Expr, all_of, budget, select, symbol
from layoutalg.symex.values.unknowns import Kind, unknown_value


def chosen_in_turn(inner: Expr, count: int = 60) -> Expr:
    """Sums of choices of the number by conditions that have nothing to do with one another."""
    for n in range(count):
        inner = select(symbol(f"s{n}") < 5, inner, inner + n + 1)
    return inner


def test_what_many_choices_make_of_given_numbers_is_seen_at_once() -> None:
    value = chosen_in_turn(symbol("x"))
    assert not is_undefined((value,), frozenset(), frozenset())
    assert is_undefined((value,), frozenset({symbol("x")}), frozenset())


def test_of_ten_thousand_nested_results_it_is_seen_what_they_are_made_of() -> None:
    for first, undefined in ((symbol("x"), False), (unknown_value("u", 9, Kind.UNDEFINED), True)):
        value = first
        for n in range(10_000):
            value = unknown_value(f"f{n}", 9, Kind.RESULT, function="f", arguments=(value, symbol("y")))
        assert is_undefined((value,), frozenset(), frozenset()) is undefined


def test_what_is_not_decided_in_time_is_no_answer() -> None:
    """What nothing wrote is on a way that is never gone: which, each set of conditions is asked."""
    unwritten, given = unknown_value("u", 2, Kind.UNDEFINED), symbol("a") < 5
    guarded = select(given, symbol("x"), unwritten)
    assert is_undefined((guarded,), frozenset(), frozenset())
    assert not is_undefined((guarded,), frozenset(), frozenset({given}))
    with pytest.raises(budget.OutOfTimeError), budget.within(0):
        is_undefined((chosen_in_turn(guarded),), frozenset(), frozenset({given}))


def test_of_a_guard_counts_what_nothing_wrote_where_the_rest_does_not_decide() -> None:
    unwritten, a, b = unknown_value("u", 9, Kind.UNDEFINED), symbol("a") < 5, symbol("b") < 5
    chosen = select(a, symbol("x", max=9), unwritten) < 4
    assert where_guard_undefined(all_of(a, chosen), frozenset()) is FALSE
    assert where_guard_undefined(all_of(chosen, b, a), frozenset()) is FALSE
    assert str(where_guard_undefined(all_of(b, chosen), frozenset())) == "b < 5 and 5 <= a"
    assert where_guard_undefined(all_of(a, unwritten < 4), frozenset()) is a


def test_what_stands_for_each_other_is_no_proof_of_it() -> None:
    """Two conditions of which each is made of what nothing wrote where the other fails: both may be."""
    unwritten, x, y = unknown_value("u", 9, Kind.UNDEFINED), symbol("x", max=9), symbol("y", max=9)
    one = select(y < 4, x, unwritten) < 4
    other = select(one, y, unwritten) < 4
    assert where_guard_undefined(all_of(one, other), frozenset()) is not FALSE
