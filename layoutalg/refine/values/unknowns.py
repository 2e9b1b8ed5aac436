"""What an expression depends on, through the unknowns that it is made of.

The result of a floating-point function, or the error of an estimate, is an unknown of its own, in which nothing is seen
of what it is a function of:

| expression | depends on |
|---|---|
| t · 4 + n | t, n |
| f, where f is the result of a function of t | f, t |
| g, where g is the result of a function of f | g, f, t |
"""

from __future__ import annotations

from collections.abc import Callable

from layoutalg.index import Expr, variables


def origins(made_of: Callable[[Expr], tuple[Expr, ...]], *exprs: Expr) -> frozenset[Expr]:
    """All variables that the expressions depend on; `made_of` says what an unknown is a function of.

    >>> from layoutalg.index import symbol
    >>> t, f, g = (symbol(name) for name in "tfg")
    >>> known = {f: (t * 4,), g: (f + 1, f)}
    >>> sorted(map(str, origins(lambda v: known.get(v, ()), g + 1)))
    ['f', 'g', 't']
    """
    found: set[Expr] = set()
    left = list(variables(*exprs))
    while left:
        v = left.pop()
        if v not in found:
            found.add(v)
            left += variables(*made_of(v))
    return frozenset(found)
