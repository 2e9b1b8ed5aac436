"""The types of an equation's terms: operands in one type, and what an operation gives.

| beside | `2`, `0.5` | `N`, `i + 1` | another type |
|---|---|---|---|
| a float | that type, rounded | refused: `f32(N)` | refused |
| an integer | that type, a fraction refused | that type, modulo 2ⁿ | refused |
| integers of indices and sizes | an integer | exact | that type, as above |

Raises `ValueError` where operands do not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from layoutalg.formats.equation import (
    BOOL,
    FLOATS,
    FUNCTIONS,
    INDEX,
    NUMBERS,
    SIGNED,
    UNSIGNED,
    UNTYPED,
    Contents,
    EquationTerm,
    IndexTerm,
    Literal,
    Operation,
    Reduction,
)
from layoutalg.index import (
    Expr,
    all_of,
    any_of,
    as_expr,
    bitand,
    div,
    eq,
    le,
    lt,
    maximum,
    minimum,
    mod,
    negation,
    substitute,
    xor,
)
from layoutalg.target.dtypes import DTYPES

_COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")

#: Operations on integers of indices and sizes.
_ON_INDICES: Mapping[str, Callable[..., Expr]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "neg": lambda a: -a,
    "floordiv": div, "mod": mod, "and": bitand, "or": lambda a, b: a + b - bitand(a, b), "xor": xor,
    "not": lambda a: -a - 1, "lt": lt, "le": le, "gt": lambda a, b: lt(b, a), "ge": lambda a, b: le(b, a), "eq": eq,
    "ne": lambda a, b: negation(eq(a, b)), "shl": lambda a, b: a << int(b), "shr": lambda a, b: a >> int(b),
    "max": maximum, "min": minimum,
}  # fmt: skip
_ON_TRUTHS: Mapping[str, Callable[..., Expr]] = {"and": all_of, "or": any_of, "not": negation}

#: The types that an operation has; of all others, `FUNCTIONS`.
_TYPES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("add", "sub", "mul", "neg", "lt", "le", "eq"), NUMBERS), "div": FLOATS,
    **dict.fromkeys(("floordiv", "mod"), UNSIGNED), **dict.fromkeys(("shl", "shr"), (*SIGNED, *UNSIGNED)),
    **dict.fromkeys(("and", "or", "xor", "not"), (*SIGNED, *UNSIGNED, BOOL)),
}  # fmt: skip


def applied(name: str, operands: Sequence[EquationTerm]) -> EquationTerm:
    """An operation on operands that are of one type, or become so."""
    whole = [one.expr for one in operands if isinstance(one, IndexTerm)]
    table = _ON_TRUTHS if operands[0].dtype == BOOL else _ON_INDICES
    if len(whole) == len(operands) and name in table and len({one.dtype for one in operands}) == 1:
        dtype = BOOL if table is _ON_TRUTHS or name in _COMPARISONS else INDEX
        return IndexTerm(table[name](*whole), dtype)
    if name == "neg" and isinstance(operands[0], Literal):
        return Literal(-operands[0].value, operands[0].dtype)
    same = alike(operands)
    if name in ("gt", "ge"):
        name, same = {"gt": "lt", "ge": "le"}[name], same[::-1]
    if name == "ne":
        return Operation("not", (applied("eq", same),), BOOL)
    allowed = _TYPES[name] if name in _TYPES else FUNCTIONS[name][1]
    dtype = same[0].dtype
    if dtype not in allowed or any(one.dtype != dtype for one in same):
        given = {UNTYPED: "numbers alone", INDEX: "an integer of indices and sizes"}.get(dtype, dtype)
        raise ValueError(f"{name} is of {', '.join(allowed)}, here of {given}: convert with f32(…), i32(…) …")
    return Operation(name, tuple(same), BOOL if name in _COMPARISONS else dtype)


def alike(operands: Sequence[EquationTerm]) -> list[EquationTerm]:
    """The operands in the type of those that have one."""
    types = list(dict.fromkeys(one.dtype for one in operands if one.dtype not in (UNTYPED, INDEX)))
    if len(types) > 1:
        raise ValueError(f"{' and '.join(types)} are different types: convert one of them, {types[0]}(…)")
    return [typed(one, types[0]) for one in operands] if types else list(operands)


def typed(term: EquationTerm, dtype: str) -> EquationTerm:
    """A number of no type in the type that it is wanted in."""
    if term.dtype not in (UNTYPED, INDEX) or dtype == BOOL:
        return term
    number = _number(term)
    if number is None:
        if dtype not in (*SIGNED, *UNSIGNED):
            raise ValueError(f"an integer beside {dtype}: write {dtype}(…)")
        return Operation("convert", (term,), dtype)
    if dtype in FLOATS:
        return Literal(float(number), dtype)
    bits = DTYPES[dtype].bits
    if dtype not in NUMBERS or number != number // 1 or not -(1 << bits - 1) <= number < 1 << bits:
        raise ValueError(f"{number} is no {dtype}")
    return Literal(int(number), dtype)


def chosen(operands: Sequence[EquationTerm]) -> EquationTerm:
    """`where` of a condition and two terms."""
    if len(operands) != 3 or operands[0].dtype != BOOL:
        raise ValueError("where takes a condition and two terms")
    then, otherwise = alike(operands[1:])
    if then.dtype in (UNTYPED, INDEX) or then.dtype != otherwise.dtype:
        raise ValueError("two numbers of no type: write one of them as i32(…) or f32(…)")
    return Operation("where", (operands[0], then, otherwise), then.dtype)


def converted(term: EquationTerm, dtype: str) -> EquationTerm:
    """A term as one of another type."""
    if term.dtype == BOOL:
        raise ValueError(f"a truth is no {dtype}: write where(…, 1, 0)")
    if _number(term) is not None and dtype in NUMBERS and term.dtype in (UNTYPED, INDEX):
        return typed(term, dtype)
    return term if term.dtype == dtype else Operation("convert", (term,), dtype)


def same_bits(term: EquationTerm, dtype: str) -> EquationTerm:
    """The bits of a term as another type."""
    if term.dtype not in DTYPES or DTYPES[term.dtype].bits != DTYPES[dtype].bits:
        raise ValueError(f"{term.dtype or 'a number'} has not the {DTYPES[dtype].bits} bits of {dtype}")
    return term if term.dtype == dtype else Operation("bits", (term,), dtype)


def _number(term: EquationTerm) -> float | int | None:
    """The number that a literal is."""
    if isinstance(term, Literal):
        return term.value
    return int(term.expr) if isinstance(term, IndexTerm) and term.dtype == INDEX and term.expr.op == "const" else None


def renamed(term: EquationTerm, names: Mapping[Expr, Expr]) -> EquationTerm:
    """A term with other expressions for indices and sizes."""
    match term:
        case IndexTerm():
            return IndexTerm(as_expr(substitute(term.expr, dict(names))), term.dtype)
        case Contents():
            return Contents(term.tensor, tuple(renamed(one, names) for one in term.subscripts), term.dtype)
        case Operation():
            return Operation(term.name, tuple(renamed(one, names) for one in term.operands), term.dtype)
        case Reduction():
            length = as_expr(substitute(term.length, dict(names)))
            return Reduction(term.name, term.index, length, renamed(term.body, names))
    return term
