"""Terms that are one, and neighbours that are not: a wrong order, sign, operand or rounding."""

import pytest

from layoutalg.audit.meaning.agreement import Agreement
from layoutalg.audit.meaning.terms import Terms, negative
from layoutalg.index import TRUE, Expr, all_of, const, mod, select, symbol, var
from layoutalg.prove import ForAll, Limits, holds

F = Terms()
INDEX = var("i", symbol("N", min=1, max=1000))
A, B, C = (F.contents(name, 4, INDEX * 4) for name in "abc")


def add(x: Expr, y: Expr) -> Expr:
    return F.apply("add_f32", x, y)


def mul(x: Expr, y: Expr) -> Expr:
    return F.apply("mul_f32", x, y)


def fma(x: Expr, y: Expr, z: Expr) -> Expr:
    return F.apply("fma_f32", x, y, z)


def minus(x: Expr) -> Expr:
    return negative(x, 32)


def number(x: Expr) -> Expr:
    return F.apply("f32_of_i32", x)


def clamped(x: Expr, low: int, high: int) -> Expr:
    return F.apply("min_f32", F.apply("max_f32", x, const(low)), const(high))


def same(got: Expr, wanted: Expr, given: Expr = TRUE) -> bool:
    def decide(goal: Expr, what: Expr) -> bool:
        return bool(holds(ForAll("it is so", goal, what), Limits(steps=200_000)))

    return Agreement(decide).same(got, wanted, 32, given)


@pytest.mark.parametrize(
    ("got", "wanted"),
    [
        (add(A, B), add(B, A)),
        (F.apply("sub_f32", A, B), add(minus(B), A)),
        (mul(minus(A), B), minus(mul(B, A))),
        (fma(A, B, C), add(mul(B, A), C)),
        (fma(minus(A), B, C), F.apply("sub_f32", C, mul(A, B))),
        (fma(A, B, minus(C)), F.apply("sub_f32", mul(A, B), C)),
        (fma(minus(A), minus(B), C), fma(A, B, C)),
        (add(A, A), mul(const(0x40000000), A)),
        (F.apply("max_f32", A, A), A),
        (add(number(mod(A, 16)), const(0xC1000000)), number(mod(A, 16) - 8)),
        (add(const(0x4B000000), F.apply("f32_of_u32", mod(A, 1 << 22))), number(mod(A, 1 << 22) + (1 << 23))),
        (F.apply("f32_of_u32", mod(A, 16)), number(mod(A, 16))),
        (F.apply("lt_f32", minus(A), minus(B)), F.apply("lt_f32", B, A)),
        (F.apply("le_f32", minus(A), const(0x3F800000)), F.apply("le_f32", const(0xBF800000), A)),
        (F.apply("med3_f32", A, const(0), const(0x40C00000)), clamped(A, 0, 0x40C00000)),
        (F.apply("med3_f32", const(0x3F800000), const(0xBF800000), A), clamped(A, 0xBF800000, 0x3F800000)),
        (select(INDEX < 4, A, B), select(INDEX >= 4, B, A)),
    ],
)
def test_what_is_one_term(got: Expr, wanted: Expr) -> None:
    assert same(got, wanted)


@pytest.mark.parametrize(
    ("got", "wanted"),
    [
        (add(A, B), add(A, C)),
        (F.apply("lt_f32", minus(A), minus(B)), F.apply("lt_f32", A, B)),
        (add(number(mod(A, 16)), const(0xC1000000)), number(mod(A, 16) + 8)),
        (add(number(mod(A, 16)), const(0x3F000000)), number(mod(A, 16))),  # + 0.5
        (add(number(mod(A, 1 << 25)), const(0x3F800000)), number(mod(A, 1 << 25) + 1)),  # rounded twice
        (add(number(mod(A, 16)), const(0x4C000000)), number(mod(A, 16) + (1 << 25))),
        (add(number(mod(A, 16)), const(0x7F800000)), number(mod(A, 16))),  # an infinity
        (F.apply("f32_of_u32", A), number(A)),
        (F.apply("lt_f32", minus(A), B), F.apply("lt_f32", minus(B), minus(A))),
        (F.apply("eq_f32", minus(A), minus(B)), F.apply("lt_f32", B, A)),
        (F.apply("med3_f32", A, const(0xBF800000), const(0)), clamped(A, 0xBF800000, 0)),  # of +0 and −0
        (F.apply("med3_f32", A, const(0), const(0x7FC00000)), clamped(A, 0, 0x7FC00000)),  # a NaN
        (F.apply("med3_f32", A, const(0xBF800000), const(0x3F800000)), clamped(A, 0x3F800000, 0xBF800000)),
        (F.apply("med3_f32", A, B, const(0x3F800000)), F.apply("min_f32", F.apply("max_f32", A, B), const(0x3F800000))),
        (add(A, add(B, C)), add(add(A, B), C)),
        (F.apply("sub_f32", A, B), F.apply("sub_f32", B, A)),
        (add(mul(A, B), C), fma(A, B, C)),
        (fma(A, B, C), add(mul(A, C), B)),
        (fma(minus(A), B, C), add(mul(A, B), C)),
        (fma(A, B, C), fma(A, C, B)),
        (add(A, const(0)), A),
        (F.apply("max_f32", A, B), F.apply("min_f32", A, B)),
        (F.apply("max_f32", A, B), A),
        (select(INDEX < 4, A, B), select(INDEX < 5, A, B)),
        (F.contents("a", 4, INDEX * 4 + 4), A),
        (F.contents("b", 4, INDEX * 4), A),
        (mul(mul(A, B), C), mul(A, mul(B, C))),
        (F.apply("f16_of_f32", A), A),
    ],
)
def test_what_is_another_term(got: Expr, wanted: Expr) -> None:
    assert not same(got, wanted)


def test_elements_are_one_where_their_offsets_are() -> None:
    j = var("j", 1000)
    other = F.contents("a", 4, j * 4)
    assert same(other, A, all_of(j <= INDEX, j >= INDEX))
    assert not same(other, A, j <= INDEX)
