"""Maps that are linear over F₂, the field of two elements: read off expressions, and solved by Gaussian elimination.

Where every length is a power of two and no sum carries, an index map is affine over F₂: shifts, masks and xor, and sums
of parts that share no bit.  It is its value at 0 and the image of each input bit, a column, written as an integer:

    f(x) = f(0) ⊕ Σ (column of each bit that is set in x)

| x in 0…7, y in 0…7         | columns of x | columns of y | kernel                       |
|----------------------------|--------------|--------------|------------------------------|
| x·8 + y                    | 8 16 32      | 1 2 4        | 0: one-to-one                |
| x·8 + (y ^ x)              | 9 18 36      | 1 2 4        | 0: one-to-one                |
| y ^ x                      | 1 2 4        | 1 2 4        | x = y: of dimension 3        |

Read bottom up: each node has the bits that it may set, its value at 0 and its columns; those are kept side by side in
one Python integer, so that a node costs one operation.  A variable whose length is no power of two is taken with all
its bits: what holds there holds for fewer values.  What it cannot represent: a carry (padding that is no power of two,
cyclic shifts), and a divisor that is no power of two.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from operator import or_, xor

from layoutalg.index.expr import Expr
from layoutalg.index.walk import postorder

Columns = tuple[int, ...]
"""The image of each input bit."""


# --- linear algebra: a vector is an integer ---------------------------------------------------------------------------


def image(columns: Sequence[int], vector: int) -> int:
    """The image of a vector: the columns of its set bits, xor-ed together.

    >>> image((9, 18, 36), 0b101)
    45
    """
    return reduce(xor, (column for bit, column in enumerate(columns) if vector >> bit & 1), 0)


def kernel(columns: Sequence[int]) -> list[int]:
    """A basis of the vectors whose image is 0.

    >>> kernel((1, 2, 3, 0)), kernel((1, 2, 4))
    ([7, 8], [])
    """
    basis: dict[int, tuple[int, int]] = {}
    found = []
    for n, column in enumerate(columns):
        combination = 1 << n
        while column:
            top = column.bit_length()
            if top not in basis:
                basis[top] = column, combination
                break
            column ^= basis[top][0]
            combination ^= basis[top][1]
        else:
            found.append(combination)
    return found


def preimages(columns: Sequence[int], vectors: Sequence[int]) -> list[int | None]:
    """A vector that each vector is the image of, None where there is none.

    Of several, the one that takes part only in columns that those before them do not span.

    >>> preimages((1, 3, 2, 4), (1, 2, 4, 8))
    [1, 3, 8, None]
    """
    basis: dict[int, tuple[int, int]] = {}

    def reduced(vector: int, combination: int) -> tuple[int, int]:
        while vector and vector.bit_length() in basis:
            other, made = basis[vector.bit_length()]
            vector, combination = vector ^ other, combination ^ made
        return vector, combination

    for n, column in enumerate(columns):
        left, combination = reduced(column, 1 << n)
        if left:
            basis[left.bit_length()] = left, combination
    found = (reduced(vector, 0) for vector in vectors)
    return [None if left else combination for left, combination in found]


def rank(vectors: Iterable[int]) -> int:
    """The dimension of what vectors span.

    >>> rank([0b011, 0b101, 0b110])
    2
    """
    pivots: list[int] = []
    for vector in vectors:
        for pivot in pivots:
            if vector ^ pivot < vector:
                vector ^= pivot
        if vector:
            pivots.append(vector)
    return len(pivots)


def independent(vectors: Iterable[int]) -> list[int]:
    """Those of the vectors that the ones before them do not span: a basis of what all span.

    >>> independent([1, 2, 3, 20])
    [1, 2, 20]
    """
    found: list[int] = []
    for vector in vectors:
        if rank([*found, vector]) > len(found):
            found.append(vector)
    return found


def span(vectors: Iterable[int]) -> set[int]:
    """Every xor of some of the vectors.

    >>> sorted(span([1, 6]))
    [0, 1, 6, 7]
    """
    found = {0}
    for vector in vectors:
        found |= {vector ^ other for other in found}
    return found


def parity_checks(basis: Sequence[int], bits: int) -> list[int]:
    """A basis of the masks whose parity is 0 on every vector of a subspace of F₂ⁿ, the simplest first.

    >>> parity_checks((1, 2, 20), 6)  # gfx942's ds_read_b128: l3, l2 xor l4, l5
    [8, 20, 32]
    """
    masks = sorted(range(1, 1 << bits), key=lambda mask: (mask.bit_count(), mask))
    return sorted(independent(m for m in masks if all((m & b).bit_count() % 2 == 0 for b in basis)))


def columns_of(values: Sequence[int]) -> Columns | None:
    """The columns of a map that is given by its values at 0, 1, 2, …, None where it is not affine.

    The number of values is a power of two.

    >>> columns_of([lane * 16 for lane in range(8)]), columns_of([lane * 3 for lane in range(8)])
    ((16, 32, 64), None)
    """
    expected, found = [values[0]], []
    while len(expected) < len(values):
        found.append(values[len(expected)] ^ values[0])
        expected += [one ^ found[-1] for one in expected]
    return tuple(found) if expected == list(values) else None


# --- expressions ------------------------------------------------------------------------------------------------------


class NotLinearError(Exception):
    """Something carries, or is no operation on bits."""


class LinearMaps:
    """Some expressions as affine maps over F₂, of the bits of `over` (all their variables, unless said).

    `bits` lists the inputs, each a variable and the number of its bit; `masks` holds the bits that each node may set.
    Raises NotLinearError where one is not affine, or depends on what is not in `over`.

    >>> from layoutalg.index import var
    >>> row, k = var("row", 8), var("k", 8)
    >>> tile = row * 128 + (k ^ row % 4) * 16
    >>> LinearMaps([tile]).columns([tile])
    [144, 288, 512, 16, 32, 64]
    """

    def __init__(self, roots: Sequence[Expr], over: Sequence[Expr] | None = None) -> None:
        nodes = postorder(*roots)
        self.over = [node for node in nodes if node.op == "var"] if over is None else over
        self.bits = [(v, n) for v in self.over for n in range(_bits_of(v))]
        self.masks: dict[Expr, int] = {}
        for node in nodes:
            rule = _MASK.get(node.op)
            if rule is None:
                raise NotLinearError(f"{node.op} is not linear in the bits")
            self.masks[node] = rule(node, [self.masks[a] for a in node.args])
        self._width = max((mask.bit_length() for mask in self.masks.values()), default=0) or 1
        self._ones = _apart(self._width, len(self.bits) + 1)
        self._packed: dict[Expr, int] = {}  # the value at 0 lowest, above it the columns
        place = {bit: n for n, bit in enumerate(self.bits, 1)}
        for node in nodes:
            self._packed[node] = self._variable(node, place) if node.op == "var" else self._of_operation(node)

    def _variable(self, node: Expr, place: Mapping[tuple[Expr, int], int]) -> int:
        if (node, 0) not in place and node.hi > 0:
            raise NotLinearError(f"{node} is fixed, but not to a number")
        return _apart(self._width + 1, _bits_of(node)) << self._width * place.get((node, 0), 0)

    def _of_operation(self, node: Expr) -> int:
        if node.op == "const":
            return self.masks[node]
        args = [self._packed[a] for a in node.args]
        if node.op in ("add", "xor"):
            return reduce(xor, args)
        if node.op == "mul":
            return reduce(xor, (args[0] << n for n in _ones_of(node.args[1])), 0)
        shifted = args[0] >> _log2(node.args[1]) if node.op == "div" else args[0]
        return shifted & self.masks[node] * self._ones

    @property
    def constants(self) -> Mapping[Expr, int]:
        """The value of each node at 0."""
        every = (1 << self._width) - 1
        return {node: packed & every for node, packed in self._packed.items()}

    def columns(self, outputs: Sequence[Expr]) -> list[int]:
        """The image of each input bit, all outputs in one number."""
        width, every = self._width, (1 << self._width) - 1
        columns = [0] * len(self.bits)
        for k, output in enumerate(outputs):
            packed = self._packed[output] >> width
            for n in range(len(self.bits)):
                columns[n] |= (packed >> width * n & every) << width * k
        return columns

    def columns_by(self, output: Expr, variable: Expr) -> Columns:
        """The images of the bits of one variable; 0 where the output does not depend on it."""
        found = dict(zip(self.bits, self.columns([output]), strict=True))
        return tuple(found.get((variable, n), 0) for n in range(_bits_of(variable)))

    def point(self, bits: int) -> dict[Expr, int]:
        """The values of the variables with some of the input bits set."""
        at = dict.fromkeys(self.over, 0)
        for n, (v, bit) in enumerate(self.bits):
            at[v] |= (bits >> n & 1) << bit
        return at

    def difference(self, one: Expr, other: Expr) -> dict[Expr, int] | None:
        """A point where two maps differ, None where they are the same."""
        apart = self._packed[one] ^ self._packed[other]
        if not apart:
            return None
        at_zero, columns = apart & (1 << self._width) - 1, apart >> self._width
        return self.point(0 if at_zero else 1 << (columns.bit_length() - 1) // self._width)


def _bits_of(v: Expr) -> int:
    if v.lo < 0 or v.hi == math.inf:
        raise NotLinearError(f"{v} has no fixed number of bits")
    return int(v.hi).bit_length()


def _apart(step: int, count: int) -> int:
    """So many bits that are set, a step from one to the next."""
    return ((1 << step * count) - 1) // ((1 << step) - 1)


def _natural(n: Expr) -> int:
    if n.op != "const" or n.value < 0:
        raise NotLinearError(f"{n} is no number of bits")
    return int(n.value)


def _log2(n: Expr) -> int:
    power = _natural(n)
    if power & (power - 1) or not power:
        raise NotLinearError(f"{n} is no power of two")
    return power.bit_length() - 1


def _ones_of(n: Expr) -> list[int]:
    """The bits that are set in a number."""
    number = _natural(n)
    return [bit for bit in range(number.bit_length()) if number >> bit & 1]


def _sum_mask(node: Expr, parts: Iterable[int]) -> int:
    bits = 0
    for part in parts:
        if bits & part:
            raise NotLinearError(f"{node} may carry")
        bits |= part
    return bits


_MASK: Mapping[str, Callable[[Expr, Sequence[int]], int]] = {
    "const": lambda e, m: _natural(e),
    "var": lambda e, m: (1 << _bits_of(e)) - 1,
    "add": _sum_mask,
    "xor": lambda e, m: reduce(or_, m),
    "mul": lambda e, m: _sum_mask(e, (m[0] << n for n in _ones_of(e.args[1]))),
    "div": lambda e, m: m[0] >> _log2(e.args[1]),
    "mod": lambda e, m: m[0] & ((1 << _log2(e.args[1])) - 1),
    "and": lambda e, m: m[0] & _natural(e.args[1]),
}
"""The bits that a node may have set; raises where the node is not linear."""
