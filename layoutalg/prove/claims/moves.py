"""Two claims that no transform needs but merge, and that its variants reach by induction: digits and increments.

What CK's variants of merge compute is too long for a solver at rank 3 and above.  It goes digit by digit, and so does
the proof: each digit's step is a theorem for all lengths, and a whole move, or a whole division, is those steps one
after another.

**Magic division** divides r − 1 times, each time the quotient before.  If `magic_divide(n, d)` is n div d for every
index 0 ≤ n < 2³¹ and each length d, then every quotient is again such an index, and all r − 1 divisions are merge's.
For 2ˢ⁻¹ < d ≤ 2ˢ and W = 2³²⁺ˢ, it computes n·(k + 1) div W with k = W div d.  With W = d·k + r and n = d·q + t,

    W·q ≤ n·(k + 1) < W·(q + 1)   where n + d ≤ k,

which every index and every divisor below 2³¹ fulfil.  So what it computes is q.  (By scanned lengths, each time what
remains is divided, which is such an index too; and the scanned lengths' quotients are the digits, each dividing the one
before it.)

**Carry check** moves i by t, from the last digit on.  Write x₀ = i, t₀ = t and c₀ = 0, and for each length L in turn,

    xₖ = L·xₖ₊₁ + digit,   tₖ = L·tₖ₊₁ + step,   |step| < L,   digit + step + cₖ = L·cₖ₊₁ + new,   0 ≤ new < L.

Then (xₖ + tₖ + cₖ) div L = xₖ₊₁ + tₖ₊₁ + cₖ₊₁ and (xₖ + tₖ + cₖ) mod L = new: each new digit is that of i + t, and what
remains for the first, x + t + c, is what remains of i + t.  To be shown: digits and steps are these (the digits of the
start, and of t; where t is negative, C's division gives the digits of −t, negative), and one digit carries right.

A chain of transforms moves right if each does at every index that comes to it, and padding lets any come.  What
recomputes is right anywhere; what is linear is shown to be; carry check is right for indices that are not negative
(its first digit is what remains, however much), and so nothing above it may make one negative.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import chain
from typing import ClassVar

from layoutalg.index import (
    TRUE,
    Expr,
    InexpressibleError,
    all_equal,
    all_of,
    as_expr,
    eq,
    fresh,
    internal,
    names,
    symbol,
    unlimited,
    unused,
    var,
)
from layoutalg.index.node import Bound
from layoutalg.index.radix import digits
from layoutalg.layout import Linear, Merge, MergeCarryCheck, MergeMagicDivision, TensorAdaptor, Transform
from layoutalg.layout.c_arithmetic import BITS32, HALF32, truncated_div
from layoutalg.layout.increments import increment_of
from layoutalg.layout.merge import carry_step, magic_divide, magic_number, quotients
from layoutalg.layout.transform import Index
from layoutalg.prove.claims.base import Claim, in_range
from layoutalg.prove.domain import taken
from layoutalg.prove.obligation import ForAll, Obligation, Shown
from layoutalg.records import dataclass

THREE = as_expr(3)


@dataclass(frozen=True)
class MergeDigits(Claim):
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
        return _divides(self.merge.divisors) if isinstance(self.merge, MergeMagicDivision) else None

    @property
    def _by_magic(self) -> bool:
        return self.merge.digits_below is not None


@dataclass(frozen=True)
class Increments(Claim):
    """Moving an index by any step within the lengths is computing it anew."""

    layout: Transform | TensorAdaptor
    name: ClassVar[str] = "increments"

    def statement(self) -> str:
        return "moving equals recomputing"

    def obligations(self) -> Iterator[Obligation]:
        yield _moves(self.layout)

    def local_obligations(self) -> Iterator[Obligation]:
        """Each transform's own increments, and that no index is negative which comes to one that needs it so."""
        if isinstance(self.layout, Transform):
            return _suffices(self.layout)
        return chain(_not_negative(self.layout), *map(_suffices, self.layout.transforms))


def _moves(layout: Transform | TensorAdaptor, over: Callable[[str, Expr], Expr] = var) -> ForAll:
    step = increment_of(layout, over)
    shown = (
        Shown("from", step.start),
        Shown("to", step.end),
        Shown("moved", step.moved),
        Shown("recomputed", step.recomputed),
    )
    return ForAll("moving equals recomputing", step.holds, TRUE, shown)


def _recomputes(transform: Transform) -> bool:
    """Whether moving is recomputing by definition, at whatever index."""
    return type(transform).update_lower_index is Transform.update_lower_index


def _suffices(transform: Transform) -> Iterator[Obligation]:
    """What suffices for one transform's increments: at any index where it is linear, else at those from 0 up."""
    if isinstance(transform, MergeCarryCheck):
        u = unlimited(unused("u", taken(transform)), 0)
        found, wanted = transform.lower((u,)), digits(u, transform.lengths)
        yield ForAll("the lower index is the digits", all_equal(found, wanted))
        yield from _steps(transform.lengths)
        for length in dict.fromkeys(_within("length'", length) for length in transform.lengths[1:]):
            yield from _carries(length)
    elif not _recomputes(transform):
        least = -math.inf if isinstance(transform, Linear) else 0
        yield _moves(transform, lambda name, _: unlimited(name, least))


def _not_negative(adaptor: TensorAdaptor) -> Iterator[ForAll]:
    """That every index, valid or not, is at least 0 where it comes to a transform that moves right only there."""
    needed: set[int] = set()
    for transform, lower, upper in adaptor.linked:
        if needed & {*lower}:
            avoid = taken(transform)
            above = [unlimited(unused(f"u{n}", avoid), 0) for n, _ in enumerate(upper)]
            try:
                below = zip(lower, transform.lower(above), strict=True)
            except ValueError as error:  # a table, which ends
                raise InexpressibleError(f"{transform}: {error}") from error
            yield ForAll(f"{transform} makes nothing negative", all_of(*(e >= 0 for i, e in below if i in needed)))
        if needed & {*lower} or not (_recomputes(transform) or isinstance(transform, Linear)):
            needed |= {*upper}


def _steps(lengths: Index) -> Iterator[ForAll]:
    """The steps of a move upwards are its digits; of one downwards, division by division, the same with a minus."""
    step = unlimited(unused("step'", names(*lengths)), 0)
    divisor = symbol("divisor'")
    yield ForAll("the steps upwards are digits", all_equal(quotients(step, lengths), digits(step, lengths)))
    mirrored = eq(truncated_div(-step, divisor), -truncated_div(step, divisor))
    yield ForAll("C's division downwards is that upwards", mirrored)


def _carries(length: Expr) -> Iterator[ForAll]:
    """One digit moves by its step and the carry, less or more one length, and hands that length on."""
    digit, step, carry = internal("digit", length), internal("step", length), internal("carry", 3) - 1
    for name, signed in (("upwards", step), ("downwards", -step)):
        moved, out = carry_step(digit, signed, length, carry)
        new = digit + moved
        right = all_of(eq(new + length * out, digit + signed + carry), in_range(new, length), in_range(out + 1, THREE))
        yield ForAll(f"one digit carries right {name}", right)


def _divides(lengths: Index) -> Iterator[ForAll]:
    """Magic division of every index by every divisor in the range of a length is division."""
    yield _quotient()
    index = internal("index", HALF32)
    for shift in range(32):
        least, most = (1 << shift >> 1) + (shift > 0), min(1 << shift, HALF32 - 1)
        within = [n for n in lengths if least <= n.hi and n.lo <= most]
        for divisor in dict.fromkeys(_within("divisor'", n, least, most) for n in within):
            whole = BITS32 << shift
            k = whole // divisor
            computed = eq(magic_divide(index, magic_number(divisor)), index * (k + 1) // whole)
            yield ForAll(f"magic division by {divisor.lo}…{divisor.hi}", all_of(computed, index + divisor <= k))


def _quotient() -> ForAll:
    """For all sizes: where n + d ≤ k, n·(k + 1) lies from W·q on and below W·(q + 1)."""
    d, k, q = symbol("d'"), symbol("k'", min=0), symbol("q'", min=0)
    n, whole = d * q + internal("t", d), d * k + internal("r", d)
    reached = all_of(whole * q <= n * (k + 1), n * (k + 1) < whole * (q + 1))
    return ForAll("the quotient is that of division", reached, n + d <= k)


def _within(name: str, length: Expr, least: int = 1, most: Bound = math.inf) -> Expr:
    """Any size in the range of a length; the prime keeps its name from being a size's of a file."""
    top = min(length.hi, most)
    return symbol(name, min=int(max(length.lo, least)), max=None if top == math.inf else int(top))
