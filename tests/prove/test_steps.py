"""Steps and forms: each text stands for its obligation, and what does not hold has none."""

from __future__ import annotations

import pytest
import z3

from layoutalg.index import bitand, eq, symbol, var, xor
from layoutalg.prove import ForAll, InjectiveMap
from layoutalg.prove.encodings import NotExpressible
from layoutalg.prove.smt import forms
from layoutalg.prove.steps import assertions, search

M, N, P = symbol("M"), symbol("N"), symbol("P")
X, Y, Z = var("x", M), var("y", N), var("z", P)
A = symbol("a", min=0)

HOLD = {
    "divisions merge": ForAll("merge", eq(A // N // P, A // (N * P))),
    "a factor cancels": ForAll("cancel", eq((P * A + Z) // (P * N), A // N)),
    "digits come back": ForAll("digits", eq(((X * N + Y) * P + Z) // (N * P), X)),
    "digits stay below": ForAll("below", (X * N + Y) * P + Z < M * N * P),
}


@pytest.mark.parametrize("name", HOLD)
def test_a_statement_about_products_becomes_linear(name: str) -> None:
    (form,) = forms(HOLD[name])
    assert "with steps" in form.how
    solver = z3.Solver()
    solver.from_string(form.text)
    assert solver.check() == z3.unsat


@pytest.mark.parametrize(
    "wrong",
    [
        ForAll("too far", (X * N + Y) * P + Z < M * N * P - 1),
        ForAll("other digit", eq((X * N + Y) // N, Y)),
        InjectiveMap("strides too short", (X, Y), (X * (N - 1) + Y,)),
    ],
)
def test_what_does_not_hold_has_no_steps(wrong: ForAll | InjectiveMap) -> None:
    assert search(wrong) is None


@pytest.mark.parametrize("name", HOLD)
def test_each_step_is_true_of_all_integers(name: str) -> None:
    found = search(HOLD[name])
    assert found
    made = assertions(HOLD[name], found)
    steps = [formula for key, formula in made.items() if key.split("-")[0] in ("product", "multiple", "distance")]
    assert steps
    for formula in steps:
        unknowns = z3.z3util.get_vars(formula)
        for values in ((0, 1, 2, 3, 5, 7), (-3, 4, -1, 2, 0, 6), (9, -2, 7, -5, 3, 1), (1, 1, 1, 1, 1, 1)):
            point = [(v, z3.IntVal(values[n % 6] + n // 6)) for n, v in enumerate(unknowns)]
            assert z3.is_true(z3.simplify(z3.substitute(formula, *point))), formula


def test_bits_of_a_size_without_a_maximum_are_bits_of_its_remainder() -> None:
    row, column = var("row", M), var("column", 8)
    turned = xor(column, row % 8)
    (form,) = forms(ForAll("undone", eq(xor(turned, row % 8), column)))
    assert form.arithmetic == "bit-vectors"
    assert "any remainder" in form.how
    (other,) = forms(ForAll("multiple", eq((turned * 8 + row * 64) % 8, 0)))
    assert other.arithmetic == "integers"
    assert "any function" in other.how


def test_bits_without_a_maximum_that_are_left_have_no_form() -> None:
    with pytest.raises(NotExpressible):
        forms(ForAll("one or the other", xor(A, A + 1) + bitand(A, A + 1) >= A + 1))
