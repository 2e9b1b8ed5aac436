"""Whether two terms are one: the same operations on the same values, in the same order.

    got    fma(x[4](4·i), 2, y[4](0))        wanted    x[4](4·i')·2 + y[4](0),   where i = i' in all cases given

| two terms are one where | because |
|---|---|
| they are one integer, once functions that are one have one name | functions are equal on equal arguments |
| both are of one function, their arguments one by one the same | the same; of `add`, `mul` … also exchanged |
| both lie in one tensor, at offsets that the prover shows equal | memory before the launch is one |
| a choice: in each of its cases | every case is one of them |
| one is `fma(a, b, c)`, the other `a·b + c` | contraction: allowed to compilers (HIP's default), and noted |

What it cannot represent: other orders of a sum.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from layoutalg.audit.meaning.places import Decide
from layoutalg.audit.meaning.terms import FLOAT_BITS, is_memory, leaves, negative, without_sign
from layoutalg.audit.meaning.wanted import MACHINE
from layoutalg.index import FALSE, ZERO, Expr, all_of, eq, mod, negation, postorder, rebuild, simplify, substitute
from layoutalg.index.conditions import implies, restricted
from layoutalg.isa.semantics.values import width
from layoutalg.records import dataclass
from layoutalg.symex.values.modular import same_word
from layoutalg.symex.values.uninterpreted import COMMUTE
from layoutalg.symex.values.unknowns import call_of

#: Functions whose operands are all of the type that their name ends with, and in as many bits.
OF_ONE_TYPE = frozenset({*MACHINE.values(), "f32_of", "f64_of", "i32_of", "u32_of", "lt", "le", "eq", "lg", "u"})

#: Cases within each other, and comparisons of two functions, at most: above it is not shown.
DEEPEST, MOST = 32, 2000


@dataclass
class Agreement:
    """Compares terms; what it took two for one by is in `contracted`."""

    decide: Decide
    contracted: bool = False
    _left: int = MOST
    _known: dict[tuple[Expr, Expr, Expr], bool] = field(default_factory=dict)
    _alike_where: dict[tuple[Expr, Expr], list[Expr]] = field(default_factory=dict)

    def same(self, got: Expr, wanted: Expr, bits: int, given: Expr, depth: int = 0) -> bool:
        """Whether two integers are one modulo 2 to so many bits, in all cases that are given."""
        got, wanted = (simplify(restricted(simplify(e), given)) for e in (got, wanted))
        if got is wanted or same_word(got, wanted, bits):
            return True
        got = self._named(got, leaves(*_conditions(got)), leaves(*_conditions(wanted)), given)
        condition = next(_conditions(got, wanted), None)
        if condition is not None:
            return depth < DEEPEST and self._in_both(got, wanted, bits, given, condition, depth)
        others = leaves(wanted)
        renamed = self._named(got, leaves(got), others, given)
        if renamed is wanted or same_word(renamed, wanted, bits):
            return True
        plain = set(leaves(renamed)) <= {*others, *leaves(given)}
        return plain and self.decide(eq(mod(renamed - wanted, 1 << bits), 0), given)

    def _named(self, got: Expr, own: Sequence[Expr], others: Sequence[Expr], given: Expr) -> Expr:
        """A term with the names that the other one has for results that are one."""
        alike = ((v, next((u for u in others if self._alike(v, u, given)), None)) for v in own)
        return simplify(substitute(got, {v: u for v, u in alike if u is not None}))

    def _in_both(self, got: Expr, wanted: Expr, bits: int, given: Expr, condition: Expr, depth: int) -> bool:
        """In the case where a choice's condition holds, and in the other."""
        for case, truth in ((condition, True), (negation(condition), False)):
            where = all_of(given, case)
            if where is FALSE or implies(given, negation(case)) or self.decide(negation(case), given):
                continue
            one, other = (_taken(e, condition, truth) for e in (got, wanted))
            if not self.same(one, other, bits, where, depth + 1):
                return False
        return True

    def _alike(self, v: Expr, u: Expr, given: Expr) -> bool:
        """Whether two results of functions are one."""
        if v is u:
            return True
        (name, _), (other, _) = call_of(v), call_of(u)
        if name != other and not name.startswith("fma_"):
            return False
        cases = self._alike_where.setdefault((v, u), [])
        if any(implies(given, case) for case in cases):
            return True
        key = v, u, given
        if key not in self._known:
            self._left -= 1
            self._known[key] = False  # until it is seen; also where the count is used up
            self._known[key] = self._left > 0 and self._compared(v, u, given)
            cases += [given] if self._known[key] else []
        return self._known[key]

    def _compared(self, v: Expr, u: Expr, given: Expr) -> bool:
        (name, mine), (other, theirs) = call_of(v), call_of(u)
        if name == other and is_memory(name):
            difference = simplify(mine[0] - theirs[0])
            return difference is ZERO or (difference.op != "const" and self.decide(eq(mine[0], theirs[0]), given))
        operation, _, dtype = name.rpartition("_")
        bits = (
            FLOAT_BITS[dtype] if dtype in FLOAT_BITS and operation in OF_ONE_TYPE else max(width(name), _widest(name))
        )
        if name == other and operation == "fma":
            return self._products(mine, theirs, bits, given) and self.same(mine[2], theirs[2], bits, given)
        if name == other:
            return self._pairwise(mine, theirs, bits, given) or (
                name in COMMUTE and self._pairwise(mine, (theirs[1], theirs[0], *theirs[2:]), bits, given)
            )
        return operation == "fma" and other == f"add_{dtype}" and self._fused(mine, theirs, dtype, given)

    def _pairwise(self, mine: Sequence[Expr], theirs: Sequence[Expr], bits: int, given: Expr) -> bool:
        return len(mine) == len(theirs) and all(self.same(a, b, bits, given) for a, b in zip(mine, theirs, strict=True))

    def _products(self, mine: Sequence[Expr], theirs: Sequence[Expr], bits: int, given: Expr) -> bool:
        """Whether two pairs of factors have one product, before it is rounded."""
        a, b = ([without_sign(e, bits) for e in pair[:2]] for pair in (mine, theirs))
        signs = [one[0] != other[0] for one, other in (a, b)]
        if signs[0] != signs[1]:
            return False
        factors = [[e for _, e in pair] for pair in (a, b)]
        return self._pairwise(factors[0], factors[1], bits, given) or self._pairwise(
            factors[0], factors[1][::-1], bits, given
        )

    def _fused(self, mine: Sequence[Expr], theirs: Sequence[Expr], dtype: str, given: Expr) -> bool:
        """Whether a fused product and sum is a sum of which one part is a product."""
        bits = FLOAT_BITS[dtype]
        for product, addend in (theirs, theirs[::-1]):
            turned, magnitude = without_sign(product, bits)
            name, factors = call_of(magnitude)
            if name == f"mul_{dtype}":
                signed = (factors[0] if not turned else negative(factors[0], bits), factors[1])
                if self._products(mine, signed, bits, given) and self.same(mine[2], addend, bits, given):
                    self.contracted = True
                    return True
        return False


def _widest(name: str) -> int:
    """Bits of a function's operands at most."""
    return 64 if "64" in name else 32


def _conditions(*terms: Expr) -> Iterator[Expr]:
    """The conditions of choices in terms, those first that hold no other."""
    for node in postorder(*terms):
        if node.op == "select":
            yield node.args[0]


def _taken(e: Expr, condition: Expr, truth: bool) -> Expr:
    """A term where the choices by a condition are made."""
    new: dict[Expr, Expr] = {}
    for node in postorder(e):
        args = [new[a] for a in node.args]
        if node.op == "select" and node.args[0] is condition:
            new[node] = args[1] if truth else args[2]
        else:
            new[node] = rebuild(node, args) if args else node
    return new[e]
