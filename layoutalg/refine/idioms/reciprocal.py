"""Unsigned division as compilers write it for this machine, which has none: by the reciprocal, with two corrections.

    z = u32(0x4f7ffffe · rcp(f32(d)))        a little less than 2³² / d
    z = z + mulhi(z, −d·z)                   one step of Newton's method
    q = mulhi(n, z)                          n div d − e, with e = 0, 1 or 2
    r = n − q·d
    if r ≥ d: q = q + 1, r = r − d           twice

That e is at most 2 is LLVM's (AMDGPUCodeGenPrepare, `expandDivRem32`, after Rodeheffer, "Software Integer Division",
2008): it is assumed, and a verdict that rests on it says so; the tests try it on many numbers.  With it, q is n div d
whatever e is, and this module only has to recognise the steps: each is a function of words that it has seen before.

What it cannot represent: signed division other than through this one, and division of 64-bit numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.index import FALSE, TRUE, Expr, any_of, div, eq, select, simplify, substitute, variables
from layoutalg.refine.values.unknowns import Kind, call_of, unknown

ASSUMPTION = "the quotient estimate of LLVM's unsigned division is at most 2 too small"

#: 2³² − 512 as f32: the factor that keeps the estimate below the reciprocal.
_FACTOR = 0x4F7FFFFE


class Divisions:
    """The steps of divisions that have been seen."""

    def __init__(self) -> None:
        self.estimates: dict[Expr, Expr] = {}  # z → d
        self.corrections: dict[Expr, Expr] = {}  # mulhi(z, −d·z) → z
        self.errors: set[Expr] = set()  # each e
        self.left: dict[Expr, Expr] = {}  # e → what is left of it after a correction
        self.unsigned: set[Expr] = set()  # estimates and remainders: 32-bit numbers as they are

    def see_function(self, made: Expr) -> None:
        """Notes the result of a floating-point function that is an estimate."""
        for scaled in _operands(made, "u32_of_f32"):
            product = _operands(scaled, "mul_f32")
            for factor, other in (product, product[::-1]) if product else ():
                divisors = [d for converted in _operands(other, "rcp_f32") for d in _operands(converted, "f32_of_u32")]
                if divisors and factor.op == "const" and factor.value == _FACTOR:
                    self.estimates[made] = divisors[0]

    def divisor_of_correction(self, a: Expr, b: Expr, bits: int) -> Expr | None:
        """z, where the two are z and −d·z."""
        for z, product in ((a, b), (b, a)):
            if z in self.estimates and _congruent(product, -1 * self.estimates[z] * z, bits):
                return z
        return None

    def divisor_of_quotient(self, word: Expr) -> Expr | None:
        """d, where the word is z + mulhi(z, −d·z)."""
        for correction, z in self.corrections.items():
            if simplify(word - z - correction) is FALSE:
                return self.estimates[z]
        return None

    def quotient(self, n: Expr, d: Expr, error: Expr) -> Expr:
        """The estimated quotient.  Neither it nor what it leaves of n is negative."""
        self.errors.add(error)
        estimate = div(n, d) - error
        self.unsigned |= {simplify(estimate), simplify(n - d * estimate)}
        return estimate

    def cases(self, *exprs: Expr) -> list[tuple[Expr, ...]] | None:
        """The expressions for each value of e, where exactly one e occurs in them."""
        found = {v for v in variables(*exprs) if v in self.errors}
        if len(found) != 1:
            return None
        (error,) = found
        return [tuple(simplify(substitute(x, {error: k})) for x in exprs) for k in range(int(error.hi) + 1)]

    def less(self, left: Expr, right: Expr) -> Expr | None:
        """`left < right` as a statement on e, where each e decides it: left ≥ 0, right ≥ 1, so left div right is 0."""
        if not self.errors or right.lo < 1:
            return None
        cases = self.cases(div(left, right))
        if cases is None or any(case[0].op != "const" for case in cases):
            return None
        (error,) = {v for v in variables(left) if v in self.errors}
        return any_of(*(eq(error, k) for k, case in enumerate(cases) if case[0] is FALSE))

    def choice(self, condition: Expr, then: Expr, otherwise: Expr) -> Expr | None:
        """What a choice is, where e decides it: a correction takes one from the error, if there was any."""
        cases = self.cases(condition, then, otherwise) if self.errors else None
        if cases is None or any(c not in (TRUE, FALSE) for c, _, _ in cases):
            return None
        chosen = [a if c is TRUE else b for c, a, b in cases]
        step = simplify(chosen[-1] - chosen[0])
        if step is FALSE and all(one is chosen[0] for one in chosen):
            return chosen[0]
        if len(chosen) < 3 or any(one is not chosen[0] for one in chosen[:-1]):
            return select(condition, then, otherwise)
        (error,) = {v for v in variables(condition) if v in self.errors}
        corrected = simplify(chosen[0] + self._less_by_one(error) * step)
        if self._in_range(then, otherwise, chosen) or self._in_range(otherwise, then, chosen):
            self.unsigned.add(corrected)
        return corrected

    def _in_range(self, new: Expr, old: Expr, chosen: Sequence[Expr]) -> bool:
        """Whether what was chosen between a number of 32 bits and a new one is such a number as well.

        The new one is the next, and none is too great; or it is no greater, and none is negative.
        """
        if simplify(old) not in self.unsigned:
            return False
        change = simplify(new - old)
        if change is TRUE:
            return all(one.hi < 1 << 32 for one in chosen)
        return change.hi <= 0 and all(one.lo >= 0 for one in chosen)

    def _less_by_one(self, error: Expr) -> Expr:
        """max(e − 1, 0), for e in 0, 1, 2: what is left after one correction, of which another leaves nothing."""
        if error not in self.left:
            self.left[error] = unknown(f"{error.value.name}_left", int(error.hi), Kind.DATA, arguments=(error,))
            self.errors.add(self.left[error])
        return self.left[error]


def _operands(made: Expr, name: str) -> tuple[Expr, ...]:
    """The arguments of the function of this name of which it is the result; none if it is that of another."""
    function, arguments = call_of(made)
    return arguments if function == name else ()


def _congruent(one: Expr, other: Expr, bits: int) -> bool:
    difference = simplify(one - other)
    return difference.op == "const" and difference.value % (1 << bits) == 0
