"""Complements and inverses of layouts, and what takes them apart and puts them together.

| operation               | the result R is the layout with                                                        |
|-------------------------|----------------------------------------------------------------------------------------|
| `complement(L, n)`      | R increasing, (L, R) one-to-one, as dense as L's strides let it be, going on to n       |
| `right_inverse(L)`      | L(R(i)) = i for i below R's size, as far as L's modes reach one after another from 1    |
| `left_inverse(L)`       | R(L(i)) = i for i below L's size                                                       |

All three sort L's modes by stride, and hold where each stride holds what is below it; where it does not, there is a
reason and, where two coordinates have one offset, there are these.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from layoutalg.errors import LayoutError
from layoutalg.index import Expr, Term, add, as_expr, mul, var, variables
from layoutalg.index.evaluate import grid
from layoutalg.interop.cute.compose import by_profile, coalesced
from layoutalg.interop.cute.layout import (
    MOST_VALUES,
    A,
    AnyLayout,
    ComposedLayout,
    Layout,
    NoLayoutError,
    any_layout,
    made,
    mapped,
    of_modes,
    plain,
)
from layoutalg.interop.cute.sizes import at_most, exactly_over, plus, product, quotient, same, size_of, times
from layoutalg.interop.cute.trees import Mode, Tree, coordinate_of, leaves, tree_text
from layoutalg.prove import InjectiveMap, Refuted, prove


def size(layout: AnyLayout) -> Term:
    """The number of coordinates.

    >>> size(Layout((4, (2, 8))))
    64
    """
    return product(leaves(any_layout(layout, "size").shape))


def cosize(layout: AnyLayout) -> Term:
    """The number of elements from the least to the greatest offset, both counted.

    >>> cosize(Layout((4, 8), (10, 1)))
    38
    """
    if isinstance(layout, ComposedLayout):
        return _swizzled_cosize(layout)
    layout = plain(layout, "cosize")
    total: Term = 1
    for n, d in layout.modes:
        total = plus(total, times(plus(n, -1), abs(d) if type(d) is int else _magnitude(layout, as_expr(d))))
    return total


def _swizzled_cosize(layout: ComposedLayout) -> Term:
    """By what a swizzle leaves in its place: whole periods of it without gaps; else by all values."""
    below, swizzle = layout.layout, layout.swizzle
    if swizzle.bits == 0:
        return cosize(below)
    count = size(below)
    if type(count) is int and count <= MOST_VALUES:
        number = var("number", count)
        offset = as_expr(layout(number))
        if offset.op == "const":
            return 1
        if variables(offset) == (number,):
            values = grid(offset, [number])
            return int(values.max() - values.min()) + 1
    whole = all(exactly_over(n, swizzle.period) is not None or same(n, 0) for n in (count, layout.offset))
    if whole and same(size(right_inverse(below)), count):
        return count
    raise NoLayoutError(
        f"cosize of {layout}: how far a swizzle carries is known of at most {MOST_VALUES} values, or of whole periods "
        f"of {swizzle.period} elements without gaps"
    )


def _magnitude(layout: Layout, stride: Expr) -> Term:
    if stride.lo < 0 < stride.hi:
        raise NoLayoutError(f"{layout}: the sign of stride {stride} is not known")
    return times(stride, -1 if stride.lo < 0 else 1)


def rank(layout: AnyLayout) -> int:
    """The number of modes.

    >>> rank(Layout((4, (8, 2))))
    2
    """
    return len(any_layout(layout, "rank"))


def make_layout(*layouts: Layout) -> Layout:
    """The layout whose modes are these.

    >>> make_layout(Layout(4, 2), Layout((2, 8)))
    (4,(2,8)):(2,(1,2))
    """
    if not layouts:
        raise LayoutError("a layout of no modes; the layout of one element is 1:0")
    modes = [plain(one, "a mode") for one in layouts]
    return made(tuple(one.shape for one in modes), tuple(one.stride for one in modes))


def select(layout: A, *modes: int) -> A:
    """The layout of some modes, in the order in which they are named.

    >>> select(Layout((4, 8, 2)), 2, 0)
    (2,4):(32,1)
    """
    have = rank(layout)
    for n in modes:
        if type(size_of(n)) is not int or not 0 <= n < have:
            raise NoLayoutError(f"mode {n} of {layout}: it has {have}, counted from 0")
    return mapped(layout, lambda one: make_layout(*(one[n] for n in modes)))


def filter(layout: A, profile: Tree | None = None) -> A:
    """Coalesced, without modes of stride 0 or shape 1: each offset once; with a profile, mode by mode.

    >>> filter(Layout((2, 4, 3), (0, 1, 4)))
    12:1
    """

    def filtered(part: Layout) -> Layout:
        return of_modes(coalesced([(n, d) for n, d in part.modes if not (type(d) is int and d == 0)]))

    return mapped(layout, lambda one: by_profile(filtered, one, profile))


def complement(layout: Layout, cotarget: Term = 1) -> Layout:
    """The layout that goes on where this one leaves gaps: increasing, one-to-one together with it, up to `cotarget`.

    Modes of stride 0 count once.  NoLayoutError where modes interleave.

    >>> complement(Layout(4, 2), 24), complement(Layout((2, 2), (1, 6)), 24)
    ((2,3):(1,8), (3,2):(2,12))
    """
    return complement_and_whether_it_fills(layout, cotarget)[0]


def complement_and_whether_it_fills(layout: Layout, cotarget: Term) -> tuple[Layout, bool]:
    """The complement: below each mode, what is below it again, as often as that fits; then on to `cotarget`.

    And whether both together leave out nothing below `cotarget`: each stride there is a multiple of what is below.
    """
    if not at_most(1, size_of(cotarget)):
        raise NoLayoutError(f"complement of {layout} up to {cotarget}: it is at least 1")
    layout = plain(layout, "complement")
    reach: Term = 1
    gaps, whole = list[Mode](), True
    for n, d, _ in _nested(layout, "complement"):
        often = quotient(d, reach)
        gaps.append((often, reach))
        whole = whole and (exactly_over(d, reach) is not None or at_most(cotarget, times(often, reach)))
        reach = times(n, d)
    gaps.append((quotient(plus(plus(cotarget, reach), -1), reach), reach))
    return of_modes(coalesced(gaps)), whole


def right_inverse(layout: Layout) -> Layout:
    """The layout R with layout(R(i)) = i for every i below R's size, as far as modes follow one another from 1.

    >>> right_inverse(Layout((4, 8), (8, 1))), right_inverse(Layout(4, 2))
    ((8,4):(4,1), 1:0)
    """
    return of_modes(coalesced(_following(_weighted(plain(layout, "right inverse")), 1)[1]))


def _following(modes: Sequence[tuple[Term, Term, Term]], stride: Term) -> tuple[Term, list[Mode]]:
    """The longest chain of modes each of whose strides is the reach of those before, from a first stride on."""
    best: tuple[Term, list[Mode]] = (stride, [])
    tried = set[Term]()
    for k, (n, d, weight) in enumerate(modes):
        if n not in tried and same(d, stride):
            tried.add(n)
            reach, chain = _following([*modes[:k], *modes[k + 1 :]], times(n, stride))
            if not at_most(reach, best[0]):
                best = (reach, [(n, weight), *chain])
    return best


def left_inverse(layout: Layout) -> Layout:
    """The layout R with R(layout(i)) = i for every i below the layout's size.

    NoLayoutError where two coordinates have one offset, and names them, and where strides do not divide one another.

    >>> left_inverse(Layout((8, 4), (4, 1))), left_inverse(Layout((2, 2), (1, 3)))
    ((4,8):(8,1), (3,2):(1,2))
    """
    layout = plain(layout, "left inverse")
    modes = _nested(layout, "left inverse")
    found, extra = list[Mode](), product(n for n, _, _ in modes)
    reach: Term = 1
    strides = [d for _, d, _ in modes]
    if modes and not same(strides[0], 1):
        found.append((strides[0], extra))
        extra = times(extra, strides[0])
    for k, (n, d, weight) in enumerate(modes):
        reach = times(n, d)
        if k + 1 == len(modes):
            found.append((n, weight))
            continue
        over, gap = exactly_over(strides[k + 1], d), exactly_over(strides[k + 1], reach)
        if gap is not None:
            found += [(n, weight), (gap, extra)]
            extra = times(extra, gap)
        elif over is not None:
            found.append((over, weight))
        else:
            raise NoLayoutError(
                f"left inverse of {layout}: stride {strides[k + 1]} is no multiple of stride {d}; "
                "layoutalg.interop.cute.descriptor(layout).upper is the map back where it has one"
            )
    return of_modes(coalesced(found)) if found else made(1, 0)


# --- modes in order ---------------------------------------------------------------------------------------------------


def _weighted(layout: Layout) -> list[tuple[Term, Term, Term]]:
    """The modes longer than 1, each with its stride and its weight in the number of a coordinate."""
    found = list[tuple[Term, Term, Term]]()
    weight: Term = 1
    for n, d in layout.modes:
        if not (type(n) is int and n == 1):
            found.append((n, d, weight))
        weight = times(weight, n)
    return found


def _nested(layout: Layout, what: str) -> list[tuple[Term, Term, Term]]:
    """The modes by stride, those of stride 0 left out, where each stride holds all of the mode below it."""
    zero_counts = what == "left inverse"
    left = [m for m in _weighted(layout) if zero_counts or not (type(m[1]) is int and m[1] == 0)]
    for n, d, _ in left:
        if d != 0 and (d if type(d) is int else as_expr(d).lo) < 1:
            raise NoLayoutError(f"{what} of {layout}: the mode {n}:{d} does not go upwards; reverse it")
    ordered = _ordered(left)
    if any(d == 0 for _, d, _ in left) or not all(
        at_most(times(n, d), after) for (n, d, _), (_, after, _) in pairwise(ordered)
    ):
        raise _interleaved(layout, what, left)
    return ordered


def _stride(mode: tuple[Term, Term, Term]) -> int:
    assert isinstance(mode[1], int)
    return mode[1]


def _ordered(modes: Sequence[tuple[Term, Term, Term]]) -> list[tuple[Term, Term, Term]]:
    """By stride; where sizes are open, such that each is shown to be at most the next, as far as it is."""
    if all(type(d) is int for _, d, _ in modes):
        return sorted(modes, key=_stride)
    left, found = list(modes), list[tuple[Term, Term, Term]]()
    while left:
        least = next((m for m in left if all(at_most(times(m[0], m[1]), o[1]) for o in left if o is not m)), left[0])
        left.remove(least)
        found.append(least)
    return found


def _interleaved(layout: Layout, what: str, left: Sequence[tuple[Term, Term, Term]]) -> NoLayoutError:
    """Why modes have no order: two coordinates of one offset, where there are."""
    if all(type(n) is int and type(d) is int for n, d in layout.modes):
        modes = layout.modes
        index = [var(f"c{k}", n) for k, (n, d) in enumerate(modes)]
        over = [v for v, (n, d) in zip(index, modes, strict=True) if n != 1 and (d != 0 or what == "left inverse")]
        total = add(0, *(mul(v, d) for v, (_, d) in zip(index, modes, strict=True) if v in over))
        verdict = prove(InjectiveMap("offsets differ", tuple(over), (total,)))
        if isinstance(verdict, Refuted):
            one, other = (
                _number([point.get(v.value.name, 0) if v.op == "var" else 0 for v in index], layout)
                for point in verdict.witness.points
            )
            at = [coordinate_of(number, layout.shape) for number in (one, other)]
            return NoLayoutError(
                f"{what} of {layout}: there is none, {tree_text(at[0])} and {tree_text(at[1])} both have offset "
                f"{layout(one)}",
                at[1],
            )
        return NoLayoutError(f"{what} of {layout}: its modes interleave, {_listed(left)}; it is not one by modes")
    return NoLayoutError(f"{what} of {layout}: that its modes do not interleave is not shown for all sizes")


def _number(digits: Sequence[int], layout: Layout) -> int:
    total, weight = 0, 1
    for digit, n in zip(digits, leaves(layout.shape), strict=True):
        total, weight = total + digit * weight, weight * int(as_expr(n))
    return total


def _listed(modes: Sequence[tuple[Term, Term, Term]]) -> str:
    return " and ".join(f"{n}:{d}" for n, d, _ in modes[:2])
