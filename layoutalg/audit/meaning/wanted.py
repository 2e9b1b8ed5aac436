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
may be those of `sqrt`, `exp2` and `log2`, whose instructions round worse than a language's functions: two readings.
Raises `NotReadable` where nothing says what does it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from layoutalg.audit.meaning.expansions import Expansions
from layoutalg.audit.meaning.terms import FLOAT_BITS, Terms, negative
from layoutalg.formats.equation import (
    BOOL,
    FLOATS,
    SIGNED,
    Contents,
    EquationTerm,
    IndexTerm,
    Literal,
    Operation,
    Passed,
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
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.values.word import NotReadable, Word
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


@dataclass(frozen=True)
class WantedPlace:
    """A tensor as an equation indexes it: the offset of an element in bytes from the first, and which there are."""

    name: str
    element: int  # bytes
    index: tuple[Expr, ...]
    lengths: tuple[Expr, ...]
    offset: Expr  # bytes, of `index`
    valid: Expr

    @property
    def unit(self) -> int:
        """Bytes of the parts in which elements are moved."""
        return min(self.element, 4)

    def at(self, index: tuple[Expr, ...]) -> Expr:
        """The offset of an element in bytes."""
        return simplify(substitute(self.offset, dict(zip(self.index, index, strict=True))))

    def has(self, index: tuple[Expr, ...]) -> Expr:
        """Whether there is an element at an index."""
        inside = [all_of(one >= 0, one < length) for one, length in zip(index, self.lengths, strict=True)]
        return all_of(*inside, substitute(self.valid, dict(zip(self.index, index, strict=True))))


@dataclass
class Wanted:
    """The terms of one equation, in the variables of a thread that stores the element at an index."""

    terms: Terms
    places: Mapping[str, WantedPlace]
    passed: Mapping[str, Expr]
    values: IndexValues
    expansions: Expansions | None = None  # of functions that are several instructions
    single: bool = True  # a function that is one instruction is that, and not what a compiler makes of it
    asked: list[tuple[Expr, Expr]] = field(default_factory=list)  # (where, goal): what the equation takes for granted
    expanded: dict[str, None] = field(default_factory=dict)  # what is taken for granted of functions
    reduced: Callable[[Reduction, Mapping[Expr, Expr]], Expr] | None = None  # the unknown that a sum is

    def term(self, term: EquationTerm, at: Mapping[Expr, Expr], where: Expr = TRUE) -> Expr:
        """The term modulo 2ⁿ; of a truth, the condition.  `where` is what holds when it matters."""
        match term:
            case IndexTerm():
                return simplify(substitute(term.expr, dict(at)))
            case Literal():
                return as_expr(_bits(term.value, term.dtype))
            case Passed():
                return self.passed[term.name]
            case Contents():
                return self._contents(term, at, where)
            case Operation():
                return self._operation(term, at, where)
            case Reduction():
                if self.reduced is None:
                    raise NotReadable(f"a sum or product over {term.index} is shown over the reals only")
                return self.reduced(term, at)

    def _contents(self, term: Contents, at: Mapping[Expr, Expr], where: Expr) -> Expr:
        place = self.places[term.tensor]
        index = tuple(self._integer(one, at, where) for one in term.subscripts)
        self.asked.append((where, place.has(index)))
        offset, unit = place.at(index), place.unit
        parts = (self.terms.contents(term.tensor, unit, offset + k) * (1 << 8 * k)
                 for k in range(0, place.element, unit))  # fmt: skip
        return simplify(sum(parts, start=ZERO))

    def _integer(self, term: EquationTerm, at: Mapping[Expr, Expr], where: Expr) -> Expr:
        """The integer itself."""
        found = self.term(term, at, where)
        return found if isinstance(term, IndexTerm) else self._exact(found, term.dtype)

    def _exact(self, e: Expr, dtype: str) -> Expr:
        """The integer of a type that is this one modulo 2ⁿ."""
        size = 1 << DTYPES[dtype].bits
        low = -(size >> 1) if dtype in SIGNED else 0
        return e if low <= e.lo and e.hi < low + size else simplify(mod(e - low, size) + low)

    def _operation(self, term: Operation, at: Mapping[Expr, Expr], where: Expr) -> Expr:
        if term.name == "where":
            condition = self.term(term.operands[0], at, where)
            ways = ((term.operands[1], condition), (term.operands[2], negation(condition)))
            return select(condition, *(self.term(way, at, all_of(where, holds)) for way, holds in ways))
        operands = [self.term(one, at, where) for one in term.operands]
        given = term.operands[0].dtype
        if term.name == "convert":
            return self._converted(operands[0], given, term.dtype)
        if term.name == "bits":
            return operands[0]
        if given == BOOL:
            return self._condition(term.name, operands)
        if given in FLOATS:
            return self._of_floats(term.name, given, operands)
        return self._of_integers(term, operands)

    def _condition(self, name: str, operands: list[Expr]) -> Expr:
        if name not in _CONDITIONS:
            a, b = operands
            return any_of(all_of(a, negation(b)), all_of(negation(a), b))
        return _CONDITIONS[name](*operands)

    def _of_floats(self, name: str, dtype: str, operands: list[Expr]) -> Expr:
        if name in _ORDERS:
            return self.terms.relation(f"{name}_{dtype}", *operands)
        if name == "neg":
            return negative(operands[0], FLOAT_BITS[dtype])
        if name == "abs":
            return mod(operands[0], 1 << FLOAT_BITS[dtype] - 1)
        instruction = name in MACHINE and (name not in APPROXIMATE or dtype in ERRORS)
        if self.expansions is not None and self.expansions.has(name, dtype) and not (self.single and instruction):
            self.expanded[self.expansions.says(name, dtype)] = None
            return self.expansions.term(name, dtype, operands)
        if not instruction:
            raise NotReadable(f"{name} of {dtype} is no single instruction")
        if name in APPROXIMATE:
            self.expanded[f"{name} of {dtype} is the instruction's, {ERRORS[dtype]}"] = None
        return self.terms.apply(f"{MACHINE[name]}_{dtype}", *operands)

    def _of_integers(self, term: Operation, operands: list[Expr]) -> Expr:
        dtype = term.operands[0].dtype
        exact = [self._exact(one, dtype) for one in operands]
        if term.name in _ORDERS:
            return _ORDERS[term.name](*exact)
        match term.name, operands:
            case "add", (a, b):
                return a + b
            case "sub", (a, b):
                return a - b
            case "mul", (a, b):
                return a * b
            case "neg", (a,):
                return -a
            case "not", (a,):
                return -a - 1
            case "max", _:
                return select(exact[0] < exact[1], exact[1], exact[0])
            case "min", _:
                return select(exact[0] < exact[1], exact[0], exact[1])
            case "abs", _:
                return select(exact[0] < 0, -exact[0], exact[0])
        if term.name in ("and", "or", "xor"):
            return self.values.bitwise(term.name, *(self._word(one, dtype) for one in exact))
        if exact[1].op != "const" or not 0 <= exact[1].value < (
            DTYPES[dtype].bits if term.name in ("shl", "shr") else 1 << 64
        ):
            raise NotReadable(f"{term.name} by {exact[1]}, which is no constant of its range")
        count = int(exact[1].value)
        if term.name in ("floordiv", "mod") and count:
            return (div if term.name == "floordiv" else mod)(exact[0], count)
        if term.name in ("shl", "shr"):
            return exact[0] * (1 << count) if term.name == "shl" else div(exact[0], 1 << count)
        raise NotReadable(f"{term.name} by 0")

    def _word(self, e: Expr, dtype: str) -> Word:
        return self.values.word(e, 64 if DTYPES[dtype].bits == 64 else 32)

    def _converted(self, e: Expr, given: str, wanted: str) -> Expr:
        floats = ("bf16", *FLOATS)
        if wanted not in floats and given not in floats:
            return e if given not in DTYPES else self._exact(e, given)
        if given in ("f16", "f32", "bf16") and wanted in ("f16", "f32", "bf16"):
            return self.terms.convert(given, wanted, e)
        if {given, wanted} == {"f32", "f64"}:
            return self.terms.apply(f"{wanted}_of_{given}", e)
        if given not in floats and wanted in ("f32", "f64"):
            exact = e if given not in DTYPES else self._exact(e, given)
            for kind, low in (("u32", 0), ("i32", -(1 << 31))):
                if low <= exact.lo and exact.hi < low + (1 << 32):
                    return self.terms.apply(f"{wanted}_of_{kind}", exact)
        if given in ("f32", "f64") and wanted in ("i32", "u32"):
            return self.terms.apply(f"{wanted}_of_{given}", e)
        raise NotReadable(f"no single instruction converts {given or 'a number'} to {wanted}")


def _bits(number: float, dtype: str) -> int:
    """The bits of a number of a type."""
    if dtype not in FLOATS:
        return int(number) % (1 << DTYPES[dtype].bits)
    held = np.array([number], DTYPES[dtype].numpy)
    return int(held.view(f"u{held.itemsize}")[0])
