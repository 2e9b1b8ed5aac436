"""Ranges, the normal form and the mixed-radix rule: no search, microseconds, sizes may be symbols.

* normal form: each part of a goal that simplifies to true is proved.  A part `a ≤ b` also follows from a part `c ≤ d`
  of what is given, where b − a − (d − c) ≥ 0 for all values.
* mixed radix: Σ xᵢ·sᵢ is injective over 0 ≤ xᵢ < nᵢ where, largest stride first, sᵢ > Σ sⱼ·(nⱼ − 1) over those below
  (sufficient only: strides (2, 3) with lengths (3, 2) are injective and violate it).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from layoutalg.index import TRUE, Expr, add, as_expr, variables
from layoutalg.index.normal import conjuncts, nonnegative, normal, recover, simplify
from layoutalg.index.poly import Poly
from layoutalg.prove.obligation import ForAll, Injective, Obligation
from layoutalg.prove.outcome import GaveUp, Holds, Limits, Outcome


def normal_form(obligation: Obligation, limits: Limits) -> Outcome:
    """Decides a `ForAll` by simplification alone."""
    if isinstance(obligation, Injective):
        return GaveUp("normal form", "it decides no injectivity")
    if all(part.op == "const" and part.value for part in conjuncts(obligation.goal)):
        return Holds("intervals")
    given = [(a, b) for part in conjuncts(obligation.given) for a, b in _orders(part)]
    for part in conjuncts(obligation.goal):
        plain = simplify(part)
        if plain.op == "const":
            if not plain.value:
                return GaveUp("normal form", f"{part} is false")
        elif not _follows(plain, given):
            return GaveUp("normal form", f"{plain} is left")
    return Holds("normal form")


def _orders(part: Expr) -> list[tuple[Expr, Expr]]:
    """The (a, b) with a ≤ b that a truth value says."""
    if part.op in ("lt", "le"):
        a, b = part.args
        return [(a + 1 if part.op == "lt" else a, b)]
    return [part.args[:2], part.args[1::-1]] if part.op == "eq" else []  # type: ignore[list-item]


def _follows(part: Expr, given: Sequence[tuple[Expr, Expr]]) -> bool:
    wanted = _orders(part)
    return bool(wanted) and all(any(nonnegative(b - a - (d - c)) for c, d in given) for a, b in wanted)


def mixed_radix(obligation: Obligation, limits: Limits) -> Outcome:
    """Decides `Injective` where an output is a sum of multiples of the variables, by the mixed-radix rule.

    Each output may take its own share: (x, y) ↦ (x, y) and (m, k0, k) ↦ m·s + k0·t + k alike.
    """
    name = "mixed radix"
    if isinstance(obligation, ForAll):
        return GaveUp(name, "it decides injectivity only")
    lengths = {v: count(v) for v in obligation.over}
    rest = {v: n for v, n in lengths.items() if n is not None and n is not TRUE}
    if None in lengths.values():
        return GaveUp(name, "a variable has no limit")
    progress = True
    polys = [normal(o) for o in obligation.outputs]
    while rest and progress:
        progress = False
        for i, poly in enumerate(polys):
            taken = _separable(poly, rest)
            if taken:
                progress = True
                for v in taken:
                    del rest[v]
                # The output is known to determine these: they count as constants in every other output.
                polys[i] = Poly({})
    return Holds(name) if not rest else GaveUp(name, f"{', '.join(map(repr, rest))}: no stride stands above the rest")


def _separable(poly: Poly, rest: dict[Expr, Expr]) -> list[Expr]:
    """The variables that the polynomial determines: all that occur in it, or none."""
    poly = recover(poly)
    strides: dict[Expr, Expr] = {}
    for v in rest:
        if not any(v in _below(a) for a in poly.atoms()):
            continue
        parts = poly.linear_in(v)
        if parts is None or any(v in _below(a) for a in parts[0].atoms()):
            return []
        strides[v] = parts[1].expr()
        if any(w in _below(strides[v]) for w in rest):
            return []
        poly = parts[0]
    if any(w in _below(a) for a in poly.atoms() for w in rest):
        return []
    remaining = dict(strides)
    while remaining:
        top = next((v for v in remaining if _stands_above(v, remaining, rest)), None)
        if top is None:
            return []
        del remaining[top]
    return list(strides)


def _below(e: Expr) -> set[Expr]:
    return set(variables(e))


def _stands_above(top: Expr, strides: dict[Expr, Expr], lengths: dict[Expr, Expr]) -> bool:
    reach = add(0, *((lengths[v] - 1) * s for v, s in strides.items() if v is not top))
    return nonnegative(strides[top] - reach - 1) and all(nonnegative(s) for s in strides.values())


def count(v: Expr) -> Expr | None:
    """The number of values of a variable, None where it has no limit."""
    if v.value.extent is not None:
        return as_expr(v.value.extent)
    return None if v.hi == math.inf or v.lo == -math.inf else as_expr(int(v.hi - v.lo) + 1)
