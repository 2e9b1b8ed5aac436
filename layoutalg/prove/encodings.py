"""Expressions in z3's arithmetic: integers with shared quotient and remainder, or bit-vectors of the exact width.

* Integers: `x div d` and `x mod d` become one (q, r) for each pair (x, d), with x = q·d + r and 0 ≤ r < d; d ≥ 1 holds
  by construction of every expression.  Sizes may be symbols.
* Any function: integers, where a bitwise operation is any function within its limits; only what holds counts there.
* Bit-vectors: the width holds every value of every node, by the ranges, and a sign bit: nothing wraps.  Needed where
  an expression has xor or and; sizes must be bounded.

Comparisons are truth values there; where arithmetic takes one it is 1 or 0, as everywhere else, and where logic takes
a number it is whether that is not 0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import z3

from layoutalg.index import Expr, conjuncts, div, postorder
from layoutalg.index.normal import normal, simplify
from layoutalg.prove.strategies.digits import count

WORDS = re.compile(
    r"_|BINARY|DECIMAL|HEXADECIMAL|NUMERAL|STRING|Bool|as|exists|forall|let|match|par|assert|echo|exit|pop|push|reset"
    r"|abs|and|concat|distinct|div|div_total|extract|false|ite|mod|mod_total|not|or|piand|repeat|true|xor"
    r"|bv\w*|int\w*|rotate_\w+|\w+_extend|any-.*"
)
"""What no unknown is called: words of SMT-LIB 2.6, operations of its theories and of solvers, and our own functions."""

BITWISE = ("xor", "and")


class NotExpressible(ValueError):
    """An obligation that the chosen encoding cannot say, and why."""


class Encoding:
    """One copy of the variables after another, in one arithmetic; collects the side conditions by name."""

    def __init__(self, nodes: Sequence[Expr]) -> None:
        self.conditions: list[tuple[str, Any]] = []
        self._named: dict[str, int] = {}
        self._taken: set[str] = set()
        self._divisions: dict[tuple[int, int], tuple[Any, Any]] = {}
        self._kept: list[Any] = []

    def number(self, value: int) -> Any:
        """A constant."""
        raise NotImplementedError

    def fresh(self, name: str) -> Any:
        """A new unknown with a name that no other has, and that no solver reads as a word of SMT-LIB."""
        name = re.sub(r"[^\w.'/-]", "_", f"{name}." if WORDS.fullmatch(name) else name, flags=re.ASCII)
        n = self._named.get(name, 0)
        while (new := f"{name}.{n}" if n else name) in self._taken:
            n += 1
        self._named[name] = n + 1
        self._taken.add(new)
        return self.unknown(new)

    def unknown(self, name: str) -> Any:
        """An unknown of this arithmetic's sort."""
        raise NotImplementedError

    def table(self) -> Mapping[str, Callable[..., Any]]:
        """The reading: each operation in this arithmetic; truth values are z3's until arithmetic takes them."""
        arithmetic = {name: self._of_numbers(operation) for name, operation in self.arithmetic().items()}
        return {**_LOGIC, **arithmetic, "eq": self._equal, "select": self._select, "const": self.number,
                "lookup": lambda table, index: self.lookup(table, self.as_number(index))}  # fmt: skip

    def arithmetic(self) -> Mapping[str, Callable[..., Any]]:
        """The operations on numbers."""
        raise NotImplementedError

    def as_number(self, reading: Any) -> Any:
        """A number; of a truth value, 1 or 0."""
        return z3.If(reading, self.number(1), self.number(0)) if z3.is_bool(reading) else reading

    def _of_numbers(self, operation: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *xs: operation(*map(self.as_number, xs))

    def _alike(self, a: Any, b: Any) -> tuple[Any, Any]:
        """Both as truth values where they are, else as numbers."""
        return (a, b) if z3.is_bool(a) and z3.is_bool(b) else (self.as_number(a), self.as_number(b))

    def _equal(self, a: Any, b: Any) -> Any:
        one, other = self._alike(a, b)
        return one == other

    def _select(self, condition: Any, a: Any, b: Any) -> Any:
        return z3.If(as_truth(condition), *self._alike(a, b))

    def lookup(self, table: Sequence[int], index: Any) -> Any:
        """table[index], as nested choices."""
        last = len(table) - 1
        return reduce(
            lambda rest, i: z3.If(index == i, self.number(table[i]), rest), range(last), self.number(table[last])
        )

    def copy(self, over: Sequence[Expr], known: Mapping[Expr, Any], suffix: str) -> dict[Expr, Any]:
        """Unknowns for variables (limits asserted), the extents' own variables among `known` or `over`."""
        leaves = dict(known)
        for v in over:
            s, unit = v.value, self.fresh(v.value.name + suffix)
            # A multiple of m is m·q from the start: what divides it then cancels, and needs no search.
            x = unit * self.number(s.multiple_of) if s.multiple_of > 1 else unit
            leaves[v] = x
            limits = [] if s.lo == -math.inf else [self.le(self.number(int(s.lo) // s.multiple_of), unit)]
            if s.extent is not None:
                limits.append(self.lt(x, self.as_number(self.read([s.extent], leaves)[0])))
            elif s.hi != math.inf:
                limits.append(self.le(unit, self.number(int(s.hi) // s.multiple_of)))
            if s.power_of_two:
                if s.hi == math.inf:
                    raise NotExpressible(f"{v} is a power of two without a maximum")
                powers = [1 << k for k in range(int(s.hi).bit_length()) if s.lo <= 1 << k <= s.hi]
                limits.append(z3.Or([x == self.number(p) for p in powers]))
            if limits:
                self.conditions.append((f"range-{unit.decl().name()}", z3.And(limits)))
        return leaves

    def read(self, roots: Sequence[Expr], leaves: Mapping[Expr, Any]) -> list[Any]:
        """The roots in this arithmetic."""
        seen: dict[Expr, Any] = dict(leaves)
        table = self.table()
        for node in postorder(*roots):
            if node in seen:
                continue
            args = [seen[a] for a in node.args]
            if node.op in ("div", "mod"):
                x, d = map(self.as_number, args)
                seen[node] = self.division(node, x, d, leaves)
            else:
                seen[node] = table[node.op](*((node.value, *args) if node.op in ("const", "lookup") else args))
        return [seen[root] for root in roots]

    def division(self, node: Expr, x: Any, d: Any, leaves: Mapping[Expr, Any]) -> Any:
        """A quotient or a remainder of x by d ≥ 1."""
        raise NotImplementedError

    def le(self, a: Any, b: Any) -> Any:
        """a ≤ b."""
        return a <= b

    def lt(self, a: Any, b: Any) -> Any:
        """a < b."""
        return a < b


class Integers(Encoding):
    """Unbounded integers.

    Where the normal form of x div d has no division left, E, an instance of |k·d| ≥ d for k ≠ 0 (and 0·d = 0) is
    added, for the k that is the quotient's distance from E: a truth of the integers, which solvers do not find by
    themselves among products.
    """

    def __init__(self, nodes: Sequence[Expr]) -> None:
        super().__init__(nodes)
        self._symbolic = any(node.op == "var" and node.value.extent is not None for node in nodes)
        for node in nodes:
            if node.op in BITWISE:
                raise NotExpressible(f"{node} is bitwise; use bit-vectors")

    def number(self, value: int) -> Any:
        return z3.IntVal(value)

    def unknown(self, name: str) -> Any:
        return z3.Int(name)

    def divide(self, x: Any, d: Any) -> tuple[Any, Any]:
        """The one quotient and remainder of x by d ≥ 1."""
        key = (x.get_id(), d.get_id())
        if key not in self._divisions:
            q, r = self.fresh("quotient"), self.fresh("remainder")
            self._kept += [x, d]  # z3 gives the ids of dead terms to new ones
            self._divisions[key] = q, r
            self.conditions.append((f"division-{q.decl().name()}", z3.And(x == q * d + r, r >= 0, r < d)))
        return self._divisions[key]

    def division(self, node: Expr, x: Any, d: Any, leaves: Mapping[Expr, Any]) -> Any:
        known = len(self._divisions)
        both = _multiple_over(node, x) or self.divide(x, d)
        if len(self._divisions) > known and self._symbolic:
            self._distance(both[0], d, div(*node.args), leaves)
        return both[0 if node.op == "div" else 1]

    def _distance(self, quotient: Any, d: Any, node: Expr, leaves: Mapping[Expr, Any]) -> None:
        """A quotient that is not the plain one is at least one divisor away from it."""
        plain = simplify(node)
        if plain is node or plain.op == "div":
            return
        k = quotient - self._without_lemmas(plain, leaves)
        signs = z3.Or(k < 1, k * d >= d), z3.Or(k > -1, k * d <= -d), z3.Or(k != 0, k * d == 0)
        self.conditions.append((f"lemma-{quotient}", z3.And(signs)))

    def _without_lemmas(self, e: Expr, leaves: Mapping[Expr, Any]) -> Any:
        symbolic, self._symbolic = self._symbolic, False
        reading = self.as_number(self.read([e], leaves)[0])
        self._symbolic = symbolic
        return reading

    def bounds(self, goal: Expr, leaves: Mapping[Expr, Any]) -> None:
        """For each bound a ≤ b of the goal, (n − 1 − v)·f ≥ 0 for each v < n and the f that it is multiplied by there.

        The instances are those that the normal form's own test of b − a ≥ 0 rests on; each is true where f ≥ 0.
        """
        for part in conjuncts(goal) if self._symbolic else ():
            if part.op not in ("lt", "le"):
                continue
            rest = normal(part.args[1] - part.args[0])
            for v in [a for a in rest.atoms() if a.op == "var" and a.lo == 0]:
                parts, length = rest.linear_in(v), count(v)
                if parts is None or length is None or parts[1].constant is not None:
                    continue
                top = normal(length - 1)
                f = self._without_lemmas((-parts[1]).expr(), leaves)
                room = self._without_lemmas(top.expr(), leaves) - leaves[v]
                self.conditions.append((f"lemma-{part.op}-{len(self.conditions)}", z3.Or(f < 0, room * f >= 0)))
                rest = parts[0] + parts[1] * top

    def arithmetic(self) -> Mapping[str, Callable[..., Any]]:
        return {
            "add": lambda *xs: z3.Sum(*xs),
            "mul": lambda a, b: a * b,
            "lt": self.lt,
            "le": self.le,
        }


class AnyFunction(Integers):
    """The integers, with any function that keeps a bitwise operation's limits in its place: what holds for all of them
    holds for that one.
    """

    def __init__(self, nodes: Sequence[Expr]) -> None:
        super().__init__([node for node in nodes if node.op not in BITWISE])

    def arithmetic(self) -> Mapping[str, Callable[..., Any]]:
        return {**super().arithmetic(), **{name: self._any(name) for name in BITWISE}}

    def _any(self, name: str) -> Callable[..., Any]:
        function = z3.Function(f"any-{name}", z3.IntSort(), z3.IntSort(), z3.IntSort())

        def value(one: Any, other: Any) -> Any:
            result = self.fresh("bits")
            most = [result <= one, result <= other] if name == "and" else [result <= one + other]
            limits = z3.Implies(z3.And(one >= 0, other >= 0), z3.And(result >= 0, *most))
            self.conditions.append((f"value-{result}", z3.And(result == function(one, other), limits)))
            return result

        return value


class BitVectors(Encoding):
    """Signed bit-vectors wide enough for every value of every node, and for the biased dividends of floor division."""

    def __init__(self, nodes: Sequence[Expr]) -> None:
        super().__init__(nodes)
        reach = 1
        for node in nodes:
            if node.lo == -math.inf or node.hi == math.inf:
                raise NotExpressible(f"{node} has no limit; bit-vectors need one")
            reach = max(reach, int(abs(node.lo)), int(abs(node.hi)))
            if node.op in ("div", "mod"):
                x, d = node.args
                if x.lo < 0 and d.op != "const":
                    raise NotExpressible(f"{node}: a negative dividend by a divisor that is not constant")
                reach = max(reach, int(x.hi) + _bias(x, d), int(d.hi))
            if node.op == "mul":  # corners are in the ranges; partial sums of a sum are not
                reach = max(reach, *(int(abs(a.lo)) + int(abs(a.hi)) for a in node.args))
            if node.op == "add":
                reach = max(reach, int(sum(max(abs(a.lo), abs(a.hi)) for a in node.args)))
            if node.op == "var":
                reach = max(reach, int(node.hi) + 1)
            if node.op == "lookup":
                reach = max(reach, len(node.value))
        self.width = reach.bit_length() + 1
        if self.width > 128:
            raise NotExpressible(f"{self.width} bits are too many")

    def number(self, value: int) -> Any:
        return z3.BitVecVal(value, self.width)

    def unknown(self, name: str) -> Any:
        return z3.BitVec(name, self.width)

    def division(self, node: Expr, x: Any, d: Any, leaves: Mapping[Expr, Any]) -> Any:
        if node.args[1].op == "const":
            n = node.args[1].value
            if n & (n - 1) == 0:  # arithmetic shift and mask are floor division and remainder for negatives too
                return x >> (n.bit_length() - 1) if node.op == "div" else x & (n - 1)
        bias = _bias(*node.args)
        shifted = x + bias if bias else x
        if node.op == "mod":
            return z3.URem(shifted, d)
        quotient = z3.UDiv(shifted, d)
        return quotient - bias // node.args[1].value if bias else quotient

    def arithmetic(self) -> Mapping[str, Callable[..., Any]]:
        return {
            "add": lambda *xs: reduce(lambda a, b: a + b, xs),
            "mul": lambda a, b: a * b,
            "xor": lambda a, b: a ^ b,
            "and": lambda a, b: a & b,
            "lt": self.lt,
            "le": self.le,
        }


ENCODINGS: Mapping[str, type[Encoding]] = {
    "integers": Integers, "bit-vectors": BitVectors, "any function": AnyFunction
}  # fmt: skip
"""The arithmetics that a solver may be asked in, by name."""


def _bias(x: Expr, d: Expr) -> int:
    """A multiple of a constant divisor that makes the dividend ≥ 0; 0 where it already is."""
    return 0 if x.lo >= 0 else -(int(x.lo) // int(d)) * int(d)


def as_truth(reading: Any) -> Any:
    """A truth value; of a number, whether it is not 0."""
    return reading if z3.is_bool(reading) else reading != 0


def _logical(operation: Callable[..., Any]) -> Callable[..., Any]:
    """An operation on truth values, of anything."""
    return lambda *xs: operation(*map(as_truth, xs))


_LOGIC: Mapping[str, Callable[..., Any]] = {"all": _logical(z3.And), "any": _logical(z3.Or), "not": _logical(z3.Not)}


def _multiple_over(node: Expr, x: Any) -> tuple[Any, Any] | None:
    """The quotient and remainder of a size that is m·q, by a divisor of m; None where it is none."""
    size, d = node.args
    m = size.value.multiple_of if size.op == "var" else 1
    if m == 1 or d.op != "const" or m % d.value or not z3.is_mul(x):
        return None
    return x.arg(0) * (m // d.value), z3.IntVal(0)
