"""Integer index expressions: nodes with ranges, their normal form, and the readings (numbers, numpy, sympy, C …).

| to                                    | call                                                            |
|---------------------------------------|-----------------------------------------------------------------|
| make expressions                      | `symbol`, `var`, operators, `div`, `xor`, `select`, `lookup`, … |
| read a user's text                    | `parse`                                                         |
| bring to normal form, decide          | `simplify`, `nonnegative`, `holds`                              |
| evaluate                              | `value`, `values`, `array`, `grid`, `grids`                     |
| write as C, JavaScript, LaTeX, sympy  | `c_expression`, `c_code`, `javascript`, `latex`, `to_sympy`     |
| take a sum of strides apart           | `radix`: `affine`, `digits_by`, `digits`, `horner`              |
| make another thread's copy of indices | `primed`: `primed`, `same`                                      |
"""

from layoutalg.errors import InexpressibleError
from layoutalg.index.c import Code, c_code, c_expression, fits, intermediates
from layoutalg.index.compound import all_equal, maximum, minimum, prod
from layoutalg.index.evaluate import PYTHON, array, extent, grid, grids, read, value, values
from layoutalg.index.expr import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Expr,
    Term,
    add,
    as_expr,
    bitand,
    const,
    div,
    le,
    lt,
    mod,
    mul,
    xor,
)  # fmt: skip
from layoutalg.index.javascript import javascript
from layoutalg.index.narrow import narrowed
from layoutalg.index.normal import holds, nonnegative, simplify
from layoutalg.index.parse import ParseError, parse
from layoutalg.index.symbolic import from_sympy, latex, to_sympy
from layoutalg.index.truth import all_of, any_of, eq, lookup, negation, select  # fmt: skip
from layoutalg.index.variable import Symbol, extent_of, internal, symbol, unlimited, var, with_extent
from layoutalg.index.walk import conjuncts, fresh, names, postorder, rebuild, slack, substitute, unused, variables

__all__ = [
    "FALSE", "ONE", "PYTHON", "TRUE", "ZERO", "Code", "Expr", "InexpressibleError", "ParseError", "Symbol", "Term",
    "add", "all_equal", "all_of", "any_of", "array", "as_expr", "bitand", "c_code", "c_expression", "conjuncts",
    "const", "div", "eq", "extent", "extent_of", "fits", "fresh", "from_sympy", "grid", "grids", "holds",
    "intermediates", "internal", "javascript", "latex", "le", "lookup", "lt", "maximum", "minimum", "mod", "mul",
    "names", "narrowed", "negation", "nonnegative", "parse", "postorder", "prod", "read", "rebuild", "select",
    "simplify", "slack", "substitute", "symbol", "to_sympy", "unlimited", "unused", "value", "values", "var",
    "variables", "with_extent", "xor",
]  # fmt: skip
