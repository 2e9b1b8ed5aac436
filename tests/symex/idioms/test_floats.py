"""What is said of floating-point results, against numpy's arithmetic on numbers of every kind."""

import numpy as np
import pytest

from layoutalg.index import all_of, any_of, const, div, mod, negation, select, substitute, symbol, variables
from layoutalg.index.evaluate import array
from layoutalg.symex.idioms.floats import LEAST, choice, for_numbers, recognised
from layoutalg.symex.values.uninterpreted import UninterpretedFunctions
from layoutalg.target.elements import to_bits

X = symbol("x", min=0, max=(1 << 32) - 1)
WORDS = np.unique(
    np.concatenate([
        np.random.default_rng(0).integers(0, 1 << 32, 4000, dtype=np.uint32),
        *(np.uint32(base) + np.arange(-3, 4, dtype=np.int64).astype(np.uint32)
          for base in (0, 0x7FFF, 0x8000, 0x18000, 0x7F7F8000, 0x7F800000, 0x7FC00000, 0x80000000, 0xFF800000)),
    ])
)  # fmt: skip


def test_the_greater_of_a_number_and_the_least_is_the_number_to_the_bit():
    functions = UninterpretedFunctions()
    greater = any_of(functions.relation("gt_f32", X, const(LEAST)), functions.relation("neq_f32", X, X))
    assert choice(functions, greater, X, const(LEAST)) is X
    assert choice(functions, negation(greater), const(LEAST - (1 << 32)), X, 32) is X
    numbers = WORDS.view(np.float32)
    least = np.uint32(LEAST).view(np.float32)
    assert np.array_equal(np.where((numbers > least) | np.isnan(numbers), WORDS, LEAST), WORDS)


@pytest.mark.parametrize(
    ("parts", "least"),
    [
        ((("gt_f32", X, LEAST),), LEAST),  # a NaN would be −∞
        ((("neq_f32", X, X),), LEAST),
        ((("gt_f32", X, LEAST), ("neq_f32", X, X)), 0xFF7FFFFF),  # −∞ would be the least finite number
        ((("gt_f32", X, 0xFF7FFFFF), ("neq_f32", X, X)), LEAST),
        ((("lt_f32", X, LEAST), ("neq_f32", X, X)), LEAST),
        ((("gt_f32", X, LEAST), ("eq_f32", X, X)), LEAST),
    ],
)
def test_other_choices_stay_choices(parts, least):
    functions = UninterpretedFunctions()
    conditions = [functions.relation(name, a, const(b) if isinstance(b, int) else b) for name, a, b in parts]
    for bits in (0, 32):
        assert choice(functions, any_of(*conditions), X, const(least), bits).op == "select"
        assert choice(functions, all_of(*conditions), X, const(LEAST), bits).op == "select"


@pytest.mark.parametrize("bits", [0, 64])
def test_what_is_equal_as_a_word_only_is_not_the_same_integer(bits):
    functions = UninterpretedFunctions()
    greater = any_of(functions.relation("gt_f32", X, const(LEAST)), functions.relation("neq_f32", X, X))
    assert choice(functions, greater, X, const(LEAST - (1 << 32)), bits).op == "select"
    signed = symbol("y", min=-(1 << 31), max=(1 << 31) - 1)
    greater = any_of(functions.relation("gt_f32", signed, const(LEAST)), functions.relation("neq_f32", signed, signed))
    assert choice(functions, greater, signed, const(LEAST), bits).op == "select"
    quiet, half = X + (1 << 22) - mod(div(X, 1 << 22), 2) * (1 << 22), X + mod(div(X, 1 << 16), 2) + 0x7FFF
    unordered = functions.relation("u_f32", X, X)
    assert choice(functions, unordered, quiet, half, bits) is functions.apply("bf16_above", X)
    assert choice(functions, unordered, quiet - (1 << 32), half, bits).op == "select"
    assert choice(functions, unordered, quiet - (1 << 32), half, 32) is functions.apply("bf16_above", X)
    assert recognised(functions, select(unordered, quiet - (1 << 32), half) + 1).op == "add"


def test_a_rounding_of_a_number_is_that_of_numpy():
    functions = UninterpretedFunctions()
    rounded = functions.rounded_to_bf16(X)
    test = functions.relation("u_f32", X, X)
    values, numbers = for_numbers(variables(rounded, test))
    found, is_number, unordered = array([substitute(rounded, values), numbers, substitute(test, values)], {X: WORDS})
    meant = WORDS.view(np.float32)
    assert np.array_equal(np.broadcast_to(is_number, WORDS.shape) != 0, ~np.isnan(meant))
    assert np.array_equal(found[~np.isnan(meant)], to_bits(meant)[~np.isnan(meant)])
    assert not np.any(unordered)
