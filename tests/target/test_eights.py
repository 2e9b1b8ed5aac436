"""Numbers of eight bits: every code, and the nearest code of what lies between."""

import numpy as np
import pytest

from layoutalg.isa.run.arrays import ArrayValues
from layoutalg.isa.semantics.table import ALU
from layoutalg.target.eights import decoded, encoded, values

FORMATS = [(kind, fnuz) for kind in ("fp8", "bf8") for fnuz in (False, True)]
CODES = np.arange(256, dtype=np.uint32)
W = ArrayValues()


def test_the_formats_are_those_of_their_specifications():
    """OFP8, table 1; the greatest, the least and the special codes of each."""
    at = {key: dict(enumerate(values(*key).tolist())) for key in FORMATS}
    assert at["fp8", False][0x7E] == 448
    assert at["fp8", True][0x7F] == 240
    assert at["bf8", False][0x7B] == at["bf8", True][0x7F] == 57344
    assert [at[key][1] for key in FORMATS] == [2.0**-9, 2.0**-10, 2.0**-16, 2.0**-17]
    assert at["bf8", False][0x7C] == np.inf
    assert [int(np.isnan(values(*key)).sum()) for key in FORMATS] == [2, 1, 6, 1]
    assert [at[key][0x38] for key in FORMATS] == [1.0, 0.5, 0.5, 0.25]


@pytest.mark.parametrize(("kind", "fnuz"), FORMATS)
def test_a_code_is_the_nearest_of_its_number(kind, fnuz):
    numbers = decoded(CODES, kind, fnuz)
    some = ~np.isnan(numbers)
    assert np.array_equal(encoded(numbers[some], kind, fnuz), CODES[some])


@pytest.mark.parametrize(("kind", "fnuz"), FORMATS)
def test_what_lies_between_goes_to_the_nearer_or_the_even_code(kind, fnuz):
    numbers = values(kind, fnuz)[:128]
    numbers = numbers[np.isfinite(numbers)]
    low, high = np.arange(len(numbers) - 1), np.arange(1, len(numbers))
    middle = (numbers[low] + numbers[high]) / 2
    assert np.array_equal(encoded(middle, kind, fnuz), np.where(low % 2 == 0, low, high))
    assert np.array_equal(encoded(np.nextafter(middle, 0), kind, fnuz), low)
    assert np.array_equal(encoded(np.nextafter(middle, np.inf), kind, fnuz), high)


@pytest.mark.parametrize(
    ("kind", "fnuz", "large", "code"),
    [
        ("fp8", False, 466.0, 0x7F), ("fp8", False, 464.0, 0x7E), ("bf8", False, 61440.0, 0x7C),
        ("fp8", True, 249.0, 0x80), ("bf8", True, -1e9, 0x80), ("fp8", True, -1e-9, 0x00),
        ("fp8", False, -1e-9, 0x80), ("fp8", True, np.nan, 0x80),
    ],
)  # fmt: skip
def test_what_is_too_large_is_infinite_or_no_number(kind, fnuz, large, code):
    """As measured on gfx950 and gfx942: ROCm/rocm-systems, issue 9556."""
    assert encoded(np.array([large]), kind, fnuz).item() == code


def single(number):
    return W.const(int(np.float32(number).view(np.uint32)), 32)


def test_conversions_pick_bytes_and_halves():
    codes = W.const(0x40383028, 32)
    one, two, pack = (ALU[name].effect for name in ("V_CVT_F32_FP8", "V_CVT_PK_F32_FP8", "V_CVT_PK_FP8_F32"))
    by_byte = [float(one(W, codes, opsel=opsel).view(np.float32).item()) for opsel in (0, 2, 1, 3)]
    assert by_byte == [0.25, 0.5, 1.0, 2.0]
    assert float(one(W, codes, fnuz=True).view(np.float32).item()) == 0.125
    assert two(W, W.const(0x4038, 32)).reshape(1).view(np.float32).tolist() == [1.0, 2.0]
    kept = W.const(0xAAAABBBB, 32)
    assert int(pack(W, single(1), single(-2), kept).item()) == 0xAAAAC038
    assert int(pack(W, single(1), single(-2), kept, opsel=8).item()) == 0xC038BBBB
