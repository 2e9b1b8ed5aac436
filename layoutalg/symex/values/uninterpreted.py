"""Floating-point and matrix operations as unknown functions: equal arguments give equal results, and no more is known.

Both sides of a proof, the binary and the program, name an operation's result by the operation and its arguments, so
two results are the same expression when the same operations were done on the same values in the same order:

    fma(a, b, fma(c, d, 0))   is   fma(a, b, fma(c, d, 0)),   and not   fma(c, d, fma(a, b, 0))

Where arithmetic gives the same bits either way, one form stands for both: a + b and b + a; a > b and b < a; the sum
of a product is a fused one only where the machine fuses it, or where the product is exact, by 0 or 1; 0 + x is x, where
x is no −0 (rounded down, the sum is −0 as well).
What it cannot represent: the payload of a NaN, which such exchanges may change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from layoutalg.index import TRUE, ZERO, Expr, all_of, const, div, eq, negation, select, simplify
from layoutalg.isa.semantics.values import width
from layoutalg.symex.values.exact import exact_relation
from layoutalg.symex.values.instances import moved
from layoutalg.symex.values.unknowns import Call, Kind, call_of, unknown_value

ASSUMPTION = (
    "floating-point and matrix instructions give equal results for equal operands, a NaN's payload apart; what they "
    "compute is not looked at"
)

#: Functions whose first two arguments may be exchanged (IEEE 754; the greatest of two, but for the payload of a NaN).
COMMUTE = frozenset(
    f"{name}_{kind}" for name in ("add", "mul", "fma", "max", "min", "eq", "u") for kind in ("f16", "f32", "f64")
)

#: The bits of 0, −0, 1 and −1: a product by one of them is exact, so that a fused sum of it rounds as the two do.
EXACT_FACTORS = {
    kind: frozenset({0, 1 << sign, one, one | 1 << sign})
    for kind, sign, one in (("f16", 15, 0x3C00), ("f32", 31, 0x3F800000), ("f64", 63, 0x3FF << 52))
}

#: Comparison → is it negated, the comparison, are its sides exchanged.  `x ≠ x` is `unordered(x, x)`.
RELATIONS: Mapping[str, tuple[bool, str, bool]] = {
    "lt": (False, "lt", False), "gt": (False, "lt", True), "le": (False, "le", False), "ge": (False, "le", True),
    "nlt": (True, "lt", False), "ngt": (True, "lt", True), "nle": (True, "le", False), "nge": (True, "le", True),
    "eq": (False, "eq", False), "neq": (True, "eq", False), "u": (False, "u", False), "o": (True, "u", False),
    "lg": (False, "lg", False), "nlg": (True, "lg", False),
}  # fmt: skip


#: Functions that are 0 or 1.
_TRUTHS = {plain for _, plain, _ in RELATIONS.values()} | {"class", "scaled"}


class UninterpretedFunctions:
    """The results of functions that have been named."""

    def __init__(self) -> None:
        self._named: dict[Call, Expr] = {}
        self._numbers: dict[Expr, int] = {}
        self.known: dict[Expr, Expr] = {}  # what holds of results

    @property
    def applied(self) -> bool:
        """Whether there is any."""
        return bool(self._named)

    def apply(self, name: str, *arguments: Expr) -> Expr:
        """The result of a function: the same for the same arguments."""
        given = [_unsigned(simplify(a), 64 if "64" in name else 32) for a in arguments]
        operation, _, kind = name.partition("_")
        if operation == "fma" and any(a.op == "const" and a.value in EXACT_FACTORS.get(kind, ()) for a in given[:2]):
            return self.apply(f"add_{kind}", self.apply(f"mul_{kind}", *given[:2]), given[2])
        if name == "add_f32" and ZERO in given and never_minus_zero(given[given[0] is ZERO]):
            return given[given[0] is ZERO]
        if name in COMMUTE:
            given[:2] = sorted(given[:2], key=lambda e: self._numbers.setdefault(e, len(self._numbers)))
        call = name, tuple(given)
        if call not in self._named:
            named = f"{name} {len(self._named)}"
            self._named[call] = unknown_value(named, _limit(name), Kind.RESULT, function=name, arguments=tuple(given))
        return self._named[call]

    def value(self, name: str, limit: int, *arguments: Expr) -> Expr:
        """The result of a function of integers, 0 ≤ result < limit: the same for the same arguments."""
        call = name, (*arguments, const(limit))
        if call not in self._named:
            named = f"{name} {len(self._named)}"
            self._named[call] = unknown_value(named, limit, Kind.RESULT, function=name, arguments=arguments)
        return self._named[call]

    def know(self, result: Expr, fact: Expr) -> None:
        """This holds of a result, whatever the arguments are."""
        self.known[result] = all_of(self.known.get(result, TRUE), fact)

    def relation(self, name: str, left: Expr, right: Expr) -> Expr:
        """A comparison such as `lt_f32`, or another truth of two words, as a condition."""
        how, dtype = name.split("_")
        if how not in RELATIONS:
            return eq(self.apply(name, left, right), 1)
        if dtype == "f16":  # as f32, which is exact
            left, right, dtype = self.apply("f32_of_f16", left), self.apply("f32_of_f16", right), "f32"
        negated, plain, turned = RELATIONS[how]
        if plain == "eq" and simplify(left) is simplify(right):
            negated, plain = not negated, "u"
        sides = (right, left) if turned else (left, right)
        exact = exact_relation(plain, *map(simplify, sides)) if dtype == "f32" else None
        condition = eq(self.apply(f"{plain}_{dtype}", *sides), 1) if exact is None else exact
        return negation(condition) if negated else condition

    def convert(self, given: str, wanted: str, bits: Expr) -> Expr:
        """A number of one element type as one of another."""
        if given == wanted:
            return bits
        if given == "bf16":
            return self.convert("f32", wanted, bits * (1 << 16))
        if given == "f16":
            return self.convert("f32", wanted, self.apply("f32_of_f16", bits))
        return self.rounded_to_bf16(bits) if wanted == "bf16" else self.apply("f16_of_f32", bits)

    def rounded_to_bf16(self, x: Expr) -> Expr:
        """To the nearest, ties to even."""
        return div(self.apply("bf16_above", x), 1 << 16)

    def rewritten(
        self, e: Expr, names: Mapping[Expr, Expr], done: dict[Expr, Expr], then: Callable[[Expr], Expr]
    ) -> Expr:
        """The expression where its variables are these (`instances.moved`), and `then` of it and of all arguments.

        `done` keeps what was rewritten.
        """
        return then(moved(e, names, done, lambda call, _: self.apply(call[0], *map(then, call[1]))))


def never_minus_zero(e: Expr, depth: int = 4) -> bool:
    """Whether a result of f32 is seen to be no −0: a power, or a sum of one with anything, and so on.

    >>> f, x = UninterpretedFunctions(), const(7)
    >>> never_minus_zero(f.apply("add_f32", x, f.apply("exp_f32", x))), never_minus_zero(f.apply("mul_f32", x, x))
    (True, False)
    """
    name, arguments = call_of(e)
    sums = depth > 0 and name == "add_f32"
    return name == "exp_f32" or (sums and any(never_minus_zero(part, depth - 1) for part in arguments))


@lru_cache(maxsize=1 << 12)
def _unsigned(word: Expr, bits: int) -> Expr:
    """A representative of a word of so many bits at most in which constants, also those of choices, are not negative.

    What is equal modulo 2ⁿ is so modulo all lesser powers: `bits` may be more than the word has, and never less.
    """
    if word.op == "select":
        return select(word.args[0], *(_unsigned(part, bits) for part in word.args[1:]))
    return const(word.value % (1 << bits)) if word.op == "const" else word


def _limit(name: str) -> int:
    first = name.split("_")[0]
    if first in _TRUTHS:
        return 2
    if "_of_" in name and first.removesuffix("fnuz") in ("fp8", "bf8"):
        return 1 << 8
    narrow = first in ("f16", "i16", "u16") if "_of_" in name else name.endswith("_f16")
    return 1 << (16 if narrow else width(name))
