"""CuTe's swizzles: some bits of an offset xor-ed into others.

Sw<B,M,S>:   x ↦ x ⊕ (bits M + S … M + S + B − 1 of x, moved to M … M + B − 1)
"""

from __future__ import annotations

from layoutalg.errors import LayoutError
from layoutalg.index import Term, as_expr, bitand, xor
from layoutalg.interop.cute.sizes import size_of
from layoutalg.records import dataclass


@dataclass(frozen=True, repr=False)
class BitSwizzle:
    """CuTe's `Swizzle<B, M, S>`: B bits of the offset from bit M + S on, xor-ed into those from bit M on.

    A negative S turns the two round: the bits from M on are xor-ed into those from M − S on.  LayoutError unless
    0 ≤ B ≤ |S|, or B is 0, and M ≥ 0.

    >>> BitSwizzle(3, 3, 3)(64 + 8), BitSwizzle(0, 4, 3)(77)
    (64, 77)
    """

    bits: int
    base: int
    shift: int

    def __post_init__(self) -> None:
        for name, given in vars(self).items():
            number = size_of(given)
            if type(number) is not int:
                raise LayoutError(f"{name} {given} of a swizzle: a number is wanted, not a size")
            object.__setattr__(self, name, number)
        if self.bits < 0 or self.base < 0 or abs(self.shift) < self.bits:
            raise LayoutError(f"{self}: bits and base are at least 0, and the shift at least as great as the bits")
        if self.base + self.bits + abs(self.shift) > 62:
            raise LayoutError(f"{self}: it reaches beyond 62 bits")

    @property
    def source(self) -> int:
        """The first bit that is read."""
        return self.base + max(self.shift, 0)

    @property
    def target(self) -> int:
        """The first bit that is changed."""
        return self.base - min(self.shift, 0)

    @property
    def period(self) -> int:
        """It permutes the numbers below this, and so on above."""
        return 1 << (self.base + abs(self.shift) + self.bits) if self.bits else 1

    def __call__(self, offset: Term) -> Term:
        """The offset with its bits swapped; it is its own inverse."""
        if self.bits == 0:
            return offset
        low = (1 << self.bits) - 1
        if type(offset) is int:
            return offset ^ (offset >> self.source & low) << self.target
        e = as_expr(offset)
        return size_of(xor(e, bitand(e >> self.source, low) << self.target))

    def __repr__(self) -> str:
        return f"Sw<{self.bits},{self.base},{self.shift}>"


def recast_swizzle(swizzle: BitSwizzle, old: int, new: int) -> BitSwizzle:
    """The swizzle of offsets that count elements of `old` bits, on such that count elements of `new` bits.

    Both are powers of two.  What lies within one new element is left out.

    >>> recast_swizzle(BitSwizzle(3, 4, 3), 8, 16), recast_swizzle(BitSwizzle(3, 4, 3), 8, 4)
    (Sw<3,3,3>, Sw<3,5,3>)
    """
    if any(bits < 1 or bits & (bits - 1) for bits in (old, new)):
        raise LayoutError(f"{swizzle} of elements of {old} bits, taken for {new}: powers of two are wanted")
    base = swizzle.base + old.bit_length() - new.bit_length()
    if base < 0 and swizzle.shift < 0 and swizzle.bits:
        raise LayoutError(f"{swizzle} of elements of {old} bits takes those of {new} bits apart")
    return BitSwizzle(max(0, swizzle.bits + min(base, 0)), max(base, 0), swizzle.shift)
