"""hip_fp8.h, carried out: all 256 numbers of each format, and every float that a rounding could mistake."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from layoutalg.target.elements import from_bits
from tests.device.hip import TARGETS, Array, values
from tests.matrix import each

CODES = np.arange(256, dtype=np.uint8)


@dataclass(frozen=True)
class Format:
    """A format of eight bits, of which `fnuz` has no infinities and no -0."""

    name: str
    exponent: int
    bias: int
    fnuz: bool

    @property
    def enumerator(self) -> str:
        return f"__HIP_{self.name.upper()}"

    @property
    def numbers(self) -> Array:
        """Of each code its number, by the definition."""
        mantissa = 7 - self.exponent
        low, high = CODES & ((1 << mantissa) - 1), (CODES & 0x7F) >> mantissa
        normal = (1 + low / 2.0**mantissa) * 2.0 ** (high.astype(int) - self.bias)
        magnitude = np.where(high == 0, low * 2.0 ** (1 - self.bias - mantissa), normal)
        found = np.where(CODES & 0x80, -magnitude, magnitude)
        if self.fnuz:
            found[0x80] = np.nan
        elif self.exponent == 4:
            found[[0x7F, 0xFF]] = np.nan
        else:
            found[[0x7C, 0xFC]] = np.inf, -np.inf
            found[[0x7D, 0x7E, 0x7F, 0xFD, 0xFE, 0xFF]] = np.nan
        return found

    @property
    def greatest(self) -> float:
        return float(np.max(self.numbers[np.isfinite(self.numbers)]))

    def other(self, found: Array, expected: Array) -> Array:
        """Where codes are others; one that is no number is as good as another."""
        nan = np.isnan(self.numbers)
        return (found != expected) & ~(nan[found] & nan[expected])

    def by_instruction(self, target: str) -> bool:
        return target == "gfx942" if self.fnuz else target in ("gfx950", "gfx1201")

    @np.errstate(invalid="ignore")
    def codes(self, numbers: Array, saturated: bool, target: str) -> Array:
        """The codes of numbers: the nearest, at a tie the even one; what is too large as hip_fp8.h says."""
        table = self.numbers[: int(np.flatnonzero(self.numbers == self.greatest)[0]) + 1]
        size = np.abs(numbers)
        above = np.clip(np.searchsorted(table, size), 1, len(table) - 1)
        below = above - 1
        nearer = np.where(size - table[below] < table[above] - size, below, above)
        code = np.where(size - table[below] == table[above] - size, np.where(below % 2 == 0, below, above), nearer)
        sign = np.where(np.signbit(numbers), 0x80, 0)
        last = len(table) - 1
        tie = table[last] + (table[last] - table[last - 1]) / 2
        large = size > table[last]
        if self.by_instruction(target) and not saturated:
            large = size >= tie if last % 2 else size > tie
        infinite = 0x80 if self.fnuz else sign | (0x7C if self.exponent == 5 else 0x7F)
        code = np.where(large & np.isfinite(numbers), sign | last if saturated else infinite, sign | code)
        code = np.where(np.isinf(numbers), infinite, code)
        code = np.where(np.isnan(numbers), 0x80 if self.fnuz else sign | 0x7F, code)
        return np.where(self.fnuz & (code == 0x80) & (size < 1), 0, code).astype(np.uint8)


FORMATS = {one.name: one for one in (
    Format("e4m3", 4, 7, False), Format("e5m2", 5, 15, False),
    Format("e4m3_fnuz", 4, 8, True), Format("e5m2_fnuz", 5, 16, True),
)}  # fmt: skip
ON = pytest.mark.parametrize("target", each(TARGETS, "gfx942"))
OF = pytest.mark.parametrize("name", each(FORMATS, "e4m3_fnuz"))


def edges(kind: Format) -> Array:
    """Of each number, what is halfway to the next, and what lies beside those; what is too large, and no number."""
    numbers = np.sort(kind.numbers[np.isfinite(kind.numbers)])
    numbers = np.concatenate(
        [numbers, (numbers[:-1] + numbers[1:]) / 2, np.float64([464, 465, 248, 247, 61440, 61439, 1e6])]
    )
    numbers = np.concatenate([numbers, -numbers[-7:]]).astype(np.float32)
    numbers = np.concatenate(
        [numbers, np.nextafter(numbers, np.float32(np.inf)), np.nextafter(numbers, np.float32(-np.inf))]
    )
    numbers = np.concatenate([numbers, np.float32([1e-30, -1e-30, 1e-45, -0.0, np.inf, -np.inf, np.nan, 3e38])])
    return np.concatenate([numbers, np.ones(-len(numbers) % 256, np.float32)])


@ON
@OF
def test_every_number_becomes_itself(name: str, target: str) -> None:
    kind, one, two = FORMATS[name], f"__hip_fp8_{name}", f"__hip_fp8x2_{name}"
    ended = np.where(np.isinf(kind.numbers), np.copysign(57344, kind.numbers), kind.numbers)
    read = kind.numbers if kind.by_instruction(target) else ended
    expected = {
        "(float)e": read, "(double)e": ended, "(float)(__half)e": kind.numbers, "(float)(__hip_bfloat16)e": read,
        f"__half2float(__hip_cvt_fp8_to_halfraw(e.__x, {kind.enumerator}))": kind.numbers,
        f"((float2)__builtin_bit_cast({two}, (unsigned short)(e.__x << 8))).y": read,
        f"((float4)__builtin_bit_cast(__hip_fp8x4_{name}, e.__x << 24)).w": read,
        f"__high2float(__hip_cvt_fp8x2_to_halfraw2(e.__x << 8, {kind.enumerator}))": kind.numbers,
        "(bool)e": kind.numbers != 0,
    }  # fmt: skip
    whole = np.trunc(np.nan_to_num(read, posinf=57344, neginf=-57344))
    finite = np.where(np.isfinite(kind.numbers), whole, 0)
    limits = {"signed char": (-128, 127), "char": (-128, 127), "unsigned char": (0, 255), "short": (-32768, 32767)}
    limits |= {"unsigned short": (0, 65535), "int": (-1e9, 1e9), "unsigned": (0, 1e9), "long": (-1e9, 1e9)}
    expected |= {
        f"e.__x % 128 < {124 if name == 'e5m2' else 128} ? ({type_})e : 0": np.clip(finite, *most)
        for type_, most in limits.items()
    }
    found = values("hip_fp8", {"e": (one, CODES)}, "float", "f4", list(expected), target)
    for call, numbers in found.items():
        np.testing.assert_array_equal(numbers, np.float32(expected[call]), call)


@ON
@OF
@pytest.mark.parametrize("saturation", each(["SATFINITE", "NOSAT"], "SATFINITE"))
def test_every_float_becomes_the_nearest_number(name: str, target: str, saturation: str) -> None:
    kind, saturated = FORMATS[name], saturation == "SATFINITE"
    floats = edges(kind)
    said = f"__HIP_{saturation}, {kind.enumerator}"
    expected = {f"__hip_cvt_float_to_fp8(f, {said})": kind.codes(floats, saturated, target)}
    two = kind.codes(floats, saturated and not kind.by_instruction(target), target)
    expected[f"__hip_cvt_float2_to_fp8x2(float2(1, f), {said}) >> 8"] = two
    double = kind.codes(floats, saturated, "software")
    expected[f"__hip_cvt_double_to_fp8(f, {said})"] = double
    expected[f"__hip_cvt_double2_to_fp8x2(double2(f, 1), {said}) & 0xFF"] = double
    if saturated:
        expected |= {f"__hip_fp8_{name}(f).__x": kind.codes(floats, True, target)}
        expected |= {f"__hip_fp8x4_{name}(float4(0, 0, f, 0)).__x >> 16": kind.codes(floats, True, target)}
    found = values("hip_fp8", {"f": ("float", floats)}, "unsigned char", "u1", list(expected), target)
    for call, codes in found.items():
        wrong = np.flatnonzero(kind.other(codes, expected[call]))
        assert not len(wrong), (
            f"{call} of {floats[wrong[0]]} is {codes[wrong[0]]:#x}, not {expected[call][wrong[0]]:#x}"
        )


@ON
@OF
def test_halves_and_brain_floats_become_the_nearest_number(name: str, target: str) -> None:
    kind = FORMATS[name]
    codes = np.arange(1 << 16, dtype=np.uint16)
    for type_, raw, floats in (
        ("__half", "__hip_cvt_halfraw", codes.view(np.float16).astype(np.float32)),
        ("__hip_bfloat16", "__hip_cvt_bfloat16raw", from_bits(codes)),
    ):
        said = f"__HIP_NOSAT, {kind.enumerator}"
        expected = {f"{raw}_to_fp8(h, {said})": kind.codes(floats, False, target)}
        expected |= {f"{raw}2_to_fp8x2({type_}2(h, h), {said}) >> 8": kind.codes(floats, False, target)}
        expected |= {f"__hip_fp8_{name}(h).__x": kind.codes(floats, True, target)}
        found = values("hip_fp8", {"h": (type_, codes)}, "unsigned char", "u1", list(expected), target)
        for call, result in found.items():
            assert not kind.other(result, expected[call]).any(), call


@ON
@OF
def test_a_double_is_rounded_once(name: str, target: str) -> None:
    """Just above and below what is halfway: as floats they would be halfway."""
    kind = FORMATS[name]
    numbers = np.sort(kind.numbers[np.isfinite(kind.numbers) & (kind.numbers > 0)])
    middle = (numbers[:-1] + numbers[1:]) / 2
    doubles = np.concatenate(
        [np.nextafter(middle, 0), np.nextafter(middle, 1e9), -np.nextafter(middle, 1e9), [1e-60, 1e60]]
    )
    doubles = np.concatenate([doubles, np.ones(-len(doubles) % 256)])
    call = f"__hip_fp8_{name}(d).__x"
    found = values("hip_fp8", {"d": ("double", doubles)}, "unsigned char", "u1", [call], target)[call]
    assert np.array_equal(found, kind.codes(doubles, True, "software"))


@ON
@OF
def test_four_of_two_pairs_have_the_first_above(name: str, target: str) -> None:
    """As HIP's own header has it."""
    kind = FORMATS[name]
    numbers = kind.numbers[np.isfinite(kind.numbers) & (kind.numbers > 0)][:64]
    x = np.resize(numbers, 256).astype(np.float32)
    halves = "__floats2half2_rn(x, 1.0f), __floats2half2_rn(0.0f, x)"
    brains = "__float22bfloat162_rn(float2(x, 1.0f)), __float22bfloat162_rn(float2(0.0f, x))"
    calls = [f"__hip_fp8x4_{name}({pairs}).__x" for pairs in (halves, brains)]
    expected = kind.codes(np.stack([0 * x, x, x, 0 * x + 1]), True, target).astype(np.uint32)
    word = sum(codes << 8 * k for k, codes in enumerate(expected))
    for call, found in values("hip_fp8", {"x": ("float", x)}, "unsigned", "u4", calls, target).items():
        assert np.array_equal(found, word), call
