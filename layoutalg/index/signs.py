"""Signs of polynomials by the ranges of their atoms alone: what a search need not be begun for, and what needs none.

above_least    its value where every atom is at its least, or so much above
covered        2·a·b − 3·a ≥ 0 for a ≥ 0, b ≥ 2: greater terms make up for negative ones
shifted_…      a·b − a − b + 1 ≥ 0 for a, b ≥ 1: with a = 1 + a′, b = 1 + b′ it is a′·b′
"""

from __future__ import annotations

import math

from layoutalg.index.node import Bound
from layoutalg.index.poly import MOST_TERMS, Poly, monomial_over


def above_least(poly: Poly, by: int) -> Bound:
    """The polynomial where every atom is so much above its least: if that is negative, a search would be in vain."""
    if any(a.lo == -math.inf for a in poly.atoms()):
        return 0
    return sum(k * math.prod(int(a.lo) + by for a in m) for m, k in poly.terms.items())


def covered(poly: Poly) -> bool:
    """Whether greater positive terms make up for every negative one: k·a·b ≥ k·lo(b)·a, for atoms ≥ 0."""
    if any(a.lo < 0 for a in poly.atoms()):
        return False
    have = {m: k for m, k in poly.terms.items() if k > 0}
    for m, k in poly.terms.items():
        need = max(0, -k)
        for p in have if need else ():
            extra = monomial_over(p, m)
            each = math.prod(int(a.lo) for a in extra) if extra is not None else 0
            if each:
                used = min(have[p], -(-need // each))
                have[p] -= used
                need -= used * each
                if need <= 0:
                    break
        if need > 0:
            return False
    return True


def shifted_nonnegative(poly: Poly) -> bool:
    """Whether all coefficients are ≥ 0 once each atom is its least value and an unknown ≥ 0."""
    if any(a.lo == -math.inf for a in poly.atoms()) or above_least(poly, 1) < 0:
        return False
    if sum(1 << sum(a.lo != 0 for a in m) for m in poly.terms) > MOST_TERMS:
        return False
    for atom in poly.atoms():
        if atom.lo != 0:
            poly = poly.replace(atom, Poly.atom(atom) + Poly.of(int(atom.lo)))
    return all(k >= 0 for k in poly.terms.values())
