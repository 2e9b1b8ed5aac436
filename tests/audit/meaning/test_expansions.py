"""Functions of several instructions: what is told of a compiler's own, and that these are rounded; cases in `cases`."""

import numpy as np
import pytest

from layoutalg.audit.audit import Audit
from layoutalg.audit.meaning.expansions import statement
from layoutalg.isa.run.launch import execute
from layoutalg.launch.concrete import bound
from tests.audit.test_audit_cases import asking

MADE_OF, SINGLE = " makes of ", "is the instruction's, within 1 ulp"


def told(found: Audit, what: str) -> bool:
    assert found.proved
    return any(what in one for one in found.assumptions)


@pytest.mark.parametrize("name", ["quotient", pytest.param("logistic", marks=pytest.mark.slow)])
def test_a_compilers_own_function_is_named(name: str) -> None:
    found = asking("functions_of_f32", name).audited()
    assert told(found, MADE_OF)
    assert not told(found, SINGLE)


def test_an_instructions_own_error_is_told() -> None:
    found = asking("functions_of_f32", "root_by_instruction").audited()
    assert told(found, SINGLE)
    assert not told(found, MADE_OF)


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
