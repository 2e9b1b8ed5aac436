"""Words and their halves."""

import pytest

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.index import ZERO, const, symbol
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.machine.substitution import Substitution
from layoutalg.symex.values.word import HAS_THREAD, Carry, High, Low, Product, Sign, ZeroExtended, are_halves


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
    assert none.expr is ZERO
    low, carry = w.add_carry(w.low(one), w.low(other), none)
    high, _ = w.add_carry(w.high(one), w.high(other), carry)
    assert are_halves(low, high)
    wrong, _ = w.add_carry(w.high(one), w.high(other), none)
    assert not are_halves(low, wrong)


def test_every_origin_is_made_by_its_operation_and_is_lost_by_another():
    w = IndexValues(lambda goal, given: False)
    a, b = (w.word(symbol(name, min=-(1 << 31), max=(1 << 31) - 1)) for name in "ab")
    whole = w.word(symbol("x", min=0, max=(1 << 64) - 1), 64)
    low, high, sign, extended = w.low(whole), w.high(whole), w.ashr(a, w.const(31, 32)), w.zext(a)
    product = extended * w.zext(b)
    assert (low.origin, sign.origin, extended.origin) == (Low(whole), Sign(a), ZeroExtended(a))
    assert isinstance(high.origin, High)
    assert high.origin.of is whole
    assert product.origin == Product(a, b)
    total, carry = w.add_carry(a, b, w.eq(a, a) & w.ult(a, a))
    assert carry.carry == Carry(a, b, total)
    for word in (low, high, sign, extended, product):
        assert (word + w.const(1, word.bits)).origin is None
        assert (word + w.const(0, word.bits)).origin is word.origin
        assert (~word).origin is None


def test_words_are_joined_where_the_same_is_known_of_both():
    w = IndexValues(lambda goal, given: False)
    a, b = (w.word(symbol(name, min=0, max=(1 << 31) - 1)) for name in "ab")
    one, again, other = w.ashr(a, w.const(31, 32)), w.ashr(a, w.const(31, 32)), w.ashr(b, w.const(31, 32))
    assert one is not again
    assert one.alike(again)
    assert one.join(again) is one
    for different in (other, w.const(0, 32), w.zext(a)):
        assert not one.alike(different)
    assert one.join(other).origin is None
    assert w.zext(one).alike(w.zext(again))
    assert not w.zext(one).alike(w.zext(other))


def test_halves_stay_halves_where_a_variable_is_replaced_and_a_product_of_another_iteration_is_none():
    w, t = IndexValues(lambda goal, given: False), symbol("t", min=0, max=9)
    whole, steady = w.word(t + symbol("x", min=0, max=(1 << 63) - 1), 64), w.zext(w.word(symbol("n", max=9)))
    at = Substitution({t: const(3)})
    low, high = at.word(w.low(whole)), at.word(w.high(whole))
    assert w.pair(low, high) is at.word(whole)
    assert at.word(steady) is steady
    assert at.word(steady * steady).origin == (steady * steady).origin
    assert at.word(w.zext(w.word(t)) * steady).origin is None


def test_nobody_can_name_a_size_as_the_variable_that_says_whether_a_lane_has_a_thread():
    assert not HAS_THREAD.value.name.isidentifier()


def squared(word, times):
    for _ in range(times):
        word = word * word
    return word


def test_a_word_squared_over_and_over_is_refused_before_its_numbers_are_too_long():
    w = IndexValues(lambda goal, given: False)
    word = squared(w.word(symbol("x", min=0, max=(1 << 32) - 1), 32), 12)
    with pytest.raises(UnsupportedInstructionError, match="too long"):
        squared(word, 28)
