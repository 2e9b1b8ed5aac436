"""einops' patterns as transforms: `"b (h d) n -> n (b h) d"` splits, permutes and merges a descriptor's dimensions.

Left of the arrow stands what there is, right of it what is wanted; brackets are one dimension of several axes, the last
fastest.  A pattern is two layers, in CK's words:

    top       n     (b h)    d          what is wanted: merge, pass_through
              │     │  │     │
              n     b  h     d          the axes
              │     │   └─┬─┘
    below     n     b   (h d)           what there is: unmerge, pass_through

| in a pattern           | is                                                                             |
|------------------------|--------------------------------------------------------------------------------|
| `h`, `(h d)`           | an axis; a dimension of several, of which one length may be left out           |
| `1`, `()`              | a dimension of length 1, dropped or made                                       |
| `...`                  | the dimensions that are not named                                              |
| an axis on the right   | copies (einops' `repeat`), as many as its length says                          |

What it cannot represent: `reduce`, which computes, and is no layout.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from layoutalg.errors import LayoutError
from layoutalg.index import ONE, ZERO, Expr, Term, div, prod, simplify
from layoutalg.layout import (
    Freeze,
    Insert,
    Merge,
    PassThrough,
    TensorDescriptor,
    Transform,
    Unmerge,
    transform_tensor_descriptor,
)
from layoutalg.layout.adaptor import same_length
from layoutalg.layout.index_map import HasIndexMap, index_map
from layoutalg.layout.transform import parameter

Group = tuple[str, ...]
"""A dimension: its axes, the slowest first; none of a dimension of length 1."""
REST = "..."
TOKEN = re.compile(r"\s*(->|\.\.\.|…|[()]|1(?!\w)|[A-Za-z]\w*|\S)")


class PatternError(LayoutError):
    """A text that is no pattern; the message says where.

    >>> parse_pattern("b (h -> b h")
    Traceback (most recent call last):
        ...
    layoutalg.interop.einops.PatternError: 'b (h -> b h', column 3: the bracket is not closed
    """


def rearrange(descriptor: TensorDescriptor | HasIndexMap, pattern: str, /, **lengths: Term) -> TensorDescriptor:
    """The descriptor whose dimensions are those on the right of the pattern; `lengths` are those of axes.

    Lengths may be sizes that are not fixed.  LayoutError where a dimension is not divided by its axes for all sizes,
    where one has no axis on the other side, and (`PatternError`, with the column) where the text is no pattern.

    >>> from layoutalg.layout import make_naive_tensor_descriptor_packed
    >>> d = make_naive_tensor_descriptor_packed((2, 12, 5))
    >>> rearrange(d, "b (h d) n -> n (b h) d", d=4).lengths
    (5, 6, 4)
    >>> rearrange(d, "b (h d) n -> n b h", d=4)
    Traceback (most recent call last):
        ...
    layoutalg.errors.LayoutError: b (h d) n -> n b h: the axis d is not on the right; what drops elements is no layout
    """
    below = index_map(descriptor)
    if not isinstance(below, TensorDescriptor):
        raise LayoutError(f"rearrange of a {type(descriptor).__name__}: a descriptor, or a layout in memory, is wanted")
    left, right = parse_pattern(pattern)
    left, right = _spelled_out(pattern, left, right, below.rank)
    try:
        known = _lengths(below, left, {name: parameter(given) for name, given in lengths.items()})
        return _attached(below, left, right, known)
    except LayoutError as error:
        raise LayoutError(f"{pattern}: {error}") from error


def parse_pattern(pattern: str) -> tuple[list[Group], list[Group]]:
    """The dimensions on both sides; PatternError says what is wrong, and at which column.

    >>> parse_pattern("b (h d) 1 -> b d h")
    ([('b',), ('h', 'd'), ()], [('b',), ('d',), ('h',)])
    """
    if not isinstance(pattern, str):
        raise PatternError(f"{pattern!r} is no text; a pattern is LEFT -> RIGHT")
    tokens = [(match[1].replace("…", REST), match.start(1) + 1) for match in TOKEN.finditer(pattern)]
    arrows = [n for n, (token, _) in enumerate(tokens) if token == "->"]
    if len(arrows) != 1:
        raise PatternError(f"{pattern!r} has {len(arrows)} arrows; a pattern is LEFT -> RIGHT")
    sides = tokens[: arrows[0]], tokens[arrows[0] + 1 :]
    left, right = (list(_groups(pattern, side)) for side in sides)
    for side in (left, right):
        names = [name for group in side for name in group]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise PatternError(f"{pattern!r}: the axis {twice} stands {names.count(twice)} times on one side")
    return left, right


def _groups(pattern: str, tokens: Sequence[tuple[str, int]]) -> Iterator[Group]:
    """The dimensions of one side."""
    inside: list[str] | None = None
    opened = 0
    for token, column in tokens:
        if token == "(" and inside is None:
            inside, opened = [], column
        elif token == ")" and inside is not None:
            yield tuple(inside)
            inside = None
        elif token == "1" or token == REST or token.isidentifier():
            if inside is None:
                yield () if token == "1" else (token,)
            elif token == REST:
                raise PatternError(f"{pattern!r}, column {column}: ... in brackets; name the dimensions to merge")
            elif token != "1":
                inside.append(token)
        else:
            what = "a bracket within brackets" if token == "(" else f"{token!r} is not expected"
            raise PatternError(f"{pattern!r}, column {column}: {what}; axes, (…), 1 and ... are")
    if inside is not None:
        raise PatternError(f"{pattern!r}, column {opened}: the bracket is not closed")


def _spelled_out(pattern: str, left: list[Group], right: list[Group], rank: int) -> tuple[list[Group], list[Group]]:
    """Both sides with `...` as the dimensions that it stands for."""
    more = rank - len(left) + 1 if (REST,) in left else 0
    if (REST,) not in left and len(left) != rank:
        raise LayoutError(f"{pattern}: {len(left)} dimensions on the left, the descriptor has {rank}")
    if more < 0:
        raise LayoutError(f"{pattern}: at least {len(left) - 1} dimensions on the left, the descriptor has {rank}")
    if ((REST,) in left) != ((REST,) in right):
        raise LayoutError(f"{pattern}: ... stands on one side only")
    rest: list[Group] = [(f"...{n}",) for n in range(more)]
    one, other = ([g for group in side for g in (rest if group == (REST,) else [group])] for side in (left, right))
    return one, other


def _lengths(descriptor: TensorDescriptor, left: Sequence[Group], given: Mapping[str, Expr]) -> dict[str, Expr]:
    """The length of each axis."""
    known = dict(given)
    for dimension, (group, length) in enumerate(zip(left, descriptor.lengths, strict=True)):
        missing = [name for name in group if name not in known]
        product = prod([known[name] for name in group if name in known])
        if len(missing) > 1:
            raise LayoutError(f"the lengths of {' and '.join(missing)} are not given; one of them may be left out")
        if missing:
            if product.lo < 1:
                raise LayoutError(f"an axis of {product} elements in dimension {dimension}; it has at least 1")
            known[missing[0]] = simplify(div(length, product))
            product *= known[missing[0]]
        if not same_length(product, length):
            shown = f"({' '.join(group)})" if len(group) != 1 else group[0]
            raise LayoutError(f"dimension {dimension} has length {length}, and {shown} has {product}")
    return known


def _attached(
    below: TensorDescriptor, left: Sequence[Group], right: Sequence[Group], known: Mapping[str, Expr]
) -> TensorDescriptor:
    """Both layers; the first is left out where it would only pass dimensions through."""
    axes = [name for group in left for name in group]
    wanted = [name for group in right for name in group]
    for name in known:
        if name not in axes and name not in wanted:
            raise LayoutError(f"a length is given for {name}, which is no axis of the pattern")
    for name in axes:
        if name not in wanted:
            raise LayoutError(f"the axis {name} is not on the right; what drops elements is no layout")
    copies = [name for name in wanted if name not in axes]
    for name in copies:
        if name not in known:
            raise LayoutError(f"the axis {name} is not on the left; copies need their number: {name}=…")
    place = {name: n for n, name in enumerate((*axes, *copies))}
    if copies or any(len(group) != 1 for group in left):
        split = [_split(group, length, known) for group, length in zip(left, below.lengths, strict=True)]
        split += [Insert(known[name]) for name in copies]
        lower = [*([n] for n in range(len(left))), *([] for _ in copies)]
        upper = [*([place[name] for name in group] for group in left), *([place[name]] for name in copies)]
        below = transform_tensor_descriptor(below, split, lower, upper)
    made = [_merged([known[name] for name in group]) for group in right]
    lower = [[place[name] for name in group] for group in right]
    return transform_tensor_descriptor(below, made, lower, [[n] for n in range(len(right))])


def _split(group: Group, length: Expr, known: Mapping[str, Expr]) -> Transform:
    if not group:
        return Freeze(ZERO)
    return PassThrough(length) if len(group) == 1 else Unmerge(tuple(known[name] for name in group))


def _merged(lengths: Sequence[Expr]) -> Transform:
    if not lengths:
        return Insert(ONE)
    return PassThrough(lengths[0]) if len(lengths) == 1 else Merge(tuple(lengths))


__all__ = ["PatternError", "parse_pattern", "rearrange"]
