"""Lane masks as numbers: how many lanes have a bit is not known, and no more than there are lanes."""

import pytest

from layoutalg.audit.audit import Audit
from tests.audit.auditing import audited
from tests.matrix import some

LAUNCH = """
[[descriptor]]
name = "x"
dtype = "i32"
base = {{ kind = "naive", lengths = [256], strides = [1] }}
[[descriptor]]
name = "y"
dtype = "i32"
base = {{ kind = "naive", lengths = [{}], strides = [1] }}
[[descriptor]]
name = "o"
dtype = "i32"
base = {{ kind = "naive", lengths = [256], strides = [1] }}
[launch]
grid = [1]
block = [256]
arguments = ["x", "y", "o"]
writes = ["o"]
assume = ["0 <= x[i] <= 4"]
"""
KERNEL = """
#include <hip/hip_runtime.h>
extern "C" __global__ void k(const int* x, const int* y, int* o) {{
    int t = threadIdx.x;
    unsigned long long votes = __ballot(x[t] > {});
    {}
}}
"""
COUNT = "o[t] = y[__popcll(votes)];"
BELOW = "o[t] = y[__builtin_amdgcn_mbcnt_hi(votes >> 32, __builtin_amdgcn_mbcnt_lo((unsigned)votes, 0))];"
FIRST = "if (__builtin_amdgcn_mbcnt_hi(votes >> 32, __builtin_amdgcn_mbcnt_lo((unsigned)votes, 0)) == 0) o[t] = y[t];"


def voting(body: str, length: int, target: str = "gfx942", above: int = 2) -> Audit:
    """Lanes vote that have loaded more than a number."""
    return audited(KERNEL.format(above, body), LAUNCH.format(length), target)


def verdicts(body: str, length: int, target: str = "gfx942", above: int = 2) -> set[str]:
    """Those of accesses in bounds."""
    found = voting(body, length, target, above)
    return {one.name for claim, _, one in found.claims if claim in ("in_bounds", "followed")}


@pytest.mark.parametrize(("body", "length", "target"), some([
    (COUNT, 65, "gfx942"), (COUNT, 33, "gfx1201"), (BELOW, 64, "gfx942"), (BELOW, 32, "gfx1201"),
    (FIRST, 256, "gfx942"),
], 3, slow=True))  # fmt: skip
def test_no_more_lanes_have_a_bit_than_there_are(body: str, length: int, target: str) -> None:
    assert verdicts(body, length, target) == {"proved"}
    assert verdicts(body, length - 1, target) != {"proved"}
    if body is not FIRST:  # every lane votes
        assert "refuted" in verdicts(body, length - 1, target, above=-1)


def test_how_many_do_is_not_known() -> None:
    body = "if (__popcll(votes) == 7) o[256] = 1;"
    assert verdicts(body, 1) != {"proved"}
    assert verdicts(body, 1, above=-1) == {"proved"}  # all 64


def test_a_number_that_is_0_before_a_loop_is_no_mask() -> None:
    """The upper half of a counter stays 0 in every turn, as an empty mask does."""
    body = "int s = 0, n = blockIdx.x + 40; for (int k = 0; k < n; k += 4) s += x[k & 255]; o[t] = s;"
    assert verdicts(body, 1) == {"proved"}


def test_a_mask_that_is_read_as_a_number_is_a_number_of_which_nothing_is_known() -> None:
    body = "o[t] = y[(int)(votes + 1) & 63];"
    assert verdicts(body, 64) == {"proved"}
    assert verdicts(body, 63) != {"proved"}
