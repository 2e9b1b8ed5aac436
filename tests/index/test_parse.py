"""Text in and out: what `repr` prints reads back, what is written means what Python means, the rest is one line."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pytest

from layoutalg.index import ParseError, parse, symbol, value, values, var, variables
from tests.index.expressions import Generator, points

M, N, IX, A, B = symbol("M"), symbol("N"), var("i", 64), var("a", 100), var("b", 100)
SYMBOLS = {"M": M, "N": N, "i": IX, "a": A, "b": B}


@pytest.mark.parametrize(
    "text",
    [
        "(M+1)*8",
        "M//8*8",
        "a ^ (b % 8)",
        "min(a, b)",
        "max(a, b, 7)",
        "i < M and a < N",
        "0 <= a < b <= 50",
        "not a == b or a != 3",
        "2**10 + a",
        "-a // 3",
        "-a % 7 - -b",
        "a | b & 12 ^ 3",
        "~a",
        "a << 3 >> 1",
        "a if a < b else b",
        "0x10 + 1_000",
        " ( a\n + b ) ",
        "(a < b) * 8",
    ],
)
def test_text_means_what_python_means(text: str) -> None:
    e = parse(text, SYMBOLS)
    for at in points(Random(0), [M, N, IX, A, B], 30):
        named = {v.value.name: n for v, n in at.items()}
        assert value(e, at) == int(eval(text.strip().replace("\n", " "), {"min": min, "max": max}, named))


def test_our_own_functions() -> None:
    at = {A: 17, B: 5}
    text = "select(a < b, a, b) + table[4, 7, 9][a % 3] + integer_divide_ceil(a, 8) + integer_least_multiple(a, 8)"
    assert value(parse(text, SYMBOLS), at) == 5 + 9 + 3 + 24


@pytest.mark.parametrize(
    ("text", "column", "problem"),
    [
        ("", 1, "invalid syntax"),
        ("(M+1", 1, r"'\(' was never closed"),
        ("M + ", 1, "invalid syntax"),
        ("8*K", 3, "no symbol 'K'; known here: M, N, i, a, b"),
        ("é*K", 1, "no symbol 'é'"),
        ("  a +\n K", 8, "no symbol 'K'"),
        ("M/8", 1, "/ is not an integer operation; write //"),
        ("1.5 + a", 1, "1.5 is not an integer"),
        ("'a'", 1, "'a' is not an integer"),
        ("True", 1, "True is not an integer"),
        ("a.real", 1, r"an attribute \(.\) is not part of an expression"),
        ("[a]", 1, "a list is not part"),
        ("a # b", 3, "'#' is not part"),
        ("a; b", 2, "';' is not part"),
        ("__import__('os')", 12, "'os' is not an integer"),
        ("exec(a)", 1, "exec cannot be called; min, max"),
        ("(lambda: a)()", 1, "cannot be called"),
        ("min(a)", 1, "min takes 2 or more arguments, here 1"),
        ("min(*a)", 5, r"\* is not part"),
        ("min(a, b, key=a)", 1, "without keywords"),
        ("a[3]", 1, "only a table is indexed"),
        ("table[4, 7][a]", 1, "leaves a table of 2 entries"),
        ("table[a, 7][0]", 1, "entries of a table are constants"),
        ("1 + a // (M - 1)", 5, "division by M - 1, which can be 0"),
        ("a and b", 1, "a is a number; a truth value is needed"),
        ("a if b else 3", 1, "b is a number"),
        ("a is b", 1, "is is not a comparison"),
        ("a ** 2", 1, r"\*\* takes constants"),
        ("2 ** 64", 1, "more than 64 bits"),
        ("9 ** 9 ** 9", 1, "an exponent is a constant in 0…64"),
        ("a << 64", 1, "amount of a shift is a constant in 0…63"),
        ("1 << a", 1, "amount of a shift"),
        ("9" * 40, 1, "more than 64 bits"),
        ("9" * 5000, 1, "4300 digits"),
        ("a" * 10_001, 10_000, "at most 10000 characters"),
        ("(" * 150 + "a" + ")" * 150, 150, None),
        ("-" * 9_000 + "a", 1, "nested too deeply"),
    ],
)
def test_anything_else_is_one_line_with_its_column(text: str, column: int, problem: str | None) -> None:
    if problem is None:
        assert parse(text, SYMBOLS) is A
        return
    with pytest.raises(ParseError, match=problem) as caught:
        parse(text, SYMBOLS)
    assert caught.value.column == column
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.fuzz(600)
def test_repr_reads_back(seeds: range) -> None:
    for seed in seeds:
        random = Random(seed)
        g = Generator(random)
        e = g.number(3) if seed % 4 else g.truth(3)
        back = parse(repr(e), {v.value.name: v for v in variables(e)})
        for at in points(random, [e], 3):
            assert len(set(values([e, back], at))) == 1, (seed, e, back)


@pytest.mark.fuzz(3000)
def test_no_text_is_a_traceback(seeds: range) -> None:
    alphabet = "ab iM0129+-*/%^&|~<>=!()[],.:;'\"#\\\n\t\x00éλ" + "".join(("min", "if", "else", "not", "table[", "**"))
    for seed in seeds:
        random = Random(seed)
        text = "".join(random.choice(alphabet) for _ in range(random.choice((1, 3, 8, 20))))
        with suppress(ParseError):
            parse(text, SYMBOLS)
