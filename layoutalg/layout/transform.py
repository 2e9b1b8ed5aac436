"""The contract of every coordinate transform: lengths, the map down, its validity, its inverse where there is one.

A transform is one class, and all that is said of it stands there; spec files, JSON, CK's sources, the prover and the
words of `explain` are read from it:

| what                                 | where                                                                     |
|--------------------------------------|---------------------------------------------------------------------------|
| its name in files                    | `name`                                                                    |
| its keys in files                    | the dataclass's fields: an `Expr` is a size, an `Index` a list of them     |
| CK's functions                       | `ck`, and `from_ck` where their arguments are not the fields              |
| the map, its validity, its inverse   | `lower`, `valid`, `upper`                                                 |
| what a move costs                    | `update_lower_index`, unless moving is computing anew                     |
| words                                | `words`                                                                   |

It becomes known by its line in `transforms.TRANSFORMS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from typing import Any, ClassVar

from layoutalg.errors import LayoutError
from layoutalg.index import TRUE, Expr, Term, as_expr, prod
from layoutalg.records import dataclass

Index = tuple[Expr, ...]
MAX_ELEMENTS = 1 << 62
"""Products of lengths from here on are refused: no memory holds them, and CK's own arithmetic is long past its end."""


class NoInverseError(LayoutError):
    """A transform, or a descriptor, that has no upper index for a lower one.

    >>> from layoutalg.layout import Modulo
    >>> Modulo(8, 20).upper((3,))
    Traceback (most recent call last):
        ...
    layoutalg.layout.transform.NoInverseError: modulo(8, 20) has no inverse: no one upper index belongs to a lower index
    """


@dataclass(frozen=True)
class CkFunction:
    """CK's function for a transform: its name in CK Tile and in CK, empty where a library has none.

    `counted`: the number of entries stands before the list; `flags`: how many truth values may follow.
    """

    ck_tile: str = ""
    ck: str = ""
    counted: bool = False
    flags: int = 0

    @staticmethod
    def of_both(name: str, flags: int = 0) -> CkFunction:
        """A function that both libraries call so."""
        return CkFunction(name, name, flags=flags)


@dataclass(frozen=True)
class TransformParameter:
    """A parameter of a transform: its key in files, the field, and of a list the least and the most entries.

    `is_variable`: an index variable, which the parameters after it may name.
    """

    name: str
    field: str
    entries: tuple[int, int] | None = None
    is_variable: bool = False


def several(least: int = 1, most: int = 64) -> Mapping[str, Any]:
    """What a field's metadata says of a list of so many sizes."""
    return {"entries": (least, most)}


def index_variable(key: str) -> Mapping[str, Any]:
    """What a field's metadata says of an index variable, called by this key in spec files."""
    return {"key": key, "is_variable": True}


def listed(names: Sequence[object]) -> str:
    """Names in a sentence.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    *most, last = map(str, names)
    return f"{', '.join(most)} and {last}" if most else last


@dataclass(frozen=True)
class Transform:
    """The contract of every transform: lengths below and above, the map, its validity, its inverse.

    Lengths and parameters are expressions; integers given are made so.

    >>> from layoutalg.layout import RightPad
    >>> pad = RightPad(6, 2)
    >>> pad.upper_lengths, pad.lower_lengths, pad.lower((5,)), bool(pad.valid((5,))), bool(pad.valid((7,)))
    ((8,), (6,), (5,), True, False)
    """

    name: ClassVar[str]

    ck: ClassVar[CkFunction] = CkFunction()
    """CK's function; none unless a transform says so."""

    least_length: ClassVar[int] = 1
    """The least length of a dimension: 0 in what views are made of, so that there are views without elements."""

    def __post_init__(self) -> None:
        for key in self.parameters():
            given = getattr(self, key.field)
            if isinstance(given, tuple | list) != (key.entries is not None):
                wanted = "one number" if key.entries is None else "a list of numbers"
                raise LayoutError(f"{self.name}: {key.field} is {given!r}; it takes {wanted}")
            made = tuple(map(parameter, given)) if isinstance(given, tuple | list) else parameter(given)
            object.__setattr__(self, key.field, made)
        self.check()
        _refuse_lengths(self)

    def check(self) -> None:
        """LayoutError where the parameters themselves make no sense."""

    @classmethod
    @cache
    def parameters(cls) -> tuple[TransformParameter, ...]:
        """The parameters, in order."""
        made = []
        for one in fields(cls):
            usual = None if one.type in ("Expr", Expr) else (1, 64)
            given = one.metadata
            entries, is_variable = given.get("entries", usual), given.get("is_variable", False)
            made.append(TransformParameter(given.get("key", one.name), one.name, entries, is_variable))
        return tuple(made)

    @classmethod
    def from_ck(cls, *given: Any) -> Transform:
        """The transform of the arguments of CK's function."""
        return cls(*(one if isinstance(one, Expr | int) else tuple(one) for one in given))

    def words(self, low: Sequence[str], up: Sequence[str]) -> str:
        """What it does, as a sentence about its lower and upper dimensions, called so."""
        raise NotImplementedError

    @property
    def lower_lengths(self) -> tuple[Expr | None, ...]:
        """The length of each lower dimension; None where the transform prescribes none (most: of the only one)."""
        return (None,)

    @property
    def upper_lengths(self) -> Index:
        """The length of each upper dimension; unless a transform says otherwise, its `length` or its `lengths`."""
        own = vars(self)
        return (own["length"],) if "length" in own else own["lengths"]

    @property
    def conditions(self) -> tuple[Expr, ...]:
        """What parameters must satisfy besides lengths of at least 1 for there to be a transform."""
        return ()

    @property
    def constants(self) -> Index:
        """The lower indices that are written into the transform itself: attached elsewhere, they would be outside."""
        return ()

    def lower(self, upper: Sequence[Term]) -> Index:
        """The lower index of an upper index."""
        raise NotImplementedError

    def upper(self, lower: Sequence[Term]) -> Index:
        """The upper index of a lower index; NoInverseError where the map has no inverse."""
        raise NoInverseError(f"{self} has no inverse: no one upper index belongs to a lower index")

    def update_lower_index(
        self, diff_upper: Sequence[Term], lower: Sequence[Term], upper: Sequence[Term]
    ) -> tuple[Index, Index]:
        """Move by `diff_upper` from `lower`: by how much the lower index moves, and the new lower index.

        `upper` is the upper index after the move (CK's `idx_up_new`).  CK's way for each transform: linear ones add,
        the others compute anew.
        """
        new = self.lower(upper)
        return tuple(n - as_expr(old) for n, old in zip(new, lower, strict=True)), new

    def valid(self, upper: Sequence[Term]) -> Expr:
        """Whether an upper index (in range) reaches real data."""
        return TRUE

    def __repr__(self) -> str:
        given = ", ".join(_shown(getattr(self, key.field)) for key in self.parameters())
        return f"{self.name}({given})"


def parameter(term: Term) -> Expr:
    """A parameter of a layout as an expression; TypeError where it is neither that nor an integer, or a truth value.

    >>> parameter(100 / 4)
    Traceback (most recent call last):
        ...
    TypeError: 25.0 is not an integer or an index expression; a division that rounds down is written //
    """
    if isinstance(term, bool):
        raise TypeError(f"{term} is a truth value, and no number of a layout; write {int(term)}")
    return as_expr(term)


def parameter_list(name: str, terms: Sequence[Term]) -> Index:
    """A list of parameters.

    >>> parameter_list("lengths", 8)
    Traceback (most recent call last):
        ...
    TypeError: lengths is 8; it is a list of integers or index expressions, e.g. (8, 64)
    """
    if isinstance(terms, str) or not isinstance(terms, Iterable):
        raise TypeError(f"{name} is {terms!r}; it is a list of integers or index expressions, e.g. (8, 64)")
    return tuple(map(parameter, terms))


def _shown(value: object) -> str:
    return f"({', '.join(map(repr, value))})" if isinstance(value, tuple) else repr(value)


def _refuse_lengths(transform: Transform) -> None:
    for where, lengths in (("lower", transform.lower_lengths), ("upper", transform.upper_lengths)):
        known = [length for length in lengths if length is not None]
        for dimension, length in enumerate(lengths):
            if length is not None and length.hi < transform.least_length:
                least = f"a length is at least {transform.least_length}"
                raise LayoutError(f"{transform}: {where} length {dimension} is {length}; {least}")
        if prod(known).lo >= MAX_ELEMENTS:
            raise LayoutError(f"{transform}: {prod(known)} {where} indices; 2^62 elements or more are refused")
