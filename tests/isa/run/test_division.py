"""Divisions as compilers write them give the quotient that is rounded correctly, of all numbers."""

import numpy as np
import pytest

from layoutalg.isa.run.arrays import ArrayValues
from layoutalg.isa.semantics.table import ALU

W = ArrayValues()
TYPES = {"F32": (np.float32, np.uint32), "F64": (np.float64, np.uint64)}


def op(name, *numbers):
    """An instruction on numbers; its mask too, where it has one."""
    number, word = TYPES[name[-3:]]
    found = ALU[name].effect(W, *(n.view(word) if n.dtype != np.bool_ else n for n in numbers))
    return (found[0].view(number), found[1]) if isinstance(found, tuple) else found.view(number)


def quotient(kind, n, d):
    """n / d by LLVM's steps (SITargetLowering: LowerFDIV32, LowerFDIV64)."""
    one = np.ones_like(n)
    under, _ = op(f"V_DIV_SCALE_{kind}", d, d, n)
    over, scaled = op(f"V_DIV_SCALE_{kind}", n, d, n)
    r = op(f"V_RCP_{kind}", under)
    for _ in range(1 if kind == "F32" else 2):
        r = op(f"V_FMA_{kind}", op(f"V_FMA_{kind}", -under, r, one), r, r)
    q = op(f"V_MUL_{kind}", over, r)
    if kind == "F32":
        q = op(f"V_FMA_{kind}", op(f"V_FMA_{kind}", -under, q, over), r, q)
    last = op(f"V_DIV_FMAS_{kind}", op(f"V_FMA_{kind}", -under, q, over), r, q, scaled)
    return op(f"V_DIV_FIXUP_{kind}", last, d, n)


@pytest.mark.parametrize("kind", TYPES)
def test_the_steps_of_a_compiler_divide_any_two_numbers(kind):
    number, word = TYPES[kind]
    rng, bits = np.random.default_rng(7), int(kind[1:])
    n, d = (rng.integers(0, 1 << bits, 40000, word).view(number) for _ in range(2))
    least, limits = np.finfo(number).smallest_subnormal, np.finfo(number)
    special = [0, -0.0, 1, np.inf, -np.inf, np.nan, limits.max, limits.tiny, least, -least * 3]
    edge = np.array(special, number)
    n = np.concatenate([n, np.repeat(edge, len(edge)), -edge, rng.random(500).astype(number)])
    d = np.concatenate([d, np.tile(edge, len(edge)), np.ones_like(edge), rng.random(500).astype(number)])
    with np.errstate(all="ignore"):
        got, exact = quotient(kind, n, d), n / d
    same = (got.view(word) == exact.view(word)) | (np.isnan(got) & np.isnan(exact))
    assert same.all(), [(a.hex(), b.hex()) for a, b in zip(n[~same].tolist(), d[~same].tolist(), strict=True)][:5]


@pytest.mark.parametrize(
    ("sources", "expected", "scaled"),
    [
        ((1.0, 1.0, 3.4028235e38), 2.0**64, True),  # the denominator of a large quotient
        ((3.4028235e38, 1.0, 3.4028235e38), 3.4028235e38, True),
        ((2.0**-126, 1.0, 2.0**-126), 2.0**-62, True),  # the numerator of a small one
        ((1.0, 2.0**127, 1.0), 1.0, True),
        ((2.0, 4.0, 2.0), 2.0, False),
        ((1.0, 0.0, 1.0), np.nan, True),
    ],
)
def test_what_the_machine_scales(sources, expected, scaled):
    """As measured on gfx1100: tests of tinygrad's emulator (its repository, test/amd/hw, V_DIV_SCALE_F32)."""
    got, mask = op("V_DIV_SCALE_F32", *(np.array([x], np.float32) for x in sources))
    assert np.array_equal(got, np.array([expected], np.float32), equal_nan=True)
    assert mask.item() is scaled


@pytest.mark.parametrize(("addend", "factor"), [(2.0, 2.0**64), (1.0, 2.0**-64)])
def test_the_last_step_scales_by_the_quotient_so_far(addend, factor):
    """The same tests: V_DIV_FMAS_F32."""
    one = np.array([1], np.float32)
    got = op("V_DIV_FMAS_F32", one, one, one * np.float32(addend), np.array([True]))
    assert got.item() == (1 + addend) * factor
