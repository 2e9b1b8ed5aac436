"""Division of short numbers as compilers write it for this machine: in f32, where they are exact, with one correction.

    t = trunc(f32(n) · rcp(f32(d)))              n div d − e, with e = 0 or 1
    q = u32(t)                                   the same as an integer
    q + (|f32(n) − t · f32(d)| ≥ f32(d) ? 1 : 0)     n div d: what is corrected is e

For 0 ≤ n < 2²¹ and 1 ≤ d ≤ 2²⁴ that follows from the manuals' word on V_RCP_F32, 1 ulp.  The reciprocal is off by at
most 1.5 · 2⁻²³ of itself, the product by 2⁻²³ in any rounding mode: together by less than 2⁻²¹ of n / d, which is less
than 1 / d.  What t leaves of n is below 2²¹, so that the fused step is exact.

What it cannot represent: a number that may be negative, and 22 bits or more (of which LLVM writes 23 so as well).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from layoutalg.index import ONE, ZERO, Expr, const, div, eq, negation, select, simplify
from layoutalg.symex.idioms.rules import Lemma, Rule, WordArithmetic, at_least_one, number
from layoutalg.symex.values.uninterpreted import RELATIONS
from layoutalg.symex.values.unknowns import call_of, function_of

ASSUMPTION = "reciprocals in f32 are within one unit in the last place, as AMD's manuals say"

#: What an unknown is called that is 1 where an estimate is too small.
SHORT_ERROR = "short error"

#: Dividends are below this, divisors no greater than that.
MOST_DIVIDEND, MOST_DIVISOR = 1 << 21, 1 << 24

#: The bit of a sign.
_SIGN = 1 << 31


def integer_of(w: WordArithmetic, x: Expr) -> Expr | None:
    """The integer that a word of f32 was made of, or is; whether it was rounded is not asked.

    >>> from layoutalg.index import const
    >>> [integer_of(None, const(bits)) for bits in (0x43800000, 0x3f000000, 0x7f800000)]
    [256, None, None]
    """
    if x.op == "const":
        (real,) = struct.unpack("<f", struct.pack("<I", int(x.value) % (1 << 32)))
        return const(int(real)) if abs(real) < MOST_DIVISOR and real == int(real) else None
    function, arguments = call_of(x)
    if function == "f32_of_u32":
        return w.unsigned(w.word(arguments[0]))
    return w.signed(w.word(arguments[0])) if function == "f32_of_i32" else None


def _estimated(w: WordArithmetic, t: Expr) -> tuple[Expr, Expr] | None:
    """n and d, where the word is t of them, and they are short."""
    truncated, product = call_of(t)
    times, factors = call_of(product[0]) if truncated == "trunc_f32" else ("", ())
    for numerator, reciprocal in (factors, factors[::-1]) if times == "mul_f32" else ():
        function, divisor = call_of(reciprocal)
        n, d = integer_of(w, numerator), integer_of(w, divisor[0]) if function == "rcp_f32" else None
        if n is not None and d is not None and _are_short(w, n, d):
            return n, d
    return None


def _are_short(w: WordArithmetic, n: Expr, d: Expr) -> bool:
    """Whether the estimate of n div d is at most one too small, and never too great."""
    return w.ranges.in_range(n, 0, MOST_DIVIDEND) and w.ranges.in_range(d, 1, MOST_DIVISOR)


def _error(w: WordArithmetic, n: Expr, d: Expr) -> Expr:
    return w.unknown_of(SHORT_ERROR, 2, simplify(n), simplify(d))


def quotient(w: WordArithmetic, name: str, t: Expr) -> Expr | None:
    """The estimate as an integer, of t: it is no negative number."""
    found = _estimated(w, t) if name in ("u32_of_f32", "i32_of_f32") else None
    if found is None:
        return None
    n, d = found
    estimate = div(n, at_least_one(d)) - _error(w, n, d)
    w.ranges.limit(simplify(estimate), MOST_DIVIDEND)
    return estimate


def left(w: WordArithmetic, name: str, one: Expr, other: Expr) -> Expr | None:
    """Whether what an estimate leaves is no less than the divisor: as a statement on e."""
    negated, plain, turned = RELATIONS.get(name.removesuffix("_f32"), (False, "", False))
    one, other = (other, one) if turned else (one, other)
    rest, limit = (one, other) if plain == "lt" else (other, one) if plain == "le" else (ZERO, ZERO)
    for found in _estimates_of(w, rest):
        if integer_of(w, _magnitude(limit)) is found[1]:
            corrected = eq(_error(w, *found), 1)
            return corrected if (plain == "le") is not negated else negation(corrected)
    return None


def _estimates_of(w: WordArithmetic, rest: Expr) -> Iterator[tuple[Expr, Expr]]:
    """n and d, where the word is |f32(n) − t · f32(d)|; it is not negative, with the bars or without."""
    fused, arguments = call_of(_magnitude(rest))
    if fused != "fma_f32":
        return
    *factors, dividend = arguments
    for t, divisor in (factors, factors[::-1]):
        found = _estimated(w, _without_sign(t)) if _is_negated(t) is not _is_negated(divisor) else None
        if found is not None and (integer_of(w, dividend), integer_of(w, _without_sign(divisor))) == found:
            yield found


def _magnitude(x: Expr) -> Expr:
    """The word, of which perhaps the sign is taken away."""
    return x.args[0] if x.op == "mod" and x.args[1] is const(_SIGN) else x


def _is_negated(x: Expr) -> bool:
    return x.op == "xor" and const(_SIGN) in x.args


def _without_sign(x: Expr) -> Expr:
    """The word that was negated, if one was."""
    return next(part for part in x.args if part is not const(_SIGN)) if _is_negated(x) else x


def counted(condition: Expr, then: Expr, otherwise: Expr) -> Expr | None:
    """e, where a choice is 1 if the estimate is too small, and else 0."""
    if condition.op == "not":
        condition, then, otherwise = condition.args[0], otherwise, then
    if condition.op != "eq" or function_of(condition.args[0]) != SHORT_ERROR or condition.args[1] is not ONE:
        return None
    return condition.args[0] if (simplify(then), simplify(otherwise)) == (ONE, ZERO) else None


_E = number("e", 1)

CONVERSIONS = (Rule("a quotient estimated in f32", quotient, None, f"the manuals on V_RCP_F32: {ASSUMPTION}"),)
RELATION = Rule("what a quotient estimated in f32 leaves", left, None, f"the manuals on V_RCP_F32: {ASSUMPTION}")
CORRECTION = Rule(
    "a correction that is the error",
    lambda _, *operands: counted(*operands),
    Lemma(select(eq(_E, 1), 1, 0), _E),
)
