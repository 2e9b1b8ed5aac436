"""Estimates and their errors: what is the same with any error is looked at with none.

A division is an estimate that is mended.  Where its divisor may be 0 on a way that is not taken, the error stays in the
formula of a place, though the place does not hang on it: at fixed sizes that is seen by enumeration.
"""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.index import ZERO, Expr, variables
from layoutalg.symex.values.instances import moved
from layoutalg.symex.values.unknowns import kind_of

#: Of an unknown that is looked at value by value: errors of estimates are at most 2.
MOST_ERROR = 8


def without_errors(exprs: Sequence[Expr], of: Sequence[Expr]) -> list[Expr] | None:
    """Expressions with the unknowns of some of them at 0; None where one of these has more values than an error."""
    unknown = _unknown(of)
    if any(v.hi > MOST_ERROR for v in unknown):
        return None
    none = dict.fromkeys(unknown, ZERO)
    return None if _unknown([moved(e, none) for e in of]) else [moved(e, none) for e in exprs]


def _unknown(exprs: Sequence[Expr]) -> list[Expr]:
    return [v for v in variables(*exprs) if kind_of(v) is not None]
