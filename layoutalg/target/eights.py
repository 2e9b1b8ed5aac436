"""Numbers of eight bits, fp8 and bf8, as numpy's: in the formats of OCP, or in those without a negative zero (FNUZ).

| | sign, exponent, fraction | bias | greatest | infinities | no number |
|---|---|---|---|---|---|
| fp8, OCP | 1, 4, 3 | 7 | 448 | – | all ones below the sign |
| bf8, OCP | 1, 5, 2 | 15 | 57344 | as IEEE's | as IEEE's |
| fp8, FNUZ | 1, 4, 3 | 8 | 240 | – | 0x80 |
| bf8, FNUZ | 1, 5, 2 | 16 | 57344 | – | 0x80 |

OCP 8-bit Floating Point Specification (OFP8), and B. Noune et al., "8-bit Numerical Formats for Deep Neural Networks"
(FNUZ); which a processor has, its target's file says.  What is too large becomes infinite or no number
(ROCm/rocm-systems, issue 9556), with the mode FP16_OVFL the greatest number (`isa.semantics.overflow`).
"""

from __future__ import annotations

from functools import cache
from typing import Any, TypeAlias

from layoutalg.lazy import lazy_imports

with lazy_imports():
    import numpy as np
    import numpy.typing as npt

Array: TypeAlias = "npt.NDArray[Any]"

_FRACTION = {"fp8": 3, "bf8": 2}
_NONE_OF_FNUZ = 0x80


@cache
def values(kind: str, fnuz: bool) -> Array:
    """The number of each of the 256 codes.

    >>> [float(values(kind, fnuz)[code]) for kind, fnuz, code in (("fp8", False, 0x7E), ("fp8", True, 0x7F))]
    [448.0, 240.0]
    """
    fraction = _FRACTION[kind]
    bias = (1 << 6 - fraction) - 1 + fnuz
    codes = np.arange(128)
    exponent, rest = codes >> fraction, (codes & (1 << fraction) - 1) / (1 << fraction)
    found = np.where(exponent == 0, np.ldexp(rest, 1 - bias), np.ldexp(1 + rest, exponent - bias))
    if not fnuz and kind == "fp8":
        found[0x7F] = np.nan
    if not fnuz and kind == "bf8":
        found[0x7C], found[0x7D:] = np.inf, np.nan
    both = np.concatenate([found, -found])
    if fnuz:
        both[_NONE_OF_FNUZ] = np.nan
    both.flags.writeable = False
    return both


def decoded(codes: Array, kind: str, fnuz: bool) -> Array:
    """Codes as f64."""
    return np.asarray(values(kind, fnuz)[codes])


def encoded(numbers: Array, kind: str, fnuz: bool, *, held: bool = False) -> Array:
    """The codes of the nearest numbers, ties to even codes, as uint32; `held`: of numbers at most the greatest."""
    greatest = 0x7F if fnuz else {"fp8": 0x7E, "bf8": 0x7B}[kind]
    known = values(kind, fnuz)[: greatest + 1]
    beyond = known[-1] + (known[-1] - known[-2])  # where the next number would be
    between = (known + np.append(known[1:], beyond)) / 2
    size = np.abs(numbers.astype(np.float64))
    code = np.searchsorted(between, size)  # of a number just between two, the lower
    tie = between[np.minimum(code, greatest)] == size
    code = code + (tie & (code % 2 == 1))
    code = np.minimum(code, greatest) if held else code
    code = np.where(np.isnan(size), {"fp8": 0x7F, "bf8": 0x7E}[kind], code)
    signed = code | np.signbit(numbers).astype(np.int64) << 7
    if fnuz:
        signed = np.where((code > greatest) | np.isnan(size), _NONE_OF_FNUZ, np.where(code == 0, 0, signed))
    return np.asarray(signed.astype(np.uint32))
