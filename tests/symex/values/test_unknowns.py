"""What an unknown stands for is a field of it, and its name says nothing."""

from layoutalg.index import FALSE, narrowed, symbol, variables
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.values.unknowns import (
    Kind,
    call_of,
    dependencies,
    is_unknown,
    kind_of,
    made_since,
    unknown_value,
)
from layoutalg.symex.values.word import is_mask


def arithmetic():
    return IndexValues(lambda goal, given: False)


def test_what_nothing_wrote_and_what_the_machine_chooses_are_told_apart():
    w = arithmetic()
    undefined, chosen, (bit,) = w.fresh_word().expr, w.unknown_word().expr, variables(w.fresh_bit())
    assert [kind_of(v) for v in (undefined, chosen, bit)] == [Kind.UNDEFINED, Kind.ANY, Kind.ANY]
    assert is_unknown(undefined + chosen)
    assert is_mask(w.word(undefined))
    loaded, size = w.fresh("loaded", 1 << 32), symbol("N")
    for known in (loaded, size, undefined + loaded, chosen * size, FALSE):
        assert not is_unknown(known)


def test_a_name_says_nothing():
    w = arithmetic()
    for name in ("any_0", "undefined_0", "any", "undefined"):
        size = symbol(name, min=0, max=(1 << 32) - 1)
        assert kind_of(size) is None
        assert not is_unknown(size)
        assert not is_mask(w.word(size))
    assert w.unknown_word().expr is not symbol("any_0", min=0, max=(1 << 32) - 1)


def test_a_result_is_as_old_as_what_it_is_a_function_of():
    w = arithmetic()
    old = w.functions.apply("f", w.fresh("loaded", 9))
    then = w.now()
    new, named_late = w.functions.apply("f", w.fresh("loaded", 9)), w.functions.apply("g", old, symbol("N"))
    assert [made_since(v, then) for v in (old, named_late, new, symbol("N"))] == [False, False, True, False]
    assert call_of(named_late) == ("g", (old, symbol("N")))
    assert dependencies(named_late) == {named_late, old, symbol("N"), *variables(*call_of(old)[1])}


def test_an_unknown_that_no_assumption_limits_stays_what_it_is():
    v = arithmetic().unknown_word().expr
    assert not narrowed([v >= 0])
    (narrow,) = narrowed([v < 7]).values()
    assert narrow.hi == 6


def test_results_of_results_are_looked_at_once() -> None:
    """Two in each step, both of the two before: 2⁶⁰ ways lead to the first."""
    first = unknown_value("first", 9, Kind.DATA, 3)
    both = (first, first)
    for n in range(60):
        both = tuple(unknown_value(f"{f} {n}", 9, Kind.RESULT, function=f, arguments=both) for f in "fg")
    assert made_since(both[0], 3)
    assert not made_since(both[0], 4)
