"""Carries of constants, and words with data that are too large to be looked at."""

import random

import pytest

from layoutalg.index import FALSE, TRUE, ZERO, symbol, value, var
from layoutalg.isa.semantics.bits import backwards, first_one
from layoutalg.symex.idioms.bitwise import MOST_NODES, nodes
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.values.unknowns import arguments_of, function_of, kind_of
from layoutalg.symex.values.word import Bit

NO = Bit(FALSE)


def reading() -> IndexValues:
    return IndexValues(lambda goal, given: False)


@pytest.mark.parametrize("exchanged", [False, True])
def test_a_constant_has_the_carry_that_the_machine_has(exchanged: bool) -> None:
    w, t, draw = reading(), symbol("t", min=0, max=(1 << 62) - 1), random.Random(0)
    for _ in range(300):
        k = draw.choice((1, 2, 256, 4096, (1 << 31) - 1, draw.randrange(1, 1 << 31)))
        step, start = draw.choice((1, 256, -3)), draw.choice((0, -256, 5, (1 << 32) - 256, 1 << 31))
        words = [w.const(k, 32), w.word(t * step + start)]
        _, carry = w.add_carry(*(words[::-1] if exchanged else words), NO)
        for _ in range(8):
            at = {t: draw.choice((0, 1, 2, draw.randrange(300), draw.randrange(1 << 33), draw.randrange(1 << 62)))}
            held = (at[t] * step + start) % (1 << 32)
            assert value(carry.expr, at) == (held + k >= 1 << 32), (k, step, start, at)


@pytest.mark.parametrize("number", [0, 1 << 31, (1 << 32) - 1])
def test_of_other_constants_the_carry_is_not_known(number: int) -> None:
    w = reading()
    _, carry = w.add_carry(w.const(number, 32), w.word(symbol("t", min=0, max=9)), NO)
    assert kind_of(carry.expr.args[0]) is not None or kind_of(carry.expr.args[1]) is not None
    _, carry = w.add_carry(w.const(5, 32), w.word(symbol("t", min=0, max=9)), Bit(TRUE))
    assert carry.expr.op == "eq"


def test_large_words_with_data_are_one_function_and_others_are_looked_at() -> None:
    w, i = reading(), var("i", 1 << 20)
    for data in (True, False):
        word = w.word(w.fresh("loaded", 1 << 32) if data else i)
        for places in (8, 4, 2, 1):
            mask = w.word({8: 0x00FF00FF, 4: 0x0F0F0F0F, 2: 0x33333333, 1: 0x55555555}[places])
            both = w.shl(word, w.const(places, 32)), word
            size = sum(nodes(one.expr) for one in both)
            word = both[0] | both[1]
            assert (function_of(word.expr) == "or") == (data and size > MOST_NODES)
            if function_of(word.expr) == "or":
                assert arguments_of(word.expr)[:2] == tuple(one.expr for one in both)
                assert (both[0] | both[1]).expr is word.expr
                assert (both[1] ^ both[0]).expr is not word.expr
            word = word & mask
        assert isinstance(word.expr.hi, int)


def test_bits_of_constants_are_counted_and_of_data_one_function() -> None:
    w, draw = reading(), random.Random(1)
    for number in (0, 1, 1 << 31, (1 << 32) - 1, *(draw.randrange(1 << 32) for _ in range(40))):
        turned = backwards(w, w.const(number, 32)).expr.value % (1 << 32)
        assert turned == int(f"{number:032b}"[::-1], 2)
        place = first_one(w, w.const(number, 32)).expr.value
        assert place == ((number & -number).bit_length() - 1 if number else -1)
    x, y = (w.word(w.fresh("loaded", 1 << 32)) for _ in range(2))
    for function in (lambda one: w.reversed(one), lambda one: w.ones_below(one, w.const(32, 32)), w.lowest_one):
        assert function(x).expr is function(x).expr
        assert function(x).expr is not function(y).expr
    assert w.ones_below(x, w.const(32, 32)).expr.hi == 32
    assert w.lowest_one(x).expr.hi == 31


@pytest.mark.parametrize("bits", [1, 17, 31, 32, 33, 40, 64])
def test_a_disjunction_has_no_upper_half_where_neither_operand_has(bits: int) -> None:
    """A number and a size are divided in 32 bits where `(n | d) >> 32` is 0, as LLVM asks."""
    w, draw = reading(), random.Random(bits)
    n, d = symbol("n", min=0, max=(1 << bits) - 1), symbol("d", min=0, max=1000)
    upper = w.high(w.word(n, 64) | w.word(d, 64)).expr
    assert (upper is ZERO) == (bits <= 32)
    for _ in range(20):
        at = {n: draw.randrange(1 << bits), d: draw.randrange(1001)}
        assert value(upper, at) % (1 << 32) == (at[n] | at[d]) >> 32
