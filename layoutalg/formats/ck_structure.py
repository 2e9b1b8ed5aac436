"""CK's own objects as layouts: the data that `layoutalg/ck_structure.h` has the compiler write into an object file.

| kind           | becomes                                                                       |
|----------------|-------------------------------------------------------------------------------|
| descriptor     | `TensorDescriptor`                                                            |
| adaptor        | `TensorAdaptor`                                                               |
| distribution   | `TileDistribution`, of an encoding too                                        |
| warp_gemm      | `WarpGemm`: its sizes, and a distribution for each of A, B and C              |
| window         | `Window`: its lengths                                                         |
| a list         | a tuple                                                                       |
| a number       | `Expr`; a size that is not fixed is the record of what CK computed of it      |

    >>> layout({"kind": "descriptor", "transforms": [["embed", [4, 8], [9, 1]]], "lower": [[0]], "upper": [[1, 2]],
    ...         "top": [1, 2], "element_space_size": 35}).offset((1, 2))
    11

Where CK says less than a layout here, the difference is closed by what CK does say:

| CK                                               | here                                                         |
|--------------------------------------------------|--------------------------------------------------------------|
| a pad keeps its upper length                     | the lower one is that less the padding                       |
| a slice forgets the length that it is cut from   | that of the dimension below it                               |
| an offset before the data is in no element space | it is counted                                                |
| merge divides by magic numbers                   | `Merge`, whose digits are the same below 2³¹; else as CK     |

C's `/` and `%` round towards zero, so of a size that may be negative, or by one that may be 0, the record is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from layoutalg.errors import LayoutError
from layoutalg.index import Expr, Term, add, as_expr, prod, simplify
from layoutalg.layout import (
    TRANSFORMS,
    Freeze,
    LeftPad,
    Merge,
    MergeMagicDivision,
    Offset,
    Pad,
    Slice,
    TensorAdaptor,
    TensorDescriptor,
    TileDistribution,
    TileDistributionEncoding,
    Transform,
)
from layoutalg.layout.adaptor import Linked
from layoutalg.layout.c_arithmetic import HALF32, truncated_div, truncated_mod
from layoutalg.layout.transform import Index
from layoutalg.records import dataclass

Data = Mapping[str, Any]
Sizes = Sequence[Expr]


@dataclass(frozen=True)
class WarpGemm:
    """A matrix instruction as CK Tile uses it: m × n × k, and which lane holds which elements of A, B and C."""

    m: int
    n: int
    k: int
    a: TileDistribution
    b: TileDistribution
    c: TileDistribution


@dataclass(frozen=True)
class Window:
    """A tile window: its lengths."""

    lengths: Index


Value = Expr | tuple["Value", ...] | TensorDescriptor | TensorAdaptor | TileDistribution | WarpGemm | Window


def layout(data: Any, sizes: Sizes = ()) -> Any:
    """The value of some data, a `Value`; `sizes` are those that a record speaks of, by number.

    LayoutError where it makes no layout.
    """
    if isinstance(data, list):
        return tuple(layout(entry, sizes) for entry in data)
    if isinstance(data, Mapping) and "kind" in data:
        return KINDS[data["kind"]](data, sizes)
    return number(data, sizes)


def number(data: Any, sizes: Sizes = ()) -> Expr:
    """An integer, a truth value, or the record of a size: `{"size": ["s0", 8, "/"]}`, operands first.

    >>> from layoutalg.index import symbol
    >>> number({"size": ["s0", 63, "+", 64, "/"]}, [symbol("M", min=1)])
    (M + 63) // 64
    """
    if not isinstance(data, Mapping):
        return as_expr(int(data))
    stack = list[Expr]()
    for token in data["size"]:
        if isinstance(token, int):
            stack.append(as_expr(token))
        elif token.startswith("s"):
            stack.append(sizes[int(token[1:])])
        else:
            right = stack.pop()
            stack.append(OPERATORS[token](stack.pop(), right))
    (result,) = stack
    return simplify(result)


def _divided(divide: Callable[[Term, Term], Expr]) -> Callable[[Expr, Expr], Expr]:
    def by(left: Expr, right: Expr) -> Expr:
        if right.lo < 1:
            raise LayoutError(f"{left} is divided by {right}, which may be zero or negative")
        return divide(left, right)

    return by


OPERATORS: Mapping[str, Callable[[Expr, Expr], Expr]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _divided(truncated_div),
    "%": _divided(truncated_mod),
}


def _numbers(data: Any, sizes: Sizes) -> Any:
    return tuple(number(n, sizes) for n in data) if isinstance(data, list) else number(data, sizes)


def _transform(data: Sequence[Any], below: Sequence[Expr | None], sizes: Sizes) -> Transform:
    """A transform over dimensions of some lengths, None where one is not known."""
    name, given = data[0], [_numbers(entry, sizes) for entry in data[1:]]
    kind = TRANSFORMS[name]
    if kind in (Pad, LeftPad):
        length, *amounts = given
        return kind(simplify(add(length, *(-amount for amount in amounts))), *amounts)
    if kind is Slice:
        if below[0] is None:
            raise LayoutError("slice: nothing says how long the dimension is that it is cut from")
        return Slice(below[0], *given)
    if kind is MergeMagicDivision and prod(given[0]).hi <= HALF32:
        return Merge(*given)
    return kind(*given)


def _linked(data: Data, sizes: Sizes) -> tuple[Linked, ...]:
    """The transforms of an adaptor, each with the ids below and above it."""
    lengths, made = dict[int, Expr](), list[Linked]()
    for entry, low, up in zip(data["transforms"], data["lower"], data["upper"], strict=True):
        made.append((_transform(entry, [lengths.get(i) for i in low], sizes), tuple(low), tuple(up)))
        lengths |= zip(up, made[-1][0].upper_lengths, strict=True)
    return tuple(made)


def _adaptor(data: Data, sizes: Sizes) -> TensorAdaptor:
    transforms, lower, upper = zip(*_linked(data, sizes), strict=True)
    return TensorAdaptor(transforms, lower, upper, tuple(data.get("bottom", (0,))), tuple(data["top"]))


def _descriptor(data: Data, sizes: Sizes) -> TensorDescriptor:
    adaptor = _adaptor(data, sizes)
    size = number(data["element_space_size"], sizes)
    first = adaptor.transforms[0]
    for index, offset in data.get("samples", ()):
        if adaptor.lower(index)[0] != offset:
            raise LayoutError(
                f"CK computes offset {offset} of index {tuple(index)}, its transforms as they are known here "
                f"{adaptor.lower(index)[0]}: this version of CK means something else by one of their names"
            )
    return TensorDescriptor(adaptor, size + first.offset if isinstance(first, Offset) else size)


def _distribution(data: Data, sizes: Sizes) -> TileDistribution:
    hs = tuple(_numbers(h, sizes) for h in data["hs"])
    majors, minors = (tuple(tuple(p) for p in data[key]) for key in ("ps_major", "ps_minor"))
    ys = [tuple(data[key]) for key in ("ys_major", "ys_minor")]
    made = TileDistribution(TileDistributionEncoding(_numbers(data["rs"], sizes), hs, majors, minors, *ys))
    if "adaptor" in data:
        theirs, ours = data["adaptor"], made.adaptor
        linked = tuple(one for one in ours.linked if not isinstance(one[0], Freeze))  # copies of length 1, at 0 here
        same = _linked(theirs, sizes), tuple(theirs["bottom"]), tuple(theirs["top"])
        if (linked, ours.bottom_ids, ours.top_ids) != same:
            raise LayoutError("CK's own map of this distribution is another than that of its encoding")
    return made


def _warp_gemm(data: Data, sizes: Sizes) -> WarpGemm:
    return WarpGemm(*(data[key] for key in "mnk"), *(_distribution(data[key], sizes) for key in "abc"))


KINDS: Mapping[str, Callable[[Data, Sizes], Value]] = {
    "descriptor": _descriptor,
    "adaptor": _adaptor,
    "distribution": _distribution,
    "warp_gemm": _warp_gemm,
    "window": lambda data, sizes: Window(_numbers(data["lengths"], sizes)),
}
"""What each kind of object becomes."""
