"""Addends, their sums and products."""

import pytest

from layoutalg.audit.meaning.sums.addends import Addend, Factor, Placed, added, candidate, product
from layoutalg.index import negation, symbol
from layoutalg.symex.values.word import NotReadable


def test_a_product_of_two_sums_is_no_sum_of_products():
    k = symbol("k", min=0, max=9)
    one = Addend(factors=(Factor("x", "f32", Placed(k * 4)),), bound=(k,))
    with pytest.raises(NotReadable, match="of two sums"):
        product((one,), (one,))
    assert product((one,), (Addend(),)) == (one,)


def test_what_is_there_either_way_is_there():
    c = symbol("i") < 4
    one = Addend(factors=(Factor("x", "f32", Placed(symbol("i"))),))
    yes, no = one.where(Placed(c)), one.where(Placed(negation(c)))
    assert added((yes, no)) == (one,)
    assert added((yes, yes)) == (yes, yes)


def test_of_sums_only_one_product_that_is_always_there_is_a_candidate_of_a_greatest():
    """A sum over an index is no greatest over it, and where a guard fails a sum is 0, which is a candidate."""
    k = symbol("k", min=0, max=9)
    one = Addend(factors=(Factor("x", "f32", Placed(k * 4)),))
    assert candidate((one,)) == (one,)
    for no in ((), (one, one), (one.over(k),), (one.where(Placed(k < 4)),)):
        with pytest.raises(NotReadable, match="of sums"):
            candidate(no)
