"""What comes out, and no equation claims: that all of it is stored, what runs make of it, and what is said."""

from functools import cache

import pytest

from layoutalg.audit.audit import Audit, audit
from layoutalg.errors import SpecError
from layoutalg.formats.spec import loads
from layoutalg.prove import Verdict
from tests.audit.auditing import HIP, kernels

LAUNCH = """
symbols = {{ M = {{ min = 1, max = 1000 }}, N = {{ min = 1, max = 1000 }} }}
[[descriptor]]
name = "x"
dtype = "i32"
base = {{ kind = "naive", lengths = ["M", "N"], strides = ["N", 1] }}
[[descriptor]]
name = "o"
dtype = "i32"
base = {{ kind = "naive", lengths = ["M", "N"], strides = ["N", 1] }}
[launch]
grid = ["(N + 63) // 64", "M"]
block = [64]
arguments = ["x", "o", "M", "N"]
writes = ["o"]
{}
"""
KERNEL = """
extern "C" __global__ void {}(const int* x, int* o, int M, int N) {{
    int row = blockIdx.y, column = blockIdx.x * 64 + threadIdx.x;
    if (column >= N) return;
    int at = row * N + column;
    {}
}}
"""
KERNELS = {
    "copies": "o[at] = x[at];",
    "reversed": "o[row * N + N - 1 - column] = x[at];",
    "but_the_last_column": "if (column < N - 1) o[at] = x[at];",
    "the_first_tile": "if (blockIdx.x == 0) o[at] = x[at];",
    # Of one element either this store or the other one is done, as its own thread's value says: perhaps none is.
    "as_another_says": "if (x[at] > 0) o[at] = 1; if (x[at] <= 0) o[row * N + N - 1 - column] = 1;",
    "adds": "o[at] += x[at];",
    "adds_but_the_last": "if (column < N - 1) o[at] += x[at];",
    "counts": "atomicAdd(o + at, x[at]);",
}


@cache
def of(name: str, more: str = 'claims = ["stores_all"]') -> Audit:
    text = "".join(KERNEL.format(*one) for one in KERNELS.items())
    return audit(kernels(HIP + text)[name], loads(LAUNCH.format(more)))


def said(found: Audit, name: str) -> list[Verdict]:
    return [verdict for claim, _, verdict in found.claims if claim == name]


@pytest.mark.parametrize("name", ["copies", "adds", "counts"])
def test_all_that_is_stored_is_proved_to_be(name: str) -> None:
    assert of(name).proved


@pytest.mark.parametrize(("name", "shown"), [
    ("but_the_last_column", "a run at M = 70, N = 65: o[0, 64] is never stored to, 70 of 4550 are not"),
    ("the_first_tile", "o[0, 64] is never stored to"),
    ("adds_but_the_last", "a run at M = 1, N = 1: o[0, 0] is never stored to"),
])  # fmt: skip
def test_an_element_that_a_run_leaves_out_refutes_it(name: str, shown: str) -> None:
    found = of(name)
    assert found.name == "refuted"
    (verdict,) = said(found, "stores_all")
    assert shown in str(verdict.reason)
    assert {verdict.name for claim, _, verdict in found.claims if claim != "stores_all"} == {"proved"}


def test_stores_that_depend_on_what_was_loaded_cover_nothing() -> None:
    (verdict,) = said(of("as_another_says"), "stores_all")
    assert verdict.name in ("refuted", "unknown")


def test_without_the_claim_nothing_is_claimed_and_that_is_said() -> None:
    found = of("the_first_tile", "")
    assert found.proved
    assert found.unclaimed == ("what o holds", "that all of o is stored to")
    assert of("copies", 'computes = ["o[i, j] = x[i, j]"]').unclaimed == ()


def test_what_is_tried_is_no_claim_but_where_a_run_refutes_it() -> None:
    right = of("copies", 'tried = ["o[i, j] = x[i, j]"]')
    assert right.proved
    assert not said(right, "computes")
    assert right.unclaimed[0].startswith("what o holds (")
    assert right.unclaimed[0].endswith(" runs at small sizes gave it)")
    wrong = of("reversed", 'tried = ["o[i, j] = x[i, j]"]')
    (verdict,) = said(wrong, "computes")
    assert verdict.name == wrong.name == "refuted"
    assert "and the equation says" in str(verdict.reason)
    assert wrong.unclaimed == ()


def test_an_equation_is_claimed_or_tried() -> None:
    with pytest.raises(SpecError, match="o has an equation before"):
        loads(LAUNCH.format('computes = ["o[i, j] = x[i, j]"]\ntried = ["o[i, j] = x[j, i]"]'))
