"""Elements that differ: what is assumed of them, said and refused; cases of scatters are in `cases`."""

import pytest

from layoutalg.errors import LaunchError
from layoutalg.index import TRUE, var, variables
from layoutalg.launch.distinct import DistinctElement, apart
from layoutalg.symex.values.instances import moved, others
from layoutalg.symex.values.unknowns import Kind, unknown_value
from tests.audit.auditing import HIP, audited, verdicts

LAUNCH = """
[[descriptor]]
name = "x"
dtype = "i32"
base = { kind = "naive", lengths = [512], strides = [1] }
[[descriptor]]
name = "o"
dtype = "i32"
base = { kind = "packed", lengths = [65536] }
[launch]
grid = [4]
block = [64]
arguments = ["x", "o"]
writes = ["o"]
assume = [{ of = "x", min = 0, max = 30000, distinct = true }]
"""
SCATTER = (
    HIP
    + """extern "C" __global__ void k(const int* x, int* o) {
    int t = blockIdx.x * 64 + threadIdx.x;
    o[x[t]] = t;
}
"""
)
EQUAL = "no two elements of x are equal"


def test_that_elements_differ_is_told_where_it_is_used() -> None:
    found = audited(SCATTER, LAUNCH)
    assert found.proved
    assert EQUAL in found.assumptions


def test_nothing_is_made_of_elements_that_are_not_said_to_differ() -> None:
    found = audited(SCATTER, LAUNCH.replace("distinct = true", "distinct = false"))
    assert verdicts(found, "race_free") == {"refuted"}
    assert EQUAL not in found.assumptions


@pytest.mark.parametrize(("dtype", "assumed"), [
    ("i32", "min = 0, max = 510, distinct = true"),
    ("i8", "distinct = true"),
    ("u16", "max = 255, distinct = true"),
])  # fmt: skip
def test_more_elements_than_values_cannot_differ(dtype: str, assumed: str) -> None:
    said = LAUNCH.replace("i32", dtype, 1).replace("min = 0, max = 30000, distinct = true", assumed)
    with pytest.raises(LaunchError, match="512 elements, which cannot all differ"):
        audited(SCATTER, said)


def test_what_lies_between_elements_is_not_held_apart() -> None:
    """Of a tensor with a stride of 2 every second place is an element, and of the others nothing is known."""
    assert "proved" not in verdicts(audited(SCATTER, LAUNCH.replace("strides = [1]", "strides = [2]")), "race_free")


def test_a_place_is_of_the_thread_and_the_turn_that_loaded_it() -> None:
    """Two threads' places are of two turns: that these are one does not follow."""
    thread, turn = var("thread", 64), var("turn 0", 9)
    v = unknown_value("loaded", 100, Kind.DATA, owner=(thread, turn))
    one = DistinctElement("x", v, thread + 64 * turn, turn >= 0)
    there = others([thread, turn])
    held = apart([one], [v], [moved(v, there)])
    assert {thread, turn, *there.values()} < set(variables(held))
    assert apart([one], [v], [thread]) is apart([one], [v], [v]) is TRUE
