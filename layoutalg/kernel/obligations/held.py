"""What a tile holds: an element of a tensor for each coordinate, a sum so far, or a function of such.

| value      | at tile coordinate x                                                            |
|------------|---------------------------------------------------------------------------------|
| `Element`  | tensor[origin + x]                                                              |
| `Total`    | Σ over each term's loops and k of a[…]·b[…] (or of a), or the greatest          |
| `Computed` | a function of such values at x                                                  |

Beside it stands to which types the value has been rounded.  What it cannot represent: values that differ in kind from
coordinate to coordinate; a tile is filled as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from layoutalg.index import FALSE, TRUE, Expr, all_equal, as_expr, substitute
from layoutalg.kernel.program import Compute, Contract, Meaning, Read, Reduce, Tensor, Tile
from layoutalg.layout import LayoutError, TensorDescriptor
from layoutalg.target.dtypes import DTYPES, DType

F32 = DTYPES["f32"]


@dataclass(frozen=True)
class Element:
    """The tensor at origin + x, its neutral fill (0, or the least number) outside and in padding."""

    tensor: Tensor
    origin: tuple[Expr, ...]
    fill: str = "sum"


@dataclass(frozen=True)
class Term:
    """What one statement has added: products of a and b (or a alone) over `length` values of k, for all of `over`."""

    a: Element
    b: Element | None
    length: Expr
    over: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class Total:
    """An accumulator: its terms so far; `whole` where it was cleared in sight.

    `parts`: how many parts of it lie along the tile's last coordinate, whose sum it is; None: each element is whole.
    """

    how: str
    terms: tuple[Term, ...]
    whole: bool = True
    parts: Expr | None = None


@dataclass(frozen=True)
class Computed:
    """A function of values."""

    function: str
    operands: tuple[Value, ...]


Value = Element | Total | Computed


@dataclass(frozen=True)
class Held:
    """What a tile holds; in LDS, also the map it was stored by and the slot; `rounded` to which types, one by one.

    `given`: the tile holds it where that is so (a copy may have been left out).
    """

    value: Value
    written: TensorDescriptor | None = None
    slot: Expr | None = None
    rounded: tuple[DType, ...] = ()
    given: Expr = TRUE

    def moved(self, dtype: DType) -> Held:
        """The value alone, in a register or buffer of a type."""
        now = self.rounded[-1] if self.rounded else self.value.tensor.dtype if isinstance(self.value, Element) else F32
        exact = dtype in (now, F32)  # f32 holds every f16 and bf16, which do not hold each other
        return Held(self.value, rounded=self.rounded if exact else (*self.rounded, dtype), given=self.given)


State = dict[Tile, Held]


class MissingValueError(LayoutError):
    """A statement that reads a tile which nothing has filled before."""


def lifted(number: int, tile: Tile, total: Total, added: Value, index: Expr) -> Total:
    """The sum after a loop, each of whose iterations has added so much; MissingValueError where one loses it."""
    if not isinstance(added, Total) or added.whole:
        raise MissingValueError(f"loop {number} adds to {tile.name}, and clears or fills it before its end")
    terms = tuple(replace(t, over=(index, *t.over)) for t in added.terms)
    return with_terms(number, tile, total, terms, added.parts)


def with_terms(number: int, tile: Tile, total: Total, terms: tuple[Term, ...], parts: Expr | None) -> Total:
    """A sum with more terms; MissingValueError where it would be of parts and wholes."""
    if total.terms and total.parts is not parts:
        raise MissingValueError(f"statement {number} adds to {tile.name} parts of sums and whole ones")
    return replace(total, terms=(*total.terms, *terms), parts=parts)


def held_at(held: Held, index: Expr, value: Expr | int) -> Held:
    """What is held where a loop's index has a value."""
    slot = None if held.slot is None else substitute(held.slot, {index: value})
    given = substitute(held.given, {index: value})
    return replace(held, value=value_at(held.value, index, value), slot=slot, given=given)


def value_at(value: Value, index: Expr, at: Expr | int) -> Value:
    match value:
        case Element():
            return replace(value, origin=tuple(substitute(o, {index: at}) for o in value.origin))
        case Computed(function, operands):
            return Computed(function, tuple(value_at(v, index, at) for v in operands))
        case Total(terms=terms):
            return replace(value, terms=tuple(_term_at(t, index, at) for t in terms))


def _term_at(term: Term, index: Expr, at: Expr | int) -> Term:
    a, b = (None if e is None else value_at(e, index, at) for e in (term.a, term.b))
    assert isinstance(a, Element)
    assert b is None or isinstance(b, Element)
    return replace(term, a=a, b=b)


def same_value(one: Value, other: Value) -> Expr:
    """Whether two values are the same for all variables."""
    if isinstance(one, Element) and isinstance(other, Element):
        known = (one.tensor, one.fill) == (other.tensor, other.fill)
        return all_equal(one.origin, other.origin) if known else FALSE
    return as_expr(int(one == other))


def text_of(thing: Value | Meaning) -> str:
    match thing:
        case Element(tensor) | Read(tensor):
            return tensor.name
        case Total(how, terms, whole):
            parts = ", ".join(text_of(t.a) + (f"·{text_of(t.b)}" if t.b else "") for t in terms)
            unfinished = "" if whole and thing.parts is None else "part of "
            return f"{unfinished}{how} of {parts or 'nothing'}"
        case Contract(a, b):
            return f"sum of {a.name}·{b.name}"
        case Reduce(tensor, how):
            return f"{how} of {tensor.name}"
        case Computed(function, operands) | Compute(function, operands):
            return f"{function}({', '.join(map(text_of, operands))})"


def moved_to(value: Value, by: tuple[Expr, ...]) -> Value:
    """The value seen from another origin."""
    if isinstance(value, Element):
        return replace(value, origin=tuple(o + b for o, b in zip(value.origin, by, strict=True)))
    raise MissingValueError("only a tensor's tile can be read at an origin")
