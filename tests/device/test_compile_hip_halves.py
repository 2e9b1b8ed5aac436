"""hip_fp16.h and hip_bf16.h, carried out: every function against numpy, of every number or of all pairs of 128."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from layoutalg.device import CompileError, compile_source
from layoutalg.target.elements import from_bits, to_bits
from tests.device.hip import TARGETS, Array, run, values
from tests.matrix import each

CODES = np.arange(1 << 16, dtype=np.uint16)


class Kind:
    """A class of sixteen bits: its name, its header, and its numbers in numpy."""

    def __init__(self, name: str, header: str, least_infinity: int) -> None:
        self.name, self.header = name, header
        self.infinity = least_infinity

    def __str__(self) -> str:
        return self.name.strip("_")

    def of(self, codes: Array) -> Array:
        """Codes as float32, exactly."""
        return codes.view(np.float16).astype(np.float32) if self.infinity == 0x7C00 else from_bits(codes)

    def rounded(self, numbers: Array) -> Array:
        """Numbers as codes, to nearest even: of a brain float by way of float32, as the machine does it."""
        with np.errstate(all="ignore"):
            if self.infinity == 0x7C00:
                return numbers.astype(np.float16).view(np.uint16)
            return to_bits(numbers.astype(np.float32))

    @property
    def pairs(self) -> tuple[Array, Array, Array]:
        """All pairs of 128 codes, the special ones and any; and a third code beside each."""
        rng = np.random.default_rng(5)
        special = [0, 1, 2, self.infinity - 1, self.infinity, self.infinity + 1, 0x7FFF, 0x3C00, 0x3F80, 0x4000]
        chosen = np.array([*special, *rng.integers(0, 1 << 15, 54)], np.uint16)
        chosen = np.concatenate([chosen, chosen ^ np.uint16(0x8000)])
        return np.repeat(chosen, 128), np.tile(chosen, 128), rng.choice(chosen, 1 << 14)


HALF, BRAIN = Kind("__half", "hip_fp16", 0x7C00), Kind("__hip_bfloat16", "hip_bf16", 0x7F80)
KINDS = pytest.mark.parametrize("kind", each([HALF, BRAIN], HALF), ids=str)
ON = pytest.mark.parametrize("target", each(TARGETS, "gfx942"))


def same(found: Array, expected: Array, kind: Kind, call: str, ulp: int = 0, zeros: bool = True) -> None:
    """Whether codes are the expected ones, where `zeros` with their signs, or next to them; NaN is NaN."""
    number = kind.of(expected)
    nan = np.isnan(number)
    assert (np.isnan(kind.of(found)) == nan).all(), f"{call}: no number, where?"
    if not zeros:
        expected, found = np.where(number == 0, 0, expected), np.where(kind.of(found) == 0, 0, found)
    order = [np.where(codes & 0x8000, -(codes & 0x7FFF).astype(int) - 1, codes) for codes in (found, expected)]
    wrong = np.flatnonzero((np.abs(order[0] - order[1]) > ulp) & ~nan)
    assert not len(wrong), (
        f"{call}: {len(wrong)} of {len(found)}, first {found[wrong[0]]:#x}, not {expected[wrong[0]]:#x}"
    )


def of_pairs(kind: Kind, result: str, dtype: str, calls: Sequence[str], target: str) -> dict[str, Array]:
    inputs = {name: (kind.name, codes) for name, codes in zip("abc", kind.pairs, strict=True)}
    return values(kind.header, inputs, result, dtype, calls, target)


def exact_sum(product: Array, c: Array) -> Array:
    """Their sum in float64, its last bit set where it is not exact, so that rounding it again is rounding the sum."""
    sums = product + c
    part = sums - product
    error = (product - (sums - part)) + (c - part)
    toward = np.nextafter(sums, np.where(error > 0, np.inf, -np.inf))
    even = sums.view(np.int64) & 1 == 0
    return np.where(np.isfinite(sums) & (error != 0) & even, toward, sums)


def clamped(numbers: Array) -> Array:
    return np.where(numbers < 0, 0, np.where(numbers > 1, 1, numbers))


ARITHMETIC: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
}  # fmt: skip
OPERATORS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
COMPARED: dict[str, Callable[[Array, Array], Array]] = {
    "eq": np.equal, "ne": lambda a, b: (a < b) | (a > b), "lt": np.less, "le": np.less_equal, "gt": np.greater,
    "ge": np.greater_equal, "equ": lambda a, b: ~((a < b) | (a > b)), "neu": np.not_equal,
    "ltu": lambda a, b: ~(a >= b), "leu": lambda a, b: ~(a > b), "gtu": lambda a, b: ~(a <= b),
    "geu": lambda a, b: ~(a < b),
}  # fmt: skip


def arithmetic(kind: Kind) -> dict[str, Array]:
    """Of each call of a, b, c its codes."""
    a, b, c = kind.pairs
    x, y, z = (kind.of(codes) for codes in (a, b, c))
    low_high, high_low = f"{kind.name}2(a, b)", f"{kind.name}2(b, a)"
    expected: dict[str, Array] = {}
    for name, function in ARITHMETIC.items():
        here, turned = kind.rounded(function(x, y)), kind.rounded(function(y, x))
        two = "__h2div" if name == "div" else f"__h{name}2"
        expected[f"__h{name}(a, b)"] = expected[f"a {OPERATORS[name]} b"] = here
        expected[f"{two}({low_high}, {high_low}).x"] = here
        expected[f"{two}({low_high}, {high_low}).y"] = turned
        expected[f"({low_high} {OPERATORS[name]} {high_low}).y"] = turned
        if name != "div":
            expected[f"__h{name}_rn(a, b)"] = here
            expected[f"__h{name}2_rn({low_high}, {high_low}).y"] = turned
        if name != "div" and kind is HALF:
            expected[f"__h{name}_sat(a, b)"] = kind.rounded(clamped(kind.of(here)))
            expected[f"__h{name}2_sat({low_high}, {high_low}).y"] = kind.rounded(clamped(kind.of(turned)))
    fused = exact_sum(x.astype(np.float64) * y, z.astype(np.float64))
    expected["__hfma(a, b, c)"] = expected[f"__hfma2({low_high}, {high_low}, {kind.name}2(c, c)).y"] = kind.rounded(
        fused
    )
    if kind is HALF:
        expected["__hfma_sat(a, b, c)"] = expected["__hfma2_sat(__half2(a, b), __half2(b, a), __half2(c, c)).y"] = (
            kind.rounded(clamped(kind.of(kind.rounded(fused))))
        )
    expected["__hadd_rn(__hmul_rn(a, b), c)"] = kind.rounded(kind.of(kind.rounded(x * y)) + z)
    expected["__hneg(a)"] = expected["-a"] = expected[f"__hneg2({low_high}).x"] = a ^ 0x8000
    expected["__habs(a)"] = expected[f"__habs2({high_low}).y"] = a & 0x7FFF
    return expected


@KINDS
@ON
@np.errstate(all="ignore")
def test_arithmetic_rounds_once(kind: Kind, target: str) -> None:
    expected = arithmetic(kind)
    for call, found in of_pairs(kind, kind.name, "u2", list(expected), target).items():
        same(found, expected[call], kind, call)


@KINDS
@ON
def test_comparisons_say_what_they_say_of_a_nan(kind: Kind, target: str) -> None:
    a, b, _ = kind.pairs
    x, y = kind.of(a), kind.of(b)
    low_high, high_low = f"{kind.name}2(a, b)", f"{kind.name}2(b, a)"
    expected = {f"__h{name}(a, b)": compare(x, y) for name, compare in COMPARED.items()}
    expected |= {"a == b": x == y, "a != b": x != y, "a < b": x < y, "a > b": x > y}
    if kind is HALF:  # as HIP has them: the others, denied
        expected |= {"a <= b": ~(y < x), "a >= b": ~(x < y)}
    else:
        expected |= {"a <= b": x <= y, "a >= b": x >= y}
    expected |= {"__hisnan(a)": np.isnan(x), "__hisinf(a) != 0": np.isinf(x), "(bool)a": x != 0}
    for name, compare in COMPARED.items():
        both = compare(x, y) & compare(y, x)
        if kind is BRAIN and name == "neu":
            both = compare(x, y) | compare(y, x)
        expected[f"__hb{name}2({low_high}, {high_low})"] = both
        if kind is HALF or name in ("eq", "ne", "lt", "le", "ge"):
            expected[f"(float)__h{name}2({low_high}, {high_low}).y"] = compare(y, x)
    expected |= {f"{low_high} == {high_low}": x == y, f"{low_high} != {high_low}": x != y}
    for call, found in of_pairs(kind, "bool", "?", list(expected), target).items():
        wrong = np.flatnonzero(found != expected[call])
        assert not len(wrong), f"{call} of {a[wrong[0]]:#x}, {b[wrong[0]]:#x} is {found[wrong[0]]}"


@KINDS
@ON
def test_the_greater_is_the_other_one_of_a_nan(kind: Kind, target: str) -> None:
    a, b, _ = kind.pairs
    x, y = kind.of(a), kind.of(b)
    expected = {"__hmax(a, b)": np.fmax(x, y), "__hmin(a, b)": np.fmin(x, y)}
    if kind is HALF:
        expected |= {"__hmax_nan(a, b)": np.maximum(x, y), "__hmin_nan(a, b)": np.minimum(x, y)}
    else:
        two = f"{kind.name}2(c, a), {kind.name}2(c, b)"
        expected |= {f"__hmax2({two}).y": np.fmax(x, y), f"__hmin2({two}).y": np.fmin(x, y)}
    for call, found in of_pairs(kind, kind.name, "u2", list(expected), target).items():
        same(found, kind.rounded(expected[call]), kind, call, zeros=False)


#: What is the nearest number, and what may be the one next to it.
EXACT: dict[str, Callable[[Array], Array]] = {
    "trunc": np.trunc, "ceil": np.ceil, "floor": np.floor, "rint": np.rint, "sqrt": np.sqrt, "rcp": lambda x: 1 / x,
}  # fmt: skip
NEAR: dict[str, Callable[[Array], Array]] = {
    "rsqrt": lambda x: 1 / np.sqrt(x), "exp": np.exp, "exp2": np.exp2,
    "exp10": lambda x: np.power(np.longdouble(10), x),
    "log": np.log, "log2": np.log2, "log10": np.log10,
}  # fmt: skip
SINES: dict[str, Callable[[Array], Array]] = {"sin": np.sin, "cos": np.cos}


def of_every_number(kind: Kind, functions: dict[str, Callable[[Array], Array]], target: str) -> None:
    calls = {f"h{name}(a)": name for name in functions}
    calls |= {f"h2{name}({kind.name}2(0.0f, a)).y": name for name in functions}
    found = values(kind.header, {"a": (kind.name, CODES)}, kind.name, "u2", list(calls), target)
    for call, name in calls.items():
        with np.errstate(all="ignore"):
            expected = kind.rounded(functions[name](kind.of(CODES).astype(np.longdouble)))
        same(found[call], expected, kind, call, ulp=name not in EXACT)


@KINDS
@ON
def test_mathematics_of_every_number(kind: Kind, target: str) -> None:
    of_every_number(kind, EXACT | NEAR, target)


@pytest.mark.slow
@KINDS
@ON
def test_sines_of_every_number(kind: Kind, target: str) -> None:
    of_every_number(kind, SINES, target)


@ON
def test_every_half_comes_of_a_float_by_each_rounding(target: str) -> None:
    """Of every half, what is halfway to the next, and the floats beside those: all that a rounding could mistake."""
    halves = np.sort(HALF.of(CODES[np.isfinite(HALF.of(CODES))]).astype(np.float64))
    middle = ((halves[:-1] + halves[1:]) / 2).astype(np.float32)
    floats = np.concatenate([halves.astype(np.float32), middle])
    floats = np.concatenate(
        [floats, np.nextafter(floats, np.float32(np.inf)), np.nextafter(floats, np.float32(-np.inf))]
    )
    floats = np.concatenate(
        [floats, np.float32([65519.99, 65520, 1e30, -1e30, np.inf, -np.inf, np.nan, 1e-30, -1e-30])]
    )
    floats = np.concatenate([floats, np.zeros(-len(floats) % 256, np.float32)])
    below = np.concatenate([[-np.inf], halves, [np.inf]])
    down = below[np.searchsorted(below, floats, "right") - 1]
    up = below[np.minimum(np.searchsorted(below, floats, "left"), len(below) - 1)]
    cut = np.where(floats > 0, down, up)
    with np.errstate(all="ignore"):
        expected = {
            "__float2half(x)": floats, "__float2half_rn(x)": floats, "__half(x)": floats, "__half((double)x)": floats,
            "__float2half_rd(x)": down, "__float2half_ru(x)": up, "__float2half_rz(x)": cut,
            "__float2half2_rn(x).y": floats, "__floats2half2_rn(0.0f, x).y": floats,
            "__float22half2_rn(make_float2(x, 0.0f)).x": floats,
        }  # fmt: skip
        for call, found in values("hip_fp16", {"x": ("float", floats)}, "__half", "u2", list(expected), target).items():
            codes = np.where(np.isnan(floats), np.nan, expected[call]).astype(np.float16).view(np.uint16)
            same(found, codes, HALF, call, zeros=False)


@ON
def test_brain_floats_come_of_floats_and_doubles(target: str) -> None:
    bits = np.random.default_rng(3).integers(0, 1 << 32, 1 << 14, np.uint64).astype(np.uint32)
    bits[: 1 << 13] &= 0xFFFF8000  # half of them halfway, or numbers themselves
    floats = bits.view(np.float32)
    calls = [
        "__float2bfloat16(x)",
        "__hip_bfloat16(x)",
        "__double2bfloat16(x)",
        "__float22bfloat162_rn(float2(0, x)).y",
    ]
    for call, found in values("hip_bf16", {"x": ("float", floats)}, "__hip_bfloat16", "u2", calls, target).items():
        same(found, to_bits(floats), BRAIN, call)


@ON
def test_integers_become_the_nearest_half_and_halves_lose_their_fraction(target: str) -> None:
    """Whatever the name says, as HIP has it."""
    signed = np.concatenate([np.arange(-4096, 4096) * 17, [0, 65519, 65520, -65520, -65519, *range(251)]]).astype(
        np.int32
    )
    calls = [f"__int2half_{rounding}(n)" for rounding in ("rn", "rz", "rd", "ru")]
    calls += ["__half(n)", "__ll2half_rn(n)", "(__half)(long)n", "__half((float)n)"]
    with np.errstate(over="ignore"):
        expected = signed.astype(np.float64).astype(np.float16).view(np.uint16)
        short = signed.astype(np.int16).astype(np.float16).view(np.uint16)
        unsigned = signed.astype(np.uint16).astype(np.float64).astype(np.float16).view(np.uint16)
    others = {
        "__short2half_rz(n)": short,
        "__ushort2half_ru(n)": unsigned,
        "__uint2half_rn((unsigned short)n)": unsigned,
    }
    found = values("hip_fp16", {"n": ("int", signed)}, "__half", "u2", [*calls, *others], target)
    for call, codes in found.items():
        same(codes, others.get(call, expected), HALF, call)
    halves = CODES[np.abs(HALF.of(CODES)) < 32768][: 1 << 15]
    whole = np.trunc(HALF.of(halves)).astype(np.int64)
    back = [f"__half2{name}_{rounding}(h)" for name in ("int", "short", "ll") for rounding in ("rn", "rz", "rd", "ru")]
    back += ["(int)h", "(short)h", "(long)h", "(int)__half2float(h)"]
    for call, integers in values("hip_fp16", {"h": ("__half", halves)}, "int", "i4", back, target).items():
        assert np.array_equal(integers, whole), call
    above = np.abs(HALF.of(halves))
    ups = [f"__half2{name}_rn(__habs(h))" for name in ("uint", "ushort", "ull")]
    for call, integers in values("hip_fp16", {"h": ("__half", halves)}, "int", "i4", ups, target).items():
        assert np.array_equal(integers, np.trunc(above).astype(np.int64)), call


@KINDS
@ON
def test_two_are_taken_apart_and_put_together(kind: Kind, target: str) -> None:
    two = kind.name + "2"
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 1 << 16, (2, 256)).astype(np.uint16)
    of = "half" if kind is HALF else "bfloat16"
    word = {
        f"__low2{of}(p)": x, f"__high2{of}(p)": y, f"__low2{of}2(p).y": x, f"__high2{of}2(p).x": y,
        f"__lows2{of}2(p, q).y": y, f"__highs2{of}2(p, q).y": x, "__lowhigh2highlow(p).x": y,
        f"__halves2{of}2(a, b).y": y, f"__ushort_as_{of}(__{of}_as_ushort(a))": x,
        f"__short_as_{of}(__{of}_as_short(b))": y, f"{two}(static_cast<{two}_raw>(p)).y": y,
        f"{kind.name}(static_cast<{kind.name}_raw>(a))": x,
        f"__{of}2{of}2(b).x": y,
    }  # fmt: skip
    inputs = {"a": (kind.name, x), "b": (kind.name, y)}
    calls = [call.replace("(p", f"({two}(a, b)").replace("q)", f"{two}(b, a))") for call in word]
    for call, found, expected in zip(
        calls, values(kind.header, inputs, kind.name, "u2", calls, target).values(), word.values(), strict=True
    ):
        assert np.array_equal(found, expected), call
    back = "__half22float2" if kind is HALF else "__bfloat1622float2"
    floats = {
        f"{back}({two}(a, b)).y": y,
        f"__low2float({two}(a, b))": x,
        f"__high2float({two}(a, b))": y,
        "(float)a": x,
    }
    for call, found in values(kind.header, inputs, "float", "f4", list(floats), target).items():
        np.testing.assert_array_equal(found, kind.of(floats[call]), call)


@KINDS
@ON
def test_lanes_shuffle_them_as_they_shuffle_integers(kind: Kind, target: str) -> None:
    codes = np.random.default_rng(2).integers(0, 1 << 16, 256).astype(np.uint16)
    shuffles = ("__shfl({}, 3)", "__shfl({}, 5, 16)", "__shfl_up({}, 2)", "__shfl_down({}, 7, 8)", "__shfl_xor({}, 1)")
    of_integers = [call.format("(int)n") for call in shuffles]
    word = values("hip_runtime", {"n": ("unsigned short", codes)}, "unsigned short", "u2", of_integers, target)
    found = values(
        kind.header, {"a": (kind.name, codes)}, kind.name, "u2", [call.format("a") for call in shuffles], target
    )
    high = [call.format(f"{kind.name}2(b, a)") + ".y" for call in shuffles]
    inputs = {"a": (kind.name, codes), "b": (kind.name, codes[::-1].copy())}
    of_two = values(kind.header, inputs, kind.name, "u2", high, target)
    for alone, among, integer in zip(found.values(), of_two.values(), word.values(), strict=True):
        assert np.array_equal(alone, integer)
        assert np.array_equal(among, integer)


@KINDS
@ON
@pytest.mark.parametrize("function", each(["atomicAdd", "unsafeAtomicAdd"], "atomicAdd"))
def test_all_lanes_add_to_one(kind: Kind, target: str, function: str) -> None:
    """Whole numbers, whose sum is exact in whatever order."""
    body = f"{function}(o + 1, x[i]); {function}((two*)(o + 2), two(x[i], {kind.name}(2.0f)));".replace(
        "two", f"{kind.name}2"
    )
    ones = np.full(64, kind.rounded(np.float32([1]))[0], np.uint16)
    body = f"if (i < 64) {{ {body} }}"
    *_, o = run(kind.header, f"const {kind.name}* x, {kind.name}* o", body, [ones, np.zeros(4, np.uint16)], 256, target)
    assert kind.of(o).tolist() == [0, 64, 64, 128]


def test_what_amds_code_and_words_disagree_on_is_refused() -> None:
    calls = ("__hgt2(p, p)", "__hisnan2(p)", "p < p", "p >= p")
    body = "".join(f"auto r{k} = {call}; " for k, call in enumerate(calls))
    with pytest.raises(CompileError) as refused:
        compile_source(f"#include <hip/hip_bf16.h>\n__global__ void k(__hip_bfloat162 p) {{ {body}}}\n", "gfx942")
    assert refused.value.output.count("unavailable: AMD's own code answers") == len(calls)


def test_programs_that_switch_conversions_and_operators_off_have_the_functions() -> None:
    source = "#include <hip/hip_fp16.h>\n__global__ void k(__half* x) { x[0] = __hadd(x[1], __float2half(2.0f)); }\n"
    flags = ("-D__HIP_NO_HALF_CONVERSIONS__=1", "-D__HIP_NO_HALF_OPERATORS__=1")
    assert compile_source(source, "gfx942", flags=flags).kernels
    with pytest.raises(CompileError, match="invalid operands"):
        compile_source(source.replace("__hadd(x[1], __float2half(2.0f))", "x[1] + x[2]"), "gfx942", flags=flags)
