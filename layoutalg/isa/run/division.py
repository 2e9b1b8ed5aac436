"""What helps to divide, in numpy: V_DIV_SCALE, V_DIV_FMAS and V_DIV_FIXUP.

    scale both (n, d) where a step would overflow or be denormal; q ≈ n / d by Newton's method; fmas: the last step,
    scaled back where scale said so; fixup: the quotient's sign, and zeros, infinities and NaNs

AMD's pseudocode of the first two does not give the machine's results: its tests for a denormal quotient never hold, and
its factors lead to wrong quotients.  The rules are those of AMD's own emulator, checked on gfx1100 and gfx1201
(ROCm/rocm-systems, pull request 11613): bounds on the exponents as they are encoded, 0 of a denormal.

| with e(n) − e(d), or else | of the denominator | of the numerator | V_DIV_FMAS scales |
|---|---|---|---|
| ≥ bound | up | as it is | yes |
| d denormal | up | up | no |
| d near the largest, and difference > −bound | down | down | no |
| d near the largest, and difference ≤ −bound | down | as it is | yes |
| ≤ −bound | as it is | up | yes |
| n tiny | up | up | no |

V_DIV_FMAS scales up where its addend, the quotient so far, is 2 or more, and else down, rounding once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutalg.isa.run.fused import fused
from layoutalg.records import dataclass

Array = NDArray[Any]


@dataclass(frozen=True)
class Format:
    """A floating-point format, and the bounds and factors of its division."""

    number: type
    word: type
    fraction: int  # bits
    bound: int  # differences of exponents from which a quotient must be scaled
    scale: int  # the factor's exponent
    tiny: int  # numerators of this encoded exponent and less are scaled

    @property
    def bias(self) -> int:
        """Half the range of exponents, less one."""
        return int(np.finfo(self.number).maxexp) - 1

    def exponent(self, number: Array) -> Array:
        """The exponent as it is encoded: 0 of zeros and denormals, all ones of infinities and NaNs."""
        encoded = number.view(self.word) >> self.word(self.fraction) & self.word(2 * self.bias + 1)
        return np.asarray(encoded.astype(np.int64))


_FORMATS = {
    "f32": Format(np.float32, np.uint32, 23, 96, 64, 24),
    "f64": Format(np.float64, np.uint64, 52, 768, 128, 53),
}


def _cases(of: Format, denominator: Array, numerator: Array) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    """Where which row of the table holds that scales, the first that does; and those after which fmas scales."""
    d, n = of.exponent(denominator), of.exponent(numerator)
    above, below, large = n - d >= of.bound, n - d <= -of.bound, d >= 2 * of.bias - 1
    conditions = above, d == 0, large & ~below, large & below, below, n <= of.tiny
    return conditions, tuple(np.full(d.shape, k in (0, 3, 4)) for k in range(6))


def scaled(of: Format, a: Array, denominator: Array, numerator: Array) -> Array:
    """The denominator or the numerator (a) as V_DIV_SCALE leaves it; no number where one of them is zero."""
    conditions, _ = _cases(of, denominator, numerator)
    under = a.view(of.word) == denominator.view(of.word)
    zero, up = np.zeros(a.shape, np.int64), np.full(a.shape, of.scale)
    amounts = np.where(under, up, zero), up, -up, np.where(under, -up, zero), np.where(under, zero, up), up
    none = (denominator == 0) | (numerator == 0)
    amount: Array = np.select(conditions, amounts, zero)
    return np.where(none, of.number(np.nan), np.ldexp(a, amount))


def is_scaled(of: Format, denominator: Array, numerator: Array) -> Array:
    """Whether V_DIV_FMAS must scale the quotient."""
    return np.select(*_cases(of, denominator, numerator), False)


def last_step(of: Format, a: Array, b: Array, c: Array) -> Array:
    """a · b + c, scaled back and rounded once."""
    return fused(a, b, c, np.where(of.exponent(c) > of.bias, of.scale, -of.scale))


def fixed(of: Format, quotient: Array, denominator: Array, numerator: Array) -> Array:
    """The quotient as `signed`; 0 where it is below all numbers, and infinite where the steps have lost it."""
    lost = of.exponent(numerator) - of.exponent(denominator) < -(of.bias + of.fraction)
    size = np.where(np.isfinite(quotient), quotient, of.number(np.inf))
    return signed(np.where(lost, of.number(0), size), denominator, numerator)


def signed(quotient: Array, denominator: Array, numerator: Array) -> Array:
    """The quotient with the right sign; of zeros, infinities and NaNs what IEEE says."""
    exact = numerator / denominator
    special = ~np.isfinite(numerator) | ~np.isfinite(denominator) | (numerator == 0) | (denominator == 0)
    return np.where(special, exact, np.copysign(quotient, exact))


def _of_each(function: Callable[..., Array]) -> Mapping[str, Callable[..., Array]]:
    return {kind: partial(function, of) for kind, of in _FORMATS.items()}


#: The functions on numbers, by the names that `semantics.division` has for them.
DIVISION: Mapping[str, Callable[..., Array]] = {
    f"{name}_{kind}": of_kind
    for name, function in (("div_scale", scaled), ("div_fmas", last_step), ("div_fixup", fixed))
    for kind, of_kind in _of_each(function).items()
} | {"div_fixup_f16": signed}

#: Whether V_DIV_FMAS must scale, by the type of the numbers.
IS_SCALED = _of_each(is_scaled)
