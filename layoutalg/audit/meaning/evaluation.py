"""Equations on numbers: what a tensor holds after a launch, by numpy.

Each operation is computed as the run of instructions computes it (`isa.run.floats`), so a result is the machine's to
the bit where the machine does the same operations; sums and products over an index are computed in f64 in one go, and
rounded at the end.  An element that an equation takes from outside a tensor, or from its padding, is undefined.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutalg.audit.meaning.algebra import EquationAlgebra
from layoutalg.formats.equation import FLOATS, Contents, Equation, Reduction
from layoutalg.index import Expr, array, variables
from layoutalg.isa.run.floats import FUNCTIONS, number, word
from layoutalg.records import dataclass
from layoutalg.target.dtypes import DTYPES

Array = NDArray[Any]

_YES, _NO = np.asarray(True), np.asarray(False)

#: The machine's names of functions, where they are not the equation's.
MACHINE = {"rint": "rndne", "exp2": "exp", "log2": "log"}

#: In f64, rounded: functions that are several instructions.
_COMPOSED: Mapping[str, Callable[..., Any]] = {
    "exp": np.exp, "log": np.log, "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "div": np.divide,
    "expm1": np.expm1, "log1p": np.log1p, "erf": np.vectorize(math.erf, [float]),
}  # fmt: skip

_INTEGER = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "neg": np.negative, "floordiv": np.floor_divide,
    "mod": np.mod, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "not": np.invert,
    "shl": np.left_shift, "shr": np.right_shift, "max": np.maximum, "min": np.minimum, "abs": np.abs,
}  # fmt: skip
_TRUTHS = {"and": np.logical_and, "or": np.logical_or, "not": np.logical_not, "xor": np.logical_xor}
_ORDERS = {"lt": np.less, "le": np.less_equal, "eq": np.equal}
_SIGNS = {"neg": np.negative, "abs": np.abs}
_TOTALS = {"add": (np.add, 0.0), "mul": (np.multiply, 1.0), "max": (np.fmax, -np.inf), "min": (np.fmin, np.inf)}


@dataclass(frozen=True)
class Content:
    """The elements of a tensor before a launch, and which there are."""

    elements: Array
    there: Array


@dataclass(frozen=True)
class _Found:
    values: Array
    defined: Array


def evaluated(
    equation: Equation, tensors: Mapping[str, Content], sizes: Mapping[str, int], passed: Mapping[str, Any]
) -> tuple[Array, Array]:
    """The elements of the equation's tensor, and where they are defined: there, and made of what is there."""
    own = tensors[equation.tensor]
    shape = own.elements.shape
    axes: Sequence[Array] = np.indices(shape, sparse=True)
    at = dict(zip(equation.indices, axes, strict=True))
    with np.errstate(all="ignore"):
        found = _Evaluation(tensors, sizes, passed).read(equation.term, at)
    values, defined = (np.broadcast_to(one, shape) for one in (found.values, found.defined))
    return values.astype(own.elements.dtype, copy=False), defined & own.there


class _Evaluation(EquationAlgebra[_Found, Mapping[Expr, Array]]):
    """Numbers, and where they are defined."""

    def __init__(self, tensors: Mapping[str, Content], sizes: Mapping[str, int], passed: Mapping[str, Any]) -> None:
        self.tensors, self.sizes, self.given = tensors, sizes, passed

    def index(self, expr: Expr, at: Mapping[Expr, Array]) -> _Found:
        return _Found(self._index(expr, at), _YES)

    def _index(self, expr: Expr, at: Mapping[Expr, Array]) -> Array:
        known = {v: at[v] if v in at else np.asarray(self.sizes[v.value.name]) for v in variables(expr)}
        return np.asarray(array([expr], known)[0])

    def literal(self, value: float | int, dtype: str, at: Mapping[Expr, Array]) -> _Found:
        return _Found(_numpy(dtype).type(value), _YES)

    def passed(self, name: str, dtype: str) -> _Found:
        return _Found(_numpy(dtype).type(self.given[name]), _YES)

    def contents(self, term: Contents, subscripts: Sequence[_Found], at: Mapping[Expr, Array]) -> _Found:
        content = self.tensors[term.tensor]
        defined: Array = _YES
        places = []
        for subscript, length in zip(subscripts, content.elements.shape, strict=True):
            place = subscript.values.astype(np.int64)
            defined = defined & subscript.defined & (place >= 0) & (place < length)
            places.append(np.clip(place, 0, max(length - 1, 0)))
        if not content.elements.size:
            return _Found(content.elements.dtype.type(0), _NO)
        where = tuple(places)
        return _Found(content.elements[where], defined & content.there[where])

    def choice(self, condition: _Found, then: _Found, otherwise: _Found) -> _Found:
        taken = condition.values.astype(bool)
        chosen = np.where(taken, then.defined, otherwise.defined) & condition.defined
        return _Found(np.where(taken, then.values, otherwise.values), chosen)

    def converted(self, operand: _Found, given: str, wanted: str) -> _Found:
        return _Found(_converted(np.asarray(operand.values), given, wanted), operand.defined)

    def bits(self, operand: _Found, wanted: str) -> _Found:
        return _Found(np.asarray(operand.values).view(_numpy(wanted)), operand.defined)

    def order(self, name: str, dtype: str, one: _Found, other: _Found) -> _Found:
        return _of(_ORDERS[name], one, other)

    def truth(self, name: str, operands: Sequence[_Found]) -> _Found:
        return _of(_TRUTHS[name], *operands)

    def integer(self, name: str, dtype: str, operands: Sequence[_Found]) -> _Found:
        return _of(lambda *values: np.asarray(_INTEGER[name](*values)).astype(_numpy(dtype), copy=False), *operands)

    def floating(self, name: str, dtype: str, operands: Sequence[_Found]) -> _Found:
        return _of(partial(_of_floats, name, dtype), *operands)

    def reduction(self, term: Reduction, at: Mapping[Expr, Array]) -> _Found:
        lengths = np.atleast_1d(self._index(term.length, at))
        steps = np.arange(max(int(lengths.max(initial=0)), 0)).reshape(-1, *(1,) * max(lengths.ndim, _rank(at)))
        inner = self.read(term.body, {**at, term.index: steps})
        into, neutral = _TOTALS[term.name]
        happens = steps < lengths
        values, happens, defined = np.broadcast_arrays(inner.values, happens, inner.defined)
        wide = values if term.dtype not in FLOATS else values.astype(np.float64)
        if term.dtype not in FLOATS and term.name in ("max", "min"):
            ends = np.iinfo(_numpy(term.dtype))
            neutral = ends.min if term.name == "max" else ends.max
        nothing = wide.dtype.type(neutral)
        total = into.reduce(np.where(happens, wide, nothing), axis=0, initial=nothing)
        return _Found(total.astype(_numpy(term.dtype)), np.all(defined | ~happens, axis=0))


def _rank(at: Mapping[Expr, Array]) -> int:
    return max((np.ndim(one) for one in at.values()), default=0)


def _of(function: Callable[..., Array], *operands: _Found) -> _Found:
    """A function of numbers, defined where all of them are."""
    defined = reduce(np.logical_and, (one.defined for one in operands))
    return _Found(np.asarray(function(*(one.values for one in operands))), defined)


def _numpy(dtype: str) -> np.dtype[Any]:
    return np.dtype(DTYPES[dtype].numpy)


def _of_floats(name: str, dtype: str, *values: Array) -> Array:
    if name in _SIGNS:
        return np.asarray(_SIGNS[name](*values))
    if name in _COMPOSED:
        return np.asarray(_COMPOSED[name](*(v.astype(np.float64) for v in values))).astype(_numpy(dtype))
    words = [word(np.asarray(one, _numpy(dtype)), dtype) for one in np.broadcast_arrays(*values)]
    return number(FUNCTIONS[f"{MACHINE.get(name, name)}_{dtype}"](*words), dtype)


def _converted(values: Array, given: str, wanted: str) -> Array:
    """Rounded to nearest even; to an integer from a float towards zero, and cut to its range."""
    if given == "bf16":
        values, given = (values.astype(np.uint32) << 16).view(np.float32), "f32"
    if wanted == "bf16":
        narrow = values.astype(np.float32) if given == "f16" else values
        words = np.ascontiguousarray(narrow, np.float32).view(np.uint32)
        rounded = (words.astype(np.uint64) + 0x7FFF + (words >> 16 & 1)) >> 16
        return np.where(np.isnan(narrow), words >> 16 | 64, rounded).astype(np.uint16)
    numpy = _numpy(wanted)
    if given in FLOATS and wanted not in FLOATS:
        ends = np.iinfo(numpy)
        towards = np.nan_to_num(np.trunc(values.astype(np.float64)), nan=0.0, posinf=2.0**70, neginf=-(2.0**70))
        inside = (towards >= float(ends.min)) & (towards < float(ends.max) + 1)
        exact = np.where(inside, towards, 0).astype(numpy)
        return np.where(inside, exact, np.where(towards < 0, ends.min, ends.max).astype(numpy))
    return values.astype(numpy)
