"""Descriptors as CuTe's layouts, where one exists: the way back of `descriptors`.

Each dimension alone must be a sum of floors of its index, and the dimensions must add up; where they do not, a swizzle
is looked for.  Whatever is found counts only once it is proved to be the descriptor's map.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product as choices

from layoutalg.errors import LayoutError
from layoutalg.index import Expr, Term, as_expr, eq, extent_of, prod, substitute, variables
from layoutalg.index.evaluate import grid
from layoutalg.index.f2 import LinearMaps, NotLinearError
from layoutalg.index.normal import normal, recover
from layoutalg.interop.cute.compose import coalesced
from layoutalg.interop.cute.layout import MOST_VALUES, AnyLayout, ComposedLayout, Layout, NoLayoutError, made
from layoutalg.interop.cute.sizes import exactly_over, plus, size_of, times
from layoutalg.interop.cute.swizzle import BitSwizzle
from layoutalg.interop.cute.trees import Mode, tree_text
from layoutalg.layout import TensorDescriptor
from layoutalg.lazy import lazy_imports
from layoutalg.prove import ForAll, Limits, Proved, Refuted, Unknown, Verdict, prove

with lazy_imports():
    import numpy as np

LIMITS = Limits(seconds=10.0)


def layout_of(descriptor: TensorDescriptor) -> AnyLayout:
    """The layout with one mode for each dimension that is the descriptor's map, proved; swizzled where it needs be.

    NoLayoutError with the reason, and a coordinate where there is one: padding, a dimension that is no sum of
    floors, a map that no swizzle of a layout is.

    >>> from layoutalg.interop.cute import descriptor
    >>> layout_of(descriptor(Layout((4, (2, 8)), (2, (1, 8)))))
    (4,(2,8)):(2,(1,8))
    >>> from layoutalg.layout import RightPad, make_naive_tensor_descriptor, transform_tensor_descriptor
    >>> d = make_naive_tensor_descriptor((6,), (1,))
    >>> layout_of(transform_tensor_descriptor(d, [RightPad(6, 2)], [[0]], [[0]]))
    Traceback (most recent call last):
        ...
    layoutalg.interop.cute.layout.NoLayoutError: index (6) is padding; a layout has none: mask it, or take the \
unpadded part
    """
    if not isinstance(descriptor, TensorDescriptor):
        raise LayoutError(f"layout_of a {type(descriptor).__name__}: a descriptor is wanted")
    index = descriptor.index
    shown = prove(ForAll("it reaches data", descriptor.valid(index)), limits=LIMITS)
    if not isinstance(shown, Proved):
        raise _refused(shown, index, "is padding; a layout has none: mask it, or take the unpadded part")
    return layout_of_map(descriptor.offset(index), index)


def layout_of_map(offset: Expr, index: Sequence[Expr]) -> AnyLayout:
    """The layout that is an expression over indices (variables below their extents), one mode for each, proved.

    >>> from layoutalg.index import var
    >>> lane, i = var("lane", 64), var("i", 4)
    >>> layout_of_map(lane % 32 + 32 * (4 * (lane // 32) + i), (lane, i))
    ((32,2),4):((1,128),32)
    """
    lengths = [*map(extent_of, index)]
    verdicts: list[Verdict] = []
    refusal: NoLayoutError | None = None
    try:
        for candidate in _candidates(offset, index, lengths):
            verdicts.append(prove(ForAll("the layout is the map", eq(offset, candidate(*index))), limits=LIMITS))
            if isinstance(verdicts[-1], Proved):
                return candidate
    except NoLayoutError as error:
        refusal = error
    if not verdicts:
        raise refusal or NoLayoutError("no layout is this map")
    raise _refused(verdicts[0], index, "is not the sum of its dimensions' parts, and no swizzle of a layout is the map")


def _refused(verdict: Verdict, index: Sequence[Expr], what: str) -> NoLayoutError:
    if not isinstance(verdict, Refuted):
        assert isinstance(verdict, Unknown)
        return NoLayoutError(f"{verdict.claim} is not shown: {verdict.reason}")
    point = verdict.witness.points[0]
    where = tuple(point.get(v.value.name, 0) for v in index)
    own = {v.value.name for v in index}
    sizes = "".join(f" for {name} = {n}" for name, n in point.items() if name not in own)
    return NoLayoutError(f"index {tree_text(where)}{sizes} {what}", where)


def _candidates(offset: Expr, index: Sequence[Expr], lengths: Sequence[Expr]) -> Iterator[AnyLayout]:
    """Layouts that may be the map: the dimensions one by one, then the same under a swizzle."""
    start = size_of(substitute(offset, dict.fromkeys(index, 0)))
    parts = [_mode(offset, v, index, n, start) for v, n in zip(index, lengths, strict=True)]
    plain = [part for part in parts if isinstance(part, list)]
    if len(plain) == len(parts):
        yield _placed(_of_parts(plain), start)
    yield from _swizzles(offset, index, lengths)
    for part in parts:
        if isinstance(part, NoLayoutError):
            raise part


def _placed(layout: Layout, start: Term) -> AnyLayout:
    return layout if start == 0 else ComposedLayout(BitSwizzle(0, 0, 0), start, layout)


def _of_parts(parts: Sequence[Sequence[Mode]]) -> Layout:
    """One mode for each dimension, nested where it has several parts."""
    shape = tuple(p[0][0] if len(p) == 1 else tuple(n for n, _ in p) for p in parts)
    stride = tuple(p[0][1] if len(p) == 1 else tuple(d for _, d in p) for p in parts)
    return made(shape, stride)


def _mode(offset: Expr, v: Expr, index: Sequence[Expr], length: Expr, start: Term) -> list[Mode] | NoLayoutError:
    """The parts of one dimension, or why it has none."""
    alone = substitute(offset, {i: 0 for i in index if i is not v}) - start
    found: list[Mode] | NoLayoutError | None = _by_formula(alone, v, length)
    if found is None and length.op == "const" and int(length) <= MOST_VALUES and variables(alone) in ((v,), ()):
        found = _by_values(alone, v, index, int(length))
    if found is None:
        return NoLayoutError(f"dimension {index.index(v)} of length {length} is {alone}: no sum of floors of {v}")
    if isinstance(found, NoLayoutError):
        return found
    return coalesced(found) or [(size_of(length), 0)]


def _by_formula(alone: Expr, v: Expr, length: Expr) -> list[Mode] | None:
    """From the normal form, which is the sum of floors itself: e₀·v + Σ eₖ·(v div Pₖ)."""
    poly, slopes = normal(alone), dict[Term, Term]()
    for atom in list(poly.atoms()):
        if v not in variables(atom):
            continue
        split = poly.linear_in(atom)
        if split is None or (atom is not v and (atom.op != "div" or atom.args[0] is not v)):
            return None
        threshold = 1 if atom is v else size_of(atom.args[1])
        factor = size_of(recover(split[1]).expr())
        if v in variables(as_expr(threshold), as_expr(factor)):
            return None
        poly, slopes[threshold] = split[0], factor
    if poly.terms:
        return None
    chain = _chain([1, *(p for p in slopes if p != 1)])
    ends = [*chain[1:], size_of(length)] if chain else []
    lengths = [exactly_over(after, p) for p, after in zip(chain or [], ends, strict=True)]
    if chain is None or any(n is None for n in lengths):
        return None
    modes: list[Mode] = []
    stride: Term = 0
    for k, (p, n) in enumerate(zip(chain, lengths, strict=True)):
        assert n is not None
        stride = plus(times(stride, modes[-1][0]) if k else 0, slopes.get(p, 0))
        modes.append((n, stride))
    return modes


def _chain(thresholds: Sequence[Term]) -> list[Term] | None:
    """Thresholds in the order in which each divides the next; None where there is none."""
    left, chain = list(thresholds), list[Term]()
    while left:
        first = next((p for p in left if all(exactly_over(q, p) is not None for q in left)), None)
        if first is None:
            return None
        left.remove(first)
        chain.append(first)
    return chain


def _by_values(alone: Expr, v: Expr, index: Sequence[Expr], length: int) -> list[Mode] | NoLayoutError:
    """From the values: straight up to a first index, which must divide the length, and so on over its multiples."""
    values, modes, step = grid(alone, [v]), list[Mode](), 1
    while step < length:
        found = values[::step]
        stride = int(found[1])
        bent = np.flatnonzero(found != np.arange(len(found)) * stride)
        cut = int(bent[0]) if len(bent) else length // step
        if length // step % cut:
            where = tuple(step * cut if i is v else 0 for i in index)
            return NoLayoutError(
                f"index {tree_text(where)}: dimension {index.index(v)} is straight up to there, and {cut} does not "
                f"divide the {length // step} that are left",
                where,
            )
        modes.append((cut, stride))
        step *= cut
    return modes


def _swizzles(offset: Expr, index: Sequence[Expr], lengths: Sequence[Expr]) -> Iterator[AnyLayout]:
    """Layouts of bits under a swizzle that leaves every bit of the offset to one bit of the index, or to none."""
    count = prod(lengths)
    if any(n.op != "const" or int(n) & (int(n) - 1) for n in lengths) or count.op != "const":
        return
    try:
        maps = LinearMaps([offset], index)
    except NotLinearError:
        return
    start = maps.constants[offset]
    columns = [maps.columns_by(offset, v) for v in index]
    every = [start, *(c for dim in columns for c in dim)]
    width = max(every).bit_length()
    for bits, base, shift in choices(range(1, width // 2 + 1), range(width), _shifts(every)):
        if abs(shift) < bits or base + bits + abs(shift) > width:
            continue
        swizzle = BitSwizzle(bits, base, shift)
        plain = [[int(as_expr(swizzle(c))) for c in dim] for dim in columns]
        first = int(as_expr(swizzle(start)))
        every = [first, *(c for dim in plain for c in dim)]
        if sum(every) == _either(every):
            parts = [coalesced([(2, c) for c in dim]) or [(1, 0)] for dim in plain]
            yield ComposedLayout(swizzle, first, _of_parts(parts))


def _shifts(columns: Sequence[int]) -> list[int]:
    """How far apart two bits are that one bit of the index sets: a swizzle's shift is one of these, up or down."""
    mixed = next((c for c in columns if c.bit_count() > 1), 0)
    places = [n for n in range(mixed.bit_length()) if mixed >> n & 1]
    return sorted({a - b for a in places for b in places if a != b}, key=lambda shift: (abs(shift), -shift))


def _either(numbers: Sequence[int]) -> int:
    total = 0
    for n in numbers:
        total |= n
    return total
