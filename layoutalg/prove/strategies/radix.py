"""The mixed-radix rule: sums whose strides stand apart are injective; microseconds, sizes may be symbols.

Σ xᵢ·sᵢ is injective over 0 ≤ xᵢ < nᵢ where, largest stride first, sᵢ > Σ sⱼ·xⱼ over those below: by their lengths, or
because a condition on the point says so, as the guard of rows does where tiles overhang them:

    b·Q + t·128 + l    over b, t, l < 128    where t·128 + l < Q

Sufficient only: strides (2, 3) with lengths (3, 2) are injective and violate it (the difference query decides those).
Each output may take its own share of the variables: (x, y) ↦ (x, y) and (m, k0, k) ↦ m·s + k0·t + k alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from layoutalg.index import ONE, Expr, add, conjuncts, variables
from layoutalg.index.normal import nonnegative, normal
from layoutalg.index.poly import Poly
from layoutalg.index.radix import affine, slowest_first
from layoutalg.prove.obligation import InjectiveMap, Obligation
from layoutalg.prove.outcome import GaveUp, Holds, Limits, Outcome
from layoutalg.prove.strategies.digits import in_digits

NAME = "mixed radix"


def mixed_radix(obligation: Obligation, limits: Limits) -> Outcome:
    """Decides `InjectiveMap` where the outputs are sums of multiples of the variables or of their digits."""
    if not isinstance(obligation, InjectiveMap):
        return GaveUp(NAME, "it decides injectivity only")
    form = in_digits(obligation)
    if isinstance(form, str):
        return GaveUp(NAME, form)
    rest = {v: n for v, n in form.lengths.items() if n is not ONE}
    known = [poly for least in _at_least_0(obligation.given) if (poly := form.read(normal(least))) is not None]
    polys = list(form.outputs)
    progress = True
    while rest and progress:
        progress = False
        for i, poly in enumerate(polys):
            taken = _separable(poly, rest, known)
            if taken:
                progress = True
                for v in taken:
                    del rest[v]
                # The output is known to determine these: they count as constants in every other output.
                polys[i] = Poly({})
    return Holds(NAME) if not rest else GaveUp(NAME, f"{', '.join(map(repr, rest))}: no stride stands above the rest")


def _at_least_0(given: Expr) -> Iterator[Expr]:
    """What the conditions on a point say is not negative."""
    for part in conjuncts(given):
        if part.op in ("le", "lt"):
            yield part.args[1] - part.args[0] - (part.op == "lt")


def _separable(poly: Poly, rest: dict[Expr, Expr], known: Sequence[Poly]) -> list[Expr]:
    """The variables that the polynomial determines: all that occur in it, or none."""
    occurring = set(variables(*poly.atoms()))
    form = affine(poly, [v for v in rest if v in occurring])
    if form is None or not all(map(nonnegative, form.strides.values())):
        return []

    def stands_above(top: Expr, below: Sequence[Expr]) -> bool:
        """Whether a stride is above what those below it add up to, none of which is negative."""
        reach = add(0, *((rest[v] - 1) * form.strides[v] for v in below))
        if nonnegative(form.strides[top] - reach - 1):
            return True
        room = form.strides[top] - add(0, *(v * form.strides[v] for v in below))
        return any(_follows(room, one) for one in known)

    return slowest_first(form.strides, stands_above) or []


def _follows(room: Expr, known: Poly) -> bool:
    """Whether room ≥ 1 since known ≥ 0: j·room − k·known ≥ 1 for some j, k > 0, with which terms cancel."""
    mine = normal(room)
    shared = ((k, mine.terms.get(monomial, 0)) for monomial, k in known.terms.items() if monomial)
    ratios = dict.fromkeys(Fraction(abs(k), abs(own)) for k, own in shared if k * own > 0)
    return any(nonnegative(room * one.numerator - known.expr() * one.denominator - 1) for one in ratios)
