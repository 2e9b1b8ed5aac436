"""Mixed radix: a number as the sum of its digits, each times its stride, and the digits of a number.

    number = start + Σ stride·digit          757 = 3 + 100·7 + 8·6 + 1·6

| of                                   | call                                     | which is right                   |
|--------------------------------------|------------------------------------------|----------------------------------|
| digits below lengths, packed         | `horner`, and back `digits`              | always                           |
| an expression as a sum over variables| `affine`                                 | always, or None                  |
| a number, by strides                 | `digits_by`: quotients and remainders    | of a sum, where `injective` holds|
| a number, by strides                 | `multiples_of`: what each stride divides | a guess                          |
| a sum, for its variables             | `Affine.solve`: `digits_by` largest first| of a sum, where `injective` holds|

Where each stride is beyond what all smaller ones reach together, no two indices have one sum (`injective`), and the
digits of a sum are its index.  Where it is not, number = Σ stride·digit + rest still: a guess, which whoever asks must
check, each digit below its length and the rest 0.
What it cannot represent: a stride that may be 0 or of either sign (None), and digits that overlap, as a halo's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from layoutalg.index.evaluate import value
from layoutalg.index.expr import ZERO, Expr, Term, add, as_expr, div, lt, mod
from layoutalg.index.normal import normal, recover, simplify
from layoutalg.index.poly import Poly
from layoutalg.index.truth import all_of
from layoutalg.index.walk import variables
from layoutalg.records import dataclass

T = TypeVar("T")

# --- by lengths -------------------------------------------------------------------------------------------------------


def digits(number: Term, lengths: Sequence[Term]) -> tuple[Expr, ...]:
    """The mixed-radix digits of a number, the last one fastest; the first is what remains, not reduced.

    Digit by digit, never by products of lengths, as `horner`: of lengths that are symbols, this is the form that
    provers get through.

    >>> digits(13, (4, 5))
    (2, 3)
    """
    rest, found = as_expr(number), list[Expr]()
    for length in reversed(lengths[1:]):
        found.append(mod(rest, length))
        rest = rest // length
    return (rest, *reversed(found)) if lengths else ()


def horner(index: Sequence[Term], lengths: Sequence[Term]) -> Expr:
    """The number with these mixed-radix digits.

    >>> horner((2, 3), (4, 5))
    13
    """
    number: Expr = as_expr(index[0]) if index else ZERO
    for digit, length in zip(index[1:], lengths[1:], strict=True):
        number = number * length + digit
    return number


# --- by strides -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Affine:
    """start + Σ stride·v over some variables, which occur in neither start nor strides."""

    start: Expr
    strides: Mapping[Expr, Expr]

    def solve(self, number: Expr, last: Callable[[Expr], Expr]) -> dict[Expr, Expr] | None:
        """The index at which the sum is a number, if it is at any; None where a stride may be 0 or of either sign.

        A variable along which the sum falls counts from its `last` value down.

        >>> from layoutalg.index import symbol, var
        >>> i, j, n = var("i", 4), var("j", 8), symbol("N")
        >>> affine(i * -8 + j + n, (i, j)).solve(n - 19, lambda v: as_expr(int(v.hi)))
        {i: 3, j: 5}
        """
        turned = {v: last(v) for v, stride in self.strides.items() if stride.hi <= 0}
        sizes = {v: simplify(-stride) if v in turned else stride for v, stride in self.strides.items()}
        if any(size.lo < 1 for size in sizes.values()):
            return None
        ordered = largest_first(sizes)
        least = add(self.start, *(self.strides[v] * end for v, end in turned.items()))
        found, _ = digits_by(number - least, [sizes[v] for v in ordered])
        each = dict(zip(ordered, found, strict=True))
        return {v: simplify(turned[v] - each[v] if v in turned else each[v]) for v in self.strides}


def affine(poly: Poly | Expr, over: Sequence[Expr]) -> Affine | None:
    """An expression (or its normal form) as a sum of strides over variables; None where it is no such sum.

    >>> from layoutalg.index import symbol, var
    >>> i, j, n = var("i", 4), var("j", 8), symbol("N")
    >>> affine(i * n + j * 2 + 5, (i, j))
    Affine(start=5, strides={i: N, j: 2})
    >>> affine(i * j, (i, j)), affine(i * 2 + j // 2, (i, j))
    (None, None)
    """
    rest = normal(poly) if isinstance(poly, Expr) else poly
    strides: dict[Expr, Expr] = {}
    for v in over:
        parts = rest.linear_in(v)
        if parts is None:
            return None
        rest, strides[v] = parts[0], recover(parts[1]).expr()
    start = recover(rest).expr()
    return None if set(over) & set(variables(start, *strides.values())) else Affine(start, strides)


def digits_by(number: Expr, strides: Sequence[Expr]) -> tuple[tuple[Expr, ...], Expr]:
    """Quotients by strides (each at least 1), one of what the other leaves, and what remains.

    >>> digits_by(as_expr(757), (as_expr(100), as_expr(8)))
    ((7, 7), 1)
    """
    found, rest = list[Expr](), number
    for stride in strides:
        found.append(div(rest, stride))
        rest = mod(rest, stride)
    return tuple(found), rest


def multiples_of(number: Expr, strides: Sequence[Expr]) -> tuple[tuple[Expr, ...], Expr]:
    """What in the normal form of a number each stride (none is 0) divides, one of what the other leaves, and the rest.

    >>> from layoutalg.index import symbol, var
    >>> b, t, n = var("b", 4), var("t", 16), symbol("N", min=1)
    >>> multiples_of(n * (16 * b + t) + 5, (n,))
    ((b * 16 + t,), 5)
    """
    found, rest = list[Expr](), normal(number)
    for stride in strides:
        quotient, rest = rest.split(normal(stride))
        found.append(simplify(quotient.expr()))
    return tuple(found), recover(rest).expr()


# --- order ------------------------------------------------------------------------------------------------------------


def largest_first(strides: Mapping[T, Expr]) -> list[T]:
    """By magnitude, where all sizes are large: a guess at the order in which digits are taken."""
    return sorted(strides, key=lambda key: -_magnitude(strides[key]))


def _magnitude(stride: Expr) -> int:
    return abs(value(stride, {v: int(max(v.lo, min(v.hi, 1 << 10))) for v in variables(stride)}))


def slowest_first(over: Iterable[T], beyond: Callable[[T, Sequence[T]], bool]) -> list[T] | None:
    """An order in which each is shown to be beyond the reach of all later ones; None where none is found.

    >>> slowest_first((1, 16, 4), lambda stride, others: stride > 3 * sum(others))
    [16, 4, 1]
    """
    order, left = list[T](), list(over)
    while left:
        top = next((one for one in left if beyond(one, [other for other in left if other is not one])), None)
        if top is None:
            return None
        order.append(top)
        left.remove(top)
    return order


def injective(strides: Mapping[T, Expr], lengths: Mapping[T, Expr]) -> Expr:
    """What holds where no two indices have one sum: each stride, up or down, is more than all smaller ones reach.

    >>> from layoutalg.index import symbol
    >>> injective(dict(enumerate((symbol("P"), as_expr(2)))), dict(enumerate((as_expr(4), as_expr(8)))))
    14 < P
    """
    reach, goals = ZERO, []
    for key in reversed(largest_first(strides)):
        size = -strides[key] if strides[key].hi < 0 else strides[key]
        goals.append(lt(reach, size))
        reach += size * (lengths[key] - 1)
    return all_of(*goals)
