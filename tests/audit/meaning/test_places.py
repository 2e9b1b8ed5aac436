"""Elements that share a place: of a tensor that has them no equation is proved."""

from itertools import product

import pytest

from layoutalg.audit.audit import audit
from layoutalg.audit.meaning.places import apart
from layoutalg.audit.meaning.wanted import WantedPlace
from layoutalg.device.compile import compile_source
from layoutalg.formats.spec import loads
from layoutalg.index import const, simplify, var
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel

LENGTHS, STRIDES = (1, 2, 3), (-6, -1, 0, 1, 2, 3, 6)


def test_what_is_apart_shares_no_place() -> None:
    index = var("i", 3), var("j", 3)
    several = 0
    for (m, n), (a, b) in product(product(LENGTHS, repeat=2), product(STRIDES, repeat=2)):
        place = WantedPlace("o", 4, index, (const(m), const(n)), index[0] * (4 * a) + index[1] * (4 * b), const(1))
        places = {a * i + b * j for i in range(m) for j in range(n)}
        if simplify(apart(place)) is const(1):
            assert len(places) == m * n, (m, n, a, b)
            several += m * n > 1
    assert several > 100


SOURCE = """
#include <hip/hip_runtime.h>
extern "C" __global__ void k(float* o, const float* x, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i < n) o[i] = x[i];
}
"""
LAUNCH = """
symbols = {{ N = {{ min = 1, max = 4096 }} }}
[[descriptor]]
name = "o"
dtype = "f32"
base = {{ kind = "naive", lengths = ["N", {twice}], strides = [1, 0] }}
[[descriptor]]
name = "x"
dtype = "f32"
base = {{ kind = "naive", lengths = ["N"], strides = [{stride}] }}
[launch]
grid = ["(N + 63) // 64"]
block = [64]
arguments = ["o", "x", "N"]
writes = ["o"]
computes = ["{equation}"]
"""


@pytest.mark.parametrize(
    ("twice", "equation", "said"),
    [
        (1, "o[i, j] = x[i]", "proved"),
        (2, "o[i, j] = x[i]", "unknown"),
        (2, "o[i, j] = where(j < 1, x[i], 0.0)", "refuted"),
    ],
)
def test_an_element_that_another_one_overwrites(twice: int, equation: str, said: str) -> None:
    (kernel,) = read_kernels(compile_source(SOURCE, "gfx942").payload).values()
    found = audit(decode_kernel(kernel), loads(LAUNCH.format(twice=twice, equation=equation, stride=1)))
    assert [verdict.name for claim, _, verdict in found.claims if claim == "computes"] == [said]


def test_elements_that_are_all_one_have_an_index() -> None:
    """What is loaded from the others lies outside, and that is what is told."""
    (kernel,) = read_kernels(compile_source(SOURCE, "gfx942").payload).values()
    found = audit(decode_kernel(kernel), loads(LAUNCH.format(twice=1, equation="o[i, j] = x[i]", stride=0)))
    assert found.name == "refuted"
