"""What an equation means, over an algebra: one walk over its terms, which asks the algebra for each.

| algebra | a term is |
|---|---|
| `evaluation` | numbers, one for each index, by numpy |
| `wanted` | what the machine's operations make of memory, exactly |
| `sums.wanted_sum` | a sum of products over the real numbers |

`max(x[i], 0.0)` is `floating("max", "f32", [contents of x at index(i), literal(0.0)])` in each of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

from layoutalg.formats.equation import (
    BOOL,
    FLOATS,
    Contents,
    EquationTerm,
    IndexTerm,
    Literal,
    Operation,
    Passed,
    Reduction,
)
from layoutalg.index import Expr

V = TypeVar("V")
At = TypeVar("At")

ORDERS = frozenset({"lt", "le", "eq"})


class EquationAlgebra(ABC, Generic[V, At]):
    """What each term is, of what its operands are: a value `V`, of indices that `At` says."""

    def read(self, term: EquationTerm, at: At) -> V:
        """What a term is."""
        match term:
            case IndexTerm(expr):
                return self.index(expr, at)
            case Literal(value, dtype):
                return self.literal(value, dtype, at)
            case Passed(name, dtype):
                return self.passed(name, dtype)
            case Contents():
                return self.contents(term, [self.read(one, at) for one in term.subscripts], at)
            case Operation():
                return self.operation(term, at)
            case Reduction():
                return self.reduction(term, at)

    def operation(self, term: Operation, at: At) -> V:
        """What an operation is: by its name, and the type of what it is of."""
        operands, dtype = self.operands(term, at), term.operands[0].dtype
        match term.name:
            case "where":
                return self.choice(*operands)
            case "convert":
                return self.converted(operands[0], dtype, term.dtype)
            case "bits":
                return self.bits(operands[0], term.dtype)
            case name if name in ORDERS:
                return self.order(name, dtype, *operands)
            case name if dtype == BOOL:
                return self.truth(name, operands)
            case name if dtype in FLOATS:
                return self.floating(name, dtype, operands)
        return self.integer(term.name, dtype, operands)

    def operands(self, term: Operation, at: At) -> Sequence[V]:
        """What the operands are."""
        return [self.read(one, at) for one in term.operands]

    @abstractmethod
    def index(self, expr: Expr, at: At) -> V:
        """An integer or a truth of indices and sizes."""

    @abstractmethod
    def literal(self, value: float | int, dtype: str, at: At) -> V:
        """A number of a type."""

    @abstractmethod
    def passed(self, name: str, dtype: str) -> V:
        """What the launch gives."""

    @abstractmethod
    def contents(self, term: Contents, subscripts: Sequence[V], at: At) -> V:
        """An element, before the launch."""

    @abstractmethod
    def choice(self, condition: V, then: V, otherwise: V) -> V:
        """One where a truth is so, else the other."""

    @abstractmethod
    def converted(self, operand: V, given: str, wanted: str) -> V:
        """The number in another type."""

    @abstractmethod
    def bits(self, operand: V, wanted: str) -> V:
        """The same bits as another type."""

    @abstractmethod
    def order(self, name: str, dtype: str, one: V, other: V) -> V:
        """Whether one is less than the other, not more, or equal."""

    @abstractmethod
    def truth(self, name: str, operands: Sequence[V]) -> V:
        """A truth of truths."""

    @abstractmethod
    def floating(self, name: str, dtype: str, operands: Sequence[V]) -> V:
        """A function of floats, of their type."""

    @abstractmethod
    def integer(self, name: str, dtype: str, operands: Sequence[V]) -> V:
        """A function of integers, of their type."""

    @abstractmethod
    def reduction(self, term: Reduction, at: At) -> V:
        """A term's values over an index, put together."""
