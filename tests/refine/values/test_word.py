"""Words and their halves."""

from layoutalg.index import FALSE, symbol
from layoutalg.refine.symbolic.arithmetic import IndexValues
from layoutalg.refine.values.word import are_halves


def test_two_words_are_halves_only_of_the_word_they_were_taken_from():
    w = IndexValues(lambda goal, given: False)
    one, other = (w.word(symbol(name, min=0, max=(1 << 64) - 1), 64) for name in "xy")
    low, high = w.low(one), w.high(one)
    assert are_halves(low, high)
    assert w.pair(low, high) is one
    for a, b in ((w.low(other), high), (low, w.high(other)), (high, high), (low, low), (high, low)):
        assert not are_halves(a, b)
        assert w.pair(a, b) is not one


def test_the_halves_of_a_sum_with_its_carry_are_halves_wherever_they_are():
    w = IndexValues(lambda goal, given: False)
    one, other = (w.word(symbol(name, min=0, max=(1 << 64) - 1), 64) for name in "xy")
    none = w.ult(w.const(0, 32), w.const(0, 32))
    assert none.expr is FALSE
    low, carry = w.add_carry(w.low(one), w.low(other), none)
    high, _ = w.add_carry(w.high(one), w.high(other), carry)
    assert are_halves(low, high)
    wrong, _ = w.add_carry(w.high(one), w.high(other), none)
    assert not are_halves(low, wrong)
