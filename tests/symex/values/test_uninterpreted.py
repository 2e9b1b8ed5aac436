"""Functions of which nothing is known but that equal arguments give equal results, in one form for equal bits."""

import numpy as np

from layoutalg.index import const, eq, negation, select, symbol
from layoutalg.isa.run.floats import FUNCTIONS, RELATIONS
from layoutalg.symex.values.uninterpreted import COMMUTE, EXACT_FACTORS, UninterpretedFunctions
from layoutalg.symex.values.unknowns import call_of

X, Y, Z = (symbol(name, min=0, max=(1 << 32) - 1) for name in "xyz")


def test_equal_arguments_give_one_result_and_others_another():
    f = UninterpretedFunctions()
    assert not f.applied
    assert f.apply("rcp_f32", X) is f.apply("rcp_f32", X + Y - Y)
    assert f.applied
    assert f.apply("rcp_f32", X) is not f.apply("rcp_f32", Y)
    assert f.apply("rcp_f32", X) is not f.apply("sqrt_f32", X)
    assert f.apply("fma_f32", X, Y, f.apply("fma_f32", X, Z, Y)) is not f.apply(
        "fma_f32", X, Z, f.apply("fma_f32", X, Y, Y)
    )


def test_a_constant_is_its_word_also_where_it_is_chosen():
    f, least = UninterpretedFunctions(), 0xFF800000
    assert f.apply("rcp_f32", const(least)) is f.apply("rcp_f32", const(least - (1 << 32)))
    chosen = [f.apply("rcp_f32", select(X < 5, Y, least - k)) for k in (0, 1 << 32, 1)]
    assert chosen[0] is chosen[1]
    assert chosen[0] is not chosen[2]


def test_words_of_64_bits_differ_in_their_upper_halves_too():
    f = UninterpretedFunctions()
    assert f.apply("add_f64", X, const(5)) is not f.apply("add_f64", X, const((1 << 32) + 5))
    assert f.apply("add_f64", X, const(-1)) is f.apply("add_f64", X, const((1 << 64) - 1))
    assert f.apply("fma_f64", X, Y, Z).hi == (1 << 64) - 1
    assert f.apply("f32_of_f64", X).hi == (1 << 32) - 1


def test_a_truth_of_two_words_is_a_condition():
    f = UninterpretedFunctions()
    held = f.relation("class_f32", X, const(3))
    assert held is f.relation("class_f32", X, const(3))
    assert held is not f.relation("class_f32", X, const(7))


def test_only_functions_that_commute_forget_the_order_of_their_arguments():
    f = UninterpretedFunctions()
    for name in ("add_f32", "mul_f32", "lt_f32", "v_mfma[0]"):
        assert (f.apply(name, X, Y) is f.apply(name, Y, X)) == (name in COMMUTE)
    assert f.apply("fma_f32", X, Y, Z) is f.apply("fma_f32", Y, X, Z)
    assert f.apply("fma_f32", X, Y, Z) is not f.apply("fma_f32", X, Z, Y)


def test_comparisons_have_one_form():
    f = UninterpretedFunctions()
    assert f.relation("gt_f32", X, Y) is f.relation("lt_f32", Y, X)
    assert f.relation("nge_f32", X, Y) is negation(f.relation("le_f32", Y, X))
    assert f.relation("neq_f32", X, X) is f.relation("u_f32", X, X)
    assert f.relation("lt_f32", X, Y) is not f.relation("le_f32", X, Y)
    assert f.relation("lt_f16", X, Y) is eq(f.apply("lt_f32", *(f.apply("f32_of_f16", x) for x in (X, Y))), 1)


def test_unknowns_are_renamed_within_the_arguments_of_functions():
    f = UninterpretedFunctions()
    inner = f.apply("rcp_f32", X)
    found = f.rewritten(f.apply("add_f32", inner, Y) + X, {X: Z}, {}, lambda e: e)
    assert found is f.apply("add_f32", f.apply("rcp_f32", Z), Y) + Z
    assert call_of(inner) == ("rcp_f32", (X,))


def test_a_fused_sum_of_an_exact_product_is_the_product_and_the_sum():
    f, zero, one, more = UninterpretedFunctions(), const(0), const(0x3F800000), const(0x3F800001)
    chosen = f.apply("fma_f32", X, one, f.apply("mul_f32", Y, zero))
    assert chosen is f.apply("fma_f32", Y, zero, f.apply("mul_f32", X, one))
    assert f.apply("fma_f32", X, one, Z) is f.apply("add_f32", f.apply("mul_f32", one, X), Z)
    assert f.apply("fma_f32", X, more, Z) is not f.apply("add_f32", f.apply("mul_f32", more, X), Z)
    assert f.apply("fma_f32", X, Y, zero) is not f.apply("add_f32", f.apply("mul_f32", X, Y), zero)


def test_products_by_exact_factors_round_once_or_twice_alike():
    """To the bit, by the functions that the executor computes with; a NaN for a NaN."""
    rng = np.random.default_rng(3)
    for kind, factors in EXACT_FACTORS.items():
        bits = int(kind[1:])
        some = [0, 1, 1 << bits - 1, *(one | 1 for one in factors), *factors]
        drawn = rng.integers(0, (1 << bits) - 1, (2, 400), np.uint64, endpoint=True)
        x, c = (np.array([*some * 9, *one.tolist()], np.uint64) for one in drawn)
        c = np.roll(c, 5)
        for factor in factors:
            f = np.full(x.shape, factor, np.uint64)
            with np.errstate(all="ignore"):
                fused = FUNCTIONS[f"fma_{kind}"](x, f, c)
                twice = FUNCTIONS[f"add_{kind}"](FUNCTIONS[f"mul_{kind}"](x, f), c)
            numbers = ~RELATIONS[f"u_{kind}"](fused, fused)
            assert (RELATIONS[f"u_{kind}"](twice, twice) == ~numbers).all()
            assert numbers.sum() > 300
            assert (fused == twice)[numbers].all()
