"""LaTeX by eye, sympy by value."""

from __future__ import annotations

from random import Random

import pytest
import sympy

from layoutalg.index import (
    Expr,
    all_of,
    any_of,
    bitand,
    eq,
    from_sympy,
    latex,
    lookup,
    negation,
    select,
    symbol,
    to_sympy,
    value,
    var,
    variables,
)
from layoutalg.index.ranges import BOOLEAN
from tests.index.expressions import Generator, points

IX, J, M = var("i", 64), var("lane_0", 64), symbol("M", multiple_of=8)


@pytest.mark.parametrize(
    ("e", "text"),
    [
        (IX // 8, r"\left\lfloor \frac{i}{8} \right\rfloor"),
        ((IX + 1) % 8, r"\left(i + 1\right) \bmod 8"),
        (IX * 4 % 8 + 1, r"\left(4 i \bmod 8\right) + 1"),
        (IX ^ J, r"i \oplus \mathrm{lane}_{0}"),
        (IX ^ J ^ 5, r"i \oplus \mathrm{lane}_{0} \oplus 5"),
        (bitand(IX, J) ^ 5, r"\left(i \mathbin{\&} \mathrm{lane}_{0}\right) \oplus 5"),
        (IX * M * 8, "8 i M"),
        (IX - M * 3 - 2, "i - 3 M - 2"),
        ((IX + 1) * -1, r"-\left(i + 1\right)"),
        ((IX + 1) * (M + 2), r"\left(i + 1\right) \left(M + 2\right)"),
        (all_of(IX < M, J <= 3), r"i < M \land \mathrm{lane}_{0} \le 3"),
        (any_of(eq(IX, M), negation(eq(IX, J))), r"i = M \lor \lnot \left(i = \mathrm{lane}_{0}\right)"),
        ((IX < 3) * 4, r"4 \left[i < 3\right]"),
        (select(IX < 3, IX, M), r"\begin{cases} i & i < 3 \\ M & \text{otherwise} \end{cases}"),
        (lookup([4, 7], IX % 2), r"(4, 7)_{i \bmod 2}"),
    ],
)
def test_latex(e: Expr, text: str) -> None:
    assert latex(e) == text


def test_names_in_latex() -> None:
    assert latex(IX // 8 + M, {IX // 8: "q", M: r"\mu"}) == r"q + \mu"


@pytest.mark.fuzz(60)
def test_sympy_has_the_same_values(seeds: range) -> None:
    for seed in seeds:
        random = Random(seed)
        g = Generator(random, symbolic=seed % 2 == 0)
        e = g.number(2) if seed % 5 else g.truth(2)
        read = to_sympy(e)
        for at in points(random, [e], 2):
            got = read.subs({to_sympy(v): n for v, n in at.items()})
            assert (int(bool(got)) if e.op in BOOLEAN else int(got)) == value(e, at), (seed, e)


def test_algebra_goes_there_and_back() -> None:
    known = {"M": M, "i": IX}
    e = (M * IX + 3) * (M - IX) + (M * 8 + IX) // 4 % 6 + (IX ^ 5) + lookup([1, 2], IX % 2)
    back = from_sympy(sympy.expand(to_sympy(e)), known)
    for at in points(Random(0), [M, IX], 20):
        assert value(back, at) == value(e, at)
    assert from_sympy(sympy.factor(to_sympy(M * M + M * 2 + 1)), known) is (M + 1) * (M + 1)


@pytest.mark.fuzz(120)
def test_everything_comes_back(seeds: range) -> None:
    for seed in seeds:
        random = Random(seed)
        e = Generator(random, symbolic=False).number(2)
        back = from_sympy(to_sympy(e), {v.value.name: v for v in variables(e)})
        for at in points(random, [e], 3):
            assert value(back, at) == value(e, at), (seed, e)


def test_a_choice_waits_for_its_condition() -> None:
    e = select(all_of(IX < 3, select(J < 2, IX, J) <= 5), M, J)
    read = to_sympy(e)
    assert read.func.__name__ == "Select"
    assert read.subs({to_sympy(IX): 1, to_sympy(J): 1}) == to_sympy(M)
    assert read.subs({to_sympy(IX): 4}) == to_sympy(J)
    assert sympy.latex(read)


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda m: m / 2, "is not an integer polynomial"),
        (lambda m: m**-1, "a power of integers has a whole exponent in 1…64"),
        (lambda m: sympy.floor(5 / (m - 8)), "division by .* which can be 0"),
        (lambda m: m + sympy.Symbol("K"), "no symbol 'K'; known here: M"),
        (lambda m: sympy.sin(m), "is not an integer polynomial"),
    ],
)
def test_what_is_not_of_integers_does_not_come_back(make: object, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        from_sympy(make(to_sympy(M)), {"M": M})  # type: ignore[operator]


def test_two_variables_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="have one name"):
        to_sympy(IX + var("i", 9))
