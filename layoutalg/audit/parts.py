"""A thread's number as digits: those that expressions take of it by quotients and remainders.

    t // 16, t % 16 · 4    →    t = low + 16 · high,  low < 16

Put in place of t, the digits leave `high` and `4 · low`: each a variable of its own, to be solved for or replaced.
Of what is solved for nowhere, a condition may say what it is (`said_to_equal`).
What it cannot represent: radices of which one does not divide the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from layoutalg.index import ZERO, Expr, all_of, conjuncts, postorder, var, variables
from layoutalg.records import dataclass
from layoutalg.symex.values.unknowns import kind_of


@dataclass(frozen=True)
class Parts:
    """A variable as digits: `whole` is it, of digits each below its length; each digit counts so many."""

    whole: Expr
    digits: tuple[Expr, ...]
    places: tuple[int, ...]


def parts_of(v: Expr, exprs: Sequence[Expr]) -> Parts | None:
    """The digits of a variable that quotients and remainders by constants ask for; None where it is one.

    >>> t = var("t", 64)
    >>> parts_of(t, [t // 16, t % 16]).whole
    t by 1 + t by 16 * 16
    """
    if v.value.extent is not None:
        return None
    places = {1}
    for node in postorder(*exprs):
        if node.op in ("div", "mod") and node.args[0] is v and node.args[1].op == "const":
            places.add(int(node.args[1].value))
    radices = sorted(places)
    if len(radices) == 1 or any(b % a for a, b in pairwise(radices)):
        return None
    most, digits, whole = int(v.hi) + 1, [], ZERO
    for at, above in zip(radices, [*radices[1:], most], strict=True):
        digit = var(f"{v.value.name} by {at}", max(1, -(-above // at)))
        digits.append(digit)
        whole = whole + digit * at
    return Parts(whole, tuple(digits), tuple(radices))


def said_to_equal(v: Expr, condition: Expr) -> Iterator[Expr]:
    """What a condition says that a variable equals.

    >>> from layoutalg.index import all_of, eq, var
    >>> a, b = var("a", 9), var("b", 9)
    >>> [*said_to_equal(a, all_of(eq(a, b + 1), a < 5))]
    [b + 1]
    """
    for part in conjuncts(condition):
        if part.op == "eq":
            one, other = part.args
            yield from [other] * (one is v) + [one] * (other is v)


def said_of_launch(condition: Expr) -> Expr:
    """What a condition says of the launch alone, in each of its cases: nothing of what was loaded.

    >>> from layoutalg.index import any_of, eq
    >>> from layoutalg.symex.values.unknowns import Kind, unknown_value
    >>> i, loaded = var("i", 64), unknown_value("loaded", 2, Kind.DATA)
    >>> said_of_launch(any_of(all_of(i < 9, eq(loaded, 1)), all_of(i < 9, eq(i, 3))))
    i < 9
    """
    return all_of(*_said_of_launch(condition))


def _said_of_launch(condition: Expr) -> tuple[Expr, ...]:
    each = [_said_of_launch(one) for one in condition.args] if condition.op in ("all", "any") else []
    if condition.op == "all":
        return tuple(dict.fromkeys(part for parts in each for part in parts))
    if condition.op == "any":
        return tuple(part for part in each[0] if all(part in parts for parts in each[1:]))
    return (condition,) if all(kind_of(v) is None for v in variables(condition)) else ()
