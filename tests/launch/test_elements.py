"""Which places of a tensor's memory are elements: what enumeration finds, and that no store may go between them."""

import itertools

import pytest

from layoutalg.audit.audit import Audit
from layoutalg.index import as_expr, substitute, symbol
from layoutalg.launch.elements import Elements
from layoutalg.layout import ck
from tests.audit.auditing import audited, failed

LAYOUTS = {
    "packed": ((4, 6), (6, 1), 0),
    "columns": ((4, 6), (1, 4), 0),
    "pitched": ((4, 6), (8, 1), 0),
    "pitched columns": ((4, 6), (1, 5), 3),
    "three axes": ((2, 3, 4), (40, 5, 1), 0),
    "every other": ((5,), (2,), 1),
    "a length of 1": ((1, 4), (9, 2), 0),
    "broadcast": ((3, 4), (0, 1), 2),
    "the middle axis outermost": ((2, 3, 2), (2, 10, 1), 0),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_elements_are_those_of_enumeration(name: str) -> None:
    lengths, strides, offset = LAYOUTS[name]
    found = Elements.of(ck.make_naive_tensor_descriptor_with_offset(lengths, strides, offset))
    indices = itertools.product(*map(range, lengths))
    places = {sum(i * stride for i, stride in zip(index, strides, strict=True)) for index in indices}
    assert (found.first.value, found.space.value, found.assumed) == (offset, offset + max(places) + 1, False)
    if found.each is None:
        assert places == set(range(max(places) + 1))
    else:
        assert {p for p in range(-3, max(places) + 9) if found.are(as_expr(p)).value} == places


def test_elements_for_all_sizes() -> None:
    m, n, s = (symbol(name, min=1, max=9) for name in "MNS")
    found = Elements.of(ck.make_naive_tensor_descriptor((m, n), (s + n, 1)))
    place = symbol("place", min=0, max=1000)
    for rows, columns, more in itertools.product((1, 2, 5), (1, 3), (1, 4)):
        inside = substitute(found.are(place), {m: rows, n: columns, s: more})
        assert {p for p in range(99) if substitute(inside, {place: p}).value} == {
            i * (more + columns) + j for i in range(rows) for j in range(columns)
        }


SOURCE = """#include "layoutalg_device.h"
extern "C" __global__ void rows(const float* x, float* o, int n, int s) {
  int i = blockIdx.x, j = threadIdx.x;
  if (j < COLUMNS) o[i * s + j + FIRST] = x[i * n + (j < n ? j : 0)];
}
"""
LAUNCH = """
symbols = { M = { min = 1, max = 64 }, N = { min = 1, max = 200 }, S = { min = 1, max = 200 } }
[[descriptor]]
name = "x"
dtype = "f32"
base = { kind = "packed", lengths = ["M", "N"] }
[[descriptor]]
name = "o"
dtype = "f32"
given = ["S >= N"]
base = { kind = "naive_with_offset", lengths = ["M", "N"], strides = ["S", 1], offset = 5 }
[launch]
grid = ["M"]
block = [256]
arguments = ["x", "o", "N", "S"]
writes = ["o"]
"""


def of(columns: str, first: int = 0) -> Audit:
    text = SOURCE.replace("COLUMNS", columns).replace("FIRST", str(first))
    return audited(text, LAUNCH)


def test_a_store_between_elements_or_before_the_first_is_no_store_in_the_tensor() -> None:
    assert of("n").proved
    for wrong in (of("s"), of("n", 5), of("n", -1)):
        assert wrong.name == "refuted"
        assert failed(wrong)["in_bounds"] == "refuted"


def test_what_is_loaded_from_between_elements_is_not_written() -> None:
    """An even element of a tensor of stride 2 has contents, and what lies beside it has none."""
    source = """#include "layoutalg_device.h"
    extern "C" __global__ void rows(const float* x, float* o, int n) {
      int i = blockIdx.x * 64 + threadIdx.x;
      if (i < n) o[i] = x[PLACE];
    }"""
    launch = """
symbols = { N = { min = 1, max = 1000 } }
[[descriptor]]
name = "x"
dtype = "f32"
base = { kind = "naive", lengths = ["N"], strides = [2] }
[[descriptor]]
name = "o"
dtype = "f32"
base = { kind = "packed", lengths = ["N"] }
[launch]
grid = ["(N + 63) // 64"]
block = [64]
arguments = ["x", "o", "N"]
writes = ["o"]
"""
    verdicts = {}
    for place in ("2 * i", "i"):
        verdicts[place] = set(failed(audited(source.replace("PLACE", place), launch)))
    assert verdicts == {"2 * i": set(), "i": {"defined"}}
