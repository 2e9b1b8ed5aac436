"""What an equation says of one element, over the reals: the addends (or the candidates of a greatest) of its term.

    c[i, j] = sum[k] f32(a[i, k]) * f32(b[k, j])   →   Σ_{k < K} a[byte of (i, k)] · b[byte of (k, j)]

Conversions between floating-point types leave a number as it is: rounding is left out, on this side as on the other.
What is no sum or product is a function of elements and sums (`functions`): its exact term, which may end in sums and
products, as what a compiler makes of a function may; those are read as such.
What it cannot represent: products over an index.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

from layoutalg.audit.ask import Open
from layoutalg.audit.meaning.algebra import EquationAlgebra
from layoutalg.audit.meaning.sums.addends import (
    Addend,
    Factor,
    Placed,
    Sum,
    Value,
    applied,
    candidate,
    combined,
    guarded,
    product,
    put_together,
    scaled,
    total,
)
from layoutalg.audit.meaning.sums.numbers import EXTREMES, FORMATS, INTEGERS, constant, number
from layoutalg.audit.meaning.sums.words import bits_of
from layoutalg.audit.meaning.terms import FLOAT_BITS, is_memory, without_sign
from layoutalg.audit.meaning.wanted import Wanted, WantedTerm
from layoutalg.formats.equation import (
    Contents,
    Equation,
    EquationTerm,
    IndexTerm,
    Operation,
    Reduction,
    walk,
)
from layoutalg.formats.model import SpecFile
from layoutalg.index import ZERO, Expr, all_of, any_of, negation, simplify, substitute, var, variables
from layoutalg.launch.symbolic import KernelLaunch
from layoutalg.records import dataclass
from layoutalg.symex.values.unknowns import Kind, call_of, dependencies, unknown_value
from layoutalg.symex.values.word import NotReadable
from layoutalg.target.dtypes import DTYPES

#: Types of which sums and products are read.
NUMBERS = (*FORMATS, *INTEGERS)


@dataclass(frozen=True)
class _At:
    """What indices are, and by what terms are put together."""

    indices: Mapping[Expr, Expr]
    how: str


def how_of(term: EquationTerm) -> str:
    """By what a part's terms are put together: `add`, or `max` or `min` where the whole is one of those."""
    while isinstance(term, Operation) and term.name == "convert":
        term = term.operands[0]
    return term.name if isinstance(term, Reduction) and term.name in EXTREMES else "add"


class WantedSum(EquationAlgebra[Value | Expr, _At]):
    """The element that an equation gives at an index, in the terms of a launch."""

    def __init__(
        self, launched: KernelLaunch, file: SpecFile, equation: Equation, index: tuple[Expr, ...], exact: Wanted
    ) -> None:
        """`exact` says the terms of the equation's functions."""
        self.launched, self.file, self.equation, self.exact = launched, file, equation, exact
        self.at = dict(zip(equation.indices, index, strict=True))
        self.how = how_of(equation.term)
        each = (one for one in walk(equation.term) if isinstance(one, Reduction))
        self.numbers = {one: n for n, one in enumerate(dict.fromkeys(each))}
        self._sums: dict[Reduction, Value] = {}

    @cached_property
    def reductions(self) -> Mapping[Reduction, WantedTerm]:
        """The unknown that each sum within the equation is, but of those that speak of another one's index."""
        indices = {one.index for one in self.numbers}
        return {
            one: WantedTerm(unknown_value(f"reduction {n}", 1 << bits_of(one.dtype), Kind.DATA))
            for one, n in self.numbers.items()
            if not _spoken(one) & (indices - _own(one))
        }

    @cached_property
    def whole(self) -> Value:
        """What the element is."""
        return self._value(self.read(self.equation.term, _At(self.at, self.how)))

    def sum(self, term: Reduction) -> Value:
        """What a sum within the equation is."""
        if term not in self._sums:
            self._sums[term] = self._value(self.read(term, _At(self.at, how_of(term))))
        return self._sums[term]

    def read(self, term: EquationTerm, at: _At) -> Value | Expr:
        """What a term is; as a function of others, where it is no sum."""
        found = super().read(term, at)
        return self._function(term, at) if isinstance(found, Open) else found

    def operation(self, term: Operation, at: _At) -> Value | Expr:
        """A sum, or a candidate of a greatest; of greatests within one, all candidates."""
        if term.name == at.how != "add":
            return total(*map(self._value, self.operands(term, at)))
        found = self._value(super().operation(term, at))
        return found if at.how == "add" or term.name in ("where", "convert") else candidate(found)

    def operands(self, term: Operation, at: _At) -> Sequence[Value | Expr]:
        """What the operands are: sums, but of what leaves a greatest one."""
        same = term.name in ("where", "convert", at.how)
        return super().operands(term, at if same else replace(at, how="add"))

    def index(self, expr: Expr, at: _At) -> Expr:
        return simplify(substitute(self.file.in_own_symbols(expr), dict(at.indices)))

    def literal(self, value: float | int, dtype: str, at: _At) -> Value:
        return number(value, at.how) if dtype in NUMBERS or abs(value) == float("inf") else _none(dtype)

    def passed(self, name: str, dtype: str) -> Value:
        """The variable that a value of the launch is in the machine."""
        launch = self.file.launch
        assert launch is not None
        for argument, place in zip(launch.arguments, self.launched.kernel.metadata.visible, strict=True):
            if getattr(argument, "name", None) == name:
                given = next(one.number for one in self.launched.arguments if one.offset == place.offset)
                if given is not None:
                    return Sum((Addend(factors=(Factor("", dtype, Placed(given)),)),))
        return Open(f"{name} is in no argument of its own")

    def contents(self, term: Contents, subscripts: Sequence[Value | Expr], at: _At) -> Value:
        places = tuple(one for one in subscripts if isinstance(one, Expr))
        if len(places) < len(subscripts):
            return _none("a gather")
        described = self.file.descriptor(term.tensor).descriptor
        here = dict(zip(described.index, places, strict=True))
        offset = self.file.in_own_symbols(substitute(described.offset(described.index), here))
        first, size = self.launched.tensors[term.tensor].elements.first, self.launched.tensors[term.tensor].element
        lengths = (self.file.in_own_symbols(length) for length in described.lengths)
        valid = substitute(self.file.in_own_symbols(described.valid(described.index)), here)
        ranges = (part for i, n in zip(places, lengths, strict=True) for part in (i >= 0, i < n))
        place = Placed(simplify(simplify(offset - first) * size))
        return Sum((Addend(factors=(Factor(term.tensor, term.dtype, place, simplify(all_of(*ranges, valid))),)),))

    def choice(self, condition: Value | Expr, then: Value | Expr, otherwise: Value | Expr) -> Value:
        if not isinstance(condition, Expr):
            return _none("a choice by elements")
        yes, no = Placed(condition), Placed(negation(condition))
        return put_together(total(guarded(self._value(then), yes), guarded(self._value(otherwise), no)))

    def converted(self, operand: Value | Expr, given: str, wanted: str) -> Value:
        """Between floating-point types the number itself; of i8 too, as matrix instructions take it."""
        if {given, wanted} <= set(FORMATS):
            return self._value(operand)
        whole = (given, wanted) == ("i8", "i32") and isinstance(operand, Sum) and _is_element(operand)
        return self._value(operand) if whole else _none("convert")

    def bits(self, operand: Value | Expr, wanted: str) -> Value:
        return _none("bits")

    def order(self, name: str, dtype: str, one: Value | Expr, other: Value | Expr) -> Value:
        return _none(name)

    def truth(self, name: str, operands: Sequence[Value | Expr]) -> Value:
        return _none(name)

    def integer(self, name: str, dtype: str, operands: Sequence[Value | Expr]) -> Value:
        return self.floating(name, dtype, operands) if dtype in INTEGERS else _none(f"{name} of {dtype}")

    def floating(self, name: str, dtype: str, operands: Sequence[Value | Expr]) -> Value:
        parts = [self._value(one) for one in operands]
        match name:
            case "add":
                return total(*parts)
            case "sub":
                return total(parts[0], scaled(parts[1], Fraction(-1)))
            case "neg":
                return scaled(parts[0], Fraction(-1))
            case "mul":
                return product(*parts)
            case "div" if (exact := _inverse_of(parts[1])) is not None:
                return scaled(parts[0], exact)
            case "fma":
                return total(product(*parts[:2]), parts[2])
        return _none(name)

    def reduction(self, term: Reduction, at: _At) -> Value:
        if term.name != at.how:
            return _none(f"{term.name} over an index")
        count = self.index(term.length, at)
        if count is ZERO:
            return Sum() if at.how == "add" else Open(f"the {at.how} of no terms")
        mine = var(f"index {self.numbers[term]}", count)  # one within another is another one
        within = replace(at, indices={**at.indices, term.index: mine})
        return combined(lambda one: tuple(a.over(mine) for a in one), self._value(self.read(term.body, within)))

    @staticmethod
    def _value(found: Value | Expr) -> Value:
        return _none("an index") if isinstance(found, Expr) else found

    # Functions

    def _function(self, term: EquationTerm, at: _At) -> Value:
        """A part of the equation as factors of their own."""
        if term.dtype not in DTYPES:
            return Open(f"{term.dtype} is no number")
        try:
            exact = self.exact.term(term, at.indices, self.reductions)
        except NotReadable as error:
            return Open.by(error)
        there = all_of(*(any_of(negation(where), goal) for where, goal in exact.obligations))
        found = self._split(exact.expr, term.dtype)
        if at.how != "add":
            single = isinstance(found, Sum) and len(found.addends) == 1
            found = candidate(found) if single else self._applied(exact.expr, term.dtype)
        if isinstance(found, Open):
            return found
        if exact.obligations and not any(one.factors for one in found.addends):
            return Open("a function of elements that is a number")
        addends = tuple(
            replace(one, factors=tuple(replace(f, there=all_of(f.there, there)) for f in one.factors))
            for one in found.addends
        )
        return replace(found, addends=addends).asking((), (*exact.assumed, *self._assumed(exact.expr)))

    def _assumed(self, term: Expr) -> tuple[str, ...]:
        """What is taken for granted of the sums in a term."""
        within = dependencies(term)
        sums = (self.sum(one) for one, unknown in self.reductions.items() if unknown.expr in within)
        return tuple(text for one in sums if isinstance(one, Sum) for text in one.assumed)

    def _applied(self, term: Expr, dtype: str) -> Value:
        return Sum((Addend(factors=(applied(self.exact.terms, term, dtype),)),))

    def _split(self, term: Expr, dtype: str) -> Value:
        """A term as the sum of products that it is outside of its functions."""
        bits = bits_of(dtype)
        turned, magnitude = without_sign(term, bits) if dtype in FLOAT_BITS else (False, term)
        if term.op == "const" and dtype in FLOAT_BITS:
            return constant(int(term.value), dtype, "add")
        if turned:
            return scaled(self._split(magnitude, dtype), Fraction(-1))
        for one, unknown in self.reductions.items():
            if unknown.expr is term and how_of(one) == "add":
                return self.sum(one)
        name, arguments = call_of(term)
        operation, _, kind = name.rpartition("_")
        if is_memory(name) and int(name[1 : name.index("]")]) * 8 == bits:
            return Sum((Addend(factors=(Factor(name.partition("]")[2], dtype, Placed(arguments[0])),)),))
        if kind == dtype and operation in ("add", "mul", "fma"):
            parts = [self._split(one, dtype) for one in arguments]
            made = total(*parts) if operation == "add" else total(product(*parts[:2]), *parts[2:])
            if isinstance(made, Sum):  # and no product of two sums
                return made
        return self._applied(term, dtype)


def _none(name: str) -> Open:
    return Open(f"over the reals there is no reading of {name} here")


def _is_element(found: Sum) -> bool:
    """Whether what was read is an element of a tensor itself."""
    factors = [factor for one in found.addends for factor in one.factors]
    return len(factors) == 1 and factors[0].tensor != "" and found.addends == (Addend(factors=(factors[0],)),)


def _own(term: EquationTerm) -> set[Expr]:
    """The indices of the reductions in a term."""
    return {one.index for one in walk(term) if isinstance(one, Reduction)}


def _spoken(term: EquationTerm) -> set[Expr]:
    """The variables of indices of which a term speaks."""
    exprs = (one.expr if isinstance(one, IndexTerm) else one.length
             for one in walk(term) if isinstance(one, IndexTerm | Reduction))  # fmt: skip
    return set(variables(*exprs))


def _inverse_of(divisor: Value) -> Fraction | None:
    """One over a power of two, by which compilers multiply where a program divides; None of another divisor."""
    if not isinstance(divisor, Sum) or [one.factors for one in divisor.addends] != [()]:
        return None
    only = divisor.addends[0]
    power = all(part & (part - 1) == 0 for part in (abs(only.coefficient.numerator), only.coefficient.denominator))
    return 1 / only.coefficient if power and not only.guards and not only.bound else None
