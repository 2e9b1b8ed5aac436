"""The polynomials and constants of `include/hip/ocml`, computed: near-minimax, by Chebyshev's nodes at 60 digits.

    python -m tests.device.polynomials > layoutalg/device/include/hip/ocml/polynomials.h

Each entry is a function on an interval and a degree; what is left out is written behind the coefficients. Where the
series has a known beginning, the polynomial is of what follows it, so that it is small beside it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mpmath import mp, mpf

mp.dps = 60


@dataclass(frozen=True)
class Polynomial:
    """An approximation of `function` on an interval: its name in the header, and what it stands for, in words."""

    name: str
    meaning: str
    function: Callable[[mpf], mpf]
    low: float
    high: float
    degree: int

    def lines(self) -> Iterator[str]:
        """Its lines in the header: the lowest coefficient comes first."""
        coefficients, error = mp.chebyfit(self.function, [mpf(self.low), mpf(self.high)], self.degree + 1, error=True)
        yield f"// {self.meaning}, on [{self.low:.6g}, {self.high:.6g}]: within 2^{mp.log(error, 2).__float__():.1f}"
        yield f"constexpr double {self.name}[{self.degree + 1}] = {{"
        yield from (f"    {float(coefficient).hex()}," for coefficient in reversed(coefficients))
        yield "};"


def _series(of: Callable[[mpf], mpf], known: Callable[[mpf], mpf], power: int) -> Callable[[mpf], mpf]:
    """(of(x) - known(x)) / x^power, at twice the digits, since the difference is small."""

    def left(x: mpf) -> mpf:
        with mp.workdps(200):
            at = x if abs(x) > mpf(10) ** -30 else mpf(10) ** -30
            return (of(at) - known(at)) / at**power

    return left


def _of_square(of: Callable[[mpf], mpf], known: Callable[[mpf], mpf], power: int) -> Callable[[mpf], mpf]:
    """The same as a function of z = x^2."""
    left = _series(of, known, power)
    return lambda z: left(mp.sqrt(abs(z)))


LN2_HALF = 0.3466
QUARTER = 0.7855
EIGHTH = 0.4143
POLYNOMIALS = (
    Polynomial("EXP", "(e^r - 1 - r - r^2/2) / r^3", _series(mp.exp, lambda r: 1 + r + r * r / 2, 3),
               -LN2_HALF, LN2_HALF, 9),
    Polynomial("LOG", "(log((1 + s) / (1 - s)) - 2s - 2s^3/3) / s^5 of s^2",
               _of_square(lambda s: 2 * mp.atanh(s), lambda s: 2 * s + 2 * s**3 / 3, 5), 0.0, 0.02945, 7),
    Polynomial("SIN", "(sin r - r + r^3/6) / r^5 of r^2", _of_square(mp.sin, lambda r: r - r**3 / 6, 5),
               0.0, QUARTER**2, 5),
    Polynomial("COS", "(cos r - 1 + r^2/2) / r^4 of r^2", _of_square(mp.cos, lambda r: 1 - r * r / 2, 4),
               0.0, QUARTER**2, 5),
    Polynomial("ATAN", "(atan t - t) / t^3 of t^2", _of_square(mp.atan, lambda t: t, 3), 0.0, EIGHTH**2, 11),
    Polynomial("SINH", "(sinh x - x) / x^3 of x^2", _of_square(mp.sinh, lambda x: x, 3), 0.0, 1.0, 6),
    Polynomial("ERF", "(erf x - 2x/sqrt(pi)) / x^3 of x^2",
               _of_square(mp.erf, lambda x: 2 * x / mp.sqrt(mp.pi), 3), 0.0, 0.5625, 10),
    # M. Shepherd, J. Laframboise: Chebyshev Approximation of (1 + 2x) exp(x^2) erfc x (Math. Comp. 36, 1981).
    Polynomial("ERFC", "(1 + 2x) e^(x^2) erfc x of t = (x - 4) / (x + 4)",
               lambda t: (1 + 2 * 4 * (1 + t) / (1 - t)) * mp.exp((4 * (1 + t) / (1 - t)) ** 2)
               * mp.erfc(4 * (1 + t) / (1 - t)), -1.0, 0.7511, 24),
    Polynomial("LGAMMA", "lgamma(2 + d) / d", _series(lambda d: mp.loggamma(2 + d), lambda d: mpf(0), 1),
               -0.26, 0.26, 14),
    Polynomial("CBRT", "the cube root", mp.cbrt, 1.0, 8.0, 4),
)  # fmt: skip


def _cut(x: mpf, bits: int) -> mpf:
    """x with its first bits alone."""
    exponent = mp.frexp(x)[1]
    return mp.floor(mp.ldexp(x, bits - exponent)) / mpf(2) ** (bits - exponent)


def _pair(name: str, value: mpf) -> str:
    high = float(value)
    return f"constexpr Pair {name}{{{high.hex()}, {float(value - mpf(high)).hex()}}};"


def _constants() -> Iterator[str]:
    """Constants as pairs, and the parts of ln 2 and pi/2 whose products with a small whole number are exact."""
    ln2_high = _cut(mp.log(2), 42)
    yield f"constexpr double LN2_HIGH = {float(ln2_high).hex()}, LN2_LOW = {float(mp.log(2) - ln2_high).hex()};"
    first = _cut(mp.pi / 2, 33)
    second = _cut(mp.pi / 2 - first, 33)
    yield f"constexpr double HALF_PI_1 = {float(first).hex()}, HALF_PI_2 = {float(second).hex()};"
    yield _pair("HALF_PI_3", mp.pi / 2 - first - second)
    for name, value in CONSTANTS.items():
        yield _pair(name, value)


CONSTANTS = {
    "LN2": mp.log(2), "LN10": mp.log(10), "BY_LN2": 1 / mp.log(2), "BY_LN10": 1 / mp.log(10), "PI": mp.pi,
    "HALF_PI": mp.pi / 2, "QUARTER_PI": mp.pi / 4, "TWO_BY_PI": 2 / mp.pi, "TWO_THIRDS": mpf(2) / 3,
    "SIXTH": mpf(1) / 6, "TAN_OF_EIGHTH": mp.sqrt(2) - 1, "ROOT_OF_HALF": mp.sqrt(mpf(1) / 2),
    "ROOT_OF_TWO": mp.sqrt(2),
    "TWO_BY_ROOT_PI": 2 / mp.sqrt(mp.pi), "BY_ROOT_PI": 1 / mp.sqrt(mp.pi), "HALF_LOG_TWO_PI": mp.log(2 * mp.pi) / 2,
}  # fmt: skip
#: Stirling's series of lgamma: B(2k) / (2k (2k - 1)), the first for 1/x.
STIRLING = [mp.bernoulli(2 * k) / (2 * k * (2 * k - 1)) for k in range(1, 11)]


def header() -> str:
    """The whole file."""
    text = [
        "// Near-minimax polynomials, the lowest coefficient first: written by `python -m tests.device.polynomials`.",
        "#pragma once",
        "",
    ]
    for polynomial in POLYNOMIALS:
        text += [*polynomial.lines(), ""]
    text += ["// Stirling's series: B(2k) / (2k (2k - 1)).", f"constexpr double STIRLING[{len(STIRLING)}] = {{"]
    text += [*(f"    {float(coefficient).hex()}," for coefficient in STIRLING), "};", "", *_constants(), ""]
    text += ["// The bits of 2/pi behind the point, 64 a word.", "constexpr unsigned long long BITS[20] = {"]
    with mp.workdps(420):
        bits = int(mp.floor(2 / mp.pi * mpf(2) ** (64 * 20)))
    text += [f"    {bits >> 64 * (19 - word) & (1 << 64) - 1:#018x}," for word in range(20)]
    return "\n".join([*text, "};"]) + "\n"


if __name__ == "__main__":
    print(header(), end="")
