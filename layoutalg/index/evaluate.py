"""Two readings: exact values in Python integers, and whole tensors at once in numpy.

Both are one table of operation → function, read bottom up over shared nodes.  numpy computes in int64; a reading whose
intermediate values could leave int64 is refused, by the ranges, before anything is computed.

>>> from layoutalg.index import var
>>> i, j = var("i", 4), var("j", 8)
>>> value((j ^ i) + i * 8, {i: 3, j: 1})
26
>>> grid((j ^ i), [i, j])[1].tolist()
[1, 0, 3, 2, 5, 4, 7, 6]
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any, cast

from layoutalg.index.expr import Expr
from layoutalg.index.integers import integer, integers
from layoutalg.index.node import Bound
from layoutalg.index.ranges import RANGE
from layoutalg.index.walk import postorder, variables
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass

with lazy_imports():
    import numpy as np
    import numpy.typing as npt

INT64 = 1 << 63


def read(roots: Sequence[Expr], leaves: Mapping[Expr, Any], table: Mapping[str, Callable[..., Any]]) -> list[Any]:
    """What the roots mean in a table of operations; each shared node is computed once.

    `table` maps each operation to a function of its arguments' readings; "const" takes the integer, "lookup" the
    entries first.  KeyError names a variable that `leaves` does not give.

    >>> from layoutalg.index import var
    >>> i, j = var("i", 64), var("j", 8)
    >>> table = {"const": str, "mul": lambda a, b: f"{a} times {b}", "add": lambda a, b: f"{a} plus {b}"}
    >>> read([i * 8 + j], {i: "the row", j: "the column"}, table)
    ['the row times 8 plus the column']
    """
    if not any(root.args for root in roots):
        return [_leaf(root, leaves, table) for root in roots]
    order = postorder(*roots, stop=leaves)
    last_use: dict[Expr, Expr | None] = {argument: node for node in order for argument in node.args}
    last_use |= dict.fromkeys(roots)  # a root's reading is kept; all others go once used, for whole arrays are large
    seen: dict[Expr, Any] = {}
    for node in order:
        if not node.args or node in leaves:
            seen[node] = _leaf(node, leaves, table)
        else:
            args = [seen[a] for a in node.args]
            seen[node] = table[node.op](node.value, *args) if node.op == "lookup" else table[node.op](*args)
            del args
            for spent in {a for a in node.args if last_use[a] is node}:
                del seen[spent]
    return [seen[root] for root in roots]


def _leaf(node: Expr, leaves: Mapping[Expr, Any], table: Mapping[str, Callable[..., Any]]) -> Any:
    if node in leaves:
        return leaves[node]
    if node.op == "var":
        raise _missing(node)
    return table["const"](node.value)


def _missing(v: Expr) -> KeyError:
    return KeyError(f"no value for {v}: give one for each of its variables")


PYTHON: Mapping[str, Callable[..., int]] = {
    "const": int,
    "add": lambda *xs: sum(xs),
    "mul": operator.mul,
    "div": operator.floordiv,
    "mod": operator.mod,
    "xor": operator.xor,
    "and": operator.and_,
    "lt": lambda a, b: int(a < b),
    "le": lambda a, b: int(a <= b),
    "eq": lambda a, b: int(a == b),
    "all": lambda *xs: int(all(xs)),
    "any": lambda *xs: int(any(xs)),
    "not": lambda a: int(not a),
    "select": lambda c, a, b: a if c else b,
    "lookup": lambda table, i: int(table[i]),
}
"""The operations on Python integers: the reading that every other one is tested against."""


def value(expr: Expr, at: Mapping[Expr, int]) -> int:
    """The exact value of an expression where each variable has a value; KeyError names a missing one.

    >>> from layoutalg.index import var
    >>> i = var("i", 8)
    >>> value(i * i, {i: 5})
    25
    """
    return values([expr], at)[0]


def values(exprs: Sequence[Expr], at: Mapping[Expr, int]) -> list[int]:
    """The exact values of several expressions at one point; TypeError where a value given is no integer.

    Whether a variable can have its value is for the caller to ask (`admits`): an expression is simplified by what its
    variables can be, and elsewhere its value means nothing.

    >>> from layoutalg.index import var
    >>> i = var("i", 8)
    >>> values([i + 1, i * i], {i: 5})
    [6, 25]
    """
    seen: dict[Expr, int] = {v: integer(n) for v, n in at.items()}
    for node in postorder(*exprs, stop=at):
        if node not in seen:
            if node.op == "var":
                raise _missing(node)
            own = (node.value,) if node.op in ("const", "lookup") else ()
            seen[node] = PYTHON[node.op](*own, *[seen[a] for a in node.args])
    return [seen[e] for e in exprs]


def admits(v: Expr, at: Mapping[Expr, int]) -> bool:
    """Whether a variable can have the value that it has in `at`; of its extent, as far as `at` says what that is."""
    s, n = v.value, at[v]
    if not s.lo <= n <= s.hi or n % s.multiple_of or (s.power_of_two and (n < 1 or n & (n - 1))):
        return False
    return s.extent is None or not at.keys() >= set(variables(s.extent)) or n < read([s.extent], at, PYTHON)[0]


def limits(v: Expr) -> str:
    """What a variable can be, in words.

    >>> from layoutalg.index import symbol
    >>> limits(symbol("M", max=4096, multiple_of=8))
    '8 <= M <= 4096, a multiple of 8'
    """
    s = v.value
    more = f", a multiple of {s.multiple_of}" if s.multiple_of > 1 else ""
    more += ", a power of two" if s.power_of_two else ""
    low = "" if s.lo == -math.inf else f"{s.lo} <= "
    high = f" < {s.extent}" if s.extent is not None else "" if s.hi == math.inf else f" <= {s.hi}"
    return f"{low}{s.name}{high}{more}"


def array(exprs: Sequence[Expr], at: Mapping[Expr, Any]) -> list[npt.NDArray[np.int64]]:
    """The values of expressions where variables are int64 arrays that broadcast together.

    Parts that depend on few variables are computed on their small arrays only.  OverflowError where a value in
    between could leave int64 (by its range); such an expression is evaluated with `value`.  TypeError where an array
    holds no integers.

    >>> import numpy as np
    >>> from layoutalg.index import var
    >>> i = var("i", 8)
    >>> array([i * 3], {i: np.arange(4)})
    [array([0, 3, 6, 9])]
    """
    leaves = {v: integers(a, f"values of {v}") for v, a in at.items()}
    if any(_leaves_int64(node) for node in postorder(*exprs, stop=at) if node not in at):
        _check_at(exprs, leaves)
    return [np.asarray(r, dtype=np.int64) for r in read(exprs, leaves, _numpy_table())]


def _leaves_int64(node: Expr | _Bounded) -> bool:
    return not -INT64 <= node.lo <= node.hi < INT64


@dataclass(frozen=True)
class _Bounded:
    """A node whose variables lie within given arrays: what a range rule looks at."""

    op: str
    args: tuple[_Bounded, ...]
    value: Any
    lo: Bound = 0
    hi: Bound = 0


def _check_at(exprs: Sequence[Expr], at: Mapping[Expr, Any]) -> None:
    """OverflowError unless all values fit int64 once each variable lies between its array's extremes."""

    seen: dict[Expr, _Bounded] = {}
    for node in postorder(*exprs, stop=at):
        if node in at:
            given = at[node]
            if given.size == 0:
                return
            seen[node] = _Bounded("var", (), None, int(given.min()), int(given.max()))
            continue
        plain = _Bounded(node.op, tuple(seen[a] for a in node.args), node.value)
        lo, hi = RANGE[node.op](cast(Expr, plain))
        bounded = seen[node] = replace(plain, lo=lo, hi=hi)
        if _leaves_int64(bounded):
            raise OverflowError(f"{node} ranges over {bounded.lo}…{bounded.hi}, which int64 does not hold")


def _numpy_table() -> Mapping[str, Callable[..., Any]]:
    def power(n: Any) -> int | None:
        """log₂ of a constant power of two: shifts and masks are many times faster than numpy's division."""
        return int(n).bit_length() - 1 if np.ndim(n) == 0 and int(n) & (int(n) - 1) == 0 else None

    def div(a: Any, n: Any) -> Any:
        k = power(n)
        return a // n if k is None else a >> k

    def mod(a: Any, n: Any) -> Any:
        return a % n if power(n) is None else a & (n - 1)

    def add(*xs: Any) -> Any:
        """Terms of one shape first: what varies along one axis is added there, before it is spread over all."""
        sums: dict[tuple[int, ...], Any] = {}
        for x in xs:
            shape = np.shape(x)
            sums[shape] = sums[shape] + x if shape in sums else x
        return reduce(operator.add, sorted(sums.values(), key=np.size))

    return {
        "const": np.int64,
        "add": add,
        "mul": operator.mul,
        "div": div,
        "mod": mod,
        "xor": operator.xor,
        "and": operator.and_,
        "lt": lambda a, b: np.less(a, b).astype(np.int64),
        "le": lambda a, b: np.less_equal(a, b).astype(np.int64),
        "eq": lambda a, b: np.equal(a, b).astype(np.int64),
        "all": lambda *xs: reduce(operator.and_, xs),
        "any": lambda *xs: reduce(operator.or_, xs),
        "not": lambda a: 1 - a,
        "select": lambda c, a, b: np.where(np.asarray(c) != 0, a, b),
        "lookup": lambda table, i: np.asarray(table, dtype=np.int64)[i],
    }


def grid(expr: Expr, axes: Sequence[Expr], at: Mapping[Expr, int] | None = None) -> npt.NDArray[np.int64]:
    """The values over the whole grid of the axes: an array of shape (extent of each axis …), int64.

    `at` gives the values of the other variables (sizes).

    >>> from layoutalg.index import var
    >>> i, j = var("i", 2), var("j", 3)
    >>> grid(i * 10 + j, (i, j))
    array([[ 0,  1,  2],
           [10, 11, 12]])
    """
    return grids([expr], axes, at)[0]


def grids(
    exprs: Sequence[Expr], axes: Sequence[Expr], at: Mapping[Expr, int] | None = None
) -> list[npt.NDArray[np.int64]]:
    """`grid` of several expressions at once, sharing what they share.

    >>> from layoutalg.index import var
    >>> i = var("i", 4)
    >>> [each.tolist() for each in grids([i * 2, i ^ 1], [i])]
    [[0, 2, 4, 6], [1, 0, 3, 2]]
    """
    fixed = dict(at or {})
    shape = [extent(axis, fixed) for axis in axes]
    points = np.meshgrid(*(np.arange(n, dtype=np.int64) for n in shape), indexing="ij", sparse=True)
    results = array(exprs, {**fixed, **dict(zip(axes, points, strict=True))})
    return [np.broadcast_to(r, shape) for r in results]


def extent(axis: Expr, at: Mapping[Expr, int]) -> int:
    """The number of values of an index variable, once the sizes have values.

    >>> from layoutalg.index import var
    >>> extent(var("i", 8), {})
    8
    """
    limit = axis.value.extent
    return value(limit, at) if limit is not None else int(axis.hi) + 1
