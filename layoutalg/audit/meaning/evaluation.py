"""Equations on numbers: what a tensor holds after a launch, by numpy.

Each operation is computed as the run of instructions computes it (`isa.run.floats`), so a result is the machine's to
the bit where the machine does the same operations; sums and products over an index are computed in f64 in one go, and
rounded at the end.  An element that an equation takes from outside a tensor, or from its padding, is undefined.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutalg.formats.equation import (
    FLOATS,
    Contents,
    Equation,
    EquationTerm,
    IndexTerm,
    Literal,
    Operation,
    Passed,
    Reduction,
)
from layoutalg.index import Expr, array, variables
from layoutalg.isa.run.floats import FUNCTIONS, number, word
from layoutalg.target.dtypes import DTYPES

Array = NDArray[Any]

_YES, _NO = np.asarray(True), np.asarray(False)

#: The machine's names of functions, where they are not the equation's.
MACHINE = {"rint": "rndne", "exp2": "exp", "log2": "log"}

#: In f64, rounded: functions that are several instructions.
_COMPOSED = {"exp": np.exp, "log": np.log, "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "div": np.divide}

_INTEGER = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "neg": np.negative, "floordiv": np.floor_divide,
    "mod": np.mod, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "not": np.invert,
    "shl": np.left_shift, "shr": np.right_shift, "max": np.maximum, "min": np.minimum, "abs": np.abs,
}  # fmt: skip
_TRUTHS = {"and": np.logical_and, "or": np.logical_or, "not": np.logical_not, "xor": np.logical_xor}
_ORDERS = {"lt": np.less, "le": np.less_equal, "eq": np.equal}
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
        found = _Evaluator(tensors, sizes, passed, at).term(equation.term)
    values, defined = (np.broadcast_to(one, shape) for one in (found.values, found.defined))
    return values.astype(own.elements.dtype, copy=False), defined & own.there


@dataclass
class _Evaluator:
    tensors: Mapping[str, Content]
    sizes: Mapping[str, int]
    passed: Mapping[str, Any]
    at: Mapping[Expr, Array]

    def term(self, term: EquationTerm) -> _Found:
        match term:
            case IndexTerm():
                return _Found(self.index(term.expr), _YES)
            case Literal():
                return _Found(_numpy(term.dtype).type(term.value), _YES)
            case Passed():
                return _Found(_numpy(term.dtype).type(self.passed[term.name]), _YES)
            case Contents():
                return self.contents(term)
            case Operation():
                return self.operation(term)
            case Reduction():
                return self.reduction(term)

    def index(self, expr: Expr) -> Array:
        known = {v: self.at[v] if v in self.at else np.asarray(self.sizes[v.value.name]) for v in variables(expr)}
        return np.asarray(array([expr], known)[0])

    def contents(self, term: Contents) -> _Found:
        content = self.tensors[term.tensor]
        defined: Array = _YES
        places = []
        for subscript, length in zip(term.subscripts, content.elements.shape, strict=True):
            found = self.term(subscript)
            place = found.values.astype(np.int64)
            defined = defined & found.defined & (place >= 0) & (place < length)
            places.append(np.clip(place, 0, max(length - 1, 0)))
        if not content.elements.size:
            return _Found(content.elements.dtype.type(0), _NO)
        where = tuple(places)
        return _Found(content.elements[where], defined & content.there[where])

    def operation(self, term: Operation) -> _Found:
        operands = [self.term(one) for one in term.operands]
        values = [one.values for one in operands]
        defined = operands[0].defined
        for one in operands[1:]:
            defined = defined & one.defined
        if term.name == "where":
            taken = values[0].astype(bool)
            chosen = np.where(taken, operands[1].defined, operands[2].defined) & operands[0].defined
            return _Found(np.where(taken, values[1], values[2]), chosen)
        return _Found(np.asarray(_operation(term, values)), defined)

    def reduction(self, term: Reduction) -> _Found:
        lengths = np.atleast_1d(self.index(term.length))
        steps = np.arange(max(int(lengths.max(initial=0)), 0)).reshape(-1, *(1,) * max(lengths.ndim, _rank(self.at)))
        inner = _Evaluator(self.tensors, self.sizes, self.passed, {**self.at, term.index: steps}).term(term.body)
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


def _numpy(dtype: str) -> np.dtype[Any]:
    return np.dtype(DTYPES[dtype].numpy)


def _operation(term: Operation, values: Sequence[Array]) -> Array:
    dtype = term.operands[0].dtype
    if term.name == "bits":
        return np.asarray(values[0]).view(_numpy(term.dtype))
    if term.name == "convert":
        return _converted(np.asarray(values[0]), dtype, term.dtype)
    if term.name in _ORDERS:
        return np.asarray(_ORDERS[term.name](*values))
    if dtype == "bool":
        return np.asarray(_TRUTHS[term.name](*values))
    if dtype not in FLOATS:
        return np.asarray(_INTEGER[term.name](*values)).astype(_numpy(dtype), copy=False)
    if term.name in ("neg", "abs"):
        return np.asarray((np.negative if term.name == "neg" else np.abs)(*values))
    if term.name in _COMPOSED:
        return np.asarray(_COMPOSED[term.name](*(v.astype(np.float64) for v in values))).astype(_numpy(dtype))
    words = [word(np.asarray(one, _numpy(dtype)), dtype) for one in np.broadcast_arrays(*values)]
    return number(FUNCTIONS[f"{MACHINE.get(term.name, term.name)}_{dtype}"](*words), dtype)


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
