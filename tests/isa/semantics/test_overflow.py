"""Overflows that are held, over all numbers of 16 and 8 bits: as numpy rounds them, cut to the greatest number."""

import numpy as np
import pytest

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.run.floats import FUNCTIONS
from layoutalg.isa.semantics.overflow import HELD, OVERFLOWING, held
from layoutalg.target.eights import values

HALVES = np.arange(1 << 16, dtype=np.uint32)
MOST = np.float16(65504)


def halves(words):
    return words.astype(np.uint16).view(np.float16)


@pytest.mark.parametrize("other", [65504.0, -65504.0, 2.0, 0.0, np.inf, -np.inf, np.nan, 33.0])
@pytest.mark.parametrize(("name", "function"), [("add", np.add), ("sub", np.subtract), ("mul", np.multiply)])
def test_arithmetic_of_halves(name, function, other):
    b = np.full(1, other, np.float16)
    with np.errstate(all="ignore"):
        found = halves(FUNCTIONS[f"{name}_f16{HELD}"](HALVES, b.view(np.uint16).astype(np.uint32)))
        exact = function(halves(HALVES).astype(np.float64), float(b[0]))
        rounded = exact.astype(np.float16)
    finite = np.isfinite(exact)  # of finite numbers: infinite ones are true infinities
    wanted = np.where(finite, np.clip(rounded, -MOST, MOST), rounded)
    np.testing.assert_array_equal(found, wanted)


def test_singles_to_halves():
    some = np.array([65519.0, 65520.0, 1e30, -1e30, np.inf, -np.inf, np.nan, 1.0], np.float32)
    with np.errstate(all="ignore"):
        found = halves(FUNCTIONS[f"f16_of_f32{HELD}"](some.view(np.uint32)))
    np.testing.assert_array_equal(found, np.float16([65504, 65504, 65504, -65504, np.inf, -np.inf, np.nan, 1]))


@pytest.mark.parametrize("kind", ["fp8", "bf8"])
@pytest.mark.parametrize("fnuz", [False, True])
def test_singles_to_eights(kind, fnuz):
    name = f"{kind}{'fnuz' if fnuz else ''}_of_f32"
    known = values(kind, fnuz)
    most = np.float32(np.nanmax(known[np.isfinite(known)]))
    rng = np.random.default_rng(4)
    some = np.concatenate(
        [rng.normal(0, 2 * most, 4000), most * np.linspace(0.9, 1.2, 1000), [np.inf, -np.inf, np.nan]]
    ).astype("f4")
    plain, found = (FUNCTIONS[one](some.view(np.uint32)) for one in (name, name + HELD))
    inside = np.abs(known[plain.astype(int)]) <= most
    over = ~np.isnan(some) & ~inside  # infinities too: CDNA 4 ISA, 7.3, the table of FP16_OVFL
    np.testing.assert_array_equal(found[~over], plain[~over])
    np.testing.assert_array_equal(known[found[over].astype(int)], np.copysign(most, some[over]))
    assert over.sum() > 1000


def test_every_function_that_is_held_is_there_and_others_are_refused():
    assert {f"{name}{HELD}" for name in OVERFLOWING} <= FUNCTIONS.keys()
    for name in ("rcp_f16", "exp_f16", "ldexp_f16", "sqrt_f16"):
        with pytest.raises(UnsupportedInstructionError, match="held"):
            held(name)
    narrow = [name for name in FUNCTIONS if name.endswith("_f16") and "_of_" not in name]
    with np.errstate(all="ignore"):
        for name in narrow:
            try:
                same = held(name) == name
            except UnsupportedInstructionError:
                continue
            assert not same or name.split("_")[0] not in ("add", "sub", "mul", "fma")
