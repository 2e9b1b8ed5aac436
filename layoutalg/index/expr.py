"""Integer index expressions: hash-consed nodes that know their range.

An index map is arithmetic on integers: sums, products, floor division and remainder by positive divisors, bitwise xor
and and, comparison and choice.  A node is built once (equal expressions are the same object), simplifies itself where
its range decides (`x % n` is `x` when 0 ≤ x < n), and carries that range `lo … hi`, so that most questions about bounds
are answered before anybody asks a solver.

| written           | means                                   | range, for x in 0…9          |
|-------------------|-----------------------------------------|------------------------------|
| `x * 4 + 1`       | 4x + 1                                  | 1 … 37                       |
| `x // 4`, `x % 4` | floor division, remainder (divisor ≥ 1) | 0 … 2, 0 … 3                 |
| `x ^ 5`, `x & 6`  | bitwise, two's complement               | 0 … 15, 0 … 6                |
| `x >> 1`          | x // 2                                  | 0 … 4                        |
| `x < 4`           | a truth value (`all_of`, `any_of`, `negation`) | 0 … 1                 |
| `select(c, a, b)` | a where c, else b                       | of both                      |

`a == b` is a bool: whether both are the same expression (a constant equals its integer, and hashes like it), so that
expressions are dictionary keys and `d.lengths == (3, 4)` says what it reads.  The truth value over the variables is
`eq(a, b)`; one that depends on them has no `bool`.

Division rounds down, as in Python and SMT-LIB with a positive divisor; C's truncation is the C reading's concern.
What it cannot represent: anything but integers, a divisor that may be zero or negative, and shifts by an amount that is
not a constant.
"""

from __future__ import annotations

import math
from collections import deque
from functools import lru_cache
from typing import Any, NoReturn
from weakref import WeakValueDictionary

from layoutalg.errors import InexpressibleError
from layoutalg.index.budget import CLOCK
from layoutalg.index.integers import integer
from layoutalg.index.node import Node
from layoutalg.index.ranges import BOOLEAN, RANGE
from layoutalg.index.text import show


class Expr(Node):
    """A node of an index expression; made by the functions and operators of this module, never directly.

    >>> from layoutalg.index import var
    >>> i = var("i", 8)
    >>> (i * 4 + 3) // 4 is i
    False
    >>> i % 8 is i, (i * 4 + 3).hi
    (True, 31)
    """

    __slots__ = ()
    args: tuple[Expr, ...]
    _normal: Any  # these three are computed when first asked for
    _simple: Expr | None
    _variables: tuple[Expr, ...] | None

    def __repr__(self) -> str:
        return self._repr or show(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return make_node, (self.op, self.args, self.value)

    def __bool__(self) -> bool:
        if self.op == "const":
            return bool(self.value)
        raise TypeError(
            f"the truth of {self} depends on its variables; holds(…) says whether normal form shows it for all of them,"
            " layoutalg.prove decides it, and value(…, at) gives it where they have values"
        )

    def __index__(self) -> int:
        if self.op == "const":
            return int(self.value)
        raise TypeError(f"{self} is not a constant; evaluate it at values of its variables")

    __int__ = __index__

    __eq__ = object.__eq__  # by identity, which is the structural one: a node is made once
    __hash__ = object.__hash__

    def __truediv__(self, other: object) -> NoReturn:
        raise TypeError(f"{self} / {other} need not be an integer; write // (it rounds down)")

    def __rtruediv__(self, other: object) -> NoReturn:
        raise TypeError(f"{other} / {self} need not be an integer; write // (it rounds down)")

    def __add__(self, other: Term) -> Expr:
        return add(self, other)

    __radd__ = __add__

    def __neg__(self) -> Expr:
        return mul(-1, self)

    def __sub__(self, other: Term) -> Expr:
        return add(self, mul(-1, other))

    def __rsub__(self, other: Term) -> Expr:
        return add(other, mul(-1, self))

    def __mul__(self, other: Term) -> Expr:
        return mul(self, other)

    __rmul__ = __mul__

    def __floordiv__(self, other: Term) -> Expr:
        return div(self, other)

    def __rfloordiv__(self, other: Term) -> Expr:
        return div(other, self)

    def __mod__(self, other: Term) -> Expr:
        return mod(self, other)

    def __rmod__(self, other: Term) -> Expr:
        return mod(other, self)

    def __xor__(self, other: Term) -> Expr:
        return xor(self, other)

    __rxor__ = __xor__

    def __and__(self, other: Term) -> Expr:
        return bitand(self, other)

    __rand__ = __and__

    def __lshift__(self, amount: int) -> Expr:
        return mul(self, 1 << integer(amount))

    def __rshift__(self, amount: int) -> Expr:
        return div(self, 1 << integer(amount))

    def __lt__(self, other: Term) -> Expr:
        return lt(self, other)

    def __le__(self, other: Term) -> Expr:
        return le(self, other)

    def __gt__(self, other: Term) -> Expr:
        return lt(other, self)

    def __ge__(self, other: Term) -> Expr:
        return le(other, self)


class _Constant(Expr):
    """An integer: it equals that integer, hashes and prints like it, so `d.offset((1, 2)) == 10` says what it reads.

    Only constants need this: any other expression is equal to itself alone, by identity, since a node is made once.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return bool(self.value == (other.value if isinstance(other, _Constant) else other))

    def __hash__(self) -> int:
        return hash(self.value)

    def __format__(self, spec: str) -> str:
        return format(self.value, spec)


Term = Expr | int
"""What every function here takes: an expression or an integer (`integers` says what is one)."""

#: Steps of a node, with what is computed to decide on it.
NODE = 12

_TABLE: WeakValueDictionary[tuple[Any, ...], Expr] = WeakValueDictionary()
_RECENT: deque[Expr] = deque(maxlen=1 << 14)  # these stay, with their normal forms: a proof makes most terms often


def make_node(op: str, args: tuple[Expr, ...] = (), value: Any = None) -> Expr:
    """The one node with this operation, arguments and value."""
    CLOCK.steps += NODE
    key = (op, args, value)
    found = _TABLE.get(key)
    if found is not None:
        return found
    node: Expr = object.__new__(_Constant if op == "const" else Expr)
    node.op, node.args, node.value = op, args, value
    node._normal = node._simple = node._repr = node._order = node._variables = None
    node.lo, node.hi = RANGE[op](node)
    node.depth = max([a.depth for a in args], default=0) + 1
    node.choices = max([a.choices for a in args], default=0)
    if op == "select" or (op in BOOLEAN and not node.choices):
        node.choices += 1
    _RECENT.append(node)
    return _TABLE.setdefault(key, node)


@lru_cache(maxsize=1 << 12, typed=True)  # typed: 2.0 must not find what 2 made
def const(value: int) -> Expr:
    """The integer `value` as an expression; TypeError for what is no integer."""
    return make_node("const", (), integer(value, "an integer or an index expression"))


def as_expr(term: Term) -> Expr:
    """`term` itself, or the constant it is; TypeError for what is neither an expression nor an integer.

    >>> as_expr(3) + 4
    7
    """
    return term if isinstance(term, Expr) else const(term)


ZERO, ONE = const(0), const(1)  # numbers
FALSE, TRUE = ZERO, ONE  # truth values: the same nodes, other words


def add(*terms: Term) -> Expr:
    """The sum; nested sums are flattened and constants gathered at the end.

    >>> from layoutalg.index import var
    >>> add(1, var("i", 8), 2)
    i + 3
    """
    total, parts = 0, []
    for term in terms:
        e = term if isinstance(term, Expr) else const(term)
        for part in e.args if e.op == "add" else (e,):
            if part.op == "const":
                total += part.value
            else:
                parts.append(part)
    if total or not parts:
        parts.append(const(total))
    return parts[0] if len(parts) == 1 else make_node("add", tuple(parts))


def mul(left: Term, right: Term) -> Expr:
    """The product; a constant factor stands last and multiplies into a sum's constant only through the normal form.

    >>> from layoutalg.index import var
    >>> mul(2, mul(var("i", 8), 3))
    i * 6
    """
    a, b = as_expr(left), as_expr(right)
    if a.op == "const":
        a, b = b, a
    if b.op == "const":
        if a.op == "const":
            return const(a.value * b.value)
        if b.value in (0, 1):
            return a if b.value else b
        if a.op == "mul" and a.args[1].op == "const":
            return mul(a.args[0], a.args[1].value * b.value)
    return make_node("mul", (a, b))


def div(left: Term, right: Term) -> Expr:
    """Floor division by a divisor that is provably at least 1; ValueError otherwise.

    >>> from layoutalg.index import var
    >>> div(var("i", 60), 16).hi
    3
    """
    a, n = as_expr(left), _divisor(right)
    if n is ONE or a is ZERO:
        return a
    if n.op == "const" and a.lo > -math.inf and a.hi < math.inf and a.lo // n.value == a.hi // n.value:
        return const(int(a.lo // n.value))
    return ZERO if a.lo >= 0 and a.hi < n.lo else const(-1) if a.hi < 0 and -a.lo <= n.lo else make_node("div", (a, n))


def mod(left: Term, right: Term) -> Expr:
    """The remainder in 0 … right − 1; the divisor is provably at least 1, ValueError otherwise.

    >>> from layoutalg.index import var
    >>> mod(-1, 4), mod(var("i", 4), 4)
    (3, i)
    """
    a, n = as_expr(left), _divisor(right)
    if n is ONE:
        return ZERO
    if a.op == "const" and n.op == "const":
        return const(a.value % n.value)
    return a if a.lo >= 0 and a.hi < n.lo else make_node("mod", (a, n))


def _divisor(term: Term) -> Expr:
    n = as_expr(term)
    if n.lo < 1:
        raise InexpressibleError(
            f"division by {n}, which can be {n.lo}: a divisor is at least 1 for all values of its symbols"
        )
    return n


def xor(left: Term, right: Term) -> Expr:
    """Bitwise exclusive or, of two's complement numbers of any width.

    >>> from layoutalg.index import var
    >>> i = var("i", 8)
    >>> xor(6, 3), xor(i, i), xor(i, 5)
    (5, 0, i ^ 5)
    """
    a, b = as_expr(left), as_expr(right)
    if a.op == "const" and b.op == "const":
        return const(a.value ^ b.value)
    if a is b:
        return ZERO
    if a is ZERO or b is ZERO:
        return b if a is ZERO else a
    return make_node("xor", (a, b))


def bitand(left: Term, right: Term) -> Expr:
    """Bitwise and, of two's complement numbers of any width; with a mask 2ᵏ−1 it is the remainder by 2ᵏ.

    >>> from layoutalg.index import var
    >>> i = var("i", 64)
    >>> bitand(12, 10), bitand(i, 7), bitand(i, 6)
    (8, i % 8, i & 6)
    """
    a, b = as_expr(left), as_expr(right)
    if a.op == "const":
        a, b = b, a
    if a.op == "const":
        return const(a.value & b.value)
    if b.op == "const" and b.value >= 0 and b.value & (b.value + 1) == 0:
        return mod(a, b.value + 1)
    return a if a is b else make_node("and", (a, b))


def lt(left: Term, right: Term) -> Expr:
    """left < right, as a truth value; decided at once where the ranges decide it.

    >>> from layoutalg.index import var
    >>> i = var("i", 8)
    >>> lt(i, 4), lt(i, 8), lt(i, 0)
    (i < 4, 1, 0)
    """
    a, b = as_expr(left), as_expr(right)
    if a.hi < b.lo:
        return TRUE
    return FALSE if a is b or a.lo >= b.hi else make_node("lt", (a, b))


def le(left: Term, right: Term) -> Expr:
    """left ≤ right, as a truth value; decided at once where the ranges decide it.

    >>> from layoutalg.index import var
    >>> i = var("i", 8)
    >>> le(i, 4), le(i, 7)
    (i <= 4, 1)
    """
    a, b = as_expr(left), as_expr(right)
    if a is b or a.hi <= b.lo:
        return TRUE
    return FALSE if a.lo > b.hi else make_node("le", (a, b))
