"""What an equation wants at an index, as a term: the operations of the machine's instructions.

| in the equation | the term |
|---|---|
| an element | what lies at its offset before the launch |
| `+ - * fma max min floor …` of floats | the instruction's function (`isa.semantics.floats`) |
| `sqrt rcp rsq exp2 log2` of f16, f32 | the instruction's too, and the verdict says its error; of f64 it is none |
| arithmetic of integers | the integer, modulo 2ⁿ |
| `where`, orders, `and or not` | choices and conditions |
| conversion | the instruction's function; of integers the integer itself |

`exp`, `log`, division of floats and others are several instructions: their terms are a compiler's (`expansions`). So
may be those of `sqrt`, `rsq`, `exp2` and `log2`, whose instructions round worse than a language's functions, or take
what is not normal for zero: two readings. Raises `NotReadable` where nothing says what does it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from layoutalg.audit.meaning.algebra import EquationAlgebra
from layoutalg.audit.meaning.expansions import Expansions
from layoutalg.audit.meaning.places import WantedPlace
from layoutalg.audit.meaning.terms import FLOAT_BITS, Terms, negative
from layoutalg.formats.equation import (
    FLOATS,
    SIGNED,
    Contents,
    EquationTerm,
    IndexTerm,
    Operation,
    Reduction,
)
from layoutalg.index import (
    TRUE,
    ZERO,
    Expr,
    all_of,
    any_of,
    as_expr,
    div,
    eq,
    le,
    lt,
    mod,
    negation,
    select,
    simplify,
    substitute,
)
from layoutalg.records import dataclass
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.values.word import NotReadable
from layoutalg.target.dtypes import DTYPES

#: The machine's names of functions that one instruction does, where they are the equation's own, and where not.
_SAME = ("add", "sub", "mul", "fma", "max", "min", "sqrt", "rcp", "rsq", "floor", "ceil", "trunc")
MACHINE = {**{name: name for name in _SAME}, "rint": "rndne", "exp2": "exp", "log2": "log"}

#: Functions that an instruction does to within an error, which its manual states (`isa.semantics.transcendental`); of
#: f64 that is 2²⁹ ulp, the first step of a compiler's function and never the function.
APPROXIMATE = frozenset({"sqrt", "rcp", "rsq", "exp2", "log2"})
ERRORS = {"f16": "within 1 ulp", "f32": "within 1 ulp, denormals taken for zeros"}

_CONDITIONS: Mapping[str, Callable[..., Expr]] = {"and": all_of, "or": any_of, "not": negation}
_ORDERS: Mapping[str, Callable[[Expr, Expr], Expr]] = {"lt": lt, "le": le, "eq": eq}
#: Of integers modulo 2ⁿ, whichever integers these are.
_RINGS: Mapping[str, Callable[..., Expr]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "neg": operator.neg, "not": lambda a: -a - 1,
}  # fmt: skip


@dataclass(frozen=True)
class WantedTerm:
    """What an equation wants, the elements that it takes, and what is taken for granted of functions."""

    expr: Expr
    obligations: tuple[tuple[Expr, Expr], ...] = ()  # where, and that the element is there
    assumed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Wanted:
    """The terms of one equation, in the variables of a thread that stores the element at an index."""

    terms: Terms
    places: Mapping[str, WantedPlace]
    passed: Mapping[str, Expr]
    values: IndexValues
    expansions: Expansions | None = None  # of functions that are several instructions
    single: bool = True  # a function that is one instruction is that, and not what a compiler makes of it

    def term(
        self, term: EquationTerm, at: Mapping[Expr, Expr], reductions: Mapping[Reduction, WantedTerm] | None = None
    ) -> WantedTerm:
        """The term modulo 2ⁿ, of a truth the condition; what reductions are is given."""
        reading = _Exact(self, reductions or {})
        expr = reading.read(term, _Where(at))
        return WantedTerm(expr, tuple(reading.obligations), tuple(reading.assumed))


@dataclass(frozen=True)
class _Where:
    """What indices are, and what holds when a term matters."""

    at: Mapping[Expr, Expr]
    holds: Expr = TRUE


class _Exact(EquationAlgebra[Expr, _Where]):
    """One reading of a term, with all that it asks."""

    def __init__(self, wanted: Wanted, reductions: Mapping[Reduction, WantedTerm]) -> None:
        self.wanted, self.terms, self.reductions = wanted, wanted.terms, reductions
        self.obligations: list[tuple[Expr, Expr]] = []
        self.assumed: dict[str, None] = {}

    def index(self, expr: Expr, at: _Where) -> Expr:
        return simplify(substitute(expr, dict(at.at)))

    def literal(self, value: float | int, dtype: str, at: _Where) -> Expr:
        return as_expr(_bits(value, dtype))

    def passed(self, name: str, dtype: str) -> Expr:
        return self.wanted.passed[name]

    def contents(self, term: Contents, subscripts: Sequence[Expr], at: _Where) -> Expr:
        place = self.wanted.places[term.tensor]
        pairs = zip(term.subscripts, subscripts, strict=True)
        index = tuple(found if isinstance(one, IndexTerm) else _integer(found, one.dtype) for one, found in pairs)
        self.obligations.append((at.holds, place.has(index)))
        offset, unit = place.at(index), place.unit
        parts = (self.terms.contents(term.tensor, unit, offset + k) * (1 << 8 * k)
                 for k in range(0, place.element, unit))  # fmt: skip
        return simplify(sum(parts, start=ZERO))

    def operands(self, term: Operation, at: _Where) -> Sequence[Expr]:
        if term.name != "where":
            return super().operands(term, at)
        condition = self.read(term.operands[0], at)
        ways = zip(term.operands[1:], (condition, negation(condition)), strict=True)
        return [condition, *(self.read(way, replace(at, holds=all_of(at.holds, holds))) for way, holds in ways)]

    def choice(self, condition: Expr, then: Expr, otherwise: Expr) -> Expr:
        return select(condition, then, otherwise)

    def bits(self, operand: Expr, wanted: str) -> Expr:
        return operand

    def order(self, name: str, dtype: str, one: Expr, other: Expr) -> Expr:
        if dtype in FLOATS:
            return self.terms.relation(f"{name}_{dtype}", one, other)
        return _ORDERS[name](_integer(one, dtype), _integer(other, dtype))

    def truth(self, name: str, operands: Sequence[Expr]) -> Expr:
        if name not in _CONDITIONS:
            a, b = operands
            return any_of(all_of(a, negation(b)), all_of(negation(a), b))
        return _CONDITIONS[name](*operands)

    def floating(self, name: str, dtype: str, operands: Sequence[Expr]) -> Expr:
        if name == "neg":
            return negative(operands[0], FLOAT_BITS[dtype])
        if name == "abs":
            return mod(operands[0], 1 << FLOAT_BITS[dtype] - 1)
        instruction = name in MACHINE and (name not in APPROXIMATE or dtype in ERRORS)
        expansions = self.wanted.expansions
        if expansions is not None and expansions.has(name, dtype) and not (self.wanted.single and instruction):
            self.assumed[expansions.says(name, dtype)] = None
            return expansions.term(name, dtype, operands)
        if not instruction:
            raise NotReadable(f"{name} of {dtype} is no single instruction")
        if name in APPROXIMATE:
            self.assumed[f"{name} of {dtype} is the instruction's, {ERRORS[dtype]}"] = None
        return self.terms.apply(f"{MACHINE[name]}_{dtype}", *operands)

    def integer(self, name: str, dtype: str, operands: Sequence[Expr]) -> Expr:
        if name in _RINGS:
            return _RINGS[name](*operands)
        exact, bits = [_integer(one, dtype) for one in operands], DTYPES[dtype].bits
        match name:
            case "max":
                return select(exact[0] < exact[1], exact[1], exact[0])
            case "min":
                return select(exact[0] < exact[1], exact[0], exact[1])
            case "abs":
                return select(exact[0] < 0, -exact[0], exact[0])
            case "and" | "or" | "xor":
                values = self.wanted.values
                return values.bitwise(name, *(values.word(one, 64 if bits == 64 else 32) for one in exact))
        if exact[1].op != "const" or not 0 <= exact[1].value < (bits if name in ("shl", "shr") else 1 << 64):
            raise NotReadable(f"{name} by {exact[1]}, which is no constant of its range")
        count = int(exact[1].value)
        if name in ("floordiv", "mod") and count:
            return (div if name == "floordiv" else mod)(exact[0], count)
        if name in ("shl", "shr"):
            return exact[0] * (1 << count) if name == "shl" else div(exact[0], 1 << count)
        raise NotReadable(f"{name} by 0")

    def converted(self, operand: Expr, given: str, wanted: str) -> Expr:
        floats = ("bf16", *FLOATS)
        exact = operand if given in floats or given not in DTYPES else _integer(operand, given)
        if wanted not in floats and given not in floats:
            return exact
        if given in ("f16", "f32", "bf16") and wanted in ("f16", "f32", "bf16"):
            return self.terms.convert(given, wanted, operand)
        if {given, wanted} == {"f32", "f64"}:
            return self.terms.apply(f"{wanted}_of_{given}", operand)
        if given not in floats and wanted in ("f32", "f64"):
            for kind, low in (("u32", 0), ("i32", -(1 << 31))):
                if low <= exact.lo and exact.hi < low + (1 << 32):
                    return self.terms.apply(f"{wanted}_of_{kind}", exact)
        if given in ("f32", "f64") and wanted in ("i32", "u32"):
            return self.terms.apply(f"{wanted}_of_{given}", operand)
        raise NotReadable(f"no single instruction converts {given or 'a number'} to {wanted}")

    def reduction(self, term: Reduction, at: _Where) -> Expr:
        if term not in self.reductions:
            raise NotReadable("a sum within a sum that speaks of its index")
        found = self.reductions[term]
        self.assumed |= dict.fromkeys(found.assumed)
        return found.expr


def _integer(e: Expr, dtype: str) -> Expr:
    """The integer of a type that is this one modulo 2ⁿ."""
    size = 1 << DTYPES[dtype].bits
    low = -(size >> 1) if dtype in SIGNED else 0
    return e if low <= e.lo and e.hi < low + size else simplify(mod(e - low, size) + low)


def _bits(number: float, dtype: str) -> int:
    """The bits of a number of a type."""
    if dtype not in FLOATS:
        return int(number) % (1 << DTYPES[dtype].bits)
    held = np.array([number], DTYPES[dtype].numpy)
    return int(held.view(f"u{held.itemsize}")[0])
