"""Integer index expressions: nodes with ranges, their normal form, and the readings (numbers, numpy, sympy, C)."""

from layoutalg.index.expr import (
    FALSE,
    TRUE,
    Expr,
    Symbol,
    Term,
    add,
    all_of,
    any_of,
    as_expr,
    bitand,
    const,
    div,
    eq,
    le,
    lookup,
    lt,
    minimum,
    mod,
    mul,
    negation,
    prod,
    select,
    symbol,
    var,
    xor,
)  # fmt: skip
from layoutalg.index.walk import names, postorder, substitute, variables

__all__ = [
    "FALSE", "TRUE", "Expr", "Symbol", "Term", "add", "all_of", "any_of", "as_expr", "bitand", "const", "div", "eq",
    "le", "lookup", "lt", "minimum", "mod", "mul", "names", "negation", "postorder", "prod", "select", "substitute",
    "symbol", "var", "variables", "xor",
]  # fmt: skip
