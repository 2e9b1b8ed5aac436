"""Elements that differ: a scatter by them does not race, and nothing else is made of it."""

import pytest

from layoutalg.audit.audit import Audit, audit
from layoutalg.device.compile import compile_source
from layoutalg.errors import LaunchError
from layoutalg.formats.spec import loads
from layoutalg.index import TRUE, var, variables
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.launch.distinct import DistinctElement, apart
from layoutalg.symex.values.instances import moved, others
from layoutalg.symex.values.unknowns import Kind, unknown_value
from tests.matrix import some

LAUNCH = """
symbols = {{ N = {{ min = 1, max = 256 }} }}
[[descriptor]]
name = "x"
dtype = "{dtype}"
base = {{ kind = "naive", lengths = [512], strides = [{stride}] }}
[[descriptor]]
name = "o"
dtype = "i32"
base = {{ kind = "naive", lengths = [65536], strides = [1] }}
[launch]
grid = [4]
block = [64]
arguments = ["x", "o", "N"]
writes = ["o"]
assume = [{{ of = "x", min = 0, max = 30000, distinct = true }}]
"""
KERNEL = """
#include <hip/hip_runtime.h>
extern "C" __global__ void k(const {kind}* x, int* o, int n) {{
    int t = blockIdx.x * 64 + threadIdx.x;
    {body}
}}
"""


def audited(body: str, dtype: str = "i32", stride: int = 1) -> Audit:
    source = KERNEL.format(body=body, kind={"i32": "int", "i64": "long long"}[dtype])
    (kernel,) = read_kernels(compile_source(source, "gfx942").payload).values()
    return audit(decode_kernel(kernel), loads(LAUNCH.format(dtype=dtype, stride=stride)), 10)


def races(found: Audit) -> set[str]:
    return {verdict.name for said, _, verdict in found.claims if said == "race_free"}


@pytest.mark.parametrize(("body", "dtype"), [
    ("if (t < n) o[x[t]] = t;", "i32"),
    ("if (t < n) { o[2 * x[t]] = t; o[2 * x[t + 256] + 1] = 0; }", "i64"),
    ("o[x[t]] = 1; o[x[t + 256]] = 2;", "i32"),
])  # fmt: skip
def test_scatters_by_elements_that_differ_do_not_race(body: str, dtype: str) -> None:
    found = audited(body, dtype)
    assert found.proved
    assert "no two elements of x are equal" in found.assumptions


@pytest.mark.parametrize(("body", "dtype"), some([
    ("o[x[t] & ~1] = t;", "i32"),  # two indices to one place
    ("o[x[t / 2]] = t;", "i32"),  # two threads by one index
    ("int j = 7; if (t < n) j = x[t]; o[j] = t;", "i32"),  # threads that load none
    ("o[x[t]] = 1; o[x[t + 1]] = 2;", "i32"),  # the next thread's
    ("o[x[t]] = 1; o[t] = 2;", "i32"),
    ("for (int k = 0; k < n; ++k) o[x[threadIdx.x + k]] = t;", "i32"),
    ("o[((const int*)x)[t]] = t;", "i64"),  # halves of elements
    ("o[(int)x[t] % 600] = t;", "i64"),
], 4))  # fmt: skip
def test_other_scatters_are_not_proved(body: str, dtype: str) -> None:
    assert races(audited(body, dtype)) & {"refuted", "unknown"}


def test_nothing_is_made_of_elements_that_are_not_said_to_differ() -> None:
    (kernel,) = read_kernels(compile_source(KERNEL.format(body="o[x[t]] = t;", kind="int"), "gfx942").payload).values()
    said = LAUNCH.format(dtype="i32", stride=1)
    found = audit(decode_kernel(kernel), loads(said.replace("distinct = true", "distinct = false")), 10)
    assert races(found) == {"refuted"}
    assert not any("are equal" in one for one in found.assumptions)


@pytest.mark.parametrize(("dtype", "assumed"), [
    ("i32", "min = 0, max = 510, distinct = true"),
    ("i8", "distinct = true"),
    ("u16", "max = 255, distinct = true"),
])  # fmt: skip
def test_more_elements_than_values_cannot_differ(dtype: str, assumed: str) -> None:
    (kernel,) = read_kernels(compile_source(KERNEL.format(body="o[t] = t;", kind="int"), "gfx942").payload).values()
    said = LAUNCH.format(dtype=dtype, stride=1).replace("min = 0, max = 30000, distinct = true", assumed)
    with pytest.raises(LaunchError, match="512 elements, which cannot all differ"):
        audit(decode_kernel(kernel), loads(said), 10)


def test_what_lies_between_elements_is_not_held_apart() -> None:
    """Of a tensor with a stride of 2 every second place is an element, and of the others nothing is known."""
    assert "proved" not in races(audited("if (t < 250) o[x[t]] = t;", stride=2))


def test_a_place_is_of_the_thread_and_the_turn_that_loaded_it() -> None:
    """Two threads' places are of two turns: that these are one does not follow."""
    thread, turn = var("thread", 64), var("turn 0", 9)
    v = unknown_value("loaded", 100, Kind.DATA, owner=(thread, turn))
    one = DistinctElement("x", v, thread + 64 * turn, turn >= 0)
    there = others([thread, turn])
    held = apart([one], [v], [moved(v, there)])
    assert {thread, turn, *there.values()} < set(variables(held))
    assert apart([one], [v], [thread]) is apart([one], [v], [v]) is TRUE
