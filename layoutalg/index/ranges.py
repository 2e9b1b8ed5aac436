"""Ranges: the least and the greatest value of each operation, from its arguments' ranges.

One entry an operation, each right for infinite ends too (a size without a limit).  For x in 0…9 and y in 0…3:

| node    | range  | because                                                       |
|---------|--------|---------------------------------------------------------------|
| x + y   | 0 … 12 | ends add                                                      |
| x * y   | 0 … 27 | the extremes lie at the corners                               |
| x // 4  | 0 … 2  | floor division is monotone in each argument                   |
| x % 4   | 0 … 3  | less than the divisor; exact where x stays in one multiple    |
| x ^ y   | 0 … 15 | no bit above the highest of either                            |
| x & y   | 0 … 3  | no more than either, where it is not negative                 |
| min(x, y) | 0 … 3 | no end is above the other's; so with max below; another choice is of both |

A range is a bound, not the exact set: x − x has the range −9…9 here (the normal form makes it 0).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from layoutalg.index.node import Bound, Node

BOOLEAN = frozenset({"lt", "le", "eq", "all", "any", "not"})
"""The operations whose value is a truth value (0 or 1)."""


def _times(a: Bound, b: Bound) -> Bound:
    if a == 0 or b == 0:
        return 0
    if math.inf in (abs(a), abs(b)):  # not a · b: an integer may be too large for a float
        return math.inf if (a > 0) == (b > 0) else -math.inf
    return a * b


def _total(ends: list[Bound]) -> Bound:
    """The sum of least (or of greatest) values; one infinite end decides (an integer may be too large for a float)."""
    return -math.inf if -math.inf in ends else math.inf if math.inf in ends else sum(ends)


def _over(a: Bound, n: Bound) -> Bound:
    if n == math.inf:
        return 0 if a >= 0 else (-1 if a > -math.inf else -math.inf)
    return a if abs(a) == math.inf else a // n


def _corners(node: Node, f: Callable[[Bound, Bound], Bound]) -> tuple[Bound, Bound]:
    a, b = node.args
    values = [f(x, y) for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
    return min(values), max(values)


def _mod_range(node: Node) -> tuple[Bound, Bound]:
    a, n = node.args
    if n.op == "const" and a.lo > -math.inf and a.hi < math.inf and a.lo // n.value == a.hi // n.value:
        return a.lo % n.value, a.hi % n.value
    return 0, min(n.hi - 1, a.hi) if a.lo >= 0 else n.hi - 1


def _ones(bound: Bound) -> Bound:
    """The least 2ᵏ − 1 that is no less than the magnitude of `bound`."""
    if abs(bound) == math.inf:
        return math.inf
    return (1 << int(bound if bound >= 0 else ~int(bound)).bit_length()) - 1


def _xor_range(node: Node) -> tuple[Bound, Bound]:
    a, b = node.args
    top = max(_ones(x) for x in (a.lo, a.hi, b.lo, b.hi))
    return (0 if min(a.lo, b.lo) >= 0 else -top - 1), top


def _and_range(node: Node) -> tuple[Bound, Bound]:
    a, b = node.args
    tops = [x.hi for x in (a, b) if x.lo >= 0]
    return (0, min(tops)) if tops else (-max(_ones(a.lo), _ones(b.lo)) - 1, max(_ones(a.hi), _ones(b.hi)))


def _select_range(node: Node) -> tuple[Bound, Bound]:
    condition, a, b = node.args
    if condition.op == "le" and condition.args == (a, b):
        return min(a.lo, b.lo), min(a.hi, b.hi)
    if condition.op == "le" and condition.args == (b, a):
        return max(a.lo, b.lo), max(a.hi, b.hi)
    return min(a.lo, b.lo), max(a.hi, b.hi)


RANGE: Mapping[str, Callable[[Node], tuple[Bound, Bound]]] = {
    "const": lambda e: (e.value, e.value),
    "var": lambda e: (e.value.lo, e.value.hi),
    "add": lambda e: (_total([a.lo for a in e.args]), _total([a.hi for a in e.args])),
    "mul": lambda e: _corners(e, _times),
    "div": lambda e: _corners(e, _over),
    "mod": _mod_range,
    "xor": _xor_range,
    "and": _and_range,
    "select": _select_range,
    "lookup": lambda e: (min(e.value), max(e.value)),
    **dict.fromkeys(BOOLEAN, lambda e: (0, 1)),
}
