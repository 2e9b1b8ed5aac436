"""Conversions with a scale: of all halves the nearest narrow number, and of all narrow codes the number, exactly."""

import numpy as np
import pytest

from layoutalg.isa.run.scaled import FOURS, SCALED
from layoutalg.target.eights import values
from tests.isa.machines import after, machine_of

HALVES = np.arange(1 << 16, dtype=np.uint32)
SCALES = [1.0, 0.25, 64.0, 2.0**-127, 2.0**100, 1.75, -8.0]  # of the last two the exponent alone counts


def word(scale):
    return np.float32([scale]).view(np.uint32)


def exponent_of(scale):
    return 2.0**-127 if abs(scale) < 2.0**-126 else 2.0 ** np.floor(np.log2(abs(scale)))


def numbers(kind):
    """The numbers of the codes without a sign; what is none, and infinite, is left out."""
    known = FOURS if kind == "fp4" else values(kind, fnuz=False)[:128]
    return known[: np.flatnonzero(np.isfinite(known))[-1] + 1]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("kind", ["fp8", "bf8", "fp4"])
def test_a_half_goes_to_the_nearest_number(kind, scale):
    known, sign = numbers(kind), 8 if kind == "fp4" else 128
    with np.errstate(all="ignore"):
        found = SCALED[f"{kind}_of_f16_scaled"](HALVES, word(scale)).astype(int)
        exact = HALVES.astype(np.uint16).view(np.float16).astype(float) / exponent_of(scale)
    beyond = known[-1] + (known[-1] - known[-2]) / 2
    inside = np.abs(exact) < (beyond if kind != "fp4" else np.inf)
    apart = np.abs(np.abs(exact[inside])[:, None] - known)
    best = apart.min(axis=1)
    codes = found[inside] % sign
    assert (apart[np.arange(len(codes)), codes] == best).all()
    ties = ((apart == best[:, None]).sum(axis=1) > 1) & (np.abs(exact[inside]) <= known[-1])
    assert (codes[ties] % 2 == 0).all()
    assert ((found & sign > 0) == np.signbit(exact)).all() or kind == "fp8"
    infinite = np.isinf(exact)
    assert set(found[infinite] % sign) == {{"fp8": 0x7F, "bf8": 0x7C, "fp4": 7}[kind]}


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("wide", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("kind", ["fp8", "bf8", "fp4"])
def test_a_code_is_its_number_times_the_scale(kind, wide, scale):
    known = numbers(kind)
    codes = np.arange(len(known), dtype=np.uint32)
    with np.errstate(all="ignore"):
        found = SCALED[f"{wide}_of_{kind}_scaled"](codes, word(scale))
        exact = known * exponent_of(scale)
    if wide == "f16":
        with np.errstate(over="ignore"):
            assert (found == exact.astype(np.float16).view(np.uint16)).all()
    else:
        bits = exact.astype(np.float32).view(np.uint32)
        rounded = bits if wide == "f32" else bits + 0x7FFF + (bits >> 16 & 1) >> 16
        assert (found == rounded).all()


def test_a_scale_that_is_no_number_makes_none():
    none = np.uint32([0x7F800000])
    assert np.isnan(SCALED["f32_of_fp4_scaled"](np.uint32([3]), none).view(np.float32)).all()
    assert SCALED["fp8_of_f32_scaled"](np.float32([1]).view(np.uint32), none).item() == 0x7F


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("024035d20711ca03", (0xC038, 16, 0x0000FFFF)),  # pk_fp8_f32 v2, v7, v8, 1.0 op_sel 3
        ("02603dd20711ca03", (0xC2, 24, 0x00FFFFFF)),  # pk_fp4_f32 v2, v7, v8, 1.0 op_sel:[0,0,1,1]
    ],
)
def test_numbers_go_to_the_part_that_is_picked(code, wanted):
    """1 and −2, in fp8 0x38 and 0xC0, in fp4 2 and 0xC; the other parts are kept."""
    machine, instructions = machine_of("gfx950", code, [True] * 64)
    for k, number in ((7, 1.0), (8, -2.0)):
        machine.registers.vectors["v", k] = machine.registers.w.const(int(word(number)[0]), 32) | np.zeros(
            64, np.uint32
        )
    before, found = after(machine, instructions)
    placed, start, kept = wanted
    assert found[2][3] == placed << start | before[2][3] & kept


def test_the_two_numbers_of_a_byte():
    """v_cvt_scalef32_pk_f32_fp4 v[2:3], v7, v8 op_sel:[1,0,0]: byte 1 of v7."""
    machine, instructions = machine_of("gfx950", "02083fd207110200", [True] * 64)
    w = machine.registers.w
    machine.registers.vectors["v", 7] = w.const(0x0000A500, 32) | np.zeros(64, np.uint32)
    machine.registers.vectors["v", 8] = w.const(int(word(4.0)[0]), 32) | np.zeros(64, np.uint32)
    _, found = after(machine, instructions)
    pair = np.uint32([found[2][0], found[3][0]]).view(np.float32)
    np.testing.assert_array_equal(pair, np.float32([FOURS[5] * 4, -FOURS[2] * 4]))
