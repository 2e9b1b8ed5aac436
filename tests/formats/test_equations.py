"""Equations from text: what is read, and that all else is refused in one line that says where."""

import pytest

from layoutalg.formats.equation import Contents, Literal, Operation, Reduction, walk
from layoutalg.formats.equations import EquationError, EquationNames, equation
from layoutalg.index import symbol

M, N, K = (symbol(name, min=1, max=99) for name in "MNK")
NAMED = EquationNames(
    {"a": ("f16", (M, K)), "b": ("f16", (K, N)), "o": ("f32", (M, N)), "v": ("f32", (N,)), "n": ("i32", (N,))},
    {"M": M, "N": N, "K": K},
    {"alpha": "f32", "beta": ""},
)


def test_a_product_of_matrices() -> None:
    found = equation("o[i, j] = alpha * sum[k] f32(a[i, k]) * f32(b[k, j])", NAMED)
    total = next(one for one in walk(found.term) if isinstance(one, Reduction))
    assert (total.name, total.length, total.dtype) == ("add", K, "f32")
    assert [str(one.subscripts[0].expr) for one in walk(total) if isinstance(one, Contents)] == ["k", "i"]


def test_operators_bind_as_in_python() -> None:
    term = equation("v[i] = v[i] + v[i] * 2 - 1", NAMED).term
    assert isinstance(term, Operation)
    assert term.name == "sub"
    assert isinstance(term.operands[0], Operation)
    assert (term.operands[0].name, term.operands[1]) == ("add", Literal(1.0, "f32"))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("v[i] = ", "column 8: a term is wanted here; the text ends"),
        ("v[i] = w[i]", "column 8: a term is wanted here; 'w' is none"),
        ("w[i] = v[i]", "begins with a tensor"),
        ("v[i, j] = v[i]", "no more indices"),
        ("v[N] = v[N]", "'N' is taken"),
        ("v[i] = v[i] v[i]", "stands behind the term"),
        ("v[i] = v[i] + n[i]", "f32 and i32 are different types"),
        ("v[i] = v[i] + i", "an integer beside f32: write f32"),
        ("v[i] = f32(n[i]) + a[0, 0]", "f32 and f16 are different types"),
        ("v[i] = f16(v[i])", "this is f16, and v has f32"),
        ("n[i] = n[i] + 0.5", "0.5 is no i32"),
        ("n[i] = n[i] // 2", "floordiv is of u8"),
        ("v[i] = v[v[i]]", "a subscript is an integer"),
        ("v[i] = o[i]", "o has 2 dimensions, here 1"),
        ("v[i] = sum[k] v[k + 1]", "stands alone in no subscript"),
        ("v[i] = sum[k] f32(a[k, k])", "goes to M elsewhere, and to K here"),
        ("v[i] = v[i] if i else v[i]", "stands behind the term"),
        ("v[i] = where(v[i], 1.0, 2.0)", "where takes a condition"),
        ("v[i] = expo(v[i])", "no function; did you mean 'exp'"),
        ("v[i] = beta * v[i]", "does not say what beta is"),
        ("v[i] = 0 < i < 3", "comparisons are joined by and"),
        ("v[i] = v[i] @ v[i]", "'@' is not part of an equation"),
        ("v[i] = " + "(" * 300 + "1" + ")" * 300, "more than 200 parts within each other"),
        ("v[i] = bits_u16(v[i])", "f32 has not the 16 bits of u16"),
        ("v[i] = v[i] // N", "N"),
        ("v[i] = v[N // 0]", "0"),
    ],
)
def test_what_is_no_equation_is_refused_in_one_line(text: str, why: str) -> None:
    with pytest.raises(EquationError) as refused:
        equation(text, NAMED)
    assert why in str(refused.value)
    assert "\n" not in str(refused.value)
