"""Variables: sizes that are not fixed, indices that run below an extent, and what may be any integer.

| made by         | values                                              | is                           |
|-----------------|-----------------------------------------------------|------------------------------|
| `symbol(name)`  | min … max, multiples of m, perhaps powers of two     | a size: a verdict names it   |
| `var(name, n)`  | 0 … n − 1; n may be an expression                    | an index: it is quantified   |
| `unlimited`     | every integer, or all from a least one               | whatever stands in its place |
| `internal`      | as `var`                                             | the library's own index      |

A variable is its name, its limits and its maker: two of one name and one range are one variable.  So what the library
asks of a user's expressions it asks with `internal` ones: whatever the user's are called, none of them is one of these.
"""

from __future__ import annotations

import builtins
import math
from dataclasses import field, replace

from layoutalg.errors import InexpressibleError
from layoutalg.index.expr import Expr, Term, as_expr, make_node
from layoutalg.index.integers import integer
from layoutalg.index.node import Bound
from layoutalg.records import dataclass


@dataclass(frozen=True)
class Symbol:
    """What is known of a variable: `lo ≤ v ≤ hi`, `v < extent` where that limit is an expression, divisibility.

    `index`: it was made by `var`, not `symbol`: an index and a size of one name and range are two.
    `internal`: the library made it for itself.

    >>> known = symbol("M", multiple_of=8).value
    >>> known.name, known.lo, known.multiple_of, known.index, var("i", 64).value.hi
    ('M', 8, 8, False, 63)
    """

    name: str
    lo: Bound = 0
    hi: Bound = math.inf
    extent: Expr | None = None
    multiple_of: int = 1
    power_of_two: bool = False
    index: bool = False
    internal: bool = field(default=False, kw_only=True)


def symbol(
    name: str, *, min: int = 1, max: int | None = None, multiple_of: int = 1, power_of_two: bool = False
) -> Expr:
    """A size that is not fixed: `min ≤ name ≤ max`, a multiple of `multiple_of`, perhaps a power of two.

    >>> symbol("M", min=8, max=4096, multiple_of=8).hi
    4096
    """
    min, multiple_of, max = integer(min), integer(multiple_of), None if max is None else integer(max)
    if multiple_of < 1 or (max is not None and max < min):
        raise ValueError(f"symbol {name}: min {min}, max {max}, multiple_of {multiple_of} leave it no value")
    lo = -(-min // multiple_of) * multiple_of
    hi = math.inf if max is None else max // multiple_of * multiple_of
    if lo > hi:
        raise ValueError(f"symbol {name}: no multiple of {multiple_of} lies between {min} and {max}")
    if power_of_two:
        first = 1 << (builtins.max(lo, 1) - 1).bit_length()
        if multiple_of & (multiple_of - 1) or first > hi:
            raise ValueError(f"symbol {name}: no power of two lies in {lo}…{hi}, multiples of {multiple_of}")
    return make_node("var", (), Symbol(name, lo, hi, None, multiple_of, power_of_two))


def var(name: str, extent: Term) -> Expr:
    """An index that runs over 0 ≤ name < extent.

    >>> var("i", symbol("M", max=64) * 2).hi
    127
    """
    limit = as_expr(extent)
    if limit.hi < 1:
        raise InexpressibleError(f"index {name} over an extent of {limit} has no value")
    return make_node("var", (), Symbol(name, 0, limit.hi - 1, None if limit.op == "const" else limit, index=True))


def internal(name: str, extent: Term) -> Expr:
    """An index of the library's own, shown as name': no variable that `var` or `symbol` makes, whatever it is called.

    >>> internal("i", 8), internal("i", 8) is internal("i", 8), internal("i", 8) is var("i'", 8)
    (i', True, False)
    """
    made = var(f"{name}'", extent)
    return make_node("var", (), replace(made.value, internal=True))


def with_extent(index: Expr, extent: Term) -> Expr:
    """The index of the same name and maker over another extent.

    >>> with_extent(internal("i", symbol("M")), 8).hi
    7
    """
    made = var(index.value.name, extent)
    return make_node("var", (), replace(made.value, internal=index.value.internal))


def extent_of(index: Expr) -> Expr:
    """How many values an index has, from 0 on.

    >>> extent_of(var("i", 8)), extent_of(var("j", symbol("M") * 2))
    (8, M * 2)
    """
    return as_expr(int(index.hi) + 1 if index.value.extent is None else index.value.extent)


def unlimited(name: str, least: Bound = -math.inf) -> Expr:
    """A variable that may be any integer, or any from `least` up: what is written over it holds wherever it is used.

    >>> u = unlimited("u")
    >>> u % 2, var("i", 2) % 2
    (u % 2, i)
    """
    return make_node("var", (), Symbol(name, least, math.inf, index=True))
