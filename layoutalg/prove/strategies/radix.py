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
from layoutalg.index.normal import nonnegative, normal, recover
from layoutalg.index.poly import Poly
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
    strides: dict[Expr, Expr] = {}
    for v in rest:
        if not any(v in variables(a) for a in poly.atoms()):
            continue
        parts = poly.linear_in(v)
        if parts is None or any(v in variables(a) for a in parts[0].atoms()):
            return []
        strides[v] = recover(parts[1]).expr()
        if any(w in variables(strides[v]) for w in rest):
            return []
        poly = parts[0]
    if any(w in variables(a) for a in poly.atoms() for w in rest):
        return []
    remaining = dict(strides)
    while remaining:
        top = next((v for v in remaining if _stands_above(v, remaining, rest, known)), None)
        if top is None:
            return []
        del remaining[top]
    return list(strides)


def _stands_above(top: Expr, strides: dict[Expr, Expr], lengths: dict[Expr, Expr], known: Sequence[Poly]) -> bool:
    """Whether a stride is above what those below it add up to, none of which is negative."""
    if not all(nonnegative(s) for s in strides.values()):
        return False
    reach = add(0, *((lengths[v] - 1) * s for v, s in strides.items() if v is not top))
    if nonnegative(strides[top] - reach - 1):
        return True
    room = strides[top] - add(0, *(v * s for v, s in strides.items() if v is not top))
    return any(_follows(room, poly) for poly in known)


def _follows(room: Expr, known: Poly) -> bool:
    """Whether room ≥ 1 since known ≥ 0: j·room − k·known ≥ 1 for some j, k > 0, with which terms cancel."""
    mine = normal(room)
    shared = ((k, mine.terms.get(monomial, 0)) for monomial, k in known.terms.items() if monomial)
    ratios = dict.fromkeys(Fraction(abs(k), abs(own)) for k, own in shared if k * own > 0)
    return any(nonnegative(room * one.numerator - known.expr() * one.denominator - 1) for one in ratios)
