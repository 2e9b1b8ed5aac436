"""F₂: maps that are linear in the bits of their variables, decided by Gaussian elimination in microseconds.

Where every length is a power of two and no sum carries, an index map is an affine map over the field of two elements:
shifts, masks and xor, and sums of parts that share no bit.  It is given by the images of the single bits (its columns):

| x in 0…7, y in 0…7         | columns of x | columns of y |
|----------------------------|--------------|--------------|
| x·8 + y                    | 8 16 32      | 1 2 4        |
| x·8 + (y ^ x)              | 9 18 36      | 1 2 4        |
| x·8 + (y ^ (x % 4))        | 9 18 32      | 1 2 4        |

It is injective exactly when the columns are independent; else a sum of columns that is 0 tells two points with one
image.  All columns of a node are kept side by side in one Python integer, so that each node costs one operation.
A variable whose length is no power of two is taken with all its bits: what holds there holds for fewer values.
What it cannot represent: a carry, a divisor or a length of a step that is no power of two.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from layoutalg.index import Expr, conjuncts, postorder
from layoutalg.index.normal import holds
from layoutalg.prove.obligation import ForAll, InjectiveMap, Obligation, Point
from layoutalg.prove.outcome import Fails, GaveUp, Holds, Limits, Outcome

NAME = "F₂ rank"


class _NotLinearError(Exception):
    """Something carries, or is no operation on bits."""


def f2_rank(obligation: Obligation, limits: Limits) -> Outcome:
    """Decides injectivity, equality and bounds of maps that are linear in the bits."""
    try:
        if isinstance(obligation, InjectiveMap):
            return _injective(obligation)
        return _all_hold(obligation) if isinstance(obligation, ForAll) else GaveUp(NAME, "it is no one map")
    except _NotLinearError as error:
        return GaveUp(NAME, str(error))


def rank(outputs: Sequence[Expr], over: Sequence[Expr]) -> int | None:
    """The rank of a map over F₂, None where it is not linear: with n input bits and n output bits, n is a bijection.

    >>> from layoutalg.index import var
    >>> x, y = var("x", 8), var("y", 8)
    >>> rank([x * 8 + (y ^ x)], [x, y]), rank([y ^ x], [x, y]), rank([x + y], [x, y])
    (6, 3, None)
    """
    try:
        form = _Linear(over, outputs)
    except _NotLinearError:
        return None
    return len(form.bits) - len(_kernels(form.columns(outputs)))


def _injective(obligation: InjectiveMap) -> Outcome:
    form = _Linear(obligation.over, obligation.outputs)
    kernels = _kernels(form.columns(obligation.outputs))
    if not kernels:
        return Holds(NAME)
    if obligation.shared:
        return GaveUp(NAME, "a size is not fixed")
    zero = dict.fromkeys(obligation.over, 0)
    return Fails(NAME, (zero, form.point(kernels[0])))


def _all_hold(obligation: ForAll) -> Outcome:
    parts = [part for part in conjuncts(obligation.goal) if not holds(part)]
    if any(part.op not in ("eq", "lt", "le") for part in parts):
        return GaveUp(NAME, "the goal compares no two maps")
    form = _Linear(obligation.variables, [side for part in parts for side in part.args])
    for part in parts:
        one, other = part.args
        if part.op == "eq":
            wrong = form.difference(one, other)
            if wrong is not None:
                return Fails(NAME, (wrong,))
        elif not form.below(one, other, 1 if part.op == "lt" else 0):
            return GaveUp(NAME, f"{part} is left")
    return Holds(NAME)


def _kernels(columns: Sequence[int]) -> list[int]:
    """Sets of columns (as bits) whose sum is 0, a basis of all such sets."""
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


class _Linear:
    """Some expressions as affine maps over F₂: each node's columns, its constant, and its possible bits."""

    def __init__(self, over: Sequence[Expr], roots: Sequence[Expr]) -> None:
        nodes = postorder(*roots)
        self.over = over
        self.bits = [(v, n) for v in over for n in range(_bits_of(v))]
        self.masks: dict[Expr, int] = {}
        for node in nodes:
            rule = _MASK.get(node.op)
            if rule is None:
                raise _NotLinearError(f"{node.op} is not linear in the bits")
            self.masks[node] = rule(node, [self.masks[a] for a in node.args])
        self.width = max((m.bit_length() for m in self.masks.values()), default=0) or 1
        self._ones = sum(1 << self.width * n for n in range(len(self.bits)))
        self.packed: dict[Expr, int] = {}
        self.constants: dict[Expr, int] = {}
        place = {bit: n for n, bit in enumerate(self.bits)}
        for node in nodes:
            if node.op == "var":
                if (node, 0) not in place and node.hi > 0:
                    raise _NotLinearError(f"{node} is fixed, but not to a number")
                first = place.get((node, 0), 0)
                self.packed[node] = sum(1 << (self.width * (first + n) + n) for n in range(_bits_of(node)))
                self.constants[node] = 0
            else:
                self.packed[node] = self._columns(node)
                self.constants[node] = _CONSTANT[node.op](node, [self.constants[a] for a in node.args])

    def _columns(self, node: Expr) -> int:
        args = [self.packed[a] for a in node.args]
        if node.op in ("add", "xor"):
            total = 0
            for a in args:
                total ^= a
            return total
        if node.op == "mul":
            return args[0] << _log2(node.args[1])
        if node.op == "div":
            return args[0] >> _log2(node.args[1]) & self.masks[node] * self._ones
        return args[0] & self.masks[node] * self._ones if node.op in ("mod", "and") else 0

    def columns(self, outputs: Sequence[Expr]) -> list[int]:
        """The image of each input bit, all outputs in one number."""
        width, every = self.width, (1 << self.width) - 1
        packed = [self.packed[o] for o in outputs]
        if len(packed) == 1:
            return [packed[0] >> width * n & every for n in range(len(self.bits))]
        return [sum((p >> width * n & every) << width * k for k, p in enumerate(packed)) for n in range(len(self.bits))]

    def point(self, bits: int) -> Point:
        """The values of the variables with some of their bits set."""
        at = dict.fromkeys(self.over, 0)
        for n, (v, bit) in enumerate(self.bits):
            at[v] |= (bits >> n & 1) << bit
        return at

    def difference(self, one: Expr, other: Expr) -> Point | None:
        """A point where two maps differ, None where they are the same."""
        if self.constants[one] != self.constants[other]:
            return self.point(0)
        apart = self.packed[one] ^ self.packed[other]
        return self.point(1 << (apart.bit_length() - 1) // self.width) if apart else None

    def below(self, one: Expr, other: Expr, gap: int) -> bool:
        """Whether one + gap ≤ other is certain from the bits that they may have."""
        least = other.value if other.op == "const" else 0
        return self.masks[one] + gap <= int(least)


def _bits_of(v: Expr) -> int:
    s = v.value
    if s.lo < 0 or s.hi == math.inf:
        raise _NotLinearError(f"{v} has no fixed number of bits")
    return int(s.hi).bit_length()


def _log2(n: Expr) -> int:
    if n.op != "const" or n.value < 1 or n.value & (n.value - 1):
        raise _NotLinearError(f"{n} is no power of two")
    return int(n.value).bit_length() - 1


def _constant_mask(node: Expr, args: Sequence[int]) -> int:
    if node.value < 0:
        raise _NotLinearError(f"{node} is negative")
    return int(node.value)


def _sum_mask(node: Expr, args: Sequence[int]) -> int:
    bits = 0
    for a in args:
        if bits & a:
            raise _NotLinearError(f"{node} may carry")
        bits |= a
    return bits


def _and_mask(node: Expr, args: Sequence[int]) -> int:
    if node.args[1].op != "const" or node.args[1].value < 0:
        raise _NotLinearError(f"{node} is a product of bits")
    return args[0] & args[1]


_MASK: Mapping[str, Callable[[Expr, Sequence[int]], int]] = {
    "const": _constant_mask,
    "var": lambda e, m: (1 << _bits_of(e)) - 1,
    "add": _sum_mask,
    "xor": lambda e, m: m[0] | m[1],
    "mul": lambda e, m: m[0] << _log2(e.args[1]),
    "div": lambda e, m: m[0] >> _log2(e.args[1]),
    "mod": lambda e, m: m[0] & ((1 << _log2(e.args[1])) - 1),
    "and": _and_mask,
}
"""The bits that a node may have set; raises where the node is not linear."""

_CONSTANT: Mapping[str, Callable[[Expr, Sequence[int]], Any]] = {
    "const": lambda e, c: int(e.value),
    "add": lambda e, c: sum(c),
    "xor": lambda e, c: c[0] ^ c[1],
    "mul": lambda e, c: c[0] * c[1],
    "div": lambda e, c: c[0] // c[1],
    "mod": lambda e, c: c[0] % c[1],
    "and": lambda e, c: c[0] & c[1],
}
"""The value at 0."""

__all__ = ["f2_rank", "rank"]
