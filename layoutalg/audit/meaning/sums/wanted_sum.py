"""What an equation says of one element, over the reals: the addends (or the candidates of a greatest) of its term.

    c[i, j] = sum[k] f32(a[i, k]) * f32(b[k, j])   →   Σ_{k < K} a[byte of (i, k)] · b[byte of (k, j)]

Conversions between floating-point types leave a number as it is: rounding is left out, on this side as on the other.
What is no sum or product is a function of elements and sums (`functions`).
What it cannot represent: products over an index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

from layoutalg.audit.meaning.sums.addends import (
    Addend,
    Addends,
    Applied,
    Factor,
    Placed,
    added,
    candidate,
    product,
    scaled,
)
from layoutalg.audit.meaning.sums.numbers import EXTREMES, FORMATS, INTEGERS
from layoutalg.formats.equation import (
    Contents,
    Equation,
    EquationTerm,
    IndexTerm,
    Literal,
    Operation,
    Passed,
    Reduction,
)
from layoutalg.formats.model import SpecFile
from layoutalg.index import ZERO, Expr, all_of, negation, simplify, substitute, var
from layoutalg.launch.symbolic import KernelLaunch
from layoutalg.prove import ForAll
from layoutalg.symex.values.word import NotReadable

#: Types of which sums and products are read.
NUMBERS = (*FORMATS, *INTEGERS)


class WantedSum:
    """The elements that an equation gives, in the terms of a launch."""

    def __init__(self, launched: KernelLaunch, file: SpecFile, equation: Equation) -> None:
        self.launched, self.file, self.equation = launched, file, equation
        self.inside: dict[Factor | Applied, Expr] = {}  # of an element: whether it is there
        self.function: Callable[[EquationTerm, Mapping[Expr, Expr], str], Addends] | None = None  # of no sum
        self._made = 0

    @property
    def how(self) -> str:
        """By what the terms are put together: `add`, or `max` or `min` where the whole is one of those."""
        return self.how_of(self.equation.term)

    @staticmethod
    def how_of(term: EquationTerm) -> str:
        """By what a part's terms are put together."""
        while isinstance(term, Operation) and term.name == "convert":
            term = term.operands[0]
        return term.name if isinstance(term, Reduction) and term.name in EXTREMES else "add"

    def there(self, addends: Addends, given: Expr) -> Iterator[ForAll]:
        """That every element of which these are made is one: of others an equation says nothing."""
        for one in addends:
            for factor in one.factors:
                if factor in self.inside:
                    known = all_of(given, one.guard)
                    yield ForAll("the equation takes elements that there are", self.inside[factor], known)

    def place(self, tensor: str, subscripts: tuple[Expr, ...]) -> Expr:
        """How many elements behind the first one an element is."""
        descriptor = self.file.descriptor(tensor).descriptor
        offset = substitute(descriptor.offset(descriptor.index), dict(zip(descriptor.index, subscripts, strict=True)))
        return simplify(self.file.in_own_symbols(offset) - self.launched.tensors[tensor].elements.first)

    def addends(self, subscripts: tuple[Expr, ...]) -> Addends:
        """What the element at these subscripts is. Raises `NotReadable` where that is no sum."""
        return self._read(self.equation.term, dict(zip(self.equation.indices, subscripts, strict=True)), self.how)

    def sum(self, term: Reduction, at: Mapping[Expr, Expr]) -> Addends:
        """What a sum within the equation is."""
        return self._read(term, at, self.how_of(term))

    def _read(self, term: EquationTerm, at: Mapping[Expr, Expr], how: str) -> Addends:
        try:
            return self._sum(term, at, how)
        except NotReadable:
            if self.function is None:
                raise
            return self.function(term, at, how)

    def _sum(self, term: EquationTerm, at: Mapping[Expr, Expr], how: str) -> Addends:
        match term:
            case Literal(value, dtype) if dtype in NUMBERS and abs(value) != float("inf"):
                return (Addend(Fraction(value)),) if value or how != "add" else ()
            case Literal(value) if abs(value) == float("inf") and (how, value < 0) in (("max", True), ("min", False)):
                return ()
            case Contents(tensor, subscripts, dtype) if all(isinstance(one, IndexTerm) for one in subscripts):
                return (self._element(tensor, tuple(self._at(one, at) for one in subscripts), dtype),)
            case Passed(name, dtype):
                return (Addend(factors=(Factor("", dtype, Placed(self._passed(name))),)),)
            case Operation("convert", (operand,)) if operand.dtype in FORMATS and term.dtype in FORMATS:
                return self._read(operand, at, how)
            case Operation("convert", (Contents(dtype="i8") as operand,)) if term.dtype == "i32":
                return self._read(operand, at, how)  # the number itself, as matrix instructions take it
            case Operation("where", (IndexTerm() as condition, then, otherwise)):
                taken = self._at(condition, at)
                one, other = self._read(then, at, how), self._read(otherwise, at, how)
                yes, no = Placed(taken), Placed(negation(taken))
                return added((*(a.where(yes) for a in one), *(a.where(no) for a in other)))
            case Reduction(name, index, length, body) if name == how:
                self._made += 1
                count = simplify(substitute(self.file.in_own_symbols(length), dict(at)))
                if count is ZERO and how == "add":
                    return ()
                if count is ZERO:
                    raise NotReadable(f"the {how} of no terms")
                mine = var(f"index {self._made}", count)
                return tuple(one.over(mine) for one in self._read(body, {**at, index: mine}, how))
            case Operation(name, operands) if name == how != "add":
                return tuple(one for operand in operands for one in self._read(operand, at, how))
            case Operation(name, operands):
                found = self._operation(name, operands, at)
                return found if how == "add" else candidate(found)
        raise NotReadable(f"over the reals there is no reading of {type(term).__name__.lower()} here")

    def _operation(self, name: str, operands: tuple[EquationTerm, ...], at: Mapping[Expr, Expr]) -> Addends:
        parts = [self._read(one, at, "add") for one in operands]
        if any(one.dtype not in NUMBERS for one in operands):
            raise NotReadable(f"{name} of {operands[0].dtype}")
        match name:
            case "add":
                return (*parts[0], *parts[1])
            case "sub":
                return (*parts[0], *scaled(parts[1], Fraction(-1)))
            case "neg":
                return scaled(parts[0], Fraction(-1))
            case "mul":
                return product(*parts)
            case "div" if (exact := _inverse_of(operands[1])) is not None:
                return scaled(parts[0], exact)
            case "fma":
                return (*product(*parts[:2]), *parts[2])
        raise NotReadable(f"over the reals there is no reading of {name} here")

    def _element(self, tensor: str, subscripts: tuple[Expr, ...], dtype: str) -> Addend:
        size = self.launched.tensors[tensor].element
        factor = Factor(tensor, dtype, Placed(simplify(self.place(tensor, subscripts) * size)))
        described = self.file.descriptor(tensor).descriptor
        lengths = (self.file.in_own_symbols(length) for length in described.lengths)
        valid = substitute(
            self.file.in_own_symbols(described.valid(described.index)),
            dict(zip(described.index, subscripts, strict=True)),
        )
        ranges = (part for i, n in zip(subscripts, lengths, strict=True) for part in (i >= 0, i < n))
        self.inside[factor] = simplify(all_of(*ranges, valid))
        return Addend(factors=(factor,))

    def _at(self, term: EquationTerm, at: Mapping[Expr, Expr]) -> Expr:
        assert isinstance(term, IndexTerm)
        return simplify(substitute(self.file.in_own_symbols(term.expr), dict(at)))

    def _passed(self, name: str) -> Expr:
        """The variable that a value of the launch is in the machine."""
        launch = self.file.launch
        assert launch is not None
        for argument, place in zip(launch.arguments, self.launched.kernel.metadata.visible, strict=True):
            if getattr(argument, "name", None) == name:
                number = next(one.number for one in self.launched.arguments if one.offset == place.offset)
                if number is not None:
                    return number
        raise NotReadable(f"{name} is in no argument of its own")


def _inverse_of(term: EquationTerm) -> Fraction | None:
    """One over a power of two, by which compilers multiply where a program divides; None of another term."""
    number = Fraction(term.value) if isinstance(term, Literal) and 0 < abs(term.value) < float("inf") else Fraction(3)
    power = all(part & (part - 1) == 0 for part in (abs(number.numerator), number.denominator))
    return 1 / number if power else None
