"""What a tile holds: an element of a tensor for each coordinate, a sum so far, or a function of such.

| value      | at tile coordinate x                                                            |
|------------|---------------------------------------------------------------------------------|
| `Element`  | tensor[origin + x]                                                              |
| `Scaled`   | such an element times the scale of its block, one along the last coordinate     |
| `Total`    | Σ over each term's loops and k of a[…]·b[…] (or of a), or the greatest          |
| `Computed` | a function of such values at x                                                  |
| `Scores`   | Σ of a product at x = (g, m, k), −∞ where a mask does not keep it               |
| `Powers`   | 2^(factor·(scores at x − the shift of its row)), a `Weight` relative to it      |
| `Quotient` | a sum at x, divided by another of its row                                       |

A `Shift` is what a tile of rows held when powers were taken: a sum relative to it is 2^(factor·shift) times what is
held.  It is known by the tile and by what that had taken in, so that powers before and after a change never meet.

Beside it stands to which types the value has been rounded.  What it cannot represent: values that differ in kind from
coordinate to coordinate; a tile is filled as a whole.
"""

from __future__ import annotations

from dataclasses import replace

from layoutalg.index import FALSE, TRUE, Expr, all_equal, as_expr, substitute
from layoutalg.kernel.program import (
    Attend,
    Compute,
    Contract,
    ContractScaled,
    Meaning,
    Read,
    Reduce,
    Registers,
    Tensor,
    Tile,
)
from layoutalg.layout import LayoutError, TensorDescriptor
from layoutalg.records import dataclass
from layoutalg.target.dtypes import DTYPES, DType

F32 = DTYPES["f32"]


@dataclass(frozen=True)
class Element:
    """The tensor at origin + x, its neutral fill (0, or the least number) outside and in padding."""

    tensor: Tensor
    origin: tuple[Expr, ...]
    fill: str = "sum"


@dataclass(frozen=True)
class Scaled:
    """An element times another tensor's at the same coordinates, of which the last counts blocks."""

    element: Element
    scale: Element
    block: int


@dataclass(frozen=True)
class Term:
    """What one statement has added: products of a and b (or a alone) over `length` values of k, for all of `over`."""

    a: Factor
    b: Factor | None
    length: Expr
    over: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class Total:
    """An accumulator: its terms so far; `whole` where it was cleared in sight, else since the `head` of an iteration.

    `parts`: how many parts of it lie along the tile's last coordinate, whose sum it is; None: each element is whole.
    `shift`: what it is relative to.
    """

    how: str
    terms: tuple[Term, ...]
    whole: bool = True
    parts: Expr | None = None
    head: Expr | None = None
    shift: Shift | None = None

    def at_head(self, index: Expr, shift: Shift | None = None) -> Total:
        """What is known of it at the head of a loop's iteration that adds to it."""
        return Total(self.how, (), whole=False, head=index, shift=shift)

    @property
    def nothing(self) -> bool:
        """Whether it is what it was cleared to, and so relative to anything (rescaled, it is relative to that)."""
        return self.whole and not self.terms and self.shift is None


@dataclass(frozen=True)
class Shift:
    """The greatest scores that a tile of rows held, which powers of 2^factor are relative to.

    `axes`: which coordinates of what is relative to it are the rows'.
    """

    tile: Registers
    value: Total
    factor: float
    axes: tuple[int, ...]


@dataclass(frozen=True)
class Scores:
    """A product of two tensors' elements at (g, m, k): −∞ where `keep`, in `coordinates`, is not so at `at` + x.

    `only`: where this is not so, all are kept.
    """

    product: Term
    at: tuple[Expr, ...] = ()
    coordinates: tuple[Expr, ...] = ()
    keep: Expr = TRUE
    only: Expr = TRUE

    @property
    def elements(self) -> tuple[Element, Element]:
        """The two factors."""
        assert isinstance(self.product.a, Element)
        assert isinstance(self.product.b, Element)
        return self.product.a, self.product.b


@dataclass(frozen=True)
class Weight:
    """2^(factor·scores), of real numbers."""

    scores: Scores
    factor: float


@dataclass(frozen=True)
class Powers:
    """A weight as a tile has it, relative to a shift."""

    weight: Weight
    shift: Shift


@dataclass(frozen=True)
class Quotient:
    """A sum divided by its row's."""

    sums: Total
    by: Total


@dataclass(frozen=True)
class Computed:
    """A function of values."""

    function: str
    operands: tuple[Value, ...]


Factor = Element | Scaled | Scores | Weight
"""What sums are of."""
Value = Element | Total | Computed | Scores | Powers | Quotient


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
            return _element_at(value, index, at)
        case Computed(function, operands):
            return Computed(function, tuple(value_at(v, index, at) for v in operands))
        case Total():
            return total_at(value, index, at)
        case Scores():
            return _scores_at(value, index, at)
        case Powers(weight, shift):
            return Powers(_weight_at(weight, index, at), shift_at(shift, index, at))
        case Quotient(sums, by):
            return Quotient(total_at(sums, index, at), total_at(by, index, at))


def total_at(total: Total, index: Expr, at: Expr | int) -> Total:
    shift = None if total.shift is None else shift_at(total.shift, index, at)
    return replace(total, terms=tuple(_term_at(t, index, at) for t in total.terms), shift=shift)


def shift_at(shift: Shift, index: Expr, at: Expr | int) -> Shift:
    return replace(shift, value=total_at(shift.value, index, at))


def _term_at(term: Term, index: Expr, at: Expr | int) -> Term:
    return replace(term, a=_factor_at(term.a, index, at), b=None if term.b is None else _factor_at(term.b, index, at))


def _factor_at(factor: Factor, index: Expr, at: Expr | int) -> Factor:
    match factor:
        case Element():
            return _element_at(factor, index, at)
        case Scaled(element, scale):
            return replace(factor, element=_element_at(element, index, at), scale=_element_at(scale, index, at))
        case Scores():
            return _scores_at(factor, index, at)
        case Weight():
            return _weight_at(factor, index, at)


def _element_at(element: Element, index: Expr, at: Expr | int) -> Element:
    return replace(element, origin=tuple(substitute(o, {index: at}) for o in element.origin))


def _weight_at(weight: Weight, index: Expr, at: Expr | int) -> Weight:
    return replace(weight, scores=_scores_at(weight.scores, index, at))


def _scores_at(scores: Scores, index: Expr, at: Expr | int) -> Scores:
    begins = tuple(substitute(o, {index: at}) for o in scores.at)
    keep, only = (substitute(e, {index: at}) for e in (scores.keep, scores.only))
    return replace(scores, product=_term_at(scores.product, index, at), at=begins, keep=keep, only=only)


def same_value(one: Value, other: Value) -> Expr:
    """Whether two values are the same for all variables."""
    if isinstance(one, Element) and isinstance(other, Element):
        known = (one.tensor, one.fill) == (other.tensor, other.fill)
        return all_equal(one.origin, other.origin) if known else FALSE
    return as_expr(int(one == other))


def text_of(thing: Value | Scaled | Weight | Meaning) -> str:
    match thing:
        case Scaled(element, scale):
            return f"{text_of(element)}·{text_of(scale)}"
        case ContractScaled(a, b, a_scale, b_scale):
            return f"sum of {a.name}·{a_scale.name}·{b.name}·{b_scale.name}"
        case Scores(product):
            return f"{text_of(product.a)}·{text_of(product.b)}" if product.b else text_of(product.a)
        case Weight(scores):
            return f"powers of {text_of(scores)}"
        case Powers(weight):
            return text_of(weight)
        case Quotient(sums, by):
            return f"{text_of(sums)} / {text_of(by)}"
        case Attend(q, k, v):
            return f"softmax of {q.name}·{k.name}, times {v.name}"
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
