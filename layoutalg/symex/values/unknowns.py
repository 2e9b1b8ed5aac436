"""Unknowns: the variables that symbolic execution makes, each with what it stands for.

A value that nothing wrote is a variable of its own, as Alive2's `undef` is, and no flag on the whole word, as its
`poison` is: bits of it may be masked away, and what is left is defined.  What a variable stands for is a field of it,
of which the name says nothing:

| kind | stands for | where a claim fails at one of its values |
|---|---|---|
| UNDEFINED | what nothing wrote | the binary uses it: refuted |
| ANY | what the machine chooses, such as another lane's bit | open, since it may choose otherwise |
| RESULT | the result of an uninterpreted function | open, since the function may have no such value |
| DATA | what was loaded, what a loop carries, the error of an estimate | refuted |

An unknown that belongs to expressions has them as `arguments`, and depends on all that they depend on.

Each has an owner: the thread, and the iterations of the loops around, in which it was made.  What another thread, or
the same one in another iteration, has for it is another unknown, an *instance* of it (`instances`).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto

from layoutalg.index import Expr, Symbol, variables
from layoutalg.index.expr import make_node
from layoutalg.records import dataclass


class Kind(Enum):
    """What an unknown stands for."""

    UNDEFINED = auto()
    ANY = auto()
    RESULT = auto()
    DATA = auto()


Call = tuple[str, tuple[Expr, ...]]
"""A function's name and its arguments."""

#: Kinds of which nothing is known.
NOTHING_KNOWN = frozenset({Kind.UNDEFINED, Kind.ANY})


@dataclass(frozen=True)
class UnknownValue(Symbol):
    """A variable that execution made: the `number`-th, or one as old as its arguments; by which function of what."""

    kind: Kind = Kind.DATA
    number: int | None = None
    function: str = ""
    arguments: tuple[Expr, ...] = ()
    owner: tuple[Expr, ...] = ()  # the coordinates that it is of: of a thread, and of the loops around
    origin: Expr | None = None  # the unknown of which this is another thread's, or another iteration's
    at: tuple[Expr, ...] = ()  # and which: a value for each coordinate that the origin depends on


def unknown_value(
    name: str, limit: int, kind: Kind, number: int | None = None, function: str = "",
    arguments: tuple[Expr, ...] = (), owner: tuple[Expr, ...] = (), origin: Expr | None = None,
    at: tuple[Expr, ...] = (),
) -> Expr:  # fmt: skip
    """The variable with 0 ≤ name < limit that is this unknown."""
    made = kind, number, function, arguments, owner, origin, at
    return make_node("var", (), UnknownValue(name, 0, limit - 1, None, 1, False, False, *made))


def beside(v: Expr, name: str, limit: int) -> Expr:
    """Another unknown that was made with this one: 0 ≤ it < limit."""
    assert isinstance(v.value, UnknownValue)
    one = v.value
    return unknown_value(f"{one.name} {name}", limit, one.kind, one.number, owner=one.owner)


def kind_of(v: Expr) -> Kind | None:
    """What a variable stands for; None of what is given: an index, a size, an address."""
    return v.value.kind if isinstance(v.value, UnknownValue) else None


def owner_of(v: Expr) -> tuple[Expr, ...]:
    """The coordinates of the thread and the iterations in which an unknown was made; none of another expression."""
    return v.value.owner if isinstance(v.value, UnknownValue) else ()


def number_of(v: Expr) -> int | None:
    """As the how many-th an unknown was made; None of one that is as old as its arguments, and of what is given."""
    return v.value.number if isinstance(v.value, UnknownValue) else None


def arguments_of(v: Expr) -> tuple[Expr, ...]:
    """What an unknown belongs to or is the result of; nothing of another expression."""
    return v.value.arguments if isinstance(v.value, UnknownValue) else ()


def function_of(v: Expr) -> str:
    """The function that made an unknown, or what it is called to those that it belongs to; "" of another expression."""
    return v.value.function if isinstance(v.value, UnknownValue) else ""


def call_of(v: Expr) -> Call:
    """The function and the arguments of which this is the result; no function and none of another expression."""
    return (v.value.function, v.value.arguments) if kind_of(v) is Kind.RESULT else ("", ())


def is_unknown(e: Expr) -> bool:
    """Whether an expression is made of nothing that is known."""
    made_of = variables(e)
    return bool(made_of) and all(kind_of(v) in NOTHING_KNOWN for v in made_of)


def made_since(v: Expr, then: int) -> bool:
    """Whether a variable is an unknown of this number or a later one, or the result of a function of such."""
    seen: set[Expr] = set()
    left = [v]
    while left:
        u = left.pop()
        if u in seen or not isinstance(u.value, UnknownValue):
            continue
        seen.add(u)  # results of results share their arguments: each is looked at once
        if u.value.number is None:
            left += variables(*u.value.arguments)
        elif u.value.number >= then:
            return True
    return False


def dependencies(*exprs: Expr, beside: Mapping[Expr, Expr] | None = None) -> frozenset[Expr]:
    """All variables that the expressions depend on, also by the arguments of unknowns, and by what is said `beside`.

    >>> from layoutalg.index import symbol
    >>> t = symbol("t")
    >>> f = unknown_value("f", 9, Kind.RESULT, function="f", arguments=(t * 4,))
    >>> g = unknown_value("g", 9, Kind.RESULT, function="g", arguments=(f + 1, f))
    >>> sorted(map(str, dependencies(g + 1)))
    ['f', 'g', 't']
    """
    found: set[Expr] = set()
    left = list(variables(*exprs))
    while left:
        v = left.pop()
        if v not in found:
            found.add(v)
            left += variables(*((beside[v],) if beside and v in beside else arguments_of(v)))
    return frozenset(found)
