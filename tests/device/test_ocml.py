"""The mathematics of `include/hip/ocml`, carried out as machine code: within the ulp that hip_ocml.h states.

What is exact is mpmath's, at 60 digits; samples are seeded. The rows of the table below are the header's.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from mpmath import mp, mpf

from layoutalg.device import choose_compiler, compile_source
from layoutalg.device.compilers import INCLUDE
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from tests.device import polynomials
from tests.matrix import each

Array = npt.NDArray[Any]
Random = np.random.Generator
TARGETS = ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"]
mp.dps = 60


def _tiny(random: Random, n: int) -> Array:
    return np.exp2(random.uniform(-60, 0, n))


def _wide(random: Random, n: int) -> Array:
    return np.exp2(random.uniform(-1000, 1000, n))


#: Where arguments are taken; a minus before a sample's name takes both signs.
SAMPLES: dict[str, Callable[[Random, int], Array]] = {
    "unit": lambda random, n: random.uniform(0, 1, n),
    "tens": lambda random, n: random.uniform(0, 20, n),
    "hundreds": lambda random, n: random.uniform(0, 300, n),
    "sevens": lambda random, n: random.uniform(0, 700, n),
    "tiny": _tiny,
    "wide": _wide,
    "past_one": lambda random, n: 1 + _tiny(random, n),
    "to_one": lambda random, n: 1 - _tiny(random, n) / 2,
    "past_two": lambda random, n: random.uniform(1.75, 2.25, n),
    "quarters": lambda random, n: np.round(random.uniform(0, 6e5, n)) * (math.pi / 2),
    "halves": lambda random, n: np.round(random.uniform(0, 40, n)) + 0.5,
    "to_two": lambda random, n: random.uniform(0, 2, n),
}


@dataclass(frozen=True)
class Function:
    """A function of the device library: its exact values, the ulp that it keeps to, and where that is tried."""

    name: str
    ulp: float
    exact: Callable[..., mpf]
    samples: str  # of one argument; of two, pairs with a colon

    def arguments(self, random: Random, n: int) -> list[Array]:
        """`n` arguments from the samples by turns, a row for each place."""
        chosen = [[self._of(one, random, n) for one in sample.split(":")] for sample in self.samples.split()]
        turn = np.arange(n) % len(chosen)
        return [np.choose(turn, [sample[place] for sample in chosen]) for place in range(len(chosen[0]))]

    @staticmethod
    def _of(sample: str, random: Random, n: int) -> Array:
        values = SAMPLES[sample.removeprefix("-")](random, n)
        return values * random.choice([-1.0, 1.0], n) if sample.startswith("-") else values


def _of_pi(of: Callable[[mpf], mpf]) -> Callable[[mpf], mpf]:
    return lambda x: of(mp.pi * (x - 2 * mp.floor(x / 2)))


def _odd(of: Callable[[mpf], mpf]) -> Callable[[mpf], mpf]:
    return lambda x: mp.sign(x) * of(abs(x))


def _erfcinv(p: mpf) -> mpf:
    """By Newton's steps on the logarithm, from the first term of the asymptotic series."""
    if p > 0.25:
        return mp.erfinv(1 - p)
    x = mp.sqrt(-mp.log(p))
    for _ in range(20):
        x += mp.erfc(x) * mp.log(mp.erfc(x) / p) * mp.sqrt(mp.pi) / 2 * mp.exp(x * x)
    return x


FUNCTIONS = (
    Function("exp", 0.8, mp.exp, "-sevens -tens -tiny"),
    Function("exp2", 0.8, lambda x: mpf(2) ** x, "-sevens -tens -tiny"),
    Function("exp10", 0.8, lambda x: mpf(10) ** x, "-hundreds -tens -tiny"),
    Function("expm1", 0.8, mp.expm1, "-sevens -unit -tiny"),
    Function("pow", 0.8, lambda x, y: x**y, "wide:-unit tens:-tens past_one:-wide to_two:-hundreds"),
    Function("sin", 0.8, mp.sin, "-tens -wide -tiny -quarters"),
    Function("cos", 0.8, mp.cos, "-tens -wide -tiny -quarters"),
    Function("tan", 0.8, mp.tan, "-tens -wide -tiny -quarters"),
    Function("sinpi", 0.8, _of_pi(mp.sin), "-tens -tiny -sevens"),
    Function("cospi", 0.8, _of_pi(mp.cos), "-tens -tiny -sevens"),
    Function("sinh", 0.8, mp.sinh, "-sevens -unit -tiny"),
    Function("cosh", 0.8, mp.cosh, "-sevens -unit -tiny"),
    Function("tanh", 0.8, mp.tanh, "-tens -unit -tiny"),
    Function("log", 0.51, mp.log, "wide past_one to_one to_two"),
    Function("log2", 0.51, lambda x: mp.log(x, 2), "wide past_one to_one to_two"),
    Function("log10", 0.51, mp.log10, "wide past_one to_one to_two"),
    Function("log1p", 0.51, mp.log1p, "wide -tiny to_two"),
    Function("asinh", 0.51, mp.asinh, "-wide -tiny -tens"),
    Function("acosh", 0.51, mp.acosh, "past_one past_two"),
    Function("atanh", 0.51, mp.atanh, "-unit -tiny -to_one"),
    Function("cbrt", 0.51, _odd(mp.cbrt), "-wide -tens"),
    Function("rcbrt", 0.51, _odd(lambda x: 1 / mp.cbrt(x)), "-wide -tens"),
    Function("asin", 0.9, mp.asin, "-unit -tiny -to_one"),
    Function("acos", 0.9, mp.acos, "-unit -tiny -to_one"),
    Function("atan", 0.9, mp.atan, "-tens -wide -tiny"),
    Function("atan2", 0.9, mp.atan2, "-unit:-unit -wide:-wide -tiny:-tiny"),
    Function("tgamma", 0.9, mp.gamma, "-tens -unit hundreds -tiny"),
    Function("hypot", 0.9, mp.hypot, "-unit:-unit -wide:-wide"),
    Function("rhypot", 0.9, lambda x, y: 1 / mp.hypot(x, y), "-unit:-unit -wide:-wide"),
    Function("rsqrt", 0.9, lambda x: 1 / mp.sqrt(x), "wide tens"),
    Function("erf", 3, mp.erf, "-tens -unit -tiny -to_two"),
    Function("erfc", 3, mp.erfc, "-tens -unit -tiny -to_two"),
    Function("erfcx", 3, lambda x: mp.exp(x * x) * mp.erfc(x), "-tens -unit -tiny sevens"),
    Function("ncdf", 3, lambda x: mp.erfc(-x / mp.sqrt(2)) / 2, "-tens -unit -tiny -to_two"),
    Function("erfinv", 3, mp.erfinv, "-unit -tiny -to_one"),
    Function("erfcinv", 3, lambda p: _erfcinv(p) if p < 1 else -_erfcinv(2 - p), "to_two tiny"),
    Function("ncdfinv", 3, lambda p: -mp.sqrt(2) * _erfcinv(2 * p) if p < 0.5 else mp.sqrt(2) * _erfcinv(2 - 2 * p),
             "unit tiny"),
    Function("lgamma", 3, lambda x: mp.loggamma(x).real, "tens unit past_two wide"),
    Function("fmod", 0, lambda x, y: mp.sign(x) * mp.fmod(abs(x), abs(y)),
             "-wide:-wide -hundreds:-tens -hundreds:-halves"),
    Function("remainder", 0, lambda x, y: x - y * mp.nint(x / y), "-hundreds:-tens -hundreds:-halves -unit:-tiny"),
)  # fmt: skip
SOME = ("exp", "sin")


def carried_out(calls: dict[str, tuple[str, list[Array]]], target: str) -> dict[str, Array]:
    """What kernels of one translation unit give: each name's call of `x[i]` and `y[i]`, element by element."""
    source = "#include <hip/hip_runtime.h>\n"
    for name, (call, (x, *_)) in calls.items():
        kind = {4: "float", 8: "double"}[x.dtype.itemsize]
        source += f'extern "C" __global__ void k_{name}(const {kind}* x, const {kind}* y, {kind}* o) '
        source += f"{{ int i = blockIdx.x * 64 + threadIdx.x; o[i] = {call}; }}\n"
    kernels = read_kernels(compile_source(source, target, compiler=choose_compiler(target)).payload)
    found = {}
    for name, (_, (x, *rest)) in calls.items():
        arrays = [x, rest[0] if rest else x, np.zeros_like(x)]
        found[name] = execute(decode_kernel(kernels[f"k_{name}"]), [len(x) // 64], [64], arrays).outputs[-1]
    return found


def errors(function: Function, arguments: list[Array], found: Array) -> Array:
    """How far each is from the exact value, in units of that value's last place."""
    unit = math.ulp if found.dtype == np.float64 else lambda x: float(np.spacing(np.float32(abs(x))))
    largest = float(np.finfo(found.dtype).max)
    away = []
    for value, *given in zip(found, *arguments, strict=True):
        exact = function.exact(*(mpf(float(x)) for x in given))
        if abs(exact) > largest:
            away.append(0.0 if math.isinf(value) else math.inf)
        else:
            away.append(float(abs(mpf(float(value)) - exact) / mpf(unit(float(exact)))))
    return np.array(away)


def assert_within(functions: list[Function], n: int, target: str) -> None:
    random = np.random.default_rng(0)
    given = {function.name: function.arguments(random, n) for function in functions}
    calls = {
        name: (f"__ocml_{name}_f64({', '.join(['x[i]', 'y[i]'][: len(arguments)])})", arguments)
        for name, arguments in given.items()
    }
    found = carried_out(calls, target)
    worst = {f.name: errors(f, given[f.name], found[f.name]) for f in functions}
    beyond = {f.name: (worst[f.name].max(), [a[worst[f.name].argmax()] for a in given[f.name]]) for f in functions
              if not (worst[f.name] <= f.ulp).all()}  # fmt: skip
    assert not beyond


def test_some_functions_of_doubles_keep_to_their_ulp() -> None:
    assert_within([function for function in FUNCTIONS if function.name in SOME], 64, "gfx942")


@pytest.mark.slow
@pytest.mark.parametrize("target", each(TARGETS, "gfx942"))
def test_functions_of_doubles_keep_to_their_ulp(target: str) -> None:
    assert_within(list(FUNCTIONS), 192, target)


@pytest.mark.slow
def test_functions_of_floats_are_the_doubles_rounded() -> None:
    """To half a unit, and what the double was off."""
    lowered = ("exp", "exp2", "exp10", "log", "log2", "log10", "rsqrt")
    functions = [function for function in FUNCTIONS if function.name not in lowered]
    random = np.random.default_rng(0)
    with np.errstate(over="ignore"):
        given = {f.name: [x.astype(np.float32) for x in f.arguments(random, 128)] for f in functions}
    for arguments in given.values():
        for x in arguments:
            x[~np.isfinite(x) | (x == 0)] = 0.75
    calls = {
        name: (f"__ocml_{name}_f32({', '.join(['x[i]', 'y[i]'][: len(arguments)])})", arguments)
        for name, arguments in given.items()
    }
    found = carried_out(calls, "gfx942")
    for function in functions:
        assert errors(function, given[function.name], found[function.name]).max() <= 0.5001, function.name


SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 2.5])
AT_SPECIAL = {
    "exp": [1, 1, math.e, 1 / math.e, np.inf, 0, np.nan, math.exp(2.5)],
    "log": [-np.inf, -np.inf, 0, np.nan, np.inf, np.nan, np.nan, math.log(2.5)],
    "sin": [0, -0.0, math.sin(1), -math.sin(1), np.nan, np.nan, np.nan, math.sin(2.5)],
    "tanh": [0, -0.0, math.tanh(1), -math.tanh(1), 1, -1, np.nan, math.tanh(2.5)],
    "atan": [0, -0.0, math.pi / 4, -math.pi / 4, math.pi / 2, -math.pi / 2, np.nan, math.atan(2.5)],
    "acosh": [np.nan, np.nan, 0, np.nan, np.inf, np.nan, np.nan, math.acosh(2.5)],
    "tgamma": [np.inf, -np.inf, 1, np.nan, np.inf, np.nan, np.nan, math.gamma(2.5)],
    "lgamma": [np.inf, np.inf, 0, np.inf, np.inf, np.inf, np.nan, math.lgamma(2.5)],
    "erfc": [1, 1, math.erfc(1), math.erfc(-1), 0, 2, np.nan, math.erfc(2.5)],
    "erfinv": [0, -0.0, np.inf, -np.inf, np.nan, np.nan, np.nan, np.nan],
    "cbrt": [0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 2.5 ** (1 / 3)],
    "rsqrt": [np.inf, -np.inf, 1, np.nan, 0, np.nan, np.nan, 2.5**-0.5],
}
WHOLE = np.array([0.0, -0.0, 1.0, -1.0, 2.0, 3.0, -3.0, 0.5, -0.5, np.inf, -np.inf, np.nan])


def _powers() -> tuple[Array, Array, list[float]]:
    """Every pair of special numbers, and C's power of them, which is Python's where that has one."""
    x, y = (a.ravel() for a in np.meshgrid(WHOLE, WHOLE))
    with np.errstate(all="ignore"):
        return x, y, list(np.power(x, y))


@pytest.mark.slow
def test_special_numbers_have_the_values_of_c() -> None:
    given = np.resize(SPECIAL, 64)
    calls = {name: (f"__ocml_{name}_f64(x[i])", [given]) for name in AT_SPECIAL}
    for name, found in carried_out(calls, "gfx942").items():
        np.testing.assert_allclose(found[:8], AT_SPECIAL[name], rtol=2e-15, err_msg=name)
        zero = np.array(AT_SPECIAL[name]) == 0
        assert (np.signbit(found[:8]) == np.signbit(AT_SPECIAL[name]))[zero].all(), name


@pytest.mark.slow
def test_special_powers_have_the_values_of_c() -> None:
    x, y, exact = _powers()
    given = [np.resize(x, 192), np.resize(y, 192)]
    calls = {
        "pow": ("pow(x[i], y[i])", given),
        "atan2": ("atan2(x[i], y[i])", given),
        "fmod": ("fmod(x[i], y[i])", given),
    }
    found = carried_out(calls, "gfx1201")
    with np.errstate(all="ignore"):
        for name, wanted in (("pow", exact), ("atan2", np.arctan2(x, y)), ("fmod", np.fmod(x, y))):
            np.testing.assert_allclose(found[name][: len(x)], wanted, rtol=1e-15, err_msg=name)


@pytest.mark.slow
def test_the_polynomials_are_those_that_are_computed() -> None:
    assert (INCLUDE / "hip" / "ocml" / "polynomials.h").read_text() == polynomials.header()


def test_the_header_states_these_errors() -> None:
    table = (INCLUDE / "hip" / "hip_ocml.h").read_text()
    stated = {ulp: names for names, ulp in (row.strip("/ |\n").split(" | ") for row in _rows(table))}
    for function in FUNCTIONS:
        assert function.name in stated["exact" if function.ulp == 0 else f"{function.ulp:g}"].replace(",", "").split()


def _rows(table: str) -> list[str]:
    return [
        line
        for line in table.splitlines()
        if line.startswith("// | ") and "---" not in line and "functions" not in line
    ]
