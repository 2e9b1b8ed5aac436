"""Registers that a loop divides or multiplies by a constant: what they are in iteration t, and how often it goes on.

    h >>= 1      x div 2ᵗ          runs while x div 2ᵗ ≥ b: as long as t < digits₂(x div b)
    k *= 2       x · 2ᵗ            runs while 2ᵗ ≤ m:       as long as t < digits₂(m)

Index expressions have no powers, so each of these is an unknown that is a function: of x and t, of t, of m.  What
holds of them are facts of numbers, for all x, t, m ≥ 0 and any base c ≥ 2, where a number has digits in base c:

| of | holds |
|---|---|
| q = x div cᵗ | q ≤ x; t = 0 ⇒ q = x |
| … and d = digits(x div b) | q ≥ b ⇔ t < d; q div c ≥ b ⇔ t + 1 < d; 1 ≤ t ≤ d ⇒ q ≥ b div c |
| p = cᵗ, in a word | t = 0 ⇒ p = 1 |
| … and d = digits(m), where c·m is a word | t ≤ d ⇒ 1 ≤ p ≤ max(1, c·m), and p ≤ m ⇔ t < d |
| d = digits(m) | d ≥ 1 ⇔ m ≥ 1 |

The count that is guessed of a loop says of which m the digits matter.  The count is a claim as any is.

What it cannot represent: factors that are not constant, and what is added besides.
"""

from __future__ import annotations

from itertools import count

from layoutalg.index import (
    ONE,
    TRUE,
    Expr,
    all_of,
    any_of,
    const,
    div,
    eq,
    maximum,
    negation,
    simplify,
    slack,
    substitute,
    variables,
)  # fmt: skip
from layoutalg.index.normal import normal
from layoutalg.index.variable import internal
from layoutalg.records import dataclass
from layoutalg.symex.idioms.division import by_constant
from layoutalg.symex.loops.ranking import near, unwrapped
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.values.unknowns import arguments_of, function_of

#: What the function is called that says how many digits in a base a number div a limit has.
DIGITS = "digits"


@dataclass(frozen=True)
class Geometric:
    """A function of the iteration that is x div cᵗ, or cᵗ of a word of so many bits."""

    unknown: Expr
    base: int
    bits: int
    of: Expr | None  # x, of a quotient

    @property
    def following(self) -> Expr:
        """What it is in the next iteration."""
        return self.unknown * self.base if self.of is None else div(self.unknown, self.base)


class GeometricForms:
    """Those of one loop, whose iterations a variable numbers."""

    def __init__(self, w: IndexValues, t: Expr, count: Expr | None) -> None:
        """`count`: how often the loop runs, if that is known."""
        self._w, self._t, self._functions = w, t, w.functions
        self._digits = () if count is None else tuple(d for d in variables(count) if function_of(d) == DIGITS)
        self.found: dict[Expr, Geometric] = {}

    @property
    def following(self) -> dict[Expr, Expr]:
        """Each, and what it is in the next iteration."""
        return {v: one.following for v, one in self.found.items()}

    def number(self, init: Expr, unknown: Expr, end: Expr, bits: int) -> Expr | None:
        """The value at the head of iteration t of what one iteration divides or multiplies; `init`: before the loop."""
        start = self._w.unsigned(self._w.word(init, bits))
        if start.hi < 1 << bits:
            within = internal("halved", start + 1)
            halved = simplify(substitute(end, {unknown: within}))
            quotient = by_constant(halved, TRUE)
            halved = halved if quotient is None else quotient
            if halved.op == "div" and halved.args[0] is within and halved.args[1].op == "const":
                return self._quotient(start, int(halved.args[1].value), bits)
        parts = normal(end).linear_in(unknown)
        factor = parts[1].constant if parts and not parts[0].terms else None
        return init * self._power(int(factor), bits) if factor is not None and 1 < factor < 1 << bits - 1 else None

    def _quotient(self, x: Expr, base: int, bits: int) -> Expr:
        """x div cᵗ."""
        t = self._t
        q = self._functions.value(f"quotient by powers of {base}", int(x.hi) + 1, x, t)
        self.found[q] = Geometric(q, base, bits, x)
        self._functions.know(q, all_of(q <= x, any_of(negation(eq(t, 0)), eq(q, x))))
        for d in self._digits:
            base_of_d, of, limit = arguments_of(d)
            if base_of_d.value == base and of is x:
                now, later = iff(q >= limit, t < d), iff(div(q, base) >= limit, t + 1 < d)
                self._functions.know(q, all_of(now, later, any_of(t < 1, d < t, q >= div(limit, base))))
        return q

    def _power(self, base: int, bits: int) -> Expr:
        """cᵗ, in a word."""
        t = self._t
        p = self._functions.value(f"power of {base}", 1 << bits, t)
        self.found[p] = Geometric(p, base, bits, None)
        self._functions.know(p, any_of(negation(eq(t, 0)), eq(p, 1)))
        for d in self._digits:
            base_of_d, m, limit = arguments_of(d)
            if base_of_d.value == base and limit is ONE:
                known = all_of(p >= 1, p <= maximum(1, m * base), iff(p <= m, t < d))
                self._functions.know(p, any_of(d < t, m * base >= 1 << bits, known))
        return p

    def _digits_of(self, one: Geometric, of: Expr, limit: Expr = ONE) -> Expr:
        """How many digits a number div a limit has; none, if that is 0."""
        greatest = min(simplify(div(of, limit)).hi, (1 << one.bits) - 1)
        most = next(k for k in count() if one.base**k > greatest)
        d = self._functions.value(DIGITS, most + 1, const(one.base), of, limit)
        self._functions.know(d, iff(d >= 1, of >= limit))
        return d

    def count(self, leaves: Expr) -> Expr | None:
        """How often the loop runs, if it leaves where this holds of one of them."""
        plain, made_of = unwrapped(leaves), variables(leaves)
        counts = (self._count(one, plain) for one in self.found.values() if one.unknown in made_of)
        return next((found for found in counts if found is not None), None)

    def _count(self, one: Geometric, leaves: Expr) -> Expr | None:
        if leaves.op == "eq" and leaves.args[1].op == "const":  # of what is not negative: it is no greater
            leaves = leaves.args[0] <= leaves.args[1]
        line = slack(leaves)
        parts = None if line is None else _of(near(line), one)
        if parts is None:
            return None
        factor, rest, later = parts
        if one.of is None:  # it leaves where the power is above this
            most = simplify(maximum(div(-1 * rest - 1, factor), 0)) if factor.lo >= 1 else None
            return None if most is None else self._digits_of(one, most) + 1
        if factor.op != "const" or factor.value >= 0 or rest.op != "const" or rest.value < 0:
            return None
        d = self._digits_of(one, one.of, simplify(div(rest, -int(factor.value)) + 1))
        return simplify(maximum(1, d) if later else d + 1)


def _of(line: Expr, one: Geometric) -> tuple[Expr, Expr, bool] | None:
    """Factor and rest, of a line factor · v + rest of the function, and whether v is what it is in the next turn."""
    for part, later in ((one.following, True), (one.unknown, False)):
        parts = normal(line).linear_in(part) if part.op != "mul" else None
        if parts is not None and parts[1].terms and one.unknown not in variables(parts[0].expr(), parts[1].expr()):
            return parts[1].expr(), parts[0].expr(), later
    return None


def iff(one: Expr, other: Expr) -> Expr:
    """Both hold, or neither does."""
    return any_of(all_of(one, other), all_of(negation(one), negation(other)))
