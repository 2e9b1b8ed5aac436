"""The C reading, compiled: exact on every point, with the compiler's own check for undefined behaviour."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from layoutalg.index import (
    Expr,
    bitand,
    c_code,
    c_expression,
    eq,
    fits,
    intermediates,
    lookup,
    negation,
    postorder,
    select,
    symbol,
    values,
    var,
    variables,
)
from layoutalg.index.c import TYPES
from tests.fuzzing import KNOWN
from tests.index.expressions import LARGE, Generator, points
from tests.native import told

IX, J, M = var("i", 64), var("j", 100), symbol("M", max=4096)

PROLOGUE = """
static void (*tell)(long long);
static int asked;
static void check(long long seed, long long got, long long expected) {
  asked++;
  if (got != expected) { tell(seed); tell(got); tell(expected); }
}
"""
#: Warnings are errors, and undefined behaviour traps.
FLAGS = (
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-tautological-compare",
    "-fsanitize=undefined",
    "-fsanitize-trap=undefined",
)


def functions(number: int, first: Expr, result: Expr, bits: int) -> str:
    """One C function for each way to write the two expressions."""
    code = c_code({"first": first, "result": result}, bits=bits)
    table = any(node.op == "lookup" for node in postorder(result))
    inline = "result" if table else c_expression(result, bits=bits)
    parameters = ", ".join(f"{TYPES[bits]} {v}" for v in variables(first, result)) or "void"
    used = "".join(f"(void){v}; " for v in ("first", "result", *variables(first, result)))
    return "\n".join(
        f"static long long f{number}_{way}({parameters}) {{\n{code}\n{used}\nreturn {text}; }}"
        for way, text in enumerate(("first", "result", inline))
    )


@pytest.mark.fuzz(150)
def test_compiled_c_is_exact(seeds: range, tmp_path: Path) -> None:
    defined, calls, compared = [PROLOGUE], [], 0
    for seed in seeds:
        random = Random(seed)
        g = Generator(random, symbolic=seed % 2 == 0, **({"extents": LARGE} if seed % 3 == 0 else {}))
        first, result = g.number(2), g.number(3) if seed % 5 else g.truth(3)
        bits = random.choice((32, 64))
        chosen = points(random, [first, result], 6)
        if not chosen or not fits([first, result], bits):
            continue
        defined.append(functions(seed, first, result, bits))
        for at in chosen:
            arguments = ", ".join(f"{at[v]}" for v in variables(first, result))
            expected = values([first, result, result], at)
            calls += [f"  check({seed}, f{seed}_{way}({arguments}), {v}LL);" for way, v in enumerate(expected)]
            compared += 1
    run = ["void run(void (*to)(long long)) {", "  tell = to;", *calls, "  tell(asked);", "}"]
    if KNOWN:
        assert compared > len(seeds)
    found = told("\n".join(defined + run), tmp_path, *FLAGS)
    assert found == [len(calls)], "before how many were asked: seed, what C says, what is exact"


@pytest.mark.parametrize(
    ("e", "text"),
    [
        ((IX // 8 ^ J % 8) * 8 + IX % 8, "((i >> 3) ^ (j & 7)) * 8 + (i & 7)"),
        (IX // 3 * 3 + IX % 3, "i / 3 * 3 + i % 3"),
        (IX * (J + 1), "i * (j + 1)"),
        (IX // (M * 2), "i / (M * 2)"),
        (IX - J * 3 - 1, "i - j * 3 - 1"),
        ((IX - J) // 4, "(i - j) >> 2"),
        ((IX - J) % 4, "(i - j) & 3"),
        ((IX - J) // 5, "(i - j) / 5 - ((i - j) % 5 < 0)"),
        ((IX - J) % 5, "(i - j) % 5 + ((i - j) % 5 < 0 ? 5 : 0)"),
        ((IX + J) * -1, "-(i + j)"),
        (select(IX < J, IX, J + 1), "i < j ? i : j + 1"),
        (select(IX < J, IX, J) * 2, "(i < j ? i : j) * 2"),
        (negation(eq(IX, J)), "i != j"),
        ((IX < J) * 4, "(i < j) * 4"),
        (bitand(IX, J) ^ 3, "(i & j) ^ 3"),
    ],
)
def test_text_has_the_parentheses_that_c_needs(e: Expr, text: str) -> None:
    assert c_expression(e) == text


def test_shared_parts_get_names_and_results_are_used() -> None:
    row = (IX + J * 3) // 7
    code = c_code({"row": row, "twice": row * 2 + (IX * 5 + J) % 9 * ((IX * 5 + J) % 9), "edge": row < 3})
    assert str(code).splitlines() == [
        "const int row = (i + j * 3) / 7;",
        "const int t0 = (i * 5 + j) % 9;",
        "const int twice = row * 2 + t0 * t0;",
        "const bool edge = row < 3;",
    ]


def test_a_table_is_declared_before_its_use() -> None:
    code = c_code({"x": lookup([4, -7, 9], IX % 3)}, {IX: "lane"})
    assert code.tables == ("static const int table0[3] = {4, -7, 9};",)
    assert code.lines == ("const int x = table0[lane % 3];",)


def test_names_that_are_taken_are_not_taken_again() -> None:
    t0 = var("t0", 9)
    part = (t0 * 5 + J) // 3
    assert c_code({"x": part * part + t0}).lines[0].startswith("const int t1 = ")


def test_wide_arithmetic_is_computed_wide() -> None:
    assert c_expression((IX < J) * 3_000_000_000, bits=64) == "(long long)(i < j) * 3000000000"
    assert c_expression(select(IX < J, 1, 2) * 2_000_000_000, bits=64) == "(long long)(i < j ? 1 : 2) * 2000000000"


def test_what_may_overflow_is_refused() -> None:
    big = var("n", 1 << 16)
    assert fits([big * (1 << 15)], 32)
    assert not fits([big * (1 << 15) + (1 << 15)], 32)
    with pytest.raises(ValueError, match=r"n \* 65536 ranges over 0…4294901760, which 32 bits do not hold"):
        c_expression(big * (1 << 16))
    with pytest.raises(ValueError, match="which 64 bits do not hold; give its symbols a maximum"):
        c_expression(symbol("N") * 2, bits=64)
    assert c_expression(symbol("N") * 2, proved=True) == "N * 2"


def test_partial_sums_are_among_what_is_computed() -> None:
    a, b = var("a", (1 << 31) - 1), var("b", 6)
    e = a + b - 5
    assert a + b in intermediates([a + b + (J - J * 2)])
    assert not fits([e + (b * -1)], 32)


def test_names_are_identifiers_and_different() -> None:
    with pytest.raises(ValueError, match="'x y' is not a C identifier"):
        c_expression(var("x y", 4) + 1)
    with pytest.raises(ValueError, match="'int' is not a C identifier"):
        c_code({"int": IX})
    with pytest.raises(ValueError, match="a table cannot stand in one C expression; c_code declares it"):
        c_expression(lookup([4, 7], IX % 2))
    with pytest.raises(ValueError, match="two variables are named i"):
        c_expression(IX + var("i", 9))
    assert c_expression(IX + var("i", 9), {IX: "lane"}) == "lane + i"


def test_a_type_that_is_not_written_is_refused() -> None:
    with pytest.raises(ValueError, match="an index type of 16 bits is not written; 32, 64 are"):
        c_expression(IX, bits=16)
