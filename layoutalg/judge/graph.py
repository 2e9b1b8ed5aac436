"""A graph of operations on tensors as equations: each element of a result as a term of the elements of what is taken.

Lengths are texts of sizes, and so are elements: a tensor is what it says for a tuple of indices. An operation that no
equation says is refused by its name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np

from layoutalg.errors import LaunchError
from layoutalg.records import dataclass
from layoutalg.target.dtypes import DTYPES

Indices = tuple[str, ...]


@dataclass(frozen=True)
class NodeName:
    """One of a node's operands, by its name."""

    name: str


@dataclass(frozen=True)
class TensorNode:
    """An operation of a graph: its operands by the names of ATen's schema, the lengths and type of what it gives."""

    name: str
    operation: str  # aten.add.Tensor
    operands: Mapping[str, Any]
    lengths: tuple[str, ...]
    dtype: str


@dataclass(frozen=True)
class GraphTensor:
    """An element for each index, as a text."""

    lengths: tuple[str, ...]
    dtype: str
    at: Callable[[Indices], str]

    def over(self, indices: Indices) -> str:
        """The element that broadcasting puts at an index of a longer or larger shape."""
        own = indices[len(indices) - len(self.lengths) :]
        return self.at(tuple("0" if length == "1" else one for length, one in zip(self.lengths, own, strict=True)))


class UnsaidError(LaunchError):
    """What no equation says."""


@dataclass(frozen=True)
class Graph:
    """Operations; what is taken, by the kernel's tensors and values; and of which node each result is."""

    nodes: tuple[TensorNode, ...]
    taken: Mapping[str, TensorNode]
    results: Mapping[str, str]
    decided: tuple[str, ...] = ()
    """Conditions on sizes under which it is what was exported."""

    def equations(self, operations: Mapping[str, MadeElement], names: Collection[str] = ()) -> tuple[str, ...]:
        """An equation for each result; no index is called as one of `names`.

        UnsaidError where an operation is not among `operations`.

        >>> from layoutalg.judge.aten import OPERATIONS
        >>> sums = TensorNode("s", "aten.sum.dim_IntList", {"self": NodeName("x"), "dim": [1]}, ("m",), "f32")
        >>> Graph((sums,), {"a": TensorNode("x", "", {}, ("m", "n"), "f32")}, {"o": "s"}).equations(OPERATIONS)
        ('o[i0] = (sum[r0 < n] a[i0, r0])',)
        """
        made = _Graph(self, operations, names)
        found = []
        for tensor, node in self.results.items():
            one = made.tensor(node)
            indices = tuple(made.new("i") for _ in one.lengths)
            found.append(f"{tensor}[{', '.join(indices)}] = {one.at(indices)}")
        return tuple(found)

    def lengths(self, result: str) -> tuple[str, ...]:
        """The lengths of one of its results."""
        return next(one.lengths for one in (*self.nodes, *self.taken.values()) if one.name == self.results[result])


class _Graph:
    """The tensors of a graph's nodes, each made when it is asked for."""

    def __init__(self, graph: Graph, operations: Mapping[str, MadeElement], names: Collection[str]) -> None:
        self.operations = operations
        self.nodes = {one.name: one for one in graph.nodes}
        self.tensors = {
            one.name: GraphTensor(one.lengths, one.dtype, _element(name, one)) for name, one in graph.taken.items()
        }
        self.names = {*names, *graph.taken}
        self.counts: dict[str, Iterator[int]] = {}

    def new(self, prefix: str) -> str:
        """A name for an index, which nothing else has."""
        numbers = self.counts.setdefault(prefix, count())
        return next(name for name in (f"{prefix}{number}" for number in numbers) if name not in self.names)

    def tensor(self, name: str) -> GraphTensor:
        if name not in self.tensors:
            node = self.nodes.get(name)
            if node is None:
                raise UnsaidError(f"no equation says {name}, which is no tensor")
            if node.operation not in self.operations:
                raise UnsaidError(f"no equation says {node.operation or node.name}")
            at = self.operations[node.operation](NodeOperands(self, node))
            self.tensors[name] = GraphTensor(node.lengths, node.dtype, at)
        return self.tensors[name]


def _element(name: str, node: TensorNode) -> Callable[[Indices], str]:
    return lambda indices: f"{name}[{', '.join(indices)}]" if node.lengths else name


class NodeOperands:
    """A node with what its operands are."""

    def __init__(self, graph: _Graph, node: TensorNode) -> None:
        self.graph, self.node, self.new = graph, node, graph.new

    def __getitem__(self, name: str) -> Any:
        return self.node.operands.get(name)

    def tensor(self, name: str, dtype: str = "") -> GraphTensor:
        """An operand that is a tensor; a number is one without dimensions, of a type, if not of the result's."""
        found = self[name]
        if isinstance(found, NodeName):
            return self.graph.tensor(found.name)
        text = number(found, dtype or self.node.dtype)
        return GraphTensor((), dtype or self.node.dtype, lambda _: text)

    def common_type(self, names: Sequence[str]) -> str:
        """The one type of those operands that are tensors; that of floats of integers beside a float."""
        types = {self.tensor(name).dtype for name in names if isinstance(self[name], NodeName)}
        if len(types) != 1:
            raise UnsaidError(f"no equation says {self.node.operation} of {' and '.join(sorted(types))}")
        found = types.pop()
        return "f32" if not found.startswith("f") and any(isinstance(self[name], float) for name in names) else found

    def fits(self, name: str, dtype: str) -> bool:
        """Whether an operand is of a type as it is; a tensor with dimensions is taken to it whatever it is."""
        found = self[name]
        if isinstance(found, NodeName):
            one = self.graph.tensor(found.name)
            return bool(one.lengths) or one.dtype == dtype
        return isinstance(found, bool | int | float) and _held(found, dtype) == found

    def wanted(self, **values: Any) -> None:
        """Refuses other values of operands than these, where they are said."""
        for name, value in values.items():
            if self[name] not in (value, None):
                raise UnsaidError(f"no equation says {self.node.operation} with {name} = {self[name]}")

    def axes(self, name: str, rank: int) -> tuple[int, ...]:
        """Dimensions, counted from the first; all of them where none is said."""
        said = self[name]
        listed = range(rank) if said is None or said == [] else [said] if isinstance(said, int) else said
        return tuple(axis % rank for axis in listed)

    def pair(self, name: str, rank: int, usual: Any) -> list[Any]:
        """A number for each dimension that a window has."""
        said = self[name]
        listed = usual if said is None or said == [] else [said] if isinstance(said, int) else list(said)
        return listed * rank if len(listed) == 1 else listed


def number(value: Any, dtype: str) -> str:
    """A number as a term of its type; UnsaidError for what the type has not.

    >>> number(2, "f32"), number(-0.5, "f32"), number(3, "i32")
    ('2.0', '(-0.5)', '3')
    """
    if not isinstance(value, bool | int | float):
        raise UnsaidError(f"no equation says {getattr(value, 'name', value)} as a number")
    if value != value or not (dtype.startswith("f") or float(value).is_integer()) or _is_beyond(value, dtype):
        raise UnsaidError(f"no equation says {value} of {dtype}")
    text = repr(float(value)) if dtype.startswith("f") else str(int(value))
    return f"({text})" if text.startswith("-") else text


MadeElement = Callable[[NodeOperands], Callable[[Indices], str]]


def _is_beyond(value: float, dtype: str) -> bool:
    """Whether a type has nothing near a number: it is an infinity there, or a zero, or an integer out of range."""
    if dtype not in DTYPES or math.isinf(value):
        return False
    if not dtype.startswith("f"):
        limits = np.iinfo(DTYPES[dtype].numpy)
        return not limits.min <= value <= limits.max
    held = _held(value, dtype)
    return math.isinf(held) or (held == 0) != (value == 0)


def _held(value: float, dtype: str) -> float:
    """What a floating-point type has for a number."""
    with np.errstate(all="ignore"):
        return float(np.array(value, DTYPES[dtype].numpy))
