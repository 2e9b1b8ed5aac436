"""Tables of constants in a code object: loads of them are followed, and held against what is loaded there."""

import pytest

from tests.audit.auditing import audited
from tests.matrix import each

SLOW = pytest.mark.slow
TARGETS = ("gfx942", "gfx1201")

SOURCE = """#include <hip/hip_runtime.h>
__constant__ const int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
extern "C" __global__ void look(const int* x, int* o, int z) {
  int t = threadIdx.x;
  o[t] = table[WHERE];
}
"""
LAUNCH = """
[[descriptor]]
name = "x"
dtype = "i32"
base = { kind = "naive", lengths = [64], strides = [1] }
[[descriptor]]
name = "o"
dtype = "i32"
base = { kind = "naive", lengths = [64], strides = [1] }
[launch]
kernel = "look"
grid = [1]
block = [64]
arguments = ["x", "o", { name = "z", bytes = 4 }]
writes = ["o"]
"""


@pytest.mark.parametrize("target", each(TARGETS, "gfx942"))
@pytest.mark.parametrize(
    "where", ["x[t] & 7", pytest.param("7 - t % 8", marks=SLOW), pytest.param("z & 7", marks=SLOW)]
)
def test_a_table_of_constants_is_read_where_it_is(where: str, target: str) -> None:
    found = audited(SOURCE.replace("WHERE", where), LAUNCH, target)
    assert found.proved, found.failures


@pytest.mark.parametrize("target", each(TARGETS, "gfx1201"))
@pytest.mark.parametrize(
    "where", ["x[t] & 0xffff", *(pytest.param(one, marks=SLOW) for one in ("x[t]", "t * 65536", "-1 - t * 4096"))]
)
def test_what_may_lie_beside_all_that_is_loaded_is_not_proved(where: str, target: str) -> None:
    found = audited(SOURCE.replace("WHERE", where), LAUNCH, target)
    assert not found.proved
    assert any(about.startswith(("in_bounds", "followed")) for about, _ in found.failures)


@SLOW
@pytest.mark.parametrize("target", TARGETS)
def test_a_table_that_is_stored_to_is_not_proved(target: str) -> None:
    stores = 'int* p = (int*)table; asm volatile("" : "+v"(p)); p[t & 7] = 1; o[t] ='  # the compiler may not know
    found = audited(SOURCE.replace("o[t] =", stores).replace("WHERE", "x[t] & 7"), LAUNCH, target)
    assert any(about.startswith("read_only") for about, _ in found.failures), found.failures
