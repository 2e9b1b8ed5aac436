"""The difference query: an exact answer for sums Σ sᵢ·xᵢ over boxes, whatever the strides.

Two points collide exactly when their difference d ≠ 0 has Σ sᵢ·dᵢ = 0 with |dᵢ| < nᵢ: one copy of the variables, and a
linear equation.  The search takes the largest stride first: the smaller ones together reach so far only, and only
multiples of their greatest common divisor g, which leaves few values of each dᵢ: those of one residue, which are
g / gcd(sᵢ, g) apart.  Of two strides nothing is searched: there is one value, or none.  Where the search is too long
all the same, the lattice of such d is reduced (`lattice`).

| strides, lengths  | d             |
|-------------------|---------------|
| (2, 3), (3, 2)    | none: 2·3 = 3·2, but d₀ = 3 is too long |
| (2, 3), (4, 3)    | (3, −2)       |
| (4, 2), (2, 3)    | (1, −2)       |

What it cannot represent: products of variables, and sizes that are not fixed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import gcd

from layoutalg.index import Expr
from layoutalg.prove.obligation import InjectiveMap, Obligation, Point
from layoutalg.prove.outcome import Fails, GaveUp, Holds, Limits, Outcome
from layoutalg.prove.strategies.digits import Digits, in_digits
from layoutalg.prove.strategies.lattice import shortest
from layoutalg.records import dataclass

NAME = "difference"
STEPS = 1 << 12
"""The most partial sums that are looked at."""


def difference(obligation: Obligation, limits: Limits) -> Outcome:
    """Decides injectivity where every output is a sum of constant multiples of variables or their digits."""
    if not isinstance(obligation, InjectiveMap):
        return GaveUp(NAME, "it decides injectivity only")
    form = in_digits(obligation)
    if isinstance(form, str):
        return GaveUp(NAME, form)
    over = list(form.lengths)
    if any(n.op != "const" for n in form.lengths.values()):
        return GaveUp(NAME, "a size is not fixed")
    strides = _strides(form, over)
    if strides is None:
        return GaveUp(NAME, "an output is not linear")
    try:
        found = solve(strides, [int(form.lengths[v]) for v in over])
    except TimeoutError:
        return GaveUp(NAME, f"more than {STEPS} partial sums")
    if found is None:
        return Holds(NAME)
    return Fails(NAME, (_point(obligation, form, over, found, 1), _point(obligation, form, over, found, -1)))


def _strides(form: Digits, over: Sequence[Expr]) -> list[int] | None:
    """One stride for each variable: several outputs as one, each beyond the reach of those after it."""
    total = [0] * len(over)
    place = {v: n for n, v in enumerate(over)}
    for poly in form.outputs:
        own = [0] * len(over)
        for monomial, k in poly.terms.items():
            if not monomial:
                continue
            if len(monomial) != 1 or monomial[0] not in place:
                return None
            own[place[monomial[0]]] = k
        room = 2 * sum(abs(s) * (int(form.lengths[v]) - 1) for s, v in zip(own, over, strict=True)) + 1
        total = [a * room + b for a, b in zip(total, own, strict=True)]
    return total


def solve(strides: Sequence[int], lengths: Sequence[int]) -> list[int] | None:
    """Some d ≠ 0 with Σ sᵢ·dᵢ = 0 and |dᵢ| < nᵢ; None where there is none, TimeoutError where the search is too long.

    >>> solve((2, 3), (3, 2)), solve((2, 3), (4, 3))
    (None, [-3, 2])
    """
    order = sorted((n for n in range(len(strides)) if lengths[n] > 1), key=lambda n: -abs(strides[n]))
    search = _Search.of([strides[n] for n in order], [lengths[n] - 1 for n in order])
    try:
        found = search.below(0, 0, False)
    except TimeoutError:
        found = shortest([strides[n] for n in order], [lengths[n] for n in order])
    if found is None:
        return None
    result = [0] * len(strides)
    for n, d in zip(order, found, strict=True):
        result[n] = d
    return result


@dataclass
class _Search:
    strides: Sequence[int]
    most: Sequence[int]
    reach: Sequence[int]
    divisor: Sequence[int]
    closed: set[tuple[int, int, bool]]
    steps: int = 0

    @staticmethod
    def of(strides: Sequence[int], most: Sequence[int]) -> _Search:
        """With how far the strides from each position on reach, and what divides them all."""
        sizes = [abs(s) * m for s, m in zip(strides, most, strict=True)]
        reach = list(accumulate(reversed(sizes), initial=0))[::-1]
        divisor = list(accumulate(reversed(strides), gcd, initial=0))[::-1]
        return _Search(strides, most, reach, divisor, set())

    def below(self, k: int, total: int, moved: bool) -> list[int] | None:
        """The differences from position k on that bring the total to 0; not all zero unless some before was not."""
        if k == len(self.strides):
            return [] if moved and total == 0 else None
        key = (k, total, moved)
        if key in self.closed:
            return None
        for d in self._steps(k, total, moved):
            self.steps += 1
            if self.steps > STEPS:
                raise TimeoutError
            found = self.below(k + 1, total + self.strides[k] * d, moved or d != 0)
            if found is not None:
                return [d, *found]
        self.closed.add(key)
        return None

    def _steps(self, k: int, total: int, moved: bool) -> range:
        """The differences that leave a rest which those after may make up; of a pair ±d, the positive one alone."""
        stride, most, reach, common = self.strides[k], self.most[k], self.reach[k + 1], self.divisor[k + 1]
        if stride == 0:
            return range(2)
        if stride < 0:
            stride, total = -stride, -total
        low = max(-((total + reach) // stride), -most if moved else 0)
        high = min((reach - total) // stride, most)
        shared = gcd(stride, common)
        if total % shared:
            return range(0)
        apart = common // shared or 1  # no stride is left: the reach is 0, and so is the rest
        residue = -(total // shared) * pow(stride // shared, -1, apart)
        return range(low + (residue - low) % apart, high + 1, apart)


def _point(obligation: InjectiveMap, form: Digits, over: Sequence[Expr], found: Sequence[int], sign: int) -> Point:
    """Of the two points that differ by `found`, the one with its positive or its negative part."""
    digits = {v: max(sign * d, 0) for v, d in zip(over, found, strict=True)}
    point = {v: int(v.value.lo) if v not in form.lengths else 0 for v in obligation.shared}
    for v in obligation.over:
        low = int(v.lo)
        point[v] = low + sum(k * (digits[m[0]] if m else 1) for m, k in form.back[v].terms.items())
    return point
