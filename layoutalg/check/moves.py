"""Two claims that no transform needs but merge, and that its variants reach by induction: digits and increments.

What CK's variants of merge compute is too long for a solver at rank 3 and above.  It goes digit by digit, and so does
the proof: each digit's step is a theorem for all lengths, and a whole move, or a whole division, is those steps one
after another.

**Magic division** divides r − 1 times, each time the quotient before.  If `magic_divide(n, d)` is n div d for every
index 0 ≤ n < 2³¹ and each length d, then every quotient is again such an index, so all r − 1 divisions are merge's.

**Carry check** moves i by t, from the last digit on.  Write x₀ = i, t₀ = t and c₀ = 0, and for each length L in turn,

    xₖ = L·xₖ₊₁ + digit,   tₖ = L·tₖ₊₁ + step,   |step| < L,   digit + step + cₖ = L·cₖ₊₁ + new,   0 ≤ new < L.

Then (xₖ + tₖ + cₖ) div L = xₖ₊₁ + tₖ₊₁ + cₖ₊₁ and (xₖ + tₖ + cₖ) mod L = new: each new digit is that of i + t, and what
remains for the first, x + t + c, is what remains of i + t.  To be shown: digits and steps are these (the digits of the
start, and of t; where t is negative, C's division gives the digits of −t, negative), and one digit carries right.

A chain of transforms moves right if each does and no index leaves its dimension on the way.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

from layoutalg.index import TRUE, Expr, all_of, as_expr, eq, symbol, var
from layoutalg.index.ranges import Bound
from layoutalg.layout import Merge, MergeCarryCheck, MergeMagicDivision, TensorAdaptor, Transform
from layoutalg.layout.c_arithmetic import HALF32, truncated_div
from layoutalg.layout.increments import increment_of
from layoutalg.layout.merge import carry_step, magic_divide, magic_number, quotients
from layoutalg.layout.mixed_radix import digits
from layoutalg.layout.transform import Index
from layoutalg.prove import Claim, ForAll, InBounds, Obligation, Shown
from layoutalg.prove.claims.base import all_equal, in_range
from layoutalg.prove.domain import fresh, taken

PARTS = tuple(((1 << n) + (n > 0), min(1 << n + 4, HALF32 - 1)) for n in range(0, 31, 4))
"""The divisors from 1 to 2³¹ − 1, in parts that take a solver less than a tenth of a second."""
THREE = as_expr(3)


@dataclass(frozen=True)
class Digits(Claim):
    """What lies below a merge's index are its mixed-radix digits; where magic division computes them, below 2³¹."""

    merge: Merge
    name: ClassVar[str] = "digits"

    def statement(self) -> str:
        return "the lower index is the digits of the upper one" + (" below 2^31" if self._by_magic else "")

    def obligations(self) -> Iterator[Obligation]:
        u = fresh("u", self.merge.upper_lengths[0], taken(self.merge))
        found, wanted = self.merge.lower((u,)), digits(u, self.merge.lengths)
        shown = (Shown("index", (u,)), Shown("lower index", found), Shown("digits", wanted))
        given = u < HALF32 if self._by_magic else TRUE
        yield ForAll("the lower index is the digits", all_equal(found, wanted), given, shown)

    def local_obligations(self) -> Iterator[Obligation] | None:
        if not self._by_magic:
            return None
        return map(_divides, dict.fromkeys(d for length in self.merge.lengths[1:] for d in _divisors(length)))

    @property
    def _by_magic(self) -> bool:
        return isinstance(self.merge, MergeMagicDivision)


@dataclass(frozen=True)
class Increments(Claim):
    """Moving an index by any step within the lengths is computing it anew."""

    layout: Transform | TensorAdaptor
    name: ClassVar[str] = "increments"

    def statement(self) -> str:
        return "moving equals recomputing"

    def obligations(self) -> Iterator[Obligation]:
        yield _moves(self.layout)

    def local_obligations(self) -> Iterator[Obligation] | None:
        """Only where carry check is among the transforms; all others are decided at once."""
        transforms = (self.layout,) if isinstance(self.layout, Transform) else self.layout.transforms
        if not any(isinstance(t, MergeCarryCheck) for t in transforms):
            return None
        if any(type(t).valid is not Transform.valid for t in transforms):
            return None  # what is padding may be out of range below
        bounds = None if isinstance(self.layout, Transform) else InBounds(self.layout).local_obligations()
        return chain(bounds or (), *map(_suffices, transforms))


def _moves(layout: Transform | TensorAdaptor) -> ForAll:
    step = increment_of(layout)
    shown = (
        Shown("from", step.start),
        Shown("to", step.end),
        Shown("moved", step.moved),
        Shown("recomputed", step.recomputed),
    )
    return ForAll("moving equals recomputing", step.holds, TRUE, shown)


def _suffices(transform: Transform) -> Iterator[Obligation]:
    """What suffices for one transform's increments."""
    if not isinstance(transform, MergeCarryCheck):
        yield _moves(transform)
        return
    yield from Digits(transform).obligations()
    yield from _steps(transform.lengths)
    for length in dict.fromkeys(_within("length'", length) for length in transform.lengths[1:]):
        yield from _carries(length)


def _steps(lengths: Index) -> Iterator[ForAll]:
    """The steps of a move upwards are its digits; of one downwards, division by division, the same with a minus."""
    step, divisor = symbol("step'", min=0), symbol("divisor'")
    yield ForAll("the steps upwards are digits", all_equal(quotients(step, lengths), digits(step, lengths)))
    mirrored = eq(truncated_div(-step, divisor), -truncated_div(step, divisor))
    yield ForAll("C's division downwards is that upwards", mirrored)


def _carries(length: Expr) -> Iterator[ForAll]:
    """One digit moves by its step and the carry, less or more one length, and hands that length on."""
    digit, step, carry = var("digit'", length), var("step'", length), var("carry'", 3) - 1
    for name, signed in (("upwards", step), ("downwards", -step)):
        moved, out = carry_step(digit, signed, length, carry)
        new = digit + moved
        right = all_of(eq(new + length * out, digit + signed + carry), in_range(new, length), in_range(out + 1, THREE))
        yield ForAll(f"one digit carries right {name}", right)


def _divides(divisor: Expr) -> ForAll:
    """Magic division by any divisor in the range of this one is division."""
    index = var("index'", HALF32)
    same = eq(magic_divide(index, magic_number(divisor)), index // divisor)
    return ForAll(f"magic division by {divisor.lo}…{divisor.hi} is division", same)


def _divisors(length: Expr) -> list[Expr]:
    """The length's range, in parts."""
    return [_within("divisor'", length, *part) for part in PARTS if part[0] <= length.hi and length.lo <= part[1]]


def _within(name: str, length: Expr, least: int = 1, most: Bound = math.inf) -> Expr:
    """Any size in the range of a length; the prime keeps its name from being a size's of a file."""
    top = min(length.hi, most)
    return symbol(name, min=int(max(length.lo, least)), max=None if top == math.inf else int(top))
