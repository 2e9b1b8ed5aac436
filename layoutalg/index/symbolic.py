r"""Two readings for people: LaTeX, and sympy for algebra on lengths.

`latex` prints an expression as mathematics; it needs nothing but the expression.  `to_sympy` gives sympy's own objects
(sympy is imported only then), with what is known of each variable as assumptions, and `from_sympy` brings polynomials,
floors, remainders and choices back.  No string is ever handed to sympy, which would execute it.

| expression                | LaTeX                                    | sympy                               |
|---------------------------|------------------------------------------|-------------------------------------|
| `x // n`                  | `\left\lfloor \frac{x}{n} \right\rfloor` | `floor(x/n)`                        |
| `x % n`                   | `x \bmod n`                              | `Mod(x, n)`                         |
| `x ^ y`, `x & y`          | `x \oplus y`, `x \mathbin{\&} y`         | `BitXor(x, y)`, `BitAnd(x, y)`      |
| `a <= b and …`            | `a \le b \land …`                        | `And(a <= b, …)`                    |
| a truth value as a number | `[a \le b]` (Iverson)                    | `Select(a <= b, 1, 0)`              |
| `select(c, a, b)`         | a case distinction                       | `Select(c, a, b)`                   |
| `table[4, 7][i]`          | `(4, 7)_{i}`                             | `Lookup((4, 7), i)`                 |

sympy is no judge here: it has no ranges, does not merge nested floors and prints wrong C; see `normal` and `c`.

>>> from layoutalg.index import symbol, var
>>> m, i = symbol("M", multiple_of=8), var("i_0", 64)
>>> print(latex((i ^ i // 8) * m + i % 8 - 1))
\left(i_{0} \oplus \left\lfloor \frac{i_{0}}{8} \right\rfloor\right) M + \left(i_{0} \bmod 8\right) - 1
>>> to_sympy((m + 1) * 8 - m)
7*M + 8
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import cache, reduce
from types import SimpleNamespace
from typing import Any

from layoutalg.index.evaluate import read
from layoutalg.index.expr import FALSE, TRUE, Expr, add, bitand, const, div, le, lt, mod, mul, xor
from layoutalg.index.ranges import BOOLEAN
from layoutalg.index.text import PRIMARY, Piece, signed_sum
from layoutalg.index.truth import all_of, any_of, eq, lookup, negation, select  # fmt: skip
from layoutalg.index.walk import postorder, variables
from layoutalg.lazy import lazy_imports

with lazy_imports():
    import sympy

# --- LaTeX ------------------------------------------------------------------------------------------------------------

TIMES, PLUS, MOD, XOR, AND, LESS, NOT, ALL, ANY = 12, 11, 9, 8, 7, 6, 5, 4, 3

Pieces = Mapping[Expr, Piece]
Write = Callable[[Expr, Pieces], Piece]


def latex(expr: Expr, names: Mapping[Expr, str] | None = None) -> str:
    """The expression as LaTeX (math mode); `names` gives the LaTeX of variables or of any part that has a name.

    >>> from layoutalg.index import var
    >>> i = var("i", 64)
    >>> print(latex(i // 8 * 72), "and", latex(i // 8 * 72, {i: "t"}))
    72 \\left\\lfloor \\frac{i}{8} \\right\\rfloor and 72 \\left\\lfloor \\frac{t}{8} \\right\\rfloor
    """
    pieces = {e: Piece(text) for e, text in (names or {}).items()}
    for node in postorder(expr, stop=dict(pieces)):
        if node not in pieces:
            pieces[node] = _LATEX[node.op](node, pieces)
    return pieces[expr].text


def _name(e: Expr, _: Pieces) -> Piece:
    """`i_0` is i with index 0, and `i_` is i′; a name of several letters is upright, in one piece."""
    name = str(e.value.name)
    stem = name.rstrip("_")
    parts = [(p if len(p) == 1 or p.isdigit() else rf"\mathrm{{{p}}}") if p else r"\_" for p in stem.split("_")]
    base, *subscripts = parts
    return Piece((f"{base}_{{{','.join(subscripts)}}}" if subscripts else base) + "'" * (len(name) - len(stem)))


def _bracket(p: Piece, strength: int) -> str:
    return p.text if p.strength >= strength else rf"\left({p.text}\right)"


def _number(e: Expr, at: Pieces, strength: int = 0) -> str:
    """An operand that is a number: a truth value stands in Iverson's brackets."""
    return rf"\left[{at[e].text}\right]" if e.op in BOOLEAN else _bracket(at[e], strength)


def _latex_sum(e: Expr, at: Pieces) -> Piece:
    first, *rest = e.args
    return signed_sum(_number(first, at, PLUS), [_signed(a, at) for a in rest], PLUS, 0)


def _signed(e: Expr, at: Pieces) -> tuple[bool, Piece]:
    if e.op == "const" and e.value < 0:
        return True, Piece(str(-e.value))
    if e.op == "mul" and e.args[1].op == "const" and e.args[1].value < 0:
        return True, Piece(_scaled(e.args[0], -e.args[1].value, at))
    return False, Piece(_number(e, at, TIMES))


def _scaled(e: Expr, factor: int, at: Pieces) -> str:
    scale = {1: "", -1: "-"}.get(factor, f"{factor} ")
    return f"{scale}{_number(e, at, TIMES)}"


def _latex_product(e: Expr, at: Pieces) -> Piece:
    a, b = e.args
    if b.op == "const":
        return Piece(_scaled(a, b.value, at), TIMES if b.value > 0 else PLUS)
    left, right = _number(a, at, TIMES), _number(b, at, TIMES)
    return Piece(rf"{left} \cdot {right}" if right[0].isdigit() else f"{left} {right}", TIMES)


def _quotient(e: Expr, at: Pieces) -> Piece:
    a, n = (_number(x, at) for x in e.args)
    return Piece(rf"\left\lfloor \frac{{{a}}}{{{n}}} \right\rfloor")


def _infix(symbol: str, strength: int, operand: int) -> Write:
    """Operands in brackets unless they bind at least as `operand`, or are a chain of the same associative operation."""

    def write(e: Expr, at: Pieces) -> Piece:
        chains = e.op in ("xor", "and")
        needed = [strength if chains and at[a].strength == strength else operand for a in e.args]
        return Piece(f" {symbol} ".join(_number(a, at, n) for a, n in zip(e.args, needed, strict=True)), strength)

    return write


def _junction(symbol: str, strength: int) -> Write:
    return lambda e, at: Piece(f" {symbol} ".join(_bracket(at[a], NOT) for a in e.args), strength)


def _cases(e: Expr, at: Pieces) -> Piece:
    c, a, b = at[e.args[0]].text, *(_number(x, at) for x in e.args[1:])
    return Piece(rf"\begin{{cases}} {a} & {c} \\ {b} & \text{{otherwise}} \end{{cases}}", 0)


_LATEX: Mapping[str, Write] = {
    "const": lambda e, at: Piece(str(e.value), PRIMARY if e.value >= 0 else PLUS),
    "var": _name,
    "add": _latex_sum,
    "mul": _latex_product,
    "div": _quotient,
    "mod": _infix(r"\bmod", MOD, TIMES),
    "xor": _infix(r"\oplus", XOR, PRIMARY),
    "and": _infix(r"\mathbin{\&}", AND, PRIMARY),
    "lt": _infix("<", LESS, MOD),
    "le": _infix(r"\le", LESS, MOD),
    "eq": _infix("=", LESS, MOD),
    "all": _junction(r"\land", ALL),
    "any": _junction(r"\lor", ANY),
    "not": lambda e, at: Piece(rf"\lnot {_bracket(at[e.args[0]], PRIMARY)}", NOT),
    "select": _cases,
    "lookup": lambda e, at: Piece(rf"({', '.join(map(str, e.value))})_{{{_number(e.args[0], at)}}}"),
}


# --- sympy ------------------------------------------------------------------------------------------------------------


def to_sympy(expr: Expr) -> Any:
    """The expression as a sympy object; variables become integer symbols of their name, ≥ 0 or ≥ 1 where that is known.

    ValueError where two different variables have one name.  Substituting integers for all symbols gives the exact
    value (for a truth value, sympy's true or false).

    >>> from layoutalg.index import var
    >>> to_sympy(var("i", 64) * 8 + 1)
    8*i + 1
    """
    sp = _sympy()
    found = variables(expr)
    named = {v.value.name: v for v in found}
    if len(named) < len(found):
        raise ValueError(f"two variables of {expr} have one name; sympy would take them for one")
    return read([expr], {v: sp.variable(v) for v in found}, sp.table)[0]


def from_sympy(expression: Any, symbols: Mapping[str, Expr]) -> Expr:
    """A sympy expression of integers back: sums, products, powers, `floor` of a quotient, `Mod`, truths, our functions.

    `symbols` gives what each sympy symbol stands for, by name.  ValueError for anything else, such as a fraction that
    no floor makes whole, or a divisor that could be 0.

    >>> from layoutalg.index import symbol
    >>> import sympy
    >>> m = symbol("M")
    >>> from_sympy(sympy.expand((to_sympy(m) + 1) ** 2), {"M": m})
    M * M + M * 2 + 1
    """
    name = type(expression).__name__
    if expression.is_Integer:
        return const(int(expression))
    if expression.is_Symbol:
        if expression.name not in symbols:
            raise ValueError(f"no symbol {expression.name!r}; known here: {', '.join(symbols)}")
        return symbols[expression.name]
    if name == "floor":
        return div(*(from_sympy(part, symbols) for part in expression.args[0].together().as_numer_denom()))
    if name == "Lookup":
        return lookup([int(n) for n in expression.args[0]], from_sympy(expression.args[1], symbols))
    args = expression.args
    if name in _TRUTHS:
        return _TRUTHS[name](*(from_sympy(a, symbols) for a in args))
    if name not in _FROM_SYMPY:
        raise ValueError(f"{expression} is not an integer polynomial, a floor of a quotient or a remainder")
    if name == "Pow":
        base, exponent = args
        if not (exponent.is_Integer and 1 <= exponent <= 64):
            raise ValueError(f"{expression}: a power of integers has a whole exponent in 1…64")
        args = [base] * int(exponent)
    return reduce(_FROM_SYMPY[name], [from_sympy(a, symbols) for a in args])


_FROM_SYMPY: Mapping[str, Callable[[Expr, Expr], Expr]] = {
    "Add": add, "Mul": mul, "Pow": mul, "Mod": mod, "BitXor": xor, "BitAnd": bitand,
}  # fmt: skip


_TRUTHS: Mapping[str, Callable[..., Expr]] = {
    "Select": select, "And": all_of, "Or": any_of, "Not": negation,
    "StrictLessThan": lt, "LessThan": le, "Equality": eq, "StrictGreaterThan": lambda a, b: lt(b, a),
    "GreaterThan": lambda a, b: le(b, a), "Unequality": lambda a, b: negation(eq(a, b)),
    "BooleanTrue": lambda: TRUE, "BooleanFalse": lambda: FALSE,
}  # fmt: skip


@cache
def _sympy() -> SimpleNamespace:
    """sympy's functions for our operations, made when first needed."""
    booleans = sympy.logic.boolalg
    truths = (booleans.BooleanAtom, booleans.BooleanFunction, sympy.core.relational.Relational)

    def function(name: str, count: int, exact: Callable[..., Any]) -> Any:
        """A function that stays as it is until `exact` has a value for it: sympy simplifies nothing within."""
        fields = {"eval": classmethod(lambda _, *xs: exact(*xs)), "is_integer": True, "nargs": count}
        return type(name, (sympy.Function,), fields)

    def bitwise(f: Callable[[int, int], int]) -> Callable[..., Any]:
        return lambda a, b: sympy.Integer(f(int(a), int(b))) if a.is_Integer and b.is_Integer else None

    choice = function("Select", 3, lambda c, a, b: (a if c else b) if isinstance(c, booleans.BooleanAtom) else None)
    found = function("Lookup", 2, lambda entries, i: entries[int(i)] if i.is_Integer else None)

    def number(x: Any) -> Any:
        return choice(x, 1, 0) if isinstance(x, truths) else x

    def numeric(f: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *xs: f(*map(number, xs))

    def remainder(a: Any, n: Any) -> Any:
        """Mod as it is: sympy 1.14 rewrites Mod(2*Mod(x, 4), 4) to 2*Mod(x, 4), which is wrong (sympy issue 29757)."""
        return sympy.Mod(a, n, evaluate=a.is_Integer and n.is_Integer)

    table = {
        "const": sympy.Integer,
        "add": numeric(sympy.Add),
        "mul": numeric(sympy.Mul),
        "div": numeric(lambda a, n: sympy.floor(a / n)),
        "mod": numeric(remainder),
        "xor": numeric(function("BitXor", 2, bitwise(operator.xor))),
        "and": numeric(function("BitAnd", 2, bitwise(operator.and_))),
        "lt": numeric(sympy.Lt),
        "le": numeric(sympy.Le),
        "eq": numeric(sympy.Eq),
        "all": sympy.And,
        "any": sympy.Or,
        "not": sympy.Not,
        "select": lambda c, a, b: choice(c, number(a), number(b)),
        "lookup": lambda entries, i: found(sympy.Tuple(*entries), number(i)),
    }

    def variable(v: Expr) -> Any:
        known = {"positive": True} if v.lo >= 1 else {"nonnegative": True} if v.lo >= 0 else {}
        return sympy.Symbol(v.value.name, integer=True, **known)

    return SimpleNamespace(table=table, variable=variable)
