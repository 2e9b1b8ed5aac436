"""What comes out of a kernel, as a typed tree: an equation gives each element of a tensor as a term.

    o[i, j] = max(x[i, j] + 2.0 * y[j], 0.0)

| a node | is | its type |
|---|---|---|
| `IndexTerm` | an integer, or a truth, of indices and sizes alone | `index`, `bool` |
| `Literal` | a number, in the type of what it is beside | an element type |
| `Contents` | the element of a tensor at an index, as it is before the launch | the tensor's |
| `Passed` | a value that the launch names | what the launch says |
| `Operation` | a function of terms, of `FUNCTIONS` | its operands', `bool`, or what is converted to |
| `Reduction` | `sum`, `prod`, `max` or `min` of a term over an index | the term's |

A subscript is an integer of indices and sizes, or a term of an integer type (a gather). Arithmetic is that of its type:
a float's is rounded once in each operation, an integer's wraps; nothing is converted unasked.
`formats.equations` reads a text; what it cannot represent: a result that some elements have and others lack.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from layoutalg.index import Expr
from layoutalg.records import dataclass

#: The types of integers of indices and sizes, of truths, and of a number before it stands beside something.
INDEX, BOOL, UNTYPED = "index", "bool", ""

#: Element types that arithmetic is in; f32 of a bf16 or f8 is asked for by its name.
FLOATS, SIGNED, UNSIGNED = ("f16", "f32", "f64"), ("i8", "i16", "i32", "i64"), ("u8", "u16", "u32", "u64")
NUMBERS = (*FLOATS, *SIGNED, *UNSIGNED)

#: Functions that a text calls: how many operands, and of which types.
#: `max` and `min` of a number and a NaN are the number (IEEE 754-2008, maxNum); `fma` rounds once; `rint` ties to even.
FUNCTIONS: Mapping[str, tuple[int, tuple[str, ...]]] = {
    "max": (2, NUMBERS), "min": (2, NUMBERS), "abs": (1, (*FLOATS, *SIGNED)), "fma": (3, FLOATS),
    **dict.fromkeys(("sqrt", "floor", "ceil", "trunc", "rint"), (1, FLOATS)),
    **dict.fromkeys(("exp", "exp2", "log", "log2", "sin", "cos", "tanh", "rcp", "rsq"), (1, FLOATS)),
    **dict.fromkeys(("erf", "expm1", "log1p"), (1, FLOATS)),
}  # fmt: skip


@dataclass(frozen=True)
class IndexTerm:
    """An integer or a truth of indices and sizes."""

    expr: Expr
    dtype: str = INDEX


@dataclass(frozen=True)
class Literal:
    """A number, rounded to its type where it is none of it."""

    value: float | int
    dtype: str


@dataclass(frozen=True)
class Contents:
    """An element of a tensor, before the launch."""

    tensor: str
    subscripts: tuple[EquationTerm, ...]  # IndexTerms, and terms of integer types
    dtype: str


@dataclass(frozen=True)
class Passed:
    """A value that the launch names."""

    name: str
    dtype: str


@dataclass(frozen=True)
class Operation:
    """A function of terms.

    | names | of |
    |---|---|
    | `FUNCTIONS` | numbers |
    | `add sub mul neg`; `div` of floats; `floordiv mod` of unsigned integers | numbers |
    | `and or xor not`, `shl shr` (of signed ones with the sign) | integers; the first four of truths too |
    | `lt le eq` | two numbers; a truth |
    | `where` | a truth, and two terms of one type |
    | `convert` | a term, to `dtype`; `bits`: the same bits as that type |
    """

    name: str
    operands: tuple[EquationTerm, ...]
    dtype: str


@dataclass(frozen=True)
class Reduction:
    """A term's values over an index in 0 … length − 1, put together by `add`, `mul`, `max` or `min`."""

    name: str
    index: Expr
    length: Expr
    body: EquationTerm
    #: How a text calls each.
    NAMES: ClassVar[Mapping[str, str]] = {"sum": "add", "prod": "mul", "max": "max", "min": "min"}

    @property
    def dtype(self) -> str:
        """The type of what is put together."""
        return self.body.dtype


EquationTerm = IndexTerm | Literal | Contents | Passed | Operation | Reduction


@dataclass(frozen=True)
class Equation:
    """One element of a tensor for each index below its lengths."""

    tensor: str
    indices: tuple[Expr, ...]  # variables, each below the length of its dimension
    term: EquationTerm
    text: str

    def __str__(self) -> str:
        return self.text


def parts(term: EquationTerm) -> tuple[EquationTerm, ...]:
    """The terms that a term is made of."""
    match term:
        case Contents():
            return term.subscripts
        case Operation():
            return term.operands
        case Reduction():
            return (term.body,)
    return ()


def walk(term: EquationTerm) -> Iterator[EquationTerm]:
    """A term and all below it."""
    left = [term]
    while left:
        left += parts(one := left.pop())
        yield one
