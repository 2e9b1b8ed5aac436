"""Types of an equation's terms: nothing is converted unasked."""

import pytest

from layoutalg.formats.equation import BOOL, INDEX, UNTYPED, IndexTerm, Literal, Operation, Passed
from layoutalg.formats.equation_types import applied, chosen, same_bits, typed
from layoutalg.index import const, symbol, var

N = IndexTerm(symbol("N", min=1, max=9))
X, K = Passed("x", "f32"), Passed("k", "u8")


def test_integers_of_sizes_stay_exact_until_they_stand_beside_a_type() -> None:
    assert applied("add", (N, IndexTerm(const(1)))).dtype == INDEX
    assert applied("lt", (N, IndexTerm(const(4)))).dtype == BOOL
    assert applied("add", (K, N)) == Operation("add", (K, Operation("convert", (N,), "u8")), "u8")


def test_a_number_takes_the_type_beside_it() -> None:
    assert applied("mul", (Literal(0.5, UNTYPED), X)).operands[0] == Literal(0.5, "f32")
    with pytest.raises(ValueError, match=r"0\.5 is no u8"):
        typed(Literal(0.5, UNTYPED), "u8")
    with pytest.raises(ValueError, match="300 is no u8"):
        typed(IndexTerm(const(300)), "u8")


def test_an_order_turned_is_one_operation() -> None:
    assert applied("gt", (X, Literal(0.0, UNTYPED))) == Operation("lt", (Literal(0.0, "f32"), X), BOOL)


def test_a_choice_of_two_numbers_alone_has_no_type() -> None:
    with pytest.raises(ValueError, match="two numbers of no type"):
        chosen((IndexTerm(var("i", 4) < 2, BOOL), Literal(0.5, UNTYPED), Literal(1.5, UNTYPED)))


def test_the_same_bits_are_as_many() -> None:
    assert same_bits(X, "u32").dtype == "u32"
    with pytest.raises(ValueError, match="has not the 16 bits"):
        same_bits(X, "u16")
