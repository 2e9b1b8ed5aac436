"""Unsigned division as compilers write it for this machine, which has none: by the reciprocal, with two corrections.

    z = u32(0x4f7ffffe · rcp(f32(d)))        a little less than 2³² / d
    z = z + mulhi(z, −d·z)                   one step of Newton's method
    q = mulhi(n, z)                          n div d − e, with e = 0, 1 or 2
    r = n − q·d
    if r ≥ d: q = q + 1, r = r − d           twice

That e is at most 2 is LLVM's (AMDGPUCodeGenPrepare, `expandDivRem32`, after Rodeheffer, "Software Integer Division",
2008): it is assumed, and a verdict that rests on it says so; the tests try it on many numbers.  With it, q is n div d
whatever e is, and this module only has to recognise the steps: the unknowns that they make say what they are of.

What it cannot represent: signed division other than through this one, and division of 64-bit numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.index import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Expr,
    any_of,
    div,
    eq,
    lt,
    select,
    simplify,
    substitute,
    symbol,
    variables,
)
from layoutalg.symex.idioms.rules import Lemma, Rule, WordArithmetic, at_least_one, number
from layoutalg.symex.values.modular import representative, same_word
from layoutalg.symex.values.unknowns import Kind, arguments_of, call_of, function_of, unknown_value
from layoutalg.symex.values.word import Word

ASSUMPTION = "the quotient estimate of LLVM's unsigned division is at most 2 too small"

#: 2³² − 512 as f32: the factor that keeps the estimate below the reciprocal.
_FACTOR = 0x4F7FFFFE

#: The most that an estimated quotient is too small.
MOST_ERROR = 2

#: What the unknowns of a division are called: the correction of z, and how much an estimate is too small.
CORRECTION, ERROR = "correction", "error"

#: Numbers of a word are below this; what is divided below the half of it is no negative word.
_WORDS = 1 << 32


def _divisor(z: Expr) -> Expr | None:
    """d, where the word is the first estimate of 2³² / d."""
    for scaled in _operands(z, "u32_of_f32"):
        product = _operands(scaled, "mul_f32")
        for factor, other in (product, product[::-1]) if product else ():
            divisors = [d for converted in _operands(other, "rcp_f32") for d in _operands(converted, "f32_of_u32")]
            if divisors and factor.op == "const" and factor.value == _FACTOR:
                return divisors[0]
    return None


def _operands(made: Expr, name: str) -> tuple[Expr, ...]:
    """The arguments of the function of this name of which it is the result; none if it is that of another."""
    function, arguments = call_of(made)
    return arguments if function == name else ()


def upper_half(w: WordArithmetic, a: Word, b: Word) -> Expr | None:
    """The upper half of a product that is a step of a division: Newton's, or the estimated quotient."""
    x, y = simplify(a.expr), simplify(b.expr)
    for z, product in ((x, y), (y, x)):
        d = _divisor(z)
        if d is not None and same_word(product, -1 * d * z, 32):
            return w.unknown_of(CORRECTION, _WORDS, z)
    for n, reciprocal in ((a, y), (b, x)):
        d = _divisor_of_reciprocal(reciprocal)
        if d is not None and w.ranges.in_range(d, 1, _WORDS - 1):
            return _quotient(w, n, at_least_one(d))
    return None


def _divisor_of_reciprocal(word: Expr) -> Expr | None:
    """d, where the word is z + mulhi(z, −d·z)."""
    for v in variables(word):
        if function_of(v) == CORRECTION:
            (z,) = arguments_of(v)
            if simplify(word - z - v) is ZERO:
                return _divisor(z)
    return None


def _quotient(w: WordArithmetic, n: Word, d: Expr) -> Expr:
    """The estimated quotient.  Neither it nor what it leaves of n is negative."""
    dividend = w.unsigned(n)
    exact = div(dividend, d)
    if w.ranges.given is w.ranges.always and w.signed(n) is dividend:
        w.ranges.limit(simplify(exact), _WORDS // 2)
    estimate = exact - w.unknown_of(ERROR, MOST_ERROR + 1, dividend, d)
    for e in (estimate, dividend - d * estimate):
        w.ranges.limit(simplify(e), _WORDS)
    return estimate


def _errors(*exprs: Expr) -> list[Expr]:
    return [v for v in variables(*exprs) if function_of(v) == ERROR]


def _cases(*exprs: Expr) -> list[tuple[Expr, ...]]:
    """The expressions for each value of e, where exactly one e occurs in them; nothing else."""
    found = _errors(*exprs)
    if len(found) != 1:
        return []
    values = range(int(found[0].hi) + 1)
    return [tuple(simplify(substitute(x, {found[0]: k})) for x in exprs) for k in values]


def _divisor_of(error: Expr) -> Expr:
    """The divisor of the quotient that is too small by an error, or by what a correction left of one."""
    of = arguments_of(error)
    return of[1] if len(of) > 1 else _divisor_of(of[0])


def _over_one_divisor(w: WordArithmetic, *exprs: Expr) -> tuple[Expr, ...]:
    """The expressions with a divisor as its quotients have it, where it is in 1 … 2³² − 1 (`at_least_one`)."""
    said = {simplify(d - 1): d for d in map(_divisor_of, _errors(*exprs))}
    plain = {representative(e.args[0] + 1, 32): d for e, d in said.items() if e.op == "mod"}
    known = {d: one for d, one in plain.items() if w.ranges.in_range(d, 1, _WORDS - 1)}
    return tuple(simplify(substitute(simplify(e), known)) for e in exprs) if known else exprs


def less(w: WordArithmetic, left: Expr, right: Expr) -> Expr | None:
    """`left < right` as a statement on e, where each e decides it: left ≥ 0, right ≥ 1, so left div right is 0."""
    left, right = _over_one_divisor(w, left, right)
    errors = _errors(left)
    if len(errors) != 1 or right.lo < 1:
        return None
    cases = _cases(div(left, right))
    if not cases or any(case[0].op != "const" for case in cases):
        return None
    return any_of(*(eq(errors[0], k) for k, case in enumerate(cases) if case[0] is ZERO))


def corrected(w: WordArithmetic, condition: Expr, then: Expr, otherwise: Expr) -> Expr | None:
    """What a choice is, where e decides it: a correction takes one from the error, if there was any."""
    condition, then, otherwise = _over_one_divisor(w, condition, then, otherwise)
    cases = _cases(condition, then, otherwise)
    if not cases or any(c not in (TRUE, FALSE) for c, _, _ in cases):
        return None
    chosen = [a if c is TRUE else b for c, a, b in cases]
    step = simplify(chosen[-1] - chosen[0])
    if step is ZERO and all(one is chosen[0] for one in chosen):
        return chosen[0]
    errors = _errors(condition)
    if len(chosen) < MOST_ERROR + 1 or not errors or any(one is not chosen[0] for one in chosen[:-1]):
        return select(condition, then, otherwise)
    result = simplify(chosen[0] + _less_by_one(errors[0]) * step)
    if _in_range(w, then, otherwise, chosen) or _in_range(w, otherwise, then, chosen):
        w.ranges.limit(result, _WORDS)
    return result


def _in_range(w: WordArithmetic, new: Expr, old: Expr, chosen: Sequence[Expr]) -> bool:
    """Whether what was chosen between a number of 32 bits and a new one is such a number as well.

    The new one is the next, and none is too great; or it is no greater, and none is negative.
    """
    if not w.ranges.limited(simplify(old), _WORDS):
        return False
    change = simplify(new - old)
    if change is ONE:
        return all(one.hi < _WORDS for one in chosen)
    return change.hi <= 0 and all(one.lo >= 0 for one in chosen)


def _less_by_one(error: Expr) -> Expr:
    """max(e − 1, 0), for e in 0, 1, 2: what is left after one correction, of which another leaves nothing."""
    return unknown_value(f"{error.value.name}_left", int(error.hi), Kind.DATA, function=ERROR, arguments=(error,))


_N, _D, _E = number("n", 6), symbol("d", max=63), symbol("e", min=0, max=MOST_ERROR)
_LEFT = _N - (div(_N, _D) - _E) * _D

ORDERS = (Rule("what an estimated quotient leaves", less, Lemma(lt(_LEFT, _D), eq(_E, 0))),)
UPPER_HALVES = (Rule("a step of a division by reciprocal", upper_half, None, f"LLVM, expandDivRem32: {ASSUMPTION}"),)
CORRECTED = Rule(
    "the correction of an estimated quotient",
    corrected,
    Lemma(select(_LEFT < _D, div(_N, _D) - _E, div(_N, _D) - _E + 1), div(_N, _D) - select(_E < 1, 0, _E - 1)),
)
