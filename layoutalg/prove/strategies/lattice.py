"""Short differences by lattice reduction: is there a d ≠ 0 with Σ sᵢ·dᵢ = 0 and |dᵢ| < nᵢ, where a search is too long?

The d with Σ sᵢ·dᵢ = 0 are a lattice.  Each dᵢ is scaled so that its bound is 1; then LLL gives a basis of short vectors
(of K·Σ sᵢ·dᵢ beside, with K so large that it is 0 in all but one of them), and every vector in the box is a combination
of these with few coefficients, which are gone through, the last one first (Fincke and Pohst, in exact fractions).

| strides                              | lengths                 | d                    |
|--------------------------------------|-------------------------|----------------------|
| (538930453, 385981663, 48172661, 41) | (1521, 1377, 1957, 38)  | (106, −70, −625, 37) |
| (538930453, 385981663, 48172661, 41) | (1521, 1377, 1957, 37)  | none                 |

Source: A. K. Lenstra, H. W. Lenstra, L. Lovász, "Factoring polynomials with rational coefficients", 1982; U. Fincke,
M. Pohst, "Improved methods for calculating vectors of short length in a lattice", 1985.  The reduction is sympy's.
What it cannot represent: what `layoutalg.prove.strategies.difference` cannot.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from fractions import Fraction
from math import floor, gcd, isqrt, prod

from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass

with lazy_imports():
    import sympy
    from sympy.polys import matrices

STEPS = 1 << 14
"""The most partial combinations that are looked at."""
Vector = Sequence[int]


def shortest(strides: Vector, lengths: Vector) -> list[int] | None:
    """Some d ≠ 0 with Σ sᵢ·dᵢ = 0 and |dᵢ| < nᵢ; None where there is none, TimeoutError where it is too long.

    Every length is at least 2.

    >>> shortest((2, 3), (3, 2)), shortest((538930453, 385981663, 48172661, 41), (1521, 1377, 1957, 38))
    (None, [106, -70, -625, 37])
    """
    most = [n - 1 for n in lengths]
    basis = _reduced(strides, most)
    for vector in basis:
        if _inside(vector, most):
            return vector
    return _Combinations(basis, most).found()


def _inside(vector: Vector, most: Vector) -> bool:
    return any(vector) and all(abs(d) <= m for d, m in zip(vector, most, strict=True))


def _reduced(strides: Vector, most: Vector) -> list[list[int]]:
    """A basis of the differences whose sum is 0, short once scaled."""
    rank, common = len(strides), gcd(*strides)
    scales = [max(prod(most) // m, 1) for m in most]
    if max(most) > 1 << 12:  # scales need not be exact: they choose the basis, not the answer
        scales = [max((1 << 40) // m, 1) for m in most]
    heavy = sum(scales) * max(map(abs, strides)) << rank
    rows = [[*(scales[n] if n == k else 0 for n in range(rank)), heavy * (strides[k] // common)] for k in range(rank)]
    made = matrices.DomainMatrix([[sympy.ZZ(x) for x in row] for row in rows], (rank, rank + 1), sympy.ZZ).lll()
    reduced = [[int(x) for x in row] for row in made.to_Matrix().tolist()]
    kept = [[x // scale for x, scale in zip(row, scales, strict=False)] for row in reduced if row[-1] == 0]
    if len(kept) != rank - 1:
        raise TimeoutError
    return kept


@dataclass
class _Combinations:
    """Combinations of a basis in a box, by the squares of what is orthogonal in them."""

    basis: list[list[int]]
    most: Vector
    steps: int = 0
    squares: list[Fraction] = field(default_factory=list)
    shares: list[list[Fraction]] = field(default_factory=list)

    def found(self) -> list[int] | None:
        self._orthogonalize()
        return self._below(len(self.basis) - 1, [0] * len(self.basis), Fraction(len(self.most)))

    def _orthogonalize(self) -> None:
        """Gram and Schmidt's, of the vectors with each coordinate over its bound: one in the box has square ≤ rank."""
        scaled = [[Fraction(d, m) for d, m in zip(row, self.most, strict=True)] for row in self.basis]
        upright: list[list[Fraction]] = []
        for row in scaled:
            shares = [
                sum(a * b for a, b in zip(row, u, strict=True)) / s for u, s in zip(upright, self.squares, strict=True)
            ]
            rest = list(row)
            for share, u in zip(shares, upright, strict=True):
                rest = [a - share * b for a, b in zip(rest, u, strict=True)]
            upright.append(rest)
            self.shares.append([Fraction(s) for s in shares])
            self.squares.append(sum((a * a for a in rest), Fraction(0)))

    def _below(self, k: int, chosen: list[int], left: Fraction) -> list[int] | None:
        """The coefficients from k down to 0 that bring the combination into the box."""
        if k < 0:
            vector = [sum(c * row[n] for c, row in zip(chosen, self.basis, strict=True)) for n in range(len(self.most))]
            return vector if _inside(vector, self.most) else None
        middle = -sum((chosen[j] * self.shares[j][k] for j in range(k + 1, len(chosen))), Fraction(0))
        for c in _around(middle, left / self.squares[k]):
            self.steps += 1
            if self.steps > STEPS:
                raise TimeoutError
            chosen[k] = c
            rest = left - (c - middle) ** 2 * self.squares[k]
            found = self._below(k - 1, chosen, rest)
            if found is not None:
                return found
        chosen[k] = 0
        return None


def _around(middle: Fraction, square: Fraction) -> Iterator[int]:
    """The integers whose distance from the middle has at most that square, the nearest first."""
    reach = isqrt(floor(square)) + 1
    low, high = floor(middle - reach), floor(middle + reach) + 1
    near = (c for c in range(low, high + 1) if (c - middle) ** 2 <= square)
    yield from sorted(near, key=lambda c: abs(c - middle))
