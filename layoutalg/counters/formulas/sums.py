"""How many points of a box satisfy conditions, as a formula in the sizes.

    |{(b, w) : 0 ≤ b < G, 0 ≤ w < 4, 256·b + 64·w < n}|  =  min(4·G, ⌈n / 64⌉)      where n ≥ 1

A box has an index for each block, wave and iteration, each from 0 to below its extent, which sizes may say; that of a
loop that lanes leave for themselves has none.  Each step keeps the number of points:

| conditions | step |
|---|---|
| one without indices | a choice between the rest and 0 |
| i = e, e without i | e in place of i, where 0 ≤ e < its extent |
| a denial; one of several | all points, less those of which none of them holds |
| two orders that differ by a number without indices | the stricter |
| an order, and one that is less by so much of each index | the second, since indices are at least 0 |
| orders without a common index | the product of both |
| Σ aₖ·iₖ ≤ c alone, aₖ > 0, each aₖ₊₁ = aₖ·extentₖ | Σ aₖ·iₖ is a₁·q, q any below Π extents: ⌊c / a₁⌋ + 1, or all |
| several, of one index alone | from the greatest of what they ask at least to the least of what they ask at most |
| others, an index below a number that is small | the sum over its values |

A negative aₖ turns its index round: i becomes extent − 1 − i.
What it cannot represent: extents that depend on other indices, products of indices, remainders of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import permutations

from layoutalg.index import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Expr,
    InexpressibleError,
    all_of,
    conjuncts,
    const,
    div,
    maximum,
    minimum,
    negation,
    prod,
    select,
    simplify,
    slack,
    substitute,
    variables,
)
from layoutalg.records import dataclass

#: Values of an index over which is summed, at most; and how often conditions are taken apart.
MOST_VALUES, MOST_PARTS = 64, 6

Holds = Callable[[Expr], bool]
"""Whether something holds of all sizes."""


@dataclass(frozen=True)
class CountIndex:
    """An index of the box: 0 ≤ variable < extent; None where only conditions limit it."""

    variable: Expr
    extent: Expr | None


class NotCountedError(ValueError):
    """No formula is seen; says what for."""


def count(indices: Sequence[CountIndex], conditions: Sequence[Expr], holds: Holds, depth: int = 0) -> Expr:
    """The number of points.  Raises `NotCountedError`.

    >>> from layoutalg.index import symbol, var
    >>> n, b, w = symbol("n", min=1), var("b", 1 << 20), var("w", 4)
    >>> box = CountIndex(b, div(n + 255, 256)), CountIndex(w, const(4))
    >>> count(box, [b * 256 + w * 64 < n], lambda goal: goal is TRUE)
    min((n + 63) // 64, (n + 255) // 256 * 4)
    """
    return _Box(tuple(indices), holds, depth).count([part for one in conditions for part in conjuncts(simplify(one))])


@dataclass(frozen=True)
class _Box:
    indices: tuple[CountIndex, ...]
    holds: Holds
    depth: int = 0

    @property
    def variables(self) -> frozenset[Expr]:
        return frozenset(one.variable for one in self.indices)

    def of(self, e: Expr) -> frozenset[Expr]:
        """The indices that a term is of."""
        return self.variables.intersection(variables(e))

    def again(self, indices: Sequence[CountIndex], parts: Sequence[Expr]) -> Expr:
        if self.depth >= MOST_PARTS:
            raise NotCountedError("too many conditions")
        return count(indices, parts, self.holds, self.depth + 1)

    def count(self, parts: Sequence[Expr]) -> Expr:
        """The number of points that satisfy all parts."""
        parts = [part for part in dict.fromkeys(parts) if part is not TRUE]
        if FALSE in parts:
            return ZERO
        for one in self.indices:
            if one.extent is not None and (of := self.of(one.extent)):
                raise NotCountedError(f"how far {one.variable} goes is said by {', '.join(map(str, of))}")
        fixed = [part for part in parts if not self.of(part)]
        if fixed:
            rest = self.count([part for part in parts if self.of(part)])
            return simplify(select(all_of(*fixed), rest, ZERO))
        for part in parts:
            others = [other for other in parts if other is not part]
            if part.op == "eq" and (found := self._pinned(part, others)) is not None:
                return found
            if part.op in ("any", "not"):
                every = self.again(self.indices, others)
                return simplify(every - self.again(self.indices, [*others, negation(part)]))
        return self._orders([self._line(part) for part in parts])

    def _pinned(self, part: Expr, others: Sequence[Expr]) -> Expr | None:
        """The count where an equation says what an index is."""
        room = simplify(part.args[0] - part.args[1])
        for one in self.indices:
            step = self._step(room, one.variable)
            if step is None or (step is not ONE and simplify(ZERO - step) is not ONE):
                continue
            at = simplify(substitute(room, {one.variable: ZERO}))
            value = simplify(ZERO - at) if step is ONE else at
            inside = [value >= 0, *([value < one.extent] if one.extent is not None else [])]
            rest = [simplify(substitute(other, {one.variable: value})) for other in others]
            left = [other for other in self.indices if other is not one]
            return self.again(left, [*inside, *rest])
        return None

    def _step(self, e: Expr, v: Expr) -> Expr | None:
        """How much a term grows with an index, if always as much."""
        try:
            step = simplify(substitute(e, {v: v + 1}) - e)
        except InexpressibleError:  # a table ends before
            return None
        return None if self.of(step) else step

    def _line(self, part: Expr) -> _Line:
        room = slack(part)
        if room is None:
            raise NotCountedError(f"where {part}")
        room = simplify(room)
        steps: dict[Expr, Expr] = {}
        for v in self.of(room):
            step = self._step(room, v)
            if step is None:
                return _Line({}, room, self.of(room))
            steps[v] = step
        rest = simplify(room - sum((step * v for v, step in steps.items()), start=ZERO))
        return _Line(steps, rest, frozenset()) if not self.of(rest) else _Line({}, room, self.of(room))

    def _orders(self, lines: Sequence[_Line]) -> Expr:
        """The number of points where all these are at least 0."""
        merged: list[_Line] = []
        for line in lines:
            alike = next((n for n, one in enumerate(merged) if not line.bent and one.steps == line.steps), None)
            if alike is None:
                merged.append(line)
            else:
                merged[alike] = replace(line, rest=self.least(merged[alike].rest, line.rest))
        merged = [line for line in merged if not any(other.implies(line) for other in merged)]
        total, left = ONE, list(self.indices)
        while left:
            group, found = {left[0].variable}, list[_Line]()
            while more := [line for line in merged if line not in found and not group.isdisjoint(line.of)]:
                found += more
                group.update(*(line.of for line in more))
            total = total * self._group([one for one in left if one.variable in group], found)
            left = [one for one in left if one.variable not in group]
        return simplify(total)

    def _group(self, indices: Sequence[CountIndex], lines: Sequence[_Line]) -> Expr:
        if not lines:
            if any(one.extent is None for one in indices):
                raise NotCountedError(f"nothing is seen to limit {indices[0].variable}")
            return prod([self.least(one.extent, ZERO, most=True) for one in indices if one.extent is not None])
        if len(lines) == 1 and not lines[0].bent and (found := self._chain(indices, lines[0])) is not None:
            return found
        if len(indices) == 1 and not any(line.bent for line in lines):
            return self._between(indices[0], lines)
        for one in indices:
            if one.extent is not None and one.extent.op == "const" and one.extent.value <= MOST_VALUES:
                rest = [other for other in indices if other is not one]
                return self._summed(one, rest, lines)
        raise NotCountedError(f"where {' and '.join(f'{line.room} >= 0' for line in lines)}")

    def _between(self, one: CountIndex, lines: Sequence[_Line]) -> Expr:
        """The number of values that one index may have by several orders."""
        low, high = ZERO, None if one.extent is None else one.extent - 1
        for line in lines:
            step = line.steps[one.variable]
            if self.holds(step <= -1):
                most = div(line.rest, ZERO - step)
                high = most if high is None else self.least(high, most)
            elif self.holds(step >= 1):
                low = self.least(low, ZERO - div(line.rest, step), most=True)  # the least i with step·i >= -rest
            else:
                raise NotCountedError(f"where {line.room} >= 0")
        if high is None:
            raise NotCountedError(f"nothing is seen to limit {one.variable}")
        return self.least(high - low + 1, ZERO, most=True)

    def _summed(self, one: CountIndex, rest: Sequence[CountIndex], lines: Sequence[_Line]) -> Expr:
        """The sum over the values of an index, equal ones together."""
        cases: dict[tuple[Expr, ...], int] = {}
        assert one.extent is not None
        for value in range(int(one.extent.value)):
            case = tuple(simplify(substitute(line.room, {one.variable: const(value)}) >= 0) for line in lines)
            cases[case] = cases.get(case, 0) + 1
        return simplify(sum((self.again(rest, case) * times for case, times in cases.items()), start=ZERO))

    def _chain(self, indices: Sequence[CountIndex], line: _Line) -> Expr | None:
        """The number of points of one order whose indices count on from each other."""
        steps, most = dict[Expr, Expr](), line.rest
        for one in indices:
            step = line.steps[one.variable]
            if self.holds(step <= -1):
                steps[one.variable] = simplify(ZERO - step)
            elif self.holds(step >= 1) and one.extent is not None:
                steps[one.variable] = step
                most = most + step * (one.extent - 1)
            else:
                return None
        for way in permutations(indices):
            extents = [one.extent for one in way]
            if any(extent is None for extent in extents[:-1]):
                continue
            reach = [steps[a.variable] * a.extent for a in way[:-1] if a.extent is not None]
            if any(simplify(steps[b.variable] - end) is not ZERO for b, end in zip(way[1:], reach, strict=True)):
                continue
            found = self.least(div(simplify(most), steps[way[0].variable]) + 1, ZERO, most=True)
            last = extents[-1]
            if last is None:
                return found
            whole = [extent for extent in extents[:-1] if extent is not None]  # at least 1, as steps are
            return self.least(found, prod([*whole, self.least(last, ZERO, most=True)]))
        return None

    def least(self, one: Expr, other: Expr, most: bool = False) -> Expr:
        """The lesser of two; the greater, if `most`."""
        one, other = simplify(one), simplify(other)
        if self.holds(one <= other):
            return other if most else one
        if self.holds(other <= one):
            return one if most else other
        return simplify(maximum(one, other) if most else minimum(one, other))


@dataclass(frozen=True)
class _Line:
    """What is at least 0: so much for each index, and a rest without any; `bent`: indices of which it is no line."""

    steps: dict[Expr, Expr]
    rest: Expr
    bent: frozenset[Expr]

    @property
    def of(self) -> frozenset[Expr]:
        return self.bent or frozenset(self.steps)

    def implies(self, other: _Line) -> bool:
        """Whether the other is greater by no less than 0 of each index, and not the same."""
        if self is other or self.bent or other.bent or self.steps == other.steps:
            return False
        more = [other.steps.get(v, ZERO) - self.steps.get(v, ZERO) for v in {*self.steps, *other.steps}]
        each = [simplify(one) for one in (*more, other.rest - self.rest)]
        return all(one.op == "const" and one.value >= 0 for one in each)

    @property
    def room(self) -> Expr:
        return self.rest + sum((step * v for v, step in self.steps.items()), start=ZERO)
