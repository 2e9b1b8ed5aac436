"""Composition: the layout that is A(B(c)) for every coordinate c of B, or the reason and a coordinate where none is.

With P₀ = 1, P₁ = n₀, P₂ = n₀·n₁ …, the digits of x are differences of floors, so that a layout is a sum of floors:

    A(x) = Σ eₖ·⌊x / Pₖ⌋,    e₀ = d₀,    eₖ = dₖ − nₖ₋₁·dₖ₋₁    (Pₖ divides Pₖ₊₁)

Coalesced, no eₖ but e₀ is 0, and the sum is the normal form: two layouts of one size are one function exactly where
their coalesced modes are the same.  What A does along one mode s of B, j ↦ A(s·j), follows from it:

| where                        | ⌊s·j / Pₖ⌋ is                            | so the mode                              |
|------------------------------|------------------------------------------|------------------------------------------|
| Pₖ divides s                 | (s / Pₖ)·j                               | goes on                                  |
| s divides Pₖ, q = Pₖ / s     | ⌊j / q⌋                                  | is cut at q, which must divide its shape  |
| neither                      | straight up to the first j where it is not | is cut there, if at all                 |

The modes together are A∘B where no Pₖ is passed by their sum alone, Σ (nᵢ−1)·(sᵢ mod Pₖ) < Pₖ.  Else the prover says
whether A(Σ sᵢjᵢ) = Σ A(sᵢjᵢ): carries may cancel, and where they do not, its counterexample is the coordinate.
(The first two rows are all that CuTe's own composition looks at; it assumes that the rest holds.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from layoutalg.index import Expr, Term, add, as_expr, eq, mul, value, var, variables
from layoutalg.interop.cute.layout import (
    A,
    AnyLayout,
    ComposedLayout,
    Layout,
    NoLayoutError,
    any_layout,
    evaluated,
    made,
    mapped,
    of_modes,
)
from layoutalg.interop.cute.sizes import at_most, exactly_over, plus, product, remainder, same, times
from layoutalg.interop.cute.swizzle import BitSwizzle
from layoutalg.interop.cute.trees import Mode, Tree, tree_text
from layoutalg.prove import ForAll, Limits, Proved, Refuted, prove
from layoutalg.records import dataclass

Tiler = AnyLayout | int | Expr | tuple["Tiler | None", ...] | None
"""A layout; a number n for n:1; a tuple of them, mode by mode; None, which leaves a mode as it is."""
MOST_CUTS = 1 << 12
"""How many places are looked at where a stride and a shape do not divide one another."""
LIMITS = Limits(seconds=5.0)


def coalesced(modes: Sequence[Mode]) -> list[Mode]:
    """The fewest flat modes that are the same function of one number below the size."""
    found: list[Mode] = []
    for n, d in modes:
        if type(n) is int and n == 1:
            continue
        if found and same(times(*found[-1]), d):
            found[-1] = times(found[-1][0], n), found[-1][1]
        else:
            found.append((n, d))
    return found


def coalesce(layout: A, profile: Tree | None = None) -> A:
    """The same function with the fewest modes; with a tuple as profile, mode by mode.

    >>> coalesce(Layout((2, (1, 6)), (1, (6, 2)))), coalesce(Layout(((2, 2), (2, 2)), ((1, 2), (8, 16))), (1, 1))
    (12:1, (4,4):(1,8))
    """
    return mapped(layout, lambda one: by_profile(lambda part: of_modes(coalesced(part.modes)), one, profile))


def by_profile(operation: Callable[[Layout], Layout], layout: Layout, profile: Tree | None) -> Layout:
    """An operation on a layout, or where the profile is a tuple, on each mode with its part of that; others stay."""
    if not isinstance(profile, tuple):
        return operation(layout)
    if len(profile) > len(layout):
        raise NoLayoutError(f"a profile of {len(profile)} modes for {layout}")
    modes = [by_profile(operation, one, part) for one, part in zip(layout, profile, strict=False)]
    modes += list(layout)[len(profile) :]
    return made(tuple(m.shape for m in modes), tuple(m.stride for m in modes))


def composition(outer: AnyLayout | BitSwizzle, inner: Tiler) -> AnyLayout:
    """The layout R with R(c) = outer(inner(c)) for every coordinate c of inner, whose shape it has or refines.

    With a tuple, mode by mode.  NoLayoutError where no layout is that function; `descriptor(outer, inner)` always is.

    >>> composition(Layout((6, 2), (8, 2)), Layout((4, 3), (3, 1)))
    ((2,2),3):((24,2),8)
    >>> try:
    ...     composition(Layout((6, 4), (4, 1)), Layout((3, 2), (2, 3)))
    ... except NoLayoutError as error:
    ...     print(str(error).split(";")[0], error.coordinate)
    (6,4):(4,1) o (3,2):(2,3) is no layout: at (2,1) it is 5, but its modes add up to 28 (2, 1)
    """
    if not isinstance(outer, BitSwizzle):
        outer = any_layout(outer, "composition")
    if inner is None:
        return _plain_or_composed(outer)
    if isinstance(inner, tuple):
        return _by_mode(outer, inner)
    below = inner if isinstance(inner, Layout | ComposedLayout) else Layout(inner)
    if isinstance(below, ComposedLayout):
        return _over_composed(outer, below)
    if isinstance(outer, BitSwizzle):
        return ComposedLayout(outer, 0, below)
    if isinstance(outer, ComposedLayout):
        return ComposedLayout(outer.swizzle, outer.offset, composed(outer.layout, below))
    return composed(outer, below)


def _plain_or_composed(outer: AnyLayout | BitSwizzle) -> AnyLayout:
    if isinstance(outer, BitSwizzle):
        raise NoLayoutError(f"{outer} alone has no shape; compose it with a layout")
    return outer


def _by_mode(outer: AnyLayout | BitSwizzle, tilers: tuple[Tiler, ...]) -> AnyLayout:
    if isinstance(outer, BitSwizzle):
        raise NoLayoutError(f"{outer} alone has no modes; compose it with a layout")
    return mapped(outer, lambda below: by_mode(lambda one, tiler: _layout(composition(one, tiler)), below, tilers))


def by_mode(operation: Callable[[Layout, Tiler], Layout], layout: Layout, tilers: tuple[Tiler, ...]) -> Layout:
    """An operation on each mode with its tiler; modes without one stay."""
    if len(tilers) > len(layout):
        raise NoLayoutError(f"{len(tilers)} tilers for the {len(layout)} modes of {layout}")
    modes = [operation(one, tiler) for one, tiler in zip(layout, tilers, strict=False)]
    modes += list(layout)[len(tilers) :]
    return made(tuple(m.shape for m in modes), tuple(m.stride for m in modes))


def _layout(layout: AnyLayout) -> Layout:
    if isinstance(layout, ComposedLayout):
        raise NoLayoutError(f"{layout} as a mode: a swizzle takes the sum of all modes")
    return layout


def _over_composed(outer: AnyLayout | BitSwizzle, inner: ComposedLayout) -> AnyLayout:
    if inner.swizzle.bits == 0 and inner.offset == 0:
        return composition(outer, inner.layout)
    if isinstance(outer, BitSwizzle) and inner.swizzle.bits == 0:
        return ComposedLayout(outer, inner.offset, inner.layout)
    raise NoLayoutError(
        f"{outer} o ({inner}): a swizzle is written over a layout, not under one; "
        "layoutalg.interop.cute.descriptor(outer, inner) is the map"
    )


# --- layouts over layouts ---------------------------------------------------------------------------------------------


class _Digit(NamedTuple):
    """A part of a mode of B, along which A∘B is straight: its length, B's step along it, and A∘B's."""

    length: Term
    step: Term
    stride: Term


@dataclass(frozen=True)
class Floors:
    """A layout as a sum of floors: its modes, and P₀ … Pₖ."""

    modes: tuple[Mode, ...]
    thresholds: tuple[Term, ...]

    @staticmethod
    def of(layout: Layout) -> Floors:
        """The floors of the function of every number ≥ 0, so that the last mode counts even where its shape is 1."""
        modes = layout.modes
        kept = [*coalesced(modes[:-1])]
        if kept and same(times(*kept[-1]), modes[-1][1]):
            kept[-1] = times(kept[-1][0], modes[-1][0]), kept[-1][1]
        else:
            kept.append(modes[-1])
        found: list[Term] = [1]
        for n, _ in kept[:-1]:
            found.append(times(found[-1], n))
        return Floors(tuple(kept), tuple(found))

    def coefficient(self, k: int) -> Term:
        """eₖ."""
        d = self.modes[k][1]
        return plus(d, times(-1, times(*self.modes[k - 1]))) if k else d

    def straight(self, length: Term, step: Term) -> tuple[Term, Term]:
        """The first j ≥ 1 from which A(step·j) = j·A(step) fails, the length where it does not below it; and A(step).

        (A(step) only where the length, and that j, is 2 or more: else there is no step.)
        """
        stride = times(step, self.modes[0][1])
        for k, p in enumerate(self.thresholds[1:], 1):
            over = exactly_over(step, p)
            if over is not None:
                stride = times(over, self.modes[k][1])
                continue
            q = exactly_over(p, step)
            if q is not None:
                return length if at_most(length, q) else q, stride
            if at_most(plus(times(plus(length, -1), step), 1), p):
                return length, stride
            if not isinstance(length, int) or not self.are_numbers or not isinstance(step, int):
                raise NoLayoutError(
                    f"whether {step} divides {p}, or {p} divides {step}, is not shown for all sizes: give a size "
                    "multiple_of such that one does"
                )
            return self._searched(length, step), evaluated(self.modes, step)
        return length, stride

    @property
    def are_numbers(self) -> bool:
        """Whether no size is open."""
        return all(type(n) is int and type(d) is int for n, d in self.modes)

    def _searched(self, length: int, step: int) -> int:
        """`straight` for numbers of which none divides the other: the first jump of the floors that nothing cancels."""
        jumps: dict[Fraction, int] = {}
        for k, p in enumerate(self.thresholds):
            assert isinstance(p, int)
            e = self.coefficient(k)
            assert isinstance(e, int)
            part = Fraction(step % p, p)
            jumps[part] = jumps.get(part, 0) + e
        jumps = {part: e for part, e in jumps.items() if part and e}
        j = 1
        for _ in range(MOST_CUTS):
            j = min((-(-(j * part // 1 + 1) // part) for part in jumps), default=length)
            if j >= length:
                return length
            if sum(e * (j * part // 1) for part, e in jumps.items()):
                return j
        raise NoLayoutError(f"along a stride of {step} the first {MOST_CUTS} cuts cancel; it is left undecided", j)

    def carried(self, digits: Sequence[_Digit]) -> Term | None:
        """A threshold that the digits' sum may pass though none does alone; None where there is none."""
        for p in self.thresholds[1:]:
            total: Term = 0
            for digit in digits:
                total = plus(total, times(plus(digit.length, -1), remainder(digit.step, p)))
            if not at_most(plus(total, 1), p):
                return p
        return None


def composed(outer: Layout, inner: Layout) -> Layout:
    """`composition` of two layouts."""
    floors = Floors.of(outer)
    cut = [_digits(outer, inner, floors, leaf) for leaf in range(len(inner.modes))]
    if len(floors.thresholds) > 1:
        every = [digit for digits in cut for digit in digits]
        if len(every) > 1 and floors.carried(every) is not None:
            _refuse_carries(outer, inner, floors, cut)
    return made(*_refined(inner.shape, iter(cut)))


def _refined(shape: Tree, cut: Iterator[list[_Digit]]) -> tuple[Tree, Tree]:
    """The tree of B's shape with its cut modes in the places of its numbers."""
    if isinstance(shape, tuple):
        both = [_refined(part, cut) for part in shape]
        return tuple(s for s, _ in both), tuple(d for _, d in both)
    digits = next(cut)
    if len(digits) == 1:
        return digits[0].length, digits[0].stride
    return tuple(d.length for d in digits), tuple(d.stride for d in digits)


def _digits(outer: Layout, inner: Layout, floors: Floors, leaf: int) -> list[_Digit]:
    """The parts of one mode of B."""
    length, step = inner.modes[leaf]
    if length == 1 or step == 0:
        return [_Digit(length, 0, 0)]
    if (step if type(step) is int else as_expr(step).lo) < 0:
        raise NoLayoutError(
            f"{outer} o {inner}: {inner} is {step} at {tree_text(_only(inner, leaf, 1))}, and {outer} has no "
            "negative coordinate",
            _only(inner, leaf, 1),
        )
    found: list[_Digit] = []
    while True:
        try:
            q, stride = floors.straight(length, step)
        except NoLayoutError as error:
            raise NoLayoutError(f"{outer} o {inner}: {error}", error.coordinate) from None
        if q is length or q == length:
            return [*found, _Digit(length, step, stride)]
        over = exactly_over(length, q)
        if over is None:
            raise _no_cut(outer, inner, leaf, q, length, step)
        found.append(_Digit(q, step, stride))
        length, step = over, times(step, q)


def _no_cut(outer: Layout, inner: Layout, leaf: int, q: Term, length: Term, step: Term) -> NoLayoutError:
    whole, first = inner.modes[leaf]
    if type(q) is not int or type(length) is not int:
        return NoLayoutError(
            f"{outer} o {inner}: the mode {whole}:{first} is cut every {q}; it needs that "
            f"{q} divides {length}, or {length} <= {q}, which is not shown for all sizes"
        )
    at = exactly_over(times(step, q), first)
    where = _only(inner, leaf, at if at is not None else q)
    return NoLayoutError(
        f"{outer} o {inner} is no layout: the mode {whole}:{first} is straight up to "
        f"{tree_text(where)}, and {q} does not divide the {length} that are left; "
        "layoutalg.interop.cute.descriptor(outer, inner) is the map",
        where,
    )


def _only(layout: Layout, leaf: int, number: Term) -> Tree:
    """The coordinate that is `number` along one leaf, and 0 along the others."""
    return placed(layout.shape, [number if n == leaf else 0 for n in range(len(layout.modes))])


def placed(shape: Tree, numbers: Sequence[Term]) -> Tree:
    """A coordinate of the shape from its numbers, left to right.

    >>> placed((4, (2, 8)), [3, 1, 5])
    (3, (1, 5))
    """
    left = iter(numbers)

    def put(part: Tree) -> Tree:
        return tuple(map(put, part)) if isinstance(part, tuple) else next(left)

    return put(shape)


def _refuse_carries(outer: Layout, inner: Layout, floors: Floors, cut: Sequence[Sequence[_Digit]]) -> None:
    """NoLayoutError unless the modes add up all the same, since what they carry cancels."""
    index = [[var(f"c{n}.{k}", d.length) for k, d in enumerate(digits)] for n, digits in enumerate(cut)]
    pairs = [(v, d) for vs, ds in zip(index, cut, strict=True) for v, d in zip(vs, ds, strict=True)]
    whole = evaluated(floors.modes, add(0, *(mul(v, d.step) for v, d in pairs)))
    parts = add(0, *(mul(v, d.stride) for v, d in pairs))
    verdict = prove(ForAll("the modes add up", eq(whole, parts)), limits=LIMITS)
    if isinstance(verdict, Proved):
        return
    if not isinstance(verdict, Refuted):
        raise NoLayoutError(
            f"{outer} o {inner}: that no sum of its modes passes {floors.carried([d for _, d in pairs])} is not shown "
            f"for all sizes; {verdict.reason}"
        )
    point = {v: verdict.witness.points[0].get(v.value.name, 0) for v in variables(as_expr(whole), parts)}
    numbers = [
        sum(point.get(v, 0) * value(as_expr(product(d.length for d in ds[:k])), point) for k, v in enumerate(vs))
        for vs, ds in zip(index, cut, strict=True)
    ]
    where = placed(inner.shape, numbers)
    sizes = "".join(f", {v} = {n}" for v, n in point.items() if not v.value.index)
    raise NoLayoutError(
        f"{outer} o {inner} is no layout: at {tree_text(where)}{sizes} it is {value(as_expr(whole), point)}, but its "
        f"modes add up to {value(parts, point)}; layoutalg.interop.cute.descriptor(outer, inner) is the map",
        where,
    )
