"""Loads straight to LDS that `isa.run` carries out, audited; more are in `cases`."""

import pytest

from layoutalg.audit.audit import audit
from layoutalg.formats.spec import loads
from layoutalg.isa.decode.code import decode_kernel
from tests.audit.auditing import failed
from tests.isa.run.test_landing import kernels

LAUNCH = """
symbols = {{ B = {{ min = 1, max = 65535 }} }}
[[descriptor]]
name = "x"
dtype = "i32"
base = {{ kind = "packed", lengths = ["B", 256] }}
[[descriptor]]
name = "o"
dtype = "i32"
base = {{ kind = "packed", lengths = ["B", 256] }}
[launch]
grid = ["B"]
block = [256]
arguments = ["x", "o"]
writes = ["o"]
computes = {}
"""


def missed(name, *computes):
    return failed(audit(decode_kernel(kernels("gfx942")[name]), loads(LAUNCH.format([*computes]))))


def test_what_is_waited_for_behind_a_barrier_is_proved():
    assert not missed("reverse", "o[b, i] = x[b, 255 - i]")


@pytest.mark.parametrize(
    ("name", "claim"),
    [
        ("no_wait", "followed"),
        ("no_barrier", "race_free"),
        pytest.param("late_wait", "race_free", marks=pytest.mark.slow),
        pytest.param("one_place", "race_free", marks=pytest.mark.slow),
        pytest.param("too_far", "lds_in_bounds", marks=pytest.mark.slow),
        ("odd_start", "followed"),
    ],
)
def test_no_wrong_one_is_proved(name, claim):
    assert claim in missed(name)


@pytest.mark.slow
def test_a_wrong_result_is_refuted():
    assert missed("reverse", "o[b, i] = x[b, i]") == {"computes": "refuted"}
