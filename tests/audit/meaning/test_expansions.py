"""Functions of several instructions: proved where a kernel has a compiler's own, and never where it has another."""

import numpy as np
import pytest

from layoutalg.audit.audit import Audit, audit
from layoutalg.audit.meaning.expansions import statement
from layoutalg.device.compile import compile_source
from layoutalg.formats.spec import loads
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.launch.concrete import bound
from layoutalg.prove import Proved

SOURCE = """
#include <hip/hip_runtime.h>
extern "C" __global__ void k(const T* x, const T* y, T* o, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) { T a = x[i], b = y[i]; o[i] = WRITTEN; }
}
"""
LAUNCH = "symbols = { N = { min = 1, max = 10000 } }\n" + "".join(
    f'[[descriptor]]\nname = "{name}"\ndtype = "DTYPE"\nbase = {{ kind = "naive", lengths = ["N"], strides = [1] }}\n'
    for name in "xyo"
)
LAUNCH += """[launch]
grid = ["(N + 63) // 64"]
block = [64]
arguments = ["x", "y", "o", "N"]
writes = ["o"]
"""

RIGHT = (
    ("float", "a / b", "x[i] / y[i]"),
    ("float", "sqrtf(a)", "sqrt(x[i])"),
    ("float", "__builtin_amdgcn_sqrtf(a)", "sqrt(x[i])"),
    ("float", "1.0f / (1.0f + expf(-a))", "1.0 / (1.0 + exp(-x[i]))"),
    ("float", "expf(a - b)", "exp(x[i] - y[i])"),
    ("float", "logf(a) / 3.0f", "log(x[i]) / 3.0"),
    ("float", "a / (1.0f + exp2f(b)) - b", "x[i] / (1.0 + exp2(y[i])) - y[i]"),
    ("float", "a > b ? a / b : b / a", "where(x[i] > y[i], x[i] / y[i], y[i] / x[i])"),
    ("double", "a / b", "x[i] / y[i]"),
    ("double", "sqrt(a)", "sqrt(x[i])"),
    ("_Float16", "a / b", "x[i] / y[i]"),
)

WRONG = (
    ("double", "__builtin_amdgcn_sqrt(a)", "sqrt(x[i])"),
    ("double", "__builtin_amdgcn_rcp(a)", "rcp(x[i])"),
    ("double", "__builtin_amdgcn_rsq(a)", "rsq(x[i])"),
    ("float", "a / b", "y[i] / x[i]"),
    ("float", "a * (1.0f / b)", "x[i] / y[i]"),
    ("float", "a * __builtin_amdgcn_rcpf(b)", "x[i] / y[i]"),
    ("float", "-a / b", "x[i] / y[i]"),
    ("float", "a / b", "x[i] / (y[i] + 0.0)"),
    ("float", "sqrtf(a)", "sqrt(y[i])"),
    ("float", "sqrtf(a)", "1.0 / rsq(x[i])"),
    ("float", "__expf(a)", "exp(x[i])"),
    ("float", "expf(a)", "exp2(x[i])"),
    ("float", "exp2f(a)", "exp(x[i])"),
    ("float", "expf(-a)", "exp(x[i])"),
    ("float", "1.0f / (1.0f + expf(a))", "1.0 / (1.0 + exp(-x[i]))"),
    ("float", "logf(a)", "log2(x[i])"),
    ("float", "(float)((double)a * a / b)", "x[i] * x[i] / y[i]"),
    ("float", "i == 77 ? a : a / b", "x[i] / y[i]"),
    ("double", "(double)((float)a / (float)b)", "x[i] / y[i]"),
    ("_Float16", "(_Float16)((float)a / (float)b + 0.0f)", "x[i] / y[i]"),
)

DTYPES = {"float": "f32", "double": "f64", "_Float16": "f16"}


def audited(kind: str, written: str, said: str, target: str = "gfx942") -> Audit:
    source = SOURCE.replace("WRITTEN", written).replace("T*", f"{kind}*").replace("T a", f"{kind} a")
    code = decode_kernel(read_kernels(compile_source(source, target).payload)["k"])
    return audit(code, loads(f"{LAUNCH.replace('DTYPE', DTYPES[kind])}computes = ['o[i] = {said}']\n"), 20)


def proved(found: Audit) -> bool:
    (verdict,) = (one for claim, _, one in found.claims if claim == "computes")
    return isinstance(verdict, Proved)


@pytest.mark.parametrize("case", [RIGHT[0], *(pytest.param(one, marks=pytest.mark.slow) for one in RIGHT[1:])])
def test_a_compilers_own_function_is_proved_and_named(case: tuple[str, str, str]) -> None:
    found = audited(*case)
    assert proved(found)
    single = "amdgcn" in case[1]
    assert any(" makes of " in one for one in found.assumptions) != single
    assert any("is the instruction's, within 1 ulp" in one for one in found.assumptions) == single


@pytest.mark.slow
@pytest.mark.parametrize("case", RIGHT[:7])
def test_on_waves_of_32_too(case: tuple[str, str, str]) -> None:
    assert proved(audited(*case, "gfx1201"))


@pytest.mark.parametrize("case", [WRONG[0], *(pytest.param(one, marks=pytest.mark.slow) for one in WRONG[1:])])
def test_another_function_is_never_proved(case: tuple[str, str, str]) -> None:
    assert not proved(audited(*case))


@pytest.mark.parametrize(("name", "dtype"), [("div", "f32"), ("sqrt", "f32"), ("div", "f64"), ("sqrt", "f64")])
@pytest.mark.slow
def test_divisions_and_roots_are_rounded_as_ieee_754_has_it(name: str, dtype: str) -> None:
    """What is taken for a / b and a root is one, to the bit, in runs of the statement."""
    code, file = statement(name, dtype, "gfx942")
    kind = np.dtype("f4" if dtype == "f32" else "f8")
    words = np.dtype(f"u{kind.itemsize}")
    draw = np.random.default_rng(0)
    special = np.array(
        [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, np.finfo(kind).tiny / 8, np.finfo(kind).max], kind
    )
    for turn in range(20):
        a, b = (draw.integers(0, np.iinfo(words).max, 64, words, endpoint=True).view(kind) for _ in range(2))
        a[: len(special)], b[:32] = np.roll(special, turn), draw.permutation(np.concatenate([special] * 4))[:32]
        made = bound(file, code.kernel.metadata, {}, {"a": a, "b": b}, {}, 0)
        run = execute(code, made.grid, made.block, made.arguments, 10_000, lds=made.lds)
        found = np.ascontiguousarray(run.outputs[-1]).view(np.uint8)[: 64 * kind.itemsize].view(kind)
        with np.errstate(all="ignore"):
            wanted = a / b if name == "div" else np.sqrt(a)
        assert np.array_equal(found, wanted, equal_nan=True)
        numbers = wanted == wanted
        assert np.array_equal(np.signbit(found)[numbers], np.signbit(wanted)[numbers])
